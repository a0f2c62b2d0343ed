"""The words of a word-sense suite as the page shows them: their senses, which was taken for which, and examples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from markupsafe import Markup, escape

from endophora.report.table import visible
from endophora.suites.senses.result import (
    SenseCounts,
    SenseExample,
    SenseOutput,
    SensePassage,
    SenseResult,
    SenseWord,
)

_Counts: TypeAlias = Mapping[tuple[str, str], SenseCounts]
"""System and group → counts of a sense."""
_Confusions: TypeAlias = Mapping[tuple[str, str, str, str], int]
"""System, word, right sense, sense taken for it → how often."""

Kind = Literal["right", "wrong", "missing"]


@dataclass(frozen=True, slots=True)
class Taken:
    """A cell of a table of confusions.

    Attributes:
        count: how often.
        kind: ``right`` where the right sense was found, ``missing`` where none was, else ``wrong``.
        tenths: of the row's items, 0 to 10.
    """

    count: int
    kind: Kind
    tenths: int


@dataclass(frozen=True, slots=True)
class SenseRow:
    """A sense of a word.

    Attributes:
        number: from 1, as the other tables of the word name it.
        words: its translations.
        items: of which it is the right sense.
        counts: of each system: how many right, wrong and not found; empty without items.
    """

    number: int
    words: str
    items: int
    counts: list[list[str]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A system's confusions in a word: a row a right sense, a column a sense that can be taken.

    Attributes:
        system: its name.
        heads: number and first word of each column; the last may be what stands for no sense.
        rows: number and first word, then the cells.
    """

    system: str
    heads: list[tuple[str, str]]
    rows: list[tuple[str, str, list[Taken]]]


@dataclass(frozen=True, slots=True)
class Written:
    """What a system made of an example.

    Attributes:
        system: its name.
        outcome: right, wrong or missing.
        sense: number of the sense found, with its first word; empty if none was.
        note: what else is to be said.
        text: the output, marked.
    """

    system: str
    outcome: Kind
    sense: str
    note: str
    text: Markup


@dataclass(frozen=True, slots=True)
class Shown:
    """An example, marked.

    Attributes:
        sense: number and first word of the right sense.
        place: id, corpus and domain.
        source, reference: the sentence pair.
        outputs: of all systems.
    """

    sense: str
    place: str
    source: Markup
    reference: Markup
    outputs: list[Written]


@dataclass(frozen=True, slots=True)
class WordView:
    """A word with all that the page shows of it.

    Attributes:
        number: from 1, which links name.
        word: the word.
        items: how many sentences it has.
        totals: system → how many wrong and not found.
        senses: its senses.
        grids: a table a system.
        examples: some sentences.
    """

    number: int
    word: str
    items: int
    totals: list[tuple[str, str]]
    senses: list[SenseRow]
    grids: list[Grid]
    examples: list[Shown]


@dataclass(frozen=True, slots=True)
class Frequent:
    """A confusion of all systems together.

    Attributes:
        number, word: the word and its number.
        sense, instead: words of the right sense and of the one taken for it.
        counts: of each system, how often of how many.
    """

    number: int
    word: str
    sense: str
    instead: str
    counts: list[str]


def numbers(result: SenseResult, counts: SenseCounts) -> list[str]:
    """Return right, wrong and, of translations, not found, as they are shown."""
    found = [counts.right, counts.wrong, counts.missing]
    return [f"{number:,}" for number in found[: 3 if result.settings.kind == "translation" else 2]]


