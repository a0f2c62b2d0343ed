"""Occurrences for the reader: the segment, its context, the antecedent, and what each system wrote instead."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from random import Random
from typing import NamedTuple

from endophora.corpus.records import Corpus, Document, Segment
from endophora.evaluation.choices import asked, judged_text
from endophora.evaluation.columns import output_text, reference_text
from endophora.evaluation.result import ContextSegment, Example, Highlight, Passage, SystemOutput
from endophora.evaluation.setup import EvaluationOptions, Loaded, Toolbox
from endophora.evaluation.tagging import Span, TaggedDocument
from endophora.judgments.records import Judgment
from endophora.metrics.word_f import matched_pairs
from endophora.phenomena.records import Occurrence
from endophora.signature import Keys, StoreKey, keyed

MINIMUM_CONTEXT = 2
MAXIMUM_CONTEXT = 8


@keyed()
@dataclass(frozen=True, slots=True)
class _Shown:
    """What the examples of a document depend on besides its texts."""

    loaded: Loaded
    judge: str
    support: str


@dataclass(frozen=True)
class ExampleLines:
    """Every occurrence of the reference that counts, with what each system has there: a line of JSON each.

    Lines have no context. The store keeps those of a document, where ``tools`` are given.
    """

    corpus: Corpus
    reference: Sequence[TaggedDocument]
    systems: Mapping[str, Sequence[TaggedDocument]]
    options: EvaluationOptions
    tools: Toolbox | None = None

    def all(self) -> Iterator[str]:
        """Yield all lines, in the order of the corpus; without systems there is nothing to show."""
        return chain.from_iterable(map(self._of, range(len(self.reference) if self.systems else 0)))

    def sample(self) -> list[Example]:
        """Return a seeded sample of the occurrences, each with all that a reader needs to judge it.

        Where choices are judged, those come first on which the reference itself has a verdict.
        """
        count, choice = self.options.examples, self.options.judge == "choice"
        by_phenomenon: dict[str, tuple[list[tuple[int, int]], ...]] = {}
        for index, document in enumerate(self.reference):
            itself = judged_text(document, document)
            for place, occurrence in enumerate(self._counting(index)):
                judged = not choice or bool(itself.judge(occurrence).verdict)
                by_phenomenon.setdefault(occurrence.phenomenon, ([], []))[not judged].append((index, place))
        random = Random(self.options.seed)  # noqa: S311 - a sample for reading, no secret
        chosen: list[tuple[int, int]] = []
        for found, others in by_phenomenon.values():
            drawn = [found[at] for at in sorted(random.sample(range(len(found)), min(count, len(found))))]
            left = min(count - len(drawn), len(others))
            chosen += drawn + [others[at] for at in sorted(random.sample(range(len(others)), left))]
        examples: dict[tuple[int, int], Example] = {}
        # Document by document, so that the lines of all are not in memory at once.
        for index in sorted({index for index, _ in chosen}):
            lines, occurrences = self._of(index), self._counting(index)
            for place in (place for at, place in chosen if at == index):
                example, shown = Example.model_validate_json(lines[place]), self._shown(index, occurrences[place])
                examples[index, place] = _with_context(example, self.corpus.documents[index], shown)
            self.reference[index].forget()
        return [examples[place] for place in chosen]

    def _counting(self, index: int) -> Sequence[Occurrence]:
        document = self.reference[index]
        return asked(document, self.options.support) if self.options.judge == "choice" else document.occurrences

    def _shown(self, index: int, occurrence: Occurrence) -> Shown:
        return Shown(self.reference[index], reference_text(self.corpus.references[0]), occurrence)

    def _of(self, index: int) -> list[str]:
        """Return the lines of a document, from the store if they were made before."""
        key = self._key(index)
        if self.tools is None or key is None:
            return [one.model_dump_json() for one in self._made(index)]
        if (known := self.tools.store.get_many([key]).get(key)) is None:
            text = "\n".join(one.model_dump_json() for one in self._made(index))
            self.tools.store.put_many({key: (known := zlib.compress(text.encode(), 1))}, "examples")
        text = zlib.decompress(known).decode()
        return text.split("\n") if text else []

    @cached_property
    def _keys(self) -> Keys | None:
        return Keys(_Shown(self.tools.loaded, self.options.judge, self.options.support)) if self.tools else None

    def _key(self, index: int) -> StoreKey | None:
        document, named = self.corpus.documents[index], [self.reference[index].key]
        named += [documents[index].key for documents in self.systems.values()]
        if self._keys is None or None in named:
            return None
        places = [(_shared_name(one.location.file), one.location.line) for one in document.segments]
        return self._keys(document.id, places, list(self.systems), [key.hex() for key in named if key])

    def _made(self, index: int) -> Iterator[Example]:
        outputs = {system: documents[index] for system, documents in self.systems.items()}
        reference, document, choice = (
            self.reference[index],
            self.corpus.documents[index],
            self.options.judge == "choice",
        )
        texts = {system: judged_text(reference, output) for system, output in outputs.items() if choice}
        for occurrence in self._counting(index):
            judged = {system: text.judge(occurrence) for system, text in texts.items()}
            shown = self._shown(index, occurrence)
            made = _outputs(document, shown, outputs, judged)
            yield _example(document, shown, occurrence.expected, made)
        for output in outputs.values():
            output.forget()


def as_lines(examples: Callable[[], Iterable[Example]]) -> Iterator[str]:
    """Yield examples as lines of JSON."""
    return (one.model_dump_json() for one in examples())


def without_context(example: Example) -> Example:
    """Return an example without the segments before it."""
    return example.model_copy(update={"context": []})


class Shown(NamedTuple):
    """The target text that stands beside the source in an example: what it is, and the occurrence as it has it."""

    tagged: TaggedDocument
    text_of: Callable[[Segment], str]
    occurrence: Occurrence


def lone_example(
    document: Document,
    outputs: Mapping[str, TaggedDocument],
    judged: Mapping[str, tuple[Occurrence, Judgment]],
    reference: Shown | None = None,
) -> Example:
    """Return one place where outputs are judged by themselves.

    Without a reference the context is shown as the first of the judged outputs has it.
    """
    system, (occurrence, judgment) = next(iter(judged.items()))
    shown = reference or Shown(outputs[system], output_text(system), occurrence)
    made = [
        _judged(name, document.segments[found.segment].outputs[name], outputs[name], found, one)
        for name, (found, one) in judged.items()
    ]
    example = _example(document, shown, judgment.asked, made, has_reference=reference is not None)
    return _with_context(example, document, shown)


def _outputs(
    document: Document, shown: Shown, systems: Mapping[str, TaggedDocument], judged: Mapping[str, Judgment]
) -> list[SystemOutput]:
    """Return what each system has for an occurrence of the reference; what is not judged says why."""
    occurrence = shown.occurrence
    segment = document.segments[occurrence.segment]
    text = shown.text_of(segment)
    wanted = [text[start:end] for start, end in shown.tagged.target[occurrence.segment]]
    made: list[SystemOutput] = []
    for system, other in systems.items():
        judgment, own = judged.get(system), segment.outputs[system]
        if judgment is not None and judgment.verdict:
            made.append(_judged(system, own, other, occurrence, judgment))
            continue
        words = _output(system, own, wanted, other, occurrence)
        # Where choices are judged, the reference's own word makes nothing right that has no verdict.
        made.append(words if judgment is None else words.model_copy(update={"correct": False, "why": judgment.why}))
    return made


def _example(
    document: Document, shown: Shown, expected: str, outputs: list[SystemOutput], *, has_reference: bool = True
) -> Example:
    """Return an example without its context."""
    tagged, _, occurrence = shown
    number, support = occurrence.segment, occurrence.support
    segment = document.segments[number]
    antecedent = ""
    if support is not None and support.source_tokens:
        place, token = support.source_tokens[-1]
        antecedent = document.segments[place].source[slice(*tagged.source[place][token])]
    source, reference = _passages(document, shown, number, occurrence.source_tokens, occurrence.target_tokens)
    return Example(
        document=document.id,
        segment=number,
        file=_shared_name(segment.location.file),
        line=segment.location.line,
        phenomenon=occurrence.phenomenon,
        rule=occurrence.rule,
        expected=expected,
        antecedent=antecedent,
        distance=support.distance if support else None,
        probability=support.probability if support else None,
        context=[],
        source=source,
        reference=reference if has_reference else Passage(text=""),
        outputs=outputs,
    )


def _with_context(example: Example, document: Document, shown: Shown) -> Example:
    places = range(_first_shown(shown.occurrence), shown.occurrence.segment)
    sides = [_passages(document, shown, place) for place in places]
    context = [
        ContextSegment(segment=place, source=left, reference=right)
        for place, (left, right) in zip(places, sides, strict=True)
    ]
    return example.model_copy(update={"context": context})


def _passages(
    document: Document, shown: Shown, place: int, source: Sequence[int] = (), target: Sequence[int] = ()
) -> tuple[Passage, Passage]:
    """Return a segment's source and target, with marks at some tokens of each and at those of the support."""
    own, tagged, marks = document.segments[place], shown.tagged, _support_marks(shown.occurrence)
    left = marks["source"].get(place, {}) | dict.fromkeys(source, "source")
    right = marks["target"].get(place, {}) | dict.fromkeys(target, "occurrence")
    return _passage(own.source, tagged.source[place], left), _passage(shown.text_of(own), tagged.target[place], right)


