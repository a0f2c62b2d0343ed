"""A noun lexicon as a small table of endings, for :class:`~endophora.annotate.components.NounGenders`.

``python -m endophora_makers.genders LANGUAGE TREEBANKS PIPELINE`` adds the table of the lexicon that the language's
recipe names to a trained pipeline: that of a rule file, or a glossary with what the treebanks say.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.annotate.annotator import parse_features
from endophora.annotate.components import OPEN, WHOLE, NounGenders
from endophora.annotate.weights import load_pipeline, save_pipeline
from endophora.record import Fixed
from endophora_makers.conllu import Word
from endophora_makers.label_mapping import harmonised
from endophora_makers.recipe import RECIPES, Recipe, load_recipe
from endophora_makers.silver import Noun, SilverRules, read_nouns
from endophora_makers.tables import Glossary
from endophora_makers.treebanks import keys, read_source, without_leaks

if TYPE_CHECKING:
    from spacy.language import Language

_LENGTHS = (2, 3, 4)
_FORMS = 40
_SHARE = 0.97
_SHORTEST = 4


class GenderSource(Fixed):
    """A recipe of genders that are not a rule file's, ``recipes/genders-<language>.yaml``.

    Attributes:
        glossary: nouns; the tags of its endings are genders.
    """

    glossary: Glossary

    @classmethod
    def read(cls, path: Path) -> GenderSource:
        """Read a recipe."""
        return cls.model_validate(cast("Any", YAML(typ="safe")).load(path.read_text("utf-8")))

    def genders(self, base: Path, words: Iterable[Word]) -> dict[str, str]:
        """Return the gender of each noun form in lower case; ``?`` for forms of several.

        Args:
            words: words of the treebanks, which count for more than the glossary.

        Raises:
            InputError: the glossary cannot be read (E081).
        """
        listed: dict[str, set[str]] = defaultdict(set)
        for form, _, gender in self.glossary.read(base):
            listed[form].update([gender] if gender else [])
        seen: dict[str, set[str]] = defaultdict(set)
        known = {gender for each in listed.values() for gender in each}
        for word in words:
            gender = parse_features(word.features).get("Gender")
            if word.upos == "NOUN" and gender in known:
                seen[word.form.lower()].add(gender)
        return {form: next(iter(each)) if len(each) == 1 else OPEN for form, each in (listed | seen).items() if each}


def genders_of(nouns: Mapping[str, Noun]) -> dict[str, str]:
    """Return the gender of each noun form in lower case; ``?`` for forms of several."""
    common = {form: noun for form, noun in nouns.items() if form.isalpha() and "NOUN" in (noun.upos or {"NOUN"})}
    return {form.lower(): noun.genders[0] if len(noun.genders) == 1 else OPEN for form, noun in common.items()}


def endings(genders: Mapping[str, str]) -> dict[str, str]:
    """Return the fewest endings found that give all forms their gender.

    First the endings that many forms share and that nearly all of these have one gender for; then, from the shortest
    on, each form that the entries so far get wrong. An entry of four letters or more also decides compounds.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for form, gender in genders.items():
        for length in _LENGTHS:
            if len(form) > length:
                counts[form[-length:]][gender] += 1
    maker = NounGenders()
    table: dict[str, str] = {}
    maker.table = table
    for ending, count in sorted(counts.items(), key=lambda item: (len(item[0]), item[0])):
        gender, number = count.most_common(1)[0]
        total = sum(count.values())
        if total >= _FORMS and number >= _SHARE * total and gender != OPEN and maker.find(ending) != gender:
            table[ending] = gender
    for form in sorted(genders, key=lambda form: (len(form), form)):
        if (maker.find(form) or OPEN) != genders[form]:
            table[form if len(form) >= _SHORTEST else WHOLE + form] = genders[form]
    return table


def add_genders(nlp: Language, plan: Recipe, treebanks: Path) -> None:
    """Add the component to a pipeline, with the table of the lexicon that its recipe names.

    Raises:
        MissingModelError: the lexicon's package is not installed (E085).
        InputError: an archive cannot be read (E081).
    """
    path = RECIPES / plan.genders
    if path.name.startswith("genders-"):
        found = GenderSource.read(path).genders(treebanks, _words(plan, treebanks))
    else:
        lexicon = SilverRules.read(path).lexicon
        found = genders_of(read_nouns(lexicon)) if lexicon else {}
    if found:
        component = cast("NounGenders", nlp.add_pipe("endophora_genders", after="morphologizer"))
        component.table = endings(found)


def _words(plan: Recipe, treebanks: Path) -> Iterable[Word]:
    """Yield the words of the treebanks, of today and older, without their tests."""
    kept_out = keys(s for source in (*plan.development, *plan.tests) for s in read_source(source, treebanks))
    for source in (each for each in plan.sources if each.convert in ("ud", "relabel")):
        for sentence in without_leaks(read_source(source, treebanks), kept_out):
            yield from (harmonised(sentence, plan.harmonise[source.harmonise]) if source.harmonise else sentence).words


def main(language: str, treebanks: str, pipeline: str) -> None:
    """Add the table to a pipeline on disk."""
    nlp = load_pipeline(Path(pipeline))
    add_genders(nlp, load_recipe(language), Path(treebanks))
    save_pipeline(nlp, Path(pipeline))


if __name__ == "__main__":
    main(*sys.argv[1:4])
