"""The judgment of an occurrence of the reference on another text of the same source.

What a text must show follows from the text itself: a pronoun agrees with the text's own translation of the antecedent,
a word is translated as the text translated it before, a word of address keeps the level that the text has chosen.
The reference says what was meant: which noun, which words repeat, who is addressed alike, which form of the verb.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from endophora.corefer.natural import ALL
from endophora.judgments.address import PLURAL, in_clause, in_places, is_near, shown_level, throughout
from endophora.judgments.agreement import agreement, agrees, is_doubtful, stands_for, stands_for_own
from endophora.judgments.natural import judge_natural
from endophora.judgments.records import (
    LOOSE,
    PARTS,
    POSSIBLE,
    RESPECT,
    TENSE,
    UNSAID,
    UNSAID_VERB,
    VERDICTS,
    Choice,
    Choices,
    Judgment,
    Place,
    Reason,
    Verdict,
    unjudged,
)
from endophora.judgments.tense import judge_tense
from endophora.judgments.translations import around, kept_translation
from endophora.metrics.records import FloatArray, ratio
from endophora.phenomena.records import Occurrence, Support

JUDGED = frozenset({"lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis"})
"""Phenomena that have judgments; others, as those of test sets, have word F."""

Links = Sequence[Sequence[tuple[int, int]]]
"""For each segment its (source token, target token) that are linked."""

CERTAIN = 0.9
"""A source word leaves no choice if so many of its uses in parallel text have one translation."""

_CONVERSATION = 3
"""Words of address from which a conversation has a register of its own, and not that of the document."""
_SHORT = 20
"""Source tokens of a segment in which any place is near."""
_TRANSLATED = 0.4
"""Part of the words around that must have a translation: else what is not there is missing."""


@dataclass(frozen=True)
class JudgedText:
    """A text that is judged, with the reference that says what was meant."""

    reference: Choices
    choices: Choices
    links: Links
    lengths: Sequence[int]  # source tokens of each segment
    alone: bool = False  # whether it is one item of a test suite, whose level says nothing of a register kept
    asked: Sequence[Occurrence] = ()  # the reference's occurrences, of which one ellipsis may have several

    @cached_property
    def registers(self) -> Mapping[tuple[str, str | None], Counter[str]]:
        """Level and conversation of the reference → the levels of this text there, at the same word.

        Without a conversation, those of the whole document. What goes with every level does not count: a plural that
        may be of any, and words of respect.
        """
        found: dict[tuple[str, str | None], Counter[str]] = {}
        for choice in self.reference.shown:
            if choice.phenomenon == "formality" and choice.number != RESPECT:
                own = self.levels(choice.segment, choice.source_tokens, choice.target_tokens)
                shown = [self._level(one, self.choices) for one in own]
                alike = len(set(shown)) == 1
                if alike or (own and not set(own[0].source_tokens).isdisjoint(choice.source_tokens)):
                    asked = self._level(choice, self.reference)
                    for place in (choice.about, None) if shown[0] != PLURAL and own[0].number != RESPECT else ():
                        found.setdefault((asked, place), Counter())[shown[0]] += 1
        return found

    @cached_property
    def ellipses(self) -> Mapping[tuple[int, tuple[int, ...]], tuple[int, ...]]:
        """Segment and source tokens of an ellipsis → the words it is judged at: its verb, or else the first tagged."""
        found: dict[tuple[int, tuple[int, ...]], tuple[int, ...]] = {}
        for one in self.asked:
            place = one.segment, one.source_tokens
            if one.phenomenon == "ellipsis" and (
                place not in found
                or one.target_tokens in [choice.target_tokens for choice in self.reference.of("ellipsis", *place)]
            ):
                found[place] = one.target_tokens
        return found

    def levels(self, segment: int, source_tokens: tuple[int, ...], target_tokens: tuple[int, ...]) -> list[Choice]:
        """Return the words of address for a word of the reference, given by its source and its place.

        Those of the same source words, or else what is left in the segment on either side, one by one in order if
        equally many are, and all if not.
        """
        near = self.choices.of("formality", segment, source_tokens)
        if near:  # one source word may have two: a pronoun and a reflexive
            places = [one.target_tokens for one in self.reference.of("formality", segment, source_tokens)]
            known = len(near) == len(places) and target_tokens in places
            return [near[places.index(target_tokens)]] if known else near
        possible = self.choices.of(POSSIBLE, segment, source_tokens)
        if possible:  # the reference says that someone is addressed there
            return possible
        word = self._theirs(segment, target_tokens)
        if word is not None and (found := in_clause(self.choices, word)):
            return found
        between = self.between("formality", segment, target_tokens, together=True)
        if placed := self._nearby(between, segment, source_tokens) if source_tokens else between:
            return placed
        theirs, ours = (one.by_segment.get(("formality", segment), []) for one in (self.reference, self.choices))
        taken = {token for choice in theirs for token in choice.source_tokens}
        left = [choice for choice in ours if taken.isdisjoint(choice.source_tokens)]
        known = {token for choice in ours for token in choice.source_tokens}
        wanted = [choice.target_tokens for choice in theirs if known.isdisjoint(choice.source_tokens)]
        if len(left) == len(wanted) and target_tokens in wanted:
            left = [left[wanted.index(target_tokens)]]
        return self._nearby(left, segment, source_tokens or (() if word is None else word.near))

    def _nearby(self, found: list[Choice], segment: int, source_tokens: tuple[int, ...]) -> list[Choice]:
        """Return what stands where some source words would be translated; all in a short segment."""
        if self.lengths[segment] <= _SHORT:
            return found
        links = self.links[segment]
        return [one for one in found if source_tokens and is_near(one.target_tokens[0], source_tokens, links)]

    def _theirs(self, segment: int, target_tokens: tuple[int, ...]) -> Choice | None:
        """Return the reference's word of address at a place."""
        found = self.reference.by_segment.get(("formality", segment), ())
        return next((one for one in found if one.target_tokens == target_tokens), None)

    def between(
        self, phenomenon: str, segment: int, target_tokens: tuple[int, ...], *, together: bool = False
    ) -> list[Choice]:
        """Return what is in a word's place where no link leads to it.

        Nearest before and after it in the reference stand words whose translations are known. If between these the
        reference has as many words that the text has no translation of as the text has words that translate nothing,
        they stand for each other in order. With ``together`` neighbouring words are one (*te diste*).
        """
        sides = [
            sorted(one.by_segment.get((phenomenon, segment), []), key=lambda one: one.target_tokens)
            for one in (self.reference, self.choices)
        ]
        pairs = [
            (here, there)
            for here, one in enumerate(sides[0])
            for there, other in enumerate(sides[1])
            if not set(one.source_tokens).isdisjoint(other.source_tokens)
        ]
        at = next(
            (n for n, one in enumerate(sides[0]) if not set(one.target_tokens).isdisjoint(target_tokens)),
            None,
        )
        if at is None:
            return []
        starts = max(((here, there) for here, there in pairs if here < at), default=(-1, -1))
        ends = min(((here, there) for here, there in pairs if here > at), default=(len(sides[0]), len(sides[1])))
        known = {here for here, _ in pairs}
        wanted = [here for here in range(starts[0] + 1, ends[0]) if here not in known]
        taken = {there for _, there in pairs}
        left = [there for there in range(starts[1] + 1, ends[1]) if there not in taken]
        places = [in_places(sides[n], some, together=together) for n, some in enumerate((wanted, left))]
        if at not in wanted or len(places[0]) != len(places[1]):
            return []
        return [sides[1][places[1][next(n for n, some in enumerate(places[0]) if at in some)][0]]]

    def judge(self, occurrence: Occurrence) -> Judgment:
        """Return the judgment on an occurrence of the reference; without a verdict where what is asked is not known."""
        judges: Mapping[str, Callable[[Occurrence], Judgment]] = {
            "formality": self._formality,
            "verb_form": self._verb_form,
            "lexical_cohesion": self._lexical_cohesion,
            "pronouns": self._pronoun,
            "ellipsis": self._ellipsis,
        }
        judge = judges.get(occurrence.phenomenon)
        return judge(occurrence) if judge is not None else unjudged("no judgments of it")

    def unjudged(self, occurrence: Occurrence, reason: Reason) -> Judgment:
        """Return what stands for the judgment on an occurrence, with its category if the reference tells it."""
        name = occurrence.phenomenon
        theirs = self.reference.of(name, occurrence.segment, occurrence.source_tokens) if name in PARTS else []
        return replace(unjudged(reason), part=theirs[0].part if theirs else "")

    def absent(self, occurrence: Occurrence, asked: str, predicate: tuple[int, ...] = ()) -> Judgment:
        """Judge an occurrence for which the text has no word that shows a choice.

        What is the subject of a translated ``predicate`` is said by it, where a language leaves subjects out.
        """
        verdict = "missing" if self._is_unsaid(occurrence) else self._absence(occurrence)
        if not {source for source, _ in self.links[occurrence.segment]}.isdisjoint(predicate):
            verdict = "other"
        why = "said without such a word" if verdict == "other" else "its place is not translated"
        linked = {target for source, target in self.links[occurrence.segment] if source in occurrence.source_tokens}
        return Judgment(verdict, asked, target_tokens=tuple(sorted(linked)), why=why)

    def _is_unsaid(self, occurrence: Occurrence, near: tuple[int, ...] = ()) -> bool:
        """Return whether the text says something else in the place of an occurrence, or of words near it.

        A segment of which that seems so in the reference, too, has words whose translations are hardly known.
        """
        place = occurrence.segment, occurrence.source_tokens or near
        if self.choices.of(UNSAID, *place) and not self.reference.of(UNSAID, *place):
            return True
        return occurrence.phenomenon == "verb_form" and bool(self.choices.of(UNSAID_VERB, *place))

    def _absence(self, occurrence: Occurrence) -> Verdict:
        linked = {source for source, _ in self.links[occurrence.segment]}
        if not linked.isdisjoint(occurrence.source_tokens):
            return "other"
        length = self.lengths[occurrence.segment]
        near = {place for token in occurrence.source_tokens or range(length) for place in around(token, length)}
        known = len(near & linked) >= _TRANSLATED * len(near) or self._has_room(occurrence)
        return "other" if known else "missing"

    def _has_room(self, occurrence: Occurrence) -> bool:
        """Return whether the text has words in a word's place, between the links on either side of it."""
        if not occurrence.source_tokens:
            return False
        links = self.links[occurrence.segment]
        first, last = min(occurrence.source_tokens), max(occurrence.source_tokens)
        start = max((link for link in links if link[0] < first), default=(-1, -1))
        end = min((link for link in links if link[0] > last), default=None)
        return end is not None and end[1] - start[1] - 1 >= _TRANSLATED * (end[0] - start[0] - 1)

    def _formality(self, occurrence: Occurrence) -> Judgment:
        theirs = self._theirs(occurrence.segment, occurrence.target_tokens)
        asked = occurrence.rule if theirs is None else self._level(theirs, self.reference)
        own = self.levels(occurrence.segment, occurrence.source_tokens, occurrence.target_tokens)
        if not own or self._is_unsaid(occurrence, () if theirs is None else theirs.near):
            return self.absent(occurrence, asked)
        conversation = "" if theirs is None else theirs.about
        respect = theirs is not None and theirs.number == RESPECT
        level = asked if respect else self._register(asked, conversation)
        wanted = (PLURAL, level) if asked == PLURAL else (level,)
        levels = [self._level(choice, self.choices) for choice in own]
        at = next((levels.index(name) for name in wanted if name in levels), 0)
        found, shown = own[at], (levels[at], own[at].target_tokens)
        if levels[at] != asked and (respect or found.number == RESPECT):
            level = "" if found.number == RESPECT else self._kept()
            if level in ("", levels[at]):
                return Judgment("other", asked, *shown, why="respect for a person goes with every level")
        if asked == PLURAL and (levels[at] == PLURAL or not found.number):
            return Judgment("right", asked, *shown, why="several people are addressed, as in the reference")
        if PLURAL in (asked, levels[at]) and found.number != "Own":
            return Judgment("other", asked, *shown, why="another number: the plural is that of every level")
        if levels[at] == asked != level and self._is_short(asked, conversation):
            return Judgment("right", asked, *shown, why="the level of the reference, in a short conversation")
        if levels[at] != level:
            return Judgment("wrong", level, *shown, why="the text has another level in the same conversation")
        if level != asked:
            return Judgment("other", asked, *shown, why="another register, kept throughout")
        return Judgment("right", asked, *shown, why="the level of the reference")

    def _is_short(self, asked: str, conversation: str) -> bool:
        """Return whether a quotation is too short to have a register of its own, and may not have that of the rest."""
        counts = self.registers.get((asked, conversation), Counter[str]())
        return bool(conversation) and counts.total() < _CONVERSATION

    def _level(self, choice: Choice, choices: Choices) -> str:
        return choice.shown if self.alone else shown_level(choice, choices)

    def _register(self, asked: str, conversation: str) -> str:
        """Return the level that the text has where the reference has one: in the conversation, or in all of it.

        Where it wavers, and has the reference's level in no more than half, it is that of nearly all words of address.
        """
        if self.alone:
            return asked
        said = self.registers.get((asked, conversation), Counter[str]())
        counts = said if said.total() >= _CONVERSATION else self.registers.get((asked, None), Counter[str]())
        kept = throughout(counts)
        if not kept and 2 * counts[asked] <= counts.total():
            kept = self._kept()
        return kept or asked

    def _kept(self) -> str:
        """Return the level of nearly all words of address of the text, empty if there is none."""
        return throughout(sum((one for (_, place), one in self.registers.items() if place is None), Counter[str]()))

    def _verb_form(self, occurrence: Occurrence) -> Judgment:
        if not occurrence.source_tokens:
            return unjudged("no source word")
        place = occurrence.segment, occurrence.source_tokens
        kind = TENSE if (TENSE, occurrence.segment) in self.reference.by_segment else "verb_form"
        theirs, own = (
            sorted(one.of(kind, *place), key=lambda choice: choice.target_tokens)
            for one in (self.reference, self.choices)
        )
        at = next((n for n, one in enumerate(theirs) if set(occurrence.target_tokens) <= set(one.target_tokens)), None)
        if at is not None:  # of several verbs for the source words its own, in order if the text has as many
            own = [own[at]] if len(own) == len(theirs) else own
            theirs = [theirs[at]]
        asked = theirs[0].shown if theirs and kind != TENSE else occurrence.rule
        # The reference's verb may be linked to another word, and its choice knows the source verb.
        own = own or (theirs and self.choices.of(kind, occurrence.segment, theirs[0].source_tokens))
        own = own or self.between(kind, occurrence.segment, occurrence.target_tokens)
        if not own:
            return self.absent(occurrence, asked)
        if kind == TENSE:
            return judge_tense(asked, own)
        accepted = [asked, *(choice.about for choice in theirs[:1] if choice.about)]
        found = min(own, key=lambda choice: accepted.index(choice.shown) if choice.shown in accepted else len(accepted))
        right = found.shown in accepted
        why = "another tense, aspect or mood"
        if right:
            why = "the same form" if found.shown == asked else "a form that may stand for it"
        return Judgment("right" if right else "wrong", asked, found.shown, found.target_tokens, why=why)

    def _lexical_cohesion(self, occurrence: Occurrence) -> Judgment:
        place = occurrence.segment, occurrence.source_tokens
        theirs = self.reference.of("lexical_cohesion", *place)
        if not theirs:  # a word that is in no other segment stands for nothing
            return unjudged("support in the segment" if occurrence.source_tokens else "no source word")
        if theirs[0].certain >= CERTAIN:
            return self.unjudged(occurrence, "no choice")
        return replace(self._translated(occurrence, theirs), part=theirs[0].part)

    def _translated(self, occurrence: Occurrence, theirs: Sequence[Choice]) -> Judgment:
        place = occurrence.segment, occurrence.source_tokens
        own = self.choices.of("lexical_cohesion", *place)
        uses = self.choices.by_lemma.get(theirs[0].about, [])
        earlier = [use for use in uses if use.segment < occurrence.segment and use.shown]
        if not own or not own[0].shown:
            most = Counter(use.shown for use in earlier).most_common(1)
            return self.absent(occurrence, most[0][0] if most else "")
        if not earlier:
            return unjudged("first translation")
        found = own[0]
        asked, same = kept_translation(found, earlier)
        support = tuple((use.segment, token) for use in earlier if use.shown == asked for token in use.target_tokens)
        why = "translated as before" if same else "translated otherwise before"
        shown = found.shown, found.target_tokens, support
        return Judgment("right" if same else "wrong", asked, *shown, why=why)

    def _ellipsis(self, occurrence: Occurrence) -> Judgment:
        place = occurrence.segment, occurrence.source_tokens
        theirs, own = (one.of("ellipsis", *place) for one in (self.reference, self.choices))
        if not theirs or theirs[0].about != "said":
            return unjudged("antecedent not known")  # the reference does not bear it out
        if self.ellipses.get(place, occurrence.target_tokens) != occurrence.target_tokens:
            return unjudged("counted at another word")  # *ihn gesehen* are two words of one ellipsis
        # Words around the auxiliary (*Да, я.*) do not say the verb, even if a link leads to them.
        missing = Judgment("missing", theirs[0].shown, why="nothing says what is left out")
        return restored(own[0]) if own else missing

    def _pronoun(self, occurrence: Occurrence) -> Judgment:
        support = occurrence.support
        theirs = self.reference.of("pronouns", occurrence.segment, occurrence.source_tokens)
        if support is None or not theirs:
            return unjudged("antecedent not known")
        if theirs[0].shown in ALL:
            return self._natural(occurrence, support, theirs)
        by_source = dict(self.reference.antecedents.get((occurrence.segment, occurrence.source_tokens[0]), ()))
        # Resolved with the reference, a noun is likely since it agrees with the pronoun; the source must allow it, too.
        places = (place for place in support.source_tokens if place in self.reference.nouns)
        noun = max(places, key=lambda place: by_source.get(place, 0), default=None)
        if noun is None or by_source.get(noun, 0) < _POSSIBLE:
            return unjudged("antecedent not known")
        _, gender, _ = self.reference.nouns[noun]
        # The reference's own agreement is the evidence that this noun is meant; a form that shows nothing is none.
        tells = theirs[0].about != "unmarked" and "Fem,Masc" not in theirs[0].shown
        if not agrees(gender, theirs[0].shown) or support.probability < (_LIKELY if tells else _SURE):
            return unjudged("antecedent not known")
        own = self.choices.of("pronouns", occurrence.segment, occurrence.source_tokens)
        translated = self.choices.nouns.get(noun)
        if not own:
            absent = self.absent(occurrence, translated[1] if translated else "", theirs[0].near)
            loose = absent.verdict == "other" and self.choices.of(LOOSE, occurrence.segment, occurrence.source_tokens)
            return unjudged("no sure counterpart") if loose else absent
        found = own[0]
        judgment = self._agreement(found, theirs[0], noun, known=tells)
        if judgment.verdict in ("wrong", "other"):
            least_also = max(_ALSO, _BESIDE * by_source[noun])
            for other, probability in by_source.items():
                if other != noun and probability >= least_also and self._is_borne_out(other, theirs[0]):
                    instead = self._agreement(found, theirs[0], other, known=False)
                    if instead.verdict == "right":
                        return replace(instead, why="agrees with another noun that the reference's pronoun agrees with")
            if judgment.verdict == "wrong" and (
                is_doubtful(found, self.choices.nouns, by_source) or stands_for_own(found, self.choices)
            ):
                return unjudged("antecedent not known")
        return judgment

    def _is_borne_out(self, noun: Place, theirs: Choice) -> bool:
        """Return whether the reference's pronoun may stand for its own translation of a noun."""
        if noun not in self.reference.nouns:
            return False
        _, gender, number = self.reference.nouns[noun]
        return bool(stands_for(theirs, gender, number)) or (theirs.about == "either" and number == "Plur")

    def _agreement(self, found: Choice, theirs: Choice, noun: Place, *, known: bool) -> Judgment:
        """Judge a pronoun by the text's translation of a noun; ``known``: or else by the reference's pronoun."""
        if noun in self.choices.nouns:
            token, gender, number = self.choices.nouns[noun]
            return agreement(found, gender, number, ((noun[0], token),))
        numbers = {found.about, theirs.about}
        if known and found.shown == theirs.shown and (len(numbers) == 1 or "either" in numbers):
            gender = self.reference.nouns[noun][1]
            why = "the reference's gender; no noun is known that translates the antecedent"
            return Judgment("right", gender, found.shown, found.target_tokens, why=why)
        return unjudged("no sure counterpart")

    def _natural(self, occurrence: Occurrence, support: Support, theirs: Sequence[Choice]) -> Judgment:
        """Judge a pronoun of natural gender."""
        same = next((one for one in theirs if one.target_tokens == occurrence.target_tokens), theirs[0])
        own = self.choices.of("pronouns", occurrence.segment, occurrence.source_tokens)
        own = sorted(own, key=lambda one: one.about != same.about)
        if not own or own[0].about != same.about:
            own = self._beside(same) or own
        own = own or self.between("pronouns", occurrence.segment, occurrence.target_tokens)
        if not own:
            return self.absent(occurrence, same.shown)
        if own[0].about != same.about and own[0].shown != same.shown:
            shown = own[0].shown, own[0].target_tokens
            return Judgment("other", same.shown, *shown, why="another part of the sentence")
        noun = next(
            ((at, self.choices.nouns[at]) for at in support.source_tokens[::-1] if at in self.choices.nouns), None
        )
        return judge_natural(same.shown, own[0], noun)

    def _beside(self, asked: Choice) -> list[Choice]:
        """Return the text's pronoun in the role that one of the reference has, by the word that both belong to.

        Where the source leaves a subject or an owner out, what pronouns are linked to says little.
        """
        found = [
            one
            for one in self.choices.by_segment.get(("pronouns", asked.segment), ())
            if one.about == asked.about and not set(one.near).isdisjoint(asked.near)
        ]
        return found if len({one.shown for one in found}) == 1 else []


