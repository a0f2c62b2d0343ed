"""Attention to the context with gates in each layer of a multi-encoder (Zhang et al. 2018, sections 2.2 to 2.4)."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tiny_models import SENTENCES, make_own  # noqa: E402

from endophora.context.attribution.attributor import attributor_of  # noqa: E402
from endophora.context.attribution.gradients import Gradients  # noqa: E402
from endophora.errors import InputError  # noqa: E402
from endophora.models.layout import Architecture  # noqa: E402
from endophora.models.multi_encoder import GatedNorm, MultiEncoderConfig, reading  # noqa: E402
from endophora.models.options import ModelOptions  # noqa: E402
from endophora.models.records import Decoding, ModelInput  # noqa: E402
from endophora.models.specs import open_model  # noqa: E402
from endophora.models.tokenization import Vocabulary  # noqa: E402
from endophora.training.translation.model import new_model  # noqa: E402
from endophora.training.translation.settings import TrainingSettings  # noqa: E402

ALONE = ModelInput(SENTENCES[1])
INPUTS = [
    ALONE,
    ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3]),
    ModelInput(SENTENCES[1], SENTENCES[:1]),
    ModelInput(SENTENCES[1], (), SENTENCES[2:3]),
]
TARGETS = [SENTENCES[3]] * 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_own(tmp_path_factory.mktemp("gated") / "model", Architecture.MULTI_ENCODER, gates=True)


def test_a_gate_mixes_as_by_hand():
    config = MultiEncoderConfig(d_model=2, vocab_size=5, pad_token_id=0, attn_implementation="eager")
    norm = GatedNorm(config, heads=1).eval()
    with torch.no_grad():
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            getattr(norm.context_attention, name).weight.copy_(torch.eye(2))
            getattr(norm.context_attention, name).bias.zero_()
        # λ of a unit is σ of its state: of 1 it is .731, of −1 .269.
        norm.context_gate.weight.copy_(torch.cat([torch.eye(2), torch.zeros(2, 2)], 1))
        norm.context_gate.bias.zero_()
    # (3, 1) is (1, −1) when it is normalised; one token of context, (5, 7), is all that attention can find.
    context = torch.tensor([[[5.0, 7.0], [9.0, 9.0]]] * 2), torch.tensor([[True, False], [False, False]])
    with reading(*context):
        with_context, without = norm(torch.tensor([[[3.0, 1.0]]] * 2)).detach().numpy()[:, 0]
    kept = 1 / (1 + math.exp(-1))  # of the first unit; 1 − kept of the second
    np.testing.assert_allclose(with_context, [kept * 1 + (1 - kept) * 5, (1 - kept) * -1 + kept * 7], atol=1e-4)
    np.testing.assert_allclose(without, [1, -1], atol=1e-4)


def test_a_model_with_gates_is_written_and_read_and_scores_with_and_without_context(folder: Path):
    model = open_model(str(folder), ModelOptions())
    gates = [value for name, value in model.model.state_dict().items() if "context_gate.weight" in name]
    assert len(gates) == model.model.config.encoder_layers + model.model.config.decoder_layers
    assert all(bool(gate.abs().sum() > 0) for gate in gates)
    together = model.score(INPUTS, TARGETS)
    for given, target, one in zip(INPUTS, TARGETS, together, strict=True):
        np.testing.assert_allclose(one.logprobs, model.score([given], [target])[0].logprobs, atol=1e-5)
    assert len({round(one.total, 3) for one in together}) == 4
    # The search reads token by token with what it has kept; its own sum is that of the whole text.
    for given, found in zip(INPUTS, model.translate(INPUTS, decoding=Decoding(beam=2)), strict=True):
        assert found.logprob is not None
        np.testing.assert_allclose(found.logprob, model.score([given], [found.text])[0].total, atol=1e-3)


def test_gates_that_let_nothing_in_give_the_scores_of_no_context(folder: Path):
    model = open_model(str(folder), ModelOptions())
    norms = [part for part in model.model.modules() if isinstance(part, GatedNorm)]
    before = model.score(INPUTS, TARGETS)
    with torch.no_grad():
        for norm in norms:
            norm.context_gate.weight.zero_()
            norm.context_gate.bias.fill_(30.0)
    closed = model.score(INPUTS, TARGETS)
    for one in closed:
        np.testing.assert_allclose(one.logprobs, before[0].logprobs, atol=1e-5)


def test_a_new_gate_leaves_nearly_all_to_the_sentence_level_model(folder: Path):
    settings = TrainingSettings(architecture=Architecture.MULTI_ENCODER, gates=True, preset="tiny")
    model = new_model(settings, Vocabulary(folder / "source.spm"))
    gates = [part.context_gate for part in model.modules() if isinstance(part, GatedNorm)]
    assert len(gates) == model.config.encoder_layers + model.config.decoder_layers
    for gate in gates:
        assert torch.sigmoid(gate.bias).tolist() == pytest.approx([0.982] * model.config.d_model, abs=1e-3)


def test_threads_that_share_a_model_read_each_its_own_context():
    norm = GatedNorm(MultiEncoderConfig(d_model=2, vocab_size=5, pad_token_id=0), heads=1).eval()
    states, seen = torch.tensor([[[3.0, 1.0]]]), torch.ones(1, 1, dtype=torch.bool)
    alone = norm(states)
    with reading(torch.tensor([[[5.0, 7.0]]]), seen), ThreadPoolExecutor(1) as other:
        assert torch.equal(other.submit(norm, states).result(), alone)
        assert not torch.equal(norm(states), alone)


def test_gradients_attribute_a_model_with_gates_and_alti_refuses_it(folder: Path):
    model = open_model(str(folder), ModelOptions())
    with pytest.raises(InputError, match=r"E260.*gates.*--method input_x_gradient"):
        attributor_of(model)
    attributor = attributor_of(model, Gradients("input_x_gradient"))
    example = attributor.encoder.encode(INPUTS[1], TARGETS[1])
    (found,) = attributor.method.batch(attributor.model, [example], attributor.pad)
    before, source, after = (len(ids) for ids in example.encoders)
    shares = np.split(found, [before, before + source, before + source + after], axis=1)
    assert all(float(np.abs(one).sum()) > 0 for one in shares)
