"""What need not be parsed: segments in which, by their letters alone, no rule of test sets can hold.

A rule needs a form in the source and one in the target. Forms are looked for in the raw text of a segment, so that the
filter costs a thousandth of parsing; it says too often that there may be an occurrence, and never too seldom.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from endophora.annotate.records import AnnotatedText
from endophora.languages.extraction import ExtractionRules
from endophora.languages.load import load_language
from endophora.languages.schema import LanguageRules
from endophora.phenomena import auxiliary, inflection
from endophora.phenomena.options import EXTRACTION, REVERSED
from endophora.phenomena.pronoun_cases import normal_text

_RESOLVED = frozenset({"gender", "animacy"})
_NO_LETTER_BEFORE = r"(?<![^\W\d_])"
_NO_LETTER_AFTER = r"(?![^\W\d_])"


@dataclass(frozen=True, slots=True)
class Selection:
    """What a document needs.

    Attributes:
        candidates: phenomenon → segments in which it may occur, in order.
        segments: segments that hold a candidate or may hold its supporting context, in order.
    """

    candidates: Mapping[str, tuple[int, ...]]
    segments: tuple[int, ...]

    @property
    def needed(self) -> bool:
        """Whether the document must be annotated at all."""
        return bool(self.segments)

    @property
    def resolved(self) -> bool:
        """Whether its pronouns must be resolved."""
        return any(self.candidates.get(name) for name in _RESOLVED)


class _Test:
    """Tells of a segment whether one phenomenon may occur in it: pairs of patterns, of which both sides must match."""

    def __init__(self, pairs: Iterable[tuple[str, str]], reversed_sides: bool) -> None:
        self._pairs = [(re.compile(english), re.compile(other)) for english, other in pairs]
        self._reversed = reversed_sides

    def may_occur(self, source: str, target: str) -> bool:
        english, other = (target, source) if self._reversed else (source, target)
        return any(one.search(english) and two.search(other) for one, two in self._pairs)


class Prefilter:
    """Decides which segments of a document must be annotated for some phenomena.

    Args:
        phenomena: names of phenomena; one that no test set is made of needs every segment.
        source: rules of the source language.
        target: rules of the target language.
        window: how many segments back an antecedent may stand.
        scope: where an auxiliary must be the only verb.
    """

    def __init__(
        self,
        phenomena: Collection[str],
        source: LanguageRules,
        target: LanguageRules,
        window: int = 5,
        scope: auxiliary.Scope = "segment",
    ) -> None:
        self._scope: auxiliary.Scope = scope
        self._lemmas = frozenset(rule.lemma for rule in (target.extraction or ExtractionRules()).auxiliary)
        self._tests: dict[str, _Test | None] = {}
        self._reach: dict[str, int | None] = {}
        for name in phenomena:
            near = source if name in REVERSED else target
            rules = near.extraction or ExtractionRules()
            self._tests[name] = _test_of(name, rules) if name in EXTRACTION else None
            reach = {"formality_cases": 0, "auxiliary": auxiliary.LOOK_BACK, "inflection": inflection.LOOK_BACK}
            self._reach[name] = reach.get(name, window) if name in EXTRACTION else None

    def select(self, source: Sequence[str], target: Sequence[str]) -> Selection:
        """Return what a document needs.

        Aligner and resolver learn from the whole document. Skipping a document without candidates changes nothing;
        annotating only the ``segments`` of one with candidates can move a link or a probability.

        Args:
            source: its source texts, one a segment.
            target: its target texts, one a segment.
        """
        pairs = [(normal_text(one), normal_text(other)) for one, other in zip(source, target, strict=True)]
        candidates = {
            name: tuple(place for place, (one, other) in enumerate(pairs) if test is None or test.may_occur(one, other))
            for name, test in self._tests.items()
        }
        return self._selection(candidates)

    def narrow(self, selection: Selection, english: Mapping[int, AnnotatedText]) -> Selection:
        """Return what is still needed once the English side of the candidates is annotated.

        Most auxiliaries have their verb, which is seen without any context: a segment is annotated on its own.

        Args:
            selection: what :meth:`select` returned.
            english: the annotated English texts of candidates of auxiliaries, by segment; one that is left out stays a
                candidate.
        """
        kept = tuple(
            place
            for place in selection.candidates.get("auxiliary", ())
            if place not in english or self._has_auxiliary_alone(english[place])
        )
        changed = {"auxiliary": kept} if "auxiliary" in selection.candidates else {}
        return self._selection({**selection.candidates, **changed})

    def _has_auxiliary_alone(self, text: AnnotatedText) -> bool:
        return any(
            token.lemma.lower() in self._lemmas and auxiliary.is_only_verb(text, index, self._scope)
            for index, token in enumerate(text.tokens)
        )

    def _selection(self, candidates: Mapping[str, tuple[int, ...]]) -> Selection:
        needed: set[int] = set()
        for name, places in candidates.items():
            reach = self._reach[name]
            for place in places:
                needed.update(range(0 if reach is None else max(0, place - reach), place + 1))
        return Selection(candidates, tuple(sorted(needed)))


def _test_of(name: str, rules: ExtractionRules) -> _Test | None:
    """Return the test of one phenomenon; ``None`` if its letters tell nothing."""
    if name == "inflection":
        return None
    english = load_language("en").extraction or ExtractionRules()
    if name == "auxiliary":
        forms = {form for rule in rules.auxiliary for form in english.auxiliary_forms[rule.lemma]}
        return _Test([(_words(forms, english.joined), "")], False)
    by_english: dict[frozenset[str], set[str]] = {}
    for table in rules.formality if name == "formality_cases" else rules.gender:
        others = {words[-1] for case in table.cases() for words in case.words}
        by_english.setdefault(table.english, set()).update(others)
    pairs = [
        (_words(forms, english.joined), "|".join(map(re.escape, sorted(others))))
        for forms, others in by_english.items()
    ]
    return _Test(pairs, name in REVERSED)


def _words(forms: Iterable[str], joined: Iterable[str]) -> str:
    """Return a pattern of whole words, whatever is written onto them without an apostrophe."""
    alone = "|".join((_NO_LETTER_BEFORE if form[0].isalpha() else "") + re.escape(form) for form in sorted(forms))
    onto = "|".join(map(re.escape, sorted(joined)))
    return f"(?:{alone})(?:{onto})*{_NO_LETTER_AFTER}"
