"""Log-probabilities of many targets against one plain pass of the library: activations, precision, prefixes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from transformers import MarianConfig, MarianMTModel  # noqa: E402

from endophora.models import torch_model  # noqa: E402
from endophora.models.layout import LaidOut  # noqa: E402
from endophora.models.torch_model import target_logprobs  # noqa: E402

SOURCE = torch.tensor([[5, 6, 7, 8, 9, 0], [11, 12, 0, 99, 99, 99]])
MASK = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
TARGET = torch.tensor([[99, 20, 21, 22, 23], [99, 30, 31, 99, 99]])
WANTED = torch.tensor([[20, 21, 22, 23, 0], [30, 31, 0, 99, 99]])
LENGTHS = (5, 3)


def model(activation: str = "relu", **options: Any) -> Any:
    torch.manual_seed(3)
    made = MarianMTModel(
        MarianConfig(
            vocab_size=100, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
            decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=40, activation_function=activation,
            pad_token_id=99, decoder_start_token_id=99, max_position_embeddings=32, scale_embedding=True,
            init_std=0.3, **options,
        )
    )  # fmt: skip
    with torch.no_grad():
        for name, value in made.named_parameters():
            if name.endswith("bias"):
                value.normal_(0, 0.3)
        made.final_logits_bias.normal_()
    return made.eval()


def expected(plain: Any) -> torch.Tensor:
    with torch.no_grad():
        logits = plain(input_ids=SOURCE, attention_mask=MASK, decoder_input_ids=TARGET).logits
    return real(logits.double().log_softmax(-1).gather(2, WANTED[:, :, None])[..., 0])


def real(values: torch.Tensor) -> torch.Tensor:
    """Return those of (2, T) where no padding is, in one row."""
    return torch.cat([row[:length] for row, length in zip(values, LENGTHS, strict=True)])


def example(number: int, ahead: int = 0) -> LaidOut:
    """Return a row as laid out, with so many of its target's tokens forced."""
    source = tuple(token for token, seen in zip(SOURCE[number].tolist(), MASK[number].tolist(), strict=True) if seen)
    wanted = tuple(WANTED[number, : LENGTHS[number]].tolist())
    return LaidOut(source, (), (), wanted[:ahead], wanted[ahead:])


def found(given: Any, examples: Sequence[LaidOut] | None = None) -> torch.Tensor:
    chosen = examples or [example(number) for number in range(2)]
    values = target_logprobs(given, chosen, start=99, pad=99, batch_tokens=512)
    return torch.cat([torch.from_numpy(value) for value in values])


@pytest.mark.parametrize("activation", ["relu", "swish", "gelu"])
@pytest.mark.parametrize("scale", [True, False])
def test_log_probabilities_are_those_of_transformers(activation: str, scale: bool):
    plain = model(activation)
    for part in (plain.get_encoder(), plain.get_decoder()):
        part.embed_scale = part.embed_scale if scale else 1.0
    torch.testing.assert_close(found(plain), expected(plain), atol=1e-5, rtol=1e-5)


def test_vocabularies_of_their_own_are_looked_up_each():
    plain = model(share_encoder_decoder_embeddings=False, tie_word_embeddings=False, decoder_vocab_size=100)
    torch.testing.assert_close(found(plain), expected(plain), atol=1e-5, rtol=1e-5)


def test_improbable_tokens_have_their_log_probability():
    plain = model()
    with torch.no_grad():
        plain.final_logits_bias[0, 20] = -1e4
    torch.testing.assert_close(found(plain), expected(plain), atol=1e-5, rtol=1e-5)
    assert found(plain)[0] < -9e3


def test_what_stands_before_several_targets_is_read_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch_model, "SHARED", 2)
    plain, whole = model(), expected(model())
    first, second = example(0, 2), example(1, 2)
    other = LaidOut(first.source, (), (), first.prefix, (40, 41))
    shared = found(plain, [first, second, other])
    torch.testing.assert_close(shared[:4], torch.cat([whole[2:5], whole[7:8]]), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(shared[4:], found(plain, [other]), atol=1e-5, rtol=1e-5)


def test_bfloat16_is_near_and_leaves_the_precision_of_products_as_it_was():
    plain = model()
    before = torch.get_float32_matmul_precision()
    exact = expected(plain)
    torch.testing.assert_close(found(plain.to(torch.bfloat16)), exact, atol=0.3, rtol=0.03)
    assert torch.get_float32_matmul_precision() == before


def test_few_logits_are_in_memory_at_once(monkeypatch: pytest.MonkeyPatch):
    plain = model()
    monkeypatch.setattr(torch_model, "LOGITS", 100)
    torch.testing.assert_close(found(plain), expected(plain), atol=1e-5, rtol=1e-5)


def test_a_language_model_reads_windows_that_begin_alike_once():
    from tiny_models import enliven, two_layers

    plain = two_layers(50, 32, 48).eval()
    enliven(plain)
    segments = [[7, 10 + number, 30 - number, 8, 20 + number, 9] for number in range(6)]
    starts = [(start, last) for last in range(6) for start in range(max(0, last - 2), last + 1)]
    prefixes = [(1, *chain(*segments[start:last]), *segments[last][:3]) for start, last in starts]
    targets = [tuple(segments[last][3:]) for _, last in starts]
    examples = [LaidOut((), (), (), *pair) for pair in zip(prefixes, targets, strict=True)]
    read: list[int] = []
    handle = plain.get_input_embeddings().register_forward_pre_hook(lambda _, given: read.append(given[0].numel()))
    together = target_logprobs(plain, examples, start=None, pad=0, batch_tokens=1 << 12)
    # From each segment one window is read, of three segments of 6 tokens; at the end of the text two are padded.
    assert sum(read) == 6 * 18
    read.clear()
    alone = [target_logprobs(plain, [one], start=None, pad=0, batch_tokens=64)[0] for one in examples]
    handle.remove()
    assert sum(read) == 6 * 6 + 5 * 12 + 4 * 18
    for one, other in zip(together, alone, strict=True):
        torch.testing.assert_close(torch.from_numpy(one), torch.from_numpy(other), atol=1e-5, rtol=1e-5)
