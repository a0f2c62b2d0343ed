"""Files that come in pairs, one a language: subtitles (SRT, WebVTT), DOCX documents, and SGML of WMT and IWSLT.

Cues are paired by their time codes. Those of a file are joined to sentences; sentences of several files that are on the
screen together make a segment. DOCX documents are paired paragraph by paragraph, and must have equally many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import unescape
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, cast

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, bare_name, display_name, each_line, need_library, noting
from endophora.corpus.parallel import Files
from endophora.corpus.sheets import check_packed, damage
from endophora.corpus.streams import UNTRANSLATED, Row
from endophora.corpus.wmt_files import is_sgm, sgm_file_rows

SUBTITLES = (".srt", ".vtt")
TAGS = "tags of subtitles were left out of the text"
UNPAIRED = "sentences without a counterpart in the source were left out"

_TIME = re.compile(r"\s*((?:\d+:)?\d\d:\d\d[,.]\d{3})\s+-->\s+((?:\d+:)?\d\d:\d\d[,.]\d{3})(?:\s.*)?")
_TAG = re.compile(r"</?(?:[bius]|font|c|v|lang|ruby|rt)(?:[.\s][^<>]*)?>|<\d\d:[\d:.]+>|\{\\[^{}]*\}", re.IGNORECASE)
_END = re.compile(r"[.!?…。！？؟।]['\"»”’)\]]*$")
_BLOCKS = ("WEBVTT", "NOTE", "STYLE", "REGION")

_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_BLANKS = frozenset(f"{_WORD}{name}" for name in ("tab", "br", "cr"))
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_UNREAD = frozenset(f"{_WORD}{name}" for name in ("p", "pPr", "rPr", "del", "moveFrom"))

LONGEST_GAP = 2.0
"""Seconds between two cues after which no sentence continues."""

MOST_CUES = 8
"""Cues of a sentence at most: speech without punctuation has no end else."""

TOGETHER = 0.5
"""Share of the shorter of two sentences that both must be on the screen, to belong together."""


class Cue(NamedTuple):
    """A text on the screen, from one time to another in seconds, and the line where it begins."""

    start: float
    end: float
    text: str
    line: int


def is_paired(path: PathLike) -> bool:
    """Return whether a file is of a form that comes in pairs."""
    return bare_name(path).endswith((*SUBTITLES, ".docx")) or is_sgm(path)


def pair_rows(files: Files, log: FaultLog) -> Iterator[Row]:
    """Yield the segments of files of one form, the source's name as the id of the document, but of SGML its own.

    Faults: E001–E007, a file that is of another form or document ids beside it (E098), what is no cue (E239),
    documents with different numbers of paragraphs (E008), what is no document (E238). Without python-docx: E150.
    """
    subtitles, sgm = bare_name(files.source).endswith(SUBTITLES), is_sgm(files.source)
    for part, path in files.parts().items():
        other = not is_paired(path) or bare_name(path).endswith(SUBTITLES) != subtitles or is_sgm(path)
        if part == "document" or (other and not sgm):
            cause = f"it is not of the form of {display_name(files.source)}"
            log.add("E098", cause, "give all files in one form, without --documents", display_name(path))
    if log:
        return
    if sgm:
        yield from sgm_file_rows(files, log)
        return
    parts = files.parts()
    if subtitles:
        found = {part: list(sentences(_cues(path, log))) for part, path in parts.items()}
        groups = _together(found, log)
    else:
        paragraphs = {part: list(_paragraphs(path, log)) for part, path in parts.items()}
        groups = _in_order(paragraphs, parts, log)
    for group in groups:
        texts = {part: " ".join(cue.text for cue in cues) for part, cues in group.items()}
        source = group["source"][0].line
        references = {name: texts.get(f"reference {name}", "") for name in files.references}
        if references and not all(references.values()):
            log.notes[UNTRANSLATED] += 1
            continue
        yield Row(
            Path(display_name(files.source)).name,
            texts["source"],
            references,
            {name: texts.get(f"system {name}", "") for name in files.systems},
            display_name(files.source),
            source,
            elsewhere={
                part: (display_name(path), (group[part][0].line if part in group else source) - source)
                for part, path in parts.items()
                if part != "source"
            },
        )


def _cues(path: PathLike, log: FaultLog) -> Iterator[Cue]:
    """Yield the cues of a subtitle file."""
    file, vtt = display_name(path), bare_name(path).endswith(".vtt")
    times: tuple[float, float] | None = None
    texts: list[str] = []
    begun, last, other, skipped = 0, 0, "", False
    # An empty line ends the last cue, too.
    for line, text in chain(each_line(path, log), [(0, "")]):
        if text is None:
            continue
        if found := _TIME.fullmatch(text):
            if times and texts and texts[-1].strip().isdecimal():
                # The number of the next cue, where no empty line is before it.
                texts.pop()
            if times:
                yield _cue(times, texts, begun, log, vtt=vtt)
            times, texts, begun, other = (_seconds(found[1]), _seconds(found[2])), [], line, ""
            if times[1] < times[0]:
                log.add("E239", "the cue ends before it begins", "correct its times", file, line)
        elif not text.strip():
            if times:
                yield _cue(times, texts, begun, log, vtt=vtt)
            if other and not skipped and not other.isdecimal():
                log.add("E239", f"this is no cue: “{other[:60]}”", "a cue has its times in a line", file, last)
            times, other, skipped = None, "", False
        elif times:
            texts.append(text)
        else:
            skipped = skipped or text.removeprefix("\ufeff").startswith(_BLOCKS)
            other, last = text.strip(), line


def _cue(times: tuple[float, float], texts: Sequence[str], line: int, log: FaultLog, *, vtt: bool) -> Cue:
    text, count = _TAG.subn("", " ".join(texts))
    text = unescape(text) if vtt else text
    log.notes.update([TAGS] * count)
    return Cue(*times, " ".join(text.split()), line)


def _seconds(text: str) -> float:
    *hours, minutes, seconds = text.replace(",", ".").split(":")
    return 3600 * float(hours[0] if hours else 0) + 60 * float(minutes) + float(seconds)


def sentences(cues: Iterator[Cue]) -> Iterator[Cue]:
    """Join cues that belong to one sentence; those without text are left out."""
    held: list[Cue] = []
    for cue in cues:
        if not cue.text:
            continue
        if held and (cue.start - held[-1].end > LONGEST_GAP or len(held) == MOST_CUES):
            yield _joined(held)
            held = []
        held.append(cue)
        if _END.search(cue.text):
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(cues: Sequence[Cue]) -> Cue:
    return Cue(cues[0].start, max(cue.end for cue in cues), " ".join(cue.text for cue in cues), cues[0].line)


def _together(found: Mapping[str, Sequence[Cue]], log: FaultLog) -> Iterator[Mapping[str, Sequence[Cue]]]:
    """Yield the sentences of all files that are on the screen together; only those that the source is among."""
    marked = sorted(
        (cue.start, cue.end, part, number) for part, cues in found.items() for number, cue in enumerate(cues)
    )
    group: dict[str, list[Cue]] = {}
    shown: dict[str, list[Cue]] = {}
    for start, end, part, number in marked:
        cue = found[part][number]
        # What has ended before this one begins is with none that follows; of many at once the last are looked at.
        shown = {name: [other for other in others if other.end > start][-MOST_CUES:] for name, others in shown.items()}
        near = [other for name, others in shown.items() if name != part for other in others]
        shared = (
            max((min(end, other.end) - max(start, other.start)) / _shorter(cue, other) for other in near) if near else 0
        )
        if group and shared < TOGETHER:
            yield from _with_source(group, log)
            group, shown = {}, {}
        shown.setdefault(part, []).append(cue)
        group.setdefault(part, []).append(cue)
    yield from _with_source(group, log)


def _shorter(one: Cue, other: Cue) -> float:
    return max(0.001, min(one.end - one.start, other.end - other.start))


def _with_source(group: dict[str, list[Cue]], log: FaultLog) -> Iterator[Mapping[str, Sequence[Cue]]]:
    if "source" in group:
        yield group
    elif group:
        log.notes[UNPAIRED] += sum(map(len, group.values()))


def _paragraphs(path: PathLike, log: FaultLog) -> Iterator[Cue]:
    """Yield the paragraphs of a document in order, those of tables among them; numbers stand for times."""
    need_library("docx", "DOCX", path, "formats")
    with noting(path, log, lambda: None), damage(path, log):
        check_packed(path)
        open_document = cast("Callable[[str], Any]", import_module("docx").Document)
        body = open_document(str(path)).element.body
        for number, paragraph in enumerate(body.iter(f"{_WORD}p"), start=1):
            if next(paragraph.iterancestors(_FALLBACK), None) is not None:
                # The same text box once more, for older programs.
                continue
            if text := " ".join("".join(_runs(paragraph)).split()):
                yield Cue(number, number, text, number)


def _runs(element: Any) -> Iterator[str]:
    """Yield the text of a paragraph as it reads with all changes accepted, without paragraphs within it."""
    for part in element:
        if part.tag == f"{_WORD}t":
            yield part.text or ""
        elif part.tag in _BLANKS:
            yield " "
        elif part.tag == f"{_WORD}noBreakHyphen":
            yield "-"
        elif part.tag not in _UNREAD:
            yield from _runs(part)


def _in_order(
    found: Mapping[str, Sequence[Cue]], parts: Mapping[str, PathLike], log: FaultLog
) -> Iterator[Mapping[str, Sequence[Cue]]]:
    count = len(found["source"])
    for part, cues in found.items():
        if len(cues) != count and not log:
            cause = f"{len(cues)} paragraphs with text, but {count} in {display_name(parts['source'])}"
            advice = "every document needs the same paragraphs; look for one that was split, joined or left out"
            log.add("E008", cause, advice, display_name(parts[part]))
    if not log:
        for number in range(count):
            yield {part: [cues[number]] for part, cues in found.items()}
