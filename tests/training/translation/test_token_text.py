"""Token ids in flat arrays: what went in comes out, and little memory is taken."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.training.translation.examples import Sentences, TokenDocument, TokenText

IDS = st.lists(st.integers(0, 2**31 - 1), max_size=6).map(tuple)
DOCUMENTS = st.lists(st.lists(st.tuples(IDS, IDS), max_size=4), max_size=5)


@given(DOCUMENTS)
def test_documents_come_out_as_they_went_in(rows: list[list[tuple[tuple[int, ...], tuple[int, ...]]]]):
    documents = [TokenDocument(*(tuple(pair[side] for pair in document) for side in (0, 1))) for document in rows]
    text = TokenText(iter(documents))
    assert [text[number] for number in range(len(text))] == documents
    assert list(text.targets) == [target for document in documents for target in document.targets]
    with pytest.raises(IndexError):
        text[len(documents)]


@given(st.lists(IDS, max_size=8), st.integers(-10, 10), st.integers(-10, 10))
def test_sentences_are_found_like_those_of_a_tuple(rows: list[tuple[int, ...]], first: int, behind: int):
    sentences = Sentences()
    for row in rows:
        sentences.append(row)
    assert sentences[first:behind] == tuple(rows)[first:behind]
    assert (len(sentences), list(sentences)) == (len(rows), rows)
    for at in range(-len(rows), len(rows)):
        assert sentences[at] == rows[at]
    assert sentences.tokens(0, len(rows)) == sum(map(len, rows))


def test_a_text_takes_little_more_than_four_bytes_a_token():
    tracemalloc.start()
    text = TokenText(
        TokenDocument(*([tuple(range(1000 + n, 1030 + n)) for n in range(20)] for _ in range(2))) for _ in range(50)
    )
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / text.sources.tokens(0, 1000) < 2 * 6
