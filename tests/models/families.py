"""Tiny language models with tokenizers after the patterns of families that people use, random weights, real turns.

How each family cuts text, writes turns and ends them is from the files that come with its models; the vocabularies are
made here, of a few merges.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiny_models import SENTENCES, enliven, two_layers

_QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n"
    "{% if m.role == 'assistant' and loop.last %}<think>\n\n</think>\n\n{% endif %}{{ m.content }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
_LLAMA = (
    "<|begin_of_text|>{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n"
    "{{ m.content | trim }}<|eot_id|>{% endfor %}"
    "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
_GEMMA = (
    "<bos>{% for m in messages %}"
    "{% if m.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content | trim }}<end_of_turn>\n"
    "{% endfor %}"
    "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
_MISTRAL = (
    "<s>{% for m in messages %}{% if m.role == 'assistant' %} {{ m.content }}</s>"
    "{% else %}[INST] {{ m.content }}[/INST]{% endif %}{% endfor %}"
)


@dataclass(frozen=True)
class Family:
    """How a family's models read text.

    Attributes:
        pattern: of words, for byte-level vocabularies; ``None`` for those in which a blank is a sign of its own.
        ends: the tokens of its generation configuration that end an answer.
        answered: what stands before and after an answer, as the template writes it.
    """

    pattern: str | None
    special: tuple[str, ...]
    template: str
    bos: str | None
    eos: str
    ends: tuple[str, ...]
    answered: tuple[str, str]


FAMILIES = {
    "llama-3": Family(
        _QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|"),
        ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        _LLAMA,
        "<|begin_of_text|>",
        "<|end_of_text|>",
        ("<|end_of_text|>", "<|eot_id|>"),
        ("<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"),
    ),
    "qwen-3": Family(
        _QWEN,
        ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"),
        _CHATML,
        None,
        "<|im_end|>",
        ("<|im_end|>", "<|endoftext|>"),
        ("<|im_start|>assistant\n<think>\n\n</think>\n\n", "<|im_end|>"),
    ),
    "gemma-3": Family(
        None,
        ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"),
        _GEMMA,
        "<bos>",
        "<eos>",
        ("<eos>", "<end_of_turn>"),
        ("<start_of_turn>model\n", "<end_of_turn>"),
    ),
    "mistral": Family(
        None, ("<s>", "</s>", "[INST]", "[/INST]"), _MISTRAL, "<s>", "</s>", ("</s>",), ("[/INST] ", "</s>")
    ),
}


def make_family(folder: Path, name: str, chat: bool = True) -> Path:
    """Write a tiny model of a family, with or without its template of turns."""
    from transformers import PreTrainedTokenizerFast

    family = FAMILIES[name]
    inner = _metaspace(family.special) if family.pattern is None else byte_level(family.special, family.pattern, _LINES)
    names: dict[str, Any] = {"eos_token": family.eos} | ({"bos_token": family.bos} if family.bos else {})
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, **names)
    tokenizer.add_special_tokens({"additional_special_tokens": list(family.special)})
    if chat:
        tokenizer.chat_template = family.template
    tokenizer.save_pretrained(folder)
    model = two_layers(len(tokenizer), 32, 48)
    enliven(model)
    model.generation_config.eos_token_id = [tokenizer.convert_tokens_to_ids(end) for end in family.ends]
    model.save_pretrained(folder)
    return folder


_LINES = [*SENTENCES, *(f"{one}\n" for one in SENTENCES), "English: It was raining.\nGerman: Es regnete.\n" * 3]


def byte_level(special: tuple[str, ...], pattern: str, texts: Sequence[str]) -> Any:
    """Train a byte-level vocabulary whose words are cut by a pattern."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

    inner = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=500, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    inner.train_from_iterator(texts, trainer)
    return inner


def _metaspace(special: tuple[str, ...]) -> Any:
    """A blank is ▁, what is not in the vocabulary is bytes, a line's end is a token of its own."""
    from tokenizers import Tokenizer, decoders, models, normalizers, trainers

    inner = Tokenizer(models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"))
    inner.normalizer = normalizers.Replace(" ", "▁")
    inner.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokens = [*special, "<unk>", *(f"<0x{byte:02X}>" for byte in range(256))]
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=tokens, show_progress=False)
    inner.train_from_iterator([line.strip().replace(" ", "▁") for line in SENTENCES], trainer)
    return inner
