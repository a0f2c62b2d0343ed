"""SGML of WMT and IWSLT's XML: the same segments as sacreBLEU takes out of them, matched by document and id."""

from __future__ import annotations

from pathlib import Path
from time import process_time

import pytest
from sacrebleu.dataset import DATASETS

from endophora.corpus.formats import read_corpus, read_parallel
from endophora.corpus.records import Corpus
from endophora.errors import InputError

PAIR = ("en", "de")
SOURCE = """<srcset setid="newstest2018" srclang="any">
<doc sysid="ref" docid="bild.1" genre="news" origlang="de">
<p>
<seg id="1">Tom said: "No."</seg>
<seg id="2">It  broke.</seg>
</p>
</doc>
<doc sysid="ref" docid="sky.2" genre="news" origlang="en">
<hl>
<seg id="1">My key, 3 > 2.</seg>
</hl>
</doc>
</srcset>
"""
REFERENCE = (
    SOURCE.replace("srcset", "refset")
    .replace('srclang="any"', 'srclang="any" trglang="de"')
    .replace('Tom said: "No."', "Tom sagte: nein.")
    .replace("It  broke.", "Es brach.")
    .replace("My key, 3 > 2.", "Mein Schlüssel, 3 > 2.")
)
OUTPUT = REFERENCE.replace("refset", "tstset").replace("Es brach.", "Er  brach\n entzwei &amp; so.")
# As in IWSLT17.TED.tst2015.en-de.en.xml.
TED = """<?xml version="1.0" encoding="UTF-8"?>
<mteval>
<srcset setid="iwslt2017-tst2015" srclang="english">
<doc docid="1939" genre="lectures">
<url>http://www.ted.com/talks/x</url>
<keywords>talks</keywords>
<title>A talk</title>
<seg id="1"> Thank you. </seg>
<seg id="2"> It is my lamp. </seg>
</doc>
</srcset>
</mteval>
"""


def _write(folder: Path, **texts: str) -> dict[str, str]:
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, "utf-8")
    return {name: str(folder / name.replace("_", ".")) for name in texts}


def _read(folder: Path, **changed: str) -> Corpus:
    files = _write(folder, **({"src_sgm": SOURCE, "ref_sgm": REFERENCE, "tst_sgm": OUTPUT} | changed))
    return read_parallel(files["src_sgm"], [f"ref={files['ref_sgm']}"], None, [f"mt={files['tst_sgm']}"], PAIR)


def test_segments_are_those_that_sacrebleu_reads(tmp_path: Path):
    read = _read(tmp_path)
    data = DATASETS["wmt18"]
    for name in ("src", "ref"):
        data._convert_format(str(tmp_path / f"{name}.sgm"), str(tmp_path / name))
    data._convert_meta(str(tmp_path / "src.sgm"), "docid", str(tmp_path / "ids"))
    segments = [(document.id, one) for document in read.documents for one in document.segments]
    assert [one.source for _, one in segments] == (tmp_path / "src").read_text("utf-8").splitlines()
    assert [one.references["ref"] for _, one in segments] == (tmp_path / "ref").read_text("utf-8").splitlines()
    assert [name for name, _ in segments] == (tmp_path / "ids").read_text("utf-8").splitlines()
    assert [one.location.line for _, one in segments] == [4, 5, 10]
    assert segments[1][1].outputs == {"mt": "Er brach entzwei & so."}


def test_segments_are_matched_by_document_and_id(tmp_path: Path):
    head, first, second = REFERENCE.partition("<doc")[0], REFERENCE[REFERENCE.index("<doc") :], ""
    first, _, second = first.partition("</doc>")
    turned = f"{head}{second.replace('</refset>', '')}{first}</doc></refset>"
    read = _read(tmp_path, ref_sgm=turned)
    assert [one.references["ref"][:3] for document in read.documents for one in document.segments] == [
        "Tom",
        "Es ",
        "Mei",
    ]


def test_iwslt_and_plain_text_beside_it(tmp_path: Path):
    german = TED.replace("srcset", "refset").replace("Thank you.", "Danke.").replace("It is my lamp.", "Meine Lampe.")
    files = _write(tmp_path, en_xml=TED, de_xml=german, mt_txt="Danke!\nDas ist sie.\n")
    read = read_parallel(files["en_xml"], [files["de_xml"]], None, [files["mt_txt"]], PAIR)
    (document,) = read.documents
    assert (document.id, [one.source for one in document.segments]) == ("1939", ["Thank you.", "It is my lamp."])
    assert [one.outputs["mt"] for one in document.segments] == ["Danke!", "Das ist sie."]
    (tmp_path / "mt.txt").write_text("Danke!\n")
    with pytest.raises(InputError, match=r"E008.*1 lines, but 2 segments"):
        read_parallel(files["en_xml"], [files["de_xml"]], None, [files["mt_txt"]], PAIR)


def test_one_file_with_everything(tmp_path: Path):
    (tmp_path / "all.sgm").write_text(f"<mteval>\n{SOURCE}{REFERENCE}{OUTPUT}</mteval>")
    read = read_corpus(tmp_path / "all.sgm", None, PAIR)
    assert (len(read), read.references, read.systems) == (3, ("ref",), ("ref",))


def test_a_tag_of_one_long_word_is_read_in_a_moment(tmp_path: Path):
    """Found by damaged files: 60,000 letters took 22 seconds of processor time."""
    long = SOURCE.replace("<srcset ", f"<srcset {'a' * 200_000} ")
    begin = process_time()
    assert len(_read(tmp_path, src_sgm=long)) == 3
    assert process_time() - begin < 5


@pytest.mark.parametrize(
    ("part", "old", "new", "code", "line"),
    [
        ("ref_sgm", '<seg id="2">Es brach.</seg>', "", "E257", 4),
        ("ref_sgm", '<seg id="2">', '<seg id="1">', "E257", 5),
        ("src_sgm", "It  broke.</seg>", "It broke.", "E230", 5),
        ("src_sgm", '<srcset setid="newstest2018" srclang="any">', "", "E230", 4),
        ("tst_sgm", "<tstset", '<!DOCTYPE x [<!ENTITY a "b">]><tstset', "E230", 1),
        ("tst_sgm", "<doc sysid=\"ref\" docid=\"sky.2\"", "<doc sysid=\"b\" docid=\"sky.2\"", "E235", None),
    ],
)  # fmt: skip
def test_what_is_not_as_published_is_refused(
    part: str, old: str, new: str, code: str, line: int | None, tmp_path: Path
):
    text = {"src_sgm": SOURCE, "ref_sgm": REFERENCE, "tst_sgm": OUTPUT}[part]
    assert old in text
    with pytest.raises(InputError) as caught:
        _read(tmp_path, **{part: text.replace(old, new)})
    assert (caught.value.faults[0].code, caught.value.faults[0].line) == (code, line)


def test_a_document_of_another_name_is_named_in_the_file_that_has_it(tmp_path: Path):
    with pytest.raises(InputError) as caught:
        _read(tmp_path, tst_sgm=OUTPUT.replace('docid="sky.2"', 'docid="skye"'))
    (fault,) = caught.value.faults
    assert (fault.code, Path(fault.file).name) == ("E257", "tst.sgm")
    assert "system mt has no document “sky.2”; it has " in fault.cause


def test_surplus_segments_are_counted(tmp_path: Path):
    read = _read(tmp_path, tst_sgm=OUTPUT.replace("</tstset>", '<doc docid="x"><seg id="1">y</seg></doc></tstset>'))
    assert any("1 segments of translations that the source" in warning for warning in read.warnings)
