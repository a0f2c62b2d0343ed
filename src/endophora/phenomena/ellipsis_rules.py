"""The words by which ellipsis is found, read from one YAML file a language."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict
from ruamel.yaml import YAML

from endophora.errors import Fault, InputError

_DATA = files("endophora.phenomena") / "data"


def _phrases(values: list[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(value.split()) for value in values)


Words = frozenset[str]
Phrases = Annotated[frozenset[tuple[str, ...]], BeforeValidator(_phrases)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Auxiliaries(_Model):
    """Forms of the auxiliary verbs, contracted ones left out: they cannot be stranded."""

    modal: Words
    do: Words
    have: Words
    be: Words


class Infinitive(_Model):
    """The particle of the infinitive, and lemmas of the words after which it can be left alone."""

    particle: str
    licensing: Words


class Sluicing(_Model):
    """Question words, what may follow them, and lemmas of the words that take a question."""

    words: Words
    tails: Words
    licensing: Words
    fixed: Phrases
    alone: Words


class Gapping(_Model):
    """Words that join clauses, and pronouns that can only be subjects."""

    coordinators: Words
    contrasts: Words
    subjects: Words
    longest: int


class Fragment(_Model):
    """Answers and afterthoughts without a verb."""

    longest: int
    causes: Words
    replies: Words
    opening: Words
    interjections: Words
    formulas: Phrases


class EllipsisRules(_Model):
    """All words of a language; the file says what each list is for.

    Attributes:
        hash: of the file's bytes, for signatures.
    """

    language: str
    auxiliaries: Auxiliaries
    negation: Words
    closing: Words
    pro_forms: Words
    expletives: Words
    doubtful: Words
    inverters: Words
    comparative: Words
    time_comparison: Words
    imagined: Words
    fronting: Words
    predicate_words: Words
    extracted: Words
    fixed_verb_phrases: Phrases
    infinitive: Infinitive
    possessives: Words
    quantifiers: Words
    generic_quantifiers: Words
    generic_verbs: Words
    ordinals: Words
    dates: Words
    adjectives: Words
    determiners: Words
    adverbial_before: Words
    time_prepositions: Words
    completing: Words
    fixed_noun_phrases: Phrases
    measures: Words
    other_numerals: Words
    floating: Words
    genitive: Words
    place_prepositions: Words
    question_words: Words
    sluicing: Sluicing
    gapping: Gapping
    fragment: Fragment
    hash: str


@lru_cache(maxsize=8)
def load_ellipsis_rules(language: str) -> EllipsisRules:
    """Return the ellipsis rules of a language.

    Raises:
        InputError: there are none (E066).
    """
    path = _DATA / f"ellipsis.{language}.yaml"
    if not path.is_file():
        advice = "leave the phenomenon out by naming others with --phenomenon; none gives text metrics alone"
        raise InputError(Fault("E066", f"no rules for ellipsis in “{language}”", advice))
    data = path.read_bytes()
    loaded = cast("Any", YAML(typ="safe", pure=True)).load(data)
    return EllipsisRules.model_validate({**loaded, "hash": hashlib.blake2b(data, digest_size=4).hexdigest()})
