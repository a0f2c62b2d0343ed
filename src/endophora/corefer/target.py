"""The target side as evidence: what a translation says of a pronoun's antecedent.

A translator who writes French *elle* for *it* has chosen a feminine noun. The evidence is computed from Universal
Dependencies features of linked words, so it knows no language, but not blindly: some forms are the same in the singular
and the plural (German *sie*), and an annotator often chooses the wrong one; the gender of a name is its guess unless
the name has an article. Such forms are listed, with the ratios, in ``data/target.json``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence, Set
from functools import cache, cached_property
from math import exp
from typing import Any, NamedTuple

from endophora.align.records import Link
from endophora.annotate.records import NOUNS, AnnotatedText, Token
from endophora.corefer.mentions import Discourse, Mention, read_data

AGREEMENT = ("Number", "Gender")
ARTICLE = "det"


class Linked(NamedTuple):
    """A target token that a source word is linked to, and how surely; a tuple, as there is one for every link."""

    token: Token
    text: AnnotatedText
    confidence: float

    @property
    def head(self) -> Token | None:
        """The token's head."""
        return self.text.tokens[self.token.head] if self.token.head >= 0 else None

    @property
    def capital_inside(self) -> bool:
        """Whether it has a capital inside a sentence: German *Sie* speaks to the listener there."""
        before = next((one for one in reversed(self.text.tokens) if one.end <= self.token.start), None)
        return self.token.form[:1].isupper() and before is not None and before.upos != "PUNCT"


