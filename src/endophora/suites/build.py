"""Suite items from the occurrences of an annotated document, with context and, for gender, wrong translations.

In a wrong translation the pronoun is replaced by that of another gender, and as in ContraPro (Müller et al., 2018)
the rest of the segment stays. Where the verb or adjective of which the pronoun is the subject shows gender, it has to
change with it; its other form is looked up, and if it is not known there is no wrong translation, rather than one
that is wrong for another reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from endophora.annotate.records import AnnotatedText, Token
from endophora.corpus.faults import FaultLog
from endophora.languages.extraction import PronounCase
from endophora.languages.schema import LanguageRules
from endophora.phenomena.item_details import details_of, features_text
from endophora.phenomena.records import AnnotatedDocument, Occurrence, mention_head, span_text
from endophora.suites.ctxpro import item_from_ctxpro
from endophora.suites.files import Fields
from endophora.suites.records import Antecedent, Item, Json, Pair, Variant

KIND = "pronominal coreference"


_FormCounts: TypeAlias = Counter[tuple[frozenset[tuple[str, str]], str]]
"""Features and form → how often it was met."""


@dataclass(slots=True)
class InflectedForms:
    """Inflected forms that were met in annotated text: lemma, part of speech and gender → forms with their features."""

    forms: dict[tuple[str, str, str], _FormCounts] = field(default_factory=dict[tuple[str, str, str], _FormCounts])

    def add(self, texts: Iterable[AnnotatedText]) -> None:
        """Count the words of texts that show gender."""
        for text in texts:
            for token in text.tokens:
                if gender := token.features.get("Gender"):
                    key = (frozenset(token.features.items()), token.form.lower())
                    self.forms.setdefault((token.lemma, token.upos, gender), Counter())[key] += 1

    def other(self, token: Token, gender: str) -> str:
        """Return the form of a word in another gender, the most frequent; empty if none was met.

        Its other features are the same, but that it may have more of them: some genders distinguish what others do not,
        as the masculine does animacy in Slavic languages.
        """
        wanted = {pair for pair in token.features.items() if pair[0] not in ("Gender", "Animacy")}
        counts = Counter[str]()
        for (features, form), count in self.forms.get((token.lemma, token.upos, gender), _FormCounts()).items():
            if wanted <= features:
                counts[form] += count
        return "" if not counts else _cased(min(counts, key=lambda form: (-counts[form], form)), token.form)


def contrast(
    document: AnnotatedDocument, occurrence: Occurrence, rules: LanguageRules, lexicon: InflectedForms | None = None
) -> tuple[Variant, ...]:
    """Return the wrong translations of an occurrence of gender, one for each other gender of its rule's table.

    Without a lexicon of what agrees, segments in which something does have none.
    """
    if occurrence.phenomenon != "gender" or rules.extraction is None:
        return ()
    cases = [case for table in rules.extraction.gender for case in table.cases()]
    own = next((case for case in cases if case.label == occurrence.rule), None)
    text = document.target[occurrence.segment]
    if own is None or own.table.endings or len(occurrence.target_tokens) != 1:
        return ()
    pronoun = occurrence.target_tokens[0]
    found = list[Variant]()
    for gender, form in _wrong_forms(own, cases, text.tokens[pronoun].form).items():
        changes = _agreement(text, pronoun, own.gender, gender, lexicon)
        if changes is not None:
            changes[pronoun] = _cased(form, text.tokens[pronoun].form)
            found.append(Variant(_replaced(text, changes), changes[pronoun], gender, KIND))
    return tuple(found)


def _wrong_forms(own: PronounCase, cases: Sequence[PronounCase], written: str) -> dict[str, str]:
    """Return the forms of the same table and number in other genders, except for one that is the same word."""
    found: dict[str, str] = {}
    for case in cases:
        same = case.table is own.table and case.number == own.number and len(case.words[0]) == 1
        if same and case.gender not in ("", own.gender) and case.words[0][0] != written.lower():
            found.setdefault(case.gender, case.words[0][0])
    return found


def _agreement(
    text: AnnotatedText, pronoun: int, gender: str, other: str, lexicon: InflectedForms | None
) -> dict[int, str] | None:
    """Return new forms of the words that agree with a subject; ``None`` if one is not known."""
    token = text.tokens[pronoun]
    if not token.relation.startswith("nsubj") or token.head < 0:
        return {}
    related = [token.head, *(index for index, one in enumerate(text.tokens) if one.head == token.head)]
    changes: dict[int, str] = {}
    for index in related:
        one = text.tokens[index]
        agrees = index == token.head and one.upos in ("ADJ", "VERB", "AUX")
        agrees = agrees or one.relation.partition(":")[0] in ("aux", "cop")
        if agrees and one.features.get("Gender") == gender:
            form = lexicon.other(one, other) if lexicon else ""
            if not form:
                return None
            changes[index] = form
    return changes


def _replaced(text: AnnotatedText, changes: Mapping[int, str]) -> str:
    found, start = "", 0
    for index in sorted(changes):
        token = text.tokens[index]
        found += text.text[start : token.start] + changes[index]
        start = token.end
    return found + text.text[start:]


def _cased(form: str, like: str) -> str:
    return form[:1].upper() + form[1:] if like[:1].isupper() else form


EXTRACTED = ("gender", "animacy", "formality_cases", "auxiliary", "inflection")
"""The phenomena whose occurrences have ctxpro's details."""

_NAMES = {"formality_cases": "formality"}
"""Phenomenon of an occurrence → of an item, where ctxpro calls it otherwise."""


def build_items(
    document: AnnotatedDocument,
    occurrences: Iterable[Occurrence],
    size: int = 5,
    rules: LanguageRules | None = None,
    lexicon: InflectedForms | None = None,
) -> list[Item]:
    """Return the items of a document, one an occurrence, in the order given."""
    return [_item(document, occurrence, size, rules, lexicon) for occurrence in occurrences]


def _item(
    document: AnnotatedDocument,
    occurrence: Occurrence,
    size: int,
    rules: LanguageRules | None,
    lexicon: InflectedForms | None,
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
