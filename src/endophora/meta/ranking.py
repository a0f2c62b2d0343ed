"""Sheets read back: raters checked, their agreement, systems ranked, errors counted (BlonDe, Appendices D and E)."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from pydantic import Field

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import read_lines
from endophora.errors import Fault, InputError
from endophora.evaluation.levels import Documents, Level, Scores, ScoreSet
from endophora.meta.sheets import LETTERS, Item, Key, error_scheme
from endophora.options import inherited, option
from endophora.record import Figure, Record, SystemDifference, WrittenRecord, number_of
from endophora.signature import keyed
from endophora.statistics.agreement import kappa, rater_table
from endophora.statistics.comparison import Table, compare, find_baseline, in_a_column, percentage
from endophora.statistics.resampling import BEST, Bootstrapping
from endophora.statistics.units import FloatArray, choose_units

_BETTER = (-1, 0, 1)


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class RankingOptions(Bootstrapping):
    """Which raters count, and how systems are compared."""

    failed: float = option(0.2, least=0, most=1, help="A rater who fails more of the spoiled items does not count.")
    least_kappa: float = option(
        -1.0, least=-1, most=1, help="A rater whose repeated items agree less does not count; -1 for none."
    )
    baseline: str = option(BEST, metavar="SYSTEM", help="Compare the others with this system, or with the best.")
    resamples: int = inherited(Bootstrapping, "resamples", "For the intervals; 0 for none.", least=0)

    least_resamples: ClassVar[int] = 0


class Rater(Record):
    """A rater's checks."""

    name: str
    items: int = Field(description="judged, checks among them")
    unjudged: int = Field(description="without a rank for each output")
    spoiled: int
    failed: int = Field(description="spoiled outputs that did not get the last rank alone")
    repeated: int
    kappa: float | None = Field(description="of pairwise verdicts on repeated items with those on their first showing")
    counted: bool


class RaterAgreement(Record):
    """Two raters: Cohen's kappa over their pairwise verdicts on the same items (better, tied, worse)."""

    criterion: str
    level: Literal["seg", "doc"]
    first: str
    second: str
    kappa: float | None
    verdicts: int


class Ranked(Figure):
    """A system's share of comparisons that it wins, ties half, in per cent."""

    criterion: str
    level: Literal["seg", "doc"]
    system: str
    wins: int
    ties: int
    losses: int
    items: int = Field(description="judged outputs")


class RankDifference(SystemDifference):
    """A system compared with the baseline."""

    criterion: str
    level: Literal["seg", "doc"]


class ErrorCount(Record):
    """Outputs of a system that have an error of a kind or below it."""

    system: str
    error: str
    outputs: int
    judged: int


class RankingResult(WrittenRecord):
    """A human evaluation."""

    languages: str
    systems: list[str]
    confidence: float
    raters: list[Rater]
    agreements: list[RaterAgreement]
    scores: list[Ranked]
    comparisons: list[RankDifference]
    errors: list[ErrorCount]
    warnings: list[str]


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """A rater's verdict on an item: rank of each output from 1, the best, and its errors."""

    item: Item
    ranks: tuple[int, ...]
    errors: tuple[tuple[str, ...], ...]

    @property
    def by_system(self) -> dict[str, int]:
        """The rank of each system."""
        return dict(zip(self.item.order, self.ranks, strict=True))

    @property
    def verdicts(self) -> dict[tuple[str, str], int]:
        """Of every two systems in the order of their names which is better: 1 for the first, 0, -1."""
        ranks = self.by_system
        return {(one, two): int(np.sign(ranks[two] - ranks[one])) for one, two in combinations(sorted(ranks), 2)}


