"""The options of an evaluation, and the tools that a setup loads."""

from __future__ import annotations

import pytest

from endophora.errors import InputError
from endophora.evaluation.setup import EvaluationOptions, JudgeOptions, Setup
from endophora.phenomena import TaggerOptions


@pytest.mark.parametrize(
    ("options", "cause", "advice"),
    [
        ({"judge": "words"}, "unknown --judge “words”", "choose choice or wording"),
        ({"support": "near"}, "unknown --support “near”", "choose inter or any"),
        ({"variant": "muda"}, "--variant muda is of word F, and --judge choice computes none", "add --judge wording"),
    ],
)
def test_setup_refuses_an_unknown_option_and_names_what_there_is(options: dict[str, str], cause: str, advice: str):
    with pytest.raises(InputError) as raised:
        EvaluationOptions(**options)  # pyright: ignore[reportArgumentType]
    [fault] = raised.value.faults
    assert (fault.code, fault.cause, fault.advice) == ("E071", cause, advice)


def test_setup_takes_each_known_option():
    for options in (
        {"judge": "choice", "support": "any"},
        {"judge": "wording", "variant": "muda"},
        {"judge": "wording", "variant": "paper", "support": "inter"},
    ):
        made = EvaluationOptions(**options)
        assert {name: getattr(made, name) for name in options} == options


def test_setup_has_the_defaults_that_the_pages_tell():
    made = EvaluationOptions()
    assert made.metrics == ("bleu", "chrf", "d-bleu", "blonde")
    assert (made.judge, made.support, made.variant, made.baseline) == ("choice", "inter", "paper", "best")
    assert (made.minimum, made.examples, made.glossary) == (30, 200, None)
    assert (made.test, made.resamples, made.trials, made.seed) == ("approximate-randomisation", 1000, 10_000, 1)
    assert (JudgeOptions().judge, JudgeOptions().sample) == ("", 100)
    setup = Setup("en", "de")
    assert (setup.window, setup.pair, setup.rules, setup.store) == (5, ("en", "de"), (), None)


def test_a_setup_of_one_pair_keeps_what_the_pair_can_have():
    """Pronouns of German have rules into English alone."""
    both = TaggerOptions(phenomena=("pronouns", "lexical_cohesion"))
    kept, [left] = Setup("de", "fr", taggers=both).fitted()
    assert kept.taggers.phenomena == ("lexical_cohesion",)
    assert left == "pronouns is left out: no rules for pronouns of “de” in “fr”"
    with pytest.raises(InputError, match="no rules for pronouns"):
        Setup("de", "fr", taggers=TaggerOptions(phenomena=("pronouns",))).fitted()
    whole = Setup("de", "fr", taggers=TaggerOptions(phenomena=("lexical_cohesion",)))
    assert whole.fitted() == (whole, [])


def test_verb_form_into_english_is_kept_where_the_source_has_no_tense():
    both = TaggerOptions(phenomena=("verb_form", "lexical_cohesion"))
    assert Setup("zh", "en", taggers=both).fitted()[0].taggers.phenomena == both.phenomena
    assert Setup("de", "en", taggers=both).fitted()[0].taggers.phenomena == ("lexical_cohesion",)


def test_a_setup_reads_rules_of_its_own_in_the_place_of_those_of_the_package():
    tools = Setup("en", "de").load()
    tools.__dict__["own_rules"] = {"de": "mine"}
    assert tools.rules("de") == "mine"
    assert tools.rules("en").language == "en"  # pyright: ignore[reportAttributeAccessIssue]
