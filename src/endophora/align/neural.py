"""Alignment by the contextual embeddings of a pretrained model, an extra: the user names the model.

The method of awesome-align (Dou and Neubig 2021) and SimAlign (Jalili Sabet et al. 2020): each sub-word's embedding is
that of a middle layer, similarities are dot products, a softmax in each direction gives probabilities. A word's
probability is the highest of its sub-words'. Weights are read from safetensors only, and no code that comes with a
model is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from endophora.align.compact import check_lengths
from endophora.align.records import RULES, Aligner, Link, Point
from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, InputError, MissingModelError
from endophora.provenance import content_of

Floats = NDArray[np.float32]

LAYER = 8
"""The layer whose embeddings align best in multilingual BERT (Dou and Neubig 2021, §2); a shallower model's last."""

_UNREADABLE = (ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)
"""What the libraries raise when files are not in their form."""

_POOLER = "pooler"
"""In the names of the weights that make one vector of a sentence."""

DIRECTION = 1e-3
"""The least probability of a link in one direction."""


class NeuralAligner:
    """Aligns segment by segment with a model of the user's choice."""

    def __init__(self, model: str, *, symmetrisation: str, threshold: float, layer: int = LAYER) -> None:
        if not model:
            raise InputError(Fault("E057", "the neural aligner needs a model", "write neural:MODEL, a name or folder"))
        missing = [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]
        if missing:
            cause = f"the neural aligner needs {' and '.join(missing)}"
            raise MissingModelError(Fault("E056", cause, "install it with: pip install 'endophora[neural]'"))
        self._torch: Any = import_module("torch")
        transformers: Any = import_module("transformers")
        safetensors: Any = import_module("safetensors")
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                model, use_fast=True, trust_remote_code=False
            )
            loaded, told = transformers.AutoModel.from_pretrained(
                model, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
        except (OSError, *_UNREADABLE, safetensors.SafetensorError) as error:
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            cause = f"the model “{model}” cannot be loaded ({reason})"
            advice = f"fetch it with: hf download {model} (weights in safetensors), or copy its folder whole"
            raise MissingModelError(Fault("E056", cause, advice)) from error
        self._model: Any = loaded.eval()
        # Models of other tasks lack what pools a sentence, which is not used here; any other weight would be random.
        absent = {str(key) for part in ("missing_keys", "mismatched_keys") for key in told.get(part) or ()}
        if absent := sorted(key for key in absent if _POOLER not in key):
            cause = f"the model “{model}” lacks {len(absent)} weights, the first of them {absent[0]}"
            raise MissingModelError(Fault("E056", cause, "copy its folder whole, or name an encoder"))
        layers = int(self._model.config.num_hidden_layers)
        commit = getattr(self._model.config, "_commit_hash", None)
        name = f"{model}@{commit}" if commit else model
        self._told = f"model {content_of(Path(model))[:12]}" if Path(model).is_dir() else name
        self._layer = min(layer, layers)
        self._longest = int(getattr(self._model.config, "max_position_embeddings", 512))
        self._rule = symmetrisation
        self._threshold = threshold

    @property
    def signature(self) -> str:
        """Name, library, model, layer and symmetrisation."""
        rule = f"{self._rule}:{self._threshold:g}" if self._rule == "threshold" else self._rule
        library = f"transformers {import_module('transformers').__version__}"
        return f"neural, {library}, {self._told}, layer {self._layer}, {rule}"

    def align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> list[tuple[Link, ...]]:
        """Link one document, segment by segment; links are ordered by source, then target.

        Words beyond the model's longest input stay unlinked.
        """
        check_lengths([(source, target)])
        return [self._segment(one, other) for one, other in zip(source, target, strict=True)]

    def align_many(
        self, documents: Sequence[tuple[Sequence[AnnotatedText], Sequence[AnnotatedText]]]
    ) -> list[list[tuple[Link, ...]]]:
        """Link several documents, one after the other."""
        check_lengths(documents)
        return [self.align(source, target) for source, target in documents]

    def _segment(self, source: AnnotatedText, target: AnnotatedText) -> tuple[Link, ...]:
        if not source.tokens or not target.tokens:
            return ()
        ones, one_words = self._embed(source)
        others, other_words = self._embed(target)
        forward, backward = both_softmaxes(ones, others)
        confidence = {
            point: round(value, 4)
            for point, value in word_confidence(np.sqrt(forward * backward), one_words, other_words).items()
        }
        kept = RULES[self._rule](
            link_words(forward > DIRECTION, one_words, other_words),
            link_words(backward > DIRECTION, one_words, other_words),
            confidence,
            self._threshold,
        )
        return tuple(Link(*point, confidence[point]) for point in sorted(kept))

    def _embed(self, text: AnnotatedText) -> tuple[Floats, list[int]]:
        """Return the embeddings of the sub-words, shape (sub-words, width), and the token of each."""
        words = [token.form for token in text.tokens]
        encoded: Any = self._tokenizer(
            words, is_split_into_words=True, return_tensors="pt", truncation=True, max_length=self._longest
        )
        tokens = cast("list[int | None]", encoded.word_ids(0))
        with self._torch.inference_mode():
            states: Any = self._model(**encoded, output_hidden_states=True).hidden_states[self._layer][0]
        places = [place for place, token in enumerate(tokens) if token is not None]
        embeddings = cast("Floats", states.float().numpy())[places]
        return embeddings, [token for token in tokens if token is not None]


def both_softmaxes(source: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of target given source sub-words and of source given target sub-words.

    Args:
        source: embeddings, shape (m, width).
        target: embeddings, shape (n, width).

    Returns:
        Two matrices of shape (m, n): the rows of the first and the columns of the second sum to 1.
    """
    scores = source @ target.T
    forward = np.exp(scores - scores.max(axis=1, keepdims=True))
    backward = np.exp(scores - scores.max(axis=0, keepdims=True))
    return forward / forward.sum(axis=1, keepdims=True), backward / backward.sum(axis=0, keepdims=True)


def link_words(linked: NDArray[np.bool_], source: Sequence[int], target: Sequence[int]) -> set[Point]:
    """Return the pairs of words of which any pair of sub-words is linked; ``linked`` has shape (m, n)."""
    rows, columns = np.nonzero(linked)
    return {(source[row], target[column]) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)}


def word_confidence(values: Floats, source: Sequence[int], target: Sequence[int]) -> Mapping[Point, float]:
    """Return the highest value among the sub-words of each pair of words; ``values`` has shape (m, n)."""
    whole = np.zeros((max(source, default=-1) + 1, max(target, default=-1) + 1), dtype=np.float32)
    np.maximum.at(whole, (np.array(source)[:, None], np.array(target)[None, :]), values)
    found: list[list[float]] = whole.tolist()
    return {(i, j): value for i, row in enumerate(found) for j, value in enumerate(row)}


def build_neural(
    argument: str, source_language: str, target_language: str, symmetrisation: str, threshold: float
) -> Aligner:
    """Build the aligner; the argument names the model."""
    del source_language, target_language
    return NeuralAligner(argument, symmetrisation=symmetrisation, threshold=threshold)
