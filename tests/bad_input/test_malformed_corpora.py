"""Malformed files, and the exact faults that each must yield: code, file and line."""

from __future__ import annotations

import gzip
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from endophora.corpus.formats import read_corpus, read_parallel
from endophora.errors import InputError

read_tsv = partial(read_corpus, format="tsv", languages=("en", "de"))
read_jsonl = partial(read_corpus, format="jsonl", languages=("en", "de"))
read_text = partial(read_corpus, format="text", languages=("en", "de"))

GZIP = gzip.compress(b"eins\nzwei\ndrei\n", mtime=0)

# Each row: the files, and the faults as (code, file, line). The good files are three lines: source, ref, sys, ids.
GOOD = {"source": b"one\ntwo\nthree\n", "ref": b"eins\nzwei\ndrei\n", "sys": b"ein\nzwo\ndrei\n", "ids": b"a\na\nb\n"}
PARALLEL: dict[str, tuple[dict[str, bytes | None], list[tuple[str, str, int | None]]]] = {
    "missing file": ({"ref": None}, [("E001", "ref", None)]),
    "two missing files": ({"ref": None, "sys": None}, [("E001", "ref", None), ("E001", "sys", None)]),
    "truncated gzip": ({"ref": GZIP[:-12]}, [("E004", "ref", 3)]),
    "gzip with a wrong checksum": ({"ref": GZIP[:-8] + bytes(8)}, [("E004", "ref", 4)]),
    "gzip with a damaged stream": ({"ref": GZIP[:12] + b"\xff" + GZIP[13:]}, [("E004", "ref", 1)]),
    "empty file": ({"ref": b""}, [("E005", "ref", None)]),
    "only a byte order mark": ({"ref": b"\xef\xbb\xbf"}, [("E005", "ref", None)]),
    "latin-1": ({"ref": "eins\nzwölf\ndrei\n".encode("latin-1")}, [("E006", "ref", 2)]),
    "latin-1 in two lines": (
        {"ref": "fünf\nzwölf\ndrei\n".encode("latin-1")},
        [("E006", "ref", 1), ("E006", "ref", 2)],
    ),
    "UTF-16 with a mark": ({"ref": "eins\nzwei\ndrei\n".encode("utf-16")}, [("E006", "ref", 1)]),
    "UTF-16 little-endian": ({"ref": "eins\nzwei\ndrei\n".encode("utf-16-le")}, [("E006", "ref", 1)]),
    "UTF-16 big-endian": ({"ref": "eins\nzwei\ndrei\n".encode("utf-16-be")}, [("E006", "ref", 1)]),
    "an encoded surrogate": ({"ref": b"eins\n\xed\xa0\x80\ndrei\n"}, [("E006", "ref", 2)]),
    "cut in a character": ({"ref": "eins\nzwei\ndreiß".encode()[:-1]}, [("E006", "ref", 3)]),
    "NUL": ({"ref": b"eins\nzw\0ei\ndrei\n"}, [("E007", "ref", 2)]),
    "one line short": ({"ref": b"eins\nzwei\n"}, [("E008", "ref", None)]),
    "two files of other lengths": (
        {"ref": b"eins\nzwei\n", "sys": b"ein\n"},
        [("E008", "ref", None), ("E008", "sys", None)],
    ),
    "a trailing blank line": ({"ref": b"eins\nzwei\ndrei\n\n"}, [("E008", "ref", None)]),
    "empty source": ({"source": b"one\n\nthree\n"}, [("E009", "source", 2)]),
    "blank source": ({"source": "one\n \u00a0\nthree\n".encode()}, [("E009", "source", 2)]),
    "empty reference": ({"ref": b"eins\n\n\n"}, [("E010", "ref", 2), ("E010", "ref", 3)]),
    "a segment of 50,001 characters": ({"sys": b"ein\n" + b"z" * 50_001 + b"\ndrei\n"}, [("E345", "sys", 2)]),
    "all files empty": (
        {"source": b"", "ref": b"", "sys": b"", "ids": b""},
        [("E005", "source", None), ("E005", "ids", None), ("E005", "ref", None), ("E005", "sys", None)],
    ),
    "document comes back": ({"ids": b"a\nb\na\n"}, [("E013", "ids", 3)]),
    "empty document id": ({"ids": b"a\n\nb\n"}, [("E023", "ids", 2)]),
    "all at once": (
        {
            "source": b"one\n\nthree\n",
            "ref": "fünf\nzwei\ndrei\n".encode("latin-1"),
            "sys": b"a\n",
            "ids": b"a\nb\na\n",
        },
        [("E006", "ref", 1), ("E009", "source", 2), ("E013", "ids", 3), ("E008", "sys", None)],
    ),
}

