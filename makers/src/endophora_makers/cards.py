"""Score an embedded pipeline on its recipe's test sets and write the card next to its weights.

``python -m endophora_makers.cards LANGUAGE TREEBANKS`` writes ``card.json`` and prints the figures; with a pipeline's
directory and its recipe after them, those of that one; with an annotator's name alone, its figures are only printed.
"""

from __future__ import annotations

import sys
from pathlib import Path

from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.loading import FILE, PIPELINES, CardFile, load_annotator
from endophora.annotate.weights import load_pipeline
from endophora.errors import Fault, InputError
from endophora_makers.annotators import read_harmonised
from endophora_makers.recipe import load_recipe
from endophora_makers.scoring import Scores, score_annotator


def score_tests(language: str, treebanks: Path, pipeline: Path, recipe: Path | None = None) -> dict[str, Scores]:
    """Score a pipeline on every test set of a recipe."""
    plan = load_recipe(language, recipe)
    annotator = SpacyAnnotator(load_pipeline(pipeline), language, pipeline.name, own=True)
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


def main(language: str, treebanks: str, name: str | None = None, recipe: str | None = None) -> None:
    """Print an annotator's figures; the card of the embedded pipeline, or of one with its own recipe, is written."""
    if name is None or recipe is not None:
        path = PIPELINES / language if name is None else Path(name)
        card = write_card(language, Path(treebanks), path, Path(recipe) if recipe else None)
        given, own = card.tests, card.raw_tests
    else:
        annotator = open_annotator(language, name)
        plan = load_recipe(language)
        scores = {
            source.name: score_annotator(annotator, list(read_harmonised(source, plan, Path(treebanks))))
            for source in plan.tests
        }
        given = {test: dict(figures.gold) for test, figures in scores.items()}
        own = {test: dict(figures.own) for test, figures in scores.items()}
    for kind, tests in (("treebank's tokens", given), ("own tokens", own)):
        for test, figures in tests.items():
            print(f"{test}, {kind}:", ", ".join(f"{key} {value:.1f}" for key, value in figures.items()))


def open_annotator(language: str, name: str) -> SpacyAnnotator:
    """Load an annotator by name, or a pipeline of ours by its directory.

    Raises:
        InputError: the annotator is no spaCy pipeline (E041), or as
            :func:`~endophora.annotate.loading.load_annotator` says.
    """
    if (Path(name) / "meta.json").is_file():
        return SpacyAnnotator(load_pipeline(Path(name)), language, Path(name).name, own=True)
    annotator = load_annotator(language, name)
    if not isinstance(annotator, SpacyAnnotator):
        raise InputError(Fault("E041", f"“{name}” is no spaCy pipeline", "name one that is"))
    return annotator


if __name__ == "__main__":
    main(*sys.argv[1:5])
