"""How documents are handed out, kept and read again, without a model."""

from __future__ import annotations

import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from worked import BEFORE, SOURCE, TEXTS, Words, document, occurrence, tools

from endophora.align.records import Link
from endophora.annotate.loading import forget_pipelines, load_annotator
from endophora.corefer.encoder import load_encoder
from endophora.evaluation import tagging as module
from endophora.evaluation.setup import Setup
from endophora.evaluation.tagging import DocumentTexts, TaggedDocument, _chunks, _regroup, tag_targets, tagged_as_given
from endophora.metrics.records import Reading
from endophora.phenomena import TaggerOptions
from endophora.phenomena.records import Occurrence


def texts(*sizes: int) -> list[DocumentTexts]:
    return [DocumentTexts(f"d{at}", ("x",) * size, ("y",) * size) for at, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], []),
        ([1], [(0, 1)]),
        ([499, 1], [(0, 2)]),
        ([499, 1, 1], [(0, 2), (2, 3)]),
        ([500, 499, 2, 3], [(0, 1), (1, 3), (3, 4)]),
        ([2000, 1], [(0, 1), (1, 2)]),
    ],
)
def test_tagging_jobs_end_with_the_document_that_makes_five_hundred_segments(
    sizes: list[int], expected: list[tuple[int, int]]
):
    assert [(one.start, one.stop) for one in _chunks(texts(*sizes))] == expected


def test_tagging_gives_each_document_as_many_texts_as_it_has():
    assert _regroup(["a", "b", "c"], [2, 0, 1]) == [("a", "b"), (), ("c",)]  # pyright: ignore[reportArgumentType]


def test_tagging_reads_all_parts_again_after_they_were_forgotten():
    reading = [Reading(text, tuple(text.split()), (("tense", "VBD"),), (("name", "Anna"),), (("wir", "PRON"),))
               for text in TEXTS["ref"]]  # fmt: skip
    found = [occurrence(), occurrence(None, segment=0)]
    made = document("d0", TEXTS["ref"], [], found, readings=reading, links=[[(0, 0)], [(1, 2), (2, 1)]])
    for _ in range(2):
        assert made.links == (((0, 0),), ((1, 2), (2, 1)))
        assert made.source[0] == ((0, 2), (3, 6), (7, 11))
        assert made.target[1] == ((0, 3), (4, 9), (10, 13))
        assert made.occurrences == tuple(found)
        assert made.occurrences[0].support == BEFORE
        assert made.readings == tuple(reading)
        assert made.counts == {"verb_form": 2}
        made.forget()
        assert {"source", "target", "links", "occurrences", "readings", "choices"}.isdisjoint(made.__dict__)


def test_tagging_as_given_makes_an_occurrence_of_each_tag_of_each_word():
    side = [DocumentTexts("a", ("x", "x"), ("du da", "wer")), DocumentTexts("b", ("x",), ("sie",))]
    labelled = [[("du", ("formality", "mine")), ("da", ())], [("wer", ())], [("sie", ("pronouns",))]]
    one, other = tagged_as_given(side, labelled)  # pyright: ignore[reportArgumentType]
    assert one.occurrences == tuple(
        Occurrence("a", 0, name, "", (), (0,), "du", None) for name in ("formality", "mine")
    )
    assert [(each.document, each.segment, each.rule) for each in other.occurrences] == [("b", 0, "")]
    assert one.target == (((0, 2), (3, 5)), ((0, 3),))
    assert (one.source, one.links) == (((), ()), ((), ()))


class Tools:
    """Loaded tools that count what they are asked to annotate."""

    def __init__(self, phenomena: tuple[str, ...]) -> None:
        self.annotated: list[list[str]] = []
        base = tools()
        self.setup = Setup("en", "de", taggers=TaggerOptions(phenomena=phenomena))
        self.store, self.source_annotator, self.target_annotator = base.store, Words(), Words()
        self.reader, self.taggers, self.priors = None, (), None
        self.annotations = SimpleNamespace(annotate=self._annotate)
        self.aligner = SimpleNamespace(align_many=self._align)

    def keys(self, *data: object) -> bytes:
        return repr(data).encode()

    def _annotate(self, annotator: Words, given: list[str]) -> list[Any]:
        self.annotated.append(list(given))
        return list(annotator.annotate(given))

    def _align(self, pairs: Any) -> Any:
        return [[(Link(0, 0, 1.0),) for _ in source] for source, _ in pairs]


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch):
    def load(*phenomena: str) -> Tools:
        made = Tools(phenomena)
        monkeypatch.setattr(Setup, "load", lambda setup: made)
        return made

    monkeypatch.setattr(module, "tag_document", lambda *given: [])
    monkeypatch.setattr(module, "read_choices", lambda *given: None)
    monkeypatch.setattr(module, "_resolved", lambda tools, document: document)
    return load


