"""The options of statistics have the same ranges in every study."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from endophora.context.contrast_figures import ContrastOptions
from endophora.context.cxmi import CxmiOptions
from endophora.context.perturbation.conditions import PerturbationOptions
from endophora.errors import InputError
from endophora.evaluation.setup import EvaluationOptions
from endophora.meta.options import MetaOptions
from endophora.suites.scoring import SuiteOptions
from endophora.suites.senses import SenseOptions

STUDIES = (
    EvaluationOptions,
    SuiteOptions,
    SenseOptions,
    ContrastOptions,
    CxmiOptions,
    PerturbationOptions,
    MetaOptions,
)
"""Studies whose p-values are of approximate randomisation only."""
WITHOUT_RESAMPLES = (SuiteOptions, SenseOptions, MetaOptions)
TESTS = ("bootstrap", "approximate-randomisation")
WRONG: dict[str, tuple[Any, ...]] = {
    "alpha": (0, 1, 5, -0.05, float("nan")),
    "confidence": (0, 1, 7, 95, float("nan")),
    "resamples": (-3, 2.5),
    "trials_per_resample": (0, -1, 0.5),
    "trials": (-1, 10.0),
    "seed": (-1, 1.5),
    "units": ("pages",),
    "test": ("guess",),
}
RIGHT: dict[str, tuple[Any, ...]] = {
    "alpha": (1e-6, 0.05, 0.999),
    "confidence": (0.5, 0.99),
    "resamples": (1, 100_000),
    "trials_per_resample": (1, 10),
    "trials": (1, 1000),
    "seed": (0, 12345),
    "units": ("segments",),
    "test": ("approximate-randomisation", "bootstrap"),
}


def cases(values: dict[str, tuple[Any, ...]]) -> list[tuple[type[Any], str, Any]]:
    return [
        (study, field.name, value)
        for study in STUDIES
        for field in fields(study)
        for value in values.get(field.name, ())
        # A study may have one test alone.
        if field.name != "test" or value not in TESTS or value in study.known_tests
    ]


@pytest.mark.parametrize(("study", "name", "value"), cases(WRONG))
def test_a_value_out_of_range_is_refused_with_the_option_named(study: type[Any], name: str, value: Any):
    with pytest.raises(InputError) as raised:
        study(**{name: value})
    (fault,) = raised.value.faults
    assert (fault.code, fault.file) == ("E075", f"--{name.replace('_', '-')}")
    assert str(value) in fault.cause


@pytest.mark.parametrize(("study", "name", "value"), cases(RIGHT))
def test_a_value_within_the_range_is_taken(study: type[Any], name: str, value: Any):
    assert getattr(study(**{name: value}), name) == value


def test_every_study_has_the_options_that_are_checked():
    for study in STUDIES:
        names = {field.name for field in fields(study)}
        assert names >= {"alpha", "confidence", "resamples", "seed", "units"}, study


@pytest.mark.parametrize("study", STUDIES)
def test_no_resamples_at_all_are_for_studies_that_can_do_without(study: type[Any]):
    if study in WITHOUT_RESAMPLES:
        assert study(resamples=0).resamples == 0
    else:
        with pytest.raises(InputError, match=r"\[E075\]"):
            study(resamples=0)


def test_word_senses_are_drawn_by_words():
    assert SenseOptions(units="words").units == "words"
    with pytest.raises(InputError, match=r"\[E075\]"):
        SenseOptions(units="documents")


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(InputError) as raised:
        SuiteOptions(alpha=5, confidence=7, resamples=-3, units="pages", seed=-1, trials_per_resample=0, ties="either")
    assert [fault.code for fault in raised.value.faults] == ["E075"] * 6 + ["E181"]
