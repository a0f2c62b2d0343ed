"""Readers of the files that tagged texts are written into, for round trips."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from endophora.phenomena.export import NO_TAG, SHORT_NAMES
from endophora.phenomena.records import Occurrence, Support

LONG_NAMES = {short: long for long, short in SHORT_NAMES.items()}


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def read_occurrences(lines: Iterable[str]) -> list[Occurrence]:
    """Read JSON Lines of occurrences."""
    found = [{name: _tuples(value) for name, value in json.loads(line).items()} for line in lines]
    for item in found:
        if item["support"] is not None:
            item["support"] = Support(**{name: _tuples(value) for name, value in item["support"].items()})
    return [Occurrence(**item) for item in found]


def read_muda(text: str) -> list[list[list[tuple[str, tuple[str, ...]]]]]:
    """Return of MuDA's JSON documents → segments → tokens, each its form and its phenomena under their names here."""
    return [
        [[(token["token"], tuple(LONG_NAMES.get(tag, tag) for tag in token["tags"])) for token in each] for each in doc]
        for doc in json.loads(text)
    ]


def read_labels(lines: Iterable[str]) -> list[list[tuple[str, ...]]]:
    """Read compare-mt's labels, or the tag files that come with MuDA."""
    return [
        [
            () if label == NO_TAG else tuple(LONG_NAMES.get(name, name) for name in label.split("+"))
            for label in line.split()
        ]
        for line in lines
    ]
