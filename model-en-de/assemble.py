"""Put a trained model into this distribution, its weights in half precision.

    endophora train model --languages en-de … --output build/en-de
    python model-en-de/assemble.py build/en-de

The files are those of a Marian model of ``transformers``, and its card. The credits in ``NOTICE`` are what the card
says of its text.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

HERE = Path(__file__).parent
PACKAGE = HERE / "endophora_model_en_de"
WEIGHTS = "model.safetensors"
COPIED = ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json", "generation_config.json", "card.json")


def halve(source: Path, target: Path) -> None:
    """Write weights in half precision."""
    weights = {name: value.to(torch.float16) for name, value in load_file(source).items()}
    infinite = [name for name, value in weights.items() if not torch.isfinite(value).all()]
    if infinite:
        raise SystemExit(f"too large for half precision: {', '.join(infinite)}")
    save_file(weights, target, metadata={"format": "pt"})


def credits(card: dict[str, object]) -> str:
    """Return what ``NOTICE`` says of the text that the model has learned from."""
    sources = card["sources"]
    lines = [f"{one['name']}: {one['holder']}, {one['url']}, {one['licence']}." for one in sources]  # type: ignore[index]
    return "\n".join(
        (
            "endophora-model-en-de: sources of the weights",
            "",
            *lines,
            "",
            "The files hold no text and are offered under the Apache Licence 2.0.",
            "",
        )
    )


def main(folder: str) -> None:
    """Take in a trained model."""
    trained = Path(folder)
    for name in COPIED:
        shutil.copyfile(trained / name, PACKAGE / name)
    config = json.loads((trained / "config.json").read_text("utf-8"))
    config["dtype"] = "float16"
    (PACKAGE / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")
    halve(trained / WEIGHTS, PACKAGE / WEIGHTS)
    card = json.loads((trained / "card.json").read_text("utf-8"))
    (HERE / "NOTICE").write_text(credits(card), "utf-8")
    size = sum(path.stat().st_size for path in PACKAGE.iterdir() if path.is_file()) / 1e6
    print(f"{PACKAGE}: {size:.1f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
