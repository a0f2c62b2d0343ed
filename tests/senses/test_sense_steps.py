"""The steps of a build: counting, clusters, refinement, sentences, contrast pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from linked_pairs import pair

from endophora.align.records import Link
from endophora.errors import InputError
from endophora.suites.senses.build import BuildOptions, build_suite
from endophora.suites.senses.clusters import Cluster, ambiguous, ambiguous_words, cluster_targets, count_links, refine
from endophora.suites.senses.inventory import Sense, SourceWord
from endophora.suites.senses.links import one_to_one
from endophora.suites.senses.selection import (
    SelectionOptions,
    scoring_suite,
    select_examples,
    translation_suite,
)

BANK = SourceWord("bank", "NOUN")
FILLER = " ".join(f"w{number}//X" for number in range(10))


class Fixed:
    """An inventory and a similarity that say what they are given."""

    name = "fixed"

    def __init__(self, *senses: str, cosine: float = 0.0) -> None:
        self._senses = tuple(Sense(str(n), "", tuple(words.split("|"))) for n, words in enumerate(senses))
        self._cosine = cosine

    def senses(self, words):
        return {word: self._senses for word in words if word == BANK}

    def matrix(self, word, clusters):
        return np.full((len(clusters), len(clusters)), self._cosine)


def bank_pairs(ufer: int = 12, bank: int = 12, origin: str = "books"):
    rows = [pair(f"bank {FILLER} n{n}//X", f"Ufer {FILLER}", origin=origin, number=n) for n in range(ufer)]
    return rows + [
        pair(f"Bank/bank {FILLER} m{n}//X", f"Bank {FILLER}", origin=origin, number=100 + n) for n in range(bank)
    ]


def test_only_links_of_tokens_with_one_link_are_counted() -> None:
    links = [Link(0, 0, 1.0), Link(1, 1, 1.0), Link(1, 2, 1.0), Link(2, 3, 1.0), Link(3, 3, 1.0)]
    assert one_to_one(links) == [(0, 0)]


def test_words_need_two_translations_linked_often_enough() -> None:
    counts = count_links(bank_pairs(10, 9), ("NOUN",), ("NOUN",))
    assert counts.sentences == 19
    assert ambiguous_words(counts, 10) == {}
    assert ambiguous_words(counts, 9) == {BANK: {"Ufer": 10, "Bank": 9}}


def test_lemmas_that_differ_in_case_are_one_and_parts_of_speech_are_two() -> None:
    rows = [pair("run//VERB", "Lauf"), pair("run", "lauf/lauf/NOUN"), pair("run", "Lauf"), pair("Run/Run", "Lauf")]
    counts = count_links(rows, ("NOUN", "VERB"), ("NOUN",))
    assert counts.targets == {SourceWord("run", "NOUN"): {"Lauf": 3}, SourceWord("run", "VERB"): {"Lauf": 1}}


def test_clusters_are_of_words_that_both_know_and_merge_where_they_share_one() -> None:
    """The paper's Tables 1 and 2: input is in two clusters of Eingabe, which become one."""
    word = SourceWord("eingabe", "NOUN")
    counts = {"input": 177, "petition": 21, "submission": 14, "data entry": 11, "resource": 10, "loading": 27}
    senses = [
        Sense("1", "", ("petition", "request", "postulation")),
        Sense("2", "", ("factors of production", "input", "resource")),
        Sense("3", "", ("Input", "data entry")),
    ]
    found = cluster_targets({word: counts}, {word: senses})[word]
    assert [cluster.words for cluster in found] == [("input", "data entry", "resource"), ("petition",)]
    assert [len(cluster.senses) for cluster in found] == [2, 1]


def test_clusters_more_alike_than_the_threshold_merge_also_through_others() -> None:
    clusters = tuple(Cluster((word,), ()) for word in ("a", "b", "c"))

    class Chain:
        name = "chain"

        def matrix(self, word, clusters):
            return np.array([[1, 0.5, 0.1], [0.5, 1, 0.5], [0.1, 0.5, 1]])

    joined, merges = refine({BANK: clusters}, Chain(), 0.4)
    assert [cluster.words for cluster in joined[BANK]] == [("a", "b", "c")]
    assert [(one.first, one.second, one.merged) for one in merges] == [
        ("a", "b", True),
        ("a", "c", False),
        ("b", "c", True),
    ]
    assert ambiguous(joined) == {}
    assert [len(c.words) for c in refine({BANK: clusters}, Chain(), 0.5)[0][BANK]] == [1, 1, 1]


