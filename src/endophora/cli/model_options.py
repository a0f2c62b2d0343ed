"""What ``translate``, ``score`` and ``context`` share: options of models and of context, lines on standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Annotated, Any, TextIO, TypeVar

import typer
from pydantic import ValidationError

from endophora.cli.console import say
from endophora.cli.inputs import Keeping
from endophora.corpus.records import Corpus
from endophora.engine.shards import EngineOptions
from endophora.engine.workers import EXECUTORS, cores
from endophora.errors import Fault, InputError
from endophora.files import check_file, written_file
from endophora.models.options import ModelOptions
from endophora.models.records import ContextRead, Sides
from endophora.models.sharing import opened, shared_by
from endophora.models.specs import NAMES, shipped_model
from endophora.options import option

Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-M",
        metavar="MODEL",
        help="A folder, default, hf:NAME, lm:NAME, ct2:DIR, completions:NAME, vllm:NAME, deepl:, google:, "
        "google-basic:, openai:NAME; options behind a comma.",
    ),
]

FORMATS = ("text", "jsonl")


def tell_shipped(specs: Iterable[str], languages: tuple[str, str] | None = None) -> None:
    """Say which model is meant, and how small it is, where the shipped one is used."""
    if any(spec.partition("=")[2] in NAMES or spec.partition(",")[0] in NAMES for spec in specs):
        shipped = shipped_model(languages)
        size = sum(file.stat().st_size for file in shipped.path.glob("*.safetensors")) / 1e6
        say(
            f"model: {shipped.distribution or shipped.path} ({shipped.languages}, {size:.0f} MB), a small one that "
            "says nothing of what models can do; --model names another"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How models are opened, and what happens to segments that they cannot take."""

    device: str = option("auto", metavar="NAME", help="auto, cpu, cuda, … as torch names it.")
    batch_tokens: int | None = option(
        None, least=1, help="Most tokens of a batch. [default: 512; on a GPU by its free memory]"
    )
    precision: str | None = option(
        None,
        metavar="NAME",
        help="float32, bfloat16, float16; with ct2: also int8, int8_float32. [default: float32; on a GPU bfloat16]",
    )
    threads: int = option(0, least=0, help="Of the CPU; 0 takes all that this process may use.")
    skip_faults: bool = option(False, help="Leave out and count segments that are too long for the model.")

    def options(self, languages: tuple[str, str] | None, limit: float | None = None) -> ModelOptions:
        """Return the options of a model (E272: the precision is unknown); what is not given keeps its default."""
        given: dict[str, Any] = {
            "languages": languages,
            "device": self.device,
            "batch_tokens": self.batch_tokens,
            "precision": self.precision,
            "threads": self.threads or cores(),
            "limit": limit,
        }
        try:
            return ModelOptions.model_validate({name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            faults = [
                Fault("E272", one["msg"], "endophora translate --help", f"--{one['loc'][0]}") for one in error.errors()
            ]
            raise InputError(faults) from error


M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sharing(Opening):
    """How models are opened, and whether they work in this process, or in several, of which each has its own."""

    executor: str = option(
        "serial", metavar="NAME", help="Where models work: serial, here; process, one a GPU; ray, on many machines."
    )
    model_workers: int = option(
        0, least=0, help="Processes that have the model, with --executor. [default: one a GPU; on Ray what has room]"
    )
    shard_size: int = option(
        0, least=0, help="Inputs that are asked for and kept together. [default: 512; 64 to be translated]"
    )
    address: str = option("", metavar="ADDRESS", help="Of a Ray cluster.")
    gpus_per_worker: float = option(0.0, least=0, help="Of Ray, for each that has the model.")

    @contextmanager
    def opened(
        self,
        open_one: Callable[[str, ModelOptions], M],
        specs: Mapping[str, str],
        languages: tuple[str, str] | None,
        limit: float | None = None,
    ) -> Generator[dict[str, M]]:
        """Yield models by name, here or with workers, which end with the block (E090, E272, as ``open_one``)."""
        settings = self.options(languages, limit)
        EXECUTORS.get(self.executor)
        engine = None
        if self.executor != "serial":
            wanted = EngineOptions(
                executor=self.executor,
                workers=self.model_workers,
                shard_segments=self.shard_size,
                shards_per_worker=0,
                address=self.address,
                gpus_per_worker=self.gpus_per_worker,
            )
            found = shared_by(wanted, settings)
            each = self.threads or (1 if self.executor == "ray" else max(1, cores() // found.workers))
            engine = replace(found, cores_per_worker=float(each))
            settings = settings.model_copy(update={"threads": each})
        elif self.model_workers or self.address or self.gpus_per_worker:
            advice = "say where models work: --executor process or --executor ray"
            raise InputError(Fault("E272", "workers without --executor", advice, "--executor"))
        with opened(open_one, specs, settings, engine, self.shard_size) as models:
            yield models


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """How much context is given, and where."""

    size: int = option(3, "--context", "-k", least=0, help="Most segments of context before each.")
    sides: str = option("both", metavar="NAME", help="Where context is given: none, source, target or both.")

    def read_sides(self) -> Sides:
        """Return where context is given (E272)."""
        try:
            return Sides(self.sides)
        except ValueError as error:
            advice = f"choose {', '.join(Sides)}"
            raise InputError(Fault("E272", f"there is no such side: “{self.sides}”", advice, "--sides")) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class LineOutput(Keeping):
    """Where lines are written, and in which form; and where answers of models are kept until all are there."""

    output: str = option("-", "--output", "-o", metavar="FILE", help="Where it is written; - is standard output.")
    output_format: str = option("text", "--format", "-f", metavar="NAME", help="text or jsonl.")

    def check(self) -> None:
        """Check both before the work (E355, E090)."""
        check_file(self.output)
        if self.output_format not in FORMATS:
            cause = f"unknown format “{self.output_format}”"
            raise InputError(Fault("E090", cause, f"known: {', '.join(FORMATS)}", "--format"))

    @contextmanager
    def open(self) -> Generator[TextIO]:
        """Yield what lines are written to: standard output, or a file that is whole or not there (E154, E155)."""
        if self.output == "-":
            yield sys.stdout
            sys.stdout.flush()
            return
        with written_file(self.output) as place, place.open("w", encoding="utf-8", newline="\n") as stream:
            yield stream


def pair_of(corpus: Corpus) -> tuple[str, str]:
    """Return the codes of source and target."""
    return corpus.source_language, corpus.target_language


def context_row(context: ContextRead | None) -> dict[str, object] | None:
    """Return how much context a segment was given and read with, as a row holds it; ``None`` where it is not known."""
    return None if context is None else {**asdict(context), "state": context.state}


def as_line(row: Mapping[str, object]) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"
