"""What replaces the context: its length, its distribution, its order, and the side it stands on."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from perturbation_fakes import FakeModel, indifferent
from scipy import stats

from endophora.context.perturbation.conditions import (
    CORRECT,
    NONE,
    Condition,
    DocumentTexts,
    Given,
    Kind,
    PerturbationOptions,
    another_order,
    perturbed_inputs,
    random_tokens,
    read_conditions,
    shuffled_words,
)
from endophora.errors import InputError
from endophora.models.records import Sides


def texts(documents: int = 3, segments: int = 4) -> list[DocumentTexts]:
    return [
        DocumentTexts(
            tuple(f"s{number}.{place} a b" for place in range(segments)),
            tuple(f"r{number}.{place}" for place in range(segments)),
        )
        for number in range(documents)
    ]


def made(condition: Condition, size: int = 2, sides: Sides = Sides.BOTH, seed: int = 1, documents: int = 3):
    chosen = texts(documents)
    own = [[f"t{number}.{place} c" for place in range(4)] for number in range(documents)]
    return perturbed_inputs(Given(chosen, own, size, sides, seed), condition, indifferent())


def test_correct_context_is_the_segments_before_and_own_translations_of_them():
    third = made(CORRECT)[3]
    assert third.source_context == ("s0.1 a b", "s0.2 a b")
    assert third.target_context == ("t0.1 c", "t0.2 c")
    assert made(CORRECT)[4].source_context == ()


def test_gold_context_has_references_on_the_target_side():
    third = made(Condition(Kind.GOLD))[3]
    assert third.source_context == ("s0.1 a b", "s0.2 a b")
    assert third.target_context == ("r0.1", "r0.2")


def test_random_context_has_as_many_tokens_as_the_correct_one_sentence_by_sentence():
    for one, correct in zip(made(Condition(Kind.RANDOM)), made(CORRECT), strict=True):
        assert one.source == correct.source
        assert [len(sentence) for sentence in one.source_context] == [3] * len(correct.source_context)
        assert [len(sentence) for sentence in one.target_context] == [2] * len(correct.target_context)


def test_random_tokens_are_uniform_over_the_vocabulary():
    model = FakeModel(str, float)
    model.vocabulary = range(50, 75)
    (drawn,) = random_tokens((tuple(range(20_000)),), model.vocabulary, model.length, np.random.default_rng(3))
    counts = Counter(drawn)
    assert set(counts) == set(range(50, 75))
    assert stats.chisquare([counts[token] for token in range(50, 75)]).pvalue > 0.001


def test_random_tokens_come_from_no_other_ids_than_the_vocabulary_has():
    model = FakeModel(str, float)
    model.vocabulary = (3, 1000, 7)
    (drawn,) = random_tokens(("a b c d e f g h",), model.vocabulary, model.length, np.random.default_rng(1))
    assert len(drawn) == 8
    assert set(drawn) <= {3, 1000, 7}


def test_draws_depend_on_the_seed_and_on_nothing_else():
    assert made(Condition(Kind.RANDOM)) == made(Condition(Kind.RANDOM))
    assert made(Condition(Kind.RANDOM)) != made(Condition(Kind.RANDOM), seed=2)
    assert made(Condition(Kind.RANDOM))[:8] == made(Condition(Kind.RANDOM), documents=2)


def test_one_side_perturbed_leaves_the_other_correct_and_draws_the_same():
    both, correct = made(Condition(Kind.RANDOM)), made(CORRECT)
    for one, all_random, right in zip(made(Condition(Kind.RANDOM, Sides.SOURCE)), both, correct, strict=True):
        assert one.source_context == all_random.source_context
        assert one.target_context == right.target_context
    for one, all_random, right in zip(made(Condition(Kind.RANDOM, Sides.TARGET)), both, correct, strict=True):
        assert one.source_context == right.source_context
        assert one.target_context == all_random.target_context


def test_no_context_on_a_side_that_is_given_none():
    for kind in (Kind.CORRECT, Kind.RANDOM, Kind.SENTENCES, Kind.SHUFFLED, Kind.SHUFFLED_WORDS):
        assert not any(one.target_context for one in made(Condition(kind), sides=Sides.SOURCE))
        assert made(Condition(kind), sides=Sides.SOURCE)[3].source_context
    assert not any(one.source_context or one.target_context for one in made(NONE))


def test_random_sentences_are_of_other_documents_with_their_own_translations():
    for number, one in enumerate(made(Condition(Kind.SENTENCES))):
        assert len(one.source_context) == min(number % 4, 2)
        for sentence, translation in zip(one.source_context, one.target_context, strict=True):
            assert sentence[1:4] == translation[1:4]
            assert sentence[1] != str(number // 4)


def test_random_sentences_of_a_single_document_are_of_itself():
    assert all(
        sentence.startswith("s0")
        for one in made(Condition(Kind.SENTENCES), documents=1)
        for sentence in one.source_context
    )


def test_shuffled_context_has_the_same_sentences_in_another_order_alike_on_both_sides():
    moved = made(Condition(Kind.SHUFFLED), size=3)[3]
    right = made(CORRECT, size=3)[3]
    assert Counter(moved.source_context) == Counter(right.source_context)
    assert moved.source_context != right.source_context
    assert [one[1:4] for one in moved.source_context] == [one[1:4] for one in moved.target_context]


def test_a_context_of_one_sentence_cannot_be_shuffled():
    assert made(Condition(Kind.SHUFFLED))[1] == made(CORRECT)[1]


def test_shuffled_words_stay_in_their_sentence():
    moved, right = made(Condition(Kind.SHUFFLED_WORDS))[3], made(CORRECT)[3]
    for one, other in zip(moved.source_context, right.source_context, strict=True):
        assert one != other
        assert Counter(one.split()) == Counter(other.split())


def test_wide_characters_are_moved_one_by_one_and_blanks_stay():
    moved = shuffled_words("抱歉 怎么", np.random.default_rng(2))
    assert moved != "抱歉 怎么"
    assert moved[2] == " "
    assert Counter(moved) == Counter("抱歉 怎么")


@given(st.text(max_size=30), st.integers(0, 2**32))
def test_shuffled_words_keep_all_characters_and_the_number_of_words(text: str, seed: int):
    moved = shuffled_words(text, np.random.default_rng(seed))
    assert Counter(moved) == Counter(text)
    assert len(moved.split()) == len(text.split())


@given(st.integers(0, 12), st.integers(0, 2**32))
def test_another_order_is_a_permutation_and_not_the_one_at_hand(count: int, seed: int):
    order = another_order(count, np.random.default_rng(seed))
    assert sorted(order) == list(range(count))
    assert count < 2 or order != list(range(count))


def test_conditions_are_read_and_the_correct_context_comes_first():
    assert [one.name for one in read_conditions([])] == ["correct", "random", "none"]
    assert [one.name for one in read_conditions(["none", "random:target"])] == ["correct", "none", "random:target"]


@pytest.mark.parametrize(
    ("names", "sides", "faults"),
    [
        (["randm", "random:left"], Sides.BOTH, 2),
        (["random", "random"], Sides.BOTH, 1),
        (["gold:source"], Sides.BOTH, 1),
        (["random:target", "gold"], Sides.SOURCE, 2),
        (["correct:source"], Sides.BOTH, 1),
    ],
)
def test_conditions_that_make_no_sense_are_all_told(names: list[str], sides: Sides, faults: int):
    with pytest.raises(InputError) as raised:
        PerturbationOptions(conditions=read_conditions(names), sides=sides)
    assert [fault.code for fault in raised.value.faults] == ["E325"] * faults


def test_gold_is_the_correct_context_where_that_is_of_references():
    with pytest.raises(InputError, match=r"E325.*is the correct context already"):
        PerturbationOptions(conditions=read_conditions(["gold"]), target_context="reference")
    with pytest.raises(InputError, match=r"E326.*choose own or reference"):
        PerturbationOptions(target_context="gold")
