"""Word vectors: what is written in any of the formats is read back, and what is damaged is reported."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.metrics.embeddings import WordVectors, read_vectors

FINITE = st.floats(width=32, allow_nan=False, allow_infinity=False)
WORD = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r", exclude_categories=("Cs", "Cc")), min_size=1, max_size=8
)


@st.composite
def _tables(draw: st.DrawFn) -> dict[str, list[float]]:
    dimension = draw(st.integers(2, 6))
    words = draw(st.lists(WORD, min_size=1, max_size=8, unique=True))
    return {word: draw(st.lists(FINITE, min_size=dimension, max_size=dimension)) for word in words}


def write(
    path: Path, table: dict[str, list[float]], *, binary: bool = False, header: bool = True, end: str = "\n"
) -> Path:
    """Write word vectors: word2vec's binary or text format, or GloVe's (without a header); gzipped if so named."""
    dimension = len(next(iter(table.values())))
    parts = [f"{len(table)} {dimension}\n".encode()] if header or binary else []
    for word, vector in table.items():
        if binary:
            parts.append(word.encode() + b" " + np.array(vector, dtype="<f4").tobytes() + end.encode())
        else:
            parts.append(f"{word} {' '.join(map(repr, vector))}{end}".encode())
    data = b"".join(parts)
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)
    return path


@settings(max_examples=60)
@given(table=_tables())
@pytest.mark.parametrize(
    "kind",
    ["word2vec.txt", "word2vec.bin", "no-newlines.bin", "glove.txt", "fasttext.vec", "word2vec.bin.gz", "glove.txt.gz"],
)
def test_vectors_written_are_vectors_read(kind: str, table: dict[str, list[float]], tmp_path: Path):
    end = {"no-newlines.bin": "", "fasttext.vec": " \n"}.get(kind, "\n")
    path = write(tmp_path / kind, table, binary=".bin" in kind, header="glove" not in kind, end=end)
    found = dict(read_vectors(path))
    assert list(found) == list(table)
    for word, vector in table.items():
        np.testing.assert_array_equal(found[word], np.array(vector, dtype=np.float32))
    wanted = set(list(table)[::2]) | {"not there"}
    assert set(dict(read_vectors(path, wanted))) == wanted - {"not there"}


@settings(max_examples=150)
@given(data=st.binary(max_size=60) | st.builds(lambda x: b"2 3\n" + x, st.binary(max_size=60)))
def test_any_bytes_are_vectors_or_a_coded_error(data: bytes, tmp_path: Path):
    path = tmp_path / "vectors"
    path.write_bytes(data)
    codes: set[str] = set()
    try:
        list(read_vectors(path))
    except InputError as error:
        codes = {fault.code for fault in error.faults}
    assert codes <= {"E004", "E005", "E144", "E145"}


def test_only_words_never_looked_up_are_read_for(tmp_path: Path):
    path = write(tmp_path / "v.txt", {"a": [1.0, 2.0], "b": [3.0, 4.0]})
    vectors = WordVectors(path)
    vectors.look_up(["a", "x"])
    path.unlink()
    vectors.look_up(["a", "x"])
    np.testing.assert_array_equal(vectors.get("a"), [1, 2])
    assert vectors.get("x") is None
    with pytest.raises(InputError, match="E001"):
        vectors.look_up(["b"])


def test_mean_of_all_vectors(tmp_path: Path):
    path = write(tmp_path / "v.txt", {"a": [1.0, 2.0], "b": [3.0, 6.0]})
    np.testing.assert_allclose(WordVectors(path).mean, [2, 4])


def test_first_of_two_vectors_of_a_word_counts(tmp_path: Path):
    path = tmp_path / "v.txt"
    path.write_text("a 1 2\na 3 4\n")
    vectors = WordVectors(path)
    vectors.look_up(["a"])
    np.testing.assert_array_equal(vectors.get("a"), [1, 2])


def test_a_word_with_blanks_in_it_is_not_the_word_that_it_begins_with(tmp_path: Path):
    path = tmp_path / "glove.txt"
    path.write_text("the 1 2\nat name@domain.com 3 4\nat 5 6\n")
    assert {word: list(vector) for word, vector in read_vectors(path, {"at"})} == {"at": [5, 6]}


@pytest.mark.parametrize(
    ("data", "faults"),
    [
        (b"", [("E005", None)]),
        (b"hello\n", [("E144", 1)]),
        (b"a b c\n", [("E144", 1)]),
        (b"3 0\n", [("E144", 1)]),
        (b"2 2\na 1 2\nb 1\n", [("E144", 3)]),
        (b"2 2\na 1 nan\nb 1 x\n", [("E144", 2), ("E144", 3)]),
        (b"a 1 2\nb 1\nc 1 2\nd\n", [("E144", 2), ("E144", 4)]),
        (b"3 2\na 1 2\nb 1 2\n", [("E145", None)]),
        (b"1 2\na 1 2\nb 1 2\n", [("E145", None)]),
        (b"2 2\na " + bytes(8) + b"\nb " + bytes(7), [("E145", None)]),
        (b"1 2\na " + bytes(8) + b"\nb " + bytes(8), [("E145", None)]),
        (b"1 2\na " + np.array([1, np.inf], "<f4").tobytes() + b"\n", [("E144", 2)]),
        (b"\xba\x16\x4f\x2f" + bytes(50), [("E144", None)]),
        (gzip.compress(b"a 1 2\n" * 50, mtime=0)[:-12], [("E004", None)]),
    ],
)
def test_what_is_wrong_with_a_file_of_vectors_is_told_with_its_line(
    data: bytes, faults: list[tuple[str, int | None]], tmp_path: Path
):
    path = tmp_path / "vectors"
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        list(read_vectors(path))
    assert [(fault.code, fault.line) for fault in raised.value.faults] == faults


def test_a_directory_is_no_file_of_vectors(tmp_path: Path):
    with pytest.raises(InputError, match="E002"):
        list(read_vectors(tmp_path))
