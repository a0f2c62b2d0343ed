"""Human scores beside an evaluation: matched to its systems, documents and segments, and how its columns agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.evaluation.evaluate import Evaluation
from endophora.evaluation.paired import paired_of_result
from endophora.evaluation.result import Agreement, Column, Human, HumanScore, Settings
from endophora.evaluation.tables import MetricTable
from endophora.meta.extraction import documents_of
from endophora.meta.inputs import People
from endophora.meta.layout import Documents
from endophora.meta.scores import Level, Scores
from endophora.meta.scoring import Scored, complete, scored_columns
from endophora.record import Interval
from endophora.signature import write_signature
from endophora.statistics.coefficients import Coefficient
from endophora.statistics.correlation import correlate
from endophora.statistics.units import Units, choose_units, each_row

LEVELS: Mapping[Level, str] = {"seg": "segment", "doc": "document", "sys": "system"}
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")

FEWEST = 3
"""Two pairs of scores always correlate by 1 or −1."""
RANKED = 1 << 14
"""With more scores Kendall's τ has no interval: a resample looks at all pairs."""
_LISTED = 5

Places = dict[int, int]
"""Of a segment (or document) of the corpus → of the people's."""


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """Human scores of a corpus.

    Attributes:
        scores: of the corpus's systems and segments, in its order; NaN where people judged nothing.
    """

    scores: Scored
    documents: Documents
    origin: str
    warnings: tuple[str, ...]


def match_people(people: People, corpus: Corpus) -> Matched:
    """Match human scores to the systems, documents and segments of a corpus.

    Systems and documents are matched by name, and a document's segments in their order. Where people judged only some
    segments of a document, MQM annotations must number the segments through the corpus. Scores without documents are
    taken in order, and must be as many.

    Raises:
        InputError: with all faults: people scored none of the systems (E126), or the segments or documents do not match
            (E128).
    """
    documents = documents_of(corpus)
    faults: list[Fault] = []
    warnings = [*people.warnings, *_systems(people.scores, corpus.systems, faults)]
    levels: dict[Level, Scores] = {}
    for level, scores in people.scores.levels.items():
        if level in people.scores.means or level == "domain":
            continue
        values = scores.of(corpus.systems)
        if level != "sys":
            size = len(documents.ids if level == "seg" else documents.names)
            places = _places(level, people, values.shape[1], documents, warnings, faults)
            placed = np.full((len(corpus.systems), size), np.nan)
            placed[:, list(places)] = values[:, list(places.values())]
            values = placed
        levels[level] = Scores(level, corpus.systems, values)
    if faults:
        raise InputError(faults)
    if "seg" in levels:
        judged, total = int(np.count_nonzero(~np.isnan(levels["seg"].values))), levels["seg"].values.size
        if judged < total:
            warnings.append(f"people judged {judged:,} of {total:,} outputs; documents and systems are means of these")
    scores = complete(Scored(people.scores.name or "human", levels), documents)
    return Matched(scores, documents, people.origin, tuple(dict.fromkeys(warnings)))


def with_people(done: Evaluation, matched: Matched) -> Evaluation:
    """Return an evaluation with human scores in its result, and how every column agrees with them.

    Columns are taken in their own direction, people's scores with higher as better: an error rate that agrees has
    negative coefficients. Intervals are as those of :func:`~endophora.meta.evaluate.meta_evaluate`: below system level
    documents are drawn (or segments, as the settings say), at system level systems.
    """
    result, scores = done.result, matched.scores
    systems = result.corpus.systems
    said = _human_scores(matched, systems)
    valued = [one for one in said if one.value is not None]
    order = [one.system for one in sorted(valued, key=lambda one: one.value or 0.0)]
    warnings = [*result.warnings, *matched.warnings]
    if len(order) < FEWEST:
        warnings.append(f"people scored {len(order)} of the systems: too few for a correlation at system level")
    origin = f"{scores.name}|{matched.origin}" if matched.origin else scores.name
    changed = {
        "human": Human(
            name=scores.name,
            higher_is_better=True,
            scores=said,
            agreements=_agreements(done.measured, systems, matched, result.settings),
        ),
        "paired": paired_of_result(result.columns, result.scores, order, result.settings.confidence),
        "signature": f"{result.signature}|{write_signature([('human', origin)])}",
        "warnings": warnings,
    }
    return replace(done, result=result.model_copy(update=changed))


def _systems(human: Scored, systems: Sequence[str], faults: list[Fault]) -> list[str]:
    """Return warnings about systems that only one side has; a fault if none is shared (E126)."""
    of_people = dict.fromkeys(name for scores in human.levels.values() for name in scores.systems)
    if not set(of_people) & set(systems):
        cause = f"people scored none of the systems {', '.join(systems)}" if systems else "there is no system to score"
        faults.append(Fault("E126", cause, f"they scored {', '.join(of_people)}: names must be the same", "--human"))
        return []
    warnings: list[str] = []
    if lost := [name for name in systems if name not in of_people]:
        warnings.append(f"without human scores: {', '.join(lost)}")
    if lost := [name for name in of_people if name not in systems]:
        warnings.append(f"people scored what is no system here: {', '.join(lost)}")
    return warnings


