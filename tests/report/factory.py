"""Results made up for tests: any number of systems, with texts that try to break out of every format."""

from __future__ import annotations

import random
from collections.abc import Collection
from itertools import combinations
from typing import Literal

from endophora.evaluation.result import (
    Agreement,
    Column,
    Comparison,
    ContextSegment,
    CorpusInfo,
    Correlation,
    DocumentInfo,
    Example,
    Highlight,
    Human,
    HumanScore,
    Interval,
    Passage,
    Phenomenon,
    Result,
    Score,
    Settings,
    SystemOutput,
)

HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    "[bold red]markup[/bold red] [link=http://x]",
    "\x1b[31mred\x1b[0m \x07bell",
    r"\input{/etc/passwd} 50% & $x_1$ #~^",
    '=HYPERLINK("http://x","y")',
    "@SUM(A1)",
    "abc\u202egnp.exe\u2066x",
    "{{ 7*7 }} {% raw %}",
    "שלום עולם, זהו מסמך",
    "line\u2028separator\r\nnew",
)
PHENOMENA = ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis")
METRICS = ("BLEU", "chrF", "TER", "d-BLEU")
CATEGORIES = ("BlonD-d", *(f"BlonDe {name}" for name in ("tense", "pronoun", "entity", "dm", "1-grams", "2-grams")))
EXTRAS = ("categories", "correlations", "human")
_RULES = {
    "lexical_cohesion": ("lemma",),
    "formality": ("du", "sie", "ihr"),
    "pronouns": ("it", "they", "this"),
    "verb_form": ("past", "subjunctive", "pluperfect"),
    "ellipsis": ("verb_phrase", "noun_phrase"),
}
_SOURCE = [
    "The lamp that my aunt bought last spring is heavy.",
    "We carried it up the stairs together. 😀",
    "Did you ask her whether it still works?",
    "I did, and she laughed.",
    "Nobody knew what they had promised.",
]
_TARGET = [
    "Die Lampe, die meine Tante letzten Frühling kaufte, ist schwer.",
    "Wir trugen sie zusammen die Treppe hinauf. 😀",
    "Hast du sie gefragt, ob sie noch geht?",
    "Ja, und sie lachte.",
    "Niemand wusste, was sie versprochen hatten.",
]


def make(
    systems: int = 2,
    documents: int = 6,
    examples: int = 12,
    hostile: bool = False,
    comparisons: bool = True,
    nulls: bool = False,
    baseline: str = "",
    seed: int = 7,
    length: int = 1,
    extras: Collection[str] = (),
    phenomena: bool = True,
) -> Result:
    """Return a result; ``systems=0`` is a tagging without systems, ``extras`` are names of :data:`EXTRAS`."""
    draw = random.Random(seed)
    names = [f"system-{index + 1:02d}" for index in range(systems)]
    ids = [f"news_{index + 1:03d}" for index in range(documents)]
    if hostile:
        names[: len(HOSTILE)] = list(HOSTILE[:systems])
        ids[: len(HOSTILE)] = list(HOSTILE[:documents])
    columns = [column for column in _columns() if phenomena or column.kind == "text"] if systems else []
    if systems and "categories" in extras:
        columns += _categories()
    baseline = baseline or (names[1 % systems] if systems else "")
    level = {name: draw.uniform(-1, 1) for name in names}
    scores = [_score(column, name, documents, level[name], draw, nulls) for column in columns for name in names]
    return Result(
        version="0.1.0",
        signature="en-de|variant:paper|window:5|annotator:en-0.1,de-0.1|aligner:compact-0.1|seed:12345|v:0.1.0",
        corpus=CorpusInfo(
            source_language="en", target_language="de",
            documents=[DocumentInfo(id=name, segments=draw.randint(3, 30)) for name in ids],
            segments=documents * 10, source_words=documents * 190, reference_words=documents * 180,
            references=["refA"], systems=names,
        ),
        settings=Settings(
            baseline=baseline, alpha=0.05, confidence=0.95, resamples=1000, seed=12345,
            units="documents", test="approximate-randomisation",
        ),
        columns=columns,
        phenomena=[_phenomenon(name, names, draw) for name in PHENOMENA if phenomena],
        scores=scores,
        comparisons=_comparisons(columns, scores, names, baseline, draw) if comparisons and systems > 1 else [],
        correlations=_correlations(columns, 20 + systems * documents) if "correlations" in extras else [],
        human=_human(columns, scores, names, hostile) if systems and "human" in extras else None,
        examples=[_example(index, names, ids, draw, hostile, length) for index in range(examples if phenomena else 0)],
        warnings=[HOSTILE[0], HOSTILE[3]] if hostile else ["one document: significance is over segments"],
    )  # fmt: skip


