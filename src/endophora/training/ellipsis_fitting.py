"""Fine-tunes an encoder as a classifier: settings, weighted loss, warm-up and decay, early stopping."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib import import_module
from itertools import groupby
from math import inf, isfinite, log
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, cast

from endophora.errors import Fault, InputError, MissingModelError, first_line, refuse
from endophora.options import option
from endophora.phenomena.ellipsis_classifier import ELLIPTICAL, encode, judge, longest_input, need_libraries, pad, quiet
from endophora.phenomena.ellipsis_examples import Example
from endophora.signature import unkeyed

SCRATCH = "scratch"
"""The name that stands for a small encoder with random weights and the words of the training text."""

_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_LABELS = {0: "complete", ELLIPTICAL: "elliptical"}
_WORDS = 8_000
_SIZES = {"hidden_size": 128, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 256}
_POSITIONS = 258


@dataclass(frozen=True, slots=True)
class ClassifierEncoder:
    """A sequence classifier of two labels, its tokenizer, and after how many tokens a sentence is cut."""

    model: Any
    tokenizer: Any
    longest: int

    def judge(self, examples: Sequence[Example], batch: int) -> tuple[list[bool], list[float]]:
        """Return whether each sentence is elliptical, and how probably it is according to the model."""
        self.model.eval()
        texts = [example.text for example in examples]
        probabilities = judge(self.model, self.tokenizer, texts, longest=self.longest, batch=batch)
        return [example.elliptical for example in examples], probabilities


def load_encoder(name: str, texts: Iterable[str], longest: int) -> ClassifierEncoder:
    """Load the encoder that is to be fine-tuned; its head has the weights that torch's random state gives it (E252)."""
    need_libraries()
    transformers: Any = import_module("transformers")
    safe = {"trust_remote_code": False}
    with quiet(transformers):
        if name == SCRATCH:
            model, tokenizer = _scratch(transformers, texts)
            return ClassifierEncoder(model, tokenizer, min(longest, longest_input(model)))
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, **safe)
            labels = {"num_labels": len(_LABELS), "id2label": _LABELS, "label2id": {v: k for k, v in _LABELS.items()}}
            model = transformers.AutoModelForSequenceClassification.from_pretrained(
                name, **labels, ignore_mismatched_sizes=True, use_safetensors=True, **safe
            )
        except Exception as error:
            # Broken files raise what the libraries in Rust happen to raise: nothing narrower covers them.
            cause = f"the encoder “{name}” cannot be loaded ({first_line(error)})"
            advice = f"name a folder, or fetch it with: hf download {name} (weights in safetensors)"
            raise MissingModelError(Fault("E252", cause, advice)) from error
    if tokenizer.pad_token_id is None:
        cause = f"“{name}” has no padding token, so it is no encoder that sentences can be classified with"
        raise MissingModelError(Fault("E252", cause, "name an encoder, such as bert-base-cased"))
    return ClassifierEncoder(model, tokenizer, min(longest, longest_input(model)))


def vocabulary(texts: Iterable[str]) -> list[str]:
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
    kept = sorted((-count, word) for word, count in counts.items() if count > 1 and len(word) > 1)[:_WORDS]
    return [*_SPECIAL, *characters, *(f"##{character}" for character in characters), *(word for _, word in kept)]


def _scratch(transformers: Any, texts: Iterable[str]) -> tuple[Any, Any]:
    pieces = vocabulary(texts)
    with tempfile.TemporaryDirectory() as folder:
        # Releases differ in what the constructor takes; all of them read a folder.
        (Path(folder) / "vocab.txt").write_text("\n".join(pieces), encoding="utf-8")
        tokenizer: Any = transformers.BertTokenizerFast.from_pretrained(folder, model_max_length=_POSITIONS)
    config: Any = transformers.BertConfig(
        vocab_size=len(pieces), max_position_embeddings=_POSITIONS, id2label=_LABELS, num_labels=len(_LABELS), **_SIZES
    )
    return transformers.BertForSequenceClassification(config), tokenizer


TUNED = "tuned"
"""The threshold that is taken from the validation text."""

_RATE = 2e-5
_SCRATCH_RATE = 5e-4

PRECISIONS = ("auto", "float32", "bfloat16")
"""What activations can be kept in."""


def _read_threshold(text: str) -> float | None:
    """Return a threshold, ``None`` for ``tuned`` (E256)."""
    try:
        return None if text == TUNED else float(text)
    except ValueError as error:
        cause = f"“{text}” is no threshold"
        raise InputError(Fault("E256", cause, f"give a probability, or {TUNED}", "--threshold")) from error


