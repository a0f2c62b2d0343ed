"""Shards: what is cut is all of it, in order; what is sent is what arrives."""

from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from endophora.corpus.records import Document, Location, Segment
from endophora.engine.shards import cut, decode_document, encode_document, read_payload

NASTY = st.sampled_from("\t\r\n\x0b\x1c\x85\u2028\ufeff\0\"'\\,[]\U0001f600\ud800\udc00א")
TEXT = st.text(st.one_of(NASTY, st.characters()), max_size=8)
SEGMENTS = st.builds(
    Segment,
    TEXT,
    st.dictionaries(TEXT, TEXT, max_size=2),
    st.dictionaries(TEXT, TEXT, max_size=2),
    st.builds(Location, st.sampled_from(["", "a.de", "b.de"]), st.integers(0, 10**12)),
)
DOCUMENTS = st.builds(Document, TEXT, st.lists(SEGMENTS, max_size=5).map(tuple))


@given(DOCUMENTS)
def test_a_document_is_read_as_it_was_written_in_one_line(document: Document):
    line = encode_document(document)
    assert b"\n" not in line
    assert decode_document(line) == document
    for one, other in zip(document.segments, decode_document(line).segments, strict=True):
        assert list(one.references.items()) == list(other.references.items())


@given(st.lists(DOCUMENTS, max_size=8), st.integers(1, 12))
def test_shards_hold_all_documents_in_order_and_no_more_than_their_size(documents: list[Document], size: int):
    full = list(cut(documents, size))
    found = [read_payload(one.payload()) for one in full]
    shards = [one.shard for one in full]
    assert [document for part in found for document in part] == documents
    assert [shard.number for shard in shards] == list(range(len(shards)))
    for shard, part in zip(shards, found, strict=True):
        assert (shard.first, shard.last, shard.documents) == (part[0].id, part[-1].id, len(part))
        assert shard.segments == sum(len(document.segments) for document in part)
        assert shard.segments <= size or shard.documents == 1 + sum(not d.segments for d in part)
    for shard, after in zip(shards, found[1:], strict=False):
        assert shard.segments + len(after[0].segments) > size


@given(st.lists(DOCUMENTS, max_size=8), st.integers(1, 12), st.integers(1, 12))
def test_the_text_of_all_shards_does_not_depend_on_their_size(documents: list[Document], one: int, other: int):
    assert b"".join(s.text for s in cut(documents, one)) == b"".join(s.text for s in cut(documents, other))


@given(st.lists(DOCUMENTS, min_size=1, max_size=4), st.data())
def test_a_change_anywhere_changes_the_hash(documents: list[Document], data: st.DataObject):
    changed = data.draw(st.lists(DOCUMENTS, min_size=1, max_size=4))
    one, other = (next(cut(some, 10**6)).shard.input_hash for some in (documents, changed))
    assert (one == other) == (documents == changed and order(documents) == order(changed))


def order(documents: list[Document]) -> list[object]:
    # Equal mappings may have their names in another order, which is another text.
    return [(list(s.references), list(s.outputs)) for d in documents for s in d.segments]


def test_documents_are_not_read_ahead_of_the_shard_that_is_asked_for():
    read = 0

    def stream() -> Iterator[Document]:
        nonlocal read
        for number in range(1000):
            read += 1
            yield Document(str(number), (Segment("x", {}, {}, Location("", 1)),))

    next(cut(stream(), 10))
    assert read == 11
