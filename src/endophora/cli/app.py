"""The ``endophora`` command: its subcommands."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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
from endophora.cli.console import warn
from endophora.cli.options import QUIET
from endophora.cli.starting import CommandError
from endophora.cli.strict import checked
from endophora.store import store_warnings
from endophora.version import __version__


class _Commands(TyperGroup):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; what it raises is not to be taken for the end of a terminal's input."""
        try:
            return super().invoke(ctx)
        except (OSError, EOFError) as error:
            raise CommandError from error


app = typer.Typer(
    name="endophora",
    cls=_Commands,
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
