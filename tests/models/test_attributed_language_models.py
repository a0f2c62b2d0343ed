"""Attribution of decoder-only models: what each token adds to a logit, and what it is of the prompt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch
from families import FAMILIES, make_family
from tiny_models import enliven

from endophora.context.attribution.alti import Alti
from endophora.context.attribution.alti_logit import logit_parts
from endophora.context.attribution.attributor import Method, attributor_of
from endophora.context.attribution.flows import EncodedExample, Flow, Part, Piece
from endophora.context.attribution.gradients import Gradients
from endophora.context.attribution.inseq_files import write_inseq
from endophora.context.attribution.inseq_flows import InseqAttributor, Sequences
from endophora.errors import InputError
from endophora.models.records import ModelInput
from endophora.models.specs import open_model

SIZES = {
    "vocab_size": 60, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64, "tie_word_embeddings": False,
}  # fmt: skip
KINDS = ("llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3_text")


def tiny(kind: str, **changes: Any) -> Any:
    """A model of a kind, whose heads share their values in pairs."""
    from transformers import AutoConfig, AutoModelForCausalLM

    sizes = SIZES | ({"final_logit_softcapping": None} if kind.startswith("gemma") else {}) | changes
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **sizes))
    enliven(model)
    with torch.no_grad():
        for value in model.parameters():
            if value.dim() == 1:
                value.add_(torch.randn_like(value) / 4)
    return model.double().eval()


IDS = (5, 17, 3, 42, 8, 8, 21, 30)
FIRST = 3


def example() -> EncodedExample:
    """A prompt of four tokens, and a target of five."""
    piece = Piece("", Part.PROMPT)
    return EncodedExample((), IDS, (piece,) * len(IDS), (piece,) * 5, FIRST, (*IDS[4:], 11))


@pytest.mark.parametrize("kind", KINDS)
def test_all_parts_sum_to_the_logit(kind: str):
    model, given = tiny(kind), example()
    parts = logit_parts(model, given)
    with torch.no_grad():
        logits = model(input_ids=torch.tensor([IDS])).logits[0, FIRST:]
    expected = logits[torch.arange(5), torch.tensor(given.predicted)]
    found = parts.tokens.sum(-1) + parts.embedding + parts.feed_forward + parts.bias
    assert torch.allclose(found, expected, atol=1e-4 * float(expected.abs().max()))
    assert float(parts.tokens.abs().max()) > 1e-3
    # Nothing comes from tokens that follow.
    assert float(parts.tokens[0, FIRST + 1 :].abs().max()) == 0


def test_parts_of_a_difference_are_the_difference_of_the_parts():
    model, given = tiny("llama"), example()
    others = (1, 2, 3, 4, 5)
    one, two = logit_parts(model, given), logit_parts(model, replace(given, predicted=others))
    difference = logit_parts(model, replace(given, against=others))
    assert torch.allclose(difference.tokens, one.tokens - two.tokens)
    assert torch.allclose(difference.feed_forward, one.feed_forward - two.feed_forward)


def test_shares_are_those_of_loops_over_numpy():
    """Two layers of Llama from the paper's formulas, with nothing of the package: values, ALTI, and their product."""
    model, given = tiny("llama", num_hidden_layers=2), example()
    model.set_attn_implementation("eager")
    with torch.no_grad():
        run = model(input_ids=torch.tensor([IDS]), output_attentions=True, output_hidden_states=True)
    weights = {name: value.detach().numpy() for name, value in model.named_parameters()}
    states = [state[0].numpy() for state in run.hidden_states]
    count, eps = len(IDS), model.config.rms_norm_eps
    final = weights_before_the_last_norm(model)
    mixed, found = np.eye(count), np.zeros((5, count))
    for layer in range(2):
        x, name = states[layer], f"model.layers.{layer}"
        normed = x / np.sqrt((x**2).mean(-1, keepdims=True) + eps) * weights[f"{name}.input_layernorm.weight"]
        out, values = weights[f"{name}.self_attn.o_proj.weight"], weights[f"{name}.self_attn.v_proj.weight"]
        parts = np.zeros((count, count, 32))
        for i in range(count):
            for j in range(i + 1):
                value = values @ normed[j]
                for head in range(4):
                    shared = value[head // 2 * 8 : head // 2 * 8 + 8]
                    share = float(run.attentions[layer][0, head, i, j])
                    parts[i, j] += share * (out[:, head * 8 : head * 8 + 8] @ shared)
        for row in range(5):
            at = FIRST + row
            scale = weights["model.norm.weight"] / np.sqrt((final[at] ** 2).mean() + eps)
            for j in range(count):
                added = float((parts[at, j] * scale) @ weights["lm_head.weight"][given.predicted[row]])
                found[row] += added * mixed[j]
        near = np.zeros((count, count))
        for i in range(count):
            whole = x[i] + parts[i].sum(0)
            for j in range(i + 1):
                part = parts[i, j] + (x[i] if i == j else 0)
                near[i, j] = max(0.0, np.abs(whole).sum() - np.abs(whole - part).sum())
            near[i] /= near[i].sum()
        mixed = near @ mixed
    assert np.allclose(logit_parts(model, given, Alti()).tokens.numpy(), found, atol=1e-8)


def weights_before_the_last_norm(model: Any) -> np.ndarray:
    kept: list[Any] = []
    hook = model.model.norm.register_forward_pre_hook(lambda _, args: kept.append(args[0]))
    with torch.no_grad():
        model(input_ids=torch.tensor([IDS]))
    hook.remove()
    return kept[0][0].numpy()


def test_a_model_of_another_kind_is_refused():
    from transformers import GPT2Config, GPT2LMHeadModel

    model = GPT2LMHeadModel(GPT2Config(vocab_size=60, n_embd=32, n_layer=1, n_head=2))
    with pytest.raises(InputError, match=r"E260.*gpt2.*--method input_x_gradient"):
        logit_parts(model, example())


@pytest.mark.parametrize("kind", ["stablelm", "starcoder2", "nemotron", "cohere", "olmo"])
def test_a_last_norm_of_another_kind_is_refused(kind: str):
    with pytest.raises(InputError, match=r"E26[01]"):
        logit_parts(tiny(kind), example())


def test_a_block_that_adds_something_else_is_refused():
    model = tiny("llama")
    model.model.layers[1].mlp.register_forward_pre_hook(lambda _, args: (args[0],))
    logit_parts(model, example())
    model.model.layers[1].register_forward_hook(lambda _, __, output: output * 1.5)
    with pytest.raises(InputError, match="E261"):
        logit_parts(model, example())


GIVEN = ModelInput("It is old.", ("The lamp is here.", "No."), ("Die Lampe ist hier.", "Nein."))
TARGET = "Sie ist alt."


@pytest.fixture(scope="module", params=[(name, form) for name in FAMILIES for form in ("chat", "plain")], ids="-".join)
def flow(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Flow:
    """What a model of a family made a target from, asked in turns or without."""
    name, form = request.param
    folder = make_family(tmp_path_factory.mktemp("families") / f"{name}-{form}", name, chat=form == "chat")
    ((_, found),) = attributor_of(open_model(f"lm:{folder}")).flows([GIVEN], [TARGET])
    return found


def test_every_segment_is_found_in_the_prompt_and_rows_sum_to_one(flow: Flow):
    assert np.allclose(flow.matrix.sum(1), 1)
    assert flow.matrix.min() >= 0
    expected = {
        (Part.SOURCE_CONTEXT, 0): "The lamp is here.", (Part.SOURCE_CONTEXT, 1): "No.", (Part.SOURCE, 0): "It is old.",
        (Part.TARGET_CONTEXT, 0): "Die Lampe ist hier.", (Part.TARGET_CONTEXT, 1): "Nein.",
    }  # fmt: skip
    for (part, sentence), text in expected.items():
        pieces = [one for one in flow.columns if one.part is part and one.sentence == sentence]
        covered = {place for one in pieces for place in range(one.start, one.end)}
        assert {place for place, sign in enumerate(text) if not sign.isspace()} <= covered
        assert all(one.text == text[one.start : one.end] for one in pieces)
    around = "".join(one.text for one in flow.columns if one.part is Part.PROMPT)
    assert not any(text in around for text in expected.values())
    assert {one.part for one in flow.columns} == set(Part)


@pytest.mark.parametrize("form", ["chat", "turns", "plain"])
def test_a_blank_sentence_of_the_context_has_no_place_in_the_prompt(tmp_path: Path, form: str):
    folder = make_family(tmp_path / "qwen", "qwen-3")
    given = ModelInput("It sleeps.", ("The cat.", " "), ("Die Katze.", " "))
    ((_, found),) = attributor_of(open_model(f"lm:{folder},form={form}")).flows([given], ["Sie schläft."])
    assert {(one.part, one.sentence) for one in found.columns if one.part.is_context} == {
        (Part.SOURCE_CONTEXT, 0),
        (Part.TARGET_CONTEXT, 0),
    }
    assert np.allclose(found.matrix.sum(1), 1)


def test_context_that_has_no_room_is_left_out_and_the_rest_keeps_its_numbers(tmp_path: Path):
    folder = make_family(tmp_path / "llama", "llama-3", chat=False)
    model = open_model(f"lm:{folder}")
    whole = len(model.read_with(GIVEN, TARGET).before.ids)
    short = open_model(f"lm:{folder},window={whole}")
    ((_, found),) = attributor_of(short, Gradients()).flows([GIVEN], [TARGET])
    assert {(one.part, one.sentence) for one in found.columns if one.part.is_context} == {
        (Part.SOURCE_CONTEXT, 1),
        (Part.TARGET_CONTEXT, 1),
    }


@pytest.mark.parametrize("method", [one for one in Method if one is not Method.ALTI])
def test_other_methods_are_of_the_same_tokens(tmp_path: Path, method: Method):
    model = open_model(f"lm:{make_family(tmp_path / 'qwen', 'qwen-3')}")
    ((_, logit),) = attributor_of(model).flows([GIVEN], [TARGET])
    ((_, found),) = attributor_of(model, method.attribution()).flows([GIVEN], [TARGET])
    assert found.columns == logit.columns
    assert np.allclose(found.matrix.sum(1), 1)


@pytest.mark.parametrize("gradient", [False, True])
def test_a_comparison_is_of_the_first_piece_that_differs(tmp_path: Path, gradient: bool):
    model = open_model(f"lm:{make_family(tmp_path / 'llama', 'llama-3')}")
    tool = attributor_of(model, Gradients() if gradient else None)
    wrong = "Sie ist neu."
    ((_, found),) = tool.flows([GIVEN], [TARGET], [wrong])
    assert found.matrix.shape[0] == 1
    assert TARGET[: found.rows[0].start] == wrong[: found.rows[0].start]
    # What compares right with wrong is what compares wrong with right.
    ((_, turned),) = tool.flows([GIVEN], [wrong], [TARGET])
    shares = [sorted(filter(None, flow.matrix[0].tolist())) for flow in (found, turned)]
    assert sum(shares[0]) == pytest.approx(1)
    assert shares[0] == pytest.approx(shares[1], abs=1e-5)
    assert not list(tool.flows([GIVEN], [TARGET], [TARGET]))


def test_a_language_model_s_flow_is_the_same_through_a_file(tmp_path: Path):
    target = "Sie ist für ältere."
    tool = attributor_of(open_model(f"lm:{make_family(tmp_path / 'qwen', 'qwen-3')}"), Method.SALIENCY.attribution())
    kept = Sequences("qwen", tool)
    ((_, before),) = kept.attributor.flows([GIVEN], [target])
    write_inseq(kept.file, tmp_path / "qwen.json")
    ((_, after),) = InseqAttributor.read(tmp_path / "qwen.json").flows([GIVEN], [target])
    # A blank before a sentence is the prompt's here, and in a file nobody's: words are compared.
    for part, number in (
        (Part.SOURCE_CONTEXT, 0),
        (Part.SOURCE_CONTEXT, 1),
        (Part.SOURCE, 0),
        (Part.TARGET_CONTEXT, 0),
    ):
        sums = [
            flow.matrix[:, [(x.part, x.sentence, x.end > x.start) == (part, number, True) for x in flow.columns]].sum(
                -1
            )
            for flow in (before, after)
        ]
        assert sums[0].min() > 0
        np.testing.assert_allclose(sums[0], sums[1], atol=1e-6)
