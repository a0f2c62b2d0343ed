"""MuCoW's formats (Raganato et al., 2019; Raganato, Scherrer and Tiedemann, 2020).

- JSON, of the variants for scoring (``…scoring.json``) and for translation (``…tts.json``), and ContraWSD's: the
  ambiguous word, the sentence pair, the right sense as its words joined by ``_`` (ContraWSD: by ``|``), and the wrong
  translations under ``errors``. Other keys are kept.
- Files of lines of the translation variant: ``XX-YY.key.txt``, ``.text.txt``, ``.ref.txt``, ``.domain.txt``. A line
  of the key is number, corpus, ambiguous word, right words, wrong words, between tabs; one of the domains is word,
  right words, ``in`` or ``out``, and how many sentences are of corpora in and out of the domain. Words stand between
  spaces, so that the words of one entry are joined by ``_``.
- The table of 2020: ``XX-YY.test.txt`` has a sentence a line: ambiguous lemma, number of the sense, corpus, source,
  reference (both tokenised), and the source word as it stands there. ``senses.XX-YY.txt`` has a sense a line: lemma,
  number, a name or count, the share of the sense among the word's, and its words between spaces.
  ``distances.XX-YY.txt``, which may be missing, has a pair of senses a line: lemma, ``0-1``, and how far they are
  from one another, 0 if not at all.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from endophora.corpus.faults import FaultLog, too_long, whole_number
from endophora.corpus.lines import PathLike, display_name, read_lines
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError
from endophora.suites.files import (
    SHORTEN_ADVICE,
    Fields,
    check_texts,
    languages_in,
    read_items,
    read_together,
    write_objects,
)
from endophora.suites.records import Item, Json, Suite, suite_name
from endophora.suites.senses.items import (
    DISTANCES,
    IN_DOMAIN,
    OUT_OF_DOMAIN,
    distances_of,
    domain_of,
    is_sense_suite,
    make_item,
    make_variant,
    origin_of,
    sense_of,
    senses_of_words,
)

_TRANSLATIONS, _DOMAIN, _ID = "translations", "domain", "id"


def read_mucow_json(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of MuCoW or ContraWSD."""
    items = read_items(path, _json_item)
    return Suite(suite_name(path), *(languages or languages_in(display_name(path))), tuple(_labelled(items)))


def write_mucow_json(suite: Suite, path: PathLike) -> None:
    """Write a suite as MuCoW's JSON; what the published files do not say is under separate keys."""
    _check(suite, "MuCoW's JSON")
    write_objects(path, [_json_object(item) for item in suite.items])


def _check(suite: Suite, form: str, *, lines: bool = False) -> None:
    if not is_sense_suite(suite):
        raise InputError(Fault("E222", f"“{suite.name}” is no suite of word senses", "write another format", form))
    check_texts(suite, form, expected=True, lines=lines)


def _json_item(fields: Fields, number: int) -> Item:
    word, sense = fields.text("ambig word"), fields.text("sense")
    errors = [
        make_variant(error.text("contrastive"), error.text("replacement", default=""), error.text("sense", default=""))
        for error in fields.objects("errors")
    ]
    # A wrong word may be known, and no sentence with it.
    variants = [variant for variant in errors if variant.target]
    own = fields.texts(_TRANSLATIONS) if fields.has(_TRANSLATIONS) else ()
    words = own or tuple(filter(None, sense.split("|" if "|" in sense else "_")))
    name, form = fields.number(_ID), fields.text("original translation", default="")
    if not words:
        fields.fault("“sense” names no word")
    return make_item(
        number,
        word,
        sense,
        fields.text("source"),
        fields.text("reference"),
        expected=(form, *words) if form else words,
        forbidden=[error.form for error in errors if error.form],
        variants=variants,
        name="" if name is None else str(name),
        extra={key: fields.text(key, default="") for key in ("origin", "domain")} | fields.rest(),
    )


def _labelled(items: Sequence[Item]) -> list[Item]:
    """Return items whose wrong translations say of which sense they are, where another item of the word shows it."""
    senses = senses_of_words(items)
    return [
        replace(
            item,
            variants=tuple(
                replace(variant, label=variant.label or senses[item.source_lemma].get(variant.form.lower(), ""))
                for variant in item.variants
            ),
        )
        for item in items
    ]


