"""Other dependency schemes in terms of Universal Dependencies: tables in ``labels.yaml``, and what applies them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML

from endophora.annotate.records import AnnotatedText, Token
from endophora.record import Fixed

_FILE = Path(__file__).with_suffix(".yaml")


class LabelCondition(Fixed):
    """What a word and its head must be like; what is empty is not asked. ``labels.yaml`` says what the fields mean."""

    child: frozenset[str] = frozenset()
    upos: frozenset[str] = frozenset()
    features: dict[str, str] = {}
    lemmas: frozenset[str] = frozenset()
    head_relation: frozenset[str] = frozenset()
    head_upos: frozenset[str] = frozenset()
    head_lemmas: frozenset[str] = frozenset()
    has: frozenset[str] = frozenset()
    head_has: frozenset[str] = frozenset()
    head_lacks: frozenset[str] = frozenset()


class Lift(LabelCondition):
    """A function word that heads its content word: the two change places."""

    becomes: str


class Alternative(LabelCondition):
    """What a label becomes under a condition."""

    to: str


class Scheme(Fixed):
    """A dependency scheme, known by labels all of which a parser of it has.

    ``lift`` are function words that change places with their content words, in this order; ``forward`` is relation →
    relation of the next sister that such a word is hung on; chains of ``flatten`` are hung on their first word.
    """

    source: str
    known_by: frozenset[str]
    lift: tuple[Lift, ...] = ()
    forward: dict[str, str] = {}
    flatten: frozenset[str] = frozenset()
    relations: dict[str, str | tuple[Alternative, ...]]


@lru_cache(maxsize=1)
def schemes() -> dict[str, Scheme]:
    """Return the schemes by name."""
    data = cast("dict[str, Any]", cast("Any", YAML(typ="safe")).load(_FILE.read_text("utf-8")))
    return {name: Scheme.model_validate(entry) for name, entry in data.items()}


def find_scheme(labels: Collection[str]) -> str | None:
    """Return the name of the scheme of a parser that has these labels; nothing for Universal Dependencies."""
    return next((name for name, scheme in schemes().items() if scheme.known_by <= set(labels)), None)


def table_version() -> str:
    """Return a short hash of the tables, for signatures."""
    return hashlib.blake2b(_FILE.read_bytes(), digest_size=3).hexdigest()


@dataclass(slots=True)
class _Tree:
    """A text's tokens with heads and relations that can be changed."""

    tokens: tuple[Token, ...]
    heads: list[int]
    relations: list[str]

    def children(self, index: int) -> list[int]:
        """Return the dependents of a word."""
        return [child for child, head in enumerate(self.heads) if head == index]

    def depth(self, index: int) -> int:
        """Return how many heads a word has above it."""
        steps = 0
        while (index := self.heads[index]) >= 0:
            steps += 1
        return steps

    def holds(self, condition: LabelCondition, index: int) -> bool:
        """Return whether a word fulfils a condition."""
        token, head = self.tokens[index], self.heads[index]
        above = self.tokens[head] if head >= 0 else None
        asked: Iterable[tuple[Collection[str], str]] = (
            (condition.child, self.relations[index]),
            (condition.upos, token.upos),
            (condition.lemmas, token.lemma.lower()),
            (condition.head_relation, self.relations[head] if above else ""),
            (condition.head_upos, above.upos if above else ""),
            (condition.head_lemmas, above.lemma.lower() if above else ""),
        )
        if any(wanted and value not in wanted for wanted, value in asked):
            return False
        if any(token.features.get(name) != value for name, value in condition.features.items()):
            return False
        own = {self.relations[child] for child in self.children(index)} if condition.has else set[str]()
        sisters = condition.head_has or condition.head_lacks
        beside = {self.relations[child] for child in self.children(head)} if sisters and above else set[str]()
        return (
            (not condition.has or bool(condition.has & own))
            and (not condition.head_has or bool(condition.head_has & beside))
            and not condition.head_lacks & beside
        )


def to_universal(text: AnnotatedText, scheme: Scheme) -> AnnotatedText:
    """Return a text, annotated in a scheme (in lower case), with the heads and relations of Universal Dependencies."""
    tree = _Tree(text.tokens, [token.head for token in text.tokens], [token.relation for token in text.tokens])
    for rule in scheme.lift:
        _lift(tree, rule)
    for relation, onto in scheme.forward.items():
        _forward(tree, relation, onto)
    _flatten(tree, scheme.flatten)
    names = {label.lower(): value for label, value in scheme.relations.items()}
    # In two rounds: alternatives may ask for relations that a first round gives (a passive's auxiliary).
    values = [names.get(relation, relation) for relation in tree.relations]
    tree.relations = [
        value if isinstance(value, str) else relation for value, relation in zip(values, tree.relations, strict=True)
    ]
    tree.relations = [
        relation
        if isinstance(value, str)
        else next((choice.to for choice in value if tree.holds(choice, index)), relation)
        for index, (value, relation) in enumerate(zip(values, tree.relations, strict=True))
    ]
    tokens = tuple(
        token._replace(head=head, relation="root" if head < 0 and relation else relation)
        for token, head, relation in zip(text.tokens, tree.heads, tree.relations, strict=True)
    )
    return replace(text, tokens=tokens)


def _lift(tree: _Tree, rule: Lift) -> None:
    """Let content words change places with their function words, the deepest first."""
    if not rule.child & set(tree.relations):
        return
    order = sorted(range(len(tree.tokens)), key=tree.depth, reverse=True)
    for head in order:
        found = [child for child in tree.children(head) if tree.holds(rule, child)]
        if not found:
            continue
        child = next((index for index in found if tree.tokens[index].upos in ("NOUN", "PROPN", "VERB")), found[0])
        for sister in tree.children(head):
            tree.heads[sister] = child
        tree.heads[child], tree.heads[head] = tree.heads[head], child
        tree.relations[child], tree.relations[head] = tree.relations[head], rule.becomes


def _forward(tree: _Tree, relation: str, onto: str) -> None:
    for index, head in enumerate(tree.heads):
        if tree.relations[index] == relation and head >= 0:
            after = [sister for sister in tree.children(head) if sister > index and tree.relations[sister] == onto]
            tree.heads[index] = after[0] if after else head


def _flatten(tree: _Tree, relations: Collection[str]) -> None:
    for index in range(len(tree.heads)):
        while tree.relations[index] in relations and tree.relations[tree.heads[index]] in relations:
            tree.heads[index] = tree.heads[tree.heads[index]]
