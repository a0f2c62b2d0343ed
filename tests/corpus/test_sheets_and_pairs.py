"""Spreadsheets, subtitles and documents, as LibreOffice, ffmpeg and pysubs2 write them."""

from __future__ import annotations

import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from endophora.corpus.formats import read_corpus, read_parallel
from endophora.corpus.records import Corpus
from endophora.corpus.sheets import write_xlsx
from endophora.errors import InputError

DATA = Path(__file__).parent.parent / "data"
PAIR = ("en", "de")


def faults(read: Callable[[], object]) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as caught:
        read()
    return [(fault.code, fault.line) for fault in caught.value.faults]


def pairs(corpus: Corpus) -> list[tuple[str, str]]:
    return [(one.source, one.references["target"]) for document in corpus.documents for one in document.segments]


@pytest.mark.parametrize("name", ["table.csv", "table.xlsx"])
def test_columns_named_by_languages_and_a_text_of_two_lines(name: str):
    read = read_corpus(DATA / "libreoffice" / name, None, PAIR)
    assert [(document.id, len(document.segments)) for document in read.documents] == [("lamp", 2), ("key", 1)]
    assert pairs(read)[1:] == [
        ('It can still be repaired, they "say".', "Sie lässt sich noch reparieren, „sagt“ man."),
        (
            "My brother has lost his key.\nDid you see it?",
            "Mein Bruder hat seinen Schlüssel verloren.\nHast du ihn gesehen?",
        ),
    ]
    assert [document.segments[0].location.line for document in read.documents] == [2, 4]
    assert read.systems == ("mt",)
    assert "1 segments without a translation were left out" in read.warnings
    assert any("not used: remark" in warning for warning in read.warnings)


def test_each_sheet_with_a_source_is_a_document(tmp_path: Path):
    import openpyxl

    book = openpyxl.Workbook()
    book.active.title = "notes"
    for name in ("lamp", "key"):
        sheet = book.create_sheet(name)
        sheet.append(["Source", "Target"])
        sheet.append([f"The {name} is {7}.", "x"])
        sheet.append([])
        sheet.append([8, 9])
    book.save(tmp_path / "x.xlsx")
    read = read_corpus(tmp_path / "x.xlsx", None, PAIR)
    assert [(document.id, len(document.segments)) for document in read.documents] == [("lamp", 2), ("key", 2)]
    assert "1 sheets without a column “source” were left out" in read.warnings


def test_a_sheet_that_says_to_be_smaller_is_read_to_its_end(tmp_path: Path):
    import openpyxl

    book = openpyxl.Workbook()
    for row in (["source", "target", "", ""], ["One.", "Eins."], ["Two.", "Zwei."]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    with zipfile.ZipFile(tmp_path / "a.xlsx") as archive, zipfile.ZipFile(tmp_path / "b.xlsx", "w") as written:
        for name in archive.namelist():
            written.writestr(name, re.sub(rb'(<dimension ref=)"[^"]*"', rb'\1"A1"', archive.read(name)))
    (tmp_path / "b.xlsx").rename(tmp_path / "b.old")
    assert pairs(read_corpus(tmp_path / "b.old", "xlsx", PAIR)) == [("One.", "Eins."), ("Two.", "Zwei.")]


def test_a_text_that_a_cell_cannot_hold_is_not_cut(tmp_path: Path):
    (tmp_path / "x.csv").write_text(f"source,target\n{'a ' * 16_383}ab,b\n")
    read = read_corpus(tmp_path / "x.csv", None, PAIR)
    assert faults(lambda: write_xlsx(read, tmp_path / "x.xlsx")) == [("E022", None)]


def test_a_text_is_no_formula(tmp_path: Path):
    import openpyxl

    (tmp_path / "x.csv").write_text("source,target\n=1+1,=2\n")
    write_xlsx(read_corpus(tmp_path / "x.csv", None, PAIR), tmp_path / "x.xlsx")
    assert openpyxl.load_workbook(tmp_path / "x.xlsx").active["B2"].data_type == "s"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('source,target\none,"eins\n', [("E237", 2)]),
        ('source,target\none,"eins"x\n', [("E237", 2)]),
        ("source,target\none\n\ntwo,zwei\n", [("E017", 2)]),
        ("a,b\none,eins\n", [("E016", 1)]),
        ("", [("E005", None), ("E016", 1)]),
    ],
)
def test_malformed_csv(text: str, expected: list[tuple[str, int]], tmp_path: Path):
    (tmp_path / "x.csv").write_text(text)
    assert faults(lambda: read_corpus(tmp_path / "x.csv", None, PAIR)) == expected


