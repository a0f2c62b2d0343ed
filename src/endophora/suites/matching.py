"""Whether an output has the form that is expected of it: how texts are compared, and by which criterion."""

from __future__ import annotations

import string
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from endophora.errors import Fault, InputError
from endophora.suites.records import Criterion, Item

RIGHT, WRONG, UNDECIDED = 1, 0, -1
"""The outcomes of an item; an undecided one is not counted."""


@dataclass(frozen=True, slots=True)
class Matching:
    """How an output and a form are compared, both in lower case.

    Attributes:
        description: in one line.
        symbols: which characters are punctuation: ``unicode`` (all that Unicode calls so, and ASCII's symbols) or
            ``ascii``.
        spaced: punctuation becomes a space, and is not simply left out.
        forms: whether the expected form is treated so too.
        whole: a form has to be a whole word (or words); if not, it may stand anywhere.
    """

    description: str
    symbols: str = "unicode"
    spaced: bool = False
    forms: bool = True
    whole: bool = True


DEFAULT_MATCHING: dict[Criterion, str] = {"present": "unicode", "absent": "spaced", "matched": "unicode"}
"""For each criterion the way of comparing that its publication used, but for punctuation that is not ASCII."""

MATCHINGS: dict[str, Matching] = {
    "unicode": Matching("whole words, all punctuation left out"),
    "ascii": Matching("whole words, ASCII punctuation left out of outputs: as published", symbols="ascii", forms=False),
    "spaced": Matching("whole words, punctuation separates words, so that elided forms are found", spaced=True),
    "substring": Matching("anywhere in the text, for scripts without spaces", whole=False),
}
"""Ways of comparing by name."""


def find_matching(name: str) -> Matching:
    """Return a way of comparing.

    Raises:
        InputError: there is none of this name (E181).
    """
    if name not in MATCHINGS:
        known = "; ".join(f"{key} ({matching.description})" for key, matching in MATCHINGS.items())
        raise InputError(Fault("E181", f"“{name}” is no way of comparing", f"known: {known}", "--match"))
    return MATCHINGS[name]


class _Table(dict[int, int | None]):
    """A table for ``str.translate`` that is filled as characters are met."""

    def __init__(self, symbols: str, spaced: bool) -> None:
        super().__init__({ord(character): ord(" ") if spaced else None for character in string.punctuation})
        self._ascii, self._instead = symbols == "ascii", ord(" ") if spaced else None

    def __missing__(self, code: int) -> int | None:
        punctuation = not self._ascii and unicodedata.category(chr(code)).startswith("P")
        self[code] = self._instead if punctuation else code
        return self[code]


@cache
def _table(symbols: str, spaced: bool) -> _Table:
    return _Table(symbols, spaced)


def normalise(texts: Sequence[str], matching: Matching) -> list[str]:
    """Return texts as they are compared: lower case, without punctuation. A line break in a text becomes a space."""
    # All at once: a call a text would cost more than the work.
    joined = "\n".join(text.replace("\n", " ") if "\n" in text else text for text in texts)
    return joined.lower().translate(_table(matching.symbols, matching.spaced)).split("\n") if texts else []


def judge(items: Sequence[Item], outputs: Sequence[str], matching: Matching) -> list[int]:
    """Return the outcome of each item.

    Args:
        items: what is expected.
        outputs: for each item the part of a system's output that is looked at.
        matching: how they are compared.

    Returns:
        for each item :data:`RIGHT`, :data:`WRONG` or :data:`UNDECIDED`.
    """
    texts = normalise(outputs, matching)
    forms = _Forms(matching)
    return [
        forms.judge(item, text) if item.criterion != "matched" else _matched(item, output, matching.whole)
        for item, text, output in zip(items, texts, outputs, strict=True)
    ]


def _matched(item: Item, output: str, whole: bool) -> int:
    """Return the outcome of an item of phrases: as published, they are compared as they stand, capitals too.

    A phrase is found if all its words are among the output's (Nadejde et al., 2022, and their scorer), in a script
    without spaces if it is part of the output.
    """
    words = frozenset(output.split())

    def found(phrases: Iterable[str]) -> bool:
        """Tell whether any phrase is found."""
        return any((words.issuperset(phrase.split()) if whole else phrase in output) for phrase in phrases if phrase)

    right, wrong = found(item.expected), found(item.forbidden)
    if right == wrong:
        return UNDECIDED
    return RIGHT if right else WRONG


class _Forms:
    """The forms of items as they are compared, each made once."""

    def __init__(self, matching: Matching) -> None:
        self._matching = matching
        self._known: dict[str, str] = {}

    def judge(self, item: Item, text: str) -> int:
        """Return the outcome of an item, given the normalised output."""
        padded = f" {text} " if self._matching.whole else text
        if item.criterion == "present":
            known = self._known
            for form in item.expected:
                sought = known.get(form)
                if sought is None:
                    sought = self._sought(form)
                if (sought in padded) if " " not in sought[1:-1] else self._spans(sought, padded):
                    return RIGHT
            return WRONG
        found = any(self._spans(self._known.get(form) or self._sought(form), padded) for form in item.forbidden)
        return WRONG if found else RIGHT

    def _sought(self, form: str) -> str:
        """Return what is looked for; what can never be found where nothing is left of a form."""
        words = normalise([form], self._matching)[0] if self._matching.forms else form.lower()
        bare = " ".join(words.split()) if self._matching.forms else words
        self._known[form] = "\n" if not bare else f" {bare} " if self._matching.whole else bare
        return self._known[form]

    def _spans(self, sought: str, padded: str) -> bool:
        """Look for several words, between which a text may have more than one space."""
        if sought in padded or "  " not in padded or not self._matching.forms:
            return sought in padded
        return sought in f" {' '.join(padded.split())} "
