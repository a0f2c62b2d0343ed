"""``endophora completion``: what makes a shell complete commands and options."""

from __future__ import annotations

from typing import Annotated, Any, cast

import typer
from typer import completion as _typers

from endophora.cli.commands import command
from endophora.errors import Fault, InputError

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_ENDOPHORA_COMPLETE"
"""The environment variable by which a shell asks for completions."""


@command(quiet=False)
def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help=f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}.")],
) -> None:
    """Print what the shell is to read."""
    if shell not in SHELLS:
        raise InputError(Fault("E106", f"“{shell}” is no shell that is known", f"choose {', '.join(SHELLS)}", "SHELL"))
    print(cast("Any", _typers).get_completion_script(prog_name="endophora", complete_var=VARIABLE, shell=shell))
