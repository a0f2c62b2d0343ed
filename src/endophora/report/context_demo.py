"""The demonstration of context use as a page: every figure beside the true answer, and a link to its measure's page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from endophora.record import Record
from endophora.report.static_page import PageSection, static_page
from endophora.report.table import BRACKETS, Cell, Table, figure, figures, names
from endophora.version import __version__

if TYPE_CHECKING:
    from endophora.context.demo import Answer, DemoFigure, Demonstration

_TITLES = {
    "cxmi": "CXMI: how much more probable does context make a word?",
    "themes": "Themes: which words does it make more probable?",
    "perturb": "Perturbation: are translations worse under wrong context?",
    "contrast": "Contrast: is the right pronoun more probable than a wrong one?",
    "attribute": "Attribution: did the pronoun come from its antecedent?",
}
_TRUTH = (
    "The lamp is here. It is old. – Die Lampe ist hier. Sie ist alt. Nine nouns, three of each gender, all as often. "
    "Who reads the sentence before knows the pronoun; who does not is right one time in three. So P-CXMI of a pronoun "
    "is ln 3 = 1.10 nats, and that of every other word 0."
)
_INTERVALS = "Below a figure: its 95 % interval over documents. n: sentences, words or items."


def render(done: Demonstration) -> str:
    """Return the page; links are relative to the directory in which each measure has its own."""
    count = len(done.perturbation.corpus.documents)
    return static_page(
        Record(),
        title="What the measures find where the answer is known",
        subtitle="context demo",
        conclusion=[_conclude(done.figures), _TRUTH, _INTERVALS],
        facts=[("documents", f"{count:,}"), ("models", f"{len(done.attribution.models):,}")],
        sections=[_section(measure, title, done) for measure, title in _TITLES.items()],
        settings=[("made by", f"endophora {__version__}")],
    )


def _conclude(found: Sequence[DemoFigure]) -> str:
    """Return how far the figures lie from the true answers that are numbers."""
    gaps: dict[str, list[float]] = {}
    for one in found:
        if not isinstance(one.found, str) and not isinstance(one.truth, str):
            gaps.setdefault("nats" if one.what.endswith("nats") else "points of 100", []).append(
                abs(one.found - one.truth)
            )
    most = " and ".join(f"{max(own):.2f} {unit}" for unit, own in gaps.items())
    return f"What is found lies at most {most} from the true answer ({sum(map(len, gaps.values()))} figures)."


def _section(measure: str, title: str, done: Demonstration) -> PageSection:
    found = [one for one in done.figures if one.measure == measure]
    columns = [*names("figure"), *figures("found", interval=BRACKETS), *figures("true", "n")]
    table = Table(
        columns,
        [[f"{one.what} ({one.model})", _cell(one.found, one), _cell(one.truth), f"{one.count:,}"] for one in found],
    )
    pages = [f"{measure}/report.html"]
    if measure in ("cxmi", "themes"):
        pages = [f"cxmi/{name}/{'report' if measure == 'cxmi' else measure}.html" for name in done.cxmi]
    links = Markup(", ").join(Markup('<a href="{0}">{0}</a>').format(page) for page in pages)
    return PageSection(title, [table, Markup('<p class="note">The measure’s own page: {}</p>').format(links)])


def _cell(answer: Answer, shown: DemoFigure | None = None) -> Cell | str:
    return answer if isinstance(answer, str) else figure(answer, shown and shown.interval, digits=2)
