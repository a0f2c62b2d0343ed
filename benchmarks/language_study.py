"""Language models of the demonstration's language, for ``endophora context study --target-context reference``.

    python benchmarks/language_study.py FOLDER [--updates 600]

Two Llamas of two layers: *reads* has learned pairs of segments in the form of the plain prompt, so that it knows the
pronoun from the sentence before; *alone* has learned single segments. The text and the suite are those of `endophora
context demo`, which neither has seen. What the study must find is known: pronouns 100 % right with the true context
and one in three without it; with a wrong context what the wrong noun asks for.
"""

from __future__ import annotations

import argparse
import random
import sys
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "models"))
sys.path.insert(0, str(Path(__file__).parent.parent / "makers" / "scripts"))

from context_demo import make_documents
from families import FAMILIES, byte_level
from ruamel.yaml import YAML
from tiny_models import two_layers

from endophora.corpus.streams import REFERENCE

ROOT = Path(__file__).parent.parent


def texts(learned: list[Any], size: int) -> list[str]:
    """Return every segment with as many before it, as the plain prompt writes them."""
    found: list[str] = []
    for document in learned:
        lines = [f"English: {one.source}\nGerman: {one.references[REFERENCE]}\n" for one in document.segments]
        found += ["".join(lines[max(0, place - size) : place + 1]) for place in range(len(lines))]
    return found


def train(folder: Path, written: list[str], vocabulary: list[str], updates: int) -> float:
    """Write a model that has learned some texts; return the last loss."""
    from transformers import PreTrainedTokenizerFast

    family, draw = FAMILIES["qwen-3"], random.Random(7)  # noqa: S311
    inner = byte_level(family.special, str(family.pattern), vocabulary)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=family.eos, pad_token=family.special[0])
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    model = two_layers(len(tokenizer), 96, 192)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    loss = torch.zeros(())
    for update in range(updates):
        batch = tokenizer(draw.sample(written, 24), padding=True, return_tensors="pt", padding_side="right")
        labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        loss = model(**batch, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * (1 - update / updates)
    model.save_pretrained(folder)
    return float(loss.detach())


def main() -> None:
    """Write both models."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--updates", type=int, default=600)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    words = YAML(typ="safe").load((ROOT / "makers" / "scripts" / "context_demo.yaml").read_text("utf-8"))
    learned = make_documents(words, 66, 0, "learned")
    alone, pairs = texts(learned, 0), texts(learned, 1)
    for name, written in (("reads", [*pairs, *alone]), ("alone", alone)):
        loss = train(chosen.folder / name, written, pairs, chosen.updates)
        print(f"{name}: loss {loss:.4f}", flush=True)


if __name__ == "__main__":
    main()
