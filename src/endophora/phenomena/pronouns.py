"""Pronoun choice: a pronoun that agrees with an antecedent in an earlier sentence (Fernandes et al. 2023, §4.2).

A language that drops its subjects still chooses: *it fell* is Polish *spadł* of a roof, *spadła* of a lamp. And so
does one whose possessives and objects are endings: *its door* is Arabic *bābuhu* of a house, *bābuhā* of a room.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import Literal

from endophora.annotate.records import AnnotatedText
from endophora.corefer.records import Antecedent, Resolution
from endophora.errors import Fault, InputError
from endophora.languages.schema import LanguageRules, PronounRule
from endophora.phenomena.binding import cannot_stand_for
from endophora.phenomena.impersonal import ImpersonalPronouns
from endophora.phenomena.natural_pronouns import NaturalPronounTagger
from endophora.phenomena.pronoun_endings import dropped_pronoun, suffixed_pronoun
from endophora.phenomena.pronoun_pairs import (
    FREE,
    OBJECTS,
    POSSESSIVE,
    PronounPair,
    clear_role_of,
    free_forms,
    governed,
    is_beside,
    is_looked_at,
    is_of_person,
    linked_pronouns,
    nearer_pronoun,
    places_of_forms,
    values_of,
)
from endophora.phenomena.pronoun_rivals import are_joined, before_in_sentence, has_others, is_of_other
from endophora.phenomena.records import (
    AnnotatedDocument,
    Memory,
    Occurrence,
    Support,
    last_document,
    placed,
    placed_phrase,
    sources_of,
    targets_of,
)
from endophora.phenomena.tagging import TaggerSetup, rules_signature

_NOMINAL = frozenset({"NOUN", "PROPN", "NUM"})
_CALLS = frozenset({"vocative", "discourse"})
_SAID = frozenset({"ADJ", "VERB"})
_LEAST = 0.2
"""Probability that antecedents in earlier sentences must have together, even if the target's form supports a noun."""

_UNKNOWN = 0.8
"""Weight of an antecedent of whose translation no gender is known."""

_ONE = 0.5
"""Weight of a singular in the target for a plural pronoun, which it may be of (*la police … ils*)."""

_STILL_NONE = 0.3
"""Weight that standing for nothing keeps where the target's form supports a noun."""

_FARTHER = 0.8
"""Weight against an earlier noun of what is no candidate: some of it are nouns too, that are farther back."""

_BEYOND = 0.5
"""Least probability of no candidate with which a pronoun that shows a noun is tagged without one."""

_BEYOND_JOINED = 0.9
"""Probability that earlier nouns must have where names that are joined stand before a plural pronoun."""

_POSSESSED = 0.8
"""The same part for possessives, whose noun mostly is in their sentence."""

_SURE = 0.5
"""Probability from which an earlier noun is believed though there is one that the pronoun may look forward to."""

_AS_GOOD = 0.5
"""Least part of the most likely mention's probability that a nearer one of the same noun must have to be named."""


