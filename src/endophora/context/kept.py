"""Answers of models, kept: nothing is scored or translated twice, neither in a run nor after a broken one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from endophora.context.context_read import Likelihood, fitted, pack_context, unpack_context
from endophora.models.chunks import Chunk, ChunkTranslator, Reply
from endophora.models.loading import check_finite
from endophora.models.records import Decoding, Fit, ModelInput, ScoredTarget, Scorer, Translation, Translator
from endophora.models.services.records import Joined, Markers
from endophora.models.sharing import Call, each_call
from endophora.signature import Keys, StoreKey, keyed
from endophora.store import Store

TRANSLATED, SCORED, CHUNKS = 64, 512, 16
"""Inputs, and chunks of them, that a model or each of its workers is given at once: what a broken run may lose.

Who computes has no part in what is asked for together, so that it has none in the rounding of figures either.
"""


@keyed()
@dataclass(frozen=True, slots=True)
class _Translations:
    """What translations depend on besides their input."""

    model: Translator
    decoding: Decoding


@keyed()
@dataclass(frozen=True, slots=True)
class _Chunks:
    """What translations of chunks depend on besides the chunk."""

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

        def encode(done: Sequence[Translation]) -> list[bytes]:
            check_finite((one.logprob for one in done), model.signature)
            return [_encoded([one.text, one.logprob, one.warning, pack_context(one.context)]) for one in done]

        found: list[Translation] = []
        for value in self._answers(keys, _Asked(model, "translate", TRANSLATED, (inputs,), (decoding,)), encode):
            text, logprob, warning, context = json.loads(value)
            found.append(Translation(text, logprob, warning, unpack_context(context)))
        return found

    def translate_chunks(self, model: ChunkTranslator, chunks: Sequence[Chunk], decoding: Decoding) -> list[Reply]:
        """Return the reply to each chunk; equal chunks are asked for once."""
        keys = list(map(Keys(_Chunks(cast("Translator", model), decoding)), chunks))
        asked = _Asked(model, "translate_chunks", CHUNKS, (chunks,), (decoding,))
        found = self._answers(keys, asked, lambda done: [_encoded(_packed_reply(one)) for one in done])
        return [_unpacked_reply(json.loads(value)) for value in found]

    def likelihoods(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[Likelihood]:
        """Return how probable each whole target is given its input; equal pairs are scored once."""

        def encode(done: Sequence[ScoredTarget]) -> list[bytes]:
            return [_encoded([one.total, len(one.logprobs), pack_context(one.context)]) for one in _finite(model, done)]

        keys = _pair_keys(_Likelihoods(model), inputs, targets)
        found = self._answers(keys, _Asked(model, "score", SCORED, (inputs, targets)), encode)
        return [Likelihood(total, tokens, unpack_context(context)) for total, tokens, context in map(json.loads, found)]

    def score(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return how probable each token of each target is given its input; equal pairs are scored once."""

        def encode(done: Sequence[ScoredTarget]) -> list[bytes]:
            return list(map(encode_scores, _finite(model, done)))

        keys = _pair_keys(_Scores(model), inputs, targets)
        found = self._answers(keys, _Asked(model, "score", SCORED, (inputs, targets)), encode, "scores of models")
        return [decode_scores(target, value) for target, value in zip(targets, found, strict=True)]

    def _answers(
        self,
        keys: Sequence[StoreKey],
        asked: _Asked,
        encode: Callable[[Sequence[Any]], list[bytes]],
        kind: str = "answers of models",
    ) -> list[bytes]:
        """Return the answer of each key, from the store or from the model, and keep each batch as it comes."""
        known = self._store.get_many(keys)
        first = {key: index for index, key in reversed(list(enumerate(keys)))}
        missing = sorted(index for key, index in first.items() if key not in known)
        if self._progress is not None:
            self._progress(len(keys) - len(missing))
        batches = asked.batches(missing)
        for number, done in each_call(asked.model, asked.method, list(map(asked.call, batches))):
            new = {keys[index]: value for index, value in zip(batches[number], encode(done), strict=True)}
            self._store.put_many(new, kind)
            known |= new
            if self._progress is not None:
                self._progress(len(new))
        return [known[key] for key in keys]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A method of a model, what it is given of each input, in batches of how many, and what besides."""

    model: object
    method: str
    batch: int
    each: tuple[Sequence[Any], ...]
    rest: tuple[Any, ...] = ()

    @property
    def size(self) -> int:
        """Inputs of a batch."""
        return getattr(self.model, "shard", 0) or self.batch

    def batches(self, numbers: Sequence[int]) -> list[Sequence[int]]:
        """Return numbers of inputs as they are asked for together."""
        return [numbers[start : start + self.size] for start in range(0, len(numbers), self.size)]

    def call(self, chosen: Sequence[int]) -> Call:
        """Return what the method is given for some inputs."""
        return (*([one[index] for index in chosen] for one in self.each), *self.rest)


def scored_by(model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
    """Return the scores of targets by a model, or by its workers, and keep none."""
    asked = _Asked(model, "score", SCORED, (inputs, targets))
    found = dict(each_call(model, "score", [asked.call(batch) for batch in asked.batches(range(len(inputs)))]))
    return [one for _, done in sorted(found.items()) for one in done]


class KeptTranslator:
    """A translator whose answers are kept as they come: what a broken run had done is not done again."""

    def __init__(self, translator: Translator, store: Store) -> None:
        self._translator, self._answers = translator, KeptAnswers(store)
        self.signature = translator.signature
        self.uses_target_context = bool(getattr(translator, "uses_target_context", True))
        self.takes_chunks = isinstance(translator, ChunkTranslator) and getattr(translator, "takes_chunks", True)

    def fit(
        self, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
    ) -> list[Fit]:
        """Tell how much of each input's context the model would read."""
        return fitted(self._translator, inputs, targets, decoding)

    def translate_chunks(self, chunks: Sequence[Chunk], decoding: Decoding | None = None) -> list[Reply]:
        """Translate each chunk, or take the reply from the store."""
        asked = cast("ChunkTranslator", self._translator)
        return self._answers.translate_chunks(asked, chunks, decoding or Decoding())

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        """Translate each input; one translation for each, in their order."""
        return self._answers.translate(self._translator, inputs, decoding or Decoding())


def _pair_keys(setup: object, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[StoreKey]:
    key = Keys(setup)
    return [key(given, target) for given, target in zip(inputs, targets, strict=True)]


def _finite(model: Scorer, done: Sequence[ScoredTarget]) -> Sequence[ScoredTarget]:
    check_finite((one.total for one in done), model.signature)
    return done


def _encoded(values: object) -> bytes:
    return json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _packed_reply(reply: Reply) -> object:
    joined = reply.joined
    marked = joined and [joined.text, joined.filled, joined.markers.model_dump(), joined.salt]
    return [reply.text, marked, reply.cut_off, reply.sent, reply.note]


def _unpacked_reply(packed: Sequence[Any]) -> Reply:
    text, marked, *rest = packed
    if marked is not None:
        sent, filled, markers, salt = marked
        marked = Joined(sent, tuple(filled), Markers(**markers), salt)
    return Reply(text, marked, *rest)


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
