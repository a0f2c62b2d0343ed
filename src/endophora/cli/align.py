"""``endophora align``: a corpus with documents of books in two languages."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import live_bar, print_table, warn
from endophora.cli.inputs import Inputs
from endophora.corpus import parse_languages
from endophora.corpus.formats import FORMATS
from endophora.corpus.streams import left_out
from endophora.errors import Fault, InputError
from endophora.files import Output
from endophora.training.books import PARTS, BookPlan, build_corpus

_FORMS = ("tsv", "jsonl", "tmx")


@command()
def align(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Folder of books; a book is a folder or a file.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Folder of the same books in the other language.")],
    inputs: Annotated[Inputs, Only("languages")],
    plan: BookPlan,
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="Format: tsv, jsonl or tmx.")] = "tsv",
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the parts.")] = Path(
        "endophora-books"
    ),
) -> None:
    """Align books in two languages, print how much there is and say what was left out."""
    write = FORMATS.get(to).write
    if to not in _FORMS or write is None:
        raise InputError(Fault("E015", f"{to} is no format of a corpus of books", f"give {', '.join(_FORMS)}", "--to"))
    place = Output(output, [*(f"{part}.{to}" for part in PARTS), "corpus.json"])
    with live_bar("books") as update:
        made, sizes = build_corpus(
            (source, target), parse_languages(inputs.languages), plan, lambda name: update(description=name)
        )
    if not sizes.has_priors:
        warn([f"no words of {sizes.languages} are known: sentences were aligned by lengths, names and numbers alone"])
    warn(left_out(sizes.left_out))
    with place.writing() as folder:
        for part, corpus in made.items():
            write(corpus, folder / f"{part}.{to}")
        (folder / "corpus.json").write_text(sizes.model_dump_json(indent=1) + "\n", "utf-8")
    rows = [
        (
            *(name, str(len(one.books)), f"{one.documents:,}", f"{one.segments:,}"),
            *(f"{one.source_words:,}", f"{one.target_words:,}", f"{one.shortest} / {one.median:g} / {one.longest}"),
        )
        for name, one in sizes.parts.items()
    ]
    sides = inputs.languages.split("-")
    header = ["", "books", "documents", "segments", *(f"words {side}" for side in sides), "segments of a document"]
    print_table(header, rows)
