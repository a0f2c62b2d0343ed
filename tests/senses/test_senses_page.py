"""The page of a word-sense result: every word and confusion, examples with their words marked, no markup from data."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from sense_suites import sense_suites, suite_of_bank

from command import run
from endophora.record import Difference
from endophora.report import REPORTS, render
from endophora.report.senses import frequent, list_words, marked
from endophora.report.senses import page as html
from endophora.suites.formats import write_suite
from endophora.suites.outputs import read_scores
from endophora.suites.records import Suite
from endophora.suites.result import SensePassage
from endophora.suites.senses import SenseOptions, SenseResult, score_sense_outputs, score_sense_scores
from endophora.suites.senses.examples import list_words as list_suite_words
from endophora.suites.senses.items import make_item, make_variant, sense_of
from endophora.suites.senses.matching import mark_words
from endophora.suites.senses.mucow import read_mucow_json

PLAIN = SenseOptions(resamples=0)
BREAKING = "</td></table><script>alert(1)</script><img src=x onerror=alert(2)>\x1b[31m\u202e\"'&"


def suite_of_two_words() -> Suite:
    """*bank* in two senses, *mouse* in two, the second of *mouse* with a third translation of no known sense."""
    rows = [
        ("bank", ("Ufer",), ("Bank",), "The bank is steep.", "Das Ufer ist steil.", "books"),
        ("bank", ("Ufer",), ("Bank",), "Two banks are steep.", "Zwei Ufer sind steil.", "books"),
        ("bank", ("Bank",), ("Ufer",), "The bank is rich.", "Die Bank ist reich.", "talks"),
        ("mouse", ("Maus",), ("Zeigegerät",), "A mouse ate it.", "Eine Maus fraß es.", "talks"),
        ("mouse", ("Zeigegerät",), ("Maus", "Feigling"), "Click the mouse.", "Klick mit dem Zeigegerät.", "talks"),
    ]
    items = [
        make_item(
            at,
            word,
            right[0],
            source,
            reference,
            expected=right,
            forbidden=wrong,
            variants=[make_variant(reference.replace(right[0], one), one) for one in wrong],
            extra={"origin": origin, "domain": "in" if word == "bank" else "out"},
        )
        for at, (word, right, wrong, source, reference, origin) in enumerate(rows)
    ]
    return Suite("two", "en", "de", tuple(items))


OUTPUTS = {
    "first": ["Die Bank ist hier", "Das Ufer", "Die Bank", "Die Maus", "ein Feigling"],
    "second": ["Die Bank ist hier", "Eine Bank", "nichts", "Das Zeigegerät", "Eine Maus"],
}


@cache
def plain() -> SenseResult:
    return score_sense_outputs(suite_of_two_words(), OUTPUTS, PLAIN, annotator=None)


def scored(options: SenseOptions | None = None) -> SenseResult:
    if options is None:
        return plain()
    return score_sense_outputs(suite_of_two_words(), OUTPUTS, options, annotator=None)


def test_a_worse_system_has_the_mark_of_worse_in_the_table_of_differences():
    result = scored()
    first = result.scores[0]
    tested = {"difference": -40.4, "interval": None, "p_value": 0.001, "p_adjusted": 0.001, "significant": True}
    worse = first.model_copy(update={"system": "second", "comparison": Difference(**tested)})
    settings_ = result.settings.model_copy(update={"baseline": "first"})
    shown = html(result.model_copy(update={"scores": [first, worse], "settings": settings_}))
    differences = shown[shown.index("Differences from first") :]
    assert '−40.4<b class="bad">†</b>' in differences[: differences.index("</table>")]


class Elements(HTMLParser):
    """What a browser would make of a page: its elements, their attributes, and the text of all tables of confusions."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags = Counter[str]()
        self.attributes: list[tuple[str, str | None]] = []
        self.grids: list[list[str]] = []
        self._cell = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += attrs
        classes = dict(attrs).get("class") or ""
        if tag == "table" and classes == "grid":
            self.grids.append([])
        if tag == "td" and classes.startswith("took"):
            self.grids[-1].append("")
            self._cell = True

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag != "td"

    def handle_data(self, data: str) -> None:
        if self._cell:
            self.grids[-1][-1] += data