TSV: dict[str, tuple[bytes, list[tuple[str, int | None]]]] = {
    "no source column": (b"document\treference\na\teins\n", [("E016", 1)]),
    "a column twice": (b"source\tsource\none\ttwo\n", [("E016", 1)]),
    "a system twice": (b"source\tsystem:A\tsystem:A\none\teins\tein\n", [("E011", 1)]),
    "a reference twice": (b"source\treference:A\treference:A\none\teins\tein\n", [("E012", 1)]),
    "the nameless reference twice": (b"source\treference\treference:reference\na\tb\tc\n", [("E012", 1)]),
    "fields too few": (b"source\treference\none\teins\ntwo\n", [("E017", 3)]),
    "fields too many": (b"source\treference\none\teins\ntwo\tzwei\tzwo\n", [("E017", 3)]),
    "a trailing blank line": (b"source\treference\none\teins\n\n", [("E017", 3)]),
    "header only": (b"source\treference\n", [("E005", None)]),
    "header only, with documents": (b"document\tsource\treference\n", [("E005", None)]),
    "a long reference": (b"source\treference\na\t" + b"z" * 50_001 + b"\n", [("E345", 2)]),
    "empty": (b"", [("E005", None)]),
    "empty reference": (b"source\treference\none\t\n", [("E010", 2)]),
    "latin-1": ("source\treference\none\tfünf\n".encode("latin-1"), [("E006", 2)]),
    "latin-1 header": ("source\treference:fünf\none\tfunf\n".encode("latin-1"), [("E006", 1)]),
    "document comes back": (b"document\tsource\na\tone\nb\ttwo\na\tthree\n", [("E013", 4)]),
    "line numbers after a faulty line": (b"source\treference\none\ntwo\t\n", [("E017", 2), ("E010", 3)]),
}

JSONL: dict[str, tuple[str, list[tuple[str, int | None]]]] = {
    "malformed": ('{"source": "one"}\n{"source": }\n', [("E018", 2)]),
    "cut off": ('{"source": "one"}\n{"source": "tw', [("E018", 2)]),
    "blank line": ('{"source": "one"}\n\n{"source": "two"}\n', [("E018", 2)]),
    "key twice": ('{"source": "one", "source": "two"}\n', [("E018", 1)]),
    "system twice": ('{"source": "one", "outputs": {"A": "x", "A": "y"}}\n', [("E018", 1)]),
    "deep nesting": ("[" * 100_000 + "\n", [("E018", 1)]),
    "no object": ('["one"]\n', [("E019", 1)]),
    "no source": ('{"document": "a"}\n', [("E019", 1)]),
    "source is null": ('{"source": null}\n', [("E019", 1)]),
    "source is a number": ('{"source": 1}\n', [("E019", 1)]),
    "source is a number of 9,000 digits": ('{"source": ' + "1" * 9000 + "}\n", [("E019", 1)]),
    "references are a list": ('{"source": "one", "references": ["eins"]}\n', [("E019", 1)]),
    "output is null": ('{"source": "one", "outputs": {"A": null}}\n', [("E019", 1)]),
    "system missing in a line": (
        '{"source": "one", "outputs": {"A": "x"}}\n{"source": "two", "outputs": {}}\n',
        [("E025", 2)],
    ),
    "document missing in a line": ('{"source": "one", "document": "a"}\n{"source": "two"}\n', [("E025", 2)]),
    "NUL": ('{"source": "o\\u0000ne"}\n', [("E007", 1)]),
    "half of a surrogate pair": ('{"source": "\\ud83d"}\n', [("E006", 1)]),
    "NUL in a name": ('{"source": "one", "outputs": {"A\\u0000": "x"}}\n', [("E007", 1)]),
    "empty source": ('{"source": " "}\n', [("E009", 1)]),
    "several": ('{"source": "one"}\nx\n{"source": 1}\n', [("E018", 2), ("E019", 3)]),
}


