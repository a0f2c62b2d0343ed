"""Markdown: tables of pipes with the figures of the text, and no text from data that is markup."""

import re

import pytest

from endophora.report import formats, render

from .factory import EXTRAS, HOSTILE, make


def tables(shown: str) -> list[list[list[str]]]:
    """Return the cells of each table, its head first and without the rule under it."""
    found = re.findall(r"(?:^\|.*\|$\n?)+", shown, re.M)
    split = [[re.split(r"(?<!\\)\|", line)[1:-1] for line in table.splitlines()] for table in found]
    return [[[cell.strip() for cell in row] for row in (table[0], *table[2:])] for table in split]


def test_each_system_has_a_row_with_its_figures_best_in_bold_and_marks():
    result = make(8)
    head, *rows = tables(render(result, "markdown"))[0]
    assert rows.pop(0)[0] == "n"
    assert sorted(row[0] for row in rows) == result.corpus.systems
    place = head.index("TER")
    values = {row[0]: row[place] for row in rows}
    best = min(result.score("TER", name).value for name in result.corpus.systems)
    for name, shown in values.items():
        value = result.score("TER", name).value
        assert shown.startswith("**") == (round(value, 1) == round(best, 1))
        assert f"{value:.1f}" in shown
    marked = {one.system for one in result.comparisons if one.column == "TER" and one.significant}
    assert {name for name, shown in values.items() if shown.endswith(("†", r"\*"))} == marked


@pytest.mark.parametrize("systems", [0, 1, 3, 26])
def test_all_rows_of_a_table_have_as_many_cells(systems):
    for table in tables(render(make(systems, extras=EXTRAS), "markdown")):
        assert len({len(row) for row in table}) == 1


def test_hostile_names_are_text():
    shown = render(make(len(HOSTILE), documents=12, hostile=True), "markdown")
    assert "<script" not in shown.replace(r"\<script", "")
    assert not set("\x1b\x07\u202e\u2066") & set(shown)
    assert len(tables(shown)[0]) == 2 + len(HOSTILE), "a head, the numbers of words, and the systems"


def test_it_is_as_wide_as_it_needs_whatever_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    narrow = render(make(8), "markdown")
    monkeypatch.setenv("COLUMNS", "200")
    assert render(make(8), "markdown") == narrow
    assert formats.text(make(8), 60) != formats.text(make(8), 200)
