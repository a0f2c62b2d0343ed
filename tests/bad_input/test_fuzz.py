"""Damaged files of every reader are read or refused with a code; ``benchmarks/fuzz.py`` tries thousands."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from mutation import fuzz, targets

from endophora.errors import EndophoraError

REFUSED = {"cxmi result", "contrast result"}
"""Whose file is only the beginning of one: all that may go wrong on the way to a whole one is tried."""


def test_damaged_files_of_every_reader_are_read_or_refused():
    found = fuzz(list(targets()), 6 * len(targets()), seed=3)
    assert not found.uncaught
    assert found.counts["coded"] > 100 < found.counts["ok"]


@pytest.mark.parametrize("name", sorted(targets().keys() - REFUSED))
def test_the_files_that_are_damaged_are_sound(name: str, tmp_path: Path):
    target = targets()[name]
    for file, data in {**target.beside, target.file: target.data}.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(data)
    target.read(tmp_path / target.file)


_XLIFF = '<xliff><file source-language="en"><trans-unit><source>a{}b</source></trans-unit></file></xliff>'
_TMX = '<tmx><tu><tuv xml:lang="en"><seg>{}</seg></tuv></tu></tmx>'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.xliff", _XLIFF.format(" " * 90_000)),
        ("a.tmx", _TMX.format("a<x/>" * 30_000)),
        ("a.tmx", _TMX.format("{" + " " * 40_000)),
        ("a.tmx", _TMX.format("." * 40_000)),
        ("a.srt", "1\n00:00:01,000 --> 00:00:02,000\n" + "<b " * 30_000),
    ],
)
def test_files_that_are_made_to_take_long_do_not(name: str, text: str, tmp_path: Path):
    from endophora.align.borders import sentences
    from endophora.corpus.formats import read_corpus, read_parallel
    from endophora.corpus.placeholders import placeholders

    path = tmp_path / name
    path.write_text(text)
    start = time.perf_counter()
    try:
        paired = path.suffix == ".srt"
        read = read_parallel(path, ()) if paired else read_corpus(path, None, ("en", "de"), references=())
    except EndophoraError:
        pass
    else:
        source = read.documents[0].segments[0].source
        placeholders(source)
        sentences(source)
    assert time.perf_counter() - start < 2


def test_an_error_of_pythons_own_is_counted(monkeypatch: pytest.MonkeyPatch):
    import mutation

    def fail(path: Path) -> None:
        raise ValueError(path) if path.read_bytes() else EndophoraError(())

    monkeypatch.setattr(mutation, "targets", lambda: {"x": mutation.Target("x", b"1" * 50, fail)})
    found = fuzz(["x"], 10, seed=1)
    assert found.counts["uncaught"] > 5
    assert all("ValueError" in cause for cause in found.uncaught)
