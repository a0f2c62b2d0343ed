"""Ellipsis: a target word that says what the source leaves out (Fernandes et al. 2023, §4.2 and appendix C.4)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from endophora.align.records import Link
from endophora.annotate.records import NOUNS, AnnotatedText, Token
from endophora.errors import Fault, InputError
from endophora.languages.schema import EllipsisWords, LanguageRules
from endophora.phenomena.ellipsis_classifier import ClassifierDetector
from endophora.phenomena.ellipsis_rules import EllipsisRules, EllipsisSite, load_ellipsis_rules, sentences
from endophora.phenomena.ellipsis_sites import RULES
from endophora.phenomena.records import AnnotatedDocument, Occurrence, Support
from endophora.phenomena.tagging import TaggerSetup, rules_signature
from endophora.registry import Registry

# Parts of speech that the paper tags, and those between which a model may waver for the same word.
_TAGGED = frozenset({"VERB", "NOUN", "PROPN", "PRON"})
_KINDS = {"AUX": "VERB", "PROPN": "NOUN"}
# Relations by which a clause hangs on another one: nothing on the other side of them is left out here.
_CLAUSES = frozenset({"acl", "advcl", "conj", "csubj", "parataxis"})
# Kinds that lack what another clause of their own sentence has.
_INSIDE = frozenset({"comparative", "pseudogapping", "gapping"})
# Texts whose sites are remembered.
_KEPT = 10_000


class EllipsisDetector(Protocol):
    """Finds what is left out in texts."""

    @property
    def signature(self) -> str:
        """Name and version: what makes two detections the same."""
        ...

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the sites of each text, ordered by token; none where nothing is left out."""
        ...


