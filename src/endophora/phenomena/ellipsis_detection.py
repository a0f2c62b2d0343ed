"""Whether the source has an ellipsis: by rules over its parse, or by a classifier.

``endophora train ellipsis`` makes one; any sequence classifier with two labels, the second *elliptical*, will do.
Weights are read from safetensors only, and no code that comes with a model is run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol, cast, runtime_checkable

from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, InputError, MissingModelError
from endophora.phenomena.ellipsis_clauses import fragments, gaps, noun_phrases, sluices
from endophora.phenomena.ellipsis_rules import EllipsisRules, EllipsisSite, load_ellipsis_rules, sentences
from endophora.phenomena.ellipsis_scores import read_card
from endophora.phenomena.ellipsis_verbs import infinitives, verb_phrases
from endophora.provenance import content_of
from endophora.registry import Registry
from endophora.signature import digest_of

_RULES = (verb_phrases, infinitives, sluices, gaps, fragments, noun_phrases)


class EllipsisDetector(Protocol):
    """Finds what is left out in a text."""

    @property
    def signature(self) -> str:
        """Name and version: what makes two detections the same."""
        ...

    def detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        """Return the sites of a text, ordered by token; none if nothing is left out."""
        ...


@runtime_checkable
class BatchDetector(Protocol):
    """A detector that is faster with many texts at once."""

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the sites of each text, in order."""
        ...


class SentenceClassifier(Protocol):
    """Says how probable it is that a text has an ellipsis, as the trained model of the paper does (appendix C.4)."""

    @property
    def signature(self) -> str:
        """Name and version of the model."""
        ...

    def probability(self, text: AnnotatedText) -> float:
        """Return the probability, between 0 and 1."""
        ...


@runtime_checkable
class BatchClassifier(Protocol):
    """A sentence classifier that is faster with many texts at once."""

    def probabilities(self, texts: Sequence[AnnotatedText]) -> list[float]:
        """Return the probability of each text, in order."""
        ...


