"""The files of lines of MuCoW's translation variant: ``XX-YY.key.txt``, ``.text.txt``, ``.ref.txt``, ``.domain.txt``.

A line of the key is number, corpus, ambiguous word, right words, wrong words, between tabs; one of the domains is word,
right words, ``in`` or ``out``, and how many sentences are of corpora in and out of the domain. Words stand between
spaces, so that the words of one entry are held together by ``_``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.corpus.writing import write_lines
from endophora.suites.records import Item, Suite
from endophora.suites.senses.mucow_json import check_sense_suite, pair_in
from endophora.suites.senses.words import IN_DOMAIN, OUT_OF_DOMAIN, domain_of, join_words, make_item, origin_of
from endophora.suites.together import read_together
from endophora.suites.writable import check_texts

PARTS = ("key", "text", "ref", "domain")
_NAME = re.compile(rf"\.({'|'.join(PARTS)})\.txt$")
_DOMAINS = (IN_DOMAIN, OUT_OF_DOMAIN)


def is_mucow_lines(path: Path) -> bool:
    """Tell whether a path is one of the files."""
    return _NAME.search(path.name) is not None


def read_mucow_lines(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite of the translation variant.

    Args:
        path: any of its files; key and text must be there, references and domains may.
        languages: ISO 639-1 codes; by default those in the files' name.

    Raises:
        InputError: with all faults of all files: one is missing or of another length (E179), or a line is not in its
            form (E223).
    """
    log, stem = FaultLog(), _NAME.sub("", str(path))
    files = {part: Path(f"{stem}.{part}.txt") for part in PARTS}
    chosen = {part: files[part] for part in ("key", "text", "ref") if part != "ref" or files[part].exists()}
    lines = read_together(chosen, log)
    domains = _domains(files["domain"], log) if files["domain"].exists() else {}
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
                join_words(expected),
                text,
                reference,
                expected=[entry.replace("_", " ") for entry in expected],
                forbidden=[entry.replace("_", " ") for entry in forbidden],
                origin=origin,
                domain=domain,
                name=name,
            )
        )
    log.check()
    return Suite(Path(stem).name, *(languages or pair_in(Path(stem).name)), tuple(items))


def write_mucow_lines(suite: Suite, path: PathLike) -> None:
    """Write a suite of the translation variant.

    Args:
        suite: what to write.
        path: the first part of the files' names, such as ``out/en-de``, or any of the files.

    Raises:
        InputError: it is no suite of word senses (E222), an item has no expected word, or a text has a tab or a line
            end (E176), or a file cannot be written (E026).
    """
    check_sense_suite(suite, "MuCoW's lines")
    check_texts(suite, "MuCoW's lines", expected=True, lines=True)
    stem = _NAME.sub("", str(path))
    right = _right_words(suite.items)
    write_lines(f"{stem}.key.txt", map(_key, suite.items, right))
    write_lines(f"{stem}.text.txt", (item.source for item in suite.items))
    if any(item.reference for item in suite.items):
        write_lines(f"{stem}.ref.txt", (item.reference for item in suite.items))
    if all(domain_of(item) for item in suite.items):
        write_lines(f"{stem}.domain.txt", _domain_lines(suite.items, right))


def _entries(words: tuple[str, ...]) -> str:
    return " ".join(dict.fromkeys("_".join(word.lower().split()) for word in words))


def _right_words(items: Sequence[Item]) -> list[str]:
    """Return the right words of each item, in one order a sense, since they are its name."""
    names: dict[tuple[str, frozenset[str]], str] = {}
    found = list[str]()
    for item in items:
        entries = _entries(item.expected)
        found.append(names.setdefault((item.source_lemma, frozenset(entries.split())), entries))
    return found


def _key(item: Item, right: str) -> str:
    return "\t".join((item.id, origin_of(item), item.source_lemma, right, _entries(item.forbidden)))


def _domain_lines(items: Sequence[Item], right: Sequence[str]) -> list[str]:
    counts = Counter[tuple[str, str, str, bool]]()
    for item, words in zip(items, right, strict=True):
        outside = bool(item.extra.get("out of domain", domain_of(item) == OUT_OF_DOMAIN))
        counts[item.source_lemma, words, domain_of(item), outside] += 1
    keys = dict.fromkeys(key[:3] for key in counts)
    return ["\t".join((*key, str(counts[(*key, False)]), str(counts[(*key, True)]))) for key in keys]


def _domains(path: Path, log: FaultLog) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for number, line in enumerate(read_lines(path, log).texts, start=1):
        fields = line.split("\t")
        if len(fields) < 3 or fields[2] not in _DOMAINS:
            log.add("E223", "this says no domain", "word, right words, in or out between tabs", str(path), number)
            continue
        found[fields[0], fields[1]] = fields[2]
    return found
