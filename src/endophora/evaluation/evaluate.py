"""The main job: a corpus in, the result out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from endophora.corpus.glossary import Glossary
from endophora.corpus.placeholders import count_losses
from endophora.corpus.records import Corpus, Document
from endophora.errors import Fault, InputError
from endophora.evaluation.columns import (
    Measurement,
    TargetSide,
    check_metrics,
    output_text,
    possible_metrics,
    reference_text,
)
from endophora.evaluation.conclusion import conclude
from endophora.evaluation.examples import ExampleLines, as_lines
from endophora.evaluation.figures import FEWEST, MetricTable, compute_figures, correlate_columns, paired_columns
from endophora.evaluation.levels import HumanScores, agree, ranking
from endophora.evaluation.result import (
    CorpusInfo,
    DocumentInfo,
    Example,
    Human,
    Phenomenon,
    Placeholders,
    Realignment,
    Result,
    Score,
    Settings,
)
from endophora.evaluation.setup import EvaluationOptions, Setup, Toolbox
from endophora.evaluation.tagging import TaggedDocument, tag_targets, tagged_as_given, target_texts
from endophora.evaluation.terms import TermCheck, glossary_of
from endophora.evaluation.texts import text_jobs
from endophora.judgments.judging import JUDGED
from endophora.metrics import reads_annotations
from endophora.phenomena import TaggerOptions
from endophora.phenomena.given_tags import GivenTags
from endophora.phenomena.records import Occurrence
from endophora.phenomena.tagging import check_judged
from endophora.signature import digest_of, write_signature
from endophora.version import __version__


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What an evaluation yields; a notebook, and :meth:`to_pandas`, show its result.

    Attributes:
        result: the figures.
        occurrences: those of the reference; without one, what was judged in each output.
        tagged: all documents by the name of reference or system.
        tables: the statistics that the figures are computed from.
        lines: what yields every judged occurrence with what the systems have there, as JSON; see :meth:`judged`.
    """

    result: Result
    occurrences: list[Occurrence]
    tagged: Mapping[str, Sequence[TaggedDocument]]
    tables: Sequence[MetricTable] = ()
    lines: Sequence[Callable[[], Iterable[str]]] = ()

    def __repr__(self) -> str:
        """Return what the result is, in a line."""
        return f"<Evaluation of {self.result!r}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the main table, and the page in a frame."""
        return self.result.to_html()

    def score(self, column: str, system: str) -> Score:
        """Return the figure of a system in a column (KeyError: there is none; the nearest is named)."""
        return self.result.score(column, system)

    def plot(self, kind: str = "") -> Any:
        """Return a drawing for a notebook or a file: ``matrix``, or ``intervals`` (E090: neither)."""
        return self.result.plot(kind)

    def to_pandas(self) -> Any:
        """Return a row for each system and column, as a data frame of pandas (E150: it is not installed)."""
        return self.result.to_pandas()

    def judged(self) -> Iterator[Example]:
        """Yield every occurrence that counts with what each system has there, without the context."""
        return map(Example.model_validate_json, self.judged_lines())

    def judged_lines(self) -> Iterator[str]:
        """Yield what :meth:`judged` does as lines of JSON."""
        return chain.from_iterable(each() for each in self.lines)


