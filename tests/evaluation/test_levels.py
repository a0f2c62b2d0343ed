"""Levels of scores are filled from those below, and what could be installed for a language is said in one line."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from endophora.evaluation import installation
from endophora.evaluation.figures import MetricTable
from endophora.evaluation.levels import Documents, HumanScores, Scores, ScoreSet, agree, column_scores, ranking
from endophora.evaluation.result import Column
from endophora.metrics.records import ratio
from endophora.statistics.correlation import correlate
from endophora.statistics.resampling import Resampling
from endophora.statistics.units import choose_units, each_row

NAN = float("nan")


def test_documents_and_systems_have_the_means_of_their_segments():
    values = np.array([[1.0, 3.0, 8.0], [2.0, NAN, 5.0]])
    full = ScoreSet("m", {"seg": Scores("seg", ("a", "b"), values)}).complete(Documents(("d", "d", "e")))
    assert {name: scores.level for name, scores in full.levels.items()} == {"seg": "seg", "doc": "doc", "sys": "sys"}
    assert full.means == {"doc", "sys"}
    assert full.levels["doc"].systems == full.levels["sys"].systems == ("a", "b")
    assert full.levels["doc"].values.tolist() == [[2.0, 8.0], [2.0, 5.0]]
    assert full.levels["sys"].values.tolist() == [[4.0], [3.5]]


def test_without_segments_a_system_has_the_mean_of_its_documents():
    documents = Scores("doc", ("a",), np.array([[1.0, 3.0]]))
    full = ScoreSet("m", {"doc": documents}, frozenset({"doc"})).complete(None)
    assert full.levels["sys"].values.tolist() == [[2.0]]
    assert full.means == {"doc", "sys"}


def test_a_level_that_is_given_stays_as_it_was_given():
    given = {"seg": Scores("seg", ("a",), np.array([[1.0, 3.0]])), "sys": Scores("sys", ("a",), np.array([[9.0]]))}
    full = ScoreSet("m", given).complete(None)
    assert full.levels["sys"].values.tolist() == [[9.0]]
    assert set(full.levels) == {"seg", "sys"}
    assert full.means == frozenset()


def test_error_rates_are_turned_round_at_all_levels():
    turned = ScoreSet("m", {"sys": Scores("sys", ("a",), np.array([[9.0]]))}).negated()
    assert turned.levels["sys"].values.tolist() == [[-9.0]]


def test_blocks_are_numbered_within_their_document():
    blocks = Documents(("d", "d", "d", "e", "d")).blocks(2)
    assert blocks.ids == ("d#1", "d#1", "d#2", "e#1", "d#2")
    assert blocks.names == ("d#1", "d#2", "e#1")


def test_scores_of_systems_are_in_their_order_and_missing_ones_are_not_numbers():
    scores = Scores("seg", ("a", "b"), np.array([[1.0, 2.0], [3.0, 4.0]]))
    assert np.array_equal(scores.of(["b", "x", "a"]), [[3, 4], [NAN, NAN], [1, 2]], equal_nan=True)


BETTER = SimpleNamespace(annotator="stanza", extra="stanza", installed=False)


@pytest.mark.parametrize(
    ("preferred", "outside", "has_annotator", "said"),
    [
        (None, (), True, ""),
        (BETTER, (), True, "xx: stanza is more accurate: pip install 'endophora[stanza]'"),
        (BETTER, (), False, "xx: stanza is needed: pip install 'endophora[stanza]'"),
        (SimpleNamespace(annotator="stanza", extra="stanza", installed=True), (), True, ""),
        (BETTER, ("xx",), True, ""),
    ],
)
def test_a_note_names_the_annotator_that_could_be_installed(monkeypatch, preferred, outside, has_annotator, said):
    monkeypatch.setattr(installation, "preferences", lambda: {} if preferred is None else {"xx": preferred})
    monkeypatch.setattr(installation, "outside_pipelines", lambda: dict.fromkeys(outside))
    monkeypatch.setattr(installation, "_tokenizer_extra", lambda code: None)
    assert installation._note("xx", has_annotator) == said


def test_libraries_that_tokens_cannot_be_found_without_are_named_first(monkeypatch):
    needs = SimpleNamespace(missing=["one", "two"], extra="zh")
    monkeypatch.setattr(installation, "preferences", dict)
    monkeypatch.setattr(installation, "_tokenizer_extra", lambda code: needs)
    assert installation._note("xx", True) == "xx: one and two are needed: pip install 'endophora[zh]'"
    assert installation._note("xx", False) == ""


def test_a_language_without_an_annotator_has_no_name_licence_or_figures_of_one(monkeypatch):
    monkeypatch.setattr(installation, "known_languages", lambda: ("de",))
    (row,) = installation.language_inventory()
    assert (row["name"], row["annotator"]) == ("German", "embedded")
    assert row["UPOS"] > 90
    monkeypatch.setattr(installation, "default_card", lambda code: None)
    (row,) = installation.language_inventory()
    assert row["name"] == "German"
    for column in ("annotator", "licence", "UPOS", "lemma", "LAS"):
        assert row[column] is None


def right_of_counted(sums: np.ndarray) -> np.ndarray:
    """(…, columns, right and counted) → (…, columns)."""
    return ratio(sums[..., 0], sums[..., 1])


def table(rows: list[list[float]], *, by_document: bool = False) -> MetricTable:
    """One system and one column: right and counted in each row."""
    column = Column(name="m", kind="text", scale=1, higher_is_better=True, signature="m|v:1")
    units = each_row(len(rows), "documents")
    statistics = np.array(rows, dtype=float)[None, :, None, :]
    return MetricTable(
        columns=[column],
        statistics=statistics,
        score=right_of_counted,
        units=units,
        documents=units,
        by_document=by_document,
    )


def test_levels_above_the_segment_are_scores_of_sums_and_no_means():
    [(column, scores)] = column_scores(table([[1, 1], [1, 3], [0, 4]]), ["a"], Documents(("d", "d", "e")))
    assert (column.name, scores.name, scores.signature, scores.means) == ("m", "m", "m|v:1", frozenset())
    assert scores.levels["seg"].values.tolist() == [[1.0, 1 / 3, 0.0]]
    assert scores.levels["doc"].values.tolist() == [[0.5, 0.0]]  # 2 of 4, and not the mean of 1 and 1/3
    assert scores.levels["sys"].values.tolist() == [[0.25]]
    assert {level: one.systems for level, one in scores.levels.items()} == dict.fromkeys(("seg", "doc", "sys"), ("a",))


def test_one_document_has_the_score_of_the_whole_at_its_level():
    [(_, scores)] = column_scores(table([[1, 1], [1, 3]]), ["a"], Documents(("d", "d")))
    assert scores.levels["doc"].values.tolist() == scores.levels["sys"].values.tolist() == [[0.5]]


def test_statistics_of_documents_have_no_level_of_segments():
    [(_, scores)] = column_scores(table([[1, 2], [1, 6]], by_document=True), ["a"], Documents(("d", "d", "e")))
    assert set(scores.levels) == {"doc", "sys"}
    assert scores.levels["doc"].values.tolist() == [[0.5, 1 / 6]]


def people(segments: int, systems: tuple[str, ...], values: list[list[float]], *, documents: int = 1) -> HumanScores:
    ids = tuple(f"d{at * documents // segments}" for at in range(segments))
    scores = ScoreSet("mqm", {"seg": Scores("seg", systems, np.array(values))}).complete(Documents(ids))
    return HumanScores(scores, Documents(ids), "", ())


def agreements(segments: int, **more: Any) -> dict[tuple[str, str], Any]:
    right = list(range(segments))
    human = people(segments, ("a",), [[2.0 * one for one in right]])
    found = agree(human, [table([[one, 100] for one in right])], ["a"], Resampling(resamples=100, **more))
    return {(one.level, one.coefficient): one for one in found.agreements}


def test_agreement_needs_twenty_pairs_and_is_one_where_people_order_alike():
    few, enough = agreements(19), agreements(20, units="segments")
    assert len(enough) == 9
    for coefficient in ("pearson", "spearman", "kendall"):
        one, other = few["segment", coefficient], enough["segment", coefficient]
        assert (one.value, one.interval, one.pairs) == (None, None, 19)
        assert (other.value, other.pairs) == (pytest.approx(1), 20)
        assert other.interval is not None
        assert (enough["system", coefficient].value, enough["system", coefficient].pairs) == (None, 1)


def test_agreement_lists_what_people_said_of_each_system_and_document():
    human = people(4, ("b", "a"), [[1.0, 3, 5, 7], [2.0, 2, NAN, 4]], documents=2)
    found = agree(human, [], ["a", "b", "c"], Resampling(resamples=100))
    assert (found.name, found.higher_is_better, found.agreements) == ("mqm", True, [])
    assert [(one.system, one.value, one.documents) for one in found.scores] == [
        ("a", 8 / 3, [2.0, 4.0]),
        ("b", 4.0, [2.0, 6.0]),
        ("c", None, [None, None]),
    ]
    assert ranking(found) == ["a", "b"]
    assert ranking(found.model_copy(update={"scores": found.scores[::-1]})) == ["a", "b"]


def test_people_have_the_origin_of_their_scores_in_the_signature_where_it_is_known():
    human = people(2, ("a",), [[1.0, 2.0]])
    assert human.signature == "mqm"
    assert replace(human, origin="file").signature == "mqm|file"


def test_intervals_of_agreement_draw_documents_or_segments_and_at_the_top_systems():
    """Each level against the correlation of the scores that it has, with the units that it says."""
    rng = np.random.default_rng(2)
    names, ids = tuple("abcde"), tuple(f"d{at // 2}" for at in range(50))
    right, judged = rng.integers(0, 9, size=(5, 50)).astype(float), rng.normal(size=(5, 50))
    column = Column(name="m", kind="text", scale=1, higher_is_better=True, signature="")
    statistics = np.stack([right, np.full((5, 50), 10.0)], axis=-1)[:, :, None]
    rows = each_row(50, "segments")
    made = MetricTable(columns=[column], statistics=statistics, score=right_of_counted, units=rows, documents=rows)
    scores = ScoreSet("h", {"seg": Scores("seg", names, judged)}).complete(Documents(ids))
    human = HumanScores(scores, Documents(ids), "", ())
    pooled = right.reshape(5, 25, 2).sum(axis=2) / 20
    means = judged.reshape(5, 25, 2).mean(axis=2)
    for units in ("documents", "segments"):
        options = Resampling(resamples=100, units=units, seed=3, confidence=0.9)
        found = {(one.level, one.coefficient): one for one in agree(human, [made], names, options).agreements}
        for level, metric, people_, drawn in (
            ("segment", right / 10, judged, choose_units(ids, units)),
            ("document", pooled, means, each_row(25, "documents")),
        ):
            wanted = correlate(metric[None], people_, units=drawn, resamples=100, confidence=0.9, seed=3)
            one = found[level, "pearson"]
            assert (one.value, one.pairs) == (pytest.approx(wanted.values[0]), metric.size)
            assert one.interval is not None
            assert (one.interval.low, one.interval.high) == pytest.approx((wanted.low[0], wanted.high[0]))
        assert (found["system", "pearson"].value, found["system", "pearson"].pairs) == (None, 5)
