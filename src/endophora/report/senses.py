"""The scores of a word-sense suite shown: figures, differences, and which sense was taken for which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from markupsafe import Markup, escape

from endophora.report.conclusion import conclude_senses
from endophora.report.static_page import static_page
from endophora.report.table import (
    BRACKETS,
    Cell,
    Column,
    Section,
    Table,
    baseline_note,
    bounds,
    figure,
    figures,
    intervals_note,
    names,
    p_number,
    visible,
)
from endophora.suites.result import (
    FigureName,
    GroupKind,
    SenseConfusion,
    SenseCounts,
    SenseEntry,
    SenseExample,
    SenseOutput,
    SensePassage,
    SenseResult,
    SenseScore,
    SenseWord,
)

FREQUENT = 30
"""How many confusions the page's list of the most frequent has; the words have all."""

_SHOWN = 20
"""How many confusions the text shows of each system, the most frequent; all are in the JSON."""

_FEW = 4
"""Up to so many words are shown unfolded."""

_HEADS: dict[FigureName, str] = {
    "accuracy": "accuracy",
    "precision": "precision",
    "recall_a": "recall",
    "recall_b": "recall",
    "f1_a": "F1",
    "f1_b": "F1",
    "precision_weighted": "weighted precision",
    "f1_weighted_a": "weighted F1",
    "f1_weighted_b": "weighted F1",
    "coverage_forms": "in forms",
    "coverage": "covered",
}
"""What tables call the figures, in their order."""

_OTHERS: dict[str, tuple[FigureName, ...]] = {
    "A": ("recall_b", "f1_b", "f1_weighted_b"),
    "B": ("recall_a", "f1_a", "f1_weighted_a"),
}
"""The recall that is shown → the figures of the other one."""

_COVERAGE: tuple[FigureName, ...] = ("coverage_forms", "coverage")
_Group = tuple[GroupKind, str]


def sections(result: SenseResult) -> Iterator[Section]:
    """Yield figures by domain and by corpus, then the most frequent confusions of each system."""
    suite, settings = result.suite, result.settings
    pair = f"{suite.source_language}-{suite.target_language}, " if suite.target_language else ""
    head = f"{suite.name}: {pair}{suite.items:,} sentences, {suite.words:,} words, {suite.senses:,} senses"
    yield [f"{head}, {settings.kind}"]
    shown = figures_of(result)
    weighted: list[FigureName] = [name for name in shown if "weighted" in name]
    for group in _groups(result, "all", "domain"):
        yield [_table(result, group, [name for name in shown if name not in weighted])]
    if mean := result.mean_coverage:
        forms, lemmas = (f"{mean[name]:.2f}" for name in _COVERAGE)
        yield [f"coverage, mean of {len(result.systems)} systems: {forms} % in forms, {lemmas} % with lemmas"]
    if weighted:
        yield [_by_distance(result, weighted)]
    if _groups(result, "origin"):
        yield [_by_corpus(result, 2)]
    for system in result.systems:
        if found := [one for one in result.confusions if one.system == system]:
            yield [_confusions(system, found)]
    note = [baseline_note(settings, settings.baseline)] if settings.baseline else []
    yield [*note, f"signature: {result.signature}"]


def papers(result: SenseResult) -> Iterator[Table]:
    """Yield systems × figures by domain, as Table 11 of the MuCoW paper."""
    groups = _groups(result, "domain", "all")
    kept: list[FigureName] = [name for name in figures_of(result) if name not in _COVERAGE]
    shown = sorted(kept, key=lambda name: "weighted" in name)
    columns = [Column(_HEADS[name], group=_label(*group)) for group in groups for name in shown]
    lines = [
        [system, *(_cell(result.score(system, name, *group), 2) for group in groups for name in shown)]
        for system in result.systems
    ]
    yield Table([*names("system"), *columns], lines)


def rows(result: SenseResult) -> Iterator[Sequence[object]]:
    """Yield one row for each system, group and figure."""
    yield (
        *("kind", "group", "system", "figure", "value", "low", "high"),
        *("right", "wrong", "missing", "difference", "p_value", "p_adjusted"),
    )
    for one in result.scores:
        counts, against = result.count(one.system, one.kind, one.group), one.comparison
        tested = (against.difference, against.p_value, against.p_adjusted) if against else (None, None, None)
        counted = (counts.right, counts.wrong, counts.missing)
        yield one.kind, one.group, one.system, one.figure, one.value, *bounds(one.interval), *counted, *tested


