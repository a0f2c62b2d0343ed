"""Make a language in which only the sentence before tells the pronoun, and train a model of each kind on it.

    python makers/scripts/utilization_toy.py toy
    python benchmarks/utilization.py toy/test.tsv -l en-de --model sentence=toy/sentence \
        --model concatenation=toy/concatenation --model multi-encoder=toy/multi-encoder --suite toy/suite.jsonl \
        --documents 100 --segments 4 --context 1 -o toy/tables

A document has two nouns, each in a sentence of its own with a sentence about it after: *the lamp is here*, *it is old*.
What a model that uses its context must show is known here, so the measures are tried on models, and not only models
with the measures. Takes a minute or two of one core.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from endophora.corpus import Document
from endophora.corpus.records import Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.suites import Item, Pair, Suite, Variant
from endophora.suites.own_formats import write_suite_jsonl
from endophora.training.translation.settings import make_settings
from endophora.training.translation.train import TrainingRun, TrainingText, train_translation

SETTINGS = {
    "preset": "tiny",
    "context_size": 1,
    "vocabulary_size": 420,
    "batch_tokens": 600,
    "warmup": 40,
    "peak_learning_rate": 0.008,
    "dropout": 0.0,
    "evaluate_every": 100,
}
KINDS = ("sentence", "concatenation", "multi-encoder")


def make_documents(words: dict[str, Any], count: int, seed: int, name: str) -> list[Document]:
    """Return documents of four segments; the second and fourth have the pronoun of the noun before."""
    draw, made = random.Random(seed), list[Document]()  # noqa: S311
    for number in range(count):
        rows: list[tuple[str, str]] = []
        for _ in range(2):
            noun, place, state = (draw.choice(sorted(words[table])) for table in ("nouns", "places", "states"))
            article, other = words["nouns"][noun]
            rows.append((f"the {noun} is {place}", f"{article} {other} ist {words['places'][place]}"))
            rows.append((f"it is {state}", f"{words['pronouns'][article]} ist {words['states'][state]}"))
        segments = (Segment(x, {REFERENCE: y}, {}, Location(name, line)) for line, (x, y) in enumerate(rows, 1))
        made.append(Document(f"{name}{number}", tuple(segments)))
    return made


def make_suite(words: dict[str, Any], documents: list[Document]) -> Suite:
    """Return an item for each pronoun, with the other one as wrong translation."""
    items: list[Item] = []
    for document in documents:
        for place in (1, 3):
            one, before = document.segments[place], document.segments[:place]
            right, _, rest = one.references[REFERENCE].partition(" ")
            wrong = next(form for form in words["pronouns"].values() if form != right)
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
                    before=tuple(Pair(each.source, each.references[REFERENCE]) for each in before),
                    variants=(Variant(f"{wrong} {rest}", wrong),),
                )
            )
    return Suite("toy", "en", "de", tuple(items))


def main() -> None:
    """Write text and suite, and train the models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--updates", type=int, default=1500)
    chosen = parser.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    words: dict[str, Any] = YAML(typ="safe").load(Path(__file__).with_suffix(".yaml").read_text("utf-8"))
    learned, looked, held = (
        make_documents(words, count, seed, name) for count, seed, name in ((600, 0, "d"), (20, 1, "v"), (100, 2, "t"))
    )
    lines = ["document\tsource\ttarget"]
    lines += [f"{d.id}\t{s.source}\t{s.references[REFERENCE]}" for d in held for s in d.segments]
    (chosen.folder / "test.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    write_suite_jsonl(make_suite(words, held), chosen.folder / "suite.jsonl")
    for kind in KINDS:
        card = train_translation(
            TrainingText(learned),
            TrainingText(looked),
            ("en", "de"),
            chosen.folder / kind,
            make_settings({**SETTINGS, "architecture": kind, "updates": chosen.updates}),
            TrainingRun(device="cpu", threads=1),
            None,
        )
        print(f"{kind}: validation perplexity {card.perplexity:.2f}")


if __name__ == "__main__":
    main()
