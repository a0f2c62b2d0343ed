"""A neural resolver: mention chains of the ``fastcoref`` library (Otmazgin et al. 2022), an extra.

The library gives chains without probabilities, so that the nearest noun of a pronoun's chain has probability 1, and
a pronoun in no chain stands outside; it says nothing of non-referential pronouns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.lexicon import load_lexicon
from endophora.corefer.mentions import Discourse, Mention, find_mentions, read_discourse
from endophora.corefer.records import Resolution
from endophora.corefer.resolvers import as_antecedent, place
from endophora.errors import Fault, MissingModelError
from endophora.signature import write_signature

Clusters = Sequence[Sequence[tuple[int, int]]]
Predict = Callable[[str], Clusters]


def load_fastcoref() -> Predict:
    """Return a function from a text to its mention chains, each mention a pair of character offsets.

    Raises:
        MissingModelError: the library is not installed (E063), or its model cannot be fetched (E064).
    """
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


class FastCoref:
    """Takes the mention chains of ``fastcoref``, and looks at no target side.

    Args:
        predict: from a text to its mention chains; the library's model if not given.
    """

    def __init__(self, *, language: str = "en", window: int = 5, predict: Predict | None = None) -> None:
        self._lexicon = load_lexicon(language)
        self._window = window
        self._predict = load_fastcoref() if predict is None else predict

    @property
    def signature(self) -> str:
        """Name, model and window."""
        library = f"fastcoref-{version('fastcoref')}" if find_spec("fastcoref") else "none"
        model = ("model", "biu-nlp/f-coref"), ("library", library), ("window", self._window)
        return write_signature([("resolver", f"fastcoref-{self._lexicon.language}"), *model])

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
        whole = "\n".join(text.text for text in source)
        chains = [[_spanned(row, span, source) for span in cluster] for cluster in self._predict(whole)]
        chain_of = {indices: number for number, chain in enumerate(chains) for indices in chain if indices}
        return [
            self._resolve(row, mentions, mention, chains, chain_of.get((mention.index,), -1))
            for mention in mentions
            if mention.group
        ]

    def _resolve(
        self,
        row: Discourse,
        mentions: Sequence[Mention],
        pronoun: Mention,
        chains: Sequence[Sequence[tuple[int, ...]]],
        chain: int,
    ) -> Resolution:
        heads = {_head(row, indices) for indices in chains[chain]} if chain >= 0 else set[tuple[int, bool]]()
        found = next(
            (
                mention
                for mention in reversed(mentions[: pronoun.order])
                if mention.nominal
                and (mention.index, mention.coordinated) in heads
                and pronoun.segment - mention.segment <= self._window
            ),
            None,
        )
        antecedents = () if found is None else (as_antecedent(row, found, pronoun, 1.0),)
        return Resolution(pronoun.segment, place(row, pronoun.index), antecedents, 0.0, 0.0 if antecedents else 1.0)


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
