"""BlonDe against the figures of the published implementation, and against the paper's Table 3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages import load_language
from endophora.metrics.blonde import BlonDe, BlondeOptions
from endophora.metrics.readings import TextReader
from endophora.metrics.records import Reading

CASES = ("fig_sys1", "fig_sys1_lc", "fig_ref", "fig_sys1_arith", "fig_multiref", "ex_sys", "ex_sys_lc", "nomatch")


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "known-answers/blonde/expected.json").read_text())


def annotated(sentence: dict[str, Any]) -> AnnotatedText:
    """Return a sentence with the tags and entities that the published tool had."""
    marks = [""] * len(sentence["tokens"])
    for _, kind, start, end in sentence["ents"]:
        marks[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    tokens: list[Token] = []
    position = 0
    for form, tag, mark in zip(sentence["tokens"], sentence["tags"], marks, strict=True):
        tokens.append(Token(form, form, "X", tag, {}, -1, "", mark, position, position + len(form)))
        position += len(form) + 1
    return AnnotatedText(" ".join(sentence["tokens"]), tuple(tokens))


def readings(sentences: list[dict[str, Any]]) -> list[Reading]:
    reader = TextReader(load_language("en"), typed=True)
    return [reader.read(annotated(sentence)) for sentence in sentences]


def options_of(case: str, variant: str = "published") -> BlondeOptions:
    return BlondeOptions.parse(f"{variant}," + {"_lc": "lowercase", "ith": "arithmetic"}.get(case[-3:], ""))


@pytest.mark.parametrize("case", CASES)
def test_every_recall_precision_and_f_of_the_published_implementation(case: str, expected: dict[str, Any]) -> None:
    known = expected[case]
    metric = BlonDe(load_language("en"), options_of(case))
    sums = metric.statistics(readings(known["sys"]), [readings(each) for each in known["ref_docs"]]).sum(axis=0)
    precision, recall = metric.precision_and_recall(sums)
    rows = zip(metric.parts, metric.figures(sums), precision, recall, strict=True)
    detail = known["detail"]
    checked = 0
    for part, *values in rows:
        name = {"BlonDe": "", "BlonD-d": "dBlonDe"}.get(part, part.removeprefix("BlonDe ").removesuffix("-grams"))
        for value, whole, of in zip(values, ("F1", "P", "R"), ("F1s", "precisions", "recalls"), strict=True):
            wanted = detail[of][name] if name else known[whole]
            assert value / 100 == pytest.approx(wanted, abs=1e-6, nan_ok=True), (part, whole)
            checked += 1
    assert checked == 3 * 10


@pytest.mark.parametrize("case", CASES)
def test_the_published_evaluation_script_counts_blond_d_as_one_more_category(
    case: str, expected: dict[str, Any]
) -> None:
    known = expected[case]
    metric = BlonDe(load_language("en"), options_of(case, "script"))
    sums = metric.statistics(readings(known["sys"]), [readings(each) for each in known["ref_docs"]]).sum(axis=0)
    precision, recall = metric.precision_and_recall(sums)
    for values, name in ((metric.figures(sums), "F1s"), (precision, "precisions"), (recall, "recalls")):
        assert values[0] / 100 == pytest.approx(known["detail"][name]["sBlonDe"], abs=1e-6)


def test_figure_3_gives_table_3_row_a(expected: dict[str, Any]) -> None:
    known = expected["fig_sys1"]
    metric = BlonDe(load_language("en"))
    sums = metric.statistics(readings(known["sys"]), [readings(known["ref_docs"][0])]).sum(axis=0)
    precision, recall = metric.precision_and_recall(sums)
    assert [round(values[0], 1) for values in (recall, precision, metric.figures(sums))] == [10.5, 51.3, 17.4]
