"""Pronoun choice: a pronoun that agrees with an antecedent in an earlier sentence (Fernandes et al. 2023, §4.2).

A language that drops its subjects still chooses: *it fell* is Polish *spadł* of a roof, *spadła* of a lamp. And so
does one whose possessives and objects are endings: *its door* is Arabic *bābuhu* of a house, *bābuhā* of a room.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Antecedent, Resolution
from endophora.languages.base import matches
from endophora.languages.schema import LanguageRules, PronounRule
from endophora.phenomena.records import (
    AnnotatedDocument,
    Memory,
    Occurrence,
    Support,
    group_of,
    mutual_links,
    placed,
    placed_phrase,
    sources_of,
    targets_of,
    verb_group,
)
from endophora.phenomena.tagging import TaggerSetup, rules_signature

_ATTRIBUTES = frozenset({"amod", "acl"})
"""Relations of adjectives and participles that agree with their noun and are no predicates."""


def _has_subject(text: AnnotatedText, index: int) -> bool:
    """Return whether the verb group of a word has a subject, be it a clause."""
    group = verb_group(text.tokens, index)
    return any(token.head in group and token.relation.startswith(("nsubj", "csubj")) for token in text.tokens)


def dropped_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target verb without a subject that stands for a source subject, and its value of the agreement.

    It is linked to the pronoun or to its verb, and has the features of the rule's ``verbs``.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.verbs or token.head < 0 or not token.relation.startswith("nsubj"):
        return None
    theirs = {*verb_group(source.tokens, token.head), pronoun}
    for index, candidate in enumerate(target.tokens):
        value = candidate.features.get(rule.agreement)
        if candidate.upos not in rule.verb_upos or value not in rule.alternatives or candidate.relation in _ATTRIBUTES:
            continue
        if rule.verb_pattern and not re.search(rule.verb_pattern, candidate.form.lower()):
            continue
        if not matches(candidate.features, rule.verbs) or theirs.isdisjoint(sources_of(index, links)[:1]):
            continue
        if not _has_subject(target, index):
            return index, value
    return None


def suffixed_pronoun(
    rule: PronounRule, document: AnnotatedDocument, segment: int, pronoun: int
) -> tuple[int, str] | None:
    """Return the target word whose ending stands for a source possessive or object, and its value of the agreement.

    The word is linked to what the pronoun depends on; of several endings that fit, the longest counts.
    """
    source, target, links = document.source[segment], document.target[segment], document.links[segment]
    token = source.tokens[pronoun]
    if not rule.endings or token.head < 0 or not token.relation.startswith(("nmod", "obj", "iobj", "obl")):
        return None
    endings = sorted(
        ((ending, value) for value, listed in rule.endings.items() for ending in listed),
        key=lambda pair: (-len(pair[0]), pair),
    )
    for index, candidate in enumerate(target.tokens):
        if candidate.upos not in rule.ending_upos or not matches(candidate.features, rule.ending_features):
            continue
        linked = sources_of(index, links)
        if not linked or not (linked[0] == token.head or pronoun in linked):
            continue
        form = candidate.form.lower()
        value = next((value for ending, value in endings if form.endswith(ending) and form != ending), None)
        if value is not None:
            return index, value
    return None


EXPLETIVE = "expl"
"""The relation of a pronoun that stands for nothing, in all treebanks of Universal Dependencies."""

_FREE = frozenset({"PRON", "DET"})

_LEAST = 0.2
"""Probability that antecedents in earlier sentences must have together, even if the target's form speaks for a noun."""


@dataclass(frozen=True, slots=True)
class PronounPair:
    """A linked pair of pronouns for which a rule holds."""

    rule: PronounRule
    segment: int
    source: int
    target: int
    values: frozenset[str]
    unmarked: bool


