"""``endophora models``: the models that are there, with what they were trained on; what is installed by itself."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import command
from endophora.cli.console import say
from endophora.cli.inputs import Format
from endophora.cli.showing import print_table
from endophora.errors import Fault, InputError
from endophora.evaluation.installation import model_inventory
from endophora.files import check_new
from endophora.metrics.comet_environment import (
    fetch_model,
    install_environment,
    installed_environment,
    remove_environment,
)
from endophora.models.ctranslate import convert_model, read_precision

INSTALLABLE = ("comet",)
"""What can be installed into a separate environment."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="What to install or remove: comet.")]


@command(quiet=False)
def models(context: typer.Context, output_format: Format = "text") -> None:
    """Show the embedded annotators, aligner priors and resolvers, and what can be named instead."""
    if context.invoked_subcommand is not None:
        return
    rows = [*model_inventory(), *_environments()]
    if output_format == "json":
        sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
        return
    header = ("kind", "name", "size", "licence", "trained on")
    print_table(header, [[row[name] for name in header] for row in rows])


@command()
def install(
    name: Name,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PYTHON", help="Interpreter to make the environment with; 3.10 or later."),
    ] = None,
    torch_index: Annotated[
        str | None, typer.Option("--torch-index", metavar="URL", help="Package index to take torch from.")
    ] = None,
    cuda: Annotated[
        bool, typer.Option("--cuda", help="On Linux, take the usual build of torch: several gigabytes, with CUDA.")
    ] = False,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="MODEL", help="Fetch this model too, as Unbabel/wmt22-comet-da. Repeatable."),
    ] = None,
) -> None:
    """Make the environment of a metric that cannot live in this one; does nothing where it is there."""
    _check(name)
    made = install_environment(python, torch_index=torch_index, cuda=cuda, say=say)
    versions = ", ".join(f"{library} {version}" for library, version in made.versions.items())
    print(f"{name}: {made.folder}, {versions}, {made.size / 1e6:.0f} MB")
    for wanted in model or ():
        say(f"fetching {wanted}")
        print(f"{wanted}: {fetch_model(wanted).checkpoint}")


@command(quiet=False)
def remove(name: Name) -> None:
    """Delete the environment that ``install`` made; models that were fetched stay where they are."""
    _check(name)
    folder = remove_environment()
    print(f"{name}: not installed" if folder is None else f"{name}: removed {folder}")


@command(quiet=False)
def convert(
    name: Annotated[str, typer.Argument(metavar="MODEL", help="Folder of a trained model, or a model of the Hub.")],
    output: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the converted model.")],
    precision: Annotated[
        str, typer.Option("--precision", metavar="NAME", help="Of the weights: float32, float16, int8 or int8_float32.")
    ] = "float32",
) -> None:
    """Convert a translation model to CTranslate2's form; name it as ct2:DIR then."""
    check_new(output)
    convert_model(name, output, read_precision(precision))
    print(f"ct2:{output}: {sum(path.stat().st_size for path in output.rglob('*') if path.is_file()) / 1e6:.1f} MB")


def _check(name: str) -> None:
    if name not in INSTALLABLE:
        fault = Fault("E106", f"“{name}” is nothing to install", f"choose {' or '.join(INSTALLABLE)}", "NAME")
        raise InputError(fault)


def _environments() -> list[dict[str, str]]:
    """Return a row for each environment that is there."""
    found = installed_environment()
    if found is None:
        return []
    name = f"comet, unbabel-comet {found.versions['unbabel-comet']}"
    row = {"kind": "metric, own environment", "name": name, "size": f"{found.size / 1e6:.1f} MB"}
    return [{**row, "licence": "Apache-2.0", "trained on": "the model is named: comet:MODEL"}]
