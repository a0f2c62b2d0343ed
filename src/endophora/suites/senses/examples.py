"""What results show of a suite of word senses: its words with their senses, and examples of what systems confuse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from endophora.suites.records import Item, Suite
from endophora.suites.result import SenseEntry, SenseExample, SenseOutput, SensePassage, SenseWord
from endophora.suites.senses.items import OTHER, domain_of, origin_of, sense_of, senses_of_words
from endophora.suites.senses.matching import MISSING, RIGHT, WRONG, mark_words

_NAMES: dict[int, Literal["right", "wrong", "missing"]] = {RIGHT: "right", WRONG: "wrong", MISSING: "missing"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a system made of an item."""

    outcome: int
    taken: str | None  # the sense that was taken for the right one, if it is wrong
    text: str  # what it wrote, or the wrong translation with the best score
    words: tuple[str, ...]  # those in the text that decided
    by_lemma: bool = False
    margin: float | None = None  # of scores: the right one less the best of the wrong ones


def choose_items(items: Sequence[Item], judged: Sequence[Sequence[Judgement]], most: int) -> list[int]:
    """Return the places of the items to show, in the order of words, senses and the suite.

    Of each word, sense and sense taken for it come up to ``most`` that some system confused so, and one of each sense
    of which nothing was found; first those on which systems differ.
    """
    counts, chosen = Counter[tuple[str, str, str | None]](), list[int]()
    columns = list(zip(*judged, strict=True))
    order = sorted(range(len(items)), key=lambda at: (len({(one.outcome, one.taken) for one in columns[at]}) == 1, at))
    for at in order if most else ():
        item = items[at]
        keys = {(item.source_lemma, sense_of(item), one.taken) for one in columns[at] if one.outcome != RIGHT}
        if any(counts[key] < (most if key[2] is not None else 1) for key in keys):
            counts.update(keys)
            chosen.append(at)
    first = {rule: at for at, rule in reversed(list(enumerate(item.rule for item in items)))}
    return sorted(chosen, key=lambda at: (items[at].source_lemma, first[items[at].rule], at))


def make_examples(
    suite: Suite, judged: Mapping[str, Sequence[Judgement]], most: int, annotator: str | None = None
) -> list[SenseExample]:
    """Return the examples, with the words marked that matter."""
    places = choose_items(suite.items, list(judged.values()), most)
    items = [suite.items[at] for at in places]
    target = suite.target_language
    # The ambiguous word, as it is written in the sentence where the suite says that.
    forms = [str(one.source_form or one.extra.get("form", "")) for one in items]
    words = [[word for word in (form, one.source_lemma) if word] for form, one in zip(forms, items, strict=True)]
    sources = mark_words(suite.source_language, [one.source for one in items], words)
    references = mark_words(target, [one.reference for one in items], [one.expected for one in items], annotator)
    outputs = [_outputs(name, [row[at] for at in places], items, target, annotator) for name, row in judged.items()]
    return [
        SenseExample(
            item=item.id,
            word=item.source_lemma,
            sense=sense_of(item),
            origin=origin_of(item),
            domain=domain_of(item),
            source=SensePassage(text=item.source, marks=sources[at]),
            reference=SensePassage(text=item.reference, marks=references[at]),
            outputs=[row[at] for row in outputs],
        )
        for at, item in enumerate(items)
    ]


def _outputs(
    system: str, judged: Sequence[Judgement], items: Sequence[Item], language: str, annotator: str | None
) -> list[SenseOutput]:
    marks = mark_words(language, [one.text for one in judged], [one.words for one in judged], annotator)
    return [
        SenseOutput(
            system=system,
            outcome=_NAMES[one.outcome],
            sense=sense_of(item) if one.outcome == RIGHT else one.taken or "",
            by_lemma=one.by_lemma,
            written=SensePassage(text=one.text, marks=marks[at]),
            margin=one.margin,
        )
        for at, (one, item) in enumerate(zip(judged, items, strict=True))
    ]


def list_words(items: Sequence[Item]) -> list[SenseWord]:
    """Return the ambiguous words by alphabet, with their senses in the order of the suite.

    After these stand the senses that only wrong translations have, and, as :data:`OTHER`, the wrong words of no known
    sense.
    """
    known = senses_of_words(items)
    counts, groups = Counter[tuple[str, str]](), dict[tuple[str, str], str]()
    # Word → sense → its translations, in the order in which they are met.
    found: dict[str, dict[str, dict[str, None]]] = {}
    for item in items:
        key = (item.source_lemma, sense_of(item))
        counts[key] += 1
        groups.setdefault(key, item.rule)
        found.setdefault(key[0], {}).setdefault(key[1], {}).update(dict.fromkeys(item.expected))
    for item in items:
        word = item.source_lemma
        labels = {variant.form: variant.label for variant in item.variants if variant.label}
        for form in dict.fromkeys((*item.forbidden, *(variant.form for variant in item.variants))):
            name = labels.get(form) or known[word].get(form.lower(), OTHER)
            words = found[word].setdefault(name, {})
            if form and not counts[word, name]:
                words[form] = None
    return [
        SenseWord(
            word=word,
            senses=[
                SenseEntry(name=name, group=groups.get((word, name), ""), words=list(words), items=counts[word, name])
                for name, words in sorted(senses.items(), key=lambda one: (not counts[word, one[0]], one[0] == OTHER))
            ],
        )
        for word, senses in sorted(found.items())
    ]
