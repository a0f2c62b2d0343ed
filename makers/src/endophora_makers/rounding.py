"""Round an encoder's weights to eight bits so that its outputs on text change least (GPTQ, Frantar et al. 2023).

``python -m endophora_makers.rounding LANGUAGE TREEBANKS PIPELINE`` does it to a pipeline on disk in half precision.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
from spacy.tokens import Doc

from endophora.annotate.weights import LEVELS, load_pipeline, models, row_steps, save_pipeline
from endophora_makers.conllu import Sentence
from endophora_makers.recipe import Recipe, load_recipe
from endophora_makers.treebanks import keys, read_source, without_leaks

if TYPE_CHECKING:
    from spacy.language import Language

Moments = npt.NDArray[np.float64]

_DAMPING = 0.01
_SENTENCES = 400


def save_rounded(nlp: Language, plan: Recipe, treebanks: Path, output: Path) -> None:
    """Write a pipeline in eight bits, its encoder rounded for text of the recipe's treebanks without its tests.

    Each treebank gives an equal share of the sentences, evenly spread.
    """
    held_out = keys(s for source in (*plan.development, *plan.tests) for s in read_source(source, treebanks))
    sources = [source for source in plan.sources if source.convert == "ud"]
    share = _SENTENCES // len(sources)
    sentences: list[Sentence] = []
    for source in sources:
        found = list(without_leaks(read_source(source, treebanks), held_out))
        sentences += found[:: max(1, len(found) // share)][:share]
    round_encoder(nlp, sentences)
    save_pipeline(nlp, output, plan.training.embedding_levels)


def round_encoder(nlp: Language, sentences: Iterable[Sentence]) -> None:
    """Round the maxout layers of all components, in place, to the values that ``save_pipeline`` keeps.

    Each weight's rounding error is made up for by the weights of the row that are not rounded yet, as far as the
    layer's inputs on these sentences go together. On Arabic and Spanish text the squared error of the layers' outputs
    falls to a quarter or a third of that of rounding to the nearest.

    Args:
        sentences: training text, some hundred sentences; tests must not be among them.
    """
    for layer, moments in _moments(nlp, sentences):
        weights = layer.get_param("W")
        flat = weights.reshape(-1, weights.shape[-1])
        layer.set_param("W", rounded(flat, moments).reshape(weights.shape))


def rounded(weights: npt.NDArray[np.float32], moments: Moments) -> npt.NDArray[np.float32]:
    """Return a matrix rounded column by column, the error of each fed into those that follow.

    Args:
        weights: outputs × inputs.
        moments: inputs × inputs, the sum of products of inputs over text.
    """
    steps = row_steps(weights, LEVELS).astype(np.float64)
    highest = np.abs(weights).argmax(axis=-1)
    damped = moments + np.eye(len(moments)) * (_DAMPING * np.mean(np.diag(moments)))
    # The inputs that weigh most come first: they have most left to make up for them.
    order = np.argsort(-np.diag(damped), kind="stable")
    factors = np.linalg.cholesky(np.linalg.inv(damped[np.ix_(order, order)])).T
    left, result = weights.astype(np.float64)[:, order], np.empty(weights.shape, dtype=np.float64)
    for index, column in enumerate(order):
        whole = np.clip(np.rint(left[:, index] / steps), -LEVELS, LEVELS)
        # A row keeps its largest weight: by it the step is found again.
        whole = np.where(highest == column, np.rint(weights[:, column] / steps), whole)
        result[:, column] = whole * steps
        error = (left[:, index] - result[:, column]) / factors[index, index]
        left[:, index:] -= np.outer(error, factors[index, index:])
    return result.astype(np.float32)


def _moments(nlp: Language, sentences: Iterable[Sentence]) -> list[tuple[Any, Moments]]:
    """Return the maxout layers with the second moments of their inputs when sentences are annotated."""
    layers = [layer for model in models(nlp) for layer in cast("Any", model).walk() if layer.name == "maxout"]
    found: dict[int, Moments] = {}
    forwards = {layer.id: layer._func for layer in layers}

    def watched(layer: Any, inputs: Any, is_train: bool) -> Any:
        found[layer.id] = found.get(layer.id, 0) + inputs.T.astype(np.float64) @ inputs
        return forwards[layer.id](layer, inputs, is_train)

    for layer in layers:
        layer._func = watched
    try:
        texts = (Doc(nlp.vocab, [word.form for word in s.words], [word.space for word in s.words]) for s in sentences)
        for _ in nlp.pipe(texts):
            pass
    finally:
        for layer in layers:
            layer._func = forwards[layer.id]
    return [(layer, found[layer.id]) for layer in layers if layer.id in found]


def main(language: str, treebanks: str, pipeline: str) -> None:
    """Round a pipeline on disk by its language's recipe."""
    save_rounded(load_pipeline(Path(pipeline)), load_recipe(language), Path(treebanks), Path(pipeline))


if __name__ == "__main__":
    main(*sys.argv[1:4])
