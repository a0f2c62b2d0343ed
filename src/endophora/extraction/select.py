"""Which segments of a document are parsed: those that a look at the surface cannot rule out, and their windows.

A segment is a candidate of a phenomenon if its text has the words without which no rule holds: an English pronoun of a
rule and a form of the other language (gender, animacy, formality by case), a form of an auxiliary. Of auxiliaries and
inflection the source alone, parsed, rules out most of what is left (another verb), before anything else is parsed. A
candidate needs the segments before it that its antecedent may stand in. What is parsed of a document is thus the
union of the windows before its candidates; segments that no candidate needs have no tokens.

Rows are the same as if everything were parsed. A segment that is no candidate has none (its words hold no rule), and
those of a candidate depend on nothing outside its window: a text is annotated by itself, a pair of texts is linked by
itself, a pronoun is resolved from its window (an aligner learns from all that it is given, and a resolver counts how
often a noun was said), and the taggers of :data:`WINDOWED` look no further back than the windows here.
Other phenomena, those of MuDA, look at whole documents: where one is asked for, everything is parsed, for it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from endophora.align.records import Aligner, Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.ranker import Ranker
from endophora.corefer.records import Resolution, Resolver
from endophora.corpus.records import Document
from endophora.corpus.streams import REFERENCE
from endophora.extraction.setup import ExtractionTools
from endophora.extraction.surface import AuxiliarySurface, PronounSurface, Texts, tokenizer_of
from endophora.languages.extraction import ExtractionRules
from endophora.languages.schema import EXTRACTION, LanguageRules
from endophora.phenomena import auxiliary, inflection
from endophora.phenomena.records import AnnotatedDocument
from endophora.phenomena.verdicts import LOOK_BACK, Reason, Verdict

REACH = 2
"""Windows of the resolver before a candidate pronoun: its antecedents, and those of the pronouns among them."""

POSSESSED = 5
"""How many segments back the tagger of gender looks for the noun of a possessive, whatever the resolver's window."""

WINDOWED = frozenset(EXTRACTION)
"""Phenomena whose occurrences depend on a window before them alone."""

_BY_SOURCE: Mapping[str, frozenset[Reason]] = {
    "auxiliary": frozenset({Reason.NO_AUXILIARY, Reason.OTHER_VERB}),
    "inflection": frozenset({Reason.SOURCE_VERB}),
}
"""Phenomenon → what the source alone says against a segment, by its parts of speech and lemmas."""


Surface = Callable[[Texts], list[int]]
"""Returns the indices of a document's candidate segments."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What is to be done of a document.

    Attributes:
        parsed: indices of the segments to parse, in order.
        resolve_source: indices of the segments whose source pronouns are to be resolved, each from its window.
        resolve_target: the same of target pronouns.
    """

    parsed: tuple[int, ...]
    resolve_source: tuple[int, ...] = ()
    resolve_target: tuple[int, ...] = ()


def _everything(texts: Texts) -> list[int]:
    return list(range(len(texts.written)))


