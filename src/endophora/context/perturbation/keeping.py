"""What a model has answered, kept: no input is translated or scored twice, neither in a run nor after a broken one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from endophora.context.context_counts import pack_context, unpack_context
from endophora.models.loading import check_finite
from endophora.models.records import ContextRead, Decoding, ModelInput, Scorer, Translation, Translator
from endophora.signature import Keys, StoreKey, keyed
from endophora.store import Store

BATCH = 256
"""Inputs that a model is given at once: what a broken run may lose."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How probable a model finds a target.

    Attributes:
        total: log-probability of the whole, its end included; natural logarithm.
        tokens: of the target, its end included.
        context: how much context was given and read; ``None`` where the model does not tell.
    """

    total: float
    tokens: int
    context: ContextRead | None = None


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


class Keeper:
    """Asks a model, and remembers what it said.

    Args:
        store: where answers are kept; they are on disk as soon as a batch is done.
        progress: called with the number of inputs that were answered, from the store or by the model.
    """

    def __init__(self, store: Store, progress: Callable[[int], None] | None = None) -> None:
        self._store = store
        self._progress = progress
        self.asked = 0
        """How many inputs a model was asked about."""

    def translate(self, model: Translator, inputs: Sequence[ModelInput], decoding: Decoding) -> list[Translation]:
        """Return the translation of each input; equal inputs are translated once."""
        keys = list(map(Keys(_Translations(model, decoding)), inputs))

        def answer(chosen: Sequence[int]) -> list[bytes]:
            """Translate some of the inputs."""
            done = model.translate([inputs[index] for index in chosen], decoding)
            check_finite((one.logprob for one in done), model.signature)
            return [_encode([one.text, one.logprob, one.warning, pack_context(one.context)]) for one in done]

        found: list[Translation] = []
        for value in self._answers(keys, answer):
            text, logprob, warning, context = json.loads(value)
            found.append(Translation(text, logprob, warning, unpack_context(context)))
        return found

    def score(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[Likelihood]:
        """Return how probable each target is given its input; equal pairs are scored once.

        Raises:
            ValueError: the two have not the same length.
        """
        key = Keys(_Likelihoods(model))
        keys = [key(one, target) for one, target in zip(inputs, targets, strict=True)]

        def answer(chosen: Sequence[int]) -> list[bytes]:
            """Score some of the targets."""
            done = model.score([inputs[index] for index in chosen], [targets[index] for index in chosen])
            check_finite((one.total for one in done), model.signature)
            return [_encode([one.total, len(one.logprobs), pack_context(one.context)]) for one in done]

        return [
            Likelihood(total, tokens, unpack_context(context))
            for total, tokens, context in map(json.loads, self._answers(keys, answer))
        ]

    def _answers(self, keys: Sequence[StoreKey], answer: Callable[[Sequence[int]], list[bytes]]) -> list[bytes]:
        """Return the answer of each key, from the store or from ``answer``, which gets places in ``keys``."""
        known = self._store.get_many(keys)
        places = {key: index for index, key in reversed(list(enumerate(keys)))}
        missing = sorted(index for key, index in places.items() if key not in known)
        self._tell(len(keys) - len(missing))
        for start in range(0, len(missing), BATCH):
            chosen = missing[start : start + BATCH]
            new = {keys[index]: value for index, value in zip(chosen, answer(chosen), strict=True)}
            self._store.put_many(new, "answers of models")
            known |= new
            self.asked += len(chosen)
            self._tell(len(chosen))
        return [known[key] for key in keys]

    def _tell(self, count: int) -> None:
        if self._progress is not None and count:
            self._progress(count)


def _encode(values: list[object]) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "surrogatepass")
