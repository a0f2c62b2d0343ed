"""The terms of a glossary in an evaluation: a column of their own, with examples and with what was never found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random

import numpy as np

from endophora.corpus.glossary import Glossary, read_glossary
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.evaluation.columns import TargetSide, choice_columns, reference_text
from endophora.evaluation.examples import Shown, lone_example, without_context
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Example, GlossaryInfo, Phenomenon, Result
from endophora.evaluation.setup import EvaluationOptions, Setup, Toolbox
from endophora.judgments.judging import score
from endophora.judgments.records import VERDICTS, Judgment
from endophora.judgments.terms import Entry, find_terms, judge_terms
from endophora.metrics.records import FloatArray
from endophora.phenomena.records import Occurrence
from endophora.statistics.units import Units
from endophora.version import __version__

TERMS = "terms"

_Judged = tuple[Occurrence, Judgment]


def glossary_of(options: EvaluationOptions, setup: Setup) -> Glossary | None:
    """Read the glossary that the options name (:func:`~endophora.corpus.glossary.read_glossary`).

    Raises: InputError: it is faulty, or no phenomenon is looked for, so that there are no word links (E109).
    """
    if options.glossary is None:
        return None
    if not setup.taggers.phenomena:
        advice = "name one, as --phenomenon lexical_cohesion"
        raise InputError(Fault("E109", "terms need the word links, made where a phenomenon is looked for", advice))
    return read_glossary(options.glossary, setup.pair)


@dataclass(frozen=True)
class TermCheck:
    """The terms of a glossary in a corpus, judged on every text.

    Attributes:
        glossary: the terms.
        tools: those of the evaluation; texts that are in its store are not annotated again.
        systems: the outputs, which are compared; one at least.
        references: the first reference, whose figure stands beside theirs; none where there is no reference.
    """

    glossary: Glossary
    tools: Toolbox
    systems: Sequence[TargetSide]
    references: Sequence[TargetSide] = ()

    @cached_property
    def _entries(self) -> list[Entry]:
        """The terms, annotated like texts."""
        terms, annotations = self.glossary.terms, self.tools.annotations
        sources = annotations.annotate(self.tools.source_annotator, [term.source for term in terms])
        wanted = [target for term in terms for target in term.targets]
        targets = iter(annotations.annotate(self.tools.target_annotator, wanted))
        return [
            Entry(source, tuple(next(targets) for _ in term.targets))
            for source, term in zip(sources, terms, strict=True)
        ]

    @cached_property
    def found(self) -> list[list[list[tuple[int, tuple[int, ...]]]]]:
        """For each document and segment the terms in the source: number, and source tokens."""
        annotated = (
            self.tools.annotations.annotate(self.tools.source_annotator, document.source)
            for document in self.systems[0].texts
        )
        return [[find_terms(text, self._entries) for text in document] for document in annotated]

    @cached_property
    def judged(self) -> list[list[list[_Judged]]]:
        """For each system the terms of each document with the judgments on them."""
        return [list(self._documents(side)) for side in self.systems]

    @cached_property
    def _of_people(self) -> list[list[list[_Judged]]]:
        """What :attr:`judged` is, for the references."""
        return [list(self._documents(side)) for side in self.references]

    def _documents(self, side: TargetSide) -> Iterator[list[_Judged]]:
        for texts, tagged, found in zip(side.texts, side.documents, self.found, strict=True):
            judged: list[_Judged] = []
            places = [place for place, terms in enumerate(found) if terms]
            wanted = [texts.target[place] for place in places]
            annotated = self.tools.annotations.annotate(self.tools.target_annotator, wanted)
            for place, text in zip(places, annotated, strict=True):
                verdicts = judge_terms(found[place], self._entries, text, tagged.links[place])
                for (number, tokens), judgment in zip(found[place], verdicts, strict=True):
                    term = self.glossary.terms[number]
                    expected = " | ".join(term.targets)
                    where = texts.id, place, TERMS, term.source, tokens, judgment.target_tokens
                    judged.append((Occurrence(*where, expected, None), judgment))
            yield judged

    def table(self, units: Units, documents: Units, options: EvaluationOptions) -> MetricTable:
        """Return the column of terms, with the figure of the first reference, if there is one, beside it."""
        own = np.stack([self._statistics(found) for found in self.judged])
        people = [self._statistics(found) for found in self._of_people]
        columns, enough = choice_columns([TERMS], own, documents, options, people)
        signature = f"judge:terms|glossary:{self.glossary.signature}|version:{__version__}"
        return MetricTable(
            columns=[column.model_copy(update={"signature": signature}) for column in columns],
            statistics=own,
            score=score,
            units=units,
            documents=documents,
            counts=VERDICTS,
            enough=enough,
            scored="choice",
        )

    def _statistics(self, judged: Sequence[Sequence[_Judged]]) -> FloatArray:
        """Return (segments, 1, 4): right, wrong, other, missing."""
        counts = [np.zeros((len(document), 1, len(VERDICTS))) for document in self.found]
        for of_document, found in zip(counts, judged, strict=True):
            for occurrence, judgment in found:
                if judgment.verdict:
                    of_document[occurrence.segment, 0, VERDICTS.index(judgment.verdict)] += 1
        return np.concatenate(counts)

    @cached_property
    def _numbers(self) -> Counter[int]:
        return Counter(number for document in self.found for segment in document for number, _ in segment)

    def added(self, result: Result, corpus: Corpus, options: EvaluationOptions) -> Result:
        """Return a result with the terms: how often they occur, what was never found, and examples."""
        shown = [*result.examples, *self._examples(corpus, options)]
        phenomena = [*result.phenomena, self._phenomenon()]
        return result.model_copy(update={"phenomena": phenomena, "examples": shown, "glossary": self._info()})

    def _phenomenon(self) -> Phenomenon:
        """Return how often each term occurs in the source."""
        rules = {self.glossary.terms[number].source: count for number, count in self._numbers.most_common()}
        words = sum(len(tokens) for document in self.found for segment in document for _, tokens in segment)
        return Phenomenon(
            name=TERMS,
            occurrences=sum(rules.values()),
            words=words,
            side="source",
            rules=rules,
            distances={},
            systems={},
        )

    def _info(self) -> GlossaryInfo:
        """Return what happened to the glossary's terms."""
        terms = self.glossary.terms
        unfound = [term.source for number, term in enumerate(terms) if number not in self._numbers]
        return GlossaryInfo(
            file=self.glossary.file, signature=self.glossary.signature, terms=len(terms), unfound=unfound
        )

    def _examples(self, corpus: Corpus, options: EvaluationOptions) -> list[Example]:
        """Return a seeded sample of terms, with what all systems have there."""
        random = Random(options.seed)  # noqa: S311 - a sample for reading, no secret
        places = self._places()
        return list(self._shown(corpus, sorted(random.sample(places, min(options.examples, len(places))))))

    def all_examples(self, corpus: Corpus) -> Iterator[Example]:
        """Yield all terms in the source, without their context."""
        return map(without_context, self._shown(corpus, self._places()))

    def _places(self) -> list[tuple[int, int]]:
        """Return the document and number in it of each term in the source."""
        return [(at, number) for at, found in enumerate(self.judged[0]) for number in range(len(found))]

    def _shown(self, corpus: Corpus, places: Iterable[tuple[int, int]]) -> Iterator[Example]:
        for at, number in places:
            outputs = {side.name: side.documents[at] for side in self.systems}
            judged = {side.name: found[at][number] for side, found in zip(self.systems, self.judged, strict=True)}
            pairs = zip(self.references, self._of_people, strict=True)
            shown = (Shown(one.documents[at], reference_text(one.name), found[at][number][0]) for one, found in pairs)
            yield lone_example(corpus.documents[at], outputs, judged, next(shown, None))
