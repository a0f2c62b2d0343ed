"""The terminal report: widths, marks, and texts from data that must stay texts."""

import io
import re

import pytest
from rich.console import Console

from endophora.evaluation.result import Detectable, Placeholders
from endophora.report import formats, render, show
from endophora.report.matrix import columns, facts, told_text

from .factory import HOSTILE, METRICS, PHENOMENA, make


def _plain(result, width=80):
    return formats.text(result, width)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
@pytest.mark.parametrize("systems", [0, 1, 2, 3, 26])
def test_no_line_is_wider_than_the_terminal(systems, width):
    assert max(map(len, _plain(make(systems), width).splitlines())) <= width


def test_two_systems_stand_side_by_side_with_intervals_at_80_columns():
    result = make(2)
    lines = _plain(result).splitlines()
    head = next(line for line in lines if "interval" in line)
    named = head.split()
    assert named[:2] == ["measured,", "n"]
    assert sorted(named[2:]) == ["interval", "interval", "system-01", "system-02"]
    row = next(line for line in lines if line.startswith("pronouns"))
    for system in result.corpus.systems:
        score = result.score("pronouns", system)
        assert f"{100 * score.value:.1f}" in row
        assert f"{100 * score.interval.low:.1f}–{100 * score.interval.high:.1f}" in row


def test_many_systems_have_a_row_each_and_whole_headings():
    shown = _plain(make(26))
    for system in make(26).corpus.systems:
        assert len(re.findall(rf"^{system} ", shown, re.M)) == 2, "one row for phenomena, one for metrics"
    heading = shown.split("───")[0]
    assert "…" not in heading
    for word in ("cohesion", "formality", "pronouns", "verb", "form", "ellipsis"):
        assert word in heading
    assert all(metric in shown for metric in METRICS)


def test_wide_terminal_holds_all_columns_in_one_table():
    assert len(re.findall(r"^system-07 ", _plain(make(26), 160), re.M)) == 1


def test_marks_say_what_the_comparisons_say():
    result = make(8)
    lines = _plain(result, 160).splitlines()
    seen = set()
    for comparison in result.comparisons:
        if comparison.column != "TER":
            continue
        row = next(line for line in lines if line.startswith(comparison.system))
        value = f"{result.score('TER', comparison.system).value:.1f}"
        mark = "" if not comparison.significant else "†" if comparison.difference > 0 else "*"
        assert re.search(rf"[ °]{re.escape(value + mark)}(\s|$)", row), (row, value, mark)
        seen.add(mark)
    assert seen >= {"", "†"} or seen >= {"", "*"}
    assert f"† significantly worse than {result.settings.baseline}" in " ".join(lines)


def test_without_comparisons_nothing_is_said_of_significance():
    assert "significantly" not in _plain(make(2, comparisons=False))


def test_null_is_a_dash():
    row = next(line for line in _plain(make(2, nulls=True)).splitlines() if line.startswith("ellipsis"))
    assert row.split()[2:] == ["–", "–"]


def test_tagging_without_systems_shows_counts_only():
    result = make(0)
    shown = _plain(result)
    for phenomenon in result.phenomena:
        name = phenomenon.name.replace("_", " ")
        assert re.search(rf"^{name} +{phenomenon.occurrences} +{phenomenon.words} ", shown, re.M)
    assert "F-measure" not in shown


def test_counts_say_of_which_text_they_are():
    """Without a reference they are of one output, and what is judged is counted in another way."""
    result = make(2)
    alone = result.model_copy(update={"corpus": result.corpus.model_copy(update={"references": []})})
    assert f"Words tagged in {result.corpus.references[0]}\n" in _plain(result)
    assert f"Words tagged in {result.corpus.systems[0]}\n" in _plain(alone)


