"""Words that a text has where its source leaves one out (*I did*): what is restored, and whether it was said before."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from endophora.align.priors import Priors
from endophora.annotate.records import NOUNS, VERBS, Token
from endophora.judgments.records import Choice
from endophora.judgments.translations import translates, word_of
from endophora.judgments.words import common_start
from endophora.languages.schema import EllipsisWords
from endophora.phenomena.ellipsis import EllipsisTagger
from endophora.phenomena.ellipsis_rules import EllipsisSite
from endophora.phenomena.records import AnnotatedDocument, group_of, subjects, targets_of

_CLAUSES = frozenset({"root", "conj", "ccomp", "parataxis", "advcl", "xcomp"})
"""Relations of predicates, which are adjectives too (*он мне нужен*)."""
_OBJECTS = frozenset({"obj", "iobj"})

_BESIDE = 5
"""Tokens between the translation of what is left and the word that says what is not."""

_WINDOW = 3
"""Segments before the site in which what is left out was said."""

_STEM, _LONG = 3, 5
"""Letters of a stem, and at most of a prefix or infix; of a stem that is half of the word."""

_REACH = 3
"""Verbs above one without a subject at which its subject may stand."""

_ANSWERS = {"1": "2", "2": "1", "3": "3"}
"""Person of a subject → that of the one it answers to (*Did you see him? – I did*)."""


def restored(document: AnnotatedDocument, tagger: EllipsisTagger, priors: Priors) -> Iterator[Choice]:
    """Yield the words that stand for a verb or noun phrase left out in the source, and whether they were said before.

    The verb is the predicate beside the translation of what the source has left that translates no other verb. It is
    ``said`` if the text has it in the nearest earlier clauses, except for what governs a clause there, and for clauses
    of another subject than what the source has left (*I knew that you saw him. – I did*: I saw). A verb is in doubt
    that is known to translate one of the source's there, is that of such a clause, or was said some segments ago; else
    it is ``new``. It is ``otherwise`` if it is a pro-form (*das tue ich*), or what lets it be left out (*ich kann
    nicht*, *ich auch*). A noun is beside the site, linked to nothing else, and was said before.
    """
    reader = _Restored(document, priors, tagger.words)
    for segment, sites in enumerate(tagger.sites(document.source)):
        for site in sites:
            if site.kind == "verb_phrase" and site.tokens:
                yield from reader.verb(segment, site)
            elif site.kind == "noun_phrase" and site.tokens:
                yield from reader.noun(segment, site)


@dataclass(frozen=True)
class _Said:
    """The verbs of a segment on both sides, by token; ``matrix`` are source tokens that a clause depends on."""

    source: Mapping[int, Token]
    target: Mapping[int, Token]
    matrix: frozenset[int]
    links: frozenset[tuple[int, int]]
    persons: Mapping[int, str]

    def without(self, tokens: Collection[int]) -> _Said:
        """Return the verbs except for some of the source and what they are translated by."""
        gone = {target for source, target in self.links if source in tokens and source in self.source}
        source = {index: token for index, token in self.source.items() if index not in tokens}
        return replace(self, source=source, target={at: token for at, token in self.target.items() if at not in gone})

    def only(self, tokens: Collection[int]) -> _Said:
        """Return some verbs of the source and those of the target that translate them."""
        kept = {target for source, target in self.links if source in tokens}
        target = {at: token for at, token in self.target.items() if at in kept}
        return replace(self, source={at: self.source[at] for at in tokens}, target=target)

    @property
    def has_verb(self) -> bool:
        """Whether the source has a full verb."""
        return any(token.upos == "VERB" for token in self.source.values())

    def answered(self, persons: Sequence[str]) -> list[str]:
        """Return the persons that are subjects here, those first that have a verb that governs no clause."""
        found = [one for one in persons if self.answering(one)]
        return sorted(found, key=lambda one: self.answering(one) <= self.matrix)

    def answering(self, person: str) -> set[int]:
        """Return the verbs whose subject is of a person: those that govern a clause only where there are no others."""
        found = {at for at in self.source if self.persons[at] == person}
        embedded = {at for at in found if self.source[at].relation == "ccomp"}
        return found - self.matrix or embedded or found

    def meant(self, person: str, answer: set[int]) -> _Said:
        """Return those verbs, and of the others those of the person of the site or of none that govern no clause."""
        embedded = self.matrix - {at for at, token in self.source.items() if token.relation == "ccomp"}
        other = {at for at in self.source if at in self.matrix or self.persons[at] != person}
        same = {at for at in self.source if self.persons[at] == person} - embedded
        free = {at for at in self.source if not self.persons[at]} - self.matrix
        return self.without(other - same - free - answer)


@dataclass(frozen=True)
class _Restored:
    document: AnnotatedDocument
    priors: Priors
    words: EllipsisWords

    def verb(self, segment: int, site: EllipsisSite) -> Iterator[Choice]:
        """Yield the verb that is restored at a site, or what stands there without it, if one is found."""
        index, own = self._verb(segment, site), self._linked(segment, site.tokens)
        tokens = self.document.target[segment].tokens
        if index is None:
            near = {at + by for at in self._around(segment, site) for by in (-1, 0, 1)} & set(range(len(tokens)))
            found = [
                at
                for at in sorted(near - self._interjections(segment))
                if tokens[at].form.casefold() in self.words.particles
            ]
            found += [at for at in own if tokens[at].upos in NOUNS]
            for at in found[:1]:
                yield Choice("ellipsis", segment, site.tokens, (at,), tokens[at].lemma.casefold(), "otherwise")
            return
        about = self._about(segment, site, index)
        # *Я этого не делала. – Ты сделала это*: the verb is the one left out itself.
        own = about == "said" and tokens[index].lemma.casefold() in self.words.pro_verbs
        about = about if own or not self._stands(segment, site, index) else "otherwise"
        yield Choice("ellipsis", segment, site.tokens, (index,), tokens[index].lemma.casefold(), about)

    def _interjections(self, segment: int) -> set[int]:
        """Return the words for *yes* and *no*; one that opens a text of such a word is that, linked or not."""
        source, tokens = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        links = self.document.links[segment]
        opens = source[0].upos == "INTJ" and [token.upos for token in tokens[1:2]] == ["PUNCT"]
        return {link.target for link in links if source[link.source].upos == "INTJ"} | ({0} if opens else set())

    def _about(self, segment: int, site: EllipsisSite, index: int) -> str:
        source, verb = self.document.source[segment].tokens, self.document.target[segment].tokens[index]
        place = site.tokens[0]
        here = self._said(segment, place, index).without(_above(source, place) | _in_subject(source, place))
        here = here if here.source else replace(here, target={})  # *Делает, делает*
        places = range(segment - 1, max(-1, segment - _WINDOW - 1), -1)
        earlier = {at: self._said(at) for at in places}
        before = [said for said in earlier.values() if said.has_verb]
        # What the text has for a verb left out before, too; no *do* takes up a copula.
        verbless = [said for at, said in earlier.items() if not said.has_verb and not self._has_copula(at)]
        if not here.source and not before:
            return ""
        person = _person(source, place, contrast=True)
        persons = [one for one in (_ANSWERS.get(person), person) if one]
        # A clause without a subject may stand between (*taking care of them*): that which is answered is before it.
        found = next(((at, one) for at, said in enumerate([here, *before]) for one in said.answered(persons)), None)
        last, answer = (max(1, found[0]), found[1]) if found else (1, "")
        near, far = [here, *before[:last]], before[last:]
        answers = [said.answering(answer) if answer else set[int]() for said in near]
        restricted = any(answers)
        meant = [
            said.meant(person, found) if restricted else said.without(said.matrix)
            for said, found in zip(near, answers, strict=True)
        ]
        if verb.lemma.casefold() in self.words.pro_verbs:  # *делать* says no other verb by itself
            meant = [said.only(found) for said, found in zip(near, answers, strict=True)] if restricted else meant
            if any(self._is_among(verb, said) for said in meant):
                return "said"
            return "" if restricted and any(self._translates(verb, said) for said in meant) else "new"
        if any(self._is_among(verb, said) for said in (*meant, *verbless)):
            return "said"
        return (
            "" if any(self._is_among(verb, said) or self._translates(verb, said) for said in (*near, *far)) else "new"
        )

    def _stands(self, segment: int, site: EllipsisSite, index: int) -> bool:
        """Return whether a verb is a pro-form, or lets the verb be left out as the source's auxiliary does."""
        source, tokens = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        lemma = tokens[index].lemma.casefold()
        if lemma in self.words.stranded and any(
            translates(self.priors, word_of(source[at]), word_of(tokens[index])) for at in site.tokens
        ):
            return True  # *can* → *kann*
        if tokens[index].upos == "AUX" and tokens[index].relation != "cop":
            return True  # *have* → *habe*, without a verb of its own
        if lemma not in self.words.pro_verbs:
            return False
        sides = reversed(tokens[max(0, index - _BESIDE) : index]), iter(tokens[index + 1 : index + _BESIDE + 1])
        clause = (one for side in sides for one in takewhile(lambda token: token.upos != "PUNCT", side))
        return any(one.form.casefold() in self.words.pro_forms for one in clause)

    def noun(self, segment: int, site: EllipsisSite) -> Iterator[Choice]:
        """Yield the noun that is restored at a site, or what is left there if it has no unlinked noun."""
        target, around, own = self.document.target, self._around(segment, site), self._linked(segment, site.tokens)
        tokens = target[segment].tokens
        taken = {link.target for link in self.document.links[segment] if link.source not in site.tokens}
        said = {
            token.lemma.casefold()
            for place in range(max(0, segment - _WINDOW), segment + 1)
            for at, token in enumerate(target[place].tokens)
            if token.upos in NOUNS and (place < segment or at < min(around, default=0))
        }
        free = [at for at, token in enumerate(tokens) if token.upos in NOUNS and at not in taken]
        away = {at: min((abs(at - one) for one in around), default=len(tokens)) for at in free}
        found = [at for at in free if away[at] <= _BESIDE and tokens[at].lemma.casefold() in said]
        if found:
            yield Choice("ellipsis", segment, site.tokens, (found[0],), tokens[found[0]].lemma.casefold(), "said")
        elif own and not any(away[at] <= 1 or tokens[one].head == at for at in free for one in own):  # *two* → *zwei*
            yield Choice("ellipsis", segment, site.tokens, (min(own),), tokens[min(own)].lemma.casefold(), "otherwise")

    def _linked(self, segment: int, tokens: Collection[int]) -> set[int]:
        return {index for token in tokens for index in targets_of(token, self.document.links[segment])}

    def _around(self, segment: int, site: EllipsisSite) -> set[int]:
        """Return the translations of what stands at a site and beside it."""
        return self._linked(segment, range(min(site.tokens) - 2, max(site.tokens) + 2))

    def _said(self, segment: int, source_end: int | None = None, target_end: int | None = None) -> _Said:
        """Return the verbs of a segment, as far as some token on either side."""
        source, target = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        theirs = {
            at: token for at, token in enumerate(source[:source_end]) if token.upos != "AUX" and _is_predicate(token)
        }
        helping = self._helping(segment)
        ours = {at: token for at, token in enumerate(target[:target_end]) if _is_predicate(token) and at not in helping}
        matrix = {token.head for token in source if token.relation == "ccomp"}
        links = {(link.source, link.target) for link in self.document.links[segment]}
        persons = {at: _person(source, at) for at in theirs}
        return _Said(theirs, ours, frozenset(matrix), frozenset(links), persons)

    def _helping(self, segment: int) -> set[int]:
        """Return the auxiliaries and modals of the target that translate nothing but auxiliaries, and say no verb.

        An auxiliary whose verb has no link may stand for it (*I'd like to* → *хочу*).
        """
        source, target = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        links = self.document.links[segment]
        verbs = {
            link.target
            for link in links
            if (token := source[link.source]).upos != "AUX"
            or (token.relation.startswith(("aux", "cop")) and not targets_of(token.head, links))
        }
        return {
            at
            for at in {link.target for link in links} - verbs
            if target[at].upos == "AUX" or target[at].lemma.casefold() in self.words.stranded
        }

    def _has_copula(self, segment: int) -> bool:
        """Return whether a source clause has a copula, which no *do* takes up."""
        return any(token.relation == "cop" for token in self.document.source[segment].tokens)

    def _is_among(self, verb: Token, said: _Said) -> bool:
        return any(_is_same_verb(verb, other, self.words.mutations) for other in said.target.values())

    def _translates(self, verb: Token, said: _Said) -> bool:
        verbs = (token for token in said.source.values() if token.upos == "VERB")
        return any(translates(self.priors, word_of(one), word_of(verb)) for one in verbs)

    def _verb(self, segment: int, site: EllipsisSite) -> int | None:
        """Return the target predicate that stands for what is left out: that nearest to the site's translation."""
        links = self.document.links[segment]
        source, target = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        own = self._linked(segment, site.tokens)
        others = {at: token for at, token in enumerate(source) if at not in site.tokens}
        taken = {link.target for link in links if link.source in others and others[link.source].upos in ("VERB", "ADJ")}
        # *we'll be listening*: *будем* is that of another clause, and not of what is left out
        auxiliaries = {at for at, token in others.items() if token.upos == "AUX" and token.head not in site.tokens}
        verbless = {at for at, token in enumerate(target) if token.upos == "AUX"} - own
        taken |= {link.target for link in links if link.source in auxiliaries} & verbless
        found = [index for index, token in enumerate(target) if _is_predicate(token) and index not in taken]
        around = self._around(segment, site)
        middle = sum(around) / len(around) if around else len(target) * site.tokens[0] / len(source)
        near = [index for index in found if index in own or abs(index - middle) <= _BESIDE]
        index = min(
            near, key=lambda index: (index not in own, target[index].upos != "VERB", abs(index - middle)), default=None
        )
        if index is None:
            return None
        # *Ich habe ihn gesehen*, *я мог взять*: the auxiliary's verb, or the modal's, says what is left out.
        modal = target[index].lemma.casefold() in self.words.stranded
        verbs = [at for at in found if modal and target[at].head == index and target[at].relation == "xcomp"]
        verbs.append(group_of(target, index))
        return next((at for at in verbs if at in found), index)


