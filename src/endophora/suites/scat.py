"""SCAT (Yin et al., 2021, en–fr): pronouns with the context that people used, marked in the text.

Four files of lines: ``NAME.en``, ``NAME.fr``, ``NAME.context.en``, ``NAME.context.fr``. The pronoun stands between
``<p>`` and ``</p>``, a word that people marked between ``<hon>`` and ``<hoff>``, with one space more on either side.
"""

from __future__ import annotations

import re
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.errors import Fault, InputError
from endophora.suites.records import Item, Json, Pair, Suite, suite_name
from endophora.suites.together import read_together

_NAME = re.compile(r"^(.+?)(?:\.context)?\.([a-z]{2})(\.gz)?$")
_TAG = re.compile(r" ?<hon>|</?hoff> ?|</?p>")


def read_scat(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read SCAT. Lines whose marks do not match, of which the published files have some, are left out with a warning.

    Args:
        path: any of its four files, such as ``highlighted.test.en``.
        languages: ISO 639-1 codes, which are the files' suffixes; English and French by default.

    Raises:
        InputError: the file's name is not so (E171), files are missing or of different length (E179), or no line has a
            pronoun (E172).
    """
    found = _NAME.match(Path(path).name)
    if not found:
        raise InputError(Fault("E171", "this is none of SCAT's files", "name NAME.en", str(path)))
    source, target = languages or ("en", "fr")
    stem, log = f"{found[1]}", FaultLog()
    suffix = found[3] or ""
    paths = {
        f"{part}{code}": Path(path).with_name(f"{stem}{part}.{code}{suffix}")
        for part in ("", ".context")
        for code in (source, target)
    }
    lines = read_together(paths, log)
    log.check()
    items, malformed = list[Item](), 0
    for index, texts in enumerate(zip(*lines.values(), strict=True)):
        marked = [one for one in map(_unmark, texts) if one is not None]
        if len(marked) == len(texts) and marked[0].pronoun and marked[1].pronoun:
            items.append(_item(index, *marked))
        else:
            malformed += 1
    if not items:
        log.add("E172", "no line has a pronoun between <p> and </p>", "name SCAT's own files", str(paths[source]))
    log.check()
    note = f"{malformed} lines of SCAT whose marks do not match are left out; each item's id is its line, from 0."
    warnings = (note,) if malformed else ()
    return Suite(suite_name(stem), source, target, tuple(items), warnings, matching="spaced")


class _Marked:
    """A text without its marks: the place of the pronoun, and of what people marked, as offsets in the text."""

    def __init__(self) -> None:
        self.text = ""
        self.place: tuple[int, int] | None = None
        self.spans: list[Json] = []

    @property
    def pronoun(self) -> str:
        """The pronoun; empty where none is marked."""
        return self.text[slice(*self.place)] if self.place else ""


def _unmark(text: str) -> _Marked | None:
    """Return a text without its marks; ``None`` if one has no other half."""
    found, start, opened = _Marked(), 0, list[tuple[str, int]]()
    for tag in _TAG.finditer(text):
        found.text += text[start : tag.start()]
        start, name = tag.end(), tag.group().strip(" </>").removesuffix("n").removesuffix("ff")
        opening = tag.group().strip() in ("<hon>", "<p>")
        if opening:
            opened.append((name, len(found.text)))
            continue
        if not opened or opened[-1][0] != name:
            return None
        begun = opened.pop()[1]
        if name == "p":
            found.place = found.place or ((begun, len(found.text)) if begun < len(found.text) else None)
        else:
            found.spans.append([begun, len(found.text)])
    found.text += text[start:]
    return None if opened else found


def _item(index: int, source: _Marked, target: _Marked, source_context: _Marked, target_context: _Marked) -> Item:
    sides = {
        "source": source,
        "target": target,
        "source_context": source_context,
        "target_context": target_context,
    }
    highlights: dict[str, Json] = {name: side.spans for name, side in sides.items() if side.spans}
    # The form may stand in the segment more than once.
    places: dict[str, Json] = {name: list(side.place) for name, side in sides.items() if side.place}
    context = (Pair(source_context.text, target_context.text),) if source_context.text or target_context.text else ()
    return Item(
        id=str(index),
        document=str(index),
        segment=len(context),
        source=source.text,
        reference=target.text,
        phenomenon="gender",
        rule=f"{source.pronoun.lower()}:{target.pronoun.lower()}",
        expected=(target.pronoun,),
        source_form=source.pronoun,
        before=context,
        extra={"pronoun": places} | ({"highlights": highlights} if highlights else {}),
    )
