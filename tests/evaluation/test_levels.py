"""Levels of scores are filled from those below, and what could be installed for a language is said in one line."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from endophora.evaluation import installation
from endophora.evaluation.levels import Documents, Scores, ScoreSet

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
