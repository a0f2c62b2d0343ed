"""The compact aligner: what it links, that it is the same bytes every time, and that any document will do."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from toy import joined, texts, toy_pairs

from endophora.align import CompactAligner, load_aligner
from endophora.align.priors import Priors
from endophora.align.records import Symmetrisation
from endophora.errors import InputError
from endophora_makers.alignment_evaluation import alignment_error_rate, in_documents, points, read_gold, tokenised


def test_compact_aligns_a_toy_language_without_priors() -> None:
    pairs = toy_pairs(80)
    links = CompactAligner(Priors()).align(*joined(pairs))
    right = sum((k, k) in points(found) for (one, _), found in zip(pairs, links, strict=True) for k in range(len(one)))
    assert right / sum(len(one) for one, _ in pairs) > 0.95


def test_compact_with_priors_aligns_a_single_sentence() -> None:
    aligner = load_aligner(None, "en", "de")
    links = aligner.align(texts("I gave him the red book ."), texts("Ich gab ihm das rote Buch ."))[0]
    assert points(links) == [(k, k) for k in range(7)]
    assert all(0 < link.confidence <= 1 for link in links)


def test_compact_serves_the_opposite_direction_from_the_same_priors() -> None:
    source, target = texts("I gave him the red book ."), texts("Hier gab ich ihm das Buch .")
    forward = load_aligner(None, "en", "de", symmetrisation="intersection").align(source, target)[0]
    backward = load_aligner(None, "de", "en", symmetrisation="intersection").align(target, source)[0]
    assert sorted((j, i) for i, j in points(backward)) == points(forward)


def test_many_documents_give_the_same_links_as_one_by_one() -> None:
    aligner = load_aligner(None, "en", "fr")
    documents = [joined(toy_pairs(size, seed=size)) for size in (1, 7, 30, 2)]
    assert aligner.align_many(documents) == [aligner.align(*document) for document in documents]


def test_empty_sides_give_no_links_and_keep_their_place() -> None:
    links = CompactAligner(Priors()).align(texts("a b", "", "c", "a b"), texts("x y", "z", "", "x y"))
    assert [bool(one) for one in links] == [True, False, False, True]
    assert CompactAligner(Priors()).align([], []) == []
    assert CompactAligner(Priors()).align(texts(""), texts("")) == [()]


def test_links_are_ordered_by_source_then_target() -> None:
    for found in CompactAligner(Priors(), Symmetrisation("union")).align(*joined(toy_pairs(20))):
        assert points(found) == sorted(points(found))


def test_a_segment_of_500_tokens_takes_no_quadratic_time() -> None:
    long = " ".join(f"w{k}" for k in range(500))
    start = time.process_time()
    links = CompactAligner(Priors()).align(texts(long), texts(long))[0]
    assert time.process_time() - start < 5  # a second of one core
    assert sum(link.source == link.target for link in links) > 480


def test_unequal_numbers_of_segments_are_refused() -> None:
    with pytest.raises(InputError, match="E052"):
        CompactAligner(Priors()).align(texts("a"), texts("x", "y"))


def test_signature_names_what_makes_two_alignments_the_same() -> None:
    one = load_aligner("compact", "en", "de").signature
    assert one.startswith("compact v")
    assert "grow-diag-final-and" in one
    assert one == load_aligner(None, "en", "de").signature != load_aligner(None, "de", "en").signature
    assert one != load_aligner(None, "en", "fr").signature
    assert "threshold:0.4" in load_aligner(None, "en", "de", symmetrisation="threshold", threshold=0.4).signature


@pytest.mark.parametrize(
    ("name", "rule", "threshold", "code"),
    [("compcat", "union", 0.2, "E090"), (None, "gdfa", 0.2, "E053"), (None, "threshold", 1.5, "E054")],
)
def test_load_aligner_refuses_what_it_does_not_know(name: str | None, rule: str, threshold: float, code: str) -> None:
    with pytest.raises(InputError, match=code):
        load_aligner(name, "en", "de", symmetrisation=rule, threshold=threshold)


def test_french_error_rate_is_that_of_the_model_card(shared: Path) -> None:
    gold = shared / "gold-alignments"
    source, target = (
        [tokenised(line) for line in (gold / f"fr.{side}").read_text("utf-8").split("\n")[:-1]] for side in ("en", "xx")
    )
    documents = list(zip(in_documents(source, 50), in_documents(target, 50), strict=True))
    found = [points(links) for links in load_aligner(None, "en", "fr").align_many(documents) for links in links]
    assert alignment_error_rate(found, read_gold(gold / "fr.gold")).error_rate < 0.08
