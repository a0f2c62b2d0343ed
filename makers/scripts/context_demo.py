"""Make what ``endophora context demo`` ships: a language in which only the sentence before tells the pronoun.

    python makers/scripts/context_demo.py src/endophora/data/context

A document has two nouns, each in a sentence of its own with a sentence about it after: *The lamp is here. It is old.*
What a model that uses its context must show is known here, so the measures are tried on models, and not only models
with the measures. Writes ``text.tsv``, ``suite.jsonl`` and a model of each kind.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
from ruamel.yaml import YAML
from safetensors.torch import load_file, save_file
from torch import Tensor

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.suites import Item, Pair, Suite, Variant
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.records import Antecedent
from endophora.training.translation.settings import make_settings
from endophora.training.translation.train import TrainingRun, TrainingText, train_translation

SETTINGS = {
    "preset": "tiny",
    "context_size": 1,
    "vocabulary_size": 420,
    "batch_tokens": 600,
    "warmup": 100,
    "peak_learning_rate": 0.005,
    "dropout": 0.0,
    "label_smoothing": 0.0,
    "context_loss": False,
    "patience": 100,
    "evaluate_every": 100,
}
KINDS = ("sentence", "concatenation", "multi-encoder")
COPIED = ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json", "generation_config.json")
BITS = 4
"""Bits of a weight's fraction that ship; the other six of half precision are zero, and a wheel packs them away."""


def make_documents(words: dict[str, Any], blocks: int, seed: int, name: str) -> list[Document]:
    """Return nine documents a block, of four segments; the second and fourth have the pronoun of the noun before.

    In each block both places have every gender alike, and every state of the block with every gender: no state tells
    the gender.
    """
    draw, made = random.Random(seed), list[Document]()  # noqa: S311
    articles, states = sorted(words["nouns"]), sorted(words["states"])
    for block, first, second in product(range(blocks), range(3), range(3)):
        rows: list[tuple[str, str]] = []
        for gender, turn in ((second, first), ((first + second) % 3, second)):
            article, state = articles[gender], states[(3 * block + turn) % len(states)]
            noun, place = draw.choice(sorted(words["nouns"][article])), draw.choice(sorted(words["places"]))
            other = f"{article.title()} {words['nouns'][article][noun]}"
            rows.append((f"The {noun} is {place}.", f"{other} ist {words['places'][place]}."))
            rows.append((f"It is {state}.", f"{words['pronouns'][article]} ist {words['states'][state]}."))
        segments = (Segment(x, {REFERENCE: y}, {}, Location(name, line)) for line, (x, y) in enumerate(rows, 1))
        made.append(Document(f"{name}{len(made):03}", tuple(segments)))
    return made


def make_suite(words: dict[str, Any], documents: list[Document]) -> Suite:
    """Return an item for each pronoun, with the other ones as wrong translations."""
    items: list[Item] = []
    for document, place in product(documents, (1, 3)):
        one, before = document.segments[place], document.segments[:place]
        right, _, rest = one.references[REFERENCE].partition(" ")
        wrong = [form for form in words["pronouns"].values() if form != right]
        antecedents = [" ".join(text.split()[:2]) for text in (before[-1].source, before[-1].references[REFERENCE])]
        items.append(
            Item(
                id=f"{document.id}:{place}",
                document=document.id,
                segment=place,
                source=one.source,
                reference=f"{right} {rest}",
                phenomenon="gender",
                rule=f"it:{right}",
                expected=(right,),
                distance=1,
                source_antecedent=Antecedent(phrase=antecedents[0]),
                target_antecedent=Antecedent(phrase=antecedents[1]),
                before=tuple(Pair(each.source, each.references[REFERENCE]) for each in before),
                variants=tuple(Variant(f"{form} {rest}", form) for form in wrong),
            )
        )
    return Suite("toy", "en", "de", tuple(items))


def rounded(values: Tensor) -> Tensor:
    """Return weights in half precision whose fractions have so many bits."""
    fraction, exponent = torch.frexp(values)
    steps = 2 ** (BITS + 1)
    return torch.ldexp((fraction * steps).round() / steps, exponent).to(torch.float16)


def ship(trained: Path, folder: Path) -> int:
    """Write a trained model as it ships; return its bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        shutil.copyfile(trained / name, folder / name)
    config = json.loads((trained / "config.json").read_text("utf-8"))
    text = json.dumps({**config, "dtype": "float16"}, indent=2, sort_keys=True)
    (folder / "config.json").write_text(f"{text}\n", "utf-8")
    weights = {name: rounded(value) for name, value in load_file(trained / "model.safetensors").items()}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    return sum(path.stat().st_size for path in folder.iterdir())


def main() -> None:
    """Write text and suite, and train the models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--updates", type=int, default=2000)
    parser.add_argument("--kind", action="append", default=[], help="Train these besides the first, not all.")
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    words: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    learned, looked, held = (
        make_documents(words, blocks, seed, name)
        for blocks, seed, name in ((66, 0, "learned"), (2, 1, "looked"), (6, 2, "held"))
    )
    lines = ["document\tsource\ttarget"]
    lines += [f"{d.id}\t{s.source}\t{s.references[REFERENCE]}" for d in held for s in d.segments]
    (chosen.folder / "text.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    write_suite_jsonl(make_suite(words, held), chosen.folder / "suite.jsonl")
    texts = TrainingText(learned), TrainingText(looked)
    with TemporaryDirectory() as place:
        for kind in (KINDS[0], *(chosen.kind or KINDS[1:])):
            settings = make_settings({**SETTINGS, "architecture": kind, "updates": chosen.updates})
            # What the words mean is learned once: the others begin with the weights of the first.
            start = None if kind == KINDS[0] else Path(place, KINDS[0])
            run = TrainingRun(start=start, device="cpu", threads=1)
            card = train_translation(*texts, ("en", "de"), Path(place, kind), settings, run, None)
            size = ship(Path(place, kind), chosen.folder / kind)
            print(f"{kind}: validation perplexity {card.perplexity:.4f}, {size:,} bytes", flush=True)


if __name__ == "__main__":
    main()
