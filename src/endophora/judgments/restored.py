"""Verbs that a text has where its source leaves one out (*I did*): what is restored, and whether it was said before."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from endophora.align.priors import Priors
from endophora.annotate.records import Token
from endophora.judgments.records import Choice
from endophora.judgments.words import common_start
from endophora.phenomena.ellipsis import EllipsisTagger
from endophora.phenomena.ellipsis_rules import EllipsisSite
from endophora.phenomena.records import AnnotatedDocument, targets_of

_VERBS = frozenset({"VERB", "AUX"})
_CLAUSES = frozenset({"root", "conj", "ccomp", "parataxis", "advcl", "xcomp"})
"""Relations of predicates, which are adjectives too (*он мне нужен*)."""

_BESIDE = 5
"""Tokens between the translation of what is left and the verb that says what is not."""

_WINDOW = 3
"""Segments before the site in which what is left out was said."""

_STEM = 3
"""Letters of a stem, and at most of a prefix or infix."""

_KNOWN = 0.1
"""Part of a target word's uses in parallel text in which it translates a source word, from which it is known to."""


def restored(document: AnnotatedDocument, tagger: EllipsisTagger, priors: Priors) -> Iterator[Choice]:
    """Yield the verbs that stand for a verb phrase left out in the source: ``said`` before, ``new``, or in doubt.

    It is the predicate beside the translation of what the source has left that translates no other verb. It is said
    before if the text has it in the nearest earlier clauses, except for what governs a clause there. A verb is in doubt
    that is known to translate one of the source's there, that governs a clause, or was said some segments ago.
    """
    reader = _Restored(document, priors)
    for segment, sites in enumerate(tagger.sites(document.source)):
        for site in sites:
            if site.kind == "verb_phrase" and site.tokens:
                yield from reader.at(segment, site)


@dataclass(frozen=True)
class _Said:
    """The verbs of a segment on both sides, by token; ``matrix`` are source tokens that a clause depends on."""

    source: Mapping[int, Token]
    target: Mapping[int, Token]
    matrix: frozenset[int]
    links: frozenset[tuple[int, int]]

    def without(self, tokens: frozenset[int]) -> _Said:
        """Return the verbs except for some of the source and what they are translated by."""
        gone = {target for source, target in self.links if source in tokens and source in self.source}
        source = {index: token for index, token in self.source.items() if index not in tokens}
        return replace(self, source=source, target={at: token for at, token in self.target.items() if at not in gone})


@dataclass(frozen=True)
class _Restored:
    document: AnnotatedDocument
    priors: Priors

    def at(self, segment: int, site: EllipsisSite) -> Iterator[Choice]:
        """Yield the verb that is restored at a site, if one is found."""
        index = self._verb(segment, site)
        if index is None:
            return
        verb = self.document.target[segment].tokens[index]
        above = _above(self.document.source[segment].tokens, site.tokens[0])
        here = self._said(segment, site.tokens[0], index).without(above)
        earlier = (self._said(place) for place in range(segment - 1, max(-1, segment - _WINDOW - 1), -1))
        before = [said for said in earlier if said.source]
        near, far = [here, *before[:1]], before[1:]
        if any(_is_among(verb, said.without(said.matrix)) for said in near):
            about = "said"
        else:
            about = (
                "" if any(_is_among(verb, said) or self._translates(verb, said) for said in (*near, *far)) else "new"
            )
        yield Choice("ellipsis", segment, site.tokens, (index,), verb.lemma.casefold(), about)

    def _said(self, segment: int, source_end: int | None = None, target_end: int | None = None) -> _Said:
        """Return the verbs of a segment, as far as some token on either side."""
        source, target = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        theirs = {index: token for index, token in enumerate(source[:source_end]) if token.upos == "VERB"}
        ours = {index: token for index, token in enumerate(target[:target_end]) if _is_predicate(token)}
        matrix = {token.head for token in source if token.relation == "ccomp"}
        links = {(link.source, link.target) for link in self.document.links[segment]}
        return _Said(theirs, ours, frozenset(matrix), frozenset(links))

    def _translates(self, verb: Token, said: _Said) -> bool:
        return any(
            self.priors.translates(one, other) >= _KNOWN
            for token in said.source.values()
            for one in {token.form.lower(), token.lemma.lower()}
            for other in {verb.form.lower(), verb.lemma.lower()}
        )

    def _verb(self, segment: int, site: EllipsisSite) -> int | None:
        """Return the target predicate that stands for what is left out: that nearest to the site's translation."""
        links = self.document.links[segment]
        source, target = (texts[segment].tokens for texts in (self.document.source, self.document.target))
        taken = {
            link.target
            for link in links
            if source[link.source].upos in ("VERB", "ADJ") and link.source not in site.tokens
        }
        found = [index for index, token in enumerate(target) if _is_predicate(token) and index not in taken]
        around = {link.target for link in links if min(site.tokens) - 2 <= link.source <= max(site.tokens) + 1}
        middle = sum(around) / len(around) if around else len(target) * site.tokens[0] / len(source)
        own = {index for token in site.tokens for index in targets_of(token, links)}
        near = [index for index in found if index in own or abs(index - middle) <= _BESIDE]
        return min(
            near, key=lambda index: (index not in own, target[index].upos != "VERB", abs(index - middle)), default=None
        )


def _above(tokens: Sequence[Token], index: int) -> frozenset[int]:
    """Return the words that a word depends on, its head first (*he said he didn't*: *said*)."""
    found: list[int] = []
    while (index := tokens[index].head) >= 0 and index not in found:
        found.append(index)
    return frozenset(found)


def _is_predicate(token: Token) -> bool:
    return token.upos in _VERBS or (token.upos == "ADJ" and token.relation.partition(":")[0] in _CLAUSES)


def _is_among(verb: Token, said: _Said) -> bool:
    return any(_is_same_verb(verb, other) for other in said.target.values())


def _is_same_verb(one: Token, other: Token) -> bool:
    """Return whether two verbs are one by their lemmas or, where a lemma is made up, by their forms."""
    forms = [(one.lemma, other.lemma), (one.form, other.form), (one.lemma, other.form), (one.form, other.lemma)]
    return any(_is_of_one_stem(*sorted((a.casefold(), b.casefold()), key=len)) for a, b in forms)


def _is_of_one_stem(shorter: str, longer: str) -> bool:
    """Return whether two verbs are one, begin alike, or differ by a prefix or infix only (*видеть*, *увидеть*)."""
    if len(shorter) < _STEM and shorter != shorter.upper():  # *a* is no stem of *va*; in Chinese one character is one
        return shorter == longer
    same = common_start(shorter, longer)
    if same >= max(_STEM, 0.6 * len(shorter)):
        return True
    letters = iter(longer)
    infix = same >= _STEM and all(letter in letters for letter in shorter)
    return len(longer) <= len(shorter) + _STEM and (infix or longer.endswith(shorter))
