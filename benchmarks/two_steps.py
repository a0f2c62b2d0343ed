"""The two steps of training of Zhang et al. (2018), on the language of the tests, where only context tells a pronoun.

    python benchmarks/two_steps.py [UPDATES]

A sentence-level model, then a multi-encoder that begins with it: frozen, frozen with gates, and free: the perplexity
of the validation text, the share of 40 pronouns that are more probable than the other one, and how many of the first
model's tensors stayed the same to the byte.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from safetensors.torch import load_file

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "training" / "translation"))

from test_context_learned import pronoun_accuracy
from toy_training import train_toy

from endophora.training.translation.train import TrainingRun

COMMON = {"documents": 400, "dropout": 0.0}


def main(updates: int) -> None:
    """Train the three models, and print a row of each."""
    with tempfile.TemporaryDirectory() as folder:
        first = Path(folder, "sentence")
        card = train_toy(first, architecture="sentence", updates=300, evaluate_every=150, **COMMON)
        print(f"sentence\t{card.perplexity:.3f}\t{pronoun_accuracy(first, context=False):.2f}", flush=True)
        before = load_file(first / "model.safetensors")
        for name, kind in (
            ("frozen", {"freeze": True}),
            ("frozen with gates", {"freeze": True, "gates": True}),
            ("free", {}),
        ):
            path, run = Path(folder, name), TrainingRun(device="cpu", threads=1, start=first)
            settings = {"architecture": "multi-encoder", **kind, "updates": updates, "evaluate_every": 150}
            card = train_toy(path, run, **settings, **COMMON)
            after = load_file(path / "model.safetensors")
            kept = sum(value.equal(after[key]) for key, value in before.items() if key in after)
            row = f"{name}\t{card.perplexity:.3f}\t{pronoun_accuracy(path, context=True):.2f}"
            print(f"{row}\t{kept} of {len(before)} tensors kept", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 900)
