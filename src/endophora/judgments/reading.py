"""What judgments read of an annotated document: the choices that its target text shows, whatever the words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from endophora.align.priors import Priors
from endophora.annotate.records import NOUNS, Token
from endophora.corefer.natural import Kinds
from endophora.corefer.records import Resolution
from endophora.judgments.address import levels
from endophora.judgments.animacy import english_pronouns
from endophora.judgments.natural import natural_nouns, natural_pronouns
from endophora.judgments.records import LOOSE, Choice, Choices, Place
from endophora.judgments.restored import restored
from endophora.judgments.translations import Word, translates, translations, word_of
from endophora.judgments.unsaid import garbled
from endophora.judgments.verbs import tenses, verbs
from endophora.phenomena.ellipsis import EllipsisTagger
from endophora.phenomena.formality import FormalityTagger
from endophora.phenomena.gender import AnimacyTagger
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger
from endophora.phenomena.natural_pronouns import NaturalPronounTagger
from endophora.phenomena.pronoun_pairs import PronounPair
from endophora.phenomena.pronouns import PronounTagger
from endophora.phenomena.records import (
    AnnotatedDocument,
    Tagger,
    dependents,
    mutual_links,
    sources_of,
    targets_of,
    verb_group,
)
from endophora.phenomena.tense import TenseTagger
from endophora.phenomena.verb_form import VerbFormTagger

_AGREEING = frozenset({"ADJ", "DET", "NUM", "VERB", "PRON"})
_ROLES = frozenset({"nsubj", "obj"})
"""Roles in which a noun stands for a pronoun of the source."""
REACH = 8
"""How many segments before a pronoun the translations of nouns are kept; a resolver's window is no larger."""

CANDIDATES = 4
"""How many nouns that a pronoun may stand for are kept."""

_HEAD, _OFTEN = 4, 0.05
"""Letters of a noun that is the end of a compound, and the part of a source word's links that lead to it, at least."""


def read_choices(
    document: AnnotatedDocument,
    taggers: Sequence[Tagger],
    resolutions: Sequence[Resolution] | None = None,
    priors: Priors | None = None,
) -> Choices:
    """Return what a document shows of each phenomenon that a tagger is given for.

    ``resolutions`` are the source's pronouns resolved without the target, whose form would support itself; by
    default those of the document. ``priors`` are what is known beforehand of the translations of words.
    """
    known = priors or Priors()
    shown: list[Choice] = []
    pronouns: set[int] = set()
    kinds: Kinds | None = None
    for tagger in taggers:
        if isinstance(tagger, FormalityTagger):
            shown += levels(document, tagger)
        elif isinstance(tagger, VerbFormTagger):
            shown += verbs(document, tagger, known)
        elif isinstance(tagger, TenseTagger):
            shown += tenses(document, tagger, known)
        elif isinstance(tagger, LexicalCohesionTagger):
            shown += translations(document, tagger, known)
        elif isinstance(tagger, PronounTagger):
            found = list(_pronouns(document, tagger))
            pronouns |= {choice.segment for choice in found}
            shown += found
        elif isinstance(tagger, NaturalPronounTagger):
            found = list(natural_pronouns(document, tagger))
            pronouns |= {choice.segment for choice in found}
            shown += found
            kinds = tagger.kinds
        elif isinstance(tagger, EllipsisTagger):
            shown += restored(document, tagger, known)
        elif isinstance(tagger, AnimacyTagger):
            shown += english_pronouns(document)
    shown += garbled(document, known)
    chosen = document.resolutions if resolutions is None else resolutions
    antecedents = {
        (one.segment, one.token): tuple(
            ((found.segment, found.head), round(found.probability, 3)) for found in one.antecedents[:CANDIDATES]
        )
        for one in chosen
        if one.segment in pronouns and one.antecedents
    }
    wanted = {place for segment in pronouns for place in range(max(0, segment - REACH), segment + 1)}
    places = sorted(wanted)
    nouns = dict(_nouns(document, places, known) if kinds is None else natural_nouns(document, places, kinds))
    if kinds is None:
        nouns.update(_instead(document, antecedents))
    guessed = frozenset(
        place
        for place, (token, gender, _) in nouns.items()
        if _is_guessed(document.target[place[0]].tokens, token, gender)
    )
    return Choices(tuple(shown), nouns, antecedents, guessed)


def _is_guessed(tokens: Sequence[Token], index: int, gender: str) -> bool:
    """Return whether only an annotator's analysis of an oblique form says a noun's gender (*о скинии*)."""
    own = [tokens[at] for at in dependents(tokens).get(index, ()) if tokens[at].upos in _AGREEING]
    shown = any(gender in one.features.get("Gender", "").split(",") for one in own)
    return not shown and "Nom" not in tokens[index].features.get("Case", "Nom")


def _pronouns(document: AnnotatedDocument, tagger: PronounTagger) -> Iterator[Choice]:
    resolved = document.resolved()
    for segment in range(len(document.source)):
        pairs = tagger.pairs(document, segment)
        astray = list(tagger.astray(document, segment, pairs))
        found = {pair.source for pair in astray}
        kept = [*(pair for pair in pairs if pair.source not in found), *astray]
        shown: set[int] = set()
        for pair in kept:
            known = resolved.get((segment, pair.source))
            if pair.rule.agreement and not tagger.takes_no_noun(document, pair, known.antecedents if known else ()):
                shown.add(pair.target)
                about = "unmarked" if pair.unmarked else _number(document, pair)
                values = ",".join(sorted(pair.values))
                near = _predicate(document, pair)
                yield Choice("pronouns", segment, (pair.source,), (pair.target,), values, about, near=near)
        for source, target in tagger.loose(document, segment, shown):
            yield Choice(LOOSE, segment, (source,), (target,), "")


