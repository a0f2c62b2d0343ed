"""Detectors of ellipsis in the source text: the rules, and the place where a trained classifier plugs in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from endophora.annotate.records import AnnotatedText
from endophora.phenomena.ellipsis_clauses import fragments, gaps, sluices
from endophora.phenomena.ellipsis_nouns import noun_phrases
from endophora.phenomena.ellipsis_rules import EllipsisRules, load_ellipsis_rules
from endophora.phenomena.ellipsis_verbs import infinitives, verb_phrases
from endophora.phenomena.ellipsis_view import EllipsisSite, sentences
from endophora.registry import Registry

_RULES = (verb_phrases, infinitives, sluices, gaps, fragments, noun_phrases)


class EllipsisDetector(Protocol):
    """Finds what is left out in a text."""

    @property
    def signature(self) -> str:
        """Name and version: what makes two detections the same."""
        ...

    def detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        """Return the sites of a text, ordered by token; none if nothing is left out."""
        ...


@runtime_checkable
class BatchDetector(Protocol):
    """A detector that is faster with many texts at once."""

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the sites of each text, in order."""
        ...


class SentenceClassifier(Protocol):
    """Says how probable it is that a text has an ellipsis, as the trained model of the paper does (appendix C.4)."""

    @property
    def signature(self) -> str:
        """Name and version of the model."""
        ...

    def probability(self, text: AnnotatedText) -> float:
        """Return the probability, between 0 and 1."""
        ...


@runtime_checkable
class BatchClassifier(Protocol):
    """A sentence classifier that is faster with many texts at once."""

    def probabilities(self, texts: Sequence[AnnotatedText]) -> list[float]:
        """Return the probability of each text, in order."""
        ...


def detect_all(detector: EllipsisDetector, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
    """Return what a detector finds in each text: all at once if it can, else one by one.

    Args:
        texts: the texts, such as the source segments of a document.
    """
    if isinstance(detector, BatchDetector):
        return detector.detect_many(texts)
    return [detector.detect(text) for text in texts]


def detect(text: AnnotatedText, rules: EllipsisRules) -> list[EllipsisSite]:
    """Find what is left out in an annotated text, from its dependency parse and its words."""
    found = [site for sentence in sentences(text, rules.doubtful) for rule in _RULES for site in rule(sentence, rules)]
    taken: set[int] = set()
    kept: list[EllipsisSite] = []
    for site in found:
        if taken.isdisjoint(site.tokens):
            kept.append(site)
            taken.update(site.tokens)
    return sorted(kept, key=lambda site: site.tokens)


@dataclass(frozen=True, slots=True)
class RuleDetector:
    """Finds ellipsis by rules over the dependency parse."""

    rules: EllipsisRules

    @property
    def signature(self) -> str:
        """Name, language and hash of the rule file."""
        return f"rules-{self.rules.language}-{self.rules.hash}"

    def detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        """Return the sites of a text, ordered by token."""
        return detect(text, self.rules)


@dataclass(frozen=True, slots=True)
class ClassifierDetector:
    """Makes a detector of a sentence classifier; it knows that something is left out, not what.

    Attributes:
        threshold: the probability from which a text counts as elliptical.
    """

    classifier: SentenceClassifier
    threshold: float = 0.5

    @property
    def signature(self) -> str:
        """The classifier's signature and the threshold."""
        return f"{self.classifier.signature}-{self.threshold:g}"

    def detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        """Return one site of the kind ``sentence``, or none."""
        return self._sites(self.classifier.probability(text))

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the sites of each text, in order; the classifier sees them in batches if it can."""
        if isinstance(self.classifier, BatchClassifier):
            return [self._sites(probability) for probability in self.classifier.probabilities(texts)]
        return [self.detect(text) for text in texts]

    def _sites(self, probability: float) -> list[EllipsisSite]:
        return [EllipsisSite("sentence", ())] if probability >= self.threshold else []


def load_rule_detector(language: str) -> RuleDetector:
    """Return the rule-based detector of a language.

    Raises:
        InputError: there are no rules for it (E066).
    """
    return RuleDetector(load_ellipsis_rules(language))


ELLIPSIS_DETECTORS: Registry[Callable[[str], EllipsisDetector]] = Registry(
    "ellipsis_detector", {"rules": load_rule_detector}
)
"""Name → what makes a detector for a source language."""
