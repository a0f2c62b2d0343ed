"""XLIFF and PO: as other programs write them, and markup that comes back."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from endophora.corpus.formats import read_corpus
from endophora.corpus.records import Corpus
from endophora.corpus.xliff import write_xliff, write_xliff_2
from endophora.errors import InputError

DATA = Path(__file__).parent.parent / "data"
PAIR = ("en", "de")
LAMPS = [
    ("lamp.py", "The lamp on the table is broken.", "Die Lampe auf dem Tisch ist kaputt."),
    ("lamp.py", "It can still be repaired, %(name)s.", "Sie lässt sich noch reparieren, %(name)s."),
    ("lamp.py", "Open", "Öffnen"),
    ("lamp.py", "Open", "Geöffnet"),
    ("lamp.py", "{count} lamp was repaired.", "{count} Lampe wurde repariert."),
    ("lamp.py", "{count} lamps were repaired.", "{count} Lampen wurden repariert."),
    ("key.py", 'He cannot get into the house.\nDid you see "it"?', "Er kommt nicht ins Haus.\nHast du „ihn“ gesehen?"),
]


def triples(corpus: Corpus) -> list[tuple[str, str, str]]:
    return [
        (document.id, segment.source, segment.references["target"])
        for document in corpus.documents
        for segment in document.segments
    ]


def codes(path: Path, pair: tuple[str, str] = PAIR) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as caught:
        read_corpus(path, None, pair)
    return [(fault.code, fault.line) for fault in caught.value.faults]


def test_a_catalogue_of_gettext():
    read = read_corpus(DATA / "gettext" / "de.po", None, PAIR)
    assert triples(read) == LAMPS
    assert [one.location.line for one in read.documents[1].segments] == [43]
    assert set(read.warnings) == {
        "1 fuzzy messages count as not translated",
        "2 segments without a translation were left out",
        "1 obsolete messages were left out",
    }
    assert len(read_corpus(DATA / "gettext" / "de.po", None, PAIR, references=())) == 9


def test_a_catalogue_of_po4a_whose_header_names_no_language():
    read = read_corpus(DATA / "po4a" / "house.de.po", None, PAIR)
    assert triples(read)[1:3] == [
        (
            "doc.md",
            "Mary has bought a **house**. It has a red door.",
            "Maria hat ein **Haus** gekauft. Es hat eine rote Tür.",
        ),
        ("doc.md", "The lamp is broken.", "Die Lampe ist kaputt."),
    ]
    assert len(read) == 5


def test_xliff_of_qt_linguist():
    read = read_corpus(DATA / "qt" / "door.de.xlf", None, PAIR)
    pairs = [(source, target) for _, source, target in triples(read)]
    assert pairs[1] == ("It can be repaired, %1 says.", "Sie lässt sich reparieren, sagt %1.")
    assert [target for source, target in pairs if "file(s)" in source] == [
        "Öffne <b>%n</b> Datei",
        "Öffne <b>%n</b> Dateien",
    ]
    assert len(pairs) == 5  # one message has no translation


def test_the_same_catalogue_as_translate_toolkit_writes_it():
    xliff = read_corpus(DATA / "translate-toolkit" / "de.xlf", None, PAIR)
    assert [row[1:] for row in triples(xliff)][:7] == [row[1:] for row in LAMPS]
    assert [document.id for document in xliff.documents] == ["de.po"]
    memory = read_corpus(DATA / "translate-toolkit" / "de.tmx", None, PAIR)
    assert [row[1:] for row in triples(memory)] == [row[1:] for row in LAMPS]


@pytest.mark.parametrize("name", ["v12.xlf", "v2.xlf"])
def test_files_with_indents_and_markup(name: str, tmp_path: Path):
    read = read_corpus(DATA / "npm-xliff" / name, None, PAIR)
    lamp = "" if name == "v12.xlf" else "lamp"  # version 1.2 has it within a code
    assert triples(read) == [
        (
            "lamp.html",
            f"The {lamp} on the table is broken.",
            f"Die {lamp.replace('lamp', 'Lampe')} auf dem Tisch ist kaputt.",
        ),
        (
            "lamp.html",
            "It can still be repaired in Mill Street.",
            "Sie lässt sich noch reparieren, in der Mühlenstraße.",
        ),
        ("key.txt", "My brother has lost his key.", "Mein Bruder hat seinen Schlüssel verloren."),
    ]
    assert "1 segments without a translation were left out" in read.warnings
    write, path = (write_xliff, tmp_path / "x.xlf") if name == "v12.xlf" else (write_xliff_2, tmp_path / "x.xlf")
    write(read, path)
    again = read_corpus(path, None, PAIR)
    assert triples(again) == triples(read)
    whole = [(one.id, one.codes) for document in read.documents for one in document.segments]
    assert [(one.id, one.codes) for document in again.documents for one in document.segments] == whole
    assert any(marks for _, marks in whole)


def test_segments_that_are_marked_within_a_unit(tmp_path: Path):
    path = tmp_path / "x.xlf"
    path.write_text(
        '<xliff version="1.2"><file original="a" source-language="en" target-language="de"><body>\n<trans-unit id="1">'
        '<source>One. Two.</source><seg-source><mrk mtype="seg" mid="1">One.</mrk> <g id="1"><mrk mtype="seg" mid="2">'
        'Two.</mrk></g></seg-source><target><mrk mtype="seg" mid="1">Eins.</mrk> <mrk mtype="seg" mid="2">Zwei.</mrk>'
        "</target></trans-unit></body></file></xliff>"
    )
    assert triples(read_corpus(path, None, PAIR)) == [("a", "One.", "Eins."), ("a", "Two.", "Zwei.")]
    assert codes(path, ("en", "fr")) == [("E232", 1)]
    whole = path.read_text()
    path.write_text(whole.replace('mid="2"', 'mid="1"'))
    assert triples(read_corpus(path, None, PAIR)) == [("a", "One.", "Eins."), ("a", "Two.", "Zwei.")]
    path.write_text(whole)
    path.write_text(re.sub(r"(<target>.*)</target>", "<target>Eins. Zwei.</target>", path.read_text()))
    assert triples(read_corpus(path, None, PAIR)) == [("a", "One. Two.", "Eins. Zwei.")]


PO = 'msgid ""\nmsgstr "Language: de\\n"\n\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PO + 'msgid "One."\nmsgstr "Eins."\nmsgsrt "x"\n', [("E236", 6)]),
        (PO + 'msgid "One."\nmsgstr "Eins."\n\nmsgid "Two."\n', [("E236", 7)]),
        (PO + '"One."\n', [("E236", 4)]),
        (PO + 'msgid "One\nmsgstr "Eins."\n', [("E236", 4), ("E236", 5)]),
        (PO.replace("de", "fr") + 'msgid "One."\nmsgstr "Un."\n', [("E232", 1)]),
        ("", [("E005", None)]),
    ],
)
def test_malformed_catalogues(text: str, expected: list[tuple[str, int]], tmp_path: Path):
    (tmp_path / "x.po").write_text(text)
    assert codes(tmp_path / "x.po") == expected


def test_escapes_of_a_catalogue(tmp_path: Path):
    (tmp_path / "x.po").write_text(r'msgid "a\"\\\t\x41\1018\9"' + '\nmsgstr "b"\n')
    assert triples(read_corpus(tmp_path / "x.po", None, PAIR)) == [("x.po", 'a"\\\tAA89', "b")]


def test_a_file_that_comes_back_in_the_references_is_another_document(tmp_path: Path):
    rows = "".join(f'#: {file}:1\nmsgid "{file} {n}"\nmsgstr "x"\n\n' for n, file in enumerate(("a b", "c", "a b")))
    (tmp_path / "x.po").write_text(rows.replace("a b:", "\u2068a b\u2069:"))
    read = read_corpus(tmp_path / "x.po", None, PAIR)
    assert [document.id for document in read.documents] == ["a b", "c", "a b#2"]


def test_escapes_are_bytes_of_utf_8(tmp_path: Path):
    path = tmp_path / "x.po"
    path.write_text('msgid "It\\x27s \\303\\244\\t"\nmsgstr "Stra\\xc3\\x9fe \\"z\\""\n', "utf-8")
    assert triples(read_corpus(path, None, PAIR)) == [("x.po", "It's ä\t", 'Straße "z"')]
    path.write_text('msgid "a"\nmsgstr "\\xe4"\n', "utf-8")
    assert codes(path)[0] == ("E236", 2)


def test_catalogues_of_one_program_are_documents_of_their_own(tmp_path: Path):
    for name in ("a.po", "b.po"):
        (tmp_path / name).write_text(f'#: lamp.py:2\nmsgid "One {name}"\nmsgstr "Eins {name}"\n', "utf-8")
    read = read_corpus(tmp_path, None, PAIR)
    assert [document.id for document in read.documents] == ["lamp.py", "lamp.py (b.po)"]
    assert "1 documents that are in several files of the folder count as one for each file" in read.warnings


def test_an_output_that_is_not_there_is_said_to_be_given_as_a_file():
    with pytest.raises(InputError, match=r"E024.*given as NAME=FILE"):
        read_corpus(DATA / "gettext" / "de.po", None, PAIR, systems=["mt"])
