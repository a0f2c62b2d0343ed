"""What ALTI+ costs: in batches against one example at a time, in slices against whole tensors, and peak memory.

    python benchmarks/attribution.py MODEL CORPUS.tsv     # a folder; columns document, source, reference
    python benchmarks/attribution.py --small --words 24   # random weights of the preset small, random tokens

Each way runs in a process of its own, so that its peak memory is its own; times are processor time, which other work on
the machine does not lengthen much. ``batched`` is what the command does, ``one`` the same for one example at a time;
``whole`` is the plain way, one at a time with every transformed vector of a block in one tensor (T × S × d);
``formula`` does that too, and takes each vector through a layer norm's linear part as a matrix (d × d), as published
code does.
``forward`` is the model alone. All ways give the same figures, which is checked.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from plain_alti import transformed_vectors

from endophora.context.attribution import alti
from endophora.context.attribution.alti import Alti, as_batch, run
from endophora.context.attribution.attributor import BATCH_TOKENS
from endophora.context.attribution.blocks import Block, Resultant
from endophora.context.attribution.flows import EncodedExample, Encoder, Part, Piece
from endophora.models.layout import batches
from endophora.models.records import contextual_inputs

WAYS = ("batched", "one", "whole", "formula", "forward")


def formula(block: Block, resultant: Resultant = Resultant.OUTPUT, *, memory: int | None = None) -> Any:
    """Return distances as the formulas stand: a layer norm's linear part is a matrix that each vector goes through."""
    del memory
    if block.norm is None:
        return whole(block, resultant)
    vectors, _ = transformed_vectors(replace(block, norm=None))
    width = vectors.shape[-1]
    centring = torch.eye(width) - torch.ones(width, width) / width
    matrix = torch.diag(block.norm.weight)
    summed = block.residual + block.attended
    factor = torch.rsqrt(summed.var(-1, correction=0) + block.norm.eps)
    vectors = (vectors @ centring @ matrix) * factor[:, :, None, None]
    target = block.norm(summed)
    if resultant is Resultant.SUM:
        target = vectors.sum(2)
    return (vectors - target.unsqueeze(2)).abs().sum(-1), target.abs().sum(-1), vectors.abs().sum(-1) > 0


def whole(block: Block, resultant: Resultant = Resultant.OUTPUT, *, memory: int | None = None) -> Any:
    """Return distances from all transformed vectors of a block at once."""
    del memory
    vectors, rest = transformed_vectors(block)
    target = vectors.sum(2) + (rest if resultant is Resultant.OUTPUT else 0)
    far = (vectors - target.unsqueeze(2)).abs().sum(-1)
    return far, target.abs().sum(-1), vectors.abs().sum(-1) > 0


def random_examples(count: int, words: int, context: int, vocabulary: int) -> list[EncodedExample]:
    """Return examples of random tokens: sentences of about so many words, some of context on both sides."""
    draw, made = random.Random(1), list[EncodedExample]()  # noqa: S311 – no secret
    for _ in range(count):
        lengths = [max(4, round(draw.gauss(words, words / 4))) for _ in range(2)]
        source, target = ((context + 1) * length for length in lengths)
        tokens = [tuple(draw.randrange(3, vocabulary - 1) for _ in range(length)) for length in (source, target)]
        columns = [Piece("x", Part.SOURCE, 0, i, i + 1) for i in range(source)]
        columns += [Piece("y", Part.TARGET_PREFIX, 0, i, i + 1) for i in range(target)]
        rows = tuple(columns[source:])
        made.append(EncodedExample((tokens[0],), tokens[1], tuple(columns), rows, 0, tokens[1]))
    return made