def test_of_a_csv_in_another_encoding_no_columns_are_missed(tmp_path: Path):
    (tmp_path / "x.csv").write_bytes("source;target\na;b\n".encode("utf-16"))
    assert faults(lambda: read_corpus(tmp_path / "x.csv", None, PAIR)) == [("E006", 1)]


def test_csv_says_what_is_between_the_fields_as_excel_does(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text("sep=;\nen;de\n1, 2, 3, 4;eins, zwei\nOne.;\n;x;y\n", "utf-8")
    assert faults(lambda: read_corpus(path, None, PAIR)) == [("E017", 5)]
    path.write_text('"sep=|"\nen|de\n1; 2|"eins\nzwei"\nTwo.|Zwei.\n', "utf-8")
    read = read_corpus(path, None, PAIR)
    assert pairs(read) == [("1; 2", "eins\nzwei"), ("Two.", "Zwei.")]
    assert [one.location.line for one in read.documents[0].segments] == [3, 5]


def test_long_fields_that_are_not_read_do_not_matter(tmp_path: Path):
    path = tmp_path / "x.csv"
    path.write_text(f"en,de,note\nOne.,Eins.,{'x' * 200_000}\n", "utf-8")
    assert pairs(read_corpus(path, None, PAIR)) == [("One.", "Eins.")]
    path.write_text(f"en,de,note\nOne.,{'x' * 200_000},y\n", "utf-8")
    assert faults(lambda: read_corpus(path, None, PAIR)) == [("E345", 2)]


def test_many_cues_at_once_take_no_square_of_time(tmp_path: Path):
    cues = "".join(f"{number}\n00:00:00,000 --> 01:00:00,000\nx.\n\n" for number in range(1, 3_000))
    for name in ("a.srt", "b.srt"):
        (tmp_path / name).write_text(cues, "utf-8")
    begun = time.process_time()
    read_parallel(tmp_path / "a.srt", [tmp_path / "b.srt"], languages=PAIR)
    # 9 million pairs take some 8 s.
    assert time.process_time() - begun < 3


def test_what_is_no_workbook_or_unpacks_without_end(tmp_path: Path):
    path = tmp_path / "x.xlsx"
    path.write_text("source,target")
    assert faults(lambda: read_corpus(path, None, PAIR)) == [("E238", None)]
    for size, code in ((1, "E238"), (1 << 26, "E346")):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("xl/workbook.xml", " " * size)
        assert faults(lambda: read_corpus(path, None, PAIR)) == [(code, None)]
        path.replace(tmp_path / "x.docx")
        document = tmp_path / "x.docx"
        assert (code, None) in faults(lambda one=document: read_parallel(one, [one]))
    assert faults(lambda: read_corpus(tmp_path / "none.xlsx", None, PAIR)) == [("E001", None)]


SPOKEN = [
    ("The lamp on the table is broken.", "Die Lampe auf dem Tisch ist kaputt."),
    (
        "It can still be repaired. Take it to the shop.",
        "Sie lässt sich noch reparieren. Bringen Sie sie in den Laden.",
    ),
    ("They are open until six.", "Sie haben bis sechs geöffnet."),
    ("My brother has lost his key.", "Mein Bruder hat seinen Schlüssel verloren."),
]


def test_cues_are_joined_to_sentences_and_paired_by_their_times():
    source = DATA / "ffmpeg" / "en.vtt"
    target, other = DATA / "ffmpeg" / "de.srt", DATA / "pysubs2" / "de.vtt"
    read = read_parallel(source, [f"target={target}"], None, [f"mt={other}"])
    assert pairs(read) == SPOKEN
    assert [one.outputs["mt"] for one in read.documents[0].segments] == [german for _, german in SPOKEN]
    assert [one.location.line for one in read.documents[0].segments] == [3, 9, 13, 16]
    assert read.documents[0].id == "en.vtt"
    assert "2 tags of subtitles were left out of the text" in read.warnings
    assert "2 sentences without a counterpart in the source were left out" in read.warnings


CUE = "1\n00:00:0{},000 --> 00:00:0{},000\n{}\n\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (CUE.format(3, 2, "One."), [("E239", 2)]),
        (CUE.format(1, 2, "One.") + "Two.\n\n", [("E239", 5)]),
        (CUE.format(1, 2, "One.") + "2\nTwo.", [("E239", 6)]),
        ("", [("E005", None)]),
    ],
)
def test_malformed_subtitles(text: str, expected: list[tuple[str, int]], tmp_path: Path):
    for name, content in (("x.srt", text), ("y.srt", CUE.format(1, 2, "Eins."))):
        (tmp_path / name).write_text(content)
    assert faults(lambda: read_parallel(tmp_path / "x.srt", [tmp_path / "y.srt"])) == expected


