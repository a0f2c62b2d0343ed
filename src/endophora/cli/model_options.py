"""What ``translate`` and ``score`` share: options of models and of context, the input, and where lines are written."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.corpus.records import Corpus
    from endophora.models.documents import Sides
    from endophora.models.options import ModelOptions
    from endophora.models.records import ContextRead

Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-M",
        metavar="MODEL",
        help="A folder, default, hf:NAME, lm:NAME, ct2:DIR, deepl:, google:, openai:NAME; options behind a comma.",
    ),
]
ContextSize = Annotated[int, typer.Option("--context", "-k", min=0, help="Most segments of context before each.")]
Context = Annotated[
    str, typer.Option("--sides", metavar="NAME", help="Where context is given: none, source, target or both.")
]
Device = Annotated[str, typer.Option("--device", metavar="NAME", help="auto, cpu, cuda, … as torch names it.")]
BatchTokens = Annotated[
    int | None, typer.Option("--batch-tokens", min=1, help="Most tokens of a batch. [default: 512; on a GPU 16384]")
]
Precision = Annotated[
    str | None,
    typer.Option("--precision", metavar="NAME", help="float32, bfloat16, float16; with ct2: also int8, int8_float32."),
]
Threads = Annotated[int, typer.Option("--threads", min=0, help="Of the CPU; 0 takes all that this process may use.")]
File = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where it is written; - is standard output.")]
LineFormat = Annotated[str, typer.Option("--format", "-f", metavar="NAME", help="text or jsonl.")]

SkipFaults = Annotated[
    bool, typer.Option("--skip-faults", help="Leave out and count segments that are too long for the model.")
]

FORMATS = ("text", "jsonl")


def model_options(
    languages: tuple[str, str],
    device: str,
    batch_tokens: int | None,
    precision: str | None,
    threads: int,
    limit: float | None = None,
) -> ModelOptions:
    """Return the options of a model; those that are not given keep their defaults.

    Raises:
        InputError: the precision is unknown (E272).
    """
    from pydantic import ValidationError

    from endophora.models.options import ModelOptions

    given: dict[str, object] = {
        "languages": languages,
        "device": device,
        "batch_tokens": batch_tokens,
        "precision": precision,
        "threads": threads or usable_processors(),
        "limit": limit,
    }
    try:
        return ModelOptions.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        faults = [
            Fault("E272", one["msg"], "endophora translate --help", f"--{one['loc'][0]}") for one in error.errors()
        ]
        raise InputError(faults) from error


def usable_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_side(name: str) -> Sides:
    """Return where context is given.

    Raises:
        InputError: the name is none of them (E272).
    """
    from endophora.models.documents import Sides

    try:
        return Sides(name)
    except ValueError as error:
        advice = f"choose {', '.join(Sides)}"
        raise InputError(Fault("E272", f"there is no such side: “{name}”", advice, "--sides")) from error


def check_format(name: str) -> None:
    """Check the name of a format of lines.

    Raises:
        InputError: it is unknown (E090).
    """
    if name not in FORMATS:
        raise InputError(Fault("E090", f"unknown format “{name}”", f"known: {', '.join(FORMATS)}", "--format"))


def read_input(
    languages: str,
    source: str | None,
    references: Sequence[str] | None,
    documents: str | None,
    systems: Sequence[str] | None,
    path: str | None,
    path_format: str | None,
) -> Corpus:
    """Read what the options name; a source alone will do.

    Raises:
        InputError: as :func:`~endophora.cli.inputs.corpus_from_options`, but for the reference.
    """
    from endophora.cli.console import warn
    from endophora.cli.inputs import corpus_from_options
    from endophora.corpus import parse_languages, read_parallel

    if path is None and source is not None and not references:
        read = read_parallel(source, (), documents, systems or (), languages=parse_languages(languages))
        warn(read.warnings)
        return read
    return corpus_from_options(languages, source, references, documents, systems, path, path_format)


@contextmanager
def open_output(output: str) -> Generator[TextIO]:
    """Yield what lines are written to: standard output, or a file that is there whole or not at all.

    Raises:
        EngineError: the disk is full (E154) or the file cannot be written (E155).
    """
    from endophora.files import written_file

    if output == "-":
        yield sys.stdout
        sys.stdout.flush()
        return
    with written_file(output) as place, place.open("w", encoding="utf-8", newline="\n") as stream:
        yield stream


def context_row(context: ContextRead | None) -> dict[str, object] | None:
    """Return how much context a segment was given and read with, as a row holds it; ``None`` where it is not known."""
    return None if context is None else {**asdict(context), "state": context.state}


def as_line(row: dict[str, object]) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False) + "\n"
