"""OPUS: links with any number of sentences on either side, in either direction, in folders and zip files."""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.corpus import opus
from endophora.corpus.formats import open_stream, read_corpus
from endophora.corpus.opus import UNLINKED, read_sentences
from endophora.corpus.streams import DocumentStream, ReadOptions
from endophora.errors import InputError, MissingModelError

Link = tuple[list[str], list[str]]
LINKS = [(["1"], ["1"]), (["2", "3"], ["2"]), (["4"], []), (["5"], ["3", "4"])]
ENGLISH = {"1": "Look.", "2": "The lamp", "3": "is new.", "4": "[music]", "5": "It shines."}
GERMAN = {"1": "Sieh.", "2": "Die Lampe ist neu.", "3": "Sie", "4": "leuchtet."}


def document_xml(sentences: dict[str, str], *, tokenised: bool = False) -> bytes:
    def inside(text: str) -> str:
        if not tokenised:
            return f'<time id="T1S" value="00:00:01,000" />\n{escape(text)}\n<time id="T1E" value="00:00:02,000" />'
        return "".join(f'<w id="{index}">{escape(word)}</w>\n' for index, word in enumerate(text.split()))

    body = "".join(f"<s id={quoteattr(key)}>{inside(text)}</s>\n" for key, text in sentences.items())
    return f'<?xml version="1.0" encoding="utf-8"?>\n<document id="1">\n{body}</document>\n'.encode()


def links_xml(groups: Sequence[tuple[str, str, Sequence[Link]]]) -> bytes:
    lines = ['<?xml version="1.0" encoding="utf-8"?>', '<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML cesAlign//EN" "">']
    lines.append('<cesAlign version="1.0">')
    for first, second, links in groups:
        lines.append(f'<linkGrp targType="s" fromDoc="{first}" toDoc="{second}" >')
        lines += [f'<link id="SL{n}" xtargets="{" ".join(a)};{" ".join(b)}" />' for n, (a, b) in enumerate(links)]
        lines.append("</linkGrp>")
    return "\n".join([*lines, "</cesAlign>"]).encode()


def turned(links: Sequence[Link]) -> list[Link]:
    return [(second, first) for first, second in links]


def write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)


def stream(path: Path, *texts: Path, skip: bool = False) -> DocumentStream:
    return open_stream([path], ReadOptions(languages=("en", "de"), texts=texts), skip_faults=skip)


def pairs(found: DocumentStream) -> list[tuple[str, str]]:
    return [(s.source, s.references["reference"]) for document in found for s in document.segments]


EXPECTED = [
    ("Look.", "Sieh."),
    ("The lamp is new.", "Die Lampe ist neu."),
    ("It shines.", "Sie leuchtet."),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "raw/en/2017/12/3.xml.gz", document_xml(ENGLISH))
    write(tmp_path / "xml/de/2017/12/4.xml", document_xml(GERMAN, tokenised=True))
    write(tmp_path / "de-en.xml.gz", links_xml([("de/2017/12/4.xml.gz", "en/2017/12/3.xml.gz", turned(LINKS))]))
    return tmp_path


def test_links_join_sentences_and_those_without_translation_are_counted(folder: Path):
    found = stream(folder / "de-en.xml.gz")
    assert pairs(found) == EXPECTED
    assert found.census.notes == {UNLINKED: 1}


def test_a_corpus_says_what_its_reader_left_out(folder: Path) -> None:
    read = read_corpus(folder / "de-en.xml.gz", languages=("en", "de"))
    assert [segment.source for document in read.documents for segment in document.segments] == [s for s, _ in EXPECTED]
    assert f"1 {UNLINKED}" in read.warnings


def test_without_its_library_the_command_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("endophora.corpus.lines.find_spec", lambda _: None)
    with pytest.raises(MissingModelError, match=r"E150.*OPUS needs lxml.*endophora\[extract\]"):
        pairs(stream(folder / "de-en.xml.gz"))


