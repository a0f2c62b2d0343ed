"""Whole documents, or many segments of one, in one request; every segment gets its own text again, or is named as lost.

A request is one chunk. What the answer's markers vouch for is taken; what they do not is asked for again in smaller
chunks, with what is known already as context, and at last cut out of the answer by its words (:mod:`endophora.align`).
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from endophora.align.resegment import Resegmenter
from endophora.corpus.scripts import in_one_line, unspaced
from endophora.models.chunks import Chunk, ChunkTranslator, ReadReply, Reply, read_reply
from endophora.models.records import Decoding, Fitter, ModelInput, Sides, Translation, Translator
from endophora.models.sequence_model import CUT
from endophora.options import option
from endophora.signature import digest_of, keyed, write_signature


@keyed()
@dataclass(frozen=True, slots=True, kw_only=True)
class WholeOptions:
    """How many segments go into a request, and what is done about segments that do not come back.

    Without ``markers`` the answer is cut by its words. Each retry is in chunks of half the size.
    """

    document: bool = option(False, help="Translate each document in one request, cut into its segments again.")
    chunk: int = option(0, metavar="N", least=0, help="Translate N segments in a request. [default: one]")
    markers: bool = option(True, "--no-markers", help="Of --document: no markers between segments.", inverted=True)
    retries: int | None = option(
        None, least=0, help="Of --document: times that what is lost is asked for again, smaller. [default: 3]"
    )

    @property
    def tries(self) -> int:
        """How often what an answer lacks is asked for again."""
        return 3 if self.retries is None else self.retries

    @property
    def used(self) -> bool:
        """Whether several segments go into a request at all."""
        return self.document or self.chunk > 0


By: TypeAlias = Literal["marker", "words", "alone", "lost", "blank"]
"""How the text of a segment was found: by its marker, by its words, as the whole answer to a request of its own; or it
was not. A blank segment is not sent."""


@dataclass(slots=True)
class WholeReport:
    """What happened to the segments of a run.

    Attributes:
        found: way → segments.
        lost: document and segment, from 1, of those that have no translation.
        again: document and segment of those that were asked for more than once.
        doubted: segments behind the right marker whose words say that the text is another's; asked for again.
        preambles, behind: answers with text before the first segment, or behind the last one, that was left out.
        folded: document and segment of those that came in several lines, which were made one.
        cut_off: answers that came to their greatest length, or chunks that were too long.
        truncated: document and segment of those whose own answer did, and is kept as it is.
        notes: what models said is wrong with their answers, with the number of these.
    """

    requests: int = 0
    found: Counter[By] = field(default_factory=Counter["By"])
    lost: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    again: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    doubted: int = 0
    preambles: int = 0
    behind: int = 0
    folded: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    cut_off: int = 0
    truncated: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    notes: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True)
class Whole:
    """Documents translated whole: the text of each segment, how each was found, and what there is to say.

    Attributes:
        signature: model, options, the hash of all that was sent, and of all that was kept.
    """

    texts: list[list[str]]
    by: list[list[By]]
    report: WholeReport
    signature: str


@dataclass(slots=True)
class _Task:
    """Places of a document's segments that are asked for together.

    Attributes:
        tries: answers that lacked them.
        again: whether they were asked for before at all, be it in a chunk that was too long.
    """

    places: Sequence[int]
    tries: int = 0
    again: bool = False


class _Document:
    """A document on its way: what is to be asked for, in order, and what is there."""

    def __init__(self, sources: Sequence[str], size: int) -> None:
        self.sources = [" ".join(source.split("\n")).strip() for source in sources]
        self.texts: list[str] = [""] * len(sources)
        self.by: list[By] = ["blank" if not source else "lost" for source in self.sources]
        filled = [place for place, source in enumerate(self.sources) if source]
        step = size or max(1, len(filled))
        self.tasks = deque(_Task(filled[at : at + step]) for at in range(0, len(filled), step))

    def chunk(self, task: _Task, size: int, sides: Sides, marked: bool) -> Chunk:
        """Return what is asked for: the segments of a task, with those before them and their translations so far."""
        first = task.places[0]
        before = [place for place in range(first) if self.sources[place]][-size:] if size else []
        source = tuple(self.sources[place] for place in before) if sides.source else ()
        target = tuple(filter(None, (self.texts[place] for place in before))) if sides.target else ()
        return Chunk(tuple(self.sources[place] for place in task.places), source, target, marked)


def translate_whole(
    translator: Translator,
    documents: Sequence[Sequence[str]],
    languages: tuple[str, str],
    options: WholeOptions,
    context: tuple[int, Sides] = (0, Sides.NONE),
    decoding: Decoding | None = None,
    progress: Callable[[int], None] | None = None,
) -> Whole:
    """Translate documents, each in as few requests as the options say; a text for each segment.

    Args:
        translator: a service or a language model with turns is sent markers; any other is given the segments as one
            text, and its answer is cut by its words.
        context: most segments before a chunk that are shown with their translations, and on which sides.
        progress: called with numbers of segments that are done.
    """
    able = isinstance(translator, ChunkTranslator) and getattr(translator, "takes_chunks", True)
    asker: Any = translator if able else _Joining(translator)
    size, sides = context
    run = _Run(Resegmenter(*languages), options)
    held = [_Document(sources, 0 if options.document else options.chunk) for sources in documents]
    sent = [list[Chunk]() for _ in held]
    decoding = decoding or Decoding()
    in_order = size > 0 and sides.target and bool(getattr(translator, "uses_target_context", True))
    while waiting := [number for number, one in enumerate(held) if one.tasks]:
        # A chunk waits for the translations before it, where these are its context.
        asked = [
            (number, held[number].tasks.popleft())
            for number in waiting
            for _ in range(1 if in_order else len(held[number].tasks))
        ]
        chunks = [held[number].chunk(task, size, sides, options.markers) for number, task in asked]
        replies = asker.translate_chunks(chunks, decoding)
        follow: dict[int, list[_Task]] = {}
        for (number, task), chunk, reply in zip(asked, chunks, replies, strict=True):
            sent[number].append(chunk)
            rest = run.place(number, held[number], task, chunk, reply)
            follow.setdefault(number, []).extend(rest)
            if progress is not None:
                progress(len(task.places) - sum(len(one.places) for one in rest))
        for number, rest in follow.items():
            held[number].tasks.extendleft(reversed(rest))
    return run.done(held, sent, f"{translator.signature}", context)


def planned_chunks(
    documents: Sequence[Sequence[str]], options: WholeOptions, context: tuple[int, Sides]
) -> list[list[Chunk]]:
    """Return what will be asked for, each with what it may be asked for again in; sources stand for translations."""
    plans: list[list[Chunk]] = []
    for sources in documents:
        held = _Document(sources, 0 if options.document else options.chunk)
        held.texts = held.sources
        for task in held.tasks:
            parts, plan = [task.places], list[Sequence[int]]()
            for _ in range(1 + options.tries):
                plan += parts
                parts = [half for part in parts if len(part) > 1 for half in _halves(part, len(part))]
            plans.append([held.chunk(_Task(part), *context, options.markers) for part in plan])
    return plans


class _Run:
    """Puts texts in their places, and counts what happens."""

    def __init__(self, tool: Resegmenter, options: WholeOptions) -> None:
        self._tool, self._options = tool, options
        self._report = WholeReport()

    def place(self, number: int, held: _Document, task: _Task, chunk: Chunk, reply: Reply) -> list[_Task]:
        """Take what an answer has, and return what is to be asked for again."""
        report, places = self._report, task.places
        report.requests += reply.sent
        report.cut_off += reply.short
        report.again.update((number, place) for place in places if task.again)
        report.truncated += [(number, places[0])] * (reply.short and len(places) == 1)
        if reply.note:
            report.notes[reply.note] += 1
        found = read_reply(chunk, reply)
        self._doubt(chunk, found)
        report.preambles += found.preamble
        report.behind += found.behind
        for at, text in found.texts.items():
            held.texts[places[at]], held.by[places[at]] = text, "marker"
        report.folded += [(number, places[at]) for at in found.folded if at in found.texts]
        again: list[_Task] = []
        for start, stop, text in found.left:
            run = places[start:stop]
            text = text if start else self._without_opening(text, chunk.sources)
            if len(places) == 1:
                held.texts[run[0]], held.by[run[0]] = in_one_line(text), "alone" if text.strip() else "lost"
            elif reply.short or (found.marked and task.tries < self._options.tries):
                # What was cut off is not there to be cut by its words; smaller chunks end in single segments.
                tries = task.tries + (not reply.short)
                again += [_Task(part, tries, reply.sent) for part in _halves(run, len(places))]
            else:
                again += self._cut(held, run, text)
        return again

    def _without_opening(self, text: str, sources: Sequence[str]) -> str:
        """Return an answer without a first line that ends with a colon, where no source has one: it introduces."""
        first, _, rest = text.lstrip().partition("\n")
        if not rest.strip() or first.rstrip()[-1:] not in _COLONS or any(map(_COLONS.intersection, sources)):
            return text
        self._report.preambles += 1
        return rest

    def _cut(self, held: _Document, run: Sequence[int], text: str) -> list[_Task]:
        """Cut the text of segments by its words; what gets none is asked for once more by itself."""
        cut = self._tool.cut([held.sources[place] for place in run], self._tool.read(text))
        spans = list(cut.spans)
        begin, end = next(iter(cut.additions), (0, 0))
        if end and not text[:begin].strip() and text[end:].lstrip(" ")[:1] == "\n" and text[end : spans[0][1]].strip():
            # What answers to nothing and stands on lines of its own before all else is no translation.
            self._report.preambles += 1
            spans[0] = end, spans[0][1]
        for place, (start, end) in zip(run, spans, strict=True):
            held.texts[place] = in_one_line(text[start:end])
            held.by[place] = "words" if held.texts[place] else "lost"
        lost = [place for place in run if held.by[place] == "lost"]
        return [_Task([place], again=True) for place in lost] if self._options.tries else []

    def _doubt(self, chunk: Chunk, found: ReadReply) -> None:
        """Take back texts that stand behind the right markers, while their words say that they are shifted."""
        places = sorted(found.texts)
        if len(places) < _FEWEST or not self._tool.has_priors:
            return
        texts = [found.texts[place] for place in places]
        joined = self._tool.read("\n".join(texts))
        cut = self._tool.cut([chunk.sources[place] for place in places], joined)
        at, doubted = 0, list[bool]()
        for text, (start, end) in zip(texts, cut.spans, strict=True):
            doubted.append(end <= at or start >= at + len(text) + 1)
            at += len(text) + 1
        # One alone may be a cut that went wrong; the text beside two may be partly theirs.
        pairs = [at for at, both in enumerate(pairwise(doubted)) if all(both)]
        beside = {at for pair in pairs for at in range(pair - 1, pair + 3)}
        for place in [places[at] for at in sorted(beside) if 0 <= at < len(places)]:
            self._report.doubted += 1
            found.left.append((place, place + 1, found.texts.pop(place)))
        found.left = _joined_runs(found.left)

    def done(
        self, held: Sequence[_Document], sent: Sequence[Sequence[Chunk]], model: str, context: tuple[int, Sides]
    ) -> Whole:
        """Return what was made, with its signature."""
        report, options = self._report, self._options
        texts, by = [one.texts for one in held], [one.by for one in held]
        for ways in by:
            report.found.update(ways)
        report.lost = [(number, at) for number, ways in enumerate(by) for at, way in enumerate(ways) if way == "lost"]
        items: list[tuple[str, object]] = [
            ("request", "document" if options.document else options.chunk),
            ("markers", options.markers),
            ("retries", options.tries),
            ("context", f"{context[0]}-{context[1].value}"),
            ("cut", digest_of(self._tool.signature)[:8]),
            ("sent", digest_of(sent)[:8]),
            ("kept", digest_of(texts)[:8]),
        ]
        return Whole(texts, by, report, f"{model}|{write_signature(items)}")


_COLONS = frozenset(":：")

_FEWEST = 3
"""Segments from which on words can tell that texts are shifted."""


def _halves(run: Sequence[int], whole: int) -> list[Sequence[int]]:
    """Return what is asked for again; where that is all of a chunk, in two halves."""
    middle = (len(run) + 1) // 2 if len(run) == whole else len(run)
    return [part for part in (run[:middle], run[middle:]) if part]


def _joined_runs(left: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return runs in order, neighbours as one."""
    found = list[tuple[int, int, str]]()
    for start, stop, text in sorted(left):
        if found and found[-1][1] == start:
            first, _, before = found.pop()
            start, text = first, f"{before}\n{text}"
        found.append((start, stop, text))
    return found


