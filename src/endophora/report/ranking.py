"""Human evaluation shown: sheets and pages for raters, and what they have judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from endophora.meta.ranking import ErrorCount, RankingResult, kind_named
from endophora.meta.sheets import LETTERS, Key, Shown, error_scheme
from endophora.record import first_of
from endophora.report.conclusion import LEVELS, conclude_ranking, undecidable_kinds
from endophora.report.static_page import PageSection, script_page, source_hash, static_page
from endophora.report.table import BELOW, Section, Table, best_of, bounds, csv_of, figure, figures, names, number


def sheet(shown: Sequence[Shown], key: Key) -> str:
    """Return a rater's items as CSV, with columns to be filled in."""
    letters = LETTERS[: max(len(one.options) for one in shown)]
    asked = [f"rank {letter}" for letter in letters] + [f"errors {letter}" for letter in letters if key.errors]
    rows = [
        [one.id, one.criterion, one.level, one.document, "\n".join(one.source), *map("\n".join, one.options)]
        for one in shown
    ]
    return csv_of([["item", "criterion", "level", "document", "source", *letters, *asked], *rows])


def rater_page(rater: str, shown: Sequence[Shown], key: Key) -> str:
    """Return a page on which a rater judges: it loads nothing, keeps answers in the browser, and exports them."""
    data = {
        "rater": rater,
        "study": source_hash(key.model_dump_json()),
        "letters": LETTERS[: max(len(one.options) for one in shown)],
        "errors": list(error_scheme().items()) if key.errors else [],
        "items": [asdict(one) for one in shown],
    }
    return script_page("rater.html.jinja", data, style=["report.css", "rater.css"], script="rater.js", rater=rater)


def sections(result: RankingResult) -> Iterator[Section]:
    """Yield what text shows."""
    yield [f"{result.languages}: {len(result.systems)} systems, {len(result.raters)} raters"]
    yield [_ranks(result), _legend(result)]
    yield [_raters(result), *_agreement(result)]
    if result.errors:
        yield [error_table(result.errors)]


def _legend(result: RankingResult) -> str:
    interval = f"{100 * result.confidence:g} % intervals, documents drawn"
    return (
        f"Per cent of comparisons won, ties half; {interval}; * significantly other than the best, p by Holm’s method"
    )


def papers(result: RankingResult) -> Iterator[Table]:
    """Yield the ranking, and the errors in the shape of BlonDe's Table 2."""
    yield _ranks(result)
    if result.errors:
        yield error_table(result.errors)


def rows(result: RankingResult) -> Iterator[Sequence[object]]:
    """Yield one row for each system, criterion and level."""
    yield *("criterion", "level", "system", "value", "low", "high"), *("wins", "ties", "losses", "items")
    for one in result.scores:
        counts = one.wins, one.ties, one.losses, one.items
        yield one.criterion, one.level, one.system, one.value, *bounds(one.interval), *counts


def page(result: RankingResult) -> str:
    """Return a page of the tables."""
    errors = [PageSection("Errors", [error_table(result.errors)])] if result.errors else []
    return static_page(
        result,
        title=result.languages.replace("-", " → ", 1),
        subtitle="which translation do people prefer?",
        conclusion=conclude_ranking(result),
        facts=[("systems", f"{len(result.systems)}"), ("raters", f"{len(result.raters)}")],
        sections=[
            PageSection("Ranking", [_legend(result), _ranks(result)]),
            PageSection("Raters", [_raters(result), *_agreement(result)]),
            *errors,
        ],
    )


def _ranks(result: RankingResult) -> Table:
    kinds = list(dict.fromkeys((one.criterion, one.level) for one in result.scores))
    by_kind = [[one for one in result.scores if (one.criterion, one.level) == kind] for kind in kinds]
    order = sorted(range(len(result.systems)), key=lambda at: -max((one[at].value or 0.0) for one in by_kind[:1]))
    best = [best_of([one.value for one in found]) for found in by_kind]
    few = undecidable_kinds(result)
    best = [[top and kind_named(*kind) not in few for top in found] for kind, found in zip(kinds, best, strict=True)]
    lines = list[list[object]]()
    for at in order:
        cells = list[object]()
        for found, top in zip(by_kind, best, strict=True):
            one = found[at]
            named = {"criterion": one.criterion, "level": one.level, "system": one.system}
            against = first_of(result.comparisons, **named)
            verdict = "differs" if against is not None and against.significant else ""
            cells += [figure(one.value, one.interval, verdict=verdict, best=top[at]), f"{one.items}"]
        lines.append([result.systems[at], *cells])
    heads = [
        column
        for criterion, level in kinds
        for column in (*figures(f"{criterion}, {LEVELS[level]}", marked=True, interval=BELOW), *figures("n"))
    ]
    return Table([*names("system"), *heads], lines)  # pyright: ignore[reportArgumentType]


def _raters(result: RankingResult) -> Table:
    lines = [
        [
            *(one.name, f"{one.items}", f"{one.unjudged}", f"{one.failed} / {one.spoiled}"),
            *(f"{number(one.kappa, 2)} ({one.repeated})", "yes" if one.counted else "no"),
        ]
        for one in result.raters
    ]
    heads = figures("judged", "without ranks", "spoiled failed", "kappa of repeated (n)", "counts")
    return Table([*names("rater"), *heads], lines)


def _agreement(result: RankingResult) -> list[Table]:
    lines = [
        [f"{one.first}, {one.second}", one.criterion, LEVELS[one.level], number(one.kappa, 3), f"{one.verdicts:,}"]
        for one in result.agreements
    ]
    return [Table([*names("raters", "criterion", "level"), *figures("kappa", "verdicts")], lines)] if lines else []


def error_table(errors: Sequence[ErrorCount]) -> Table:
    """Return errors × systems, in the shape of BlonDe's Table 2."""
    lines = list[list[str]]()
    for kind in dict.fromkeys(one.error for one in errors):
        found = [one for one in errors if one.error == kind]
        shares = [f"{one.outputs} ({100 * one.outputs / max(1, one.judged):.1f} %)" for one in found]
        *above, name = kind.split("/")
        lines.append(["  " * len(above) + (name if kind != "none" else "no error"), *shares])
    judged = {one.system: one.judged for one in errors}
    return Table([*names("error"), *figures(*(f"{name}, n = {count}" for name, count in judged.items()))], lines)
