"""Two results of the same texts compared: which figures changed, whether by more than chance, and at which occurrences.

Both results must have been made with the same tools and settings. Systems are compared in pairs, the new one against
the old one, by the test that compares systems within one evaluation, on the sums that each evaluation keeps.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import count
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field, ValidationError

from endophora.errors import Fault, InputError
from endophora.evaluation.result import SCHEMA_VERSION, Column, CorpusInfo, Example, Passage, Result, SystemOutput
from endophora.evaluation.setup import EvaluationOptions
from endophora.evaluation.sums import SUMS, Sums, read_sums, score_of
from endophora.record import Interval, Record, ResamplingSettings, StudyResult, first_of, number_of
from endophora.statistics.comparison import Compared, Table, compare
from endophora.statistics.units import Units, choose_units, each_row
from endophora.version import __version__

RESULT, JUDGMENTS = "result.json", "judgments.jsonl"
_FREE = frozenset({"test", "resamples", "confidence", "alpha", "seed", "options", "human", "cut", "refs"})
"""Keys of a signature on which no sum depends, or that is compared in another way (references by their texts)."""

_PART = re.compile(r"((?:[^|{}]|\{(?:[^{}]|\{[^{}]*\})*\})+)(?:\||$)")
_AGAIN = "evaluate the old outputs again, as the new ones"


class Change(Record):
    """A column of a system in both results."""

    column: str
    kind: Literal["phenomenon", "text", "category"]
    system: str = Field(description="its name in the new result")
    scale: float
    higher_is_better: bool
    old: float | None
    new: float | None
    judged: list[int] | None = Field(description="occurrences judged in the old and the new output; null of metrics")
    enough: bool = Field(description="whether so many are judged that the figures are compared")
    difference: float | None = Field(description="new minus old")
    interval: Interval | None = Field(description="of the difference")
    p_value: float | None = Field(description="null where nothing is tested")
    p_adjusted: float | None = Field(description="Holm, over all systems and columns of a kind")
    verdict: Literal["", "better", "worse"] = Field(description="of a significant difference")


class Turnover(Record):
    """What happened to a system's occurrences of a phenomenon."""

    system: str
    phenomenon: str
    judged: int = Field(description="in one of the outputs at least")
    broken: int = Field(description="right in the old output, and not in the new one")
    repaired: int = Field(description="right in the new output, and not in the old one")
    other: int = Field(description="of other verdicts than before, or judged in one output only")


class ChangedOccurrence(Record):
    """An occurrence on which a system is judged otherwise than before."""

    change: Literal["broken", "repaired", "other"]
    system: str
    document: str
    segment: int = Field(description="from 0, in the document")
    phenomenon: str
    rule: str
    expected: str
    antecedent: str
    source: Passage
    reference: Passage
    old: SystemOutput
    new: SystemOutput


class ComparedSystems(Record):
    """A system of the new result, and the one of the old result that it is compared with."""

    system: str
    old: str


class ComparisonSettings(ResamplingSettings):
    """How the test was done."""

    test: Literal["approximate-randomisation", "bootstrap"]


class ComparisonResult(StudyResult):
    """Everything that a comparison of two results found."""

    schema_version: int = SCHEMA_VERSION
    signature: str = Field(description="of the new result")
    corpus: CorpusInfo = Field(description="of the new result")
    settings: ComparisonSettings
    systems: list[ComparedSystems]
    changes: list[Change]
    turnover: list[Turnover]
    occurrences: list[ChangedOccurrence] = Field(description="broken ones first, in the order of the texts")
    left_out: list[str] = Field(description="what is in one of the results only, or not comparable, and why")
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class Kept:
    """A result with the files beside it."""

    result: Result
    sums: list[Sums]
    examples: list[Example]

    @classmethod
    def read(cls, path: Path) -> Kept:
        """Read a result's directory, or the ``result.json`` in it.

        Raises:
            InputError: there is none (E371), or the files beside it are absent, damaged, or of another one (E373).
        """
        file = path / RESULT if path.is_dir() else path
        advice = "name a directory that endophora evaluate or endophora check wrote"
        try:
            result = Result.read(file)
        except (OSError, ValidationError) as error:
            why = getattr(error, "strerror", None) or "it is no result of an evaluation by this version"
            raise InputError(Fault("E371", f"the result cannot be read: {why}", advice, str(file))) from error
        lines = file.with_name(JUDGMENTS)
        try:
            written = lines.read_bytes()
            examples = [Example.model_validate_json(line) for line in written.splitlines()]
        except (OSError, ValidationError) as error:
            why = getattr(error, "strerror", None) or "it is damaged"
            raise InputError(Fault("E373", f"the judgments cannot be read: {why}", _AGAIN, str(lines))) from error
        return cls(result, read_sums(result, file.with_name(SUMS), written), examples)


