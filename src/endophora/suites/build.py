"""Suite items from the occurrences of an annotated document, with the segments before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from endophora.annotate.records import AnnotatedText
from endophora.corpus.faults import FaultLog
from endophora.languages.schema import LanguageRules
from endophora.phenomena.details import details_of, features_text
from endophora.phenomena.records import AnnotatedDocument, Occurrence
from endophora.phenomena.spans import mention_head, span_text
from endophora.suites.contrast import Lexicon, contrast
from endophora.suites.ctxpro import item_from_ctxpro
from endophora.suites.fields import Fields
from endophora.suites.records import Antecedent, Item, Json, Pair

EXTRACTED = ("gender", "animacy", "formality_cases", "auxiliary", "inflection")
"""The phenomena whose occurrences have ctxpro's details."""

_NAMES = {"formality_cases": "formality"}
"""Phenomenon of an occurrence → of an item, where ctxpro calls it otherwise."""


def build_items(
    document: AnnotatedDocument,
    occurrences: Iterable[Occurrence],
    size: int = 5,
    rules: LanguageRules | None = None,
    lexicon: Lexicon | None = None,
) -> list[Item]:
    """Return the items of a document, one an occurrence, in the order given.

    Args:
        document: a document in source language and reference.
        occurrences: its occurrences, of any phenomenon; those of ctxpro's five get its details.
        size: how many segments of context each item has, fewer at the start of the document.
        rules: rules of the target language, for wrong translations of items of gender; without them items have none.
        lexicon: inflected forms, so that what agrees with a replaced pronoun can be made to agree with the wrong one.
    """
    return [_item(document, occurrence, size, rules, lexicon) for occurrence in occurrences]


def _item(
    document: AnnotatedDocument,
    occurrence: Occurrence,
    size: int,
    rules: LanguageRules | None,
    lexicon: Lexicon | None,
) -> Item:
    make = _detailed if occurrence.phenomenon in EXTRACTED else _plain
    item = make(document, occurrence)
    start = max(0, occurrence.segment - size)
    before = zip(document.source[start : occurrence.segment], document.target[start : occurrence.segment], strict=True)
    variants = contrast(document, occurrence, rules, lexicon) if rules else ()
    return replace(
        item,
        id=f"{occurrence.document}:{occurrence.segment}:{occurrence.target_tokens[0]}:{occurrence.rule}",
        phenomenon=_NAMES.get(occurrence.phenomenon, occurrence.phenomenon),
        before=tuple(Pair(source.text, target.text) for source, target in before),
        variants=variants,
    )


def _detailed(document: AnnotatedDocument, occurrence: Occurrence) -> Item:
    details: Mapping[str, Json] = {
        **details_of(occurrence, document),
        "segment id": occurrence.segment,
        "document id": occurrence.document,
        "rule": occurrence.rule,
    }
    log = FaultLog()
    item = item_from_ctxpro(Fields(details, occurrence.rule, occurrence.document, log), 0)
    log.check()
    return item


def _plain(document: AnnotatedDocument, occurrence: Occurrence) -> Item:
    source, target = document.source[occurrence.segment], document.target[occurrence.segment]
    lemmas = [source.tokens[index].lemma for index in occurrence.source_tokens]
    first = target.tokens[occurrence.target_tokens[0]]
    support = occurrence.support
    return Item(
        id="",
        document=occurrence.document,
        segment=occurrence.segment,
        source=source.text,
        reference=target.text,
        phenomenon=occurrence.phenomenon,
        rule=occurrence.rule,
        expected=(occurrence.expected,),
        source_form=span_text(source, occurrence.source_tokens) if occurrence.source_tokens else "",
        source_lemma=" ".join(lemmas),
        reference_lemma=" ".join(target.tokens[index].lemma for index in occurrence.target_tokens),
        reference_features=features_text(first.features),
        source_antecedent=None if support is None else _antecedent(document.source, support.source_tokens),
        target_antecedent=None if support is None else _antecedent(document.target, support.target_tokens),
        distance=None if support is None else support.distance,
    )


def _antecedent(texts: tuple[AnnotatedText, ...], tokens: tuple[tuple[int, int], ...]) -> Antecedent | None:
    """Return the antecedent in the last segment that has part of it; its head is the word that governs the others."""
    if not tokens:
        return None
    segment = max(number for number, _ in tokens)
    text, span = texts[segment], [token for number, token in tokens if number == segment]
    head = text.tokens[mention_head(text, span)]
    return Antecedent(
        head=head.form,
        lemma=head.lemma,
        pos=head.upos,
        features=features_text(head.features),
        gender=head.features.get("Gender", ""),
        number=head.features.get("Number", ""),
        phrase=span_text(text, span),
        segment=text.text,
    )