def _columns() -> list[Column]:
    def column(name: str, kind: Literal["phenomenon", "text"]) -> Column:
        scale = 1.0 if kind == "phenomenon" else 100.0
        return Column(name=name, kind=kind, scale=scale, higher_is_better=name != "TER", signature=f"{name}|v:1")

    return [column(name, "text") for name in METRICS] + [column(name, "phenomenon") for name in PHENOMENA]


def _categories() -> list[Column]:
    """Return a metric after the others, and its categories."""
    whole = Column(name="BlonDe", kind="text", scale=100, higher_is_better=True, signature="BlonDe|v:1")
    return [
        whole,
        *(whole.model_copy(update={"name": name, "kind": "category", "metric": "BlonDe"}) for name in CATEGORIES),
    ]


def _correlations(columns: list[Column], pairs: int) -> list[Correlation]:
    draw = random.Random(3)
    made = []
    for first, second in combinations(columns, 2):
        value = draw.uniform(0.1, 0.99) * (1 if first.higher_is_better == second.higher_is_better else -1)
        made.append(Correlation(first=first.name, second=second.name, pearson=value, pairs=pairs - draw.randrange(3)))
    if made:
        made[0] = made[0].model_copy(update={"pearson": None, "pairs": 0})
    return made


def _human(columns: list[Column], scores: list[Score], names: list[str], hostile: bool) -> Human:
    """Return penalties (lower is better) that follow the first text metric; nobody judged the first document."""
    draw = random.Random(5)
    first = next(column.name for column in columns if column.kind == "text")
    given = []
    for name in names:
        score = next(score for score in scores if (score.column, score.system) == (first, name))
        documents = [
            None if at == 0 or one is None else 9 - one / 10 + draw.gauss(0, 1)
            for at, one in enumerate(score.documents)
        ]
        there = [one for one in documents if one is not None]
        given.append(HumanScore(system=name, value=sum(there) / len(there) if there else None, documents=documents))
    agreements = []
    for column in columns:
        for level, pairs in (("system", len(names)), ("document", 50), ("segment", 500)):
            for coefficient in ("pearson", "spearman", "kendall"):
                value = None if level == "system" and len(names) < 3 else draw.uniform(-0.2, 0.95)
                interval = None if value is None else Interval(low=value - 0.2, high=min(value + 0.1, 1))
                agreements.append(
                    Agreement(
                        column=column.name, level=level, coefficient=coefficient,
                        value=value, interval=interval, pairs=pairs,
                    )
                )  # fmt: skip
    return Human(name=HOSTILE[1] if hostile else "mqm", higher_is_better=False, scores=given, agreements=agreements)


def _score(column: Column, system: str, documents: int, level: float, draw: random.Random, nulls: bool) -> Score:
    middle = {"BLEU": 32, "chrF": 61, "TER": 55, "d-BLEU": 34}.get(column.name, 62) / 100
    good = level * 0.6 + draw.uniform(-1, 1) * 0.6
    value = (middle + 0.09 * good * (1 if column.higher_is_better else -1)) * column.scale
    half = draw.uniform(0.01, 0.03) * column.scale
    if nulls and column.name == "ellipsis":
        return Score(column=column.name, system=system, value=None, interval=None, documents=[None] * documents)
    per = [
        None if draw.random() < 0.1 else min(max(value + draw.gauss(0, 0.12) * column.scale, 0), column.scale)
        for _ in range(documents)
    ]
    tagged = column.kind == "phenomenon"
    return Score(
        column=column.name, system=system, value=value, interval=Interval(low=value - half, high=value + half),
        precision=value * 1.02 if tagged else None, recall=value * 0.98 if tagged else None,
        counts={"matched": 61, "reference": 100, "hypothesis": 97} if tagged else {}, documents=per,
    )  # fmt: skip


