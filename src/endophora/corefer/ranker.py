"""The default resolver: a log-linear mention ranker over the dependency parse, with the target side as evidence.

For each pronoun, a softmax over the nouns and pronouns before it and "outside" (Denis and Baldridge 2008; trained on
the summed probability of the gold chain as in Durrett and Klein 2013). Pronouns pass on the nouns that they stand for,
so that each noun's probability is summed over all ways to it. A second classifier gives the probability that the
pronoun is non-referential. Both are weighed with what an encoder makes of the words around, where the language has one
(:mod:`endophora.corefer.encoder`).
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import Any

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.encoder import PronounEncoder, Scores, load_encoder
from endophora.corefer.entities import entities_of, evened, gathered
from endophora.corefer.expletive import expletive_features
from endophora.corefer.features import Facts, gather, nearer_counts, outside_features, pair_features
from endophora.corefer.mentions import (
    Discourse,
    Lexicon,
    Mention,
    NounTypes,
    find_mentions,
    load_lexicon,
    read_discourse,
    shipped,
)
from endophora.corefer.records import Antecedent, Resolution
from endophora.corefer.resolvers import place_of, token_in_segment
from endophora.corefer.target import Target, ratios_digest
from endophora.errors import Fault, MissingModelError

LEAST_WEIGHT = 0.05
"""Weights nearer to 0 are not written."""


@dataclass(frozen=True, slots=True)
class RankerWeights:
    """What the ranker has learned of one language: of pairs, of non-referential pronouns, of types of nouns.

    Scores of pairs are divided by the temperature, or by an encoder's own, so that probabilities are calibrated.
    """

    pair: Mapping[str, float]
    expletive: Mapping[str, float]
    types: NounTypes
    temperature: float = 1.0
    trained_on: str = ""

    @property
    def digest(self) -> str:
        """First eight hexadecimal digits of the SHA-256 of the weights as written."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:8]

    def to_json(self) -> str:
        """Return the weights as a JSON text, the same for the same weights."""
        lemmas: dict[str, list[str]] = {}
        for lemma, kind in sorted(self.types.lemmas.items()):
            lemmas.setdefault(kind, []).append(lemma)
        data = {
            "trained_on": self.trained_on,
            "temperature": self.temperature,
            "pair": _rounded(self.pair),
            "expletive": _rounded(self.expletive),
            "types": {kind: lemmas[kind] for kind in sorted(lemmas)},
            "endings": self.types.endings,
            "labels": self.types.labels,
            "slots": self.types.slots,
        }
        return json.dumps(data, ensure_ascii=False, separators=(",", ":"), sort_keys=True) + "\n"


def _rounded(weights: Mapping[str, float]) -> dict[str, float]:
    rounded = {name: round(float(value), 2) for name, value in sorted(weights.items())}
    return {name: value for name, value in rounded.items() if abs(value) >= LEAST_WEIGHT}


def from_json(data: Mapping[str, Any]) -> RankerWeights:
    """Return weights from a JSON object as :meth:`RankerWeights.to_json` writes it."""
    return RankerWeights(
        pair=data["pair"],
        expletive=data["expletive"],
        types=NounTypes(
            lemmas={lemma: kind for kind, lemmas in data["types"].items() for lemma in lemmas},
            endings=data["endings"],
            labels=data["labels"],
            slots=data["slots"],
        ),
        temperature=data["temperature"],
        trained_on=data["trained_on"],
    )


@cache
def load_weights(language: str) -> RankerWeights:
    """Return the shipped weights of a language (E061: there are none, or they are damaged)."""
    weights = shipped(f"{language}-weights.json", lambda data: from_json(json.loads(data)))
    if weights is None:
        advice = "train them with python -m endophora_makers.resolver train, or name the resolver “nearest”"
        raise MissingModelError(Fault("E061", f"no resolver weights for the language “{language}”", advice))
    return weights


ANYWHERE = frozenset("tlnPTwyfGHL")
"""First letters of the features of a noun and a pronoun that do not tell where the two stand."""
KEPT = 256
LEAST = 0.005


@dataclass(frozen=True, slots=True)
class Choice:
    """What the source alone says of one pronoun: its candidates' shares, nearest first, and that of "outside".

    They hold if it refers to something; ``non_referential`` is the probability that it does not. A mention is its rank
    among the document's mentions. ``suits`` says how well each noun suits the pronoun wherever it stands, as odds.
    """

    order: int
    candidates: tuple[int, ...]
    shares: tuple[float, ...]
    suits: Mapping[int, float]
    outside: float
    non_referential: float


@dataclass(frozen=True, slots=True)
class Prepared:
    """A source document, scored once for however many targets."""

    source: tuple[AnnotatedText, ...]
    row: Discourse
    mentions: Sequence[Mention]
    choices: tuple[Choice, ...]
    entities: Sequence[int]
    places: Sequence[tuple[int, int, tuple[int, ...]]]  # of each mention its segment, and its head and tokens there