class PronounTagger:
    """Tags the translation of an ambiguous pronoun whose antecedent is not in the sentence.

    Args:
        variant: ``window``: the antecedent must be believed to be in an earlier sentence, and is the support;
            ``sentence``: there must be no believed antecedent in the same sentence, and the first segment of a
            document is never tagged.
        threshold: part of the probability of all candidates that agree with the form which those in earlier sentences
            must have together (variant ``sentence``: probability from which an antecedent is believed).
        unmarked: the same for forms that the rules call unmarked, of the whole probability.
        source: rules of the source language, which say which nouns its pronouns do not stand for (English *it*, no
            person); the variant ``sentence`` asks for no noun.
    """

    phenomenon = "pronouns"

    def __init__(
        self,
        target: LanguageRules,
        variant: Literal["window", "sentence"] = "window",
        threshold: float = 0.5,
        unmarked: float = 0.4,
        source: LanguageRules | None = None,
    ) -> None:
        files = rules_signature(*((target,) if source is None else (source, target)))
        self.signature = f"{variant},{threshold:g},{unmarked:g},{files}"
        self._variant = variant
        self._not_for = source.extracted.not_for if source is not None else {}
        rules = [some.extracted.impersonal if some else () for some in (source, target)]
        self._empty = [ImpersonalPronouns(some) for some in rules]
        self._never = [ImpersonalPronouns(rule for rule in some if rule.in_any_form) for some in rules]
        self._threshold = threshold
        self._unmarked = unmarked
        self._rules: defaultdict[str, list[PronounRule]] = defaultdict(list)
        for rule in target.pronouns:
            if variant not in rule.variants:
                continue
            for form in sorted(rule.source_forms):
                self._rules[form].append(rule)
        self._pairs = last_document(self._find_pairs)
        self._told = last_document(lambda _: dict[tuple[str, int, int, int, int], bool]())

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        resolutions = document.resolved()
        memory: defaultdict[str, Memory] = defaultdict(Memory)
        occurrences: list[Occurrence] = []
        for segment in range(len(document.source)):
            for pair in self.pairs(document, segment):
                if pair.rule.antecedent == "none":
                    known = memory[pair.rule.label]
                    tagged = known.count > 0
                    support = known.support(segment) if tagged else None
                    known.add(segment, (pair.source,), (pair.target,))
                else:
                    tagged, support = self._judge(document, pair, resolutions)
                if tagged:
                    place = document.id, segment, self.phenomenon, pair.rule.label
                    form = document.target[segment].tokens[pair.target].form
                    occurrences.append(Occurrence(*place, (pair.source,), (pair.target,), form, support))
        return occurrences

    def pairs(self, document: AnnotatedDocument, segment: int) -> list[PronounPair]:
        """Return a segment's linked pronouns for which a rule holds, ordered by target token."""
        return self._pairs(document)[segment]

    def _find_pairs(self, document: AnnotatedDocument) -> list[list[PronounPair]]:
        return [self._pairs_of(document, segment) for segment in range(len(document.source))]

    def _pairs_of(self, document: AnnotatedDocument, segment: int) -> list[PronounPair]:
        source = document.source[segment]
        hits = [index for index, token in enumerate(source.tokens) if token.form.lower() in self._rules]
        if not hits:
            return []
        found = linked_pronouns(hits, document, segment)
        linked = {target: nearer_pronoun(document, segment, target, found, hits) for target in found}
        pairs: list[PronounPair] = []
        for target, index in sorted(linked.items()):
            text, role = document.target[segment], clear_role_of(document, segment, target)
            for rule in self._rules[source.tokens[index].form.lower()]:
                if values := values_of(rule, source, index, text, target, role):
                    token = text.tokens[target]
                    pairs.append(PronounPair(rule, segment, index, target, values, token.form.lower() in rule.unmarked))
                    break
        expressed = {pair.source for pair in pairs}
        pairs.extend(self._dropped(document, segment, [index for index in hits if index not in expressed]))
        return sorted(pairs, key=lambda pair: pair.target)

    def _dropped(self, document: AnnotatedDocument, segment: int, pronouns: Sequence[int]) -> Iterator[PronounPair]:
        """Yield source pronouns that are no words of the target, with the words that show what they stand for."""
        source = document.source[segment]
        for index in pronouns:
            for rule in self._rules[source.tokens[index].form.lower()]:
                if not is_looked_at(rule, source, index):
                    continue
                place = rule, document, segment, index
                if found := dropped_pronoun(*place) or suffixed_pronoun(*place):
                    word, value = found
                    yield PronounPair(rule, segment, index, word, frozenset({value}), value in rule.unmarked_values)
                    break

    def astray(self, document: AnnotatedDocument, segment: int, pairs: Sequence[PronounPair]) -> Iterator[PronounPair]:
        """Yield source pronouns that have no pair of their own, with a form of a rule that has none.

        Clitics are short and frequent, and aligners leave them without a link, or give them to another pronoun. The
        form stands beside the translation of the pronoun's verb, or is the only one in the segment that is left. Last,
        it is what that verb has in another role: many forms are nominative and accusative, and parsers take one of a
        verb without a subject of its own for it (*ich kaufte sie und konnte sie nicht ändern*).
        """
        source, target = document.source[segment], document.target[segment]
        kept = [pair for pair in pairs if not self._is_of_other(document, pair)]
        # What is not at its verb is doubtful: a free form that is takes its place.
        near = [pair for pair in kept if is_beside(document, segment, pair.source, pair.target)]
        expressed, taken = {pair.source for pair in near}, {pair.target for pair in kept}
        doubtful = {pair.source for pair in kept} - expressed
        missing = [
            (index, token.relation if token.relation == POSSESSIVE else governed(source.tokens, index)[1])
            for index, token in enumerate(source.tokens)
            if token.form.lower() in self._rules and index not in expressed and token.head >= 0
        ]
        for place in ("verb", "segment", "any role"):
            expressed |= doubtful if place != "verb" else set[int]()
            for index, role in missing:
                alone = sum(other == role for _, other in missing) == 1
                if (
                    index in expressed
                    or role not in ("nsubj", *OBJECTS, POSSESSIVE)
                    or (place == "segment" and not alone)
                ):
                    continue
                rules = self._rules[source.tokens[index].form.lower()]
                words = [word for word in places_of_forms(target.tokens, rules) if word not in taken]
                found = [
                    PronounPair(rule, segment, index, word, values, target.tokens[word].form.lower() in rule.unmarked)
                    for word in (free_forms(document, segment, index, place, words) if words else ())
                    for rule in rules
                    if (values := values_of(rule, source, index, target, word, role))
                ] or [
                    PronounPair(rule, segment, index, end[0], frozenset({end[1]}), end[1] in rule.unmarked_values)
                    for rule in rules
                    if (end := suffixed_pronoun(rule, document, segment, index, misread=True))
                ]
                if len({pair.target for pair in found}) == 1:
                    expressed.add(index)
                    taken.add(found[0].target)
                    yield found[0]

    def loose(self, document: AnnotatedDocument, segment: int, shown: Set[int]) -> Iterator[tuple[int, int]]:
        """Yield source pronouns with the forms of their rules that are in the segment and not another's (``shown``)."""
        target = document.target[segment].tokens
        for index, token in enumerate(document.source[segment].tokens):
            number = token.features.get("Number", "")
            for rule in self._rules.get(token.form.lower(), ()):
                for place in places_of_forms(target, (rule,)) if rule.agreement else ():
                    word = target[place]
                    known = word.upos in FREE and place not in shown
                    if known and word.features.get("Number", number) == number and word.relation != "det":
                        yield index, place

    def _judge(
        self, document: AnnotatedDocument, pair: PronounPair, resolutions: Mapping[tuple[int, int], Resolution]
    ) -> tuple[bool, Support | None]:
        """Return whether a pronoun is tagged, and its antecedent as support."""
        resolution = resolutions.get((pair.segment, pair.source))
        if self._variant == "sentence":
            if pair.segment == 0:
                return False, None
            best = resolution.antecedent(self._threshold) if resolution is not None else None
            if best is not None and not _is_earlier(document, pair, best):
                return False, None
            return True, _support(document, best) if best is not None else None
        if resolution is None or self.takes_no_noun(document, pair, resolution.antecedents):
            return False, None
        return self._believe(document, pair, resolution)

    def takes_no_noun(
        self, document: AnnotatedDocument, pair: PronounPair, antecedents: Sequence[Antecedent] = ()
    ) -> bool:
        """Return whether a target pronoun is another's, or has a form that may stand for nothing and does.

        It does by the words beside it, or as a name for a predicate: what a noun says of it, it does not take its
        gender from (*it is a car*, *es ist ein Auto*). The object of a copula is its predicate (*non lo era*, it was
        not). A demonstrative agrees with that noun (this is why, *esta es la razón*). In any form it stands for no noun
        beside some words (*it was he who came*, *cups like these*).
        """
        return self._once(
            "empty", document, pair, lambda document, pair: self._takes_no_noun(document, pair, antecedents)
        )

    def _is_of_other(self, document: AnnotatedDocument, pair: PronounPair) -> bool:
        return self._once("other", document, pair, is_of_other)

    def _once(
        self,
        what: str,
        document: AnnotatedDocument,
        pair: PronounPair,
        compute: Callable[[AnnotatedDocument, PronounPair], bool],
    ) -> bool:
        """Return what is computed of a pair once: tags and judgments ask for it."""
        told, key = self._told(document), (what, pair.segment, pair.source, pair.target, id(pair.rule))
        if key not in told:
            told[key] = compute(document, pair)
        return told[key]

    def _takes_no_noun(self, document: AnnotatedDocument, pair: PronounPair, antecedents: Sequence[Antecedent]) -> bool:
        if self._is_of_other(document, pair) or is_of_person(document.source[pair.segment].tokens, pair.source):
            return True
        sides = (document.source[pair.segment], pair.source), (document.target[pair.segment], pair.target)
        if any(never.hold(*side) for never, side in zip(self._never, sides, strict=True)):
            return True
        if not pair.unmarked:
            pointing = document.source[pair.segment].tokens[pair.source].features.get("PronType") == "Dem"
            return pointing and _agrees_with_predicate(document, pair)
        token = sides[1][0].tokens[pair.target]
        theirs = sides[0][0].tokens[pair.source]
        heads = [text.tokens[one.head] for text, one in ((sides[0][0], theirs), (sides[1][0], token)) if one.head >= 0]
        # What models take for a copula is none if the source has an object there, too (*lo leí*, I read it).
        acted = theirs.relation == "obj" and theirs.head >= 0 and heads[0].upos == "VERB"
        predicate = token.relation == "obj" and not acted and any(head.upos == "AUX" for head in heads)
        likely = max((one.probability for one in antecedents), default=0)
        return predicate or any(
            rules.hold(*side, likely) or _has_nominal_predicate(*side)
            for rules, side in zip(self._empty, sides, strict=True)
        )

    def _believe(
        self, document: AnnotatedDocument, pair: PronounPair, resolution: Resolution
    ) -> tuple[bool, Support | None]:
        """Return whether a pronoun's noun is believed to be in an earlier sentence, and that noun as support.

        Each candidate counts with its probability, and less if the gender of its translation is unknown; one of
        another gender does not count. Against the earlier ones stand those of the pronoun's own sentence and, where
        the target's form may stand for no noun, that it stands for none. A form that does not may stand for a noun
        that is not in the window; then it is not in the pronoun's sentence either.
        """
        token = document.source[pair.segment].tokens[pair.source]
        weighed = [
            (found, found.probability * weight)
            for found in resolution.antecedents
            if (weight := _agreement(document, pair, found)) and _may_be(document, pair, found)
        ]
        # A noun that is repeated in the pronoun's own sentence is no context from before it.
        before = before_in_sentence(document.source[pair.segment], pair.source)
        here = {word.lemma.lower() for word in before if word.upos in _NOMINAL}
        here.update(_lemma(document, found) for found, _ in weighed if not _is_earlier(document, pair, found))
        barred = self._not_for.get(token.form.lower(), frozenset[str]())
        earlier: list[tuple[Antecedent, float]] = []
        against = 0.0
        for found, mass in weighed:
            lemma = _lemma(document, found)
            if _is_earlier(document, pair, found) and lemma not in here | barred:
                earlier.append((found, mass))
            else:
                against += mass
        mass = sum(some for _, some in earlier)
        # A possessive and a form that also stands for nothing do not tell that there is a noun nearby.
        unsure = pair.unmarked or token.features.get("Poss") == "Yes"
        against += resolution.non_referential * (1.0 if unsure else _STILL_NONE)
        if unsure:
            against += _FARTHER * max(
                0.0, 1 - resolution.non_referential - sum(one.probability for one in resolution.antecedents)
            )
        threshold = self._unmarked if pair.unmarked else self._threshold
        if token.features.get("Poss") == "Yes":
            threshold = max(threshold, _POSSESSED)
        if mass >= max(_LEAST, threshold * (mass + against)):
            best = _best(document, earlier)
            if mass < _BEYOND_JOINED and are_joined(token, before):
                return False, None
            return best.probability >= _SURE or not _looks_forward(document, pair, barred), best
        # A demonstrative may point to what was said, or to what is seen.
        alone = unsure or token.features.get("PronType") == "Dem" or has_others(token, before)
        return not alone and _is_beyond(document, pair, resolution, barred), None


