from importlib.resources import files

import numpy as np
import pytest
from build import BOOKS, THEY_FELL
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.corefer.encoder import BEHIND, BREAK, START, UNKNOWN, WordPieces, distance_of, load_encoder, windows
from endophora.corefer.mentions import load_lexicon
from endophora.corefer.ranker import load_weights
from endophora.corefer.resolvers import load_resolver
from endophora.errors import MissingModelError

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
VOCABULARY = [*SPECIAL, "the", "lamp", "##s", "fall", "##en", "é", "e", "##e", "-", "f", "##f"]


@pytest.fixture(scope="module")
def pieces_of():
    return WordPieces(VOCABULARY)


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("Lamps", ["lamp", "##s"]),
        ("fallen", ["fall", "##en"]),
        ("fée", ["f", "##e", "##e"]),  # without accents
        ("the-lamp", ["the", "-", "lamp"]),
        ("lampx", ["[UNK]"]),
        ("", ["[UNK]"]),
    ],
)
def test_the_longest_piece_is_taken_first(pieces_of, word, pieces):
    assert [VOCABULARY[row] for row in pieces_of(word)] == pieces


@given(st.text(alphabet="thelampsfn-é ", max_size=12))
def test_words_are_split_as_the_tokenizers_library_splits_them(word):
    tokenizers = pytest.importorskip("tokenizers")
    rows = {piece: row for row, piece in enumerate(VOCABULARY)}
    model = tokenizers.models.WordPiece(rows, unk_token="[UNK]")
    theirs = tokenizers.Tokenizer(model)
    theirs.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=True)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    assert WordPieces(VOCABULARY)(word) == (tuple(theirs.encode(word).ids)[:8] or (UNKNOWN,))


@settings(max_examples=60)
@given(st.lists(st.integers(1, 12), max_size=40), st.data())
def test_each_word_asked_for_is_in_one_window_with_text_before_it(sizes, data):
    """Segments of so many words, each a piece or two; windows of 40 pieces, 10 before."""
    words = [("lamps", "the")[index % 3 == 0] for index in range(sum(sizes))]
    segments = [number for number, size in enumerate(sizes) for _ in range(size)]
    asked = data.draw(st.sets(st.integers(0, max(0, len(words) - 1)))) if words else set()
    found = list(windows(words, segments, asked, WordPieces(VOCABULARY), length=40, before=10))
    assert sorted(index for window in found for index in window.asked) == sorted(asked)
    for window in found:
        assert len(window.pieces) <= 42
        assert window.pieces[0] == START
        assert window.pieces[-1] == BREAK
        for index in window.asked:
            start, end = window.words[index]
            assert [VOCABULARY[row] for row in window.pieces[start:end]] in (["lamp", "##s"], ["the"])
            whole = 0 in window.words
            assert whole or start > 10
            last = len(words) - 1 in window.words
            assert last or start + BEHIND < 42


def test_segments_are_parted_by_a_break(pieces_of):
    [window] = windows(["the", "lamp", "lamps"], [0, 0, 1], [2], pieces_of)
    assert list(window.pieces) == [START, 4, 5, BREAK, 5, 6, BREAK]
    assert window.words[2] == (4, 6)


def test_distances_have_classes_that_widen():
    assert [distance_of(pieces) for pieces in (0, 1, 3, 4, 7, 16, 64, 1000)] == [0, 1, 3, 4, 5, 7, 10, 11]


def test_a_language_without_an_encoder_has_none():
    assert load_encoder("de") is None


def test_vectors_of_the_same_text_are_the_same_and_finite():
    encoder = load_encoder("en")
    assert encoder is not None
    pieces = [START, *(row for word in ("The", "lamp", "broke") for row in encoder.pieces_of(word)), BREAK]
    vectors = encoder.vectors(pieces)
    assert vectors.shape[0] == len(pieces)
    assert np.isfinite(vectors).all()
    assert np.array_equal(vectors, encoder.vectors(pieces))


def test_a_candidate_beyond_the_window_gets_what_is_learned_for_those():
    encoder = load_encoder("en")
    assert encoder is not None
    words = ["lamp", *["the"] * 400, "it"]
    found = encoder.scores(words, [0] * len(words), {401: [0]})
    near = encoder.scores(["lamp", "it"], [0, 0], {1: [0]})
    assert found[401].candidates != near[1].candidates
    again = encoder.scores(["book", *words[1:]], [0] * len(words), {401: [0]})
    assert found[401].candidates == again[401].candidates


def test_the_words_around_decide_where_the_features_cannot():
    """*The truck carried books. They fell.*: by the features alone the subject is likelier, plural or not."""
    best = [
        BOOKS.tokens[ranker.resolve([BOOKS, THEY_FELL])[0].antecedents[0].head].form
        for ranker in (load_resolver(), load_resolver("features"))
    ]
    assert best == ["books", "truck"]


@pytest.mark.parametrize(
    ("name", "load"),
    [("en-encoder.npz", load_encoder), ("en-weights.json", load_weights), ("en.json", load_lexicon)],
)
@pytest.mark.parametrize("kept", [0.0, 0.5])
def test_a_file_of_the_resolver_that_is_cut_short_is_a_coded_error(tmp_path, monkeypatch, name, load, kept):
    data = (files("endophora.corefer") / "data" / name).read_bytes()
    file = tmp_path / "data" / name
    file.parent.mkdir()
    file.write_bytes(data[: int(kept * len(data))])
    monkeypatch.setattr("endophora.corefer.mentions.files", lambda _: tmp_path)
    with pytest.raises(MissingModelError, match="E061") as raised:
        load.__wrapped__("en")
    assert str(file) in str(raised.value)


def test_an_encoder_with_a_flipped_bit_is_a_coded_error(tmp_path, monkeypatch):
    data = bytearray((files("endophora.corefer") / "data" / "en-encoder.npz").read_bytes())
    data[len(data) // 2] ^= 1
    file = tmp_path / "data" / "en-encoder.npz"
    file.parent.mkdir()
    file.write_bytes(data)
    monkeypatch.setattr("endophora.corefer.mentions.files", lambda _: tmp_path)
    with pytest.raises(MissingModelError, match="E061"):
        load_encoder.__wrapped__("en")
