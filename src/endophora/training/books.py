"""Books in two languages as a corpus of documents, as BWB was made (BlonDe, Section 2 and Appendix A).

Chapters are matched by their numbers, sentences split and aligned, pairs deduplicated and filtered by their lengths,
short chapters left out, and whole books dealt to training, development and test. What is left out is counted.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, TypeVar

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import each_line
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.errors import Fault, InputError, refuse
from endophora.options import option
from endophora.record import Record
from endophora.signature import unkeyed
from endophora.suites.matching import split_sentences
from endophora.training.parallel import letters_and_digits

if TYPE_CHECKING:
    from endophora.align.ratios import Ratios
    from endophora.align.sentences import Bead

_Side = TypeVar("_Side")

PARTS = ("train", "dev", "test")
_TELLING = 20
"""Letters and digits from which on a text that occurs twice tells of a copy; shorter ones stand everywhere."""
_NUMBERS = re.compile(r"\d+")
_TEXT = (".txt", ".txt.gz")

TWICE = "chapters that are there twice"
SHORT = "chapters of too few sentences"
LONG_AND_SHORT = "pairs of too different lengths"


def _pattern(text: str) -> re.Pattern[str] | None:
    """Return a pattern as it is typed (E206)."""
    try:
        return re.compile(text) if text else None
    except re.error as error:
        raise InputError(Fault("E206", f"“{text}” is no regular expression ({error})", "", "--chapter")) from error


def _typed(pattern: re.Pattern[str] | None) -> str:
    return pattern.pattern if pattern else ""


@unkeyed("books are read and aligned each time; nothing is kept")
@dataclass(frozen=True, slots=True, kw_only=True)
class BookPlan:
    """How books become documents, and what is left out; ``dev`` and ``test`` are numbers of books."""

    chapter: re.Pattern[str] | None = option(
        None,
        metavar="REGEX",
        help="Files are whole books; a line that begins so begins a chapter, and is left out as its title.",
        read=_pattern,
        write=_typed,
        show_default=False,
    )
    titles: bool = option(False, "--drop-titles", help="Leave out the first line of every chapter's file.")
    sentences: bool = option(True, "--lines", help="Lines are sentences: do not split them.", inverted=True)
    ratio: float = option(3.0, least=1, help="Pairs whose lengths differ more, as lengths of the corpus go, are out.")
    least: int = option(5, least=1, help="Chapters of fewer sentences are left out.")
    dev: int = option(1, least=0, help="Books whose chapters are for development.")
    test: int = option(1, least=0, help="Books whose chapters are for testing.")
    documents: int = option(0, least=0, help="Most chapters of dev and of test, drawn at random; 0 takes all.")
    seed: int = option(1, least=0, help="Of the books and chapters that are drawn.")


class PartSizes(Record):
    """Sizes of a part, as in BlonDe's Table 1; words of the source and of the target as the aligner sees them."""

    books: tuple[str, ...]
    documents: int
    segments: int
    source_words: int
    target_words: int
    shortest: int
    median: float
    longest: int


class BookSizes(Record):
    """What was made of the books."""

    languages: str
    parts: dict[str, PartSizes]
    left_out: dict[str, int]
    beads: dict[str, int]
    has_priors: bool


Chapter = tuple[str, list[str], list[str], str]
"""Document id, sentences of either side, and the file of the source."""