def page(result: SenseResult) -> str:
    """Return a page with all figures, and for each word which sense was taken for which."""
    suite, settings = result.suite, result.settings
    listed, confusions = frequent(result, FREQUENT)
    shown = figures_of(result)
    tables = [_table(result, group, shown, 1) for group in _groups(result, "all", "domain")]
    differences = _differences(result)
    return static_page(
        result,
        template="senses.html.jinja",
        style=["senses.css"],
        title=suite.title,
        subtitle="is an ambiguous word taken in its right sense?",
        conclusion=conclude_senses(result, _main(result), _HEADS[_main(result)]),
        facts=[
            ("suite", suite.name),
            ("sentences", f"{suite.items:,}"),
            ("ambiguous words", f"{suite.words:,}"),
            ("senses", f"{suite.senses:,}"),
            ("scored by", "what is translated" if settings.kind == "translation" else "scores of translations"),
        ],
        figures=[legend(result), *tables, *([_by_corpus(result, 1)] if _groups(result, "origin") else [])],
        differences=differences if differences.rows else None,
        counted=_counted(result),
        frequent=listed,
        confusions=confusions,
        words=list_words(result),
        unfolded=len(result.words) <= _FEW,
        settings=[
            ("tokenizer", settings.tokenizer or "none"),
            *((f"lemmas of {system}", source) for system, source in settings.lemmas.items()),
            ("recall", settings.recall),
            ("ties", settings.ties),
        ],
    )


def figures_of(result: SenseResult) -> list[FigureName]:
    """Return the figures that are shown: recall and F1 are those that the settings name."""
    there = {one.figure for one in result.scores}
    return [name for name in _HEADS if name in there and name not in _OTHERS[result.settings.recall]]


def legend(result: SenseResult) -> str:
    """Return what the figures and marks are, and how significance was found."""
    settings = result.settings
    shown = "Accuracy: per cent of sentences whose right translation scores better than all wrong ones."
    if settings.kind == "translation":
        base = "right and not found" if settings.recall == "A" else "all"
        shown = f"In per cent. Precision: right of right and wrong. Recall: right of {base}. Covered: found of all."
        shown += " In forms: found without lemmas, of all." if "coverage_forms" in figures_of(result) else ""
    if any("weighted" in name for name in figures_of(result)):
        shown += " Weighted: a wrong sense counts for what it is like the right one."
    if settings.resamples:
        shown += f" Small: {intervals_note(settings)}."
    if settings.baseline and settings.resamples:
        shown += f" {baseline_note(settings, settings.baseline)}, over systems and groups of a kind."
    return shown


def _groups(result: SenseResult, *kinds: GroupKind) -> list[_Group]:
    there: dict[_Group, None] = dict.fromkeys((one.kind, one.group) for one in result.scores)
    return [group for kind in kinds for group in there if group[0] == kind]


def _main(result: SenseResult) -> FigureName:
    """Return the figure that counts most."""
    if result.settings.kind == "scoring":
        return "accuracy"
    return "f1_a" if result.settings.recall == "A" else "f1_b"


def _label(kind: GroupKind, group: str) -> str:
    if kind == "all":
        return "all"
    return f"{group or 'unknown'} domain" if kind == "domain" else group or "unknown origin"


def _counted(result: SenseResult) -> list[str]:
    return ["right", "wrong", *(["not found"] if result.settings.kind == "translation" else [])]


def _table(result: SenseResult, group: _Group, shown: Sequence[FigureName], digits: int = 2) -> Table:
    """Return systems × counts and figures of a group; in text only the main figure has its interval."""
    heads = [Column(_HEADS[name], marked=True, interval=BRACKETS if name == _main(result) else "") for name in shown]
    lines = [
        [
            system,
            *numbers(result, result.count(system, *group)),
            *(_cell(result.score(system, name, *group), digits) for name in shown),
        ]
        for system in result.systems
    ]
    return Table([*names(_label(*group)), *figures(*_counted(result)), *heads], lines)


def _by_distance(result: SenseResult, weighted: Sequence[FigureName]) -> Table:
    """Return the figures in which a wrong sense counts for what it is like the right one."""
    heads = figures(*(_HEADS[name] for name in weighted), marked=True, interval=BRACKETS, wrap=False)
    lines = [
        [_label(*group), system, *(_cell(result.score(system, name, *group), 2) for name in weighted)]
        for group in _groups(result, "all", "domain")
        for system in result.systems
    ]
    return Table([*names("", "system"), *heads], lines)


