"""LC and RC, lexical cohesion of a document (Wong and Kit, 2012, “Extending Machine Translation Evaluation Metrics …”).

Both look at the translation alone: how many of its content words take up a word that stands before them in the
document. RC counts repetitions; LC counts all devices of lexical cohesion, the words among them that are related to an
earlier one in a wordnet. The first word of a chain takes up nothing and is no device.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import ClassVar

import numpy as np

from endophora.errors import Fault, InputError
from endophora.languages.schema import LanguageRules
from endophora.metrics.records import FloatArray, Level, Reading, check_sizes, ratio
from endophora.metrics.texts import read_options
from endophora.metrics.wordnet import Wordnet, load_wordnet
from endophora.signature import format_signature
from endophora.version import __version__

DEVICES = ("repetition", "synonym", "superordinate", "collocation")
"""Devices in the order in which they are looked for; a word is counted as the first that it is."""


class LexicalCohesion:
    """Devices of lexical cohesion, or repetitions alone, per content word, between 0 and 1.

    A row of statistics is a document's: its content words, and how many of them are each device. A content word is one
    of the parts of speech that the language's rules name, without their stop lemmas. It is, in this order,

    - a *repetition* if its lemma stands before it in the document;
    - a *synonym* if it shares a synset with an earlier content word, or has one that is marked as similar to such a
      word's (a near-synonym);
    - a *superordinate* if a synset of one is the direct hypernym of a synset of the other;
    - a *collocation* if they are coordinate terms (synsets with a hypernym in common), part and whole, or antonyms.

    Without a wordnet there are repetitions only, and LC equals RC. Senses are not disambiguated, as in the paper.
    """

    higher_is_better: ClassVar[bool] = True
    maximum: ClassVar[float] = 1.0
    level: ClassVar[Level] = "document"
    columns: ClassVar[tuple[str, ...]] = ("content_words", *DEVICES)

    def __init__(self, rules: LanguageRules, wordnet: Wordnet | None = None, *, repetition_only: bool = False) -> None:
        self.name = "RC" if repetition_only else "LC"
        self.wordnet = wordnet
        self._rules = f"{rules.language}-{rules.hash}"
        self._boundary = rules.content_words.boundary
        self._counted = DEVICES[:1] if repetition_only else DEVICES

    @property
    def parts(self) -> tuple[str, ...]:
        """The ratio, and where there is a wordnet the share of each device."""
        devices = DEVICES if self.wordnet is not None and len(self._counted) > 1 else ()
        return (self.name, *(f"{self.name} {name}" for name in devices))

    def signature(self, *, references: int = 1, short: bool = False) -> str:  # noqa: ARG002
        """Return the wordnet, the rule file and the version; references are not read."""
        items = (
            ("level", "lv", "document"),
            ("wordnet", "wn", "none" if self.wordnet is None else self.wordnet.name),
            ("rules", "r", self._rules),
            ("version", "v", __version__),
        )
        return format_signature(items, short=short)

    def statistics(
        self,
        hypotheses: Sequence[Reading],
        references: Sequence[Sequence[Reading]],  # noqa: ARG002
        documents: Sequence[int] | None = None,
    ) -> FloatArray:
        """Return the statistics of one system's outputs, (documents, 5)."""
        if documents is None:
            raise InputError(Fault("E074", f"{self.name} is of documents, and none are given", "give document ids"))
        check_sizes(hypotheses, [], documents, needed=False)
        texts: list[list[tuple[str, str]]] = [[] for _ in range(max(documents, default=-1) + 1)]
        for reading, document in zip(hypotheses, documents, strict=True):
            texts[document] += ((self._word(lemma), upos) for lemma, upos in reading.lemmas)
        return np.array([self.count(text) for text in texts], dtype=np.float64).reshape(-1, len(self.columns))

    def count(self, words: Iterable[tuple[str, str]]) -> tuple[int, ...]:
        """Return the number of content words of a document, (lemma, part of speech), and how many are each device."""
        chain = _Chain(self.wordnet)
        total, counts = 0, Counter[str]()
        for lemma, upos in words:
            total += 1
            device = chain.add(lemma, upos)
            if device:
                counts[device] += 1
        return total, *(counts[name] for name in DEVICES)

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the ratio, (…, 5) → (…); NaN where there is no content word."""
        return self.figures(sums)[..., 0]

    def figures(self, sums: FloatArray) -> FloatArray:
        """Return the ratio and the shares of the devices, (…, 5) → (…, parts); NaN where there is no content word."""
        found = sums[..., 1:]
        whole = found[..., : len(self._counted)].sum(axis=-1, keepdims=True)
        counts = np.concatenate((whole, found), axis=-1)[..., : len(self.parts)]
        return ratio(counts, np.broadcast_to(sums[..., :1], counts.shape))

    def precision_and_recall(self, sums: FloatArray) -> None:  # noqa: ARG002
        """Return nothing: the ratios are no F-measures."""
        return

    def _word(self, lemma: str) -> str:
        """Return a lemma without the particles and endings that follow a boundary of morphemes."""
        return lemma.split(self._boundary)[0] or lemma if self._boundary else lemma


class _Chain:
    """The content words of one document so far, and what is related to them."""

    def __init__(self, wordnet: Wordnet | None) -> None:
        self._wordnet = wordnet
        self._lemmas: set[str] = set()
        self._senses: set[str] = set()
        self._similar: set[str] = set()
        self._above: set[str] = set()
        self._tied: set[str] = set()

    def add(self, lemma: str, upos: str) -> str:
        """Take the next word in, and return the device that it is, or nothing."""
        if lemma in self._lemmas:
            return DEVICES[0]
        self._lemmas.add(lemma)
        if self._wordnet is None:
            return ""
        senses = self._wordnet.senses(lemma, upos)
        found = [self._wordnet.related(sense) for sense in senses]
        above, similar, tied = (frozenset[str]().union(*(each[kind] for each in found)) for kind in range(3))
        tests = (
            senses & self._senses or senses & self._similar or similar & self._senses,
            senses & self._above or above & self._senses,
            above & self._above or senses & self._tied or tied & self._senses,
        )
        self._senses |= senses
        self._similar |= similar
        self._above |= above
        self._tied |= tied
        return next((name for name, found in zip(DEVICES[1:], tests, strict=True) if found), "")


def make_lc(rules: LanguageRules, argument: str = "") -> LexicalCohesion:
    """Return LC of a language with the wordnet that the argument names; empty for repetitions only."""
    options = read_options("lc", argument, ("wordnet",), "wordnet")
    return LexicalCohesion(rules, load_wordnet(options["wordnet"]) if options else None)


def make_rc(rules: LanguageRules, argument: str = "") -> LexicalCohesion:
    """Return RC of a language; it has no options."""
    read_options("rc", argument, ())
    return LexicalCohesion(rules, repetition_only=True)
