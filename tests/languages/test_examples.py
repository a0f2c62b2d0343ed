"""The worked examples of the rule files, through the embedded pipelines, aligner and resolver."""

from __future__ import annotations

from functools import cache

import pytest

from endophora.align import load_aligner
from endophora.annotate import load_annotator
from endophora.corefer import load_resolver
from endophora.errors import MissingModelError
from endophora.languages import language_codes, load_language
from endophora.phenomena import TAGGERS, TaggerOptions
from endophora.phenomena.records import AnnotatedDocument, swap_sides
from endophora.phenomena.tagging import REVERSED, TaggerSetup

EXAMPLES = [
    pytest.param(code, phenomenon, example, id=f"{code}-{phenomenon}-{example.shows}")
    for code in language_codes()
    for phenomenon, examples in load_language(code).examples.items()
    for example in examples
]


@cache
def tools(code):
    return (
        load_annotator("en"),
        load_annotator(code),
        load_aligner(None, "en", code),
        load_resolver(None, language="en"),
    )


def annotate(code, example, backwards=False):
    try:
        theirs, ours, aligner, resolver = tools(code)
    except MissingModelError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # an extra's libraries are not installed
    pairs = [pair[::-1] for pair in example.text] if backwards else example.text
    source = tuple(theirs.annotate([pair[0] for pair in pairs]))
    target = tuple(ours.annotate([pair[1] for pair in pairs]))
    links = aligner.align(source, target)
    resolutions = tuple(resolver.resolve(source, target, links))
    document = AnnotatedDocument("example", source, target, tuple(links), resolutions)
    return swap_sides(document) if backwards else document


@pytest.mark.parametrize(("code", "phenomenon", "example"), EXAMPLES)
def test_example(code, phenomenon, example):
    backwards = phenomenon in REVERSED
    document = annotate(code, example, backwards)
    pair = (load_language("en"), load_language(code))
    setup = TaggerSetup(*(reversed(pair) if backwards else pair), TaggerOptions())
    found = TAGGERS.get(phenomenon)(setup).tag(document)
    expected = [(occurrence.segment, occurrence.words, occurrence.rule) for occurrence in example.occurrences]
    rules = [occurrence.rule for occurrence in example.occurrences]
    written = [
        (
            occurrence.segment + 1,
            " ".join(document.target[occurrence.segment].tokens[index].form for index in occurrence.target_tokens),
            occurrence.rule if place >= len(rules) or rules[place] else "",
        )
        for place, occurrence in enumerate(found)
    ]
    assert written == expected
