"""Outputs of systems in files of their own, put to the segments of a corpus that a file of some format has.

A file of a format that knows its segments is matched by their ids, or else by their source text, never by its order;
plain text has one line a segment. What cannot be matched without doubt is a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, display_name
from endophora.corpus.parallel import plain_lines
from endophora.corpus.streams import Row

Reader = Callable[[PathLike, FaultLog], Iterator[Row]]
"""Yields the rows of a file, with an empty translation where there is none."""


def with_outputs(
    rows: Sequence[Row], files: Mapping[str, tuple[PathLike, Reader | None]], log: FaultLog
) -> Iterator[Row]:
    """Yield rows with the outputs of further systems: name → file, and its reader where it is no plain text.

    Faults: plain text of another number of lines (E008) or what is clearly none (E385), a segment without an output or
    with several (E234), a file that does not say which of its texts is the output (E235), those of the files.
    """
    found: dict[str, Sequence[tuple[str, str, int] | None]] = {}
    for name, (path, reader) in files.items():
        if reader is None:
            lines = plain_lines(path, len(rows), "the input", log)
            found[name] = [(text, lines.file, number) for number, text in enumerate(lines.texts, start=1)]
        else:
            found[name] = _matched(rows, list(_texts(name, reader(path, log), log)), display_name(path), log)
    for index, row in enumerate(rows):
        outputs, elsewhere = dict(row.outputs), dict(row.elsewhere)
        for name, texts in found.items():
            text, file, line = (texts[index] if index < len(texts) else None) or ("", row.file, row.line)
            outputs[name] = text
            elsewhere[f"system {name}"] = file, line - row.line
        yield row._replace(outputs=outputs, elsewhere=elsewhere)


def _texts(name: str, rows: Iterator[Row], log: FaultLog) -> Iterator[tuple[Row, str]]:
    """Yield the rows of a file, each with the text that is the output."""
    for row in rows:
        texts = {**row.references, **row.outputs}
        if name not in texts and len(texts) != 1:
            known = ", ".join(texts) or "none"
            advice = f"leave one translation in it, or name one of them “{name}”"
            log.add("E235", f"which text is the output is not known; there are: {known}", advice, row.file, row.line)
            return
        yield row, texts.get(name, next(iter(texts.values())))


def _document_and_id(row: Row) -> tuple[str, str]:
    return row.document or "", row.id


def _id(row: Row) -> tuple[str, str]:
    return "", row.id


def _source(row: Row) -> tuple[str, str]:
    return "", " ".join(row.source.split())


def _matched(
    rows: Sequence[Row], given: Sequence[tuple[Row, str]], file: str, log: FaultLog
) -> list[tuple[str, str, int] | None]:
    """Return text, file and line of the output of each row; ``None`` where there is none."""
    identify = next((each for each in (_document_and_id, _id) if _identifies(each, rows, given)), _source)
    known: dict[tuple[str, str], list[tuple[Row, str]]] = {}
    for row, text in given:
        known.setdefault(identify(row), []).append((row, text))
    wanted = Counter(map(identify, rows))
    taken = Counter[tuple[str, str]]()
    found: list[tuple[str, str, int] | None] = []
    for row in rows:
        key = identify(row)
        here = known.get(key, [])
        cause = _doubt(row, here, wanted[key], file)
        if cause:
            log.add("E234", cause, "translate the same file with every system", row.file, row.line)
            found.append(None)
            continue
        # Equal sources that are as often in both are in the same order; one translation may also stand for all.
        other, text = here[taken[key]] if len(here) == wanted[key] else here[0]
        taken[key] += 1
        found.append((text, other.file, other.line))
    if more := sum(len(held) for key, held in known.items() if key not in wanted):
        log.notes[f"segments of {file} that the input does not have were left out"] += more
    return found


def _identifies(
    identify: Callable[[Row], tuple[str, str]], rows: Sequence[Row], given: Sequence[tuple[Row, str]]
) -> bool:
    """Return whether ids tell segments apart, and mean the same in both files: most have the same source there."""
    known = {identify(row): _source(row) for row, _ in given}
    keys = [identify(row) for row in rows]
    same = sum(known.get(key) == _source(row) for key, row in zip(keys, rows, strict=True))
    return all(row.id for row in rows) and len({*keys}) == len(keys) and 2 * same > len(keys)


def _doubt(row: Row, here: Sequence[tuple[Row, str]], wanted: int, file: str) -> str:
    """Say why a row has no output in a file; nothing if it has."""
    if not here:
        return f"{file} has no translation of this segment: “{row.source[:60]}”"
    if len(here) != wanted and len({text for _, text in here}) > 1:
        lines = ", ".join(str(other.line) for other, _ in here[:5])
        return f"{file} has {len(here)} translations of this segment, in lines {lines}, and {wanted} are needed"
    if wanted == 1 and _source(here[0][0]) != _source(row):
        return f"the segment “{row.id}” has another source in line {here[0][0].line} of {file}"
    return ""
