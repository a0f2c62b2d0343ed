"""How much context models have room for and read, counted over segments; and their answers, kept.

Nothing is scored or translated twice, neither in a run nor after a broken one.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from typing import Any, Literal, cast

import numpy as np
from pydantic import Field

from endophora.corpus.records import Location
from endophora.errors import Fault, InputError
from endophora.models.chunks import Chunk, ChunkTranslator, Reply
from endophora.models.layout import TOO_LONG
from endophora.models.loading import check_finite
from endophora.models.records import (
    ContextRead,
    Decoding,
    Fit,
    Fitter,
    ModelInput,
    ScoredTarget,
    Scorer,
    SideRead,
    Sides,
    Translation,
    Translator,
    read_whole,
)
from endophora.models.services.records import Joined, Markers
from endophora.models.sharing import Call, each_call
from endophora.record import Record
from endophora.signature import Keys, StoreKey, keyed
from endophora.store import Store

CONTEXTS = ("source", "target", "both")
"""The sides on which there may be context, by name."""


def read_sides(name: str) -> Sides:
    """Return on which sides context is given; of another name E326."""
    if name not in CONTEXTS:
        raise InputError(Fault("E326", f"“{name}” is none of them", "choose source, target or both", "--sides"))
    return Sides(name)


def read_each_side(names: Iterable[str]) -> tuple[Sides, ...]:
    """Return each of several sides; of another name E326."""
    return tuple(map(read_sides, names))


SKIP = "--skip-faults"
"""The option that leaves out what is too long."""


def fitted(
    model: object, inputs: Sequence[ModelInput], targets: Sequence[str] | None = None, decoding: Decoding | None = None
) -> list[Fit]:
    """Return what a model would make of each input; of a model that does not report it, nothing is known beforehand."""
    return model.fit(inputs, targets, decoding) if isinstance(model, Fitter) else [Fit()] * len(inputs)


def trimmed(given: ModelInput, context: ContextRead | None) -> ModelInput:
    """Return an input with no more context than is read of it: the last sentences of each side."""
    return given if context is None else given.filled(context.source.kept, context.target.kept)


def too_long(
    model: object, sources: Sequence[str], targets: Sequence[str] | None = None, decoding: Decoding | None = None
) -> dict[int, str]:
    """Return the places of segments that a model cannot take even without context, and why."""
    found = fitted(model, [ModelInput(source) for source in sources], targets, decoding)
    return {place: one.excess for place, one in enumerate(found) if one.excess}


class Leaving:
    """A translator that leaves some sources blank."""

    def __init__(self, translator: Translator, sources: Container[str]) -> None:
        self._translator, self._sources = translator, sources

    @property
    def signature(self) -> str:
        """That of the model."""
        return self._translator.signature

    @property
    def uses_target_context(self) -> bool:
        """Whether previous translations change what it says."""
        return bool(getattr(self._translator, "uses_target_context", True))

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        """Translate each input; one that is left out has a blank translation."""
        asked = [one for one in inputs if one.source not in self._sources]
        made = iter(self._translator.translate(asked, decoding or Decoding()))
        blank = Translation("", context=ContextRead())
        return [blank if one.source in self._sources else next(made) for one in inputs]


def skip_long(found: Mapping[int, str], locations: Sequence[Location], skip: bool) -> list[str]:
    """Return a warning for each segment that is too long and left out; E281 if it may not be, or nothing is left."""
    places = [(locations[place], cause) for place, cause in sorted(found.items())]
    if found and (not skip or len(found) == len(locations)):
        advice = TOO_LONG if skip else f"{TOO_LONG}, or leave it out with {SKIP}"
        raise InputError(Fault("E281", cause, advice, at.file, at.line or None) for at, cause in places)
    return [f"{at.file}{f':{at.line}' if at.line else ''} is left out: {cause}" for at, cause in places]


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How probable a model finds a target: the log-probability of the whole, its end included, and its tokens."""

    total: float
    tokens: int
    context: ContextRead | None = None


class ContextCounts(Record):
    """Segments by what happened to their context, and sentences and tokens of it on each side."""

    segments: int = Field(description="all of them")
    given: int = Field(description="segments that were given any context")
    whole: int = Field(description="of these: all of it was read")
    cut: int = Field(description="of these: a part of it was read, the rest was cut off or left out")
    lost: int = Field(description="of these: nothing of it was read")
    assumed: int = Field(description="of these: the model does not tell, and all counts as read")
    source_given: int = Field(description="sentences of source context")
    source_kept: int
    target_given: int = Field(description="sentences of target context")
    target_kept: int
    source_tokens_given: int | None = Field(description="of these sentences; null where a model does not tell")
    source_tokens_kept: int | None
    target_tokens_given: int | None
    target_tokens_kept: int | None

    @property
    def kept(self) -> int:
        """Segments that were read with any context."""
        return self.whole + self.cut


