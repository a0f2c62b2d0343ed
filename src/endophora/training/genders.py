"""A noun lexicon as a small table of endings, for :class:`~endophora.annotate.genders.NounGenders`.

``python -m endophora.training.genders RULES PIPELINE`` adds the table of a rule file's lexicon to a trained pipeline.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from endophora.annotate.genders import OPEN, WHOLE, NounGenders
from endophora.annotate.weights import load_pipeline, save_pipeline
from endophora.training.recipe import RECIPES
from endophora.training.silver import Noun, SilverRules, read_nouns

if TYPE_CHECKING:
    from spacy.language import Language

_LENGTHS = (2, 3, 4)
_FORMS = 40
_SHARE = 0.97
_SHORTEST = 4


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


def add_genders(nlp: Language, rules: SilverRules) -> None:
    """Add the component to a pipeline, with the table of the rules' lexicon.

    Raises:
        MissingModelError: the lexicon's package is not installed (E085).
    """
    if rules.lexicon:
        component = cast("NounGenders", nlp.add_pipe("endophora_genders", after="morphologizer"))
        component.table = endings(genders_of(read_nouns(rules.lexicon)))


def main(rules: str, pipeline: str) -> None:
    """Add the table to a pipeline on disk."""
    nlp = load_pipeline(Path(pipeline))
    add_genders(nlp, SilverRules.read(RECIPES / rules))
    save_pipeline(nlp, Path(pipeline))


if __name__ == "__main__":
    main(*sys.argv[1:3])