def evaluate(
    corpus: Corpus,
    setup: Setup | None = None,
    options: EvaluationOptions | None = None,
    workers: int = 1,
    progress: Callable[[int], None] | None = None,
    human: HumanScores | None = None,
    tags: GivenTags | None = None,
) -> Evaluation:
    """Find the occurrences in the first reference and in all outputs, and score every system on them.

    Without systems the result has counts and examples, and no scores.

    Args:
        corpus: documents with at least one reference.
        setup: the tools; by default those of the corpus' languages, for all phenomena that these can have.
        options: metrics and statistics.
        workers: number of processes.
        progress: called with numbers of segments as they are done.
        human: scores of people, to compare with the metrics'; :func:`~endophora.meta.people.match_people` makes them.
        tags: of the first reference and all systems, made elsewhere: none is looked for, and words are scored.

    Raises:
        InputError: the corpus has no reference (E107), an option is wrong, or there are no ``tags`` of a text (E367).
        MissingModelError: a tool of the setup is not installed.
    """
    if not corpus.references:
        raise InputError(Fault("E107", "the corpus has no reference", "occurrences are found in one: give it"))
    setup, chosen, tools, left_out = _possible(corpus, setup, options or EvaluationOptions(), tags)
    glossary = glossary_of(chosen, setup)
    _check(corpus, setup, chosen, tools)
    references, outputs = _sides(corpus, setup, chosen, tags, workers, progress)
    reference, systems = references[0].documents, {side.name: side.documents for side in outputs}
    measurement = Measurement(corpus, setup, tools, chosen, references, outputs, workers)
    units, tables = measurement.units().kind, measurement.columns()
    terms = TermCheck(glossary, tools, outputs, references[:1]) if glossary and outputs else None
    tables[1:1] = [terms.table(measurement.units(), measurement.documents(), chosen)] if terms else []
    figures = compute_figures(tables, corpus.systems, chosen)
    said = None if human is None else agree(human, tables, corpus.systems, replace(chosen, units=units))
    occurrences = list(chain.from_iterable(document.occurrences for document in reference))
    shown = ExampleLines(corpus, reference, systems, chosen, tools)
    made = tags.key if tags else ""
    result = Result(
        version=__version__,
        signature=f"{tools.signature}|{made}{statistics_signature(corpus, chosen, units, human, glossary)}",
        corpus=corpus_info(corpus, reference),
        settings=Settings.model_validate(
            {name: getattr(chosen, name) for name in Settings.model_fields} | {"units": units}
        ),
        columns=figures.columns,
        phenomena=[count_phenomenon(name, reference, systems) for name in setup.taggers.phenomena],
        scores=figures.scores,
        comparisons=figures.comparisons,
        correlations=correlate_columns([column.name for column in figures.columns], figures.scores),
        paired=paired_columns(
            figures.columns, figures.scores, ranking(said) if said else corpus.systems, chosen.confidence
        ),
        human=said,
        realigned=realignments(corpus),
        placeholders=lost_placeholders(corpus),
        examples=shown.sample(),
        warnings=[
            *corpus.warnings,
            *left_out,
            *_several(corpus.references),
            *([_UNUSED] if glossary and not outputs else []),
            *figures.warnings,
            *(_unjudged(setup.taggers.phenomena) if corpus.systems and chosen.judge == "choice" else []),
            *_doubt_emptiness(len(corpus), len(occurrences), setup),
            *_human_warnings(human, said),
        ],
    )
    whole = terms.added(result, corpus, chosen) if terms else result
    whole = whole.model_copy(update={"conclusion": conclude(whole)})
    lines = [shown.all, *([partial(as_lines, partial(terms.all_examples, corpus))] if terms else [])]
    return Evaluation(whole, occurrences, {corpus.references[0]: reference, **systems}, tables, lines)


def _possible(
    corpus: Corpus, setup: Setup | None, options: EvaluationOptions, tags: GivenTags | None
) -> tuple[Setup, EvaluationOptions, Toolbox, list[str]]:
    """Return setup, options and tools of what there can be, and lines that say what is left out."""
    left_out = list[str]()
    if setup is None:
        setup, left_out = Setup(corpus.source_language, corpus.target_language).fitted()
    tools = setup.load()
    if corpus.systems:
        options, without = possible_metrics(options, tools, annotated=tags is None)
        left_out += without
    return (setup, options, tools, left_out) if tags is None else (*_as_given(corpus, setup, options, tags), left_out)


def _check(corpus: Corpus, setup: Setup, options: EvaluationOptions, tools: Toolbox) -> None:
    """Check that what is asked of outputs can be measured."""
    if corpus.systems:
        if options.judge == "choice":
            check_judged(setup.taggers, "add --judge wording, which scores the words themselves")
        check_metrics(options, tools, len(corpus.references))


def _sides(
    corpus: Corpus,
    setup: Setup,
    options: EvaluationOptions,
    tags: GivenTags | None,
    workers: int,
    progress: Callable[[int], None] | None,
) -> tuple[list[TargetSide], list[TargetSide]]:
    """Return the references that are needed, and the outputs, tagged."""
    plain = [name for name in dict.fromkeys(options.metrics) if not reads_annotations(name)]
    annotated = any(map(reads_annotations, options.metrics)) and bool(corpus.systems)
    several = annotated or (options.judge == "choice" and bool(corpus.systems))
    references = corpus.references if several else corpus.references[:1]
    names = (*references, *corpus.systems)
    texts = [target_texts(corpus, reference_text(name)) for name in references]
    texts += [target_texts(corpus, output_text(system)) for system in corpus.systems]
    if tags is None:
        found = tag_targets(setup, texts, workers, progress, text_jobs(corpus, plain))
    else:
        found = [tagged_as_given(side, tags.segments[name]) for side, name in zip(texts, names, strict=True)]
    sides = [TargetSide(*each) for each in zip(names, texts, found, strict=True)]
    return sides[: len(references)], sides[len(references) :]


def _as_given(
    corpus: Corpus, setup: Setup, options: EvaluationOptions, tags: GivenTags
) -> tuple[Setup, EvaluationOptions, Toolbox]:
    """Return setup, options and tools for tags made elsewhere: nothing is annotated or kept, and words are scored."""
    wanted = (*corpus.references[:1], *corpus.systems)
    if missing := [name for name in wanted if name not in tags.segments]:
        advice = f"give them: --tags {missing[0]}=FILE, for the first reference and every system"
        raise InputError(Fault("E367", f"there are no tags of {', '.join(missing)}", advice, "--tags"))
    if read := [name for name in options.metrics if reads_annotations(name)]:
        advice = "measure it without --tags"
        raise InputError(Fault("E367", f"{read[0]} reads annotations, and tags are none", advice, "--metric"))
    bare = replace(setup, taggers=replace(setup.taggers, phenomena=()), store=None)
    tagged = replace(bare, taggers=replace(setup.taggers, phenomena=tags.phenomena))
    return tagged, replace(options, judge="wording"), bare.load()