def test_a_document_is_named_after_both_files_and_a_segment_after_its_link(folder: Path):
    (document,) = stream(folder / "de-en.xml.gz")
    assert document.id == "2017/12/3+2017/12/4"
    assert [segment.location.line for segment in document.segments] == [1, 2, 4]


def test_documents_are_found_in_zip_files(tmp_path: Path):
    for language, sentences in (("en", ENGLISH), ("de", GERMAN)):
        with zipfile.ZipFile(tmp_path / f"{language}.zip", "w") as archive:
            archive.writestr(f"OpenSubtitles/raw/{language}/2017/12/3.xml", document_xml(sentences))
            archive.writestr("README", "what this is")
    write(tmp_path / "links.xml", links_xml([("en/2017/12/3.xml.gz", "de/2017/12/3.xml.gz", LINKS)]))
    assert pairs(stream(tmp_path / "links.xml", tmp_path / "en.zip", tmp_path / "de.zip")) == EXPECTED


def test_a_missing_document_and_a_missing_sentence_are_told_with_the_line(folder: Path):
    groups = [
        ("en/2017/12/3.xml.gz", "de/2017/12/9.xml.gz", LINKS),
        ("en/2017/12/3.xml.gz", "de/2017/12/4.xml.gz", [(["1"], ["77"]), *LINKS]),
    ]
    write(folder / "en-de.xml", links_xml(groups))
    with pytest.raises(InputError) as error:
        list(stream(folder / "en-de.xml"))
    assert [(fault.code, fault.line) for fault in error.value.faults] == [("E203", 4), ("E203", 11)]
    assert "de/2017/12/9.xml.gz" in str(error.value)
    assert "77" in str(error.value)


def test_what_is_faulty_is_left_out_and_counted_if_that_is_wanted(folder: Path):
    groups = [
        ("en/2017/12/3.xml.gz", "de/2017/12/9.xml.gz", LINKS),
        ("en/2017/12/3.xml.gz", "de/2017/12/4.xml.gz", [(["1"], ["77"]), *LINKS]),
    ]
    write(folder / "en-de.xml", links_xml(groups))
    found = stream(folder / "en-de.xml", skip=True)
    assert pairs(found) == EXPECTED
    assert found.census.skipped == {"E203": 2}


def test_links_of_other_languages_are_refused(folder: Path):
    write(folder / "fr-de.xml", links_xml([("fr/1.xml.gz", "de/1.xml.gz", LINKS)]))
    with pytest.raises(InputError, match=r"E201.*not of en-de"):
        list(stream(folder / "fr-de.xml", skip=True))


@pytest.mark.parametrize("declared", ['SYSTEM "file:///etc/hostname"', '"text"'])
def test_an_entity_is_neither_fetched_nor_left_in_the_text(declared: str):
    attack = f'<!DOCTYPE d [<!ENTITY x {declared}>]><d><s id="1">a &x; b</s></d>'.encode()
    with pytest.raises(SyntaxError, match="&x;"):
        read_sentences(io.BytesIO(attack))
    whole = b'<d><s id="1">a &amp; b &#228; &lt;c&gt; &amp;x;</s></d>'
    assert read_sentences(io.BytesIO(whole)) == {"1": "a & b ä <c> &x;"}


def zipped(flags: int = 0, method: int = 8) -> bytes:
    """A zip file of one document, with the flags (1: encrypted) and the packing method that are given."""
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xml/en/1.xml", document_xml(ENGLISH))
    data = bytearray(body.getvalue())
    for start, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = data.index(start) + at
        data[place] |= flags
        data[place + 2] = method
    return bytes(data)


@pytest.mark.parametrize("data", [zipped(flags=1), zipped(method=97), zipped()[:-30], b"PK\x03\x04"])
def test_an_encrypted_or_damaged_zip_file_is_a_coded_error(folder: Path, data: bytes):
    links = write(folder / "en-de.xml", links_xml([("en/1.xml.gz", "de/9.xml.gz", LINKS)])) or folder / "en-de.xml"
    write(folder / "texts.zip", data)
    with pytest.raises(InputError, match="E203"):
        list(stream(links, folder / "texts.zip"))


