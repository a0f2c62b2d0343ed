"""Examples as models read them: what each token is, rows of words, shares, and methods side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from attributed_models import PAD, tiny  # noqa: E402
from attribution_stubs import EOS, SEPARATOR, PairCoder  # noqa: E402

from endophora.context.attribution.alti import as_batch  # noqa: E402
from endophora.context.attribution.attributor import Attributor, Method  # noqa: E402
from endophora.context.attribution.flows import Encoder, Flow, Part, Piece, Rows, Span, ordered, shares, words  # noqa: E402  # noqa: E402
from endophora.context.attribution.gradients import Gradients  # noqa: E402
from endophora.models.layout import Architecture, Layout  # noqa: E402
from endophora.models.records import ModelInput  # noqa: E402

cut = PairCoder().source


def encoder(architecture: Architecture, longest: int = 60) -> Encoder:
    return Encoder(Layout(architecture, (SEPARATOR,), (EOS,), longest), cut, cut, PAD)


GIVEN = ModelInput("it works", ("the lamp", "is on"), ("die lampe", "ist an"))
TARGET = "sie geht"


def _shown(example: Any, part: Part) -> list[str]:
    return [piece.text or "·" for piece in example.columns if piece.part is part]


def test_concatenation_has_its_target_context_in_the_decoder():
    example = encoder(Architecture.CONCATENATION).encode(GIVEN, TARGET)
    assert _shown(example, Part.SOURCE_CONTEXT) == ["th", "e", "la", "mp", "·", "is", "on", "·"]
    assert _shown(example, Part.SOURCE) == ["it", "wo", "rk", "s", "·"]
    assert _shown(example, Part.TARGET_CONTEXT) == ["di", "e", "la", "mp", "e", "·", "is", "t", "an", "·"]
    assert _shown(example, Part.TARGET_PREFIX) == ["·", "si", "e", "ge"]
    assert [piece.text for piece in example.rows] == ["si", "e", "ge", "ht"]
    assert example.decoder[0] == PAD
    assert example.decoder[example.first + 1 :] == example.predicted[:-1]
    assert [piece.sentence for piece in example.columns if piece.part is Part.SOURCE_CONTEXT] == [
        0, 0, 0, 0, -1, 1, 1, -1,
    ]  # fmt: skip


def test_multi_encoder_has_a_sequence_for_each_part():
    example = encoder(Architecture.MULTI_ENCODER).encode(GIVEN, TARGET)
    assert [len(ids) for ids in example.encoders] == [8, 5, 10]
    assert _shown(example, Part.TARGET_CONTEXT)[-1] == "·"
    assert len(example.decoder) == 4
    alone = encoder(Architecture.MULTI_ENCODER).encode(ModelInput("it works"), TARGET)
    assert [len(ids) for ids in alone.encoders] == [0, 5, 0]


def test_without_context_there_is_none_of_its_tokens():
    example = encoder(Architecture.CONCATENATION).encode(ModelInput("it works"), TARGET)
    assert not _shown(example, Part.SOURCE_CONTEXT)
    assert not _shown(example, Part.TARGET_CONTEXT)


def test_context_that_has_no_room_is_left_out_and_the_rest_keeps_its_numbers():
    example = encoder(Architecture.CONCATENATION, longest=10).encode(GIVEN, TARGET)
    assert {piece.sentence for piece in example.columns if piece.part is Part.SOURCE_CONTEXT} == {1, -1}


def test_language_tokens_belong_to_the_current_sentence():
    layout = Layout(Architecture.CONCATENATION, (SEPARATOR,), (EOS,), 60, source_start=(5,), target_start=(6,))
    example = Encoder(layout, cut, cut, EOS).encode(GIVEN, TARGET)
    assert example.columns[0] == Piece("", Part.SOURCE)
    assert [piece.part for piece in example.columns[len(example.encoders[0]) :]][:3] == [
        Part.TARGET_PREFIX, Part.TARGET_PREFIX, Part.TARGET_CONTEXT,
    ]  # fmt: skip


def test_random_context_is_of_ids():
    example = encoder(Architecture.CONCATENATION).encode(ModelInput("it", ((7, 8),)), "es")
    assert example.encoders[0] == (7, 8, SEPARATOR, cut("it").ids[0], EOS)
    assert example.columns[0] == Piece("7", Part.SOURCE_CONTEXT, 0, 0, 0)


_MODELS = [("marian", Architecture.CONCATENATION), ("endophora_multi_encoder", Architecture.MULTI_ENCODER)]
_INPUTS = [GIVEN, ModelInput("it works"), ModelInput("on", ("a lamp",), ("eine lampe",))]
_TARGETS = [TARGET, "es geht", "an"]


def _flows(name: str, architecture: Architecture, method: Any, tokens: int = 4096) -> dict[int, Flow]:
    model = tiny(name).double()
    attributor = Attributor(model, encoder(architecture), PAD, method, tokens)
    return dict(attributor.flows(_INPUTS, _TARGETS))


@pytest.mark.parametrize(("name", "architecture"), _MODELS)
@pytest.mark.parametrize("method", list(Method))
def test_rows_sum_to_one_in_batches_of_any_size(name: str, architecture: Architecture, method: Method):
    together, apart = (_flows(name, architecture, method.attribution(), tokens) for tokens in (4096, 1))
    assert sorted(together) == [0, 1, 2]
    for number, flow in together.items():
        assert flow.matrix.shape == (len(flow.rows), len(flow.columns))
        np.testing.assert_allclose(flow.matrix.sum(-1), 1)
        np.testing.assert_allclose(flow.matrix, apart[number].matrix, atol=1e-6)
        parts = [piece.part for piece in flow.columns]
        assert parts == sorted(parts, key=list(Part).index)
        later = flow.matrix[0, parts.index(Part.TARGET_PREFIX) + 1 :]
        np.testing.assert_allclose(later, 0, atol=1e-12, err_msg="what comes later has no say")


def test_gradient_is_that_of_a_finite_difference():
    model = tiny("marian").double()
    example = encoder(Architecture.CONCATENATION).encode(GIVEN, TARGET)
    (found,) = Gradients().batch(model, [example], PAD)
    table = model.get_encoder().embed_tokens
    values, step = [], 1e-6
    for place in range(len(example.encoders[0])):
        scores = []
        for sign in (1, -1):

            def scaled(module: Any, args: Any, output: Any, sign: int = sign, place: int = place) -> Any:
                changed = output.clone()
                if output.shape[1] == len(example.encoders[0]):
                    changed[:, place] *= 1 + sign * step
                return changed

            handle = table.register_forward_hook(scaled)
            batch = as_batch([example], PAD)
            ids, mask = batch.encoders[0]
            with torch.no_grad():
                logits = model(input_ids=ids, attention_mask=mask, decoder_input_ids=batch.decoder_ids).logits
            handle.remove()
            scores.append(logits[0, example.first].log_softmax(-1)[example.predicted[0]].item())
        values.append(abs(scores[0] - scores[1]) / (2 * step))
    np.testing.assert_allclose(found[0, : len(values)] / found[0, 0], np.array(values) / values[0], rtol=1e-4)


def _flow() -> Flow:
    columns = [
        Piece("la", Part.SOURCE_CONTEXT, 0, 4, 6), Piece("mp", Part.SOURCE_CONTEXT, 0, 6, 8),
        Piece("", Part.SOURCE_CONTEXT), Piece("it", Part.SOURCE, 0, 0, 2), Piece("", Part.TARGET_PREFIX),
    ]  # fmt: skip
    rows = [Piece("si", Part.TARGET_PREFIX, 0, 0, 2), Piece("e", Part.TARGET_PREFIX, 0, 2, 3)]
    rows.append(Piece("da", Part.TARGET_PREFIX, 0, 4, 6))
    matrix = np.array([[0.1, 0.2, 0.3, 0.4, 0.0], [0.3, 0.2, 0.1, 0.2, 0.2], [0.0, 0.0, 0.0, 0.0, 1.0]])
    return ordered(rows, columns, matrix)


def test_row_of_a_word_is_the_mean_of_its_pieces():
    flow = _flow()
    np.testing.assert_allclose(flow.row(0, 3), [0.2, 0.2, 0.2, 0.3, 0.1])
    np.testing.assert_allclose(flow.row(4, 6), [0, 0, 0, 0, 1])
    np.testing.assert_allclose(flow.row(4, 6, Rows.PREFIX_MEAN), flow.matrix.mean(0))
    with pytest.raises(ValueError, match="no piece"):
        flow.row(9, 11)


def test_shares_of_support_context_and_current_sentence():
    found = shares(_flow().row(0, 3), _flow().columns, [Span(Part.SOURCE_CONTEXT, 0, 4, 8), Span(Part.SOURCE, 0, 0, 2)])
    assert found.support == pytest.approx(0.4)
    assert found.context == pytest.approx(0.6)
    assert found.current == pytest.approx(0.4)
    assert found.current_support == pytest.approx(0.3)
    assert sum(found.parts.values()) == pytest.approx(1)


def test_words_sum_columns_and_average_rows():
    by_words = _flow().by_words()
    # The only source sentence of one word has no blank, and keeps its pieces; the target has one.
    assert [piece.text for piece in by_words.rows] == ["sie", "da"]
    np.testing.assert_allclose(by_words.matrix.sum(1), 1)


def test_sentence_without_blanks_keeps_its_pieces():
    pieces = [Piece(text, Part.SOURCE, 0, at, at + 1) for at, text in enumerate("它坏了")]
    assert len(words(pieces)) == 3


@given(st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=6), st.sampled_from(Architecture))
@settings(max_examples=60)
def test_every_character_of_every_sentence_is_accounted_for(sentences: list[str], architecture: Architecture):
    text = " ".join(sentences)
    example = encoder(architecture, longest=500).encode(ModelInput(text, (text, text), (text, text)), text)
    expected = {Part.SOURCE_CONTEXT: 2, Part.SOURCE: 1, Part.TARGET_CONTEXT: 2}
    if architecture is Architecture.SOURCE_CONCATENATION:
        expected[Part.TARGET_CONTEXT] = 0
    if architecture is Architecture.TARGET_CONCATENATION:
        expected[Part.SOURCE_CONTEXT] = 0
    for part, count in expected.items():
        assert "".join(_shown(example, part)).replace("·", "") == text.replace(" ", "") * count
    assert len(example.columns) == sum(map(len, example.encoders)) + len(example.decoder)
    assert "".join(piece.text for piece in example.rows) == text.replace(" ", "")
