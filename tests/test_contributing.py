"""What CONTRIBUTING says of the code is there: the names on the road of a segment, the registries, the rooms."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

from endophora.provenance import PACKAGE, ROOMS

TEXT = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROAD = TEXT.partition("## The road of one segment\n")[2].partition("\n## ")[0]
NAMES = sorted(set(re.findall(r"`([a-z_]+(?:\.\w+)+)`", ROAD)) - {"result.json", "report.html"})
HOMES = re.findall(r"`([A-Z_]+)` in `([\w/]+)\.py`", TEXT)


@pytest.mark.parametrize("name", NAMES)
def test_the_road_leads_over_names_that_are_there(name: str):
    parts = name.split(".")
    length = next(n for n in range(len(parts), 0, -1) if _is_module(parts[:n]))
    found: object = import_module(".".join(("endophora", *parts[:length])))
    for part in parts[length:]:
        found = getattr(found, part)


def _is_module(parts: list[str]) -> bool:
    path = PACKAGE.joinpath(*parts)
    return path.is_dir() or path.with_suffix(".py").is_file()


def test_registries_are_where_the_table_says():
    assert len(HOMES) > 8
    for name, path in HOMES:
        module = path.replace("/", ".").removesuffix(".__init__")
        assert hasattr(import_module(f"endophora.{module}"), name), (name, path)


def test_every_room_has_its_line_in_their_order():
    assert tuple(re.findall(r"^\| `(\w+)` \| ", TEXT, re.MULTILINE)) == ROOMS