def candidates_of(mentions: Sequence[Mention], anaphor: int, window: int) -> tuple[int, ...]:
    """Return the ranks of the mentions that a pronoun may take up, nearest first: nouns, and pronouns of its number."""
    pronoun = mentions[anaphor]
    found: list[int] = []
    for order in range(anaphor - 1, -1, -1):
        mention = mentions[order]
        if pronoun.segment - mention.segment > window:
            break
        if mention.nominal or (mention.group and mention.number == pronoun.number):
            found.append(order)
    return tuple(found)


def score_rows(
    row: Discourse, facts: Sequence[Facts], anaphor: int, candidates: Sequence[int], lexicon: Lexicon, types: NounTypes
) -> list[list[str]]:
    """Return the features of each candidate of a pronoun, and last those of "outside"."""
    nouns = [order for order in candidates if facts[order].mention.nominal]
    nearer = nearer_counts(facts, anaphor, nouns)
    found = [pair_features(row, facts, anaphor, order, lexicon, types, nearer.get(order, 0)) for order in candidates]
    agreeing = sum(facts[order].number == facts[anaphor].number for order in nouns)
    found.append(outside_features(row, facts, anaphor, agreeing))
    return found


class Ranker:
    """Ranks the mentions before a pronoun by learned weights."""

    def __init__(
        self,
        *,
        language: str = "en",
        window: int = 5,
        weights: RankerWeights | None = None,
        encoder: PronounEncoder | None = None,
    ) -> None:
        """Weights that are given have the encoder that is given beside them, or none; else what ships is taken."""
        self._lexicon = load_lexicon(language)
        self._weights = load_weights(language) if weights is None else weights
        self._encoder = load_encoder(language) if weights is None and encoder is None else encoder
        self._window = window
        parts = [f"ranker-{language}", f"weights:{self._weights.digest}"]
        parts += [f"encoder:{self._encoder.digest}"] if self._encoder is not None else []
        self._signature = "|".join([*parts, f"target:{ratios_digest()}", f"window:{window}"])
        self._prepared: OrderedDict[tuple[str, ...], Prepared] = OrderedDict()

    @property
    def signature(self) -> str:
        """Name, hashes of the weights and of the target side's ratios, and window."""
        return self._signature

    def resolve(
        self,
        source: Sequence[AnnotatedText],
        target: Sequence[AnnotatedText] | None = None,
        links: Sequence[Sequence[Link]] | None = None,
    ) -> list[Resolution]:
        """Resolve the pronouns of one document; a linked target side is evidence (gender and number).

        The source is scored once: its scores are kept for other targets of the same document.
        """
        texts = tuple(source)
        key = tuple(text.text for text in texts)
        prepared = self._prepared.pop(key, None)
        if prepared is None or prepared.source != texts:
            prepared = self.prepare(texts)
        self._prepared[key] = prepared
        if len(self._prepared) > KEPT:
            self._prepared.popitem(last=False)
        return self.with_target(prepared, target, links)

    def prepare(self, source: Sequence[AnnotatedText]) -> Prepared:
        """Score the pronouns of a source document, without its target."""
        row = read_discourse(source)
        mentions = find_mentions(row, self._lexicon)
        facts = gather(row, mentions, self._lexicon, self._weights.types)
        pronouns = {m.index: candidates_of(mentions, m.order, self._window) for m in mentions if m.group}
        read: Mapping[int, Scores] = {}
        if self._encoder is not None:
            asked = {
                m.index: [mentions[order].index for order in pronouns[m.index]]
                for m in mentions
                if m.group and m.kind != "demonstrative"
            }
            read = self._encoder.scores([token.form for token in row.tokens], row.segment, asked)
        choices = tuple(
            self._choose(row, mentions, facts, m, pronouns[m.index], read.get(m.index)) for m in mentions if m.group
        )
        places = [place_of(row, mention) for mention in mentions]
        return Prepared(tuple(source), row, mentions, choices, entities_of(row, mentions, self._lexicon), places)

    def _choose(
        self,
        row: Discourse,
        mentions: Sequence[Mention],
        facts: Sequence[Facts],
        pronoun: Mention,
        candidates: Sequence[int],
        read: Scores | None,
    ) -> Choice:
        weights, temperature = self._weights, self._weights.temperature
        rows = score_rows(row, facts, pronoun.order, candidates, self._lexicon, weights.types)
        scores = [_score(weights.pair, features) for features in rows]
        if self._encoder is not None and read is not None:
            share, temperature = self._encoder.share, self._encoder.temperature
            scores = [
                share * score + more for score, more in zip(scores, [*read.candidates, read.outside], strict=True)
            ]
        scores = [score / temperature for score in scores]
        top = max(scores)
        powers = [exp(score - top) for score in scores]
        total = sum(powers)
        empty = 0.0
        if pronoun.group in self._lexicon.expletive_groups:
            features = expletive_features(row, pronoun, self._lexicon)
            odds = _score(weights.expletive, features)
            # Both have learned the whole of it, so that they are averaged.
            odds = odds if read is None else (odds + read.non_referential) / 2
            empty = 1 / (1 + exp(-odds))
        shares = tuple(power / total for power in powers)
        suits = {
            order: exp(_score(weights.pair, [name for name in features if name[0] in ANYWHERE]))
            for order, features in zip(candidates, rows, strict=False)
            if mentions[order].nominal
        }
        return Choice(pronoun.order, tuple(candidates), shares[:-1], suits, shares[-1], empty)

    def with_target(
        self,
        prepared: Prepared,
        target: Sequence[AnnotatedText] | None = None,
        links: Sequence[Sequence[Link]] | None = None,
    ) -> list[Resolution]:
        """Resolve the pronouns of a prepared document, weighed by a target side where there is one."""
        evidence = None if target is None or links is None else Target(prepared.row, target, links)
        state = _State({}, {}, set())
        return [self._resolve(prepared, choice, state, evidence) for choice in prepared.choices]

    def _resolve(self, prepared: Prepared, choice: Choice, state: _State, evidence: Target | None) -> Resolution:
        mentions = prepared.mentions
        pronoun = mentions[choice.order]
        ways = self._ways(choice, state)
        empty, refers = choice.non_referential, 1 - choice.non_referential
        outside = refers * max(0.0, 1 - sum(share for _, share, _ in ways))
        orders = sorted({noun for noun, _, _ in ways})
        ratios = dict.fromkeys(orders, 1.0)
        fits: dict[int, float] = {}
        if evidence is not None:
            found, for_empty, for_outside = evidence.evidence(pronoun, [mentions[order] for order in orders])
            said = dict.fromkeys(orders, 0.0)
            for noun, share, _ in ways:
                said[noun] += share
            ratios = evened(dict(zip(orders, found, strict=True)), said, prepared.entities)
            # A pronoun between that was weighed itself has its nouns weighed already: only it must fit this one.
            between = sorted(state.weighed.intersection(choice.candidates))
            fits = {order: evidence.fit(pronoun, mentions[order]) for order in between}
            empty *= for_empty
            # What such a pronoun has left for "outside" is as likely as its nouns.
            left = {order: refers * share for order, share in zip(choice.candidates, choice.shares, strict=True)}
            passed = {order: left[order] * state.outside[order] for order in between}
            outside = max(0.0, outside - sum(passed.values())) * for_outside
            outside += sum(mass * fits[order] for order, mass in passed.items())
        masses = dict.fromkeys(orders, 0.0)
        for noun, share, through in ways:
            masses[noun] += refers * share * fits.get(through, ratios[noun])
        if any(ratio != 1.0 for ratio in ratios.values()):
            state.weighed.add(choice.order)
        total = sum(masses.values()) + empty + outside
        shares = {order: mass / total for order, mass in masses.items()}
        state.nouns[choice.order] = shares
        state.outside[choice.order] = outside / total
        likely = {order: share for order, share in shares.items() if share >= LEAST}
        ranked = gathered(likely, prepared.entities)
        return Resolution(
            segment=pronoun.segment,
            token=token_in_segment(prepared.row, pronoun.index),
            antecedents=tuple(
                [
                    Antecedent(*place, pronoun.segment - place[0], mass)
                    for place, mass in ((prepared.places[order], mass) for order, mass in ranked)
                ]
            ),
            non_referential=empty / total,
            outside=outside / total,
        )

    def _ways(self, choice: Choice, state: _State) -> list[tuple[int, float, int]]:
        """Return all ways to nouns in the window: the noun, the probability, and the pronoun between or ``-1``.

        What a pronoun passes on is divided among its nouns again, by how well each suits this one too.
        """
        found: list[tuple[int, float, int]] = []
        suits = choice.suits
        for order, share in zip(choice.candidates, choice.shares, strict=True):
            if order in suits:  # a noun
                found.append((order, share, -1))
                continue
            passed = [(noun, p) for noun, p in state.nouns[order].items() if noun in suits]
            suited = [p * suits[noun] for noun, p in passed]
            whole = sum(suited)
            share *= sum([p for _, p in passed]) / whole if whole else 0.0
            found += [(noun, share * p, order) for (noun, _), p in zip(passed, suited, strict=True)]
        return found


class FeatureRanker(Ranker):
    """The ranker by its features alone, without the encoder: less often right, and some twelve times as fast."""

    def __init__(self, *, language: str = "en", window: int = 5) -> None:
        super().__init__(language=language, window=window, weights=load_weights(language))


@dataclass(frozen=True, slots=True)
class _State:
    """What is known of the pronouns resolved so far, by rank; ``weighed`` are those that a target side has weighed."""

    nouns: dict[int, dict[int, float]]
    outside: dict[int, float]
    weighed: set[int]


def _score(weights: Mapping[str, float], features: Sequence[str]) -> float:
    return sum(weights.get(feature, 0.0) for feature in features)
