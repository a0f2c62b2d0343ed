"""Verb form: a verb in a form that the source language does not tell from others (Fernandes et al. 2023, §4.2)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Literal

from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages.base import Features, matches
from endophora.languages.schema import LanguageRules
from endophora.languages.verbs import Auxiliary, VerbFormRule
from endophora.phenomena.records import (
    AnnotatedDocument,
    Memory,
    Occurrence,
    Tagger,
    group_of,
    helpers,
    remembered,
    sources_of,
    subjects,
    verb_group,
)
from endophora.phenomena.tagging import TaggerSetup, rules_signature

_FINITE = frozenset({"Ind", "Sub", "Cnd"})
_NONFINITE = frozenset({"Part", "Inf"})
_STOPS = frozenset('.!?:;…“”„"»«')
_ENDS = frozenset({"PUNCT", "CCONJ"})
_SUBJECTS = ("nsubj", "expl")


def _is_finite(text: AnnotatedText, index: int) -> bool:
    """Return whether a token is a finite verb, by its form or, where the model does not say, by its mood or person."""
    token = text.tokens[index]
    if token.upos not in VERBS:
        return False
    form = token.features.get("VerbForm")
    # Romanian treebanks give the auxiliaries *am, ar, va* nothing but their person.
    return form == "Fin" or (form is None and (token.features.get("Mood") in _FINITE or "Person" in token.features))


def main_verb(text: AnnotatedText, index: int) -> int | None:
    """Return the verb whose form a finite auxiliary makes: of *has been seen* it is *been*, of *has seen* *seen*."""
    token = text.tokens[index]
    if token.head < 0:
        return None
    # What models take for the copula of a verb is its auxiliary (Arabic *kāna yalʿabu*).
    copula = token.relation.startswith("cop") and text.tokens[token.head].upos == "VERB"
    if not copula and not token.relation.startswith("aux"):
        return None
    for other in helpers(text.tokens).get(token.head, ()):
        if other != index and text.tokens[other].features.get("VerbForm") in _NONFINITE:
            return other
    return token.head


_Found = tuple[VerbFormRule, int | None] | None


@remembered
def _known(rules: Sequence[VerbFormRule]) -> Callable[[Sequence[Token]], dict[int, _Found]]:
    """Return what remembers for the tokens of a text what :func:`verb_rule` found."""
    del rules
    return remembered(lambda _: {})


def verb_rule(rules: Sequence[VerbFormRule], text: AnnotatedText, index: int) -> _Found:
    """Return the first rule whose form a finite verb has, and the main verb of a periphrastic form."""
    known = _known(rules)(text.tokens)
    if index not in known:
        known[index] = _verb_rule(rules, text, index)
    return known[index]


def _verb_rule(rules: Sequence[VerbFormRule], text: AnnotatedText, index: int) -> _Found:
    token = text.tokens[index]
    main = main_verb(text, index)
    for rule in rules:
        if rule.only_subjects and not _has_subject(text, index, rule.only_subjects):
            continue
        if rule.auxiliaries:
            for verb in (main, _last_of_clause(text, index) if rule.apart else None):
                if verb is not None and any(_is_made_with(one, rule, text, index, verb) for one in rule.auxiliaries):
                    return rule, verb
        elif (
            _has_form(rule, token)
            and (not rule.after or re.match(rule.after, text.text[token.end :]))
            and token.lemma.lower() not in rule.except_lemmas
            and not (rule.except_subjects and _has_subject(text, index, rule.except_subjects))
        ):
            return rule, None
    return None


def _has_form(rule: VerbFormRule, token: Token) -> bool:
    return matches(token.features, rule.features) and _has_pattern(rule, token)


def _has_pattern(rule: VerbFormRule, token: Token) -> bool:
    return not rule.pattern or re.search(rule.pattern, token.form.lower()) is not None


def _has_subject(text: AnnotatedText, index: int, features: Features) -> bool:
    """Return whether a verb, or the verb that it is an auxiliary or copula of, has a subject with some features.

    One without a subject has that of the verb that it is joined to (*Ich kam und habe es gesehen*).
    """
    group = group_of(text.tokens, index)
    own = subjects(text.tokens, (index, text.tokens[index].head))
    while not own and text.tokens[group].relation == "conj" and 0 <= text.tokens[group].head < group:
        group = text.tokens[group].head
        own = subjects(text.tokens, verb_group(text.tokens, group))
    return any(matches(text.tokens[subject].features, features) for subject in own)


def _last_of_clause(text: AnnotatedText, index: int) -> int | None:
    """Return the participle that stands before an auxiliary or at the end of its clause, whatever parsers join it to.

    Where many words are between the two, they join them to these: *ich habe … Google Analytics … entfernt*.
    """
    tokens = text.tokens
    if tokens[index].relation.startswith("aux") and _is_verb(tokens, tokens[index].head):
        return None
    if index and index not in text.sentences and _is_participle(tokens[index - 1]):
        return index - 1
    for place in range(index + 1, len(tokens)):
        token = tokens[place]
        if token.form in _STOPS or place in text.sentences or token.features.get("VerbForm") == "Fin":
            return None
        following = tokens[place + 1] if place + 1 < len(tokens) else None
        if _is_participle(token) and (following is None or following.upos in _ENDS):
            return place
    return None


def _is_verb(tokens: Sequence[Token], index: int) -> bool:
    return index >= 0 and tokens[index].upos in VERBS


def _is_participle(token: Token) -> bool:
    return token.upos in VERBS and token.features.get("VerbForm") == "Part"


def _is_made_with(auxiliary: Auxiliary, rule: VerbFormRule, text: AnnotatedText, index: int, main: int) -> bool:
    """Return whether a finite verb and a main verb make a rule's periphrastic form with an auxiliary."""
    token, verb = text.tokens[index], text.tokens[main]
    # What has an auxiliary that every verb may have is no adjective (*hat eine Fahrt besorgt*).
    free = rule.apart and not auxiliary.main_lemmas
    mistaken = free and verb.upos == "ADJ" and token.relation == "aux"
    if not (_has_pattern(rule, verb) if mistaken else _has_form(rule, verb)):
        return False
    if token.lemma.lower() not in auxiliary.lemmas or not matches(token.features, auxiliary.features):
        return False
    lemma = verb.lemma.lower()
    if not auxiliary.main_lemmas or lemma in auxiliary.main_lemmas or re.fullmatch(auxiliary.main_pattern, lemma):
        return True
    return bool(auxiliary.reflexives) and index > 0 and text.tokens[index - 1].form.lower() in auxiliary.reflexives


