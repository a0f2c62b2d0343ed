"""Suites that are several files of lines: read together, with as many lines each."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import read_lines
from endophora.suites.whole import check_lengths


def read_together(paths: Mapping[str, Path], log: FaultLog) -> dict[str, list[str]]:
    """Return the lines of files that belong together.

    Args:
        paths: what each file holds → its path.
        log: takes the faults: a file is missing or has another number of lines than the first (E179), and E001–E007.
    """
    missing = [path for path in paths.values() if not path.exists()]
    for path in missing:
        others = ", ".join(other.name for other in paths.values() if other.exists()) or "none"
        cause = f"a file of the suite is missing; of those that belong together there are: {others}"
        log.add("E179", cause, "copy all files of the suite into one folder", str(path))
    if missing:
        return {name: [] for name in paths}
    found = {name: read_lines(path, log) for name, path in paths.items()}
    for lines in found.values():
        check_lengths(lines, log)
    readable = [lines for lines in found.values() if lines.readable]
    for lines in readable[1:]:
        if len(lines.texts) != len(readable[0].texts):
            cause = f"{len(lines.texts)} lines, and {readable[0].file} has {len(readable[0].texts)}"
            log.add("E179", cause, "copy the suite again: its files have as many lines each", lines.file)
    return {name: lines.texts for name, lines in found.items()}
