"""Kills commands at random moments, with -9, SIGTERM and SIGINT, and counts what is wrong after."""

from __future__ import annotations

import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kills import session_processes

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "training" / "translation"))
from toy_text import toy_documents, write_toy

KILL, TERM, INT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT
STATUS = {KILL: -9, TERM: 143, INT: 130}
PATIENCE = 5.0
"""Seconds after which no process of a command may be there."""

SENTENCES = (
    ("Can you help me?", "Können Sie mir helfen?"),
    ("You have my lamp.", "Sie haben meine Lampe."),
    ("It is on your table.", "Sie steht auf Ihrem Tisch."),
    ("She saw it yesterday.", "Sie sah sie gestern."),
    ("They were here.", "Sie waren hier."),
)


@dataclass(frozen=True)
class Command:
    """What is run, to be killed.

    Attributes:
        name: of the command.
        arguments: folder that is all its own → the command line.
        results: names of the files in it that must be as those of a run left alone.
    """

    name: str
    arguments: Callable[[Path], Sequence[str]]
    results: tuple[str, ...]

    def contents(self, folder: Path) -> dict[str, bytes]:
        """Return the files of the result."""
        return {
            str(path.relative_to(folder)): path.read_bytes()
            for pattern in self.results
            for path in folder.glob(pattern)
            if path.is_file()
        }


@dataclass(frozen=True)
class Strike:
    """A signal, and what came of it.

    Attributes:
        number: the signal.
        status: exit status; ``None`` for a command that had not ended 20 seconds later.
        seconds: from the signal to the end.
        orphans: processes that were there five seconds after the end.
        message: what it said on standard error.
    """

    number: int
    status: int | None
    seconds: float
    orphans: int
    message: str


def start(command: Command, folder: Path) -> subprocess.Popen[bytes]:
    """Start a command as a session of its own."""
    folder.mkdir(exist_ok=True)
    with (folder / "stderr").open("wb") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", "endophora", *command.arguments(folder)],
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
        )


def complete(command: Command, folder: Path, timeout: float = 900) -> float:
    """Run a command to its end, and return the seconds it took."""
    begin = time.monotonic()
    assert start(command, folder).wait(timeout) == 0, (folder / "stderr").read_text()
    return time.monotonic() - begin


def strike(command: Command, folder: Path, seconds: float, number: int, *, group: bool = False) -> Strike | None:
    """Start a command and send it a signal after some seconds; ``None`` if it had come to its end before."""
    program = start(command, folder)
    time.sleep(seconds)
    if program.poll() is not None:
        assert program.returncode == 0, (folder / "stderr").read_text()
        return None
    begin = time.monotonic()
    (os.killpg if group else os.kill)(program.pid, number)
    try:
        status = program.wait(20)
    except subprocess.TimeoutExpired:
        status = None
    took = time.monotonic() - begin
    end = time.monotonic() + PATIENCE
    while (left := session_processes(program.pid)) and time.monotonic() < end:
        time.sleep(0.05)
    if left:
        os.killpg(program.pid, KILL)
        program.wait()
    return Strike(number, status, took, len(left), (folder / "stderr").read_text(errors="replace").strip())


@dataclass
class Tally:
    """What came of many signals.

    Attributes:
        strikes: all of them.
        outputs: how many outputs were completed after kills.
        lost: those whose bytes are not those of a run left alone.
    """

    strikes: list[Strike] = field(default_factory=list[Strike])
    outputs: int = 0
    lost: int = 0

    def row(self, name: str) -> tuple[str, ...]:
        """Return a row of the table of results."""
        by = Counter(strike.number for strike in self.strikes)
        asked = [strike for strike in self.strikes if strike.number != KILL]
        # Python itself was not up: it ends by the signal, or with a traceback that has no frame of the package.
        early = [s for s in asked if s.status in (-s.number, 1) and "endophora/" not in s.message]
        wrong = [s for s in self.strikes if s.status not in (STATUS[s.number], 0) and s not in early]
        slow = max((strike.seconds for strike in asked), default=0.0)
        silent = [s for s in asked if s.status == STATUS[s.number] and len(s.message.splitlines()) != 1]
        counts = (by[KILL], by[TERM], by[INT], len(early), len(wrong), len(silent))
        orphans = sum(strike.orphans > 0 for strike in self.strikes)
        return (name, *map(str, counts), f"{slow:.1f}", str(orphans), str(self.outputs), str(self.lost))


HEADER = ("command", "-9", "TERM", "INT", "before Python was up", "wrong status", "not one line")
HEADER += ("slowest, s", "orphans", "outputs", "lost")


