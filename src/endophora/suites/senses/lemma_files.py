"""Files of lemmas of systems' outputs: lines of lemmas between spaces, or CoNLL-U with a sentence an output."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.suites.records import Suite
from endophora.suites.senses.matching import Text, given_lemmas

_FIELDS = 10


def read_lemmas(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[Text]]:
    """Read the lemmas of systems' outputs.

    Args:
        suite: the items.
        paths: system → file.

    Raises:
        InputError: with all faults of all files: one has not a line or sentence an item (E173).
    """
    log, found = FaultLog(), dict[str, list[Text]]()
    for name, path in paths.items():
        lines = read_lines(path, log)
        rows = _sentences(lines.texts) if _is_conllu(lines.texts) else [line.split() for line in lines.texts]
        if lines.readable and len(rows) != len(suite):
            cause = f"lemmas of {len(rows)} outputs for {len(suite)} items"
            log.add("E173", cause, "give a line, or a sentence of CoNLL-U, an item", lines.file)
        found[name] = given_lemmas(rows)
    log.check()
    return found


def _is_conllu(lines: Sequence[str]) -> bool:
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return first.count("\t") == _FIELDS - 1


def _sentences(lines: Sequence[str]) -> list[list[str]]:
    """Return the lemmas of each sentence; of words in several parts those of the parts."""
    found, current = list[list[str]](), list[str]()
    for line in (*lines, ""):
        fields = line.split("\t")
        if not line.strip():
            if current:
                found.append(current)
            current = []
        elif not line.startswith("#") and len(fields) == _FIELDS and fields[0].isdecimal():
            current.append(fields[2])
    return found