def source_form(rules: Sequence[VerbFormRule], text: AnnotatedText, index: int) -> str:
    """Return the label of the form of the verb group that a source token belongs to."""
    for member in verb_group(text.tokens, index):
        found = verb_rule(rules, text, member) if text.tokens[member].upos in VERBS else None
        if found is not None:
            return found[0].label
    return ""


def shown_form(rules: Sequence[VerbFormRule], text: AnnotatedText, index: int) -> str:
    """Return the form of the verb group that a token belongs to, whether a rule lists it or not; empty if not finite.

    Words that a rule leaves out because their form says little (auxiliaries, modal verbs) do show that form.
    """
    finite = [member for member in verb_group(text.tokens, index) if _is_finite(text, member)]
    for member in finite:
        if found := verb_rule(rules, text, member):
            return found[0].label
    for member in finite:
        features = text.tokens[member].features
        simple = (rule for rule in rules if not (rule.auxiliaries or rule.after))
        if label := next((rule.label for rule in simple if _has_form(rule, text.tokens[member])), ""):
            return label
        if "Tense" in features or features.get("Mood", "Ind") != "Ind":
            return ".".join(filter(None, (features.get("Mood", "Ind"), features.get("Tense"))))
    return ""


class VerbFormTagger:
    """Tags verbs in a form that was a choice, if a verb in that form occurred earlier in the document.

    The form of the linked source verb shows a choice; the variant ``tense`` takes any ``Tense`` for one.
    """

    phenomenon = "verb_form"

    def __init__(
        self, source: LanguageRules, target: LanguageRules, variant: Literal["features", "tense"] = "features"
    ) -> None:
        self._variant = variant
        # Periphrastic forms first: their auxiliaries have simple forms, too.
        self.source_rules, self.rules = (
            sorted(rules.verb_forms, key=lambda rule: not rule.auxiliaries) for rules in (source, target)
        )
        self._tenses = target.tenses.values
        self.signature = f"{variant},{rules_signature(source, target)}"

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the tagged verbs, of a periphrastic form with the auxiliary; earlier ones in the form are support."""
        occurrences: list[Occurrence] = []
        memory: defaultdict[str, Memory] = defaultdict(Memory)
        for segment, target in enumerate(document.target):
            for index, token in enumerate(target.tokens):
                if token.upos not in VERBS:
                    continue
                label, tokens, choice = self._form(document, segment, index)
                if not label:
                    continue
                linked = tuple(sorted({i for j in tokens for i in sources_of(j, document.links[segment])}))
                known = memory[label]
                if choice and known.count:
                    place = document.id, segment, self.phenomenon, label
                    forms = " ".join(target.tokens[j].form for j in tokens)
                    occurrences.append(Occurrence(*place, linked, tokens, forms, known.support(segment)))
                known.add(segment, linked, tokens)
        return sorted(occurrences, key=lambda found: (found.segment, found.target_tokens))

    def _form(self, document: AnnotatedDocument, segment: int, index: int) -> tuple[str, tuple[int, ...], bool]:
        """Return a verb's form (empty if none that is listed), its tokens, and whether the form was a choice."""
        target = document.target[segment]
        if self._variant == "tense":
            tense = target.tokens[index].features.get("Tense", "")
            return (tense, (index,), True) if tense in self._tenses else ("", (), False)
        if not _is_finite(target, index):
            return "", (), False
        found = verb_rule(self.rules, target, index)
        if found is None or not found[0].tagged:
            return "", (), False
        rule, main = found
        tokens = (index,) if main is None else tuple(sorted((index, main)))
        return rule.label, tokens, self._was_choice(rule, document, segment, index if main is None else main, index)

    def _was_choice(
        self, rule: VerbFormRule, document: AnnotatedDocument, segment: int, main: int, finite: int
    ) -> bool:
        """Return whether the source verb has a form that may be translated otherwise.

        It is the linked one; where no verb is, the one whose subject the target verb's subject translates, or else any
        finite one that no other target verb translates.
        """
        if not rule.from_forms:
            return True
        source, links = document.source[segment], document.links[segment]
        own = (main, finite, group_of(document.target[segment].tokens, finite))
        linked = [index for word in own for index in sources_of(word, links)]
        theirs = _verbs_of_subject(document, segment, main, finite)
        labels = [label for index in (*linked, *theirs) if (label := source_form(self.source_rules, source, index))]
        if labels:
            return not rule.from_forms.isdisjoint(labels)
        if any(source.tokens[index].upos in VERBS for index in linked):
            return False
        free = [index for index in _free_verbs(document, segment) if source_form(self.source_rules, source, index)]
        if not free:
            return False
        place = _place(document, segment, main)
        nearest = min(free, key=lambda index: abs(index - place))
        return source_form(self.source_rules, source, nearest) in rule.from_forms


