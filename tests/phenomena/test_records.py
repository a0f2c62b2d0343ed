"""What taggers ask of links, spans and verb groups, worked by hand."""

from __future__ import annotations

import pytest
from handmade import document, links, text

from endophora.phenomena.records import (
    Memory,
    Occurrence,
    Support,
    best_targets,
    by_segment,
    group_of,
    heads_of,
    mention_head,
    mutual_links,
    placed_phrase,
    remembered,
    sources_of,
    span_text,
    subjects,
    support_heads,
    swap_occurrence,
    swap_sides,
    targets_of,
    translated_head,
    translated_span,
    verb_group,
)

TEXT = text("the/DET >1 | big/ADJ >2 | house/NOUN >4 :nsubj | has/AUX >4 :aux | burnt/VERB | was/AUX >4 :cop")


def test_links_are_asked_from_either_side_the_surest_first():
    found = links("0-0:.2 0-1:.9 1-1:.5 2-1:.7")
    assert targets_of(0, found) == [1, 0]
    assert sources_of(1, found) == [0, 2, 1]
    assert (targets_of(5, found), sources_of(5, found)) == ([], [])
    assert best_targets(found) == {0: 1, 1: 1, 2: 1}
    assert mutual_links(found) == {1: 0}  # 0 is surer of 1 than of 0, and 1 is surest of 0


def test_of_equal_links_the_first_counts():
    assert best_targets(links("0-0 0-1")) == {0: 0}
    assert mutual_links(links("0-0 0-1 1-1")) == {0: 0}
    assert mutual_links(links("0-0 1-0")) == {0: 0}


@pytest.mark.parametrize(
    ("head", "span", "written", "run"),
    [
        (1, (0, 1), "0-3 1-4", (3, 4)),
        (1, (0, 1), "0-1 1-4", (4,)),  # the run that has the head's translation
        (1, (0, 1, 2), "0-1 1-4:.2 1-2:.9 2-5", (1, 2)),
        (1, (0, 1, 2), "0-1 2-3 2-4", (3, 4)),  # the head has none: the longest run
        (1, (0, 1), "2-3", ()),
        (1, (0,), "0-3 1-4", (3,)),
    ],
)
def test_a_span_is_translated_by_one_run(head, span, written, run):
    assert translated_span(head, span, links(written)) == run


@pytest.mark.parametrize(
    ("span", "written", "head"),
    [
        ((0, 1, 2), "", 2),
        ((0, 2), "1-0", 0),  # two heads: the surest link of the source head decides
        ((0, 2), "1-0:.2 1-2:.9", 2),
        ((0, 2), "1-4", None),
        ((0, 2), "", None),
    ],
)
def test_the_head_of_a_translation_is_that_of_its_span(span, written, head):
    assert translated_head(1, span, TEXT, links(written)) == head


def test_heads_stand_outside_their_span():
    assert heads_of(TEXT.tokens, (0, 1, 2)) == [2]
    assert heads_of(TEXT.tokens, (0, 2)) == [0, 2]
    assert mention_head(TEXT, (1, 2)) == 2
    assert span_text(TEXT, (0, 2)) == "the big house"
    assert placed_phrase(3, (0, 1, 2), 1) == ((3, 0), (3, 2), (3, 1))


def test_a_verb_group_is_a_predicate_with_its_auxiliaries_and_copula():
    assert [group_of(TEXT.tokens, index) for index in (2, 3, 4, 5)] == [2, 4, 4, 4]
    assert verb_group(TEXT.tokens, 3) == verb_group(TEXT.tokens, 4) == [3, 4, 5]
    assert subjects(TEXT.tokens, (4, 3)) == [2]
    first = text("burnt/VERB | has/AUX >0 :aux:pass | it/PRON >0 :nsubj:pass | lost/AUX :aux")
    assert verb_group(first.tokens, 1) == [0, 1]
    assert group_of(first.tokens, 3) == 3  # it has no head
    assert subjects(first.tokens, (0, 0)) == [2]


def test_a_memory_names_the_eight_nearest_and_counts_all():
    memory = Memory()
    for segment in range(10):
        memory.add(segment, (segment,), (segment, 9))
    support = memory.support(12)
    assert memory.count == 10
    assert support.source_tokens == tuple((place, place) for place in range(2, 10))
    assert support.target_tokens[:2] == ((2, 2), (2, 9))
    assert (support.distance, support.probability) == (3, 1.0)


def test_a_value_is_computed_once_for_one_object_and_again_for_an_equal_one():
    asked = []
    look_up = remembered(lambda key: asked.append(key) or len(asked), most=4)
    one, other = [1, 2], [1, 2]
    assert [look_up(one), look_up(one), look_up(other), look_up(one)] == [1, 1, 2, 1]
    assert look_up([3]) == 3  # more than four items: all others are forgotten
    assert look_up(one) == 4


def test_an_occurrence_of_the_swapped_document_is_one_of_the_document():
    made = document([("it/PRON", "es/PRON", "0-0"), ("it/PRON | fell/VERB", "fiel/VERB | es/PRON", "0-1 1-0")])
    turned = swap_sides(made)
    assert turned.links[1] == links("0-1 1-0")
    found = Occurrence("d", 1, "gender", "X", (1,), (0,), "it", Support(((0, 0),), ((0, 5),), 1, 0.5))
    swapped = swap_occurrence(found, made, "animacy")
    assert (swapped.phenomenon, swapped.source_tokens, swapped.target_tokens) == ("animacy", (0,), (1,))
    assert swapped.expected == "es"
    assert swapped.support == Support(((0, 5),), ((0, 0),), 1, 0.5)
    bare = Occurrence("d", 1, "gender", "X", (1,), (0,), "it")
    assert swap_occurrence(bare, made, "animacy").support is None


def test_support_of_gender_names_both_heads():
    made = document([("the/DET >1 | house/NOUN", "das/DET >1 | Haus/NOUN", "0-0 1-1"), ("it/PRON", "es/PRON", "0-0")])
    assert support_heads(made, Support(((0, 0), (0, 1)), ((0, 0), (0, 1)), 1)) == (0, 1, 1)
    assert support_heads(made, Support(((0, 0), (0, 1)), (), 1)) == (0, 1, None)


def test_occurrences_are_grouped_by_segment():
    one, other = (Occurrence("d", segment, "x", "x", (), (0,), "x") for segment in (2, 0))
    assert by_segment([one, other], 3) == [[other], [], [one]]
