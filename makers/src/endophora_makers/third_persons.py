"""How much rather an English form in -s is a verb than its sentence alone lets the network think.

A treebank of half a million words has few third persons: *consists* is a plural noun to a network that has met it nine
times. A dictionary says how much of a word is verb: the senses of Wiktionary under ``{v}`` and ``{n}``. By their ratio
forms are put into classes, and the morphologizer adds to VERB what the class is worth (``recipes/third-persons.yaml``).

``python -m endophora_makers.third_persons TREEBANKS PIPELINE`` adds the classes to a trained English pipeline.
"""

from __future__ import annotations

import math
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.annotate.agreement import POS, Agreement
from endophora.annotate.annotator import parse_features
from endophora.annotate.forms import WORD, FormClasses
from endophora.annotate.weights import load_pipeline, save_pipeline
from endophora.record import Fixed
from endophora_makers.agreement import agreeing
from endophora_makers.recipe import RECIPES, load_recipe
from endophora_makers.tables import Endings, glossary_lines, inflected
from endophora_makers.treebanks import read_source, words_of

if TYPE_CHECKING:
    from spacy.language import Language

    from endophora_makers.conllu import Word

_ENTRY = re.compile(r"([a-z][a-z'-]*) \{(v|n)\}")
_FILE = "third-persons.yaml"
_KINDS = ("VERB", "NOUN")


class ThirdPersons(Fixed):
    """How the classes are made.

    Attributes:
        glossaries: English dictionaries, by a path from the treebanks.
        endings: how a word takes its -s; ``nouns`` are plurals beside these.
        at_even, by_ratio: what a form is worth whose words have as many senses as verb and as noun, and how much more
            for each natural logarithm of their ratio; under ``least`` it is not listed, ``most`` is the most.
        other: the greatest share of a form's occurrences in the treebanks that may be neither verb nor noun.
    """

    glossaries: tuple[str, ...]
    endings: tuple[Endings, ...]
    nouns: tuple[Endings, ...]
    at_even: float
    by_ratio: float
    least: float
    most: float
    other: float

    @classmethod
    def read(cls) -> ThirdPersons:
        """Read the recipe."""
        return cls.model_validate(cast("Any", YAML(typ="safe")).load((RECIPES / _FILE).read_text("utf-8")))

    def senses(self, treebanks: Path) -> Mapping[str, Counter[str]]:
        """Count the senses of forms in -s, as verbs (``v``) and as nouns (``n``)."""
        words: dict[str, Counter[str]] = {"v": Counter(), "n": Counter()}
        for name in self.glossaries:
            for entry in filter(None, map(_ENTRY.match, glossary_lines(treebanks / name))):
                words[entry[2]][entry[1]] += 1
        found: dict[str, Counter[str]] = {"v": Counter(), "n": Counter()}
        for kind, counts in words.items():
            for word, count in counts.items():
                rules = (self.endings, self.nouns) if kind == "n" else (self.endings,)
                for form in {form for each in rules for form, _ in inflected(word, each)}:
                    found[kind][form] += count
        return found

    def worth(self, senses: Mapping[str, Counter[str]], left_out: Collection[str] = ()) -> dict[str, int]:
        """Return what each form is worth as a verb, in whole numbers."""
        values = {
            form: self.at_even + self.by_ratio * math.log((count + 0.5) / (senses["n"][form] + 0.5))
            for form, count in senses["v"].items()
            if form not in left_out
        }
        return {form: round(min(value, self.most)) for form, value in values.items() if value >= self.least}

    def unlike(self, words: Iterable[Word]) -> set[str]:
        """Return the forms that treebanks have as other words: auxiliaries, *besides*, *always*."""
        total, other = Counter[str](), Counter[str]()
        for word in words:
            total[word.form.lower()] += 1
            other[word.form.lower()] += word.upos not in _KINDS
        return {form for form, count in other.items() if count > self.other * total[form]}


def add_third_persons(nlp: Language, worth: Mapping[str, int]) -> None:
    """Let the morphologizer of a pipeline hear what forms are worth."""
    component = agreeing(nlp)
    names = {parse_features(label).get(POS, "") for label in component.labels}
    component.forms = FormClasses.of({WORD + form: str(value) for form, value in worth.items()})
    table = {
        f"l|{value}": {name: float(value) * (name == _KINDS[0]) for name in sorted(names)}
        for value in sorted(set(worth.values()))
    }
    component.rules = Agreement(forms=table, form_weight=1.0)


def main(treebanks: str, pipeline: str) -> None:
    """Add the classes to an English pipeline on disk."""
    recipe, base = ThirdPersons.read(), Path(treebanks)
    words = words_of(sentence for source in load_recipe("en").sources for sentence in read_source(source, base))
    nlp = load_pipeline(Path(pipeline))
    add_third_persons(nlp, recipe.worth(recipe.senses(base), recipe.unlike(words)))
    save_pipeline(nlp, Path(pipeline))


if __name__ == "__main__":
    main(*sys.argv[1:3])
