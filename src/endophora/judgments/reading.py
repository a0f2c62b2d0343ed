"""What judgments read of an annotated document: the choices that its target text shows, whatever the words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from endophora.corefer.records import Resolution
from endophora.judgments.records import Choice, Choices, Place, is_same_word
from endophora.phenomena.ellipsis import EllipsisTagger
from endophora.phenomena.formality import FormalityTagger
from endophora.phenomena.lexical_cohesion import LexicalCohesionTagger, document_lemmas
from endophora.phenomena.pronouns import PronounTagger
from endophora.phenomena.records import AnnotatedDocument, Tagger, mutual_links, sources_of, targets_of, verb_group
from endophora.phenomena.verb_form import VerbFormTagger, shown_form

_VERBS = frozenset({"VERB", "AUX"})
_NOUNS = frozenset({"NOUN", "PROPN"})
_VERB_SITES = frozenset({"verb_phrase", "comparative", "pseudogapping"})
_BESIDE = 4
"""Tokens between the translation of what is left and the verb that says what is not."""
REACH = 8
"""How many segments before a pronoun the translations of nouns are kept; a resolver's window is no larger."""

CANDIDATES = 4
"""How many nouns that a pronoun may stand for are kept."""


def read_choices(
    document: AnnotatedDocument, taggers: Sequence[Tagger], resolutions: Sequence[Resolution] | None = None
) -> Choices:
    """Return what a document shows of each phenomenon that a tagger is given for.

    ``resolutions`` are the source's pronouns resolved without the target, whose form would speak for itself; by
    default those of the document.
    """
    shown: list[Choice] = []
    pronouns: set[int] = set()
    for tagger in taggers:
        if isinstance(tagger, FormalityTagger):
            shown += _levels(document, tagger)
        elif isinstance(tagger, VerbFormTagger):
            shown += _verbs(document, tagger)
        elif isinstance(tagger, LexicalCohesionTagger):
            shown += _translations(document, tagger)
        elif isinstance(tagger, PronounTagger):
            found = list(_pronouns(document, tagger))
            pronouns |= {choice.segment for choice in found}
            shown += found
        elif isinstance(tagger, EllipsisTagger):
            shown += _restored(document, tagger)
    chosen = document.resolutions if resolutions is None else resolutions
    antecedents = {
        (one.segment, one.token): tuple(
            ((found.segment, found.head), round(found.probability, 3)) for found in one.antecedents[:CANDIDATES]
        )
        for one in chosen
        if one.segment in pronouns and one.antecedents
    }
    wanted = {place for segment in pronouns for place in range(max(0, segment - REACH), segment + 1)}
    nouns = dict(_nouns(document, sorted(wanted)))
    return Choices(tuple(shown), nouns, antecedents)


def _levels(document: AnnotatedDocument, tagger: FormalityTagger) -> Iterator[Choice]:
    for segment, index, level, linked, _ in tagger.words(document):
        yield Choice("formality", segment, linked, (index,), level)


def _verbs(document: AnnotatedDocument, tagger: VerbFormTagger) -> Iterator[Choice]:
    alike = {rule.label: rule.alike for rule in tagger.rules if rule.alike}
    for segment, (target, links) in enumerate(zip(document.target, document.links, strict=True)):
        groups = {
            tuple(verb_group(target.tokens, index)): None
            for index, token in enumerate(target.tokens)
            if token.upos in _VERBS
        }
        for group in groups:
            form = shown_form(tagger.rules, target, group[0])
            sources = tuple(sorted({source for index in group for source in sources_of(index, links)}))
            if form and sources:
                yield Choice("verb_form", segment, sources, group, alike.get(form, form))


def _translations(document: AnnotatedDocument, tagger: LexicalCohesionTagger) -> Iterator[Choice]:
    """Yield the translations of content words that are in two segments or more; nothing stands for one that is not."""
    theirs = document_lemmas(document.source, tagger.source.boundary)
    ours = document_lemmas(document.target, tagger.target.boundary)
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for segment, source in enumerate(document.source):
        for index, token in enumerate(source.tokens):
            if token.upos in tagger.source.upos and theirs[token.form] not in tagger.source.stop_lemmas:
                places[theirs[token.form]].append((segment, index))
    mutual = [{source: target for target, source in mutual_links(links).items()} for links in document.links]
    for lemma, found in places.items():
        if found[0][0] == found[-1][0]:
            continue
        for segment, index in found:
            linked = mutual[segment].get(index)
            targets = [linked] if linked is not None else targets_of(index, document.links[segment])[:1]
            tokens = document.target[segment].tokens
            for target in targets:
                upos = document.source[segment].tokens[index].upos
                # A noun that became a verb or an adjective is no other word for the thing.
                kinds = _NOUNS if upos in _NOUNS else tagger.target.upos
                shown = ours[tokens[target].form] if tokens[target].upos in kinds else ""
                yield Choice("lexical_cohesion", segment, (index,), (target,), shown, lemma, upos)


def _pronouns(document: AnnotatedDocument, tagger: PronounTagger) -> Iterator[Choice]:
    for segment in range(len(document.source)):
        for pair in tagger.pairs(document, segment):
            if pair.rule.agreement:
                values = ",".join(sorted(pair.values))
                number = document.target[segment].tokens[pair.target].features.get("Number", "")
                about = "unmarked" if pair.unmarked else number
                yield Choice("pronouns", segment, (pair.source,), (pair.target,), values, about)


def _restored(document: AnnotatedDocument, tagger: EllipsisTagger) -> Iterator[Choice]:
    """Yield the verbs that stand for a verb phrase left out in the source: said before in the target, or new.

    It is the translation of what the source has left (*I do*), or a verb without a link beside it.
    """
    said: set[str] = set()
    for segment, (sites, target) in enumerate(zip(tagger.sites(document.source), document.target, strict=True)):
        links = document.links[segment]
        linked = {link.target for link in links}
        for site in sites:
            if site.kind not in _VERB_SITES or not site.tokens:
                continue
            own = [token for index in site.tokens for token in targets_of(index, links)]
            around = range(min(own, default=0) - _BESIDE, max(own, default=len(target.tokens)) + _BESIDE + 1)
            free = [index for index in range(len(target.tokens)) if index not in linked and index in around]
            verbs = [index for index in dict.fromkeys((*own, *free)) if target.tokens[index].upos == "VERB"]
            for index in verbs[:1]:
                lemma = target.tokens[index].lemma.casefold()
                before = {token.lemma.casefold() for token in target.tokens[:index] if token.upos == "VERB"}
                known = any(is_same_word(lemma, other) for other in said | before)
                yield Choice("ellipsis", segment, site.tokens, (index,), lemma, "said" if known else "new")
        said |= {token.lemma.casefold() for token in target.tokens if token.upos == "VERB"}


def _nouns(document: AnnotatedDocument, segments: Sequence[int]) -> Iterator[tuple[Place, tuple[int, str, str]]]:
    for segment in segments:
        links, target = document.links[segment], document.target[segment].tokens
        for index, token in enumerate(document.source[segment].tokens):
            linked = targets_of(index, links)[:1] if token.upos in _NOUNS else ()
            for place in linked:
                features = target[place].features
                if target[place].upos == "NOUN" and "Gender" in features:
                    yield (segment, index), (place, features["Gender"], features.get("Number", ""))
