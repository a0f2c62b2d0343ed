"""What a text translates the words by that come again in its source: for lexical cohesion."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial

from endophora.align.priors import Priors
from endophora.annotate.records import NOUNS, AnnotatedText, Token
from endophora.corpus.scripts import unspaced
from endophora.judgments.names import NameUse, all_endings, is_one_name, use_of
from endophora.judgments.records import Choice, Place
from endophora.judgments.words import Endings, is_any_of, is_name_misread, is_respelt, is_same_name, is_same_word
from endophora.languages.schema import ContentWords
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger, document_lemmas
from endophora.phenomena.records import (
    AnnotatedDocument,
    mutual_links,
    mutual_targets,
    remembered,
    sources_of,
    targets_of,
    verb_group,
)

NAME = "PROPN"

_UNKNOWN = frozenset({"X", "INTJ", "VERB", "ADJ", "ADV"})
"""Classes that annotators give to names which they do not know."""
_FEWEST, _SEEN = 5, 0.6
"""Uses of a word in parallel text from which one can tell, and the part of them that its main translation must have:
the rest are words too rare to be kept, and wrong links."""
_KNOWN = 0.1
"""Part of a target word's uses in parallel text in which it translates a source word, from which it is known to."""
_RAISED = 0.9
"""Part of the nouns up to which a capital tells a name: in German it does not."""
_ROLES = frozenset({"nsubj", "obj"})
"""Roles of a noun that its translation has as well."""
_AROUND = 5
"""Tokens on either side of a source word that say whether its place was translated."""


def translations(document: AnnotatedDocument, tagger: LexicalCohesionTagger, priors: Priors) -> Iterator[Choice]:
    """Yield the translations of content words that are in two segments or more; nothing stands for one that is not."""
    reader = _Translations(document, tagger, document_lemmas(document.target, tagger.target.boundary), priors)
    known = _known(document.source)
    repeated = next((found for words, one, found in known if words is tagger.source and one is priors), None)
    if repeated is None:
        repeated = list(_repeated(document.source, tagger.source, priors))
        known.append((tagger.source, priors, repeated))
    for lemma, places, is_name, certain in repeated:
        for choice in reader.of_name(lemma, places) if is_name else reader.of_word(lemma, places):
            yield choice._replace(certain=certain)


_Repeated = tuple[str, Sequence[Place], bool, float]
"""A source lemma, its places, whether it is a name, and :func:`certainty` of it."""


@partial(remembered, most=2_000)
def _known(texts: Sequence[AnnotatedText]) -> list[tuple[ContentWords, Priors, Sequence[_Repeated]]]:
    """Return what keeps for the texts of a source, which all targets share, what :func:`_repeated` found in them."""
    del texts
    return []


def _repeated(texts: Sequence[AnnotatedText], words: ContentWords, priors: Priors) -> Iterator[_Repeated]:
    """Yield the source lemmas that occur in two segments or more."""
    lemmas, unknown = document_lemmas(texts, words.boundary), _UNKNOWN
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for segment, source in enumerate(texts):
        for index, token in enumerate(source.tokens):
            known = token.upos in words.upos or (token.upos in unknown and token.form[:1].isupper())
            if known and lemmas[token.form] not in words.stop_lemmas:
                places[lemmas[token.form]].append((segment, index))
    nouns = [token.form for text in texts for token in text.tokens if token.upos == "NOUN"]
    tells = sum(form[:1].isupper() for form in nouns) <= _RAISED * len(nouns)
    for lemma, found in places.items():
        if found[0][0] != found[-1][0]:
            uses = [texts[segment].tokens[index] for segment, index in found]
            certain = certainty(priors, frozenset({lemma, *(use.form.lower() for use in uses)}))
            raised = tells and any(_is_raised(texts[segment], index) for segment, index in found)
            yield lemma, found, _is_name(uses, raised), certain


