"""Documents from handbooks and games: blocks of pages find their counterparts, scripts their translations, in order."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import run
from endophora.errors import InputError
from endophora.training.parallel import (
    PageBlock,
    TextPair,
    marked_texts,
    page_blocks,
    pair_blocks,
    read_pages,
    read_scripts,
)
from endophora.training.translation.preparing import sentence_pairs

MALLARD = """<page xmlns="http://projectmallard.org/1.0/" id="lamp">
 <info><credit type="author"><name>Ann Author</name></credit><desc>What the lamp does.</desc></info>
 <title>The lamp</title>
 <p>Press <gui>On</gui>. It
    <em>glows</em>.</p>
 <screen>lamp --on</screen>
 <list><item><p>&app; is old.</p></item></list>
</page>"""

DOCBOOK = """<sect1><title>The lamp</title><para>It glows<indexterm><primary>glow</primary></indexterm>.<footnote>
 <para>Not always.</para></footnote></para><programlisting>lamp()</programlisting><para>It is old.</para></sect1>"""

HTML = """<html><head><title>Site</title></head><body><nav><p>Home</p></nav><h1>The lamp</h1>
<p>It <b>glows</b>.<p>It is old.<pre>lamp --on</pre><ul><li>One</li><li><p>Two</p></li></ul><p>3.1.</p></body></html>"""


def catalogue(messages: dict[str, str]) -> bytes:
    """A compiled catalogue, written after the description of its format in gettext's manual."""
    entries = sorted({"": "Content-Type: text/plain; charset=UTF-8\n", **messages}.items())
    tables, text, at = [b"", b""], b"", 28 + 16 * len(entries)
    for side in (0, 1):
        for entry in entries:
            data = entry[side].encode()
            tables[side] += struct.pack("<2I", len(data), at + len(text))
            text += data + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(entries), 28, 28 + 8 * len(entries), 0, 0)
    return head + b"".join(tables) + text


