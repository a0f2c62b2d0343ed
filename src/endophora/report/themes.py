"""The thematic analysis as one HTML file: no network, no script from data, and readable without script."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

from endophora.context.cxmi import token_example
from endophora.context.pointwise import SEGMENTS, Pointwise, context_texts
from endophora.context.themes import Themes
from endophora.record import Interval
from endophora.report import cxmi
from endophora.report.conclusion import conclude_cxmi
from endophora.report.matrix import title
from endophora.report.static_page import place_of, script_page, units
from endophora.report.table import figure, number

_STATIC = 30
"""Words on the page before its script runs."""

_STEPS = (0.1, 0.3, 1.0, 3.0)
"""P-CXMI from which a word has the next stronger colour, in nats, on either side of zero."""


def render(themes: Themes) -> str:
    """Return the page; the same analysis gives the same bytes."""
    result, name = themes.result, themes.condition.name
    shown = [
        token_example(themes.measured[place.sample], place.word, themes.condition, themes.row)
        for place in themes.tokens[: min(_STATIC, themes.top)]
    ]
    return script_page(
        "themes.html.jinja",
        _data(themes),
        style=["report.css", "themes.css"],
        script="themes.js",
        filters={"title": title, "nats": partial(number, digits=3), "bounds": _brackets, "shade": shade},
        result=result,
        heading=cxmi.heading(result),
        pairs=cxmi.pairs_of_sentences,
        facts=cxmi.facts(result),
        condition=name,
        conclusion=conclude_cxmi(result, name),
        few=themes.few,
        cxmi=result.figure(name),
        groups=themes.groups,
        items=themes.items,
        tagged=bool(cxmi.groups(result, name, "tag")),
        shown=shown,
        limits=_limits(themes),
        shrinkage=cxmi.shrinkage(result),
        shades=[
            *((f"p{step}", f"from {least:g}") for step, least in enumerate(_STEPS, start=1)),
            *((f"n{step}", f"from −{least:g}") for step, least in enumerate(_STEPS, start=1)),
        ],
    )


def _brackets(interval: Interval | None) -> str:
    return figure(0.0, interval, 3).brackets


def shade(value: float) -> str:
    """Return the class of a P-CXMI's colour: ``p1`` to ``p4`` above zero, ``n1`` to ``n4`` below, or nothing."""
    step = _step(value)
    return f"{'p' if step > 0 else 'n'}{abs(step)}" if step else ""


def _step(value: float) -> int:
    strength = sum(abs(value) >= least for least in _STEPS)
    return strength if value > 0 else -strength


def _limits(themes: Themes) -> str:
    limits, words = themes.limits, sum(len(one.sample.words) for one in themes.measured)
    shown = f"of {words:,} words the {themes.top:,} with the highest P-CXMI"
    rows = f"and the highest {limits.of_group} of each group and {limits.of_item} of each item"
    items = f"of {themes.result.items_found:,} items the {len(themes.items):,} highest"
    return f"{shown}, {rows}; {items}; all are in {SEGMENTS}"


def _data(themes: Themes) -> dict[str, Any]:
    """Return what the page's script reads; each text is in it once."""
    texts: dict[str, int] = {}
    samples: dict[int, int] = {}
    tokens: list[dict[str, Any]] = []
    for place in themes.tokens:
        one = themes.measured[place.sample]
        word = one.sample.words[place.word]
        tokens.append(
            {
                "s": samples.setdefault(place.sample, len(samples)),
                "w": place.word,
                "v": round(float(one.words[themes.row, place.word]), 4),
                "p": float(f"{math.exp(min(0.0, float(one.base_words[place.word]))):.3g}"),
                "l": word.labels[-1] if word.labels else "",
                "g": list(word.tags),
            }
        )
    return {
        "languages": [themes.result.corpus.source_language, themes.result.corpus.target_language],
        "top": themes.top,
        "groups": [list(theme.tokens) for theme in themes.groups],
        "items": [list(theme.tokens) for theme in themes.items],
        "tokens": tokens,
        "segments": [_segment(themes.measured[number], themes, texts) for number in samples],
        "texts": list(texts),
    }


def _segment(one: Pointwise, themes: Themes, texts: dict[str, int]) -> dict[str, Any]:
    sample = one.sample
    given = themes.condition.cut(sample.whole)
    flat: list[int] = []
    for place, word in enumerate(sample.words):
        flat += [units(sample.target, word.start), units(sample.target, word.end)]
        flat.append(_step(float(one.words[themes.row, place])))
    return {
        "d": place_of(sample.document, texts),
        "n": sample.segment,
        "s": place_of(sample.whole.source, texts),
        "t": place_of(sample.target, texts),
        "sc": [place_of(text, texts) for text in context_texts(given.source_context)],
        "tc": [place_of(text, texts) for text in context_texts(given.target_context)],
        "g": round(float(one.totals[themes.row]), 4),
        "w": flat,
    }
