"""Checks of what texts mean: right bytes in the wrong place, such as two files that were swapped.

What is found is a warning, never silence and never a refusal: a text may be what it looks not to be. Each warning is a
coded sentence (``[E381] …``), so that ``--strict`` can make an error of it; ``docs/errors.md`` lists the codes. Which
language a text reads like is decided on a sample of it, by the Compact Language Detector 3.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from importlib import import_module
from importlib.resources import files
from itertools import combinations
from typing import Any, NamedTuple
from unicodedata import is_normalized, normalize

from endophora.corpus.codes import language_names
from endophora.corpus.openings import find_opening
from endophora.corpus.streams import REFERENCE, Census
from endophora.errors import Fault

# From where on something is said. The right texts of benchmarks/meaning.py raise no warning with these.

FEWEST_PIECES = 2
"""Of some 200 letters, on which a language is judged: single lines were judged wrongly in 22 of 3,388 trials, pairs in
6; none of two pieces or more had both shares below."""

MOST_OTHER, LEAST_OWN = 0.6, 0.3
"""A text is in another language if it has so large a share of pieces in it, and no more in its own."""

PARTLY_PIECES, PARTLY = 8, 0.25
"""Fewest pieces, and least share in another language, for a text that is partly in it."""

WORDS = 4
"""Words (or 4 letters each of a script without spaces) from which on a segment says something when it is copied; names,
numbers and interjections are the same in many languages."""

COPIES, COPIED = 3, 0.05
"""Fewest segments copied from the source, and their least share, for a partly untranslated output."""

WHOLE = 0.9
"""Least share of copied segments for a wholly untranslated output, or for a copy of another text."""

COMPARED = 5
"""Fewest segments that say something, for two texts to count as copies of each other."""

FEW = 0.01
"""Share of segments below which characters that nobody sees, or one text for several segments, mean little."""

_LATIN = (
    "[\x80-\xbf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013-\u2026\u2030\u2039\u203a\u20ac\u2122]"
)
"""What a further byte of a letter becomes where UTF-8 is read as Latin-1 or Windows-1252."""


def _finder(pattern: str) -> Callable[[str], str]:
    """Return a function from a text to the first match in it, written out; empty if there is none."""
    search = re.compile(pattern).search
    return lambda text: found[0] if (found := search(text)) else ""


def _decomposed(text: str) -> str:
    """Return the first letter of a text that is written as a letter and a mark, where one letter would do."""
    if text.isascii() or is_normalized("NFC", text):
        return ""
    return next((text[at : at + 2] for at in range(len(text) - 1) if len(normalize("NFC", text[at : at + 2])) == 1), "")


class _Sign(NamedTuple):
    """What a text may have that its source has not, and that comes from a program.

    Of a few in many segments (below ``least``, a share) nothing is said: people leave such characters, too.
    """

    code: str
    cause: str
    advice: str
    what: str
    find: Callable[[str], str]
    least: float = FEW


_SIGNS = (
    _Sign(
        "E394",
        "is written as in HTML",
        "write the characters themselves: Python's html.unescape does",
        "escapes",
        _finder(r"&(?:quot|amp|lt|gt|apos|nbsp|#\d{1,6}|#x[0-9a-fA-F]{1,5});"),
        least=0,
    ),
    _Sign(
        "E395",
        "is UTF-8 that was read as another encoding",
        "make the file again from its original, read as UTF-8",
        "such letters",
        _finder(f"(?<![A-ZÀ-Þ])[ÂÃÄÅÎÏÐÑØÙ]{_LATIN}|×(?!\xa0){_LATIN}|â(?:€|\x80){_LATIN}|(?:[ã-é]{_LATIN}{{2}}){{2}}"),
    ),
    _Sign(
        "E396",
        "has characters that nobody sees",
        "remove them: they part words",
        "zero-width spaces or soft hyphens",
        _finder("[\u00ad\u200b\u2060\ufeff]"),
    ),
    _Sign(
        "E397",
        "is decomposed",
        "compose them: Python's unicodedata.normalize('NFC', text) does",
        "letters of two characters",
        _decomposed,
    ),
)
"""Where the text has them and the source has not, metrics count other letters than a reader sees."""

REPEATED = 5
"""Fewest segments of different sources that have one text, for it to be none of theirs."""

SHOWN, LENGTH = 5, 60
"""How many lines are named, and how many letters of one are shown."""

LOOKED_AT = 2_000
"""Most segments that are compared, spread evenly, so that the cost is bounded."""

PIECES = 24
"""How many pieces of a text are looked at: they cost some 10 ms, however long the text is."""

PIECE = 200
"""Letters of a piece. With 200 letters the detector finds the 22 languages of NTREX almost without error; of single
lines, which may be a name and a number, it errs in 1.3 %."""

SURE = 0.7
"""The least probability with which a piece counts; it is the detector's own bound of what is reliable."""

