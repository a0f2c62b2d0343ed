"""CXMI and P-CXMI against figures worked by hand, with a model whose log-probabilities are given."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cxmi_example import GAINS, document
from fake_scorer import FakeScorer

from endophora.context.cxmi import CxmiOptions, measure_cxmi
from endophora.context.pointwise import ContextCondition, measure_pointwise
from endophora.context.results import CxmiResult
from endophora.context.samples import Material
from endophora.errors import InputError
from endophora.models.records import Sides
from endophora.record import find


@pytest.fixture
def material() -> Material:
    samples = [*document("a", ["wir", "sie kommen", "geht"]), *document("b", ["Sie", "sie"])]
    return Material("documents", ("en", "de"), tuple(samples), ("pronouns", "formality"), "words")


OPTIONS = CxmiOptions(sides=(Sides.BOTH, Sides.TARGET), size=2, minimum=1, pseudo_count=0, resamples=200)


@pytest.fixture
def result(material: Material) -> CxmiResult:
    return measure_cxmi(material, FakeScorer(GAINS), OPTIONS).result


def test_a_word_gains_what_its_sub_words_gain(material: Material):
    measured = measure_pointwise(
        material.samples, [ContextCondition(Sides.SOURCE, 1), ContextCondition(Sides.BOTH, 2)], FakeScorer(GAINS)
    )
    # The second sentence of a has one segment before it, on either side: sie + kom + men, then the end.
    assert measured[1].words.tolist() == [[0.5, 0.75], [1.0, 1.5]]
    assert measured[1].end.tolist() == [0.0625, 0.125]
    assert measured[1].totals.tolist() == [1.3125, 2.625]
    assert (measured[1].pieces, measured[1].base, measured[1].base_words.tolist()) == (4, -5, [-1, -2])
    # The first has none, so no context helps it.
    assert measured[0].totals.tolist() == [0, 0]


def test_words_and_end_sum_to_what_the_model_says_of_the_sentence(material: Material):
    condition = ContextCondition(Sides.BOTH, 2)
    scorer = FakeScorer(GAINS)
    for one in measure_pointwise(material.samples, [condition], scorer):
        given = [condition.cut(one.sample.whole), ContextCondition(Sides.NONE, 0).cut(one.sample.whole)]
        with_context, without = scorer.score(given, [one.sample.target] * 2)
        assert one.totals[0] == pytest.approx(with_context.total - without.total)


def test_the_context_free_side_is_scored_once_and_no_input_twice(material: Material):
    scorer = FakeScorer(GAINS)
    measure_cxmi(material, scorer, OPTIONS)
    assert len({*scorer.asked}) == len(scorer.asked)
    # Five without context; both-1 of 3, target-1 of 3; both-2 and target-2 of the one with two segments before it.
    assert len(scorer.asked) == 5 + 3 + 3 + 1 + 1


def test_a_single_size_has_the_figures_that_it_has_among_all_and_no_other_is_asked_for(
    material: Material, result: CxmiResult
):
    scorer = FakeScorer(GAINS)
    alone = measure_cxmi(material, scorer, replace(OPTIONS, sizes=(2,), size=1)).result
    assert [one.name for one in alone.conditions] == ["both-2", "target-2"]
    assert alone.settings.main == "both-2"
    assert [one.value for one in alone.cxmi] == [one.value for one in result.cxmi if one.condition.endswith("-2")]
    # Five without context; of the second segments, that have one before them, and of the third, on either side.
    assert len(scorer.asked) == 5 + 3 + 3
    with pytest.raises(InputError, match=r"E311.*less than one segment"):
        replace(OPTIONS, sizes=(0, 1))


def test_cxmi_is_the_mean_over_sentences_in_both_definitions(result: CxmiResult):
    # both-2: wir 0; sie kommen 2.625 of 4 sub-words; geht .25 (four sentences) of 3; Sie 0; sie 1.125 of 2.
    assert result.figure("both-2").value == pytest.approx((2.625 + 0.25 + 1.125) / 5)
    normalised = (2.625 / 4 + 0.25 / 3 + 1.125 / 2) / 5
    assert result.figure("both-2", "normalised").value == pytest.approx(normalised)
    assert (result.figure("both-2").helped, result.figure("both-2").harmed) == (3, 0)
    # target-1: one sentence of context each.
    assert result.figure("target-1").value == pytest.approx((1.3125 + 0.0625 + 0.5625) / 5)


def test_groups_are_means_over_words(result: CxmiResult):
    found = {one.group: (one.count, one.mean) for one in result.groups if one.condition == "both-2"}
    assert found["words"] == (6, pytest.approx((1 + 1.5 + 1) / 6))
    assert found["ends of sentences"] == (5, pytest.approx((0.125 + 0.25 + 0.125) / 5))
    assert found["PRON"] == (3, pytest.approx(2 / 3))
    assert found["PRON.3"] == (2, 1)
    assert found["VERB"] == (2, 0.75)
    assert found["formality"] == (3, pytest.approx(2 / 3))
    assert found["pronouns"] == (2, 1)
    assert found["with tag"] == (3, pytest.approx(2 / 3))
    assert found["no tag"] == (3, pytest.approx(0.5))


def test_a_phenomenon_is_tested_against_words_without_any(material: Material):
    samples = [replace(one, document=f"{one.document}{copy}") for copy in range(6) for one in material.samples]
    result = measure_cxmi(replace(material, samples=tuple(samples)), FakeScorer(GAINS), OPTIONS).result
    against = result.contrast("both-2", "pronouns")
    assert against is not None
    assert against.difference == pytest.approx(0.5)
    assert 0 < against.p_value <= against.p_adjusted <= 1
    together = result.contrast("both-2", "with tag")
    assert together is not None
    assert together.p_adjusted == together.p_value
    assert result.contrast("both-2", "no tag") is None


def test_words_of_few_documents_have_no_interval_and_no_test(result: CxmiResult):
    assert result.contrasts == []
    assert find(result.groups, condition="both-2", group="PRON").interval is None
    assert find(result.groups, condition="both-2", group="words").interval is not None


def test_items_are_ordered_by_their_means_and_single_words_by_their_values(result: CxmiResult):
    assert [(one.item, one.count, one.mean) for one in result.items][:2] == [("kommen", 1, 1.5), ("sie", 2, 1)]
    assert result.settings.main == "both-2"
    first, second = result.tokens[:2]
    assert (first.form, first.value, first.sentence) == ("kommen", 1.5, 2.625)
    assert first.target[first.start : first.end] == "kommen"
    assert first.probability == pytest.approx(math.exp(-2))
    assert (first.source_context, first.target_context) == (["source 0"], ["wir"])
    assert (second.form, second.tags) == ("sie", ["formality", "pronouns"])


def test_a_real_difference_is_significant_and_none_is_not():
    random = np.random.default_rng(3)
    samples = [
        sample
        for number in range(30)
        for sample in document(str(number), ["wir", *random.choice(["sie da", "geht sie", "da da"], 4)])
    ]
    tagged = Material("documents", ("en", "de"), tuple(samples), ("pronouns", "formality"), "words")
    options = CxmiOptions(size=1, resamples=500)
    apart = measure_cxmi(tagged, FakeScorer({"sie": 0.5}), options).result.contrast("both-1", "with tag")
    alike = measure_cxmi(tagged, FakeScorer({}), options).result.contrast("both-1", "with tag")
    assert apart is not None
    assert alike is not None
    assert apart.significant
    assert apart.interval is not None
    assert apart.interval.low > 0
    assert not alike.significant
    assert alike.p_value == 1


def test_a_single_document_is_resampled_by_segments_with_a_warning():
    one = Material("documents", ("en", "de"), tuple(document("a", ["wir", "sie", "sie"])), (), "words")
    result = measure_cxmi(one, FakeScorer(GAINS), CxmiOptions(size=1)).result
    assert result.settings.units == "segments"
    assert any("only one document" in warning for warning in result.warnings)
    assert result.contrasts == []


def test_a_text_without_context_is_all_zeros_and_says_so():
    one = Material("documents", ("en", "de"), (*document("a", ["sie"]), *document("b", ["sie"])), (), "words")
    result = measure_cxmi(one, FakeScorer(GAINS), CxmiOptions(size=1)).result
    assert result.figure("both-1").value == 0
    assert any("no sample has any context" in warning for warning in result.warnings)


def test_a_result_is_read_as_it_was_written(result: CxmiResult, tmp_path: Path):
    from endophora.context.results import CxmiResult

    result.write(tmp_path / "result.json")
    assert CxmiResult.read(tmp_path / "result.json") == result


def test_all_wrong_options_are_told_at_once():
    with pytest.raises(InputError) as caught:
        CxmiOptions(size=0, sides=(), alpha=1)
    assert {fault.file for fault in caught.value.faults} == {"--context", "--sides", "--alpha"}


def test_intervals_agree_with_the_variance_of_a_ratio_over_documents():
    # Cochran, 1977, “Sampling Techniques”, §6.4: the variance of a ratio of totals over clusters.
    random = np.random.default_rng(11)
    names = [f"w{number}" for number in range(60)]
    gains = {name: float(random.normal(0.2, 1)) for name in names}
    samples = [
        sample
        for number in range(60)
        for sample in document(
            str(number), ["wir", *(" ".join(random.choice(names, 3)) for _ in range(number % 4 + 1))]
        )
    ]
    text = Material("documents", ("en", "de"), tuple(samples), (), "words")
    done = measure_cxmi(text, FakeScorer(gains), CxmiOptions(size=1, resamples=4000))
    found = find(done.result.groups, condition="both-1", group="words")
    sums, counts = np.zeros(60), np.zeros(60)
    for one in done.pointwise:
        sums[int(one.sample.document)] += one.words[0].sum()
        counts[int(one.sample.document)] += one.words.shape[1]
    mean = sums.sum() / counts.sum()
    error = np.sqrt(((sums - mean * counts) ** 2).sum() * 60 / 59) / counts.sum()
    assert found.mean == pytest.approx(mean)
    assert found.interval is not None
    assert (found.interval.high - found.interval.low) / 2 == pytest.approx(1.96 * error, rel=0.07)
