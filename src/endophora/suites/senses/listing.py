"""The words of a suite, each with its senses and their translations, as results list them."""

from __future__ import annotations

from collections.abc import Sequence

from endophora.suites.records import Item
from endophora.suites.senses.result import SenseEntry, SenseWord
from endophora.suites.senses.words import OTHER, sense_of, senses_of_words


class _Sense:
    """A sense while items are gone through."""

    def __init__(self) -> None:
        self.group = ""
        self.words: dict[str, None] = {}
        self.items = 0


def list_words(items: Sequence[Item]) -> list[SenseWord]:
    """Return the ambiguous words by alphabet, with their senses in the order of the suite.

    After these stand the senses that only wrong translations have, and, as :data:`OTHER`, the wrong words of no known
    sense.

    Args:
        items: of the suite.
    """
    known = senses_of_words(items)
    found: dict[str, dict[str, _Sense]] = {}
    for item in items:
        sense = found.setdefault(item.source_lemma, {}).setdefault(sense_of(item), _Sense())
        sense.group = sense.group or item.rule
        sense.items += 1
        sense.words.update(dict.fromkeys(item.expected))
    for item in items:
        labels = {variant.form: variant.label for variant in item.variants if variant.label}
        for word in dict.fromkeys((*item.forbidden, *(variant.form for variant in item.variants))):
            name = labels.get(word) or known[item.source_lemma].get(word.lower(), OTHER)
            sense = found[item.source_lemma].setdefault(name, _Sense())
            if word and not sense.items:
                sense.words[word] = None
    return [SenseWord(word=word, senses=_entries(senses)) for word, senses in sorted(found.items())]


def _entries(senses: dict[str, _Sense]) -> list[SenseEntry]:
    ordered = sorted(senses.items(), key=lambda pair: (not pair[1].items, pair[0] == OTHER))
    return [
        SenseEntry(name=name, group=sense.group, words=list(sense.words), items=sense.items) for name, sense in ordered
    ]
