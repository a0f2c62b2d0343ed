"""What people judged: read from any of its forms, matched to a corpus, and scored by metrics."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from endophora.corpus.codes import parse_languages
from endophora.corpus.meaning import Text, another_language, language_name
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError, first_line, refuse
from endophora.evaluation.columns import measure
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.levels import (
    LEVELS,
    Documents,
    HumanScores,
    Level,
    Scores,
    ScoreSet,
    column_scores,
    documents_of,
)
from endophora.evaluation.result import Result
from endophora.evaluation.setup import Setup
from endophora.meta.mqm import Annotation, Judgements, errors_of, in_blocks, judge, load_weights, mqm_corpus, read_mqm
from endophora.meta.score_files import find_human, find_metrics, parse_metric_name, read_documents, read_scored
from endophora.statistics.units import FloatArray

_LISTED = 5

Places = dict[int, int]
"""Of a segment (or document) of the corpus → of the people's."""


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """What people judged."""

    scores: ScoreSet
    documents: Documents | None
    judgements: Judgements | None = None
    corpus: Corpus | None = None
    origin: str = ""
    warnings: tuple[str, ...] = ()


def read_people(
    path: Path,
    pair: str = "",
    *,
    name: str = "",
    documents: Path | str | None = None,
    weights: str = "google",
    references: Sequence[str] = (),
    block: int = 0,
    categories: Sequence[str] = (),
) -> People:
    """Read human scores: MQM annotations (``.tsv``), a score file with its sisters, or a test set's directory.

    A directory, and a corpus of annotations, need the pair of languages, as ``zh-en``. ``documents`` names the file of
    the documents of the whole test set, a directory's own by default; annotations know their own, and are with this
    file put in their places among them. ``block`` cuts documents into blocks of so many segments. With
    ``categories``, as ``Terminology`` or ``Fluency/Register``, only errors of these count.
    """
    if ".tsv" in path.suffixes:
        return _read_annotations(path, pair, documents, weights, references, block, categories)
    if categories:
        cause = "only errors of MQM annotations have categories"
        raise InputError(Fault("E120", cause, "give --human FILE.tsv, or no --category", str(path)))
    own = path / "documents" / f"{pair}.docs"
    given = read_documents(documents or own) if documents is not None or own.is_file() else None
    given = given.blocks(block) if given is not None and block else given
    files = find_human(path, pair, name)
    stem, _ = parse_metric_name(next(iter(files.values())))
    scored = read_scored(stem.removeprefix(f"{pair}."), files, given)
    return People(scored, given, origin=f"block:{block}" if block else "", warnings=_doubt_name(stem, pair, str(path)))


def score_people(
    people: People, metrics: Iterable[str], setup: Setup | None = None, *, halves: bool = False
) -> list[ScoreSet]:
    """Score the texts that were judged with metrics."""
    names = list(metrics)
    if not names:
        return []
    if people.corpus is None or people.documents is None:
        advice = "give --human FILE.tsv, --reference NAME and --languages"
        raise InputError(Fault("E127", "there are no texts to score", advice, "--score"))
    if len(people.documents.ids) != len(people.corpus):
        advice = "leave --documents out, or score the whole test set and give --metrics"
        raise InputError(Fault("E127", "only a part of the test set has texts here", advice, "--score"))
    return score_corpus(names, people.corpus, setup=setup, halves=halves)


def read_metrics(paths: Iterable[Path], pair: str, documents: Documents | None) -> list[ScoreSet]:
    """Read metric scores: the result of an evaluation (``result.json``, or its directory), or score files.

    Files are found as :func:`~endophora.meta.score_files.find_metrics` does. A column of a second evaluation has the
    name of its directory behind where the first has one of that name.
    """
    found: list[ScoreSet] = []
    for path in paths:
        result = path / "result.json" if path.is_dir() else path
        if result.suffix == ".json" and result.is_file():
            taken = {one.name for one in found}
            named = ((one, f"{one.name} ({result.resolve().parent.name})") for one in _read_result(result, documents))
            found += [replace(one, name=name) if one.name in taken else one for one, name in named]
        else:
            found += [read_scored(name, files, documents) for name, files in find_metrics(path, pair).items()]
    return found


def _read_result(path: Path, documents: Documents | None) -> list[ScoreSet]:
    """Return the columns of an evaluation, not those of categories; error rates have their sign turned."""
    try:
        result = Result.read(path)
    except (ValidationError, OSError) as error:
        cause = f"no result of an evaluation ({first_line(error)})"
        raise InputError(Fault("E117", cause, "name a directory that endophora evaluate wrote", str(path))) from error
    ids, systems = [document.id for document in result.corpus.documents], tuple(result.corpus.systems)
    names = ids if documents is None else list(documents.names)
    if set(names) != set(ids):
        cause = f"the evaluation has the documents {_listed(ids)}, and people judged {_listed(names)}"
        raise InputError(Fault("E128", cause, "evaluate the documents that people judged", str(path)))
    order, made = [ids.index(name) for name in names], list[ScoreSet]()
    for column in (one for one in result.columns if one.kind != "category"):
        scores = [result.score(column.name, system) for system in systems]
        whole = np.array([[np.nan if one.value is None else one.value] for one in scores])
        each = np.array([[np.nan if one is None else one for one in score.documents] for score in scores])
        levels: dict[Level, Scores] = {
            "doc": Scores("doc", systems, each[:, order]),
            "sys": Scores("sys", systems, whole),
        }
        score = ScoreSet(column.name, levels, signature=column.signature)
        made.append(score if column.higher_is_better else score.negated())
    return made