def count_phenomenon(
    name: str, reference: Sequence[TaggedDocument], systems: Mapping[str, Sequence[TaggedDocument]]
) -> Phenomenon:
    """Return how often a phenomenon is tagged in the reference and in each output."""
    occurrences = [found for document in reference for found in document.occurrences if found.phenomenon == name]
    words = {(o.document, o.segment, token) for o in occurrences for token in o.target_tokens}
    rules = Counter(occurrence.rule for occurrence in occurrences)
    distances = Counter(o.support.distance for o in occurrences if o.support is not None)
    return Phenomenon(
        name=name,
        occurrences=len(occurrences),
        words=len(words),
        rules=dict(rules.most_common()),
        distances=dict(sorted(distances.items())),
        systems={system: sum(each.counts.get(name, 0) for each in found) for system, found in systems.items()},
    )


def corpus_info(corpus: Corpus, reference: Sequence[TaggedDocument]) -> CorpusInfo:
    """Return what was evaluated; words are counted in ``reference``."""
    return CorpusInfo(
        source_language=corpus.source_language,
        target_language=corpus.target_language,
        documents=[DocumentInfo(id=document.id, segments=len(document.segments)) for document in corpus.documents],
        segments=len(corpus),
        source_words=sum(len(tokens) for document in reference for tokens in document.source),
        reference_words=sum(len(tokens) for document in reference for tokens in document.target),
        references=list(corpus.references),
        systems=list(corpus.systems),
        texts=digest_of([_compared_texts(document, corpus.references) for document in corpus.documents])[:16],
    )


def _compared_texts(document: Document, references: Sequence[str]) -> tuple[str, list[list[str]]]:
    return document.id, [[one.source, *(one.references[name] for name in references)] for one in document.segments]


def realignments(corpus: Corpus) -> list[Realignment]:
    """Return what was cut of outputs in lines of their own."""
    return [
        Realignment.model_validate({name: getattr(one, name) for name in Realignment.model_fields})
        for one in corpus.realigned
    ]


def lost_placeholders(corpus: Corpus) -> list[Placeholders]:
    """Return which placeholders of the source each output lost."""
    return [Placeholders(system=name, **one._asdict()) for name, one in count_losses(corpus).items()]


_UNUSED = "the glossary is not looked for: its terms are judged in outputs of systems, and there is none"


def _several(references: Sequence[str]) -> list[str]:
    """Say what several references are for."""
    note = f"occurrences are found and matched in the first reference, {references[0]}; text metrics use all"
    return [note] if references[1:] else []


def _human_warnings(human: HumanScores | None, said: Human | None) -> list[str]:
    if human is None or said is None:
        return []
    scored = len(ranking(said))
    few = f"people scored {scored} of the systems: too few for a correlation at system level"
    return [*human.warnings, *([few] if scored < FEWEST else [])]


def _unjudged(phenomena: Sequence[str]) -> list[str]:
    """Say which phenomena have no judgments, so that their figures are empty."""
    names = [name for name in phenomena if name not in JUDGED]
    return [f"there are no judgments of {', '.join(names)}: --judge wording scores their words"] if names else []


NO_OCCURRENCE = 100
"""Segments in which some occurrence must be: in right NTREX texts of 15 languages at most 50 in a row have none."""


def _doubt_emptiness(segments: int, occurrences: int, setup: Setup) -> list[str]:
    """Say that nothing was found, where all phenomena were looked for in enough text."""
    asked = set(setup.taggers.phenomena)
    if occurrences or segments < NO_OCCURRENCE or not asked.issuperset(TaggerOptions().phenomena):
        return []
    cause = f"no occurrence of any phenomenon in {segments:,} segments"
    return [str(Fault("E386", cause, "check --languages, and that the files are parallel", "the reference"))]


def statistics_signature(
    corpus: Corpus, options: EvaluationOptions, units: str, human: HumanScores | None, glossary: Glossary | None = None
) -> str:
    """Return what the figures depend on besides the tools."""
    fields = {
        "refs": ",".join(corpus.references),
        "judge": options.judge,
        **({"support": options.support} if options.judge == "choice" else {"variant": options.variant}),
        "test": options.test,
        "units": units,
        "resamples": options.resamples,
        "confidence": options.confidence,
        "alpha": options.alpha,
        "seed": options.seed,
        "options": digest_of(options)[:8],
        "human": human and human.signature,
        "glossary": glossary and glossary.signature,
        **({"cut": ",".join(f"{one.system}={one.signature}" for one in corpus.realigned)} if corpus.realigned else {}),
    }
    return write_signature(fields.items())
