"""``endophora train``: makes the models that the package ships, or others of their kind."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from endophora.cli import options
from endophora.cli.console import progress_bar
from endophora.cli.train_model import model, text
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.training.annotators import Progress

app = typer.Typer(
    help="Train annotators, aligner priors, a classifier of ellipsis, and translation models.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("model")(model)
app.command("text")(text)

Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the initial weights and of the order of the text.")]


@app.command("annotator")
def annotator(
    language: Annotated[str, typer.Argument(help="ISO 639-1 code.")],
    treebanks: Annotated[Path, typer.Option("--treebanks", metavar="DIR", help="Directory of treebank archives.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the new pipeline.")],
    recipe: Annotated[
        Path | None, typer.Option("--recipe", metavar="FILE", help="Recipe instead of the shipped one of the language.")
    ] = None,
    words: Annotated[int | None, typer.Option("--words", min=1, help="Words to see, instead of the recipe's.")] = None,
    seed: Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Train an annotator from Universal Dependencies treebanks; name the directory with --annotator to use it."""
    from endophora.training.annotators import train_annotator
    from endophora.training.recipe import load_recipe

    total = words or load_recipe(language, recipe).training.words
    with progress_bar("train, in words", total, quiet) as advance:
        seen = 0

        def tell(state: Progress) -> None:
            """Show how far training is."""
            nonlocal seen
            advance(state.words - seen)
            seen = state.words
            if not quiet and not sys.stderr.isatty():
                losses = ", ".join(f"{name} {loss:.2f}" for name, loss in state.losses.items())
                print(f"{state.words} of {state.total} words: {losses}", file=sys.stderr)

        train_annotator(language, treebanks, output, recipe=recipe, seed=seed, words=words, progress=tell)
    print(f"annotator: {output}", file=sys.stderr)


@app.command("priors")
def priors(
    languages: options.Languages,
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
    annotators: options.Annotators = None,
) -> None:
    """Learn aligner priors from parallel text; name the file with --aligner compact:FILE to use them."""
    from itertools import chain

    from endophora.align.classes import Scheme, scheme_of
    from endophora.align.priors import write_priors
    from endophora.annotate import load_annotator
    from endophora.cli.options import named
    from endophora.corpus import parse_languages
    from endophora.training.parallel import keep_out as without
    from endophora.training.parallel import read_catalogues, read_help, read_pairs, read_wiktionary
    from endophora.training.priors import PriorsRecipe, tokenise, train_priors

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
    tokens = tokenise(without(texts, held), one, other)
    given = [Scheme(letters=length) for length in prefix_lengths(prefixes)] if prefixes else map(scheme_of, pair)
    source_classes, target_classes = given
    digest = write_priors(train_priors(tokens, PriorsRecipe(source_classes, target_classes)), output)
    print(f"priors: {output}, {len(tokens)} pairs, {output.stat().st_size} bytes, {digest}", file=sys.stderr)


@app.command("ellipsis")
def ellipsis(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Labelled sentences: TSV; Penn Treebank files, folders or zip archives.",
            show_default=False,
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the new classifier.")],
    encoder: Annotated[
        str, typer.Option("--encoder", metavar="NAME", help="Hugging Face encoder, by name or directory; or scratch.")
    ] = "bert-base-cased",
    weight: Annotated[float, typer.Option("--weight", help="Of the loss of elliptical sentences.")] = 100.0,
    threshold: Annotated[
        str, typer.Option("--threshold", metavar="P", help="Probability from which a sentence is elliptical; or tuned.")
    ] = "0.5",
    epochs: Annotated[int, typer.Option("--epochs", help="The most to run.")] = 10,
    patience: Annotated[int, typer.Option("--patience", help="Epochs without gain before it stops.")] = 3,
    batch: Annotated[int, typer.Option("--batch", help="Sentences in a step.")] = 32,
    rate: Annotated[
        float | None, typer.Option("--rate", help="Learning rate. [default: 2e-5; 5e-4 from scratch]")
    ] = None,
    longest: Annotated[int, typer.Option("--longest", help="Tokens after which a sentence is cut.")] = 256,
    validation: Annotated[float, typer.Option("--validation", help="Share of the text, by document.")] = 0.1,
    test: Annotated[float, typer.Option("--test", help="Share of the text that is held out, by document.")] = 0.1,
    threads: Annotated[int, typer.Option("--threads", help="Of the CPU.")] = 1,
    precision: Annotated[
        str, typer.Option("--precision", metavar="NAME", help="float32, bfloat16, or auto: bfloat16 on a GPU.")
    ] = "auto",
    language: Annotated[str, typer.Option("--language", metavar="CODE", help="Of the sentences.")] = "en",
    seed: Seed = 0,
    quiet: options.Quiet = False,
) -> None:
    """Train a classifier of ellipsis; name the directory with --ellipsis-classifier to use it."""
    from endophora.cli.train_ellipsis import run_training, threshold_of
    from endophora.training.ellipsis_settings import EllipsisSettings

    settings = EllipsisSettings(
        encoder=encoder,
        weight=weight,
        threshold=threshold_of(threshold),
        epochs=epochs,
        patience=patience,
        batch=batch,
        rate=rate,
        longest=longest,
        validation=validation,
        test=test,
        seed=seed,
        threads=threads,
        precision=precision,
        language=language,
    )
    run_training(data, output, settings, quiet)


def prefix_lengths(text: str) -> tuple[int, int]:
    """Return the two numbers of ``--prefixes``.

    Raises:
        InputError: they are not two positive numbers (E106).
    """
    numbers = [int(part) for part in text.split(",") if part.isdecimal()]
    if len(numbers) != 2 or min(numbers) < 1:
        raise InputError(Fault("E106", f"“{text}” is no two numbers", "give them as 4,4", "--prefixes"))
    return numbers[0], numbers[1]
