"""A classifier on disk: each file is there whole or not at all, the weights last; and the card for people."""

from __future__ import annotations

import os
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from endophora.errors import Fault, InputError
from endophora.phenomena.ellipsis_detection import quiet
from endophora.phenomena.ellipsis_scores import CARD, ClassifierCard, PartScores
from endophora.training.ellipsis_encoder import Encoder

README = "README.md"
"""The model card for people."""


def save_classifier(encoder: Encoder, card: ClassifierCard, folder: Path) -> None:
    """Write model, tokenizer and cards; every file is written elsewhere, synced and renamed, the weights last.

    Raises: InputError: the folder cannot be written (E255).
    """
    transformers: Any = import_module("transformers")
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as name, quiet(transformers):
            new = Path(name)
            encoder.model.save_pretrained(new)
            encoder.tokenizer.save_pretrained(new)
            (new / CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
            (new / README).write_text(describe(card), encoding="utf-8")
            for path in sorted(new.iterdir(), key=lambda path: path.suffix == ".safetensors"):
                with path.open("rb") as stream:
                    os.fsync(stream.fileno())
                path.chmod(0o666 & ~_umask())
                path.replace(folder / path.name)
    except OSError as error:
        cause = f"cannot be written ({error.strerror or error})"
        raise InputError(Fault("E255", cause, "make room, or name another directory", str(folder))) from error


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current


def describe(card: ClassifierCard) -> str:
    """Return the model card: what it is, its data, settings and scores."""
    lines = [
        "---",
        "library_name: transformers",
        "pipeline_tag: text-classification",
        "---",
        "",
        "# Classifier of ellipsis",
        "",
        "Tells whether a sentence leaves something out. Fine-tuned with `endophora train ellipsis` from the encoder",
        f"`{card.encoder}`; name this directory with `--ellipsis-classifier`. What may be done with it depends on the",
        "licences of the encoder and of the text that it was trained on.",
        "",
    ]
    if not card.finished:
        lines += [
            "**Training was broken off**: these are the best weights until then, and there are no test figures.",
            "",
        ]
    lines += ["## Data", "", f"Files: {', '.join(f'`{name}`' for name in card.data)}. Split by document.", ""]
    lines += [f"Language: `{card.language}`. Hash of sentences, labels and parts: `{card.data_hash}`.", ""]
    lines += ["| part | documents | sentences | elliptical |", "|---|---|---|---|"]
    lines += [f"| {n} | {len(p.documents)} | {p.sentences} | {p.elliptical} |" for n, p in card.parts.items()]
    lines += ["", f"{card.leaked} training sentences were left out, since they stand in another part too.", ""]
    lines += ["## Scores", "", "With 95 % intervals (Wilson's; sentences taken for independent).", ""]
    lines += score_lines(card)
    lines += ["", f"Taken for elliptical from a probability of {card.threshold:g}; cut after {card.longest} tokens."]
    lines += ["The validation text decided when to stop, and the threshold if it was tuned: its figures flatter.", ""]
    lines += [
        "## Settings",
        "",
        f"Epochs: {card.epochs}, best {card.best_epoch}.",
        "",
        "| setting | value |",
        "|---|---|",
    ]
    lines += [f"| {name} | {value} |" for name, value in card.settings.items()]
    lines += ["", "| version | |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in card.versions.items()]
    return "\n".join(lines) + "\n"


def score_lines(card: ClassifierCard) -> list[str]:
    """Return the figures of the parts held out as the lines of a table in Markdown."""
    head = ["| part | precision | recall | F1 | average precision | found | missed | wrong | passed |"]
    return [*head, "|---|---|---|---|---|---|---|---|---|", *(_row(name, each) for name, each in card.scores.items())]


def _row(name: str, scores: PartScores) -> str:
    figures = [
        f"{value:.3f} [{low:.3f}, {high:.3f}]" for value, low, high in (scores.precision, scores.recall, scores.f1)
    ]
    ranked = "" if scores.average_precision is None else f"{scores.average_precision:.3f}"
    counts = (scores.found, scores.missed, scores.wrong, scores.passed)
    return f"| {' | '.join((name, *figures, ranked, *map(str, counts)))} |"
