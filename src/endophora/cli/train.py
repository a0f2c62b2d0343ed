"""``endophora train``: makes the models that the package ships, or others of their kind."""

from __future__ import annotations

import typer

app = typer.Typer(help="Train annotators, aligner priors and resolvers.", no_args_is_help=True, rich_markup_mode=None)
