"""Occurrences for the reader: the segment, its context, the antecedent, and what each system wrote instead."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import count as count_from
from random import Random

from endophora.corpus.records import Corpus, Document
from endophora.evaluation.choices import asked, judged_text
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
    """Return a seeded sample of the reference's occurrences, each with all that a reader needs to judge it."""
    count, choice = options.examples, options.judge == "choice"
    by_phenomenon: dict[str, list[tuple[int, Occurrence]]] = {}
    for index, document in enumerate(reference):
        for occurrence in asked(document, options.support) if choice else document.occurrences:
            by_phenomenon.setdefault(occurrence.phenomenon, []).append((index, occurrence))
    random = Random(options.seed)  # noqa: S311 - a sample for reading, no secret
    chosen: defaultdict[int, list[tuple[int, Occurrence]]] = defaultdict(list)
    places = count_from(0)
    for found in by_phenomenon.values():
        for number in sorted(random.sample(range(len(found)), min(count, len(found)))):
            index, occurrence = found[number]
            chosen[index].append((next(places), occurrence))
    # Document by document, so that those of all systems are not in memory at once.
    examples: dict[int, Example] = {}
    for index, occurrences in chosen.items():
        outputs = {system: documents[index] for system, documents in systems.items()}
        texts = {system: judged_text(reference[index], output) for system, output in outputs.items() if choice}
        for place, occurrence in occurrences:
            judged = {system: text.judge(occurrence) for system, text in texts.items()}
            document = corpus.documents[index]
            examples[place] = _example(corpus, document, reference[index], outputs, occurrence, judged)
        for output in outputs.values():
            output.forget()
    return [examples[place] for place in sorted(examples)]


def _example(
    corpus: Corpus,
    document: Document,
    tagged: TaggedDocument,
    systems: Mapping[str, TaggedDocument],
    occurrence: Occurrence,
    judged: Mapping[str, Judgment],
) -> Example:
    number = occurrence.segment
    segment = document.segments[number]
    name = corpus.references[0]
    support = occurrence.support
    marks = _support_marks(occurrence)
    antecedent = ""
    if support is not None and support.source_tokens:
        place, token = support.source_tokens[-1]
        start, end = tagged.source[place][token]
        antecedent = document.segments[place].source[start:end]
    wanted = [segment.references[name][start:end] for start, end in tagged.target[number]]
    return Example(
        document=document.id,
        segment=number,
        file=segment.location.file,
        line=segment.location.line,
        phenomenon=occurrence.phenomenon,
        rule=occurrence.rule,
        expected=occurrence.expected,
        antecedent=antecedent,
        distance=support.distance if support else None,
        probability=support.probability if support else None,
        context=[
            ContextSegment(
                segment=place,
                source=_passage(document.segments[place].source, tagged.source[place], marks["source"].get(place)),
                reference=_passage(
                    document.segments[place].references[name], tagged.target[place], marks["target"].get(place)
                ),
            )
            for place in range(_first_shown(occurrence), number)
        ],
        source=_passage(
            segment.source,
            tagged.source[number],
            {**marks["source"].get(number, {}), **dict.fromkeys(occurrence.source_tokens, "source")},
        ),
        reference=_passage(
            segment.references[name],
            tagged.target[number],
            {**marks["target"].get(number, {}), **dict.fromkeys(occurrence.target_tokens, "occurrence")},
        ),
        outputs=[
            _judged(system, segment.outputs[system], other, occurrence, judgment)
            if (judgment := judged.get(system)) is not None and judgment.verdict
            else _output(system, segment.outputs[system], wanted, other, occurrence)
            for system, other in systems.items()
        ],
    )


def lone_example(
    document: Document,
    outputs: Mapping[str, TaggedDocument],
    judged: Mapping[str, tuple[Occurrence, Judgment]],
) -> Example:
    """Return one place where outputs are judged without a reference; context is shown as the first of them has it."""
    system, (occurrence, _) = next(iter(judged.items()))
    number, tagged = occurrence.segment, outputs[system]
    segment, marks, support = document.segments[number], _support_marks(occurrence), occurrence.support
    source = marks["source"]
    antecedent = ""
    if support is not None and support.source_tokens:
        place, token = max(support.source_tokens)
        antecedent = document.segments[place].source[slice(*tagged.source[place][token])]
    return Example(
        document=document.id,
        segment=number,
        file=segment.location.file,
        line=segment.location.line,
        phenomenon=occurrence.phenomenon,
        rule=occurrence.rule,
        expected=judged[system][1].asked,
        antecedent=antecedent,
        distance=support.distance if support else None,
        probability=support.probability if support else None,
        context=[
            ContextSegment(
                segment=place,
                source=_passage(document.segments[place].source, tagged.source[place], source.get(place)),
                reference=_passage(
                    document.segments[place].outputs[system], tagged.target[place], marks["target"].get(place)
                ),
            )
            for place in range(_first_shown(occurrence), number)
        ],
        source=_passage(
            segment.source,
            tagged.source[number],
            {**source.get(number, {}), **dict.fromkeys(occurrence.source_tokens, "source")},
        ),
        reference=Passage(text=""),
        outputs=[
            _judged(name, segment.outputs[name], outputs[name], found, judgment)
            for name, (found, judgment) in judged.items()
        ],
    )


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
