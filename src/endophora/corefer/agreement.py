"""In what a target pronoun and a target noun agree: gender and number as their forms show them.

They are read from Universal Dependencies features, but not blindly: some forms are the same in the singular and the
plural (German *sie*), of which an annotator often chooses the wrong one, and the gender of a name is an annotator's
guess unless the name has an article.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.mentions import Mention

AGREEMENT = ("Number", "Gender")
ARTICLE = "det"


class Linked(NamedTuple):
    """A target token that a source word is linked to, and how surely; a tuple, as there is one for every link.

    Attributes:
        confidence: of the link, between 0 and 1.
    """

    token: Token
    text: AnnotatedText
    confidence: float

    @property
    def head(self) -> Token | None:
        """The token's head."""
        return self.text.tokens[self.token.head] if self.token.head >= 0 else None


def pronoun_features(
    token: Token, pronoun: Mention, default: Set[str], both_numbers: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """Return the features in which a target pronoun agrees with its antecedent; in a possessive, its possessor's.

    Args:
        both_numbers: forms, in lower case, that are the same in the singular and the plural → their gender in the
            singular. Their number is that of the source pronoun.
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
    # A neuter demonstrative (German "das", French "cela") stands for anything: its gender tells nothing.
    if token.features.get("PronType") == "Dem" and not found["Gender"].isdisjoint(default):
        found["Gender"] = frozenset[str]()
    return {name: some for name, some in found.items() if some}


def noun_features(linked: Linked) -> dict[str, frozenset[str]]:
    """Return the gender and the number of a target noun, as far as they show; a name has its article's gender."""
    token = linked.token
    found = {name: values(token.features.get(name, "")) for name in AGREEMENT}
    if token.upos == "PROPN":
        found["Gender"] = _article_gender(linked)
    return {name: some for name, some in found.items() if some}


def _article_gender(linked: Linked) -> frozenset[str]:
    for token in linked.text.tokens:
        if token.relation == ARTICLE and token.head >= 0 and linked.text.tokens[token.head] is linked.token:
            return values(token.features.get("Gender", ""))
    return frozenset()


def values(text: str) -> frozenset[str]:
    """Return the values of a feature, of which a form may have several: ``"Fem,Masc"``."""
    return frozenset(text.split(",")) if text else frozenset()
