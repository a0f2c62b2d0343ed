"""Translations put into the user's own files: what is read back, what stays, and where markup goes."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import command
from endophora.align import markup
from endophora.align.markup import place_markup
from endophora.annotate.records import AnnotatedText, Token
from endophora.corpus.filling import Marked, fill
from endophora.corpus.formats import read_corpus
from endophora.corpus.records import Code
from endophora.corpus.streams import ReadOptions
from endophora.corpus.xml import with_codes
from endophora.errors import InputError

DATA = Path(__file__).parent.parent / "data"
PAIR = ("en", "de")
FILES = ("npm-xliff/v12.xlf", "npm-xliff/v2.xlf", "translate-toolkit/de.xlf", "gettext/de.po")
SEGMENTED = """<?xml version="1.0"?>
<x:xliff xmlns:x="urn:oasis:names:tc:xliff:document:1.2" version="1.2"><!-- kept -->
<x:file original="a" source-language="en" target-language="de" datatype="plaintext"><x:body>
<x:trans-unit id="1"><x:source>One. Two.</x:source><x:seg-source><x:mrk mtype="seg" mid="1">One.</x:mrk> <x:mrk
  mtype="seg" mid="2">Two <x:g id="1">here</x:g>.</x:mrk></x:seg-source></x:trans-unit>