def restored(choice: Choice) -> Judgment:
    """Judge what stands for a word left out in the source: it must be one that the text has said."""
    shown = "a word said before", choice.shown, choice.target_tokens
    if choice.about == "otherwise":  # it says no verb, so it can say no wrong one
        return Judgment("other", *shown, why="a pro-form, or left out as in the source")
    if choice.about == "new":
        return Judgment("wrong", *shown, why="no such word was said before")
    return Judgment("right", *shown, why="what is left out is a word said before")


_LIKELY = 0.3
"""Least probability of an antecedent that the reference bears out: others agree with its form by chance."""
_POSSIBLE = 0.25
"""Least probability of it by the source alone."""
_ALSO = 0.02
"""Probability from which a noun, too, may be what the reference's pronoun stands for if it agrees with that."""
_BESIDE = 0.2
"""Part of the antecedent's probability by the source that it must have then."""
_SURE = 0.7
"""Probability from which an antecedent is known although the reference's pronoun does not show its gender."""


ALLOWANCE = 0.1
"""Part of the occurrences that a text may leave out: human translations leave out up to so much of one another."""


def rests_on(sums: FloatArray) -> FloatArray:
    """Return on how many words a score rests, (..., 4) → (...): right, wrong, and missing beyond the allowance."""
    right, wrong, _, missing = (sums[..., at] for at in range(len(VERDICTS)))
    return right + wrong + np.maximum(0.0, missing - ALLOWANCE * sums.sum(axis=-1))


def score(sums: FloatArray) -> FloatArray:
    """Return right / (right + wrong + missing beyond the allowance), (..., 4) → (...); NaN where nothing is judged.

    What is expressed otherwise is neither right nor wrong. What is left out is no error up to a tenth, since people
    leave out as much; beyond it counts as wrong, so that no text gains by saying little.
    """
    return ratio(sums[..., VERDICTS.index("right")], rests_on(sums))


def score_alone(columns: Sequence[int]) -> Callable[[FloatArray], FloatArray]:
    """Return what scores some columns of (..., columns, 4) alone."""
    return lambda sums: score(sums[..., columns, :])
