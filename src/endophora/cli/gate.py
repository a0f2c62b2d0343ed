"""The options of commands that fail a build, and how such a command ends."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from endophora.cli.console import current, warn
from endophora.errors import Fault, InputError
from endophora.files import check_file, written_file
from endophora.options import option

if TYPE_CHECKING:
    from endophora.evaluation.gate import Condition, Fact, Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """Conditions that fail a build."""

    fail_if: tuple[str, ...] = option(
        (),
        "--fail-if",
        metavar="CONDITION",
        help="End with status 4 if it is met, with --strict if undecided too: 'pronouns < 60', 'worse than baseline'. "
        "Repeatable.",
    )
    junit: Path | None = option(None, metavar="FILE", help="The conditions as JUnit XML, a test case each.")

    def check(self) -> None:
        """Check, before the work, that the file can be written (E355), and that it has conditions to hold (E375)."""
        if self.junit is None:
            return
        check_file(self.junit)
        if not self.fail_if:
            raise InputError(Fault("E375", "--junit without a condition", "add --fail-if 'pronouns < 60'", "--junit"))

    def conditions(
        self, columns: Callable[[], Collection[str]], systems: Sequence[str], *, compared: bool = False
    ) -> list[Condition]:
        """Return the conditions, held against what there will be (E375, E376)."""
        if not self.fail_if:
            return []
        from endophora.evaluation.gate import read_conditions

        return read_conditions(self.fail_if, columns(), systems, compared=compared)

    def end(self, outcomes: Sequence[Outcome], name: str) -> None:
        """Write the JUnit file, say why the build fails, and end with status 4 if it does."""
        if self.junit is not None:
            from endophora.report.gate import junit

            with written_file(self.junit) as path:
                path.write_bytes(junit(outcomes, name, strict=current().strict))
        warn(f"undecided: {one.condition}: {one.why}" for one in outcomes if one.status == "undecided")
        if not outcomes:
            return
        from endophora.evaluation.gate import FAILED, fails

        failed = [one for one in outcomes if fails(one, strict=current().strict)]
        for one in failed:
            typer.echo(f"{one.status}: {one.condition}: {one.why}", err=True)
        if failed:
            raise typer.Exit(FAILED)


def outcomes_of(
    conditions: Sequence[Condition], facts: Callable[[], Sequence[Fact]], left_out: Sequence[str] = ()
) -> list[Outcome]:
    """Return what happens to conditions; ``left_out`` says what was not compared."""
    if not conditions:
        return []
    from endophora.evaluation.gate import decide

    return decide(conditions, facts(), left_out, strict=current().strict)


def with_outcomes(
    render: Callable[[Any], str], output_format: str, outcomes: Sequence[Outcome]
) -> Callable[[Any], str]:
    """Return what renders a result, with the outcomes before it where the format is Markdown or text."""
    if not outcomes or output_format not in ("text", "markdown"):
        return render
    from endophora.report.gate import section
    from endophora.report.table import markdown_of, text_of

    write = markdown_of if output_format == "markdown" else text_of
    return lambda result: f"{write([section(outcomes, strict=current().strict)])}\n{render(result)}"
