"""What is written is read back: every format, with texts as nasty as Unicode has them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from endophora.corpus.formats import FORMATS, read_corpus, read_parallel
from endophora.corpus.parallel import write_text
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.xml import FORBIDDEN
from endophora.errors import InputError

NASTY = st.sampled_from(
    "\t\r\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029\ufeff\u200b\u00a0\x1f\x8b\"'\\=,{}\U0001f600e\u0301א"
)
CHARACTER = st.one_of(NASTY, st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
TEXT = st.text(CHARACTER, max_size=12)
FILLED = TEXT.filter(lambda text: text.strip() != "")
SUFFIXES = {"jsonl": ("x.jsonl", "x.jsonl.gz"), "tsv": ("x.tsv", "x.tsv.gz"), "wmt": ("x",), "text": ("x",)}
SUFFIXES |= {"tmx": ("x.tmx", "x.tmx.gz"), "xliff": ("x.xlf",), "xliff2": ("x.xliff",)}
SUFFIXES |= {"po": ("x.po", "x.po.gz"), "parquet": ("x.parquet",)}
SUFFIXES |= {"csv": ("x.csv", "x.csv.gz"), "xlsx": ("x.xlsx",)}


@st.composite
def corpora(draw: st.DrawFn, text: st.SearchStrategy[str], name: st.SearchStrategy[str]) -> Corpus:
    filled = text.filter(lambda value: value.strip() != "")
    references = draw(st.lists(name, max_size=2, unique=True))
    systems = draw(st.lists(name, max_size=2, unique=True))

    def segment() -> Segment:
        return Segment(
            draw(filled),
            {reference: draw(filled) for reference in references},
            {system: draw(text) for system in systems},
            Location("", 0),
        )

    ids = draw(st.lists(filled, min_size=1, max_size=3, unique=True))
    documents = tuple(Document(i, tuple(segment() for _ in range(draw(st.integers(1, 3))))) for i in ids)
    return Corpus("en", "ja", documents, tuple(references), tuple(systems))


def content(corpus: Corpus) -> object:
    """All of a corpus but where it stood and its warnings."""
    return [
        (document.id, [(s.source, dict(s.references), dict(s.outputs)) for s in document.segments])
        for document in corpus.documents
    ]


def holds(text: str, forbidden: str) -> bool:
    return not any(character in text for character in forbidden) and not text.endswith("\r")


def without(forbidden: str) -> st.SearchStrategy[str]:
    return TEXT.filter(lambda text: holds(text, forbidden))


def check_round_trip(corpus: Corpus, form: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        for name in SUFFIXES[form]:
            path = Path(directory) / name
            FORMATS.get(form).write(corpus, path)
            read = read_corpus(path, form, ("en", "ja"), corpus.references, corpus.systems)
            assert content(read) == content(corpus)
            assert (read.references, read.systems) == (corpus.references, corpus.systems)


@given(corpora(TEXT, TEXT))
def test_json_lines_hold_any_text(corpus: Corpus) -> None:
    check_round_trip(corpus, "jsonl")


@given(corpora(without("\t\n"), without("\t\n").filter(bool)))
def test_tsv_holds_any_text_without_tabs_and_line_ends(corpus: Corpus) -> None:
    check_round_trip(corpus, "tsv")


XML = without(FORBIDDEN)


@settings(max_examples=30)
@given(corpora(XML, XML.filter(bool)))
def test_tmx_holds_any_text_of_xml(corpus: Corpus) -> None:
    check_round_trip(corpus, "tmx")


@settings(max_examples=30)
@given(corpora(without("\r"), without("\r").filter(bool)))
def test_csv_holds_any_text_without_carriage_returns(corpus: Corpus) -> None:
    check_round_trip(corpus, "csv")


@settings(max_examples=15)
@given(corpora(without(FORBIDDEN + "\r"), without(FORBIDDEN + "\r").filter(bool)))
def test_workbooks_hold_any_text_of_xml(corpus: Corpus) -> None:
    check_round_trip(corpus, "xlsx")


@settings(max_examples=30)
@given(corpora(XML, st.just("target")), st.sampled_from(["xliff", "xliff2"]))
def test_xliff_holds_any_text_of_xml(corpus: Corpus, form: str) -> None:
    check_round_trip(replace(corpus, systems=(), documents=tuple(map(without_outputs, corpus.documents))), form)


@settings(max_examples=30)
@given(corpora(TEXT, st.just("target")))
def test_catalogues_hold_any_text(corpus: Corpus) -> None:
    assume(not any(set("\n\u2068\u2069") & set(document.id) for document in corpus.documents))
    check_round_trip(replace(corpus, systems=(), documents=tuple(map(without_outputs, corpus.documents))), "po")


@settings(max_examples=15)
@given(corpora(TEXT, TEXT.filter(bool)))
def test_parquet_holds_any_text(corpus: Corpus) -> None:
    check_round_trip(corpus, "parquet")


def without_outputs(document: Document) -> Document:
    return replace(document, segments=tuple(replace(segment, outputs={}) for segment in document.segments))


NAME = without("\n/").filter(lambda name: bool(name) and len(name.encode()) < 50)


@given(corpora(without("\n"), NAME))
def test_wmt_holds_any_text_without_line_ends(corpus: Corpus) -> None:
    check_round_trip(corpus, "wmt")


@given(corpora(without("\n"), NAME))
def test_plain_text_holds_any_text_without_line_ends(corpus: Corpus) -> None:
    check_round_trip(corpus, "text")


@given(corpora(without("\n"), st.sampled_from(["A", "b.c", "d=e"])))
def test_plain_text_files_one_by_one(corpus: Corpus) -> None:
    with tempfile.TemporaryDirectory() as directory:
        write_text(corpus, directory)
        root = Path(directory)
        read = read_parallel(
            root / "source.txt",
            [root / "references" / f"{name}.txt" for name in corpus.references],
            root / "documents.txt",
            [root / "systems" / f"{name}.txt" for name in corpus.systems],
            ("en", "ja"),
        )
    assert content(read) == content(corpus)


def codes(read: Callable[[], object]) -> set[str]:
    """The codes of the faults that a call raises; none if it goes well."""
    try:
        read()
    except InputError as error:
        return {fault.code for fault in error.faults}
    return set()


@given(corpora(TEXT, TEXT), st.sampled_from(["tsv", "wmt", "text"]))
def test_a_writer_refuses_or_is_read_back(corpus: Corpus, form: str) -> None:
    assert codes(lambda: check_round_trip(corpus, form)) <= {"E022"}


DATA = Path(__file__).parent.parent / "data"
SAMPLES = ("omegat/memory.tmx", "npm-xliff/v2.xlf", "gettext/de.po", "libreoffice/table.xlsx", "libreoffice/de.docx")
SAMPLES += ("ffmpeg/de.srt", "pysubs2/de.vtt", "libreoffice/table.csv")


@settings(max_examples=40)
@given(st.sampled_from(SAMPLES), st.integers(0), st.binary(max_size=4), st.integers(0, 50))
def test_damaged_files_are_read_or_are_a_coded_error(sample: str, place: int, put: bytes, cut: int) -> None:
    data = (DATA / sample).read_bytes()
    at = place % len(data)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / Path(sample).name
        path.write_bytes(data[:at] + put + data[at + cut :])
        if path.suffix in (".docx", ".srt", ".vtt"):
            found = codes(lambda: read_parallel(path, [path]))
        else:
            found = codes(lambda: read_corpus(path, None, ("en", "de")))
    assert all("E001" <= code < "E030" or "E230" <= code < "E240" or "E345" <= code <= "E346" for code in found)


@given(st.binary(max_size=200), st.sampled_from(["jsonl", "tsv"]))
def test_any_bytes_are_read_or_are_a_coded_error(data: bytes, form: str) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x"
        path.write_bytes(data)
        found = codes(lambda: read_corpus(path, form, ("en", "ja")))
        found |= codes(lambda: read_parallel(path, [path]))
    assert all("E001" < code < "E030" for code in found)