def _shared_name(file: str) -> str:
    """Return a file's name without the folders of this machine: results are given to others."""
    path, here = Path(file), Path.cwd()
    if not path.is_absolute():
        return file
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name


def _first_shown(occurrence: Occurrence) -> int:
    """Return the first segment of context to show: the support's, within bounds."""
    places = [place for place, _ in occurrence.support.source_tokens] if occurrence.support else []
    nearest = max((place for place in places if place < occurrence.segment), default=occurrence.segment)
    wanted = min(nearest, occurrence.segment - MINIMUM_CONTEXT)
    return max(0, wanted, occurrence.segment - MAXIMUM_CONTEXT)


def _support_marks(occurrence: Occurrence) -> dict[str, dict[int, dict[int, str]]]:
    marks: dict[str, dict[int, dict[int, str]]] = {"source": {}, "target": {}}
    if occurrence.support is not None:
        for side, places in (
            ("source", occurrence.support.source_tokens),
            ("target", occurrence.support.target_tokens),
        ):
            for segment, token in places:
                marks[side].setdefault(segment, {})[token] = "support"
    return marks


def _passage(text: str, spans: Sequence[Span], roles: Mapping[int, str] | None) -> Passage:
    marks = [
        {"start": spans[token][0], "end": spans[token][1], "role": role}
        for token, role in sorted((roles or {}).items())
    ]
    return Passage(text=text, highlights=[Highlight.model_validate(mark) for mark in marks])


