"""Files elsewhere, by fsspec; files packed by zstd; Parquet that is written."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pyarrow as pa
import pytest

from endophora.corpus.faults import FaultLog
from endophora.corpus.formats import FORMATS, open_stream, read_corpus, read_parallel
from endophora.corpus.glossary import read_glossary
from endophora.corpus.lines import read_lines
from endophora.corpus.streams import ReadOptions
from endophora.errors import EndophoraError, InputError

DATA = Path(__file__).parent.parent / "data"
PAIR = ("en", "de")
FILES = ("libreoffice/table.csv", "libreoffice/table.xlsx", "gettext/de.po", "omegat/memory.tmx", "npm-xliff/v2.xlf")


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    """A file system in memory, which stands for a store that is far away."""
    system = fsspec.filesystem("memory")
    yield system
    system.rm("/", recursive=True)


@pytest.mark.parametrize("file", FILES)
def test_a_file_elsewhere_reads_as_on_the_disk(file: str, memory: fsspec.AbstractFileSystem):
    memory.pipe(f"/b/{file}", (DATA / file).read_bytes())
    here, there = read_corpus(DATA / file, None, PAIR), read_corpus(f"memory://b/{file}", None, PAIR)
    assert [document.id for document in there.documents] == [document.id for document in here.documents]
    one, other = here.documents[0].segments[0], there.documents[0].segments[0]
    assert (one.source, one.references, one.location.line) == (other.source, other.references, other.location.line)
    assert other.location.file == f"memory://b/{file}"
    assert len(read_corpus(f"file://{DATA / file}", None, PAIR)) == len(here)


def test_folders_outputs_lines_and_streams_may_be_elsewhere(memory: fsspec.AbstractFileSystem, tmp_path: Path):
    for name, text in {"a.en": "One.\nTwo.\n", "a.de": "Eins.\nZwei.\n", "mt.de": "Eins!\nZwei!\n"}.items():
        memory.pipe(f"/x/{name}", text.encode())
    read = read_parallel("memory://x/a.en", ["memory://x/a.de"], None, ["s=memory://x/mt.de", "memory://x/mt.de"], PAIR)
    assert [one.outputs for one in read.documents[0].segments] == [
        {"s": "Eins!", "mt": "Eins!"},
        {"s": "Zwei!", "mt": "Zwei!"},
    ]
    for name in ("corpus/source.txt", "corpus/references/a.txt"):
        memory.pipe(f"/{name}", b"One.\nTwo.\n")
    assert len(read_corpus("memory://corpus", None, PAIR)) == 2
    stream = open_stream(["memory://corpus"], ReadOptions(languages=PAIR))
    assert [len(list(stream)), len(list(stream))] == [1, 1]
    memory.pipe("/g.tsv", b"source\ttarget\nlamp\tLampe\n")
    assert len(read_glossary("memory://g.tsv", PAIR).terms) == 1


@pytest.mark.parametrize(
    ("path", "code"),
    [("memory://none.tsv", "E001"), ("nosuch://a/b.tsv", "E003"), ("dropbox://a/b.tsv", "E150")],
)
def test_what_is_not_there_or_cannot_be_fetched_is_refused(path: str, code: str):
    with pytest.raises(EndophoraError, match=f"{code}.*{path}"):
        read_corpus(path, None, PAIR)


def test_faults_name_the_address(memory: fsspec.AbstractFileSystem):
    memory.pipe("/bad.tsv", b"source\treference\na\n")
    with pytest.raises(InputError) as caught:
        read_corpus("memory://bad.tsv", None, PAIR)
    assert [(fault.code, fault.file, fault.line) for fault in caught.value.faults] == [("E017", "memory://bad.tsv", 2)]


@pytest.mark.parametrize("name", ["x.tsv", "x.jsonl", "x.tmx", "x.csv"])
def test_zstd_packs_as_gzip_does(name: str, tmp_path: Path):
    corpus = read_corpus(DATA / "libreoffice/table.csv", None, PAIR, systems=[])
    write = FORMATS.get(name.partition(".")[2]).write
    assert write is not None
    if name == "x.tsv":
        corpus = read_corpus(DATA / "npm-xliff/v12.xlf", None, PAIR)
    write(corpus, tmp_path / f"{name}.zst")
    write(corpus, tmp_path / f"{name}.gz")
    assert (tmp_path / f"{name}.zst").read_bytes()[:4] == b"\x28\xb5\x2f\xfd"
    read, other = (read_corpus(tmp_path / f"{name}.{suffix}", None, PAIR) for suffix in ("zst", "gz"))
    assert [[one.source for one in each.segments] for each in read.documents] == [
        [one.source for one in each.segments] for each in other.documents
    ]


@pytest.mark.skipif(shutil.which("zstd") is None, reason="needs the program zstd")
def test_files_of_the_program_zstd_are_read_and_what_is_cut_is_a_fault(tmp_path: Path):
    (tmp_path / "a.tsv").write_text("source\treference\n" + "One two three.\tEins zwei drei.\n" * 50)
    subprocess.run(["zstd", "-q", "a.tsv"], cwd=tmp_path, check=True)
    assert len(read_corpus(tmp_path / "a.tsv.zst", None, PAIR)) == 50


def test_damaged_and_swollen_files_of_zstd_are_faults(tmp_path: Path):
    packed = pa.compress(b"source\treference\n" + b"One two.\tEins zwei.\n" * 500, "zstd", asbytes=True)
    path = tmp_path / "a.tsv.zst"
    for data, code in (
        (packed[:-6], "E004"),
        (packed[:20] + b"\xff\xff\xff" + packed[23:], "E004|E006"),
    ):
        path.write_bytes(data)
        with pytest.raises(InputError, match=code):
            read_corpus(path, None, PAIR)
    path.write_bytes(pa.compress(b"One.\n" * (8 << 20), "zstd", asbytes=True))
    log = FaultLog()
    assert len(read_lines(path, log).texts) < 8 << 20
    assert log.has("E346")


def test_parquet_reads_back_as_it_was_written(tmp_path: Path):
    corpus = read_corpus(DATA / "libreoffice/table.csv", None, PAIR)
    write = FORMATS.get("parquet").write
    assert write is not None
    write(corpus, tmp_path / "x.parquet")
    read = read_corpus(tmp_path / "x.parquet", None, PAIR)
    assert (read.references, read.systems) == (corpus.references, corpus.systems)
    assert [[(one.source, one.references, one.outputs) for one in each.segments] for each in read.documents] == [
        [(one.source, one.references, one.outputs) for one in each.segments] for each in corpus.documents
    ]


def test_gzip_still_packs_as_before(tmp_path: Path):
    (tmp_path / "a.tsv.gz").write_bytes(gzip.compress(b"source\treference\nOne.\tEins.\n"))
    assert len(read_corpus(tmp_path / "a.tsv.gz", None, PAIR)) == 1
