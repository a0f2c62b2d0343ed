"""How much of what was extracted: counts by rule, read from the rows one row group at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import Field

from endophora.corpus.streams import Census
from endophora.engine import RunSummary
from endophora.extraction.rows import parquet_module
from endophora.record import Record

SHOWN_FORMS = 12
"""How many expected forms of a rule the statistics name, the most frequent."""

COLUMNS = ("phenomenon", "rule", "document", "distance", "expected", "variants")


class RuleStatistics(Record):
    """A rule and what it found."""

    phenomenon: str
    rule: str
    occurrences: int
    documents: int = Field(description="documents with at least one")
    per_million: float = Field(description="occurrences in a million segments of the corpus")
    between: int = Field(description="occurrences whose antecedent is in another segment")
    with_variants: int = Field(description="occurrences with a wrong translation to contrast")
    distances: dict[str, int] = Field(description="segments to the antecedent → occurrences; unknown ones left out")
    forms: dict[str, int] = Field(description="expected form, lower case → occurrences, the most frequent first")


class SuiteFile(Record):
    """A file of a test set."""

    path: str = Field(description="the file, from the output directory; of a data set its directory and split")
    format: str
    phenomenon: str
    split: str
    items: int


class ExtractionStatistics(Record):
    """What an extraction has found in a corpus."""

    languages: str
    documents: int
    segments: int
    occurrences: int
    checksum: str = Field(description="SHA-256 of rows.parquet")
    signature: str = Field(description="setup, models and versions")
    skipped: dict[str, int] = Field(description="code of a fault → lines, rows or links left out for it")
    left_out: dict[str, int] = Field(description="what was left out that is no fault → how often")
    rules: list[RuleStatistics]
    suites: list[SuiteFile] = Field(default_factory=list[SuiteFile])


@dataclass(slots=True)
class _Count:
    occurrences: int = 0
    documents: int = 0
    between: int = 0
    with_variants: int = 0
    last: str | None = None
    distances: Counter[int] = field(default_factory=Counter[int])
    forms: Counter[str] = field(default_factory=Counter[str])

    def add(self, document: str, distance: int | None, forms: list[str] | None, variants: list[Any] | None) -> None:
        """Count one row."""
        self.occurrences += 1
        # Rows are in the order of documents, so a document is new if it is not the last one.
        self.documents += document != self.last
        self.last = document
        self.with_variants += bool(variants)
        if distance is not None:
            self.distances[distance] += 1
            self.between += distance > 0
        if forms:
            self.forms[forms[0].lower()] += 1


def count_rules(path: Path, segments: int) -> list[RuleStatistics]:
    """Count the rows of an extraction by phenomenon and rule."""
    counts: dict[tuple[str, str], _Count] = {}
    for phenomenon, rule, document, distance, forms, variants in _columns(path):
        counts.setdefault((phenomenon, rule), _Count()).add(document, distance, forms, variants)
    return [
        RuleStatistics(
            phenomenon=phenomenon,
            rule=rule,
            occurrences=count.occurrences,
            documents=count.documents,
            per_million=round(1e6 * count.occurrences / segments, 2) if segments else 0.0,
            between=count.between,
            with_variants=count.with_variants,
            distances={str(distance): count.distances[distance] for distance in sorted(count.distances)},
            forms=dict(sorted(count.forms.items(), key=lambda pair: (-pair[1], pair[0]))[:SHOWN_FORMS]),
        )
        for (phenomenon, rule), count in sorted(counts.items())
    ]


def extraction_statistics(
    summary: RunSummary, census: Census, rules: list[RuleStatistics], languages: str, signature: str
) -> ExtractionStatistics:
    """Return the statistics of a complete run, without suites."""
    return ExtractionStatistics(
        languages=languages,
        documents=summary.documents,
        segments=summary.segments,
        occurrences=summary.rows,
        checksum=summary.checksum,
        signature=signature,
        skipped=census.skipped,
        left_out=census.notes,
        rules=rules,
    )


def _columns(path: Path) -> Iterator[tuple[Any, ...]]:
    with parquet_module().ParquetFile(path) as file:
        for batch in file.iter_batches(columns=list(COLUMNS)):
            table = batch.to_pydict()
            yield from zip(*(table[name] for name in COLUMNS), strict=True)
