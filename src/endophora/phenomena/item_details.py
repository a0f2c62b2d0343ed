"""What test sets say of an occurrence beyond the record: heads, lemmas, features, phrases, under ctxpro's keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from endophora.annotate.records import Token
from endophora.phenomena.impersonal import normal
from endophora.phenomena.records import (
    AnnotatedDocument,
    Occurrence,
    Support,
    span_text,
    support_heads,
    swap_occurrence,
    swap_sides,
)

Value = str | int | bool
Details = dict[str, Value]

_OTHER_SIDE = {"src": "ref", "ref": "src"}


def details_of(occurrence: Occurrence, document: AnnotatedDocument) -> Details:
    """Return what ctxpro's files say of an occurrence, in their order, without ids and rule.

    ``src`` is the document's source language and ``ref`` its target language, also for animacy.
    """
    make = _MAKERS.get(occurrence.phenomenon)
    if make is None:
        raise ValueError(f"test sets are not made of {occurrence.phenomenon}")
    return make(occurrence, document)


def features_text(features: Mapping[str, str]) -> str:
    """Return morphological features as CoNLL-U writes them, sorted by name; empty if there are none."""
    return "|".join(f"{name}={features[name]}" for name in sorted(features, key=str.lower))


def _supported(occurrence: Occurrence) -> Support:
    if occurrence.support is None:
        raise ValueError(f"an occurrence of {occurrence.phenomenon} without support")
    return occurrence.support


def _head(side: str, token: Token, phrase: str) -> Details:
    return {
        f"{side} ante head": token.form,
        f"{side} ante head gender": token.features.get("Gender", ""),
        f"{side} ante head lemma": token.lemma,
        f"{side} ante head morpho": features_text(token.features),
        f"{side} ante head pos": token.upos,
        f"{side} ante head number": token.features.get("Number", ""),
        f"{side} ante phrase": phrase,
    }


def _texts(side: str, text: str, earlier: str) -> Details:
    return {f"{side} segment": text, f"{side} ante segment": earlier}


def _gender(occurrence: Occurrence, document: AnnotatedDocument) -> Details:
    support = _supported(occurrence)
    source, target = document.source[occurrence.segment], document.target[occurrence.segment]
    segment, source_head, target_head = support_heads(document, support)
    earlier, other = document.source[segment], document.target[segment]
    spans = [[token for _, token in tokens] for tokens in (support.source_tokens, support.target_tokens)]
    reference = other.tokens[spans[1][0] if target_head is None else target_head]
    return {
        "src pronoun": normal(span_text(source, occurrence.source_tokens)),
        "expected": normal(span_text(target, occurrence.target_tokens)),
        "ante distance": support.distance,
        "intrasegmental": support.distance == 0,
        **_head("ref", reference, span_text(other, spans[1])),
        **_texts("ref", target.text, other.text),
        **_head("src", earlier.tokens[source_head], span_text(earlier, spans[0])),
        **_texts("src", source.text, earlier.text),
    }


def _animacy(occurrence: Occurrence, document: AnnotatedDocument) -> Details:
    turned = swap_sides(document)
    found = _gender(swap_occurrence(occurrence, turned, "gender"), turned)
    exchanged: Details = {"expected": found.pop("src pronoun"), "src pronoun": found.pop("expected")}
    for key, value in found.items():
        side, _, rest = key.partition(" ")
        exchanged[f"{_OTHER_SIDE[side]} {rest}" if side in _OTHER_SIDE else key] = value
    return exchanged


def _formality(occurrence: Occurrence, document: AnnotatedDocument) -> Details:
    source, target = document.source[occurrence.segment], document.target[occurrence.segment]
    return {
        "src pronoun": normal(span_text(source, occurrence.source_tokens)),
        "ref pronoun": normal(span_text(target, occurrence.target_tokens)),
        "ref segment": target.text,
        "src segment": source.text,
    }


def _auxiliary(occurrence: Occurrence, document: AnnotatedDocument) -> Details:
    support = _supported(occurrence)
    source, target = document.source[occurrence.segment], document.target[occurrence.segment]
    (segment, verb), *_ = support.source_tokens
    auxiliary = source.tokens[occurrence.source_tokens[0]]
    return {
        "src verb": auxiliary.form,
        "expected": occurrence.expected,
        "ante distance": support.distance,
        "ref verb lemma": target.tokens[occurrence.target_tokens[0]].lemma,
        **_texts("ref", target.text, document.target[segment].text),
        "src verb lemma": auxiliary.lemma,
        **_texts("src", source.text, document.source[segment].text),
        "src ante verb lemma": document.source[segment].tokens[verb].lemma,
    }


def _inflection(occurrence: Occurrence, document: AnnotatedDocument) -> Details:
    support = _supported(occurrence)
    source, target = document.source[occurrence.segment], document.target[occurrence.segment]
    segment = support.target_tokens[0][0]
    noun = source.tokens[occurrence.source_tokens[0]]
    return {
        "src noun": noun.form,
        "expected": occurrence.expected,
        "ante distance": support.distance,
        "ref noun case": target.tokens[occurrence.target_tokens[0]].features.get("Case", ""),
        **_texts("ref", target.text, document.target[segment].text),
        **_texts("src", source.text, document.source[segment].text),
        "src ante noun case": noun.features.get("Case", ""),
    }


_MAKERS: Mapping[str, Callable[[Occurrence, AnnotatedDocument], Details]] = {
    "gender": _gender,
    "animacy": _animacy,
    "formality_cases": _formality,
    "auxiliary": _auxiliary,
    "inflection": _inflection,
}
