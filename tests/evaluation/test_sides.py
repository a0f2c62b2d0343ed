"""A tagged document survives the store unchanged."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from endophora.evaluation.sides import TaggedDocument, TaggedSegment, decode_document, encode_document
from endophora.phenomena.records import Occurrence, Support

numbers = st.integers(0, 10_000)
pairs = st.lists(st.tuples(numbers, numbers), max_size=5).map(tuple)
segments = st.builds(TaggedSegment, pairs, pairs, pairs)
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


@given(
    st.builds(TaggedDocument, st.lists(segments, max_size=3).map(tuple), st.lists(occurrences, max_size=3).map(tuple))
)
def test_a_tagged_document_is_read_as_it_was_written(document: TaggedDocument):
    assert decode_document("d", encode_document(document)) == document
