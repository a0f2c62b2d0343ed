"""Files about the project say what is so: versions, dependencies, Pythons, and the licence of all that ships."""

from __future__ import annotations

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from endophora.version import __version__

REPOSITORY = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
PACKAGE = REPOSITORY / "src" / "endophora"
NOTICE = (REPOSITORY / "NOTICE").read_text("utf-8")
PYTHONS = [name for c in PROJECT["classifiers"] if (name := c.rpartition(":: ")[2]).startswith("3.")]


def _yaml(path: str) -> dict:
    return YAML(typ="safe").load((REPOSITORY / path).read_text("utf-8"))


def test_the_version_is_the_same_everywhere():
    assert _yaml("CITATION.cff")["version"] == __version__
    assert _yaml("packaging/conda/recipe.yaml")["context"]["version"] == __version__
    assert f'version = "{__version__}"' in (REPOSITORY / "makers" / "pyproject.toml").read_text("utf-8")
    changes = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == __version__


def test_the_address_of_the_project_is_the_same_everywhere():
    """It has none yet; ``Source`` of pyproject.toml is the line to fill in first."""
    known = {path: tomllib.loads(path.read_text("utf-8"))["project"] for path in REPOSITORY.glob("*/pyproject.toml")}
    found = {str(path): project.get("urls", {}).get("Source") for path, project in known.items()}
    found["CITATION.cff repository-code"] = _yaml("CITATION.cff").get("repository-code")
    found["recipe.yaml about.repository"] = _yaml("packaging/conda/recipe.yaml")["about"].get("repository")
    assert found == dict.fromkeys(found, PROJECT.get("urls", {}).get("Source"))


def test_the_conda_recipe_has_the_dependencies_and_the_command_of_the_package():
    recipe = _yaml("packaging/conda/recipe.yaml")
    wanted = [f"python{PROJECT['requires-python']}", *PROJECT["dependencies"]]
    assert [line.replace(" ", "") for line in recipe["requirements"]["run"]] == wanted
    assert recipe["build"]["python"]["entry_points"] == [f"{k} = {v}" for k, v in PROJECT["scripts"].items()]


def test_the_workflow_tests_every_python_that_the_package_names():
    matrix = _yaml(".github/workflows/tests.yml")["jobs"]["core"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"


@pytest.mark.parametrize("path", sorted((REPOSITORY / ".github").rglob("*.yml")), ids=lambda path: path.name)
def test_workflows_and_templates_are_yaml(path: Path):
    assert _yaml(str(path))


def _named(requirements: list[str]) -> set[str]:
    return {re.split(r"[<>=\[!~ ]", each)[0].lower().replace("_", "-") for each in requirements}


def _imports(body: list[ast.stmt] | Iterator[ast.AST]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


BROUGHT = {
    **{"thinc": "spacy", "srsly": "spacy", "markupsafe": "jinja2", "click": "typer"},
    **{"pydantic-core": "pydantic", "ginza": "ja-ginza", "tokenizers": "transformers"},
}
"""Libraries that a dependency hands out as part of what it is."""
FIRST = {"torch", "transformers", "safetensors", "accelerate"}
"""Libraries of extras that modules may import first of all: what imports these modules looks for them before."""


def test_what_the_package_imports_is_among_its_dependencies():
    extras = PROJECT["optional-dependencies"]
    core, declared = _named(PROJECT["dependencies"]), _named([each for extra in extras.values() for each in extra])
    providers = packages_distributions()
    undeclared = set()
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text("utf-8"))
        for names, allowed in ((_imports(tree.body), core | FIRST), (_imports(ast.walk(tree)), core | declared)):
            for name in set(names) - sys.stdlib_module_names - {"endophora", "_typeshed"}:
                found = {each.lower().replace("_", "-") for each in providers.get(name, [])}
                found = {BROUGHT.get(each, each) for each in found}
                if found and not found & allowed:  # of what is not installed nobody knows who brings it
                    undeclared.add((path.relative_to(PACKAGE).as_posix(), name))
    assert undeclared == set()


LICENCE = re.compile(r"CC BY(?:-SA)? [234]\.0|CC0 1\.0|MPL-2\.0|LGPL-3\.0|Apache Licence 2\.0")


def _patterns() -> list[str]:
    """Return the paths that NOTICE names."""
    return re.findall(r"src/endophora/[\w./*-]*[\w*]", NOTICE)


def _shipped() -> Iterator[str]:
    """Yield what the package ships that is no code: weights, tables, word lists, texts."""
    for path in sorted(PACKAGE.rglob("*")):
        if path.is_file() and path.suffix not in {".py", ".pyc", ".typed", ".jinja", ".css", ".js"}:
            yield path.relative_to(REPOSITORY).as_posix()


def test_notice_names_every_file_of_weights_and_data():
    patterns = _patterns()
    unnamed = [name for name in _shipped() if not any(fnmatch(name, p) or name.startswith(p + "/") for p in patterns)]
    assert unnamed == []


def test_notice_names_no_file_that_is_not_there():
    shipped = list(_shipped())
    assert [p for p in _patterns() if not any(fnmatch(n, p) or n.startswith(p + "/") for n in shipped)] == []


def test_every_section_of_notice_that_names_files_names_their_licence():
    sections = [section for section in NOTICE.split("\n\n") if "src/endophora/" in section]
    assert len(sections) >= 5
    assert [section[:60] for section in sections if not LICENCE.search(section)] == []


@pytest.mark.parametrize(
    "card", sorted((PACKAGE / "annotate" / "pipelines").glob("*/card.json")), ids=lambda c: c.parent.name
)
def test_the_licence_on_a_card_is_that_of_notice(card: Path):
    [section] = [section for section in NOTICE.split("\n\n") if section.startswith("Annotator weights")]
    found = json.loads(card.read_text("utf-8"))
    assert f"offered under {found['licence']}" in section
    assert found["trained_on"]
