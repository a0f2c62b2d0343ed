"""The table of MuCoW's edition of 2020 (Raganato, Scherrer and Tiedemann, LREC 2020).

``XX-YY.test.txt`` has a sentence a line: ambiguous lemma, number of the sense, corpus, source, reference (both
tokenised), and the source word as it stands there. ``senses.XX-YY.txt`` beside it has a sense a line: lemma, number,
a name or count, the share of the sense among the word's, and its words between spaces.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.corpus.writing import write_lines
from endophora.suites.records import Item, Suite
from endophora.suites.senses.mucow_json import check_sense_suite, pair_in
from endophora.suites.senses.words import join_words, make_item, origin_of, senses_of_words
from endophora.suites.writable import check_texts

_LINE = re.compile(r"[^\t]+\t\d+\t[^\t]*\t[^\t]+\t[^\t]*\t[^\t]*$")
_SUFFIX = re.compile(r"\.(?:test|train|dev)\.txt(?:\.gz)?$")
_Senses = Mapping[str, Mapping[int, tuple[str, ...]]]


def is_mucow_table(path: Path, first_line: str) -> bool:
    """Tell whether a file is such a table."""
    return _LINE.match(first_line.rstrip("\r")) is not None and _senses_file(path).exists()


def read_mucow_table(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a table and the senses beside it.

    Args:
        path: the table, gzipped or not.
        languages: ISO 639-1 codes; by default those in the file's name.

    Raises:
        InputError: with all faults: a file is missing (E001), or a line is not in its form or of an unknown sense
            (E224).
    """
    log = FaultLog()
    senses = _read_senses(_senses_file(Path(path)), log)
    lines, items = read_lines(path, log), list[Item]()
    for number, line in enumerate(lines.texts):
        fields = line.split("\t")
        if len(fields) != 6 or not fields[1].isdecimal():
            advice = "lemma, number of the sense, corpus, source, reference, source word between tabs"
            log.add("E224", f"{len(fields)} fields, or no number of a sense", advice, lines.file, number + 1)
            continue
        word, sense, origin, source, reference, form = fields
        words = senses.get(word, {})
        if int(sense) not in words:
            cause = f"the sense {sense} of “{word}” is unknown"
            log.add("E224", cause, "the file of senses has none such", lines.file, number + 1)
            continue
        expected = words[int(sense)]
        others = [entry for key, entries in words.items() if key != int(sense) for entry in entries]
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
                extra={"form": form},
            )
        )
    log.check()
    name = _SUFFIX.sub("", Path(path).name)
    return Suite(name, *(languages or pair_in(name)), tuple(items))


def write_mucow_table(suite: Suite, path: PathLike) -> None:
    """Write a table, and its senses beside it, with the shares that they have in the suite.

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


def _read_senses(path: Path, log: FaultLog) -> _Senses:
    found: dict[str, dict[int, tuple[str, ...]]] = {}
    for number, line in enumerate(read_lines(path, log).texts, start=1):
        fields = line.split("\t")
        if len(fields) < 5 or not fields[1].isdecimal() or not fields[4].split():
            advice = "lemma, number, name, share, words between tabs"
            log.add("E224", "this is no sense", advice, str(path), number)
            continue
        words = tuple(dict.fromkeys(word.replace("_", " ") for word in fields[4].split()))
        found.setdefault(fields[0], {})[int(fields[1])] = words
    return found
