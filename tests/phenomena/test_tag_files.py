"""Tags and occurrences as files: round trips, and the tag files of a published tool."""

from __future__ import annotations

import gzip
import io
import json

from handmade import document
from hypothesis import given
from hypothesis import strategies as st
from tag_readers import read_labels, read_muda, read_occurrences

from endophora.languages import load_language
from endophora.phenomena import PHENOMENA
from endophora.phenomena.export import (
    WRITERS,
    Tagging,
    label_lines,
    muda_text,
    occurrence_lines,
    token_lines,
    write_jsonl,
)
from endophora.phenomena.formality import FormalityTagger
from endophora.phenomena.records import Occurrence, Support

INDICES = st.lists(st.integers(0, 99), max_size=3).map(tuple)
PLACES = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)
SUPPORTS = st.builds(Support, PLACES, PLACES, st.integers(0, 9), st.floats(0, 1))
OCCURRENCES = st.builds(
    Occurrence,
    document=st.text(),
    segment=st.integers(0, 99),
    phenomenon=st.sampled_from(PHENOMENA),
    rule=st.text(),
    source_tokens=INDICES,
    target_tokens=INDICES,
    expected=st.text(),
    support=st.none() | SUPPORTS,
)
# Words that a tokenizer yields: no blanks, and none of the characters at which Python splits words.
FORMS = st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp")), min_size=1, max_size=5)


@st.composite
def taggings(draw):
    segments = draw(st.lists(st.lists(FORMS, max_size=4).map(tuple), max_size=4).map(tuple))
    places = [(s, t) for s, forms in enumerate(segments) for t in range(len(forms))]
    tagged = (
        draw(st.lists(st.tuples(st.sampled_from(places), st.sampled_from(PHENOMENA)), max_size=8)) if places else []
    )
    found = [Occurrence("d", s, name, "r", (), (t,), segments[s][t]) for (s, t), name in tagged]
    return Tagging("d", segments, tuple(found))


@given(st.lists(OCCURRENCES, max_size=5))
def test_json_lines_round_trip(occurrences):
    assert read_occurrences(occurrence_lines(occurrences)) == occurrences


@given(taggings())
def test_labels_round_trip(tagging):
    tags = tagging.tags()
    assert read_labels(label_lines(tagging)) == tags
    lines = list(token_lines(tagging))
    assert [len(line.split()) for line in lines] == [len(forms) for forms in tagging.segments]


@given(st.lists(taggings(), max_size=3))
def test_muda_json_round_trip(some):
    expected = [
        [list(zip(forms, tags, strict=True)) for forms, tags in zip(one.segments, one.tags(), strict=True)]
        for one in some
    ]
    assert read_muda(muda_text(some)) == expected


def test_published_tag_files_round_trip(shared):
    path = shared / "known-answers" / "muda" / "multited.ref.jpn.tag.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        tags = read_labels(lines)
    forms = [tuple("x" for _ in segment) for segment in tags]
    found = [
        Occurrence("d", s, name, "r", (), (t,), "x")
        for s, segment in enumerate(tags)
        for t, names in enumerate(segment)
        for name in names
    ]
    assert sum(map(len, tags)) > 30_000
    written = list(label_lines(Tagging("d", tuple(forms), tuple(found))))
    # The published files join several tags in another order in places: compare them as sets.
    assert [[set(names) for names in segment] for segment in read_labels(written)] == [
        [set(names) for names in segment] for segment in tags
    ]


def test_files_of_a_tagged_document(tmp_path):
    pair = ("you/PRON", "Sie/PRON", "0-0")
    annotated = document([pair, pair])
    occurrences = FormalityTagger(load_language("en"), load_language("de")).tag(annotated)
    tagging = Tagging.of(annotated, occurrences)
    assert list(label_lines(tagging)) == ["other\n", "formality\n"]
    assert json.loads(muda_text([tagging])) == [
        [[{"token": "Sie", "tags": []}], [{"token": "Sie", "tags": ["formality"]}]]
    ]
    path = tmp_path / "occurrences.jsonl"
    write_jsonl(occurrences, path)
    assert read_occurrences(path.read_text(encoding="utf-8").splitlines()) == occurrences
    for name, write in WRITERS.items():
        stream = io.StringIO()
        write([tagging], stream)
        assert stream.getvalue().endswith("\n"), name
