"""Books in two languages become documents: what is matched, what is left out and why, and no text is in two parts."""

import json
import re

import pytest

from command import run
from endophora.corpus.formats import read_corpus
from endophora.errors import InputError
from endophora.suites.matching import split_sentences
from endophora.training.books import BookPlan, build_corpus

NOUNS = ["house|Haus", "water|Wasser", "tree|Baum", "book|Buch", "church|Kirche", "night|Nacht", "friend|Freund"]
PAIRS = [
    (f"The {one.split('|')[0]} was old in {year}.", f"In {year} war {one.split('|')[1]} alt.")
    for year in range(1900, 1930)
    for one in NOUNS
]


def book(root, name, chapters, form="chapter {}.txt|Kapitel {:03}.txt"):
    """Write a book in both languages: chapter → places of its sentences in PAIRS."""
    for side, pattern in enumerate(form.split("|")):
        folder = root / ("en", "de")[side] / name
        folder.mkdir(parents=True, exist_ok=True)
        for chapter, places in chapters.items():
            (folder / pattern.format(chapter)).write_text(" ".join(PAIRS[at][side] for at in places) + "\n", "utf-8")


@pytest.fixture
def shelf(tmp_path):
    for number, name in enumerate(("alpha", "beta", "gamma")):
        book(tmp_path, name, {1: range(20 * number, 20 * number + 10), 12: range(20 * number + 10, 20 * number + 20)})
    return tmp_path


def build(shelf, **plan):
    return build_corpus((shelf / "en", shelf / "de"), ("en", "de"), BookPlan(**plan))


def test_chapters_are_matched_by_number_and_their_sentences_aligned(shelf):
    made, sizes = build(shelf)
    assert {part: [one.id for one in corpus.documents] for part, corpus in made.items()}["train"][0].endswith(
        "/chapter 1"
    )
    pairs = {
        (one.source, one.references["reference"]) for c in made.values() for d in c.documents for one in d.segments
    }
    assert pairs == set(PAIRS[:60])
    assert (sizes.left_out, sizes.beads) == ({}, {"1-1": 60})
    assert [(one.documents, one.segments, one.median) for one in sizes.parts.values()] == [(2, 20, 10)] * 3


def test_a_book_is_in_one_part_and_its_text_in_no_other(shelf):
    """A book that has another's chapter, and single sentences of another, teaches nothing of them."""
    (tested,) = build(shelf, dev=0)[1].parts["test"].books
    places = {name: 20 * number for number, name in enumerate(("alpha", "beta", "gamma"))}[tested]
    book(shelf, "copy", {1: range(places, places + 10), 2: [*range(100, 108), places + 12, places + 15]})
    made, sizes = build(shelf, dev=0, test=1, seed=next(s for s in range(99) if _tested(shelf, s) == tested))
    texts = [{one.source for d in made[part].documents for one in d.segments} for part in ("train", "test")]
    assert len(texts[1]) == 20
    assert not texts[0] & texts[1]
    assert sizes.left_out == {"chapters that are there twice": 1, "training pairs with text of dev or test": 2}


def _tested(shelf, seed):
    return build(shelf, dev=0, seed=seed)[1].parts["test"].books[0]


def test_all_that_is_left_out_is_counted(shelf):
    book(shelf, "delta", {3: [100, 101, 102], 4: [100, 101, 102, 103, 104, 105], 5: [110, 111, 112, 113, 114]})
    (shelf / "en" / "delta" / "chapter 9.txt").write_text("Nobody has translated this.\n", "utf-8")
    (shelf / "de" / "epsilon").mkdir()
    alone = "Meine Tante verkauft übrigens seit gestern Kartoffeln und Zwiebeln auf dem Markt von Toulouse."
    texts = [PAIRS[at][1] for at in range(100, 105)] + [PAIRS[105][1][:-1] + ", nun ja" * 9 + "."]
    (shelf / "de" / "delta" / "Kapitel 004.txt").write_text(" ".join([*texts[:2], alone, *texts[2:]]) + "\n", "utf-8")
    _, sizes = build(shelf)
    assert sizes.left_out == {
        "books without counterpart": 1,
        "chapters of too few sentences": 1,
        "chapters without counterpart": 1,
        "pairs of too different lengths": 1,
        "sentences without counterpart": 1,
    }


def test_files_of_whole_books_have_chapters_where_lines_begin_so(tmp_path):
    for side, title in enumerate(("Chapter", "Kapitel")):
        texts = [
            [f"{title} {number}", *(pair[side] for pair in PAIRS[10 * number : 10 * number + 6])] for number in (1, 2)
        ]
        folder = tmp_path / ("en", "de")[side]
        folder.mkdir()
        (folder / "one.txt").write_text("\n".join(["By nobody", *texts[0], *texts[1]]) + "\n", "utf-8")
    made, sizes = build(tmp_path, dev=0, test=0, chapter=re.compile("Ch|Ka"))
    assert [(one.id, len(one.segments)) for one in made["train"].documents] == [("one/1", 6), ("one/2", 6)]
    assert sizes.left_out == {"lines before a book's first chapter": 2}


@pytest.mark.parametrize("form", ["tsv", "jsonl", "tmx"])
def test_the_command_writes_what_every_command_reads(shelf, form, capsys):
    assert (
        run("align", str(shelf / "en"), str(shelf / "de"), "-l", "en-de", "-o", str(shelf / "out"), "--to", form) == 0
    )
    read = [read_corpus(shelf / "out" / f"{part}.{form}", languages=("en", "de")) for part in ("train", "dev", "test")]
    assert sum(map(len, read)) == 60
    assert json.loads((shelf / "out" / "corpus.json").read_text())["parts"]["dev"]["segments"] == len(read[1])
    assert "words en" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("plan", "said"), [({"dev": 2}, "3 books are in both"), ({"least": 50}, "6 chapters of too few")]
)
def test_no_part_is_empty(shelf, plan, said):
    with pytest.raises(InputError, match=rf"E299.*{said}"):
        build(shelf, **plan)


def test_sentences_end_as_the_published_splitter_has_it():
    """As ``sentence_splitter`` 1.4 (Koehn and Schroeder's rule) splits these, checked by hand."""
    text = "Mr. Darcy came at 3 p.m. yesterday. “Why?” She paused... Then No. 5 left! i.e. nothing"
    assert split_sentences(text, "en") == [
        "Mr. Darcy came at 3 p.m. yesterday.",
        "“Why?”",
        "She paused...",
        "Then No. 5 left! i.e. nothing",
    ]
    assert split_sentences("他来了。“走吧！”她说。", "zh") == ["他来了。", "“走吧！”", "她说。"]
    assert split_sentences("  ", "en") == []