def faults(read: Callable[[], object]) -> list[tuple[str, str, int | None]]:
    with pytest.raises(InputError) as caught:
        read()
    for fault in caught.value.faults:
        assert fault.cause
        assert fault.advice
    return [(fault.code, Path(fault.file).name, fault.line) for fault in caught.value.faults]


def parallel(directory: Path, changed: dict[str, bytes | None]) -> Callable[[], object]:
    for name, content in {**GOOD, **changed}.items():
        if content is not None:
            (directory / name).write_bytes(content)
    path = {name: str(directory / name) for name in GOOD}
    return lambda: read_parallel(path["source"], [path["ref"]], path["ids"], [path["sys"]], ("en", "de"))


def test_good_files_are_no_fault(tmp_path: Path) -> None:
    assert parallel(tmp_path, {})() is not None


@pytest.mark.parametrize("case", PARALLEL)
def test_malformed_plain_text(case: str, tmp_path: Path) -> None:
    changed, expected = PARALLEL[case]
    assert faults(parallel(tmp_path, changed)) == expected


@pytest.mark.parametrize("case", TSV)
def test_malformed_tsv(case: str, tmp_path: Path) -> None:
    content, expected = TSV[case]
    (tmp_path / "in.tsv").write_bytes(content)
    assert faults(lambda: read_tsv(tmp_path / "in.tsv")) == [(code, "in.tsv", line) for code, line in expected]


@pytest.mark.parametrize("case", JSONL)
def test_malformed_json_lines(case: str, tmp_path: Path) -> None:
    content, expected = JSONL[case]
    (tmp_path / "in.jsonl").write_text(content, encoding="utf-8")
    assert faults(lambda: read_jsonl(tmp_path / "in.jsonl")) == [(code, "in.jsonl", line) for code, line in expected]


def test_directory_given_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "ref").mkdir()
    assert faults(parallel(tmp_path, {"ref": None})) == [("E002", "ref", None)]


def test_gz_name_without_gzip(tmp_path: Path) -> None:
    (tmp_path / "source.gz").write_text("one\n")
    assert faults(lambda: read_parallel(tmp_path / "source.gz", [])) == [("E004", "source.gz", 1)]


def test_names_given_twice(tmp_path: Path) -> None:
    parallel(tmp_path, {})
    ref, out = str(tmp_path / "ref"), str(tmp_path / "sys")
    read = lambda: read_parallel(tmp_path / "source", [f"A={ref}", f"A={out}"], None, [f"B={out}", f"B={ref}"])  # noqa: E731
    assert faults(read) == [("E012", "sys", None), ("E011", "ref", None)]


@pytest.mark.parametrize(
    ("code", "hint"),
    [("deu", "de (German)"), ("German", "de (German)"), ("en-US", "en (English)"), ("xx", "ISO 639-1")],
)
def test_unknown_language_says_which_was_meant(code: str, hint: str, tmp_path: Path) -> None:
    parallel(tmp_path, {})
    with pytest.raises(InputError, match="E014") as caught:
        read_parallel(tmp_path / "source", [tmp_path / "ref"], languages=("en", code))
    assert hint in str(caught.value)


def test_standard_input_named_twice() -> None:
    assert faults(lambda: read_parallel("-", ["A=-"])) == [("E021", "<stdin>", None)]


def test_standard_input_that_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b""))))
    assert faults(lambda: read_jsonl("-")) == [("E005", "<stdin>", None)]


