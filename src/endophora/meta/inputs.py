"""What people judged, read from any of its forms: MQM annotations, score files, a test set's directory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.corpus.codes import parse_languages
from endophora.corpus.meaning import Text, another_language, language_name
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.evaluation.setup import Setup
from endophora.meta.extraction import Judgements, in_blocks, judge, mqm_corpus
from endophora.meta.layout import Documents, find_human, find_metrics, parse_metric_name, read_documents
from endophora.meta.mqm import Annotation, load_weights, read_mqm
from endophora.meta.scoring import Scored, complete, read_scored, score_corpus


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """What people judged."""

    scores: Scored
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
) -> People:
    """Read human scores.

    Args:
        path: MQM annotations (``.tsv``), a score file, whose sisters of other levels are read too, or a test set's
            directory.
        pair: languages, as ``zh-en``; a directory, and a corpus of annotations, need it.
        name: of the human scores in a directory, as ``mqm``; needed if there are several.
        documents: file of the documents of the whole test set; a directory's own by default. Annotations know their
            own, and with this file their scores are put in their places among those of the whole test set.
        block: cut documents into blocks of so many segments; 0 leaves them whole.

    Raises: InputError: a file is faulty, or there are none of this name (E117).
    """
    if ".tsv" in path.suffixes:
        return _read_annotations(path, pair, documents, weights, references, block)
    own = path / "documents" / f"{pair}.docs"
    given = read_documents(documents or own) if documents is not None or own.is_file() else None
    given = given.blocks(block) if given is not None and block else given
    files = find_human(path, pair, name)
    stem = parse_metric_name(next(iter(files.values()))).name
    scored = read_scored(stem.removeprefix(f"{pair}."), files, given)
    return People(scored, given, origin=f"block:{block}" if block else "", warnings=_doubt_name(stem, pair, str(path)))


def score_people(
    people: People, metrics: Iterable[str], setup: Setup | None = None, *, halves: bool = False
) -> list[Scored]:
    """Score the texts that were judged with metrics.

    Raises: InputError: the texts are not known, or not of all segments (E127), or a metric is unknown (E090).
    """
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


def read_metrics(paths: Iterable[Path], pair: str, documents: Documents | None) -> list[Scored]:
    """Read metric scores from files and directories, as :func:`~endophora.meta.layout.find_metrics` finds them.

    Raises: InputError: a file is faulty, or there is none (E117).
    """
    return [read_scored(name, files, documents) for path in paths for name, files in find_metrics(path, pair).items()]


def _read_annotations(
    path: Path, pair: str, documents: Path | str | None, weights: str, references: Sequence[str], block: int
) -> People:
    annotations = read_mqm(path)
    judgements = judge(annotations, load_weights(weights), str(path))
    given = judgements.documents if documents is None else read_documents(documents)
    corpus = None
    if references:
        corpus = mqm_corpus(annotations, parse_languages(pair), references, str(path))
        corpus = in_blocks(corpus, block) if block else corpus
    given = given.blocks(block) if block else given
    scores = judgements.scores() if documents is None else judgements.spread(len(given.ids))
    origin = f"weights:{Path(weights).name}" + (f"|block:{block}" if block else "")
    doubts = _doubt_texts(annotations, pair, str(path))
    return People(complete(Scored("mqm", {"seg": scores}), given), given, judgements, corpus, origin, doubts)


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
    sources = dict.fromkeys(one.source for one in annotations)
    targets = dict.fromkeys(one.target for one in annotations)
    texts = (
        Text("source", "", languages[0], file, [*sources]),
        Text("system", "", languages[1], file, [*targets]),
    )
    likes = [like for text in texts if (like := another_language(text, languages))]
    if not likes:
        return ()
    cause = f"the texts that people judged read like {' and '.join(map(language_name, likes))}, and {pair} was named"
    return (str(Fault("E388", cause, "check --human and --languages", file)),)