def read_sheets(paths: Iterable[Path], key: Key) -> tuple[list[JudgedItem], Counter[str]]:
    """Read sheets, or what pages have exported; return verdicts, and how many items each rater left unjudged.

    Raises: InputError: no sheet (E352), items that the key does not know or that are judged twice (E353), ranks or
    errors that are none (E354); faults of files (E001–E007).
    """
    log, items = FaultLog(), {item.id: item for item in key.items}
    found, unjudged, seen = list[JudgedItem](), Counter[str](), set[str]()
    for path in paths:
        lines = [f"{line}\n" for line in read_lines(path, log).texts]
        # What some spreadsheets write in place of a comma.
        separator = max(",;\t", key=lines[0].count) if lines else ","
        table = csv.reader(lines, delimiter=separator)
        header = next(table, list[str]())
        wanted = ["item", *(f"rank {letter}" for letter in LETTERS[: len(key.items[0].order)])]
        if absent := [name for name in wanted if name not in header]:
            log.add("E352", f"no column {', '.join(absent)}", "give sheets, or what their pages export", str(path))
            continue
        for values in table:
            row = dict(zip(header, values, strict=False))
            item = items.get(row.get("item", ""))
            if item is None or item.id in seen:
                cause = f"“{row.get('item', '')}” is " + ("judged twice" if item else "no item of the key")
                log.add("E353", cause, "give each rater's sheet once, with its key", str(path), table.line_num)
                continue
            seen.add(item.id)
            cells = [[row.get(f"{what} {letter}", "").strip() for letter in LETTERS] for what in ("rank", "errors")]
            ranks, errors = (each[: len(item.order)] for each in cells)
            if wrong := _wrong(ranks, errors):
                advice = f"ranks are 1 to {len(item.order)}, errors {', '.join(error_scheme())}"
                log.add("E354", f"{wrong} in {item.id}", advice, str(path), table.line_num)
            elif all(ranks):
                found.append(JudgedItem(item, tuple(map(int, ranks)), tuple(tuple(one.split()) for one in errors)))
            elif any(errors) and not any(ranks):
                found.append(JudgedItem(item, (), tuple(tuple(one.split()) for one in errors)))
            else:
                unjudged[item.rater] += 1
    log.check()
    return found, unjudged


def _wrong(ranks: Sequence[str], errors: Sequence[str]) -> str:
    known = {str(number) for number in range(1, len(ranks) + 1)} | {""}
    wrong = [f"the rank “{one}”" for one in ranks if one not in known]
    wrong += [f"the error “{one}”" for cell in errors for one in cell.split() if one not in error_scheme()]
    return ", ".join(wrong)


def evaluate_sheets(
    judged: Sequence[JudgedItem], unjudged: Mapping[str, int], key: Key, options: RankingOptions | None = None
) -> tuple[RankingResult, list[ScoreSet]]:
    """Return the result, and people's scores for a meta-evaluation, a set for each criterion and level (E359).

    Spoiled items count as checks alone, of repeated ones the first showing.
    """
    chosen = options or RankingOptions()
    raters = [
        _rater(name, [one for one in judged if one.item.rater == name], unjudged, chosen) for name in _raters(key)
    ]
    counted = {rater.name for rater in raters if rater.counted}
    real = [one for one in judged if one.item.rater in counted and not one.item.spoiled and not one.item.repeats]
    if not real:
        cause = f"no item counts: {len(judged)} are judged, and {len(counted)} of {len(raters)} raters pass the checks"
        raise InputError(Fault("E359", cause, "fill in sheets, or see --failed and --least-kappa"))
    groups = defaultdict[tuple[str, Literal["seg", "doc"]], list[JudgedItem]](list)
    for one in real:
        if one.ranks:
            groups[one.item.criterion, one.item.level].append(one)
    warnings = [f"{one.name} does not count: {_reason(one)}" for one in raters if not one.counted]
    if missing := sum(unjudged.values()):
        warnings.append(f"{missing} items have no rank for every output, and do not count")
    scores, comparisons, few = _ranking(groups, key, chosen)
    result = RankingResult(
        languages=f"{key.source_language}-{key.target_language}",
        systems=list(key.systems),
        confidence=chosen.confidence,
        raters=raters,
        agreements=[each for group in groups.values() for each in _agreements(group)],
        scores=scores,
        comparisons=comparisons,
        errors=_errors(real, key) if any(any(one.errors) for one in real) else [],
        warnings=warnings + few,
    )
    return result, [_score_set(criterion, level, group, key) for (criterion, level), group in groups.items()]