class PronounTagger:
    """Tags the translation of an ambiguous pronoun whose antecedent is not in the sentence.

    Args:
        variant: ``window``: the antecedent must be believed to be in an earlier sentence, and is the support;
            ``sentence``: there must be no believed antecedent in the same sentence, and the first segment of a
            document is never tagged.
        unmarked: the threshold of personal pronouns: outright for forms that the rules call unmarked, and for the
            others as a share of what all candidates have that agree with the form.
        source: rules of the source language, which say which nouns its pronouns do not stand for (English *it*, no
            person); the variant ``sentence`` asks for no noun.
    """

    phenomenon = "pronouns"

    def __init__(
        self,
        target: LanguageRules,
        variant: Literal["window", "sentence"] = "window",
        threshold: float = 0.5,
        unmarked: float = 0.7,
        source: LanguageRules | None = None,
    ) -> None:
        files = rules_signature(*((target,) if source is None else (source, target)))
        self.signature = f"{variant},{threshold:g},{unmarked:g},{files}"
        self._variant = variant
        self._not_for = source.extracted.not_for if source is not None else {}
        self._threshold = threshold
        self._unmarked = unmarked
        self._rules: defaultdict[str, list[PronounRule]] = defaultdict(list)
        for rule in target.pronouns:
            for form in sorted(rule.source_forms):
                self._rules[form].append(rule)

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the document's occurrences, ordered by segment, then target token."""
        resolutions = document.resolved()
        memory: defaultdict[str, Memory] = defaultdict(Memory)
        occurrences: list[Occurrence] = []
        for segment in range(len(document.source)):
            for pair in self.pairs(document, segment):
                if pair.rule.antecedent == "none":
                    known = memory[pair.rule.label]
                    tagged = known.count > 0
                    support = known.support(segment) if tagged else None
                    known.add(segment, (pair.source,), (pair.target,))
                else:
                    tagged, support = self._judge(document, pair, resolutions)
                if tagged:
                    place = document.id, segment, self.phenomenon, pair.rule.label
                    form = document.target[segment].tokens[pair.target].form
                    occurrences.append(Occurrence(*place, (pair.source,), (pair.target,), form, support))
        return occurrences

    def pairs(self, document: AnnotatedDocument, segment: int) -> list[PronounPair]:
        """Return a segment's linked pronouns for which a rule holds, ordered by target token."""
        source = document.source[segment]
        hits = [index for index, token in enumerate(source.tokens) if token.form.lower() in self._rules]
        if not hits:
            return []
        linked = linked_pronouns(hits, document, segment)
        pairs: list[PronounPair] = []
        for target, index in sorted(linked.items()):
            token = document.target[segment].tokens[target]
            for rule in self._rules[source.tokens[index].form.lower()]:
                if values := _values(rule, source, index, token):
                    pairs.append(PronounPair(rule, segment, index, target, values, token.form.lower() in rule.unmarked))
                    break
        expressed = {pair.source for pair in pairs}
        pairs.extend(self._dropped(document, segment, [index for index in hits if index not in expressed]))
        return sorted(pairs, key=lambda pair: pair.target)

    def _dropped(self, document: AnnotatedDocument, segment: int, pronouns: Sequence[int]) -> Iterator[PronounPair]:
        """Yield source pronouns that are no words of the target, with the words that show what they stand for."""
        source = document.source[segment]
        for index in pronouns:
            for rule in self._rules[source.tokens[index].form.lower()]:
                if not is_looked_at(rule, source, index):
                    continue
                place = rule, document, segment, index
                if found := dropped_pronoun(*place) or suffixed_pronoun(*place):
                    word, value = found
                    yield PronounPair(rule, segment, index, word, frozenset({value}), value in rule.unmarked_values)
                    break

    def _judge(
        self, document: AnnotatedDocument, pair: PronounPair, resolutions: Mapping[tuple[int, int], Resolution]
    ) -> tuple[bool, Support | None]:
        """Return whether a pronoun is tagged, and its antecedent as support."""
        resolution = resolutions.get((pair.segment, pair.source))
        if self._variant == "sentence":
            if pair.segment == 0:
                return False, None
            best = resolution.antecedent(self._threshold) if resolution is not None else None
            if best is not None and not _is_earlier(document, pair, best):
                return False, None
            return True, _support(document, best) if best is not None else None
        if resolution is None:
            return False, None
        agreeing = [found for found in resolution.antecedents if _agrees(document, pair, found)]
        here = {_lemma(document, found) for found in agreeing if not _is_earlier(document, pair, found)}
        # A noun that is said again in the pronoun's own sentence is no context from before it.
        barred = self._not_for.get(document.source[pair.segment].tokens[pair.source].form.lower(), frozenset[str]())
        earlier = [
            found
            for found in agreeing
            if _is_earlier(document, pair, found)
            and (lemma := _lemma(document, found)) not in here
            and lemma.lower() not in barred
        ]
        mass = sum(found.probability for found in earlier)
        # A personal pronoun that shows a gender shows that there is a noun: then only its place is in doubt.
        possessive = document.source[pair.segment].tokens[pair.source].features.get("Poss") == "Yes"
        whole = 1.0 if pair.unmarked or possessive else sum(found.probability for found in agreeing)
        threshold = self._threshold if possessive else max(self._threshold, self._unmarked)
        if mass < max(_LEAST, threshold * whole):
            return False, None
        return True, _support(document, earlier[0])


def _lemma(document: AnnotatedDocument, antecedent: Antecedent) -> str:
    return document.source[antecedent.segment].tokens[antecedent.head].lemma