class _Joining:
    """A model that takes no markers: it is given the segments of a chunk as one source."""

    def __init__(self, translator: Translator) -> None:
        self._translator = translator

    def translate_chunks(self, chunks: Sequence[Chunk], decoding: Decoding | None = None) -> list[Reply]:
        """Translate each chunk; one that the model has no room for is not asked for (E281 for a single segment)."""
        inputs = [
            ModelInput("".join(one.sources) if unspaced(one.sources[0]) else " ".join(one.sources),
                       one.source_context, one.target_context)
            for one in chunks
        ]  # fmt: skip
        fits = [True] * len(chunks)
        if isinstance(self._translator, Fitter):
            found = self._translator.fit(inputs, None, decoding)
            pairs = zip(found, chunks, strict=True)
            fits = [not one.excess or len(chunk.sources) == 1 for one, chunk in pairs]
        asked = [one for one, fit in zip(inputs, fits, strict=True) if fit]
        made = iter(self._translator.translate(asked, decoding or Decoding()))
        return [_reply(next(made)) if fit else Reply("", sent=False) for fit in fits]


def _reply(made: Translation) -> Reply:
    note = "; ".join(part for part in made.warning.split("; ") if part and part != CUT)
    return Reply(made.text, cut_off=CUT in made.warning, note=note)


