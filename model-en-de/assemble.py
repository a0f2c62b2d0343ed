"""Put a trained model into this distribution, its weights in half precision.

    endophora train model --languages en-de … --output build/en-de
    endophora train model --languages en-de … --start build/en-de --output build/en-de-2
    python model-en-de/assemble.py build/en-de-2 build/en-de

Of several folders, passes of one training, the weights are averaged (as Vaswani et al. 2017, §6.1, do with the last
checkpoints); all else is the first one's. The files are those of a Marian model of ``transformers``, and its card. The
credits in ``NOTICE`` are what the card says of its text.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

HERE = Path(__file__).parent
PACKAGE = HERE / "endophora_model_en_de"
WEIGHTS = "model.safetensors"
COPIED = ("source.spm", "target.spm", "vocab.json", "tokenizer_config.json", "generation_config.json", "card.json")


def halve(sources: Sequence[Path], target: Path) -> None:
    """Write the average of weights in half precision."""
    first, *others = (load_file(source) for source in sources)
    if any(other.keys() != first.keys() for other in others):
        raise SystemExit("the models have other weights than each other: average passes of one training")
    weights = {
        name: torch.stack([value, *(other[name] for other in others)]).mean(0).to(torch.float16)
        for name, value in first.items()
    }
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


def main(folder: str, *others: str) -> None:
    """Take in a trained model, averaged with others."""
    trained = Path(folder)
    for name in COPIED:
        shutil.copyfile(trained / name, PACKAGE / name)
    config = json.loads((trained / "config.json").read_text("utf-8"))
    config["dtype"] = "float16"
    (PACKAGE / "config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")
    halve([Path(one) / WEIGHTS for one in (folder, *others)], PACKAGE / WEIGHTS)
    card = json.loads((trained / "card.json").read_text("utf-8"))
    if others:
        card["averaged_with"] = [Path(one).name for one in others]
        (PACKAGE / "card.json").write_text(json.dumps(card, ensure_ascii=False, indent=1) + "\n", "utf-8")
    (HERE / "NOTICE").write_text(credits(card), "utf-8")
    size = sum(path.stat().st_size for path in PACKAGE.iterdir() if path.is_file()) / 1e6
    print(f"{PACKAGE}: {size:.1f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
