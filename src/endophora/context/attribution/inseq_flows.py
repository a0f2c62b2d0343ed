"""Attributions that inseq made as flows: which of a file's tokens are which sentence of an example."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import numpy as np

from endophora.context.attribution.attributor import Attributor
from endophora.context.attribution.flows import EncodedExample, Floats, Flow, Part, Piece, Span, ordered
from endophora.context.attribution.inseq_files import InseqFile, InseqSequence, read_inseq, sequence_of, write_inseq
from endophora.corpus.writing import make_folder
from endophora.models.records import ContextSentence, ModelInput

BLANKS = {"▁": " ", "Ġ": " ", "Ċ": "\n", "ĉ": "\t", "č": "\r"}


@dataclass(frozen=True, slots=True)
class Told:
    """What a file says of its method."""

    signature: str


@dataclass(frozen=True)
class InseqAttributor:
    """Gives the flows that a file has, to examples whose sentences it has; ``--model NAME=inseq:FILE``."""

    file: InseqFile
    unread: frozenset[Part] = frozenset()

    @classmethod
    def read(cls, path: str | Path) -> InseqAttributor:
        """Read a file (E001, E003, E004, E268)."""
        return cls(read_inseq(path))

    @property
    def method(self) -> Told:
        """The method, as inseq names it."""
        return Told(f"inseq:{self.file.info.get('attribution_method') or 'unknown'} |size|")

    def flows(
        self,
        inputs: Sequence[ModelInput],
        targets: Sequence[str],
        others: Sequence[str] | None = None,  # noqa: ARG002
        wanted: Sequence[tuple[int, int] | None] | None = None,
    ) -> Iterator[tuple[int, Flow]]:
        """Yield the number of each input that the file has, and its flow; a sequence may be of several words.

        A sentence is looked for as it is written, blanks aside, from the target backwards: what an instruction repeats
        is not taken for it. ``others`` is not known of a file.
        """
        known = [(_Written.of(one), one) for one in self.file.sequences]
        for number, (given, target) in enumerate(zip(inputs, targets, strict=True)):
            word = None if wanted is None else wanted[number]
            found = [
                flow
                for written, sequence in known
                if (flow := _flow(written, sequence, given, target)) and (word is None or _has(flow, *word))
            ]
            if found:
                # A sentence may occur in many documents: that with most of its context is the right one.
                yield number, max(found, key=lambda flow: len({(one.part, one.sentence) for one in flow.columns}))


def _has(flow: Flow, start: int, end: int) -> bool:
    """Return whether a flow has rows of a stretch, from its first sign to its last."""
    rows = [piece for piece in flow.rows if Span(Part.TARGET_PREFIX, 0, start, end).covers(piece)]
    return bool(rows) and rows[0].start <= start and rows[-1].end >= end


FOLDER = "inseq"
"""The folder of the files that are written, in that of the result."""


class Sequences:
    """The sequences of a model's words, collected while they are attributed; ``attributor`` collects them."""

    def __init__(self, name: str, attributor: Attributor) -> None:
        self.name = name
        self._found: dict[int, InseqSequence] = {}
        self.attributor = replace(attributor, taken=self._take)

    def _take(self, number: int, example: EncodedExample, matrix: Floats) -> None:
        self._found[number] = sequence_of(example, matrix)

    @property
    def file(self) -> InseqFile:
        """All sequences, in the order of the words."""
        method, model = self.attributor.method.signature, str(getattr(self.attributor.model.config, "name_or_path", ""))
        sequences = tuple(self._found[number] for number in sorted(self._found))
        return InseqFile(sequences, {"attribution_method": method.partition(" ")[0], "model_name": model})


def write_sequences(models: Iterable[Sequences], folder: Path) -> None:
    """Write a file a model into ``inseq/`` of a directory (E026)."""
    make_folder(folder / FOLDER, "the files of inseq")
    for one in models:
        write_inseq(one.file, folder / FOLDER / f"{quote(one.name, safe=' ')}.json")


@dataclass(frozen=True, slots=True)
class _Text:
    """The signs of tokens without blanks, and where each token begins and ends in them."""

    signs: str
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, tokens: Iterable[str]) -> _Text:
        """Return the text of tokens of sentencepiece, or of bytes as GPT-2 writes them."""
        written = list(tokens)
        if any(mark in one for one in written for mark in "ĠĊ"):
            return cls._of_bytes(written)
        return cls._joined([_plain(one) for one in written])

    @classmethod
    def _of_bytes(cls, written: Sequence[str]) -> _Text:
        table = _bytes_of_signs()
        raw = [bytes(table[sign] for sign in one) if all(s in table for s in one) else one.encode() for one in written]
        # A sign may be in several tokens: it belongs to the one in which it begins.
        whole, shares = b"".join(raw).decode("utf-8", "surrogateescape"), [""] * len(raw)
        ends = np.cumsum([len(one) for one in raw])
        place = 0
        for sign in whole:
            shares[int(np.searchsorted(ends, place, "right"))] += sign
            place += len(sign.encode("utf-8", "surrogateescape"))
        return cls._joined(shares)

    @classmethod
    def _joined(cls, parts: Sequence[str]) -> _Text:
        signs, spans = "", list[tuple[int, int]]()
        for part in parts:
            shown = "".join(part.split())
            spans.append((len(signs), len(signs) + len(shown)))
            signs += shown
        return cls(signs, tuple(spans))


