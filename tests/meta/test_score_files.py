"""Score files: what is written is read back, what is wrong is reported with its line."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.evaluation.levels import Documents, Scores
from endophora.meta.score_files import (
    find_human,
    find_metrics,
    human_file,
    metric_file,
    parse_metric_name,
    read_documents,
    read_scores,
    write_documents,
    write_scores,
)

NAME = st.text(min_size=1, max_size=8).filter(lambda text: text.split() == [text] and "\0" not in text)
NUMBER = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.just(float("nan")))


@st.composite
def score_tables(draw: st.DrawFn) -> Scores:
    level = draw(st.sampled_from(["seg", "doc", "domain", "sys"]))
    systems = draw(st.lists(NAME, min_size=1, max_size=4, unique=True))
    domains = draw(st.lists(NAME, min_size=1, max_size=3, unique=True)) if level == "domain" else []
    items = 1 if level == "sys" else len(domains) or draw(st.integers(1, 4))
    rows = draw(
        st.lists(st.lists(NUMBER, min_size=items, max_size=items), min_size=len(systems), max_size=len(systems))
    )
    return Scores(level, tuple(systems), np.array(rows), tuple(domains))


def codes(call) -> list[tuple[str, int | None]]:
    try:
        call()
    except InputError as error:
        return [(fault.code, fault.line) for fault in error.faults]
    return []


@given(score_tables(), st.sampled_from(["x.score", "x.score.gz"]))
def test_what_is_written_is_read_back(scores: Scores, name: str):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / name
        write_scores(scores, path)
        read = read_scores(path, scores.level)
    assert (read.level, read.systems, read.domains) == (scores.level, scores.systems, scores.domains)
    assert np.array_equal(read.values, scores.values, equal_nan=True)


@given(st.binary(max_size=120), st.sampled_from(["seg", "doc", "domain", "sys"]))
def test_any_bytes_are_scores_or_coded_faults(data: bytes, level):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.score"
        path.write_bytes(data)
        found = codes(lambda: read_scores(path, level)) + codes(lambda: read_documents(path))
    assert all(code.startswith("E") for code, _ in found)


@pytest.mark.parametrize(
    ("text", "level", "expected"),
    [
        ("A\t1.0\nB 2\n", "sys", []),
        ("A  \t 1.0  \nB None\n", "sys", []),
        ("A\t1.0\nA\t2\n", "sys", [("E114", 2)]),
        (
            "A 1\nB x\n\nC 1 2\nD nan\nE inf\nF 1_0\nG 1e999\n",
            "sys",
            [("E112", line) for line in (2, 3, 4, 5, 6, 7, 8)],
        ),
        ("A 1\nA 2\nB 1\n", "seg", [("E113", 3)]),
        ("A 1\nA 2\nB 1\nC 1\nC 1\n", "seg", [("E113", 3)]),
        ("news A 1\nnews A 2\n", "domain", [("E114", 2)]),
        ("news A 1\ntalk A 2\ntalk B 1\nnews B 2\n", "domain", [("E113", 3)]),
        ("", "seg", [("E005", None)]),
    ],
)
def test_faults_of_a_file_are_told_together_with_their_lines(tmp_path, text, level, expected):
    path = tmp_path / "x.score"
    path.write_text(text)
    assert codes(lambda: read_scores(path, level)) == expected


def test_systems_may_take_turns(tmp_path):
    path = tmp_path / "x.score"
    path.write_text("A 1\nB 3\nA 2\nB None\n")
    read = read_scores(path, "seg")
    assert np.array_equal(read.of(["B", "A", "C"]), [[3, np.nan], [1, 2], [np.nan, np.nan]], equal_nan=True)


@pytest.mark.parametrize(("name", "value"), [("a b", 1.0), ("", 1.0), ("a", np.inf)])
def test_what_the_format_cannot_hold_is_refused(tmp_path, name, value):
    scores = Scores("sys", (name,), np.array([[value]]))
    assert codes(lambda: write_scores(scores, tmp_path / "x")) == [("E115", None)]


def test_names_of_files():
    assert parse_metric_name("metric-scores/en-de/COMET-22-refA.refB.seg.score") == ("COMET-22-refA.refB", "seg")
    assert parse_metric_name("QE-src.sys.score.gz") == ("QE-src", "sys")
    assert parse_metric_name("BLEU.doc.score") == ("BLEU", "doc")
    assert metric_file("en-de", "BLEU", ["refA"], "seg") == Path("metric-scores/en-de/BLEU-refA.seg.score")
    assert metric_file("en-de", "QE", [], "sys") == Path("metric-scores/en-de/QE-src.sys.score")
    assert human_file("en-de", "mqm", "doc") == Path("human-scores/en-de.mqm.doc.score")
    assert codes(lambda: parse_metric_name("BLEU.txt")) == [("E116", None)]
    assert codes(lambda: metric_file("en-de", "BLEU", ["ref-A"], "seg")) == [("E116", None)]


def test_what_lies_in_a_test_set(tmp_path):
    files = [
        human_file("en-de", "mqm", "seg"),
        human_file("en-de", "mqm", "sys"),
        human_file("en-de", "wmt-z", "seg"),
        metric_file("en-de", "BLEU", ["refA"], "seg"),
        metric_file("en-de", "BLEU", ["refA"], "sys"),
        metric_file("en-fr", "TER", ["refA"], "sys"),
    ]
    for file in files:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("A 1\n")
    assert {name: set(levels) for name, levels in find_metrics(tmp_path, "en-de").items()} == {
        "BLEU-refA": {"seg", "sys"}
    }
    assert set(find_human(tmp_path, "en-de", "mqm")) == {"seg", "sys"}
    assert set(find_human(tmp_path / files[0], "en-de")) == {"seg", "sys"}
    assert codes(lambda: find_human(tmp_path, "en-de")) == [("E117", None)]
    assert codes(lambda: find_human(tmp_path, "en-fr")) == [("E117", None)]
    assert codes(lambda: find_metrics(tmp_path / "documents")) == [("E117", None)]


@given(st.lists(NAME.filter(lambda name: not name.lower().startswith("canary")), min_size=1, max_size=5, unique=True))
def test_documents_are_read_back(names):
    ids = tuple(name for name in names for _ in range(2))
    with tempfile.TemporaryDirectory() as directory:
        path = write_documents(Path(directory), "en-de", Documents(ids))
        read = read_documents(path)
    assert read.ids == ids
    assert read.domains == ("all",) * len(ids)
    assert read.names == tuple(names)


def test_faults_of_documents(tmp_path):
    path = tmp_path / "x.docs"
    path.write_text("canary x\nnews a\nnews b\nnews\nnews a\n")
    assert codes(lambda: read_documents(path)) == [("E112", 4), ("E013", 5)]


def test_blocks_end_with_their_document():
    documents = Documents(("a",) * 5 + ("b",) * 2)
    assert documents.blocks(2).ids == ("a#1", "a#1", "a#2", "a#2", "a#3", "b#1", "b#1")
