"""Trials of the parser: which trees of raw text are learned from."""

from __future__ import annotations

from tests.phenomena.handmade import text

from endophora_makers.syntax_trials import Raw, carried_heads


def test_only_kept_texts_have_trees_and_all_have_parts_of_speech():
    said = text("Sie/PRON >1 :nsubj | schläft/VERB | ./PUNCT >1 :punct")
    kept, left = Raw([said, said], ["She sleeps."] * 2).sentences([True, False])
    assert [word.head for word in kept.words] == [1, -1, 1]
    assert [word.relation for word in kept.words] == ["nsubj", "root", "punct"]
    assert {word.head for word in left.words} == {None}
    assert [word.upos for word in left.words] == ["PRON", "VERB", "PUNCT"]


def test_a_head_is_carried_over_where_word_and_head_are_linked_once():
    # *she has slept*; in the second case *hat* is linked to both *has* and *slept*.
    assert carried_heads([2, 2, -1], [(0, 0), (1, 1), (2, 2)]) == {0: 2, 1: 2, 2: -1}
    assert carried_heads([2, 2, -1], [(0, 0), (1, 1), (2, 1), (2, 2)]) == {}
