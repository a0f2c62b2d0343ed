"""Measure the training of translation models: words a second, and whether a killed training ends with the same weights.

    python benchmarks/training.py speed --updates 20      # against the bare steps of the model on the same batches
    python benchmarks/training.py resume --kills 5        # kill -9 at random moments; the bytes of a run left alone

The text is drawn from a seed: documents of 20 segments whose words follow Zipf's law. One thread, unless --threads says
more. Seconds are of the processor on a CPU, so that what else is at work on the machine counts little, and of the clock
on a GPU.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path
from typing import Any

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE

SEED = 1
WORDS = 20_000
"""Different words of the text that is drawn: enough for a vocabulary of the usual size."""


def documents(count: int, name: str = "d") -> list[Document]:
    """Return documents of 20 segments with 5 to 35 words on each side."""
    draw = random.Random(SEED)  # noqa: S311 - not for secrets
    words = ["".join(draw.choices("aeioubdglmnrst", k=draw.randint(2, 9))) for _ in range(WORDS)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]

    def text(length: int) -> str:
        return " ".join(draw.choices(words, weights, k=length))

    made: list[Document] = []
    for number in range(count):
        lengths = [draw.randint(5, 35) for _ in range(20)]
        segments = tuple(
            Segment(text(n), {REFERENCE: text(n)}, {}, Location("drawn", at)) for at, n in enumerate(lengths)
        )
        made.append(Document(f"{name}{number}", segments))
    return made


def write(path: Path, text: list[Document]) -> Path:
    """Write documents as a TSV file."""
    lines = [f"{d.id}\t{s.source}\t{s.references[REFERENCE]}" for d in text for s in d.segments]
    path.write_text("\n".join(("document\tsource\ttarget", *lines)) + "\n", encoding="utf-8")
    return path


def speed(options: argparse.Namespace) -> None:
    """Time a training of each architecture, and the bare steps of the model on the same batches."""
    import torch

    from endophora.models.tokenization import train_vocabulary
    from endophora.training.translation.examples import Examples, TokenText, epoch_batches, tokenised
    from endophora.training.translation.loop import Forward, Training, Watch, open_devices
    from endophora.training.translation.model import layout_of, new_model
    from endophora.training.translation.settings import make_settings

    torch.set_num_threads(options.threads)
    devices = open_devices(options.device)
    clock = time.perf_counter if devices.device.type == "cuda" else time.process_time
    text = documents(200)
    with tempfile.TemporaryDirectory() as name:
        lines = (t for d in text for s in d.segments for t in (s.source, s.references[REFERENCE]))
        words = train_vocabulary(lines, Path(name) / "source.spm", options.vocabulary)
        held = tokenised(text, words)
        spoken = sum(len(s.references[REFERENCE].split()) for d in text for s in d.segments)
        machine = f"{devices.device}, {options.threads} threads, {options.precision}"
        print(f"{machine}, preset {options.preset}, {words.size} sub-words, {options.updates} updates each")
        for architecture in ("sentence", "concatenation", "multi-encoder"):
            settings = make_settings(
                {
                    "architecture": architecture,
                    "preset": options.preset,
                    "batch_tokens": options.batch_tokens,
                    "updates": options.updates,
                    "precision": options.precision,
                    "evaluate_every": 10**9,
                }
            )
            examples = Examples(held, layout_of(settings, words), settings, spoken)
            nothing = Examples(TokenText([held[0]]), layout_of(settings, words), settings)
            model: Any = new_model(settings, words)
            folder = Path(name) / architecture
            folder.mkdir()
            marks: list[float] = []
            watch = Watch(stop=lambda marks=marks: bool(marks.append(clock())))
            training = Training(model, words.pad, (examples, nothing), settings, folder / "checkpoint", watch, devices)
            training.run()
            # Asked at each update: from the first to the last, without the look and the checkpoint at the end.
            whole = marks[-1] - marks[0]
            tokens = training.state.tokens * (len(marks) - 1) / len(marks)

            # The same batches, tensors made beforehand: what the model itself takes.
            forward = Forward(model, words.pad, settings, devices.device)
            made = [
                forward.batch([examples.example(place) for place in batch], context_loss=True)
                for batch in islice(epoch_batches(examples, settings, 0), options.updates)
            ]
            optimiser: Any = torch.optim.Adam(model.parameters(), lr=1e-4, fused=True)
            model.train()
            started = clock()
            for batch in made:
                with torch.autocast(devices.device.type, torch.bfloat16, enabled=forward.half):
                    logits = model(**batch.inputs, use_cache=False).logits
                loss: Any = torch.nn.functional.cross_entropy(
                    logits.flatten(0, 1).float(), batch.labels.flatten(), label_smoothing=0.1
                )
                loss.backward()
                optimiser.step()
                optimiser.zero_grad()
            if devices.device.type == "cuda":
                torch.cuda.synchronize()
            bare = clock() - started
            bare_tokens = sum(batch.tokens for batch in made)
            share = (tokens / whole) / (bare_tokens / bare)
            print(
                f"{architecture}: {tokens / whole * examples.words_per_token:.0f} target words/s"
                f" ({tokens / whole:.0f} tokens/s), {share:.2f} of the bare steps' {bare_tokens / bare:.0f} tokens/s"
            )


def resume(options: argparse.Namespace) -> None:
    """Kill a training again and again, let it come to its end, and compare its bytes with those of one left alone."""
    draw = random.Random(SEED)  # noqa: S311 - not for secrets
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text, look = write(folder / "train.tsv", documents(20)), write(folder / "look.tsv", documents(2, "v"))
        command = (
            f"train model --languages en-de --train {text} --validation {look} --preset tiny --vocabulary-size 1000"
            f" --batch-tokens 2000 --updates {options.updates} --evaluate-every 25 --checkpoint-minutes 0.01"
            f" --word-dropout 0.1 --device cpu --threads {options.threads}"
        ).split()

        def start(output: Path) -> subprocess.Popen[bytes]:
            return subprocess.Popen(  # noqa: S603 - this very package
                [sys.executable, "-c", "from endophora.cli import main; main()", *command, "--output", str(output)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={**os.environ, "OMP_NUM_THREADS": str(options.threads)},
            )

        started = time.perf_counter()
        if start(folder / "whole").wait():
            raise SystemExit("the training that is left alone has failed")
        longest = time.perf_counter() - started
        kills = runs = 0
        while True:
            runs += 1
            program = start(folder / "killed")
            try:
                status = program.wait(draw.uniform(0.2, 0.9) * longest if kills < options.kills else None)
            except subprocess.TimeoutExpired:
                program.send_signal(signal.SIGKILL)
                kills += program.wait() == -signal.SIGKILL
                continue
            if status:
                raise SystemExit(f"exit status {status}")
            break
        same = [_digest(folder / run) for run in ("whole", "killed")]
        verdict = "the same" if same[0] == same[1] else "OTHER"
        print(f"{kills} kills, {runs} runs, {options.updates} updates: {verdict} bytes")
        if same[0] != same[1]:
            raise SystemExit(1)


def _digest(folder: Path) -> str:
    """Return the hash of the best model and of all tensors of the checkpoint."""
    from safetensors.numpy import load_file

    digest = hashlib.sha256((folder / "model.safetensors").read_bytes())
    for name, value in sorted(load_file(folder / "work" / "checkpoint.safetensors").items()):
        digest.update(name.encode() + value.tobytes())
    return digest.hexdigest()


def main() -> None:
    """Run what is named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "resume"))
    parser.add_argument("--updates", type=int, default=None)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--preset", default="mini")
    parser.add_argument("--batch-tokens", type=int, default=4096)
    parser.add_argument("--precision", default="float32", choices=("float32", "bfloat16"))
    parser.add_argument("--vocabulary", type=int, default=16_000)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    options.updates = options.updates or (20 if options.what == "speed" else 150)
    {"speed": speed, "resume": resume}[options.what](options)


if __name__ == "__main__":
    main()
