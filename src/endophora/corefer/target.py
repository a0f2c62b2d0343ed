"""The target side as evidence: what a translation tells of a pronoun's antecedent.

A translator who writes French *elle* for *it* has chosen a feminine noun. The evidence is computed from Universal
Dependencies features of linked words, so it knows no language.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import Any

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.lexicon import read_data
from endophora.corefer.mentions import NOMINAL, Discourse, Mention

PRONOMINAL = frozenset({"PRON", "DET"})
AGREEMENT = ("Gender", "Number")
VERBAL = frozenset({"VERB", "AUX", "ADJ", "NOUN"})
SUBJECTS, OBJECTS = frozenset({"nsubj", "expl"}), frozenset({"obj", "iobj", "obl"})
BESIDE = 0.6


@dataclass(frozen=True, slots=True)
class Linked:
    """A target token that a source word is linked to, and how surely.

    Attributes:
        token: the token.
        text: the text it stands in.
        confidence: of the link, between 0 and 1.
    """

    token: Token
    text: AnnotatedText
    confidence: float

    @property
    def head(self) -> Token | None:
        """The token's head."""
        return self.text.tokens[self.token.head] if self.token.head >= 0 else None


class Target:
    """The target side of one document, asked for evidence pronoun by pronoun.

    Args:
        row: the source document.
        target: the target texts, one a segment of the source.
        links: word links, one sequence a segment.
    """

    def __init__(self, row: Discourse, target: Sequence[AnnotatedText], links: Sequence[Sequence[Link]]) -> None:
        self._row = row
        self._linked: dict[int, list[Linked]] = {}
        self._taken: set[int] = set()
        for segment, (text, group) in enumerate(zip(target, links, strict=True)):
            first = row.first[segment]
            for link in group:
                linked = Linked(text.tokens[link.target], text, link.confidence)
                self._linked.setdefault(first + link.source, []).append(linked)
                self._taken.add(id(linked.token))
        self._weights = _weights()

    def word(self, index: int, parts: frozenset[str]) -> Linked | None:
        """Return the surest target token of these parts of speech that a source token is linked to."""
        found = [linked for linked in self._linked.get(index, ()) if linked.token.upos in parts]
        return max(found, key=lambda linked: linked.confidence, default=None)

    def pronoun(self, pronoun: Mention) -> Linked | None:
        """Return the target pronoun of a source pronoun.

        Where the word itself is not linked, it is the pronoun in the same role beside the verb's translation.
        """
        linked = self.word(pronoun.index, PRONOMINAL)
        if linked is not None or pronoun.governor < 0 or self._linked.get(pronoun.index):
            return linked
        verb = self.word(pronoun.governor, VERBAL)
        role = self._row.relation[pronoun.index]
        roles = next((roles for roles in (SUBJECTS, OBJECTS) if role in roles), frozenset[str]())
        if verb is None:
            return None
        for token in verb.text.tokens:
            beside = token.upos == "PRON" and token.head >= 0 and verb.text.tokens[token.head] is verb.token
            free = beside and id(token) not in self._taken and token.features.get("Person", "3") == "3"
            if free and token.relation.partition(":")[0] in roles:
                return Linked(token, verb.text, BESIDE * verb.confidence)
        return None

    def evidence(self, pronoun: Mention, nouns: Sequence[Mention]) -> tuple[list[float], float, float]:
        """Return how much likelier the target side makes each reading of a pronoun.

        Args:
            pronoun: the pronoun.
            nouns: its candidates.

        Returns:
            A likelihood ratio for each noun, one for "non-referential", and one for "outside".
        """
        weights = self._weights
        written = self.word(pronoun.index, NOMINAL)
        chosen = self.pronoun(pronoun)
        if chosen is not None and chosen.token.relation == "det" and chosen.head is not None:
            # An article: the translator wrote a noun.
            written, chosen = Linked(chosen.head, chosen.text, chosen.confidence), None
        if chosen is None and written is not None:
            ratios = [self._same_noun(written, noun) for noun in nouns]
            other = weights["noun"]
            return ratios, _soft(other["non_referential"], written), _soft(other["outside"], written)
        if chosen is None:
            return [1.0] * len(nouns), 1.0, 1.0
        features = _agreement(chosen.token, pronoun, weights["default"])
        ratios = [self._agrees(features, chosen, noun) for noun in nouns]
        empty = outside = 0.0
        gender = features.get("Gender")
        readings = (
            ("marked_gender", gender is not None and gender.isdisjoint(weights["default"])),
            ("expletive", chosen.token.relation.startswith("expl")),
            ("demonstrative", chosen.token.features.get("PronType") == "Dem"),
        )
        for name, holds in readings:
            if holds:
                empty += weights[name]["non_referential"]
                outside += weights[name]["outside"]
        return ratios, _soft(empty, chosen), _soft(outside, chosen)

    def fit(self, later: Mention, earlier: Mention) -> float:
        """Return how well the target forms of two pronouns go together, as a likelihood ratio of at most 1."""
        one, other = self.pronoun(later), self.pronoun(earlier)
        if one is None or other is None:
            return 1.0
        features = _agreement(one.token, later, self._weights["default"])
        others = _agreement(other.token, earlier, self._weights["default"])
        clashes = [name for name in features if name in others and features[name].isdisjoint(others[name])]
        return _soft(sum(self._weights[name]["disagree"] for name in clashes), one, other)

    def _agrees(self, features: Mapping[str, frozenset[str]], chosen: Linked, noun: Mention) -> float:
        linked = self.word(noun.index, NOMINAL)
        ratio = 0.0
        if noun.coordinated and "Number" in features:
            ratio = self._weights["Number"]["agree" if "Plur" in features["Number"] else "disagree"]
        if linked is None or noun.coordinated:
            return _soft(ratio, chosen)
        for name, values in features.items():
            if name == "Gender" and linked.token.upos == "PROPN":
                continue  # The gender of a name is an annotator's guess.
            known = _values(linked.token.features.get(name, ""))
            if known:
                ratio += self._weights[name]["disagree" if known.isdisjoint(values) else "agree"]
        return _soft(ratio, chosen, linked)

    def _same_noun(self, written: Linked, noun: Mention) -> float:
        linked = self.word(noun.index, NOMINAL)
        if linked is None:
            return 1.0
        same = linked.token.lemma.lower() == written.token.lemma.lower()
        if not same and linked.token.upos != written.token.upos:
            return 1.0  # "The company" may well take up a name.
        return _soft(self._weights["same_noun" if same else "other_noun"], written, linked)


