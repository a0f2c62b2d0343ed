"""A second tagger's opinion: the probability of a kind of word given the tag that another library gives to it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, Literal, cast

from endophora.errors import Fault, MissingModelError
from endophora.record import Fixed
from endophora_makers.conllu import Sentence, Word
from endophora_makers.labelling import kind

_SMOOTH = 0.5
_LEAST = 0.003


class SecondTagger(Fixed):
    """Which library, and what is taken from it.

    Attributes:
        library: the library; only training needs it.
        lemmas: parts of speech of words without lemma that take the library's.
    """

    library: Literal["HanTa"]
    model: str
    lemmas: tuple[str, ...] = ()


class Opinions:
    """What the second tagger says of words.

    Args:
        gold: text with parts of speech, from which it is learned what its tags mean.

    Raises:
        MissingModelError: the library is not installed (E085).
    """

    def __init__(self, config: SecondTagger, gold: Iterable[Sentence]) -> None:
        if find_spec(config.library) is None:
            raise MissingModelError(
                Fault("E085", f"the tagger “{config.library}” is missing", f"install it: pip install {config.library}")
            )
        module: Any = __import__(f"{config.library}.HanoverTagger", fromlist=["HanoverTagger"])
        self._tagger = module.HanoverTagger(config.model)
        self._lemmas = frozenset(config.lemmas)
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in gold:
            for word, (_, tag) in zip(sentence.words, self._read(sentence.words), strict=True):
                counts[tag][kind(word.upos, word.features)] += word.upos != "_"
        self._given = {tag: _shares(count) for tag, count in counts.items()}

    def _read(self, words: Sequence[Word]) -> list[tuple[str, str]]:
        """Return lemma and tag of each word."""
        rows = cast("list[tuple[str, str, str]]", self._tagger.tag_sent([word.form for word in words]))
        return [(lemma, tag) for _, lemma, tag in rows]

    def read(self, words: Sequence[Word]) -> tuple[list[Mapping[str, float]], list[str]]:
        """Return the probabilities of kinds of words (``""`` stands for all others) and the lemma of each word."""
        rows = self._read(words)
        return [self._given.get(tag, {}) for _, tag in rows], [lemma for lemma, _ in rows]

    def lemmatised(self, words: Sequence[Word], lemmas: Sequence[str]) -> tuple[Word, ...]:
        """Return words with the second tagger's lemmas where they have none."""
        return tuple(
            replace(word, lemma=lemma) if word.lemma == "_" and word.upos in self._lemmas and lemma else word
            for word, lemma in zip(words, lemmas, strict=True)
        )


def _shares(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values()) + _SMOOTH
    return {upos: max(count / total, _LEAST) for upos, count in counts.items()} | {"": _LEAST}
