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
from functools import lru_cache
from typing import Literal

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.schema import FormalityRule, FormalityVerb, LanguageRules
from endophora.phenomena.pronoun_cases import PairTagger
from endophora.phenomena.records import (
    AnnotatedDocument,
    Memory,
    Occurrence,
    group_of,
    remembered,
    sources_of,
    subjects,
    verb_group,
)
from endophora.phenomena.tagging import RulesAs, TaggerSetup, rules_signature

_VERBS = frozenset({"VERB", "AUX"})

_ASKING = frozenset({"Int", "Rel", "Int,Rel"})
"""Pronouns that annotators often take for subjects (*¿qué piensa?*, *la ropa que lleva*)."""

_REACH = 40
"""Characters of text around a word that a rule may look at."""


class VerbIndex:
    """The rules of verbs that a word may fit; what its form, lemma and part of speech decide is decided once."""

    def __init__(self, verbs: Sequence[FormalityVerb]) -> None:
        self._verbs = tuple(verbs)
        self.candidates = lru_cache(maxsize=1 << 16)(self._candidates)

    def _candidates(self, form: str, lemma: str, upos: str) -> tuple[FormalityVerb, ...]:
        """Return the rules that may hold for a word in lower case, in order."""
        return tuple([verb for verb in self._verbs if _may_fit(verb, form, lemma, upos)])


def _may_fit(verb: FormalityVerb, form: str, lemma: str, upos: str) -> bool:
    """Return whether a word, in lower case, has the form that a verb rule asks for."""
    kinds = verb.upos or (_VERBS if verb.features else frozenset[str]())
    if kinds and upos not in kinds:
        return False
    if (verb.forms and form not in verb.forms) or (verb.lemmas and lemma not in verb.lemmas):
        return False
    if (verb.endings and not form.endswith(verb.endings)) or form in verb.unless_forms:
        return False
    if verb.unless_endings and form.endswith(verb.unless_endings):
        return False
    if verb.pattern and not re.search(verb.pattern, form):
        return False
    return not verb.lemma_pattern or re.search(verb.lemma_pattern, lemma) is not None


def fits(verb: FormalityVerb, text: AnnotatedText, index: int) -> bool:
    """Return whether a word of a verb rule's form has its features, and stands where it asks for."""
    token = text.tokens[index]
    if not matches(token.features, verb.features):
        return False
    if verb.before and not re.search(verb.before, text.text[max(0, token.start - _REACH) : token.start]):
        return False
    return not verb.after or re.match(verb.after, text.text[token.end : token.end + _REACH]) is not None


def subjects_of(text: AnnotatedText, verb: int) -> list[Token]:
    """Return the subjects of a verb, or of the predicate that it is an auxiliary or copula of."""
    return [text.tokens[index] for index in subjects(text.tokens, (verb, group_of(text.tokens, verb)))]


@dataclass(frozen=True, slots=True)
class _Word:
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
        """Return whether the word would be written with a capital in any case."""
        if self.index == 0 or self.index in self.target.sentences:
            return True
        before = self.target.tokens[self.index - 1]
        return before.upos == "PUNCT" and before.form != ","


