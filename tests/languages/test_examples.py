"""The worked examples of the rule files, through the embedded pipelines, aligner and resolver."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from endophora.align import load_aligner
from endophora.annotate.loading import load_annotator
from endophora.corefer import load_resolver
from endophora.errors import MissingModelError
from endophora.languages import language_codes, load_language
from endophora.phenomena import TAGGERS, TaggerOptions
from endophora.phenomena.records import AnnotatedDocument, swap_sides
from endophora.phenomena.tagging import TaggerSetup, is_into_english

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


@cache
def annotated(code):
    """Annotate all examples of a language, each text once and all in one pass of each pipeline."""
    theirs, ours, aligner, resolver = tools(code)
    texts = {
        (example.text, is_into_english(phenomenon, load_language(code)))
        for phenomenon, examples in load_language(code).examples.items()
        for example in examples
    }
    ordered = [(text, backwards, [pair[:: -1 if backwards else 1] for pair in text]) for text, backwards in texts]
    sources = iter(theirs.annotate([source for *_, pairs in ordered for source, _ in pairs]))
    targets = iter(ours.annotate([target for *_, pairs in ordered for _, target in pairs]))
    documents = {}
    for text, backwards, pairs in ordered:
        source, target = (tuple(islice(texts, len(pairs))) for texts in (sources, targets))
        links = aligner.align(source, target)
        document = AnnotatedDocument("example", source, target, tuple(links), resolver.resolve(source, target, links))
        documents[text, backwards] = swap_sides(document) if backwards else document
    return documents


@pytest.mark.parametrize(("code", "phenomenon", "example"), EXAMPLES)
def test_example(code, phenomenon, example):
    backwards = is_into_english(phenomenon, load_language(code))
    try:
        document = annotated(code)[example.text, backwards]
    except MissingModelError as error:
        if "pip install" not in str(error):
            raise
        pytest.skip(str(error))  # an extra's libraries are not installed
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