def _by_corpus(result: SenseResult, digits: int) -> Table:
    """Return the figure that counts most, a row a corpus."""
    name = _main(result)
    lines = [
        [
            _label(*group),
            _sentences(result, group),
            *(_cell(result.score(system, name, *group), digits) for system in result.systems),
        ]
        for group in _groups(result, "origin")
    ]
    heads = [
        *names(f"{_HEADS[name]} by corpus"),
        *figures("n"),
        *figures(*result.systems, marked=True, interval=BRACKETS),
    ]
    return Table(heads, lines)


def _sentences(result: SenseResult, group: _Group) -> str:
    """Return of how many sentences the figures of a group are, for the system that has most."""
    counts = [result.count(system, *group) for system in result.systems]
    return f"{max(one.right + one.wrong + one.missing for one in counts):,}"


def _confusions(system: str, found: Sequence[SenseConfusion]) -> Table:
    words = {one.word for one in found}
    ordered = sorted(found, key=lambda one: (-one.count, one.word, one.sense, one.instead))
    lines = [[one.word, one.sense, one.instead, f"{one.count} of {one.of}"] for one in ordered[:_SHOWN]]
    if len(ordered) > _SHOWN:
        lines.append([f"and {len(ordered) - _SHOWN} more, of {len(words)} words in all", "", "", ""])
    return Table([*names(f"{system}: word", "sense", "taken for"), *figures("times")], lines)


def _cell(score: SenseScore, digits: int) -> Cell:
    against = score.comparison
    verdict = "" if against is None or not against.significant else "better" if against.difference > 0 else "worse"
    return figure(score.value, score.interval, digits, verdict=verdict)


def _differences(result: SenseResult) -> Table:
    """Return the systems against the baseline, in all items and by domain: all figures but the coverage in forms."""
    lines: list[list[Cell | str]] = []
    for one in result.scores:
        against = one.comparison
        if against is None or one.system == result.settings.baseline or one.kind not in ("all", "domain"):
            continue
        if one.figure in figures_of(result) and one.figure != "coverage_forms":
            verdict = "" if not against.significant else "better" if against.difference > 0 else "worse"
            cell = figure(against.difference, against.interval, sign=True, verdict=verdict)
            tested = (p_number(against.p_value), p_number(against.p_adjusted))
            lines.append([one.system, _HEADS[one.figure], _label(one.kind, one.group), cell, *tested])
    points = Column("points", drawn=True)
    return Table([*names("system", "figure", "of"), points, *figures("p", "corrected")], lines)


_Counts: TypeAlias = Mapping[tuple[str, str], SenseCounts]
"""System and group → counts of a sense."""


class ConfusionTable(NamedTuple):
    """A system's confusions in a word, right senses × senses taken, all by number and first word."""

    system: str
    heads: list[tuple[str, str]]
    rows: list[tuple[str, str, list[tuple[int, str, int]]]]  # cells: how often, of what kind, tenths of the row's items


class WordView(NamedTuple):
    """A word with all that the page shows of it; ``totals`` are how many each system has wrong and not found."""

    number: int
    word: str
    items: int
    totals: list[tuple[str, str]]
    senses: list[dict[str, Any]]
    grids: list[ConfusionTable]
    examples: list[dict[str, Any]]


def list_words(result: SenseResult) -> list[WordView]:
    """Return all words, by alphabet."""
    counts = {(one.system, one.group): one for one in result.counts if one.kind == "sense"}
    if not counts:  # a suite of one sense is not divided by sense
        group = next((sense.group for word in result.words for sense in word.senses if sense.group), "")
        counts = {(one.system, group): one for one in result.counts if one.kind == "all"}
    return [
        WordView(
            number=number,
            word=word.word,
            items=sum(sense.items for sense in word.senses),
            totals=[(system, _total(result, word, system, counts)) for system in result.systems],
            senses=[_sense(result, place, sense, counts) for place, sense in enumerate(word.senses, start=1)],
            grids=[_grid(result, word, system, counts) for system in result.systems],
            examples=[_example(word, one) for one in result.examples if one.word == word.word],
        )
        for number, word in enumerate(result.words, start=1)
    ]


def _sense(result: SenseResult, number: int, sense: SenseEntry, counts: _Counts) -> dict[str, Any]:
    """Return what is shown of a sense; ``counts`` are right, wrong and not found of each system, none without items."""
    counted = [numbers(result, counts[system, sense.group]) for system in result.systems if sense.items]
    return {"number": number, "words": ", ".join(sense.words) or sense.name, "size": sense.items, "counts": counted}