def pronoun_features(
    token: Token, pronoun: Mention, default: Set[str], both_numbers: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return the features in which a target pronoun agrees with its antecedent; in a possessive, its possessor's.

    ``both_numbers`` has the lower-case forms that are the same in the singular and the plural, with their gender in the
    singular; their number is that of the source pronoun.
    """
    possessive = token.features.get("Poss") == "Yes" or (
        pronoun.kind == "possessive" and "Gender[psor]" in token.features
    )
    layer = "[psor]" if possessive else ""
    found = {name: values(token.features.get(f"{name}{layer}", "")) for name in AGREEMENT}
    form = token.form.lower()
    if form in both_numbers and pronoun.number:
        singular = pronoun.number == "Sing"
        # A singular may still be translated by a plural noun: only where the annotator sees it too, it is one.
        known = not singular or pronoun.number in found["Number"]
        none = frozenset[str]()
        found = {
            "Gender": values(both_numbers[form]) if singular else none,
            "Number": values(pronoun.number) if known else none,
        }
    # Without gender, a singular may be no pronoun of the third person at all.
    if found["Number"] == frozenset({"Sing"}) and not found["Gender"]:
        found["Number"] = frozenset[str]()
    # A neuter demonstrative (German "das", French "cela") stands for anything: its gender says nothing.
    if _demonstrative(token) and not found["Gender"].isdisjoint(default):
        found["Gender"] = frozenset[str]()
    return {name: some for name, some in found.items() if some}


def noun_features(linked: Linked) -> dict[str, frozenset[str]]:
    """Return the gender and the number of a target noun, as far as they show; a name has its article's gender."""
    token = linked.token
    found = {name: values(token.features.get(name, "")) for name in AGREEMENT}
    if token.upos == "PROPN":
        tokens = linked.text.tokens
        articles = (one for one in tokens if one.relation == ARTICLE and one.head >= 0 and tokens[one.head] is token)
        article = next(articles, None)
        found["Gender"] = values(article.features.get("Gender", "")) if article is not None else frozenset[str]()
    return {name: some for name, some in found.items() if some}


def values(text: str) -> frozenset[str]:
    """Return the values of a feature, of which a form may have several: ``"Fem,Masc"``."""
    return frozenset(text.split(",")) if text else frozenset()


def _demonstrative(token: Token) -> bool:
    """Return whether a word may be a demonstrative, as far as an annotator tells (German *das*: ``Dem,Rel``)."""
    return "Dem" in values(token.features.get("PronType", ""))


PRONOMINAL = frozenset({"PRON", "DET"})
VERBAL = frozenset({"VERB", "AUX", "ADJ", "NOUN"})
SUBJECTS, OBJECTS = frozenset({"nsubj", "expl"}), frozenset({"obj", "iobj", "obl"})
BESIDE = 0.6
ASTRAY = 0.6
"""Share of its confidence that a pronoun's link keeps where the two do not depend on words that are linked."""
DOUBT = 1.0
"""Weight, in links, of the doubt whether a noun is translated here as elsewhere."""


class Target:
    """The target side of one document, asked for evidence pronoun by pronoun."""

    def __init__(self, row: Discourse, target: Sequence[AnnotatedText], links: Sequence[Sequence[Link]]) -> None:
        self._row = row
        self._linked: dict[int, list[Linked]] = {}
        self._taken: set[int] = set()
        self._target = target
        self._chosen: dict[int, Linked | None] = {}
        self._shown: dict[int, dict[str, frozenset[str]]] = {}
        self._nouns: dict[int, tuple[Linked | None, dict[str, frozenset[str]]]] = {}
        self._genders: dict[str, tuple[frozenset[str], float]] = {}
        for segment, (text, group) in enumerate(zip(target, links, strict=True)):
            first = row.first[segment]
            for link in group:
                linked = Linked(text.tokens[link.target], text, link.confidence)
                self._linked.setdefault(first + link.source, []).append(linked)
                self._taken.add(id(linked.token))
        self._compounds()
        self._weights = _weights()

    def _compounds(self) -> None:
        """Give a noun without links those of its compound's parts: *apple tree* is *Apfelbaum*, linked to *apple*."""
        for index, relation in enumerate(self._row.relation):
            head = self._row.head[index]
            if relation == "compound" and head not in self._linked and self._row.tokens[index].upos == "NOUN":
                whole = [linked for linked in self._linked.get(index, ()) if linked.token.upos == "NOUN"]
                if whole:
                    self._linked[head] = whole

    @cached_property
    def _default(self) -> frozenset[str]:
        """The gender that is used where nothing is referred to: the neuter, in languages that have one."""
        listed: list[str] = self._weights["default"]
        seen = {token.features.get("Gender", "") for text in self._target for token in text.tokens}
        return frozenset(next(([gender] for gender in listed if gender in seen), listed))

    def _features(self, chosen: Linked, pronoun: Mention) -> dict[str, frozenset[str]]:
        if pronoun.index not in self._shown:
            listed = self._weights["both_numbers"]
            polite = chosen.token.form.lower() in listed and chosen.capital_inside
            found = {} if polite else pronoun_features(chosen.token, pronoun, self._default, listed)
            self._shown[pronoun.index] = found
        return self._shown[pronoun.index]

    def _noun(self, index: int) -> tuple[Linked | None, dict[str, frozenset[str]]]:
        """Return the translation of a noun, and its gender and number."""
        if index not in self._nouns:
            linked = self.word(index, NOUNS)
            self._nouns[index] = linked, {} if linked is None else noun_features(linked)
        return self._nouns[index]

    def word(self, index: int, parts: frozenset[str]) -> Linked | None:
        """Return the surest target token of these parts of speech that a source token is linked to."""
        found = [linked for linked in self._linked.get(index, ()) if linked.token.upos in parts]
        return max(found, key=lambda linked: linked.confidence, default=None)

    def pronoun(self, pronoun: Mention) -> Linked | None:
        """Return the target pronoun of a source pronoun.

        Where the word itself is not linked, it is the pronoun in the same role with the verb's translation.
        """
        if pronoun.index not in self._chosen:
            self._chosen[pronoun.index] = self._find(pronoun)
        return self._chosen[pronoun.index]

    def _find(self, pronoun: Mention) -> Linked | None:
        linked = self.word(pronoun.index, PRONOMINAL)
        if pronoun.governor < 0:
            return linked
        if linked is not None:
            verbs = self._linked.get(pronoun.governor, ())
            astray = verbs and linked.head is not None and all(verb.token is not linked.head for verb in verbs)
            return linked._replace(confidence=linked.confidence * ASTRAY) if astray else linked
        if self._linked.get(pronoun.index):
            return None
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

    def _written(self, pronoun: Mention, chosen: Linked | None) -> Linked | None:
        """Return the noun that the translator wrote in a pronoun's place, if one did."""
        found = self.word(pronoun.index, NOUNS)
        if found is not None or chosen is None:
            return found
        # The noun of an article that stands for another word of the source is no more than that word's translation.
        noun = chosen.head
        free = noun is not None and noun.upos in NOUNS and id(noun) not in self._taken
        return Linked(noun, chosen.text, chosen.confidence) if free and noun is not None else None

    def evidence(self, pronoun: Mention, nouns: Sequence[Mention]) -> tuple[list[float], float, float]:
        """Return how much more probable the target side makes each reading of a pronoun."""
        weights = self._weights
        chosen = self.pronoun(pronoun)
        article = chosen is not None and chosen.token.relation == ARTICLE and chosen.token.features.get("Poss") != "Yes"
        written = self._written(pronoun, chosen) if chosen is None or article else None
        if article:
            chosen = None
        if chosen is None and written is not None:
            ratios = [self._same_noun(written, noun) for noun in nouns]
            other = weights["noun"]
            return ratios, _soft(other["non_referential"], written), _soft(other["outside"], written)
        if chosen is None:
            return [1.0] * len(nouns), 1.0, 1.0
        features = self._features(chosen, pronoun)
        ratios = [self._agrees(features, chosen, noun) if features else 1.0 for noun in nouns]
        empty = outside = 0.0
        gender = features.get("Gender")
        readings = (
            ("marked_gender", gender is not None and gender.isdisjoint(self._default)),
            ("default_gender", gender is not None and not gender.isdisjoint(self._default)),
            ("expletive", chosen.token.relation.startswith("expl")),
            ("demonstrative", _demonstrative(chosen.token)),
        )
        for name, holds in readings:
            if holds:
                empty += weights[name]["non_referential"]
                outside += weights[name]["outside"]
        return ratios, _soft(empty, chosen), _soft(outside, chosen)

    def fit(self, later: Mention, earlier: Mention) -> float:
        """Return how well the target forms of two pronouns go together, as a likelihood ratio.

        It is that of a noun in the earlier one's place, so that a chain is neither better nor worse than its noun.
        """
        one, other = self.pronoun(later), self.pronoun(earlier)
        if one is None or other is None:
            return 1.0
        known = self._features(other, earlier)
        return _soft(self._agreement(self._features(one, later), known), one, other)

    def _agreement(self, shown: Mapping[str, frozenset[str]], known: Mapping[str, frozenset[str]]) -> float:
        """Return the log-likelihood ratio of what a target pronoun shows, given what is known of a candidate."""
        ratio, clash = 0.0, False
        for name in AGREEMENT:
            if name not in shown or name not in known:
                continue
            agree = not known[name].isdisjoint(shown[name])
            clash = clash or not agree
            if agree and clash:
                continue  # A gender that agrees supports nothing where the number does not.
            kind = name
            if name == "Gender":
                kind = "marked_gender" if shown[name].isdisjoint(self._default) else "default_gender"
            ratio += self._weights[kind]["agree" if agree else "disagree"]
        return ratio

    def _agrees(self, shown: Mapping[str, frozenset[str]], chosen: Linked, noun: Mention) -> float:
        if noun.coordinated:
            return self._agrees_together(shown, chosen, noun)
        linked, known = self._noun(noun.index)
        if linked is not None and "Gender" in known:
            return _soft(self._agreement(shown, known), chosen, linked)
        # Its own translation does not tell, but that of another mention may.
        other, sure = self._elsewhere(self._row.lemma(noun.index))
        if other:
            return _soft(self._agreement(shown, {**known, "Gender": other}), chosen, sure=sure)
        return 1.0 if linked is None else _soft(self._agreement(shown, known), chosen, linked)

    def _agrees_together(self, shown: Mapping[str, frozenset[str]], chosen: Linked, nouns: Mention) -> float:
        """Return the likelihood ratio of a coordination: the gender that all have, else the one used for whatever."""
        conjuncts = (child for child in self._row.children[nouns.index] if self._row.relation[child] == "conj")
        found = [self._noun(index) for index in (nouns.index, *conjuncts)]
        known = {"Number": frozenset({"Plur"})}
        linked = [one for one, features in found if one is not None and "Gender" in features]
        if len(linked) < len(found):
            return _soft(self._agreement(shown, known), chosen)
        genders = [features["Gender"] for _, features in found]
        gender = frozenset[str].intersection(*genders) or self._default & frozenset[str]().union(*genders)
        return _soft(self._agreement(shown, {**known, "Gender": gender} if gender else known), chosen, *linked)

    def _elsewhere(self, lemma: str) -> tuple[frozenset[str], float]:
        """Return the gender of the usual translation of a noun's mentions, and how sure it is."""
        if lemma not in self._genders:
            votes: dict[frozenset[str], float] = {}
            for index in self._mentions.get(lemma, ()):
                linked, known = self._noun(index)
                gender = known.get("Gender")
                if linked is not None and gender is not None:
                    votes[gender] = votes.get(gender, 0.0) + linked.confidence
            best = max(votes, key=lambda gender: (votes[gender], sorted(gender)), default=frozenset[str]())
            sure = votes[best] / (sum(votes.values()) + DOUBT) if best else 0.0
            self._genders[lemma] = best, sure
        return self._genders[lemma]

    @cached_property
    def _mentions(self) -> Mapping[str, Sequence[int]]:
        """Indices of the nouns of each lemma."""
        found: dict[str, list[int]] = {}
        for index, token in enumerate(self._row.tokens):
            if token.upos in NOUNS:
                found.setdefault(token.lemma.lower(), []).append(index)
        return found

    def _same_noun(self, written: Linked, noun: Mention) -> float:
        linked = self.word(noun.index, NOUNS)
        if linked is None:
            return 1.0
        same = linked.token.lemma.lower() == written.token.lemma.lower()
        if not same and linked.token.upos != written.token.upos:
            return 1.0  # "The company" may well take up a name.
        return _soft(self._weights["same_noun" if same else "other_noun"], written, linked)


def _soft(ratio: float, *linked: Linked, sure: float = 1.0) -> float:
    """Return a likelihood ratio, drawn towards 1 as far as the links are unsure."""
    for item in linked:
        sure *= item.confidence
    return 1.0 - sure + sure * exp(ratio)


@cache
def ratios_digest() -> str:
    """Return the first eight hexadecimal digits of the SHA-256 of the ratios, for signatures."""
    return hashlib.sha256(json.dumps(_weights(), sort_keys=True).encode()).hexdigest()[:8]


def marked_ratios() -> tuple[float, float]:
    """Return what a pronoun of marked gender says of a noun that it agrees with, and of another, as log-ratios."""
    return _weights()["marked_gender"]["agree"], _weights()["marked_gender"]["disagree"]


@cache
def _weights() -> dict[str, Any]:
    return read_data("target.json") or {}
