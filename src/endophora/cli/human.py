"""``endophora human``: sheets that people judge outputs on, and what they have judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, command
from endophora.cli.console import RESULT, say, show_result, write_page
from endophora.cli.inputs import Format, SystemInputs, into
from endophora.errors import Fault, InputError
from endophora.files import Output
from endophora.meta.ranking import RankingOptions, evaluate_sheets, read_sheets
from endophora.meta.ranking import documents_of_key as documents
from endophora.meta.score_files import write_documents, write_human
from endophora.meta.sheets import SheetOptions, make_sheets, read_key
from endophora.options import named
from endophora.report import REPORTS

KEY = "key.json"


@command(strict=True)
def sheets(
    inputs: Annotated[SystemInputs, But("resegment")],
    options: SheetOptions,
    output: Annotated[Path, into("Directory of the sheets.")] = Path("endophora-sheets"),
) -> None:
    """Write a sheet (CSV) and a page (HTML) for each rater, and the key, which raters do not get."""
    from endophora.report.ranking import rater_page, sheet

    place = Output(output, [KEY])
    key, shown = make_sheets(inputs.read(source_alone=True, unreferenced=not options.references), options)
    with place.writing() as folder:
        key.write(folder / KEY)
        for rater, items in shown.items():
            (folder / f"{rater}.csv").write_text(sheet(items, key), "utf-8")
            write_page(folder / f"{rater}.html", rater_page(rater, items, key))
    spoiled, repeated = (sum(bool(getattr(one, name)) for one in key.items) for name in ("spoiled", "repeats"))
    say(
        f"{len(shown)} raters, {len(key.items)} items, {spoiled} of them spoiled and {repeated} repeated: {output}; "
        f"give raters their sheet or page, and keep {KEY} to yourself"
    )


@command()
def results(
    key: Annotated[Path, typer.Argument(metavar="KEY", help="The key.json of the sheets.")],
    judged: Annotated[list[Path], typer.Argument(metavar="SHEET", help="Sheets filled in, or exported by pages.")],
    options: RankingOptions,
    output: Annotated[Path, into("Directory for result.json, report.html and scores.")] = Path("endophora-human"),
    output_format: Format = "text",
) -> None:
    """Check raters, rank systems, count errors, and write people's scores for ``meta-evaluate --human``."""
    place = Output(output, [RESULT, "report.html", "human-scores/", "documents/"])
    held = read_key(key)
    verdicts, unjudged = read_sheets(judged, held)
    result, scores = evaluate_sheets(verdicts, unjudged, held, options)

    def write(folder: Path) -> None:
        for each in scores:
            write_human(folder, result.languages, each)
        write_documents(folder, result.languages, documents(held))

    try:
        show_result(result, REPORTS.get(output_format), place, write)
    except InputError as error:
        if error.faults[0].code != "E115":
            raise
        advice = "make sheets of a corpus whose names have no blanks"
        raise InputError(Fault("E115", error.faults[0].cause, advice, str(key))) from error


@command()
def errors(
    marked: Annotated[list[str], typer.Argument(metavar="NAME=FILE", help="A system's an.txt in the format of BWB.")],
) -> None:
    """Count the errors that people marked in BWB's format, in the shape of BlonDe's Table 2."""
    from endophora.meta.ranking import count_errors
    from endophora.metrics.blonde_plus import ERRORS, read_errors
    from endophora.report.ranking import error_table
    from endophora.report.table import text_of

    found = {name: read_errors(Path(file)) for name, file in named(marked, "NAME=FILE").items()}
    codes = {
        name: [[ERRORS.get(one.code, "document") for one in own] for _, own in rows] for name, rows in found.items()
    }
    typer.echo(text_of([[error_table(count_errors(codes))]]), nl=False)