@unkeyed("a training that is not taken up again; its card has them")
@dataclass(frozen=True, slots=True, kw_only=True)
class EllipsisSettings:
    """Settings of a training; the weight is the paper's (appendix C.4), which does not give the others.

    Without a ``threshold`` it is the one with the best F1 on the validation text, where ``patience`` looks at average
    precision. Another number of threads may round otherwise; weights and optimiser stay in single precision.
    """

    encoder: str = option(
        "bert-base-cased", metavar="NAME", help="Hugging Face encoder, by name or directory; or scratch."
    )
    weight: float = option(100.0, help="Of the loss of elliptical sentences.")
    threshold: float | None = option(
        0.5,
        metavar="P",
        help="Probability from which a sentence is elliptical; or tuned.",
        read=_read_threshold,
        write=str,
    )
    epochs: int = option(10, help="The most to run.")
    patience: int = option(3, help="Epochs without gain before it stops.")
    batch: int = option(32, help="Sentences in a step.")
    rate: float | None = option(None, help="Learning rate. [default: 2e-5; 5e-4 from scratch]")
    warmup: float = 0.1  # share of the steps in which the rate goes up
    longest: int = option(256, help="Tokens after which a sentence is cut.")
    validation: float = option(0.1, help="Share of the text, by document.")
    test: float = option(0.1, help="Share of the text that is held out, by document.")
    seed: int = option(0, least=0, help="Of the initial weights and of the order of the text.")
    threads: int = option(1, help="Of the CPU.")
    precision: str = option("auto", metavar="NAME", help="float32, bfloat16, or auto: bfloat16 on a GPU.")
    language: str = option("en", metavar="CODE", help="Of the sentences.")

    @property
    def learning_rate(self) -> float:
        """The highest learning rate."""
        return self.rate if self.rate is not None else _SCRATCH_RATE if self.encoder == SCRATCH else _RATE

    def check(self) -> None:
        """Check the ranges (E256)."""
        rate, threshold, held = self.learning_rate, self.threshold or 0.0, self.validation + self.test
        counts = {name: getattr(self, name) for name in ("epochs", "patience", "batch", "threads")}
        shared = self.validation > 0 and self.test > 0 and held < 1
        checks = [
            ("the weight", self.weight, 0 < self.weight < inf, "give a positive number"),
            ("the learning rate", rate, 0 < rate < 1, "give a number between 0 and 1"),
            ("the threshold", threshold, 0 <= threshold <= 1, "give a probability, 0 to 1"),
            *((f"the number “{name}”", value, value >= 1, "give 1 or more") for name, value in counts.items()),
            ("the longest input", self.longest, self.longest >= 8, "give 8 tokens or more"),
            ("the share of warm-up", self.warmup, 0 <= self.warmup <= 1, "give a share, 0 to 1"),
            ("what is held out", held, shared, "leave some for training, and some for validation and test each"),
        ]
        faults = [Fault("E256", f"{name} is {value:g}", advice) for name, value, right, advice in checks if not right]
        if self.precision not in PRECISIONS:
            faults.append(Fault("E256", f"the precision is “{self.precision}”", f"one of {', '.join(PRECISIONS)}"))
        refuse(faults)

    def half(self, device: str) -> bool:
        """Return whether activations are in bfloat16 on a kind of device, ``cpu`` or ``cuda``."""
        return self.precision == "bfloat16" or (self.precision == "auto" and device == "cuda")

    def values(self) -> dict[str, str | int | float]:
        """Return all settings by name, with the learning rate that is used."""
        given = {name: value for name, value in asdict(self).items() if value is not None}
        return {**given, "rate": self.learning_rate, "threshold": given.get("threshold", "tuned")}


_POOL = 50
"""Batches whose sentences are sorted by length together: the order stays random, and little is padded."""

_CLIP = 1.0
_DECAY = 0.01
_LEAST = 1e-12


@dataclass(frozen=True, slots=True)
class EpochReport:
    """How training stands after an epoch; the loss is the mean of a sentence, in units of the mean weight."""

    epoch: int
    epochs: int
    loss: float
    average_precision: float
    best: bool


