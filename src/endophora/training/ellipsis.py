"""The classifier of ellipsis of Fernandes et al. (2023, appendix C.4), trained on any labelled text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

from endophora.files import check_new, disk_faults
from endophora.phenomena.ellipsis_detection import need_libraries
from endophora.phenomena.ellipsis_examples import read_labelled
from endophora.phenomena.ellipsis_scores import ClassifierCard, Counts, PartScores, count
from endophora.training.ellipsis_encoder import Encoder, length_limit, load_encoder
from endophora.training.ellipsis_files import save_classifier
from endophora.training.ellipsis_fitting import (
    EpochReport,
    average_precision,
    fit,
    ranked,
    reproducible,
    validate,
)
from endophora.training.ellipsis_settings import EllipsisSettings
from endophora.training.ellipsis_split import Split, split_examples
from endophora.version import __version__

_HALF = 0.5


def train_ellipsis(
    data: Sequence[Path],
    output: Path,
    settings: EllipsisSettings | None = None,
    progress: Callable[[EpochReport], None] | None = None,
) -> ClassifierCard:
    """Fine-tune an encoder on labelled sentences and write the classifier into a new folder.

    After each better epoch the folder has its weights; a training that is broken off leaves the best until then, and
    its card says so. On the CPU the same data, settings and library versions give the same weights.

    Raises: InputError (E250, E251, E254, E256, E356, E255, E355), MissingModelError (E252).
    """
    chosen = settings or EllipsisSettings()
    chosen.check()
    check_new(output)
    need_libraries()
    split = split_examples(read_labelled(data), chosen.validation, chosen.test, chosen.seed)
    torch: Any = import_module("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    with reproducible(chosen.seed, chosen.threads):
        encoder = load_encoder(chosen.encoder, (example.text for example in split.parts["train"]))
        with disk_faults(output):
            output.mkdir(parents=True, exist_ok=True)
        encoder.model.to(device)
        card = _new_card(data, chosen, split, length_limit(encoder, chosen.longest), device)

        def keep(report: EpochReport) -> None:
            """Write the weights of the best epoch so far."""
            update = {"epochs": report.epoch, "best_epoch": report.epoch}
            save_classifier(encoder, card.model_copy(update=update), output)

        fitted = fit(encoder, split.parts["train"], split.parts["validation"], chosen, keep, progress)
        threshold, scores = _score(encoder, split, chosen)
    done = card.model_copy(
        update={
            "finished": True,
            "threshold": threshold,
            "epochs": fitted.epochs,
            "best_epoch": fitted.best_epoch,
            "scores": scores,
        }
    )
    save_classifier(encoder, done, output)
    return done


def best_threshold(elliptical: Sequence[bool], probabilities: Sequence[float]) -> float:
    """Return the threshold with the best F1, halfway to the next lower probability; the highest of equals."""
    groups = [*ranked(elliptical, probabilities), (0.0, list[bool]())]
    found = wrong = 0
    total = sum(elliptical)
    best, threshold = -1.0, _HALF
    for (value, labels), (below, _) in pairwise(groups):
        found += sum(labels)
        wrong += len(labels) - sum(labels)
        f1 = Counts(found, wrong, total - found, 0).f1
        if f1 > best:
            best, threshold = f1, (value + below) / 2
    return threshold


def part_scores(elliptical: Sequence[bool], probabilities: Sequence[float], threshold: float) -> PartScores:
    """Return the figures of a classifier on one part of the data."""
    counts = count(list(elliptical), [value >= threshold for value in probabilities])
    return PartScores(
        found=counts.found,
        wrong=counts.wrong,
        missed=counts.missed,
        passed=counts.passed,
        precision=(counts.precision, *counts.precision_interval()),
        recall=(counts.recall, *counts.recall_interval()),
        f1=(counts.f1, *counts.f1_interval()),
        average_precision=average_precision(elliptical, probabilities) if any(elliptical) else None,
    )


def _score(encoder: Encoder, split: Split, settings: EllipsisSettings) -> tuple[float, dict[str, PartScores]]:
    """Return the threshold and the figures of both parts held out."""
    judged = {name: validate(encoder, split.parts[name], settings) for name in ("validation", "test")}
    threshold = settings.threshold
    if threshold is None:
        threshold = best_threshold(*judged["validation"])
    return threshold, {name: part_scores(*each, threshold) for name, each in judged.items()}


def _new_card(
    data: Sequence[Path], settings: EllipsisSettings, split: Split, longest: int, device: str
) -> ClassifierCard:
    libraries = {name: version(name) for name in ("torch", "transformers", "tokenizers")}
    return ClassifierCard(
        finished=False,
        encoder=settings.encoder,
        threshold=_HALF if settings.threshold is None else settings.threshold,
        longest=longest,
        language=settings.language,
        data=tuple(path.name for path in data),
        data_hash=split.hash(),
        settings=settings.values(),
        parts=split.described(),
        leaked=split.leaked,
        epochs=0,
        best_epoch=0,
        scores={},
        versions={"endophora": __version__, **libraries, "device": device},
    )
