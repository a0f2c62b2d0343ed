"""The ``endophora`` command: its subcommands, and how errors end."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from endophora.cli import (
    context,
    demo,
    doctor,
    evaluate,
    extract,
    languages,
    meta_evaluate,
    metrics,
    models,
    score,
    store,
    suite,
    tag,
    train,
    translate,
)
from endophora.cli.console import report_error, warn
from endophora.cli.options import QUIET
from endophora.cli.strict import checked
from endophora.errors import EndophoraError
from endophora.process import prepare_process
from endophora.store import StoreWarning, store_warnings
from endophora.version import __version__

app = typer.Typer(
    name="endophora",
    help="Does a translation get right the words that need context?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"endophora {__version__}")
        raise typer.Exit


@app.callback()
def _root(  # pyright: ignore[reportUnusedFunction]
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Find the words of a parallel document that need context, and score how each system translates them."""
    context.call_on_close(lambda: warn(store_warnings(), bool(context.meta.get(QUIET))))


app.command("demo")(demo.demo)
app.command("evaluate")(checked(evaluate.evaluate))
app.command("metrics")(metrics.metrics)
app.command("meta-evaluate")(checked(meta_evaluate.meta_evaluate))
app.command("tag")(checked(tag.tag))
app.command("extract")(checked(extract.extract))
app.command("translate")(checked(translate.translate))
app.command("score")(checked(score.score))
app.add_typer(suite.app, name="suite")
app.add_typer(context.app, name="context")
app.add_typer(models.app, name="models")
app.add_typer(store.app, name="store")
app.command("doctor")(doctor.doctor)
app.add_typer(languages.app, name="languages")
app.add_typer(train.app, name="train")


def main() -> None:
    """Run the command line; exit 0 done, 1 a check failed, 2 bad usage or input, 3 a model is missing."""
    prepare_process()
    # They are told when the command ends, once and with their number.
    warnings.simplefilter("ignore", StoreWarning)
    try:
        app(prog_name="endophora")
    except EndophoraError as error:
        report_error(error)
        sys.exit(error.exit_code)
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        # The reader of a pipe has gone (``| head``); what it did not want is not an error.
        sys.stderr.close()
        sys.exit(0)
