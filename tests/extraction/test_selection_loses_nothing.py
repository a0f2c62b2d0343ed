"""What is chosen to be parsed by letters alone holds every occurrence that parsing everything finds."""

from __future__ import annotations

import csv
from functools import cache

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.extraction.select import AuxiliarySurface, PronounSurface, Selector, Texts
from endophora.extraction.setup import ExtractionSetup
from endophora.languages import load_language
from endophora.phenomena import tag_document
from endophora.phenomena.impersonal import normal
from endophora.phenomena.records import AnnotatedDocument

PHENOMENA = ("gender", "formality_cases", "auxiliary")
FILES = {"de": "deu", "fr": "fra"}
SEGMENTS = 260
RULES = [
    (code, kind, case)
    for code in ("de", "es", "fr", "it", "pl", "pt", "ru")
    for kind in ("gender", "formality")
    for table in getattr(load_language(code).extraction, kind)
    for case in table.cases()
]


@cache
def surface(code, kind, reverse):
    return PronounSurface(load_language(code).extracted.cases(kind), reverse=reverse)


def texts(source, target):
    return Texts(source, target)


@cache
def parallel(folder, code):
    """Return the first documents of NTREX in a language."""
    with (folder / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as rows:
        ids = [row[0] for row in csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)][:SEGMENTS]
    sides = [(folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in ("eng", FILES[code])]
    found = {}
    for name, one, other in zip(ids, *sides, strict=False):
        found.setdefault(name, []).append(Segment(one, {REFERENCE: other}, {}, Location("ntrex", 1)))
    return [Document(name, tuple(segments)) for name, segments in found.items()]


def annotated(document, tools):
    source = tuple(tools.source_annotator.annotate([segment.source for segment in document.segments]))
    target = tuple(tools.target_annotator.annotate([segment.references[REFERENCE] for segment in document.segments]))
    links = tuple(tools.aligner.align(source, target))
    return AnnotatedDocument(document.id, source, target, links, tuple(tools.resolver.resolve(source, target, links)))


@pytest.mark.parametrize("code", FILES)
def test_no_occurrence_of_real_text_is_lost(shared, code):
    tools = ExtractionSetup(source_language="en", target_language=code, phenomena=PHENOMENA).load()
    selector = Selector(tools)
    found = left_out = 0
    for document in parallel(shared / "documents" / "ntrex", code):
        whole = annotated(document, tools)
        candidates = selector.candidates(document)
        selection = selector.select(document, candidates, {text.text: text for text in whole.source})
        left_out += len(document.segments) - len(selection.parsed)
        for occurrence in tag_document(whole, tools.taggers):
            found += 1
            assert occurrence.segment in candidates[occurrence.phenomenon]
            assert occurrence.segment in selection.parsed
            support = occurrence.support
            assert support is None or {place for place, _ in support.source_tokens} <= set(selection.parsed)
            assert occurrence.phenomenon != "gender" or selection.resolve_source
    assert found
    assert left_out


@given(
    st.sampled_from(RULES),
    st.sampled_from(["{}", "({})", "“{}”", "-{}", "Oh, {}.", "{}'s", "{}!"]),
    st.booleans(),
    st.booleans(),
    st.integers(0, 5),
)
def test_every_form_of_every_rule_is_seen(rule, around, capitals, turned, place):
    code, kind, case = rule
    english, form = sorted(case.english)[place % len(case.english)], " ".join(case.words[place % len(case.words)])
    source, target = around.format(english), around.format(("quer" if case.table.endings else "") + form)
    if capitals:
        source, target = source.upper(), target.upper()
    sides = ([target], [source]) if turned else ([source], [target])
    assert surface(code, kind, turned)(texts(*sides)) == [0]


@pytest.mark.parametrize("code", ["de", "fr"])
def test_every_auxiliary_that_the_tokenizer_parts_from_another_word_is_seen(code):
    """Of the tokenizer's exceptions, each that has a token with the form of an auxiliary."""
    ours, english = load_language(code).extraction, load_language("en").extraction
    forms = {form for rule in ours.auxiliary for form in english.auxiliary_forms[rule.lemma]}
    looked = AuxiliarySurface(ours, english)
    tokenizer = spacy.blank("en").tokenizer
    parted = {written: {normal(token.text) for token in tokenizer(written)} for written in tokenizer.rules}
    # With *have*, it is not the only verb.
    parted = {written: words for written, words in parted.items() if forms & words and not {"ve", "'ve"} & words}
    assert len(parted) > 50
    assert [written for written in parted if not looked(texts([written], ["ja"]))] == []
