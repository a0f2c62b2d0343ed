"""The sums beside a result are written within units and read again, and scored as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.result import Column, CorpusInfo, Result, Score, Settings
from endophora.evaluation.sums import About, read_sums, score_of, write_sums
from endophora.judgments.judging import score
from endophora.metrics import load_metric
from endophora.metrics.word_f import WordF
from endophora.statistics.units import Units


def result(value: float | None = 0.123456789, signature: str = "s", systems: tuple[str, ...] = ("a",)) -> Result:
    corpus = CorpusInfo(
        source_language="en", target_language="de", documents=[], segments=3, source_words=0, reference_words=0,
        references=[], systems=list(systems), texts="t",
    )  # fmt: skip
    settings = Settings(
        baseline="best", alpha=0.05, confidence=0.95, resamples=100, seed=1, units="documents",
        test="approximate-randomisation",
    )  # fmt: skip
    scores = [Score(column="c", system="a", value=value, interval=None, documents=[], counts={"right": 1})]
    return Result(
        version="1", signature=signature, corpus=corpus, settings=settings, columns=[], phenomena=[], scores=scores,
        comparisons=[], examples=[], warnings=[],
    )  # fmt: skip


def table(scored: str, names: tuple[str, ...], **more: Any) -> MetricTable:
    """Two systems, three segments in two documents."""
    columns = [Column(name=one, kind="text", scale=1, higher_is_better=True, signature="") for one in names]
    statistics = np.arange(2 * 3 * len(names) * 4, dtype=float).reshape(2, 3, len(names), 4)
    units = Units("documents", np.array([0, 1, 1]), 2)
    return MetricTable(
        columns=columns, statistics=statistics, score=score, units=units, documents=units, scored=scored, **more
    )


def test_sums_are_of_units_and_know_where_enough_was_judged(tmp_path: Path):
    lines, file = tmp_path / "judgments.jsonl", tmp_path / "s.npz"
    lines.write_bytes(b"{}\n{}\n")
    few = np.array([[True, False], [True, True]])
    tables = [table("choice", ("p", "q"), enough=few), table("bleu", ("BLEU",))]
    write_sums(result(), tables, file, lines)
    one, other = read_sums(result(), file, b"{}\r\n{}\r\n")
    assert one.about == About("choice", ("p", "q"), "documents")
    assert other.about == About("bleu", ("BLEU",), "documents")
    assert one.sums.shape == (2, 2, 2, 4)
    assert np.array_equal(one.sums[:, 0], tables[0].statistics[:, 0])
    assert np.array_equal(one.sums[:, 1], tables[0].statistics[:, 1] + tables[0].statistics[:, 2])
    assert one.enough.tolist() == few.tolist()
    assert other.enough.tolist() == [[True], [True]]


@pytest.mark.parametrize("other", [{"value": 0.12345678}, {"value": None}, {"signature": "z"}, {"systems": ("b",)}])
def test_sums_of_another_result_are_refused(tmp_path: Path, other: dict[str, Any]):
    lines, file = tmp_path / "judgments.jsonl", tmp_path / "s.npz"
    lines.write_bytes(b"{}\n")
    write_sums(result(), [], file, lines)
    assert read_sums(result(value=0.12345678901), file, b"{}\n") == []
    with pytest.raises(InputError, match=r"\[E373\].*of another result than the one beside them"):
        read_sums(result(**other), file, b"{}\n")
    with pytest.raises(InputError, match=r"\[E373\].*the judgments beside them are damaged"):
        read_sums(result(), file, b"{ }\n")


def test_sums_are_scored_by_what_scored_them():
    counts = np.array([[[3.0, 1, 0, 0]]])
    assert score_of(About("choice", ("p",), "documents"), "de")(counts).tolist() == [[0.75]]
    words = score_of(About("wording:muda", ("p",), "documents"), "de")
    sums = np.array([[[1.0, 2, 4]]])
    assert words(sums) == pytest.approx(WordF(("p",), "muda").score(sums), nan_ok=True)
    bleu = load_metric("bleu", "de")
    own = bleu.statistics(["wir sahen sie dort"], [["wir sahen sie dort"]], [0]).sum(axis=0)
    assert score_of(About("bleu", ("BLEU",), "documents"), "de")(own).tolist() == [pytest.approx(100)]
