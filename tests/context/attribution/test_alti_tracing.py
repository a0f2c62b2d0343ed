"""ALTI+ of whole models: the parts make the layers' outputs, loops over numpy agree, padding changes nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import slow_alti  # noqa: E402
from attributed_models import ARCHITECTURES, random_batch, single, tiny  # noqa: E402
from plain_alti import transformed_vectors  # noqa: E402

from endophora.context.attribution.alti import (  # noqa: E402
    Alti,
    architecture_of,
    observed,
    plain_attention,
    run,
    trace,
)
from endophora.context.attribution.blocks import (  # noqa: E402
    Block,
    Normalisation,
    Resultant,
    distances,
)
from endophora.errors import InputError  # noqa: E402

SINGLE = sorted(set(ARCHITECTURES) - {"endophora_multi_encoder"})


def _lengths(name: str) -> list[tuple[int, ...]]:
    return [(3, 7, 2, 5), (0, 4, 4, 6), (5, 2, 0, 2)] if "multi" in name else [(7, 5), (4, 6), (2, 2)]


def _blocks(model: Any, name: str) -> list[tuple[Block, torch.Tensor]]:
    """Each block of a model on a batch, with the layer's own output of that block."""
    batch, found, outputs = random_batch(model, _lengths(name)), list[Block](), dict[str, torch.Tensor]()
    architecture = architecture_of(model)
    handles = []
    for path, module in model.named_modules():
        if path.endswith("layer_norm") and ".layers." in path:

            def keep(module: Any, args: Any, output: torch.Tensor, path: str = path) -> None:
                outputs[path] = args[0] if architecture.norm_first else output

            handles.append(module.register_forward_hook(keep))
    with torch.no_grad(), observed(model, architecture, lambda _, block: found.append(block)), plain_attention(model):
        run(model, architecture, batch)
    if architecture.norm_first:  # the norm after a block has its output for input
        after = [later for earlier, later in pairwise(outputs) if "attn" in earlier]
    else:
        after = [path for path in outputs if "attn" in path]
    return list(zip(found, (outputs[path] for path in after), strict=True))


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_parts_and_biases_are_together_the_output_of_each_block(name: str):
    blocks = _blocks(tiny(name), name)
    assert len(blocks) == (10 if "multi" in name else 6)
    for block, output in blocks:
        vectors, rest = transformed_vectors(block)
        assert rest.abs().max() > 0.1, "biases count"
        torch.testing.assert_close(vectors.sum(2) + rest, output, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("name", ["marian", "m2m_100"])
@pytest.mark.parametrize("resultant", Resultant)
def test_distances_in_slices_are_those_of_all_vectors_at_once(name: str, resultant: Resultant):
    for block, _ in _blocks(tiny(name).double(), name):
        vectors, rest = transformed_vectors(block)
        whole = vectors.sum(2) + (rest if resultant is Resultant.OUTPUT else 0)
        for memory in (1, 3000, 1 << 26):
            far, norms, reachable = distances(block, resultant, memory=memory)
            expected = (vectors - whole.unsqueeze(2)).abs().sum(-1)
            torch.testing.assert_close(far[reachable], expected[reachable])
            torch.testing.assert_close(norms, whole.abs().sum(-1))


@pytest.mark.parametrize("name", SINGLE)
@pytest.mark.parametrize("resultant", Resultant)
def test_rows_are_those_of_loops_over_numpy(name: str, resultant: Resultant):
    model = tiny(name).double()
    batch = random_batch(model, [(6, 4)])
    source, target = _embedded(model, batch)
    options = {"norm_first": architecture_of(model).norm_first, "biases": resultant is Resultant.OUTPUT}
    weights = slow_alti.parameters(model)
    states, product = slow_alti.encode(source["model.encoder"], weights, "model.encoder", 4, 2, **options)
    expected = slow_alti.decode(target, states, product, weights, 4, 2, **options)
    found = trace(model, batch, Alti(resultant=resultant))[0]
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_rows_of_a_multi_encoder_are_those_of_loops_over_numpy():
    model = tiny("endophora_multi_encoder").double()
    batch = random_batch(model, [(3, 5, 2, 4)])
    sources, target = _embedded(model, batch)
    weights, products, states = slow_alti.parameters(model), [], []
    for name in architecture_of(model).encoders:
        encoded, product = slow_alti.encode(sources[name], weights, name, 4, 2, norm_first=False, biases=True)
        states.append(encoded)
        products.append(product)
    joined = np.zeros((10, 10))
    for start, product in zip((0, 3, 8), products, strict=True):
        joined[start : start + len(product), start : start + len(product)] = product
    expected = slow_alti.decode(target, np.vstack(states), joined, weights, 4, 2, norm_first=False, biases=True)
    np.testing.assert_allclose(trace(model, batch)[0], expected, atol=1e-10)


@pytest.mark.parametrize("name", ARCHITECTURES)
@pytest.mark.parametrize("how", Normalisation)
def test_padding_changes_nothing_and_rows_sum_to_one(name: str, how: Normalisation):
    model, lengths, settings = tiny(name).double(), _lengths(name), Alti(how)
    batch = random_batch(model, lengths)
    together = trace(model, batch, settings)
    torch.testing.assert_close(together.sum(-1), torch.ones_like(together[..., 0]))
    widths = [0 if one is None else one[0].shape[1] for one in batch.encoders]
    for index, sizes in enumerate(lengths):
        alone = trace(model, single(batch, index, sizes), settings)[0]
        kept = [
            sum(widths[:k]) + place for k, size in enumerate(sizes) for place in range(min(size, (*widths, size)[k]))
        ]
        torch.testing.assert_close(together[index, : sizes[-1], kept], alone, atol=1e-9, rtol=0)
        padding = sorted(set(range(sum(widths))) - set(kept))
        assert not together[index, : sizes[-1], padding].any()


def test_later_tokens_of_the_target_contribute_nothing():
    model = tiny("marian")
    rows = trace(model, random_batch(model, [(5, 6)]))[0]
    assert not torch.triu(rows[:, 5:], 1).any()


def test_half_precision_is_added_up_in_single():
    model = tiny("marian").to(torch.bfloat16)
    rows = trace(model, random_batch(model, [(5, 6)]))
    assert rows.dtype == torch.float32
    torch.testing.assert_close(rows.sum(-1), torch.ones_like(rows[..., 0]), atol=1e-5, rtol=0)


def test_model_is_left_as_it_was():
    model = tiny("marian").train()
    trace(model, random_batch(model, [(5, 6)]))
    assert model.training
    assert model.config._attn_implementation == "sdpa"
    assert not any(module._forward_hooks for module in model.modules())


def test_model_of_another_kind_is_refused():
    with pytest.raises(InputError, match=r"\[E260\].*Linear"):
        architecture_of(torch.nn.Linear(2, 2))


def test_attention_that_does_something_else_is_refused():
    model = tiny("marian")
    attention = model.model.encoder.layers[1].self_attn
    original = attention.forward
    attention.forward = lambda *args, **options: (original(*args, **options)[0] * 2, original(*args, **options)[1])
    with pytest.raises(InputError, match=r"\[E261\]"):
        trace(model, random_batch(model, [(5, 6)]))


def _embedded(model: Any, batch: Any) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """What the first layer of each encoder, by its path, and of the decoder reads, for a batch of one example."""
    kept: dict[str, np.ndarray] = {}
    architecture = architecture_of(model)

    def keep(name: str) -> Any:
        def hook(module: Any, args: Any, options: Any) -> None:
            kept[name] = (args[0] if args else options["hidden_states"])[0].numpy()

        return hook

    paths = (*architecture.encoders, architecture.decoder)
    layers = {path: model.get_submodule(path).layers[0] for path in paths}
    handles = [one.register_forward_pre_hook(keep(path), with_kwargs=True) for path, one in layers.items()]
    with torch.no_grad():
        run(model, architecture, batch)
    for handle in handles:
        handle.remove()
    return kept, kept[architecture.decoder]
