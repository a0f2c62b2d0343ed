"""Segments and documents of any length are aligned in parts: memory grows with their words, not with pairs of words."""

from __future__ import annotations

import random

import pytest
from toy import joined, toy_pairs

from endophora.align import CompactAligner, pieces
from endophora.align.pieces import LONG_SEGMENT
from endophora.align.priors import Priors
from endophora.annotate.records import AnnotatedText, Token
from endophora_makers.alignment_evaluation import points


def text(words: list[str], sentences: tuple[int, ...] = (0,)) -> AnnotatedText:
    tokens: list[Token] = []
    at = 0
    for word in words:
        tokens.append(Token(word, word, "NOUN", "", {}, -1, "", "", at, at + len(word)))
        at += len(word) + 1
    return AnnotatedText(" ".join(words), tuple(tokens), sentences)


def long_pair(sentences: int) -> tuple[AnnotatedText, AnnotatedText]:
    """A segment of many sentences of 2 to 20 words; each word of the target is the source's, written twice."""
    draw = random.Random(2)
    words: list[str] = []
    starts: list[int] = []
    for _ in range(sentences):
        starts.append(len(words))
        words += [f"w{draw.randrange(500)}" for _ in range(draw.randint(2, 20))]
    return text(words, tuple(starts)), text([word * 2 for word in words], tuple(starts))


def test_pieces_end_with_sentences_and_cover_the_segment():
    source, target = long_pair(400)
    found = pieces.pieces(source, target)
    assert len(found) > 10
    for side, whole in enumerate((source, target)):
        spans = [pair[side] for pair in found]
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == len(whole.tokens)
        assert {start for start, _ in spans} <= set(whole.sentences)
        assert all(end - start <= LONG_SEGMENT // 2 for start, end in spans)
    assert all(one == other for one, other in found)  # the sentences are as long on both sides


def test_a_sentence_left_out_moves_only_what_is_near():
    source, target = long_pair(300)
    start, end = source.sentences[100], source.sentences[103]
    rest = [token.form for token in target.tokens[:start] + target.tokens[end:]]
    borders = [
        place if place <= start else place - (end - start) for place in target.sentences[:100] + target.sentences[103:]
    ]
    found = pieces.pieces(source, text(rest, tuple(borders)))
    shifted = [(one, (c + (end - start) * (c >= start), d + (end - start) * (d > start))) for one, (c, d) in found]
    assert sum(one == other for one, other in shifted) >= len(found) - 2


@pytest.mark.parametrize("sizes", [(30_000, 1), (1, 30_000), (3_000, 0), (20_000, 500)])
def test_sides_of_any_length_are_covered(sizes: tuple[int, int]):
    source, target = (text([f"w{k}" for k in range(size)]) for size in sizes)
    found = pieces.pieces(source, target)
    if all(sizes):
        assert (found[-1][0][1], found[-1][1][1]) == sizes
    CompactAligner(Priors()).align([source], [target])


def test_links_of_a_long_segment_are_those_of_its_sentences():
    source, target = long_pair(110)
    assert len(source.tokens) > LONG_SEGMENT
    links = CompactAligner(Priors()).align([source], [target])[0]
    assert points(links) == sorted(points(links))
    assert sum(one == other for one, other in points(links)) > 0.9 * len(source.tokens)


def test_a_long_document_is_learned_from_in_parts(monkeypatch: pytest.MonkeyPatch):
    source, target = joined(toy_pairs(60))
    whole = CompactAligner(Priors()).align(source, target)
    monkeypatch.setattr(pieces, "LONG_DOCUMENT", 1_000)
    parts = CompactAligner(Priors()).align(source, target)
    assert len(parts) == len(whole)
    first = next(
        k for k in range(60) if sum(len(source[i].tokens) * len(target[i].tokens) for i in range(k + 1)) > 1_000
    )
    assert parts[:first] == CompactAligner(Priors()).align(source[:first], target[:first])
