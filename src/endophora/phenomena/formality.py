"""Formality: words of a level of address used before (Fernandes et al. 2023), and every *you* by case.

The level is asked of pronouns, possessives and verbs. By case (Wicks and Post 2023, §2.1.3 and §3), every *you* counts
whose translation shows a form of address.

That asks for no earlier word of the level, looks at pronouns only, and its rules are cases (``ACC.INFORM.SING``), so
that test sets can be balanced by form; both may be asked for at once.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.extraction import ExtractionRules
from endophora.languages.schema import FormalityRule, FormalityVerb, LanguageRules
from endophora.phenomena.pronoun_cases import Pair, PronounCases
from endophora.phenomena.records import AnnotatedDocument, Memory, Occurrence, group_of, sources_of, span_text
from endophora.phenomena.tagging import TaggerSetup, rules_signature
from endophora.phenomena.verdicts import Reason, Verdict, furthest

_VERBS = frozenset({"VERB", "AUX"})

_REACH = 40
"""Characters of text around a word that a rule may look at."""


class VerbIndex:
    """The rules that a word may fit, without trying all of them on every word."""

    def __init__(self, verbs: Sequence[FormalityVerb]) -> None:
        self._verbs = tuple(verbs)
        self._by_form: defaultdict[str, set[int]] = defaultdict(set)
        self._by_lemma: defaultdict[str, set[int]] = defaultdict(set)
        self._others: set[int] = set()
        for number, verb in enumerate(self._verbs):
            for form in verb.forms:
                self._by_form[form].add(number)
            for lemma in verb.lemmas if not verb.forms else ():
                self._by_lemma[lemma].add(number)
            if not verb.forms and not verb.lemmas:
                self._others.add(number)

    def candidates(self, token: Token, form: str) -> Iterator[FormalityVerb]:
        """Yield the rules that may hold for a word, in order."""
        numbers = self._by_form.get(form, set[int]()) | self._by_lemma.get(token.lemma.lower(), set[int]())
        for number in sorted(numbers | self._others):
            yield self._verbs[number]


def fits(verb: FormalityVerb, text: AnnotatedText, index: int) -> bool:
    """Tell whether a word has the form that a verb rule asks for, and stands where it asks for."""
    token = text.tokens[index]
    upos = verb.upos or (_VERBS if verb.features else frozenset[str]())
    if (upos and token.upos not in upos) or not matches(token.features, verb.features):
        return False
    form, lemma = token.form.lower(), token.lemma.lower()
    if (verb.forms and form not in verb.forms) or (verb.lemmas and lemma not in verb.lemmas):
        return False
    if (verb.endings and not form.endswith(verb.endings)) or form in verb.unless_forms:
        return False
    if verb.unless_endings and form.endswith(verb.unless_endings):
        return False
    if verb.pattern and not re.search(verb.pattern, form):
        return False
    if verb.lemma_pattern and not re.search(verb.lemma_pattern, lemma):
        return False
    if verb.before and not re.search(verb.before, text.text[max(0, token.start - _REACH) : token.start]):
        return False
    return not verb.after or re.match(verb.after, text.text[token.end : token.end + _REACH]) is not None


def subjects_of(text: AnnotatedText, verb: int) -> list[Token]:
    """Return the subjects of a verb, or of the predicate that it is an auxiliary or copula of."""
    heads = {verb, group_of(text.tokens, verb)}
    return [token for token in text.tokens if token.head in heads and token.relation.startswith("nsubj")]


def is_imperative(text: AnnotatedText, verb: int) -> bool:
    """Tell whether a verb or one of its auxiliaries (*don't go*) is an imperative."""
    return text.tokens[verb].features.get("Mood") == "Imp" or any(
        token.head == verb and token.relation.startswith("aux") and token.features.get("Mood") == "Imp"
        for token in text.tokens
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """A target token in its segment."""

    source: AnnotatedText
    target: AnnotatedText
    links: Sequence[Link]
    index: int

    @property
    def token(self) -> Token:
        """The token."""
        return self.target.tokens[self.index]

    def linked(self) -> list[int]:
        """Return the linked source tokens."""
        return sources_of(self.index, self.links)

    def initial(self) -> bool:
        """Tell whether the word would be written with a capital whatever it is."""
        if self.index == 0 or self.index in self.target.sentences:
            return True
        before = self.target.tokens[self.index - 1]
        return before.upos == "PUNCT" and before.form != ","


class FormalityTagger:
    """Tags words that show a level of address if a word of that level occurred earlier in the document.

    A pronoun or possessive is told from its homographs by its features, by where it stands, and by the source words
    it is linked to: a link to a word of the second person speaks for it, a link to one of the third against it.

    Args:
        variant: ``verbs``: pronouns, possessives and verbs; ``words``: pronouns and possessives only.
    """

    phenomenon = "formality"

    def __init__(
        self, source: LanguageRules, target: LanguageRules, variant: Literal["verbs", "words"] = "verbs"
    ) -> None:
        self._variant = variant
        self._files = rules_signature(source, target)
        self._persons = source.persons
        self._words: defaultdict[str, list[FormalityRule]] = defaultdict(list)
        for rule in target.formality:
            for form in sorted({form.lower() for form in rule.forms}):
                self._words[form].append(rule)
        self._verbs = target.formality_verbs if variant == "verbs" else ()
        self._verb_index = VerbIndex(self._verbs)
        self._honorifics = {form: rule for rule in target.honorifics for form in rule.forms}

    @property
    def signature(self) -> str:
        """The variant, and the rule files."""
        return f"{self._variant},{self._files}"

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token.

        Returns:
            One occurrence a tagged word, with the nearest earlier words of its level as its support.
        """
        occurrences: list[Occurrence] = []
        memory: defaultdict[str, Memory] = defaultdict(Memory)
        for segment, (source, target, links) in enumerate(
            zip(document.source, document.target, document.links, strict=True)
        ):
            for index, token in enumerate(target.tokens):
                level, tagged = self._level(token, source, target, links, index)
                if not level:
                    continue
                known = memory[level]
                linked = self._sources(source, sources_of(index, links))
                if known.count and tagged:
                    occurrences.append(
                        Occurrence(
                            document=document.id,
                            segment=segment,
                            phenomenon=self.phenomenon,
                            rule=level,
                            source_tokens=linked,
                            target_tokens=(index,),
                            expected=token.form,
                            support=known.support(segment),
                        )
                    )
                known.add(segment, linked, (index,))
        return occurrences

    def _sources(self, source: AnnotatedText, linked: Sequence[int]) -> tuple[int, ...]:
        """Return those of the linked source tokens that are of the second person, or else the most confident one."""
        second = [index for index in linked if source.tokens[index].form.lower() in self._persons.second]
        return tuple(sorted(second or linked[:1]))

    def _level(
        self, token: Token, source: AnnotatedText, target: AnnotatedText, links: Sequence[Link], index: int
    ) -> tuple[str, bool]:
        """Return the level that a target word shows, empty if none, and whether the word may be tagged for it."""
        form = token.form.lower()
        rules = self._words.get(form)
        if rules is not None:
            place = _Place(source, target, links, index)
            for rule in rules:
                if self._applies(rule, place):
                    return rule.level, True
        for verb in self._verb_index.candidates(token, form):
            if fits(verb, target, index) and self._addressed(verb, _Place(source, target, links, index)):
                return verb.level, True
        honorific = self._honorifics.get(form)
        if honorific is not None and token.relation == honorific.relation:
            return honorific.level, False
        return "", False

    def _applies(self, rule: FormalityRule, place: _Place) -> bool:
        """Tell whether a pronoun rule holds for a word one of whose forms it is."""
        token = place.token
        if rule.cased and token.form not in rule.forms:
            return False
        if not matches(token.features, rule.features):
            return False
        if place.index and place.target.tokens[place.index - 1].form.lower() in rule.unless_after:
            return False
        words = {place.source.tokens[index].form for index in place.linked()}
        lower = {word.lower() for word in words}
        second = self._has_second_word(rule, place)
        if rule.upos and token.upos not in rule.upos and (rule.linked == "always" or not second):
            return False
        if second:
            return True
        if rule.linked == "always" or token.form in words or not lower.isdisjoint(self._persons.third):
            return False
        if rule.linked == "segment":
            return self._is_no_title(rule, place)
        return rule.linked == "never" or not place.initial() or self._only_second(rule, place.source)

    def _has_second_word(self, rule: FormalityRule, place: _Place) -> bool:
        """Tell whether a word is linked to one of the words that a rule wants."""
        wanted = rule.source_forms or self._persons.second
        linked = (place.source.tokens[index] for index in place.linked())
        return any(
            token.form.lower() in wanted
            and (not rule.source_relations or token.relation.partition(":")[0] in rule.source_relations)
            for token in linked
        )

    def _is_no_title(self, rule: FormalityRule, place: _Place) -> bool:
        """Tell whether a word that is also a title and a noun is neither: someone is spoken to, and no name follows."""
        spoken = {token.form.lower() for token in place.source.tokens}
        if spoken.isdisjoint(rule.source_forms or self._persons.second):
            return False
        following = place.target.tokens[place.index + 1 : place.index + 2]
        linked = [place.source.tokens[index] for index in place.linked()]
        words = (*following, *linked)
        return not any(word.upos == "PROPN" for word in words) and not any(word.upos == "NOUN" for word in linked)

    def _only_second(self, rule: FormalityRule, source: AnnotatedText) -> bool:
        """Tell whether a source segment has words of the second person and none of the third."""
        words = {token.form.lower() for token in source.tokens}
        return not words.isdisjoint(rule.source_forms or self._persons.second) and words.isdisjoint(self._persons.third)

    def _addressed(self, verb: FormalityVerb, place: _Place) -> bool:
        """Tell whether a verb whose features fit addresses someone, by the source verb it is linked to."""
        tokens = place.target.tokens
        following = tokens[place.index + 1].form.lower() if place.index + 1 < len(tokens) else ""
        if following in verb.unless_next:
            return False
        if verb.addressed == "any":
            return True
        linked = place.linked()
        if not linked:
            return False
        if verb.addressed == "possessor":
            return self._has_possessor(place)
        if verb.addressed == "subject":
            # A verb has its level from the pronoun beside it, which is tagged already.
            own = subjects_of(place.target, place.index)
            beside = bool(own) if verb.bare else any(token.form.lower() in self._words for token in own)
            return not beside and self._has_second(place.source, linked[0])
        subjects = {token.form.lower() for token in subjects_of(place.source, linked[0])}
        if not is_imperative(place.source, linked[0]) or not subjects <= self._persons.second:
            return False
        return not subjects_of(place.target, place.index)

    def _has_possessor(self, place: _Place) -> bool:
        """Tell whether a word's source word has a possessor or object of the second person, and no possessor itself."""
        if any(
            token.head == place.index and token.form.lower() in self._words and token.relation.startswith("nmod")
            for token in place.target.tokens
        ):
            return False  # it has its level from the pronoun, which is tagged already
        linked = place.linked()
        return any(
            token.form.lower() in self._persons.second
            and (index in linked or (token.head == linked[0] and token.relation.startswith(("nmod", "obj", "iobj"))))
            for index, token in enumerate(place.source.tokens)
        )

    def _has_second(self, source: AnnotatedText, index: int) -> bool:
        """Tell whether a source word is a subject of the second person, or belongs to a verb that has one."""
        token = source.tokens[index]
        if token.form.lower() in self._persons.second:
            return token.relation.startswith("nsubj")
        subjects = subjects_of(source, index)
        group = group_of(source.tokens, index)
        while not subjects and source.tokens[group].relation == "conj" and source.tokens[group].head >= 0:
            group = source.tokens[group].head  # *you come and see*: the second verb has the subject of the first
            subjects = subjects_of(source, group)
        return any(subject.form.lower() in self._persons.second for subject in subjects)


def make_tagger(setup: TaggerSetup) -> FormalityTagger:
    """Return the tagger of formality."""
    return FormalityTagger(setup.source, setup.target, setup.options.formality)


class FormalityCaseTagger:
    """Finds the translations of *you* that show a form of address."""

    phenomenon = "formality_cases"

    def __init__(self, rules: LanguageRules) -> None:
        self._cases = PronounCases((rules.extraction or ExtractionRules()).formality)
        self._files = rules_signature(rules)

    @property
    def signature(self) -> str:
        """The rule file."""
        return self._files

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token.

        Returns:
            One occurrence a pronoun, of the first rule that holds; it has no support, since none is one word.
        """
        found: dict[tuple[int, tuple[int, ...]], Occurrence] = {}
        for segment in range(len(document.source)):
            for pair in self._cases.pairs(document, segment):
                occurrence = self._verdict(document, pair).occurrence
                if occurrence is not None:
                    found.setdefault((segment, pair.target), occurrence)
        return list(found.values())

    def verdicts(self, document: AnnotatedDocument, segment: int) -> dict[str, Verdict]:
        """Return for each rule what it says of a segment: the pair of words with which its check came furthest."""
        by_label: dict[str, list[Verdict]] = {case.label: [] for case in self._cases.cases}
        for pair in self._cases.pairs(document, segment):
            by_label[pair.case.label].append(self._verdict(document, pair))
        return {label: furthest(some, Reason.NO_PAIR) for label, some in by_label.items()}

    def _verdict(self, document: AnnotatedDocument, pair: Pair) -> Verdict:
        if pair.reason is not Reason.HIT:
            return Verdict(pair.reason)
        return Verdict(
            Reason.HIT,
            Occurrence(
                document=document.id,
                segment=pair.segment,
                phenomenon=self.phenomenon,
                rule=pair.case.label,
                source_tokens=(pair.source,),
                target_tokens=pair.target,
                expected=span_text(document.target[pair.segment], pair.target),
            ),
        )


def make_formality_case_tagger(setup: TaggerSetup) -> FormalityCaseTagger:
    """Return the tagger of formality by case."""
    return FormalityCaseTagger(setup.target)