@lru_cache(maxsize=1 << 16)
def certainty(priors: Priors, forms: frozenset[str]) -> float:
    """Return the part of a source word's uses that have its most frequent translation; 0 where too little is known.

    Forms, compounds and derivations of it are one translation, as they are to the verdict.
    """
    counts: Counter[str] = Counter()
    linked = 0.0
    for form in forms:
        found, links = priors.translations(form)
        counts.update(found)
        linked += links
    if not counts or linked < _FEWEST:
        return 0.0
    most = max(counts, key=lambda word: counts[word])
    same = sum(count for word, count in counts.items() if is_same_word(word, most) or is_same_name(word, most))
    return round(same / counts.total(), 3) if same >= _SEEN * linked else 0.0


Word = tuple[str, ...]
"""A word's form and lemma."""


def word_of(token: Token) -> Word:
    """Return the form and the lemma of a word."""
    return token.form, token.lemma


@lru_cache(maxsize=1 << 14)
def translates(priors: Priors, source: Word, target: Word) -> bool:
    """Return whether a word is known to translate another, by a form or lemma of each."""
    theirs, ours = ({one.lower() for one in word} for word in (source, target))
    return any(priors.translates(one, other) >= _KNOWN for one in theirs for other in ours)


@lru_cache(maxsize=1 << 14)  # systems translate a source by the same words
def may_translate(priors: Priors, source: Word, target: Word) -> bool:
    """Return whether a word is known to translate another, by their forms and lemmas; or too little is known of it."""
    known = known_translations(priors, source)
    return known is None or is_any_of(target, known)


def known_translations(priors: Priors, forms: Sequence[str]) -> frozenset[str] | None:
    """Return all known translations of a word by its forms, in any case; ``None`` if too little is known of it."""
    return _known_translations(priors, frozenset(form.lower() for form in forms))


# All 33,000 words of the priors of English and German fit in, and take 18 MB. Two priors are never equal.
@lru_cache(maxsize=1 << 15)
def _known_translations(priors: Priors, forms: frozenset[str]) -> frozenset[str] | None:
    known, linked = set[str](), 0.0
    for form in forms:
        found, links = priors.translations(form)
        known.update(found)
        linked += links
    return frozenset(known) if linked >= _FEWEST else None


def around(token: int, length: int) -> range:
    """Return a source word and those beside it, which say whether its place was translated."""
    return range(max(0, token - _AROUND), min(length, token + _AROUND + 1))


def _is_name(uses: Sequence[Token], raised: bool) -> bool:
    """Return whether a word is a name: in most of its uses, or in one and it never stands without a capital.

    One use with a capital that nothing but a name asks for (``raised``) is enough, too: annotators miss some names.
    """
    names = sum(token.upos == NAME for token in uses)
    return 2 * names > len(uses) or ((names > 0 or raised) and all(token.form[:1].isupper() for token in uses))


def _is_raised(text: AnnotatedText, index: int) -> bool:
    """Return whether a word has a capital where no sentence or quotation opens, and is no adjective before a name."""
    token, before = text.tokens[index], text.tokens[index - 1]
    opens = index in {0, *text.sentences} or (before.upos == "PUNCT" and before.form != ",")
    return not opens and token.form[:1].isupper() and not token.form.isupper() and token.relation != "amod"


