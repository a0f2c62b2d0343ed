"""Train the segmenter of Chinese: ``python -m endophora_makers.segmenter zh TREEBANKS`` writes its weights."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from endophora.annotate.chinese import BUCKETS, WEIGHTS, Segmenter
from endophora_makers.annotators import read_harmonised
from endophora_makers.conllu import Sentence
from endophora_makers.recipe import load_recipe
from endophora_makers.treebanks import keys, read_source, without_leaks

_EPOCHS = 5
_BATCH = 8
_RATE = 0.1
_DROPOUT = 0.15
_LEAST = 0.01


def fit_segmenter(sentences: Iterable[Sequence[str]], seed: int = 0) -> NDArray[np.float32]:
    """Return the weights of a segmenter: logistic regression by AdaGrad, averaged over its passes."""
    blank = Segmenter(np.zeros(BUCKETS, np.float32))
    data = [(blank.keys("".join(words)), _ends(words)) for words in sentences if sum(map(len, words)) > 1]
    random = np.random.default_rng(seed)
    weights, total = np.zeros(BUCKETS), np.zeros(BUCKETS)
    squares = np.full(BUCKETS, 1e-6)
    for _ in range(_EPOCHS):
        random.shuffle(data)
        for start in range(0, len(data), _BATCH):
            chosen = data[start : start + _BATCH]
            places = np.concatenate([rows for rows, _ in chosen])
            kept = random.random(places.shape) > _DROPOUT
            score = (weights[places] * kept).sum(axis=1)
            error = 1 / (1 + np.exp(-score)) - np.concatenate([ends for _, ends in chosen])
            used, inverse = np.unique(places, return_inverse=True)
            gradient = np.bincount(inverse.ravel(), (error[:, None] * kept).ravel())
            squares[used] += gradient**2
            weights[used] -= _RATE * gradient / np.sqrt(squares[used])
        total += weights
    return (total / _EPOCHS).astype(np.float32)


def _ends(words: Sequence[str]) -> NDArray[np.float64]:
    """Return 1 for each place between two characters at which a word ends."""
    ends = np.zeros(sum(map(len, words)))
    ends[[end - 1 for end in accumulate(map(len, words))]] = 1
    return ends[:-1]


def save_segmenter(weights: NDArray[np.float32], path: Path = WEIGHTS) -> None:
    """Write weights in half precision; those that decide nothing are left out."""
    used = np.flatnonzero(np.abs(weights) >= _LEAST)
    np.savez_compressed(path, buckets=used.astype(np.uint32), weights=weights[used].astype(np.float16))


def training_words(language: str, treebanks: Path) -> Iterator[list[str]]:
    """Yield the words of the sentences of a recipe's treebanks, without those of its tests and development sets."""
    recipe = load_recipe(language)
    held_out = keys(s for source in (*recipe.development, *recipe.tests) for s in read_source(source, treebanks))
    for source in recipe.sources:
        if source.convert in ("ud", "relabel"):
            for sentence in without_leaks(read_harmonised(source, recipe, treebanks), held_out):
                yield list(_forms(sentence))


def _forms(sentence: Sentence) -> Iterator[str]:
    return (word.form for word in sentence.words if not word.form.isspace())


def main(language: str, treebanks: str) -> None:
    """Train the segmenter that ships."""
    save_segmenter(fit_segmenter(training_words(language, Path(treebanks))))


if __name__ == "__main__":
    main(*sys.argv[1:3])
