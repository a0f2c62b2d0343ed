"""``endophora train``: translation models and a classifier of ellipsis."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endophora.cli import options
from endophora.cli.strict import checked
from endophora.cli.train_model import model, text

app = typer.Typer(
    help="Train translation models, and a classifier of ellipsis.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

app.command("model")(checked(model))
app.command("text")(text)

Seed = Annotated[int, typer.Option("--seed", min=0, help="Of the initial weights and of the order of the text.")]


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
    from endophora.files import check_new
    from endophora.training.ellipsis_settings import EllipsisSettings

    check_new(output)
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
