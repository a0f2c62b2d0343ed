"""A training is stopped within two seconds, also while it writes a checkpoint."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from forked import start
from toy_text import toy_documents, write_toy

from command import run
from endophora import stopping

SETTINGS = (
    "--languages en-de --preset tiny --context-size 1 --vocabulary-size 420 --batch-tokens 600 --device cpu"
    " --threads 1 --evaluate-every 2 --accumulate 2 --quiet"
)


def write_slowly() -> None:
    """From the second checkpoint on, write a part of it, ask the process to stop, and go on writing for long."""
    import safetensors.torch

    save, checkpoints = safetensors.torch.save_file, []

    def save_slowly(tensors: Any, path: Any, metadata: Any = None) -> None:
        if "checkpoint" in str(path):
            checkpoints.append(path)
        if len(checkpoints) < 2:
            return save(tensors, path, metadata)
        Path(path).write_bytes(b"a part")
        print(time.time(), flush=True)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)
        return None

    safetensors.torch.save_file = save_slowly


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """Return a training on a little text, which goes on for long."""
    train = write_toy(tmp_path / "train.tsv", toy_documents(30))
    validation = write_toy(tmp_path / "validation.tsv", toy_documents(6, 1, "v"))
    paths = ["--train", str(train), "--validation", str(validation), "--output", str(tmp_path / "model")]
    return ["train", "model", *SETTINGS.split(), *paths]


def test_a_slow_write_of_a_checkpoint_is_abandoned_and_the_one_before_is_kept(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out, err = tmp_path / "out", tmp_path / "err"
    process = start([*command, "--patience", "1000"], out, err, before=write_slowly)
    process.join(60)
    seconds = time.time() - float(out.read_text())
    # A process that is ended may wait for the processor.
    assert stopping.GRACE < 2
    assert seconds < 4
    assert process.exitcode == 130
    assert err.read_text() == (
        f"[E297] {tmp_path / 'model'} – stopped by SIGINT; what the last checkpoint has is kept – run the same command"
        " again to go on\n"
    )
    assert run(*[part for part in command if part != "--quiet"], "--updates", "4") == 0
    assert "taken up again after update 2" in capsys.readouterr().err
    assert not list((tmp_path / "model" / "work").glob(".*"))
