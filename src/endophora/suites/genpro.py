"""GenPro (Post & Junczys-Dowmunt, 2023): ContraPro and the en–fr set with their context, to be translated.

Tab-separated lines: index of the segment among those joined (newer files only), distance of the antecedent, ``correct``
or ``contrastive``, pronoun, source and reference, each with its context joined by ``<eos>``. The contrastive lines of
an item, if they are there, follow its correct one. An output is right if the pronoun stands in the segment's own place,
a word as a tokenizer has it: *elle* is found in *qu'elle*.
"""

from __future__ import annotations

import re
from dataclasses import replace

from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import too_long, whole_number
from endophora.corpus.lines import PathLike, display_name, each_line
from endophora.suites.ctxpro import languages_in
from endophora.suites.records import Item, Pair, Suite, Variant, suite_name
from endophora.suites.whole import SHORTEN_ADVICE

SEPARATOR = "<eos>"


def read_genpro(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read GenPro.

    Args:
        path: the file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes; by default those in the file's name.

    Raises:
        InputError: with all faults: a line has another number of fields, an unknown label, or numbers that are none, or
            a contrastive line follows none that is correct (E172).
    """
    log, file = FaultLog(), display_name(path)
    items = list[Item]()
    for number, text in each_line(path, log):
        if text is None:
            continue
        fields = text.split("\t")
        if long := next((cause for part in re.split(rf"\t|{SEPARATOR}", text) if (cause := too_long(part))), ""):
            log.add("E345", long, SHORTEN_ADVICE, file, number)
        elif problem := _add(items, fields, str(number - 1)):
            log.add("E172", problem, "make the file again with json2text.py", file, number)
    log.check()
    source, target = languages or languages_in(file)
    return Suite(suite_name(path), source, target, tuple(items), matching="spaced")


def _add(items: list[Item], fields: list[str], name: str) -> str:
    """Add a line to the items; return what is wrong with it, or nothing."""
    if len(fields) not in (5, 6):
        return f"{len(fields)} fields where 5 or 6 are expected"
    *index, distance, label, pronoun, source, target = fields
    sources, targets = ([part.strip() for part in text.split(SEPARATOR)] for text in (source, target))
    place = whole_number(index[0]) if index else len(sources) - 1
    away = whole_number(distance.removeprefix("-"))
    if label not in ("correct", "contrastive"):
        return f"“{label}” is neither correct nor contrastive"
    if place is None or away is None:
        return "index or distance is no number"
    if len(sources) != len(targets) or place >= len(sources):
        return f"{len(sources)} source and {len(targets)} target segments, of which the item is number {place}"
    if label == "contrastive":
        if not items or items[-1].source != sources[place]:
            return "a contrastive line without its correct one before it"
        variant = Variant(targets[place], form=pronoun)
        items[-1] = replace(items[-1], variants=(*items[-1].variants, variant))
        return ""
    pairs = tuple(map(Pair, sources, targets))
    items.append(
        Item(
            id=name,
            document=name,
            segment=place,
            source=sources[place],
            reference=targets[place],
            phenomenon="gender",
            rule=pronoun.lower(),
            expected=(pronoun,),
            distance=None if distance.startswith("-") and away else away,
            before=pairs[:place],
            after=pairs[place + 1 :],
        )
    )
    return ""
