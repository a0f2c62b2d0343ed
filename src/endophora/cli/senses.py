"""What ``endophora suite`` does with suites of word senses."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from endophora.cli import options
from endophora.cli.showing import REPORT, show_result, write_pages

if TYPE_CHECKING:
    from endophora.files import Output
    from endophora.suites import Suite
    from endophora.suites.senses import SenseOptions, SenseResult


def score_senses(
    suite: Suite,
    systems: Sequence[str] | None,
    scores: Sequence[str] | None,
    lemmas: Sequence[str] | None,
    chosen: SenseOptions,
) -> SenseResult:
    """Score systems on a suite of word senses.

    Args:
        suite: the items.
        systems: outputs, ``NAME=FILE`` each.
        scores: scores, ``NAME=FILE`` each; one of the two is given.
        lemmas: ``NAME=FILE`` of lemmas, or one word: the name of an annotator, ``annotator`` for the language's own, or
            ``none``.
        chosen: the other options.

    Raises:
        InputError: see :mod:`endophora.suites.senses.scoring`; lemmas of an unknown system (E220).
    """
    from endophora.errors import Fault, InputError
    from endophora.suites.outputs import read_outputs, read_scores
    from endophora.suites.senses import score_sense_outputs, score_sense_scores
    from endophora.suites.senses.matching import read_lemmas
    from endophora.suites.senses.scoring import ANNOTATOR

    if scores:
        return score_sense_scores(suite, read_scores(suite, options.named(list(scores), "--scores")), chosen)
    named = options.named(list(systems or ()), "--system")
    files = options.named([value for value in lemmas or () if "=" in value], "--lemmas")
    names = [value for value in lemmas or () if "=" not in value]
    strange = [name for name in files if name not in named]
    if strange or len(names) > 1:
        cause = f"there is no system “{strange[0]}”" if strange else "more than one annotator"
        raise InputError(Fault("E220", cause, "NAME=FILE of a system, or one annotator, or none", "--lemmas"))
    annotator = names[0] if names else ANNOTATOR
    return score_sense_outputs(
        suite,
        read_outputs(suite, named),
        chosen,
        lemmas=read_lemmas(suite, files),
        annotator=None if annotator == "none" else annotator,
    )


def show_senses(result: SenseResult, place: Output | None, output_format: str, quiet: bool) -> None:
    """Show a result, and write it with its page, ``report.html``, where that is asked for.

    Raises:
        InputError: the format is unknown (E090), or the result cannot be written (E095).
    """
    from endophora.report import REPORTS

    rendered = REPORTS.get(output_format)(result)
    pages = {REPORT: REPORTS.get("html")(result)} if place is not None else {}
    show_result(result, rendered, place, quiet, lambda folder: write_pages(folder, pages))
    if place is not None and not quiet:
        print(f"report: {place.root / REPORT}", file=sys.stderr)
