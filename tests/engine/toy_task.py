"""A task for the engine's tests: counts words, and does what a text tells it to do."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from endophora.corpus.records import Document, Location, Segment
from endophora.errors import Fault, InputError, MissingModelError


def document(name: str, texts: Sequence[str]) -> Document:
    return Document(
        name, tuple(Segment(text, {"ref": text[::-1]}, {}, Location("x", n)) for n, text in enumerate(texts, 1))
    )


def documents(count: int, longest: int = 7) -> Iterator[Document]:
    for number in range(count):
        size = 1 + number * number % longest
        yield document(f"d{number}", [f"text {number} {line} " + "w " * (number % 5) for line in range(size)])


@dataclass(frozen=True)
class CountWords:
    """Rows of document, line, source, words.

    Attributes:
        log: a folder in which each shard that is begun leaves a file; empty for none.
        seconds: how long a document takes.
        version: a part of the signature.
        load_fault: what ``load`` does: nothing, raise a coded error, raise another, or end the process.
    """

    log: str = ""
    seconds: float = 0.0
    version: int = 1
    load_fault: str = ""

    @property
    def signature(self) -> str:
        return f"count words {self.version}"

    @property
    def schema(self) -> pa.Schema:
        return pa.schema(
            {"document": pa.string(), "line": pa.int32(), "source": pa.string(), "words": pa.list_(pa.string())}
        )

    def load(self):
        if self.load_fault == "coded":
            raise MissingModelError(Fault("E040", "no model", "install it"))
        if self.load_fault == "bug":
            raise RuntimeError("no such thing")
        if self.load_fault == "die":
            os._exit(7)
        return self._work

    def _work(self, batch: Sequence[Document]) -> Iterator[dict[str, object]]:
        if self.log:
            Path(self.log, f"{batch[0].id}.{time.time_ns()}.{os.getpid()}").touch()
        for one in batch:
            if self.seconds:
                time.sleep(self.seconds)
            for segment in one.segments:
                self._obey(segment.source)
                if "skip" not in segment.source:
                    yield {
                        "document": one.id,
                        "line": segment.location.line,
                        "source": segment.source,
                        "words": segment.source.split(),
                    }

    def _obey(self, text: str) -> None:
        if text == "raise":
            raise ValueError("cannot do this")
        if text == "coded":
            raise InputError(Fault("E014", "no such language", "name another", "x.tsv", 3))
        if text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if text.startswith("die once "):
            mark = Path(text.removeprefix("die once "))
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass(frozen=True)
class FromFile(CountWords):
    """A task whose rows depend on a file that it names by path."""

    path: Path = Path("words.txt")

    @property
    def signature(self) -> str:
        return f"from file|content:{self.path.read_text()}"

    @property
    def files(self) -> tuple[Path, ...]:
        return (self.path,)

    def moved(self, places: Mapping[Path, Path]) -> FromFile:
        return replace(self, path=places[self.path])

    def _work(self, batch: Sequence[Document]) -> Iterator[dict[str, object]]:
        for row in super()._work(batch):
            yield {**row, "source": self.path.read_text()}


class Brief(CountWords):
    """Rows without text."""

    def _work(self, batch: Sequence[Document]) -> Iterator[dict[str, object]]:
        for row in super()._work(batch):
            yield {**row, "source": "", "words": []}
