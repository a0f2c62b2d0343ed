"""Streams: what is written is read, in constant memory, and every fault is reported with its file and line."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.corpus.faults import FaultLog
from endophora.corpus.formats import FORMATS, open_parallel, open_stream
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.streams import DocumentStream, ReadOptions, Row, TableColumns
from endophora.errors import InputError

NASTY = st.sampled_from("\r\x0b\x0c\x1c\x85\u2028\ufeff\u200b\u00a0\"'\\,{}\U0001f600e\u0301א")
CHARACTER = st.one_of(NASTY, st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n"))
FILLED = st.text(CHARACTER, min_size=1, max_size=8).filter(lambda text: text.strip() and not text.endswith("\r"))
PAIRS = st.lists(st.tuples(FILLED, FILLED), min_size=1, max_size=4)
DOCUMENTS = st.lists(st.tuples(FILLED, PAIRS), min_size=1, max_size=4, unique_by=lambda pair: pair[0])
Plain = list[tuple[str, list[tuple[str, str]]]]
OPTIONS = ReadOptions(languages=("en", "de"))
NUMBERED = ReadOptions(languages=("en", "de"), columns=TableColumns("1", "2", "3"))


def content(stream: DocumentStream) -> Plain:
    return [(d.id, [(s.source, s.references["reference"]) for s in d.segments]) for d in stream]


def flat(documents: Plain) -> list[tuple[str, str, str]]:
    return [(name, *pair) for name, pairs in documents for pair in pairs]


def corpus(documents: Plain) -> Corpus:
    made = tuple(
        Document(name, tuple(Segment(one, {"ref": two}, {}, Location("", 0)) for one, two in pairs))
        for name, pairs in documents
    )
    return Corpus("en", "de", made, ("ref",), ())


def write(path: Path, lines: list[str]) -> Path:
    body = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(body) if path.name.endswith(".gz") else body)
    return path


@given(DOCUMENTS, st.sampled_from(["x.tsv", "x.tsv.gz", "x.jsonl", "x.jsonl.gz"]))
def test_what_our_writers_write_is_read_as_a_stream(documents: Plain, name: str):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / name
        FORMATS.get(name.split(".")[1]).write(corpus(documents), path)
        assert content(open_stream([path], OPTIONS)) == documents


@given(DOCUMENTS, st.integers(1, 3), st.booleans())
def test_parquet_is_read_in_row_groups_and_parts(documents: Plain, group: int, parts: bool):
    rows = flat(documents)
    with tempfile.TemporaryDirectory() as directory:
        cuts = [rows[: len(rows) // 2], rows[len(rows) // 2 :]] if parts else [rows]
        for number, cut in enumerate(cuts):
            names = ("document", "source", "target")
            table = pa.table({name: pa.array([row[n] for row in cut], pa.string()) for n, name in enumerate(names)})
            pq.write_table(table, Path(directory) / f"{number}.parquet", row_group_size=group)
        assert content(open_stream([directory], OPTIONS)) == documents


@given(DOCUMENTS)
def test_three_parallel_files_are_read(documents: Plain):
    with tempfile.TemporaryDirectory() as directory:
        rows = flat(documents)
        columns = [write(Path(directory) / f"{n}.gz", [row[n] for row in rows]) for n in range(3)]
        assert content(open_parallel(columns[1], columns[2], columns[0])) == documents


@given(st.binary(max_size=120), st.sampled_from(["tsv", "jsonl", "parquet", "opus"]), st.booleans())
def test_any_bytes_are_read_or_are_a_coded_error(data: bytes, form: str, skip: bool):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x"
        path.write_bytes(data)
        for options in (OPTIONS, NUMBERED) if form == "tsv" else (OPTIONS,):
            found = codes(open_stream([path], options, form, skip_faults=skip))
            assert all(code < "E030" or code in ("E200", "E201", "E203") for code in found)


def codes(stream: DocumentStream) -> set[str]:
    try:
        list(stream)
    except InputError as error:
        return {fault.code for fault in error.faults}
    return set()


def endless(log: FaultLog) -> Iterator[Row]:
    number = 0
    while True:
        yield Row(f"d{number // 10}", "a", {"ref": "b"}, {}, "endless", number + 1)
        number += 1


def test_documents_come_before_the_input_ends():
    assert [len(document.segments) for document in islice(DocumentStream(endless), 5)] == [10] * 5


def faults(stream: DocumentStream) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as error:
        list(stream)
    return [(fault.code, fault.line) for fault in error.value.faults]


BAD = ["d1\ta\tb", "d1\t\tb", "d1\ta", "\ta\tb", "d2\tx\t ", "d1\tc\td", "d2\ta\tb"]


def test_all_faults_are_told_and_nothing_is_yielded_after_the_first(tmp_path: Path):
    stream = open_stream([write(tmp_path / "x.tsv", BAD)], NUMBERED)
    found = [("E009", 2), ("E017", 3), ("E023", 4), ("E010", 5), ("E013", 6), ("E013", 7)]
    assert faults(stream) == found
    seen: list[str] = []
    with pytest.raises(InputError):
        seen.extend(document.id for document in stream)
    assert seen == []


def test_faults_are_skipped_and_counted_if_that_is_wanted(tmp_path: Path):
    stream = open_stream([write(tmp_path / "x.tsv", ["d0\ta\tb", *BAD, "d1\tq\tq"])], NUMBERED, skip_faults=True)
    assert content(stream) == [("d0", [("a", "b")]), ("d1", [("a", "b"), ("c", "d")]), ("d2", [("a", "b")])]
    assert stream.census.skipped == {"E009": 1, "E017": 1, "E023": 1, "E010": 1, "E013": 1}
    assert [fault.line for fault in stream.census.faults] == [3, 4, 5, 6, 9]


def test_a_file_that_cannot_be_read_is_never_skipped(tmp_path: Path):
    path = write(tmp_path / "x.tsv.gz", ["d0\ta\tb"] * 3_000)
    path.write_bytes(path.read_bytes()[:-20])
    assert faults(open_stream([path], NUMBERED, skip_faults=True))[0][0] == "E004"
    assert faults(open_stream([tmp_path / "none.tsv"], OPTIONS, skip_faults=True)) == [("E001", None)]


def test_files_of_different_length_are_told_with_all_lengths(tmp_path: Path):
    paths = [write(tmp_path / name, ["a"] * count) for name, count in (("s", 3), ("t", 5), ("d", 3))]
    with pytest.raises(InputError, match=r"E008.*t – 5 lines, but 3 in .*s, .*d"):
        list(open_parallel(*paths, skip_faults=True))


def test_a_document_may_go_on_in_the_next_file(tmp_path: Path):
    paths = [write(tmp_path / f"{n}.tsv", [f"d{n}\ta\tb", f"d{n + 1}\tc\td"]) for n in (1, 2)]
    assert [(name, len(pairs)) for name, pairs in content(open_stream(paths, NUMBERED))] == [
        ("d1", 1),
        ("d2", 2),
        ("d3", 1),
    ]


def test_a_folder_of_files_is_read_as_one_file_with_the_same_documents(tmp_path: Path):
    documents = [(f"d{number}", [(f"one {number}", f"eins {number}"), ("two", "zwei")]) for number in range(12)]
    tmx = FORMATS.get("tmx").write
    tmx(corpus(documents), tmp_path / "whole.tmx")
    (tmp_path / "many").mkdir()
    for number, document in enumerate(documents):
        tmx(corpus([document]), tmp_path / "many" / f"{number:02}.tmx")
    options = ReadOptions(languages=("en", "de"))
    found = [
        [(d.id, [(s.source, dict(s.references)) for s in d.segments]) for d in open_stream([tmp_path / name], options)]
        for name in ("whole.tmx", "many")
    ]
    assert found[0] == found[1]
    assert [name for name, _ in found[0]] == [name for name, _ in documents]


def test_columns_are_named_or_numbered(tmp_path: Path):
    lines = ["film\tnumber\ten\tzh", "f\t1\ta\tb"]
    options = ReadOptions(languages=("en", "zh"), columns=TableColumns("film", "en", "zh"))
    expected = [("f", [("a", "b")])]
    assert content(open_stream([write(tmp_path / "x.tsv", lines)], options)) == expected
    numbers = ReadOptions(languages=("en", "zh"), columns=TableColumns("1", "3", "4"))
    assert content(open_stream([write(tmp_path / "y.tsv", lines[1:])], numbers)) == expected
    with pytest.raises(InputError, match=r"E016.*no column “source”; there are: film, number, en, zh"):
        list(open_stream([tmp_path / "x.tsv"], replace(OPTIONS, languages=("fr", "de"))))


def test_tables_of_ted_talks_have_documents_and_lack_translations(tmp_path: Path):
    # The layout of all_talks_train.tsv of Qi et al. (2018): a column a language, zh three times.
    rows = [
        "talk_name\ten\tde\tzh-cn\tzh\tzh-tw",
        "a\tOne .\tEins .\tx\t__NULL__\ty",
        "a\t__NULL__\tZwei .\tx\ty\tz",
        "b\tThree .\t_ _ NULL _ _\tx\tq\tz",
    ]
    path = write(tmp_path / "all_talks_test.tsv", rows)
    assert content(open_stream([path], OPTIONS)) == [("a", [("One .", "Eins .")])]
    stream = open_stream([path], replace(OPTIONS, languages=("en", "zh")))
    assert content(stream) == [("b", [("Three .", "q")])]
    assert sum(stream.census.notes.values()) == 2


def test_parquet_columns_must_be_text(tmp_path: Path):
    table = pa.table({"document": [1, 2], "source": ["a", None], "target": ["b", "c"]})
    pq.write_table(table, tmp_path / "x.parquet")
    assert faults(open_stream([tmp_path / "x.parquet"], OPTIONS)) == [("E009", 2)]
    pq.write_table(table.set_column(1, "source", pa.array([1.5, 2.5])), tmp_path / "y.parquet")
    assert faults(open_stream([tmp_path / "y.parquet"], OPTIONS)) == [("E200", None)]


def test_a_named_reference_is_read_from_json_lines(tmp_path: Path):
    line = json.dumps({"document": "d", "source": "a", "references": {"A": "one", "B": "two"}})
    options = ReadOptions(languages=("en", "de"), references=["B"])
    assert content(open_stream([write(tmp_path / "x.jsonl", [line])], options)) == [("d", [("a", "two")])]


def test_a_corpus_directory_is_read_too(tmp_path: Path):
    documents: Plain = [("d1", [("a", "b")]), ("d2", [("c", "d"), ("e", "f")])]
    FORMATS.get("wmt").write(corpus(documents), tmp_path)
    assert content(open_stream([tmp_path], OPTIONS)) == documents
