"""The second distribution, ``research/``: what it says of itself, and that the first does not contain it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from endophora.annotate.loading import CardFile
from endophora.version import __version__

REPOSITORY = Path(__file__).resolve().parents[2]
RESEARCH = REPOSITORY / "research"
PIPELINES = RESEARCH / "endophora_models_research" / "pipelines"
pytestmark = pytest.mark.skipif(not PIPELINES.is_dir(), reason="the source distribution has one of the two")
LANGUAGES = sorted(path.parent.name for path in PIPELINES.glob("*/meta.json"))


@pytest.fixture(scope="module")
def project() -> dict:
    """The ``[project]`` table of the second distribution."""
    return tomllib.loads((RESEARCH / "pyproject.toml").read_text("utf-8"))["project"]


def test_the_two_distributions_have_one_version(project: dict):
    assert project["version"] == __version__
    assert project["dependencies"] == [f"endophora=={__version__.rpartition('.')[0]}.*"]


def test_every_pipeline_has_an_entry_point_and_every_entry_point_a_pipeline(project: dict):
    points = project["entry-points"].get("endophora.pipelines", {})
    assert points == {code: f"endophora_models_research.pipelines.{code}" for code in LANGUAGES}


def test_every_pipeline_says_its_licence_and_is_credited(project: dict):
    notice, readme = ((RESEARCH / name).read_text("utf-8") for name in ("NOTICE", "README.md"))
    for code in LANGUAGES:
        card = CardFile.model_validate_json((PIPELINES / code / "card.json").read_text("utf-8"))
        assert "NC" in card.licence, code
        assert f"\n{code}: " in notice, code
        assert f"\n| {code} |" in readme, code


def test_the_main_wheel_has_nothing_of_it():
    build = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]
    assert build["wheel"]["packages"] == ["src/endophora"]
    included = [path for path in build["sdist"]["include"] if "research" in path]
    assert included == ["/research/notes", "/research/README.md"]
