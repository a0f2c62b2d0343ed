"""ctxpro's own verdicts on six annotated miniature documents: the same hits, the same reasons, the same details."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from ctxpro_codes import AUXILIARY_CODES, INFLECTION_CODES, PRONOUN_CODES
from endophora.align.records import Link
from endophora.annotate.annotator import parse_features
from endophora.annotate.records import AnnotatedText, Token
from endophora.corefer.records import Antecedent, Resolution
from endophora.languages import load_language
from endophora.phenomena import TAGGERS, TaggerOptions
from endophora.phenomena.item_details import details_of
from endophora.phenomena.records import AnnotatedDocument
from endophora.phenomena.tagging import TaggerSetup

KINDS = {
    "GENDER": ("gender", PRONOUN_CODES),
    "FORMALITY": ("formality_cases", PRONOUN_CODES),
    "AUXILIARY": ("auxiliary", AUXILIARY_CODES),
    "INFLECTION": ("inflection", INFLECTION_CODES),
}
CASES = ("de_gender_fem", "de_gender_no_coref", "fr_gender_masc", "de_formality", "es_auxiliary_do", "pl_inflection")


@cache
def published(path: Path):
    return json.loads(path.read_text("utf-8"))


def text(rows):
    tokens, start = [], 0
    for index, (form, lemma, upos, features, head) in enumerate(rows):
        governor = -1 if head == index else head
        found = parse_features(features)
        tokens.append(Token(form, lemma, upos, "", found, governor, "", "", start, start + len(form)))
        start += len(form) + 1
    return AnnotatedText(" ".join(row[0] for row in rows), tuple(tokens), (0,))


def resolutions(clusters, source):
    """Return each later mention of a cluster as a pronoun that the first mention is the antecedent of."""
    places = [(segment, index) for segment, one in enumerate(source) for index in range(len(one.tokens))]
    found = []
    for (first, end), *others in clusters or ():
        (segment, start), size = places[first], end - first
        tokens = tuple(range(start, start + size))
        for begin, _ in others:
            where, index = places[begin]
            antecedent = Antecedent(segment, tokens[-1], tokens, where - segment, 1.0)
            found.append(Resolution(where, index, (antecedent,), 0.0, 0.0))
    return tuple(found)


def document(written):
    source, target = (tuple(text(rows) for rows in written[side]) for side in ("english", "target"))
    links = tuple(tuple(Link(one, other, 1.0) for one, other in each["mwmf"]) for each in written["alignments"])
    return AnnotatedDocument("d", source, target, links, resolutions(written["coref_clusters"], source))


def tagger(rules):
    language, kind = rules.split("_")
    name, codes = KINDS[kind]
    setup = TaggerSetup(load_language("en"), load_language(language.lower()), TaggerOptions())
    return TAGGERS.get(name)(setup), codes


@pytest.mark.parametrize("name", CASES)
def test_reasons_and_details_are_the_published_ones(shared, name):
    written = published(shared / "known-answers" / "ctxpro" / "checkers.json")[name]
    made, codes = tagger(written["rules"])
    parsed = document(written)
    verdicts = made.verdicts(parsed, len(parsed.source) - 1)
    for label, (code, details) in written["result"].items():
        verdict = verdicts[label]
        assert codes[verdict.reason] == code, label
        assert (verdict.occurrence is None) == (details is None)
        if verdict.occurrence is not None:
            found = details_of(verdict.occurrence, parsed)
            assert found == {key: value.strip() if isinstance(value, str) else value for key, value in details.items()}
            assert list(found) == list(details)


@pytest.mark.parametrize("name", CASES)
def test_hits_are_what_the_tagger_tags(shared, name):
    written = published(shared / "known-answers" / "ctxpro" / "checkers.json")[name]
    found = tagger(written["rules"])[0].tag(document(written))
    assert [one.rule for one in found] == [label for label, (code, _) in written["result"].items() if code == 0]


def test_every_document_and_code_is_looked_at(shared):
    written = published(shared / "known-answers" / "ctxpro" / "checkers.json")
    assert set(written) == set(CASES)
    codes = {(each["rules"].split("_")[1], code) for each in written.values() for code, _ in each["result"].values()}
    assert codes <= {(kind, code) for kind, (_, known) in KINDS.items() for code in known.values()}
