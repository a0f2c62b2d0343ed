"""Judgments without a reference: a text is held to what it has chosen itself.

What asks for a choice is read from the source (a pronoun and the noun it probably stands for, a name that comes again,
a verb left out) and from the text's own earlier words (its register, its translations).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from endophora.corefer.natural import ALL
from endophora.judgments.address import PLURAL, shown_level
from endophora.judgments.agreement import agreement, stands_for, stands_for_own
from endophora.judgments.judging import CERTAIN, restored
from endophora.judgments.records import PARTS, RESPECT, Choice, Choices, Judgment, Place, Reason, unjudged
from endophora.judgments.translations import kept_translation
from endophora.phenomena.records import Occurrence, Support, placed

_JUDGED = frozenset({"PROPN", "NOUN"})
"""Source words whose translation should not change; what else is said otherwise is style."""

_TERM, _FIXED = 3, 0.8
"""A noun is a term where it was translated so often before, and in so many of its uses, by one word."""

_OPEN = frozenset({"several", "either"})
"""What the number of a polite form that is also a plural may be, if it need not be one person's."""

_MASS = 0.5
"""Least probability of the nouns together that support or contradict a pronoun's form."""

_SHARE = 0.7
"""Least part of it that must support one of the two."""

_DOUBT, _AGAINST = 0.6, 0.85
"""To call a form wrong takes more: so much probability, and so much of that of all nouns."""