def _places(
    level: Level, people: People, count: int, documents: Documents, warnings: list[str], faults: list[Fault]
) -> Places:
    """Return where the items of a level stand among the people's; faults where they do not match (E128)."""
    ids = documents.ids if level == "seg" else documents.names
    items = f"{LEVELS[level]}s"
    known = people.documents
    if known is None:
        if count != len(ids):
            cause = f"people scored {count:,} {items}, and the corpus has {len(ids):,}"
            faults.append(Fault("E128", cause, "give scores of the whole corpus, None where there is none", "--human"))
        return {place: place for place in range(min(count, len(ids)))}
    theirs = _grouped(known.ids if level == "seg" else known.names)
    ours = _grouped(ids)
    shared = [name for name in ours if name in theirs]
    if not shared:
        cause = f"people judged none of the documents {_listed(list(ours))}"
        advice = f"they judged {_listed(list(theirs))}: ids must be the same"
        faults.append(Fault("E128", cause, advice, "--human"))
        return {}
    if lost := [name for name in ours if name not in theirs]:
        warnings.append(f"documents without human scores: {_listed(lost)}")
    if lost := [name for name in theirs if name not in ours]:
        warnings.append(f"people judged documents that are not here: {_listed(lost)}")
    unequal = [name for name in shared if len(ours[name]) != len(theirs[name])]
    if unequal and (numbered := _by_number(people, ids, shared)):
        return numbered
    for name in unequal:
        cause = (
            f"people judged {len(theirs[name]):,} {items} of document “{name}”, and the corpus has {len(ours[name]):,}"
        )
        faults.append(Fault("E128", cause, "give the scores of all of them, None where there is none", "--human"))
    return {
        place: other
        for name in shared
        for place, other in zip(ours[name], theirs[name], strict=False)  # unequal ones are faults
    }


def _by_number(people: People, ids: Sequence[str], shared: Sequence[str]) -> Places:
    """Return the places by the segments' numbers in the test set; nothing if they are not those of the corpus.

    Numbers without a gap may be the file's own counting, which says nothing of what was left out.
    """
    if people.judgements is None or people.documents is None:
        return {}
    numbers, theirs = people.judgements.positions, people.documents.ids
    if len(numbers) != len(theirs) or list(numbers) == list(range(1, len(numbers) + 1)):
        return {}
    places = {number - 1: index for index, number in enumerate(numbers) if theirs[index] in shared}
    fits = all(0 <= place < len(ids) and ids[place] == theirs[index] for place, index in places.items())
    return places if fits else {}


def _grouped(ids: Sequence[str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for place, name in enumerate(ids):
        groups.setdefault(name, []).append(place)
    return groups


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    return ", ".join(names[:_LISTED]) + more


def _human_scores(matched: Matched, systems: Sequence[str]) -> list[HumanScore]:
    levels = matched.scores.levels
    blank = np.full((len(systems), len(matched.documents.names)), np.nan)
    whole = levels["sys"].of(systems)[:, 0].tolist() if "sys" in levels else [np.nan] * len(systems)
    documents = (levels["doc"].of(systems) if "doc" in levels else blank).tolist()
    return [
        HumanScore(system=system, value=_number(value), documents=[_number(one) for one in row])
        for system, value, row in zip(systems, whole, documents, strict=True)
    ]


def _agreements(
    measured: Sequence[MetricTable], systems: Sequence[str], matched: Matched, settings: Settings
) -> list[Agreement]:
    scored = [pair for entry in measured for pair in scored_columns(entry, systems, matched.documents)]
    return [
        agreement
        for level in LEVELS
        if level in matched.scores.levels
        for agreement in _at_level(
            level, [pair for pair in scored if level in pair[1].levels], systems, matched, settings
        )
    ]


def _at_level(
    level: Level,
    scored: Sequence[tuple[Column, Scored]],
    systems: Sequence[str],
    matched: Matched,
    settings: Settings,
) -> list[Agreement]:
    """Return the agreements of all columns at one level."""
    if not scored:
        return []
    people = matched.scores.levels[level].of(systems)
    metrics = np.stack([one.levels[level].of(systems) for _, one in scored])
    made: list[Agreement] = []
    for coefficient in COEFFICIENTS:
        slow = coefficient == "kendall" and people.size > RANKED
        found = correlate(
            metrics,
            people,
            coefficient=coefficient,
            units=_units(level, matched.documents, settings),
            drawn="systems" if level == "sys" else "items",
            resamples=0 if slow else settings.resamples,
            confidence=settings.confidence,
            seed=settings.seed,
        )
        for index, (column, _) in enumerate(scored):
            enough = found.counts[index] >= FEWEST
            low, high = float(found.low[index]), float(found.high[index])
            made.append(
                Agreement.model_validate(
                    {
                        "column": column.name,
                        "level": LEVELS[level],
                        "coefficient": coefficient,
                        "value": _number(float(found.values[index])) if enough else None,
                        "interval": Interval(low=low, high=high) if enough and not np.isnan(low + high) else None,
                        "pairs": int(found.counts[index]),
                    }
                )
            )
    return made


def _units(level: Level, documents: Documents, settings: Settings) -> Units | None:
    if level == "sys":
        return None
    return (
        each_row(len(documents.names), "documents") if level == "doc" else choose_units(documents.ids, settings.units)
    )


def _number(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
