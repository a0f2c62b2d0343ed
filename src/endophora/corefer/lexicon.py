"""The words that a resolver knows by name: read from data files, one a language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, cast

from endophora.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class Pronoun:
    """One anaphoric pronoun form.

    Attributes:
        group: the name under which its features are shared (``"them"`` for *them* and *'em*).
    """

    group: str
    number: str
    kind: str


@dataclass(frozen=True, slots=True)
class Idiom:
    """A turn of phrase in which a pronoun stands for nothing.

    Attributes:
        text: as it is written in the data, ``_`` for the pronoun (``"worth _"``).
        words: (place from the pronoun, lemmas or forms that may stand there); none for the end of a clause.
    """

    text: str
    words: tuple[tuple[int, frozenset[str]], ...]


def read_idiom(text: str) -> Idiom:
    """Return an idiom from its text: words beside ``_``, alternatives parted by ``|``, ``.`` for a clause's end.

    Raises:
        ValueError: it has no pronoun.
    """
    words = text.split()
    pronoun = words.index("_")
    pairs = ((i - pronoun, frozenset(() if w == "." else w.split("|"))) for i, w in enumerate(words) if i != pronoun)
    return Idiom(text, tuple(pairs))


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of one language that the resolver treats by name.

    Attributes:
        pronouns: lower-case form → what it is.
        persons: pronouns of persons, which are mentions but are not resolved: form → number.
        expletive_groups: pronoun groups that may be non-referential.
        cues: name of a word class (``"weather"``, ``"raising"``, …) → its lemmas, as cues of non-referential use.
        words: name of a word list (``"collective"``, ``"definite"``, …) → its lemmas.
        idioms: turns of phrase with a non-referential pronoun.
    """

    language: str
    pronouns: Mapping[str, Pronoun]
    persons: Mapping[str, str]
    expletive_groups: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    words: Mapping[str, frozenset[str]]
    idioms: tuple[Idiom, ...] = ()


def read_data(name: str) -> dict[str, Any] | None:
    """Return a JSON object that ships with this room, or ``None`` if there is none of that name."""
    file = files("endophora.corefer") / "data" / name
    if not file.is_file():
        return None
    return cast("dict[str, Any]", json.loads(file.read_text(encoding="utf-8")))


@cache
def load_lexicon(language: str) -> Lexicon:
    """Return the lexicon of a language.

    Raises:
        InputError: there is none (E060).
    """
    data = read_data(f"{language}.json")
    if data is None:
        raise InputError(
            Fault("E060", f"no pronoun lexicon for the language “{language}”", "the resolver knows English only (en)")
        )
    expletive = data["expletive"]
    return Lexicon(
        language=language,
        pronouns={
            form: Pronoun(entry["class"], entry["number"], entry["kind"]) for form, entry in data["pronouns"].items()
        },
        persons=data["persons"],
        expletive_groups=frozenset(expletive["classes"]),
        cues={name: frozenset(words) for name, words in expletive.items() if name != "classes"},
        words={name: frozenset(words) for name, words in data["words"].items()},
        idioms=tuple(read_idiom(text) for text in data.get("idioms", ())),
    )
