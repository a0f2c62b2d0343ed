"""Gradients, occlusion and attention against captum, finite sums, embeddings set to zero by hand, and transformers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from attributed_models import PAD, tiny  # noqa: E402
from test_alti_examples import GIVEN, TARGET, encoder  # noqa: E402

from endophora.context.attribution import gradients  # noqa: E402
from endophora.context.attribution.attributor import Attention  # noqa: E402
from endophora.context.attribution.flows import EncodedExample, Part, Piece  # noqa: E402
from endophora.context.attribution.gradients import Gradients, Occlusion  # noqa: E402
from endophora.models.layout import Architecture  # noqa: E402


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Operations this small are shorter than what threads of a busy machine wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def example() -> EncodedExample:
    return encoder(Architecture.CONCATENATION).encode(GIVEN, TARGET)


def log_probability(model: Any, given: EncodedExample, tables: Sequence[Any], row: int, against: int = -1) -> Any:
    """What a Marian model gives a predicted piece, of embeddings of both sides; the positions are its own."""
    read, decoded = tables
    output = model(inputs_embeds=read, decoder_inputs_embeds=decoded, use_cache=False)
    logs = output.logits[:, given.first + row].log_softmax(-1)
    found = logs[:, given.predicted[row]]
    return found if against < 0 else found - logs[:, against]


def own_embeddings(model: Any, given: EncodedExample) -> tuple[Any, Any]:
    """The embeddings of both sides, (1, L, d) each, as the model scales them."""
    stacks = (model.get_encoder(), model.get_decoder())
    return tuple(
        stack.embed_tokens(torch.tensor([ids])).detach() * getattr(stack, "embed_scale", 1.0)
        for stack, ids in zip(stacks, (given.encoders[0], given.decoder), strict=True)
    )  # type: ignore[return-value]


@pytest.mark.parametrize("against", [-1, 5])
def test_integrated_gradients_sum_to_the_difference_from_embeddings_of_zero(against: int):
    model, given = tiny("marian").double(), example()
    count = len(given.rows)
    compared = given if against < 0 else replace(given, against=(against,) * count)
    found = Gradients("integrated_gradients", steps=400).values(model, compared).sum(-1)
    tables = own_embeddings(model, given)
    for row in range(count):
        there = log_probability(model, given, tables, row, against)
        nowhere = log_probability(model, given, [torch.zeros_like(one) for one in tables], row, against)
        assert found[row].item() == pytest.approx((there - nowhere).item(), abs=4e-3)


@pytest.mark.parametrize("kind", ["llama", "gemma"])
def test_integrated_gradients_of_layers_that_bend_near_zero_are_complete(kind: str):
    transformers: Any = pytest.importorskip("transformers")
    torch.manual_seed(0)
    sizes = {"vocab_size": 60, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "head_dim": 8}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.2}
    config = transformers.AutoConfig.for_model(kind, **sizes, **heads)
    model = transformers.AutoModelForCausalLM.from_config(config).double().eval()
    ids, piece = tuple(range(3, 13)), Piece("a", Part.TARGET_PREFIX, 0, 0, 1)
    given = EncodedExample((), ids[:-1], (piece,) * 9, (piece,) * 3, 6, ids[7:])
    table = model.get_input_embeddings()(torch.tensor([ids[:-1]])).detach()

    def logs(factor: float) -> Any:
        found = model.get_decoder()(inputs_embeds=factor * table).last_hidden_state
        return model.lm_head(found)[0, 6:].log_softmax(-1)[torch.arange(3), torch.tensor(ids[7:])].detach()

    def missing(method: Gradients) -> float:
        values = method.values(model, given)
        return float(((values.sum(-1) - logs(1) + logs(0)).abs() / values.abs().sum(-1)).max())

    even = Gradients("integrated_gradients", most=32, power=1)
    assert missing(even) > gradients.RESIDUE
    assert any(even.missed)
    usual = Gradients("integrated_gradients")
    assert missing(usual) < gradients.RESIDUE
    assert not any(usual.missed)


@pytest.mark.parametrize("name", ["saliency", "input_x_gradient", "integrated_gradients"])
def test_gradients_are_those_of_captum(name: str):
    attr = pytest.importorskip("captum.attr")
    model, given = tiny("marian").double(), example()
    tables, found = own_embeddings(model, given), Gradients(name, steps=9, most=9, power=1).values(model, given)
    for row in range(len(given.rows)):

        def forward(*read: Any, row: int = row) -> Any:
            return log_probability(model, given, read, row)

        inputs = tuple(one.clone().requires_grad_() for one in tables)
        if name == "integrated_gradients":
            parts = attr.IntegratedGradients(forward).attribute(inputs, n_steps=9, method="gausslegendre")
        elif name == "saliency":
            parts = attr.Saliency(forward).attribute(inputs)
        else:
            parts = attr.InputXGradient(forward).attribute(inputs)
        made = [one.norm(dim=-1) if name == "saliency" else one.sum(-1) for one in parts]
        np.testing.assert_allclose(found[row].numpy(), torch.cat(made, -1)[0].detach().numpy(), atol=1e-8)


def test_occlusion_is_what_a_piece_loses_with_an_embedding():
    model, given = tiny("marian").double(), example()
    tables, found = own_embeddings(model, given), Occlusion().values(model, given)
    first = len(given.encoders[0])
    for column in range(len(given.columns)):
        hidden = [one.clone() for one in tables]
        hidden[column >= first][0, column - first * (column >= first)] = 0
        for row in range(len(given.rows)):
            lost = log_probability(model, given, tables, row) - log_probability(model, given, hidden, row)
            assert found[row, column].item() == pytest.approx(lost.item(), abs=1e-9)


def test_attention_is_that_of_transformers():
    model, given = tiny("marian").double(), example()
    (found,) = Attention().batch(model, [given], PAD)
    model.set_attn_implementation("eager")
    ids = {"input_ids": torch.tensor([given.encoders[0]]), "decoder_input_ids": torch.tensor([given.decoder])}
    told = model(**ids, output_attentions=True)
    means = [torch.stack(one).mean((0, 2))[0] for one in (told.cross_attentions, told.decoder_attentions)]
    rows = slice(given.first, given.first + len(given.rows))
    np.testing.assert_allclose(found, torch.cat(means, -1)[rows].detach().numpy() / 2, atol=1e-9)


def test_small_passes_give_the_same_and_rows_that_are_not_wanted_are_not_made(monkeypatch: pytest.MonkeyPatch):
    model, given = tiny("marian").double(), example()
    last = given.rows[-1]
    some = given.narrowed(last.start, last.end)
    assert [one.text for one in some.rows] == [last.text]
    for method in (Gradients("integrated_gradients", steps=5, most=5), Occlusion()):
        whole = method.values(model, given)
        with monkeypatch.context() as patch:
            patch.setattr(gradients, "TOKENS", {"cpu": 1})
            torch.testing.assert_close(method.values(model, given), whole)
        torch.testing.assert_close(method.values(model, some), whole[-1:])


def test_a_stretch_without_a_piece_leaves_all_rows():
    given = example()
    assert given.narrowed(90, 95) == given
    assert Piece("", Part.PROMPT) not in given.rows
