"""A language model's judgments beside ours, as a table."""

from __future__ import annotations

from endophora.evaluation.result import ModelJudge, PeopleAgreement, PeopleFile, title
from endophora.report.table import Column as Head
from endophora.report.table import Table, number

HEADING = "A language model's judgments beside these"


def agreement(judge: ModelJudge) -> Table:
    """Return how far a language model's judgments agree with ours."""
    rows = [
        [
            title(one.phenomenon) or "all",
            f"{one.answered:,} of {one.asked:,}",
            "–" if one.agreement is None else f"{one.agreement:.1%}",
            number(one.kappa, 2),
            f"{one.ours_alone_right:,}",
            f"{one.theirs_alone_right:,}",
            f"{one.unclear:,}",
            f"{one.unanswered:,}",
            *_with_people(one.people),
        ]
        for one in judge.agreements
    ]
    told = ("answered", "agree", "kappa", "ours alone", "theirs alone", "unclear", "none")
    beside = ("people", "it agrees with them", "kappa with them", "ours agree with them", "our kappa with them")
    shown = beside if any(one.people for one in judge.agreements) else ()
    return Table([Head("", right=False), *map(Head, (*told, *shown))], rows)


def _with_people(found: PeopleAgreement | None) -> list[str]:
    if found is None:
        return []
    shares = ("–" if one is None else f"{one:.1%}" for one in (found.agreement, found.ours))
    agreement, ours = shares
    return [
        f"{found.answered:,} of {found.judged:,}",
        agreement,
        number(found.kappa, 2),
        ours,
        number(found.ours_kappa, 2),
    ]


def legend(judge: ModelJudge) -> str:
    """Return what was asked of whom, and what it cost."""
    cost = "price not known" if judge.spent is None else f"{judge.spent:.4f} {judge.currency} in this run"
    asked = f"{judge.asked:,} of {judge.judged:,} judged occurrences were asked about, {judge.asked_again:,} twice"
    alone = "ours alone, theirs alone: right by one of the two; none: no answer in the form that was asked for"
    return f"{asked}; {alone}; {_people(judge.people)}{cost}; {judge.model}"


def _people(found: PeopleFile | None) -> str:
    if found is None:
        return ""
    match = f"{found.unmatched:,} match no judged occurrence here, {found.asked:,} were asked about"
    first = "these come first, so no agreement here is over a random sample alone"
    return f"people: {found.given:,} verdicts in {found.file} ({found.hash}), {match}; {first}; "
