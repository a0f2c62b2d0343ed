"""Definitions by preset and by name: the paper's own lists, and what is refused."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from tests.phenomena.handmade import document

from endophora.errors import InputError
from endophora.evaluation.setup import Setup
from endophora.languages import load_language
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.published import published_rules
from endophora.phenomena.records import Occurrence
from endophora.phenomena.tagging import DEFINITIONS, check_judged, define


def tagged(segments: list[tuple[str, str, str]], options: TaggerOptions) -> list[Occurrence]:
    return [found for tagger in make_taggers("de", options) for found in tagger.tag(document(segments))]


@pytest.mark.parametrize("name", DEFINITIONS)
def test_each_preset_names_options_that_exist(name: str) -> None:
    assert define(name, {}).phenomena == TaggerOptions().phenomena


def test_a_definition_by_name_comes_after_the_preset() -> None:
    options = define("paper", {"pronouns": "window", "repetitions": "2", "antecedent": ".4"})
    assert (options.pronouns, options.repetitions, options.antecedent, options.lists) == ("window", 2, 0.4, "published")


def test_all_wrong_definitions_are_named_at_once_with_what_they_may_be() -> None:
    with pytest.raises(InputError) as caught:
        define("muda", {"pronouns": "nearest", "cohesion": "3", "repetitions": "three"})
    first, second, third = caught.value.faults
    assert "nearest" in first.cause
    assert first.advice == "give 'window' or 'sentence'"
    assert second.advice.startswith("name lexical_cohesion, repetitions")
    assert "three" in third.cause
    with pytest.raises(InputError, match=r"E065.*choose endophora, paper, muda"):
        define("papers", {})


def test_a_word_of_table_10_counts_by_its_form_alone() -> None:
    # *sie*, they: in the paper's table for German it is the polite word, whatever it is linked to.
    segments = [("they/PRON", "sie/PRON", "0-0"), ("they/PRON", "Sie/PRON", "0-0")]
    options = TaggerOptions(phenomena=("formality",))
    assert tagged(segments, options) == []
    (found,) = tagged(segments, replace(options, lists="published"))
    assert (found.segment, found.rule) == (1, "formal")


def test_a_pair_that_table_11_lacks_is_tagged_only_with_the_completed_lists() -> None:
    segments = [("lamp/NOUN", "Lampe/NOUN", "0-0"), ("it/PRON | its/PRON", "sie/PRON | ihre/DET", "0-0 1-1")]
    options = TaggerOptions(phenomena=("pronouns",), pronouns="sentence")
    assert [found.rule for found in tagged(segments, options)] == ["it", "its"]
    assert [found.rule for found in tagged(segments, replace(options, lists="published"))] == ["it"]


def test_every_word_that_muda_tagged_for_formality_is_in_the_published_list(shared: Path) -> None:
    known = {form for rule in published_rules(load_language("ja")).formality for form in rule.forms}
    folder, number = shared / "known-answers/muda", 0
    for name in ("ref", "sys1", "sys2"):
        words, labelled = (folder / f"multited.{name}.jpn{end}.gz" for end in ("", ".tag"))
        with gzip.open(words, "rt") as texts, gzip.open(labelled, "rt") as tags:
            for text, labels in zip(texts, tags, strict=True):
                found = {w for w, label in zip(text.split(), labels.split(), strict=True) if "formality" in label}
                assert found <= known
                number += len(found)
    assert number > 800


def test_published_lists_change_what_kept_values_depend_on() -> None:
    signatures = {
        tuple(tagger.signature for tagger in make_taggers("fr", define(name, {}))) for name in ("endophora", "paper")
    }
    assert len(signatures) == 2


def test_judgments_are_refused_for_definitions_other_than_the_packages_own() -> None:
    check_judged(define("endophora", {"repetitions": "2", "antecedent": "0.4"}), "")
    with pytest.raises(InputError, match=r"E071.*pronouns, verb_form, ellipsis, lists differ"):
        check_judged(define("paper", {}), "add --judge wording")


def test_phenomena_that_a_pair_cannot_have_are_left_out_with_the_reason() -> None:
    setup, reasons = Setup("de", "en", store=None).fitted()
    assert setup.taggers.phenomena == ("lexical_cohesion", "pronouns")
    assert [reason.split()[0] for reason in reasons] == ["formality", "verb_form", "ellipsis"]
    assert "verb_form" in Setup("de", "fr", store=None).fitted()[0].taggers.phenomena
    chinese, _ = Setup("zh", "fr", store=None).fitted()  # Chinese verbs have no forms
    assert chinese.taggers.phenomena == ("lexical_cohesion", "formality")
    assert Setup("de", "fr", store=None).fitted()[1][0].startswith("pronouns is left out")
    assert Setup("en", "de", store=None).fitted() == (Setup("en", "de", store=None), [])


def test_a_pair_that_can_have_none_of_what_is_asked_is_refused() -> None:
    asked = Setup("de", "en", store=None, taggers=TaggerOptions(phenomena=("ellipsis",)))
    with pytest.raises(InputError, match=r"E066"):
        asked.fitted()


@pytest.mark.parametrize("phenomenon", ["lexical_cohesion", "formality", "verb_form"])
def test_phenomena_without_antecedents_need_no_resolver(phenomenon: str) -> None:
    setup = Setup("zh", "en", store=None, taggers=TaggerOptions(phenomena=(phenomenon,)))
    assert setup.load().loaded.resolver is None


def test_text_metrics_need_no_rules_of_a_language() -> None:
    setup = Setup("en", "cs", store=None, taggers=TaggerOptions(phenomena=()))
    assert setup.load().loaded.reader is None
