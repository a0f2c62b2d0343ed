"""CoCoA-MT (Nadejde et al., 2022): formality, with the phrases that carry it marked in two references.

Files of lines: ``NAME.en-de``, ``NAME.en-de.formal.annotated`` and ``NAME.en-de.informal.annotated``, where a marked
phrase stands between ``[F]`` and ``[/F]``.
"""

from __future__ import annotations

import re
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.errors import Fault, InputError
from endophora.suites.records import Item, Suite, Variant, suite_name
from endophora.suites.together import read_together

_NAME = re.compile(r"^((?:.*\.)?([a-z]{2})-([a-z]{2}))(?:\.(formal|informal)(?:\.\w+)?)?$")
_PHRASE = re.compile(r"\[F\](.*?)\[/F\]")
_TAG = re.compile(r"\[/?F\]")
_OTHER = {"formal": "informal", "informal": "formal"}


def read_cocoa(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read CoCoA-MT in one level of formality.

    Args:
        path: a reference of the wanted level, such as ``….en-de.informal.annotated``; for the source it is the formal.
        languages: ISO 639-1 codes, in place of those in the file's name.

    Raises:
        InputError: the file's name is not so (E171), or files are missing or of different length (E179).
    """
    file, log = Path(path), FaultLog()
    found = _NAME.match(file.name)
    if not found:
        raise InputError(Fault("E171", "this is none of CoCoA-MT's files", "name NAME.en-de", str(path)))
    stem, source, target = found[1], found[2], found[3]
    level = found[4] or "formal"
    paths = {
        "source": file.with_name(stem),
        "reference": file.with_name(f"{stem}.{level}.annotated"),
        "other": file.with_name(f"{stem}.{_OTHER[level]}.annotated"),
    }
    lines = read_together(paths, log)
    log.check()
    rows = zip(lines["source"], lines["reference"], lines["other"], strict=True)
    items = tuple(_item(index, *row, level=level) for index, row in enumerate(rows))
    note = "" if found[4] else f"The formal level is scored; name {stem}.informal.annotated for the informal."
    return Suite(
        f"{suite_name(stem)}.{level}", *(languages or (source, target)), items, warnings=(note,) if note else ()
    )


def _item(index: int, source: str, reference: str, other: str, *, level: str) -> Item:
    return Item(
        id=str(index),
        document=str(index),
        segment=0,
        source=source,
        reference=_TAG.sub("", reference),
        phenomenon="formality",
        rule=level,
        expected=tuple(dict.fromkeys(_PHRASE.findall(reference))),
        forbidden=tuple(dict.fromkeys(_PHRASE.findall(other))),
        criterion="matched",
        before=(),
        variants=(Variant(_TAG.sub("", other), label=_OTHER[level]),),
    )