def load(arguments: argparse.Namespace) -> tuple[Any, int, list[EncodedExample]]:
    """Return model, padding token and examples."""
    if arguments.small:
        from transformers import MarianConfig, MarianMTModel

        config = MarianConfig(
            vocab_size=8000, d_model=512, encoder_layers=6, decoder_layers=6,
            encoder_ffn_dim=1024, decoder_ffn_dim=1024, encoder_attention_heads=8, decoder_attention_heads=8,
            pad_token_id=7999, decoder_start_token_id=7999,
        )  # fmt: skip
        torch.manual_seed(1)
        examples = random_examples(arguments.examples, arguments.words, arguments.context, 8000)
        return MarianMTModel(config).eval(), 7999, examples
    from endophora.corpus.formats import read_corpus
    from endophora.models.specs import open_scorer
    from endophora.models.torch_model import TorchModel

    model = open_scorer(arguments.model)
    if not isinstance(model, TorchModel):
        raise SystemExit(f"{arguments.model} is no model on torch")
    encoder = Encoder(model.layout, model.coder.source, model.coder.target, model.coder.start)
    made: list[EncodedExample] = []
    for document in read_corpus(arguments.corpus, languages=("en", "de")).documents:
        sources = [segment.source for segment in document.segments]
        targets = [next(iter(segment.references.values())) for segment in document.segments]
        inputs = contextual_inputs(sources, targets, arguments.context)
        made += [encoder.encode(given, target) for given, target in zip(inputs, targets, strict=True)]
    kept = [example for example in made if example.rows and example.length < model.layout.longest]
    return model.model, model.coder.pad, kept[: arguments.examples]


def measure(way: str, arguments: argparse.Namespace) -> dict[str, float]:
    """Run one way in this process; return its time, peak memory and a checksum."""
    torch.set_num_threads(arguments.threads)
    model, pad, examples = load(arguments)
    method = Alti(memory=arguments.memory << 20 if arguments.memory else None)
    if way in ("whole", "formula"):
        alti.distances = {"whole": whole, "formula": formula}[way]
    groups: Sequence[Sequence[int]] = [[number] for number in range(len(examples))]
    if way in ("batched", "forward"):
        groups = batches([example.length for example in examples], arguments.batch_tokens)
    before = memory(reset=True)
    started, clock, total = time.process_time(), time.perf_counter(), 0.0
    for numbers in groups:
        some = [examples[number] for number in numbers]
        if way == "forward":
            with torch.inference_mode():
                run(model, alti.architecture_of(model), as_batch(some, pad))
        else:
            total += sum(float(matrix[:, ::7].sum()) for matrix in method.batch(model, some, pad))
    return {
        "seconds": time.process_time() - started,
        "wall": time.perf_counter() - clock,
        "memory": memory() - before,
        "checksum": total,
        "examples": len(examples),
        "tokens": sum(len(example.columns) for example in examples),
    }


def memory(*, reset: bool = False) -> float:
    """Return the peak memory of this process in MiB; with ``reset`` the present one, from which the next counts."""
    if reset:
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


def main() -> None:
    """Measure all ways and print them as a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", help="what names the model")
    parser.add_argument("corpus", nargs="?", type=Path)
    parser.add_argument("--small", action="store_true", help="random weights: 512/1024/6 layers/8 heads")
    parser.add_argument("--examples", type=int, default=64)
    parser.add_argument("--words", type=int, default=24, help="tokens of a sentence, with --small")
    parser.add_argument("--context", type=int, default=5, help="sentences of context")
    parser.add_argument("--batch-tokens", type=int, default=BATCH_TOKENS["cpu"])
    parser.add_argument("--memory", type=int, default=0, help="MiB for the vectors that are there at a time")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--way", choices=WAYS, help="this one only, as JSON")
    arguments = parser.parse_args()
    if arguments.way:
        print(json.dumps(measure(arguments.way, arguments)))
        return
    found: dict[str, dict[str, float]] = {}
    for way in WAYS:
        command = [sys.executable, __file__, *sys.argv[1:], "--way", way]
        found[way] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603
    first = found["batched"]
    print(f"{first['examples']:.0f} examples, {first['tokens'] / first['examples']:.0f} tokens each")
    for way, one in found.items():
        if way != "forward" and abs(one["checksum"] - first["checksum"]) > 1e-3 * max(1.0, first["checksum"]):
            raise SystemExit(f"{way} gives other figures")
        rate, ratio = one["examples"] / one["seconds"], one["seconds"] / first["seconds"]
        print(f"{way:8} {one['seconds']:8.2f} s {rate:8.1f} examples/s  ×{ratio:6.2f}  + {one['memory']:7.0f} MiB")


if __name__ == "__main__":
    main()
