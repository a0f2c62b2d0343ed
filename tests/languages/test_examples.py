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
from endophora.phenomena.options import TaggerSetup
from endophora.phenomena.records import AnnotatedDocument

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


def annotate(code, example):
    try:
        theirs, ours, aligner, resolver = tools(code)
    except MissingModelError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # an extra's libraries are not installed
    source = tuple(theirs.annotate([pair[0] for pair in example.text]))
    target = tuple(ours.annotate([pair[1] for pair in example.text]))
    links = aligner.align(source, target)
    return AnnotatedDocument("example", source, target, tuple(links), tuple(resolver.resolve(source, target, links)))


@pytest.mark.parametrize(("code", "phenomenon", "example"), EXAMPLES)
def test_example(code, phenomenon, example):
    document = annotate(code, example)
    setup = TaggerSetup(load_language("en"), load_language(code), TaggerOptions())
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