@dataclass
class _BookReader:
    """Reads the chapters of both sides, and counts what has no counterpart."""

    pair: tuple[str, str]
    plan: BookPlan
    notes: Counter[str] = field(default_factory=Counter[str])
    log: FaultLog = field(default_factory=FaultLog)

    def books(self, roots: tuple[Path, Path]) -> dict[str, tuple[Path, Path]]:
        """Return the books that both folders have; no folder, or nothing in both, is an error (E001, E299)."""
        refuse(
            Fault("E001", "no such folder", "name a folder of books", str(root)) for root in roots if not root.is_dir()
        )
        found = [
            {_stem(path): path for path in sorted(root.iterdir()) if path.is_dir() or path.name.endswith(_TEXT)}
            for root in roots
        ]
        matched = self._matched(found[0], found[1], "books")
        if not matched:
            cause = f"no book is in both {roots[0]} and {roots[1]}"
            advice = "give a book's folder, or its file NAME.txt, the same name or number in both"
            raise InputError(Fault("E299", cause, advice, str(roots[1])))
        return matched

    def chapters(self, name: str, book: tuple[Path, Path]) -> Iterator[Chapter]:
        """Yield the chapters that both sides of a book have."""
        sides = [self._side(path, language) for path, language in zip(book, self.pair, strict=True)]
        for chapter, (source, target) in self._matched(sides[0], sides[1], "chapters").items():
            yield f"{name}/{chapter}" if chapter else name, source[1], target[1], source[0]

    def _matched(
        self, source: Mapping[str, _Side], target: Mapping[str, _Side], what: str
    ) -> dict[str, tuple[_Side, _Side]]:
        """Return what both sides have, by name or else by the numbers in it; the rest is counted."""
        found = {name: (source[name], target[name]) for name in source if name in target}
        rest = [{name: each[name] for name in each if name not in found} for each in (source, target)]
        numbered = [Counter(map(_numbers, each)) for each in rest]
        other = {_numbers(name): name for name in rest[1]}
        for name in rest[0]:
            key = _numbers(name)
            if key and numbered[0][key] == numbered[1][key] == 1:
                found[name] = source[name], target[other[key]]
        if lost := len(source) + len(target) - 2 * len(found):
            self.notes[f"{what} without counterpart"] += lost
        return {name: found[name] for name in source if name in found}

    def _side(self, book: Path, language: str) -> dict[str, tuple[str, list[str]]]:
        """Return the sentences of a book's chapters, with their files."""
        if book.is_dir():
            files = sorted(path for path in book.iterdir() if path.name.endswith(_TEXT))
            first = int(self.plan.titles)
            return {_stem(path): (str(path), self._split(self._lines(path)[first:], language)) for path in files}
        lines = self._lines(book)
        if self.plan.chapter is None:
            return {"": (str(book), self._split(lines[int(self.plan.titles) :], language))}
        heads = [at for at, line in enumerate(lines) if self.plan.chapter.match(line)]
        names = ["-".join(_numbers(lines[at])) for at in heads]
        if not all(names) or len(set(names)) < len(names):
            names = [str(number) for number in range(1, len(heads) + 1)]
        if before := len(lines[: heads[0]] if heads else lines):
            self.notes["lines before a book's first chapter"] += before
        ends = [*heads[1:], len(lines)]
        return {
            name: (str(book), self._split(lines[at + 1 : end], language))
            for name, at, end in zip(names, heads, ends, strict=True)
        }

    def _lines(self, path: Path) -> list[str]:
        lines = [" ".join(line.split()) for _, line in each_line(path, self.log) if line is not None]
        self.log.check()
        return [line for line in lines if line]

    def _split(self, lines: Sequence[str], language: str) -> list[str]:
        if not self.plan.sentences:
            return list(lines)
        return [sentence for line in lines for sentence in split_sentences(line, language)]


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".txt")


def _numbers(name: str) -> tuple[str, ...]:
    return tuple(str(int(number)) for number in _NUMBERS.findall(name))


def build_corpus(
    roots: tuple[Path, Path],
    pair: tuple[str, str],
    plan: BookPlan | None = None,
    step: Callable[[str], object] = lambda name: None,  # noqa: ARG005
) -> tuple[dict[str, Corpus], BookSizes]:
    """Return the parts, and their sizes; ``step`` is called after each book (E001–E007, E299).

    A folder has a folder for each book with a text file for each chapter, or a text file for each book. Held-out books
    are read first, and what they have is not learned: a chapter or a longer text of theirs in another book is left out.
    Lengths are compared in characters, each over the mean of its side.
    """
    chosen = plan or BookPlan()
    reader = _BookReader(pair, chosen)
    books = reader.books(roots)
    dealt = _dealt(list(books), chosen)
    # Loaded here, since commands read the plan for their help.
    from endophora.align.long import align_long
    from endophora.align.ratios import Ratios
    from endophora.align.sentences import SentenceAligner

    maker = _Maker(partial(align_long, SentenceAligner(*pair)), Ratios(*pair), chosen, reader.notes)
    documents: dict[str, list[Document]] = {part: [] for part in PARTS}
    for part in reversed(PARTS):
        for name in dealt[part]:
            made = (maker.document(chapter, held_out=part != "train") for chapter in reader.chapters(name, books[name]))
            documents[part] += [document for document in made if document is not None]
            step(name)
    return _finished(documents, dealt, pair, maker)


def _dealt(names: Sequence[str], plan: BookPlan) -> dict[str, list[str]]:
    """Return the books of each part, by an order that only names and seed decide (E299)."""
    drawn = sorted(names, key=lambda name: _draw(name, plan.seed))
    if len(drawn) <= plan.dev + plan.test:
        cause = f"{len(drawn)} books are in both folders, and dev and test take {plan.dev + plan.test}"
        raise InputError(Fault("E299", cause, "give more books, or --dev 0 --test 0", "--dev"))
    held_out = plan.test + plan.dev
    return {
        "train": sorted(drawn[held_out:]),
        "dev": sorted(drawn[plan.test : held_out]),
        "test": sorted(drawn[: plan.test]),
    }


def _draw(name: str, seed: int) -> bytes:
    return hashlib.blake2b(f"{seed}\x1f{name}".encode("utf-8", "surrogatepass"), digest_size=8).digest()