def _person(tokens: Sequence[Token], index: int, contrast: bool = False) -> str:
    """Return the person of a verb's subject; of a verb without one that of the verb above, or of its object.

    With ``contrast`` none is returned for a noun, an indefinite pronoun or *it*: they stand against any (*I don't
    think so. – The boss does*).
    """
    for _ in range(_REACH):
        token = tokens[index]
        found = subjects(tokens, [index])
        if not found and token.relation.startswith(("aux", "cop")):
            found = subjects(tokens, [token.head])
        if not found and token.relation == "xcomp":
            found = [at for at, one in enumerate(tokens) if one.head == token.head and one.relation in _OBJECTS]
        if found:
            # *you guys*, *you all*
            one = next(at for at in (found[0] - 1, found[0]) if at >= 0 and _is_subject(tokens[at], at == found[0]))
            person, form = tokens[one].features.get("Person", "3"), tokens[one].features
            definite = form.get("PronType") == "Prs" and form.get("Gender") != "Neut"
            return "" if contrast and person == "3" and not definite else person
        if token.features.get("Mood") == "Imp":
            return "2"
        if token.relation not in ("conj", "xcomp"):
            return ""
        index = token.head
    return ""


def _is_subject(token: Token, found: bool) -> bool:
    form = token.features
    return found or (token.upos == "PRON" and form.get("Person") == "2" and form.get("Poss") != "Yes")


