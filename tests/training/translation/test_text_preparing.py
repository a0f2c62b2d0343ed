"""Training text with documents: shared out by document, nothing held out is learned, everything left out is counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command import run
from endophora.corpus.formats import open_stream
from endophora.corpus.streams import REFERENCE, ReadOptions
from endophora.errors import InputError
from endophora.training.parallel import TextPair, help_folder, letters_and_digits, read_help_pages
from endophora.training.translation.card import described, read_sources
from endophora.training.translation.preparing import PARTS, TextPlan, prepare_text
from endophora_makers.prior_texts import read_help

WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "and",
    "then",
    "it",
    "sleeps",
    "for",
    "hours",
]


def rows(path: Path) -> list[tuple[str, str, str]]:
    stream = open_stream([path], ReadOptions(languages=("en", "de")))
    return [(d.id, s.source, s.references[REFERENCE]) for d in stream for s in d.segments]


def help_pages(folder: Path, pages: int = 60) -> Path:
    """LibreOffice's help in two languages, in small: a paragraph of each page's own, and one that all have."""
    for language, word in (("en-US", "word"), ("de", "Wort")):
        for number in range(pages):
            path = folder / language / "text" / f"page{number}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(
                f'<h1 id="a">Title</h1><p id="b">This is the {word} number {number} of the page</p>'
                f'<p id="{language}">only here</p><p id="c">A {word} of some length on every page.</p>',
                encoding="utf-8",
            )
    return folder


def test_pages_are_documents_in_the_order_of_their_paragraphs(tmp_path: Path):
    pages = dict(read_help_pages(help_pages(tmp_path, 2), "en-US", "de"))
    assert list(pages) == ["text/page0.html", "text/page1.html"]
    assert [pair.target for pair in pages["text/page1.html"]] == [
        "Title",
        "This is the Wort number 1 of the page",
        "A Wort of some length on every page.",
    ]
    assert list(read_help(tmp_path, "en-US", "de")) == [pair for page in pages.values() for pair in page]


def test_a_languages_folder_is_its_code_or_the_only_one_that_begins_with_it(tmp_path: Path):
    for name in ("de", "de-AT", "en-US", "zh-CN", "zh-TW"):
        (tmp_path / name).mkdir()
    assert [help_folder(tmp_path, code) for code in ("de", "en")] == ["de", "en-US"]
    for code in ("zh", "fr"):
        with pytest.raises(InputError, match="E081"):
            help_folder(tmp_path, code)


def test_the_command_shares_out_by_document_and_names_sources(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("tatoeba-test\tHi.\tHallo.\ntatoeba-test\tHi.\tHallo.\nown\tBye.\tTschüss.\nskip\ta\tb\n")
    out = tmp_path / "out"
    command = ("train", "text", "--languages", "en-de", "--libreoffice-help", str(help_pages(tmp_path / "help")))
    chosen = ("--pairs", str(pairs), "--collection", "tatoeba", "--collection", "own", "--licence", "own=CC0 1.0")
    assert run(*command, *chosen, "--validation", "0.2", "--test", "0.3", "--output", str(out)) == 0
    shown = capsys.readouterr()
    parts = {part: rows(out / f"{part}.tsv") for part in PARTS}
    documents = {part: {row[0] for row in held} for part, held in parts.items()}
    assert sum(len(ids) for ids in documents.values()) == 62
    assert not documents["train"] & documents["test"]
    assert not documents["validation"] & documents["test"]
    # The paragraph that all pages have is held out; the title is too short to be the same text.
    assert not any("every page" in source for _, source, _ in parts["train"])
    assert any(source == "Title" for _, source, _ in parts["train"])
    assert {row[0] for row in parts["train"]} >= {"tatoeba-test-1", "own-2"}
    sources = json.loads((out / "sources.json").read_text("utf-8"))
    named = {source["name"]: source for source in sources["sources"]}
    assert named["libreoffice-help"]["licence"] == "MPL-2.0"
    assert named["tatoeba-test"]["licence"] == "CC BY 2.0 FR"
    assert named["own"]["licence"] == "CC0 1.0"
    assert named["own"]["segments"] == 1
    assert "1 sentence pairs that are there twice are left out" in shown.err
    assert f"{len(parts['train'])} segments" in shown.out


SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
PAGES = st.lists(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=5), min_size=12, max_size=30)


@settings(max_examples=25)
@given(PAGES)
def test_nothing_of_some_length_that_is_held_out_is_learned(tmp_path_factory: pytest.TempPathFactory, pages: list):
    folder = tmp_path_factory.mktemp("text")
    pages = [[*page, (f"page {number}", f"Seite {number}")] for number, page in enumerate(pages)]
    named = [(f"d{number}", [TextPair("own", *pair) for pair in page]) for number, page in enumerate(pages)]
    plan = TextPlan(validation=0.25, test=0.25)
    # Each part has a page, since "d0" is drawn for training, "d3" for validation, "d8" for test.
    made = prepare_text(named, [], folder, plan)
    parts = {part: rows(folder / f"{part}.tsv") for part in PARTS}
    held = {letters_and_digits(text) for part in PARTS[1:] for _, *texts in parts[part] for text in texts}
    learned = {letters_and_digits(text) for _, *texts in parts["train"] for text in texts}
    assert not {key for key in held & learned if len(key) >= plan.telling}
    assert sum(made.segments.values()) + sum(made.sources.notes.values()) == sum(map(len, pages))
    assert {part: len(held) for part, held in parts.items()} == made.segments


def test_an_unknown_licence_is_said_to_be_unknown_and_a_damaged_list_is_an_error(tmp_path: Path):
    assert described("mine").licence == "unknown"
    assert described("newstest2014").licence == "research use"
    damaged = [tmp_path / name for name in ("a.json", "b.json")]
    damaged[0].write_text("{}")
    with pytest.raises(InputError) as caught:
        read_sources(damaged)
    assert [fault.code for fault in caught.value.faults] == ["E298", "E298"]


def test_a_part_without_a_document_is_an_error_and_no_file_is_written(tmp_path: Path):
    with pytest.raises(InputError, match="E299"):
        prepare_text([("d", [TextPair("own", "a", "b")])], [], tmp_path / "out", TextPlan())
    assert not (tmp_path / "out").exists()
