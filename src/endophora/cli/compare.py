"""``endophora compare``: what got better and worse between two results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import REPORT, RESULT, show_result
from endophora.cli.gate import Gate, outcomes_of, with_outcomes
from endophora.cli.inputs import Format
from endophora.evaluation.setup import EvaluationOptions
from endophora.files import Output
from endophora.options import option
from endophora.report import REPORTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Which systems are compared."""

    system: Mapping[str, str] = option(
        {}, "--system", "-y", metavar="NEW=OLD", help="Compare these; by default systems of one name. Repeatable."
    )


@command(strict=True)
def compare(
    old: Annotated[Path, typer.Argument(metavar="OLD", help="Directory of the earlier result.")],
    new: Annotated[Path, typer.Argument(metavar="NEW", help="Directory of the result now.")],
    pairs: Pairs,
    options: Annotated[EvaluationOptions, Only("test", "resamples", "confidence", "alpha", seed="Of the resampling.")],
    gate: Gate,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="DIR", help="Directory for result.json and report.html.")
    ] = None,
    output_format: Format = "text",
) -> None:
    """Compare two results of the same texts."""
    place = None if output is None else Output(output, [RESULT, REPORT])
    gate.check()
    render = REPORTS.get(output_format)
    from endophora.evaluation.comparing import Kept, compare_results
    from endophora.evaluation.gate import facts_of_comparison

    before, after = Kept.read(old), Kept.read(new)
    names = [column.name for column in after.result.columns]
    conditions = gate.conditions(lambda: names, after.result.corpus.systems, compared=True)
    result = compare_results(before, after, pairs.system, options)
    outcomes = outcomes_of(conditions, lambda: facts_of_comparison(result), result.left_out)
    show_result(result, with_outcomes(render, output_format, outcomes), place)
    gate.end(outcomes, "compare")
