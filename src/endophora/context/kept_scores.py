"""Log-probabilities of sub-words, kept: no target is scored twice, neither in a run nor after a broken one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from endophora.context.context_counts import pack_context, unpack_context
from endophora.context.fitting import fitted
from endophora.models.loading import check_finite
from endophora.models.records import ContextSentence, Decoding, Fit, ModelInput, ScoredTarget, Scorer
from endophora.signature import Keys, keyed
from endophora.store import Store

_Encoded = tuple[list[str], list[list[int]], list[float], list[list[int | None]] | None]


@keyed()
@dataclass(frozen=True, slots=True)
class _Scores:
    """What log-probabilities depend on besides input and target."""

    scorer: Scorer


class KeptScorer:
    """A model whose scores are read from a store where they are there, and written to it where they are not.

    Args:
        scorer: the model.
        store: keeps what it said under its signature, the input and the target.
    """

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
        """How the model takes context, which tells what it was trained with; ``None`` where it has none."""
        return getattr(self._scorer, "layout", None)

    def fit(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
    ) -> list[Fit]:
        """Return what the model would make of each input, where it tells."""
        return fitted(self._scorer, inputs, targets, decoding)

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return the log-probabilities of each target given its input; one for each, in their order.

        Raises:
            ValueError: the two have not the same length.
        """
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
