"""Read CoNLL-U into sentences of surface tokens.

A multi-word token becomes surface tokens again, since that is what a tokenizer sees: it is split before the hyphens
of clitics (*fazê-lo* = *fazê* + *-lo*) and, unless asked otherwise, where its surface is the parts joined (*don't* =
*do* + *n't*); else it is merged into one token with the analysis of its head (*zum* = *zu*).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

from endophora.annotate.records import VERBS
from endophora.errors import Fault, InputError
from endophora_makers.orthographic_words import written_rows

_COLUMNS = 10
_AUXILIARY = ("Number", "Person", "Polarity")
_CONDITIONAL = "aux:cnd"


@dataclass(frozen=True, slots=True)
class Word:
    """One surface token of a treebank sentence.

    Attributes:
        lemma: the lemma; ``_`` where the treebank has none.
        upos: universal part of speech, or ``_``.
        xpos: the treebank's own tag, or ``_``.
        head: index of the head in the sentence, ``-1`` for the root, ``None`` where there is no syntax.
        entity: IOB tag, or ``_`` where entities are not annotated.
    """

    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    features: str = "_"
    head: int | None = None
    relation: str = "_"
    space: bool = True
    misc: str = "_"
    entity: str = "_"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One treebank sentence.

    Attributes:
        document: id of the document it belongs to; empty if the file names none.
    """

    words: tuple[Word, ...]
    id: str = ""
    document: str = ""
    comments: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def given_text(self) -> str:
        """The text that the treebank states, or nothing."""
        return next((c.partition("=")[2].strip() for c in self.comments if c.startswith("# text =")), "")

    @property
    def text(self) -> str:
        """The sentence as running text, without trailing space."""
        return "".join(word.form + " " * word.space for word in self.words).rstrip()


def join_features(values: dict[str, str]) -> str:
    """Return a mapping of features as FEATS, sorted as Universal Dependencies asks."""
    return "|".join(f"{name}={values[name]}" for name in sorted(values, key=str.lower)) or "_"


def read_conllu(
    lines: Iterable[str], file: str = "", *, merge: bool = False, written: bool = False
) -> Iterator[Sentence]:
    """Read CoNLL-U.

    Args:
        merge: whether a multi-word token stays whole where it is its parts joined: for languages in which no tokenizer
            distinguishes such a token (Spanish *dar* + *le*) from a word that only looks like one (*muerte*).
        written: whether all that is written together is one token, as
            :func:`~endophora_makers.orthographic_words.written_rows` has it.

    Raises:
        InputError: a line has no ten columns, or an id or head is no number (E080); all such lines at once.
    """
    faults: list[Fault] = []
    rows: list[list[str]] = []
    comments: list[str] = []
    document = ""
    for number, raw in enumerate(lines, start=1):
        line = raw.rstrip("\r\n")
        if not line.strip():
            if rows:
                yield _sentence(written_rows(rows) if written else rows, comments, document, merge)
            rows, comments = [], []
        elif line.startswith("#"):
            comments.append(line)
            if line.startswith("# newdoc id"):
                document = line.partition("=")[2].strip()
        else:
            row = line.split("\t")
            if _valid(row):
                rows.append(row)
            else:
                cause = f"{len(row)} columns, id “{row[0]}”" if len(row) != _COLUMNS else "a wrong id or head"
                faults.append(Fault("E080", cause, "CoNLL-U has ten columns parted by tabs", file, number))
    if rows:
        yield _sentence(written_rows(rows) if written else rows, comments, document, merge)
    if faults:
        raise InputError(faults)


def _valid(row: list[str]) -> bool:
    first, _, last = row[0].replace(".", "-").partition("-")
    numbers = first.isdecimal() and (last == "" or last.isdecimal())
    return len(row) == _COLUMNS and numbers and (row[6] == "_" or row[6].isdecimal())