def _raters(key: Key) -> list[str]:
    return list(dict.fromkeys(item.rater for item in key.items))


def _reason(rater: Rater) -> str:
    if not rater.items:
        return "nothing is judged"
    value = "–" if rater.kappa is None else f"{rater.kappa:.2f}"
    return f"{rater.failed} of {rater.spoiled} spoiled items failed, kappa of {rater.repeated} repeated ones {value}"


def _rater(name: str, own: Sequence[JudgedItem], unjudged: Mapping[str, int], options: RankingOptions) -> Rater:
    first = {one.item.id: one for one in own if one.ranks}
    spoiled = [one for one in first.values() if one.item.spoiled]
    failed = sum(
        any(one.by_system[one.item.spoiled] <= rank for name, rank in one.by_system.items() if name != one.item.spoiled)
        for one in spoiled
    )
    again = [one for one in first.values() if one.item.repeats in first]
    verdicts = [(first[one.item.repeats].verdicts, one.verdicts) for one in again]
    pairs = [(before[pair], after[pair]) for before, after in verdicts for pair in after]
    within = number_of(_kappa(pairs))
    steady = within is None or within >= options.least_kappa
    passed = bool(own) and failed <= options.failed * len(spoiled) and steady
    return Rater(
        name=name,
        items=len(own),
        unjudged=unjudged.get(name, 0),
        spoiled=len(spoiled),
        failed=failed,
        repeated=len(again),
        kappa=within,
        counted=passed,
    )


def _kappa(pairs: Sequence[tuple[int, int]]) -> float:
    first, second = [one for one, _ in pairs], [other for _, other in pairs]
    return kappa(rater_table(first, second, _BETTER)).value


def _place(item: Item) -> tuple[str, int]:
    return item.document, item.start


def _agreements(group: Sequence[JudgedItem]) -> list[RaterAgreement]:
    """Return kappa of every two raters of a criterion and level who judged the same items."""
    by_rater = defaultdict[str, dict[tuple[str, int], JudgedItem]](dict)
    for one in group:
        by_rater[one.item.rater][_place(one.item)] = one
    found = list[RaterAgreement]()
    for one, two in combinations(sorted(by_rater), 2):
        both = [(by_rater[one][at].verdicts, by_rater[two][at].verdicts) for at in by_rater[one] if at in by_rater[two]]
        pairs = [(first[pair], second[pair]) for first, second in both for pair in first if pair in second]
        if pairs:
            criterion, level = group[0].item.criterion, group[0].item.level
            names = {"criterion": criterion, "level": level, "first": one, "second": two}
            found.append(
                RaterAgreement.model_validate({**names, "kappa": number_of(_kappa(pairs)), "verdicts": len(pairs)})
            )
    return found


def _points(one: JudgedItem, system: str) -> tuple[int, int, int]:
    """Return how many other outputs of an item a system's is better than, as good as, and worse than."""
    own, ranks = one.by_system[system], [rank for name, rank in one.by_system.items() if name != system]
    return sum(own < rank for rank in ranks), sum(own == rank for rank in ranks), sum(own > rank for rank in ranks)


def _counts(group: Sequence[JudgedItem], systems: Sequence[str]) -> FloatArray:
    """Return wins, ties and losses, (systems, items, 3)."""
    nothing = (0, 0, 0)
    return np.array(
        [[_points(one, system) if system in one.item.order else nothing for one in group] for system in systems],
        dtype=np.float64,
    )