def _agreement(token: Token, pronoun: Mention, default: Sequence[str]) -> dict[str, frozenset[str]]:
    """Return the features in which a target pronoun agrees with its antecedent; in a possessive, its possessor's."""
    possessive = token.features.get("Poss") == "Yes" or (
        pronoun.kind == "possessive" and "Gender[psor]" in token.features
    )
    layer = "[psor]" if possessive else ""
    found = {name: _values(token.features.get(f"{name}{layer}", "")) for name in AGREEMENT}
    # In many languages the forms of the plural and of a singular are one ("sie"): without gender it is a guess.
    if found["Number"] == frozenset({"Sing"}) and not found["Gender"]:
        found["Number"] = frozenset()
    # A neuter demonstrative (German "das", French "cela") stands for anything: its gender tells nothing.
    if token.features.get("PronType") == "Dem" and not found["Gender"].isdisjoint(default):
        found["Gender"] = frozenset()
    return {name: values for name, values in found.items() if values}


def _values(text: str) -> frozenset[str]:
    return frozenset(text.split(",")) if text else frozenset()


def _soft(ratio: float, *linked: Linked) -> float:
    """Return a likelihood ratio, drawn towards 1 as far as the links are unsure."""
    sure = 1.0
    for item in linked:
        sure *= item.confidence
    return 1.0 - sure + sure * exp(ratio)


@cache
def _weights() -> dict[str, Any]:
    return read_data("target.json") or {}
