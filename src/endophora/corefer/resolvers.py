"""The resolvers by name, and the baseline: each pronoun stands for the nearest noun of its number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.lexicon import load_lexicon
from endophora.corefer.mentions import Discourse, Mention, find_mentions, read_discourse
from endophora.corefer.records import Antecedent, Resolution, Resolver
from endophora.registry import Registry

DEFAULT = "ranker"

RESOLVERS: Registry[Callable[..., Resolver]] = Registry(
    "resolver",
    {
        "ranker": "endophora.corefer.ranker:Ranker",
        "nearest": "endophora.corefer.resolvers:Nearest",
        "fastcoref": "endophora.corefer.neural:FastCoref",
    },
)


def load_resolver(name: str | None = None, *, language: str = "en", window: int = 5) -> Resolver:
    """Return a resolver.

    Raises:
        InputError: the name is unknown (E090), or the resolver does not know the language (E060).
        MissingModelError: the resolver's library or model is not installed (E061).
    """
    return RESOLVERS.get(name or DEFAULT)(language=language, window=window)


class Nearest:
    """Takes the nearest preceding noun that agrees in number, and looks at no target side."""

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
        return [self._resolve(row, mentions, mention) for mention in mentions if mention.group]

    def _resolve(self, row: Discourse, mentions: Sequence[Mention], pronoun: Mention) -> Resolution:
        found = next(
            (
                mention
                for mention in reversed(mentions[: pronoun.order])
                if mention.nominal
                and pronoun.segment - mention.segment <= self._window
                and mention.number in {"", pronoun.number}
                and mention.governor != pronoun.index
                and pronoun.index not in mention.tokens
            ),
            None,
        )
        expletive = 1.0 if row.relation[pronoun.index] == "expl" else 0.0
        antecedents = () if found is None or expletive else (as_antecedent(row, found, pronoun, 1.0),)
        outside = 0.0 if antecedents or expletive else 1.0
        return Resolution(pronoun.segment, place(row, pronoun.index), antecedents, expletive, outside)


def place(row: Discourse, index: int) -> int:
    """Return the index within its segment of a token given by its document-wide index."""
    return index - row.first[row.segment[index]]


def as_antecedent(row: Discourse, mention: Mention, pronoun: Mention, probability: float) -> Antecedent:
    """Return a noun mention as the antecedent of a pronoun."""
    first = row.first[mention.segment]
    return Antecedent(
        segment=mention.segment,
        head=mention.index - first,
        tokens=tuple(index - first for index in mention.tokens),
        distance=pronoun.segment - mention.segment,
        probability=probability,
    )
