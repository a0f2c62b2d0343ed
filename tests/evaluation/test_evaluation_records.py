"""What an evaluation counts of a corpus and its occurrences, and what it doubts: worked by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.evaluation import evaluate as module
from endophora.evaluation.levels import Scores, ScoreSet
from endophora.phenomena import TaggerOptions
from endophora.phenomena.records import Occurrence, Support


def occurrence(document: str, segment: int, tokens: tuple[int, ...], rule: str, distance: int | None, name: str = "p"):
    support = None if distance is None else Support((), (), distance)
    return Occurrence(document, segment, name, rule, (), tokens, "x", support)


def tagged(occurrences: list[Occurrence], source: list[list[str]], target: list[list[str]], **counts: int) -> Any:
    return SimpleNamespace(occurrences=occurrences, source=source, target=target, counts=counts)


REFERENCE = [
    tagged(
        [
            occurrence("d", 0, (1,), "one", 2),
            occurrence("d", 0, (1, 2), "two", 10),
            occurrence("d", 1, (1,), "two", 2),
            occurrence("d", 1, (5,), "one", 1, "other"),
        ],
        [["a", "b"], ["c"]],
        [["a"], ["b", "c", "d"]],
    ),
    tagged([occurrence("e", 0, (1,), "two", None)], [["d"]], [[]]),
]


def test_words_rules_and_distances_of_a_phenomenon_are_counted_in_the_reference_and_occurrences_in_systems():
    systems = {"a": [tagged([], [], [], p=2, other=9), tagged([], [], [], p=1)], "b": [tagged([], [], [])]}
    found = module.count_phenomenon("p", REFERENCE, systems)
    assert (found.name, found.occurrences, found.words) == ("p", 4, 4)  # one word of the first segment is in two
    assert list(found.rules.items()) == [("two", 3), ("one", 1)]
    assert list(found.distances.items()) == [(2, 2), (10, 1)]
    assert found.systems == {"a": 3, "b": 0}
    assert module.count_phenomenon("none", REFERENCE, {}).occurrences == 0


def test_a_corpus_is_described_by_its_documents_and_words():
    place = Location("f", 1)
    documents = tuple(
        Document(name, tuple(Segment("s", {"ref": "r", "second": "r"}, {"sys": "h"}, place) for _ in range(size)))
        for name, size in (("d", 2), ("e", 1))
    )
    info = module.corpus_info(Corpus("en", "de", documents, ("ref", "second"), ("sys",)), REFERENCE)
    assert (info.source_language, info.target_language, info.segments) == ("en", "de", 3)
    assert [(one.id, one.segments) for one in info.documents] == [("d", 2), ("e", 1)]
    assert (info.source_words, info.reference_words) == (4, 4)
    assert (info.references, info.systems) == (["ref", "second"], ["sys"])


ALL = TaggerOptions().phenomena


@pytest.mark.parametrize(
    ("segments", "occurrences", "phenomena", "doubted"),
    [
        (100, 0, ALL, True),
        (1000, 0, (*ALL, "gender"), True),
        (99, 0, ALL, False),
        (100, 1, ALL, False),
        (100, 0, ALL[1:], False),
        (100, 0, (), False),
    ],
)
def test_that_nothing_is_found_in_a_hundred_segments_is_doubted_where_all_is_looked_for(
    segments: int, occurrences: int, phenomena: tuple[str, ...], doubted: bool
):
    setup: Any = SimpleNamespace(taggers=SimpleNamespace(phenomena=phenomena))
    found = module._doubt_emptiness(segments, occurrences, setup)
    assert len(found) == doubted
    assert all(one.startswith("[E386] the reference") and f"in {segments:,} segments" in one for one in found)


def test_scores_of_people_bring_their_warnings():
    human: Any = SimpleNamespace(warnings=("one", "two"))
    assert module._human_warnings(None, None) == []
    assert module._human_warnings(human, None) == []


def test_levels_of_scores_are_named_and_keep_the_order_of_systems():
    values = np.array([[1.0, 2.0, 6.0], [4.0, np.nan, np.nan]])
    segments = Scores("seg", ("b", "a"), values)
    full = ScoreSet("m", {"seg": segments}, frozenset(), "sig").complete(SimpleNamespace(ids=("x", "y", "x")))
    assert list(full.levels) == ["seg", "doc", "sys"]
    assert [(name, one.level, one.systems) for name, one in full.levels.items()] == [
        (name, name, ("b", "a")) for name in ("seg", "doc", "sys")
    ]
    assert np.array_equal(full.levels["doc"].values, [[3.5, 2.0], [4.0, np.nan]], equal_nan=True)
    assert full.levels["sys"].values.tolist() == [[3.0], [4.0]]
    assert full.levels["doc"].values.dtype == np.float64
    assert (full.means, full.name, full.signature) == ({"doc", "sys"}, "m", "sig")
    assert full.negated().levels["sys"].values.tolist() == [[-3.0], [-4.0]]
    assert full.negated().levels["sys"].level == "sys"
