"""The filter by letters: it loses no occurrence, and says of a document what it needs."""

from __future__ import annotations

import csv
from functools import cache

import pytest
import spacy
from handmade import text
from hypothesis import given
from hypothesis import strategies as st

from endophora.align import load_aligner
from endophora.annotate import load_annotator
from endophora.corefer import load_resolver
from endophora.languages import load_language
from endophora.phenomena import TaggerOptions, make_taggers, tag_document
from endophora.phenomena.prefilter import Prefilter
from endophora.phenomena.records import AnnotatedDocument

PHENOMENA = ("gender", "formality_cases", "auxiliary")
FILES = {"de": "deu", "fr": "fra"}
SEGMENTS = 260


def prefilter(code, *phenomena, **options):
    return Prefilter(phenomena or PHENOMENA, load_language("en"), load_language(code), **options)


def rules(code):
    extraction = load_language(code).extraction
    return [
        (name, case)
        for name, tables in (("gender", extraction.gender), ("formality_cases", extraction.formality))
        for table in tables
        for case in table.cases()
    ]


@cache
def annotated(folder, code):
    """Return the first documents of NTREX in a language, annotated in full."""
    with (folder / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as rows:
        ids = [row[0] for row in csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)][:SEGMENTS]
    sides = [(folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in ("eng", FILES[code])]
    annotators, aligner = (load_annotator("en"), load_annotator(code)), load_aligner(None, "en", code)
    resolver = load_resolver(None, language="en")
    found = []
    for name in dict.fromkeys(ids):
        places = [place for place, one in enumerate(ids) if one == name]
        source, target = (
            tuple(annotator.annotate([side[place] for place in places]))
            for annotator, side in zip(annotators, sides, strict=True)
        )
        links = tuple(aligner.align(source, target))
        found.append(AnnotatedDocument(name, source, target, links, tuple(resolver.resolve(source, target, links))))
    return found


def texts(one):
    return [each.text for each in one.source], [each.text for each in one.target]


@pytest.mark.parametrize("code", FILES)
def test_no_occurrence_of_real_text_is_lost(shared, code):
    taggers = make_taggers(code, TaggerOptions(phenomena=PHENOMENA))
    found = skipped = 0
    for one in annotated(shared / "documents" / "ntrex", code):
        selection = prefilter(code).select(*texts(one))
        narrowed = prefilter(code).narrow(selection, dict(enumerate(one.source)))
        occurrences = tag_document(one, taggers)
        skipped += not selection.needed
        for occurrence in occurrences:
            assert occurrence.segment in narrowed.candidates[occurrence.phenomenon]
            support = occurrence.support
            assert support is None or {place for place, _ in support.source_tokens} <= set(narrowed.segments)
            assert support is None or occurrence.phenomenon == "auxiliary" or selection.resolved
        found += len(occurrences)
    assert found


@given(
    st.sampled_from([(code, *rule) for code in ("de", "es", "fr", "it", "pl", "pt", "ru") for rule in rules(code)]),
    st.sampled_from(["{}", "({})", "“{}”", "-{}", "Oh, {}.", "{}'s", "{}!"]),
    st.booleans(),
    st.integers(0, 5),
)
def test_every_form_of_every_rule_is_seen(rule, around, capitals, place):
    code, name, case = rule
    english, form = sorted(case.english)[place % len(case.english)], " ".join(case.words[place % len(case.words)])
    source, target = around.format(english), ("quer" if case.table.endings else "") + form
    if capitals:
        source, target = source.upper(), target.upper()
    assert prefilter(code).select([source], [target]).candidates[name] == (0,)


@pytest.mark.parametrize("code", ["de", "fr"])
def test_every_auxiliary_that_the_tokeniser_parts_from_another_word_is_seen(code):
    """Of the tokeniser's exceptions, each that has a token with the form of an auxiliary."""
    forms = {
        form
        for rule in load_language(code).extraction.auxiliary
        for form in load_language("en").extraction.auxiliary_forms[rule.lemma]
    }
    tokenizer = spacy.blank("en").tokenizer
    for written in tokenizer.rules:
        parts = [token.text.lower().replace("’", "'") for token in tokenizer(written)]
        if forms & set(parts):
            assert prefilter(code, "auxiliary").select([written], ["ja"]).candidates["auxiliary"] == (0,), written


def test_document_without_forms_needs_nothing():
    selection = prefilter("de").select(["The city is old.", "With items."], ["Die Stadt ist alt.", "Er und es."])
    assert not selection.needed
    assert not selection.resolved
    assert selection.segments == ()


def test_context_of_a_candidate_is_needed_too():
    source, target = ["A."] * 20, ["B."] * 20
    source[12], target[12] = "It is old.", "Sie ist alt."
    selection = prefilter("de", "gender").select(source, target)
    assert selection.segments == tuple(range(7, 13))
    assert selection.resolved
    assert prefilter("de", "gender", window=2).select(source, target).segments == (10, 11, 12)


def test_formality_needs_neither_context_nor_antecedents():
    source, target = ["A."] * 5, ["B."] * 5
    source[3], target[3] = "Can you come?", "Kannst du kommen?"
    selection = prefilter("de", "formality_cases").select(source, target)
    assert selection.segments == (3,)
    assert not selection.resolved


def test_auxiliary_with_its_verb_is_no_candidate_once_it_is_parsed():
    pronoun = "I/PRON >1 :nsubj | "
    with_verb = pronoun.replace(">1", ">2") + "will/AUX >2 :aux | come/VERB :root"
    alone = pronoun + "will/AUX :root"
    filtered = prefilter("de", "auxiliary")
    selection = filtered.select(["No.", "I will come", "I will"], ["Nein.", "Ich komme", "Ich komme"])
    assert selection.candidates["auxiliary"] == (1, 2)
    narrowed = filtered.narrow(selection, {1: text(with_verb), 2: text(alone)})
    assert narrowed.candidates["auxiliary"] == (2,)
    assert narrowed.segments == (0, 1, 2)


def test_other_phenomena_need_every_segment():
    assert prefilter("de", "gender", "verb_form").select(["A."] * 3, ["B."] * 3).segments == (0, 1, 2)
    assert prefilter("ru", "inflection").select(["A."] * 3, ["B."] * 3).segments == (0, 1, 2)


def test_animacy_looks_for_english_in_the_target():
    filtered = Prefilter(("animacy",), load_language("de"), load_language("en"))
    assert filtered.select(["Sie ist alt."], ["It is old."]).candidates["animacy"] == (0,)
    assert filtered.select(["It is old."], ["Sie ist alt."]).candidates["animacy"] == ()