@dataclass
class _Maker:
    """Makes documents of chapters."""

    align: Callable[[Sequence[str], Sequence[str]], list[Bead]]
    ratios: Ratios
    plan: BookPlan
    notes: Counter[str]
    beads: Counter[str] = field(default_factory=Counter[str])
    chapters: set[str] = field(default_factory=set[str])
    pairs: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    held_out: set[str] = field(default_factory=set[str])

    def document(self, chapter: Chapter, *, held_out: bool) -> Document | None:
        """Return the document of a chapter, if it is none that was there before, and not too short."""
        name, source, target, file = chapter
        if min(len(source), len(target)) < self.plan.least:
            self.notes[SHORT] += 1
            return None
        keys = [hashlib.blake2b(letters_and_digits("".join(side)).encode()).hexdigest() for side in (source, target)]
        if not self.chapters.isdisjoint(keys):
            self.notes[TWICE] += 1
            return None
        self.chapters.update(keys)
        segments = [
            Segment(one, {REFERENCE: other}, {}, Location(file, number))
            for number, (one, other) in enumerate(self._joined(source, target), 1)
            if self._is_new(one, other, held_out)
        ]
        return Document(name, tuple(segments))

    def _joined(self, source: Sequence[str], target: Sequence[str]) -> Iterator[tuple[str, str]]:
        for one, other in self.align(source, target):
            self.beads[f"{len(one)}-{len(other)}"] += 1
            if one and other:
                yield _join(source[one.start : one.stop]), _join(target[other.start : other.stop])
            else:
                self.notes["sentences without counterpart"] += len(one) + len(other)

    def _is_new(self, source: str, target: str, held_out: bool) -> bool:
        """Return whether a pair is none that was there before, and in training none of held-out text."""
        key = letters_and_digits(source), letters_and_digits(target)
        telling = {text for text in key if len(text) >= _TELLING}
        if not held_out and not self.held_out.isdisjoint(telling):
            self.notes["training pairs with text of dev or test"] += 1
        elif telling and key in self.pairs:
            self.notes["pairs that are there twice"] += 1
        else:
            self.pairs.add(key)
            self.held_out |= telling if held_out else set()
            return True
        return False


def _join(sentences: Sequence[str]) -> str:
    from endophora.align.ratios import unspaced

    joined = sentences[0]
    for one in sentences[1:]:
        joined += one if unspaced(joined[-1] + one[:1]) else f" {one}"
    return joined


def _finished(
    documents: Mapping[str, list[Document]], dealt: Mapping[str, list[str]], pair: tuple[str, str], maker: _Maker
) -> tuple[dict[str, Corpus], BookSizes]:
    """Return the parts without pairs of too different lengths and short documents (E299: a part is empty)."""
    plan, texts = maker.plan, [segment for part in documents.values() for one in part for segment in one.segments]
    lengths = (
        sum(len(segment.source) for segment in texts),
        sum(len(segment.references[REFERENCE]) for segment in texts),
    )
    usual = lengths[1] / max(1, lengths[0])
    corpora, sizes = dict[str, Corpus](), dict[str, PartSizes]()
    for part in PARTS:
        if not dealt[part]:
            continue
        kept = list[Document]()
        for document in documents[part]:
            segments = tuple(one for one in document.segments if _is_alike(one, usual, plan.ratio))
            maker.notes[LONG_AND_SHORT] += len(document.segments) - len(segments)
            if len(segments) < plan.least:
                maker.notes[SHORT] += 1
            else:
                kept.append(Document(document.id, segments))
        if part != "train" and 0 < plan.documents < len(kept):
            maker.notes[f"chapters of {part} that were not drawn"] += len(kept) - plan.documents
            drawn = {one.id for one in sorted(kept, key=lambda one: _draw(one.id, plan.seed))[: plan.documents]}
            kept = [one for one in kept if one.id in drawn]
        if not kept:
            advice = "give more books, or books with chapters of more sentences"
            raise InputError(Fault("E299", f"no chapter is left for {part}: {_said(maker.notes)}", advice))
        corpora[part] = Corpus(*pair, tuple(kept), (REFERENCE,), ())
        sizes[part] = _sizes(kept, dealt[part], maker.ratios)
    left_out = {what: count for what, count in sorted(maker.notes.items()) if count}
    made = BookSizes(
        languages="-".join(pair),
        parts=sizes,
        left_out=left_out,
        beads=dict(maker.beads.most_common()),
        has_priors=maker.ratios.has_priors,
    )
    return corpora, made


def _said(notes: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {what}" for what, count in notes.items() if count) or "nothing was left out"


def _is_alike(segment: Segment, usual: float, ratio: float) -> bool:
    one, other = len(segment.source) * usual, len(segment.references[REFERENCE])
    return max(one, other) <= ratio * min(one, other)


def _sizes(documents: Sequence[Document], books: Sequence[str], ratios: Ratios) -> PartSizes:
    lengths = [len(document.segments) for document in documents]
    segments = [segment for document in documents for segment in document.segments]
    source, target = ratios.splitters
    return PartSizes(
        books=tuple(books),
        documents=len(documents),
        segments=len(segments),
        source_words=sum(len(source(one.source)) for one in segments),
        target_words=sum(len(target(one.references[REFERENCE])) for one in segments),
        shortest=min(lengths),
        median=median(lengths),
        longest=max(lengths),
    )
