"""A tagged document survives the store unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from endophora.evaluation.tagged import TaggedDocument, TaggedSegment, decode_document, encode_document
from endophora.metrics.readings import Reading
from endophora.phenomena.records import Occurrence, Support

numbers = st.integers(0, 10_000)
pairs = st.lists(st.tuples(numbers, numbers), max_size=5).map(tuple)
supports = st.none() | st.builds(Support, pairs, pairs, numbers, st.floats(0, 1))
occurrences = st.builds(
    Occurrence,
    st.just("d"),
    numbers,
    st.text(),
    st.text(),
    st.lists(numbers).map(tuple),
    st.lists(numbers, min_size=1).map(tuple),
    st.text(),
    supports,
)


words = st.text(min_size=1, max_size=4)
named = st.lists(st.tuples(words, words), max_size=3).map(tuple)


@st.composite
def read_segments(draw: st.DrawFn) -> tuple[TaggedSegment, Reading]:
    """Draw a segment with the reading of its text, whose tokens stand where the segment says."""
    tokens = draw(st.lists(words, max_size=5))
    gaps = draw(st.lists(st.sampled_from(["", " ", "  "]), min_size=len(tokens), max_size=len(tokens)))
    text, spans = "", []
    for gap, token in zip(gaps, tokens, strict=True):
        spans.append((len(text + gap), len(text + gap + token)))
        text += gap + token
    segment = TaggedSegment(draw(pairs), tuple(spans), draw(pairs))
    return segment, Reading(text, tuple(tokens), draw(named), draw(named), draw(named))


@given(st.lists(read_segments(), max_size=3), st.lists(occurrences, max_size=3).map(tuple))
def test_a_tagged_document_is_read_as_it_was_written(
    read: list[tuple[TaggedSegment, Reading]], found: tuple[Occurrence, ...]
):
    document = TaggedDocument(tuple(each for each, _ in read), found, tuple(each for _, each in read))
    texts = [reading.text for _, reading in read]
    assert decode_document("d", texts, encode_document(document)) == document
