"""The encoder in numpy against the same network in torch, with transformers' own BERT inside."""

import random

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from endophora.corefer.encoder import WordPieces, read_encoder  # noqa: E402
from endophora_makers.encoder import (  # noqa: E402
    NOUN,
    PERSON,
    PRONOUN,
    Case,
    Network,
    Text,
    Training,
    frequent_pieces,
    lessons_of,
    train,
    write_encoder,
)

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghij", *(f"##{c}" for c in "abcdefghij"), "lamp", "it", "she"]
TRAINING = Training(layers=2, pieces=len(VOCABULARY), hidden=24, epochs=30, rate=1e-3, new=1e-2, batch=64)


@pytest.fixture
def network():
    torch.manual_seed(5)
    random.seed(5)
    config = transformers.BertConfig(
        vocab_size=40, hidden_size=24, num_hidden_layers=3, num_attention_heads=12, intermediate_size=48
    )
    return Network(transformers.BertModel(config, add_pooling_layer=False), list(range(len(VOCABULARY))), TRAINING)


@pytest.fixture
def texts():
    """*It* stands for the lamp, wherever that is; *she* for what begins with an a."""
    pronoun = Case(PRONOUN, 3, [2, 1, 0], [False, True, False, False], [0.1, 0.2, 0.0, 0.3], empty=False)
    empty = Case(PRONOUN, 1, [0], empty=True)
    person = Case(PERSON, 2, [1, 0], [False, True, False])
    second = Case(PRONOUN, 3, [2], [False, True], [0.0, 0.0])
    return [
        Text(["bad", "lamp", "cab", "it"], [0, 0, 1, 1], [pronoun], 1.0),
        Text(["fig", "it"], [0, 0], [empty], 0.5),
        Text(["abe", "dig", "she", "it"], [0, 0, 1, 1], [person, second], 1.0),
    ]


def test_numpy_computes_what_torch_computes(network, texts, tmp_path):
    lessons = lessons_of(texts, WordPieces(VOCABULARY), TRAINING)
    # Weights that eight bits hold exactly, so that nothing but the computation is compared.
    with torch.no_grad():
        for values in network.parameters():
            values.copy_(torch.round(values * 64).clamp(-31, 31) / 64)
    network.eval()
    write_encoder(network, VOCABULARY, 64, tmp_path / "encoder.npz")
    encoder = read_encoder((tmp_path / "encoder.npz").read_bytes())
    for text, lesson in zip(texts, lessons, strict=True):
        with torch.no_grad(), torch.autocast("cpu", enabled=False):
            [theirs], empty = network([lesson.window], [(0, lesson.pronouns[0])])
        case = lesson.pronouns[0]
        ours = encoder.scores(text.words, text.segments, {case.index: case.heads})[case.index]
        # Torch computes the layers in half precision, as in training.
        assert [*ours.candidates, ours.outside] == pytest.approx(theirs.tolist(), abs=0.02)
        assert ours.non_referential == pytest.approx(empty.item(), abs=0.02)


def test_it_learns_which_noun_is_right(network, texts, tmp_path):
    lessons = lessons_of(texts, WordPieces(VOCABULARY), TRAINING)
    train(network, lessons, TRAINING)
    write_encoder(network, VOCABULARY, 64, tmp_path / "encoder.npz")
    encoder = read_encoder((tmp_path / "encoder.npz").read_bytes())
    first, second, third = encoder.scores(texts[0].words, texts[0].segments, {3: [2, 1, 0]})[3].candidates
    assert second > max(first, third)
    said = [
        encoder.scores(t.words, t.segments, {c.cases[-1].index: [0]}) for t, c in zip(texts[:2], texts, strict=False)
    ]
    assert [next(iter(some.values())).non_referential > 0 for some in said] == [False, True]


def test_a_batch_of_pronouns_that_stand_for_nothing_leaves_finite_weights(network, texts, tmp_path):
    train(network, lessons_of(texts[1:2], WordPieces(VOCABULARY), TRAINING), TRAINING)
    write_encoder(network, VOCABULARY, 64, tmp_path / "encoder.npz")
    encoder = read_encoder((tmp_path / "encoder.npz").read_bytes())
    assert encoder.scores(texts[1].words, texts[1].segments, {1: [0]})[1].non_referential > 0


def test_other_mentions_are_learned_only_where_a_right_one_is_in_the_window(texts):
    far = Text([*texts[2].words[:1], *["cab"] * 300, "she", "it"], [0] * 303, [], 1.0)
    person = Case(PERSON, 301, [300, 0], [False, True, False])
    new = Case(NOUN, 299, [298], [False, True])
    pronoun = Case(PRONOUN, 302, [301], [True, False], [0.0, 0.0], empty=False)
    [lesson] = lessons_of(
        [Text(far.words, far.segments, [person, new, pronoun], 1.0)], WordPieces(VOCABULARY), TRAINING
    )
    assert lesson.pronouns == [pronoun]
    assert lesson.others == [new]


def test_the_most_frequent_pieces_are_kept_behind_the_special_ones_and_signs():
    whole = ["[PAD]", "x", "[UNK]", "[CLS]", "[SEP]", "a", "##a", "é", "ab", "cd"]
    rows = frequent_pieces(whole, ["cd", "cd", "ab", "a"], 9)
    assert [whole[row] for row in rows] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "x", "a", "##a", "cd", "ab"]
    assert np.isin(rows, range(10)).all()
