"""How often a resolver is right: gold pronouns of a corpus against resolutions.

The right noun is a nominal mention of the pronoun's gold chain that stands before it, at most ``window`` segments
back. OntoGUM leaves out entities mentioned once, so *it* is non-referential where it is ``expl``, belongs to no GUM
entity, or is linked forward (``cata``); never because it has no OntoGUM chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log

from endophora.annotate.records import AnnotatedText
from endophora.corefer.mentions import Lexicon
from endophora.corefer.records import Antecedent, Resolution
from endophora_makers.gum import GoldDocument, Span

Noun = tuple[int, int, bool]
MAIN = ("it", "they", "them")


@dataclass(frozen=True, slots=True)
class GoldPronoun:
    """What the corpus says of one pronoun.

    Attributes:
        token: index of its token in the annotation that is evaluated; ``-1`` if that has no such token.
        group: its group in the lexicon (``"it"``, ``"their"``).
        nouns: the right nouns: (segment, head token, whether a coordination).
        chain: its OntoGUM chain; empty if it has none.
    """

    segment: int
    token: int
    group: str
    non_referential: bool
    nouns: frozenset[Noun]
    chain: str


def token_at(text: AnnotatedText, offset: int) -> int:
    """Return the index of the token that holds the character at ``offset``; ``-1`` if there is none."""
    return next((i for i, token in enumerate(text.tokens) if token.start <= offset < token.end), -1)


def gold_pronouns(
    document: GoldDocument, texts: Sequence[AnnotatedText], lexicon: Lexicon, window: int = 5
) -> list[GoldPronoun]:
    """Return the gold pronouns of a document, in the tokens of an annotation of it.

    Args:
        texts: the annotation that was resolved, segment by segment the same texts.
    """
    marked = {(span.segment, span.start, span.end): span for span in document.entities}
    chained = {(span.segment, span.start, span.end): span for span in document.mentions}
    chains: dict[str, list[Span]] = {}
    for span in document.mentions:
        chains.setdefault(span.chain, []).append(span)
    found: list[GoldPronoun] = []
    for segment, text in enumerate(document.texts):
        for token in text.tokens:
            pronoun = lexicon.pronouns.get(token.form.lower())
            if pronoun is None or token.upos != "PRON" or token.features.get("PronType") == "Rel":
                continue
            place = (segment, token.start, token.end)
            entity, mention = marked.get(place), chained.get(place)
            before = [] if mention is None else [s for s in chains[mention.chain] if _before(s, place, window)]
            nouns = (
                (s.segment, token_at(texts[s.segment], s.head), s.coordinated)
                for s in before
                if s.upos not in {"PRON", "DET", "VERB", "AUX", "ADV", "INTJ"}
            )
            found.append(
                GoldPronoun(
                    segment=segment,
                    token=token_at(texts[segment], token.start),
                    group=pronoun.group,
                    non_referential=token.relation == "expl" or entity is None or entity.link == "cata",
                    nouns=frozenset(noun for noun in nouns if noun[1] >= 0),
                    chain=mention.chain if mention else "",
                )
            )
    return found


def _before(span: Span, place: tuple[int, int, int], window: int) -> bool:
    return (span.segment, span.end) <= place[:2] and place[0] - span.segment <= window


@dataclass(slots=True)
class Counts:
    """A share that is counted up: ``right`` of ``total``."""

    right: int = 0
    total: int = 0

    def add(self, right: bool) -> None:
        """Count one case."""
        self.right += right
        self.total += 1

    @property
    def percent(self) -> float:
        """The share in per cent; 0 of nothing."""
        return 100 * self.right / self.total if self.total else 0.0


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@dataclass(slots=True)
class Score:
    """The figures of a resolver over documents; feed it with :meth:`add`.

    Attributes:
        nouns: pronoun group → right noun found, over pronouns that have a right noun.
        answered: threshold → right over all *it/they/them* answered at it, those without a right noun among them.
        answerable: the same over those that have a right noun.
        loss: summed negative log-likelihood of best antecedents being right or wrong.
        said: non-referential *it*, precision: right over those called so.
        known: non-referential *it*, recall: found over those that are so.
        earlier_said: antecedent in an earlier segment, precision.
        earlier_known: antecedent in an earlier segment, recall.
        across: right noun found, over pronouns whose right nouns are all in earlier segments.
        bins: tenth of probability → (sum of probabilities, right, number) of best antecedents.
    """

    nouns: dict[str, Counts] = field(default_factory=dict[str, Counts])
    answered: dict[float, Counts] = field(default_factory=lambda: {t: Counts() for t in (0.0, 0.5, 0.6, 0.7, 0.8)})
    answerable: dict[float, Counts] = field(default_factory=lambda: {t: Counts() for t in (0.0, 0.5, 0.6, 0.7, 0.8)})
    asked: int = 0
    loss: float = 0.0
    said: Counts = field(default_factory=Counts)
    known: Counts = field(default_factory=Counts)
    earlier_said: Counts = field(default_factory=Counts)
    earlier_known: Counts = field(default_factory=Counts)
    across: Counts = field(default_factory=Counts)
    bins: dict[int, list[float]] = field(default_factory=dict[int, list[float]])

    def add(
        self, gold: Iterable[GoldPronoun], resolutions: Iterable[Resolution], texts: Sequence[AnnotatedText]
    ) -> None:
        """Count one document."""
        answers = {(answer.segment, answer.token): answer for answer in resolutions}
        for pronoun in gold:
            answer = answers.get((pronoun.segment, pronoun.token))
            best = answer.antecedents[0] if answer is not None and answer.antecedents else None
            right = best is not None and noun_of(best, texts) in pronoun.nouns
            if pronoun.nouns and not pronoun.non_referential:
                self.nouns.setdefault(pronoun.group, Counts()).add(right)
            if pronoun.group == "it":
                self._add_expletive(pronoun, answer is not None and _says_empty(answer))
            if pronoun.group in MAIN:
                self._add_answer(pronoun, best, right)

    def _add_expletive(self, pronoun: GoldPronoun, said: bool) -> None:
        if said:
            self.said.add(pronoun.non_referential)
        if pronoun.non_referential:
            self.known.add(said)

    def _add_answer(self, pronoun: GoldPronoun, best: Antecedent | None, right: bool) -> None:
        self.asked += 1
        if best is not None:
            for threshold in self.answered:
                if best.probability >= threshold:
                    self.answered[threshold].add(right)
                    if pronoun.nouns and not pronoun.non_referential:
                        self.answerable[threshold].add(right)
            total = self.bins.setdefault(min(9, int(best.probability * 10)), [0.0, 0.0, 0.0])
            total[0] += best.probability
            total[1] += right
            total[2] += 1
            self.loss -= log(max(1e-9, best.probability if right else 1 - best.probability))
        if pronoun.nouns and not pronoun.non_referential:
            earlier = all(noun[0] < pronoun.segment for noun in pronoun.nouns)
            said = best is not None and best.distance > 0
            if said:
                self.earlier_said.add(earlier)
            if earlier:
                self.earlier_known.add(said)
                self.across.add(right)

    @property
    def right(self) -> float:
        """Right nouns among *it/they/them*, in per cent."""
        return pooled(self.nouns, MAIN).percent

    @property
    def non_referential(self) -> float:
        """F1 of non-referential *it*, in per cent."""
        return f1(self.said.percent, self.known.percent)

    @property
    def log_loss(self) -> float:
        """Mean negative log-likelihood of the best antecedents being right or wrong, in nats."""
        return self.loss / self.asked if self.asked else 0.0

    @property
    def calibration_error(self) -> float:
        """Expected calibration error of best antecedents, in per cent: mean gap of probability and share right."""
        total = sum(entry[2] for entry in self.bins.values())
        return 100 * sum(abs(entry[0] - entry[1]) for entry in self.bins.values()) / total if total else 0.0

    def lines(self) -> list[str]:
        """Return the figures as lines of text."""
        groups = ", ".join(f"{name} {c.percent:.1f} ({c.total})" for name, c in sorted(self.nouns.items()))
        kept = "; ".join(
            f"p ≥ {t:.1f}: {c.percent:.1f} of {100 * c.total / max(1, self.asked):.0f} % answered"
            f" ({self.answerable[t].percent:.1f} where there is a right noun)"
            for t, c in self.answered.items()
        )
        return [
            f"right noun, it/they/them: {self.right:.1f} of {pooled(self.nouns, MAIN).total}",
            f"by pronoun: {groups}",
            f"right where it answers: {kept}",
            f"right noun where it is in an earlier segment: {self.across.percent:.1f} of {self.across.total}",
            f"earlier segment: P {self.earlier_said.percent:.1f}, R {self.earlier_known.percent:.1f}",
            f"non-referential it: P {self.said.percent:.1f}, R {self.known.percent:.1f}, F1 {self.non_referential:.1f}"
            f" ({self.known.total})",
            f"calibration error: {self.calibration_error:.1f}",
        ]


def pooled(counts: Mapping[str, Counts], names: Iterable[str]) -> Counts:
    """Return the counts of several names as one."""
    chosen = [counts[name] for name in names if name in counts]
    return Counts(sum(c.right for c in chosen), sum(c.total for c in chosen))


def _says_empty(answer: Resolution) -> bool:
    """Return whether "non-referential" is the most likely reading."""
    best = answer.antecedents[0].probability if answer.antecedents else 0.0
    return answer.non_referential > max(best, answer.outside)


def noun_of(antecedent: Antecedent, texts: Sequence[AnnotatedText]) -> Noun:
    """Return an antecedent as (segment, head token, whether it is a coordination)."""
    tokens = texts[antecedent.segment].tokens
    coordinated = any(
        tokens[i].head == antecedent.head and tokens[i].relation.partition(":")[0] == "conj" for i in antecedent.tokens
    )
    return antecedent.segment, antecedent.head, coordinated