def fit(
    encoder: ClassifierEncoder,
    train: Sequence[Example],
    validation: Sequence[Example],
    settings: EllipsisSettings,
    saved: Callable[[EpochReport], None],
    progress: Callable[[EpochReport], None] | None = None,
) -> tuple[int, int]:
    """Fine-tune a classifier; return the epochs and the best one, whose weights the encoder has then (E256).

    The loss of a batch of B sentences is Σ w·ℓ / (B·m), with ℓ the cross-entropy, w the weight of the label and m the
    mean weight of the training text: a batch with an elliptical sentence counts for as much more as the weight says.
    (A mean weighted within each batch would let it count for as much as one without.)
    """
    torch: Any = import_module("torch")
    model: Any = encoder.model
    rows = encode(encoder.tokenizer, [example.text for example in train], encoder.longest)
    mean = sum(settings.weight if example.elliptical else 1.0 for example in train) / len(train)
    step_count = settings.epochs * -(-len(rows) // settings.batch)
    optimiser: Any = torch.optim.AdamW(model.parameters(), lr=settings.learning_rate, weight_decay=_DECAY)
    rate = partial(_rate, steps=step_count, warmup=settings.warmup)
    schedule: Any = torch.optim.lr_scheduler.LambdaLR(optimiser, rate)
    half = settings.half(model.device.type)
    best, best_epoch, epoch = (-1.0, 0.0), 0, 0
    kept: dict[str, Any] = {}
    for epoch in range(1, settings.epochs + 1):
        model.train()
        total = 0.0
        for chosen in batches(rows, settings.batch, settings.seed * 1_000 + epoch):
            labels = [train[index].elliptical for index in chosen]
            share = sum(settings.weight if label else 1.0 for label in labels) / (len(chosen) * mean)
            loss = _loss(encoder, [rows[index] for index in chosen], labels, settings.weight, half)
            optimiser.zero_grad()
            (loss / (len(chosen) * mean)).backward()
            # A heavy batch may be as much longer as it is heavier: clipping must not undo the weight.
            torch.nn.utils.clip_grad_norm_(model.parameters(), _CLIP * share)
            optimiser.step()
            schedule.step()
            total += float(loss.item())
        if not isfinite(total):
            cause = f"the loss is no number in epoch {epoch}"
            raise InputError(Fault("E256", cause, "give a lower --rate, or --precision float32"))
        judged = encoder.judge(validation, settings.batch)
        # Where the ranking cannot get better, the probabilities still can.
        value = average_precision(*judged), -log_loss(*judged, settings.weight)
        report = EpochReport(epoch, settings.epochs, total / (len(rows) * mean), value[0], value > best)
        if report.best:
            best, best_epoch = value, epoch
            kept = {name: tensor.detach().cpu().clone() for name, tensor in model.state_dict().items()}
            saved(report)
        if progress is not None:
            progress(report)
        if epoch - best_epoch >= settings.patience:
            break
    model.load_state_dict(kept)
    model.eval()
    return epoch, best_epoch


def average_precision(elliptical: Sequence[bool], probabilities: Sequence[float]) -> float:
    """Return the mean of the precisions at each elliptical sentence, by descending probability.

    Sentences of equal probability are taken together. With no elliptical sentence it is 0.
    """
    right = seen = 0
    total = 0.0
    for _, labels in ranked(elliptical, probabilities):
        right += sum(labels)
        seen += len(labels)
        total += sum(labels) * right / seen
    return total / right if right else 0.0


def ranked(elliptical: Sequence[bool], probabilities: Sequence[float]) -> Iterator[tuple[float, list[bool]]]:
    """Yield each probability, descending, and whether the sentences that have it are elliptical."""
    pairs = sorted(zip(probabilities, elliptical, strict=True), reverse=True)
    for value, same in groupby(pairs, key=itemgetter(0)):
        yield value, [label for _, label in same]


def log_loss(elliptical: Sequence[bool], probabilities: Sequence[float], weight: float) -> float:
    """Return the mean weighted cross-entropy."""
    total = weights = 0.0
    for label, value in zip(elliptical, probabilities, strict=True):
        total -= (weight if label else 1.0) * log(max(_LEAST, value if label else 1 - value))
        weights += weight if label else 1.0
    return total / weights if weights else 0.0


def batches(rows: Sequence[Sequence[int]], size: int, seed: int) -> Iterator[list[int]]:
    """Yield the indices of each batch of an epoch, in an order drawn by the seed; rows of like length go together."""
    random = Random(seed)  # noqa: S311 (no secret is drawn)
    order = list(range(len(rows)))
    random.shuffle(order)
    drawn: list[list[int]] = []
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lambda index: len(rows[index]))
        drawn.extend(pool[first : first + size] for first in range(0, len(pool), size))
    random.shuffle(drawn)
    yield from drawn


def _loss(
    encoder: ClassifierEncoder, rows: Sequence[list[int]], elliptical: Sequence[bool], weight: float, half: bool
) -> Any:
    """Return the sum of the weighted losses of a batch."""
    torch: Any = import_module("torch")
    device: Any = encoder.model.device
    ids, mask = pad(rows, encoder.tokenizer.pad_token_id, device)
    with torch.autocast(device.type, torch.bfloat16, enabled=half):
        logits: Any = encoder.model(input_ids=ids, attention_mask=mask).logits
    weights: Any = torch.tensor([1.0, weight], device=device)
    labels: Any = torch.tensor(elliptical, device=device, dtype=torch.long)
    return torch.nn.functional.cross_entropy(logits.float(), labels, weight=weights, reduction="sum")


def _rate(step: int, steps: int, warmup: float) -> float:
    """Return the share of the learning rate at a step: up in a line for the warm-up, then down in a line to 0."""
    first = max(1, round(steps * warmup))
    return (step + 1) / first if step < first else max(0.0, (steps - step) / max(1, steps - first))