DENSE = 3
"""A Chinese, Japanese or Korean character says as much as so many letters of an alphabet."""

_DENSE_FROM = "\u2e80"
_CODES = {"iw": "he", "fil": "tl", "no": "nb"}
"""The detector's codes that are not those of ISO 639-1 which users write."""


@dataclass(frozen=True)
class Text:
    """A source, reference or system (``kind``), as the checks see it; ``line`` gives the line of an index."""

    kind: str
    name: str
    language: str
    file: str
    texts: Sequence[str]
    line: Callable[[int], int] = lambda index: index + 1

    @cached_property
    def judged(self) -> list[int]:
        """The segments that are looked at and say something."""
        step = -(-len(self.texts) // LOOKED_AT) or 1
        return [index for index in range(0, len(self.texts), step) if _says_something(self.texts[index])]

    def __str__(self) -> str:
        """Return what messages call it."""
        return f"{self.kind} “{self.name}”" if self.name else f"the {self.kind}"


def check_meaning(source: Text | None, references: Sequence[Text], systems: Sequence[Text]) -> list[str]:
    """Return coded warnings about texts that are aligned segment by segment."""
    found: list[Fault] = []
    told: set[str] = set()
    texts = [*references, *systems]
    if source is not None:
        for text in texts:
            if fault := _copied(source, text):
                found.append(fault)
                told.add(str(text))
            elif shift := find_shift(source.texts, text.texts):
                found.append(_shifted(text, shift))
            found += _signs(source, text)
            if text.kind == "system":
                found += filter(None, (_repeated(source, text), _headed(source, text)))
    found += _equal(references, systems)
    rest = [text for text in texts if str(text) not in told]
    found += _languages([*([] if source is None else [source]), *rest], swappable=source is not None)
    return [str(fault) for fault in found]


def check_stream(census: Census, languages: tuple[str, str]) -> list[str]:
    """Return coded warnings about a corpus that is read as a stream."""
    if not census.sample:
        return []
    places = [segment.location for segment in census.sample]
    file = places[0].file

    def line(index: int) -> int:
        return places[index].line

    source = Text("source", "", languages[0], file, [segment.source for segment in census.sample], line)
    targets = [segment.references[REFERENCE] for segment in census.sample]
    return check_meaning(source, [Text("reference", REFERENCE, languages[1], file, targets, line)], [])


def _languages(texts: Sequence[Text], *, swappable: bool) -> list[Fault]:
    """Say which texts read like another language than theirs."""
    pair = {text.language for text in texts}
    judged = [(text, read_language(text.texts)) for text in texts if text.language]
    wrong = [(text, other) for text, reading in judged if (other := _another(text, reading, pair))]
    faults = [] if len(wrong) < 2 or not swappable else _swapped(judged, wrong)
    if faults:
        return faults
    for text, other in wrong:
        cause = f"{text} reads like {language_name(other)}, not like {language_name(text.language)}"
        faults.append(Fault("E381", cause, "check the file, and --languages", text.file))
    seen = {id(text) for text, _ in wrong}
    for text, reading in judged:
        if id(text) not in seen and text.language in _near_languages() and reading.pieces >= PARTLY_PIECES:
            other, share = reading.other(text.language)
            if share >= PARTLY:
                own = language_name(text.language)
                cause = f"about {share:.0%} of {text} reads like {language_name(other)}, not like {own}"
                faults.append(Fault("E381", cause, "check whether all of it is translated", text.file))
    return faults


def another_language(text: Text, pair: Iterable[str]) -> str:
    """Return the language that a text reads like, if that is clearly not its own; empty if it may be."""
    return _another(text, read_language(text.texts), pair)


def language_name(language: str) -> str:
    """Return name and code of a language, for messages."""
    return f"{language_names().get(language, language)} ({language})"


def _another(text: Text, reading: Languages, pair: Iterable[str]) -> str:
    other, share = reading.other(text.language)
    if reading.pieces < FEWEST_PIECES or share < MOST_OTHER or reading.like(text.language) > LEAST_OWN:
        return ""
    # A language that the detector was not measured on may look like its neighbour; not like the other of the pair.
    known = text.language in _near_languages() or (other in pair and share >= WHOLE)
    return other if known else ""


def _swapped(judged: Sequence[tuple[Text, Languages]], wrong: Sequence[tuple[Text, str]]) -> list[Fault]:
    """Return one fault if the source reads like the target language, and a reference or system like the source's."""
    source, target = judged[0][0], judged[1][0]
    like = {id(text): language for text, language in wrong}
    if like.get(id(source)) != target.language or like.get(id(target)) != source.language:
        return []
    cause = (
        f"source and target look swapped: {source} reads like {language_name(target.language)}, and {target} like "
        f"{language_name(source.language)}"
    )
    advice = f"exchange the files, or say --languages {target.language}-{source.language}"
    return [Fault("E380", cause, advice, source.file)]


def _copied(source: Text, text: Text) -> Fault | None:
    """Say how many segments of a text are those of the source."""
    judged = source.judged
    same = [index for index in judged if _nearly_equal(source.texts[index], text.texts[index])]
    if len(same) < min(COPIES, len(source.texts)) or len(same) < COPIED * len(judged):
        return None
    if (whole := len(same) >= WHOLE * len(judged)) and text.kind == "reference":
        cause = f"{text} is the source: {len(same)} of {len(judged)} segments are the same"
        return Fault("E384", cause, "give the translation", text.file)
    cause = (
        f"{text} is {'' if whole else 'partly '}untranslated: {len(same)} of {len(judged)} segments "
        f"({len(same) / len(judged):.0%}) are those of the source: lines {_lines(text, same)}"
    )
    return Fault("E382", cause, "check that this is what the system wrote", text.file)


def _shifted(text: Text, shift: Shift) -> Fault:
    way = "lower" if shift.lines > 0 else "higher"
    lines = f"{abs(shift.lines)} line{'' if abs(shift.lines) == 1 else 's'}"
    cause = f"{text} stands {lines} {way} than the source, seen from line {text.line(shift.index)} on"
    return Fault("E390", cause, "look before it for a line that was added or left out", text.file)


def _signs(source: Text, text: Text) -> Iterator[Fault]:
    """Say how many segments of a text have what a program wrote in place of letters, where the source has none."""
    pairs = [(index, *both) for index, both in enumerate(zip(source.texts, text.texts, strict=False))]
    for sign in _SIGNS:
        found = [(index, first) for index, one, other in pairs if (first := sign.find(other)) and not sign.find(one)]
        if len(found) < max(min(COPIES, len(source.texts)), sign.least * len(text.texts)):
            continue
        shown = "".join(letter if letter.isprintable() else f"U+{ord(letter):04X}" for letter in found[0][1])
        cause = (
            f"{text} {sign.cause}: {len(found)} of {len(text.texts)} segments have {sign.what} ({shown}) "
            f"where the source has none: lines {_lines(text, [index for index, _ in found])}"
        )
        yield Fault(sign.code, cause, sign.advice, text.file)


def _repeated(source: Text, text: Text) -> Fault | None:
    """Say what a text has for segments of different sources, again and again: a refusal, a loop."""
    places: dict[str, list[int]] = {}
    for index, one in enumerate(text.texts):
        places.setdefault(one.strip(), []).append(index)
    told = {one: found for one, found in places.items() if len(found) >= REPEATED and _says_something(one)}
    most = max(told, key=lambda one: len(told[one]), default="")
    if not most or len(told[most]) < FEW * len(text.texts):
        return None
    if len({source.texts[index].strip().casefold() for index in told[most]}) < REPEATED:
        return None
    shown = most if len(most) <= LENGTH else f"{most[:LENGTH].rstrip()} …"
    cause = (
        f"{text} has the same text for {len(told[most])} of {len(text.texts)} segments whose sources differ, "
        f"“{shown}”: lines {_lines(text, told[most])}"
    )
    return Fault("E398", cause, "check that this is what the system wrote: it may be a refusal, or a loop", text.file)


def _headed(source: Text, text: Text) -> Fault | None:
    """Say which lines begin with what a program wrote before the translation."""
    if not (found := find_opening(source.texts, text.texts)):
        return None
    count, lines = f"{len(found.lines)} of {len(text.texts)} segments", _lines(text, found.lines)
    cause = f"{count} of {text} begin with {found.what}: lines {lines}"
    return Fault("E347", cause, "delete it: it is no part of the translation", text.file)


def _lines(text: Text, found: Sequence[int]) -> str:
    return ", ".join(str(text.line(index)) for index in found[:SHOWN]) + (", …" if len(found) > SHOWN else "")


def _equal(references: Sequence[Text], systems: Sequence[Text]) -> Iterator[Fault]:
    """Say which systems are a reference, and which texts are equal."""
    for one, other in [*((one, other) for other in systems for one in references), *combinations(references, 2)]:
        judged = one.judged
        same = sum(one.texts[index] == other.texts[index] for index in judged)
        if len(judged) >= COMPARED and same >= WHOLE * len(judged):
            cause = f"{other} is {one}: {same} of {len(judged)} segments are the same"
            yield Fault("E383", cause, "check the files", other.file)
    first: dict[int, Text] = {}
    for system in systems:
        # One pass over all systems: two that are equal have one hash.
        known = first.setdefault(hash(tuple(system.texts)), system)
        if known is not system and sum(map(_says_something, system.texts)) >= COMPARED:
            yield Fault("E383", f"{system} is {known}: all segments are the same", "check the files", system.file)


def _says_something(text: str) -> bool:
    return text.count(" ") >= WORDS - 1 or (sum(letter >= "\u2e80" for letter in text) >= 2 * WORDS)


def _nearly_equal(one: str, other: str) -> bool:
    """Return whether two texts have the same words, except for one in ten."""
    if one == other:
        return True
    words, others = _words(one), other.casefold().split()
    if abs(len(words) - len(others)) > 0.1 * len(words):
        return False
    least, known = WHOLE * max(len(words), len(others)), set(others)
    # Most texts have few words in common, and then it does not matter how often each occurs.
    common = sum(word in known for word in words)
    return common >= least and (Counter(words) & Counter(others)).total() >= least


@lru_cache(maxsize=LOOKED_AT)
def _words(text: str) -> list[str]:
    return text.casefold().split()


# A segment and its translation share names, numbers and cognates, so they share more runs of four letters than a
# segment and the neighbour's translation: on NTREX at least three times as many in each of 21 languages.

RUN = 4
BLOCKS, BLOCK = 8, 24
"""How many blocks of neighbouring segments are looked at, spread evenly: some 15 ms a text."""

REACH = 2
"""By how many lines at most a shift is looked for."""

TIMES = 2.0
"""How many times more a shifted block has in common with the shifted source than with its own lines, …"""

COMMON = 0.25
"""… and how much it has in common at least: the sum over a block of shares of runs of letters."""

IN_PLACE = 0.08
"""The mean share from which a block is in its place: with a neighbour's translation NTREX has 0.06 at most."""

AGREED = 2
"""How many blocks have to agree."""


@dataclass(frozen=True, slots=True)
class Shift:
    """By how many lines a text is lower than its source (negative if higher), and the first segment found shifted."""

    lines: int
    index: int


def find_shift(source: Sequence[str], text: Sequence[str]) -> Shift | None:
    """Return the shift of a text against its source, if it is clear."""
    size = min(len(source), len(text))
    if size < BLOCK + 2 * REACH:
        return None
    found: dict[int, list[int]] = {}
    last = size - BLOCK - REACH
    for begin in sorted({REACH + (last - REACH) * number // (BLOCKS - 1) for number in range(BLOCKS)}):
        if lines := _shift_of_block(source, text, begin):
            found.setdefault(lines, []).append(begin)
    lines, begins = max(found.items(), key=lambda one: len(one[1]), default=(0, list[int]()))
    return Shift(lines, begins[0]) if len(begins) >= AGREED else None


def _shift_of_block(source: Sequence[str], text: Sequence[str], begin: int) -> int:
    """Return by how many lines a block stands lower than its source; 0 if it does not, or is not clear."""
    ours = [_runs(one) for one in text[begin : begin + BLOCK]]
    own_lines = sum(map(_share, map(_runs, source[begin : begin + BLOCK]), ours))
    if own_lines >= IN_PLACE * BLOCK:
        return 0
    theirs = [_runs(one) for one in source[begin - REACH : begin + BLOCK + REACH]]
    common: dict[int, float] = dict.fromkeys(range(-REACH, REACH + 1), 0.0)
    supported: Counter[int] = Counter()
    for place, own in enumerate(ours):
        shares = {step: _share(theirs[REACH + place - step], own) for step in range(-REACH, REACH + 1)}
        for step, share in shares.items():
            common[step] += share
            supported[step] += share > shares[0]
    lines = max(common, key=lambda step: common[step])
    clear = common[lines] >= max(COMMON, TIMES * common[0]) and supported[lines] >= BLOCK // 6
    return lines if clear else 0


# The source's runs are the same for every system: those of a text's blocks, and of what they are compared with.
@lru_cache(maxsize=2 * BLOCKS * (BLOCK + 2 * REACH))
def _runs(text: str) -> frozenset[str]:
    folded = text.casefold()
    return frozenset(folded[start : start + RUN] for start in range(len(folded) - RUN + 1))


def _share(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (min(len(one), len(other)) or 1)


class Languages(NamedTuple):
    """What a text reads like: pieces recognised with certainty, and the share of each language, largest first."""

    pieces: int
    shares: Mapping[str, float]

    def like(self, language: str) -> float:
        """Return the share of pieces in a language, or in one that the detector takes for it."""
        return sum(
            share for other, share in self.shares.items() if other in _near_languages().get(language, (language,))
        )

    def other(self, language: str) -> tuple[str, float]:
        """Return the commonest language that is not confused with this one, and its share; empty and 0 if none."""
        near = _near_languages().get(language, (language,))
        return next(((other, share) for other, share in self.shares.items() if other not in near), ("", 0.0))


def read_language(texts: Sequence[str]) -> Languages:
    """Find which languages a text reads like, by pieces spread evenly over it."""
    detector = _detector()
    votes: Counter[str] = Counter()
    for piece in _pieces(texts):
        found: Any = detector.FindLanguage(piece)
        if found.probability >= SURE:
            language: str = found.language
            votes[_CODES.get(language, language)] += 1
    total = votes.total()
    return Languages(total, {language: count / total for language, count in votes.most_common()})


def _pieces(texts: Sequence[str]) -> Iterator[str]:
    """Yield pieces of neighbouring segments, from places spread evenly over a text."""
    step = max(1, len(texts) // PIECES)
    begin = 0
    while begin < len(texts):
        end, letters = begin, 0
        while end < len(texts) and letters < PIECE:
            letters += sum((DENSE if letter >= _DENSE_FROM else 1) for letter in texts[end][:PIECE] if letter.isalpha())
            end += 1
        if letters:
            yield " ".join(text[:PIECE] for text in texts[begin:end])
        begin = max(end, begin + step)


@cache
def _detector() -> Any:
    # It is compiled, and has no types.
    library: Any = import_module("gcld3")
    return library.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=4 * PIECE)


@cache
def _near_languages() -> dict[str, frozenset[str]]:
    """Return the languages on which the detector was measured, each with those that it takes for it, as nb for da."""
    text = (files("endophora.corpus") / "data" / "identified-languages.tsv").read_text(encoding="utf-8")
    rows = (line.split("\t") for line in text.splitlines()[1:])
    return {language: frozenset((language, *others.split())) for language, others in rows}
