"""The segmenter learns where words are parted, against what jieba says, and is the same after a round trip."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from endophora.annotate.chinese import Segmenter, load_segmenter
from endophora_makers.segmenter import fit_segmenter, save_segmenter

pytest.importorskip("jieba")
pytest.importorskip("opencc")

SENTENCES = [["他", "是", "一", "个", "人"], ["我", "有", "一", "个", "朋友"], ["她", "成", "为", "一", "个", "老师"]]


def test_it_learns_to_part_what_jieba_leaves_together(tmp_path: Path):
    weights = fit_segmenter(SENTENCES * 10)
    assert Segmenter(weights).words("她有一个人") == ["她", "有", "一", "个", "人"]
    save_segmenter(weights, tmp_path / "weights.npz")
    again = load_segmenter(tmp_path / "weights.npz")
    assert [again.words("".join(words)) for words in SENTENCES] == SENTENCES


def test_the_same_seed_gives_the_same_weights():
    one, other = fit_segmenter(SENTENCES, seed=3), fit_segmenter(SENTENCES, seed=3)
    assert np.array_equal(one, other)
    assert one.any()
