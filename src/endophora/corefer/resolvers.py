"""The resolvers by name, and two that look at no target side: the nearest noun, and that of fastcoref's chain.

The ``fastcoref`` library (Otmazgin et al. 2022) is an extra. It gives chains without probabilities, so that the nearest
noun of a pronoun's chain has probability 1, and a pronoun in no chain stands outside; it says nothing of
non-referential pronouns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.mentions import Discourse, Mention, find_mentions, load_lexicon, read_data, read_discourse
from endophora.corefer.records import Antecedent, Resolution, Resolver
from endophora.errors import Fault, MissingModelError
from endophora.registry import Registry
from endophora.signature import write_signature

DEFAULT = "ranker"
EVERY = "salience"
"""The resolver of languages that the default has no weights for."""

RESOLVERS: Registry[Callable[..., Resolver]] = Registry(
    "resolver",
    {
        "ranker": "endophora.corefer.ranker:Ranker",
        "nearest": "endophora.corefer.resolvers:Nearest",
        "fastcoref": "endophora.corefer.resolvers:FastCoref",
        "salience": "endophora.corefer.salience:Salience",
        "features": "endophora.corefer.ranker:FeatureRanker",
    },
)

Clusters = Sequence[Sequence[tuple[int, int]]]
"""Mention chains; each mention is a pair of character offsets."""
Predict = Callable[[str], Clusters]
Fits = Callable[[Mention, Mention], bool]


def load_resolver(name: str | None = None, *, language: str = "en", window: int = 5) -> Resolver:
    """Return a resolver (E090, unknown; E060, of another language; E030, language without rules; E061, no weights)."""
    return RESOLVERS.get(name or (DEFAULT if has_weights(language) else EVERY))(language=language, window=window)


def has_weights(language: str) -> bool:
    """Return whether the default resolver has weights for a language."""
    return read_data(f"{language}.json") is not None


class Nearest:
    """Takes the nearest preceding noun that agrees in number."""

    def __init__(self, *, language: str = "en", window: int = 5) -> None:
        self._lexicon = load_lexicon(language)
        self._window = window

    @property
    def signature(self) -> str:
        """Name and window."""
        return f"nearest-{self._lexicon.language}|window:{self._window}"

    def resolve(
        self,
        source: Sequence[AnnotatedText],
        target: Sequence[AnnotatedText] | None = None,
        links: Sequence[Sequence[Link]] | None = None,
    ) -> list[Resolution]:
        """Resolve the pronouns of one document; the target side is not used."""
        del target, links
        row = read_discourse(source)
        mentions = find_mentions(row, self._lexicon)
        fits = self._fits(row, source)
        return [self._resolve(row, mentions, mention, fits) for mention in mentions if mention.group]

    def _fits(self, row: Discourse, source: Sequence[AnnotatedText]) -> Fits:
        """Return what says whether a pronoun may stand for a noun before it."""
        del source

        def agrees(pronoun: Mention, noun: Mention) -> bool:
            apart = noun.governor != pronoun.index and pronoun.index not in noun.tokens
            expletive = row.relation[pronoun.index] == "expl"
            return apart and not expletive and noun.number in {"", pronoun.number}

        return agrees

    def _expletive(self, row: Discourse, pronoun: Mention) -> float:
        return 1.0 if row.relation[pronoun.index] == "expl" else 0.0

    def _resolve(self, row: Discourse, mentions: Sequence[Mention], pronoun: Mention, fits: Fits) -> Resolution:
        nouns = (noun for noun in reversed(mentions[: pronoun.order]) if noun.nominal and fits(pronoun, noun))
        found = next((noun for noun in nouns if pronoun.segment - noun.segment <= self._window), None)
        expletive = self._expletive(row, pronoun)
        antecedents = () if found is None else (as_antecedent(row, found, pronoun, 1.0),)
        outside = 0.0 if antecedents or expletive else 1.0
        return Resolution(pronoun.segment, token_in_segment(row, pronoun.index), antecedents, expletive, outside)


def load_fastcoref() -> Predict:
    """Return a function from a text to its mention chains (E063, E064)."""
    try:
        library: Any = import_module("fastcoref")
    except ImportError as error:
        advice = "pip install fastcoref, or use the default resolver"
        raise MissingModelError(Fault("E063", "the library fastcoref is not installed", advice)) from error
    try:
        model: Any = library.FCoref(device="cpu")
    except OSError as error:
        advice = "fetch it once while online: huggingface-cli download biu-nlp/f-coref"
        raise MissingModelError(Fault("E064", "the model biu-nlp/f-coref is not there", advice)) from error

    def _predict(text: str) -> Clusters:
        return model.predict(texts=[text])[0].get_clusters(as_strings=False)

    return _predict


class FastCoref(Nearest):
    """Takes the nearest preceding noun of the pronoun's chain; ``predict`` gives the chains of a text."""

    def __init__(self, *, language: str = "en", window: int = 5, predict: Predict | None = None) -> None:
        super().__init__(language=language, window=window)
        self._predict = load_fastcoref() if predict is None else predict

    @property
    def signature(self) -> str:
        """Name, model and window."""
        library = f"fastcoref-{version('fastcoref')}" if find_spec("fastcoref") else "none"
        model = ("model", "biu-nlp/f-coref"), ("library", library), ("window", self._window)
        return write_signature([("resolver", f"fastcoref-{self._lexicon.language}"), *model])

    def _fits(self, row: Discourse, source: Sequence[AnnotatedText]) -> Fits:
        clusters = self._predict("\n".join(text.text for text in source))
        chains = [[_spanned(row, span, source) for span in cluster] for cluster in clusters]
        chain_of = {indices: number for number, chain in enumerate(chains) for indices in chain if indices}
        heads = [{_head(row, indices) for indices in chain} for chain in chains]

        def together(pronoun: Mention, noun: Mention) -> bool:
            chain = chain_of.get((pronoun.index,))
            return chain is not None and (noun.index, noun.coordinated) in heads[chain]

        return together

    def _expletive(self, row: Discourse, pronoun: Mention) -> float:
        del row, pronoun
        return 0.0


def _spanned(row: Discourse, span: tuple[int, int], source: Sequence[AnnotatedText]) -> tuple[int, ...]:
    """Return the document-wide indices of the tokens within two offsets of the joined text."""
    start, end = span
    offset = 0
    for segment, text in enumerate(source):
        if offset <= start <= offset + len(text.text):
            first = row.first[segment]
            return tuple(
                first + index
                for index, token in enumerate(text.tokens)
                if token.start >= start - offset and token.end <= end - offset
            )
        offset += len(text.text) + 1
    return ()


def _head(row: Discourse, indices: tuple[int, ...]) -> tuple[int, bool]:
    """Return the head of a span, and whether it is a coordination."""
    inside = frozenset(indices)
    head = next((index for index in indices if row.head[index] not in inside), -1)
    return head, any(row.head[index] == head and row.relation[index] == "conj" for index in indices)


def token_in_segment(row: Discourse, index: int) -> int:
    """Return the index within its segment of a token given by its document-wide index."""
    return index - row.first[row.segment[index]]


def as_antecedent(row: Discourse, mention: Mention, pronoun: Mention, probability: float) -> Antecedent:
    """Return a noun mention as the antecedent of a pronoun."""
    return Antecedent(*place_of(row, mention), pronoun.segment - mention.segment, probability)


def place_of(row: Discourse, mention: Mention) -> tuple[int, int, tuple[int, ...]]:
    """Return the segment of a mention, its head and all its tokens in the segment."""
    first = row.first[mention.segment]
    return mention.segment, mention.index - first, tuple([index - first for index in mention.tokens])