def sides() -> list[list[DocumentTexts]]:
    return [
        [DocumentTexts("d0", SOURCE, TEXTS[name]), DocumentTexts("d1", SOURCE[:1], TEXTS[name][:1])]
        for name in ("ref", "bad")
    ]


def test_tagging_annotates_the_source_of_two_sides_once_and_tells_its_progress(loaded: Any):
    made, told = loaded("verb_form"), list[int]()
    found = tag_targets(made.setup, sides(), progress=told.append)
    assert [[one.identifier for one in side] for side in found] == [["d0", "d1"]] * 2
    assert [[len(one.target) for one in side] for side in found] == [[2, 1]] * 2
    assert found[1][0].target == (((0, 3), (4, 10), (11, 15)), ((0, 3), (4, 9), (10, 13)))
    assert found[0][0].links == (((0, 0),), ((0, 0),))
    assert made.annotated == [
        [*TEXTS["ref"], *TEXTS["bad"], TEXTS["ref"][0]],  # the other side's second document is the same
        [*SOURCE, SOURCE[0]],
    ]
    assert told == [2, 2, 1, 1]


def test_tagging_does_all_texts_of_a_document_before_the_next_and_only_what_lacks(
    loaded: Any, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "SEGMENTS_A_JOB", 1)
    made = loaded("verb_form")
    tag_targets(made.setup, sides()[:1])
    made.annotated.clear()
    found = tag_targets(made.setup, sides())
    assert made.annotated == [[*TEXTS["bad"]], [*SOURCE]]
    made.annotated.clear()
    made.store = tools().store
    again = tag_targets(made.setup, sides())
    assert made.annotated == [
        [*TEXTS["ref"]], [*SOURCE], [*TEXTS["bad"]], [TEXTS["ref"][0]], [SOURCE[0]]
    ]  # fmt: skip
    assert [[one.target for one in side] for side in again] == [[one.target for one in side] for side in found]


def test_tagging_without_phenomena_reads_no_source(loaded: Any):
    made = loaded()
    [found] = tag_targets(made.setup, sides()[:1])
    assert made.annotated == [[*TEXTS["ref"], TEXTS["ref"][0]]]
    assert (found[0].source, found[0].links, len(found[0].target)) == ((), (), 2)


def test_tagging_does_nothing_that_the_store_has(loaded: Any):
    made = loaded("verb_form")
    first = tag_targets(made.setup, sides())
    made.annotated.clear()
    again = tag_targets(made.setup, sides())
    assert made.annotated == []
    assert [[one.target for one in side] for side in again] == [[one.target for one in side] for side in first]
    assert tag_targets(made.setup, []) == []


def test_tagging_remembers_equal_texts_under_each_documents_own_id(loaded: Any):
    made = loaded("verb_form")
    twin = [DocumentTexts(name, SOURCE, TEXTS["ref"]) for name in ("d0", "d1")]
    [found] = tag_targets(made.setup, [twin])
    assert [one.identifier for one in found] == ["d0", "d1"]
    assert isinstance(found[1], TaggedDocument)
    assert found[0].target == found[1].target


def test_a_large_run_lets_go_of_its_models_and_finds_the_same(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    source, target = ("The lamp is new.", "It shines."), ("Die Lampe ist neu.", "Sie leuchtet.")
    side = [DocumentTexts("d", source, target)]
    forget_pipelines()  # models that other tests hold would stay
    load_encoder.cache_clear()
    [[small]] = tag_targets(Setup("en", "de", store=tmp_path / "small"), [side])
    kept = [weakref.ref(each) for each in (load_annotator("en"), load_annotator("de"), load_encoder("en"))]
    assert all(each() is not None for each in kept)
    left = list[object]()
    monkeypatch.setattr(module, "give_back_memory", lambda: left.extend(each() for each in kept))
    monkeypatch.setattr(module, "LARGE", 2)
    [[large]] = tag_targets(Setup("en", "de", store=tmp_path / "large"), [side])
    assert left == [None, None, None]
    assert large.occurrences == small.occurrences
    assert [one.rule for one in large.occurrences] == ["it"]