def test_every_word_has_a_table_of_what_each_system_takes_for_what() -> None:
    """Rows are right senses, columns senses taken and, last, none; by hand from the outputs."""
    assert Elements(html(scored())).grids == [
        ["1", "1", "·", "·", "1", "·"],  # bank, first: Ufer taken for Bank once
        ["·", "2", "·", "·", "·", "1"],  # bank, second: Ufer always taken for Bank, and one not found
        ["1", "·", "·", "·", "·", "·", "1", "·"],  # mouse, first: a word of no known sense
        ["·", "1", "·", "·", "1", "·", "·", "·"],
    ]


def test_words_have_their_senses_and_the_wrong_words_of_none() -> None:
    words = list_words(scored())
    assert [(row["number"], row["words"], row["size"]) for row in words[1].senses] == [
        (1, "Maus", 1),
        (2, "Zeigegerät", 1),
        (3, "Feigling", 0),
    ]
    assert words[0].totals == [("first", "1 wrong, 0 not found"), ("second", "2 wrong, 1 not found")]
    rows, count = frequent(scored(), 1)
    assert count == 4
    assert tuple(rows[0][name] for name in ("word", "sense", "instead", "counts")) == (
        "bank",
        "Ufer",
        "Bank",
        ["1 of 2", "2 of 2"],
    )


def test_examples_mark_the_words_that_matter() -> None:
    found = {one.item: one for one in scored().examples}
    plural = found["1"]
    assert [plural.source.text[slice(*mark)] for mark in plural.source.marks] == ["banks"]
    assert [plural.reference.text[slice(*mark)] for mark in plural.reference.marks] == ["Ufer"]
    assert [(one.outcome, one.sense) for one in plural.outputs] == [("right", "Ufer"), ("wrong", "Bank")]
    assert [one.written.text[slice(*one.written.marks[0])] for one in plural.outputs] == ["Ufer", "Bank"]
    page = html(scored())
    assert 'Eine <mark class="written wrong">Bank</mark>' in page
    assert 'Two <mark class="source">banks</mark> are steep.' in page


def test_of_each_confusion_only_so_many_examples_are_kept() -> None:
    suite = suite_of_bank(9)
    lines = ["Die Bank"] * 6 + ["nichts"] * 3
    for most, kept in ((0, 0), (1, 2), (2, 3), (9, 7)):  # with one of which nothing is found
        options = SenseOptions(resamples=0, examples=most)
        assert len(score_sense_outputs(suite, {"A": lines}, options, annotator=None).examples) == kept


def test_of_scores_the_wrong_translation_that_won_is_shown() -> None:
    result = score_sense_scores(suite_of_bank(1), {"A": [2.0, 1.0, 2.5], "B": [2.0, 1.0, 0.5]}, PLAIN)
    first, second = result.examples[0].outputs
    assert (first.written.text, first.sense, first.margin) == ("Das Kredit-Institut", "Bank", -0.5)
    assert (second.written.text, second.sense, second.margin) == ("Die Bank", "Ufer", 1.0)
    page = html(result)
    assert "loses to this by 0.5" in page
    assert "not found" not in page
    assert Elements(page).grids == [["·", "1"], ["1", "·"]]


def test_nothing_from_data_is_markup() -> None:
    suite = suite_of_two_words()
    items = [
        replace(
            item,
            source=f"{item.source} {BREAKING}",
            reference=f"{BREAKING} {item.reference}",
            source_lemma=f"{item.source_lemma}{BREAKING}",
            extra={**item.extra, "sense": f"{sense_of(item)}{BREAKING}", "origin": f"{item.extra['origin']}{BREAKING}"},
        )
        for item in suite.items
    ]
    hostile = replace(suite, name=BREAKING, items=tuple(items), warnings=(BREAKING,))
    outputs = {name + BREAKING: [f"{line} {BREAKING}" for line in lines] for name, lines in OUTPUTS.items()}
    page = html(score_sense_outputs(hostile, outputs, SenseOptions(resamples=20, units="segments"), annotator=None))
    found = Elements(page)
    assert not {"script", "img", "link", "iframe", "object", "base"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("src", "style")]
    assert all((value or "").startswith("#") for name, value in found.attributes if name == "href")
    assert len(found.grids) == 4
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "default-src 'none'" in page


def test_the_same_result_gives_the_same_page_also_when_read_again(tmp_path: Path) -> None:
    result = scored(SenseOptions(resamples=20, units="segments"))
    result.write(tmp_path / "result.json")
    assert html(result) == html(scored(SenseOptions(resamples=20, units="segments")))
    assert html(SenseResult.read(tmp_path / "result.json")) == html(result)


