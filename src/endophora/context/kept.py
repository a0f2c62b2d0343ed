"""Answers of models, kept: nothing is scored or translated twice, neither in a run nor after a broken one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from endophora.context.context_read import Likelihood, fitted, pack_context, unpack_context
from endophora.models.loading import check_finite
from endophora.models.records import (
    ContextSentence,
    Decoding,
    Fit,
    ModelInput,
    ScoredTarget,
    Scorer,
    Translation,
    Translator,
)
from endophora.signature import Keys, StoreKey, keyed
from endophora.store import Store

BATCH = 256
"""Inputs that a model is given at once: what a broken run may lose."""


@keyed()
@dataclass(frozen=True, slots=True)
class _Translations:
    """What translations depend on besides their input."""

    model: Translator
    decoding: Decoding


@keyed()
@dataclass(frozen=True, slots=True)
class _Likelihoods:
    """What likelihoods depend on besides input and target."""

    model: Scorer


class KeptAnswers:
    """Asks a model, and remembers what it said; answers are on disk as soon as a batch is done."""

    def __init__(self, store: Store, progress: Callable[[int], None] | None = None) -> None:
        self._store = store
        self._progress = progress

    def translate(self, model: Translator, inputs: Sequence[ModelInput], decoding: Decoding) -> list[Translation]:
        """Return the translation of each input; equal inputs are translated once."""
        keys = list(map(Keys(_Translations(model, decoding)), inputs))

        def answer(chosen: Sequence[int]) -> list[bytes]:
            done = model.translate([inputs[index] for index in chosen], decoding)
            check_finite((one.logprob for one in done), model.signature)
            return [_encode([one.text, one.logprob, one.warning, pack_context(one.context)]) for one in done]

        found: list[Translation] = []
        for value in self._answers(keys, answer):
            text, logprob, warning, context = json.loads(value)
            found.append(Translation(text, logprob, warning, unpack_context(context)))
        return found

    def score(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[Likelihood]:
        """Return how probable each target is given its input; equal pairs are scored once."""
        key = Keys(_Likelihoods(model))
        keys = [key(one, target) for one, target in zip(inputs, targets, strict=True)]

        def answer(chosen: Sequence[int]) -> list[bytes]:
            done = model.score([inputs[index] for index in chosen], [targets[index] for index in chosen])
            check_finite((one.total for one in done), model.signature)
            return [_encode([one.total, len(one.logprobs), pack_context(one.context)]) for one in done]

        return [
            Likelihood(total, tokens, unpack_context(context))
            for total, tokens, context in map(json.loads, self._answers(keys, answer))
        ]

    def _answers(self, keys: Sequence[StoreKey], answer: Callable[[Sequence[int]], list[bytes]]) -> list[bytes]:
        """Return the answer of each key, from the store or from ``answer``, which gets indices of ``keys``."""
        known = self._store.get_many(keys)
        first = {key: index for index, key in reversed(list(enumerate(keys)))}
        missing = sorted(index for key, index in first.items() if key not in known)
        if self._progress is not None:
            self._progress(len(keys) - len(missing))
        for start in range(0, len(missing), BATCH):
            chosen = missing[start : start + BATCH]
            new = {keys[index]: value for index, value in zip(chosen, answer(chosen), strict=True)}
            self._store.put_many(new, "answers of models")
            known |= new
            if self._progress is not None:
                self._progress(len(chosen))
        return [known[key] for key in keys]


def _encode(values: list[object]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")


_Encoded = tuple[list[str], list[list[int]], list[float], list[list[int | None]] | None]


@keyed()
@dataclass(frozen=True, slots=True)
class _Scores:
    """What log-probabilities depend on besides input and target."""

    scorer: Scorer


class KeptScorer:
    """A model whose scores are read from a store where they are there, and written to it where they are not."""

    def __init__(self, scorer: Scorer, store: Store) -> None:
        self._scorer = scorer
        self._store = store

    @property
    def signature(self) -> str:
        """That of the model."""
        return self._scorer.signature

    @property
    def vocabulary(self) -> Sequence[int]:
        """That of the model."""
        return self._scorer.vocabulary

    def length(self, sentence: ContextSentence) -> int:
        """Return the number of tokens of a sentence of context, without special ones."""
        return self._scorer.length(sentence)

    @property
    def layout(self) -> object:
        """How the model takes context, which says what it was trained with; ``None`` where it has none."""
        return getattr(self._scorer, "layout", None)

    def fit(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
    ) -> list[Fit]:
        """Return what the model would make of each input, where it reports that."""
        return fitted(self._scorer, inputs, targets, decoding)

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order."""
        pairs = list(zip(inputs, targets, strict=True))
        key = Keys(_Scores(self._scorer))
        keys = [key(given, target) for given, target in pairs]
        known = self._store.get_many(keys)
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        if missing:
            given, wanted = [one for one, _ in missing.values()], [target for _, target in missing.values()]
            scored = self._scorer.score(given, wanted)
            check_finite((one.total for one in scored), self.signature)
            new = dict(zip(missing, map(encode_scores, scored), strict=True))
            self._store.put_many(new, "scores of models")
            known |= new
        return [decode_scores(target, known[key]) for key, (_, target) in zip(keys, pairs, strict=True)]


def encode_scores(scored: ScoredTarget) -> bytes:
    """Return the scores of a target as bytes; the text itself is not in them."""
    spans = [list(span) for span in scored.spans]
    values = (list(scored.pieces), spans, scored.logprobs.tolist(), pack_context(scored.context))
    data = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(data.encode("utf-8", "surrogatepass"), 1)


def decode_scores(target: str, data: bytes) -> ScoredTarget:
    """Return the scores of a target from the bytes that :func:`encode_scores` made."""
    pieces, spans, logprobs, context = cast("_Encoded", json.loads(zlib.decompress(data)))
    places = tuple((start, end) for start, end in spans)
    return ScoredTarget(target, tuple(pieces), places, np.array(logprobs, dtype=np.float64), unpack_context(context))
