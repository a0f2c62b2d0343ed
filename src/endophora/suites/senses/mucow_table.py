"""The table of MuCoW's edition of 2020 (Raganato, Scherrer and Tiedemann, LREC 2020).

``XX-YY.test.txt`` has a sentence a line: ambiguous lemma, number of the sense, corpus, source, reference (both
tokenised), and the source word as it stands there. ``senses.XX-YY.txt`` beside it has a sense a line: lemma, number,
a name or count, the share of the sense among the word's, and its words between spaces. ``distances.XX-YY.txt``, which
may be missing, has a pair of senses a line: lemma, ``0-1``, and how far they are from one another, 0 if not at all.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import too_long, whole_number
from endophora.corpus.lines import PathLike, read_lines
from endophora.corpus.writing import write_lines
from endophora.suites.records import Item, Json, Suite
from endophora.suites.senses.mucow_json import check_sense_suite, pair_in
from endophora.suites.senses.words import (
    DISTANCES,
    distance_to,
    has_distance,
    join_words,
    knows_distances,
    make_item,
    origin_of,
    senses_of_words,
)
from endophora.suites.whole import SHORTEN_ADVICE
from endophora.suites.writable import check_texts

_LINE = re.compile(r"[^\t]+\t\d+\t[^\t]*\t[^\t]+\t[^\t]*\t[^\t]*$")
_SUFFIX = re.compile(r"\.(?:test|train|dev)\.txt(?:\.gz)?$")
_PAIR = re.compile(r"(\d+)-(\d+)")
_Senses = Mapping[str, Mapping[int, tuple[str, ...]]]
_Numbers = Mapping[str, Mapping[str, tuple[int, tuple[str, ...]]]]
_Distances = Mapping[str, Mapping[tuple[int, int], float]]


def is_mucow_table(path: Path, first_line: str) -> bool:
    """Tell whether a file is such a table."""
    return _LINE.match(first_line.rstrip("\r")) is not None and _senses_file(path).exists()


def read_mucow_table(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a table, and the senses and distances beside it.

    Args:
        path: the table, gzipped or not.
        languages: ISO 639-1 codes; by default those in the file's name.

    Raises:
        InputError: with all faults: a file is missing (E001), or a line is not in its form or of an unknown sense
            (E224).
    """
    log = FaultLog()
    senses = _read_senses(_senses_file(Path(path)), log)
    distances = _read_distances(_distances_file(Path(path)), senses, log)
    lines, items = read_lines(path, log), list[Item]()
    for number, line in enumerate(lines.texts):
        fields = line.split("\t")
        sense = whole_number(fields[1]) if len(fields) == 6 else None
        if sense is None:
            advice = "lemma, number of the sense, corpus, source, reference, source word between tabs"
            log.add("E224", f"{len(fields)} fields, or no number of a sense", advice, lines.file, number + 1)
            continue
        word, _, origin, source, reference, form = fields
        if long := too_long(source) or too_long(reference):
            log.add("E345", long, SHORTEN_ADVICE, lines.file, number + 1)
            continue
        words = senses.get(word, {})
        if sense not in words:
            cause = f"the sense {sense} of “{word}” is unknown"
            log.add("E224", cause, "the file of senses has none such", lines.file, number + 1)
            continue
        expected = words[sense]
        known = _distances_from(sense, words, distances.get(word, {})) if distances else {}
        others = [entry for key, entries in words.items() if key != sense for entry in entries]
        items.append(
            make_item(
                number,
                word,
                join_words(expected),
                source,
                reference,
                expected=expected,
                forbidden=[entry for entry in others if entry not in expected],
                origin=origin,
                extra={"form": form, DISTANCES: dict[str, Json](known)} if known else {"form": form},
            )
        )
    log.check()
    name = _SUFFIX.sub("", Path(path).name)
    warnings = _warnings(senses, distances, items)
    return Suite(name, *(languages or pair_in(name)), tuple(items), warnings)


def write_mucow_table(suite: Suite, path: PathLike) -> None:
    """Write a table, its senses with the shares that they have in the suite, and their distances where these are known.

    Raises:
        InputError: it is no suite of word senses (E222), an item has no expected word, or a text has a tab or a line
            end (E176), or a file cannot be written (E026).
    """
    check_sense_suite(suite, "MuCoW's table")
    check_texts(suite, "MuCoW's table", expected=True, lines=True)
    numbers = _numbers(suite)
    write_lines(
        path,
        (
            "\t".join(
                (
                    item.source_lemma,
                    str(numbers[item.source_lemma][item.rule][0]),
                    origin_of(item),
                    item.source,
                    item.reference,
                    str(item.extra.get("form", item.source_form or item.source_lemma)),
                )
            )
            for item in suite.items
        ),
    )
    counts = Counter(item.rule for item in suite.items)
    lines = list[str]()
    for word, senses in numbers.items():
        total = sum(counts[rule] for rule in senses)
        for rule, (number, words) in senses.items():
            entries = " ".join("_".join(entry.split()) for entry in words)
            share = f"{counts[rule] / total:.4f}" if total else "0"
            lines.append("\t".join((word, str(number), str(counts[rule]), share, entries)))
    write_lines(_senses_file(Path(path)), lines)
    if any(map(knows_distances, suite.items)):
        write_lines(_distances_file(Path(path)), _distance_lines(suite.items, numbers))


