"""``endophora context themes``: the words that a context helps most, as a page to read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli import options

_PAGE = "themes.html"


def themes(
    directory: Annotated[
        Path, typer.Argument(metavar="DIR", help="What context cxmi wrote with --output.", show_default=False)
    ],
    condition: Annotated[
        str | None, typer.Option("--condition", metavar="NAME", help="As both-2. [default: the largest context]")
    ] = None,
    tokens: Annotated[int, typer.Option("--tokens", min=1, help="Words with the highest P-CXMI.")] = 300,
    items: Annotated[int, typer.Option("--items", min=1, help="Vocabulary items.")] = 200,
    of_group: Annotated[int, typer.Option("--of-group", min=1, help="Words of each group.")] = 30,
    of_item: Annotated[int, typer.Option("--of-item", min=1, help="Words of each vocabulary item.")] = 10,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Directory for themes.html. [default: DIR]")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Read which words need context: parts of speech, vocabulary and single words beside each other."""
    from endophora.cli.showing import write_pages
    from endophora.context.themes import Limits, make_themes, read_measurement
    from endophora.files import Output
    from endophora.report.themes import render

    place = Output(output or directory, [_PAGE])
    result, measured = read_measurement(directory)
    found = make_themes(result, measured, condition, Limits(tokens, items, of_group, of_item))
    with place.writing() as folder:
        write_pages(folder, {_PAGE: render(found)})
    if not quiet:
        print(f"page: {place.root / _PAGE}", file=sys.stderr)
