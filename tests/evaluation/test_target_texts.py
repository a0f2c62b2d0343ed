"""A tagged document survives the store unchanged."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from endophora.evaluation.tagging import Span, TaggedDocument, encode_document
from endophora.metrics.records import Reading
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


Segment = tuple[tuple[Span, ...], tuple[Span, ...], tuple[tuple[int, int], ...], Reading]


@st.composite
def read_segments(draw: st.DrawFn) -> Segment:
    """Draw source spans, target spans, links and a reading of the text, whose tokens stand where the spans say."""
    tokens = draw(st.lists(words, max_size=5))
    gaps = draw(st.lists(st.sampled_from(["", " ", "  "]), min_size=len(tokens), max_size=len(tokens)))
    text, spans = "", list[Span]()
    for gap, token in zip(gaps, tokens, strict=True):
        spans.append((len(text + gap), len(text + gap + token)))
        text += gap + token
    return draw(pairs), tuple(spans), draw(pairs), Reading(text, tuple(tokens), draw(named), draw(named), draw(named))


@given(st.lists(read_segments(), max_size=3), st.lists(occurrences, max_size=3).map(tuple))
def test_a_tagged_document_is_read_as_it_was_written(segments: list[Segment], found: tuple[Occurrence, ...]):
    source, target, links, readings = zip(*segments, strict=True) if segments else ((), (), (), ())
    texts = [reading.text for reading in readings]
    document = TaggedDocument("d", texts, encode_document(source, target, links, found, readings))
    assert (document.source, document.target, document.links) == (source, target, links)
    assert (document.occurrences, document.readings) == (found, readings)
    assert document.counts == Counter(each.phenomenon for each in found)
    document.forget()
    assert (document.source, document.occurrences, document.readings) == (source, found, readings)