@dataclass(frozen=True, slots=True)
class RuleDetector:
    """Finds ellipsis by rules over the dependency parse."""

    rules: EllipsisRules

    @property
    def signature(self) -> str:
        """Name, language and hash of the rule file."""
        return f"rules-{self.rules.language}-{self.rules.hash}"

    def detect_many(self, texts: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the sites of each text, no token in two of them."""
        return [self._detect(text) for text in texts]

    def _detect(self, text: AnnotatedText) -> list[EllipsisSite]:
        kept: list[EllipsisSite] = []
        taken: set[int] = set()
        for sentence in sentences(text, self.rules.doubtful):
            for site in (site for rule in RULES for site in rule(sentence, self.rules)):
                if taken.isdisjoint(site.tokens):
                    kept.append(site)
                    taken.update(site.tokens)
        return sorted(kept, key=lambda site: site.tokens)


def load_rule_detector(language: str) -> RuleDetector:
    """Return the rule-based detector of a language; E066 if there are no rules for it."""
    return RuleDetector(load_ellipsis_rules(language))


ELLIPSIS_DETECTORS: Registry[Callable[[str], EllipsisDetector]] = Registry(
    "ellipsis_detector", {"rules": load_rule_detector}
)
"""Name → what makes a detector for a source language."""


class EllipsisTagger:
    """Tags a target word that no source word is linked to and that has occurred before, where the source is elliptical.

    As in the paper: in a segment whose source leaves something out, a verb, noun, proper noun or pronoun is tagged if
    its lemma occurs in an earlier target segment of the document and no source word is linked to it. Without a
    detector every segment counts as elliptical (the published code); without a window the whole document is looked
    at (the paper). ``local`` is not in the paper: the word must also be next to the translation of the site in the
    target's tree, and be no relative or reflexive pronoun, no verb where a noun is missing, and none of the words that
    the target's rules call empty.
    """

    phenomenon = "ellipsis"

    def __init__(
        self,
        detector: EllipsisDetector | None,
        window: int | None = None,
        local: bool = False,
        target: LanguageRules | None = None,
    ) -> None:
        self._detector = detector
        words = target.ellipsis if target is not None else None
        self.words = words or EllipsisWords(source="none")
        self._boundary = target.content_words.boundary if target is not None else ""
        used = words is not None or self._boundary
        self._files = f",{rules_signature(target)}" if target is not None and used else ""
        self._local = local
        self._window = window
        self._sites: dict[str, tuple[AnnotatedText, list[EllipsisSite]]] = {}

    @property
    def signature(self) -> str:
        """Variant, detector and window, and the rule file where it is read."""
        variant = "local" if self._local else "classifier"
        window = "document" if self._window is None else str(self._window)
        parts = ("unaligned", window) if self._detector is None else (variant, self._detector.signature, window)
        return ",".join(parts) + self._files

    def tag(self, document: AnnotatedDocument) -> list[Occurrence]:
        """Return the tagged words: their rule is the kind of ellipsis, their source tokens are the site's.

        The support is the latest earlier words of the lemma, with the words that they are linked to.
        """
        seen: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
        originals: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        occurrences: list[Occurrence] = []
        sites = self.sites(document.source)
        last = max((segment for segment, some in enumerate(sites) if some), default=-1)  # nothing is tagged after it
        for segment in range(last + 1):
            source, target, links = document.source[segment], document.target[segment], document.links[segment]
            tagged: set[int] = set()
            for site in sites[segment]:
                if self._local and site.kind in _INSIDE and _has_verb(source, site):
                    continue
                for index in self._candidates(source, target, links, site):
                    token = target.tokens[index]
                    key = self._key(token)
                    support = self._support(seen[key], segment, document.links)
                    if support is None or index in tagged:
                        continue
                    if not self._local or not self._is_there(source, target, links, site, key, originals[key]):
                        tagged.add(index)
                        place = document.id, segment, self.phenomenon, site.kind
                        occurrences.append(Occurrence(*place, site.tokens, (index,), token.form, support))
            for index, token in enumerate(target.tokens):
                seen[self._key(token)].append((segment, index))
            for link in links:
                originals[self._key(target.tokens[link.target])].add(source.tokens[link.source].lemma.lower())
        return sorted(occurrences, key=lambda found: (found.segment, found.target_tokens))

    def sites(self, source: Sequence[AnnotatedText]) -> list[list[EllipsisSite]]:
        """Return the ellipses of each segment: all where words are looked for next to them, else the first."""
        if self._detector is None:
            return [[EllipsisSite("unaligned", ())]] * len(source)
        # One source has many targets, one after the other: it is searched once, all its texts together.
        missing = {id(text): text for text in source if self._sites.get(text.text, (None,))[0] is not text}
        texts = list(missing.values())
        found = dict(zip(missing, self._detector.detect_many(texts) if texts else (), strict=True))
        sites = [found[id(text)] if id(text) in found else self._sites[text.text][1] for text in source]
        if len(self._sites) + len(missing) > _KEPT:
            self._sites.clear()
        self._sites.update((text.text, (text, found[key])) for key, text in missing.items())
        return sites if self._local else [each[:1] for each in sites]

    def _candidates(
        self, source: AnnotatedText, target: AnnotatedText, links: tuple[Link, ...], site: EllipsisSite
    ) -> list[int]:
        """Return the unlinked target words that may say what is left out."""
        linked = {link.target for link in links}
        unlinked = [
            index
            for index, token in enumerate(target.tokens)
            if index not in linked and token.upos in _TAGGED and _is_word(token)
        ]
        if not self._local or not site.tokens:
            return unlinked
        # After a question word a whole clause is left out, else what comes back is in the clause of what is there.
        clauses = _CLAUSES - {"acl", "advcl"} if site.kind == "sluicing" else _CLAUSES
        around = _neighbours(source, site.tokens, clauses).union(site.tokens)
        translated = [link.target for link in links if link.source in around]
        beside = _neighbours(target, translated, clauses)
        # A modal may be a noun that a clause depends on: can, 읽을 *수* 있다.
        modal = [
            link.target for link in links if link.source in site.tokens and target.tokens[link.target].upos == "NOUN"
        ]
        beside |= _neighbours(target, modal, clauses - {"acl"})
        # What comes back may bring its own arguments: "I have" → "ich habe *das Buch gelesen*".
        while grown := _neighbours(target, beside.intersection(unlinked), clauses).intersection(unlinked) - beside:
            beside |= grown
        subject = any(_is_subject(source.tokens[index]) for index in around)
        known = {link.source for link in links}
        said = {index for index in unlinked if index in beside}
        objects = any(
            _is_object(token) and token.head in around
            for index, token in enumerate(source.tokens)
            if index not in known
        )
        return [
            index
            for index in unlinked
            if index in beside
            and _same_sentence(source, target, links, site.tokens[0], index)
            and _fits(target.tokens[index], site)
            and not (
                site.kind == "fragment"
                and target.tokens[index].upos == "PRON"
                and target.tokens[index].head not in said
            )
            and not _is_formal(target, index)
            and not (subject and target.tokens[index].upos == "PRON" and _is_subject(target.tokens[index]))
            and not (objects and _is_object(target.tokens[index]))
            and self._key(target.tokens[index])[0] not in self.words.except_lemmas
            and target.tokens[index].form.lower() not in self.words.except_forms
        ]

    def _is_there(
        self,
        source: AnnotatedText,
        target: AnnotatedText,
        links: tuple[Link, ...],
        site: EllipsisSite,
        key: tuple[str, str],
        originals: set[str],
    ) -> bool:
        """Return whether the source has a word that the target word translated before: then only its link is missing.

        Such a word stands without a link, or is what the site has left (*did* → *faisait*) and not linked to another
        use of the same target word. Auxiliaries beyond the site are not translated by themselves.
        """
        kind = key[1]
        if kind not in ("VERB", "NOUN"):
            return False
        said = {link.source for link in links if self._key(target.tokens[link.target]) == key}
        linked = {link.source for link in links}
        return any(
            token.lemma.lower() in originals
            and (index not in said if index in site.tokens else index not in linked)
            and (token.upos == "VERB" or index in site.tokens if kind == "VERB" else token.upos in NOUNS)
            for index, token in enumerate(source.tokens)
        )

    def _key(self, token: Token) -> tuple[str, str]:
        """Return what makes two words the same: lemma and kind of word; *der* is an article and a pronoun."""
        lemma = token.lemma.lower()
        word = lemma.split(self._boundary)[0] if self._boundary else lemma
        return word or lemma, _KINDS.get(token.upos, token.upos)

    def _support(
        self, seen: list[tuple[int, int]], segment: int, links: tuple[tuple[Link, ...], ...]
    ) -> Support | None:
        """Return the words of a lemma in the latest earlier segment that has it, within the window."""
        if not seen:
            return None
        latest = seen[-1][0]
        distance = segment - latest
        if self._window is not None and distance > self._window:
            return None
        targets = tuple(place for place in seen if place[0] == latest)
        words = {index for _, index in targets}
        sources = sorted({link.source for link in links[latest] if link.target in words})
        return Support(tuple((latest, source) for source in sources), targets, distance)


def make_tagger(setup: TaggerSetup) -> EllipsisTagger:
    """Return the tagger of ellipsis.

    A classifier knows that something is left out, not where: with one, the variant ``local`` is ``classifier``.
    """
    variant, classifier = setup.options.ellipsis, setup.options.ellipsis_classifier
    if classifier is not None:
        if variant == "unaligned":
            cause = "a classifier is named, and the variant “unaligned” asks none"
            raise InputError(Fault("E253", cause, "leave one of them out", str(classifier)))
        return EllipsisTagger(ClassifierDetector(classifier, setup.source.language), target=setup.target)
    detector = None if variant == "unaligned" else ELLIPSIS_DETECTORS.get("rules")(setup.source.language)
    return EllipsisTagger(detector, local=variant == "local", target=setup.target)


def _neighbours(text: AnnotatedText, tokens: Iterable[int], clauses: frozenset[str]) -> set[int]:
    """Return the heads and the dependents of tokens, except for those beyond one of the relations of clauses."""
    chosen = set(tokens)
    bound = [
        (index, token.head)
        for index, token in enumerate(text.tokens)
        if token.relation.partition(":")[0] not in clauses
    ]
    heads = {head for index, head in bound if index in chosen} - {-1}
    return heads | {index for index, head in bound if head in chosen}


def _same_sentence(
    source: AnnotatedText, target: AnnotatedText, links: tuple[Link, ...], word: int, translation: int
) -> bool:
    """Return whether two words are in sentences that translate one another: most links of either go to the other."""
    pairs = Counter(
        (bisect_right(source.sentences, link.source), bisect_right(target.sentences, link.target)) for link in links
    )
    left, right = bisect_right(source.sentences, word), bisect_right(target.sentences, translation)
    most = max((count for (_, other), count in pairs.items() if other == right), default=0)
    widest = max((count for (one, _), count in pairs.items() if one == left), default=0)
    return pairs[left, right] in (most, widest)


def _fits(token: Token, site: EllipsisSite) -> bool:
    """Return whether a word is of the kind that is left out: a noun, or the verb or subject that a fragment lacks."""
    subject = token.upos == "PRON" and _is_subject(token)
    if site.kind == "fragment":
        return token.upos == "VERB" or subject
    if site.kind == "noun_phrase":
        # A noun comes back as a noun or as its pronoun, never as a verb; the speaker and the hearer only as a subject.
        indirect = token.upos == "PRON" and token.relation in ("iobj", "obl:arg")
        return token.upos != "VERB" and not indirect and (subject or token.features.get("Person") not in ("1", "2"))
    return True


def _has_verb(text: AnnotatedText, site: EllipsisSite) -> bool:
    """Return whether the sentence of a site has a verb besides the site."""
    starts = [*text.sentences, len(text.tokens)]
    number = bisect_right(starts, site.tokens[0])
    sentence = range(starts[number - 1] if number else 0, starts[number])
    return any(text.tokens[index].upos == "VERB" and index not in site.tokens for index in sentence)


def _is_formal(text: AnnotatedText, index: int) -> bool:
    """Return whether a pronoun is relative, reflexive or expletive: grammar asks for it, not the context."""
    token = text.tokens[index]
    if token.relation.startswith("expl") or token.features.get("Reflex") == "Yes":
        return True
    # Relatives and demonstratives share their forms: a relative opens a clause that depends on a noun.
    clause = token.head >= 0 and text.tokens[token.head].relation.startswith("acl")
    opens = index > 0 and text.tokens[index - 1].upos in ("PUNCT", "ADP")
    return token.upos == "PRON" and ("Rel" in token.features.get("PronType", "") or (clause and opens))


def _is_subject(token: Token) -> bool:
    return token.relation.startswith("nsubj")


def _is_object(token: Token) -> bool:
    """Return whether a word is a personal pronoun of the third person that is an object."""
    return token.upos == "PRON" and token.features.get("Person") == "3" and token.relation in ("obj", "iobj")


def _is_word(token: Token) -> bool:
    return any(map(str.isalpha, token.form))