def kill_command(command: Command, folder: Path, kills: int, seed: int, each: int = 17) -> Tally:
    """Kill a command at random moments, each run going on with what the last has left; compare the results.

    Moments are spread evenly on a logarithmic scale from .03 seconds to what a run takes that is left alone.

    Args:
        command: the command.
        folder: a place for its outputs.
        kills: how many.
        seed: of the moments.
        each: a run is brought to its end after so many kills, and the next begins again.
    """
    if signal.getsignal(INT) is signal.SIG_IGN:
        # As in a job in the background; the command would inherit it.
        signal.signal(INT, signal.default_int_handler)
    generator = random.Random(seed)
    longest = complete(command, folder / "whole")
    whole = command.contents(folder / "whole")
    assert whole
    tally, place = Tally(), 0
    while len(tally.strikes) < kills:
        output = folder / f"out{place}"
        seconds = math.exp(generator.uniform(math.log(0.03), math.log(longest)))
        number = generator.choice((KILL, TERM, INT))
        found = strike(command, output, seconds, number, group=generator.random() < 0.3)
        if found is not None:
            tally.strikes.append(found)
            print(f"{command.name} {seconds:.2f} s: {found}", file=sys.stderr, flush=True)
        done = len(tally.strikes) == kills or len(tally.strikes) // each > place
        if found is None or done:
            complete(command, output)
            tally.outputs += 1
            tally.lost += command.contents(output) != whole
            shutil.rmtree(output)
            place += 1
    return tally


def write_corpus(folder: Path, documents: int = 12, segments: int = 10) -> Path:
    """Write a corpus with two systems, as a TSV, and return its path."""
    lines = ["document\tsource\treference:ref\tsystem:a\tsystem:b"]
    for number in range(documents * segments):
        source, target = SENTENCES[number * 7 % 5]
        other = SENTENCES[(number * 7 + number % 3) % 5][1]
        lines.append(f"d{number // segments}\t{source} {number}.\t{target} {number}.\t{target} {number}\t{other}")
    path = folder / "corpus.tsv"
    path.write_text("\n".join([*lines, ""]), encoding="utf-8")
    return path


def commands(folder: Path) -> dict[str, Command]:
    """Return the commands that are killed, by name: tiny inputs, two workers where there are workers."""
    corpus = write_corpus(folder)
    rows = [line.split("\t")[:3] for line in corpus.read_text("utf-8").splitlines()]
    pairs, few, model = folder / "pairs.tsv", folder / "few.tsv", folder / "model"
    pairs.write_text("".join("\t".join(row).replace("reference:ref", "target") + "\n" for row in rows), "utf-8")
    few.write_text("".join("\t".join(row[:2]) + "\n" for row in rows[:31]), "utf-8")
    train, look = (
        write_toy(folder / "train.tsv", toy_documents(100)),
        write_toy(folder / "look.tsv", toy_documents(9, 1)),
    )
    found = (
        Command(
            "evaluate",
            lambda place: (
                *("evaluate", "-l", "en-de", "--input", str(corpus), "-q", "-w", "2"),
                *("--store", str(place / "store.sqlite"), "-o", str(place / "out")),
            ),
            ("out/*",),
        ),
        Command(
            "extract",
            lambda place: (
                *("extract", "-l", "en-de", "-i", str(pairs), "-q", "-w", "2", "--shard-size", "10"),
                *("-o", str(place / "out")),
            ),
            ("out/rows.parquet", "out/statistics.json", "out/suites/**/*"),
        ),
        Command(
            "train model",
            lambda place: (
                *("train", "model", "-l", "en-de", "--train", str(train), "--validation", str(look), "-q"),
                *("--preset", "tiny", "--context-size", "1", "--vocabulary-size", "420", "--batch-tokens", "600"),
                *("--accumulate", "2", "--updates", "60", "--evaluate-every", "20", "--checkpoint-minutes", "0.01"),
                *("--device", "cpu", "--threads", "1", "--output", str(place / "out")),
            ),
            ("out/model.safetensors",),
        ),
        Command(
            "translate",
            lambda place: (
                *("translate", "-l", "en-de", "--input", str(few), "-q", "-M", str(model)),
                *("--device", "cpu", "--threads", "1", "-o", str(place / "out.txt")),
            ),
            ("out.txt",),
        ),
        Command(
            "score",
            lambda place: (
                *("score", "-l", "en-de", "--input", str(corpus), "-q", "-M", str(model), "-f", "jsonl"),
                *("--executor", "process", "--model-workers", "2", "--threads", "1", "--shard-size", "20"),
                *("--device", "cpu", "--store", str(place / "store.sqlite"), "-o", str(place / "out.jsonl")),
            ),
            ("out.jsonl",),
        ),
    )
    return {command.name: command for command in found}