<x:trans-unit id="2"><x:source>Three &amp; four.</x:source><x:target state='new'/><x:note>n</x:note></x:trans-unit>
<x:trans-unit id="3"><x:source>Five.</x:source><x:target>Fünf.</x:target></x:trans-unit>
</x:body></x:file></x:xliff>
"""


def _sources(path: Path) -> list[str]:
    read = read_corpus(path, "po" if ".po" in path.name else "xliff", PAIR, references=())
    return [segment.source for document in read.documents for segment in document.segments]


def at_the_end(marked: Sequence[Marked]) -> list[tuple[Code, ...]]:
    """Place markup without an aligner."""
    ends = (len(one.translation) for one in marked)
    return [
        tuple(code._replace(start=end, end=end) for code in one.codes) for one, end in zip(marked, ends, strict=True)
    ]


def _filled(path: Path, to: Path, texts: list[str]) -> list[str]:
    form = "po" if path.suffix == ".po" else "xliff"
    fill(path, to, form, texts, ReadOptions(languages=PAIR, references=()), at_the_end)
    read = read_corpus(to, form, PAIR, references=None)
    return [segment.references["target"] for document in read.documents for segment in document.segments]


@pytest.mark.parametrize("name", FILES)
def test_what_is_filled_in_is_read_back(name: str, tmp_path: Path):
    path, to = DATA / name, tmp_path / f"x{Path(name).suffix}"
    texts = [f"Satz {number}: „ß“ & <b> \\ ." for number, _ in enumerate(_sources(path))]
    found = _filled(path, to, texts)
    # A tag that breaks the line is a blank of the text.
    assert [text.replace(" ", "") for text in found] == [text.replace(" ", "") for text in texts]
    assert _sources(to) == _sources(path)
    kept = re.compile(r"<!--.*?-->|<note>.*?</note>|^#[:~].*$", re.M)
    assert kept.findall(to.read_text("utf-8")) == kept.findall(path.read_text("utf-8"))
    # Filled in once more, the same comes out.
    again = tmp_path / "again"
    assert _filled(to, again, texts) == found
    assert again.read_bytes() == to.read_bytes()


@pytest.mark.parametrize("name", FILES)
def test_nothing_changes_where_there_is_no_translation(name: str, tmp_path: Path):
    path = DATA / name
    _filled(path, tmp_path / "x", [""] * len(_sources(path)))
    assert (tmp_path / "x").read_bytes() == path.read_bytes()


def test_segments_of_a_unit_states_prefixes_and_empty_targets(tmp_path: Path):
    path, to = tmp_path / "a.xlf", tmp_path / "b.xlf"
    path.write_text(SEGMENTED, "utf-8")
    assert _sources(path) == ["One.", "Two here.", "Three & four.", "Five."]
    assert _filled(path, to, ["Eins.", "Zwei hier.", "Drei & vier.", ""]) == [
        "Eins.",
        "Zwei hier.",
        "Drei & vier.",
        "Fünf.",
    ]
    text = to.read_text("utf-8")
    assert "<x:target state='translated'>Drei &amp; vier.</x:target><x:note>n</x:note>" in text
    assert '<x:target><x:mrk mtype="seg" mid="1">Eins.</x:mrk> <x:mrk' in text
    assert 'Zwei hier.<x:g id="1"></x:g></x:mrk></x:target></x:trans-unit>' in text
    assert text.replace("\n", "").count("<x:target") == 3


GUARDED = """<xliff version="1.2"><file original="a" source-language="en" target-language="de" datatype="plaintext">
<body><!-- <group translate="no"> --><trans-unit id="1"><source>One.</source></trans-unit>
<trans-unit id="2" translate="no"><source>ACME</source><target>ACME</target></trans-unit>
<group translate="no"><trans-unit id="3"><source>Build</source></trans-unit>
<trans-unit id="4" translate="yes"><source>Four.</source></trans-unit></group>
<trans-unit id="5"><source>Five.</source></trans-unit></body></file></xliff>
"""


def test_what_is_not_to_be_translated_stays_as_it_is(tmp_path: Path):
    (tmp_path / "a.xlf").write_text(GUARDED, "utf-8")
    texts = ["Eins.", "GIPFEL", "Bau", "Vier.", "Fünf."]
    options = ReadOptions(languages=PAIR, references=())
    assert fill(tmp_path / "a.xlf", tmp_path / "b.xlf", "xliff", texts, options, at_the_end) == 2
    written = (tmp_path / "b.xlf").read_text("utf-8")
    assert re.findall("<target>(.*?)</target>", written) == ["Eins.", "ACME", "Vier.", "Fünf."]


def test_markup_follows_its_words():
    bold, end, line = (
        Code(4, 4, "xliff", '<g id="1">'),
        Code(14, 14, "xliff", "</g>"),
        Code(15, 15, "xliff", '<x id="2"/>'),
    )
    marked = Marked("The green lamp is broken.", (bold, end, line), "Kaputt ist die grüne Lampe.")
    (codes,) = place_markup([marked], *PAIR)
    written = with_codes(marked.translation, codes, "xliff")
    assert '<g id="1">grüne Lampe</g>' in written
    assert written.index("<x ") < written.index("<g ")


TAGS = ('<g id="1">', "</g>", '<x id="3"/>', "<bpt>b</bpt>", "<ept>e</ept>", '<pc id="2">', "</pc>", "<ph/>")
WORDS = st.lists(st.sampled_from(["the", "lamp", "is", "die", "Lampe", "."]), min_size=1, max_size=6).map(" ".join)


def _read(text: str) -> AnnotatedText:
    starts = [found.span() for found in re.finditer(r"\S+", text)]
    tokens = (Token(text[a:b], "", "X", "", {}, -1, "", "", a, b) for a, b in starts)
    return AnnotatedText(text, tuple(tokens))


@settings(max_examples=60)
@given(
    WORDS,
    WORDS,
    st.lists(st.tuples(st.sampled_from(TAGS), st.integers(0, 20)), max_size=6),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
)
def test_all_markup_is_put_back_and_pairs_never_cross(
    source: str, target: str, tags: list[tuple[str, int]], links: set[tuple[int, int]]
):
    places = sorted(min(place, len(source)) for _, place in tags)
    codes = tuple(Code(place, place, "x", tag) for place, (tag, _) in zip(places, tags, strict=True))
    left, right = _read(source), _read(target)
    possible = {(a, b) for a, b in links if a < len(left.tokens) and b < len(right.tokens)}
    placed = markup.placed(Marked(source, codes, target), left, right, possible)
    assert sorted(code.written for code in placed) == sorted(code.written for code in codes)
    assert [code.start for code in placed] == sorted(code.start for code in placed)
    assert re.sub(r"<[^>]*>|\b[be](?=<)", "", with_codes(target, placed, "x")) == target

    def balanced(held: tuple[Code, ...]) -> bool:
        depth: list[str] = []
        for name in (code.written.strip("</>").partition(" ")[0] + code.written[1] for code in held):
            if name in ("gg", "pcp"):
                depth.append(name.rstrip("gp/"))
            elif name in ("g/", "pc/") and (not depth or depth.pop() != name.rstrip("gp/")):
                return False
        return not depth

    assert balanced(placed) or not balanced(codes)


def test_the_command_fills_and_refuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = DATA / "npm-xliff/v12.xlf"
    (tmp_path / "mt.txt").write_text("Eins.\nZwei.\nDrei.\nVier.\n", "utf-8")
    given = ("-l", "en-de", "--fill")
    mt = ("-y", f"mt={tmp_path / 'mt.txt'}")
    assert command.run("convert", str(path), str(tmp_path / "x.xlf"), *given, *mt) == 0
    assert "4 of 4 segments filled" in capsys.readouterr().err
    assert command.run("convert", str(path), str(tmp_path / "y.xlf"), *given) == 2
    assert "E098" in capsys.readouterr().err
    table = DATA / "libreoffice/table.csv"
    assert command.run("convert", str(table), str(tmp_path / "y.csv"), *given, *mt) == 2
    assert "E015" in capsys.readouterr().err
    wide = tmp_path / "w.xlf"
    wide.write_bytes(SEGMENTED.encode("utf-16"))
    with pytest.raises(InputError, match="E230"):
        _filled(wide, tmp_path / "z.xlf", ["a"] * 4)


@pytest.mark.skipif(shutil.which("msgfmt") is None, reason="needs gettext")
def test_gettext_takes_what_is_filled_and_what_is_written(tmp_path: Path):
    path = DATA / "gettext/de.po"
    _filled(path, tmp_path / "a.po", [f"{source} ä" for source in _sources(path)])
    assert command.run("convert", str(path), str(tmp_path / "b.po"), "-l", "en-de") == 0
    for name in ("a.po", "b.po"):
        subprocess.run(["msgfmt", "--check", "-o", "/dev/null", name], cwd=tmp_path, check=True)
