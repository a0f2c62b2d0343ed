"""Scores in batches against one at a time through ``transformers``; CTranslate2 against torch.

    python benchmarks/models.py NTREX --model FOLDER [--segments 200] [--context 3] [--preset small] [--pairs FILE]

NTREX is a folder with ``newstest2019.eng.txt``, ``newstest2019.deu.txt`` and ``DOCUMENT_IDS.tsv``; FOLDER has a
concatenating model from English into German. With ``--preset`` a model of that size with random weights takes its
place. All on one thread, in processor time, one after the other in the same process; with ``--threads`` on several, in
wall time, for which nothing else may run.
"""

from __future__ import annotations

import argparse
import gzip
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import torch

from endophora.models.ctranslate import convert_model
from endophora.models.layout import NEVER, Architecture, marian_config, preset
from endophora.models.options import ModelOptions
from endophora.models.records import Decoding, ModelInput, Sides, contextual_inputs
from endophora.models.specs import open_model
from endophora.models.tokenization import Vocabulary

VARIANTS = 4
Cases = dict[str, tuple[list[ModelInput], list[str]]]


def timed(what: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that something took, of processor time if on one thread, and what came of it."""
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter
    start = clock()
    made = what()
    return clock() - start, made


def options() -> ModelOptions:
    """Return how our models are opened: on as many threads as torch has, and with all of the context."""
    return ModelOptions(device="cpu", threads=torch.get_num_threads(), window=1024)


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


def read_pairs(path: Path, corpus: str, count: int) -> tuple[list[ModelInput], list[str]]:
    """Return sentences and their translations, evenly from all over a corpus of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream if line.startswith(corpus)]
    rows = rows[:: max(1, len(rows) // count)][:count]
    return [ModelInput(row[1]) for row in rows], [row[2] for row in rows]


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

    def __init__(self, folder: Path, dtype: torch.dtype = torch.float32) -> None:
        from transformers import AutoTokenizer, MarianMTModel

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = MarianMTModel.from_pretrained(folder, dtype=dtype).eval()
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
                # Not ``labels``: the loss, which is asked for with them, would be more work.
                shifted = torch.cat(
                    [labels.new_full((1, 1), self.model.config.decoder_start_token_id), labels[:, :-1]], 1
                )
                logits = self.model(
                    input_ids=source, attention_mask=torch.ones_like(source), decoder_input_ids=shifted
                ).logits.float()
            values = logits.log_softmax(-1).gather(2, labels[:, :, None])[0, :, 0]
            found.append(float(values[-self.joined([target], "target").shape[1] :].sum()))
        return found


def arithmetic(model: Any, inputs: list[ModelInput], targets: list[str]) -> float:
    """Return the floating-point operations that scoring needs, of weights alone: attention's own products are few."""

    def weights(part: Any, name: str = "") -> int:
        """Count the weights of linear layers of a part whose path has something in it."""
        layers = ((path, one) for path, one in part.named_modules() if isinstance(one, torch.nn.Linear))
        return sum(layer.weight.numel() for path, layer in layers if name in path)

    encoder, decoder = weights(model.model.get_encoder()), weights(model.model.get_decoder())
    read = sum(weights(model.model.get_decoder(), f"encoder_attn.{name}_proj") for name in "kv")
    output = model.model.lm_head.weight.numel()
    laid = model.encode(inputs, targets)
    sources = sum(len(one.source) for one in laid)
    wanted = sum(len(one.target) for one in laid)
    positions = wanted + sum(len(one.prefix) for one in laid)
    return 2.0 * ((encoder + read) * sources + (decoder - read) * positions + output * wanted)


def peak(dtype: torch.dtype) -> float:
    """Return the operations a second that the core comes to in one large product."""
    one, other = torch.rand(1024, 1024).to(dtype), torch.rand(1024, 1024).to(dtype)
    made = one @ other
    return max(2.0 * 1024**3 / timed(lambda: torch.mm(one, other, out=made))[0] for _ in range(20))


def score_ratios(folder: Path, cases: Cases, repeats: int) -> None:
    """Print how much sooner batches are scored than one segment at a time."""
    kinds = {"float32": torch.float32, "bfloat16": torch.bfloat16}
    pairs: dict[str, tuple[Plain, Any]] = {
        name: (Plain(folder, kind), open_model(str(folder), options().model_copy(update={"precision": name})))
        for name, kind in kinds.items()
    }
    print("one product: " + ", ".join(f"{name} {peak(kind) / 1e9:.0f} GFLOP/s" for name, kind in kinds.items()))
    columns = (
        "scored", "segments", "tokens, source", "target", "precision", "one at a time, ms a segment", "GFLOP/s",
        "batches, ms a segment", "GFLOP/s", "ratio", "to one at a time in float32", "a token apart, mean",
        "a segment apart, most",
    )  # fmt: skip
    print(f"| {' | '.join(columns)} |\n{'|---' * len(columns)}|")
    for name, (given, wanted) in cases.items():
        for cells in score_rows(pairs, given, wanted, repeats):
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


def score_rows(
    pairs: dict[str, tuple[Plain, Any]], given: list[ModelInput], wanted: list[str], repeats: int
) -> Iterator[list[str]]:
    """Yield the cells of each precision; what is apart is so from float32, in a segment from ``transformers``."""
    plain, model = pairs["float32"]
    laid, count = model.encode(given, wanted), len(given)
    lengths = sum(len(one.source) for one in laid) / count, sum(len(one.target) for one in laid) / count
    work = arithmetic(model, given, wanted) / 1e9
    exact, totals, first = model.score(given, wanted), plain.score(given, wanted), 0.0
    for precision, (one, many) in pairs.items():
        one.score(given[:4], wanted[:4])
        made = many.score(given, wanted)
        slow = fast = float("inf")
        # In turns, so that what else the machine does meets both.
        for _ in range(repeats):
            slow = min(slow, timed(partial(one.score, given, wanted))[0])
            fast = min(fast, timed(partial(many.score, given, wanted))[0])
        first = first or slow
        apart = [abs(a.logprobs - b.logprobs) for a, b in zip(made, exact, strict=True)]
        most = max(abs(a - b.total) for a, b in zip(totals, made, strict=True))
        yield [
            str(count), *(f"{length:.0f}" for length in lengths), precision,
            f"{slow / count * 1e3:.1f}", f"{work / slow:.0f}", f"{fast / count * 1e3:.1f}", f"{work / fast:.0f}",
            f"{slow / fast:.1f}", f"{first / fast:.1f}",
            f"{sum(map(sum, apart)) / sum(map(len, apart)):.1e}", f"{most:.1e}",
        ]  # fmt: skip


def contrastive(inputs: list[ModelInput], targets: list[str]) -> tuple[list[ModelInput], list[str]]:
    """Return a contrastive suite: targets, each with a word of it repeated at several other places."""
    variants = [
        " ".join((*words[:place], words[0], *words[place:]))
        for words in (target.split() for target in targets)
        for place in range(VARIANTS)
    ]
    return [given for given in inputs for _ in range(VARIANTS)], variants


def converted_ratios(folder: Path, place: Path, inputs: list[ModelInput], targets: list[str]) -> None:
    """Print how much sooner CTranslate2 is, and how far its probabilities are from torch's."""
    model = open_model(str(folder), options())
    bare = [ModelInput(given.source) for given in inputs]
    print("\n| CTranslate2 | torch, s | CTranslate2, s | ratio | a token apart, mean | most | same text |")
    print("|---|---|---|---|---|---|---|")
    slow: dict[str, tuple[float, Any]] = {}
    for precision in ("float32", "int8"):
        convert_model(str(folder), place / precision, precision)
        converted = open_model(f"ct2:{place / precision}", options())
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
    parser.add_argument("--pairs", type=Path, help="short sentences: a gzipped TSV of corpus, source, target")
    parser.add_argument("--corpus", default="tatoeba", help="the rows of it whose first column begins so")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--scores-only", action="store_true", help="without CTranslate2")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    inputs, targets = read_inputs(arguments.folder, arguments.segments, arguments.context)
    bare = [ModelInput(given.source) for given in inputs]
    cases: Cases = {}
    if arguments.pairs:
        cases[f"{arguments.corpus}"] = read_pairs(arguments.pairs, arguments.corpus, arguments.segments * 4)
    some = len(inputs) // VARIANTS
    cases |= {"news": (bare, targets), "news, context": (inputs, targets)}
    cases["news, context, contrastive"] = contrastive(inputs[:some], targets[:some])
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = arguments.model
        if arguments.preset:
            folder = random_model(place / "model", arguments.model, arguments.preset)
        score_ratios(folder, cases, arguments.repeats)
        if not arguments.preset and not arguments.scores_only:
            converted_ratios(folder, place, inputs, targets)


if __name__ == "__main__":
    main()
