"""The consistency test sets of Voita et al. (2019, en–ru): deixis, lexical cohesion, ellipsis of verbs and inflection.

A list of groups of four sentences joined by ``_eos``: ``src``, several ``dst`` of which ``true_ind`` is right, and the
distance ``ctx_dist`` of what decides. Text is tokenised; scores are in the order of ``dst``.
"""

from __future__ import annotations

import re

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.suites.fields import Fields, each_object
from endophora.suites.records import Item, Pair, Suite, Variant, suite_name

_SEPARATOR = re.compile(r"\s*_eos\s*")
_PHENOMENA = {"deixis": "deixis", "lex": "lexical_cohesion", "infl": "inflection", "vp": "auxiliary"}
"""Part of a file's name → phenomenon."""


def read_consistency(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read a consistency test set.

    Args:
        path: the JSON file, such as ``deixis_test.json``, gzipped or not, or ``-``.
        languages: ISO 639-1 codes; English and Russian by default, as published.

    Raises:
        InputError: with all faults of the file: it is no such JSON (E170), a group lacks a key, has one of the wrong
            type, or sentences in different number (E172).
    """
    log, name = FaultLog(), suite_name(path)
    phenomenon = next((found for part, found in _PHENOMENA.items() if part in name), "consistency")
    found = (_item(fields, index, phenomenon) for index, fields in enumerate(each_object(path, log)))
    items = tuple(item for item in found if item is not None)
    log.check()
    return Suite(name, *(languages or ("en", "ru")), items)


def _item(fields: Fields, index: int, phenomenon: str) -> Item | None:
    source = _SEPARATOR.split(fields.text("src"))
    targets = [_SEPARATOR.split(text) for text in fields.texts("dst", 2)]
    right = fields.number("true_ind", 0) or 0
    if not fields.sound:
        return None
    if not 0 <= right < len(targets) or any(len(target) != len(source) for target in targets):
        fields.fault("“true_ind” is none of “dst”, or they are not as many sentences as “src”")
        return None
    reference = targets.pop(right)
    distance = fields.number("ctx_dist")
    return Item(
        id=str(index),
        document=str(index),
        segment=len(source) - 1,
        source=source[-1],
        reference=reference[-1],
        phenomenon=phenomenon,
        rule=fields.text("type", default="") or phenomenon,
        distance=distance,
        before=tuple(map(Pair, source[:-1], reference[:-1])),
        variants=tuple(
            Variant(wrong[-1], before=None if wrong[:-1] == reference[:-1] else tuple(wrong[:-1])) for wrong in targets
        ),
        correct=right,
        extra=fields.rest(),
    )
