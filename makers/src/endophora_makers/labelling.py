"""Labels for words without any: a taught tagger's, corrected by what is known of the words beforehand.

A teacher, trained on the language's UD text, gives each word a distribution over labels (UPOS and features). Every
label is corrected by the known facts, the probabilities of labels that then are the same add up, and the most likely
wins. So the facts decide the values, and the teacher decides what they leave open: VERB or AUX, and which features a
word bears.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from spacy.tokens import Doc

from endophora.annotate.annotator import parse_features
from endophora_makers.conllu import Word, join_features

if TYPE_CHECKING:
    from spacy.language import Language

_FLOOR = 1e-9
_CHUNK = 64
_NONE: Mapping[str, float] = {}

Label = tuple[str, str]
"""UPOS and FEATS."""


@cache
def kind(upos: str, features: str) -> str:
    """Return the part of speech, with the verb form if there is one: what taggers have tags for."""
    form = parse_features(features).get("VerbForm")
    return f"{upos}/{form}" if form else upos


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a word's label beforehand.

    Attributes:
        upos: the parts of speech that it may have; empty if any.
        features: feature → the values that it may have, if the word bears it at all.
        fixed: a label that does not bear these of ``features`` with an allowed value is ruled out.
        absent: a label that bears one of these is ruled out.
        sets: feature → value that the word bears in any case, or ``None`` if it does not; applied last.
        only: the parts of speech that ``features`` and ``sets`` hold for; empty if for all.
    """

    upos: frozenset[str] = frozenset()
    features: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fixed: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    sets: Mapping[str, str | None] = field(default_factory=dict[str, "str | None"])
    lemma: str | None = None
    only: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[object, ...]:
        """What decides the correction of labels, to be looked up."""
        given = (tuple(sorted(self.features.items())), tuple(sorted(self.sets.items())))
        return (self.upos, self.fixed, self.absent, self.only, *given)

    def correct(self, upos: str, values: Mapping[str, str]) -> Label | None:
        """Return a corrected label; ``None`` if it is ruled out."""
        if (self.upos and upos not in self.upos) or not self.absent.isdisjoint(values):
            return None
        if self.only and upos not in self.only:
            return upos, join_features(dict(values))
        if any(values.get(name) not in self.features[name] for name in self.fixed & self.features.keys()):
            return None
        right = {
            name: self.features[name][0] if name in self.features and value not in self.features[name] else value
            for name, value in values.items()
        }
        right |= {name: value for name, value in self.sets.items() if value is not None}
        return upos, join_features(
            {name: value for name, value in right.items() if self.sets.get(name, "") is not None}
        )

    def lemma_of(self, upos: str, values: Mapping[str, str]) -> str | None:
        """Return the lemma of a word that has this label, if it is known."""
        del values
        return self.lemma if not self.only or upos in self.only else None


class Labeller:
    """Labels words by a teacher and by facts.

    Args:
        sure: a word whose label is less probable than this, among those that the facts allow, stays unlabelled.
    """

    def __init__(self, teacher: Language, sure: float = 0.0) -> None:
        self._nlp = teacher
        self._encoder = cast("Any", teacher.get_pipe("tok2vec"))
        self._tagger = cast("Any", teacher.get_pipe("morphologizer"))
        self._labels = [_split(str(name)) for name in self._tagger.labels]
        self._corrections: dict[tuple[object, ...], list[tuple[int, Label]]] = {}
        self._sure = max(sure, _FLOOR)

    def label(
        self,
        texts: Sequence[Sequence[Word]],
        facts: Sequence[Sequence[Facts]],
        opinions: Sequence[Sequence[Mapping[str, float]]] | None = None,
    ) -> Iterator[tuple[Word, ...]]:
        """Yield the words of each text with UPOS and features, without syntax.

        Args:
            opinions: how probable another tagger finds each :func:`kind` of word; ``""`` stands for all others.
        """
        given = opinions or [[_NONE] * len(words) for words in texts]
        for start in range(0, len(texts), _CHUNK):
            chunk = texts[start : start + _CHUNK]
            docs = [Doc(self._nlp.vocab, words=[w.form for w in t], spaces=[w.space for w in t]) for t in chunk]
            self._encoder.set_annotations(docs, self._encoder.predict(docs))
            scores = cast("list[Any]", self._tagger.model.predict(docs))
            stop = start + _CHUNK
            for words, known, told, rows in zip(chunk, facts[start:stop], given[start:stop], scores, strict=True):
                each = zip(words, known, told, _probabilities(rows), strict=True)
                yield tuple(self._decide(word, fact, row, opinion) for word, fact, opinion, row in each)

    def _decide(self, word: Word, known: Facts, row: Any, opinion: Mapping[str, float]) -> Word:
        """Return a word with its most likely label once all labels are corrected."""
        if known.key not in self._corrections:
            corrected = ((index, known.correct(*label)) for index, label in enumerate(self._labels))
            self._corrections[known.key] = [(index, label) for index, label in corrected if label]
        mass: dict[Label, float] = defaultdict(float)
        for index, label in self._corrections[known.key]:
            mass[label] += float(row[index]) * (opinion.get(kind(*label), opinion[""]) if opinion else 1.0)
        best = max(mass, key=mass.__getitem__, default=None)
        if best is None or mass[best] < self._sure * sum(mass.values()):
            return replace(word, upos="_", features="_", head=None, relation="_")
        lemma = known.lemma_of(best[0], parse_features(best[1])) or word.lemma
        return replace(word, upos=best[0], features=best[1], lemma=lemma, head=None, relation="_")


def _probabilities(scores: Any) -> Any:
    """Return the distribution over labels of each word: the tagger's network ends before its softmax."""
    shifted = np.exp(np.asarray(scores) - np.max(scores, axis=-1, keepdims=True)) if len(scores) else scores
    return shifted / shifted.sum(axis=-1, keepdims=True) if len(scores) else shifted


def _split(name: str) -> tuple[str, dict[str, str]]:
    values = parse_features(name)
    return values.pop("POS", ""), values
