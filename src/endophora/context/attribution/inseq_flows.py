"""Attributions that inseq made as flows: which of a file's tokens are which sentence of an example."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from pathlib import Path
from urllib.parse import quote

import numpy as np

from endophora.context.attribution.attributor import Attributor
from endophora.context.attribution.flows import EncodedExample, Floats, Flow, Part, Piece, Span, ordered
from endophora.context.attribution.inseq_files import InseqFile, InseqSequence, read_inseq, sequence_of, write_inseq
from endophora.corpus.writing import make_folder
from endophora.models.records import ContextSentence, ModelInput

SPECIAL = re.compile(r"▁?(<[^<>]+>|>>\w+<<|\[[A-Z]+\]|__\w+__|[a-z]{2,3}_[A-Z]\w+)")
"""A token taken for no text: ends, separators, names of languages as NLLB, mBART, M2M100 and OPUS write them."""


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
        is not taken for it. A sequence that lacks a sentence, or has one that is not the input's, is not of it.
        ``others`` is not known of a file.
        """
        known = [(_Written.of(one), one) for one in self.file.sequences]
        # What ends alike stands together.
        endings = sorted(
            (written.target.signs[: written.target.last][::-1], at) for at, (written, _) in enumerate(known)
        )
        for number, (given, target) in enumerate(zip(inputs, targets, strict=True)):
            word, goal = None if wanted is None else wanted[number], "".join(target.split())[::-1]
            alike = islice(endings, bisect_left(endings, (goal, 0)), None)
            places = [at for _, at in takewhile(lambda one, goal=goal: one[0].startswith(goal), alike)]
            flows = (_flow(*known[at], given, target) for at in sorted(places))
            found = [flow for flow in flows if flow is not None and (word is None or _has(flow, *word))]
            if found:
                yield number, max(found, key=_worth)


