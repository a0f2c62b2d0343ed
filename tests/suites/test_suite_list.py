"""The list of published test sets says of every format that is read where to get its sets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from suite_items import READ

from command import run
from endophora.suites.formats import SUITE_FORMATS, published_sets

ROOT = Path(__file__).parents[2]


def test_every_set_has_a_format_and_every_published_format_a_set() -> None:
    formats = {one.format for one in published_sets()}
    assert formats <= set(SUITE_FORMATS)
    assert formats >= {name for name in READ if name not in ("jsonl", "huggingface", "huggingface-jsonl")}


def test_authors_are_those_of_the_documentation_of_formats() -> None:
    shown = (ROOT / "docs" / "suites.md").read_text("utf-8") + (ROOT / "docs" / "senses.md").read_text("utf-8")
    for one in published_sets():
        first = one.name if one.authors.startswith("Rios") else re.split(r" &| et al| 2", one.authors)[0]
        assert first in shown, one.name


def test_the_command_prints_address_licence_and_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("suite", "list") == 0
    shown = capsys.readouterr().out
    assert "https://github.com/ZurichNLP/ContraPro, licence: MIT" in shown
    assert "endophora suite score tr-en.mucow.scoring.json --suite-format mucow --scores NAME=FILE" in shown
