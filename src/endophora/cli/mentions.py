"""``endophora mentions``: names and pronouns with their entities, in the format of BWB."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, Only, command
from endophora.cli.console import say
from endophora.cli.inputs import Inputs, Tools
from endophora.errors import Fault, refuse
from endophora.files import Output


@command(strict=True)
def mentions(
    inputs: Annotated[Inputs, But()],
    tools: Annotated[Tools, Only("annotator", "aligner", "resolver", "window", "store", "no_store")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the books.")] = Path(
        "endophora-mentions"
    ),
) -> None:
    """Mark names, and pronouns whose antecedent is believed, in source and first reference."""
    from endophora.extraction.mentions import mark_mentions

    place = Output(output)
    corpus = inputs.read()
    names = {document.id: _file(document.id) for document in corpus.documents}
    twice = [one for one, name in names.items() if list(names.values()).count(name) > 1]
    refuse(
        Fault("E013", f"the documents {', '.join(twice)} make one file", "rename them", output.name) for _ in twice[:1]
    )
    count = 0
    tools = replace(tools, phenomenon=("none",))
    with tools.setup((corpus.source_language, corpus.target_language)) as setup, place.writing() as folder:
        for document, source, target in mark_mentions(corpus, setup):
            for side, lines in (("chs", source), ("ref", target)):
                path = folder / f"{names[document]}.{side}_re.an.txt"
                path.parent.mkdir(exist_ok=True)
                path.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
                count += sum(line.count("{") for line in lines)
    say(f"{count} mentions in {len(corpus.documents)} documents: {output}")


def _file(document: str) -> str:
    """Return BOOK/N of a document's id, BOOK-N as BWB's or BOOK/N as ours."""
    book, _, number = (
        re.sub(r"[^\w/.-]+", "_", document).replace("..", "_").strip("/-.").replace("/", "-").rpartition("-")
    )
    return f"{book or 'Book'}/{number}"
