"""Embedding average, vector extrema and greedy matching, by hand and against scikit-learn-like dense arithmetic."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from endophora.errors import InputError
from endophora.metrics import load_metric
from endophora.metrics.embeddings import EmbeddingMetric
from endophora.provenance import content_of

NAMES = ("average", "extrema", "greedy")


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    """Vectors of eight words."""
    draw = np.random.default_rng(5).normal(size=(8, 5))
    path = tmp_path / "vectors.txt"
    path.write_text("\n".join(f"{word} {' '.join(map(str, row))}" for word, row in zip("abcdefgh", draw, strict=True)))
    return path


def _score(name: str, path: Path, hypotheses: list[str], *references: list[str]) -> float:
    metric = load_metric(f"{name}:{path}", "en")
    return float(metric.score(metric.statistics(hypotheses, references).sum(axis=0)))


def _cosine(a: np.ndarray, b: np.ndarray) -> float:
    return 1 - float(cdist([a], [b], "cosine")[0, 0])


def _by_scipy(name: str, here: np.ndarray, there: np.ndarray) -> float:
    """Work a similarity out from the papers' definitions, with scipy's cosine distance."""
    if name == "average":
        return _cosine(here.mean(axis=0), there.mean(axis=0))
    if name == "extrema":
        picked = [m[np.abs(m).argmax(axis=0), np.arange(m.shape[1])] for m in (here, there)]
        return _cosine(*picked)
    cosines = 1 - cdist(here, there, "cosine")
    return float((cosines.max(axis=1).mean() + cosines.max(axis=0).mean()) / 2)


@pytest.mark.parametrize("name", NAMES)
def test_embedding_similarity_is_that_of_the_definition(name: str, vectors: Path):
    table = {line.split()[0]: np.array(line.split()[1:], dtype=np.float32) for line in vectors.read_text().splitlines()}
    pairs = [("a b c", "d e f g"), ("a a h", "h b"), ("c", "c d")]
    expected = [_by_scipy(name, *(np.array([table[w] for w in text.split()]) for text in pair)) for pair in pairs]
    found = _score(name, vectors, [pair[0] for pair in pairs], [pair[1] for pair in pairs])
    assert found == pytest.approx(np.mean(expected), abs=1e-6)


def test_embedding_scores_of_two_plain_vectors(tmp_path: Path):
    path = tmp_path / "plane.txt"
    path.write_text("east 1 0\nnorth 0 1\nwest -2 0\n")
    assert _score("average", path, ["east"], ["east north"]) == pytest.approx(0.5**0.5)
    assert _score("extrema", path, ["east west north"], ["west north"]) == pytest.approx(1)
    assert _score("greedy", path, ["east"], ["east north"]) == pytest.approx((1 + (1 + 0) / 2) / 2)


@pytest.mark.parametrize("name", NAMES)
def test_embedding_unknown_words_are_left_out_counted_and_never_a_silent_score(name: str, vectors: Path):
    metric = load_metric(f"{name}:{vectors}", "en")
    assert isinstance(metric, EmbeddingMetric)
    counts = metric.statistics(["a zzz", "zzz", "a", "A"], [["a", "a b", "zzz", "a"]])
    np.testing.assert_allclose(counts[:, 1:], [[1, 2, 3], [1, 2, 3], [0, 1, 2], [1, 2, 2]])
    np.testing.assert_allclose(counts[:, 0], [1, 0, 0, 1])
    assert metric.score(counts[0]) == pytest.approx(1)
    assert metric.score(counts[1]) == 0
    assert np.isnan(metric.score(counts[2]))
    assert metric.coverage(counts.sum(axis=0)) == pytest.approx(7 / 10)


def test_embedding_unknown_words_may_take_the_mean_vector(tmp_path: Path):
    path = tmp_path / "plane.txt"
    path.write_text("east 1 0\nnorth 0 1\n")
    assert _score("average", path, ["zzz"], ["east"]) == 0
    metric = load_metric(f"average:{path},unknown=mean", "en")
    counts = metric.statistics(["zzz"], [["east"]])
    assert metric.score(counts[0]) == pytest.approx(0.5**0.5)
    assert "unknown:mean" in metric.signature()


def test_embedding_takes_the_most_similar_reference(vectors: Path):
    assert _score("greedy", vectors, ["a b"], ["c d"], ["a b"]) == pytest.approx(1)


def test_vectors_that_know_no_word_of_the_texts_are_an_error(vectors: Path):
    metric = load_metric(f"average:{vectors}", "en")
    with pytest.raises(InputError, match=r"E146.*none of 2 different words"):
        metric.statistics(["xx"], [["yy"]])


@pytest.mark.parametrize(
    "name", ["average", "average:", "extrema:unknown=mean", "greedy:VECTORS,unknown=zero", "greedy:VECTORS,b"]
)
def test_embedding_options_that_are_none_are_errors(name: str, vectors: Path):
    with pytest.raises(InputError, match="E140"):
        load_metric(name.replace("VECTORS", str(vectors)), "en")


def test_embedding_without_its_file_is_an_error():
    with pytest.raises(InputError, match="E001"):
        load_metric("average:nowhere.txt", "en")


def test_embedding_signature_names_the_vectors(vectors: Path):
    signature = load_metric(f"average:{vectors}", "en").signature()
    content = content_of(vectors)[:8]
    assert signature.startswith(f"nrefs:1|case:mixed|tok:13a|vectors:vectors.txt-{content}|unknown:skip|")