def _is_earlier(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> bool:
    """Return whether an antecedent is in an earlier sentence than the pronoun; a segment may have several."""
    if antecedent.distance:
        return True
    sentences = document.source[pair.segment].sentences
    return bisect_right(sentences, antecedent.head) < bisect_right(sentences, pair.source)


def linked_pronouns(pronouns: Sequence[int], document: AnnotatedDocument, segment: int) -> dict[int, int]:
    """Return the target tokens of source pronouns: target token → pronoun.

    An unlinked pronoun is given the one unlinked pronoun that is in the same relation to the translation of its
    verb: aligners know words rather than roles, and miss a rare translation such as *it* → *sie*.
    """
    source, target = document.source[segment].tokens, document.target[segment].tokens
    links = document.links[segment]
    found = {token: pronoun for token, pronoun in mutual_links(links).items() if pronoun in pronouns}
    linked_sources, linked_targets = {link.source for link in links}, {link.target for link in links}
    missing = [index for index in pronouns if index not in linked_sources and source[index].head >= 0]
    # Models take object pronouns for the articles that have their form, but know their role.
    free = [index for index, token in enumerate(target) if token.upos in _FREE and index not in linked_targets]
    if not missing or not free:
        return found
    verbs = {(group_of(source, link.source), group_of(target, link.target)) for link in links}
    for pronoun in missing:
        head, role = source[pronoun].head, source[pronoun].relation.partition(":")[0]
        alike = [
            index
            for index in free
            if target[index].relation.partition(":")[0] == role and (head, target[index].head) in verbs
        ]
        if len(alike) == 1:
            found.setdefault(alike[0], pronoun)
    return found


def _values(rule: PronounRule, source: AnnotatedText, index: int, target: Token) -> frozenset[str]:
    """Return the values of the agreement feature that a target form stands for under a rule; empty if it is none."""
    if not is_looked_at(rule, source, index) or not matches(target.features, rule.target_features):
        return frozenset()
    if rule.target_upos and target.upos not in rule.target_upos:
        return frozenset()
    barred = rule.target_relations and target.relation not in rule.target_relations
    if barred or target.relation.startswith(EXPLETIVE):
        return frozenset()
    form = target.form.lower()
    return frozenset(value for value, forms in rule.alternatives.items() if form in forms)


def is_looked_at(rule: PronounRule, source: AnnotatedText, index: int) -> bool:
    """Return whether a source word whose form a rule lists is a pronoun of that rule that stands for something."""
    token = source.tokens[index]
    if token.upos not in rule.source_upos or token.relation.startswith(EXPLETIVE):
        return False
    subject = token.head >= 0 and token.relation.startswith("nsubj")
    if subject and source.tokens[token.head].upos in rule.unless_predicate:
        return False
    return not any(other.head == index and other.relation in rule.unless_governs for other in source.tokens)


def _agrees(document: AnnotatedDocument, pair: PronounPair, antecedent: Antecedent) -> bool:
    """Return whether an antecedent's linked noun has the gender of the pronoun.

    Where the gender is not known, nothing speaks against the antecedent, unless the pronoun is unmarked: then something
    must speak for it.
    """
    if not pair.rule.agreement:
        return True
    unknown = not pair.unmarked
    linked = targets_of(antecedent.head, document.links[antecedent.segment])
    mention = [document.source[antecedent.segment].tokens[index] for index in antecedent.tokens]
    coordinated = any(token.head == antecedent.head and token.relation.startswith("conj") for token in mention)
    if not linked or coordinated:
        return unknown  # the gender of a coordination is not that of its head
    noun = document.target[antecedent.segment].tokens[linked[0]]
    value = noun.features.get(pair.rule.agreement)
    if noun.upos != "NOUN" or value is None:
        return unknown
    pronoun = document.source[pair.segment].tokens[pair.source]
    if noun.features.get("Number") == "Plur" and pronoun.features.get("Number", "Sing") == "Sing":
        return unknown  # a singular in the source, a plural noun in the target: its gender may not show
    return value in pair.values


def _support(document: AnnotatedDocument, antecedent: Antecedent) -> Support:
    """Return an antecedent and the target words linked to it as supporting context."""
    links = document.links[antecedent.segment]
    mention = frozenset(antecedent.tokens)
    linked = sorted({link.target for link in links if link.source in mention})
    phrase = placed_phrase(antecedent.segment, antecedent.tokens, antecedent.head)
    return Support(phrase, placed(antecedent.segment, linked), antecedent.distance, antecedent.probability)


def make_tagger(setup: TaggerSetup) -> PronounTagger:
    """Return the tagger of pronoun choice."""
    options = setup.options
    return PronounTagger(
        setup.target, options.pronouns, options.antecedent, options.antecedent_unmarked, source=setup.source
    )