def _json_object(item: Item) -> dict[str, Json]:
    sense = sense_of(item)
    rest = {key: value for key, value in item.extra.items() if key not in ("sense", "origin", "domain")}
    value: dict[str, Json] = {
        "ambig word": item.source_lemma,
        "reference": item.reference,
        "original translation": item.expected[0],
        "origin": origin_of(item),
        "sense": sense,
        "source": item.source,
    }
    if item.id.isdecimal() and item.id != str(item.segment):
        value[_ID] = int(item.id)
    if domain_of(item):
        value[_DOMAIN] = domain_of(item)
    if sorted(item.expected) != sorted(sense.split("_")):
        value[_TRANSLATIONS] = list(item.expected)
    written = {variant.form for variant in item.variants}
    bare = [make_variant("", word) for word in item.forbidden if word not in written]
    value["errors"] = [
        {"contrastive": variant.target, "type": variant.kind or "word_sense", "replacement": variant.form}
        for variant in (*item.variants, *bare)
    ]
    return value | rest


PARTS = ("key", "text", "ref", "domain")
_LINES_NAME = re.compile(rf"\.({'|'.join(PARTS)})\.txt$")
_DOMAINS = (IN_DOMAIN, OUT_OF_DOMAIN)


def is_mucow_lines(path: Path) -> bool:
    """Return whether a path is one of the files."""
    return _LINES_NAME.search(path.name) is not None