def detect_all(detector: EllipsisDetector, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
    """Return what a detector finds in each text: all at once if it can, else one by one."""
    if isinstance(detector, BatchDetector):
        return detector.detect_many(texts)
    return [detector.detect(text) for text in texts]


def detect(text: AnnotatedText, rules: EllipsisRules) -> list[EllipsisSite]:
    """Find what is left out in an annotated text, from its dependency parse and its words."""
    found = [site for sentence in sentences(text, rules.doubtful) for rule in _RULES for site in rule(sentence, rules)]
    taken: set[int] = set()
    kept: list[EllipsisSite] = []
    for site in found:
        if taken.isdisjoint(site.tokens):
            kept.append(site)
            taken.update(site.tokens)
    return sorted(kept, key=lambda site: site.tokens)


@dataclass(frozen=True, slots=True)
class RuleDetector:
    """Finds ellipsis by rules over the dependency parse."""

    rules: EllipsisRules

    @property
    def signature(self) -> str:
        """Name, language and hash of the rule file."""
        return f"rules-{self.rules.language}-{self.rules.hash}"

    def detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        """Return the sites of a text, ordered by token."""
        return detect(text, self.rules)


@dataclass(frozen=True, slots=True)
class ClassifierDetector:
    """Makes a detector of a sentence classifier; it knows that something is left out, not what.

    Attributes:
        threshold: the probability from which a text counts as elliptical.
    """

    classifier: SentenceClassifier
    threshold: float = 0.5

    @property
    def signature(self) -> str:
        """The classifier's signature and the threshold."""
        return f"{self.classifier.signature}-{self.threshold:g}"

    def detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        """Return one site of the kind ``sentence``, or none."""
        return self._sites(self.classifier.probability(text))

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the sites of each text, in order; the classifier sees them in batches if it can."""
        if isinstance(self.classifier, BatchClassifier):
            return [self._sites(probability) for probability in self.classifier.probabilities(texts)]
        return [self.detect(text) for text in texts]

    def _sites(self, probability: float) -> list[EllipsisSite]:
        return [EllipsisSite("sentence", ())] if probability >= self.threshold else []


def load_rule_detector(language: str) -> RuleDetector:
    """Return the rule-based detector of a language.

    Raises:
        InputError: there are no rules for it (E066).
    """
    return RuleDetector(load_ellipsis_rules(language))


ELLIPSIS_DETECTORS: Registry[Callable[[str], EllipsisDetector]] = Registry(
    "ellipsis_detector", {"rules": load_rule_detector}
)
"""Name → what makes a detector for a source language."""


LIBRARIES = ("torch", "transformers", "safetensors")
"""What a classifier needs."""

INSTALL = "install it with: pip install 'endophora[neural]'"

ELLIPTICAL = 1
"""The label of elliptical sentences."""

_READ = ("config.json", "*.safetensors", "ellipsis.json", "tokenizer*", "vocab*", "merges.txt", "*.model")
"""The files that probabilities depend on."""


def need_libraries() -> None:
    """Check that the libraries are installed, without loading them.

    Raises:
        MissingModelError: one is not (E252).
    """
    if missing := [name for name in LIBRARIES if find_spec(name) is None]:
        raise MissingModelError(Fault("E252", f"a classifier of ellipsis needs {' and '.join(missing)}", INSTALL))


class EncoderClassifier:
    """Judges texts with an encoder in a folder; it is loaded when the first text is judged.

    A text of several sentences is as probably elliptical as the most probable of them: the encoder has learned from
    single sentences.

    Args:
        folder: with the model, its tokenizer and, if it is of our own training, its card.

    Attributes:
        threshold: the probability from which a text is elliptical, as the card says; else .5.
        language: ISO 639-1 code, as the card says; else empty.

    Raises:
        InputError: the folder has no such model (E253).
        MissingModelError: torch or transformers is not installed (E252).
    """

    def __init__(self, folder: Path, batch: int = 64) -> None:
        need_libraries()
        if not (folder / "config.json").is_file() or not any(folder.glob("*.safetensors")):
            cause = "no classifier: config.json or weights in safetensors are missing"
            raise InputError(Fault("E253", cause, "name a folder that endophora train ellipsis has made", str(folder)))
        card = read_card(folder)
        self._folder = folder
        self._batch = batch
        self._longest = card.longest if card is not None else None
        self.threshold = card.threshold if card is not None else 0.5
        self.language = card.language if card is not None else ""

    @property
    def signature(self) -> str:
        """Hash of the model's files, and the version of the library."""
        return self._signature

    @cached_property
    def _signature(self) -> str:
        files = {path.name: content_of(path) for pattern in _READ for path in self._folder.glob(pattern)}
        return f"encoder-{digest_of(files)[:12]}-transformers-{version('transformers')}"

    def probability(self, text: AnnotatedText) -> float:
        """Return the probability that something is left out in a text."""
        return self.probabilities([text])[0]

    def probabilities(self, texts: Sequence[AnnotatedText]) -> list[float]:
        """Return the probability of each text, in order; that of an empty text is 0."""
        sentences = [sentence_texts(text) for text in texts]
        flat = list(dict.fromkeys(sentence for each in sentences for sentence in each))
        found = dict(zip(flat, self._judge(flat), strict=True))
        return [max((found[sentence] for sentence in each), default=0.0) for each in sentences]

    def _judge(self, sentences: Sequence[str]) -> list[float]:
        if not sentences:
            return []
        model, tokenizer = self._loaded
        return judge(model, tokenizer, sentences, longest=self._longest, batch=self._batch)

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


def first_line(error: Exception) -> str:
    """Return the first line of what an error of another library says, or its kind if it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def judge(
    model: Any, tokenizer: Any, sentences: Sequence[str], *, longest: int | None = None, batch: int = 64
) -> list[float]:
    """Return the probability that each sentence is elliptical.

    Args:
        longest: tokens after which a sentence is cut; by default what the model takes.
    """
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
    """Keep the library from saying that weights are new, and from showing bars of its own."""
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


def load_encoder_detector(folder: Path, language: str) -> ClassifierDetector:
    """Return the detector of a trained classifier, with the threshold that its card names.

    Raises:
        InputError: the folder has no classifier, its card is not in its form, or it says another language (E253).
        MissingModelError: torch or transformers is not installed (E252).
    """
    classifier = EncoderClassifier(folder)
    if classifier.language not in ("", language):
        cause = f"the classifier has learned “{classifier.language}”, and the text is “{language}”"
        raise InputError(Fault("E253", cause, "name one of the source language", str(folder)))
    return ClassifierDetector(classifier, classifier.threshold)
