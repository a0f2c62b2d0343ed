"""Join what is measured of each language into one page: ``python benchmarks/trust.py > docs/trust.md``.

Precision is read from docs/quality.md, recall from research/notes/recall.md (the half that was kept), verdicts from
docs/validity.md, the analysis from the cards of the pipelines. A test holds the page equal to these sources.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from endophora.annotate.loading import PIPELINES, preferences
from endophora.languages import language_codes, load_language

ROOT = Path(__file__).resolve().parents[1]
PHENOMENA = ("lexical cohesion", "formality", "pronouns", "verb form", "ellipsis")
INJECTED = {
    "lexical cohesion": "another noun for a repeated one",
    "formality": "the other level in one segment",
    "pronouns": "another gender of a pronoun",
    "verb form": "another tense",
    "ellipsis": "another verb restored",
}
"""The injected error that each phenomenon is about."""

_NONE = (
    "Nobody has read what is found in this language.",
    "English is the source; what is found is counted in the other language.",
)

HEAD = """# One table per language

How far to trust a figure of your report: find the language and the phenomenon. `python benchmarks/trust.py` writes this page from the measurements of other pages. A dash means that nobody has measured it yet;
it is no good sign. A share of few words (*n*) is uncertain.

| column | what it says |
|---|---|
| right | of the words that are found, how many a reader calls right ([quality](quality.md)) |
| found | of the words that a reader had listed, how many are found, in documents on which nothing was tuned ([recall](../research/notes/recall.md)) |
| errors seen | of errors that were put into good translations, how many are judged wrong ([validity](validity.md#injected-errors)) |
| people right | of people's own translations, how many are judged right without a reference ([validity](validity.md#human-translations-judged-by-themselves)) |

Below each table is the accuracy of the analysis, on which all else depends: parts of speech, lemmas and labelled dependency links, on the test set that is hardest for the annotator ([annotators](models/annotators.md)).

In short: lexical cohesion, formality and verb form can be trusted in the languages that were read. Of the pronouns 47 to 75 % are found (German, Spanish, French), so a score of pronouns
rests on few words. Do not rank systems by ellipsis.
"""  # noqa: E501 - a page, whose lines are paragraphs


def _rows(path: str, start: str) -> Iterator[list[str]]:
    """Yield the rows of the tables that stand after a heading of a page and before the next."""
    text = (ROOT / path).read_text("utf-8")
    part = re.split(r"^#+ ", text[text.index(start) + len(start) :], maxsplit=1, flags=re.MULTILINE)[0]
    for line in part.splitlines():
        if line.startswith("|"):
            yield [re.sub(r"\s+", " ", cell).strip() for cell in line.strip("|").split("|")]


def _precision() -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for name, *cells in _rows("docs/quality.md", "## Precision\n"):
        # The closely read pairs have the paper's figure beside each of ours.
        figures = cells[::2] if len(cells) == 2 * len(PHENOMENA) else cells
        for phenomenon, cell in zip(PHENOMENA, figures, strict=False):
            if " of " in cell and re.fullmatch("[a-z]{2}", name):
                found[name, phenomenon] = cell
    return found


def _recall(names: dict[str, str]) -> dict[tuple[str, str], str]:
    rows = _rows("research/notes/recall.md", "# The kept half at the end of the day")
    return {(names[row[0]], row[1]): f"{row[4]} % of {row[5]}" for row in rows if row[0] in names and row[5] != "0"}


def _table(start: str, wanted: dict[str, str], names: dict[str, str], pattern: str) -> dict[tuple[str, str], str]:
    """Return the cells of a table of validity.md: a row a phenomenon, a column a language."""
    head, *rows = _rows("docs/validity.md", start)
    codes = [names.get(name, name) for name in head[1:]]
    found = {row[0].strip("*"): dict(zip(codes, row[1:], strict=True)) for row in rows}
    cells = (
        (code, phenomenon, found[row].get(code, ""))
        for phenomenon, row in wanted.items()
        for code in codes
        if row in found
    )
    return {
        (code, phenomenon): f"{hit[1]} % of {hit[2]}"
        for code, phenomenon, cell in cells
        if (hit := re.match(pattern, cell))
    }


def _analysis(code: str) -> str:
    """Return a line on the annotator: its figures on the test set with the lowest UPOS."""
    card = PIPELINES / code / "card.json"
    link = f"[{code}](models/annotators-{code}.md)"
    if not card.is_file():
        entry = preferences()[code]
        source, install = entry.source.partition(",")[0], f"`pip install 'endophora[{entry.extra}]'`"
        return f"Analysis ({link}): {_figures(entry.scores)}; {source}. {install}."
    tests: dict[str, dict[str, float]] = json.loads(card.read_text("utf-8"))["tests"]
    name, scores = min(tests.items(), key=lambda each: each[1]["UPOS"])
    which = "the only test set" if len(tests) == 1 else f"the hardest of {len(tests)} test sets"
    return f"Analysis ({link}): {_figures(scores)}; {name}, {which}."


def _figures(scores: dict[str, float]) -> str:
    named = {"UPOS": "parts of speech", "LEMMA": "lemmas", "LAS": "labelled links"}
    return ", ".join(f"{what} {scores[key]:.1f} %" for key, what in named.items() if key in scores)


def page() -> str:
    """Return the page."""
    languages = [load_language(code) for code in language_codes()]
    names = {language.name: language.language for language in languages}
    people = {phenomenon: phenomenon for phenomenon in PHENOMENA}
    columns = (
        _precision(),
        _recall(names),
        _table("## Injected errors\n", INJECTED, names, r"([\d.]+) \((\d+)\)"),
        _table("## Human translations judged by themselves\n", people, names, r"([\d.]+), [\d.]+ \(([\d,]+)\)"),
    )
    parts = [HEAD]
    for name, code in sorted(names.items()):
        rows = [[phenomenon, *(column.get((code, phenomenon), "–") for column in columns)] for phenomenon in PHENOMENA]
        table = "\n".join(f"| {' | '.join(row)} |" for row in rows if set(row[1:]) != {"–"})
        head = "| | right | found | errors seen | people right |\n|---|---|---|---|---|\n"
        parts.append(f"\n## {name}\n\n{head + table if table else _NONE[code == 'en']}\n\n{_analysis(code)}\n")
    return "".join(parts)


if __name__ == "__main__":
    print(page(), end="")
