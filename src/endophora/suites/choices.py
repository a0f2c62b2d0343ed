"""Outputs of a suite judged by the choice that they show, in whatever words: gender, animacy and formality.

What is asked is the gender of the output's own translation of the antecedent, where the output has it (the antecedent
is in the item's segment, or the output has its context behind a separator), or else that of the reference; the
animacy of the reference's pronoun; the reference's level of address. What an output shows is read as
:mod:`endophora.judgments` reads it everywhere; where nothing can be read, the reference's form is right as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from endophora.align import load_aligner
from endophora.align.records import Aligner
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.annotate.store import AnnotationStore
from endophora.errors import Fault, InputError
from endophora.judgments.agreement import agreement
from endophora.judgments.judging import JudgedText
from endophora.judgments.reading import read_choices
from endophora.judgments.records import Choices, Judgment
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Tagger
from endophora.store import Store
from endophora.suites.matching import RIGHT, UNDECIDED
from endophora.suites.records import Item, Suite

READ_AS = {"gender": "pronouns", "animacy": "animacy", "formality": "formality"}
"""Phenomenon of a suite → the phenomenon whose choices are read; others are matched by their wording."""


@dataclass(frozen=True, slots=True)
class Output:
    """What a system wrote for an item: its own segment, and that of the antecedent, empty where it is not known."""

    own: str
    antecedent: str = ""


@dataclass(frozen=True, slots=True)
class _Side:
    """An item in one target text: the words of each segment, and what they show."""

    target: tuple[AnnotatedText, ...]
    choices: Choices
    links: Sequence[Sequence[tuple[int, int]]]


class ChoiceJudge:
    """Judges outputs of the items of a suite; the references are read once.

    ``store`` is the path of the store of annotations; ``None`` keeps them in memory. Tools are loaded when they are
    needed: a suite without items whose choice is read needs none.

    Raises:
        InputError: the suite does not say its languages, or one of them has no annotator or no rules.
    """

    def __init__(self, suite: Suite, store: Path | None = None) -> None:
        self._pair = suite.source_language, suite.target_language
        if not all(self._pair):
            advice = "give --languages, as en-de"
            raise InputError(Fault("E181", "choices are read in known languages", advice, "--judge"))
        self.items = [(place, item) for place, item in enumerate(suite.items) if item.phenomenon in READ_AS]
        names = tuple(dict.fromkeys(READ_AS[item.phenomenon] for _, item in self.items))
        source, target = self._pair
        self._taggers: list[Tagger] = make_taggers(target, TaggerOptions(phenomena=names), source) if names else []
        self._store = AnnotationStore(Store(store))
        texts = [_with_context(item, item.source, _antecedent(item, 0)) for _, item in self.items]
        self._sources = self._annotate(0, texts)
        self._references = self._read(
            [_with_context(item, item.reference, _antecedent(item, 1)) for _, item in self.items]
        )

    @cached_property
    def _annotators(self) -> tuple[Annotator, Annotator]:
        source, target = self._pair
        return load_annotator(source, None), load_annotator(target, None)

    @cached_property
    def _aligner(self) -> Aligner:
        return load_aligner(None, *self._pair)

    @property
    def signatures(self) -> Mapping[str, str]:
        """What the verdicts depend on besides the texts: tool → its signature."""
        if not self.items:
            return {}
        source, target = self._annotators
        named = {"source": source, "target": target, "align": self._aligner}
        return {name: tool.signature for name, tool in (named | {one.phenomenon: one for one in self._taggers}).items()}

    def judge(self, outputs: Sequence[Output], wording: Sequence[int]) -> list[Judgment]:
        """Return the judgment of each item; the outcomes of matching, ``wording``, stand where nothing is read."""
        verdicts = {RIGHT: Judgment("right", "", why=FORM), UNDECIDED: Judgment("", "", why="not counted")}
        found = [verdicts.get(outcome, Judgment("wrong", "", why=NO_FORM)) for outcome in wording]
        texts = [_with_context(item, outputs[place].own, outputs[place].antecedent) for place, item in self.items]
        rows = zip(self.items, self._sources, self._references, self._read(texts), texts, strict=True)
        for (place, item), source, reference, side, text in rows:
            case = _Case(item, source, reference, side, bool(text[0]))
            judgment = case.judgment(matched=wording[place] == RIGHT)
            if judgment is not None:
                found[place] = judgment
        return found

    def _annotate(self, side: int, texts: Sequence[Sequence[str]]) -> list[tuple[AnnotatedText, ...]]:
        if not texts:
            return []
        flat = iter(self._store.annotate(self._annotators[side], [text for some in texts for text in some]))
        return [tuple(next(flat) for _ in some) for some in texts]

    def _read(self, texts: Sequence[Sequence[str]]) -> list[_Side]:
        targets = self._annotate(1, texts)
        if not targets:
            return []
        linked = self._aligner.align_many(list(zip(self._sources, targets, strict=True)))
        made: list[_Side] = []
        for source, target, links in zip(self._sources, targets, linked, strict=True):
            document = AnnotatedDocument("", source, target, tuple(links))
            pairs = [[(link.source, link.target) for link in segment] for segment in links]
            made.append(_Side(target, read_choices(document, self._taggers, ()), pairs))
        return made


FORM, NO_FORM = "the expected form is there", "the expected form is not there"
"""What a verdict rests on where no choice is read."""


def _with_context(item: Item, own: str, antecedent: str) -> tuple[str, ...]:
    """Return the segments that are read: the antecedent's, empty if not known, if it is another one, and the own."""
    return (antecedent, own) if item.distance else (own,)