@dataclass(frozen=True)
class _Translations:
    document: AnnotatedDocument
    tagger: LexicalCohesionTagger
    lemmas: Mapping[str, str]
    priors: Priors

    def _linked(self, place: Place) -> list[int]:
        segment, index = place
        links = self.document.links[segment]
        mutual = mutual_targets(links).get(index)
        return [mutual] if mutual is not None else list(targets_of(index, links)[:1]) or self._left(place)

    def _left(self, place: Place) -> list[int]:
        """Return the only target noun of a segment without a link, for its only source noun without one."""
        segment, index = place
        links = self.document.links[segment]
        texts = self.document.source[segment].tokens, self.document.target[segment].tokens
        linked = {link.source for link in links}, {link.target for link in links}
        theirs, ours = (
            [at for at, token in enumerate(tokens) if token.upos in NOUNS and at not in taken]
            for tokens, taken in zip(texts, linked, strict=True)
        )
        return ours if theirs == [index] and len(ours) == 1 else []

    def of_word(self, lemma: str, places: Sequence[Place]) -> Iterator[Choice]:
        """Yield the target lemmas of a word."""
        linked = {place: self._linked(place) for place in places}
        counts = Counter(self._lemma(place, target) for place, found in linked.items() for target in found)
        taken = {(segment, target) for (segment, _), found in linked.items() for target in found}
        for place, found in linked.items():
            token = self.document.source[place[0]].tokens[place[1]]
            kind = "NOUN" if token.upos == NAME else token.upos
            usual = [self._usual(place, each, counts, taken) for each in found] or self._free(place, counts, taken)[:1]
            for target in usual:
                shown = self._lemma(place, target) if self._is_use(lemma, place, target, counts) else ""
                yield Choice("lexical_cohesion", place[0], (place[1],), (target,), shown, lemma, kind)

    def _lemma(self, place: Place, target: int) -> str:
        return self.lemmas[self._token(place, target).form]

    def _is_use(self, lemma: str, place: Place, target: int, counts: Mapping[str, int]) -> bool:
        """Return whether a target word translates a word of the source, as one of its class.

        A noun that stands for a noun only here, and is no known translation of it, counts as a wrong link, unless it
        has the noun's role at the verb's translation.
        """
        source, token = self.document.source[place[0]].tokens[place[1]], self._token(place, target)
        if source.upos not in NOUNS:
            return token.upos in self.tagger.target.upos
        # A noun that became a verb or an adjective is no other word for the thing, unless it is that of most uses or
        # of its root; nor is a part of a name left as is.
        if token.upos not in NOUNS:
            most = max(counts, key=lambda one: counts[one])
            return counts[most] > 1 and is_same_word(self._lemma(place, target), most)
        if source.upos == NAME and token.form == source.form and self._is_beside_name(place):
            return False
        alone = len(counts) > 1 and counts[self._lemma(place, target)] == 1
        claimed = mutual_links(self.document.links[place[0]]).get(target, place[1]) != place[1]
        if source.upos == NAME and self._is_respelt(lemma, place, target, counts):
            return True
        known = may_translate(self.priors, word_of(source), word_of(token)) or self._has_role(place, target)
        return not alone or (known and not claimed)

    def _has_role(self, place: Place, target: int) -> bool:
        """Return whether a target word is the subject or object of what translates the verb of a source word."""
        source, ours = self.document.source[place[0]].tokens, self.document.target[place[0]].tokens
        token, other = source[place[1]], ours[target]
        role = token.relation.partition(":")[0]
        if role not in _ROLES or other.relation.partition(":")[0] != role or min(token.head, other.head) < 0:
            return False
        verb = {at for one in verb_group(ours, other.head) for at in sources_of(one, self.document.links[place[0]])}
        return not verb.isdisjoint(verb_group(source, token.head))

    def _usual(self, place: Place, linked: int, counts: Mapping[str, int], taken: Collection[Place]) -> int:
        """Return the translation of a word: that linked or, if that is found only here, a better one.

        Better is a noun by which the word is translated elsewhere and which translates no other word here.
        """
        if counts[self._lemma(place, linked)] > 1:
            return linked
        return next(iter(self._free(place, counts, taken)), linked)

    def _free(self, place: Place, counts: Mapping[str, int], taken: Collection[Place]) -> list[int]:
        """Return the nouns of a segment that translate the word elsewhere, and no other word here."""
        tokens, others = self.document.target[place[0]].tokens, mutual_links(self.document.links[place[0]])
        free = (at for at in range(len(tokens)) if at not in others and (place[0], at) not in taken)
        return [at for at in free if tokens[at].upos in NOUNS and self._lemma(place, at) in counts]

    def of_name(self, lemma: str, places: Sequence[Place]) -> Iterator[Choice]:
        """Yield the target forms of a name, each form of one name as the first of them."""
        linked = {place: self._linked(place) for place in places}
        tokens = [self._token(place, found[0]) for place, found in linked.items() if found]
        raised = [token.form for token in tokens if token.form[:1].isupper()]
        if 2 * len(raised) < len(tokens) and any(token.form[:1].islower() for token in tokens):
            yield from self.of_word(lemma, places)  # no name in the target: a weekday, a title
            return
        nouns = [token.form for token in tokens if token.upos in NOUNS and not token.form[:1].islower()]
        names = Counter(nouns or raised)
        usual = max(names, key=lambda name: names[name], default="")
        first: dict[NameUse, str] = {}  # a use → the first form of its name
        taken: defaultdict[int, set[int]] = defaultdict(set)
        for (segment, _), found in linked.items():
            taken[segment].update(found[:1])
        for place, found in linked.items():
            here = found or self._unlinked(place, names, taken[place[0]])
            if not here:
                continue
            taken[place[0]].add(here[0])
            others = names.copy()
            others.subtract([self._token(place, at).form for at in found[:1]])
            target = here[0]
            if found and not self._is_respelt(lemma, place, target, +others):
                target = self._best(place, found[0], names, taken[place[0]])
            token = self._token(place, target)
            form, targets, shown = token.form, (target,), ""
            only = not self._uses(form, others) and form not in [one.form for one in first]
            only = only or (self._owned(lemma, form) and not is_same_name(form, usual, self._declensions))
            pieces = self._pieces(place, others) if only and unspaced(form) else None
            if pieces:
                form, targets = pieces
            known = pieces or (self._is_name(token, names) and not self._is_copied(place, token, names))
            if known and (pieces or not only or not self._is_other(lemma, place, target, +others)):
                source, text = (texts[place[0]].tokens for texts in (self.document.source, self.document.target))
                use = replace(use_of(source[place[1]], text, targets[0]), form=form)
                same = (
                    name
                    for one, name in first.items()
                    if is_one_name(use, one, self.tagger.target.name_endings)
                    or (self.lemmas[token.form] == self.lemmas.get(one.form) and token.upos == "NOUN")
                )
                shown = next(same, form)
                first.setdefault(use, shown)
            yield Choice("lexical_cohesion", place[0], (place[1],), targets, shown, lemma, NAME)

    def _pieces(self, place: Place, names: Counter[str]) -> tuple[str, tuple[int, ...]] | None:
        """Return another form of the name that the text has, whatever words it is cut into, and its tokens."""
        text = self.document.target[place[0]]
        # A single sign is a part of many other words (*中*, *其中*).
        known = (name for name, count in names.most_common() if count > 0 and len(name) > 1)
        form = next((name for name in known if name in text.text), "")
        start = text.text.find(form)
        end = start + len(form)
        return (
            (form, tuple(at for at, one in enumerate(text.tokens) if one.start < end and one.end > start))
            if form
            else None
        )

    def _is_other(self, lemma: str, place: Place, target: int, names: Mapping[str, int]) -> bool:
        """Return whether a word that stands for a name only here is a wrong link.

        It translates another word of the document, or is a noun unlike the name, and no known translation.
        """
        token, source = self._token(place, target), self.document.source[place[0]].tokens[place[1]]
        if self._is_respelt(lemma, place, target, names):
            return False
        if self._owned(lemma, token.form):
            return True
        known = token.upos != "NOUN" or is_name_misread(token.form, names)
        return not (known or may_translate(self.priors, word_of(source), word_of(token)))

    def _is_respelt(self, lemma: str, place: Place, target: int, names: Iterable[str]) -> bool:
        """Return whether a word is a name in a spelling that the text has only here, and no other word.

        It is another's translation if it is that of a word known to have it, or written as one of the segment is.
        """
        token, source = self._token(place, target), self.document.source[place[0]].tokens
        if self._forms[token.form] > 1 or not is_respelt(token.form, (*names, source[place[1]].form)):
            return False
        copied = any(one.form == token.form for one in source)
        return not copied and not any(
            translates(self.priors, (other,), word_of(token)) for other in self._owners[token.form] if other != lemma
        )

    @cached_property
    def _forms(self) -> Counter[str]:
        """How often each form of the target is there."""
        return Counter(token.form for text in self.document.target for token in text.tokens)

    def _owned(self, lemma: str, form: str) -> bool:
        """Return whether a target form translates another source word of the document as often or more often."""
        uses = self._owners[form]
        return any(count >= uses[lemma] for other, count in uses.items() if other != lemma)

    @cached_property
    def _owners(self) -> Mapping[str, Counter[str]]:
        """Target form → the source lemmas that it is the best translation of, counted."""
        lemmas = document_lemmas(self.document.source, self.tagger.source.boundary)
        found: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for source, target, links in zip(self.document.source, self.document.target, self.document.links, strict=True):
            for ours, theirs in mutual_links(links).items():
                found[target.tokens[ours].form][lemmas[source.tokens[theirs].form]] += 1
        return found

    def _token(self, place: Place, target: int) -> Token:
        return self.document.target[place[0]].tokens[target]

    def _is_name(self, token: Token, names: Counter[str]) -> bool:
        form = token.form
        if form[:1].islower():  # *ala sur*, elsewhere *el Sur*
            return any(form == name.lower() for name in names)
        return token.upos in NOUNS or is_name_misread(form, names)

    def _is_copied(self, place: Place, token: Token, names: Counter[str]) -> bool:
        """Return whether a word that is mostly translated is left as it is in a longer name (*Hurricane Center*)."""
        copied = 2 * self._uses(token.form, names) > names.total()
        same = token.form == self.document.source[place[0]].tokens[place[1]].form
        return same and self._is_beside_name(place) and not copied

    def _is_beside_name(self, place: Place) -> bool:
        source, index = self.document.source[place[0]].tokens, place[1]
        return NAME in [source[at].upos for at in (index - 1, index + 1) if 0 <= at < len(source)]

    def _best(self, place: Place, linked: int, names: Counter[str], taken: Collection[int]) -> int:
        """Return the translation of a name in a segment: the linked word, or a better one not linked to another use."""
        tokens = self.document.target[place[0]].tokens
        form = tokens[linked].form
        others = names.copy()
        others[form] -= 1
        raised = [linked, *(at for at, token in enumerate(tokens) if token.form[:1].isupper() and at not in taken)]
        uses = {one: self._uses(one, others) for one in {tokens[at].form for at in raised}}
        best = max(raised, key=lambda at: (uses[tokens[at].form], tokens[at].form[:1].isupper()))
        if uses[tokens[best].form] or form[:1].isupper():
            return best
        return next((at for at in raised[1:] if is_name_misread(tokens[at].form, +others)), linked)

    def _unlinked(self, place: Place, names: Counter[str], taken: Collection[int]) -> list[int]:
        """Return a word of the segment that is the name elsewhere, and translates nothing here."""
        tokens, others = self.document.target[place[0]].tokens, mutual_links(self.document.links[place[0]])
        free = (at for at, token in enumerate(tokens) if token.form[:1].isupper() and at not in others)
        return [at for at in free if at not in taken and self._uses(tokens[at].form, names)][:1]

    def _uses(self, form: str, names: Counter[str]) -> int:
        endings = self._declensions
        return sum([count for name, count in names.items() if count > 0 and is_same_name(form, name, endings)])

    @cached_property
    def _declensions(self) -> tuple[Endings, ...]:
        return all_endings(self.tagger.target.name_endings)


def kept_translation(found: Choice, earlier: Sequence[Choice]) -> tuple[str, bool]:
    """Return the translation that a word is held to by earlier ones, and whether it has that, be it in another form.

    The most frequent ones and the last may be kept; names are not taken for each other's forms.
    """
    counts = Counter(use.shown for use in earlier)
    most = max(counts.values())
    kept = [lemma for lemma, count in counts.items() if count == most or lemma == earlier[-1].shown]
    name = found.upos == NAME
    same = next((one for one in kept if found.shown == one or (not name and is_same_word(found.shown, one))), None)
    return same or kept[0], same is not None