def _distance_lines(items: Sequence[Item], numbers: _Numbers) -> list[str]:
    """Return a line for each two senses of a word whose distance an item of either says."""
    found: dict[tuple[str, int, int], float] = {}
    for item in items:
        senses = numbers[item.source_lemma]
        own, _ = senses[item.rule]
        for number, words in senses.values():
            name = join_words(words)
            if number != own and has_distance(item, name):
                low, high = sorted((own, number))
                found[item.source_lemma, low, high] = distance_to(item, name)
    return [f"{word}\t{low}-{high}\t{value!r}" for (word, low, high), value in found.items()]


def _numbers(suite: Suite) -> dict[str, dict[str, tuple[int, tuple[str, ...]]]]:
    """Return for each word its senses, by rule, with number and words; one of which only wrong words are known too."""
    found: dict[str, dict[str, tuple[int, tuple[str, ...]]]] = {}
    known = senses_of_words(suite.items)
    for item in suite.items:
        senses = found.setdefault(item.source_lemma, {})
        senses.setdefault(item.rule, (len(senses), item.expected))
    for item in suite.items:
        senses = found[item.source_lemma]
        rest = tuple(word for word in item.forbidden if word.lower() not in known[item.source_lemma])
        if rest and not any(set(rest) <= set(words) for _, words in senses.values()):
            senses[f"{item.source_lemma}:{join_words(rest)}"] = (len(senses), rest)
    return found


def _senses_file(path: Path) -> Path:
    return path.with_name(f"senses.{_SUFFIX.sub('', path.name)}.txt")


def _distances_file(path: Path) -> Path:
    return path.with_name(f"distances.{_SUFFIX.sub('', path.name)}.txt")


def _distances_from(
    sense: int, words: Mapping[int, tuple[str, ...]], distances: Mapping[tuple[int, int], float]
) -> dict[str, float]:
    """Return the distance of each other sense of a word from one, by the other's name."""
    return {
        join_words(words[other]): distances[pair]
        for other in words
        if other != sense and (pair := (min(sense, other), max(sense, other))) in distances
    }


def _warnings(senses: _Senses, distances: _Distances, items: Sequence[Item]) -> tuple[str, ...]:
    used = {item.source_lemma for item in items}
    missing = sum(
        pair not in distances.get(word, {})
        for word, listed in senses.items()
        if word in used
        for pair in combinations(sorted(listed), 2)
    )
    if not distances or not missing:
        return ()
    return (f"{missing} pairs of senses have no distance; one taken for the other gets no credit",)


def _read_distances(path: Path, senses: _Senses, log: FaultLog) -> _Distances:
    found: dict[str, dict[tuple[int, int], float]] = {}
    for number, line in enumerate(read_lines(path, log).texts if path.exists() else (), start=1):
        word, _, rest = line.partition("\t")
        pair, _, value = rest.partition("\t")
        named, distance = _PAIR.fullmatch(pair), _number(value)
        if named is None or distance is None:
            log.add("E224", "this is no distance", "lemma, 0-1, distance from 0 to 2 between tabs", str(path), number)
            continue
        numbers = sorted(map(int, named.groups()))
        strange = [sense for sense in numbers if sense not in senses.get(word, {})]
        if strange:
            cause = f"the sense {strange[0]} of “{word}” is unknown"
            log.add("E224", cause, "the file of senses has none such", str(path), number)
            continue
        found.setdefault(word, {})[numbers[0], numbers[-1]] = distance
    return found


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 2 else None


def _read_senses(path: Path, log: FaultLog) -> _Senses:
    found: dict[str, dict[int, tuple[str, ...]]] = {}
    for number, line in enumerate(read_lines(path, log).texts, start=1):
        fields = line.split("\t")
        sense = whole_number(fields[1]) if len(fields) > 1 else None
        if len(fields) < 5 or sense is None or not fields[4].split():
            advice = "lemma, number, name, share, words between tabs"
            log.add("E224", "this is no sense", advice, str(path), number)
            continue
        words = tuple(dict.fromkeys(word.replace("_", " ") for word in fields[4].split()))
        found.setdefault(fields[0], {})[sense] = words
    return found