def _is_beyond(document: AnnotatedDocument, pair: PronounPair, resolution: Resolution, barred: frozenset[str]) -> bool:
    """Return whether a pronoun that shows a noun must have it before its sentence, though none can be named."""
    here = (found for found in resolution.antecedents if not _is_earlier(document, pair, found))
    own = (found.probability for found in here if _may_be(document, pair, found))
    first = pair.segment == 0 and bisect_right(document.source[0].sentences, pair.source) <= 1
    known = not first and resolution.outside >= _BEYOND and sum(own) + resolution.non_referential <= _LEAST
    return known and not _looks_forward(document, pair, barred)


def _looks_forward(document: AnnotatedDocument, pair: PronounPair, barred: frozenset[str]) -> bool:
    """Return whether a pronoun may stand for a noun after it, of the clause that its own depends on.

    *When it is ripe, the apple falls*.
    """
    tokens = document.source[pair.segment].tokens
    clause = pair.source
    while clause >= 0 and tokens[clause].relation.partition(":")[0] != "advcl":
        clause = tokens[clause].head
    number = tokens[pair.source].features.get("Number")
    return clause >= 0 and any(
        tokens[index].upos in _NOMINAL
        and tokens[index].head == tokens[clause].head
        and tokens[index].lemma.lower() not in barred
        and tokens[index].features.get("Number", number) == number
        and _agreement(document, pair, Antecedent(pair.segment, index, (index,), 0, 1.0)) == 1.0
        for index in range(pair.source + 1, len(tokens))
    )


