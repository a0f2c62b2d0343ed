"""Scores in batches against one at a time through ``transformers``; CTranslate2 against torch.

    python benchmarks/models.py NTREX --model FOLDER [--segments 200] [--context 3] [--preset small]

NTREX is a folder with ``newstest2019.eng.txt``, ``newstest2019.deu.txt`` and ``DOCUMENT_IDS.tsv``; FOLDER has a
concatenating model from English into German. With ``--preset`` a model of that size with random weights takes its
place. All on one thread, in processor time, one after the other in the same process.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from endophora.models.conversion import convert_model
from endophora.models.documents import Sides, contextual_inputs
from endophora.models.opening import open_model
from endophora.models.options import ModelOptions
from endophora.models.presets import NEVER, Architecture, marian_config, preset
from endophora.models.records import Decoding, ModelInput
from endophora.models.vocabulary import Vocabulary

OPTIONS = ModelOptions(device="cpu", threads=1)
VARIANTS = 4


def timed(what: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of processor time that something took, and what came of it."""
    start = time.process_time()
    made = what()
    return time.process_time() - start, made


def read_inputs(folder: Path, segments: int, context: int) -> tuple[list[ModelInput], list[str]]:
    """Return the first segments with context on both sides, and their translations."""
    sides = [(folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in ("eng", "deu")]
    ids = (folder / "DOCUMENT_IDS.tsv").read_text("utf-8").splitlines()
    inputs: list[ModelInput] = []
    targets: list[str] = []
    for _, group in groupby(list(zip(ids, *sides, strict=False))[:segments], key=lambda row: row[0]):
        rows = list(group)
        texts = [row[2] for row in rows]
        inputs += contextual_inputs([row[1] for row in rows], texts, context, Sides.BOTH)
        targets += texts
    return inputs, targets


def random_model(folder: Path, like: Path, size: str) -> Path:
    """Write a model of a size with random weights and the vocabulary of another one."""
    from transformers import MarianMTModel

    folder.mkdir()
    vocabulary = Vocabulary(like / "source.spm")
    model = MarianMTModel(marian_config(preset(size), vocabulary, Architecture.CONCATENATION, 5))
    with torch.no_grad():
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
    model.save_pretrained(folder)
    vocabulary.save(folder, "en", "de")
    return folder


class Plain:
    """One segment after the other through ``transformers``, as its documentation shows it."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoTokenizer, MarianMTModel

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = MarianMTModel.from_pretrained(folder).eval()
        self.separator: int = self.tokenizer.convert_tokens_to_ids(self.model.config.context_separator)

    def joined(self, texts: list[str], side: str) -> torch.Tensor:
        """Return the ids of sentences with separators between them, (1, length)."""
        given = "text" if side == "source" else "text_target"
        found: list[int] = []
        for text in texts:
            found += [*([self.separator] if found else []), *self.tokenizer(**{given: text})["input_ids"][:-1]]
        return torch.tensor([[*found, self.tokenizer.eos_token_id]])

    def score(self, inputs: list[ModelInput], targets: list[str]) -> list[float]:
        """Return the log-probability of each target."""
        found: list[float] = []
        for given, target in zip(inputs, targets, strict=True):
            source = self.joined([*map(str, given.source_context), given.source], "source")
            labels = self.joined([*map(str, given.target_context), target], "target")
            with torch.inference_mode():
                logits = self.model(input_ids=source, attention_mask=torch.ones_like(source), labels=labels).logits
            values = logits.log_softmax(-1).gather(2, labels[:, :, None])[0, :, 0]
            found.append(float(values[-self.joined([target], "target").shape[1] :].sum()))
        return found


def score_ratios(folder: Path, inputs: list[ModelInput], targets: list[str]) -> None:
    """Print how much sooner batches are scored than one segment at a time."""
    model, plain = open_model(str(folder), OPTIONS), Plain(folder)
    bare = [ModelInput(given.source) for given in inputs]
    some = inputs[: len(inputs) // VARIANTS]
    # A contrastive suite: the target, and the same with a word of it repeated at other places.
    many = [given for given in some for _ in range(VARIANTS)]
    variants = [
        " ".join((*words[:place], words[0], *words[place:]))
        for words in (target.split() for target in targets[: len(some)])
        for place in range(VARIANTS)
    ]
    cases = {"no context": (bare, targets), "context": (inputs, targets), "context, contrastive": (many, variants)}
    print("| scored | segments | one at a time, s | batches, s | ratio | furthest apart |\n|---|---|---|---|---|---|")
    for name, (given, wanted) in cases.items():
        model.score(given[:8], wanted[:8])
        plain.score(given[:4], wanted[:4])
        slow, one = timed(lambda given=given, wanted=wanted: plain.score(given, wanted))
        fast, other = timed(lambda given=given, wanted=wanted: model.score(given, wanted))
        apart = max(abs(a - b.total) for a, b in zip(one, other, strict=True))
        print(f"| {name} | {len(given)} | {slow:.2f} | {fast:.2f} | {slow / fast:.1f} | {apart:.1e} |", flush=True)


def converted_ratios(folder: Path, place: Path, inputs: list[ModelInput], targets: list[str]) -> None:
    """Print how much sooner CTranslate2 is, and how far its probabilities are from torch's."""
    model = open_model(str(folder), OPTIONS)
    bare = [ModelInput(given.source) for given in inputs]
    print("\n| CTranslate2 | torch, s | CTranslate2, s | ratio | a token apart, mean | most | same text |")
    print("|---|---|---|---|---|---|---|")
    slow: dict[str, tuple[float, Any]] = {}
    for precision in ("float32", "int8"):
        convert_model(str(folder), place / precision, precision)
        converted = open_model(f"ct2:{place / precision}", OPTIONS)
        for name, given in (("no context", bare), ("context", inputs)):
            if name not in slow:
                slow[name] = timed(lambda given=given: model.score(given, targets))
            seconds, other = timed(lambda given=given, one=converted: one.score(given, targets))
            apart = [abs(a.logprobs - b.logprobs) for a, b in zip(slow[name][1], other, strict=True)]
            mean, most = sum(map(sum, apart)) / sum(map(len, apart)), max(map(max, apart))
            cells = f"{slow[name][0]:.2f} | {seconds:.2f} | {slow[name][0] / seconds:.1f} | {mean:.1e} | {most:.1e} | |"
            print(f"| score, {name}, {precision} | {cells}", flush=True)
        for name, given, beam in (("greedy", bare, 1), ("beam 5", bare, 5), ("context, beam 5", inputs, 5)):
            if name not in slow:
                slow[name] = timed(lambda given=given, beam=beam: model.translate(given, Decoding(beam=beam)))
            seconds, other = timed(lambda given=given, beam=beam, one=converted: one.translate(given, Decoding(beam)))
            same = sum(a.text == b.text for a, b in zip(slow[name][1], other, strict=True)) / len(other)
            cells = f"{slow[name][0]:.2f} | {seconds:.2f} | {slow[name][0] / seconds:.1f} | | | {same:.0%} |"
            print(f"| translate, {name}, {precision} | {cells}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--segments", type=int, default=200)
    parser.add_argument("--context", type=int, default=3)
    parser.add_argument("--preset")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    inputs, targets = read_inputs(arguments.folder, arguments.segments, arguments.context)
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = arguments.model
        if arguments.preset:
            folder = random_model(place / "model", arguments.model, arguments.preset)
        score_ratios(folder, inputs, targets)
        if not arguments.preset:
            converted_ratios(folder, place, inputs, targets)


if __name__ == "__main__":
    main()
