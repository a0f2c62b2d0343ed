"""The lists of languages, models and metrics against what is on disk and in the registries."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.align.aligners import alignment_card
from endophora.align.priors import pairs_with_priors
from endophora.annotate.loading import embedded_card, embedded_languages
from endophora.evaluation import installation
from endophora.evaluation.installation import (
    known_languages,
    language_inventory,
    metric_inventory,
    model_inventory,
    run_checks,
)
from endophora.evaluation.rule_examples import ExampleOutcome
from endophora.languages import language_codes, load_language
from endophora.languages.schema import Expected, WorkedExample
from endophora.metrics import DOCUMENT_METRICS, METRICS, load_metric
from endophora.store import Store


@pytest.fixture(scope="module")
def languages() -> dict[object, dict[str, object]]:
    return {row["language"]: row for row in language_inventory()}


def test_languages_are_all_that_have_anything(languages: dict[object, dict[str, object]]):
    assert list(languages) == sorted(languages) == list(known_languages())
    assert set(languages) >= {*language_codes(), *embedded_languages()}
    assert set(languages) >= {code for pair in pairs_with_priors() for code in pair}


def test_a_languages_row_is_of_its_rule_file_and_cards(languages: dict[object, dict[str, object]]):
    german, card = languages["de"], embedded_card("de")
    assert german["phenomena"] == list(load_language("de").phenomena)
    assert (german["name"], german["annotator"], german["licence"]) == ("German", "embedded", card.licence)
    for column, figure in (("UPOS", "UPOS"), ("lemma", "LEMMA"), ("LAS", "LAS")):
        assert german[column] == round(card.scores[figure], 1)
    assert german["aligned with"] == ["en"]
    assert set(languages["en"]["aligned with"]) == {  # type: ignore[call-overload]
        one if other == "en" else other for one, other in pairs_with_priors() if "en" in (one, other)
    }
    assert (german["extra"], german["extra installed"]) == (None, None)
    assert str(german["note"]).startswith("de: de_core_news_sm (MIT) is more accurate")


def test_aligners_have_the_figures_of_their_cards(languages: dict[object, dict[str, object]]):
    measured = {
        "AER": lambda card: card.error_rate,
        "links read right": lambda card: card.reading and card.reading.precision,
        "links read found": lambda card: card.reading and card.reading.recall,
    }
    for code, row in languages.items():
        card = alignment_card("en", str(code))
        for name, figure in measured.items():
            value = None if card is None else figure(card)
            assert row[name] == (None if value is None else round(value, 1)), (code, name)
    assert any(row["AER"] for row in languages.values())


def test_models_are_listed_with_the_size_of_their_files():
    rows = model_inventory()
    assert all(set(row) == {"kind", "name", "size", "licence", "trained on"} and all(row.values()) for row in rows)
    by_kind = {(row["kind"], row["name"]): row for row in rows}
    for code in embedded_languages():
        card, row = embedded_card(code), by_kind["annotator", code]
        assert row["size"] == f"{card.size / 1e6:.1f} MB"
        assert (row["licence"], row["trained on"]) == (card.licence, card.trained_on)
    weights = Path(installation.__file__).parents[1] / "corefer" / "data" / "en-weights.json"
    resolver = by_kind["resolver", "en"]
    assert resolver["size"] == f"{weights.stat().st_size / 1e6:.1f} MB"
    assert resolver["licence"] == "CC BY-SA 4.0"
    assert "GUM" in resolver["trained on"]
    priors = {name for kind, name in by_kind if kind == "aligner priors"}
    assert priors <= {"-".join(pair) for pair in pairs_with_priors()}
    assert "de-en" in priors or "en-de" in priors


def test_metrics_are_all_that_are_registered(monkeypatch: pytest.MonkeyPatch):
    rows = {row["name"]: row for row in metric_inventory()}
    assert set(rows) >= {*METRICS.names(), *DOCUMENT_METRICS.names()}
    assert (rows["bleu"]["row"], rows["bleu"]["needs"]) == ("segment", "")
    assert "Papineni" in rows["bleu"]["what"]
    assert rows["meteor"]["needs"] == "endophora[meteor]"
    for name in ("bleu", "chrf", "ter", "d-bleu", "d-ter"):
        assert rows[name]["row"] == load_metric(name, "de").level


def test_a_metric_of_another_package_is_described_by_its_docstring(monkeypatch: pytest.MonkeyPatch):
    class Ours:
        """Count what we count.

        At length.
        """

        level = "document"

    names, get = METRICS.names, METRICS.get
    monkeypatch.setattr(METRICS, "names", lambda: (*names(), "ours"))
    monkeypatch.setattr(METRICS, "get", lambda name: Ours if name == "ours" else get(name))
    expected = {"name": "ours", "what": "Count what we count.", "row": "document", "needs": "installed"}
    assert metric_inventory()[-1] == expected


EXAMPLE = WorkedExample(
    shows="the second du",
    text=(("You are right.", "Du hast recht."), ("You know.", "Du weißt.")),
    occurrences=(Expected(segment=2, words="Du", rule="informal"),),
)


@pytest.mark.parametrize(
    ("found", "passed"),
    [
        ([Expected(segment=2, words="Du", rule="informal")], True),
        ([Expected(segment=2, words="Du", rule="formal")], False),
        ([Expected(segment=1, words="Du", rule="informal")], False),
        ([Expected(segment=2, words="Dich", rule="informal")], False),
        ([], False),
        ([Expected(segment=2, words="Du", rule="informal")] * 2, False),
    ],
)
def test_a_worked_example_passes_where_segment_words_and_rule_are_those_expected(found: list[Expected], passed: bool):
    assert ExampleOutcome("formality", EXAMPLE, tuple(found)).passed == passed


def test_an_example_that_names_no_rule_passes_with_any():
    example = EXAMPLE.model_copy(update={"occurrences": (Expected(segment=2, words="Du", rule=""),)})
    assert ExampleOutcome("formality", example, (Expected(segment=2, words="Du", rule="informal"),)).passed


def test_an_outcome_is_reported_with_its_texts_numbered_from_one():
    lines = ExampleOutcome("formality", EXAMPLE, ()).report().splitlines()
    assert lines[:3] == ["formality: the second du", "  1  You are right.", "     Du hast recht."]
    assert lines[3:5] == ["  2  You know.", "     Du weißt."]
    assert lines[5:] == ["  expected: 2 “Du” (informal)", "  found:    nothing"]
    both = (Expected(segment=1, words="Du", rule=""), Expected(segment=2, words="Du", rule="x"))
    assert ExampleOutcome("f", EXAMPLE, both).report().splitlines()[-1] == "  found:    1 “Du”, 2 “Du” (x)"


def checked(monkeypatch: pytest.MonkeyPatch, requirements: list[str], installed: dict[str, str]):
    def version(name: str) -> str:
        if name not in installed:
            raise installation.PackageNotFoundError(name)
        return installed[name]

    monkeypatch.setattr(installation, "requires", lambda _: requirements)
    monkeypatch.setattr(installation, "version", version)
    return [(one.name, one.state, one.detail) for one in installation._libraries()]


def test_libraries_are_there_absent_or_broken(monkeypatch: pytest.MonkeyPatch):
    requirements = ["numpy>=1.26", "scipy>=2.0", "lost>=1", "nltk>=3.9; extra == 'meteor'"]
    found = checked(monkeypatch, requirements, {"numpy": "1.26.4", "scipy": "1.11"})
    assert found == [
        ("numpy", "ok", "1.26.4"),
        ("scipy", "broken", "1.11, and >=2.0 is needed"),
        ("lost", "broken", "pip install 'lost>=1'"),
        ("nltk", "absent", "pip install 'endophora[meteor]'"),
    ]


def test_a_store_is_measured_and_one_that_is_not_there_is_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("language_codes", "languages_with_annotator", "pairs_with_priors"):
        monkeypatch.setattr(installation, name, tuple)
    path = tmp_path / "store.sqlite"
    state = list(run_checks(path))
    assert [state[0].name, state[-2].name, state[-1].name] == ["endophora", "resolver en", "store"]
    assert (state[-1].state, state[-1].detail) == ("ok", f"{path}, not made yet")
    assert not path.exists()
    with Store(path) as store:
        store.put_many({b"a" * 16: b"1", b"b" * 16: b"2"})
    last = list(run_checks(path))[-1]
    assert last.detail == f"{path}, 2 entries, {path.stat().st_size / 1e6:.1f} MB"


def test_what_cannot_be_loaded_is_broken_and_ends_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object, **__: object) -> str:
        raise ValueError("no weights")

    for name in ("language_codes", "languages_with_annotator", "pairs_with_priors"):
        monkeypatch.setattr(installation, name, tuple)
    monkeypatch.setattr(installation, "load_resolver", fail)
    states = {one.name: one for one in run_checks(tmp_path / "store.sqlite")}
    assert (states["resolver en"].state, states["resolver en"].detail) == ("broken", "no weights")
    assert states["store"].state == "ok"