def _judged(system: str, text: str, tagged: TaggedDocument, occurrence: Occurrence, judgment: Judgment) -> SystemOutput:
    spans = tagged.target[occurrence.segment]
    written = judgment.target_tokens
    here = {token: "support" for segment, token in judgment.support if segment == occurrence.segment}
    return SystemOutput(
        system=system,
        passage=_passage(text, spans, here | dict.fromkeys(written, "written")),
        correct=judgment.verdict == "right",
        verdict=judgment.verdict,
        asked=judgment.asked,
        shown=judgment.shown,
        why=judgment.why,
        written=" ".join(text[spans[token][0] : spans[token][1]] for token in written),
    )


def _output(
    system: str, text: str, wanted: Sequence[str], tagged: TaggedDocument, occurrence: Occurrence
) -> SystemOutput:
    spans = tagged.target[occurrence.segment]
    forms = [text[start:end] for start, end in spans]
    # Equal forms are matched among themselves, so that the other words need not be looked at.
    needed = {wanted[token] for token in occurrence.target_tokens}
    ours, theirs = ([place for place, form in enumerate(side) if form in needed] for side in (forms, wanted))
    pairs = matched_pairs([forms[place] for place in ours], [wanted[place] for place in theirs])
    found = {theirs[there]: ours[here] for here, there in pairs}
    hits = [found[token] for token in occurrence.target_tokens if token in found]
    correct = len(hits) == len(occurrence.target_tokens)
    written = hits if correct else _linked(occurrence.source_tokens, tagged.links[occurrence.segment])
    return SystemOutput(
        system=system,
        passage=_passage(text, spans, dict.fromkeys(written, "written")),
        correct=correct,
        written=" ".join(forms[token] for token in written),
    )


def _linked(sources: Iterable[int], links: Iterable[tuple[int, int]]) -> list[int]:
    wanted = set(sources)
    return sorted({target for source, target in links if source in wanted})
