"""The classifier of ellipsis of Fernandes et al. (2023, appendix C.4), trained on any labelled text."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

from endophora.errors import Fault, InputError, refuse
from endophora.files import check_new, disk_faults
from endophora.phenomena.ellipsis_classifier import (
    CARD,
    ClassifierCard,
    Counts,
    Part,
    PartScores,
    count,
    need_libraries,
    quiet,
)
from endophora.phenomena.ellipsis_examples import Example, read_labelled
from endophora.signature import digest_of
from endophora.training import reproducible
from endophora.training.ellipsis_fitting import (
    ClassifierEncoder,
    EllipsisSettings,
    EpochReport,
    average_precision,
    fit,
    load_encoder,
    ranked,
)
from endophora.version import __version__

PARTS = ("train", "validation", "test")
"""The parts, in this order."""


@dataclass(frozen=True, slots=True)
class Split:
    """Labelled sentences in parts.

    Attributes:
        leaked: how many sentences of training text were left out, since they stand word by word in another part.
    """

    parts: Mapping[str, Sequence[Example]]
    leaked: int


def split_examples(examples: Sequence[Example], validation: float, test: float, seed: int) -> Split:
    """Part sentences by document: the parts have their shares of the sentences, and of the elliptical ones (E254).

    Documents with elliptical sentences are dealt first, then the others; each goes, in an order drawn by the seed, to
    the part that lacks most of its share.
    """
    documents: defaultdict[str, list[Example]] = defaultdict(list)
    for example in examples:
        documents[example.document].append(example)
    names = sorted(documents)
    Random(seed).shuffle(names)  # noqa: S311 (no secret is drawn)
    shares: dict[str, float] = {"train": 1 - validation - test, "validation": validation, "test": test}
    places: dict[str, str] = {}
    counted = {name: sum(example.elliptical for example in documents[name]) for name in names}
    weights = {name: len(documents[name]) for name in names}
    with_any = [name for name in names if counted[name]]
    places |= _deal(with_any, counted, shares, dict.fromkeys(PARTS, 0))
    held = {part: sum(weights[name] for name in with_any if places[name] == part) for part in PARTS}
    places |= _deal([name for name in names if not counted[name]], weights, shares, held)
    parts = {part: [example for example in examples if places[example.document] == part] for part in PARTS}
    away = {example.text for part in PARTS[1:] for example in parts[part]}
    kept = [example for example in parts["train"] if example.text not in away]
    faults: list[Fault] = []
    for name, held_out in {**parts, "train": kept}.items():
        elliptical = sum(example.elliptical for example in held_out)
        for kind, number in (("elliptical", elliptical), ("complete", len(held_out) - elliptical)):
            if not number:
                cause = f"the part “{name}” has no {kind} sentence, with {len(documents)} documents in all"
                faults.append(Fault("E254", cause, "give more text, another --seed, or larger shares"))
    refuse(faults)
    return Split({**parts, "train": kept}, len(parts["train"]) - len(kept))


def _deal(
    names: Sequence[str], sizes: Mapping[str, int], shares: Mapping[str, float], held: Mapping[str, int]
) -> dict[str, str]:
    """Return the part of each document: the one that is furthest below its share of all that is dealt and held."""
    total = sum(sizes[name] for name in names) + sum(held.values())
    lacking = {part: share * total - held[part] for part, share in shares.items()}
    places: dict[str, str] = {}
    # The large ones first, where there is still room: what is left is evened out by the small.
    for name in sorted(names, key=lambda name: -sizes[name]):
        part = max(PARTS, key=lambda part: lacking[part])
        places[name] = part
        lacking[part] -= sizes[name]
    return places


README = "README.md"
"""The model card for people."""


def save_classifier(encoder: ClassifierEncoder, card: ClassifierCard, folder: Path) -> None:
    """Write model, tokenizer and cards; every file is written elsewhere, synced and renamed, the weights last."""
    transformers: Any = import_module("transformers")
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".new-") as name, quiet(transformers):
            new = Path(name)
            encoder.model.save_pretrained(new)
            encoder.tokenizer.save_pretrained(new)
            (new / CARD).write_text(card.model_dump_json(indent=1) + "\n", encoding="utf-8")
            (new / README).write_text(describe(card), encoding="utf-8")
            mode = (new / README).stat().st_mode
            for path in sorted(new.iterdir(), key=lambda path: path.suffix == ".safetensors"):
                with path.open("rb") as stream:
                    os.fsync(stream.fileno())
                # The library's files are for their owner alone.
                path.chmod(mode)
                path.replace(folder / path.name)
    except OSError as error:
        cause = f"cannot be written ({error.strerror or error})"
        raise InputError(Fault("E255", cause, "make room, or name another directory", str(folder))) from error


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
        "Says whether a sentence leaves something out. Fine-tuned with `endophora train ellipsis` from the encoder",
        f"`{card.encoder}`; name this directory with `--ellipsis-classifier`. What may be done with it depends on the",
        "licences of the encoder and of the text that it was trained on.",
        "",
    ]
    if not card.finished:
        broken = "**Training was interrupted**: these are the best weights until then, and there are no test figures."
        lines += [broken, ""]
    lines += ["## Data", "", f"Files: {', '.join(f'`{name}`' for name in card.data)}. Split by document.", ""]
    lines += [f"Language: `{card.language}`. Hash of sentences, labels and parts: `{card.data_hash}`.", ""]
    lines += ["| part | documents | sentences | elliptical |", "|---|---|---|---|"]
    lines += [f"| {n} | {len(p.documents)} | {p.sentences} | {p.elliptical} |" for n, p in card.parts.items()]
    lines += ["", f"{card.leaked} training sentences were left out, since they are in another part too.", ""]
    lines += ["## Scores", "", "With 95 % intervals (Wilson's; sentences count as independent).", ""]
    lines += score_lines(card)
    lines += ["", f"Counts as elliptical from a probability of {card.threshold:g}; cut after {card.longest} tokens."]
    lines += ["The validation text decided when to stop, and the threshold if it was tuned: its figures flatter.", ""]
    lines += ["## Settings", "", f"Epochs: {card.epochs}, best {card.best_epoch}.", ""]
    for head, table in (("| setting | value |", card.settings), ("| version | |", card.versions)):
        lines += [head, "|---|---|", *(f"| {name} | {value} |" for name, value in table.items()), ""]
    del lines[-1]
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


_HALF = 0.5


def train_ellipsis(
    data: Sequence[Path],
    output: Path,
    settings: EllipsisSettings | None = None,
    progress: Callable[[EpochReport], None] | None = None,
) -> ClassifierCard:
    """Fine-tune an encoder on labelled sentences and write the classifier into a new folder.

    After each better epoch the folder has its weights; an interrupted training leaves the best until then, and
    its card says so. On the CPU the same data, settings and library versions give the same weights.
    """
    chosen = settings or EllipsisSettings()
    chosen.check()
    check_new(output)
    need_libraries()
    split = split_examples(read_labelled(data), chosen.validation, chosen.test, chosen.seed)
    torch: Any = import_module("torch")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    # Some kernels of GPUs have no deterministic form; on the CPU all have.
    with reproducible(chosen.threads, deterministic=not torch.cuda.is_available()):
        torch.manual_seed(chosen.seed)
        texts = (example.text for example in split.parts["train"])
        encoder = load_encoder(chosen.encoder, texts, chosen.longest)
        with disk_faults(output):
            output.mkdir(parents=True, exist_ok=True)
        encoder.model.to(device)
        card = _new_card(data, chosen, split, encoder.longest, device)

        def keep(report: EpochReport) -> None:
            """Write the weights of the best epoch so far."""
            update = {"epochs": report.epoch, "best_epoch": report.epoch}
            save_classifier(encoder, card.model_copy(update=update), output)

        epochs, best_epoch = fit(encoder, split.parts["train"], split.parts["validation"], chosen, keep, progress)
        judged = {name: encoder.judge(split.parts[name], chosen.batch) for name in ("validation", "test")}
    threshold = best_threshold(*judged["validation"]) if chosen.threshold is None else chosen.threshold
    scores = {name: part_scores(*each, threshold) for name, each in judged.items()}
    made = {"epochs": epochs, "best_epoch": best_epoch, "threshold": threshold, "scores": scores}
    done = card.model_copy(update={"finished": True, **made})
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
        data_hash=digest_of(
            [f"{name} {each.elliptical:d} {each.text}" for name in PARTS for each in split.parts[name]]
        ),
        settings=settings.values(),
        parts={
            name: Part(
                documents=tuple(dict.fromkeys(example.document for example in examples)),
                sentences=len(examples),
                elliptical=sum(example.elliptical for example in examples),
            )
            for name, examples in split.parts.items()
        },
        leaked=split.leaked,
        epochs=0,
        best_epoch=0,
        scores={},
        versions={"endophora": __version__, **libraries, "device": device},
    )
