"""Formality: words of a level of address used before (Fernandes et al. 2023): pronouns, possessives and verbs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal, TypeAlias

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.base import matches
from endophora.languages.schema import FormalityRule, FormalityVerb, LanguageRules, Words
from endophora.phenomena.formality_source import Addressee, subjects_of
from endophora.phenomena.formality_words import REACH, TargetWord
from endophora.phenomena.pronoun_pairs import EXPLETIVE
from endophora.phenomena.records import (
    AnnotatedDocument,
    Memory,
    Occurrence,
    dependents,
    group_of,
    last_document,
    remembered,
    sources_of,
    subjects,
    targets_of,
    verb_group,
)
from endophora.phenomena.tagging import TaggerSetup, rules_signature

_LIKE_VERBS = frozenset({"VERB", "AUX", "PROPN", "X"})
"""Parts of speech that models give to imperatives at the beginning of a sentence."""
_PARTICLES = frozenset({"ADP", "ADV"})
_PRONOMINAL = frozenset({"PRON", "SCONJ"})
_CONTENT = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})

_ASKING = frozenset({"Int", "Rel", "Int,Rel"})
"""Pronouns that annotators often take for subjects (*¿qué piensa?*, *la ropa que lleva*)."""


_Level: TypeAlias = tuple[str, bool]
"""A level that a word shows, empty if none, and whether the word may be tagged for it."""


def _may_fit(verb: FormalityVerb, form: str, lemma: str, upos: str) -> bool:
    """Return whether a word, in lower case, has the form that a verb rule asks for."""
    kinds = verb.upos or (VERBS if verb.features else frozenset[str]())
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
    if not matches(token.features, verb.features) or token.relation in verb.unless_relations:
        return False
    if verb.before and not re.search(verb.before, text.text[max(0, token.start - REACH) : token.start]):
        return False
    if verb.after and not re.match(verb.after, text.text[token.end : token.end + REACH]):
        return False
    own = dependents(text.tokens).get(index, ()) if verb.unless_governs else ()
    return not any(text.tokens[at].relation in verb.unless_governs for at in own)


class FormalityTagger:
    """Tags words that show a level of address if a word of that level occurred earlier in the document.

    A pronoun or possessive is distinguished from its homographs by its features, its place, and the source words that
    it is linked to: a link to a word of the second person supports it, a link to one of the third against it. The
    variant ``words`` leaves out verbs.
    """

    phenomenon = "formality"

    def __init__(
        self, source: LanguageRules, target: LanguageRules, variant: Literal["verbs", "words"] = "verbs"
    ) -> None:
        self.signature = f"{variant},{rules_signature(source, target)}"
        self.persons, self._third, self.plural = source.persons, target.persons.third, target.plural_address
        self.source, self.polite_plural, self.respect = source, target.polite_plural, target.respect
        self._words: defaultdict[str, list[FormalityRule]] = defaultdict(list)
        for rule in target.formality:
            for form in sorted({form.lower() for form in rule.forms}):
                self._words[form].append(rule)
        self._verbs = target.formality_verbs if variant == "verbs" else ()
        self._honorifics = {form: rule for rule in target.honorifics for form in rule.forms}
        self._found = remembered(self._find)
        self.addressee = Addressee(source.persons.second, source.persons.urging)
        self._words_of = last_document(self._find_words)
        # Of a word as it is written and annotated: its form in lower case and its rules, if it may show a level.
        self._may_show = lru_cache(maxsize=1 << 16)(self._look)

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
        for segment, index, linked, addressed, shown in self._words_of(document):
            level, tagged = shown if evident else addressed
            if level:
                yield segment, index, level, linked, tagged

    def _find_words(self, document: AnnotatedDocument) -> list[tuple[int, int, tuple[int, ...], _Level, _Level]]:
        """Return every word that shows a level: segment, token, source tokens, level, and that with evident ones."""
        return [
            (segment, index, self._sources(source, sources_of(index, links)), *levels)
            for segment, (source, target, links) in enumerate(
                zip(document.source, document.target, document.links, strict=True)
            )
            for index, form, verbs in self._found(target.tokens)
            if (levels := self._levels(TargetWord(source, target, links, index), form, verbs))[1][0]
        ]

    def _find(self, tokens: Sequence[Token]) -> list[tuple[int, str, Sequence[FormalityVerb]]]:
        """Return the words that may show a level: each with its form in lower case and the rules of verbs for it."""
        shows = [self._may_show(token[:3]) for token in tokens]
        return [(index, *found) for index, found in enumerate(shows) if found is not None]

    def _look(self, word: tuple[str, str, str]) -> tuple[str, Sequence[FormalityVerb]] | None:
        form, lemma, upos = word[0].lower(), word[1].lower(), word[2]
        verbs = [verb for verb in self._verbs if _may_fit(verb, form, lemma, upos)]
        return (form, verbs) if verbs or form in self._words or form in self._honorifics else None

    def possible(self, document: AnnotatedDocument) -> Iterator[tuple[int, int, str, tuple[int, ...]]]:
        """Yield what would show a level if someone were addressed: segment, token, level, linked source tokens.

        These are the words of a rule's form without a subject of their own, whatever the source has. Where several
        rules have the form, that counts which knows it by its features (*piensa*: you think, or an imperative), and
        whether the source's verb is an imperative or has a subject of the second person.
        """
        for segment, (source, target, links) in enumerate(
            zip(document.source, document.target, document.links, strict=True)
        ):
            for index, form, verbs in self._found(target.tokens):
                token, word = target.tokens[index], TargetWord(source, target, links, index)
                following = target.tokens[index + 1 : index + 2]
                rules = [one for one in self._words.get(form, ()) if not one.cased or token.form in one.forms]
                found = [
                    one
                    for one in rules
                    if (not one.upos or token.upos in one.upos)
                    and (not one.next_upos or any(token.upos in one.next_upos for token in following))
                ]
                if verbs and all(one.features.get("PronType") in _ASKING for one in subjects_of(target.tokens, index)):
                    found += self._possible_verbs(verbs, word)
                if found:
                    yield segment, index, found[0].level, tuple(sorted(sources_of(index, links)))

    def _possible_verbs(self, verbs: Sequence[FormalityVerb], word: TargetWord) -> list[FormalityVerb]:
        """Return the rules of verbs for a word, those with features first, and those of the source verb's mood."""
        upos, linked = word.token.upos, word.linked()[:1]
        if linked and self.addressee.has_other_subject(word.source.tokens, linked[0]):
            return []
        found = [
            one
            for one in verbs
            if (upos in _LIKE_VERBS or one.upos or one.forms)
            and fits(one, word.target, word.index)
            and word.translates(one.linked_upos)
        ]
        if self._is_told(word):
            found = [one for one in found if one.addressed not in {"subject", "segment"}] or found
        elif (linked and self.addressee.has_subject(word.source.tokens, linked[0])) or self.addressee.is_asked(
            word.source.tokens
        ):
            found = [one for one in found if one.addressed != "imperative"]
        return sorted(found, key=lambda one: not one.features)

    def _sources(self, source: AnnotatedText, linked: Sequence[int]) -> tuple[int, ...]:
        """Return those of the linked source tokens that are of the second person, or else the most confident one."""
        second = [index for index in linked if source.tokens[index].form.lower() in self.persons.second]
        return tuple(sorted(second or linked[:1]))

    def _levels(self, word: TargetWord, form: str, verbs: Sequence[FormalityVerb]) -> tuple[_Level, _Level]:
        """Return the level that a target word shows, and the one that it shows with evident verbs among them."""
        for rule in self._words.get(form, ()):
            if self._applies(rule, word):
                return (rule.level, True), (rule.level, True)
        shown: _Level | None = None
        for verb in verbs:
            if fits(verb, word.target, word.index):
                if self._addressed(verb, word):
                    return (verb.level, True), shown or (verb.level, True)
                named = any(word.source.tokens[index].upos == "PROPN" for index in word.linked())
                if shown is None and verb.evident and not named and not self._has_pronoun(verb, word):
                    shown = verb.level, False
        honorific = self._honorifics.get(form)
        if honorific is not None and word.token.relation == honorific.relation:
            return (honorific.level, False), shown or (honorific.level, False)
        return ("", False), shown or ("", False)

    def _applies(self, rule: FormalityRule, word: TargetWord) -> bool:
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
        following = word.target.tokens[word.index + 1 : word.index + 2]
        if rule.unless_expletive and word.is_place(rule.unless_expletive):
            return False
        if rule.unless_verb and word.has_verb(rule.unless_verb):
            return False
        if rule.next_upos and not any(token.upos in rule.next_upos for token in following):
            return False
        words = {word.source.tokens[index].form for index in word.linked()}
        lower = {form.lower() for form in words}
        wanted = rule.source_forms or self.persons.second
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
        if self._is_object_of_second(rule, word, wanted):
            return True
        # Whatever aligners link it to, unless it may be a third person, too (*ihr*).
        own = rule.linked == "never" and token.features.get("Person") == "2" and token.form.lower() not in self._third
        if rule.linked == "always" or token.form in words or not (own or lower.isdisjoint(self.persons.third)):
            return False
        if rule.linked == "spoken":
            return any(token.form.lower() in wanted for token in word.source.tokens)
        if rule.linked == "segment":
            return self._is_no_title(rule, word)
        if rule.linked == "never" or not word.initial():
            return True
        spoken = {token.form.lower() for token in word.source.tokens}
        return not spoken.isdisjoint(wanted) and spoken.isdisjoint(self.persons.third)

    def _is_object_of_second(self, rule: FormalityRule, word: TargetWord, wanted: Words) -> bool:
        """Return whether the source verb of a clitic's verb has an object of the second person that is not translated.

        Aligners link clitics to subjects and auxiliaries (*le daré*, I will give you), or to nothing.
        """
        if not rule.source_relations or word.token.head < 0 or word.token.relation.startswith(EXPLETIVE):
            return False
        verbs = set(sources_of(word.token.head, word.links))
        tokens = word.source.tokens
        if any(tokens[index].upos in _CONTENT and index not in verbs for index in word.linked()) or word.has_rival():
            return False
        if word.target.tokens[word.token.head].lemma.lower() in rule.governors:
            relations = {*rule.source_relations, "nsubj"}
        else:
            relations = rule.source_relations
        return any(
            token.form.lower() in wanted
            and (
                (token.head in verbs and token.relation.partition(":")[0] in relations)
                or any(word.heads_object(token, verb) for verb in verbs)
                or word.is_beside_possessed(token)
            )
            and not any(self._is_address(word, target) for target in targets_of(index, word.links))
            for index, token in enumerate(tokens)
        )

    def _is_address(self, word: TargetWord, index: int) -> bool:
        """Return whether another target word has a form of address."""
        return index != word.index and self._is_form_of_address(word.target.tokens[index])

    def _is_no_title(self, rule: FormalityRule, word: TargetWord) -> bool:
        """Return whether a word that is also a title and a noun is neither: it is an address, and no name follows."""
        spoken = {token.form.lower() for token in word.source.tokens}
        if spoken.isdisjoint(rule.source_forms or self.persons.second):
            return False
        following = word.target.tokens[word.index + 1 : word.index + 2]
        linked = [word.source.tokens[index] for index in word.linked()]
        words = (*following, *linked)
        return not any(token.upos == "PROPN" for token in words) and not any(token.upos == "NOUN" for token in linked)

    def _addressed(self, verb: FormalityVerb, word: TargetWord) -> bool:
        """Return whether a verb whose features fit addresses someone, by the source verb it is linked to."""
        tokens = word.target.tokens
        following = tokens[word.index + 1].form if word.index + 1 < len(tokens) else ""
        if following in verb.unless_next:
            return False
        if verb.addressed == "any":
            return True
        linked = word.linked()
        if not word.translates(verb.linked_upos):
            return False
        if verb.addressed == "predicate":
            return self._is_said_of_second(verb, word)
        if verb.addressed == "form":
            named = word.is_capitalized() or word.is_copied()
            first = word.has_own_subject(before=False) or (verb.shares_first and self._shares_first(word))
            return not (named or first or (self._has_pronoun(verb, word) and not verb.reflexive))
        if verb.addressed == "segment":
            return self._told_by_segment(verb, word)
        if verb.addressed == "imperative":
            return (
                self._is_told(word)
                and not word.has_own_subject(before=True)
                and (verb.reflexive or not self._has_pronoun(verb, word))
            )
        if verb.addressed == "possessor":
            return bool(linked) and self._has_possessor(word)
        linked = word.linked_verb()
        return (
            bool(linked)
            and not self._has_pronoun(verb, word)
            and self.addressee.has_subject(word.source.tokens, linked[0])
        )

    def _is_said_of_second(self, verb: FormalityVerb, word: TargetWord) -> bool:
        """Return whether what a copula or auxiliary belongs to translates what the source says of a second person.

        A predicate that has a clause as its subject is none (*è possibile venire*, you can come), nor is one with a
        bare infinitive, which parsers often take for another complement (*è vietato fumare*).
        """
        tokens, main = word.target.tokens, group_of(word.target.tokens, word.index)
        if main == word.index or self._has_pronoun(verb, word):
            return False
        own = [token for token in tokens if token.head == main]
        dative = tokens[main].upos == "VERB" and any(self._is_form_of_address(token) for token in own)
        clausal = word.has_bare_infinitive(main) or any(
            one.relation.startswith(("csubj", "ccomp", "expl")) for one in own
        )
        if dative or clausal:
            return False
        told = [subjects_of(word.source.tokens, index) for index in sources_of(main, word.links)[:1]]
        return any(one.form.lower() in self.persons.second for one in (told[0] if told else ()))

    def _is_told(self, word: TargetWord) -> bool:
        """Return whether a target verb translates an imperative: a linked one, or the only one that no verb translates.

        A noun that is an imperative's object may be all that is linked, or its particle: *take a look*, *mira*; *come
        back*, *vuelve*.
        """
        tokens, links = word.source.tokens, word.links
        linked = word.linked()[:1]
        if linked:
            index = linked[0]
            particle = tokens[index].upos in _PARTICLES and index > tokens[index].head and word.leads()
            governed = particle or (tokens[index].upos == "NOUN" and tokens[index].relation == "obj")
            governs = governed and (particle or word.token.upos in _LIKE_VERBS)
            verbs = (index, tokens[index].head) if governs else (index,)
            urges = word.token.upos in _LIKE_VERBS and self.addressee.may_urge(tokens, index)
            return urges or not self.addressee.imperatives(tokens).isdisjoint(verbs)
        verbal = {link.source for link in links if word.target.tokens[link.target].upos in VERBS}
        return len(self.addressee.imperatives(tokens) - verbal) == 1 and word.leads() and word.token.upos in _LIKE_VERBS

    def _shares_first(self, word: TargetWord) -> bool:
        """Return whether a verb of no imperative is joined to one of the first person (*ich geh und hol Brot*)."""
        tokens, head = word.target.tokens, word.index
        while tokens[head].relation == "conj" and 0 <= tokens[head].head < head:
            head = tokens[head].head
        own = subjects(tokens, (head, group_of(tokens, head)))
        first = any(tokens[index].features.get("Person") == "1" for index in own)
        return first and head != word.index and not self._is_told(word)

    def _has_pronoun(self, verb: FormalityVerb, word: TargetWord) -> bool:
        """Return whether a verb has its level from the pronoun next to it, which is tagged already."""
        tokens = word.target.tokens
        places = word.subjects()
        if not verb.bare:
            return any(
                self._is_form_of_address(tokens[place])
                and "Nom" in tokens[place].features.get("Case", "Nom")
                and tokens[place].features.get("Poss") != "Yes"  # *no vuelvas a tu …*
                for place in places
            )
        certain = verb.addressed in {
            "segment",
            "predicate",
        }  # of the source's verb nothing is known that says whose it is
        own = [
            tokens[place]
            for place in places
            if any(
                token.head == place and token.upos == "PRON" and self._is_form_of_address(token) for token in tokens
            )  # *vocês dois*
            or ((certain or not word.is_mistaken(place)) and not self._means_second(word, place))
        ]
        number = word.token.features.get("Number")
        return any(
            token.features.get("PronType") not in _ASKING
            and (token.upos != "PRON" or token.features)  # a relative of which models say nothing (Italian *che*)
            and token.features.get("Number", number) == number
            and "Nom" in token.features.get("Case", "Nom")  # Spanish *sabe lo que*
            for token in own
        )

    def _means_second(self, word: TargetWord, place: int) -> bool:
        """Return whether a pronoun that is no form of address is all that *you* is linked to (*que tem de ir*)."""
        if word.target.tokens[place].upos not in _PRONOMINAL:
            return False
        seconds = [
            index
            for index in sources_of(place, word.links)
            if word.source.tokens[index].form.lower() in self.persons.second
        ]
        others = (other for index in seconds for other in targets_of(index, word.links))
        return bool(seconds) and not any(self._is_form_of_address(word.target.tokens[other]) for other in others)

    def _is_form_of_address(self, token: Token) -> bool:
        """Return whether a word is a form of a level, in the case that the level is written in (*Sie*)."""
        return any(
            (not rule.cased or token.form in rule.forms) and (not rule.upos or token.upos in rule.upos)
            for rule in self._words.get(token.form.lower(), ())
        )

    def _told_by_segment(self, verb: FormalityVerb, word: TargetWord) -> bool:
        """Return whether the source segment says that a verb addresses someone, where its links do not.

        A form of the second person needs some word of the second person, or an imperative. One that is also of the
        third needs a subject of the second whose verb no other target verb translates, or a link to a noun of the
        second person (*what are your thoughts?*); and no link to a verb with another subject.
        """
        source, linked = word.source, word.linked()
        seconds = [index for index, token in enumerate(source.tokens) if token.form.lower() in self.persons.second]
        if self._has_pronoun(verb, word):
            return False
        if not verb.bare:
            return bool(seconds) or bool(self.addressee.imperatives(source.tokens))
        main = group_of(word.target.tokens, word.index)  # of an auxiliary, the verb says whose it is (*ha spiegato*)
        for index in (*linked, *(sources_of(main, word.links) if main != word.index else ())):
            subjects = subjects_of(source.tokens, index)
            if subjects:
                return any(subject.form.lower() in self.persons.second for subject in subjects)
        if any(source.tokens[index].head in linked for index in seconds):
            return True
        return any(self._is_free(word, index) for index in seconds if source.tokens[index].relation.startswith("nsubj"))

    def _is_free(self, word: TargetWord, subject: int) -> bool:
        """Return whether neither a source subject nor its verb is linked to another target verb or address."""
        tokens = word.source.tokens
        theirs = {subject, *verb_group(tokens, tokens[subject].head)} if tokens[subject].head >= 0 else {subject}
        for link in word.links:
            if link.source not in theirs or link.target == word.index:
                continue
            token = word.target.tokens[link.target]
            if token.upos in VERBS or self._is_form_of_address(token):
                return False
        return True

    def _has_possessor(self, word: TargetWord) -> bool:
        """Return whether a word's source word has a possessor or object of the second person, but none itself."""
        if any(
            token.head == word.index and token.form.lower() in self._words and token.relation.startswith("nmod")
            for token in word.target.tokens
        ):
            return False  # it has its level from the pronoun, which is tagged already
        linked = word.linked()
        return any(
            token.form.lower() in self.persons.second
            and (
                index in linked
                or (token.head == linked[0] and token.relation.startswith(("nmod", "obj", "iobj")))
                or word.heads_object(token, linked[0])
            )
            for index, token in enumerate(word.source.tokens)
        )


def make_tagger(setup: TaggerSetup) -> FormalityTagger:
    """Return the tagger of formality."""
    return FormalityTagger(setup.source, setup.target, setup.options.formality)
