"""``endophora train text``: text with documents to train translation models on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import warn
from endophora.cli.inputs import Inputs
from endophora.corpus import parse_languages
from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.training.parallel import help_folder, read_help_pages, read_pages, read_pairs, read_scripts
from endophora.training.translation.preparing import PairDocument, TextPlan, prepare_text, text_output


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSources:
    """Where text with documents is."""

    help_pages: Path | None = option(
        None, "--libreoffice-help", metavar="DIR", help="LibreOffice's help folder: its pages are documents."
    )
    help_folders: str | None = option(
        None, "--libreoffice-folders", metavar="S,T", help="Its folders of the two languages, as en-US,de."
    )
    pages: Mapping[str, str] = option(
        {},
        metavar="NAME=PATTERN",
        help="Handbooks in XML or HTML: pages are documents. 'gnome=/usr/share/help/{C|de}/**/*'. Repeatable.",
    )
    scripts: Mapping[str, str] = option(
        {}, metavar="NAME=DIR", help="Games: scripts with gettext's marks are documents. Repeatable."
    )

    def read(self, source: str, target: str) -> Iterator[PairDocument]:
        """Yield the documents, source after source; nothing is named (E098), or badly (E081, E206, E343, E344)."""
        if not (self.help_pages or self.pages or self.scripts):
            advice = "--libreoffice-help DIR, --pages NAME=PATTERN or --scripts NAME=DIR"
            raise InputError(Fault("E098", "no text with documents is named", advice))
        if self.help_pages:
            given = self.help_folders
            names = given.split(",") if given else [help_folder(self.help_pages, code) for code in (source, target)]
            if len(names) != 2:
                raise InputError(
                    Fault("E206", f"“{given}” does not name two folders", "en-US,de", "--libreoffice-folders")
                )
            yield from read_help_pages(self.help_pages, names[0], names[1])
        for name, pattern in self.pages.items():
            yield from read_pages(name, pattern)
        for name, folder in self.scripts.items():
            yield from read_scripts(name, Path(folder), target)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSources:
    """Where sentence pairs are, and what is not to be learned."""

    pairs: tuple[Path, ...] = option(
        (), metavar="FILE", help="Sentence pairs: [name,] source, target; only learned. Repeatable."
    )
    collection: tuple[str, ...] = option((), metavar="NAME", help="Only pairs whose name begins so. Repeatable.")
    keep_out: tuple[Path, ...] = option(
        (), metavar="FILE", help="Text that is evaluated on, one segment a line. Repeatable."
    )


@command()
def text(
    inputs: Annotated[Inputs, Only("languages")],
    documents: DocumentSources,
    pairs: PairSources,
    plan: TextPlan,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the new files.")],
) -> None:
    """Make training, validation and test text with documents, and print how much it is and what was left out."""
    text_output(output)
    pages = documents.read(*parse_languages(inputs.languages))
    singles = chain.from_iterable(read_pairs(path, pairs.collection) for path in pairs.pairs)
    away = chain.from_iterable(path.read_text("utf-8").split("\n") for path in pairs.keep_out)
    made = prepare_text(pages, singles, output, plan, away)
    warn(f"{count} {what} are left out" for what, count in made.sources.notes.items())
    unknown = [one.name for one in made.sources.sources if one.licence == "unknown"]
    warn(f"the licence of “{name}” is not known: --licence {name}=…" for name in unknown)
    for part, count in made.segments.items():
        print(f"{output / part}.tsv: {count} segments in {made.documents[part]} documents")