def write(path: Path, data: str | bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


def test_a_mallard_pages_blocks_are_its_prose_without_listings_and_credits():
    assert page_blocks(MALLARD) == [
        PageBlock("paragraph", "What the lamp does."),
        PageBlock("heading", "The lamp"),
        PageBlock("paragraph", "Press On. It glows."),
        PageBlock("paragraph", "app is old."),
    ]


def test_a_docbook_pages_blocks_have_neither_index_terms_nor_footnotes():
    texts = [
        PageBlock("heading", "The lamp"),
        PageBlock("paragraph", "It glows."),
        PageBlock("paragraph", "It is old."),
    ]
    assert page_blocks(DOCBOOK) == texts


def test_an_html_pages_blocks_end_where_the_next_begins():
    assert [block.text for block in page_blocks(HTML)] == ["The lamp", "It glows.", "It is old.", "One", "Two"]


def test_blocks_without_a_counterpart_are_left_out():
    ours = [
        PageBlock("heading", "The lamp"),
        PageBlock("paragraph", "It is old and made of brass."),
        PageBlock("paragraph", "Off."),
    ]
    theirs = [PageBlock("heading", "Die Lampe"), PageBlock("paragraph", "Aus."), PageBlock("heading", "Neu")]
    assert list(pair_blocks(ours, theirs)) == [("The lamp", "Die Lampe"), ("Off.", "Aus.")]
    assert list(pair_blocks(ours, [])) == []


BLOCKS = st.lists(
    st.tuples(st.sampled_from(["heading", "paragraph"]), st.text("ab ", min_size=1, max_size=80)), max_size=40
)


@given(BLOCKS)
def test_a_page_is_paired_with_itself_block_by_block(drawn: list[tuple[str, str]]):
    blocks = [PageBlock(*one) for one in drawn]
    assert list(pair_blocks(blocks, blocks)) == [(block.text, block.text) for block in blocks]


@given(BLOCKS, BLOCKS)
def test_pairs_keep_both_orders_and_no_block_stands_in_two(ours: list[tuple[str, str]], theirs: list[tuple[str, str]]):
    sides = [[PageBlock(kind, f"{text} {i}") for i, (kind, text) in enumerate(side)] for side in (ours, theirs)]
    pairs = list(pair_blocks(*sides))
    for side, blocks in enumerate(sides):
        numbers = [int(pair[side].rpartition(" ")[2]) for pair in pairs]
        assert numbers == sorted(set(numbers))
        assert all(blocks[number].text == pair[side] for number, pair in zip(numbers, pairs, strict=True))


def test_pages_are_found_where_the_languages_paths_differ_before_within_or_after_a_name(tmp_path: Path):
    for name, text in (("C", "The lamp"), ("de", "Die Lampe")):
        write(tmp_path / name / "app" / "lamp.page", f"<page><title>{text}</title></page>")
        write(tmp_path / name / "app" / "lamp.png", b"\x89PNG")
    write(tmp_path / "C" / "app" / "only.page", "<page><title>Here</title></page>")
    for name, text in (("", "The lamp"), (".de", "Die Lampe")):
        write(tmp_path / "flat" / f"lamp{name}.html", f"<h1>{text}</h1>")
    pair = [TextPair("x", "The lamp", "Die Lampe")]
    assert list(read_pages("x", f"{tmp_path}/{{C|de}}/**/*")) == [("x/C/app/lamp.page", pair)]
    assert list(read_pages("x", f"{tmp_path}/**/*{{|.de}}.html")) == [("x/flat/lamp.html", pair)]
    for name, text in (("site/a.en.html", "The lamp"), ("site-de/a.de.html", "Die Lampe")):
        write(tmp_path / name, f"<h1>{text}</h1>")
    assert list(read_pages("x", f"{tmp_path}/site{{|-de}}/*.{{en|de}}.html")) == [("x//a.en.html", pair)]
    assert [pairs for _, pairs in read_pages("x", f"{tmp_path}/site{{|-de}}/a.{{en|de}}.html")] == [pair]


@pytest.mark.parametrize(
    ("pattern", "code"),
    [("a/*.html", "E343"), ("*/{a|b}/*", "E343"), ("{a|b}/{c|d}", "E344"), ("{nowhere|here}/*.html", "E344")],
)
def test_a_path_that_finds_no_pages_says_why(pattern: str, code: str):
    with pytest.raises(InputError, match=code):
        list(read_pages("x", pattern))


def test_a_scripts_texts_are_found_as_each_language_writes_them():
    lua = r"""say(_("Who \"goes\" there?")) say(_[[
A friend.
Really.]]) title = _'Gate\n1' other("no")"""
    assert list(marked_texts(lua, doubled=False)) == ['Who "goes" there?', "A friend.\nReally.", "Gate\n1"]
    markup = 'message= _ "He said ""no"".\nTwice." + _"female^Guard" name="x"'
    assert list(marked_texts(markup, doubled=True)) == ['He said "no".\nTwice.', "female^Guard"]


def test_a_scripts_speeches_are_a_document_in_its_order(tmp_path: Path):
    messages = {"Who goes there?": "Wer da?", "female^Guard": "Wächterin", "<i>Me.</i>": "<i>Ich.</i>", "Alone": ""}
    write(tmp_path / "locale" / "de" / "LC_MESSAGES" / "gate.mo", catalogue(messages))
    script = '_ "female^Guard" _ "Who goes there?" _ "<i>Me.</i>" _ "Alone" _ "Unknown"'
    write(tmp_path / "data" / "gate.cfg", script)
    write(tmp_path / "data" / "empty.lua", 'x = "y"')
    assert list(read_scripts("game", tmp_path, "de")) == [
        (
            "game/data/gate.cfg",
            [
                TextPair("game", "Guard", "Wächterin"),
                TextPair("game", "Who goes there?", "Wer da?"),
                TextPair("game", "Me.", "Ich."),
            ],
        )
    ]
    with pytest.raises(InputError, match="E081"):
        list(read_scripts("game", tmp_path, "fr"))
    (tmp_path / "data" / "gate.cfg").unlink()
    with pytest.raises(InputError, match="E344"):
        list(read_scripts("game", tmp_path, "de"))


@pytest.mark.parametrize(
    ("source", "target", "sentences"),
    [
        ("It is old. It glows!", "Sie ist alt. Sie leuchtet!", 2),
        ("“Who?” “Me.” No one.", "„Wer?“ „Ich.“ Niemand.", 3),
        ("See e.g. Paris. It glows.", "Siehe z. B. Paris. Sie leuchtet.", 1),
        ("No. That is all there is to say of it today, and more.", "Nein, und das ist alles. Ja.", 1),
        ("Version 1.2 is old.", "Version 1.2 ist alt.", 1),
    ],
)
def test_a_paragraph_is_divided_where_both_sides_divide_alike(source: str, target: str, sentences: int):
    made = list(sentence_pairs(TextPair("x", source, target)))
    assert len(made) == sentences
    assert " ".join(pair.source for pair in made) == source
    assert " ".join(pair.target for pair in made) == target


@given(st.text("aB .!?“” \n", max_size=60), st.text("aB .!?“” \n", max_size=60))
def test_dividing_loses_nothing(source: str, target: str):
    made = list(sentence_pairs(TextPair("x", source, target)))
    assert "".join("".join(pair.source for pair in made).split()) == "".join(source.split())
    assert "".join("".join(pair.target for pair in made).split()) == "".join(target.split())


def test_the_command_takes_pages_and_scripts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for number in range(30):
        for name, text in (("en", "The lamp is old. It glows"), ("de", "Die Lampe ist alt. Sie leuchtet")):
            write(tmp_path / name / f"{number}.html", f"<p>{text} {number} times and more.</p>")
        write(tmp_path / "game" / f"{number}.lua", f'_("Who goes there, number {number}?")')
    numbers = {f"Who goes there, number {n}?": f"Wer ist dort, Nummer {n}?" for n in range(30)}
    write(tmp_path / "game" / "de" / "LC_MESSAGES" / "game.mo", catalogue(numbers))
    command = ["train", "text", "--languages", "en-de", "--validation", "0.2", "--test", "0.2"]
    given = ["--pages", f"wiki={tmp_path}/{{en|de}}/*.html", "--scripts", f"game={tmp_path}/game"]
    assert run(*command, *given, "--licence", "wiki=CC0 1.0", "--output", str(tmp_path / "out")) == 0
    shown = capsys.readouterr()
    lines = [
        line
        for part in ("train", "validation", "test")
        for line in (tmp_path / "out" / f"{part}.tsv").read_text().split("\n")
    ]
    assert sum(line.startswith("wiki/") for line in lines) + sum(line.startswith("game/") for line in lines) == 90
    assert "the licence of “game” is not known" in shown.err
    assert "the licence of “wiki”" not in shown.err
    assert run(*command, *given, "--paragraphs", "--output", str(tmp_path / "whole")) == 0
    text = (tmp_path / "whole" / "train.tsv").read_text()
    assert "The lamp is old. It glows" in text
