"""Pieces know where they stand: together, in order, they cover all of a text but its blanks, by any tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

from tiny_models import HUB, SENTENCES

from endophora.models.options import ModelOptions
from endophora.models.specs import open_model
from endophora.models.tokenization import covering, written_spans

CHARACTERS = st.sampled_from("abcdehnrstuwDHS  .,!ßÄé–…\u0301猫の😀\u200b\u3000\ufb01½\tİ")
TEXTS = st.one_of(st.text(CHARACTERS, max_size=20), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
CODERS = ("concatenation", *(f"hf:{kind}" for kind in HUB), "lm:gpt2")


@pytest.fixture(scope="module")
def coders(folders):
    found = {}
    for name in CODERS:
        kind, colon, folder = name.rpartition(":")
        found[name] = open_model(f"{kind}{colon}{folders[folder]}", ModelOptions(languages=("en", "de"))).coder
    return found


def check_spans(spans, text: str) -> None:
    covered = {place for start, end in spans for place in range(start, end)}
    assert {place for place, character in enumerate(text) if not character.isspace()} <= covered
    for start, end in spans:
        assert 0 <= start <= end <= len(text)
        assert text[start:end] == text[start:end].strip()
    starts = [start for start, end in spans if end > start]
    assert starts == sorted(starts)


@pytest.mark.parametrize("name", CODERS)
@settings(max_examples=60)
@given(text=TEXTS)
def test_pieces_cover_all_but_blanks(coders, name: str, text: str):
    for cut in (coders[name].target, coders[name].source):
        pieces = cut(text)
        assert len(pieces.ids) == len(pieces.pieces) == len(pieces.spans)
        if pieces.ids:
            check_spans(pieces.spans, text)


@pytest.mark.parametrize("name", CODERS)
def test_words_are_found_by_their_pieces(coders, name: str):
    text = SENTENCES[2]
    pieces = coders[name].target(text)
    for word in ("Hund", "Katze"):
        start = text.index(word)
        own = [span for span in pieces.spans if span[0] >= start and span[1] <= start + len(word) and span[0] < span[1]]
        assert min(one for one, _ in own) == start
        assert max(other for _, other in own) == start + len(word)


@pytest.mark.parametrize("name", ["concatenation", "hf:marian", "hf:nllb", "hf:m2m100"])
def test_ids_come_back_as_text(coders, name: str):
    coder = coders[name]
    assert coder.text(coder.target("It was raining").ids).strip() == "It was raining"
    assert [coder.index(coder.piece(one)) for one in coder.target("It").ids] == list(coder.target("It").ids)


def test_ids_given_as_context_stay_as_they_are(coders):
    for name in CODERS:
        found = coders[name].target((25, 26))
        assert found.ids == (25, 26)
        assert len(found.pieces) == len(found.spans) == 2


def test_spans_of_written_pieces_by_hand():
    assert written_spans(["▁Der", "▁H", "und", "▁", "."], "Der  Hund .") == ((0, 3), (5, 6), (6, 9), (10, 10), (10, 11))
    # Normalised text: the ligature was cut as two letters, the full-width letter as a plain one.
    assert written_spans(["▁fi", "t", "▁A"], "ﬁt Ａ") == ((0, 1), (1, 2), (3, 4))


def test_what_a_tokenizer_drops_goes_to_the_piece_before():
    assert covering([(0, 1), (2, 3)], "a\u200bb c") == ((0, 2), (2, 5))
    assert covering([(1, 2)], "\u200ba") == ((0, 2),)


@settings(max_examples=200)
@given(text=TEXTS, seed=st.integers(0, 10**6))
def test_any_spans_in_order_become_a_covering(text: str, seed: int):
    import random

    draw = random.Random(seed)
    cuts = sorted(draw.randint(0, len(text)) for _ in range(6))
    spans = [(cuts[0], cuts[1]), (cuts[2], cuts[3]), (cuts[4], cuts[5])]
    check_spans(covering(spans, text), text)