def read_mucow_lines(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of the translation variant."""
    log, stem = FaultLog(), _LINES_NAME.sub("", str(path))
    files = {part: Path(f"{stem}.{part}.txt") for part in PARTS}
    chosen = {part: files[part] for part in ("key", "text", "ref") if part != "ref" or files[part].exists()}
    lines = read_together(chosen, log)
    domains = _read_domains(files["domain"], log) if files["domain"].exists() else {}
    references = lines.get("ref") or [""] * len(lines["text"])
    items = list[Item]()
    for number, (key, text, reference) in enumerate(zip(lines["key"], lines["text"], references, strict=False)):
        fields = key.rstrip("\r\n").split("\t")
        if len(fields) != 5 or not all(fields[2:]):
            advice = "number, corpus, word, right words, wrong words between tabs"
            log.add("E223", f"{len(fields)} fields, or an empty one", advice, str(files["key"]), number + 1)
            continue
        name, origin, word, right, wrong = fields
        expected, forbidden = right.split(), wrong.split()
        domain = domains.get((word, right), "")
        if domains and not domain:
            cause = f"“{word}” in the sense “{right}” has no domain"
            log.add("E223", cause, "its line is missing among the domains", str(files["key"]), number + 1)
        items.append(
            make_item(
                number,
                word,
                "_".join(expected),
                text,
                reference,
                expected=[entry.replace("_", " ") for entry in expected],
                forbidden=[entry.replace("_", " ") for entry in forbidden],
                name=name,
                extra={"origin": origin, "domain": domain},
            )
        )
    log.check()
    return Suite(Path(stem).name, *(languages or languages_in(Path(stem).name)), tuple(items))


def write_mucow_lines(suite: Suite, path: PathLike) -> None:
    """Write a suite of the translation variant."""
    _check(suite, "MuCoW's lines", lines=True)
    stem = _LINES_NAME.sub("", str(path))
    # The right words are a sense's name: in one order wherever it stands.
    names: dict[tuple[str, frozenset[str]], str] = {}
    keys: list[str] = []
    domains: dict[tuple[str, str, str], Counter[bool]] = {}
    for item in suite.items:
        entries = _entries(item.expected)
        words = names.setdefault((item.source_lemma, frozenset(entries.split())), entries)
        keys.append("\t".join((item.id, origin_of(item), item.source_lemma, words, _entries(item.forbidden))))
        outside = bool(item.extra.get("out of domain", domain_of(item) == OUT_OF_DOMAIN))
        domains.setdefault((item.source_lemma, words, domain_of(item)), Counter())[outside] += 1
    write_lines(f"{stem}.key.txt", keys)
    write_lines(f"{stem}.text.txt", (item.source for item in suite.items))
    if any(item.reference for item in suite.items):
        write_lines(f"{stem}.ref.txt", (item.reference for item in suite.items))
    if all(domain_of(item) for item in suite.items):
        counted = domains.items()
        write_lines(f"{stem}.domain.txt", ("\t".join((*key, str(one[False]), str(one[True]))) for key, one in counted))


def _entries(words: tuple[str, ...]) -> str:
    return " ".join(dict.fromkeys("_".join(word.lower().split()) for word in words))


def _read_domains(path: Path, log: FaultLog) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for number, line in enumerate(read_lines(path, log).texts, start=1):
        fields = line.split("\t")
        if len(fields) < 3 or fields[2] not in _DOMAINS:
            log.add("E223", "this says no domain", "word, right words, in or out between tabs", str(path), number)
            continue
        found[fields[0], fields[1]] = fields[2]
    return found


_TABLE_LINE = re.compile(r"[^\t]+\t\d+\t[^\t]*\t[^\t]+\t[^\t]*\t[^\t]*$")
_SUFFIX = re.compile(r"\.(?:test|train|dev)\.txt(?:\.gz)?$")
_SENSE_PAIR = re.compile(r"(\d+)-(\d+)")
_Senses = Mapping[str, Mapping[int, tuple[str, ...]]]
_Numbers = Mapping[str, Mapping[str, tuple[int, tuple[str, ...]]]]
_Distances = Mapping[str, Mapping[tuple[int, int], float]]


def is_mucow_table(path: Path, first_line: str) -> bool:
    """Return whether a file is such a table."""
    return _TABLE_LINE.match(first_line.rstrip("\r")) is not None and _beside(path, "senses").exists()


def read_mucow_table(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a table, and the senses and distances next to it."""
    log = FaultLog()
    senses = _read_senses(_beside(path, "senses"), log)
    distances = _read_distances(_beside(path, "distances"), senses, log)
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
        # The distance of each other sense of the word from this one, by the other's name.
        given = distances.get(word, {})
        pairs = {other: (min(sense, other), max(sense, other)) for other in words if other != sense}
        known = {"_".join(words[other]): given[pair] for other, pair in pairs.items() if pair in given}
        others = [entry for key, entries in words.items() if key != sense for entry in entries]
        items.append(
            make_item(
                number,
                word,
                "_".join(expected),
                source,
                reference,
                expected=expected,
                forbidden=[entry for entry in others if entry not in expected],
                extra={"origin": origin, "form": form} | ({DISTANCES: dict[str, Json](known)} if known else {}),
            )
        )
    log.check()
    name = _SUFFIX.sub("", Path(path).name)
    warnings = _distance_warnings(senses, distances, items)
    return Suite(name, *(languages or languages_in(name)), tuple(items), warnings)


def write_mucow_table(suite: Suite, path: PathLike) -> None:
    """Write a table, its senses with their shares in the suite, and their distances where these are known."""
    _check(suite, "MuCoW's table", lines=True)
    numbers = _sense_numbers(suite)
    rows: list[str] = []
    for item in suite.items:
        form = str(item.extra.get("form", item.source_form or item.source_lemma))
        number = str(numbers[item.source_lemma][item.rule][0])
        rows.append("\t".join((item.source_lemma, number, origin_of(item), item.source, item.reference, form)))
    write_lines(path, rows)
    counts = Counter(item.rule for item in suite.items)
    lines = list[str]()
    for word, senses in numbers.items():
        total = sum(counts[rule] for rule in senses)
        for rule, (number, words) in senses.items():
            entries = " ".join("_".join(entry.split()) for entry in words)
            share = f"{counts[rule] / total:.4f}" if total else "0"
            lines.append("\t".join((word, str(number), str(counts[rule]), share, entries)))
    write_lines(_beside(path, "senses"), lines)
    if any(map(distances_of, suite.items)):
        write_lines(_beside(path, "distances"), _distance_lines(suite.items, numbers))


def _distance_lines(items: Sequence[Item], numbers: _Numbers) -> list[str]:
    """Return a line for each two senses of a word whose distance an item of either says."""
    found: dict[tuple[str, int, int], float] = {}
    for item in items:
        senses = numbers[item.source_lemma]
        own, distances = senses[item.rule][0], distances_of(item)
        for number, words in senses.values():
            name = "_".join(words)
            if number != own and name in distances:
                low, high = sorted((own, number))
                found[item.source_lemma, low, high] = distances[name]
    return [f"{word}\t{low}-{high}\t{value!r}" for (word, low, high), value in found.items()]


def _sense_numbers(suite: Suite) -> dict[str, dict[str, tuple[int, tuple[str, ...]]]]:
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
            senses[f"{item.source_lemma}:{'_'.join(rest)}"] = (len(senses), rest)
    return found


def _beside(path: PathLike, what: str) -> Path:
    """Return the file of ``senses`` or ``distances`` of a table."""
    return Path(path).with_name(f"{what}.{_SUFFIX.sub('', Path(path).name)}.txt")


def _distance_warnings(senses: _Senses, distances: _Distances, items: Sequence[Item]) -> tuple[str, ...]:
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
        named, distance = _SENSE_PAIR.fullmatch(pair), _number(value)
        if named is None or not 0 <= distance <= 2:
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


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


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