@dataclass(frozen=True)
class LoneText:
    """A document of a text that is judged without a reference."""

    document: str
    choices: Choices

    def judgments(self) -> Iterator[tuple[Occurrence, Judgment]]:
        """Yield each place that shows something, as an occurrence of the text itself, with its judgment.

        Where nothing is asked, the judgment has no verdict and says why.
        """
        by_phenomenon: defaultdict[str, list[Choice]] = defaultdict(list)
        for choice in sorted(self.choices.shown, key=lambda choice: (choice.segment, choice.target_tokens)):
            by_phenomenon[choice.phenomenon].append(choice)
        levels = by_phenomenon["formality"]
        yield from (self._unjudged(word, "no choice") for word in levels if self._is_of_any(word))
        for words in _spoken([word for word in levels if not self._is_of_any(word)]):
            yield from self._formality(words)
        yield from self._lexical_cohesion(by_phenomenon["lexical_cohesion"])
        yield from self._pronouns(by_phenomenon["pronouns"])
        for choice in by_phenomenon["ellipsis"]:
            if choice.about:
                yield self._occurrence(choice, "verb", None), restored(choice)
            else:
                yield self._unjudged(choice, "antecedent not known")

    def _occurrence(self, choice: Choice, rule: str, support: Support | None) -> Occurrence:
        place = self.document, choice.segment, choice.phenomenon
        return Occurrence(*place, rule, choice.source_tokens, choice.target_tokens, choice.shown, support)

    def _unjudged(self, choice: Choice, reason: Reason) -> tuple[Occurrence, Judgment]:
        part = choice.part if choice.phenomenon in PARTS else ""
        return self._occurrence(choice, "", None), replace(unjudged(reason), part=part)

    @cached_property
    def _several(self) -> bool:
        """Whether the text addresses several persons somewhere, so that a plural need not be polite."""
        return any(word.number == "several" for word in self.choices.shown)

    def _is_of_any(self, word: Choice) -> bool:
        """Return whether a word of address goes with every level: some plurals, and words of respect."""
        return word.number == RESPECT or shown_level(word, self.choices) == PLURAL

    def _formality(self, words: list[Choice]) -> Iterator[tuple[Occurrence, Judgment]]:
        """Hold words of address to the level that most of a conversation have, or its first; the first word sets it.

        Where the text addresses several persons somewhere, a polite form that is also the plural (*vous*, *вы*) is one
        of several or of nobody knows how many, unless the source says of one: it sets no level, and breaks none.
        """
        titles = [word for word in words if word.upos == "NOUN"]  # *sir* goes with any level
        open_ = [word for word in words if word.number in _OPEN] if self._several else []
        pronouns = [word for word in words if word not in titles]
        counts = Counter(word.shown for word in pronouns if word not in open_) or Counter(one.shown for one in open_)
        level = max(counts, key=lambda one: counts[one], default="")
        free = [*titles, *(word for word in open_ if word.number == "several" or word.shown != level)]
        first = next((word for word in pronouns if word.shown == level), None)
        other = next((word for word in pronouns if word not in free and word.shown == level), first)
        for word in words:
            if word is first or word in free:
                yield self._unjudged(word, "no choice" if word in free else "first word of address")
                other = other if word in free else word
                continue
            if other is None:
                continue
            right = word.shown == level
            why = "the level of the conversation" if right else "another level than in the rest of the conversation"
            places = placed(other.segment, other.target_tokens)
            support = Support(placed(other.segment, other.source_tokens), places, abs(word.segment - other.segment))
            verdict = Judgment("right" if right else "wrong", level, word.shown, word.target_tokens, places, why)
            yield self._occurrence(word, level, support), verdict
            other = word

    def _lexical_cohesion(self, words: list[Choice]) -> Iterator[tuple[Occurrence, Judgment]]:
        earlier: defaultdict[str, list[Choice]] = defaultdict(list)
        for word in words:
            if word.upos not in _JUDGED or not word.shown:
                yield self._unjudged(word, "no name or noun")
                continue
            if word.certain >= CERTAIN:
                yield self._unjudged(word, "no choice")
                continue
            known = [use for use in earlier[word.about] if use.segment < word.segment]
            earlier[word.about].append(word)
            if not known:
                yield self._unjudged(word, "first translation")
                continue
            most = max(Counter(use.shown for use in known).values())
            name = word.upos == "PROPN"
            if not name and (most < _TERM or most < _FIXED * len(known)):
                yield self._unjudged(word, "no term")  # a word that varies anyway
                continue
            asked, same = kept_translation(word, known)
            last = known[-1]
            places = placed(last.segment, last.target_tokens)
            support = Support(placed(last.segment, last.source_tokens), places, word.segment - last.segment)
            why = "translated as before" if same else "translated otherwise before"
            shown = word.shown, word.target_tokens, places, why
            verdict = Judgment("right" if same else "wrong", asked, *shown, part=word.part)
            yield self._occurrence(word, "name" if name else "noun", support), verdict

    def _pronouns(self, words: list[Choice]) -> Iterator[tuple[Occurrence, Judgment]]:
        for word in words:
            if word.shown in ALL or word.certain >= CERTAIN:  # which person or thing is meant, only a reference says
                yield self._unjudged(word, "no choice" if word.certain >= CERTAIN else "antecedent not known")
                continue
            found = self.choices.antecedents.get((word.segment, word.source_tokens[0]), ())
            known = [(place, p, *self.choices.nouns[place]) for place, p in found if place in self.choices.nouns]
            agree = [one for one in known if stands_for(word, *one[3:])]
            differ = [one for one in known if one not in agree]
            support, against = (sum(one[1] for one in some) for some in (agree, differ))
            right = support >= against
            least = _SHARE if word.about == "unmarked" else _DOUBT  # an unmarked form also stands for no noun
            certain = sum(p for place, p, *_ in differ if place not in self.choices.guessed)
            if max(support, against) < max(_MASS, _SHARE * (support + against)) or (
                not right and certain < max(least, _AGAINST * (support + against))
            ):
                yield self._unjudged(word, "antecedent not known")
                continue
            noun: Place = (agree if right else differ)[0][0]
            token, gender, number = self.choices.nouns[noun]
            places = ((noun[0], token),)
            judgment = agreement(word, gender, number, places)
            doubtful = judgment.verdict == "wrong" and stands_for_own(word, self.choices)
            if judgment.verdict == "other" or doubtful:
                yield self._unjudged(word, "antecedent not known")
                continue
            distance = word.segment - noun[0]
            yield self._occurrence(word, gender, Support((noun,), places, distance, max(support, against))), judgment


def _spoken(words: list[Choice]) -> Iterator[list[Choice]]:
    """Yield the words of address of each conversation."""
    found: defaultdict[str, list[Choice]] = defaultdict(list)
    for word in words:
        found[word.about].append(word)
    yield from found.values()
