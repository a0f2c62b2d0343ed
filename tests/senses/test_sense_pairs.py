"""Sentence pairs as documents: named by corpus, each pair once, bad lines told together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.corpus.records import Document, Location, Segment
from endophora.errors import InputError
from endophora.suites.senses import links
from endophora.suites.senses.links import name_documents, origin_of_document, read_pair_documents

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=8)
ROWS = st.lists(st.tuples(st.sampled_from(["books", "a#b", "ted"]), TEXT, TEXT), min_size=1, max_size=30)
ONE = settings(max_examples=50)


def texts(documents) -> list[tuple[str, str, str]]:
    return [
        (origin_of_document(document.id), segment.source, next(iter(segment.references.values())))
        for document in documents
        for segment in document.segments
    ]


@ONE
@given(ROWS, st.integers(1, 5))
def test_every_pair_comes_once_with_the_name_of_its_corpus(tmp_path: Path, rows, size: int) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(links, "DOCUMENT_PAIRS", size)
        documents = list(read_pair_documents([("", path)]))
    assert max(len(document.segments) for document in documents) <= size
    assert len({document.id for document in documents}) == len(documents)
    first = {(source, target): origin.replace("#", "_") for origin, source, target in reversed(rows)}
    assert sorted(texts(documents)) == sorted((origin, *pair) for pair, origin in first.items())
    reverse = texts(read_pair_documents([("mine", path)], reverse=True))
    assert {(target, source) for _, source, target in reverse} == first.keys()
    assert {origin for origin, _, _ in reverse} == {"mine"}


def test_all_bad_lines_are_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tb\n\nx\ny\n", "utf-8")
    with pytest.raises(InputError) as caught:
        list(read_pair_documents([("", path), ("", tmp_path / "none")]))
    assert [(fault.code, fault.line) for fault in caught.value.faults] == [("E225", 3), ("E225", 4), ("E001", None)]


def test_documents_of_other_corpora_keep_their_ids_and_lose_what_is_repeated() -> None:
    place = Location("x", 1)
    first, second = (Segment(text, {"ref": text.upper()}, {}, place) for text in ("a", "b"))
    documents = [Document("1", (first, second, first)), Document("2", (second,))]
    named = list(name_documents("opus", documents))
    assert [document.id for document in named] == ["opus#1"]
    assert texts(named) == [("opus", "a", "A"), ("opus", "b", "B")]
