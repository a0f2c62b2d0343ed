"""An evaluation without a reference: every output is held to what it has chosen itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain
from random import Random

import numpy as np

from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.evaluation.choices import COUNTED, left_out, parts_of, split_counts
from endophora.evaluation.columns import TargetSide, choice_columns, output_text
from endophora.evaluation.conclusion import conclude
from endophora.evaluation.evaluate import (
    Evaluation,
    corpus_info,
    count_phenomenon,
    lost_placeholders,
    realignments,
    statistics_signature,
)
from endophora.evaluation.examples import as_lines, lone_example, without_context
from endophora.evaluation.figures import MetricTable, compute_figures
from endophora.evaluation.judge import AskedModel
from endophora.evaluation.result import Example, Result, Settings
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.evaluation.tagging import TaggedDocument, tag_targets, target_texts
from endophora.evaluation.terms import TermCheck, glossary_of
from endophora.judgments.alone import LoneText
from endophora.judgments.judging import score, score_alone
from endophora.judgments.records import VERDICTS, Judgment, unjudged
from endophora.judgments.together import heard_by, heard_together
from endophora.metrics.records import FloatArray
from endophora.phenomena.records import Occurrence
from endophora.phenomena.tagging import check_judged
from endophora.statistics.units import Units, choose_units
from endophora.version import __version__

PHENOMENA = ("lexical_cohesion", "formality", "pronouns")
"""What can be judged by the text alone."""

_WHY = {
    "verb_form": "only a reference says which tense, aspect or mood a verb should have",
    "ellipsis": "only a reference bears out what the source left out",
}
"""Why another phenomenon cannot."""


@dataclass(frozen=True)
class _Judged:
    """What an output shows in all documents, each with its judgment or why there is none."""

    tagged: Sequence[Sequence[tuple[Occurrence, Judgment]]]

    @cached_property
    def documents(self) -> list[list[tuple[Occurrence, Judgment]]]:
        """What is judged."""
        return [[one for one in found if one[1].verdict] for found in self.tagged]

    def statistics(self, starts: Sequence[int], segments: int, names: Sequence[str]) -> FloatArray:
        """Return (segments, phenomena, :data:`COUNTED`)."""
        counts = np.zeros((segments, len(names), len(COUNTED)))
        for start, found in zip(starts, self.tagged, strict=True):
            for occurrence, judgment in found:
                row = counts[start + occurrence.segment, :, COUNTED.index(judgment.verdict or judgment.why)]
                row[names.index(occurrence.phenomenon)] += 1
                part = f"{occurrence.phenomenon} {judgment.part}"
                if part in names:
                    row[names.index(part)] += 1
        return counts


def check(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    asked: AskedModel | None = None,
) -> Evaluation:
    """Judge every output without a reference: is its register one, do its names and pronouns agree with themselves?

    Which noun a pronoun stands for, four outputs or more say together; so their figure depends on all of them.

    Args:
        corpus: documents with outputs; references are not read.
        setup: the tools; of its phenomena those of :data:`PHENOMENA` are judged.
        options: statistics; metrics are not computed.
        workers: number of processes.
        progress: called with numbers of segments as they are done.
        asked: a language model that judges a sample too.

    Raises:
        InputError: the corpus has no output (E108), no phenomenon can be judged (E109), an option is wrong, or the
            language model is refused or does not answer (E285, E243, E244, E245, E246).
        MissingModelError: a tool of the setup is not installed.
    """
    chosen, corpus = options or EvaluationOptions(), replace(corpus, references=())
    if not corpus.systems:
        raise InputError(Fault("E108", "the corpus has no output of a system", "outputs are what is checked: give one"))
    wanted = setup.taggers.phenomena
    names = tuple(name for name in wanted if name in PHENOMENA)
    if not names:
        cause = f"without a reference nothing is known of {', '.join(wanted) or 'no phenomenon'}"
        raise InputError(Fault("E109", cause, f"choose of {', '.join(PHENOMENA)}", "--phenomenon"))
    check_judged(setup.taggers, "leave it out")
    glossary = glossary_of(chosen, setup)
    setup = replace(setup, taggers=replace(setup.taggers, phenomena=names))
    tools = setup.load()
    texts = [target_texts(corpus, output_text(system)) for system in corpus.systems]
    tagged = tag_targets(setup, texts, workers, progress)
    judged = _judge(corpus.systems, tagged, names, chosen.support)
    table = _table(corpus, judged, names, chosen)
    sides = dict(zip(corpus.systems, tagged, strict=True))
    outputs = [TargetSide(*each) for each in zip(corpus.systems, texts, tagged, strict=True)]
    terms = TermCheck(glossary, tools, outputs) if glossary else None
    tables = [table, *([terms.table(table.units, table.documents, chosen)] if terms else [])]
    figures = compute_figures(tables, corpus.systems, chosen)
    first = tagged[0]
    result = Result(
        version=__version__,
        signature=f"{tools.signature}|{statistics_signature(corpus, chosen, table.units.kind, None, glossary)}",
        corpus=corpus_info(corpus, first),
        settings=Settings.model_validate(
            {name: getattr(chosen, name) for name in Settings.model_fields} | {"units": table.units.kind}
        ),
        columns=figures.columns,
        phenomena=[count_phenomenon(name, first, sides) for name in setup.taggers.phenomena],
        scores=figures.scores,
        comparisons=figures.comparisons,
        correlations=[],
        realigned=realignments(corpus),
        placeholders=lost_placeholders(corpus),
        model_judge=asked.compare(corpus, sides, {name: one.documents for name, one in judged.items()}, chosen.seed)
        if asked
        else None,
        examples=list(_examples(corpus, sides, judged, chosen)),
        warnings=[*corpus.warnings, *_left_out(wanted), *_heard(names, len(judged)), *figures.warnings],
    )
    result = terms.added(result, corpus, chosen) if terms else result
    result = result.model_copy(update={"conclusion": conclude(result)})
    occurrences = [occurrence for one in judged.values() for occurrence, _ in chain.from_iterable(one.documents)]
    shown = [partial(_examples, corpus, sides, judged, chosen, whole=True)]
    shown += [partial(terms.all_examples, corpus)] if terms else []
    return Evaluation(result, occurrences, sides, tables, [partial(as_lines, each) for each in shown])


def _heard(names: Sequence[str], systems: int) -> list[str]:
    """Say that the figure of pronouns depends on which outputs are checked together."""
    if "pronouns" not in names or not (others := heard_by(systems)):
        return []
    why = "their figure changes with the outputs that are checked together"
    return [f"pronouns of each output are judged with what the {others} others say of their nouns: {why}"]


def _left_out(phenomena: Sequence[str]) -> list[str]:
    """Say of each phenomenon that was asked for and is not judged why it is not."""
    unknown = "there are no judgments of it"
    return [
        f"{name.replace('_', ' ')} is not judged without a reference: {_WHY.get(name, unknown)}"
        for name in phenomena
        if name not in PHENOMENA
    ]


def _table(
    corpus: Corpus, judged: dict[str, _Judged], names: tuple[str, ...], options: EvaluationOptions
) -> MetricTable:
    """Return the columns of all systems, phenomena and their parts."""
    shown = (*names, *(part for part in parts_of(names) if not part.endswith("other words")))  # no such word is judged
    sizes = [len(document.segments) for document in corpus.documents]
    starts = [sum(sizes[:at]) for at in range(len(sizes))]
    counts, left = split_counts(np.stack([one.statistics(starts, sum(sizes), shown) for one in judged.values()]))
    numbers = [number for number, size in enumerate(sizes) for _ in range(size)]
    units = choose_units(numbers, options.units)
    documents = Units("documents", np.array(numbers, dtype=np.intp), len(sizes))
    columns, enough = choice_columns(shown, counts, documents, options, judge="alone", heard=heard_by(len(judged)))
    return MetricTable(
        columns=columns,
        statistics=counts,
        score=score,
        alone=score_alone,
        units=units,
        documents=documents,
        counts=VERDICTS,
        enough=enough,
        left=left,
        scored="choice",
    )


def _judge(
    systems: Sequence[str], tagged: Sequence[Sequence[TaggedDocument]], names: Sequence[str], support: str
) -> dict[str, _Judged]:
    """Return the judgments on each system; what a pronoun stands for, the systems say together."""
    found: dict[str, list[list[tuple[Occurrence, Judgment]]]] = {system: [] for system in systems}
    for documents in zip(*tagged, strict=True):
        heard = heard_together([document.choices for document in documents])
        for system, document, choices in zip(systems, documents, heard, strict=True):
            found[system].append(list(_judgments(LoneText(document.identifier, choices), names, support)))
    return {system: _Judged(judged) for system, judged in found.items()}


def _judgments(text: LoneText, names: Sequence[str], support: str) -> Iterator[tuple[Occurrence, Judgment]]:
    for occurrence, judgment in text.judgments():
        if occurrence.phenomenon in names:
            reason = left_out(occurrence, support) if judgment.verdict else None
            yield occurrence, replace(unjudged(reason), part=judgment.part) if reason else judgment


def _examples(
    corpus: Corpus,
    tagged: Mapping[str, Sequence[TaggedDocument]],
    judged: dict[str, _Judged],
    options: EvaluationOptions,
    *,
    whole: bool = False,
) -> Iterator[Example]:
    """Yield a seeded sample of places where an output was judged, with what all systems have there; or the whole."""
    places: dict[str, dict[tuple[int, int, tuple[int, ...]], dict[str, tuple[Occurrence, Judgment]]]] = {}
    for system, one in judged.items():
        for at, found in enumerate(one.documents):
            for occurrence, judgment in found:
                key = at, occurrence.segment, occurrence.source_tokens
                places.setdefault(occurrence.phenomenon, {}).setdefault(key, {})[system] = occurrence, judgment
    random = Random(options.seed)  # noqa: S311 - a sample for reading, no secret
    for found in places.values():
        keys = sorted(found)
        size = len(keys) if whole else min(options.examples, len(keys))
        for number in sorted(random.sample(range(len(keys)), size)):
            at = keys[number][0]
            outputs = {system: documents[at] for system, documents in tagged.items()}
            example = lone_example(corpus.documents[at], outputs, found[keys[number]])
            yield without_context(example) if whole else example
