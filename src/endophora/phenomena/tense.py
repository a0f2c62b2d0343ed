"""Tense that the source does not have: the time of a finite verb, which only the text before decides.

Chinese *他很累* is *he is tired* and *he was tired*. A verb of English is tagged if its segment has no sign of time in
the source, and if the nearest earlier segment that tells of past or present has a verb of the same time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from endophora.annotate.records import VERBS, AnnotatedText
from endophora.corefer.salience import QUOTES
from endophora.languages.schema import LanguageRules
from endophora.languages.verbs import TimeForm
from endophora.phenomena.records import (
    AnnotatedDocument,
    Occurrence,
    Support,
    group_of,
    mutual_links,
    placed,
    sources_of,
    verb_group,
)
from endophora.phenomena.tagging import rules_signature
from endophora.phenomena.verb_form import shown_form, verb_rule

_PREDICATES = frozenset({"VERB", "AUX", "ADJ"})
_TOLD = frozenset({"past", "present"})
REACH = 3
"""How many segments back the tense of the text is looked for."""


class TimedVerb(NamedTuple):
    """A finite verb whose form says a time: its tokens, the finite one, and the source words that it translates."""

    form: TimeForm
    tokens: tuple[int, ...]
    finite: int
    source: tuple[int, ...]
    quoted: bool


def _tells(form: TimeForm) -> bool:
    """Return whether a form tells of the past or of the present: *has seen* may do either."""
    return form.says[0] in _TOLD and not set(form.says) >= _TOLD


class TenseTagger:
    """Tags finite verbs whose tense the source's segment leaves open and the preceding text decides.

    Args:
        source: rules of a language without tense: its signs of time.
        target: rules of the target language: what its forms say of time.
    """

    phenomenon = "verb_form"

    def __init__(self, source: LanguageRules, target: LanguageRules) -> None:
        if source.time_signs is None or target.times is None:
            raise ValueError(f"{source.language}-{target.language}")
        self._signs = re.compile("|".join(sign.pattern for sign in source.time_signs.signs))
        self.rules: Sequence[TimeForm] = target.times.forms
        self._free = target.times.free_marks
        self.signature = f"tense,{REACH},{rules_signature(source, target)}"

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the tagged verbs; support are the verbs of the same time in the segment before, and its signs."""
        found = list[Occurrence]()
        told: list[list[TimedVerb]] = []
        for segment, (source, target) in enumerate(zip(document.source, document.target, strict=True)):
            verbs = list(self._timed(document, segment))
            if not self._signs.search(source.text):
                for verb in (one for one in verbs if one.form.tagged):
                    support = self._support(document, segment, verb, told)
                    own = self._predicates(document, segment, verb) if support is not None else ()
                    if own:
                        where = document.id, segment, self.phenomenon, verb.form.label
                        forms = " ".join(target.tokens[index].form for index in verb.tokens)
                        found.append(Occurrence(*where, own, verb.tokens, forms, support))
            told.append([verb for verb in verbs if not verb.quoted])
        return found

    def _timed(self, document: AnnotatedDocument, segment: int) -> Iterator[TimedVerb]:
        target, links = document.target[segment], document.links[segment]
        quoted = False
        for index, token in enumerate(target.tokens):
            quoted ^= token.form in QUOTES
            found = verb_rule(self.rules, target, index) if token.upos in VERBS else None
            if found is None or not isinstance(found[0], TimeForm) or not _tells(found[0]):
                continue
            main = group_of(target.tokens, index) if found[1] is None else found[1]
            tokens = tuple(sorted({index, *(at for at in (main,) if target.tokens[at].upos in VERBS)}))
            own = (main, *(at for at in verb_group(target.tokens, index) if at != main))
            linked = tuple(sorted({at for one in own for at in sources_of(one, links)}))
            yield TimedVerb(found[0], tokens, index, linked, quoted)

    def _support(
        self, document: AnnotatedDocument, segment: int, verb: TimedVerb, told: Sequence[Sequence[TimedVerb]]
    ) -> Support | None:
        """Return the verbs of the same time in the nearest earlier segment that has any, with its signs of time."""
        near = next((at for at in range(segment - 1, max(-1, segment - 1 - REACH), -1) if told[at]), None)
        alike = [] if near is None else [one for one in told[near] if one.form.says[0] == verb.form.says[0]]
        if near is None or not alike:
            return None
        source = document.source[near]
        spans = [match.span() for match in self._signs.finditer(source.text)]
        signs = [
            at
            for at, token in enumerate(source.tokens)
            if any(token.start < end and start < token.end for start, end in spans)
        ]
        return Support(
            placed(near, sorted({*signs, *(at for one in alike for at in one.source)})),
            placed(near, sorted({at for one in alike for at in one.tokens})),
            segment - near,
        )

    def _predicates(self, document: AnnotatedDocument, segment: int, verb: TimedVerb) -> tuple[int, ...]:
        """Return the source's predicates that a verb whose tense is a choice translates; none where it is no choice."""
        source, target = document.source[segment].tokens, document.target[segment]
        if verb.quoted or self._follows(target, verb):
            return ()
        mutual, group = mutual_links(document.links[segment]), {*verb.tokens, *verb_group(target.tokens, verb.finite)}
        return tuple(sorted({mutual[at] for at in group if at in mutual and source[mutual[at]].upos in _PREDICATES}))

    def _follows(self, text: AnnotatedText, verb: TimedVerb) -> bool:
        """Return whether a verb is in a clause whose tense is that of the verb above, or no time at all."""
        head = group_of(text.tokens, verb.finite)
        marks = {token.lemma.lower() for token in text.tokens if token.head == head and token.relation == "mark"}
        if not self._free.isdisjoint(marks):
            return True
        above = text.tokens[head].head
        return text.tokens[head].relation == "ccomp" and above >= 0 and bool(shown_form(self.rules, text, above))
