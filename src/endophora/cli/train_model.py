"""``endophora train model`` and ``train text``: translation models, and text with documents to train them on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from endophora.cli import options
from endophora.cli.train_options import with_settings
from endophora.errors import Fault
from endophora.stopping import keeping, stop_with_launcher

_FORMS = "TSV, JSON Lines, Parquet, OPUS, WMT directory, or SOURCE,TARGET,IDS."


@with_settings
def model(
    given: dict[str, Any],
    languages: options.Languages,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the model.")],
    train: Annotated[
        list[str] | None, typer.Option("--train", metavar="PATH", help=f"Text to learn: {_FORMS} Repeatable.")
    ] = None,
    validation: Annotated[
        list[str] | None,
        typer.Option("--validation", metavar="PATH", help="Text that decides when to stop. Repeatable."),
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option("--test", metavar="PATH", help="Text for BLEU and chrF in the end. Repeatable.")
    ] = None,
    source: options.Source = None,
    target: Annotated[
        str | None, typer.Option("--target", "-t", metavar="FILE", help="Target text that goes with --source.")
    ] = None,
    documents: options.Documents = None,
    input_format: Annotated[
        str | None, typer.Option("--input-format", metavar="NAME", help="Format, where it is not recognised.")
    ] = None,
    columns: Annotated[
        str | None, typer.Option("--columns", metavar="D,S,T", help="Columns of document id, source, target.")
    ] = None,
    skip_faults: Annotated[
        bool, typer.Option("--skip-faults", help="Leave out and count faulty lines, instead of stopping.")
    ] = False,
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="YAML with settings; options win.")
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option("--vocabulary", metavar="FILE", help="SentencePiece model, instead of a new one.")
    ] = None,
    new_vocabulary: Annotated[
        bool, typer.Option("--new-vocabulary", help="Train one in spite of --start; embeddings are carried over.")
    ] = False,
    start: Annotated[
        Path | None, typer.Option("--start", metavar="DIR", help="Trained model to begin with; with its vocabulary.")
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--sources", metavar="FILE", help="Licences for the card. [sources.json beside --train] Repeatable."
        ),
    ] = None,
    device: Annotated[str, typer.Option("--device", metavar="NAME", help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int, typer.Option("--threads", min=0, help="Of the CPU; 0 takes all cores.")] = 0,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew instead of going on.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Train a translation model, or go on where it stopped. Several devices: accelerate launch."""
    from endophora.cli.training_model import TextFiles, run_model_training
    from endophora.training.translation.folder import check_place
    from endophora.training.translation.settings import make_settings, need_libraries

    check_place(output)
    need_libraries()
    if source or target:
        train = [*(train or ()), ",".join(name or "" for name in (source, target, documents))]
    files = TextFiles(
        tuple(train or ()), tuple(validation or ()), tuple(test or ()), input_format, columns, skip_faults
    )
    kept = {
        "vocabulary": vocabulary,
        "new_vocabulary": new_vocabulary,
        "start": start,
        "device": device,
        "threads": threads,
        "fresh": fresh,
    }
    stopped = Fault("E297", "what the last checkpoint has is kept", "run the same command again to go on", str(output))
    stop_with_launcher()
    with keeping(stopped):
        run_model_training(languages, output, files, make_settings(given, settings), kept, sources, quiet)


def text(
    languages: options.Languages,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Directory of the new files.")],
    help_directory: Annotated[
        Path | None,
        typer.Option("--libreoffice-help", metavar="DIR", help="LibreOffice's help folder: its pages are documents."),
    ] = None,
    help_folders: Annotated[
        str | None,
        typer.Option("--libreoffice-folders", metavar="S,T", help="Its folders of the two languages, as en-US,de."),
    ] = None,
    pages: Annotated[
        list[str] | None,
        typer.Option(
            "--pages",
            metavar="NAME=PATTERN",
            help="Handbooks in XML or HTML: pages are documents. 'gnome=/usr/share/help/{C|de}/**/*'. Repeatable.",
        ),
    ] = None,
    scripts: Annotated[
        list[str] | None,
        typer.Option(
            "--scripts", metavar="NAME=DIR", help="Games: scripts with gettext's marks are documents. Repeatable."
        ),
    ] = None,
    paragraphs: Annotated[
        bool, typer.Option("--paragraphs", help="Leave paragraphs of documents whole instead of dividing them.")
    ] = False,
    pairs: Annotated[
        list[Path] | None,
        typer.Option(
            "--pairs", metavar="FILE", help="Sentence pairs: [name,] source, target; only learned. Repeatable."
        ),
    ] = None,
    collection: Annotated[
        list[str] | None,
        typer.Option("--collection", metavar="NAME", help="Only pairs whose name begins so. Repeatable."),
    ] = None,
    validation: Annotated[float, typer.Option("--validation", min=0, max=0.5, help="Share of the documents.")] = 0.02,
    test: Annotated[float, typer.Option("--test", min=0, max=0.5, help="Share of the documents.")] = 0.04,
    longest: Annotated[int, typer.Option("--longest", min=1, help="Most characters of a segment.")] = 800,
    keep_out: Annotated[
        list[Path] | None,
        typer.Option("--keep-out", metavar="FILE", help="Text that is evaluated on, one segment a line. Repeatable."),
    ] = None,
    licence: Annotated[
        list[str] | None,
        typer.Option("--licence", metavar="NAME=LICENCE", help="Of the collections whose name begins so. Repeatable."),
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Make training, validation and test text with documents: train.tsv, validation.tsv, test.tsv, sources.json."""
    from endophora.cli.training_model import DocumentSources, run_text
    from endophora.training.translation.preparing import TextPlan, text_output

    text_output(output)
    licences = tuple(options.named(licence, "--licence").items())
    plan = TextPlan(validation=validation, test=test, longest=longest, licences=licences, sentences=not paragraphs)
    named = (options.named(pages, "--pages"), options.named(scripts, "--scripts"))
    documents = DocumentSources(help_directory, help_folders, *named)
    run_text(
        languages, output, documents, (tuple(pairs or ()), tuple(collection or ())), tuple(keep_out or ()), plan, quiet
    )
