"""LC and RC by hand-worked documents, and their plain meaning without a wordnet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.languages import load_language
from endophora.metrics import load_document_metric
from endophora.metrics.lexical import LexicalCohesion
from endophora.metrics.records import DocumentMetric, Reading
from endophora.metrics.wordnet import Relations, SynsetTable

ENGLISH = load_language("en")

# A piece of a wordnet: synsets in capitals; a boat is a vessel, a ship is one as well, a deck is a part of a ship.
WORDNET = SynsetTable(
    "toy",
    {
        "boat": {"n": frozenset({"BOAT"})},
        "ship": {"n": frozenset({"SHIP"}), "v": frozenset({"SEND"})},
        "send": {"v": frozenset({"SEND"})},
        "vessel": {"n": frozenset({"VESSEL"})},
        "deck": {"n": frozenset({"DECK"})},
        "big": {"a": frozenset({"LARGE"})},
        "large": {"a": frozenset({"LARGE"})},
        "huge": {"s": frozenset({"HUGE"})},
        "small": {"a": frozenset({"SMALL"})},
    },
    {
        **dict.fromkeys(("BOAT", "SHIP"), Relations(above=frozenset({"VESSEL"}))),
        "HUGE": Relations(near=frozenset({"LARGE"})),
        "DECK": Relations(tied=frozenset({"SHIP"})),
        "SMALL": Relations(tied=frozenset({"LARGE"})),
    },
)


def _readings(*segments: str) -> list[Reading]:
    """Return readings of segments written ``lemma/UPOS lemma/UPOS``."""
    pairs = [[tuple(word.split("/")) for word in segment.split()] for segment in segments]
    return [
        Reading(text, (), lemmas=tuple((lemma, upos) for lemma, upos in each))
        for text, each in zip(segments, pairs, strict=True)
    ]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("boat/NOUN boat/NOUN boat/NOUN", (3, 2, 0, 0, 0)),
        ("large/ADJ big/ADJ", (2, 0, 1, 0, 0)),  # one synset
        ("large/ADJ huge/ADJ", (2, 0, 1, 0, 0)),  # similar, named at the later word
        ("huge/ADJ large/ADJ", (2, 0, 1, 0, 0)),  # similar, named at the earlier word
        ("boat/NOUN vessel/NOUN", (2, 0, 0, 1, 0)),
        ("vessel/NOUN boat/NOUN", (2, 0, 0, 1, 0)),
        ("boat/NOUN ship/NOUN", (2, 0, 0, 0, 1)),  # coordinate terms
        ("ship/NOUN deck/NOUN", (2, 0, 0, 0, 1)),  # part and whole
        ("deck/NOUN ship/NOUN", (2, 0, 0, 0, 1)),
        ("large/ADJ small/ADJ", (2, 0, 0, 0, 1)),  # opposites
        ("send/VERB ship/NOUN", (2, 0, 0, 0, 0)),  # only the verb *ship* is a synonym of *send*
        ("send/VERB ship/VERB", (2, 0, 1, 0, 0)),
        ("boat/NOUN ship/NOUN vessel/NOUN boat/NOUN", (4, 1, 0, 1, 1)),  # each counted once, as the first that it is
        ("Rhine/PROPN boat/NOUN", (2, 0, 0, 0, 0)),
    ],
)
def test_lexical_devices_of_a_document_by_hand(words: str, expected: tuple[int, ...]):
    [reading] = _readings(words)
    assert LexicalCohesion(ENGLISH, WORDNET).count(reading.lemmas) == expected


def test_lexical_scores_of_two_documents_are_ratios_of_sums():
    segments = _readings("boat/NOUN sink/VERB", "vessel/NOUN sink/VERB boat/NOUN", "boat/NOUN")
    documents = [0, 0, 1]
    lc, rc = LexicalCohesion(ENGLISH, WORDNET), LexicalCohesion(ENGLISH, WORDNET, repetition_only=True)
    counts = lc.statistics(segments, [], documents)
    np.testing.assert_array_equal(counts, [[5, 2, 0, 1, 0], [1, 0, 0, 0, 0]])
    np.testing.assert_allclose(lc.score(counts), [3 / 5, 0])
    np.testing.assert_allclose(rc.score(counts), [2 / 5, 0])
    assert lc.score(counts.sum(axis=0)) == pytest.approx(3 / 6)
    assert rc.score(counts.sum(axis=0)) == pytest.approx(2 / 6)
    assert lc.parts == ("LC", "LC repetition", "LC synonym", "LC superordinate", "LC collocation")
    np.testing.assert_allclose(lc.figures(counts.sum(axis=0)), [3 / 6, 2 / 6, 0, 1 / 6, 0])
    assert rc.parts == ("RC",)


def test_lexical_synonyms_count_as_the_published_script_meant_them_to():
    # Its line ``synsets.union(…)`` drops what it makes, so that its LC never finds a synonym.
    [reading] = _readings("send/VERB big/ADJ large/ADJ")
    counts = LexicalCohesion(ENGLISH, WORDNET).count(reading.lemmas)
    assert sum(counts[1:]) == 1


def test_lexical_metrics_read_real_texts_through_the_rules_content_words():
    lc = load_document_metric("lc", ENGLISH)
    rc = load_document_metric("rc", ENGLISH)
    assert isinstance(lc, DocumentMetric)
    segments = _readings("cow/NOUN clone/VERB", "clone/VERB cow/NOUN die/VERB")
    counts = lc.statistics(segments, [segments], [0, 0])
    assert counts.shape == (1, len(lc.columns))
    assert lc.score(counts.sum(axis=0)) == rc.score(counts.sum(axis=0)) == pytest.approx(2 / 5)
    assert lc.signature().startswith("level:document|wordnet:none|rules:en-")
    assert lc.precision_and_recall(counts) is None


@given(
    st.lists(st.tuples(st.sampled_from(["boat", "ship", "big", "x"]), st.sampled_from(["NOUN", "ADJ"])), max_size=12)
)
def test_lexical_repetitions_are_content_words_less_distinct_lemmas(words: list[tuple[str, str]]):
    total, repetitions, *others = LexicalCohesion(ENGLISH, WORDNET).count(words)
    assert (total, repetitions) == (len(words), len(words) - len({lemma for lemma, _ in words}))
    assert LexicalCohesion(ENGLISH).count(words) == (total, repetitions, 0, 0, 0)
    assert repetitions + sum(others) <= max(total - 1, 0)


def test_lexical_words_are_compared_without_their_particles():
    lc = LexicalCohesion(load_language("ko"))
    counts = lc.statistics(_readings("의회+는/NOUN 법+을/NOUN", "의회+가/NOUN"), [], [0, 0])
    assert lc.score(counts[0]) == pytest.approx(1 / 3)


def test_a_document_without_content_words_has_no_score():
    lc = LexicalCohesion(ENGLISH)
    assert np.isnan(lc.score(lc.statistics(_readings(""), [], [0]).sum(axis=0)))


@pytest.mark.parametrize(
    ("documents", "code"), [(None, "E074"), ([0, 0], "E070")], ids=["no documents", "too many documents"]
)
def test_lexical_metrics_need_the_document_of_each_segment(documents: list[int] | None, code: str):
    with pytest.raises(InputError, match=code):
        LexicalCohesion(ENGLISH).statistics(_readings("boat/NOUN"), [], documents)


@pytest.mark.parametrize("name", ["lc:thesaurus=x", "lc:wordnet=", "rc:wordnet=x.tab", "lc:a.tab,b.tab"])
def test_lexical_metrics_refuse_what_is_no_option(name: str):
    with pytest.raises(InputError, match="E140"):
        load_document_metric(name, ENGLISH)


def test_lc_reads_a_wordnet_that_is_named(tmp_path: Path):
    path = tmp_path / "toy.tab"
    path.write_text("# toy\ten\n00000001-a\tlemma\tbig\n00000001-a\tlemma\tlarge\n", encoding="utf-8")
    lc = load_document_metric(f"lc:wordnet={path}", ENGLISH)
    counts = lc.statistics(_readings("big/ADJ large/ADJ"), [], [0])
    assert lc.score(counts[0]) == pytest.approx(1 / 2)
    assert "wordnet:toy.tab|" in lc.signature()
