"""The encoder that is fine-tuned: a pretrained one by name or folder, or a small one from scratch."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from endophora.errors import Fault, MissingModelError
from endophora.phenomena.ellipsis_detection import ELLIPTICAL, first_line, longest_input, need_libraries, quiet

SCRATCH = "scratch"
"""The name that stands for a small encoder with random weights and the words of the training text."""

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LABELS = {0: "complete", ELLIPTICAL: "elliptical"}
_WORDS = 8_000
_SIZES = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256}
_POSITIONS = 258


@dataclass(frozen=True, slots=True)
class Encoder:
    """A sequence classifier of two labels and its tokenizer."""

    model: Any
    tokenizer: Any


def load_encoder(name: str, texts: Iterable[str]) -> Encoder:
    """Load the encoder that is to be fine-tuned; its head has the weights that torch's random state gives it.

    Raises: MissingModelError: a library is not installed, or the encoder is not there or not in safetensors (E252).
    """
    need_libraries()
    transformers: Any = import_module("transformers")
    with quiet(transformers):
        if name == SCRATCH:
            return _scratch(transformers, texts)
        try:
            tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, trust_remote_code=False)
            model: Any = transformers.AutoModelForSequenceClassification.from_pretrained(
                name,
                num_labels=len(_LABELS),
                id2label=_LABELS,
                label2id={label: index for index, label in _LABELS.items()},
                ignore_mismatched_sizes=True,
                use_safetensors=True,
                trust_remote_code=False,
            )
        except Exception as error:
            # Broken files raise what the libraries in Rust happen to raise: nothing narrower covers them.
            cause = f"the encoder “{name}” cannot be loaded ({first_line(error)})"
            advice = f"name a folder, or fetch it with: hf download {name} (weights in safetensors)"
            raise MissingModelError(Fault("E252", cause, advice)) from error
    if tokenizer.pad_token_id is None:
        cause = f"“{name}” has no padding token, so it is no encoder that sentences can be classified with"
        raise MissingModelError(Fault("E252", cause, "name an encoder, such as bert-base-cased"))
    return Encoder(model, tokenizer)


def vocabulary(texts: Iterable[str], words: int = _WORDS) -> list[str]:
    """Return WordPieces for texts: special ones, single characters, and the words that stand there twice or more.

    The order is by count and then by the word, so that the same text always gives the same ids.
    """
    tokenizers: Any = import_module("tokenizers")
    normalizer: Any = tokenizers.normalizers.BertNormalizer(lowercase=True)
    cutter: Any = tokenizers.pre_tokenizers.BertPreTokenizer()
    counts: Counter[str] = Counter()
    for text in texts:
        parts = cast("list[tuple[str, Any]]", cutter.pre_tokenize_str(normalizer.normalize_str(text)))
        counts.update(word for word, _ in parts)
    characters = sorted({character for word in counts for character in word})
    kept = sorted((-count, word) for word, count in counts.items() if count > 1 and len(word) > 1)[:words]
    return [*_SPECIAL, *characters, *(f"##{character}" for character in characters), *(word for _, word in kept)]


def _scratch(transformers: Any, texts: Iterable[str]) -> Encoder:
    pieces = vocabulary(texts)
    with tempfile.TemporaryDirectory() as folder:
        # Releases differ in what the constructor takes; all of them read a folder.
        (Path(folder) / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
        tokenizer: Any = transformers.BertTokenizerFast.from_pretrained(folder, model_max_length=_POSITIONS)
    config: Any = transformers.BertConfig(
        vocab_size=len(pieces), max_position_embeddings=_POSITIONS, id2label=_LABELS, num_labels=len(_LABELS), **_SIZES
    )
    return Encoder(transformers.BertForSequenceClassification(config), tokenizer)


def length_limit(encoder: Encoder, longest: int) -> int:
    """Return after how many tokens a sentence is cut: what is asked for, or what the model takes if that is less."""
    return min(longest, longest_input(encoder.model))
