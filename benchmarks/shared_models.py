"""Scoring in shards, here and in a worker, as a share of the bare forward pass, with models of random weights.

    python benchmarks/shared_models.py NTREX [--segments 1000] [--hidden 256] [--layers 6] [--context 0] [--shard 512]

NTREX as in ``models.py``. Bare: the decoder-only model's own forward pass over the same token sequences, cut before and
in batches of like length, with the output layer at the targets' places and nothing else. Here: scores kept in a store
on the disk, shard by shard. Worker: the same through one process of ``--executor process``, its start not counted.
All on one thread, in seconds of processor time; figures of the three are compared.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from endophora.context.context_read import KeptAnswers
from endophora.engine.shards import EngineOptions
from endophora.models.layout import LaidOut, batches
from endophora.models.options import ModelOptions
from endophora.models.records import ModelInput
from endophora.models.sharing import opened
from endophora.models.specs import open_scorer
from endophora.models.torch_model import padded
from endophora.store import Store
from models import read_inputs

OPTIONS = ModelOptions(device="cpu", threads=1, languages=("en", "de"))


def make_model(folder: Path, texts: Sequence[str], hidden: int, layers: int) -> int:
    """Write a Llama with random weights and a vocabulary of 8,000 pieces, and return how many weights it has."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    inner: Any = Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    inner.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    first, last = special = ["<s>", "</s>"]
    settings = {"vocab_size": 8000, "special_tokens": special, "initial_alphabet": alphabet, "show_progress": False}
    inner.train_from_iterator(texts, trainers.BpeTrainer(**settings))
    PreTrainedTokenizerFast(tokenizer_object=inner, bos_token=first, eos_token=last).save_pretrained(folder)
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=8000,
        hidden_size=hidden,
        intermediate_size=hidden * 8 // 3,
        num_hidden_layers=layers,
        num_attention_heads=max(1, hidden // 64),
        max_position_embeddings=2048,
    )
    model = LlamaForCausalLM(config)
    model.save_pretrained(folder)
    return sum(one.numel() for one in model.parameters())


def bare(model: Any, laid: Sequence[LaidOut], tokens: int) -> list[float]:
    """Return the log-probability of each target by the library's forward pass alone."""
    found = [0.0] * len(laid)
    sequences = [(*one.prefix, *one.target[:-1]) for one in laid]
    with torch.inference_mode():
        for chosen in batches([len(one) for one in sequences], tokens):
            states = model.model(input_ids=padded([sequences[number] for number in chosen], 0), use_cache=False)[0]
            some = [laid[number] for number in chosen]
            places = [slice(len(one.prefix) - 1, len(one.prefix) - 1 + len(one.target)) for one in some]
            rows = torch.cat([states[row, place] for row, place in enumerate(places)])
            wanted = torch.tensor([token for one in some for token in one.target])
            scores = model.lm_head(rows)
            values = scores.gather(1, wanted[:, None])[:, 0] - scores.logsumexp(1)
            for number, part in zip(chosen, values.split([len(one.target) for one in some]), strict=True):
                found[number] = float(part.sum())
    return found


def in_worker(folder: Path, given: Sequence[ModelInput], wanted: Sequence[str], shard: int, store: Path) -> Any:
    """Return the scores of a worker, and its processor time, start included."""
    engine = EngineOptions(executor="process", workers=1, shards_per_worker=0)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with opened(open_scorer, {"lm": f"lm:{folder}"}, OPTIONS, engine, shard) as models, Store(store) as kept:
        found = KeptAnswers(kept).score(models["lm"], given, wanted)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return found, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Make a model, score with it in three ways, and print a line a way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ntrex", type=Path)
    for name, value in (("segments", 1000), ("hidden", 256), ("layers", 6), ("context", 0), ("shard", 512)):
        parser.add_argument(f"--{name}", type=int, default=value)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    given, wanted = read_inputs(chosen.ntrex, chosen.segments, chosen.context)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        texts = [*(one.source for one in given), *wanted]
        weights = make_model(folder / "model", texts, chosen.hidden, chosen.layers)
        scorer: Any = open_scorer(f"lm:{folder / 'model'}", OPTIONS)
        laid = scorer.encode(given, wanted)
        tokens = sum(len(one.prefix) + len(one.target) - 1 for one in laid)
        print(
            f"{len(given)} segments, {tokens:,} tokens, {weights / 1e6:.1f} million weights, torch {torch.__version__}"
        )
        bare(scorer.model, laid[:8], scorer.batch_tokens)
        start = time.process_time()
        plain = bare(scorer.model, laid, scorer.batch_tokens)
        least = time.process_time() - start
        scorer.shard = chosen.shard
        start = time.process_time()
        with Store(folder / "store") as kept:
            here = KeptAnswers(kept).score(scorer, given, wanted)
        mine = time.process_time() - start
        _, begun = in_worker(folder / "model", given[:1], wanted[:1], chosen.shard, folder / "first")
        start = time.process_time()
        there, spent = in_worker(folder / "model", given, wanted, chosen.shard, folder / "second")
        asking = time.process_time() - start
        for what, seconds in (("bare", least), ("here", mine), ("worker", spent - begun), ("asking it", asking)):
            print(f"{what:10} {seconds:8.1f} s {tokens / seconds:8.0f} tokens/s, {least / seconds:6.1%} of bare")
        apart = max(abs(one.total - value) for one, value in zip(here, plain, strict=True))
        same = all((one.logprobs == other.logprobs).all() for one, other in zip(here, there, strict=True))
        print(f"from bare at most {apart:.1e} a segment; worker and here {'the same bits' if same else 'differ'}")


if __name__ == "__main__":
    main()