def _sentence(rows: list[list[str]], comments: list[str], document: str, merge: bool) -> Sentence:
    """Build a sentence from its rows: ranges (``3-4``) are split or merged, empty nodes (``5.1``) dropped."""
    words = {int(row[0]): row for row in rows if row[0].isdecimal()}
    groups: list[list[int]] = []
    spaces: list[bool] = []
    surfaces: list[str] = []
    covered = 0
    for row in rows:
        if "." in row[0]:
            continue
        first, _, last = row[0].partition("-")
        span = list(range(int(first), int(last or first) + 1))
        if span[0] <= covered:
            continue
        covered = span[-1]
        space = "SpaceAfter=No" not in row[9]
        parts = [words[index][1] for index in span if index in words]
        pieces = _pieces(row[1], parts, merge) if len(span) > 1 else []
        if pieces:
            groups.extend([index] for index in span)
            surfaces.extend(pieces)
            spaces.extend([False] * (len(span) - 1) + [space])
        else:
            groups.append(span)
            surfaces.append(row[1])
            spaces.append(space)
    place = {index: position for position, span in enumerate(groups) for index in span}
    place[0] = -1
    tokens = (
        _merge(_nearest_to_root(words, span), surface, space, place)
        for span, surface, space in zip(groups, surfaces, spaces, strict=True)
    )
    id_ = next((c.partition("=")[2].strip() for c in comments if c.startswith("# sent_id")), "")
    return Sentence(tuple(tokens), id_, document, tuple(comments))


def _pieces(surface: str, parts: list[str], merge: bool) -> list[str]:
    """Return the surface tokens that a multi-word token is split into; none if it is merged."""
    first, *clitics = surface.split("-")
    if first and clitics and [c.lower() for c in clitics] == [part.lower().removeprefix("-") for part in parts[1:]]:
        return [first, *(f"-{clitic}" for clitic in clitics)]
    return [] if merge or "".join(parts) != surface else parts


def _nearest_to_root(words: dict[int, list[str]], span: list[int]) -> list[list[str]]:
    """Return the rows of a span, the one with the fewest heads above it first."""
    rows = [words[index] for index in span]
    return sorted(rows, key=partial(_depth, words)) if len(rows) > 1 else rows


def _depth(words: dict[int, list[str]], row: list[str]) -> int:
    """Return how many heads are above a word; none above the others' makes sure that merging brings no cycle."""
    count, head = 0, row[6]
    while head.isdecimal() and int(head) in words and count < len(words):
        count, head = count + 1, words[int(head)][6]
    return count


def _merge(rows: list[list[str]], surface: str, space: bool, place: dict[int, int]) -> Word:
    """Make one surface token of the rows, the one nearest to the root first: its analysis counts."""
    row = rows[0]
    head = None if row[6] == "_" else place.get(int(row[6]), -1)
    features = _with_auxiliaries(row, rows[1:]) if len(rows) > 1 else row[5]
    relation = "root" if head == -1 else row[7]
    return Word(surface, row[2], row[3], row[4], features, head, relation, space, row[9])


def _with_auxiliaries(row: list[str], others: Iterable[list[str]]) -> str:
    """Return a word's features with what auxiliaries written together with it add (Polish *był* + *em*, *by*)."""
    auxiliaries = [other for other in others if other[7].startswith("aux")]
    if not auxiliaries:
        return row[5]  # which is no list of features in every file
    values = dict(pair.split("=", 1) for pair in row[5].split("|")) if row[5] != "_" else {}
    for other in auxiliaries:
        added = dict(pair.split("=", 1) for pair in other[5].split("|")) if other[5] != "_" else {}
        values |= {name: added[name] for name in _AUXILIARY if name in added and name not in values}
        if other[7] == _CONDITIONAL and row[3] in VERBS:
            values = {**values, "Mood": "Cnd"}
            values.pop("Tense", None)
    return join_features(values) if values else row[5]
