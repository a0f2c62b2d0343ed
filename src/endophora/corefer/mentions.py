"""The words that the resolver knows by name, and the mentions of a document: nouns, coordinations and pronouns."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar, cast
from zipfile import BadZipFile

from endophora.annotate.records import NOUNS, AnnotatedText, Token
from endophora.errors import Fault, InputError, MissingModelError, first_line

Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Pronoun:
    """One anaphoric pronoun form; its features are shared under its group (``"them"`` for *them* and *'em*)."""

    group: str
    number: str
    kind: str


@dataclass(frozen=True, slots=True)
class Idiom:
    """A turn of phrase in which a pronoun stands for nothing, ``_`` in its text (``"worth _"``).

    ``words`` are pairs of a place, counted from the pronoun, and the lemmas or forms that may stand there, none for the
    end of a clause.
    """

    text: str
    words: tuple[tuple[int, frozenset[str]], ...]


def read_idiom(text: str) -> Idiom:
    """Return an idiom from its text: words around ``_``, alternatives parted by ``|``, ``.`` for a clause's end."""
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
        cues: word class (``"weather"``, ``"raising"``, …) → its lemmas, as cues of non-referential use.
        words: word list (``"collective"``, ``"definite"``, …) → its lemmas.
    """

    language: str
    pronouns: Mapping[str, Pronoun]
    persons: Mapping[str, str]
    expletive_groups: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    words: Mapping[str, frozenset[str]]
    idioms: tuple[Idiom, ...] = ()


_DAMAGED = (OSError, ValueError, LookupError, TypeError, RuntimeError, EOFError, BadZipFile, zlib.error)
"""What reading a damaged file can raise."""


def shipped(name: str, read: Callable[[bytes], Read]) -> Read | None:
    """Return what a file says that ships with this room, or ``None`` if there is none of that name (E061, damaged)."""
    file = files("endophora.corefer") / "data" / name
    if not file.is_file():
        return None
    try:
        return read(file.read_bytes())
    except _DAMAGED as error:
        cause = f"a file of the resolver is damaged ({first_line(error)})"
        raise MissingModelError(Fault("E061", cause, "install endophora again", str(file))) from error


def read_data(name: str) -> dict[str, Any] | None:
    """Return a JSON object that ships with this room, or ``None`` if there is none of that name (E061, damaged)."""
    return cast("dict[str, Any] | None", shipped(name, json.loads))


@cache
def load_lexicon(language: str) -> Lexicon:
    """Return the lexicon of a language; E060 if there is none."""
    data = read_data(f"{language}.json")
    if data is None:
        cause = f"no pronoun lexicon for the language “{language}”"
        advice = "this resolver knows English only (en): --resolver salience"
        raise InputError(Fault("E060", cause, advice))
    words = {name: frozenset(some) for name, some in data["words"].items()}
    cues = {name: frozenset(some) for name, some in data["expletive"].items()}
    groups = cues.pop("classes")
    pronouns = {form: Pronoun(one["class"], one["number"], one["kind"]) for form, one in data["pronouns"].items()}
    idioms = tuple(map(read_idiom, data.get("idioms", ())))
    return Lexicon(language, pronouns, data["persons"], groups, cues, words, idioms)


UNKNOWN = "?"


@dataclass(frozen=True, slots=True)
class NounTypes:
    """Entity types of nouns.

    Attributes:
        lemmas: lemma → its usual type.
        endings: last letters of a lemma → the usual type of lemmas that end so.
        labels: label of a named entity (``"PERSON"``) → type.
        slots: ``"lemma role"`` of a governor → type → log-odds that the slot is filled by that type.
    """

    lemmas: Mapping[str, str]
    endings: Mapping[str, str]
    labels: Mapping[str, str]
    slots: Mapping[str, Mapping[str, float]]

    def of(self, lemma: str, label: str = "") -> str:
        """Return the type of a noun by its named-entity label, its lemma, or its ending; ``"?"`` if none is known."""
        if label in self.labels:
            return self.labels[label]
        if lemma in self.lemmas:
            return self.lemmas[lemma]
        return next((self.endings[lemma[-n:]] for n in (4, 3) if lemma[-n:] in self.endings), UNKNOWN)

    def preference(self, slot: str, kind: str) -> float:
        """Return how much a slot likes a type, as log-odds against the type's share; 0 if nothing is known."""
        return self.slots.get(slot, {}).get(kind, 0.0)


# Inside a name or a compound: no mention by itself.
_INNER = frozenset({"flat", "fixed", "goeswith", "compound"})
# Dependents that belong to a noun's own mention; clauses, appositions and conjuncts do not.
_OWN = frozenset({"det", "amod", "nummod", "compound", "flat", "fixed", "goeswith", "nmod"})
_INSIDE = _OWN | {"case", "advmod"}


@dataclass(frozen=True, slots=True)
class Discourse:
    """A document's tokens in one row, with heads (``-1`` for a root) and sentences counted through the whole document.

    ``first`` is the index of each segment's first token, ``relation`` that of Universal Dependencies without subtype.
    """

    tokens: list[Token]
    segment: list[int]
    first: list[int]
    sentence: list[int]
    head: list[int]
    relation: list[str]
    children: list[list[int]]

    def lemma(self, index: int) -> str:
        """Return the lower-case lemma of a token; empty for ``-1``."""
        return self.tokens[index].lemma.lower() if index >= 0 else ""


def read_discourse(texts: Sequence[AnnotatedText]) -> Discourse:
    """Put a document's segments in one row."""
    row = Discourse([], [], [], [], [], [], [])
    sentence = -1
    for number, text in enumerate(texts):
        offset = len(row.tokens)
        row.first.append(offset)
        starts = frozenset(text.sentences) | {0}
        for index, token in enumerate(text.tokens):
            sentence += index in starts
            row.tokens.append(token)
            row.segment.append(number)
            row.sentence.append(sentence)
            row.head.append(token.head + offset if token.head >= 0 else -1)
            row.relation.append(token.relation.partition(":")[0])
            row.children.append([])
    for index, head in enumerate(row.head):
        if head >= 0:
            row.children[head].append(index)
    return row


@dataclass(slots=True, eq=False)
class Mention:
    """A noun or a pronoun that may be mentioned again; all its indices are document-wide.

    Attributes:
        index: of the head token.
        number: ``"Sing"``, ``"Plur"`` or empty if unknown.
        role: grammatical role of the head (``"subj"``, ``"obj"``, …).
        governor: the governing word; ``-1`` if there is none.
        coordinated: whether it is a whole coordination.
        person: whether it is a pronoun of a person.
        order: its rank among the document's mentions.
    """

    index: int
    tokens: tuple[int, ...]
    segment: int
    sentence: int
    number: str
    role: str
    governor: int
    coordinated: bool = False
    proper: bool = False
    pronoun: Pronoun | None = None
    person: bool = False
    order: int = -1

    @property
    def group(self) -> str:
        """The group of the pronoun, as its kind; empty for a noun."""
        return self.pronoun.group if self.pronoun is not None else ""

    @property
    def kind(self) -> str:
        """The kind of the pronoun; empty for a noun."""
        return self.pronoun.kind if self.pronoun is not None else ""

    @property
    def nominal(self) -> bool:
        """Whether it is a noun, so that it can be an antecedent."""
        return self.pronoun is None and not self.person


def find_mentions(row: Discourse, lexicon: Lexicon) -> list[Mention]:
    """Return a document's mentions in the order of their heads; a coordination follows its first conjunct."""
    mentions: list[Mention] = []
    for index, token in enumerate(row.tokens):
        form = token.form.lower()
        if token.upos in {"PRON", "DET"} and form in lexicon.pronouns:
            pronoun = lexicon.pronouns[form]
            if pronoun.kind != "demonstrative" or _stands_alone(row, index):
                mentions.append(_mention(row, index, (index,), pronoun.number, pronoun))
        elif token.upos == "PRON" and form in lexicon.persons:
            mentions.append(_mention(row, index, (index,), lexicon.persons[form], person=True))
        elif token.upos in NOUNS and row.relation[index] not in _INNER:
            mentions.extend(_nominals(row, index))
    for order, mention in enumerate(mentions):
        mention.order = order
    return mentions


def _stands_alone(row: Discourse, index: int) -> bool:
    """Return whether a demonstrative is an argument, not a determiner, conjunction or relative pronoun."""
    token = row.tokens[index]
    return (
        token.upos == "PRON"
        and token.features.get("PronType", "Dem") == "Dem"
        and row.relation[index] not in {"det", "mark", "fixed", "advmod"}
    )


def _nominals(row: Discourse, index: int) -> list[Mention]:
    single = _mention(row, index, own_tokens(row, index), row.tokens[index].features.get("Number", ""))
    conjuncts = [
        child
        for child in row.children[index]
        if row.relation[child] == "conj" and row.tokens[child].upos in {"NOUN", "PROPN", "PRON", "NUM"}
    ]
    if not conjuncts or row.relation[index] == "conj":
        return [single]
    tokens = {item for head in (index, *conjuncts) for item in own_tokens(row, head)}
    tokens.update(child for head in conjuncts for child in row.children[head] if row.relation[child] == "cc")
    whole = _mention(row, index, tuple(sorted(tokens)), "Plur", coordinated=True)
    return [single, whole]


def own_tokens(row: Discourse, index: int) -> tuple[int, ...]:
    """Return the tokens of a noun's own mention: its modifiers, without clauses, appositions and conjuncts."""
    found = [index]
    stack = [child for child in row.children[index] if row.relation[child] in _OWN]
    while stack:
        item = stack.pop()
        found.append(item)
        stack.extend(child for child in row.children[item] if row.relation[child] in _INSIDE)
    return tuple(sorted(found))


def first_conjunct(row: Discourse, index: int) -> int:
    """Return the head of the coordination that a token is in; the token itself if in none."""
    for _ in range(len(row.tokens)):
        if row.relation[index] != "conj" or row.head[index] < 0:
            break
        index = row.head[index]
    return index


def role_of(row: Discourse, index: int) -> str:
    """Return the grammatical role of a word, that of the first conjunct in a coordination."""
    index = first_conjunct(row, index)
    relation = row.tokens[index].relation
    if relation.startswith(("nsubj", "csubj")):
        return "pass" if relation.endswith(":pass") else "subj"
    if relation == "nmod:poss":
        return "poss"
    base = row.relation[index]
    return base if base in {"obj", "iobj", "obl", "nmod", "appos", "root", "expl", "xcomp"} else "other"


def _mention(
    row: Discourse,
    index: int,
    tokens: tuple[int, ...],
    number: str,
    pronoun: Pronoun | None = None,
    *,
    coordinated: bool = False,
    person: bool = False,
) -> Mention:
    place = row.segment[index], row.sentence[index]
    role, governor = role_of(row, index), row.head[first_conjunct(row, index)]
    proper = row.tokens[index].upos == "PROPN"
    return Mention(index, tokens, *place, number, role, governor, coordinated, proper, pronoun, person)