def _above(tokens: Sequence[Token], index: int) -> frozenset[int]:
    """Return the words that a word depends on, its head first (*he said he didn't*: *said*)."""
    found: list[int] = []
    while (index := tokens[index].head) >= 0 and index not in found:
        found.append(index)
    return frozenset(found)


def _in_subject(tokens: Sequence[Token], index: int) -> frozenset[int]:
    """Return the verbs of relative clauses of a verb's subject that have another subject (*everybody I know does*)."""
    clauses = [
        at for at, one in enumerate(tokens) if one.relation == "acl:relcl" and one.head in subjects(tokens, [index])
    ]
    return frozenset(
        at for at in clauses if any(tokens[one].features.get("PronType") == "Prs" for one in subjects(tokens, [at]))
    )


def _is_predicate(token: Token) -> bool:
    """Return whether a word is a predicate or an auxiliary; a particle of mood (*бы*) is neither."""
    if "Mood" in token.features and "VerbForm" not in token.features:
        return False
    return token.upos in VERBS or (token.upos == "ADJ" and token.relation.partition(":")[0] in _CLAUSES)


def _is_same_verb(one: Token, other: Token, mutations: Collection[str]) -> bool:
    """Return whether two verbs are one by their lemmas or, where a lemma is made up, by their forms."""
    forms = [(one.lemma, other.lemma), (one.form, other.form), (one.lemma, other.form), (one.form, other.lemma)]
    pairs = [sorted((a.casefold(), b.casefold()), key=len) for a, b in forms]
    return any(_is_of_one_stem(shorter, longer, mutations) for shorter, longer in pairs)


def _is_of_one_stem(shorter: str, longer: str, mutations: Collection[str]) -> bool:
    """Return whether two verbs are one, begin alike, or differ by a prefix or infix only (*видеть*, *увидеть*)."""
    if len(shorter) < _STEM and shorter != shorter.upper():  # *a* is no stem of *va*; in Chinese one character is one
        return shorter == longer
    same = common_start(shorter, longer)
    last = {shorter[same : same + 1], longer[same : same + 1]}
    same += any(last == set(pair) for pair in mutations)  # *заботиться*, *забочусь*
    if same >= max(_STEM, 0.6 * len(shorter)) or same >= max(_LONG, 0.5 * len(shorter)):
        return True
    letters = iter(longer)
    infix = same >= _STEM and all(letter in letters for letter in shorter)
    return len(longer) <= len(shorter) + _STEM and (infix or longer.endswith(shorter))