def report_lines(report: WholeReport, names: Sequence[str]) -> list[str]:
    """Return what a run has to say, one line a thing; ``names`` are the documents'."""
    ways: Mapping[By, str] = {
        "marker": "by marker", "words": "by realignment", "alone": "in a request of their own", "lost": "lost",
    }  # fmt: skip
    total = sum(report.found[way] for way in ways)
    counts = ", ".join(f"{report.found[way]:,} {said}" for way, said in ways.items())
    lines = [f"{total:,} segments in {report.requests:,} requests: {counts}"]

    def named(places: Sequence[tuple[int, int]]) -> str:
        shown = ", ".join(f"{names[number]}:{at + 1}" for number, at in places[:_SHOWN])
        return f"{shown}, …" if len(places) > _SHOWN else shown

    said: list[tuple[Any, str]] = [
        (len(report.lost), f"segments have no translation (document:segment): {named(report.lost)}"),
        (len(report.again), "segments were asked for again, in smaller chunks"),
        (report.doubted, "segments stood behind the right marker, but their words say that they are another's"),
        (report.cut_off, "chunks were too long: their answers were cut off, or they could not be sent"),
        (len(report.truncated), f"segments are cut off, asked for by themselves: {named(report.truncated)}"),
        (report.preambles, "answers began with text of no segment, which was left out"),
        (report.behind, "answers went on after the last segment, and the rest was left out"),
        (len(report.folded), f"segments came in several lines, which were joined: {named(report.folded)}"),
        *((count, f"answers: {note}") for note, count in report.notes.most_common()),
    ]
    return [*lines, *(f"{count:,} {text}" for count, text in said if count)]


_SHOWN = 20
"""Segments that are named on one line; rows of JSON say it of each."""