def test_elements_that_are_not_looked_for_take_no_memory(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(opus, "_MOST_BETWEEN", 1 << 17)
    within = b"<d>" + b"<p><x/><x/></p>" * 4_000 + b'<s id="1">a</s>' + b"<x/>" * 10_000 + b'<s id="2">b</s></d>'
    assert read_sentences(io.BytesIO(within)) == {"1": "a", "2": "b"}
    with pytest.raises(SyntaxError, match="without an element s"):
        read_sentences(io.BytesIO(b"<d>" + b"<x/>" * 100_000 + b"</d>"))


def test_paragraphs_that_were_read_are_forgotten():
    text = b"<d>" + b'<p><x/><s id="1">a</s></p>' * 3 + b"</d>"
    left = [
        len(element.getroottree().findall(".//*"))
        for _, element in opus._elements(io.BytesIO(text), ("end",), ("s",))  # pyright: ignore[reportPrivateUsage]
        if opus._forget(element) is None  # pyright: ignore[reportPrivateUsage]
    ]
    # The file is one chunk, so what follows is parsed already: each sentence takes itself and all before it away.
    assert left == [8, 5, 2]


def test_a_path_that_leaves_its_folder_is_not_opened(folder: Path):
    write(folder / "inner/links.xml", links_xml([("en/../../raw/en/2017/12/3.xml", "de/2017/12/4.xml", LINKS)]))
    with pytest.raises(InputError, match="E203"):
        list(stream(folder / "inner/links.xml", folder / "xml"))


def codes(read: Callable[[], object]) -> set[str]:
    try:
        read()
    except InputError as error:
        return {fault.code for fault in error.faults}
    return set()


@given(st.binary(max_size=80), st.booleans())
def test_any_bytes_are_a_coded_error(data: bytes, within: bool):
    body = links_xml([("en/1.xml", "de/1.xml", LINKS)])
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write(root / "en/1.xml", data if within else document_xml(ENGLISH))
        write(root / "de/1.xml", document_xml(GERMAN))
        write(root / "links.xml", body if within else body[: len(body) // 2] + data)
        assert codes(lambda: list(stream(root / "links.xml"))) <= {"E005", "E201", "E203", "E230"}


TEXT = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=20)


@st.composite
def linked(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str], list[Link]]:
    sides = [
        {str(key): text for key, text in enumerate(draw(st.lists(TEXT, min_size=1, max_size=6)), 1)} for _ in range(2)
    ]
    ids = [st.lists(st.sampled_from(sorted(side)), max_size=3) for side in sides]
    return sides[0], sides[1], draw(st.lists(st.tuples(*ids), max_size=6))


@given(linked(), st.booleans(), st.booleans())
def test_what_links_name_is_what_is_read(
    case: tuple[dict[str, str], dict[str, str], list[Link]], tokenised: bool, reverse: bool
):
    english, german, links = case
    with tempfile.TemporaryDirectory() as directory:
        root = Path(directory)
        write(root / "en/1.xml", document_xml(english, tokenised=tokenised))
        write(root / "de/1.xml.gz", document_xml(german))
        names = ("de/1.xml.gz", "en/1.xml.gz") if reverse else ("en/1.xml.gz", "de/1.xml.gz")
        write(root / "links.xml", links_xml([(*names, turned(links) if reverse else links)]))
        found = stream(root / "links.xml")
        wanted = [
            tuple(
                " ".join(" ".join(side[one] for one in ids).split())
                for side, ids in zip((english, german), link, strict=True)
            )
            for link in links
        ]
        kept = [pair for pair in wanted if all(pair)]
        read: list[tuple[str, str]] = []
        assert codes(lambda: read.extend(pairs(found))) == (set() if kept else {"E005"})
        assert read == kept
