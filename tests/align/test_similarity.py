"""String similarity by hand."""

from __future__ import annotations

import numpy as np
import pytest

from endophora.align.words import dice, plain, similarities


def test_dice_of_hand_counted_bigrams() -> None:
    # <n na at ti io on n>  and  <n na at ti io on ne e>: 6 in common of 7 and 8.
    assert dice("nation", "natione") == pytest.approx(2 * 6 / 15)
    assert dice("nation", "nation") == 1


def test_plain_drops_accents_and_writes_cyrillic_and_greek_in_latin() -> None:
    assert [plain(word) for word in ("café", "москва", "straße", "αθηνα")] == ["cafe", "moskva", "strasse", "athina"]


def test_similarities_follow_dice_and_leave_out_short_and_unlike_words() -> None:
    first, second = (
        ["nation", "2002", ",", "cat", "moskva", "house"],
        ["nationen", "2002", ",", "cut", "москва", "bird"],
    )
    pairs = (np.array([0, 1, 2, 3, 4, 5]), np.array([0, 1, 2, 3, 4, 5]))
    assert similarities(first, second, pairs).tolist() == pytest.approx([dice("nation", "nationen"), 1, 1, 0, 1, 0])