def _antecedent(item: Item, side: int) -> str:
    found = (item.source_antecedent, item.target_antecedent)[side]
    return found.segment if found else ""


@dataclass(frozen=True, slots=True)
class _Case:
    """One item on one output."""

    item: Item
    source: tuple[AnnotatedText, ...]
    reference: _Side
    output: _Side
    has_antecedent: bool

    def judgment(self, *, matched: bool) -> Judgment | None:
        """Return the judgment; ``None`` where neither what is asked nor what is shown can be read."""
        kind, segment = READ_AS[self.item.phenomenon], len(self.source) - 1
        words, form = self._words(segment), self.item.expected[0].casefold()
        theirs = [
            one
            for one in self.reference.choices.by_segment.get((kind, segment), [])
            if self._is(form, one.target_tokens)
        ]
        words = tuple(sorted({token for one in theirs for token in one.source_tokens} & set(words))) or words
        asked = theirs[0].shown if theirs else ""
        occurrence = Occurrence("", segment, kind, asked, words, theirs[0].target_tokens if theirs else (), form)
        judged = JudgedText(
            self.reference.choices,
            self.output.choices,
            self.output.links,
            [len(text.tokens) for text in self.source],
            alone=True,
        )
        if kind == "formality":
            found = list(self._levels(judged, occurrence)) if asked else []
        else:
            found = list(self._agreements(kind, segment, words, asked))
        # Where the reference has the expected form for several words, all ask for it; else any of them may be meant.
        first = ("wrong", "right") if len(theirs) > 1 and kind != "formality" else ("right",)
        best = next((one for verdict in first for one in found if one.verdict == verdict), found[0] if found else None)
        if best is None or best.verdict in ("other", "missing"):
            if matched:
                return Judgment("right", asked, why=FORM)
            return (
                best if best is not None else judged.absent(occurrence, asked) if asked or kind == "pronouns" else None
            )
        return best

    def _levels(self, judged: JudgedText, occurrence: Occurrence) -> Iterator[Judgment]:
        """Yield the judgment of the word's own place; without a level there, of the segment's words of address."""
        own = judged.judge(occurrence)
        others = self.output.choices.by_segment.get(("formality", occurrence.segment), [])
        if own.verdict in ("right", "wrong") or not others:
            yield own
            return
        found = next((one for one in others if one.shown == occurrence.rule), others[0])
        verdict = "right" if found.shown == occurrence.rule else "wrong"
        yield Judgment(verdict, occurrence.rule, found.shown, found.target_tokens, why="the level of the segment")

    def _agreements(self, kind: str, segment: int, words: tuple[int, ...], asked: str) -> Iterator[Judgment]:
        choices = self.output.choices
        own = choices.of(kind, segment, words)
        if kind == "animacy":
            own = own or [one for one in choices.by_segment.get((kind, segment), []) if not one.source_tokens]
            known = self.item.source_antecedent
            gender, number, places = asked, known.number if known else "", ()
        else:
            antecedent = self.item.target_antecedent
            gender, number = (antecedent.gender, antecedent.number) if antecedent else ("", "")
            places = ()
        for token in self._noun():
            features = self.output.target[0].tokens[token].features
            number, places = features.get("Number", number), ((0, token),)
            gender = asked if kind == "animacy" else features["Gender"]
        for one in own if gender else ():
            if kind == "animacy" and one.about == "Plur" and not (places and number == "Plur"):
                yield Judgment("other", asked, one.shown, one.target_tokens, places, "a plural")
            elif kind != "animacy" and {number, one.about} == {"Sing", "Plur"}:
                yield Judgment("wrong", number, one.about, one.target_tokens, places, "another number")
            else:
                yield agreement(one, gender, "" if kind == "animacy" else number, places)

    def _noun(self) -> tuple[int, ...]:
        """Return the output's own translation of the antecedent, if it is there and shows what the phenomenon asks."""
        head = self.item.source_antecedent
        if head is None or not (self.has_antecedent or not self.item.distance):
            return ()
        needed = "Number" if self.item.phenomenon == "animacy" else "Gender"
        tokens, target, form = self.source[0].tokens, self.output.target[0].tokens, head.head.casefold()
        linked = [to for source, to in self.output.links[0] if tokens[source].form.casefold() == form]
        return tuple(to for to in linked if target[to].upos == "NOUN" and needed in target[to].features)[:1]

    def _words(self, segment: int) -> tuple[int, ...]:
        form = self.item.source_form.casefold()
        return tuple(index for index, token in enumerate(self.source[segment].tokens) if token.form.casefold() == form)

    def _is(self, form: str, tokens: Sequence[int]) -> bool:
        return any(self.reference.target[-1].tokens[token].form.casefold() == form for token in tokens)
