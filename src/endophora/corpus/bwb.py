r"""BWB, the annotated web novels of BlonDe (Jiang et al. 2022): a folder a book, ``N.chs_re.txt``, ``N.ref_re.txt``.

In the edition of 2023 (``N.chs_re.an.txt``) texts have marks: ``<PER, T, 1>{Qiao Lian}`` is a mention of entity 1, a
person, by a term (``N``: by none), ``<P, 1>{her}`` a pronoun, ``<O, 1>{her}`` one that the other language omits, and
``<Q, 1> … <\Q>`` what entity 1 says. In that of 2022 ``N.mt_re.txt`` and ``N.pe_re.txt`` are an output and its
post-edited form, and ``N.an.txt`` has errors, which :mod:`endophora.metrics.blonde_plus` reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.corpus.streams import UNREAD, ReadOptions, Row

REFERENCE, OUTPUTS = "ref", ("mt", "pe")
_SOURCE = ".chs_re.txt", ".chs_re.an.txt"
_MARK = re.compile(r"<\s*[\\/]\s*Q\s*>\s*|<\s*([A-Z]+)\s*(?:,\s*([A-Z]+)\s*)?,\s*(\d+)\s*>(\{?)|\}")
_QUOTE = "Q"
PRONOUN, OMITTED = "P", "O"


class Mention(NamedTuple):
    """Where an entity is spoken of, or what it says: a type such as PER, P, O or Q, and whether a term (T, N)."""

    start: int
    end: int
    kind: str
    entity: int
    term: str = ""


def read_marks(line: str) -> tuple[str, list[Mention], str]:
    """Return a text without its marks, the mentions in it, and what is wrong with the marks, or nothing.

    The published files lack some opening braces; a mention then begins behind its mark.
    """
    text, at, wrong = "", 0, ""
    open_ones, found = list[Mention](), list[Mention]()
    for match in _MARK.finditer(line):
        text, at = text + line[at : match.start()], match.end()
        if match[1]:
            if match[1] == _QUOTE:
                at += len(line[at:]) - len(line[at:].lstrip())
            open_ones.append(Mention(len(text), 0, match[1], int(match[3]), match[2] or ""))
            continue
        closes_quote = match[0] != "}"
        if not open_ones or closes_quote is not (open_ones[-1].kind == _QUOTE):
            wrong = wrong or f"“{match[0].strip()}” closes nothing"
            continue
        if closes_quote:
            text = text.rstrip()
        found.append(open_ones.pop()._replace(end=len(text)))
    if open_ones:
        wrong = wrong or f"“<{open_ones[-1].kind}, {open_ones[-1].entity}>” is not closed"
    return (text + line[at:]).strip(), sorted(found, key=lambda one: (one.start, -one.end)), wrong


def write_marks(text: str, mentions: Iterable[Mention]) -> str:
    """Return a text with its mentions marked; they may lie within each other, and do not cross (ValueError).

    A text that contains the signs of marks itself looks the same as one with marks.
    """
    marked, at = "", 0
    open_ones = list[Mention]()

    def close(before: int) -> None:
        nonlocal marked, at
        while open_ones and open_ones[-1].end <= before:
            one = open_ones.pop()
            marked, at = marked + text[at : one.end] + (" <\\Q>" if one.kind == _QUOTE else "}"), one.end

    for one in sorted(mentions, key=lambda one: (one.start, -one.end)):
        close(one.start)
        if open_ones and one.end > open_ones[-1].end:
            raise ValueError(f"{one} crosses {open_ones[-1]}")
        names = ", ".join(part for part in (one.kind, one.term, str(one.entity)) if part)
        marked, at = marked + text[at : one.start] + f"<{names}>" + (" " if one.kind == _QUOTE else "{"), one.start
        open_ones.append(one)
    close(len(text))
    return marked + text[at:]


def is_bwb(path: Path) -> bool:
    """Return whether a folder is of this layout."""
    return path.is_dir() and any(any(path.glob(f"*/*{ending}")) for ending in _SOURCE)


def bwb_rows(path: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of all books, without marks; a document is ``BOOK-N``, as in the published reader.

    Faults: those of files (E001 to E007), another number of lines (E008), marks that do not fit (E029).
    """
    del options
    found = (file for ending in _SOURCE for file in Path(path).glob(f"*/*{ending}"))
    files = {(file.parent.name, file.name.split(".")[0]): file for file in found}
    for book, number in sorted(files, key=lambda stem: (_by_number(stem[0]), _by_number(stem[1]))):
        source = files[book, number]
        names = {REFERENCE: source.with_name(source.name.replace(".chs_re", ".ref_re"))}
        outputs = {name: source.with_name(f"{number}.{name}_re.txt") for name in OUTPUTS}
        yield from _document(f"{book}-{number}", source, names | {n: p for n, p in outputs.items() if p.exists()}, log)


def _by_number(name: str) -> tuple[int, str]:
    digits = re.sub(r"\D", "", name)
    return (int(digits) if digits else 0, name)


def _document(name: str, source: Path, others: Mapping[str, Path], log: FaultLog) -> Iterator[Row]:
    lines = {which: read_lines(file, log).texts for which, file in others.items()}
    texts = read_lines(source, log).texts
    for which, own in lines.items():
        if len(own) != len(texts):
            cause = f"{len(own)} lines, and {source.name} has {len(texts)}"
            log.add("E008", cause, "a line a segment in both", str(others[which]))
            return
    for number, line in enumerate(texts, 1):
        read = {which: own[number - 1] for which, own in lines.items()}
        plain = {which: _plain(text, str(others[which]), number, log) for which, text in read.items()}
        outputs = {which: text for which, text in plain.items() if which != REFERENCE}
        own = _plain(line, str(source), number, log)
        sound = UNREAD not in (own, plain[REFERENCE])
        yield Row(name, own, {REFERENCE: plain[REFERENCE]}, outputs, str(source), number, sound)


def _plain(line: str, file: str, number: int, log: FaultLog) -> str:
    if not file.endswith(".an.txt"):
        return line.strip()
    text, _, wrong = read_marks(line)
    if wrong:
        advice = "write <PER, T, 1>{name}, <P, 1>{her} or <Q, 1> … <\\Q>"
        log.add("E029", f"marks of mentions do not fit: {wrong}", advice, file, number)
    return UNREAD if wrong else text
