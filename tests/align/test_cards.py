"""Cards of the priors that ship: one a file, and what they say of readings is what the verdicts say."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from endophora.align.aligners import alignment_card
from endophora.align.priors import pairs_with_priors, priors_path

QUALITY = Path(__file__).parents[2] / "docs" / "quality"


@pytest.mark.parametrize("pair", pairs_with_priors(), ids="-".join)
def test_every_shipped_file_has_a_card(pair: tuple[str, str]) -> None:
    card, found = alignment_card(*pair), priors_path(*pair)
    assert card is not None
    assert found is not None
    assert (card.pair, card.size) == (pair, found[0].stat().st_size)
    assert card.sources
    assert "CC BY-SA" in card.licence


def test_a_card_serves_both_directions_and_there_is_none_without_priors() -> None:
    assert alignment_card("fr", "en") == alignment_card("en", "fr")
    assert alignment_card("xx", "yy") is None


@pytest.mark.parametrize("path", sorted(QUALITY.glob("alignment-*.tsv")), ids=lambda path: path.stem)
def test_a_reading_is_what_the_stored_verdicts_come_to(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        counts = Counter(row["verdict"] for row in csv.DictReader(file, delimiter="\t"))
    card = alignment_card("en", path.stem.partition("-")[2])
    assert card is not None
    assert card.reading is not None
    right, total = counts["right"], sum(counts.values())
    assert card.reading.words == total
    assert card.reading.precision == pytest.approx(100 * right / (right + counts["wrong"]), abs=0.05)
    assert card.reading.recall == pytest.approx(100 * right / (total - counts["none"]), abs=0.05)
