"""The options that commands share: the same names and meanings everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

import typer

from endophora.errors import Fault, InputError

Source = Annotated[
    str | None,
    typer.Option("--source", "-s", metavar="FILE", help="Source text, one segment a line; - is standard input."),
]
References = Annotated[
    list[str] | None,
    typer.Option(
        "--reference", "-r", metavar="[NAME=]FILE", help="Reference; with --input the name of one. Repeatable."
    ),
]
Documents = Annotated[
    str | None,
    typer.Option(
        "--documents", "-d", metavar="FILE", help="Document ids, one a line; a document is a run of equal ids."
    ),
]
Systems = Annotated[
    list[str] | None,
    typer.Option(
        "--system", "-y", metavar="NAME=FILE", help="A system's output; with --input the name of one. Repeatable."
    ),
]
Languages = Annotated[
    str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Language pair, as en-de.", show_default=False)
]
Input = Annotated[
    str | None,
    typer.Option(
        "--input",
        "-i",
        metavar="PATH",
        help="A directory in the WMT layout, a TSV or a JSON Lines file with everything.",
    ),
]
InputFormat = Annotated[
    str | None, typer.Option("--input-format", metavar="NAME", help="Format of --input, where it is not recognised.")
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Directory for result.json and report.html.")
]
Format = Annotated[
    str, typer.Option("--format", "-f", metavar="NAME", help="What standard output shows: text, json, csv or latex.")
]
Units = Annotated[str, typer.Option("--units", metavar="NAME", help="What is resampled: documents or segments.")]
Resamples = Annotated[int, typer.Option("--resamples", min=100, help="Number of resamples.")]
Alpha = Annotated[float, typer.Option("--alpha", min=1e-6, max=0.5, help="Level of significance.")]


def _remember_quiet(context: typer.Context, value: bool) -> bool:
    # What is told when the command has ended must know it too.
    context.meta[QUIET] = value
    return value


QUIET = "endophora.quiet"
"""Where the context of a command has whether it is to be quiet."""

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.", callback=_remember_quiet)]
Annotators = Annotated[
    list[str] | None,
    typer.Option(
        "--annotator", metavar="LANG=NAME", help="Annotator of a language instead of its default. Repeatable."
    ),
]
Rules = Annotated[
    list[Path] | None,
    typer.Option(
        "--rules",
        metavar="FILE",
        help="Rule file instead of the package's of its language, or of a new one. Repeatable.",
    ),
]
Aligner = Annotated[
    str | None, typer.Option("--aligner", metavar="NAME", help="Word aligner instead of the embedded one.")
]
Resolver = Annotated[
    str | None, typer.Option("--resolver", metavar="NAME", help="Resolver of pronouns instead of the embedded one.")
]
Phenomena = Annotated[
    list[str] | None,
    typer.Option("--phenomenon", "-p", metavar="NAME", help="Only this; none for metrics alone. Repeatable."),
]
EllipsisClassifier = Annotated[
    Path | None,
    typer.Option(
        "--ellipsis-classifier", metavar="DIR", help="Trained classifier that finds ellipsis in the source, not rules."
    ),
]
Window = Annotated[int, typer.Option("--window", min=0, help="Segments back in which antecedents are looked for.")]
StorePath = Annotated[
    Path | None,
    typer.Option("--store", metavar="FILE", help="The annotation store. [default: in the user's cache directory]"),
]
ANOTHER_OUTPUT = "name another output directory"
"""Advice for a store that lies in one."""

NoStore = Annotated[bool, typer.Option("--no-store", help="Keep nothing between runs.")]
Workers = Annotated[
    int, typer.Option("--workers", "-w", min=0, help="Processes; 0 takes as many as are worth starting.")
]


def named(values: Iterable[str] | None, option: str) -> Mapping[str, str]:
    """Return NAME → value of repeatable ``NAME=VALUE`` options.

    Raises:
        InputError: a value has no name (E096) or two have the same (E097); all of them at once.
    """
    pairs: dict[str, str] = {}
    faults: list[Fault] = []
    for value in values or ():
        name, equals, rest = value.partition("=")
        if not (name and equals and rest):
            faults.append(Fault("E096", f"“{value}” has no name", "give it as NAME=VALUE", option))
        elif name in pairs:
            faults.append(Fault("E097", f"“{name}” is given twice", "give each name once", option))
        else:
            pairs[name] = rest
    if faults:
        raise InputError(faults)
    return pairs
