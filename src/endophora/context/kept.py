"""Answers of models, kept: nothing is scored or translated twice, neither in a run nor after a broken one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from endophora.context.context_read import Likelihood, pack_context, unpack_context
from endophora.models.loading import check_finite
from endophora.models.records import Decoding, ModelInput, ScoredTarget, Scorer, Translation, Translator
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


@keyed()
@dataclass(frozen=True, slots=True)
class _Scores:
    """What log-probabilities depend on besides input and target."""

    scorer: Scorer


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
            return [_encoded([one.text, one.logprob, one.warning, pack_context(one.context)]) for one in done]

        found: list[Translation] = []
        for value in self._answers(keys, answer):
            text, logprob, warning, context = json.loads(value)
            found.append(Translation(text, logprob, warning, unpack_context(context)))
        return found

    def likelihoods(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[Likelihood]:
        """Return how probable each whole target is given its input; equal pairs are scored once."""

        def answer(chosen: Sequence[int]) -> list[bytes]:
            done = _scored(model, inputs, targets, chosen)
            return [_encoded([one.total, len(one.logprobs), pack_context(one.context)]) for one in done]

        found = self._answers(_pair_keys(_Likelihoods(model), inputs, targets), answer)
        return [Likelihood(total, tokens, unpack_context(context)) for total, tokens, context in map(json.loads, found)]

    def score(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return how probable each token of each target is given its input; equal pairs are scored once.

        The model is given all pairs at once, so that it makes batches of like length.
        """

        def answer(chosen: Sequence[int]) -> list[bytes]:
            return [encode_scores(one) for one in _scored(model, inputs, targets, chosen)]

        keys = _pair_keys(_Scores(model), inputs, targets)
        found = self._answers(keys, answer, max(1, len(keys)), "scores of models")
        return [decode_scores(target, value) for target, value in zip(targets, found, strict=True)]

    def _answers(
        self,
        keys: Sequence[StoreKey],
        answer: Callable[[Sequence[int]], list[bytes]],
        batch: int = BATCH,
        kind: str = "answers of models",
    ) -> list[bytes]:
        """Return the answer of each key, from the store or from ``answer``, which gets indices of ``keys``."""
        known = self._store.get_many(keys)
        first = {key: index for index, key in reversed(list(enumerate(keys)))}
        missing = sorted(index for key, index in first.items() if key not in known)
        if self._progress is not None:
            self._progress(len(keys) - len(missing))
        for start in range(0, len(missing), batch):
            chosen = missing[start : start + batch]
            new = {keys[index]: value for index, value in zip(chosen, answer(chosen), strict=True)}
            self._store.put_many(new, kind)
            known |= new
            if self._progress is not None:
                self._progress(len(chosen))
        return [known[key] for key in keys]


class KeptTranslator:
    """A translator whose answers are kept as they come: what a broken run had done is not done again."""

    def __init__(self, translator: Translator, store: Store) -> None:
        self._translator, self._answers = translator, KeptAnswers(store)
        self.signature = translator.signature
        self.uses_target_context = bool(getattr(translator, "uses_target_context", True))

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        """Translate each input; one translation for each, in their order."""
        return self._answers.translate(self._translator, inputs, decoding or Decoding())


def _pair_keys(setup: object, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[StoreKey]:
    key = Keys(setup)
    return [key(given, target) for given, target in zip(inputs, targets, strict=True)]


def _scored(
    model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str], chosen: Sequence[int]
) -> list[ScoredTarget]:
    done = model.score([inputs[index] for index in chosen], [targets[index] for index in chosen])
    check_finite((one.total for one in done), model.signature)
    return done


def _encoded(values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


_Scored = tuple[list[str], list[list[int]], list[float], list[list[int | None]] | None]


def encode_scores(scored: ScoredTarget) -> bytes:
    """Return the scores of a target as bytes; the text itself is not in them."""
    spans = [list(span) for span in scored.spans]
    values = (list(scored.pieces), spans, scored.logprobs.tolist(), pack_context(scored.context))
    return zlib.compress(_encoded(values), 1)


def decode_scores(target: str, data: bytes) -> ScoredTarget:
    """Return the scores of a target from the bytes that :func:`encode_scores` made."""
    pieces, spans, logprobs, context = cast("_Scored", json.loads(zlib.decompress(data)))
    places = tuple((start, end) for start, end in spans)
    return ScoredTarget(target, tuple(pieces), places, np.array(logprobs, dtype=np.float64), unpack_context(context))