def _ranking(
    groups: Mapping[tuple[str, Literal["seg", "doc"]], Sequence[JudgedItem]], key: Key, options: RankingOptions
) -> tuple[list[Ranked], list[RankDifference], list[str]]:
    counts = [_counts(group, key.systems) for group in groups.values()]
    tables, warnings = list[Table[str]](), list[str]()
    for ((criterion, level), group), counted in zip(groups.items(), counts, strict=True):
        statistics = np.stack((counted[..., 0] + counted[..., 1] / 2, counted.sum(axis=-1)), axis=-1)
        values = percentage(statistics.sum(axis=1))
        best = find_baseline(options.baseline, key.systems, values)
        units = choose_units([one.item.document for one in group], options.units)
        warnings += [f"{kind_named(criterion, level)}: {each}" for each in units.warnings if options.resamples]
        score = in_a_column(percentage)
        tables.append(Table(columns=["wins"], statistics=statistics, score=score, units=units, baseline=best))
    scores, differences = list[Ranked](), list[RankDifference]()
    for place, compared in enumerate(compare(tables, options, two_sided=True)):
        criterion, level = list(groups)[place]
        baseline = compared.baseline(0)
        for at, system in enumerate(key.systems):
            wins, ties, losses = counts[place][at].sum(axis=0).astype(int).tolist()
            judged = int((counts[place][at].sum(axis=-1) > 0).sum())
            named = {"criterion": criterion, "level": level, "system": system}
            shares = {"wins": wins, "ties": ties, "losses": losses, "items": judged}
            scores.append(Ranked.model_validate({**named, **shares, **compared.figure(at, 0)}))
            if at != baseline and (against := compared.difference(at, 0)):
                fields = {**named, **against, "baseline": key.systems[baseline]}
                differences.append(RankDifference.model_validate(fields))
    return scores, differences, warnings


def kind_named(criterion: str, level: str) -> str:
    """Return what was judged, as warnings and conclusions name it: ``adequacy of segments``."""
    return f"{criterion} of {'segments' if level == 'seg' else 'documents'}"


def _score_set(criterion: str, level: Literal["seg", "doc"], group: Sequence[JudgedItem], key: Key) -> ScoreSet:
    """Return the mean share of comparisons won by each output, in the order of the corpus, or of its blocks."""
    documents = documents_of_key(key)
    names = documents.ids if level == "seg" else documents.blocks(key.block).names
    first = dict[str, int]()
    for at, name in enumerate(documents.ids if level == "seg" else (one.rpartition("#")[0] for one in names)):
        first.setdefault(name, at)
    sums, counts = (np.zeros((len(key.systems), len(names))) for _ in range(2))
    for one, counted in zip(group, _counts(group, key.systems).transpose(1, 0, 2), strict=True):
        at = first[one.item.document] + (one.item.start if level == "seg" else one.item.start // key.block)
        sums[:, at] += counted[:, 0] + counted[:, 1] / 2
        counts[:, at] += counted.sum(axis=-1)
    values = np.divide(100 * sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    levels: dict[Level, Scores] = {level: Scores(level, key.systems, values)}
    return ScoreSet(criterion if level == "seg" else f"{criterion}-blocks", levels)


def documents_of_key(key: Key) -> Documents:
    """Return which document each segment of the corpus is of that sheets were made of."""
    return Documents(tuple(name for name, count in key.documents.items() for _ in range(count)))


def _errors(judged: Sequence[JudgedItem], key: Key) -> list[ErrorCount]:
    """Return outputs by error and system; outputs for which nobody ticked anything do not count."""
    found = {name: list[Sequence[str]]() for name in key.systems}
    for one in judged:
        for system, errors in zip(one.item.order, one.errors, strict=True):
            found[system] += [errors] if errors else []
    return count_errors(found)


def count_errors(found: Mapping[str, Sequence[Sequence[str]]]) -> list[ErrorCount]:
    """Return outputs by error, of system → errors of each output; an error counts for what its path begins with too."""
    counts = Counter[tuple[str, str]]()
    for system, outputs in found.items():
        for errors in outputs:
            parts = (error.split("/") for error in errors)
            counts.update({(system, "/".join(path[: length + 1])) for path in parts for length in range(len(path))})
    known = {"/".join(path[: length + 1]) for path in map(_split, error_scheme()) for length in range(len(path))}
    order = ["none", "sentence", *sorted(known - {"none", "sentence"})]
    return [
        ErrorCount(system=system, error=path, outputs=counts[system, path], judged=len(outputs))
        for system, outputs in found.items()
        for path in order
    ]


def _split(path: str) -> list[str]:
    return path.split("/")
