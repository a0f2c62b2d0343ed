"""Which annotator a language has when none is named."""

from __future__ import annotations

import json
import shutil
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from endophora.annotate import loading
from endophora.annotate.loading import ANNOTATORS, PIPELINES, Preferred, default_name, load_annotator, preferences
from endophora.errors import InputError, MissingModelError
from endophora.registry import Registry


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed distribution that brings a German pipeline, and names one that is not there."""
    directory = tmp_path / "school_pipelines" / "pipelines" / "de"
    shutil.copytree(PIPELINES / "de", directory)
    (tmp_path / "school_pipelines" / "__init__.py").touch()
    info = tmp_path / "school_pipelines-2.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: school-pipelines\nVersion: 2.5\n")
    (info / "entry_points.txt").write_text(
        "[endophora.pipelines]\nde = school_pipelines.pipelines.de\nfr = school_pipelines.pipelines.fr\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return directory


@pytest.fixture
def preferred(monkeypatch: pytest.MonkeyPatch) -> Preferred:
    """Icelandic by an annotator of an extra, whose library is the standard library's ``json``."""
    entry = Preferred(annotator="saga", needs=("json",), extra="is")
    monkeypatch.setattr(loading, "preferences", lambda: {"is": entry, "fr": entry})
    monkeypatch.setattr(loading, "preferences", lambda: {"is": entry, "fr": entry})
    table = Registry("annotator", {"saga": lambda language: f"saga of {language}", "embedded": loading.load_embedded})
    monkeypatch.setattr(loading, "ANNOTATORS", table)
    return entry


def test_the_embedded_pipeline_is_the_default():
    assert default_name("de") == "embedded"
    assert load_annotator("de").signature.startswith("embedded-de-")


def test_a_pipeline_of_another_distribution_comes_first_and_the_signature_says_so(outside: Path):
    assert default_name("de") == "research"
    assert load_annotator("de").signature.startswith("school-pipelines-de-2.5-")
    assert load_annotator("de", "embedded").signature.startswith("embedded-de-")


def test_a_pipeline_that_is_not_where_the_entry_point_says_is_passed_over(outside: Path):
    assert default_name("fr") == "embedded"
    with pytest.raises(MissingModelError, match="E040"):
        load_annotator("fr", "research")


def test_of_two_distributions_the_first_name_wins(outside: Path, monkeypatch: pytest.MonkeyPatch):
    other = EntryPoint("de", "school_pipelines.pipelines.de", loading.GROUP)
    (real,) = (point for point in loading.entry_points(group=loading.GROUP) if point.name == "de")
    monkeypatch.setattr(loading, "entry_points", lambda group: [real, other])
    assert loading.outside_pipelines()["de"].name == ""


def test_an_extra_comes_before_the_embedded_pipeline_where_its_library_is_installed(preferred: Preferred):
    assert load_annotator("fr") == "saga of fr"
    assert load_annotator("fr", "embedded").signature.startswith("embedded-fr-")


def test_without_the_library_the_embedded_pipeline_is_taken(preferred: Preferred, monkeypatch: pytest.MonkeyPatch):
    absent = preferred.model_copy(update={"needs": ("json", "no_such_module")})
    monkeypatch.setattr(loading, "preferences", lambda: {"fr": absent})
    assert load_annotator("fr").signature.startswith("embedded-fr-")


def test_without_library_and_pipeline_the_error_names_the_extra(preferred: Preferred, monkeypatch: pytest.MonkeyPatch):
    absent = preferred.model_copy(update={"needs": ("no_such_module",)})
    monkeypatch.setattr(loading, "preferences", lambda: {"is": absent})
    with pytest.raises(MissingModelError, match=r"pip install 'endophora\[is\]'"):
        load_annotator("is")


def test_languages_that_have_an_annotator_are_those_of_all_three_kinds(preferred: Preferred):
    assert {"is", "de", "en"} <= set(loading.languages_with_annotator())


def test_an_argument_where_none_is_taken_is_refused():
    with pytest.raises(InputError, match="E043"):
        load_annotator("de", "embedded:large")


def test_every_preferred_annotator_is_registered():
    for language, entry in preferences().items():
        assert entry.annotator in ANNOTATORS, language
        assert entry.needs, language


def test_the_names_are_frozen():
    names = ("embedded", "research", "blank", "stanza", "ginza", "slovnet")
    assert ANNOTATORS.names()[: len(names)] == names


def test_a_card_shows_the_test_set_that_is_hardest(tmp_path: Path):
    easy, hard = {"UPOS": 95.0, "LAS": 60.0}, {"UPOS": 88.0, "LAS": 70.0}
    card = loading.CardFile(licence="CC0", trained_on="x", tests={"own": easy, "foreign": hard}, raw_tests={})
    (tmp_path / loading.FILE).write_text(card.model_dump_json(), encoding="utf-8")
    assert loading.read_card("xx", tmp_path).scores == hard


def test_what_spacy_can_tell_itself_is_not_shipped():
    """The labels of a pipeline's components stand in the components; in ``meta.json`` they are 55 kB of the wheel."""
    for path in PIPELINES.glob("*/meta.json"):
        assert "labels" not in json.loads(path.read_text("utf-8")), path