def _plain(token: str) -> str:
    return "".join(BLANKS.get(sign, sign) for sign in token)


def _bytes_of_signs() -> dict[str, int]:
    """Return the byte that each sign of a byte-level vocabulary stands for (Radford et al. 2019)."""
    shown = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + place): byte for place, byte in enumerate(hidden)}


@dataclass(frozen=True, slots=True)
class _Written:
    """The texts of a sequence; that of a language model's source is the beginning of its target."""

    source: _Text | None
    target: _Text

    @classmethod
    def of(cls, one: InseqSequence) -> _Written:
        """Return the texts of a sequence."""
        source = None if one.source_scores is None else _Text.of(token.text for token in one.source)
        return cls(source, _Text.of(token.text for token in one.target))


def _flow(written: _Written, sequence: InseqSequence, given: ModelInput, target: str) -> Flow | None:
    """Return the flow of a sequence, if it is of this target and source."""
    goal = "".join(target.split())
    at = written.target.signs.rfind(goal)
    if at < 0 or not goal:
        return None
    places = [(at, at + len(goal), _Sentence.of(target, Part.TARGET_PREFIX, 0))]
    sources = [*_numbered(given.source_context, Part.SOURCE_CONTEXT), _Sentence.of(given.source, Part.SOURCE, 0)]
    of_source, limit = (places, at) if written.source is None else ([], len(written.source.signs))
    _look(written.source or written.target, sources, limit, of_source)
    if not any(sentence.part is Part.SOURCE for _, _, sentence in of_source):
        return None
    earlier = list(_numbered(given.target_context, Part.TARGET_CONTEXT))
    _look(written.target, earlier, at, places)
    if written.source is not None:
        # A model with an encoder for it reads it there.
        there = {(sentence.part, sentence.number) for _, _, sentence in places}
        left = [sentence for sentence in earlier if (sentence.part, sentence.number) not in there]
        _look(written.source, left, limit, of_source)
    around = Part.PROMPT if written.source is None else Part.TARGET_PREFIX
    pieces = _pieces(written.target, places, around)
    first = [] if written.source is None else _pieces(written.source, of_source, Part.SOURCE)
    rows = [replace(one, part=Part.TARGET_PREFIX) for one in pieces[sequence.start : sequence.end]]
    return ordered(rows, [*first, *pieces], _matrix(sequence))


def _matrix(one: InseqSequence) -> Floats:
    """Return sizes, (R, C), in rows that sum to 1; where there is none at all, alike."""
    empty = np.zeros((len(one.target), one.end - one.start))
    parts = [part for part in (one.source_scores, empty if one.target_scores is None else one.target_scores)
             if part is not None]  # fmt: skip
    sizes = np.abs(np.nan_to_num(np.concatenate(parts)).T)
    total = sizes.sum(-1, keepdims=True)
    return np.where(total > 0, sizes / np.where(total > 0, total, 1), 1 / sizes.shape[1])


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence without blanks: its signs, and the place of each in it."""

    part: Part
    number: int
    text: str
    signs: str
    places: tuple[int, ...]

    @classmethod
    def of(cls, text: str, part: Part, number: int) -> _Sentence:
        """Return a sentence with its part and number."""
        places = tuple(place for place, sign in enumerate(text) if not sign.isspace())
        return cls(part, number, text, "".join(text[place] for place in places), places)


def _numbered(context: Sequence[ContextSentence], part: Part) -> Iterator[_Sentence]:
    for number, text in enumerate(context):
        if isinstance(text, str):
            yield _Sentence.of(text, part, number)


def _look(text: _Text, sentences: list[_Sentence], limit: int, found: list[tuple[int, int, _Sentence]]) -> None:
    """Find sentences before a place, the last first, and none over another that was found."""
    for sentence in reversed(sentences):
        at = text.signs.rfind(sentence.signs, 0, limit) if sentence.signs else -1
        while at >= 0 and any(at < end and begin < at + len(sentence.signs) for begin, end, _ in found):
            at = text.signs.rfind(sentence.signs, 0, at + len(sentence.signs) - 1)
        if at >= 0:
            found.append((at, at + len(sentence.signs), sentence))
            limit = at


def _pieces(text: _Text, places: Sequence[tuple[int, int, _Sentence]], around: Part) -> list[Piece]:
    made: list[Piece] = []
    for start, end in text.spans:
        for begin, stop, sentence in places:
            if start < stop and begin < max(end, start + 1):
                first, last = max(start, begin) - begin, min(end, stop) - begin - 1
                beginning = sentence.places[first]
                ending = sentence.places[last] + 1 if end > start else beginning
                made.append(Piece(sentence.text[beginning:ending], sentence.part, sentence.number, beginning, ending))
                break
        else:
            # A separator belongs to the sentence before it; what is around the segments of a prompt to none.
            part = made[-1].part if made and around is not Part.PROMPT else around
            made.append(Piece(text.signs[start:end] if around is Part.PROMPT else "", part))
    return made
