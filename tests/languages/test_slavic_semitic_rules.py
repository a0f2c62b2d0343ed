"""Rule files of Dutch, Polish, Russian, Arabic and Hebrew, beside the tables of the papers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from rules import choices, levels

from endophora.languages import load_language

SHARED = Path(os.environ.get("ENDOPHORA_SHARED", Path(__file__).resolve().parents[3] / "shared"))


@pytest.mark.parametrize(
    ("code", "level", "forms"),
    [
        ("nl", "informal", "jij jouw jou jullie je"),
        ("nl", "formal", "u uw"),
        ("ru", "informal", "ты тебя тебе тобой твой твоя твои"),
        ("ru", "formal", "вы вас вам вами ваш ваши"),
    ],
)
def test_levels_have_the_words_of_table_10(code, level, forms):
    assert set(forms.split()) <= levels(code)[level]


def test_dutch_men_is_no_address():
    assert "men" not in set().union(*levels("nl").values())


def test_hebrew_has_no_levels_but_choices_for_you():
    hebrew = load_language("he")
    assert "formality" not in hebrew.phenomena
    assert {("you", "אתה"), ("you", "את"), ("you", "אתם"), ("you", "אתן")} <= choices("he")


@pytest.mark.parametrize(
    ("source", "forms"),
    [("you", "انت انتَ انتِ انتى أنتم أنتن انتو أنتما"), ("it", "هو هی"), ("they", "هم هن هما"), ("them", "هم هن هما")],
)
def test_arabic_pronouns_are_those_of_table_11(source, forms):
    assert {(source, form) for form in forms.split()} <= choices("ar")


@pytest.mark.parametrize(
    ("code", "values"), [("nl", {"Past"}), ("ru", {"Past"}), ("he", {"Imp", "Fut", "Pqp"}), ("ar", set())]
)
def test_tenses_are_those_of_table_12(code, values):
    assert load_language(code).tenses.values == values


@pytest.mark.parametrize("code", ["pl", "ru"])
def test_pronouns_cover_the_published_tables_of_ctxpro(code):
    """All forms of ``you``, ``it`` and ``they`` in ctxpro's tables, except for its slips."""
    folder = SHARED / "known-answers" / "ctxpro" / "rules" / code
    if not folder.is_dir():
        pytest.skip("known answers are not here")
    formality = json.loads((folder / f"{code}_formality.json").read_text(encoding="utf-8")).values()
    assert {rule["aligned_form"] for rule in formality} <= set().union(*levels(code).values())
    gender = json.loads((folder / f"{code}_gender.json").read_text(encoding="utf-8")).values()
    listed = {(rule["english_form"], rule["aligned_form"]) for rule in gender if rule["english_form"] in ("it", "they")}
    ours = choices(code) | {("they", form) for source, form in choices(code) if source == "them"}
    assert listed - ours <= {("it", "nie")}  # after prepositions only, and everywhere else the negation
