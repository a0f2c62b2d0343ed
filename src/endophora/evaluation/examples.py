"""Occurrences for the reader: the segment, its context, the antecedent, and what each system wrote instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count as count_from
from pathlib import Path
from random import Random
from typing import NamedTuple

from endophora.corpus.records import Corpus, Document, Segment
from endophora.evaluation.choices import asked, judged_text
from endophora.evaluation.columns import output_text, reference_text
from endophora.evaluation.result import ContextSegment, Example, Highlight, Passage, SystemOutput
from endophora.evaluation.setup import EvaluationOptions
from endophora.evaluation.tagging import Span, TaggedDocument
from endophora.judgments.records import Judgment
from endophora.metrics.word_f import matched_pairs
from endophora.phenomena.records import Occurrence

MINIMUM_CONTEXT = 2
MAXIMUM_CONTEXT = 8


def sample_examples(
    corpus: Corpus,
    reference: Sequence[TaggedDocument],
    systems: Mapping[str, Sequence[TaggedDocument]],
    options: EvaluationOptions,
) -> list[Example]:
    """Return a seeded sample of the reference's occurrences, each with all that a reader needs to judge it.

    Where choices are judged, those come first on which the reference itself has a verdict.
    """
    count, choice = options.examples, options.judge == "choice"
    by_phenomenon: dict[str, tuple[list[tuple[int, Occurrence]], ...]] = {}
    for index, document in enumerate(reference):
        itself = judged_text(document, document)
        for occurrence in asked(document, options.support) if choice else document.occurrences:
            judged = not choice or bool(itself.judge(occurrence).verdict)
            by_phenomenon.setdefault(occurrence.phenomenon, ([], []))[not judged].append((index, occurrence))
    random = Random(options.seed)  # noqa: S311 - a sample for reading, no secret
    chosen: defaultdict[int, list[tuple[int, Occurrence]]] = defaultdict(list)
    places = count_from(0)
    for found, others in by_phenomenon.values():
        drawn = [found[at] for at in sorted(random.sample(range(len(found)), min(count, len(found))))]
        left = min(count - len(drawn), len(others))
        drawn += [others[at] for at in sorted(random.sample(range(len(others)), left))]
        for index, occurrence in drawn:
            chosen[index].append((next(places), occurrence))
    examples = dict(_made(corpus, reference, systems, chosen, choice=choice))
    return [examples[place] for place in sorted(examples)]


def all_examples(
    corpus: Corpus,
    reference: Sequence[TaggedDocument],
    systems: Mapping[str, Sequence[TaggedDocument]],
    options: EvaluationOptions,
) -> Iterator[Example]:
    """Yield every occurrence that counts, in the order of the corpus, without its context."""
    choice = options.judge == "choice"
    for index, document in enumerate(reference if systems else ()):
        counting = asked(document, options.support) if choice else document.occurrences
        found = {index: list(enumerate(counting))}
        for _, example in _made(corpus, reference, systems, found, choice=choice):
            yield without_context(example)


def without_context(example: Example) -> Example:
    """Return an example without the segments before it."""
    return example.model_copy(update={"context": []})


def _made(
    corpus: Corpus,
    reference: Sequence[TaggedDocument],
    systems: Mapping[str, Sequence[TaggedDocument]],
    chosen: Mapping[int, Sequence[tuple[int, Occurrence]]],
    *,
    choice: bool,
) -> Iterator[tuple[int, Example]]:
    """Yield occurrences, by document and with their places, as examples."""
    # Document by document, so that those of all systems are not in memory at once.
    for index, occurrences in chosen.items():
        outputs = {system: documents[index] for system, documents in systems.items()}
        texts = {system: judged_text(reference[index], output) for system, output in outputs.items() if choice}
        for place, occurrence in occurrences:
            judged = {system: text.judge(occurrence) for system, text in texts.items()}
            document = corpus.documents[index]
            shown = Shown(reference[index], reference_text(corpus.references[0]), occurrence)
            yield place, _example(document, shown, occurrence.expected, _outputs(document, shown, outputs, judged))
        for output in outputs.values():
            output.forget()


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
    return _example(document, shown, judgment.asked, made, has_reference=reference is not None)


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
    tagged, text_of, occurrence = shown
    number, support = occurrence.segment, occurrence.support
    segment, marks = document.segments[number], _support_marks(occurrence)
    antecedent = ""
    if support is not None and support.source_tokens:
        place, token = max(support.source_tokens)
        antecedent = document.segments[place].source[slice(*tagged.source[place][token])]

    def passages(place: int, source: Sequence[int] = (), target: Sequence[int] = ()) -> tuple[Passage, Passage]:
        own = document.segments[place]
        sides = (
            ("source", own.source, tagged.source, dict.fromkeys(source, "source")),
            ("target", text_of(own), tagged.target, dict.fromkeys(target, "occurrence")),
        )
        left, right = (
            _passage(text, spans[place], marks[side].get(place, {}) | here) for side, text, spans, here in sides
        )
        return left, right

    source, reference = passages(number, occurrence.source_tokens, occurrence.target_tokens)
    context = [(place, *passages(place)) for place in range(_first_shown(occurrence), number)]
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
        context=[ContextSegment(segment=place, source=left, reference=right) for place, left, right in context],
        source=source,
        reference=reference if has_reference else Passage(text=""),
        outputs=outputs,
    )


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