def frequent(result: SenseResult, most: int) -> tuple[list[dict[str, Any]], int]:
    """Return the most frequent confusions of all systems together, and how many confusions there are."""
    totals = Counter[tuple[str, str, str]]()
    cells: dict[tuple[str, str, str, str], int] = {}
    items: dict[tuple[str, str], int] = {}
    for one in result.confusions:
        totals[one.word, one.sense, one.instead] += one.count
        cells[one.system, one.word, one.sense, one.instead] = one.count
        items[one.word, one.sense] = one.of
    places = {one.word: number for number, one in enumerate(result.words, start=1)}
    words = {(one.word, sense.name): ", ".join(sense.words) for one in result.words for sense in one.senses}
    found = [
        {
            "number": places[word],
            "word": word,
            "sense": words.get((word, sense)) or sense,
            "instead": words.get((word, instead)) or instead,
            "counts": [
                f"{cells.get((system, word, sense, instead), 0)} of {items[word, sense]}" for system in result.systems
            ],
        }
        for (word, sense, instead), _ in sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    ]
    return found, len(totals)


def numbers(result: SenseResult, counts: SenseCounts) -> list[str]:
    """Return right, wrong and, of translations, not found, as shown."""
    return [f"{number:,}" for number in (counts.right, counts.wrong, counts.missing)[: len(_counted(result))]]


def marked(passage: SensePassage, kind: str) -> Markup:
    """Return a text with its marks, of a class, everything else in it escaped."""
    parts, last = [Markup()], 0
    for start, end in passage.marks:
        parts.append(escape(visible(passage.text[last:start])))
        parts.append(Markup('<mark class="{}">{}</mark>').format(kind, visible(passage.text[start:end])))
        last = end
    return Markup().join([*parts, escape(visible(passage.text[last:]))])


def _total(result: SenseResult, word: SenseWord, system: str, counts: _Counts) -> str:
    found = [counts[system, sense.group] for sense in word.senses if sense.items]
    shown = f"{sum(one.wrong for one in found):,} wrong"
    if result.settings.kind == "translation":
        shown += f", {sum(one.missing for one in found):,} not found"
    return shown


def _grid(result: SenseResult, word: SenseWord, system: str, counts: _Counts) -> ConfusionTable:
    translated = result.settings.kind == "translation"
    own = [one for one in result.confusions if (one.word, one.system) == (word.word, system)]
    taken = {(one.sense, one.instead): one.count for one in own}
    columns = list(dict.fromkeys([*(sense.name for sense in word.senses), *(one.instead for one in own)]))
    rows: list[tuple[str, str, list[tuple[int, str, int]]]] = []
    for sense in word.senses:
        if sense.items:
            found = counts[system, sense.group]
            shown = [
                (found.right, "right") if name == sense.name else (taken.get((sense.name, name), 0), "wrong")
                for name in columns
            ]
            if translated:
                shown.append((found.missing, "missing"))
            cells = [(count, kind, round(10 * count / sense.items)) for count, kind in shown]
            rows.append((*_head(word, sense.name), cells))
    return ConfusionTable(system, [*(_head(word, name) for name in columns), *[("", "not found")] * translated], rows)


def _head(word: SenseWord, name: str) -> tuple[str, str]:
    """Return the number of a sense and the first of its words."""
    for number, sense in enumerate(word.senses, start=1):
        if sense.name == name:
            return str(number), next(iter(sense.words), name)
    return "", name


def _example(word: SenseWord, one: SenseExample) -> dict[str, Any]:
    """Return an example, marked: the right sense, its id, corpus and domain, the texts, and what systems made of it."""
    domain = {"in": "in domain", "out": "out of domain"}.get(one.domain, "")
    return {
        "sense": " ".join(_head(word, one.sense)),
        "place": ", ".join(part for part in (one.item, one.origin, domain) if part),
        "source": marked(one.source, "source"),
        "reference": marked(one.reference, "written right"),
        "outputs": [_output(word, output) for output in one.outputs],
    }


def _output(word: SenseWord, one: SenseOutput) -> dict[str, Any]:
    note = "by lemma" if one.by_lemma else ""
    if one.margin is not None:
        note = f"{'beats' if one.margin > 0 else 'loses to'} this by {abs(one.margin):.2g}" if one.margin else "a tie"
    # In the scoring variant the text is a wrong translation, whether it won or not.
    kind = "wrong" if one.margin is not None else one.outcome
    return {
        "system": one.system,
        "outcome": one.outcome,
        "sense": " ".join(_head(word, one.sense)) if one.sense else "no sense found",
        "note": note,
        "text": marked(one.written, f"written {kind}"),
    }