def _read_annotations(
    path: Path,
    pair: str,
    documents: Path | str | None,
    weights: str,
    references: Sequence[str],
    block: int,
    categories: Sequence[str],
) -> People:
    annotations, costs = read_mqm(path), load_weights(weights)
    judgements = judge(annotations, costs, str(path), categories)
    given = judgements.documents if documents is None else read_documents(documents)
    corpus = None
    if references:
        corpus = mqm_corpus(annotations, parse_languages(pair), references, str(path))
        corpus = in_blocks(corpus, block) if block else corpus
    given = given.blocks(block) if block else given
    scores = judgements.scores() if documents is None else judgements.spread(len(given.ids))
    origin = f"weights:{Path(weights).name}" + (f"|block:{block}" if block else "")
    doubts = _doubt_texts(annotations, pair, str(path))
    if categories:
        origin += f"|categories:{'+'.join(categories)}"
        counted, errors = errors_of(annotations, costs, categories)
        doubts += (f"of {errors:,} errors {counted:,} count: {', '.join(categories)}",)
    return People(ScoreSet("mqm", {"seg": scores}).complete(given), given, judgements, corpus, origin, doubts)


def _doubt_name(name: str, pair: str, file: str) -> tuple[str, ...]:
    """Return a doubt about a score file that names another pair than that of the command."""
    named = re.match(r"([a-z]{2})-([a-z]{2})\.", name)
    if not pair or named is None or named[0] == f"{pair}.":
        return ()
    cause = f"the scores are of {named[0][:-1]} by their name, and {pair} was named"
    return (str(Fault("E388", cause, "check --human and --languages", file)),)


def _doubt_texts(annotations: Sequence[Annotation], pair: str, file: str) -> tuple[str, ...]:
    """Return a doubt about annotations whose texts read like another pair than that of the command."""
    if not pair:
        return ()
    languages = parse_languages(pair)
    texts = (
        Text("source", "", languages[0], file, [*dict.fromkeys(one.source for one in annotations)]),
        Text("system", "", languages[1], file, [*dict.fromkeys(one.target for one in annotations)]),
    )
    likes = [like for text in texts if (like := another_language(text, languages))]
    if not likes:
        return ()
    cause = f"the texts that people judged read like {' and '.join(map(language_name, likes))}, and {pair} was named"
    return (str(Fault("E388", cause, "check --human and --languages", file)),)


def match_people(people: People, corpus: Corpus) -> HumanScores:
    """Match human scores to the systems, documents and segments of a corpus.

    Systems and documents are matched by name, and a document's segments in their order. Where people judged only some
    segments of a document, MQM annotations must number the segments through the corpus. Scores without documents are
    taken in order, and must be as many.
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
    refuse(faults)
    if "seg" in levels:
        judged, total = int(np.count_nonzero(~np.isnan(levels["seg"].values))), levels["seg"].values.size
        if judged < total:
            warnings.append(f"people judged {judged:,} of {total:,} outputs; documents and systems are means of these")
    scores = ScoreSet(people.scores.name or "human", levels).complete(documents)
    return HumanScores(scores, documents, people.origin, tuple(dict.fromkeys(warnings)))


def _systems(human: ScoreSet, systems: Sequence[str], faults: list[Fault]) -> list[str]:
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
    """Return the places by the segments' numbers in the test set; nothing if they are not those of the corpus."""
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


def score_corpus(
    metrics: Sequence[str],
    corpus: Corpus,
    setup: Setup | None = None,
    *,
    halves: bool = False,
) -> list[ScoreSet]:
    """Score all systems of a corpus with some metrics; a metric's categories are scores of their own.

    Where one metric is asked for with different arguments, its names have them behind: ``BlonDe (effective-order)``.
    With ``halves`` recall and precision of a metric that is an F-measure are scores too, not those of categories.
    """
    documents = documents_of(corpus)
    found = list(zip(metrics, measure(corpus, metrics, setup), strict=True))
    if halves:
        found = [(asked, part) for asked, measured in found for part in (measured, *_halves(measured))]
    names = [column.name for _, measured in found for column in measured.columns]
    scores: list[ScoreSet] = []
    for asked, measured in found:
        for column, scored in column_scores(measured, corpus.systems, documents):
            argument = asked.partition(":")[2]
            named = f"{column.name} ({argument})" if argument and names.count(column.name) > 1 else column.name
            scores.append(replace(scored if column.higher_is_better else scored.negated(), name=named))
    return scores


def _halves(measured: MetricTable) -> list[MetricTable]:
    """Return recall and precision of the first column, nothing of what is no F-measure."""
    if measured.halves(measured.statistics.sum(axis=1)) is None:
        return []

    def half(place: int, sums: FloatArray) -> FloatArray:
        both = measured.halves(sums)
        return np.full((*sums.shape[:-1], 1), np.nan) if both is None else both[place][..., :1]

    column = measured.columns[0]
    return [
        replace(
            measured, columns=(column.model_copy(update={"name": f"{column.name} {name}"}),), score=partial(half, place)
        )
        for name, place in (("recall", 1), ("precision", 0))
    ]
