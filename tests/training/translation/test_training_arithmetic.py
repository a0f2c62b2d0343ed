"""The arithmetic of training: loss, schedule, accumulation, context sizes, dropped words, what is too long."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from endophora.errors import InputError
from endophora.models.layout import Architecture, Layout, marian_config, preset
from endophora.models.tokenization import Vocabulary
from endophora.training.translation import model as loss_module
from endophora.training.translation.examples import IGNORED, Examples, TokenDocument, TokenText, epoch_batches
from endophora.training.translation.loop import Forward
from endophora.training.translation.model import cross_entropy, learning_rate
from endophora.training.translation.settings import TrainingSettings

PAD = 49
CPU = torch.device("cpu")


def text(documents: int, segments: int, seed: int = 0, longest: int = 9) -> list[TokenDocument]:
    draw = random.Random(seed)

    def sides() -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(draw.choices(range(3, PAD), k=draw.randint(1, longest))) for _ in range(segments))

    return [TokenDocument(sides(), sides()) for _ in range(documents)]


def examples(documents: list[TokenDocument], **settings: Any) -> Examples:
    made = TrainingSettings(**settings)
    return Examples(TokenText(documents), Layout(made.architecture, (2,), (0,), 1024), made)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.3])
@pytest.mark.parametrize("rows", [4, 256])
def test_loss_and_gradients_are_those_of_torch_without_the_padding_token(
    smoothing: float, rows: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(loss_module, "_ROWS", rows)
    generator = torch.Generator().manual_seed(1)
    given = {"generator": generator, "dtype": torch.float64}
    states = torch.randn(3, 5, 8, **given).requires_grad_()
    weight = torch.randn(PAD + 1, 8, **given).requires_grad_()
    bias = torch.randn(PAD + 1, **given)
    bias[PAD] = -1e4
    labels = torch.randint(0, PAD, (3, 5), generator=generator)
    labels[1, 3:] = IGNORED
    labels[2, 0] = IGNORED
    loss = cross_entropy(states, weight, bias, labels, smoothing, PAD)
    ours = torch.autograd.grad(3 * loss.smoothed, (states, weight))
    options = {"ignore_index": IGNORED, "reduction": "sum"}
    without = (states @ weight.T + bias)[..., :PAD].reshape(-1, PAD)
    theirs = torch.nn.functional.cross_entropy(without, labels.reshape(-1), label_smoothing=smoothing, **options)
    plain = torch.nn.functional.cross_entropy(without, labels.reshape(-1), **options)
    assert loss.smoothed.item() == pytest.approx(theirs.item(), rel=1e-6)
    assert loss.plain.item() == pytest.approx(plain.item(), rel=1e-6)
    for one, other in zip(ours, torch.autograd.grad(3 * theirs, (states, weight)), strict=True):
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-6)


def test_the_loss_in_half_precision_is_near():
    generator = torch.Generator().manual_seed(2)
    states, weight = torch.randn(2, 40, 16, generator=generator), torch.randn(PAD + 1, 16, generator=generator)
    labels = torch.randint(0, PAD, (2, 40), generator=generator)
    both = [cross_entropy(states, weight, torch.zeros(PAD + 1), labels, 0.1, PAD, half=half) for half in (False, True)]
    assert both[1].plain.item() == pytest.approx(both[0].plain.item(), rel=5e-3)
    assert both[1].plain.item() != both[0].plain.item()


def test_the_rate_rises_in_a_line_and_falls_with_the_inverse_square_root():
    rates = [learning_rate(update, 5e-4, 4000) for update in (1, 2000, 4000, 16_000)]
    assert rates == pytest.approx([5e-4 / 4000, 2.5e-4, 5e-4, 2.5e-4])


def tiny(architecture: Architecture = Architecture.CONCATENATION) -> Any:
    from transformers import MarianMTModel

    from endophora.models.multi_encoder import MultiEncoderForTranslation

    class Words:
        size, pad, eos, separator_piece = PAD + 1, PAD, 0, "<brk>"

    torch.manual_seed(3)
    size = preset("tiny").model_copy(update={"dropout": 0.0})
    kind = MultiEncoderForTranslation if architecture is Architecture.MULTI_ENCODER else MarianMTModel
    return kind(marian_config(size, Words(), architecture, 2))


@pytest.mark.parametrize("architecture", list(Architecture))
def test_the_loss_of_a_batch_is_that_of_all_the_models_logits(architecture: Architecture):
    held = examples(text(3, 3), architecture=architecture, context_size=2)
    model = tiny(architecture).eval()
    forward = Forward(model, PAD, TrainingSettings(architecture=architecture), CPU)
    batch = forward.batch([held.example(place) for place in held.draw(None).places], context_loss=False)
    logs = torch.log_softmax(model(**batch.inputs).logits, -1)
    counted = batch.labels != IGNORED
    wanted = -logs[counted].gather(1, batch.labels[counted][:, None]).sum()
    assert forward.loss(batch, 0.1).plain.item() == pytest.approx(wanted.item(), rel=1e-5)


@pytest.mark.parametrize("architecture", list(Architecture))
def test_gradients_of_batches_that_are_accumulated_are_those_of_one_batch(architecture: Architecture):
    held = examples(text(6, 3), architecture=architecture, context_size=2)
    settings = TrainingSettings(architecture=architecture)
    model = tiny(architecture)
    forward = Forward(model, PAD, settings, CPU)
    laid_out = [held.example(place) for place in held.draw(None).places]

    def gradients(parts: list[list[Any]]) -> dict[str, Any]:
        model.zero_grad()
        made = [forward.batch(part, context_loss=True) for part in parts]
        labels = sum(batch.tokens for batch in made)
        for batch in made:
            (forward.loss(batch, 0.1).smoothed / labels).backward()
        return {name: value.grad.clone() for name, value in model.named_parameters() if value.grad is not None}

    whole, parts = gradients([laid_out]), gradients([laid_out[:5], laid_out[5:6], laid_out[6:]])
    assert whole.keys() == parts.keys()
    for name, value in whole.items():
        assert torch.allclose(value, parts[name], atol=1e-6), name


def test_dynamic_context_sizes_are_drawn_evenly_and_static_ones_are_all_there_is():
    documents = text(300, 12)
    place = examples(documents, context_size=3)
    sizes = Counter(each.context for each in place.draw(random.Random(1)).places if each.segment >= 3)
    assert set(sizes) == {0, 1, 2, 3}
    assert chisquare(list(sizes.values())).pvalue > 0.001
    static = examples(documents, context_size=3, dynamic=False).draw(random.Random(1)).places
    assert all(each.context == min(3, each.segment) for each in static)


def test_words_of_the_current_source_alone_are_dropped():
    documents = [TokenDocument(*(tuple(tuple(range(3, 3 + count)) for count in (5, 7, 40)) for _ in "st"))]
    held = examples(documents, context_size=3, word_dropout=0.3, dynamic=False)
    place = held.draw(None).places[-1]
    plain, dropped = held.example(place), held.example(place, random.Random(0))
    assert (dropped.prefix, dropped.target) == (plain.prefix, plain.target)
    own = len(held.documents[0].sources[-1]) + 1
    assert dropped.source[:-own] == plain.source[:-own]
    changed = [new for old, new in zip(plain.source[-own:], dropped.source[-own:], strict=True) if old != new]
    assert set(changed) == {Vocabulary.unknown}
    assert 0.1 < len(changed) / own < 0.5
    assert dropped.source[-1] == plain.source[-1]


def test_context_that_is_too_long_is_cut_and_a_segment_that_is_too_long_is_left_out():
    rows = tuple((5,) * length for length in (10, 10, 10, 40, 3))
    held = examples([TokenDocument(rows, rows)], context_size=4, dynamic=False, longest=30)
    drawn = held.draw(None)
    # 10 + 1 each: two fit; the long one goes, and so does all context that reaches over it.
    assert [(place.segment, place.context) for place in drawn.places] == [(0, 0), (1, 1), (2, 1), (4, 0)]
    assert (drawn.shortened, drawn.left_out) == (2, 1)
    assert all(held.length(place) <= 30 for place in drawn.places)


@given(st.integers(1, 12), st.integers(1, 6), st.integers(20, 400), st.integers(0, 5))
def test_an_epoch_has_each_segment_once_in_batches_of_the_size(documents: int, segments: int, size: int, epoch: int):
    settings = TrainingSettings(batch_tokens=size, context_size=2)
    held = examples(text(documents, segments), context_size=2)
    made = epoch_batches(held, settings, epoch)
    assert made == epoch_batches(held, settings, epoch)
    places = sorted((place.document, place.segment) for batch in made for place in batch)
    assert places == [(d, s) for d in range(documents) for s in range(segments)]
    for batch in made:
        assert len(batch) == 1 or len(batch) * max(held.length(place) for place in batch) <= size // 2


def test_a_loss_that_is_no_number_ends_the_training(tmp_path: Path):
    from toy_training import train_toy

    with pytest.raises(InputError, match="E300"):
        train_toy(tmp_path, peak_learning_rate=1e9, warmup=1, clip=0, updates=40, evaluate_every=20)


def test_nothing_that_is_short_enough_is_an_error(tmp_path: Path):
    from toy_training import train_toy

    with pytest.raises(InputError, match="E294"):
        train_toy(tmp_path, longest=2, updates=5)


def test_it_ends_when_nothing_gets_better(tmp_path: Path):
    from toy_training import train_toy

    card = train_toy(tmp_path, peak_learning_rate=1e-12, updates=50, evaluate_every=1, patience=3, dropout=0.0)
    assert card.ended == "patience"
    assert card.update - card.best_update == 3


def test_half_precision_is_that_of_a_gpu_and_leaves_the_weights_whole():
    auto, half = TrainingSettings(), TrainingSettings(precision="bfloat16")
    model = tiny().eval()
    assert Forward(model, PAD, auto, torch.device("cuda")).reduced
    assert not Forward(model, PAD, auto, CPU).reduced
    held = examples(text(3, 3), context_size=2)
    laid_out = [held.example(place) for place in held.draw(None).places]
    losses = []
    for settings in (auto, half):
        forward = Forward(model, PAD, settings, CPU)
        loss = forward.loss(forward.batch(laid_out, context_loss=True), 0.1)
        assert loss.smoothed.dtype == torch.float32
        losses.append(loss.smoothed.item())
    assert losses[0] != losses[1]
    assert losses[1] == pytest.approx(losses[0], rel=0.01)
    assert {value.dtype for value in model.parameters()} == {torch.float32}