def _comparisons(columns, scores, names, baseline, draw) -> list[Comparison]:
    value = {(score.column, score.system): score.value for score in scores}
    made = []
    for column in columns:
        having = [name for name in names if value[column.name, name] is not None]
        if not having:
            continue
        sign = 1 if column.higher_is_better else -1
        base = baseline if baseline != "best" else max(having, key=lambda name: sign * value[column.name, name])
        for name in names:
            if name == base or value[column.name, name] is None:
                continue
            difference = value[column.name, name] - value[column.name, base]
            p = min(1.0, max(0.0004, 0.4 - 6 * abs(difference) / column.scale + draw.uniform(-0.02, 0.02)))
            width = 0.03 * column.scale
            made.append(
                Comparison(
                    column=column.name, system=name, baseline=base, difference=difference,
                    interval=Interval(low=difference - width, high=difference + width),
                    p_value=p, p_adjusted=min(1.0, 3 * p), significant=3 * p < 0.05,
                )
            )  # fmt: skip
    return made


def _phenomenon(name: str, systems: list[str], draw: random.Random) -> Phenomenon:
    rules = {rule: draw.randint(5, 400) for rule in _RULES[name]}
    total = sum(rules.values())
    distances = {} if name == "formality" else {0: total // 2, 1: total // 4, 2: total // 9, 5: total // 20}
    return Phenomenon(
        name=name, occurrences=total, words=total + 3, rules=rules, distances=distances,
        systems={system: total + draw.randint(-20, 20) for system in systems},
    )  # fmt: skip


def _example(index, names, ids, draw, hostile, length) -> Example:
    phenomenon = PHENOMENA[index % len(PHENOMENA)]
    bad = HOSTILE[index % len(HOSTILE)] + " " if hostile else ""
    at = draw.randrange(1, 4)
    source, target = bad + _SOURCE[at], bad + _TARGET[at] * length
    word, pronoun = "sie", source.find(" ") + 1
    start = target.find(word)
    outputs = []
    for name in names:
        written = draw.choice(
            ["sie", "sie", "sie", "es", "ihn", "", HOSTILE[index % len(HOSTILE)] if hostile else "diese"]
        )
        passage = f"{target[:start]}{written}{target[start + len(word) :]}" + f" ({draw.randrange(10**6)})"
        marked = [Highlight(start=start, end=start + len(written), role="written")] if written else []
        outputs.append(
            SystemOutput(
                system=name, passage=Passage(text=passage, highlights=marked), correct=written == word, written=written
            )
        )
    return Example(
        document=ids[index % len(ids)], segment=draw.randrange(1, 20), file="source.en", line=index + 1,
        phenomenon=phenomenon, rule=draw.choice(_RULES[phenomenon]), expected=word,
        antecedent="lamp" if phenomenon == "pronouns" else "",
        distance=None if phenomenon == "formality" else index % 4,
        probability=0.83 if phenomenon == "pronouns" else None,
        context=[
            ContextSegment(
                segment=0, source=Passage(text=_SOURCE[0], highlights=[Highlight(start=4, end=8, role="support")]),
                reference=Passage(text=_TARGET[0], highlights=[Highlight(start=4, end=9, role="support")]),
            )
        ],
        source=Passage(text=source, highlights=[Highlight(start=pronoun, end=pronoun + 3, role="source")]),
        reference=Passage(text=target, highlights=[Highlight(start=start, end=start + len(word), role="occurrence")]),
        outputs=outputs,
    )  # fmt: skip