def test_one_document_and_one_segment_are_not_in_the_plural():
    result = make(1, documents=1)
    result = result.model_copy(update={"corpus": result.corpus.model_copy(update={"segments": 1})})
    assert "  1 document, 1 segment, " in _plain(result).splitlines()[0]
    assert " 1 document, 1 segment." in render(result, "latex")
    assert [label for label, _ in facts(result)[:2]] == ["document", "segment"]


def test_hostile_texts_neither_style_nor_steer_the_terminal():
    result = make(len(HOSTILE), documents=12, hostile=True)
    out = io.StringIO()
    show(result, Console(file=out, width=200, force_terminal=True, color_system="truecolor"))
    shown = out.getvalue()
    assert "\x1b[1m" in shown, "our own styles are there"
    styles = set(re.findall(r"\x1b\[([0-9;]*)m", shown))
    assert "31" not in {part for style in styles for part in style.split(";")} or "\\x1b[31m" in shown
    bare = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "\x1b" not in bare
    assert "\x07" not in bare
    assert "\u202e" not in bare
    assert "[bold red]markup[/bold red]" in bare
    assert "\\x1b[31mred" in bare


def test_plain_text_has_no_escape_codes_and_colours_only_on_a_terminal(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in render(make(2), "text")


def test_signature_and_warnings_close_the_report():
    result = make(2)
    flat = re.sub(r"\s+", "", _plain(result))
    assert flat.endswith("signature:" + result.signature)
    assert "warning:" + re.sub(r"\s+", "", result.warnings[0]) in flat


def test_every_phenomenon_is_named_as_it_is_read():
    shown = _plain(make(2))
    assert all(name.replace("_", " ") in shown for name in PHENOMENA)
    assert "verb_form" not in shown


def test_metrics_alone_are_shown_without_words_on_phenomena():
    shown = _plain(make(3, phenomena=False))
    assert "Points of 100: text metrics;" in shown
    assert "phenomenon" not in shown + render(make(3, phenomena=False), "latex")


def test_the_line_of_smallest_differences_names_both_units_where_they_differ():
    result = make(2)
    told = Detectable(difference=0.02, power=0.8, level=0.05, draws=1000, units=60, systems=["a", "b"])
    sizes = {column.name: units for column, units in zip(columns(result)[:2], (60, 6), strict=True)}
    for kinds, expected in (((60, 60), "1,000 draws of 60 "), (tuple(sizes.values()), "of 6–60 documents or segments")):
        units = dict(zip(sizes, kinds, strict=True))
        changed = [
            column.model_copy(
                update={"detectable": told.model_copy(update={"units": units[column.name]})}
                if column.name in units
                else {"detectable": None}
            )
            for column in result.columns
        ]
        (line,) = told_text(result.model_copy(update={"columns": changed}))
        assert expected in line


def test_brief_text_has_the_conclusion_and_the_main_table_alone_and_marks_the_best_by_a_sign():
    result = make(4, extras=("categories", "correlations", "human")).model_copy(update={"conclusion": ["It is so."]})
    shown = formats.brief(result, 200)
    assert "It is so." in shown
    assert not any(word in shown for word in ("signature", "Pearson", "Agreement", "by category"))
    rows = {line.split()[0]: line for line in shown.splitlines() if line.startswith(("system-", "n "))}
    assert next(iter(rows)) == "n"
    for phenomenon in result.phenomena:
        assert f"{phenomenon.words:,}" in rows["n"].split()
    best = max(result.corpus.systems, key=lambda system: result.score("BLEU", system).value)
    assert f"°{result.score('BLEU', best).value:.1f}" in rows[best]


def test_brief_text_tells_of_placeholders_only_where_some_are_lost_or_added():
    whole = Placeholders(system="system-01", segments=3, expected=4, missing=0, extra=0, wrong=0)
    lost = whole.model_copy(update={"missing": 1, "wrong": 1})
    for placeholders, told in (([whole], False), ([lost], True)):
        shown = formats.brief(make(1).model_copy(update={"placeholders": placeholders}), 200)
        assert ("Placeholders and markup of the source" in shown) == told
        assert ("1 (25.0%)" in shown) == told
