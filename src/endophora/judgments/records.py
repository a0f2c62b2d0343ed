"""What a target text shows where the source leaves a choice, and the judgment on it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple, get_args

Verdict = Literal["right", "wrong", "other", "missing"]
VERDICTS: tuple[Verdict, ...] = ("right", "wrong", "other", "missing")
"""``other``: expressed in a way that makes no such choice; ``missing``: not expressed at all."""

Reason = Literal[
    "support in the segment",
    "support not known",
    "antecedent not known",
    "no source word",
    "first translation",
    "first word of address",
    "no name or noun",
    "no term",
    "no choice",
    "counted at another word",
    "no sure counterpart",
    "no judgments of it",
]
REASONS: tuple[Reason, ...] = get_args(Reason)
"""Why a tagged word is not judged. ``no term``: a noun whose translation varies, or was seen too seldom before.
``no choice``: a word that nearly always has one translation. ``counted at another word``: of one ellipsis.
``no sure counterpart``: the text has a pronoun that may be the one, or a noun that may translate the antecedent."""

PARTS: Mapping[str, tuple[str, ...]] = {"lexical_cohesion": ("names", "terms", "other words")}
"""Phenomenon → the categories of its words that are counted apart."""

POSSIBLE = "possible formality"
"""The phenomenon of what would show a level if someone were addressed: Spanish *dice*, he says or you say."""

UNSAID = "unsaid"
"""The phenomenon of source words in whose place the text says something else: no known translation of them, nor of
most of the words around them."""

UNSAID_VERB = "unsaid verb"
"""The phenomenon of source verbs in whose place the text says something else: for verbs alone, since a word of address
beside such a verb may be said all the same."""

LOOSE = "loose pronoun"
"""The phenomenon of forms that could be a source pronoun's, where nothing tells whether they are."""

TENSE = "tense"
"""The phenomenon of what time a finite verb says, for verb form from a language without tense. ``shown`` has the times
that it may say, the main one first (``past,present`` of *has seen*; of a modal verb the first is empty)."""

RESPECT = "respect"
"""The number of a word of address that shows respect for a person, and goes with every style (*伺う*, *저*)."""

Place = tuple[int, int]
"""Segment and token."""


class Choice(NamedTuple):
    """What a target text shows at one place; a tuple, since texts make hundreds of thousands.

    Attributes:
        phenomenon: the phenomenon that it is a choice of.
        segment: index of the segment in the document.
        source_tokens: the source tokens that it translates; may be empty.
        target_tokens: the target tokens that show it.
        shown: what is chosen: a level, the label of a form, a lemma, values of gender (``Fem,Neut``); of a name the
            form of it that the text has first.
        about: for lexical cohesion the source lemma; for formality the number of the conversation, empty outside of
            direct speech; of a pronoun its number, ``either``, or ``unmarked`` if it may stand for no noun; of a verb
            that stands for one left out in the source ``said``, ``new`` or ``otherwise``, empty in doubt; for verb form
            another form that would do as well; for :data:`TENSE` the name of the form.
        upos: of the source word, for lexical cohesion; ``PROPN`` for each use of a name. Of a word of address ``NOUN``
            if it is a title (*sir*).
        certain: for lexical cohesion, the part of the source word's uses in parallel text that have its most frequent
            translation; 0 where it is not known.
        number: of a word of address ``Plur`` if it is a plural that several levels may have, ``Own`` if it is one of
            its level alone, ``Sing`` if it addresses one person; empty where that is not known, or no plural is shared.
            Of a polite form that is that of every plural too: ``several`` or ``one`` as the source says, else
            ``either``. :data:`RESPECT` if its level is one of respect for a person, and no style.
        near: for formality, other source words that say whom it addresses: of a verb its subject or object, of a
            subject its verb; of a pronoun into English the verb or the noun that it belongs to.
    """

    phenomenon: str
    segment: int
    source_tokens: tuple[int, ...]
    target_tokens: tuple[int, ...]
    shown: str
    about: str = ""
    upos: str = ""
    certain: float = 0.0
    number: str = ""
    near: tuple[int, ...] = ()

    @property
    def part(self) -> str:
        """The category of a word of lexical cohesion, one of :data:`PARTS`."""
        names, terms, others = PARTS["lexical_cohesion"]
        return {"PROPN": names, "NOUN": terms}.get(self.upos, others)


