"""LaTeX: the right figures, and no character of the data that means anything to TeX."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.report import render
from endophora.report.table import escape

from .factory import HOSTILE, make

OURS = re.compile(
    r"\\textbackslash\{\}|\\textasciitilde\{\}|\\textasciicircum\{\}|\\textless\{\}|\\textgreater\{\}|\\textbar\{\}"
    r"|\\char34\{\}|\\textasciigrave\{\}|\$\\rightarrow\$|\\[&%$#_{}]|\{\}|\{[][*]\}"
)


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_escape_leaves_nothing_special(text):
    assert not re.search(r"[][*\\{}$&#%_^~`\"<>|\x00-\x1f]", OURS.sub("", escape(text)))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("50% & $x_1$ #~^", r"50\% \& \$x\_1\$ \#\textasciitilde{}\textasciicircum{}"),
        ("a--b", "a-{}-b"),
        ("?`", r"?{}\textasciigrave{}"),
        ("''", "'{}'"),
        ("\x1b[31m", r"\textbackslash{}x1b{[}31m"),
        ("[5cm]*", "{[}5cm{]}{*}"),
    ],
)
def test_escape_of_known_traps(text, escaped):
    assert escape(text) == escaped


def test_name_that_starts_with_a_bracket_is_no_argument_of_the_line_break():
    result = make(3, documents=3, examples=0, hostile=True)
    assert not re.search(r"\\\\\s*[\[*]", render(result, "latex"))


def test_table_has_a_row_a_system_and_a_cell_a_column():
    result = make(4)
    body = render(result, "latex").split(r"\midrule")[1].split(r"\bottomrule")[0].strip().splitlines()
    assert len(body) == 4
    for line, system in zip(body, result.corpus.systems, strict=True):
        cells = line.removesuffix(r" \\").split(" & ")
        assert len(cells) == 10
        assert cells[0] == system
        assert f"{100 * result.score('lexical_cohesion', system).value:.1f}" in cells[1]
        assert f"{result.score('d-BLEU', system).value:.1f}" in cells[9]


def test_marks_of_significance():
    result = make(8)
    rows = {line.split(" & ")[0]: line.split(" & ") for line in render(result, "latex").splitlines() if " & " in line}
    marked = {
        comparison.system
        for comparison in result.comparisons
        if comparison.column == "TER" and comparison.significant and comparison.difference > 0
    }
    assert {name for name, cells in rows.items() if len(cells) == 10 and r"\dagger" in cells[8]} == marked


def test_caption_has_the_signature_and_the_baseline():
    caption = render(make(2), "latex").split(r"\caption{")[1]
    assert r"en-de\textbar{}\allowbreak{}variant:paper" in caption
    assert r"$^{\dagger}$ significantly worse than system-02, $^{\ast}$ significantly better" in caption
    assert "better" not in render(make(2, baseline="best"), "latex")


def test_hostile_names_keep_the_table_in_shape():
    shown = render(make(len(HOSTILE), documents=12, hostile=True), "latex")
    assert r"\input" not in shown
    assert len([line for line in shown.splitlines() if line.count(" & ") == 9]) == len(HOSTILE) + 1
    assert shown.count("{") == shown.count("}")


def test_tagging_without_systems_gives_counts():
    result = make(0)
    shown = render(result, "latex")
    for phenomenon in result.phenomena:
        assert f"{phenomenon.name.replace('_', ' ')} & {phenomenon.occurrences} & {phenomenon.words} \\\\" in shown
