"""``endophora context``: does a model use its context, and for which words?"""

from __future__ import annotations

import typer

from endophora.cli import context_attribute, context_contrast, context_cxmi, context_perturb, context_themes
from endophora.cli.strict import checked

app = typer.Typer(
    help="Does a model use its context? CXMI, perturbation, contrastive accuracy, attribution.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("cxmi")(checked(context_cxmi.cxmi))
app.command("attribute")(checked(context_attribute.attribute))
app.command("contrast")(checked(context_contrast.contrast))
app.command("perturb")(checked(context_perturb.perturb))
app.command("themes")(context_themes.themes)