def test_unrecognised_formats(tmp_path: Path) -> None:
    (tmp_path / "corpus.xls").write_text("x")
    (tmp_path / "in.tsv").write_text("source\none\n")
    (tmp_path / "empty").mkdir()
    for path, code in (("corpus.xls", "E015"), ("empty", "E015"), ("absent", "E001"), ("in.tsv", "E014")):
        assert faults(lambda path=path: read_corpus(tmp_path / path)) == [(code, path, None)]
    assert faults(lambda: read_corpus("-")) == [("E015", "<stdin>", None)]
    assert faults(lambda: read_corpus(tmp_path / "in.tsv", format="tvs"))[0][0] == "E090"


def test_wmt_directory_with_missing_parts(tmp_path: Path) -> None:
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "en-de.txt").write_text("one\n")
    assert faults(lambda: read_corpus(tmp_path, "wmt", ("en", "de"))) == [("E020", tmp_path.name, None)]
    assert faults(lambda: read_corpus(tmp_path, "wmt", ("en", "fr"))) == [("E020", tmp_path.name, None)] * 2


def test_text_directory_without_source(tmp_path: Path) -> None:
    assert faults(lambda: read_text(tmp_path)) == [("E020", tmp_path.name, None)]


def test_plain_and_gzipped_file_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "references").mkdir()
    (tmp_path / "source.txt").write_text("one\n")
    (tmp_path / "references" / "A.txt").write_text("eins\n")
    (tmp_path / "references" / "A.txt.gz").write_bytes(GZIP)
    assert faults(lambda: read_text(tmp_path)) == [("E012", "A.txt.gz", None)]


def test_unknown_name_says_what_there_is(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("source\tsystem:online-a\none\teins\n")
    with pytest.raises(InputError, match="did you mean online-a") as caught:
        read_tsv(tmp_path / "in.tsv", systems=["online-A", "gpt"], references=["refA"])
    assert [fault.code for fault in caught.value.faults] == ["E024"] * 3


def test_long_lists_of_faults_are_cut_short(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("source\treference\n" + "one\t\n" * 1000)
    with pytest.raises(InputError) as caught:
        read_tsv(tmp_path / "in.tsv")
    assert len(caught.value.faults) == 21
    assert caught.value.faults[-1].cause == "and 980 more of this kind"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("eins\nzwölf\n".encode("latin-1"), "it looks like latin-1 – convert it: iconv -f ISO-8859-1"),
        ("eins\nCafé\n".encode("latin-1"), "it looks like latin-1 – convert it: iconv -f ISO-8859-1"),
        ("zwölf\n".encode() + b"d\xfcnn\n", "other letters of the file are UTF-8 – write that place again"),
        ("zwölf d".encode() + b"\xfcnn\n", "other letters of the file are UTF-8 – write that place again"),
        ("eins\nzwölf"[:-3].encode() + b"\xc3", "the file ends in the middle of a character – was it cut off?"),
    ],
)
def test_no_advice_on_a_wrong_byte_spoils_the_rest_of_the_file(tmp_path: Path, text: bytes, said: str) -> None:
    """A file of UTF-8 with one byte that is none must not be converted as a whole."""
    with pytest.raises(InputError) as caught:
        parallel(tmp_path, {"ref": text})()
    assert said in str(caught.value)


def test_messages_say_where_what_and_what_to_do(tmp_path: Path) -> None:
    read = parallel(tmp_path, {"ref": "eins\nzwölf\n".encode("latin-1"), "ids": b"a\na\nb\n\n"})
    with pytest.raises(InputError) as caught:
        read()
    path = f"{tmp_path}/"
    assert str(caught.value).replace(path, "").splitlines() == [
        "[E006] ref:2 – not UTF-8 at byte 7 of the file; it looks like latin-1"
        " – convert it: iconv -f ISO-8859-1 -t UTF-8 ref > NEW",
        "[E008] ids – 4 lines, but 3 in source, sys – its last line is empty: delete it",
        "[E008] ref – 2 lines, but 3 in source, sys"
        " – every file needs one line a segment; look for a segment that was split, joined or left out",
    ]