def _predicate(document: AnnotatedDocument, pair: PronounPair) -> tuple[int, ...]:
    """Return the source word that a subject belongs to: where that is translated, its subject may be left out."""
    token = document.source[pair.segment].tokens[pair.source]
    return (token.head,) if token.head >= 0 and token.relation.startswith("nsubj") else ()


def _number(document: AnnotatedDocument, pair: PronounPair) -> str:
    """Return the number of what a pronoun stands for; ``either`` where source and annotator differ.

    A possessive has that of the thing possessed (*ihre Häuser*), an ending (*criticándolos*) that of the source
    pronoun, and *sie* is a singular and a plural.
    """
    source, target = (text[pair.segment].tokens for text in (document.source, document.target))
    theirs, own = (one.features.get("Number", "") for one in (source[pair.source], target[pair.target]))
    if "Poss" in target[pair.target].features or not own:
        return theirs
    return own if theirs in ("", own) else own and "either"


def _nouns(
    document: AnnotatedDocument, segments: Sequence[int], priors: Priors
) -> Iterator[tuple[Place, tuple[int, str, str]]]:
    for segment in segments:
        links, target = document.links[segment], document.target[segment].tokens
        taken = mutual_links(links)
        free = [at for at in range(len(target)) if at not in taken and _tells_gender(target, at)]
        for index, token in enumerate(document.source[segment].tokens):
            if token.upos not in NOUNS:
                continue
            linked = targets_of(index, links)[:1]
            if not linked or target[linked[0]].upos not in NOUNS:  # its link is lost, or leads elsewhere
                known = [at for at in free if _is_known(priors, word_of(token), word_of(target[at]))]
                linked = known if len(known) == 1 else []
            for place in linked:
                if _tells_gender(target, place, token) and not _is_foreign(token, target, place, priors):
                    number = "" if _may_be_singular(token, target[place]) else target[place].features.get("Number", "")
                    yield (segment, index), (place, target[place].features["Gender"], number)


def _instead(document: AnnotatedDocument, pronouns: Collection[Place]) -> Iterator[tuple[Place, tuple[int, str, str]]]:
    """Yield source pronouns that became nouns: a noun that translates none, in the pronoun's role at its verb.

    *When people read it before it was out*, which became *wenn man das Werk liest, bevor es erschienen ist*.
    """
    for segment, index in pronouns:
        source, target = document.source[segment].tokens, document.target[segment].tokens
        links, role = document.links[segment], source[index].relation.partition(":")[0]
        if role not in _ROLES or source[index].head < 0:
            continue
        group = verb_group(source, source[index].head)
        for at, token in enumerate(target):
            alike = token.upos in NOUNS and token.head >= 0 and token.relation.partition(":")[0] == role
            if not alike or "Gender" not in token.features:
                continue
            verb = {one for word in verb_group(target, token.head) for one in sources_of(word, links)}
            if not verb.isdisjoint(group) and not any(source[one].upos in NOUNS for one in sources_of(at, links)):
                yield (segment, index), (at, token.features["Gender"], token.features.get("Number", ""))


def _tells_gender(tokens: Sequence[Token], place: int, source: Token | None = None) -> bool:
    """Return whether a word is a noun of known gender.

    What translates a noun, and a word agrees with, is one if annotators take it for a name (*der Nistbox*): nouns have
    a capital in German.
    """
    gender, upos = tokens[place].features.get("Gender"), tokens[place].upos
    if upos == "PROPN" and source is not None and source.upos == "NOUN":
        return gender is not None and any(one.head == place and one.features.get("Gender") == gender for one in tokens)
    return upos == "NOUN" and gender is not None


def _may_be_singular(source: Token, target: Token) -> bool:
    """Return whether a plural is no sure one: a singular in the source, and written as its lemma (*der Bogen*)."""
    numbers = [one.features.get("Number") for one in (source, target)]
    return numbers == ["Sing", "Plur"] and target.form.lower() == target.lemma.lower()


@lru_cache(maxsize=1 << 14)
def _is_known(priors: Priors, source: Word, target: Word) -> bool:
    """Return whether a noun is known to translate another, or is a compound with such a noun as its head."""
    return translates(priors, source, target) or any(word.lower().endswith(_heads(priors, source)) for word in target)


@lru_cache(maxsize=1 << 12)
def _heads(priors: Priors, source: Word) -> tuple[str, ...]:
    """Return the frequent translations of a noun that may be the head of a compound."""
    heads: set[str] = set()
    for form in {word.lower() for word in source}:
        found, links = priors.translations(form)
        heads |= {word for word, count in found.items() if len(word) >= _HEAD and count >= _OFTEN * links}
    return tuple(heads)


def _is_foreign(source: Token, target: Sequence[Token], place: int, priors: Priors) -> bool:
    """Return whether a noun is left as it is in the source, and nothing tells its gender: an annotator guesses it.

    What tells it is a word that agrees with the noun, or that it is known as a translation of itself.
    """
    word = target[place].form.lower()
    return (
        word == source.form.lower()
        and word not in priors.translations(word)[0]
        and not any(token.head == place and "Gender" in token.features for token in target)
    )
