"""WMT's XML: the same segments as sacreBLEU takes out of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from endophora.corpus.formats import read_corpus
from endophora.errors import InputError

TEXT = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="test">
  <collection id="general">
  <doc origlang="en" id="lamp">
    <src lang="en"><p>
      <seg id="1">The lamp &amp; the table.</seg>
      <seg id="2"> It is broken. </seg></p>
      <p><seg id="3">Open.</seg></p>
    </src>
    <ref lang="de" translator="A"><p><seg id="1">Die Lampe &amp; der Tisch.</seg>
      <seg id="2">Sie ist kaputt.</seg></p><p><seg id="3">Offen.</seg></p></ref>
    <hyp system="mt" language="de"><p><seg id="1">x</seg><seg id="2">y</seg><seg id="3">z</seg></p></hyp>
  </doc>
  <doc origlang="en" id="key">
    <src lang="en"><p><seg id="1">My key.</seg></p></src>
    <ref lang="de" translator="A"><p><seg id="1">Mein Schlüssel.</seg></p></ref>
    <hyp system="mt" language="de"><p><seg id="1">w</seg></p></hyp>
  </doc>
  <doc origlang="en" id="other"><src lang="en"><p><seg id="1">No.</seg></p></src></doc>
  </collection>
</dataset>
"""


def test_segments_are_those_that_sacrebleu_reads(tmp_path: Path):
    path = tmp_path / "x.xml"
    path.write_text(
        TEXT.replace('  <doc origlang="en" id="other">', "<!--").replace("No.</seg></p></src></doc>", "-->")
    )
    unwrapped = WMTXMLDataset._unwrap_wmt21_or_later(str(path))
    path.write_text(TEXT)
    read = read_corpus(path, None, ("en", "de"))
    segments = [(document.id, one) for document in read.documents for one in document.segments]
    assert [one.source for _, one in segments] == unwrapped["src"]
    assert [one.references["A"] for _, one in segments] == unwrapped["ref:A"]
    assert [one.outputs["mt"] for _, one in segments] == unwrapped["mt"]
    assert [name for name, _ in segments] == unwrapped["docid"] == ["lamp"] * 3 + ["key"]
    assert [one.location.line for _, one in segments] == [6, 7, 8, 15]
    assert any("1 documents of WMT's XML" in warning for warning in read.warnings)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('<seg id="2">y</seg>', "", 7),
        ('<seg id="1">w</seg>', '<seg id="1">w</seg><seg id="1">v</seg>', 17),
        ('key.</seg></p></src>', 'key.</seg></p></src><ref lang="de" translator="A"/>', 16),
    ],
)  # fmt: skip
def test_translations_that_do_not_have_the_segments_of_the_source_are_faults(
    old: str, new: str, line: int, tmp_path: Path
):
    path = tmp_path / "x.xml"
    path.write_text(TEXT.replace(old, new))
    with pytest.raises(InputError) as caught:
        read_corpus(path, None, ("en", "de"))
    assert [(fault.code, fault.line) for fault in caught.value.faults][:1] == [("E257", line)]


def test_a_file_of_other_languages_names_them(tmp_path: Path):
    (tmp_path / "x.xml").write_text(TEXT)
    with pytest.raises(InputError, match=r"E232.*no document is in en and fr; there are: .*en-de"):
        read_corpus(tmp_path / "x.xml", None, ("en", "fr"))


def test_segments_that_the_source_does_not_have_are_left_out_and_counted(tmp_path: Path):
    path = tmp_path / "x.xml"
    path.write_text(TEXT.replace('<seg id="2">y</seg>', '<seg id="2">y</seg><seg id="4">y</seg>'))
    read = read_corpus(path, None, ("en", "de"))
    assert len(read) == 4
    assert any("1 segments of translations that the source does not have" in warning for warning in read.warnings)