def _worth(flow: Flow) -> tuple[int, int]:
    """Return how much a flow has: a sentence may occur in many documents, and a word alone or with its sentence."""
    return len({(one.part, one.sentence) for one in flow.columns}), len(flow.rows)


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
    """The signs of tokens without blanks, and where each token begins and ends in them.

    ``breaks`` are the places of blanks and of the edges of special tokens, whose numbers are ``special``.
    """

    signs: str
    spans: tuple[tuple[int, int], ...]
    breaks: frozenset[int]
    special: frozenset[int]

    @classmethod
    def of(cls, tokens: Iterable[str]) -> _Text:
        """Return the text of tokens of sentencepiece, or of bytes as GPT-2 writes them."""
        written = list(tokens)
        special = frozenset(number for number, one in enumerate(written) if SPECIAL.fullmatch(one))
        # Letters of Maltese and Czech are marks of bytes elsewhere.
        bytewise = any(set("ĠĊ") & set(one) for one in written) and not any(one.startswith("▁") for one in written)
        return cls._joined(cls._of_bytes(written) if bytewise else [one.replace("▁", " ") for one in written], special)

    @property
    def last(self) -> int:
        """Where the text ends, special tokens aside."""
        return max((end for number, (_, end) in enumerate(self.spans) if number not in self.special), default=0)

    def parted(self, start: int, end: int) -> bool:
        """Return whether what is between two places is whole words."""
        edges = (place for place in (start, end) if place not in self.breaks and 0 < place < len(self.signs))
        return not any(self.signs[place - 1].isalnum() and self.signs[place].isalnum() for place in edges)

    def left(self, places: Sequence[tuple[int, int, _Sentence]], first: int, last: int) -> str:
        """Return what is between two places and in no sentence, special tokens aside."""
        within = {place for begin, end, _ in places for place in range(begin, end)}
        within |= {place for number in self.special for place in range(*self.spans[number])}
        return "".join(self.signs[place] for place in range(first, last) if place not in within)

    @classmethod
    def _of_bytes(cls, written: Sequence[str]) -> list[str]:
        table = _bytes_of_signs()
        raw = [bytes(table[sign] for sign in one) if all(s in table for s in one) else one.encode() for one in written]
        # A sign may be in several tokens: it belongs to the one in which it begins.
        whole, shares = b"".join(raw).decode("utf-8", "surrogateescape"), [""] * len(raw)
        ends = np.cumsum([len(one) for one in raw])
        place = 0
        for sign in whole:
            shares[int(np.searchsorted(ends, place, "right"))] += sign
            place += len(sign.encode("utf-8", "surrogateescape"))
        return shares

    @classmethod
    def _joined(cls, parts: Sequence[str], special: frozenset[int]) -> _Text:
        signs, spans, breaks = list[str](), list[tuple[int, int]](), set[int]()
        for number, part in enumerate(parts):
            begin = len(signs)
            for sign in part:
                if sign.isspace():
                    breaks.add(len(signs))
                else:
                    signs.append(sign)
            spans.append((begin, len(signs)))
            breaks |= set(spans[-1]) if number in special else set()
        return cls("".join(signs), tuple(spans), frozenset(breaks), special)


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
    """Return the flow of a sequence, if it is of this target and source, and of all of the context and no other."""
    text, goal = written.target, _Sentence.of(target, Part.TARGET_PREFIX, 0)
    at = text.last - len(goal.signs)
    if at < 0 or not goal.signs or text.signs[at : text.last] != goal.signs or not text.parted(at, text.last):
        return None
    places = [(at, text.last, goal)]
    before = list(_numbered(given.source_context, Part.SOURCE_CONTEXT))
    earlier = list(_numbered(given.target_context, Part.TARGET_CONTEXT))
    source = _Sentence.of(given.source, Part.SOURCE, 0)
    if written.source is None:
        # What a prompt has around the segments is known to be no segment only if all segments are found.
        prompt = max((end for _, end in text.spans[: len(sequence.source)]), default=0)
        lacking = [*_look(text, [*before, source], at, places), *_look(text, earlier, at, places)]
        if lacking or _letters(text.left(places, min(prompt, at), at)):
            return None
        first, around = list[Piece](), Part.PROMPT
    else:
        read, of_source = written.source, list[tuple[int, int, _Sentence]]()
        lacking = _look(read, [*before, source], len(read.signs), of_source)
        # A model with an encoder for the target's context reads it there.
        beyond = _look(read, _look(text, earlier, at, places), len(read.signs), of_source)
        left = read.left(of_source, 0, len(read.signs)) + text.left(places, 0, at)
        if source in lacking or _letters(left) or _partly(before, lacking, left) or _partly(earlier, beyond, left):
            return None
        first, around = _pieces(read, of_source, Part.SOURCE), Part.TARGET_PREFIX
    pieces = _pieces(text, places, around)
    begin = max(sequence.start, next(number for number, one in enumerate(pieces) if _current(one)))
    if begin >= sequence.end:
        return None
    return ordered(pieces[begin : sequence.end], [*first, *pieces], _matrix(sequence)[begin - sequence.start :])


def _current(piece: Piece) -> bool:
    return piece.part is Part.TARGET_PREFIX and piece.sentence == 0


def _letters(text: str) -> bool:
    return any(sign.isalnum() for sign in text)


def _partly(context: Sequence[_Sentence], lacking: Sequence[_Sentence], left: str) -> bool:
    """Return whether a side of the context is there in part; a model may read none of it, and then nothing is left."""
    return bool(lacking) and (bool(left) or len(lacking) < sum(bool(one.signs) for one in context))


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


def _look(
    text: _Text, sentences: Sequence[_Sentence], limit: int, found: list[tuple[int, int, _Sentence]]
) -> list[_Sentence]:
    """Find sentences before a place, the last first, and none over another that was found; return those not found."""
    lacking: list[_Sentence] = []
    for sentence in reversed([one for one in sentences if one.signs]):
        size = len(sentence.signs)
        at = text.signs.rfind(sentence.signs, 0, limit)
        while at >= 0 and not _free(text, at, at + size, found):
            at = text.signs.rfind(sentence.signs, 0, at + size - 1)
        if at >= 0:
            found.append((at, at + size, sentence))
            limit = at
        else:
            lacking.append(sentence)
    return lacking[::-1]


def _free(text: _Text, start: int, end: int, found: Sequence[tuple[int, int, _Sentence]]) -> bool:
    return text.parted(start, end) and not any(start < stop and begin < end for begin, stop, _ in found)


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
