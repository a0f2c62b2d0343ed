"""BlonDe against the figures of the published implementation, and against the paper's Table 3."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endophora.annotate.records import AnnotatedText, Token
from endophora.languages import load_language
from endophora.metrics.blonde import BlonDe
from endophora.metrics.blonde_options import BlondeOptions
from endophora.metrics.readings import Reading, TextReader

CASES = ("fig_sys1", "fig_sys1_lc", "fig_ref", "fig_sys1_arith", "fig_multiref", "ex_sys", "ex_sys_lc", "nomatch")
NAMES = {f"{n}-grams": str(n) for n in range(1, 5)}


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
    found = {part.name: part for part in metric.parts}
    names = {"": "", "BlonD-d": "dBlonDe", **{name: NAMES.get(name, name) for name in list(found)[2:]}}
    detail = known["detail"]
    checked = 0
    for part_name, name in names.items():
        part = found[part_name]
        for score, whole, parts in (
            (part.score, "F1", "F1s"),
            (part.precision, "P", "precisions"),
            (part.recall, "R", "recalls"),
        ):
            assert score is not None
            value = known[whole] if not name else detail[parts].get(name, np.nan)
            assert float(score(sums)) / 100 == pytest.approx(value, abs=1e-6, nan_ok=True), (name, whole)
            checked += 1
    assert checked == 3 * 10


@pytest.mark.parametrize("case", CASES)
def test_the_published_evaluation_script_counts_blond_d_as_one_more_category(
    case: str, expected: dict[str, Any]
) -> None:
    known = expected[case]
    metric = BlonDe(load_language("en"), options_of(case, "script"))
    sums = metric.statistics(readings(known["sys"]), [readings(each) for each in known["ref_docs"]]).sum(axis=0)
    whole = metric.parts[0]
    assert whole.precision is not None
    assert whole.recall is not None
    for score, name in ((whole.score, "F1s"), (whole.precision, "precisions"), (whole.recall, "recalls")):
        assert float(score(sums)) / 100 == pytest.approx(known["detail"][name]["sBlonDe"], abs=1e-6)


def test_figure_3_gives_table_3_row_a(expected: dict[str, Any]) -> None:
    known = expected["fig_sys1"]
    metric = BlonDe(load_language("en"))
    sums = metric.statistics(readings(known["sys"]), [readings(known["ref_docs"][0])]).sum(axis=0)
    whole = metric.parts[0]
    assert whole.precision is not None
    assert whole.recall is not None
    figures = [round(float(score(sums)), 1) for score in (whole.recall, whole.precision, whole.score)]
    assert figures == [10.5, 51.3, 17.4]