def list_words(result: SenseResult) -> list[WordView]:
    """Return all words, by alphabet."""
    counts = {(one.system, one.group): one for one in result.counts if one.kind == "sense"}
    if not counts:  # a suite of one sense is not divided by sense
        group = next((sense.group for word in result.words for sense in word.senses if sense.group), "")
        counts = {(one.system, group): one for one in result.counts if one.kind == "all"}
    confusions = {(one.system, one.word, one.sense, one.instead): one.count for one in result.confusions}
    examples: dict[str, list[SenseExample]] = {}
    for one in result.examples:
        examples.setdefault(one.word, []).append(one)
    return [
        WordView(
            number=number,
            word=word.word,
            items=sum(sense.items for sense in word.senses),
            totals=[(system, _total(result, word, system, counts)) for system in result.systems],
            senses=[
                SenseRow(
                    place,
                    ", ".join(sense.words) or sense.name,
                    sense.items,
                    [numbers(result, counts[system, sense.group]) for system in result.systems if sense.items],
                )
                for place, sense in enumerate(word.senses, start=1)
            ],
            grids=[_grid(result, word, system, counts, confusions) for system in result.systems],
            examples=[_example(word, one) for one in examples.get(word.word, [])],
        )
        for number, word in enumerate(result.words, start=1)
    ]


def frequent(result: SenseResult, most: int) -> tuple[list[Frequent], int]:
    """Return the most frequent confusions of all systems together, and how many confusions there are.

    Args:
        result: what was found.
        most: how many are returned.
    """
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
        Frequent(
            number=places[word],
            word=word,
            sense=words.get((word, sense)) or sense,
            instead=words.get((word, instead)) or instead,
            counts=[
                f"{cells.get((system, word, sense, instead), 0)} of {items[word, sense]}" for system in result.systems
            ],
        )
        for (word, sense, instead), _ in sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))[:most]
    ]
    return found, len(totals)


def marked(passage: SensePassage, kind: str) -> Markup:
    """Return a text with its marks, everything else in it escaped.

    Args:
        passage: the text.
        kind: class of the marks.
    """
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


def _grid(result: SenseResult, word: SenseWord, system: str, counts: _Counts, confusions: _Confusions) -> Grid:
    named = [sense.name for sense in word.senses]
    strange = [one.instead for one in result.confusions if (one.word, one.system) == (word.word, system)]
    columns = list(dict.fromkeys([*named, *strange]))
    rows: list[tuple[str, str, list[Taken]]] = []
    for sense in word.senses:
        if sense.items:
            found = counts[system, sense.group]
            cells = [_taken(confusions.get((system, word.word, sense.name, name), 0), sense.items) for name in columns]
            cells[columns.index(sense.name)] = _taken(found.right, sense.items, "right")
            if result.settings.kind == "translation":
                cells.append(_taken(found.missing, sense.items, "missing"))
            rows.append((*_head(word, sense.name), cells))
    heads = [_head(word, name) for name in columns]
    return Grid(system, [*heads, ("", "not found")] if result.settings.kind == "translation" else heads, rows)


def _taken(count: int, items: int, kind: Kind = "wrong") -> Taken:
    return Taken(count, kind, round(10 * count / items))


def _head(word: SenseWord, name: str) -> tuple[str, str]:
    """Return the number of a sense and the first of its words."""
    for number, sense in enumerate(word.senses, start=1):
        if sense.name == name:
            return str(number), next(iter(sense.words), name)
    return "", name


def _example(word: SenseWord, one: SenseExample) -> Shown:
    domain = {"in": "in domain", "out": "out of domain"}.get(one.domain, "")
    return Shown(
        sense=" ".join(_head(word, one.sense)),
        place=", ".join(part for part in (one.item, one.origin, domain) if part),
        source=marked(one.source, "source"),
        reference=marked(one.reference, "written right"),
        outputs=[_written(word, output) for output in one.outputs],
    )


def _written(word: SenseWord, one: SenseOutput) -> Written:
    note = "by lemma" if one.by_lemma else ""
    if one.margin is not None:
        note = f"{'beats' if one.margin > 0 else 'loses to'} this by {abs(one.margin):.2g}" if one.margin else "a tie"
    sense = " ".join(_head(word, one.sense)) if one.sense else "no sense found"
    # In the scoring variant the text is a wrong translation, whether it won or not.
    kind = "wrong" if one.margin is not None else one.outcome
    return Written(one.system, one.outcome, sense, note, marked(one.written, f"written {kind}"))
