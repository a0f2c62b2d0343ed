"""A tiny BERT with random weights and WordPieces of a given text, and toy sentences that tell themselves apart."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from endophora.phenomena.ellipsis_examples import Example

_NAMES = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal"]
_VERBS = ["sings", "cooks", "paints", "reads"]
_THINGS = ["songs", "soups", "walls", "books"]


def make_encoder(folder: Path, texts: list[str], labels: int | None = None) -> Path:
    """Write a tiny BERT; a sequence classifier if it has labels."""
    torch: Any = pytest.importorskip("torch")
    transformers: Any = pytest.importorskip("transformers")
    folder.mkdir(parents=True, exist_ok=True)
    words = sorted({word for text in texts for word in text.lower().replace(".", " .").split()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words]
    (folder / "vocab.txt").write_text("\n".join(pieces), "utf-8")
    transformers.BertTokenizerFast.from_pretrained(folder).save_pretrained(folder)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    config = transformers.BertConfig(vocab_size=len(pieces), max_position_embeddings=32, **sizes)
    with torch.random.fork_rng():
        torch.manual_seed(5)
        if labels is None:
            model = transformers.BertModel(config)
        else:
            config.num_labels = labels
            model = transformers.BertForSequenceClassification(config)
    model.save_pretrained(folder)
    return folder


def toy_sentences(count: int = 200, shuffled: bool = False) -> list[Example]:
    """Sentences of five documents each; one in four leaves its verb phrase out, and ends in *does too*.

    Both words are in other sentences as well, apart. Shuffled labels cannot be learned.
    """
    random = Random(3)
    rows: list[tuple[str, bool]] = []
    for index in range(count):
        one, two = random.sample(_NAMES, 2)
        verb, thing = random.choice(_VERBS), random.choice(_THINGS)
        elliptical = index % 4 == 0
        ends = [f"{two} {random.choice(_VERBS)} too", f"{two} does what {random.choice(_NAMES)} reads", f"{two} does"]
        end = f"{two} does too" if elliptical else random.choice(ends[:2])
        rows.append((f"{one} {verb} {thing} and {end}.", elliptical))
    labels = [elliptical for _, elliptical in rows]
    if shuffled:
        random.shuffle(labels)
    numbered = enumerate(zip(rows, labels, strict=True))
    return [Example(text, label, "", f"d{index // 4}") for index, ((text, _), label) in numbered]


def write_toy(path: Path, examples: list[Example]) -> Path:
    """Write sentences as a table."""
    rows = [("label", "sentence", "document", "kind")]
    rows += [(str(int(each.elliptical)), each.text, each.document, each.kind) for each in examples]
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="\n")
    return path