@dataclass(frozen=True)
class Choices:
    """All that judgments read of one document in one target text.

    Attributes:
        shown: the choices, by phenomenon and segment.
        nouns: source noun → its translation's target token, gender and number, where a pronoun may stand for it; also
            source pronoun → the noun that the text has in its place.
        antecedents: source pronoun → the nouns that it may stand for by the source alone, with their probabilities.
        guessed: those of the nouns in an oblique case whose gender no word beside shows: an annotator may guess it.
    """

    shown: tuple[Choice, ...] = ()
    nouns: Mapping[Place, tuple[int, str, str]] = field(default_factory=dict[Place, tuple[int, str, str]])
    antecedents: Mapping[Place, tuple[tuple[Place, float], ...]] = field(
        default_factory=dict[Place, tuple[tuple[Place, float], ...]]
    )
    guessed: frozenset[Place] = frozenset()

    def to_rows(self) -> Sequence[Sequence[object]]:
        """Return what JSON keeps; see :meth:`from_rows`."""
        nouns = [[*place, *noun, place in self.guessed] for place, noun in self.nouns.items()]
        pairs = [[*place, *noun, p] for place, found in self.antecedents.items() for noun, p in found]
        return [self.shown, nouns, pairs]

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[Sequence[Any]]]) -> Choices:
        """Return the choices that :meth:`to_rows` gave."""
        shown, nouns, pairs = rows
        antecedents: defaultdict[Place, list[tuple[Place, float]]] = defaultdict(list)
        for segment, token, place, head, probability in pairs:
            antecedents[segment, token].append(((place, head), probability))
        return cls(
            tuple(
                [
                    Choice(name, place, tuple(theirs), tuple(ours), *rest, near=tuple(near))
                    for name, place, theirs, ours, *rest, near in shown
                ]
            ),
            {(segment, token): (target, gender, number) for segment, token, target, gender, number, _ in nouns},
            {pronoun: tuple(found) for pronoun, found in antecedents.items()},
            frozenset((segment, token) for segment, token, *_, guessed in nouns if guessed),
        )

    @cached_property
    def by_source(self) -> Mapping[tuple[str, int, int], list[Choice]]:
        """Phenomenon, segment and source token → choices made for it."""
        found: defaultdict[tuple[str, int, int], list[Choice]] = defaultdict(list)
        for choice in self.shown:
            for token in choice.source_tokens:
                found[choice.phenomenon, choice.segment, token].append(choice)
        return found

    @cached_property
    def by_segment(self) -> Mapping[tuple[str, int], list[Choice]]:
        """Phenomenon and segment → choices made there."""
        found: defaultdict[tuple[str, int], list[Choice]] = defaultdict(list)
        for choice in self.shown:
            found[choice.phenomenon, choice.segment].append(choice)
        return found

    @cached_property
    def tells_plurals(self) -> bool:
        """Whether the text has a plural of one level alone, so that its other plural shows a level, too."""
        return any(choice.number == "Own" and choice.phenomenon == "formality" for choice in self.shown)

    @cached_property
    def by_lemma(self) -> Mapping[str, list[Choice]]:
        """Source lemma → its translations, in the order of the text."""
        found: defaultdict[str, list[Choice]] = defaultdict(list)
        for choice in self.shown:
            if choice.phenomenon == "lexical_cohesion":
                found[choice.about].append(choice)
        return found

    def of(self, phenomenon: str, segment: int, source_tokens: tuple[int, ...]) -> list[Choice]:
        """Return the choices made for any of some source tokens, each once."""
        found = {
            id(choice): choice
            for token in source_tokens
            for choice in self.by_source.get((phenomenon, segment, token), ())
        }
        return list(found.values())


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a text does at an occurrence.

    Attributes:
        verdict: one of :data:`VERDICTS`; empty where nothing is judged, and then ``why`` is one of :data:`REASONS`.
        asked: what the context asks for (``Fem``, ``formal``).
        shown: what the text shows in its place; empty if nothing.
        target_tokens: where it shows it, in the occurrence's segment.
        support: (segment, target token) of the words of the text itself that ask for it.
        why: what the verdict rests on, in words.
        part: the category of the phenomenon that it counts for too, if any; known of most that are not judged as well.
    """

    verdict: Verdict | Literal[""]
    asked: str
    shown: str = ""
    target_tokens: tuple[int, ...] = ()
    support: tuple[Place, ...] = ()
    why: str = ""
    part: str = ""


def unjudged(reason: Reason) -> Judgment:
    """Return what stands for a judgment where there is none."""
    return Judgment("", "", why=reason)
