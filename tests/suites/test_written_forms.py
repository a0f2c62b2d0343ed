"""What systems wrote instead of the expected form, and the outcome of each item in the result."""

from __future__ import annotations

from pathlib import Path

import pytest
from suite_items import make_item, make_suite

from endophora.errors import InputError
from endophora.report import REPORTS
from endophora.suites import Antecedent, Suite
from endophora.suites.formats import read_suite
from endophora.suites.outputs import read_outputs
from endophora.suites.result import SuiteResult, WrittenKind
from endophora.suites.scoring import SuiteOptions, score_outputs
from endophora.suites.written import ANNOTATOR, ANY, NONE

PLAIN = SuiteOptions(resamples=0)
GENDERS = {"er": "Masc", "sie": "Fem", "es": "Neut", "ihm": "Neut"}


def counts(result: SuiteResult, system: str, kind: WrittenKind) -> dict[str, tuple[int, int | None, int | None]]:
    found = [one for one in result.written if (one.system, one.kind) == (system, kind)]
    assert all(one.items == result.suite.items for one in found)
    return {one.what: (one.outputs, one.wrong, one.asked) for one in found}


def test_forms_and_genders_are_counted_beside_what_the_references_have() -> None:
    items = [
        make_item(place, expected=(form,), variants=(), target_antecedent=Antecedent(gender=gender))
        for place, (form, gender) in enumerate(GENDERS.items())
    ]
    outputs = {"plain": ["Es ist hier.", "Es ist hier.", "Es ist hier.", "Hilf ihm."], "none": ["Hier ist Anna."] * 4}
    result = score_outputs(make_suite(*items), outputs, PLAIN)
    forms = {"er": (0, 0, 1), "es": (3, 2, 1), "ihm": (1, 0, 1), "sie": (0, 0, 1), NONE: (0, None, None)}
    assert counts(result, "plain", "form") == forms
    # The paper counts es and ihm as neuter (§5.3); ihm is a masculine too.
    assert counts(result, "plain", "gender") == {"Fem": (0, 0, 1), "Masc": (1, 0, 1), "Neut": (4, 2, 2)}
    assert counts(result, "none", "form")[NONE] == (4, None, None)
    assert result.outcomes == {"plain": "wwrr", "none": "wwww"}
    assert "gender: what was written" in REPORTS.get("text")(result)


def test_forms_of_wrong_translations_and_pronouns_of_persons_are_looked_for() -> None:
    (item,) = make_suite(make_item()).items
    result = score_outputs(make_suite(item), {"a": ["Er ist da."]}, PLAIN)
    assert counts(result, "a", "form")["er"] == (1, 1, 0)
    into_english = Suite("toy", "de", "en", (make_item(phenomenon="animacy", expected=("it",), variants=()),))
    found = counts(score_outputs(into_english, {"a": ["She is here."]}, PLAIN), "a", "form")
    assert (found["she"], found["it"]) == ((1, 1, 0), (0, 0, 1))


def test_suites_with_too_many_forms_have_no_list_of_them() -> None:
    suite = make_suite(*(make_item(n, expected=(f"wort{n}",), variants=()) for n in range(61)))
    assert not score_outputs(suite, {"a": ["x"] * 61}, PLAIN).written


def test_lemmas_are_refused_where_no_rule_forbids_any() -> None:
    with pytest.raises(InputError, match="no rule has lemmas"):
        score_outputs(make_suite(make_item()), {"a": ["Sie ist da."]}, PLAIN, ANNOTATOR)


def test_two_thirds_of_the_outputs_without_context_translate_the_auxiliary_itself(shared: Path) -> None:
    """Wicks & Post (2023, §5.3), of English–German; the first 300 of the 3,180 items, of which all have 66.3 %."""
    folder, name = shared / "known-answers" / "ctxpro", "auxiliary.opensubtitles.en-de.test"
    whole = read_suite(folder / f"{name}.json.gz")
    suite = Suite(whole.name, "en", "de", whole.items[:300])
    outputs = read_outputs(whole, {one: folder / f"deepl.{name}.{one}" for one in ("sentences", "contexts")})
    result = score_outputs(suite, {one: lines[:300] for one, lines in outputs.items()}, PLAIN, ANNOTATOR)
    without, context = (counts(result, one, "lemma")[ANY][0] / 300 for one in ("sentences", "contexts"))
    assert without == pytest.approx(2 / 3, abs=0.07)
    assert context < without - 0.15
    assert "|lemmas:" in result.signature
