"""Parts labelled sentences into training, validation and test text, by document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from endophora.errors import Fault, InputError
from endophora.phenomena.ellipsis_examples import Example
from endophora.phenomena.ellipsis_scores import Part
from endophora.signature import digest_of

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

    def hash(self) -> str:
        """Return a hash of all sentences with their labels, part by part."""
        rows = [f"{name} {each.elliptical:d} {each.text}" for name in PARTS for each in self.parts[name]]
        return digest_of(rows)

    def described(self) -> dict[str, Part]:
        """Return the documents and counts of each part."""
        return {
            name: Part(
                documents=tuple(dict.fromkeys(example.document for example in examples)),
                sentences=len(examples),
                elliptical=sum(example.elliptical for example in examples),
            )
            for name, examples in self.parts.items()
        }


def split_examples(examples: Sequence[Example], validation: float, test: float, seed: int) -> Split:
    """Part sentences by document: the parts have their shares of the sentences, and of the elliptical ones.

    Documents with elliptical sentences are dealt first, then the others; each goes, in an order drawn by the seed, to
    the part that lacks most of its share.

    Raises: InputError: a part has no elliptical sentence, or no other one (E254, all at once).
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
    split = Split({**parts, "train": kept}, len(parts["train"]) - len(kept))
    _check(split, len(documents))
    return split


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


def _check(split: Split, documents: int) -> None:
    faults: list[Fault] = []
    for name, examples in split.parts.items():
        elliptical = sum(example.elliptical for example in examples)
        for kind, number in (("elliptical", elliptical), ("complete", len(examples) - elliptical)):
            if not number:
                cause = f"the part “{name}” has no {kind} sentence, with {documents} documents in all"
                faults.append(Fault("E254", cause, "give more text, another --seed, or larger shares"))
    if faults:
        raise InputError(faults)
