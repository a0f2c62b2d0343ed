"""The priors file: a round trip to the precision of its steps, swapped sides, and refused files."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest
from toy import toy_pairs

from endophora.align.priors import priors_path, read_priors, shipped_priors
from endophora.errors import InputError
from endophora_makers.priors import PriorsRecipe, train_priors, write_priors


def test_a_file_gives_back_the_priors_within_a_step_of_its_counts(tmp_path: Path) -> None:
    priors = train_priors(toy_pairs(200))
    path = tmp_path / "x.priors"
    digest = write_priors(priors, path)
    back = read_priors(path)
    assert back.hash == digest
    assert back.source.words == priors.source.words
    assert back.target.classes == priors.target.classes
    assert np.array_equal(back.words.keys, priors.words.keys)
    assert back.words.counts == pytest.approx(priors.words.counts, rel=0.03)
    assert back.forward.tobytes() == priors.forward.tobytes()


def test_the_same_text_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_priors(train_priors(toy_pairs(50), PriorsRecipe()), tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_priors_swapped_twice_are_the_same() -> None:
    priors = train_priors(toy_pairs(100))
    twice = priors.swapped().swapped()
    assert np.array_equal(twice.words.keys, priors.words.keys)
    assert np.array_equal(twice.classes.counts, priors.classes.counts)
    one = priors.words.look_up(np.array([0, 1]), np.array([2, 1]))
    assert np.array_equal(priors.swapped().words.look_up(np.array([2, 1]), np.array([0, 1])), one)


@pytest.mark.parametrize("content", [b"", b"text", lzma.compress(b"{}\n"), lzma.compress(b'{"format": "other"}\n')])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.priors"
    path.write_bytes(content)
    with pytest.raises(InputError, match="E051"):
        read_priors(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="E050"):
        read_priors(tmp_path / "none")


@pytest.mark.parametrize("pair", [("en", "de"), ("en", "fr")])
def test_shipped_priors_are_small_and_hold_no_rubbish(pair: tuple[str, str]) -> None:
    found = priors_path(*pair)
    assert found is not None
    assert found[0].stat().st_size <= 629_146
    priors = shipped_priors(*pair)
    assert len(priors.words.keys) > 10_000
    assert np.isfinite(priors.words.counts).all()
    assert (np.diff(priors.words.keys) > 0).all()


def test_a_pair_without_priors_has_empty_ones() -> None:
    assert shipped_priors("xx", "yy").hash == "none"