def test_marks_escape_what_stands_between_and_within_them() -> None:
    passage = SensePassage(text="<a> & <b>", marks=[(0, 3), (6, 9)])
    shown = '<mark class="x">&lt;a&gt;</mark> &amp; <mark class="x">&lt;b&gt;</mark>'
    assert marked(passage, "x") == shown


def test_words_are_marked_as_they_stand_or_by_their_lemma_and_nothing_is_where_no_tool_is() -> None:
    texts, words = ["Das Kredit-Institut am Ufer", "x"], [["Kredit-Institut", "Ufer"], ["y"]]
    assert mark_words("de", texts, words) == [[(4, 19), (23, 27)], []]
    assert mark_words("", texts, words) == [[], []]
    assert mark_words("zz", texts, words) == [[], []]


@settings(max_examples=40)
@given(sense_suites())
def test_listed_words_hold_all_items_and_translations(suite: Suite) -> None:
    listed = {one.word: {sense.name: sense for sense in one.senses} for one in list_suite_words(suite.items)}
    assert sum(sense.items for senses in listed.values() for sense in senses.values()) == len(suite)
    for item in suite.items:
        senses = listed[item.source_lemma]
        assert set(item.expected) <= set(senses[sense_of(item)].words)
        there = {word.lower() for sense in senses.values() for word in sense.words}
        assert {word.lower() for word in item.forbidden} <= there


def test_weighted_figures_stand_in_the_tables_where_distances_are() -> None:
    suite = suite_of_two_words()
    far = [replace(one, extra={**one.extra, "distances": {"Bank": 0.25}}) for one in suite.items]
    result = score_sense_outputs(replace(suite, items=tuple(far)), OUTPUTS, PLAIN, annotator=None)
    value = result.score("second", "precision_weighted").value
    assert value is not None
    for shown in (html(result), render(result), render(result, "latex")):
        assert "weighted F1" in " ".join(shown.split())
        assert f"{value:.1f}" in shown
    for shown in (html(scored()), render(scored()), render(scored(), "latex")):
        assert "weighted" not in shown


def test_the_command_writes_the_page_beside_the_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    suite = tmp_path / "en-de.mucow.tts.json"
    write_suite(suite_of_two_words(), suite, "mucow")
    (tmp_path / "a").write_text("\n".join(OUTPUTS["first"]) + "\n", "utf-8")
    command = ("suite", "score", str(suite), "--system", f"A={tmp_path / 'a'}", "--lemmas", "none", "--resamples", "0")
    assert run(*command, "-o", str(tmp_path / "no"), "--format", "none") == 2
    assert not (tmp_path / "no").exists()
    assert run(*command, "-o", str(tmp_path / "out"), "-q") == 0
    capsys.readouterr()
    result = SenseResult.read(tmp_path / "out" / "result.json")
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert page == REPORTS.get("html")(result)
    said = f"A: F1 {result.score('A', 'f1_a').value:.1f}\u00a0%, n = {result.suite.items} sentences."
    assert f'<div class="conclusion"><p dir="auto">{said}' in page


def test_the_page_of_published_scores_has_all_words_and_wrong_sentences(shared: Path) -> None:
    """MuCoW's Table 5, tr-en: 1389 of 3723 wrong, of 220 senses."""
    folder = shared / "known-answers" / "mucow"
    suite = read_mucow_json(folder / "tr-en.mucow.scoring.json.gz")
    scores = read_scores(suite, {"Nematus": folder / "nematus.score.tr-en.mucow.txt"})
    options = SenseOptions(resamples=0, higher_is_better=False, examples=0)
    result = score_sense_scores(suite, scores, options)
    grids = [grid for word in list_words(result) for grid in word.grids]
    cells = [cell for grid in grids for _, _, row in grid.rows for cell in row]
    assert sum(count for count, kind, _ in cells if kind == "wrong") == 1389
    assert sum(len(grid.rows) for grid in grids) == 220
    assert Elements(html(result)).tags["details"] == len({item.source_lemma for item in suite.items})


def test_levels_of_headings_follow_each_other_and_every_table_has_a_name_of_its_own():
    shown = html(scored())
    levels = [int(level) for level in re.findall(r"<h([1-6])\b", shown)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    names = re.findall(r'role="group" aria-label="([^"]*)"', shown)
    assert len(set(names)) == len(names) >= 6
    assert "<th></th>" not in shown
