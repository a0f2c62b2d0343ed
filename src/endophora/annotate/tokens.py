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
_MOST = 20_000
"""Strings that a reader keeps; lemmas of names are without number."""


def parse_features(text: str) -> dict[str, str]:
    """Return FEATS (``"Case=Nom|Number=Sing"``, ``"_"`` or empty) as a mapping."""
    if text in ("", "_"):
        return {}
    parts = (pair.partition("=") for pair in text.split("|"))
    return {name: value for name, _, value in parts}


class DocReader:
    """Makes annotated texts of the docs of one vocabulary; equal strings and features are one object."""

    def __init__(self, lookup: Callable[[int], str]) -> None:
        self._lookup = lookup
        self._strings: dict[int, str] = {0: ""}
        self._features: dict[int, dict[str, str]] = {}
        self._entities: dict[tuple[int, int], str] = {}

    def read(self, doc: Doc, text: str | None = None) -> AnnotatedText:
        """Return a doc's annotation; tokens of white space are dropped, their dependents go to their head.

        Args:
            text: its text, if the doc has a cleaned copy of the same length.
        """
        text = doc.text if text is None else text
        rows = cast("list[list[int]]", cast("Any", doc).to_array(_ATTRIBUTES).tolist())
        forms = [text[row[0] : row[0] + row[1]] for row in rows]
        kept = [index for index, form in enumerate(forms) if not form.isspace()]
        heads = _heads(rows, kept)
        string, features = self._string, self._feature_map
        tokens: list[Token] = []
        sentences: list[int] = []
        previous = -1
        for index, head in zip(kept, heads, strict=True):
            start, length, lemma, upos, xpos, morph, _, relation, iob, entity, starts = rows[index]
            # A sentence may start with white space, which is dropped.
            if previous < 0 or starts == 1 or (index > previous + 1 and _start_within(rows, previous + 1, index)):
                sentences.append(len(tokens))
            previous = index
            form = forms[index]
            tokens.append(
                Token(
                    form,
                    string(lemma) or form,
                    string(upos),
                    string(xpos),
                    features(morph),
                    head,
                    string(relation).lower(),
                    self._entity(iob, entity) if iob else "",
                    start,
                    start + length,
                )
            )
        return AnnotatedText(text, tuple(tokens), tuple(sentences))

    def _string(self, key: int) -> str:
        value = self._strings.get(key)
        if value is None:
            if len(self._strings) > _MOST:
                self._strings = {0: ""}
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


def _start_within(rows: Sequence[Sequence[int]], first: int, end: int) -> bool:
    """Tell whether one of some rows starts a sentence."""
    return any(row[10] == 1 for row in rows[first:end])


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