def count_context(reads: Iterable[ContextRead]) -> ContextCounts:
    """Count what happened to the context of some segments."""
    found = list(reads)
    states = [one.state for one in found]
    counts: dict[str, int | None] = {state: states.count(state) for state in ("whole", "cut", "lost")}
    for side, sides in (("source", [one.source for one in found]), ("target", [one.target for one in found])):
        counts[f"{side}_given"] = sum(one.given for one in sides)
        counts[f"{side}_kept"] = sum(one.kept for one in sides)
        counts[f"{side}_tokens_given"] = _sum(one.given_tokens for one in sides)
        counts[f"{side}_tokens_kept"] = _sum(one.kept_tokens for one in sides)
    given = len(found) - states.count("none")
    return ContextCounts.model_validate(
        {"segments": len(found), "given": given, "assumed": sum(one.assumed for one in found), **counts}
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = list(numbers)
    return None if None in known else sum(one or 0 for one in known)


def cut_warnings(name: str, counts: ContextCounts) -> list[str]:
    """Return a warning if context was cut off or left out; nothing if all was read."""
    if counts.whole == counts.given:
        return []
    return [
        f"{name}: of {counts.given:,} segments that were given context, {counts.cut:,} were read with a part of it and "
        f"{counts.lost:,} with none"
    ]


def untold_warnings(name: str, counts: Iterable[ContextCounts]) -> list[str]:
    """Return a warning if a model does not report how much of its context it reads."""
    if not any(one.assumed for one in counts):
        return []
    return [f"{name} does not tell how much of its context it reads: all of it counts as read"]


def context_of(answer: Translation | ScoredTarget | Likelihood, given: ModelInput) -> ContextRead:
    """Return how much context an answer had; of a model that does not report it, all that it was given."""
    return read_whole(given) if answer.context is None else answer.context


def pack_context(context: ContextRead | None) -> object:
    """Return how much context an answer had as JSON can hold it."""
    return None if context is None or context.assumed else [astuple(context.source), astuple(context.target)]


def unpack_context(packed: Sequence[Sequence[Any]] | None) -> ContextRead | None:
    """Return what :func:`pack_context` was given, from JSON."""
    return None if packed is None else ContextRead(SideRead(*packed[0]), SideRead(*packed[1]))


TRANSLATED, SCORED, CHUNKS = 64, 512, 16
"""Inputs, and chunks of them, that a model or each of its workers is given at once: what a broken run may lose.

Who computes has no part in what is asked for together, so that it has none in the rounding of figures either.
"""


@keyed()
@dataclass(frozen=True, slots=True)
class _Answers:
    """What answers depend on besides what is asked; likelihoods are scores of which the sum alone is kept."""

    model: object
    kind: Literal["translation", "chunk", "likelihood", "scores"]
    decoding: Decoding | None = None


class KeptAnswers:
    """Asks a model, and remembers what it said; answers are on disk as soon as a batch is done."""

    def __init__(self, store: Store, progress: Callable[[int], None] | None = None) -> None:
        self._store = store
        self._progress = progress

    def translate(self, model: Translator, inputs: Sequence[ModelInput], decoding: Decoding) -> list[Translation]:
        """Return the translation of each input; equal inputs are translated once."""
        keys = list(map(Keys(_Answers(model, "translation", decoding)), inputs))

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
        keys = list(map(Keys(_Answers(model, "chunk", decoding)), chunks))
        asked = _Asked(model, "translate_chunks", CHUNKS, (chunks,), (decoding,))
        found = self._answers(keys, asked, lambda done: [_encoded(_packed_reply(one)) for one in done])
        return [_unpacked_reply(json.loads(value)) for value in found]

    def likelihoods(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[Likelihood]:
        """Return how probable each whole target is given its input; equal pairs are scored once."""

        def encode(done: Sequence[ScoredTarget]) -> list[bytes]:
            return [_encoded([one.total, len(one.logprobs), pack_context(one.context)]) for one in _finite(model, done)]

        keys = _pair_keys(_Answers(model, "likelihood"), inputs, targets)
        found = self._answers(keys, _Asked(model, "score", SCORED, (inputs, targets)), encode)
        return [Likelihood(total, tokens, unpack_context(context)) for total, tokens, context in map(json.loads, found)]

    def score(self, model: Scorer, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        """Return how probable each token of each target is given its input; equal pairs are scored once."""

        def encode(done: Sequence[ScoredTarget]) -> list[bytes]:
            return list(map(encode_scores, _finite(model, done)))

        keys = _pair_keys(_Answers(model, "scores"), inputs, targets)
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

    def __init__(self, translator: Translator, answers: KeptAnswers) -> None:
        self._translator, self._answers = translator, answers
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