def _has_nominal_predicate(text: AnnotatedText, index: int) -> bool:
    """Return whether a word is the subject of a noun without a preposition."""
    token = text.tokens[index]
    if token.head < 0 or not token.relation.startswith("nsubj") or text.tokens[token.head].upos not in _NOMINAL:
        return False
    own = [other for other in text.tokens if other.head == token.head]
    return any(other.relation == "cop" for other in own) and not any(other.relation == "case" for other in own)


def _agrees_with_predicate(document: AnnotatedDocument, pair: PronounPair) -> bool:
    """Return whether a pronoun has the gender of a noun said of it; parsers take participles for one (*está rota*)."""
    target = document.target[pair.segment]
    if not _has_nominal_predicate(target, pair.target):
        return False
    predicate = target.tokens[pair.target].head
    gender = target.tokens[predicate].features.get(pair.rule.agreement)
    linked = sources_of(predicate, document.links[pair.segment])[:1]
    said = any(document.source[pair.segment].tokens[one].upos in _SAID for one in linked)
    return not said and (gender is None or gender in pair.values)


def _lemma(document: AnnotatedDocument, antecedent: Antecedent) -> str:
    return document.source[antecedent.segment].tokens[antecedent.head].lemma.lower()


def _is_earlier(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> bool:
    """Return whether an antecedent is in an earlier sentence than the pronoun; a segment may have several."""
    if antecedent.distance:
        return True
    sentences = document.source[pair.segment].sentences
    return bisect_right(sentences, antecedent.head) < bisect_right(sentences, pair.source)


def _agreement(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> float:
    """Return the weight of an antecedent: 1 if its linked noun has the gender of the pronoun, 0 if another, or between.

    Where the gender is not known, nothing speaks against the antecedent, and nothing for it.
    """
    if not pair.rule.agreement:
        return 1.0
    linked = targets_of(antecedent.head, document.links[antecedent.segment])
    mention = [document.source[antecedent.segment].tokens[index] for index in antecedent.tokens]
    coordinated = any(token.head == antecedent.head and token.relation.startswith("conj") for token in mention)
    if not linked or coordinated:
        return _UNKNOWN  # the gender of a coordination is not that of its head
    noun = document.target[antecedent.segment].tokens[linked[0]]
    value = noun.features.get(pair.rule.agreement)
    if noun.upos != "NOUN" or value is None:
        return _UNKNOWN
    pronoun = document.source[pair.segment].tokens[pair.source]
    if noun.features.get("Number") == "Plur" and pronoun.features.get("Number", "Sing") == "Sing":
        return _UNKNOWN  # a singular in the source, a plural noun in the target: its gender may not show
    if value in pair.values and noun.features.get("Number") == "Sing" and pronoun.features.get("Number") == "Plur":
        return _ONE
    return 1.0 if value in pair.values else 0.0


def _may_be(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> bool:
    """Return whether a mention may be taken up: no call, and in the pronoun's own segment, what grammar lets."""
    if document.source[antecedent.segment].tokens[antecedent.head].relation in _CALLS:
        return False
    if antecedent.segment != pair.segment:
        return True
    return not cannot_stand_for(document.source[pair.segment], pair.source, antecedent.head)


def _best(document: AnnotatedDocument, weighed: Sequence[tuple[Antecedent, float]]) -> Support:
    """Return the most likely noun as support: mentions of one lemma together, of them the nearest that is likely."""
    masses: defaultdict[str, float] = defaultdict(float)
    for found, mass in weighed:
        masses[_lemma(document, found)] += mass
    lemma = max(masses, key=lambda each: masses[each])
    mentions = [pair for pair in weighed if _lemma(document, pair[0]) == lemma]
    top = max(mass for _, mass in mentions)
    nearest = max(
        (found for found, mass in mentions if mass >= _AS_GOOD * top), key=lambda found: (found.segment, found.head)
    )
    support = _support(document, nearest)
    return replace(support, probability=min(1.0, sum(found.probability for found, _ in mentions)))


def _support(document: AnnotatedDocument, antecedent: Antecedent) -> Support:
    """Return an antecedent and the target words linked to it as supporting context."""
    links = document.links[antecedent.segment]
    mention = frozenset(antecedent.tokens)
    linked = sorted({link.target for link in links if link.source in mention})
    phrase = placed_phrase(antecedent.segment, antecedent.tokens, antecedent.head)
    return Support(phrase, placed(antecedent.segment, linked), antecedent.distance, antecedent.probability)


def make_tagger(setup: TaggerSetup) -> PronounTagger | NaturalPronounTagger:
    """Return the tagger of pronoun choice, by grammatical or natural gender (E060: no rules of these two languages)."""
    options = setup.options
    if setup.target.natural_gender is not None:
        return NaturalPronounTagger(setup.source, setup.target, options.antecedent)
    if setup.source.natural_gender is None:
        cause = f"no rules for pronouns of “{setup.source.language}” in “{setup.target.language}”"
        raise InputError(Fault("E060", cause, "pronouns are judged from English and into English; leave them out"))
    return PronounTagger(
        setup.target, options.pronouns, options.antecedent, options.pronouns_unmarked, source=setup.source
    )
