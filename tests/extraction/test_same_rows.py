"""Rows are the same whether everything is parsed or only what the look at the surface leaves."""

from __future__ import annotations

import csv
import inspect
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endophora.annotate.records import AnnotatedText
from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.extraction import ExtractionSetup, default_phenomena
from endophora.extraction.select import POSSESSED, WINDOWED, align_alone, resolve_windows
from endophora.extraction.task import Extractor
from endophora.phenomena.gender import GenderTagger
from endophora.phenomena.records import AnnotatedDocument

SENTENCES = {
    "de": """
        Where is the lamp? | Wo ist die Lampe?
        It is in the kitchen. | Sie ist in der Küche.
        The table is old, but it is still good. | Der Tisch ist alt, aber er ist noch gut.
        I bought it yesterday. | Ich habe sie gestern gekauft.
        They are too heavy. | Sie sind zu schwer.
        It is raining. | Es regnet.
        The book lay on the chair. | Das Buch lag auf dem Stuhl.
        “The house was empty,” he said. | „Das Haus war leer“, sagte er.
        “And it was cold,” she said. | „Und es war kalt“, sagte sie.
        Do you know the way? | Kennst du den Weg?
        I do. | Ich kenne ihn.
        Yes, I will. | Ja, ich kaufe sie.
        Nobody came. | Niemand kam.
        Is this your car or mine? | Ist das dein Auto oder meins?
        """,
    "fr": """
        Where is the lamp? | Où est la lampe ?
        It is broken. | Elle est cassée.
        The door was closed. | La porte était fermée.
        The window was closed. | Le mur était fermé.
        It was closed yesterday. | Il était fermé hier.
        They are heavy. | Elles sont lourdes.
        The boxes arrived. | Les boîtes sont arrivées.
        They arrived. | Elles sont arrivées.
        It is raining. | Il pleut.
        Nobody came. | Personne n'est venu.
        Do you love me? | Tu m'aimes ?
        I do. | Je t'aime.
        That is your car, this is mine. | C'est votre voiture, voici la mienne.
        """,
}
PAIRS = {
    code: [tuple(line.strip().split(" | ")) for line in text.strip().splitlines()] for code, text in SENTENCES.items()
}
REAL = {"fr": "fra", "ru": "rus"}
SEGMENTS = 200


@cache
def extractor(source, target, prefilter):
    setup = ExtractionSetup(
        source_language=source, target_language=target, phenomena=default_phenomena(source, target), prefilter=prefilter
    )
    return Extractor(setup.load())


def document(name, pairs):
    return Document(name, tuple(Segment(one, {REFERENCE: other}, {}, Location(name, 1)) for one, other in pairs))


def both_ways(pair, documents):
    return tuple(list(extractor(*pair, prefilter)(documents)) for prefilter in (True, False))


@settings(max_examples=12)
@given(st.data())
def test_rows_are_the_same_whatever_stands_around_a_window(data):
    code = data.draw(st.sampled_from(sorted(PAIRS)))
    turned = data.draw(st.booleans())
    chosen = data.draw(st.lists(st.sampled_from(PAIRS[code]), min_size=1, max_size=45))
    pairs = [pair[::-1] if turned else pair for pair in chosen]
    part, whole = both_ways((code, "en") if turned else ("en", code), [document("d", pairs)])
    assert part == whole


@pytest.mark.parametrize("code", sorted(PAIRS))
def test_rows_of_a_long_document_are_the_same_and_many(code):
    pairs = PAIRS[code] + [PAIRS[code][place % 3] for place in range(30)] + PAIRS[code][::-1]
    part, whole = both_ways(("en", code), [document("d", pairs)])
    assert part == whole
    assert {row["phenomenon"] for row in whole} >= {"gender", "formality"}


@pytest.mark.parametrize("code", sorted(REAL))
@pytest.mark.parametrize("turned", [False, True])
def test_rows_of_real_text_are_the_same(shared, code, turned):
    folder = shared / "documents" / "ntrex"
    with (folder / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as lines:
        ids = [row[0] for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)][:SEGMENTS]
    names = ("eng", REAL[code])[:: -1 if turned else 1]
    sides = [(folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines() for name in names]
    grouped = {}
    for name, *pair in zip(ids, *sides, strict=False):
        grouped.setdefault(name, []).append(pair)
    documents = [document(name, pairs) for name, pairs in grouped.items()]
    part, whole = both_ways((code, "en") if turned else ("en", code), documents)
    assert part == whole
    assert whole or turned


def test_phenomena_of_documents_change_no_row_of_the_others():
    documents = [document("d", PAIRS["de"] * 2)]
    alone = extractor("en", "de", True)
    setup = alone._tools.extraction
    more = replace(setup, phenomena=("pronouns", *setup.phenomena, "lexical_cohesion"))
    rows = list(Extractor(more.load())(documents))
    assert [row for row in rows if row["phenomenon"] not in ("pronouns", "lexical_cohesion")] == list(alone(documents))
    places = [(row["segment"], row["reference_spans"][0]) for row in rows]
    assert places == sorted(places)
    assert {"pronouns", "lexical_cohesion"} & {row["phenomenon"] for row in rows}


def test_links_and_antecedents_come_from_their_window_alone():
    tools = extractor("en", "de", True)._tools
    pairs = PAIRS["de"] * 3
    sides = tuple(
        tuple(annotator.annotate([pair[side] for pair in pairs]))
        for side, annotator in enumerate((tools.source_annotator, tools.target_annotator))
    )
    place = next(index for index in range(len(pairs) - 1, -1, -1) if pairs[index][0].startswith("It is in"))
    bare = tuple(
        tuple(text if place - 4 <= index <= place else AnnotatedText(text.text, ()) for index, text in enumerate(side))
        for side in sides
    )
    found = []
    for some in (sides, bare):
        (links,) = align_alone(tools.aligner, [some])
        resolutions = resolve_windows(tools.resolver, AnnotatedDocument("d", *some, links), [place], 4)
        found.append((links[place - 4 : place + 1], resolutions))
    assert found[0] == found[1]
    assert links[place - 5] == ()
    (resolution,) = found[0][1]
    assert (resolution.segment, resolution.antecedents[0].segment) == (place, place - 1)
    assert sides[0][place - 1].tokens[resolution.antecedents[0].head].form == "lamp"


def test_the_tagger_of_gender_looks_no_further_back_than_is_parsed():
    assert inspect.signature(GenderTagger).parameters["window"].default == POSSESSED
    assert {"gender", "animacy", "formality_cases", "auxiliary", "inflection"} == WINDOWED