class Selector:
    """Chooses what to parse of documents.

    Args:
        tools: the tools of the extraction.
        reach: windows of the resolver that are seen before a candidate pronoun.

    Attributes:
        seen: how many segments before a pronoun its resolver sees.
        window: how many segments before an occurrence of gender or animacy are parsed, whatever else is.
    """

    def __init__(self, tools: ExtractionTools, reach: int = REACH) -> None:
        self._tools = tools
        setup = tools.extraction
        source, target = (_rules(rules) for rules in (tools.source_rules, tools.target_rules))
        self.seen = reach * setup.window
        self.window = max(self.seen, POSSESSED)
        self._surfaces: dict[str, Surface] = dict.fromkeys(setup.phenomena, _everything)
        self._windows: dict[str, int | None] = dict.fromkeys(setup.phenomena)
        if not setup.prefilter:
            return
        known: dict[str, tuple[Surface, int]] = {
            "gender": (PronounSurface(target.gender), self.window),
            "animacy": (PronounSurface(source.gender, reverse=True), self.window),
            "formality_cases": (PronounSurface(target.formality), 0),
            "auxiliary": (AuxiliarySurface(target, source, tokenizer_of(tools.source_annotator)), LOOK_BACK),
            "inflection": (_everything, LOOK_BACK),
        }
        for name in self._surfaces.keys() & known.keys():
            self._surfaces[name], self._windows[name] = known[name]

    def candidates(self, document: Document) -> dict[str, list[int]]:
        """Return the candidate segments of each phenomenon, as the surface has them."""
        texts = Texts(
            [segment.source for segment in document.segments],
            [segment.references[REFERENCE] for segment in document.segments],
        )
        return {name: surface(texts) for name, surface in self._surfaces.items()}

    def first(self, candidates: Mapping[str, Sequence[int]]) -> list[int]:
        """Return the segments whose source is parsed first, since it may rule them out."""
        staged = (name for name in candidates if name in _BY_SOURCE and self._windows[name] is not None)
        return sorted({index for name in staged for index in candidates[name]})

    def select(
        self, document: Document, candidates: Mapping[str, Sequence[int]], sources: Mapping[str, AnnotatedText]
    ) -> Selection:
        """Return what is to be done of a document.

        Args:
            document: the document.
            candidates: what :meth:`candidates` returned.
            sources: source text → its annotation, of the segments of :meth:`first` at least; needs no trees.
        """
        parsed: set[int] = set()
        for name, found in candidates.items():
            window = self._windows[name]
            if window is None:
                parsed.update(range(len(document.segments)))
                continue
            left = self._possible(name, document, found, sources) if name in _BY_SOURCE else found
            for index in left:
                parsed.update(range(max(0, index - window), index + 1))
        return Selection(
            tuple(sorted(parsed)), tuple(candidates.get("gender", ())), tuple(candidates.get("animacy", ()))
        )

    def _possible(
        self, name: str, document: Document, found: Iterable[int], sources: Mapping[str, AnnotatedText]
    ) -> list[int]:
        """Return the candidates that the parsed source does not rule out."""
        verdicts = self._verdicts(name)
        against = _BY_SOURCE[name]
        return [
            index
            for index in found
            if any(
                verdict.reason not in against
                for verdict in verdicts(_alone(sources[document.segments[index].source]), 0).values()
            )
        ]

    def _verdicts(self, name: str) -> Callable[[AnnotatedDocument, int], Mapping[str, Verdict]]:
        tagger = next(tagger for tagger in self._tools.taggers if tagger.phenomenon == name)
        assert isinstance(tagger, auxiliary.AuxiliaryTagger | inflection.InflectionTagger)  # noqa: S101
        return tagger.verdicts


def _alone(source: AnnotatedText) -> AnnotatedDocument:
    return AnnotatedDocument("", (source,), (AnnotatedText("", ()),), ((),))


def _rules(rules: LanguageRules) -> ExtractionRules:
    return rules.extraction or ExtractionRules()


Sides = tuple[tuple[AnnotatedText, ...], tuple[AnnotatedText, ...]]
"""Source and target of one document, one text a segment; what is not parsed has no tokens."""


def align_alone(aligner: Aligner, documents: Sequence[Sides]) -> list[tuple[tuple[Link, ...], ...]]:
    """Link each segment as a document of its own; every distinct pair of texts once.

    Returns:
        For each document the links of its segments; segments with an empty side have none.
    """
    pairs = {
        (one.text, other.text): (one, other)
        for document in documents
        for one, other in zip(*document, strict=True)
        if one.tokens and other.tokens
    }
    linked = aligner.align_many([((one,), (other,)) for one, other in pairs.values()])
    known = {pair: links for pair, (links,) in zip(pairs, linked, strict=True)}
    return [
        tuple(
            known[one.text, other.text] if one.tokens and other.tokens else ()
            for one, other in zip(*document, strict=True)
        )
        for document in documents
    ]


def resolve_windows(
    resolver: Resolver, document: AnnotatedDocument, segments: Iterable[int], reach: int
) -> tuple[Resolution, ...]:
    """Resolve the pronouns of some segments, each from the segments before it that are in reach.

    Args:
        resolver: resolves the pronouns of a document.
        document: an annotated document with its links, of which these segments and those in reach are parsed.
        segments: indices of the segments, in order.
        reach: how many segments before each are seen.

    Returns:
        The resolutions of the pronouns in those segments, in order.
    """
    found: list[Resolution] = []
    for segment in segments:
        start = max(0, segment - reach)
        window = slice(start, segment + 1)
        seen = resolve(resolver, document.source[window], document.target[window], document.links[window])
        found.extend(_moved(one, start) for one in seen if one.segment == segment - start)
    return tuple(found)


def resolve(
    resolver: Resolver,
    source: Sequence[AnnotatedText],
    target: Sequence[AnnotatedText],
    links: Sequence[Sequence[Link]],
) -> list[Resolution]:
    """Resolve the pronouns of a document's source, and keep nothing of it.

    A ranker would remember hundreds of sources for other targets of them; here each has one.
    """
    if isinstance(resolver, Ranker):
        return resolver.with_target(resolver.prepare(source), target, links)
    return resolver.resolve(source, target, links)


def _moved(resolution: Resolution, start: int) -> Resolution:
    """Return a resolution of a window with its segments counted from the beginning of the document."""
    antecedents = tuple(replace(found, segment=found.segment + start) for found in resolution.antecedents)
    return replace(resolution, segment=resolution.segment + start, antecedents=antecedents)
