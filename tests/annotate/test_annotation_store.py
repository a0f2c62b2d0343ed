"""The store annotates every text once, in whichever process, and gives back what was annotated."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, Token
from endophora.annotate.store import AnnotationStore, decode_text, encode_text
from endophora.errors import InputError
from endophora.store import Store

ENGLISH = load_annotator("en")
TEXTS = ["I saw it.", "", "She didn’t.\nNo!", "I saw it.", "«Où ?» 😀 \u2028 fin"]


class Counting:
    language = "en"

    def __init__(self, signature: str = "counting") -> None:
        self.signature = signature
        self.seen: list[str] = []

    def annotate(self, texts: Iterable[str]) -> Iterator[AnnotatedText]:
        for text in texts:
            self.seen.append(text)
            tokens = (Token(text, text, "X", "", {}, -1, "root", "", 0, len(text)),) if text else ()
            yield AnnotatedText(text, tokens, (0,) if text else ())


def test_every_distinct_text_is_annotated_once_and_a_second_run_annotates_none(tmp_path: Path):
    first, second = Counting(), Counting()
    with Store(tmp_path / "store") as store:
        result = AnnotationStore(store).annotate(first, TEXTS)
    with Store(tmp_path / "store") as store:
        assert AnnotationStore(store).annotate(second, TEXTS) == result
    assert sorted(first.seen) == sorted(set(TEXTS))
    assert second.seen == []
    assert [text.text for text in result] == TEXTS


def test_another_annotator_does_not_read_what_is_not_its_own():
    one, other = Counting("one"), Counting("other")
    with Store() as store:
        AnnotationStore(store).annotate(one, ["a"])
        AnnotationStore(store).annotate(other, ["a", "b"])
    assert sorted(other.seen) == ["a", "b"]


def test_what_comes_from_the_store_is_what_the_pipeline_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    direct = list(ENGLISH.annotate(TEXTS))
    with Store(tmp_path / "store") as store:
        AnnotationStore(store).annotate(ENGLISH, TEXTS)
        monkeypatch.setattr(ENGLISH, "annotate", Counting().annotate)
        assert AnnotationStore(store).annotate(ENGLISH, TEXTS) == direct


def test_an_annotator_of_another_class_does_not_read_what_is_not_its_own_whatever_it_is_called():
    other = Counting(ENGLISH.signature)
    with Store() as store:
        AnnotationStore(store).annotate(ENGLISH, ["a"])
        AnnotationStore(store).annotate(other, ["a"])
    assert other.seen == ["a"]


@settings(max_examples=60)
@given(st.text(st.characters(categories=None), max_size=40))
def test_encoding_and_decoding_give_the_same(text: str):
    (annotated,) = ENGLISH.annotate([text])
    assert decode_text(text, encode_text(annotated)) == annotated


def _annotate(path: Path) -> None:
    with Store(path) as store:
        AnnotationStore(store).annotate(Counting(), [f"text {n}" for n in range(300)])


def test_two_processes_share_a_store(tmp_path: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_annotate, args=(tmp_path / "store",)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    after = Counting()
    with Store(tmp_path / "store") as store:
        assert len(store) == 300
        AnnotationStore(store).annotate(after, [f"text {n}" for n in range(300)])
    assert after.seen == []


def test_a_file_that_is_no_store_is_refused(tmp_path: Path):
    (tmp_path / "store").write_bytes(b"no database at all, but long enough to be looked at" * 30)
    with pytest.raises(InputError):
        Store(tmp_path / "store")
