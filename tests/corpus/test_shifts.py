"""Lines that stand lower or higher than their source."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.corpus.meaning import find_shift

PLACES = [f"{first}{second}" for first in ("Bar", "Lon", "Mad", "Tor", "Wes", "Kal") for second in ("celo", "doni", "rid", "onto", "pha", "ingra")]  # fmt: skip  # noqa: E501
SOURCE = [f"We went to {place} in {1900 + 7 * index} and stayed there." for index, place in enumerate(PLACES * 3)]
TEXT = [f"Wir fuhren {1900 + 7 * index} nach {place} und blieben dort." for index, place in enumerate(PLACES * 3)]


def test_lines_in_their_places_are_not_shifted():
    assert find_shift(SOURCE, TEXT) is None


@pytest.mark.parametrize("lines", [1, 2, -1, -2])
def test_a_shift_is_found_with_its_direction(lines: int):
    moved = [*TEXT[-lines:], *TEXT[:-lines]]
    shift = find_shift(SOURCE, moved)
    assert shift is not None
    assert shift.lines == lines


def test_a_line_left_out_is_found_after_its_place():
    shift = find_shift(SOURCE, [*TEXT[:50], *TEXT[51:], "Ende."])
    assert shift is not None
    assert shift.lines == -1
    assert shift.index >= 50 - 24


def test_too_few_lines_are_not_judged():
    assert find_shift(SOURCE[:20], [*TEXT[1:20], TEXT[0]]) is None


@pytest.mark.parametrize("language", ["deu", "jpn", "arb"])
def test_right_documents_are_not_shifted(language: str, shared: Path):
    folder = shared / "documents" / "ntrex"
    source, text = (
        (folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines()[:200] for name in ("eng", language)
    )
    assert find_shift(source, text) is None
