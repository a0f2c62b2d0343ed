"""TMX: as OmegaT writes it and as we do, markup, hostile XML, and outputs in files of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.corpus.faults import FaultLog
from endophora.corpus.formats import open_stream, read_corpus
from endophora.corpus.streams import ReadOptions
from endophora.corpus.tmx import tmx_rows, write_tmx
from endophora.errors import InputError

DATA = Path(__file__).parent.parent / "data"
PAIR = ("en", "de")


def tmx(path: Path, *units: str) -> Path:
    lines = ['<?xml version="1.0"?>', '<tmx version="1.4"><header/><body>', *units, "</body></tmx>"]
    path.write_text("\n".join(lines))
    return path


def unit(source: str, *targets: str, attributes: str = "", inside: str = "") -> str:
    variants = "".join(f'<tuv xml:lang="de-DE"><seg>{target}</seg></tuv>' for target in targets)
    return f'<tu{attributes}>{inside}<tuv xml:lang="EN-us"><seg>{source}</seg></tuv>{variants}</tu>'


def codes(path: Path, *args: object, **outputs: Path) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as caught:
        read_corpus(path, None, PAIR, *args, outputs=outputs)
    return [(fault.code, fault.line) for fault in caught.value.faults]


def test_memories_of_omegat_are_read_and_their_order_is_doubted():
    for name in ("memory.tmx", "memory-level2.tmx"):
        read = read_corpus(DATA / "omegat" / name, None, PAIR)
        (document,) = read.documents
        assert len(document.segments) == 8
        first = document.segments[0]
        assert (first.source, first.references["target"]) == ("Did you see it?", "Hast du ihn gesehen?")
        assert {warning[:6] for warning in read.warnings} == {"[E204]", "[E233]"}


def test_markup_is_kept_out_of_the_text_and_put_back(tmp_path: Path):
    one = unit(
        'The <bpt i="1">&lt;b&gt;</bpt>la<hi>m</hi>p<ept i="1">&lt;/b&gt;</ept>.<ph type="lb"/>It',
        "Die <it pos='end'/>Lampe",
    )
    read = read_corpus(tmx(tmp_path / "x.tmx", one), None, PAIR)
    segment = read.documents[0].segments[0]
    assert (segment.source, segment.references["target"]) == ("The lamp. It", "Die Lampe")
    write_tmx(read, tmp_path / "y.tmx")
    text = (tmp_path / "y.tmx").read_text()
    assert '<seg>The <bpt i="1">&lt;b&gt;</bpt>la<hi>m</hi>p<ept i="1">&lt;/b&gt;</ept>.<ph type="lb"/>It</seg>' in text
    assert read_corpus(tmp_path / "y.tmx", None, PAIR).documents[0].segments[0].codes == segment.codes


def test_units_without_a_translation_are_counted_and_left_out(tmp_path: Path):
    path = tmx(
        tmp_path / "x.tmx", unit("One.", "Eins."), unit("Two."), unit("Three.", " "), unit("Four.", "Vier.", "4.")
    )
    read = read_corpus(path, None, PAIR)
    assert [one.source for one in read.documents[0].segments] == ["One.", "Four."]
    assert "2 segments without a translation were left out" in read.warnings
    assert "1 further variants of a unit in the target language were left out" in read.warnings
    assert len(read_corpus(path, None, PAIR, references=())) == 4


def test_a_further_variant_of_the_source_is_counted(tmp_path: Path):
    one = unit("One.", "Eins.").replace("<tuv", '<tuv xml:lang="en-GB"><seg>1.</seg></tuv><tuv', 1)
    read = read_corpus(tmx(tmp_path / "x.tmx", one), None, PAIR)
    assert "1 further variants of a unit in the source language were left out" in read.warnings


def test_properties_give_documents(tmp_path: Path):
    props = [f'<prop type="file">{name}</prop>' for name in "aab"]
    path = tmx(tmp_path / "x.tmx", *(unit(name, name, inside=one) for name, one in zip("xyz", props, strict=True)))
    assert [(one.id, len(one.segments)) for one in read_corpus(path, None, PAIR).documents] == [("a", 2), ("b", 1)]


_DECLARED = [f'<!ENTITY {one} "{10 * f"&{other};"}">' for other, one in zip("abcdef", "bcdefg", strict=True)]
LAUGHS = f'<!DOCTYPE tmx [<!ENTITY a "ha">{"".join(_DECLARED)}]>\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{LAUGHS}<tmx><body>{unit('&g;', 'x')}</body></tmx>", ("E230", 1)),
        (f'<!DOCTYPE tmx [<!ENTITY a SYSTEM "file:///etc/passwd">]>\n<tmx>{unit("&a;", "x")}</tmx>', ("E230", 1)),
        (f'<!DOCTYPE tmx [<!ENTITY % a SYSTEM "http://a/b">%a;]>\n<tmx>{unit("a", "x")}</tmx>', ("E230", 1)),
        (f'<!DOCTYPE tmx SYSTEM "tmx14.dtd">\n<tmx>\n{unit("&nbsp;", "x")}</tmx>', ("E230", 3)),
        (f"<tmx>\n{unit('One.', 'Eins.')}\n<tu>", ("E230", 3)),
        ("<tmx>\n" + "<tu>" * 100, ("E230", 2)),
        ("<tmx>" + " " * (1 << 25) + "</tmx>", ("E230", 1)),
        ("<html><body/></html>", ("E231", 1)),
        ("", ("E230", 1)),
        (f"<tmx>{unit('One.')}</tmx>", ("E232", None)),
        ('<?xml version="1.0" encoding="klingon"?><tmx/>', ("E230", 1)),
        ('<tmx><tu><tuv xml:lang="fr"><seg>Un</seg></tuv></tu></tmx>', ("E232", None)),
    ],
)
def test_what_is_no_tmx_or_would_do_harm_is_refused(text: str, expected: tuple[str, int], tmp_path: Path):
    (tmp_path / "x.tmx").write_text(text)
    assert expected in codes(tmp_path / "x.tmx")


def test_utf16_as_trados_writes_it(tmp_path: Path):
    text = f'<?xml version="1.0" encoding="utf-16"?>\n<tmx><body>\n{unit("One.", "Über.")}</body></tmx>'
    (tmp_path / "x.tmx").write_bytes(text.encode("utf-16"))
    log = FaultLog()
    (row,) = tmx_rows(tmp_path / "x.tmx", ReadOptions(languages=PAIR), log)
    assert (row.references["target"], row.line, log.total) == ("Über.", 3, 0)


def test_outputs_are_matched_by_source_or_id_not_by_order(tmp_path: Path):
    base = tmx(tmp_path / "x.tmx", unit("Yes.", "Ja."), unit("No.", "Nein."), unit("Yes.", "Doch."))
    turned = tmx(tmp_path / "y.tmx", unit("Yes.", "1"), unit("Yes.", "2"), unit("No.", ""), unit("Else.", "3"))
    read = read_corpus(base, None, PAIR, outputs={"mt": turned})
    assert [one.outputs["mt"] for one in read.documents[0].segments] == ["1", "", "2"]
    assert any(warning.startswith(f"[E391] {turned}") and "line 5" in warning for warning in read.warnings)
    assert f"1 segments of {turned} that the input does not have were left out" in read.warnings

    ids = [f' tuid="{number}"' for number in range(3)]
    base = tmx(tmp_path / "x.tmx", *(unit("Yes.", "Ja.", attributes=one) for one in ids))
    turned = tmx(tmp_path / "y.tmx", *(unit("Yes.", one[-2], attributes=one) for one in reversed(ids)))
    read = read_corpus(base, None, PAIR, outputs={"mt": turned})
    assert [one.outputs["mt"] for one in read.documents[0].segments] == ["0", "1", "2"]
    plain = tmp_path / "mt.txt"
    plain.write_text("a\nb\nc\n")
    assert read_corpus(base, None, PAIR, outputs={"mt": plain}).documents[0].segments[1].outputs == {"mt": "b"}


def test_outputs_that_cannot_be_matched_are_faults(tmp_path: Path):
    base = tmx(tmp_path / "x.tmx", unit("Yes.", "Ja."), unit("No.", "Nein."), unit("Yes.", "Doch."))
    lacking = tmx(tmp_path / "y.tmx", unit("Yes.", "1"))
    assert codes(base, mt=lacking) == [("E234", 4)]
    doubtful = tmx(tmp_path / "y.tmx", unit("Yes.", "1"), unit("Yes.", "2"), unit("Yes.", "3"), unit("No.", "4"))
    assert codes(base, mt=doubtful) == [("E234", 3), ("E234", 5)]
    (tmp_path / "mt.txt").write_text("a\n")
    assert codes(base, mt=tmp_path / "mt.txt") == [("E008", None)]
    assert codes(base, mt=tmp_path / "none.tmx") == [("E001", None), ("E234", 3), ("E234", 4), ("E234", 5)]


def test_a_folder_of_files_is_a_corpus_with_a_document_a_file(tmp_path: Path):
    for name in ("b", "a"):
        tmx(tmp_path / f"{name}.tmx", unit(f"The {name}.", f"Das {name}."))
    (tmp_path / "b.tmx").rename(tmp_path / "b.TMX")
    (tmp_path / "readme").write_text("no corpus")
    read = read_corpus(tmp_path, None, PAIR)
    assert [(one.id, one.segments[0].source) for one in read.documents] == [("a.tmx", "The a."), ("b.TMX", "The b.")]
    streamed = list(open_stream([tmp_path], ReadOptions(languages=PAIR)))
    assert [one.id for one in streamed] == ["a.tmx", "b.TMX"]
