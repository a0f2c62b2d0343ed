"""``endophora-makers``: trains what the package ships, or others of their kind: annotators and aligner priors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli.console import progress_bar, report_error, running, say
from endophora.errors import EndophoraError, Fault, InputError
from endophora.options import named
from endophora.process import prepare_process

if TYPE_CHECKING:
    from endophora_makers.annotators import Progress

app = typer.Typer(
    name="endophora-makers",
    help="Train annotators and aligner priors for endophora.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.command("annotator")
def annotator(
    language: Annotated[str, typer.Argument(help="ISO 639-1 code.")],
    treebanks: Annotated[Path, typer.Option("--treebanks", metavar="DIR", help="Directory of treebank archives.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the new pipeline.")],
    recipe: Annotated[
        Path | None, typer.Option("--recipe", metavar="FILE", help="Recipe instead of the shipped one of the language.")
    ] = None,
    words: Annotated[int | None, typer.Option("--words", min=1, help="Words to see, instead of the recipe's.")] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Of the initial weights and of the order of the text.")
    ] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings.")] = False,
) -> None:
    """Train an annotator from Universal Dependencies treebanks; name the directory with --annotator to use it."""
    from endophora.files import check_new
    from endophora_makers.annotators import train_annotator
    from endophora_makers.recipe import load_recipe

    check_new(output)
    total = words or load_recipe(language, recipe).training.words
    with running(quiet=quiet), progress_bar("train, in words", total) as advance:
        seen = 0

        def tell(state: Progress) -> None:
            """Show how far training is."""
            nonlocal seen
            advance(state.words - seen)
            seen = state.words
            if not sys.stderr.isatty():
                losses = ", ".join(f"{name} {loss:.2f}" for name, loss in state.losses.items())
                say(f"{state.words} of {state.total} words: {losses}")

        train_annotator(language, treebanks, output, recipe=recipe, seed=seed, words=words, progress=tell)
    print(f"annotator: {output}", file=sys.stderr)


@app.command("priors")
def priors(
    languages: Annotated[
        str, typer.Option("--languages", "-l", metavar="SRC-TGT", help="Language pair, as en-de.", show_default=False)
    ],
    pairs: Annotated[
        list[Path], typer.Option("--pairs", metavar="FILE", help="Sentence pairs: [name,] source, target. Repeatable.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The new priors.")],
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", metavar="NAME", help="Only rows whose name begins so. Repeatable."),
    ] = None,
    lexicon: Annotated[
        list[Path] | None, typer.Option("--lexicon", metavar="FILE", help="Wiktionary's translation lists. Repeatable.")
    ] = None,
    help_folder: Annotated[
        Path | None,
        typer.Option(
            "--libreoffice-help", metavar="DIR", help="LibreOffice's help folder, with en-US and the other language."
        ),
    ] = None,
    catalogues: Annotated[
        Path | None, typer.Option("--catalogues", metavar="DIR", help="Folder of compiled message catalogues (.mo).")
    ] = None,
    prefixes: Annotated[
        str | None,
        typer.Option(
            "--prefixes", metavar="N,N", help="Letters that make a word's class, source and target; else by language."
        ),
    ] = None,
    keep_out: Annotated[
        list[Path] | None,
        typer.Option("--keep-out", metavar="FILE", help="Text that is evaluated on, one segment a line. Repeatable."),
    ] = None,
    annotators: Annotated[
        list[str] | None,
        typer.Option(
            "--annotator", metavar="LANG=NAME", help="Annotator of a language instead of its default. Repeatable."
        ),
    ] = None,
) -> None:
    """Learn aligner priors from parallel text; name the file with --aligner compact:FILE to use them."""
    from itertools import chain

    from endophora.align.words import Scheme, scheme_of
    from endophora.annotate.loading import load_annotator
    from endophora.corpus.codes import parse_languages
    from endophora.files import check_file, written_file
    from endophora.training.parallel import read_pairs
    from endophora_makers.prior_texts import keep_out as without
    from endophora_makers.prior_texts import read_catalogues, read_help, read_wiktionary
    from endophora_makers.priors import PriorsRecipe, pair_words, train_priors, write_priors

    check_file(output)
    pair = parse_languages(languages)
    names = named(annotators, "--annotator")
    one, other = (load_annotator(code, names.get(code)) for code in pair)
    texts = chain(
        *(read_pairs(path, collection or ()) for path in pairs),
        read_help(help_folder, "en-US", pair[1]) if help_folder else (),
        read_catalogues(catalogues) if catalogues else (),
        *(read_wiktionary(path) for path in lexicon or ()),
    )
    held = chain.from_iterable(path.read_text(encoding="utf-8").split("\n") for path in keep_out or ())
    kept = list(without(texts, held))
    given = [Scheme(letters=length) for length in prefix_lengths(prefixes)] if prefixes else map(scheme_of, pair)
    source_classes, target_classes = given
    sides = one.annotate(text.source for text in kept), other.annotate(text.target for text in kept)
    tokens = pair_words(*sides, source_classes, target_classes)
    with written_file(output) as place:
        digest = write_priors(train_priors(tokens, PriorsRecipe(source_classes, target_classes)), place)
    print(f"priors: {output}, {len(kept)} pairs, {output.stat().st_size} bytes, {digest}", file=sys.stderr)


def prefix_lengths(text: str) -> tuple[int, int]:
    """Return the two numbers of ``--prefixes``.

    Raises:
        InputError: they are not two positive numbers (E106).
    """
    numbers = [int(part) for part in text.split(",") if part.isdecimal()]
    if len(numbers) != 2 or min(numbers) < 1:
        raise InputError(Fault("E106", f"“{text}” is no two numbers", "give them as 4,4", "--prefixes"))
    return numbers[0], numbers[1]


def main() -> None:
    """Run the command line; exit 0 done, 2 bad usage or input, 3 a model is missing."""
    prepare_process()
    try:
        app(prog_name="endophora-makers")
    except EndophoraError as error:
        report_error(error)
        sys.exit(error.exit_code)