def compare_results(
    old: Kept | Path | str,
    new: Kept | Path | str,
    named: Mapping[str, str] | None = None,
    options: EvaluationOptions | None = None,
) -> ComparisonResult:
    """Compare the systems of two results.

    Args:
        old, new: of the same texts, made with the same tools; or the directories in which they are.
        named: system of the new result → system of the old one; by default, systems of the same name, and where each
            result has one, these.
        options: the test, resamples, levels and seed; by default those of an evaluation.

    Raises:
        InputError: a result cannot be read (E371, E373), they are not comparable (E372), or no systems can be matched
            (E374).
    """
    old, new = (each if isinstance(each, Kept) else Kept.read(Path(each)) for each in (old, new))
    chosen = options or EvaluationOptions()
    check_comparable(old.result, new.result)
    pairs = match_systems(old.result.corpus.systems, new.result.corpus.systems, named or {})
    tables, left_out = _tables(old, new, pairs)
    changes = [
        change
        for (system, _), compared in zip(tables, compare([table for _, table in tables], chosen), strict=True)
        for change in _changes(system, pairs[system], compared, old.result, new.result)
    ]
    warnings = dict.fromkeys(warning for _, table in tables for warning in table.units.warnings)
    turnover, occurrences = _turnover(old, new, pairs)
    for here, systems, matched in (
        ("new", new.result.corpus.systems, pairs),
        ("old", old.result.corpus.systems, pairs.values()),
    ):
        left_out += [f"{name}: a system of the {here} result only" for name in systems if name not in matched]
    return ComparisonResult(
        version=__version__,
        signature=new.result.signature,
        corpus=new.result.corpus,
        settings=ComparisonSettings.of(chosen, units=new.result.settings.units),
        systems=[ComparedSystems(system=one, old=other) for one, other in pairs.items()],
        changes=sorted(changes, key=lambda one: (_KINDS.index(one.kind), list(pairs).index(one.system))),
        turnover=turnover,
        occurrences=occurrences,
        left_out=left_out,
        warnings=list(warnings),
    )


_KINDS = ("phenomenon", "text", "category")


def check_comparable(old: Result, new: Result) -> None:
    """Refuse results of other texts, or that were made with other tools or settings (E372), and say what differs."""
    faults: list[Fault] = []
    if old.corpus.texts != new.corpus.texts or not new.corpus.texts:
        sizes = [f"{one.corpus.segments:,} segments in {len(one.corpus.documents):,} documents" for one in (old, new)]
        cause = "the results are of other documents, source texts or references"
        faults.append(Fault("E372", f"{cause} ({sizes[0]}; {sizes[1]})", "compare results of the same texts"))
    before, after = (_parts(one.signature) for one in (old, new))
    for key in after:
        if key in before and key not in _FREE and before[key] != after[key]:
            cause = f"the results were made with another “{key}”: {before[key]}; {after[key]}"
            faults.append(Fault("E372", cause, _AGAIN))
    if faults:
        raise InputError(faults)


def _parts(signature: str) -> dict[str, str]:
    """Return key → value of a signature."""
    parts = (found.partition(":") for found in _PART.findall(signature))
    return {key: value for key, colon, value in parts if colon}


