"""Two processes, started as `accelerate launch` starts them, give the weights of one; the machine alone is enough."""

from __future__ import annotations

import json
import socket
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch
from forked import start
from safetensors.torch import load_file
from toy_text import toy_documents, write_toy

from command import run

pytestmark = pytest.mark.skipif(find_spec("accelerate") is None, reason="accelerate is not installed")


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return held.getsockname()[1]


def launched(command: list[str], output: Path) -> list[str]:
    """Run a command in two processes; what each has printed."""
    port = str(free_port())
    common = {"WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    shown = [output.with_name(f"{output.name}{rank}.out") for rank in range(2)]
    programs = [
        start(
            [*command, "--output", str(output)],
            out,
            out.with_suffix(".err"),
            {**common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
        )
        for rank, out in enumerate(shown)
    ]
    for program in programs:
        program.join(300)
    for program in programs:
        program.kill()  # one that waits for the other for ever
    assert [program.exitcode for program in programs] == [0, 0], [out.with_suffix(".err").read_text() for out in shown]
    return [out.read_text() for out in shown]


def test_a_batch_that_teaches_frozen_weights_alone_ends_no_process(tmp_path: Path):
    """Without context only the sentence model works, and that is frozen."""
    text = write_toy(tmp_path / "train.tsv", toy_documents(60))
    command = (
        f"train model --languages en-de --train {text} --validation {text} --preset tiny --batch-tokens 60"
        " --accumulate 3 --dropout 0 --updates 4 --evaluate-every 4 --device cpu --threads 1"
    ).split()
    start = str(tmp_path / "start")
    sentence = ["--architecture", "sentence", "--vocabulary-size", "420", "--output", start, "--quiet"]
    assert run(*command, *sentence) == 0
    joined = ["--architecture", "multi-encoder", "--context-size", "1", "--start", start, "--freeze"]
    assert "at update 4 of 4" in launched([*command, *joined], tmp_path / "two")[0]


def test_two_processes_give_the_weights_of_one(tmp_path: Path):
    look = write_toy(tmp_path / "look.tsv", toy_documents(9, 1))
    text = write_toy(tmp_path / "train.tsv", toy_documents(60))
    command = (
        f"train model --languages en-de --train {text} --validation {look} --preset tiny --context-size 1"
        " --vocabulary-size 420 --batch-tokens 600 --accumulate 3 --dropout 0 --updates 6 --evaluate-every 3"
        " --device cpu --threads 1"
    ).split()
    assert run(*command, "--output", str(tmp_path / "one"), "--quiet") == 0
    shown = launched(command, tmp_path / "two")
    # The first alone speaks.
    assert "validation perplexity" in shown[0]
    assert shown[1] == ""
    # Three batches for two devices: one takes two, and where an epoch ends with a single one, the other takes none.
    history = [json.loads((tmp_path / name / "card.json").read_text())["history"] for name in ("one", "two")]
    assert [look["update"] for look in history[0]] == [3, 6]
    for mine, theirs in zip(*history, strict=True):
        assert theirs == pytest.approx(mine, rel=1e-5)
    one, two = (load_file(tmp_path / name / "work" / "checkpoint.safetensors") for name in ("one", "two"))
    assert {name for name in two if name.startswith("random.")} == {"random.0", "random.1"}
    for name, value in one.items():
        if name.startswith("weights."):
            # Sums in another order, and Adam's division by small numbers.
            assert torch.allclose(value, two[name], atol=1e-4), name
