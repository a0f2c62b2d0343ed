"""Names, pronouns and the entities that they stand for, marked as in BWB (Jiang et al. 2022): see ``corpus/bwb.py``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Resolver
from endophora.corefer.resolvers import has_weights
from endophora.corpus.bwb import OMITTED, PRONOUN, Mention, write_marks
from endophora.corpus.records import Corpus
from endophora.evaluation.setup import Setup, Toolbox
from endophora.metrics.readings import clean_name, name_spans

THRESHOLD = 0.5
"""Probability from which on an antecedent is believed: when in doubt, BWB marks nothing."""
ENTITY = "ENT"
"""The type of an entity whose type no annotator tells."""
_TYPES = {"PERSON": "PER", "LOCATION": "LOC", "ORGANIZATION": "ORG"}
_KNOWN = frozenset({"PER", "FAC", "GPE", "LOC", "VEH", "ORG"})

Texts = Sequence[AnnotatedText]
Links = Sequence[Sequence[Link]]


@dataclass
class _Document:
    """Mentions of both sides, 0 the source, and the numbers of entities."""

    sides: tuple[Texts, Texts]
    links: Links
    numbers: dict[tuple[int, str], int] = field(default_factory=dict[tuple[int, str], int])
    found: dict[tuple[int, int], list[Mention]] = field(default_factory=dict[tuple[int, int], list[Mention]])

    def add(self, side: int, segment: int, tokens: range, kind: str, entity: int, term: str = "") -> None:
        """Add a mention, unless it crosses another or is there."""
        text = self.sides[side][segment]
        first, last = text.tokens[tokens.start], text.tokens[tokens.stop - 1]
        name = text.text[first.start : last.end]
        new = Mention(first.start, first.start + len(clean_name(name) if term == "T" else name), kind, entity, term)
        own = self.found.setdefault((side, segment), [])
        crosses = any(
            one.start < new.start < one.end < new.end or new.start < one.start < new.end < one.end for one in own
        )
        if not crosses and (new.start, new.end) not in {(one.start, one.end) for one in own}:
            own.append(new)

    def at(self, side: int, segment: int, token: Token) -> Mention | None:
        """Return the mention that a token is in."""
        own = self.found.get((side, segment), ())
        return next((one for one in own if one.start <= token.start < one.end), None)

    def number(self, side: int, name: str) -> int:
        """Return the number of an entity by its name."""
        return self.numbers.setdefault((side, name), len(self.numbers) + 1)

    def linked(self, side: int, segment: int, token: int) -> list[int]:
        """Return the tokens of the other side that a token is linked to."""
        pairs = [(link.source, link.target) for link in self.links[segment]]
        return [pair[1 - side] for pair in pairs if pair[side] == token]


def mark_mentions(corpus: Corpus, setup: Setup) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yield each document's id, and its source and first reference with marks (E060).

    Names are spans of proper nouns; those of the two sides that are linked are one entity, and those written alike.
    Pronouns are resolved on the side whose language has a trained resolver, else on the target; one that is linked to
    no pronoun of the other side is ``O``, omitted there. Nobody knows who speaks: there are no quotations.
    """
    tools = setup.load()
    side, resolver = _resolver(tools)
    for document in corpus.documents:
        name = corpus.references[0]
        written = [segment.source for segment in document.segments], [one.references[name] for one in document.segments]
        annotators = tools.source_annotator, tools.target_annotator
        source, target = (tools.annotations.annotate(*pair) for pair in zip(annotators, written, strict=True))
        found = _Document((source, target), tools.aligner.align(source, target))
        for one in (1, 0):
            _names(found, one)
        for resolution in resolver.resolve(found.sides[side]):
            if (antecedent := resolution.antecedent(THRESHOLD)) is not None:
                head = found.sides[side][antecedent.segment].tokens[antecedent.head]
                noun = found.at(side, antecedent.segment, head)
                if noun is None:
                    tokens = range(min(antecedent.tokens), max(antecedent.tokens) + 1)
                    number = found.number(side, f"{antecedent.segment} {antecedent.head}")
                    found.add(side, antecedent.segment, tokens, ENTITY, number, "N")
                    noun = found.at(side, antecedent.segment, head)
                if noun is not None:
                    _pronoun(found, side, resolution.segment, resolution.token, noun.entity)
        lines = [
            [write_marks(text.text, found.found.get((one, at), ())) for at, text in enumerate(texts)]
            for one, texts in enumerate(found.sides)
        ]
        yield document.id, lines[0], lines[1]


def _resolver(tools: Toolbox) -> tuple[int, Resolver]:
    """Return the side on which pronouns are resolved, and its resolver."""
    source, target = map(has_weights, tools.setup.pair)
    return (0, tools.resolver) if source and not target else (1, tools.target_resolver)


def _names(found: _Document, side: int) -> None:
    """Mark the names of a side; the target's come first, so that a linked name of the source is the same entity."""
    for segment, text in enumerate(found.sides[side]):
        for span in name_spans(text):
            token = text.tokens[span.start]
            label = _TYPES.get(token.entity, token.entity)
            written = clean_name(text.text[token.start : text.tokens[span.stop - 1].end]).casefold()
            others = [other for index in span for other in found.linked(side, segment, index)]
            same = [found.at(1 - side, segment, found.sides[1 - side][segment].tokens[other]) for other in others]
            entity = next((one.entity for one in same if one is not None), None)
            if entity is not None:
                found.numbers.setdefault((side, written), entity)
            number = found.number(side, written)
            found.add(side, segment, span, label if label in _KNOWN else ENTITY, number, "T")


def _pronoun(found: _Document, side: int, segment: int, token: int, entity: int) -> None:
    """Mark a pronoun, and those that it is linked to on the other side."""
    tokens = found.sides[1 - side][segment].tokens
    others = [one for one in found.linked(side, segment, token) if _is_pronoun(tokens[one])]
    found.add(side, segment, range(token, token + 1), PRONOUN if others else OMITTED, entity)
    for other in others:
        found.add(1 - side, segment, range(other, other + 1), PRONOUN, entity)


def _is_pronoun(token: Token) -> bool:
    return token.upos == "PRON" or "Poss" in token.features