def _verbs_of_subject(document: AnnotatedDocument, segment: int, main: int, finite: int) -> list[int]:
    """Return the source verbs whose subject, or *there*, is linked to the subject of a target verb."""
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    group = {*verb_group(target, main), finite}
    linked = [index for subject in subjects(target, group) for index in sources_of(subject, links)]
    return [source[i].head for i in linked if source[i].relation.startswith(_SUBJECTS) and source[i].head >= 0]


def _place(document: AnnotatedDocument, segment: int, word: int) -> float:
    """Return about where in the source a target word without a link would be: between the links of its neighbours."""
    links = document.links[segment]
    sides = (
        max((link for link in links if link.target < word), key=lambda link: link.target, default=None),
        min((link for link in links if link.target > word), key=lambda link: link.target, default=None),
    )
    found = [link.source for link in sides if link is not None]
    return sum(found) / len(found) if found else word


def _free_verbs(document: AnnotatedDocument, segment: int) -> list[int]:
    """Return the source verbs of whose group no word is linked to a target verb."""
    source, target, links = document.source[segment].tokens, document.target[segment].tokens, document.links[segment]
    taken = {group_of(source, link.source) for link in links if target[link.target].upos in VERBS}
    return [i for i, token in enumerate(source) if token.upos in VERBS and group_of(source, i) not in taken]


def make_tagger(setup: TaggerSetup) -> Tagger:
    """Return the tagger of verb form: of tense, where the source language has none."""
    if setup.source.time_signs is not None and setup.target.times is not None:
        from endophora.phenomena.tense import TenseTagger

        return TenseTagger(setup.source, setup.target)
    return VerbFormTagger(setup.source, setup.target, setup.options.verb_form)