class FormalityTagger:
    """Tags words that show a level of address if a word of that level occurred earlier in the document.

    A pronoun or possessive is distinguished from its homographs by its features, its place, and the source words that
    it is linked to: a link to a word of the second person speaks for it, a link to one of the third against it. The
    variant ``words`` leaves out verbs.
    """

    phenomenon = "formality"

    def __init__(
        self, source: LanguageRules, target: LanguageRules, variant: Literal["verbs", "words"] = "verbs"
    ) -> None:
        self.signature = f"{variant},{rules_signature(source, target)}"
        self._persons = source.persons
        self._words: defaultdict[str, list[FormalityRule]] = defaultdict(list)
        for rule in target.formality:
            for form in sorted({form.lower() for form in rule.forms}):
                self._words[form].append(rule)
        self._verbs = VerbIndex(target.formality_verbs if variant == "verbs" else ())
        self._honorifics = {form: rule for rule in target.honorifics for form in rule.forms}
        self._found = remembered(self._find)

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the tagged words, each with the nearest earlier words of its level as support."""
        occurrences: list[Occurrence] = []
        memory: defaultdict[str, Memory] = defaultdict(Memory)
        for segment, index, level, linked, tagged in self.words(document):
            known = memory[level]
            if known.count and tagged:
                place = document.id, segment, self.phenomenon, level
                form = document.target[segment].tokens[index].form
                occurrences.append(Occurrence(*place, linked, (index,), form, known.support(segment)))
            known.add(segment, linked, (index,))
        return occurrences

    def words(
        self, document: AnnotatedDocument, *, evident: bool = False
    ) -> Iterator[tuple[int, int, str, tuple[int, ...], bool]]:
        """Yield every word that shows a level: segment, token, level, source tokens, and whether it may be tagged.

        With ``evident``, verbs are among them whose form is of the second person alone, whatever the source has.
        """
        for segment, (source, target, links) in enumerate(
            zip(document.source, document.target, document.links, strict=True)
        ):
            for index, form, verbs in self._found(target.tokens):
                level, tagged = self._level(_Word(source, target, links, index), form, verbs, evident)
                if level:
                    yield segment, index, level, self._sources(source, sources_of(index, links)), tagged

    def _find(self, tokens: Sequence[Token]) -> list[tuple[int, str, Sequence[FormalityVerb]]]:
        """Return the words that may show a level: each with its form in lower case and the rules of verbs for it."""
        found: list[tuple[int, str, Sequence[FormalityVerb]]] = []
        for index, token in enumerate(tokens):
            form = token.form.lower()
            verbs = self._verbs.candidates(form, token.lemma.lower(), token.upos)
            if verbs or form in self._words or form in self._honorifics:
                found.append((index, form, verbs))
        return found

    def possible(self, document: AnnotatedDocument) -> Iterator[tuple[int, int, str, tuple[int, ...]]]:
        """Yield what would show a level if someone were addressed: segment, token, level, linked source tokens.

        These are the words of a rule's form without a subject of their own, whatever the source has. Where several
        rules have the form, that counts which knows it by its features (*piensa*: you think, or an imperative).
        """
        for segment, (target, links) in enumerate(zip(document.target, document.links, strict=True)):
            for index, form, verbs in self._found(target.tokens):
                upos = target.tokens[index].upos
                found = [one for one in self._words.get(form, ()) if not one.upos or upos in one.upos]
                if verbs and all(one.features.get("PronType") in _ASKING for one in subjects_of(target, index)):
                    found += sorted(
                        (one for one in verbs if fits(one, target, index)), key=lambda one: not one.features
                    )
                if found:
                    yield segment, index, found[0].level, tuple(sorted(sources_of(index, links)))

    def _sources(self, source: AnnotatedText, linked: Sequence[int]) -> tuple[int, ...]:
        """Return those of the linked source tokens that are of the second person, or else the most confident one."""
        second = [index for index in linked if source.tokens[index].form.lower() in self._persons.second]
        return tuple(sorted(second or linked[:1]))

    def _level(self, word: _Word, form: str, verbs: Sequence[FormalityVerb], evident: bool) -> tuple[str, bool]:
        """Return the level that a target word shows, empty if none, and whether the word may be tagged for it."""
        for rule in self._words.get(form, ()):
            if self._applies(rule, word):
                return rule.level, True
        for verb in verbs:
            if fits(verb, word.target, word.index):
                if self._addressed(verb, word):
                    return verb.level, True
                named = any(word.source.tokens[index].upos == "PROPN" for index in word.linked())
                if evident and verb.evident and not named and not self._has_pronoun(verb, word):
                    return verb.level, False
        honorific = self._honorifics.get(form)
        if honorific is not None and word.token.relation == honorific.relation:
            return honorific.level, False
        return "", False

    def _applies(self, rule: FormalityRule, word: _Word) -> bool:
        """Return whether a pronoun rule holds for a word one of whose forms it is."""
        token = word.token
        if rule.cased and token.form not in rule.forms:
            return False
        if rule.linked == "ignored":
            return True
        if not matches(token.features, rule.features):
            return False
        if word.index and word.target.tokens[word.index - 1].form.lower() in rule.unless_after:
            return False
        words = {word.source.tokens[index].form for index in word.linked()}
        lower = {form.lower() for form in words}
        wanted = rule.source_forms or self._persons.second
        governor = word.target.tokens[token.head].lemma.lower() if token.head >= 0 else ""
        relations = frozenset[str]() if governor in rule.governors else rule.source_relations
        second = any(
            token.form.lower() in wanted and (not relations or token.relation.partition(":")[0] in relations)
            for token in (word.source.tokens[index] for index in word.linked())
        )
        if rule.upos and token.upos not in rule.upos and (rule.linked == "always" or not second):
            return False
        if second:
            return True
        if rule.linked == "always" or token.form in words or not lower.isdisjoint(self._persons.third):
            return False
        if rule.linked == "segment":
            return self._is_no_title(rule, word)
        if rule.linked == "never" or not word.initial():
            return True
        spoken = {token.form.lower() for token in word.source.tokens}
        return not spoken.isdisjoint(wanted) and spoken.isdisjoint(self._persons.third)

    def _is_no_title(self, rule: FormalityRule, word: _Word) -> bool:
        """Return whether a word that is also a title and a noun is neither: it is an address, and no name follows."""
        spoken = {token.form.lower() for token in word.source.tokens}
        if spoken.isdisjoint(rule.source_forms or self._persons.second):
            return False
        following = word.target.tokens[word.index + 1 : word.index + 2]
        linked = [word.source.tokens[index] for index in word.linked()]
        words = (*following, *linked)
        return not any(token.upos == "PROPN" for token in words) and not any(token.upos == "NOUN" for token in linked)

    def _addressed(self, verb: FormalityVerb, word: _Word) -> bool:
        """Return whether a verb whose features fit addresses someone, by the source verb it is linked to."""
        tokens = word.target.tokens
        following = tokens[word.index + 1].form.lower() if word.index + 1 < len(tokens) else ""
        if following in verb.unless_next:
            return False
        if verb.addressed == "any":
            return True
        linked = word.linked()
        if verb.addressed == "segment":
            return self._told_by_segment(verb, word)
        if not linked:
            return False
        if verb.addressed == "possessor":
            return self._has_possessor(word)
        if verb.addressed == "subject":
            return not self._has_pronoun(verb, word) and self._has_second(word.source, linked[0])
        subjects = {token.form.lower() for token in subjects_of(word.source, linked[0])}
        # The verb itself, or one of its auxiliaries (*don't go*).
        imperative = any(
            token.features.get("Mood") == "Imp"
            for index, token in enumerate(word.source.tokens)
            if index == linked[0] or (token.head == linked[0] and token.relation.startswith("aux"))
        )
        return imperative and subjects <= self._persons.second and not subjects_of(word.target, word.index)

    def _has_pronoun(self, verb: FormalityVerb, word: _Word) -> bool:
        """Return whether a verb has its level from the pronoun next to it, which is tagged already."""
        own = subjects_of(word.target, word.index)
        return bool(own) if verb.bare else any(token.form.lower() in self._words for token in own)

    def _told_by_segment(self, verb: FormalityVerb, word: _Word) -> bool:
        """Return whether the source segment says that a verb addresses someone, where its links do not.

        A form of the second person needs some word of the second person, or an imperative. One that is also of the
        third needs a subject of the second whose verb no other target verb translates, or a link to a noun of the
        second person (*what are your thoughts?*); and no link to a verb with another subject.
        """
        source, linked = word.source, word.linked()
        seconds = [index for index, token in enumerate(source.tokens) if token.form.lower() in self._persons.second]
        if self._has_pronoun(verb, word):
            return False
        if not verb.bare:
            return bool(seconds) or any(token.features.get("Mood") == "Imp" for token in source.tokens)
        for index in linked:
            subjects = subjects_of(source, index)
            if subjects:
                return any(subject.form.lower() in self._persons.second for subject in subjects)
        if any(source.tokens[index].head in linked for index in seconds):
            return True
        return any(self._is_free(word, index) for index in seconds if source.tokens[index].relation.startswith("nsubj"))

    def _is_free(self, word: _Word, subject: int) -> bool:
        """Return whether neither a source subject nor its verb is linked to another target verb or address."""
        tokens = word.source.tokens
        theirs = {subject, *verb_group(tokens, tokens[subject].head)} if tokens[subject].head >= 0 else {subject}
        for link in word.links:
            if link.source not in theirs or link.target == word.index:
                continue
            token = word.target.tokens[link.target]
            if token.upos in _VERBS or token.form.lower() in self._words:
                return False
        return True

    def _has_possessor(self, word: _Word) -> bool:
        """Return whether a word's source word has a possessor or object of the second person, but none itself."""
        if any(
            token.head == word.index and token.form.lower() in self._words and token.relation.startswith("nmod")
            for token in word.target.tokens
        ):
            return False  # it has its level from the pronoun, which is tagged already
        linked = word.linked()
        return any(
            token.form.lower() in self._persons.second
            and (index in linked or (token.head == linked[0] and token.relation.startswith(("nmod", "obj", "iobj"))))
            for index, token in enumerate(word.source.tokens)
        )

    def _has_second(self, source: AnnotatedText, index: int) -> bool:
        """Return whether a source word is a subject of the second person, or belongs to a verb that has one."""
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


class FormalityCaseTagger(PairTagger):
    """Finds the translations of *you* that show a form of address; they have no support, since none is one word."""

    phenomenon = "formality_cases"

    def __init__(self, rules: LanguageRules, rules_as: RulesAs = "corrected") -> None:
        published = rules_as == "published"
        variant = f"{rules_as}," if published else ""
        cases = rules.extracted.cases("formality", published=published)
        super().__init__(cases, f"{variant}{rules_signature(rules)}")


def make_formality_case_tagger(setup: TaggerSetup) -> FormalityCaseTagger:
    """Return the tagger of formality by case."""
    return FormalityCaseTagger(setup.target, setup.options.rules_as)