def test_references_to_characters_are_those_of_webvtt_alone(tmp_path: Path):
    for name, head in (("x.vtt", "WEBVTT\n\n"), ("y.srt", "")):
        (tmp_path / name).write_text(head + CUE.format(1, 2, "<i>Tom</i> &amp; &lt;b&gt;."))
    read = read_parallel(tmp_path / "x.vtt", [f"target={tmp_path / 'y.srt'}"])
    assert pairs(read) == [("Tom & <b>.", "Tom &amp; &lt;b&gt;.")]


def test_a_document_reads_as_with_all_changes_accepted(tmp_path: Path):
    import docx
    from lxml import etree

    inner = "<w:r><w:t>{}</w:t></w:r>"
    parts = {
        "ins": inner.format("was"),
        "del": inner.format("is").replace("w:t>", "w:delText>"),
        "sdt": f"<w:sdtContent>{inner.format(' here')}</w:sdtContent>",
        "moveFrom": inner.format("no"),
    }
    box = f"<w:r><w:txbxContent><w:p>{inner.format('Box.')}</w:p></w:txbxContent></w:r>"
    document = docx.Document()
    paragraph = document.add_paragraph("It ")
    for name, content in parts.items():
        space = document.element.nsmap["w"]
        paragraph._p.append(etree.fromstring(f'<w:{name} xmlns:w="{space}">{content}</w:{name}>'))
    both = f"<m:Choice>{box}</m:Choice><m:Fallback>{box}</m:Fallback>"
    spaces = f'xmlns:w="{space}" xmlns:m="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    paragraph._p.append(etree.fromstring(f"<m:AlternateContent {spaces}>{both}</m:AlternateContent>"))
    document.save(str(tmp_path / "x.docx"))
    read = read_parallel(tmp_path / "x.docx", [f"target={tmp_path / 'x.docx'}"])
    assert pairs(read) == [("It was here", "It was here"), ("Box.", "Box.")]


def test_documents_are_paired_paragraph_by_paragraph(tmp_path: Path):
    english, german = DATA / "libreoffice" / "en.docx", DATA / "libreoffice" / "de.docx"
    read = read_parallel(english, [f"target={german}"])
    assert pairs(read)[0] == ("The lamp on the table is broken.", "Die Lampe auf dem Tisch ist kaputt.")
    assert pairs(read)[3][0] == "My brother has lost his key. He cannot get in."
    assert pairs(read)[4:] == [("Open", "Geöffnet"), ("Six o'clock", "Sechs Uhr")]
    import docx

    docx.Document(str(german)).save(str(tmp_path / "a.docx"))
    longer = docx.Document(str(german))
    longer.add_paragraph("Ende.")
    longer.save(str(tmp_path / "b.docx"))
    assert faults(lambda: read_parallel(english, [tmp_path / "a.docx", tmp_path / "b.docx"])) == [("E008", None)]
    assert faults(lambda: read_parallel(english, [DATA / "ffmpeg" / "de.srt"])) == [("E098", None)]