def test_an_unknown_likeness_merges_nothing() -> None:
    clusters = (Cluster(("a",), ()), Cluster(("b",), ()))
    assert len(refine({BANK: clusters}, Fixed(cosine=float("nan")), -1.0)[0][BANK]) == 2


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=4), max_size=6))
def test_clusters_are_disjoint_whatever_the_inventory_says(senses: list[list[str]]) -> None:
    listed = [Sense(str(n), "", tuple(words)) for n, words in enumerate(senses)]
    found = cluster_targets({BANK: dict.fromkeys("abcd", 10)}, {BANK: listed}).get(BANK, ())
    words = [word for cluster in found for word in cluster.words]
    assert len(words) == len(set(words))
    assert set(words) == {word for sense in senses for word in sense} & set("abcd")


LEXICON = {BANK: (Cluster(("Ufer",), ()), Cluster(("Bank", "Geldinstitut"), ()))}


def select(rows, **options):
    return select_examples(rows, LEXICON, SelectionOptions(**options), ("NOUN",))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("bank w//X", "Ufer w//X"),  # too short
        (f"bank bank {FILLER}", f"Ufer {FILLER}"),
        (f"bank {FILLER}", f"Ufer {FILLER} Ufer"),
        (f"bank {FILLER}", f"Ufer {FILLER} Bank"),  # a word of another sense
        (f"bank {FILLER}", f"Ufern/Ufer {FILLER}"),  # no base form
    ],
)
def test_sentences_that_do_not_fit_are_left_out(source: str, target: str) -> None:
    rows = [*bank_pairs(3, 3), pair(source, target, [(0, 0)], number=50)]
    assert len(select(rows)[0]) == 6


def test_sentences_are_drawn_from_the_corpora_in_turn_and_not_by_their_order() -> None:
    rows = [*bank_pairs(30, 30), *bank_pairs(2, 2, "ted")]
    scoring, translating = select(rows)
    assert len(scoring) == 40
    assert sum(one.origin == "ted" for one in scoring) == 4
    assert len(translating) == 20
    assert select(rows[::-1]) == (scoring, translating)
    assert select(rows, seed=2)[0] != scoring


def test_the_translation_variant_needs_four_sentences_of_two_senses() -> None:
    assert select(bank_pairs(30, 3))[1] == []
    assert len(select(bank_pairs(30, 4))[1]) == 14


def test_contrast_pairs_have_the_words_of_the_other_senses_in_place() -> None:
    scoring, _ = select(bank_pairs(1, 1))
    suite = scoring_suite(scoring, LEXICON, "x", ("en", "de"))
    first, second = suite.items
    assert [variant.target.split()[0] for variant in first.variants] == ["Bank", "Geldinstitut"]
    assert [variant.form for variant in second.variants] == ["Ufer"]
    assert first.reference.split()[1:] == first.variants[0].target.split()[1:]
    assert (first.expected, first.forbidden) == (("Ufer",), ("Bank", "Geldinstitut"))


def test_a_sense_is_out_of_domain_if_more_than_half_of_its_sentences_are() -> None:
    rows = [*bank_pairs(2, 2), *bank_pairs(2, 3, "opensubs")]
    _, translating = select(rows)
    suite = translation_suite(translating, LEXICON, "x", ("en", "de"), ("open",))
    domains = {item.expected[0]: item.extra["domain"] for item in suite.items}
    assert domains == {"Ufer": "in", "Bank": "out"}


def test_a_build_keeps_every_step() -> None:
    rows = bank_pairs()
    options = BuildOptions(classes=("NOUN",), target_classes=("NOUN",), embeddings="corpus")
    build = build_suite(lambda: rows, Fixed("Ufer|Strand", "Bank"), options, ("en", "de"))
    assert build.targets == {BANK: {"Ufer": 12, "Bank": 12}}
    assert [cluster.words for cluster in build.refined[BANK]] == [("Bank",), ("Ufer",)]
    assert (build.sizes.source_words, build.sizes.target_senses, build.sizes.contrast_pairs) == (1, 2, 48)
    assert build.threshold == 0.02


def test_a_corpus_without_ambiguous_words_is_told() -> None:
    with pytest.raises(InputError, match="E228"):
        build_suite(lambda: bank_pairs(3, 3), Fixed("Ufer", "Bank"), BuildOptions(), ("en", "de"))
    with pytest.raises(InputError, match="E228"):
        build_suite(lambda: bank_pairs(), Fixed("Ufer|Bank"), BuildOptions(), ("en", "de"))


@pytest.mark.parametrize("options", [{"classes": ("noun",)}, {"least": 0}, {"threshold": 2.0}])
def test_options_out_of_range_are_told(options) -> None:
    with pytest.raises(InputError, match="E220"):
        BuildOptions(**options)
