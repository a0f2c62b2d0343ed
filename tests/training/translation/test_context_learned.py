"""Training works: a concatenation model learns what the sentence before decides, a sentence-level model cannot."""

from __future__ import annotations

from pathlib import Path

from toy_text import toy_documents
from toy_training import train_toy

from endophora.corpus.streams import REFERENCE
from endophora.models.records import ModelInput
from endophora.models.specs import open_scorer


def pronoun_accuracy(folder: Path, *, context: bool) -> float:
    """The share of second sentences in which the right pronoun is more probable than the other one."""
    inputs, targets = [], []
    for document in toy_documents(40, seed=2, name="t"):
        first, second = document.segments
        right = second.references[REFERENCE]
        pronoun, rest = right.split(" ", 1)
        wrong = f"{'er' if pronoun == 'sie' else 'sie'} {rest}"
        before = ((first.source,), (first.references[REFERENCE],)) if context else ((), ())
        inputs += [ModelInput(second.source, *before)] * 2
        targets += [right, wrong]
    totals = [scored.total for scored in open_scorer(str(folder)).score(inputs, targets)]
    pairs = list(zip(totals[::2], totals[1::2], strict=True))
    return sum(right > wrong for right, wrong in pairs) / len(pairs)


def test_a_concatenation_model_learns_the_pronoun_and_a_sentence_level_model_guesses(tmp_path: Path):
    common = {"documents": 400, "dropout": 0.0, "updates": 300, "evaluate_every": 150}
    joined = train_toy(tmp_path / "joined", architecture="concatenation", **common)
    single = train_toy(tmp_path / "single", architecture="sentence", **common)
    assert pronoun_accuracy(tmp_path / "joined", context=True) >= 0.95
    assert pronoun_accuracy(tmp_path / "single", context=False) <= 0.7
    assert joined.perplexity < single.perplexity
