"""Joining segments with markers and cutting the answer: nothing is lost, and nothing wrong passes for right."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.models.services.options import known_services
from endophora.models.services.records import join_segments

PLAIN = known_services()["openai"].markers
MARKERS = [known_services()[name].markers for name in ("deepl", "google", "openai")]
# Text that looks like markers, and pieces of them, along with anything else.
PIECES = st.sampled_from(
    ["[[1]]", "[[", "]]", "1", "[[x2]]", '<m id="1"/>', '<hr id="2">', "</m>", "&lt;", "&amp;", " ", "\n"]
)
SEGMENT = st.lists(PIECES | st.text(max_size=5), max_size=6).map("".join)


@given(st.sampled_from(MARKERS), st.lists(SEGMENT, min_size=1, max_size=5))
def test_what_is_joined_is_cut_into_the_same(markers, segments):
    joined = join_segments(segments, markers)
    cut = joined.split(joined.text)
    assert cut.segments == tuple(segment.strip() for segment in segments)
    assert not cut.fault


@given(st.sampled_from(MARKERS), st.lists(SEGMENT, min_size=2, max_size=5), st.data())
def test_a_marker_that_is_dropped_doubled_or_moved_is_a_fault(markers, segments, data):
    joined = join_segments(segments, markers)
    chosen = data.draw(st.integers(1, len(segments)))
    marker = markers.marker(chosen, joined.salt)
    assert joined.text.count(marker) == 1
    change = data.draw(st.sampled_from(["", marker * 2, markers.marker(chosen % len(segments) + 1, joined.salt)]))
    answer = joined.text.replace(marker, change)
    assert joined.split(answer).fault


@given(st.sampled_from(MARKERS), st.lists(SEGMENT, min_size=1, max_size=3), st.lists(SEGMENT, max_size=4), st.data())
def test_an_answer_without_fault_has_all_segments(markers, segments, answers, data):
    joined = join_segments(segments, markers)
    numbers = [data.draw(st.sampled_from([n, n, n, n + 1])) for n, _ in enumerate(answers, 1)]
    answer = "".join(markers.marker(n, joined.salt) + text for n, text in zip(numbers, answers, strict=True))
    cut = joined.split(answer)
    if not cut.fault:
        assert len(cut.segments) == len(segments)
        assert all(text or not segment.strip() for text, segment in zip(cut.segments, segments, strict=True))
    if len(answers) != len(segments) and (answers or len(segments) > 1):
        assert cut.fault


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ("[[1]] A\n[[2]] B", ""),
        ("[[ 1 ]]A [[2]]B", ""),
        ("A B", "of 2 segments 0 came back"),
        ("[[1]] A B", "of 2 segments 1 came back"),
        ("[[1]] A [[2]] B [[3]] C", "of 2 segments 3 came back"),
        ("[[2]] B [[1]] A", "of 2 segments in another order"),
        ("A [[1]] B [[2]]", "of 2 segments number 2 came back blank"),
        ("A [[1]] B [[2]] C", ""),
        ("[[1]] A B [[2]]", "of 2 segments number 2 came back blank"),
    ],
)
def test_answers_of_a_model(answer: str, fault: str):
    assert join_segments(["a", "b"], PLAIN).split(answer).fault == fault


def test_what_stands_before_the_first_marker_is_left_out_and_said():
    cut = join_segments(["a", "b"], PLAIN).split("Sure! Here you are:\n\n[[1]] A\n[[2]] B")
    assert cut.segments == ("A", "B")
    assert cut.remark == "text before the first segment was left out"


@pytest.mark.parametrize(
    "answer",
    [
        "<think>one [[1]]\ntwo</think>\n\n[[1]] A\n[[2]] B",
        "one [[1]]\ntwo\n</think>[[1]] A [[2]] B",
        "<Thinking>[[1]] x [[2]] y</Thinking>[[1]] A [[2]] B",
    ],
)
def test_thoughts_of_a_model_are_no_part_of_its_answer(answer: str):
    thinking = known_services()["openai"].markers
    assert join_segments(["a", "b"], thinking).split(answer).segments == ("A", "B")
    assert join_segments(["a", "b"], thinking).split(answer).remark == ""


def test_a_thought_without_end_leaves_nothing():
    thinking = known_services()["openai"].markers
    assert join_segments(["a"], thinking).split("<think> the car").fault == "the answer is blank"


def test_a_text_that_has_such_a_tag_keeps_it():
    thinking = known_services()["openai"].markers
    assert join_segments(["say </think> now"], thinking).split("sag </think> jetzt").segments == ("sag </think> jetzt",)


def test_one_segment_needs_no_marker():
    joined = join_segments(["a"], PLAIN)
    assert joined.split(" A ").segments == ("A",)
    assert not joined.split("A").fault
    assert joined.split("  ").fault


def test_tags_may_come_back_in_another_spelling():
    joined = join_segments(["a", "b & <c>"], MARKERS[0])
    assert joined.text == '<m id="1"/> a\n<m id="2"/> b &amp; &lt;c&gt;'
    assert joined.split('<m id="1"></m>A<M id="2" />B &amp; &lt;C&gt;').segments == ("A", "B & <C>")
