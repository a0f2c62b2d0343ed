"""What a rule file says for document-level metrics: discourse markers by sense, classes of pronouns and of verb forms.

BlonDe (Jiang et al. 2022, §4 and Table 6) counts them in a translation and in its reference. The paper has lists for
English; other languages name their markers, and take the classes of ``discourse.yaml``, which are read from features
of Universal Dependencies, unless they name their own.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, cast

from pydantic import Field, model_validator
from ruamel.yaml import YAML

from endophora.languages.base import Features, Strict, Text, Words

Sense = Literal["comparison", "cause", "conjunction", "asynchronous", "synchronous"]
SENSES: tuple[Sense, ...] = ("comparison", "cause", "conjunction", "asynchronous", "synchronous")
"""The five senses of discourse markers, after the Penn Discourse Treebank (Table 6; names the right way round)."""


class TokenClass(Strict):
    """A class of words; a word belongs to the first class of a list all of whose conditions it meets.

    Attributes:
        label: name of the class.
        forms: its words, lower case; empty for any.
        lemmas: lemmas, lower case; empty for any.
        upos: universal parts of speech; empty for any.
        xpos: the language's own tags; empty for any.
        features: morphological features that the word must have.
        weight: what a word of the class counts in its category.
        source: where this is from; empty where the list says it.
    """

    label: Text
    forms: Words = frozenset()
    lemmas: Words = frozenset()
    upos: Words = frozenset()
    xpos: Words = frozenset()
    features: Features = {}
    weight: Annotated[float, Field(ge=0)] = 1.0
    source: str = ""

    @model_validator(mode="after")
    def _some_condition(self) -> TokenClass:
        """Ask for something that tells the word."""
        if not any((self.forms, self.lemmas, self.upos, self.xpos, self.features)):
            raise ValueError("give forms, lemmas, upos, xpos or features")
        return self


class Marker(Strict):
    """A discourse marker that counts only as a certain part of speech.

    Attributes:
        form: the marker, lower case, its words separated by one blank.
        upos: universal parts of speech that its first word must have.
    """

    form: Text
    upos: Words


class MarkerSense(Strict):
    """The markers of one sense.

    Attributes:
        sense: one of the five.
        markers: the markers, lower case, as they stand in a text.
        source: where they are from.
    """

    sense: Sense
    markers: tuple[Text | Marker, ...]
    source: Text


class Classes(Strict):
    """A list of classes, with its source.

    Attributes:
        classes: the classes, in the order in which they are tried.
        source: where this is from.
    """

    classes: tuple[TokenClass, ...]
    source: Text


class EntityTypes(Strict):
    """Which types of named entities count as persons, and which as other names.

    Attributes:
        person: types of persons.
        other: types of other names that count.
        source: where this is from.
    """

    person: Words
    other: Words
    source: Text


class DiscourseRules(Strict):
    """What document-level metrics count in a language.

    Attributes:
        markers: discourse markers by sense.
        pronouns: classes of pronouns; ``None`` takes those of ``discourse.yaml``.
        tenses: classes of verb forms; ``None`` takes those of ``discourse.yaml``.
        comparable: what of this is comparable with English, and what is not.
    """

    markers: tuple[MarkerSense, ...]
    pronouns: Classes | None = None
    tenses: Classes | None = None
    comparable: str = ""


class DiscourseDefaults(Strict):
    """What every language takes that names nothing of its own, from ``discourse.yaml``.

    Attributes:
        pronouns: classes of pronouns by person, number and gender.
        tenses: classes of verb forms by mood, tense and form.
        entities: types of named entities in the schemes of the annotators.
    """

    pronouns: Classes
    tenses: Classes
    entities: EntityTypes


@cache
def discourse_defaults() -> DiscourseDefaults:
    """Return the classes that hold for all languages, read once."""
    text = (files("endophora.languages") / "discourse.yaml").read_text(encoding="utf-8")
    tree: object = cast("Any", YAML(typ="safe", pure=True)).load(text)
    return DiscourseDefaults.model_validate_json(json.dumps(tree))
