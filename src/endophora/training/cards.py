"""Score an embedded pipeline on its recipe's test sets and write the card beside its weights.

``python -m endophora.training.cards LANGUAGE TREEBANKS`` writes ``card.json`` and prints the figures as a table; a
pipeline that is not embedded and its recipe are named after them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.cards import FILE, CardFile
from endophora.annotate.loading import PIPELINES
from endophora.annotate.weights import load_pipeline
from endophora.training.annotators import read_harmonised
from endophora.training.recipe import load_recipe
from endophora.training.scoring import Scores, score_annotator


def score_tests(language: str, treebanks: Path, pipeline: Path, recipe: Path | None = None) -> dict[str, Scores]:
    """Score a pipeline on every test set of a recipe.

    Args:
        language: ISO 639-1 code.
        treebanks: the directory of the treebank archives.
        pipeline: the pipeline's directory.
        recipe: a recipe file; by default the shipped one.
    """
    plan = load_recipe(language, recipe)
    annotator = SpacyAnnotator(load_pipeline(pipeline), language, pipeline.name)
    return {
        source.name: score_annotator(annotator, list(read_harmonised(source, plan, treebanks))) for source in plan.tests
    }


def write_card(language: str, treebanks: Path, pipeline: Path, recipe: Path | None = None) -> CardFile:
    """Score a pipeline and write its card."""
    plan = load_recipe(language, recipe)
    scores = score_tests(language, treebanks, pipeline, recipe)
    card = CardFile(
        licence=plan.licence,
        trained_on=plan.trained_on,
        tests={name: dict(figures.gold) for name, figures in scores.items()},
        raw_tests={name: dict(figures.own) for name, figures in scores.items()},
    )
    (pipeline / FILE).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
    return card


def main(language: str, treebanks: str, pipeline: str = "", recipe: str = "") -> None:
    """Write the card of a pipeline, by default the embedded one of the language, and print its figures."""
    path = Path(pipeline) if pipeline else PIPELINES / language
    card = write_card(language, Path(treebanks), path, Path(recipe) if recipe else None)
    for kind, tests in (("treebank's tokens", card.tests), ("own tokens", card.raw_tests)):
        for name, figures in tests.items():
            print(f"{name}, {kind}:", ", ".join(f"{key} {value:.1f}" for key, value in figures.items()))


if __name__ == "__main__":
    main(*sys.argv[1:5])
