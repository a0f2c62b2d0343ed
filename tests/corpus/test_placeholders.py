"""Placeholders: what is one and what is not, what an output lost, and annotation without them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from endophora.annotate.loading import load_annotator
from endophora.annotate.store import AnnotationStore
from endophora.corpus.placeholders import Losses, count_losses, masked, placeholders
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.store import Store


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Delete {0} of {total:,} files?", ["{0}", "{total:,}"]),
        ("%s has %1$d new, %(name)s and %-5.2f %@", ["%s", "%1$d", "%(name)s", "%-5.2f", "%@"]),
        ("{{name}} owes ${amount}, #{x} and %{y}", ["{{name}}", "${amount}", "#{x}", "%{y}"]),
        ("<b>Open</b><br/> the <a href=\"a?b&c\" title='x'>door</a>", ["<b", "</b", "<br", "<a", "</a"]),
        ("{count, plural, one {# file} other {# files}}", ["{count,plural"]),
        ("50% saved, 100%d, 5 % der Stimmen, 3 < 4 > 2, I <3 you, a{b, {not this}, <- there, 20%–30%", []),
        ("{}", ["{}"]),
    ],
)
def test_what_is_a_placeholder(text: str, expected: list[str]):
    assert list(placeholders(text).elements()) == expected
    assert len(masked(text)) == len(text)


def test_losses_are_counted_by_hand():
    def segment(source: str, one: str, two: str) -> Segment:
        return Segment(source, {}, {"one": one, "two": two}, Location("", 1))

    segments = (
        segment("Delete {0} of <b>{1}</b>?", "{1} von <b>{0}</b>?", "{0} von {0}?"),
        segment("Hello, %s.", "Hallo, %s.", "Hallo."),
        segment("Hello.", "Hallo.", "Hallo, %s."),
    )
    corpus = Corpus("en", "de", (Document("d", segments),), (), ("one", "two"))
    assert count_losses(corpus) == {"one": Losses(5, 0, 0, 2, 0), "two": Losses(5, 4, 2, 2, 2)}
    assert count_losses(replace(corpus, documents=(Document("d", segments[2:]),))) == {}


def test_annotation_sees_the_words_alone():
    store = AnnotationStore(Store(None))
    annotator = load_annotator("en")
    (text,) = store.annotate(annotator, ["The <b>lamp</b> of %(name)s is broken."])
    assert [token.form for token in text.tokens] == ["The", "lamp", "of", "is", "broken", "."]
    assert text.text == "The <b>lamp</b> of %(name)s is broken."
    assert all(text.text[token.start : token.end] == token.form for token in text.tokens)
    assert store.annotate(annotator, [text.text]) == [text]