def match_systems(old: Sequence[str], new: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return system of the new result → system of the old one (E374)."""
    faults: list[Fault] = []
    for names, given, here in ((new, list(named), "new"), (old, list(named.values()), "old")):
        for name in given:
            if name not in names:
                near = get_close_matches(name, names, 1)
                advice = f"did you mean {near[0]}?" if near else f"it has {', '.join(names) or 'none'}"
                faults.append(Fault("E374", f"the {here} result has no system “{name}”", advice, "--system"))
    if faults:
        raise InputError(faults)
    if named:
        return dict(named)
    if len(old) == len(new) == 1:
        return {new[0]: old[0]}
    if not (same := {name: name for name in new if name in old}):
        cause = f"no system is in both results (old: {', '.join(old) or 'none'}; new: {', '.join(new) or 'none'})"
        raise InputError(Fault("E374", cause, "say which belong together: --system NEW=OLD", "--system"))
    return same


def _tables(old: Kept, new: Kept, pairs: Mapping[str, str]) -> tuple[list[tuple[str, Table[Column]]], list[str]]:
    """Return each system with the tables of its new and its old sums, and what is not comparable."""
    columns = {column.name: column for column in new.result.columns}
    signed = {column.name: column.signature for column in old.result.columns}
    before = {(one.about.scored, one.about.columns): one for one in old.sums}
    tables: list[tuple[str, Table[Column]]] = []
    left_out: list[str] = []
    for after in new.sums:
        about = after.about
        mine = [columns[name] for name in about.columns]
        other = before.get((about.scored, about.columns))
        kept = [at for at, one in enumerate(mine) if signed.get(one.name) == one.signature] if other else []
        if about.scored != "choice" and len(kept) < len(mine):
            kept = []  # columns of a metric are computed together
        if other is None or len(kept) < len(mine):
            why = "only in the new result" if other is None else "measured with other settings"
            out = (one.name for at, one in enumerate(mine) if at not in kept and one.kind != "category")
            left_out.append(f"{', '.join(out)}: {why}")
        if other is None or not kept:
            continue
        same = [mine[at] for at in kept]
        score = score_of(about, new.result.corpus.target_language)
        units = _units(after, len(new.result.corpus.documents))
        for system, theirs in pairs.items():
            here, there = new.result.corpus.systems.index(system), old.result.corpus.systems.index(theirs)
            enough = (after.enough[here] & other.enough[there])[kept]
            sums = np.stack([after.sums[here], other.sums[there]])
            table = Table(
                columns=same,
                statistics=sums if len(kept) == len(mine) else sums[:, :, kept],
                score=score,
                units=units,
                families=[column.kind for column in same],
                baseline=1,
                enough=np.stack([enough, enough]),
            )
            tables.append((system, table))
    known = {name for one in new.sums for name in one.about.columns}
    left_out += [f"{name}: only in the old result" for name in signed if name not in known]
    return tables, left_out


def _units(sums: Sums, documents: int) -> Units:
    """Return the units of a table, with the warning that an evaluation gives where they are few."""
    size = sums.sums.shape[1]
    chosen = choose_units(range(size) if documents > 1 else [0] * size)
    return replace(each_row(size, sums.about.units), warnings=chosen.warnings, single=chosen.single)


def _changes(system: str, theirs: str, compared: Compared[Column], old: Result, new: Result) -> Iterator[Change]:
    for place, column in enumerate(compared.table.columns):
        after, before = (number_of(value) for value in compared.values[:, place])
        tested = compared.difference(0, place)
        verdict = ""
        if tested and tested["significant"] and tested["difference"]:
            verdict = "better" if (tested["difference"] > 0) == column.higher_is_better else "worse"
        judged = [sum(one.score(column.name, name).counts.values()) for one, name in ((old, theirs), (new, system))]
        enough = compared.table.enough
        yield Change(
            column=column.name,
            kind=column.kind,
            system=system,
            scale=column.scale,
            higher_is_better=column.higher_is_better,
            old=before,
            new=after,
            judged=None if column.occurrences is None else judged,
            enough=enough is None or bool(enough[0, place]),
            difference=None if after is None or before is None else after - before + 0.0,
            interval=tested["interval"] if tested else None,
            p_value=tested["p_value"] if tested else None,
            p_adjusted=tested["p_adjusted"] if tested else None,
            verdict=verdict,
        )


def _turnover(old: Kept, new: Kept, pairs: Mapping[str, str]) -> tuple[list[Turnover], list[ChangedOccurrence]]:
    """Return how many occurrences are judged otherwise, and which."""
    before, after = dict(_placed(old.examples)), dict(_placed(new.examples))
    words = new.result.settings.judge == "wording"
    counts: Counter[tuple[str, str, str]] = Counter()
    changed: list[ChangedOccurrence] = []
    for place, example in {**before, **after}.items():
        for system, theirs in pairs.items():
            sides = _output_of(before.get(place), theirs), _output_of(after.get(place), system)
            if not any(one and (words or one.verdict) for one in sides):
                continue
            counts[system, example.phenomenon, "judged"] += 1
            earlier, now = (one or _absent(name) for one, name in zip(sides, (theirs, system), strict=True))
            if (change := _change(earlier, now) if all(sides) else "other") is None:
                continue
            counts[system, example.phenomenon, change] += 1
            about = {name: getattr(example, name) for name in ChangedOccurrence.model_fields if hasattr(example, name)}
            changed.append(ChangedOccurrence(change=change, system=system, old=earlier, new=now, **about))
    order = [phenomenon.name for phenomenon in new.result.phenomena]
    names = [(system, name) for system in pairs for name in order if counts[system, name, "judged"]]
    kinds = ("judged", "broken", "repaired", "other")
    turnover = [
        Turnover(system=system, phenomenon=name, **{kind: counts[system, name, kind] for kind in kinds})
        for system, name in names
    ]
    return turnover, sorted(changed, key=lambda one: kinds.index(one.change))


def _placed(examples: Sequence[Example]) -> Iterator[tuple[tuple[object, ...], Example]]:
    """Yield examples with what they have in common in two results of the same texts."""
    numbers: dict[tuple[object, ...], count[int]] = {}
    for example in examples:
        marks = (
            (highlight.start, highlight.end)
            for passage in (example.source, example.reference)
            for highlight in passage.highlights
            if highlight.role in ("source", "occurrence")
        )
        place = (example.document, example.segment, example.phenomenon, *marks)
        yield (*place, next(numbers.setdefault(place, count()))), example


def _output_of(example: Example | None, system: str) -> SystemOutput | None:
    return example and first_of(example.outputs, system=system)


def _absent(system: str) -> SystemOutput:
    """Return what stands where a result has no judgment of a system."""
    return SystemOutput(system=system, passage=Passage(text=""), correct=False, why="not judged", written="")


def _change(old: SystemOutput, new: SystemOutput) -> Literal["broken", "repaired", "other"] | None:
    if (old.correct, old.verdict) == (new.correct, new.verdict):
        return None
    judged = bool(old.verdict) == bool(new.verdict)
    if not judged or old.correct == new.correct:
        return "other"
    return "broken" if old.correct else "repaired"
