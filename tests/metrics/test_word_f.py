from __future__ import annotations

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.metrics.records import TaggedTokens
from endophora.metrics.word_f import WordF, matched_pairs, normalise, tag_tokens
from endophora.phenomena.records import Occurrence


def tagged(text: str) -> TaggedTokens:
    """``Sie/p+f geht`` → tokens with the tags p and f, and none."""
    pairs = [word.partition("/") for word in text.split()]
    return TaggedTokens(
        tuple(form for form, _, _ in pairs), tuple(frozenset(filter(None, tags.split("+"))) for _, _, tags in pairs)
    )


def counts(metric: WordF, hypothesis: str, reference: str) -> list[list[int]]:
    return metric.statistics([tagged(hypothesis)], [tagged(reference)])[0].astype(int).tolist()


PAPER = WordF(("p", "f"))
MUDA = WordF(("p", "f"), variant="muda")


@pytest.mark.parametrize(
    ("hypothesis", "reference", "paper", "muda"),
    [
        # A matched word takes the reference's tags; by muda it must carry them itself.
        ("sie geht", "sie/p geht", [1, 1, 1], [0, 1, 0]),
        # A tag that only the hypothesis' word has: the match hides it, by muda it is a false one.
        ("sie/p geht", "sie geht", [0, 0, 0], [0, 0, 1]),
        ("er/p geht", "sie/p geht", [0, 1, 1], [0, 1, 1]),
        # The k-th occurrence is matched with the k-th.
        ("sie sie/p", "sie/p sie", [1, 1, 1], [0, 1, 1]),
        ("sie/p sie", "sie/p", [1, 1, 1], [1, 1, 1]),
        ("sie sie/p", "sie/p", [1, 1, 2], [0, 1, 1]),
        # Case and punctuation count, by muda they do not.
        ("Sie/p", "sie/p", [0, 1, 1], [1, 1, 1]),
        ("„sie“/p", "sie/p", [0, 1, 1], [1, 1, 1]),
        ("", "sie/p", [0, 1, 0], [0, 1, 0]),
        ("sie/p", "", [0, 0, 1], [0, 0, 1]),
    ],
)
def test_counts_of_one_tag(hypothesis: str, reference: str, paper: list[int], muda: list[int]):
    assert counts(PAPER, hypothesis, reference)[0] == paper
    assert counts(MUDA, hypothesis, reference)[0] == muda


def test_a_word_with_two_tags_counts_under_both():
    assert counts(PAPER, "sie", "sie/p+f") == [[1, 1, 1], [1, 1, 1]]
    assert counts(MUDA, "sie/p", "sie/p+f") == [[1, 1, 1], [0, 1, 0]]


def test_other_counts_words_without_a_tag_and_unknown_tags_count_nowhere():
    metric = WordF(("p", "other"))
    assert counts(metric, "a b/x c", "a b/x d") == [[0, 0, 0], [1, 2, 2]]


def test_segments_do_not_share_matches():
    sums = PAPER.statistics([tagged("sie"), tagged("")], [tagged(""), tagged("sie/p")]).sum(axis=0)
    assert sums[0].tolist() == [0, 1, 0]


def test_f_is_the_harmonic_mean_of_precision_and_recall():
    sums = np.array([[3.0, 4.0, 10.0], [0.0, 2.0, 5.0]])
    precision, recall = PAPER.precision(sums), PAPER.recall(sums)
    assert precision.tolist() == [0.3, 0.0]
    assert recall.tolist() == [0.75, 0.0]
    assert PAPER.score(sums)[0] == pytest.approx(2 / (1 / 0.3 + 1 / 0.75))
    assert PAPER.score(sums)[1] == 0


def test_nothing_to_count_is_no_score_and_not_zero():
    sums = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    assert np.isnan(PAPER.score(sums)).tolist() == [True, False, False]
    assert np.isnan(PAPER.precision(sums)).tolist() == [True, False, True]
    assert np.isnan(PAPER.recall(sums)).tolist() == [True, True, False]


def test_an_empty_output_scores_zero_where_the_reference_has_the_tag():
    sums = PAPER.statistics([tagged("")], [tagged("sie/p")]).sum(axis=0)
    assert PAPER.score(sums)[0] == 0


def test_scores_have_the_shape_of_the_resamples():
    assert PAPER.score(np.ones((4, 6, 2, 3))).shape == (4, 6, 2)


def test_statistics_of_no_segments_are_empty():
    assert PAPER.statistics([], []).shape == (0, 2, 3)


@pytest.mark.parametrize(
    ("form", "expected"),
    [("«Tu»,", "tu"), ("--", ""), ("L'École", "l'école"), ("rendez-vous", "rendez-vous"), ("３", "３")],
)
def test_normalise_strips_the_ends_only(form: str, expected: str):
    assert normalise(form) == expected


def test_matched_pairs_set_occurrences_against_each_other_in_order():
    assert list(matched_pairs(["a", "b", "a", "a"], ["a", "c", "a"])) == [(0, 0), (2, 2)]


def test_tokens_take_the_phenomena_of_their_occurrences():
    words = ["Sie", "hat", "ihn", "gesehen"]
    found = [
        Occurrence("d", 0, "pronouns", "it", (), (0,), "Sie"),
        Occurrence("d", 0, "formality", "polite", (), (0,), "Sie"),
        Occurrence("d", 0, "verb_form", "perfect", (), (1, 3), "hat gesehen"),
    ]
    first, second = tag_tokens([words, []], found)
    assert first.forms == ("Sie", "hat", "ihn", "gesehen")
    assert first.tags == ({"pronouns", "formality"}, {"verb_form"}, frozenset(), {"verb_form"})
    assert second == TaggedTokens((), ())


def test_an_unknown_variant_is_an_error():
    with pytest.raises(InputError, match="E071"):
        WordF(("p",), variant="lenient")


def test_unequal_numbers_of_segments_are_an_error():
    with pytest.raises(InputError, match=r"E070.*1 segments of output against 0 of reference"):
        PAPER.statistics([tagged("a")], [])


def test_it_has_a_score_for_each_tag():
    sums = PAPER.statistics([tagged("Sie/p geht")], [tagged("Sie/p geht")]).sum(axis=0)
    assert PAPER.score(sums).shape == (len(PAPER.tags),)


def test_signature_names_the_variant():
    assert MUDA.signature().startswith("nrefs:1|variant:muda|version:")
    assert MUDA.signature(short=True).startswith("#:1|va:muda|v:")
