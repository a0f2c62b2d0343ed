"""A classifier that says whether a text has an ellipsis, and how well it and other detectors do.

``endophora train ellipsis`` makes one; any sequence classifier with two labels, the second *elliptical*, will do.
Weights are read from safetensors only, and no code that comes with a model is run.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from math import sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any, Literal, cast

from pydantic import Field, ValidationError

from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.phenomena.ellipsis_rules import EllipsisSite
from endophora.provenance import content_of
from endophora.record import Fixed
from endophora.signature import digest_of

_LIBRARIES = ("torch", "transformers", "safetensors")

ELLIPTICAL = 1
"""The label of elliptical sentences."""

_READ = ("config.json", "*.safetensors", "ellipsis.json", "tokenizer*", "vocab*", "merges.txt", "*.model")
"""The files that probabilities depend on."""


def need_libraries() -> None:
    """Check that the libraries are installed (E252), without loading them."""
    if missing := [name for name in _LIBRARIES if find_spec(name) is None]:
        advice = "install it with: pip install 'endophora[neural]'"
        raise MissingModelError(Fault("E252", f"a classifier of ellipsis needs {' and '.join(missing)}", advice))


class ClassifierDetector:
    """Finds ellipsis with an encoder in a folder, loaded when the first text is judged; it does not tell where.

    A text of several sentences is as probably elliptical as the most probable of them: the encoder has learned from
    single sentences. ``threshold`` (the card's, or .5) is the probability from which a text is elliptical.

    Raises:
        InputError: the folder has no such model, its card is not in its form, or it says another language (E253).
        MissingModelError: torch or transformers is not installed (E252).
    """

    def __init__(self, folder: Path, language: str, threshold: float | None = None, batch: int = 64) -> None:
        need_libraries()
        if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
            cause = "no classifier: config.json or weights in safetensors are missing"
            raise InputError(Fault("E253", cause, "name a folder that endophora train ellipsis has made", str(folder)))
        card = read_card(folder)
        if card is not None and card.language not in ("", language):
            cause = f"the classifier has learned “{card.language}”, and the text is “{language}”"
            raise InputError(Fault("E253", cause, "name one of the source language", str(folder)))
        self._folder = folder
        self._batch = batch
        self._longest = card.longest if card is not None else None
        known = card.threshold if card is not None else 0.5
        self.threshold = known if threshold is None else threshold

    @property
    def signature(self) -> str:
        """Hash of the model's files, the version of the library, and the threshold."""
        return f"{self._model}-{self.threshold:g}"

    @cached_property
    def _model(self) -> str:
        files = {path.name: content_of(path) for pattern in _READ for path in self._folder.glob(pattern)}
        return f"encoder-{digest_of(files)[:12]}-transformers-{version('transformers')}"

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return for each text one site of the kind ``sentence``, or none."""
        site = EllipsisSite("sentence", ())
        return [[site] if value >= self.threshold else [] for value in self.probabilities(texts)]

    def probabilities(self, texts: Sequence[AnnotatedText]) -> list[float]:
        """Return the probability of each text, in order; that of an empty text is 0."""
        sentences = [sentence_texts(text) for text in texts]
        flat = list(dict.fromkeys(sentence for each in sentences for sentence in each))
        judged = judge(*self._loaded, flat, longest=self._longest, batch=self._batch) if flat else []
        found = dict(zip(flat, judged, strict=True))
        return [max((found[sentence] for sentence in each), default=0.0) for each in sentences]

    @cached_property
    def _loaded(self) -> tuple[Any, Any]:
        transformers: Any = import_module("transformers")
        torch: Any = import_module("torch")
        try:
            with quiet(transformers):
                tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                    self._folder, use_fast=True, trust_remote_code=False
                )
                model, report = transformers.AutoModelForSequenceClassification.from_pretrained(
                    self._folder, use_safetensors=True, trust_remote_code=False, output_loading_info=True
                )
        except Exception as error:
            # Broken files raise what the libraries in Rust happen to raise: nothing narrower covers them.
            raise self._fault(f"the classifier cannot be loaded ({first_line(error)})") from error
        if model.config.num_labels != ELLIPTICAL + 1:
            raise self._fault(f"the classifier has {model.config.num_labels} labels, not two")
        if missing := sorted(report["missing_keys"]):
            # The library fills them with random numbers.
            raise self._fault(f"the weights lack {', '.join(missing[:3])}")
        device = "cuda" if torch.cuda.is_available() else "cpu"
        return model.to(device).eval(), tokenizer

    def _fault(self, cause: str) -> InputError:
        advice = "name a folder that endophora train ellipsis has made, and copy it whole"
        return InputError(Fault("E253", cause, advice, str(self._folder)))


def judge(
    model: Any, tokenizer: Any, sentences: Sequence[str], *, longest: int | None = None, batch: int = 64
) -> list[float]:
    """Return the probability that each sentence is elliptical; ``longest`` is in tokens, by default what it takes."""
    torch: Any = import_module("torch")
    rows = encode(tokenizer, sentences, longest or longest_input(model))
    order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
    found = [0.0] * len(rows)
    with torch.inference_mode():
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            ids, mask = pad([rows[index] for index in chosen], tokenizer.pad_token_id, model.device)
            logits: Any = model(input_ids=ids, attention_mask=mask).logits.float()
            values = cast("list[float]", logits.softmax(-1)[:, ELLIPTICAL].tolist())
            for index, value in zip(chosen, values, strict=True):
                found[index] = value
    return found


def encode(tokenizer: Any, sentences: Sequence[str], longest: int) -> list[list[int]]:
    """Return the token ids of each sentence, with the special ones, at most ``longest`` of them."""
    encoded: Any = tokenizer(list(sentences), truncation=True, max_length=longest)
    return cast("list[list[int]]", encoded["input_ids"])


def pad(rows: Sequence[Sequence[int]], padding: int, device: Any) -> tuple[Any, Any]:
    """Return token ids and mask, both of shape (rows, longest row), the ids filled up with ``padding``."""
    torch: Any = import_module("torch")
    width = max(map(len, rows))
    ids = [[*row, *[padding] * (width - len(row))] for row in rows]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def longest_input(model: Any) -> int:
    """Return how many tokens a model takes; RoBERTa counts its positions from two, so two fewer are taken."""
    positions = int(getattr(model.config, "max_position_embeddings", 0) or 0)
    return positions - 2 if positions > 2 else 512


@contextmanager
def quiet(transformers: Any) -> Generator[None]:
    """Keep the library from saying that weights are new, and from showing its progress bars."""
    logging: Any = transformers.utils.logging
    before: Any = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before[0])
        if before[1]:
            logging.enable_progress_bar()


def sentence_texts(text: AnnotatedText) -> list[str]:
    """Return the text of each sentence of an annotated text."""
    if not text.tokens:
        return []
    starts = [0, *(start for start in text.sentences if start), len(text.tokens)]
    return [
        text.text[text.tokens[start].start : text.tokens[end - 1].end] for start, end in pairwise(starts) if end > start
    ]


Interval = tuple[float, float]

OUTCOMES = ((True, True), (False, True), (True, False), (False, False))
"""Whether a sentence is elliptical and whether it was found so: found, wrong, missed, passed."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The confusion counts: elliptical sentences found and missed, others wrongly found so and passed over."""

    found: int
    wrong: int
    missed: int
    passed: int

    @property
    def precision(self) -> float:
        """Share of the sentences found that are elliptical; 0 if none was found."""
        return _share(self.found, self.found + self.wrong)

    @property
    def recall(self) -> float:
        """Share of the elliptical sentences that are found; 0 if there is none."""
        return _share(self.found, self.found + self.missed)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return _share(2 * self.found, 2 * self.found + self.wrong + self.missed)

    def precision_interval(self) -> Interval:
        """Return Wilson's 95 % interval of the precision."""
        return wilson(self.found, self.found + self.wrong)

    def recall_interval(self) -> Interval:
        """Return Wilson's 95 % interval of the recall."""
        return wilson(self.found, self.found + self.missed)

    def f1_interval(self) -> Interval:
        """Return the 95 % interval of F1.

        F1 = 2J / (1 + J), with J the share of the sentences found among all that are elliptical or were found so; J
        is a share, and the ends of Wilson's interval for it are carried over. Resampling would fail where only a
        handful of sentences is elliptical.
        """
        low, high = wilson(self.found, self.found + self.wrong + self.missed)
        return 2 * low / (1 + low), 2 * high / (1 + high)

    def __str__(self) -> str:
        """Return figures, intervals and counts on one line."""
        rows = {
            "precision": (self.precision, self.precision_interval()),
            "recall": (self.recall, self.recall_interval()),
            "F1": (self.f1, self.f1_interval()),
        }
        figures = ", ".join(
            f"{name} {value:.3f} [{low:.3f}, {high:.3f}]" for name, (value, (low, high)) in rows.items()
        )
        return f"{figures} ({self.found} found, {self.missed} missed, {self.wrong} wrong, {self.passed} passed)"


def count(elliptical: list[bool], found: list[bool]) -> Counts:
    """Return the confusion counts of two lists of the same length."""
    pairs = list(zip(elliptical, found, strict=True))
    return Counts(*map(pairs.count, OUTCOMES))


def wilson(successes: int, trials: int, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval of a share: it stays within 0 and 1, holds for few trials, and is all for none."""
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    reach = z * sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    scale = 1 + z * z / trials
    return max(0.0, (centre - reach) / scale), min(1.0, (centre + reach) / scale)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


CARD = "ellipsis.json"
"""Name of the file in the classifier's folder."""


class Part(Fixed):
    """One part of the data, in sentences."""

    documents: tuple[str, ...]
    sentences: int
    elliptical: int


class PartScores(Fixed):
    """What the classifier said of a part: the confusion counts, and the figures with their 95 % intervals.

    ``average_precision`` is the mean of the precisions at each elliptical sentence, by descending probability, so that
    it asks no threshold; ``None`` where no sentence is elliptical.
    """

    found: int
    wrong: int
    missed: int
    passed: int
    precision: tuple[float, float, float]
    recall: tuple[float, float, float]
    f1: tuple[float, float, float]
    average_precision: float | None


class ClassifierCard(Fixed):
    """The card of a classifier.

    Attributes:
        finished: whether training came to its end; else these are the best weights until it was interrupted.
        encoder: name or folder of the encoder that was fine-tuned; ``scratch`` for none.
        data_hash: of the sentences, their labels and their parts.
        leaked: training sentences that were left out, since they are in another part too.
        scores: part → figures, of ``validation`` and ``test``.
    """

    format: Literal["endophora ellipsis classifier 1"] = "endophora ellipsis classifier 1"
    finished: bool
    encoder: str
    threshold: float = Field(ge=0, le=1)
    longest: int = Field(ge=1)
    language: str
    data: tuple[str, ...]
    data_hash: str
    settings: dict[str, str | int | float]
    parts: dict[str, Part]
    leaked: int
    epochs: int
    best_epoch: int
    scores: dict[str, PartScores]
    versions: dict[str, str]


def read_card(folder: Path) -> ClassifierCard | None:
    """Return the card in a classifier's folder, or ``None`` if it has none; E253 if it is not in its form."""
    path = folder / CARD
    if not path.is_file():
        return None
    try:
        return ClassifierCard.model_validate_json(path.read_bytes())
    except (ValidationError, OSError) as error:
        cause = f"no card of an ellipsis classifier ({first_line(error)})"
        raise InputError(Fault("E253", cause, "train it again: endophora train ellipsis", str(path))) from error
