"""Training works: a concatenation model learns what the sentence before decides, a sentence-level model cannot."""

from __future__ import annotations

from pathlib import Path

from toy_text import toy_documents
from toy_training import train_toy

from endophora.context.cxmi import CxmiOptions, measure_cxmi
from endophora.context.samples import Material, Sample, plain_words
from endophora.corpus.streams import REFERENCE
from endophora.models.records import ModelInput, Sides
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


def test_a_model_of_target_context_alone_gains_by_it_on_the_words_that_need_it(tmp_path: Path):
    train_toy(tmp_path / "m", architecture="target-concatenation", dropout=0.0, updates=200, evaluate_every=200)
    samples = []
    for document in toy_documents(40, seed=2, name="t"):
        first, second = document.segments
        target = second.references[REFERENCE]
        given = ModelInput(second.source, (first.source,), (first.references[REFERENCE],))
        samples.append(Sample(document.id, 1, given, target, plain_words(target)))
    material = Material("documents", ("en", "de"), tuple(samples), (), "toy")
    options = CxmiOptions(sides=(Sides.TARGET, Sides.BOTH, Sides.SOURCE), size=1, resamples=100)
    done = measure_cxmi(material, open_scorer(str(tmp_path / "m")), options)
    target, both, source = (one.context for one in done.result.conditions)
    assert (target.given, target.whole, target.source_given, target.target_given) == (40, 40, 0, 40)
    assert (both, source.given) == (target, 0)
    assert done.result.figure("target-1").value == done.result.figure("both-1").value > 0
    assert done.result.figure("source-1").value == 0
    assert any("never reads context of source" in warning for warning in done.result.warnings)
    gains = [one.words[0] for one in done.pointwise]
    # The pronoun is the first of three words; the others follow from the source alone.
    assert sum(gain[0] for gain in gains) / 40 > 10 * abs(sum(gain[1] + gain[2] for gain in gains) / 40)
