"""What a rule file says for document-level metrics: discourse markers by sense, classes of pronouns and of verb forms.

BlonDe (Jiang et al. 2022, §4 and Table 6) counts them in a translation and in its reference. The paper has lists for
English; other languages name their markers, and take the classes of ``discourse.yaml``, which are read from features
of Universal Dependencies, unless they name their own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Literal, cast

from pydantic import Field, ValidationInfo, field_validator, model_validator
from ruamel.yaml import YAML

from endophora.languages.base import Features, Strict, Text, Words

Sense = Literal["comparison", "cause", "conjunction", "asynchronous", "synchronous"]
SENSES: tuple[Sense, ...] = ("comparison", "cause", "conjunction", "asynchronous", "synchronous")
"""The five senses of discourse markers, after the Penn Discourse Treebank (Table 6; names the right way round)."""


def both_apostrophes(words: Iterable[str]) -> list[str]:
    """Return words, and those with an apostrophe once more with the other one (*qu'*, *qu’*): texts have both."""
    return [form for word in words for form in dict.fromkeys((word, word.replace("'", "’")))]


class TokenClass(Strict):
    """A class of words; a word belongs to the first class of a list all of whose conditions it meets.

    What is empty holds for any word. Forms and lemmas are in lower case, and an apostrophe stands for either kind;
    ``xpos`` are the language's own tags; ``weight`` is what a word counts in its category.
    """

    label: Text
    forms: Words = frozenset()
    lemmas: Words = frozenset()
    upos: Words = frozenset()
    xpos: Words = frozenset()
    features: Features = {}
    weight: Annotated[float, Field(ge=0)] = 1.0
    source: str = ""

    @field_validator("forms")
    @classmethod
    def _apostrophes(cls, forms: Words) -> Words:
        return frozenset(both_apostrophes(forms))

    @model_validator(mode="after")
    def _some_condition(self) -> TokenClass:
        """Ask for some condition."""
        if not any((self.forms, self.lemmas, self.upos, self.xpos, self.features)):
            raise ValueError("give forms, lemmas, upos, xpos or features")
        return self


class Marker(Strict):
    """A discourse marker, lower case, its words one blank apart, whose first word must be a certain part of speech."""

    form: Text
    upos: Words


class MarkerEnding(Strict):
    """An ending, lower case, that makes its word a discourse marker: Korean *-지만* (but), Turkish *-ken* (while)."""

    ending: Text
    upos: Words

    def ends(self, form: str, upos: str) -> bool:
        """Return whether a word has the ending."""
        return upos in self.upos and form.endswith(self.ending) and form != self.ending


class MarkerSense(Strict):
    """The markers of one sense, and endings in languages that have them for conjunctions.

    Markers are in lower case, as written in a text. An apostrophe stands for either kind, and every marker is there
    once more with each proclitic of the language.
    """

    sense: Sense
    markers: tuple[Text | Marker, ...]
    endings: tuple[MarkerEnding, ...] = ()
    source: Text

    @field_validator("markers")
    @classmethod
    def _apostrophes(cls, markers: tuple[str | Marker, ...]) -> tuple[str | Marker, ...]:
        return _respelled(markers, lambda form: both_apostrophes([form]))

    def with_proclitics(self, proclitics: tuple[str, ...]) -> MarkerSense:
        """Return the sense with every marker also behind each of the proclitics."""
        beginnings = ("", *proclitics)
        markers = _respelled(self.markers, lambda form: [beginning + form for beginning in beginnings])
        return self.model_copy(update={"markers": markers})


def _respelled(markers: Iterable[str | Marker], spellings: Callable[[str], Iterable[str]]) -> tuple[str | Marker, ...]:
    """Return each marker in all of its spellings, none twice."""
    return tuple(
        dict.fromkeys(
            spelling if isinstance(marker, str) else marker.model_copy(update={"form": spelling})
            for marker in markers
            for spelling in spellings(marker if isinstance(marker, str) else marker.form)
        )
    )


class Classes(Strict):
    """A list of classes, in the order in which they are tried."""

    classes: tuple[TokenClass, ...]
    source: Text


class EntityTypes(Strict):
    """Which types of named entities count as persons, and which as other names."""

    person: Words
    other: Words
    source: Text


class DiscourseRules(Strict):
    """What document-level metrics count in a language.

    Attributes:
        proclitics: words that are written onto the next, so that a token may begin with them and be a marker all the
            same (Arabic *w-*, and).
        pronouns, tenses: classes of pronouns and of verb forms; ``None`` takes those of ``discourse.yaml``.
        comparable: what of this is comparable with English, and what is not.
    """

    proclitics: tuple[Text, ...] = ()
    markers: tuple[MarkerSense, ...]
    pronouns: Classes | None = None
    tenses: Classes | None = None
    comparable: str = ""

    @field_validator("markers")
    @classmethod
    def _proclitics(cls, markers: tuple[MarkerSense, ...], info: ValidationInfo) -> tuple[MarkerSense, ...]:
        proclitics = cast("tuple[str, ...]", info.data.get("proclitics", ()))
        return tuple(sense.with_proclitics(proclitics) for sense in markers) if proclitics else markers


class DiscourseDefaults(Strict):
    """What every language takes that names nothing else, from ``discourse.yaml``."""

    pronouns: Classes
    tenses: Classes
    entities: EntityTypes


@cache
def discourse_defaults() -> DiscourseDefaults:
    """Return the classes that hold for all languages, read once."""
    text = (files("endophora.languages") / "discourse.yaml").read_text(encoding="utf-8")
    tree: object = cast("Any", YAML(typ="safe", pure=True)).load(text)
    return DiscourseDefaults.model_validate_json(json.dumps(tree))
