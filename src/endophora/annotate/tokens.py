"""From a spaCy ``Doc`` to an :class:`AnnotatedText`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from endophora.annotate.records import AnnotatedText, Token

if TYPE_CHECKING:
    from spacy.tokens import Doc

_ATTRIBUTES = ["IDX", "LENGTH", "LEMMA", "POS", "TAG", "MORPH", "HEAD", "DEP", "ENT_IOB", "ENT_TYPE", "SENT_START"]
_INSIDE, _BEGIN = 1, 3
_SIGNED = 1 << 63


def parse_features(text: str) -> dict[str, str]:
    """Return FEATS (``"Case=Nom|Number=Sing"``, ``"_"`` or empty) as a mapping."""
    if text in ("", "_"):
        return {}
    parts = (pair.partition("=") for pair in text.split("|"))
    return {name: value for name, _, value in parts}


class DocReader:
    """Makes annotated texts of the docs of one vocabulary; equal strings and features are one object.

    Args:
        lookup: returns the string of a hash of that vocabulary.
    """

    def __init__(self, lookup: Callable[[int], str]) -> None:
        self._lookup = lookup
        self._strings: dict[int, str] = {0: ""}
        self._features: dict[int, dict[str, str]] = {}
        self._entities: dict[tuple[int, int], str] = {}

    def read(self, doc: Doc, text: str | None = None) -> AnnotatedText:
        """Return a doc's annotation; tokens of white space are dropped, their dependents go to their head.

        Args:
            doc: the doc.
            text: its text, if the doc has a cleaned copy of the same length.
        """
        text = doc.text if text is None else text
        rows = cast("list[list[int]]", cast("Any", doc).to_array(_ATTRIBUTES).tolist())
        kept = [index for index, row in enumerate(rows) if not text[row[0] : row[0] + row[1]].isspace()]
        heads = _heads(rows, kept)
        tokens: list[Token] = []
        sentences: list[int] = []
        previous = -1
        for index, head in zip(kept, heads, strict=True):
            start, length, lemma, upos, xpos, morph, _, relation, iob, entity, _ = rows[index]
            if previous < 0 or any(row[10] == 1 for row in rows[previous + 1 : index + 1]):
                sentences.append(len(tokens))
            previous = index
            form = text[start : start + length]
            tokens.append(
                Token(
                    form=form,
                    lemma=self._string(lemma) or form,
                    upos=self._string(upos),
                    xpos=self._string(xpos),
                    features=self._feature_map(morph),
                    head=head,
                    relation=self._string(relation).lower(),
                    entity=self._entity(iob, entity),
                    start=start,
                    end=start + length,
                )
            )
        return AnnotatedText(text, tuple(tokens), tuple(sentences))

    def _string(self, key: int) -> str:
        value = self._strings.get(key)
        if value is None:
            value = self._strings[key] = self._lookup(key)
        return value

    def _feature_map(self, key: int) -> dict[str, str]:
        value = self._features.get(key)
        if value is None:
            value = self._features[key] = parse_features(self._string(key))
        return value

    def _entity(self, iob: int, kind: int) -> str:
        if iob not in (_INSIDE, _BEGIN):
            return ""
        value = self._entities.get((iob, kind))
        if value is None:
            value = self._entities[iob, kind] = ("I-" if iob == _INSIDE else "B-") + self._string(kind)
        return value


def _heads(rows: Sequence[Sequence[int]], kept: Sequence[int]) -> list[int]:
    """Return the head of each kept row among the kept rows; -1 for a root or where nothing is parsed."""
    place = {index: position for position, index in enumerate(kept)}
    heads: list[int] = []
    for index in kept:
        head, last = index + _signed(rows[index][6]), index
        while head != last and head not in place:
            head, last = head + _signed(rows[head][6]), head
        heads.append(-1 if head in (last, index) else place[head])
    return heads


def _signed(value: int) -> int:
    """Return the signed number that spaCy stores as an unsigned one of 64 bits."""
    return value - 2 * _SIGNED if value >= _SIGNED else value
