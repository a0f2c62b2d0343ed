"""Written words: what stands between spaces, with its particles and clitic pronouns, as one token.

Arabic and Hebrew write conjunctions, prepositions, the article and object or possessive pronouns together with the word
that they belong to. No pattern can separate them from its letters, so our tokens keep them; the analysis is that of
the word they lean on, and says of a clitic pronoun whose it is: ``Person[psor]``, ``Gender[psor]``, ``Number[psor]`` on
nouns, ``Person[obj]``, ``Gender[obj]``, ``Number[obj]`` elsewhere.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from endophora.annotate.annotator import parse_features

Row = list[str]

_WEIGHT: dict[str, int] = dict.fromkeys(("VERB", "NOUN", "PROPN", "ADJ", "NUM", "X", "SYM"), 3)
_WEIGHT.update(AUX=2, ADV=2, PRON=2, INTJ=2, DET=1, PUNCT=-1)
_NOMINAL = frozenset({"NOUN", "PROPN", "ADJ", "NUM"})
_LAYERED = ("Gender", "Number", "Person")


@dataclass(frozen=True, slots=True)
class _Group:
    """A written word: its rows, its surface, and the MISC that says whether a space follows."""

    rows: tuple[Row, ...]
    surface: str
    misc: str

    @property
    def open(self) -> bool:
        """Whether no space follows a letter."""
        return "SpaceAfter=No" in self.misc and _is_letter(self.surface[-1:])


def written_rows(rows: Sequence[Row]) -> list[Row]:
    """Return a sentence's CoNLL-U rows with one row a written word: ranges and adjoining letters are joined.

    Args:
        rows: the rows of one sentence, as written in the file.
    """
    groups: list[_Group] = []
    for group in _groups(rows):
        if groups and groups[-1].open and _is_letter(group.surface[:1]):
            last = groups.pop()
            group = _Group((*last.rows, *group.rows), last.surface + group.surface, group.misc)
        groups.append(group)
    place = {row[0]: str(number) for number, group in enumerate(groups, start=1) for row in group.rows}
    return _without_cycles([_joined(group, number, place) for number, group in enumerate(groups, start=1)])


def _is_letter(character: str) -> bool:
    return bool(character) and unicodedata.category(character)[0] in "LM"


def _groups(rows: Sequence[Row]) -> Iterable[_Group]:
    words = {int(row[0]): row for row in rows if row[0].isdecimal()}
    covered = 0
    for row in rows:
        first, _, last = row[0].partition("-")
        if "." in row[0] or int(first) <= covered:
            continue
        covered = int(last or first)
        yield _Group(tuple(words[index] for index in range(int(first), covered + 1)), row[1], row[9])


def _joined(group: _Group, number: int, place: Mapping[str, str]) -> Row:
    """Return the row of a written word: the analysis of its weightiest part, the head of the outermost above it."""
    weights = [_WEIGHT.get(row[3], 0) for row in group.rows]
    best = max(weights)
    index = weights.index(best) if best > 0 else len(weights) - 1 - weights[::-1].index(best)
    word = top = group.rows[index]
    inside = {row[0]: row for row in group.rows}
    for _ in group.rows:
        top = inside.get(top[6], top)
    head = top[6] if top[6] in ("0", "_") else place.get(top[6], "0")
    others = [row for row in group.rows if row is not word]
    features = _features(word, others)
    return [str(number), group.surface, *word[2:5], features, head, top[7], "_", group.misc]


def _without_cycles(rows: list[Row]) -> list[Row]:
    """Return rows that form a tree: joining can make two words each other's head; the later one's head is then kept."""
    for row in rows:
        seen: set[str] = set()
        current = row
        while current[6] not in ("0", "_") and current[0] not in seen:
            seen.add(current[0])
            above = rows[int(current[6]) - 1]
            if above is row:
                row[6], row[7] = _outside(row, rows, seen), "dep"
                break
            current = above
    return rows


def _outside(row: Row, rows: Sequence[Row], cycle: set[str]) -> str:
    """Return the word nearest to a cycle's row that hangs on none of the cycle; the root if there is none."""
    for other in sorted(rows, key=lambda other: abs(int(other[0]) - int(row[0]))):
        above, steps = other, 0
        while above[0] not in cycle and above[6] not in ("0", "_") and steps < len(rows):
            above, steps = rows[int(above[6]) - 1], steps + 1
        if above[6] == "0" and other[0] not in cycle:
            return other[0]
    return "0"


def _features(word: Row, others: Iterable[Row]) -> str:
    """Return a word's features with those of the article and of clitic pronouns written with it."""
    values = parse_features(word[5])
    layer = "psor" if word[3] in _NOMINAL else "obj"
    for other in others:
        added = parse_features(other[5])
        if other[3] == "PRON":
            values |= {f"{name}[{layer}]": added[name] for name in _LAYERED if name in added}
        elif added.get("Definite") == "Def" and word[3] in _NOMINAL:
            values["Definite"] = "Def"
    return "|".join(f"{name}={values[name]}" for name in sorted(values, key=str.lower)) or "_"
