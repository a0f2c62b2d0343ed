"""Finds mentions in a document: noun heads, coordinations taken as one, and pronouns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.lexicon import Lexicon, Pronoun

NOMINAL = frozenset({"NOUN", "PROPN"})
# Inside a name or a compound: no mention of its own.
INNER = frozenset({"flat", "fixed", "goeswith", "compound"})
# Dependents that belong to a noun's own mention; clauses, appositions and conjuncts do not.
OWN = frozenset({"det", "amod", "nummod", "compound", "flat", "fixed", "goeswith", "nmod"})
INSIDE = OWN | {"case", "advmod"}
PREDICATES = frozenset({"VERB", "AUX", "ADJ"})


@dataclass(frozen=True, slots=True)
class Discourse:
    """A document's tokens in one row, with heads and sentences counted through the whole document.

    Attributes:
        first: document-wide index of each segment's first token.
        sentence: document-wide number of each token's sentence.
        head: document-wide index of each token's head; ``-1`` for a root.
        children: indices of each token's dependents, in order.
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
    """A noun or a pronoun that may be mentioned again.

    Attributes:
        index: document-wide index of the head token.
        tokens: document-wide indices of its tokens, in order.
        number: ``"Sing"``, ``"Plur"`` or empty if unknown.
        role: grammatical role of the head (``"subj"``, ``"obj"``, …).
        governor: document-wide index of the governing word; ``-1`` if there is none.
        coordinated: whether it is a whole coordination.
        proper: whether its head is a name.
        pronoun: what pronoun it is; ``None`` for a noun.
        person: whether it is a pronoun of a person.
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
        """The group of the pronoun; empty for a noun."""
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
                mentions.append(_mention(row, index, (index,), pronoun.number, pronoun=pronoun))
        elif token.upos == "PRON" and form in lexicon.persons:
            mentions.append(_mention(row, index, (index,), lexicon.persons[form], person=True))
        elif token.upos in NOMINAL and row.relation[index] not in INNER:
            mentions.extend(_nominals(row, index))
    for order, mention in enumerate(mentions):
        mention.order = order
    return mentions


def _stands_alone(row: Discourse, index: int) -> bool:
    """Tell whether a demonstrative is an argument, not a determiner, conjunction or relative pronoun."""
    token = row.tokens[index]
    return (
        token.upos == "PRON"
        and token.features.get("PronType", "Dem") == "Dem"
        and row.relation[index] not in {"det", "mark", "fixed", "advmod"}
    )


def _nominals(row: Discourse, index: int) -> list[Mention]:
    token = row.tokens[index]
    proper = token.upos == "PROPN"
    single = _mention(row, index, own_tokens(row, index), token.features.get("Number", ""), proper=proper)
    conjuncts = [
        child
        for child in row.children[index]
        if row.relation[child] == "conj" and row.tokens[child].upos in {"NOUN", "PROPN", "PRON", "NUM"}
    ]
    if not conjuncts or row.relation[index] == "conj":
        return [single]
    tokens = {item for head in (index, *conjuncts) for item in own_tokens(row, head)}
    tokens.update(child for head in conjuncts for child in row.children[head] if row.relation[child] == "cc")
    whole = _mention(row, index, tuple(sorted(tokens)), "Plur", coordinated=True, proper=proper)
    return [single, whole]


def own_tokens(row: Discourse, index: int) -> tuple[int, ...]:
    """Return the tokens of a noun's own mention: its modifiers, without clauses, appositions and conjuncts."""
    found = [index]
    stack = [child for child in row.children[index] if row.relation[child] in OWN]
    while stack:
        item = stack.pop()
        found.append(item)
        stack.extend(child for child in row.children[item] if row.relation[child] in INSIDE)
    return tuple(sorted(found))


def first_conjunct(row: Discourse, index: int) -> int:
    """Return the head of the coordination that a token stands in; the token itself if in none."""
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
    *,
    coordinated: bool = False,
    proper: bool = False,
    pronoun: Pronoun | None = None,
    person: bool = False,
) -> Mention:
    return Mention(
        index=index,
        tokens=tokens,
        segment=row.segment[index],
        sentence=row.sentence[index],
        number=number,
        role=role_of(row, index),
        governor=row.head[first_conjunct(row, index)],
        coordinated=coordinated,
        proper=proper,
        pronoun=pronoun,
        person=person,
    )
