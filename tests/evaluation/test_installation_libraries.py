"""Libraries, models and metrics that are installed, with made-up distributions."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from endophora.evaluation import installation as module
from endophora.evaluation.installation import Check, metric_inventory, model_inventory

WANTED = [
    "here>=1.2",
    "old>=3",
    "gone==2",
    "extra-here>=1; extra == 'lm'",
    "extra-gone; extra == 'zh'",
    "linter; extra == 'dev'",
]
INSTALLED = {"here": "1.3", "old": "2.9", "extra-here": "0.9"}


def version(name: str) -> str:
    if name not in INSTALLED:
        raise PackageNotFoundError(name)
    return INSTALLED[name]


def test_installation_has_libraries_that_fit_are_too_old_or_absent(monkeypatch: pytest.MonkeyPatch):
    asked: list[str] = []

    def given(values: Any) -> Any:
        return lambda name: asked.append(name) or values

    metadata = SimpleNamespace(get_all=lambda name: ["lm", "zh", "dev"] if name == "Provides-Extra" else None)
    monkeypatch.setattr(module, "requires", given(WANTED))
    monkeypatch.setattr(module, "distribution", given(SimpleNamespace(metadata=metadata)))
    monkeypatch.setattr(module, "version", version)
    assert list(module._libraries()) == [
        Check("here", "ok", "1.3"),
        Check("old", "broken", "2.9, and >=3 is needed"),
        Check("gone", "broken", "pip install 'gone==2'"),
        Check("extra-here", "broken", "0.9, and >=1 is needed"),
        Check("extra-gone", "absent", "pip install 'endophora[zh]'"),
    ]
    assert set(asked) == {"endophora"}
    monkeypatch.setattr(module, "requires", given(None))
    assert list(module._libraries()) == []


def test_installation_takes_a_trial_version_for_one_that_fits(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "requires", lambda name: ["new>=2", "plain; python_version >= '3'"])
    monkeypatch.setattr(module, "version", lambda name: "3.0rc1")
    assert [one.state for one in module._libraries()] == ["ok", "ok"]

    def nothing(name: str) -> str:
        raise PackageNotFoundError(name)

    # A marker that is no extra's makes a library no less needed.
    monkeypatch.setattr(module, "version", nothing)
    assert [one.state for one in module._libraries()] == ["broken", "broken"]


def test_installation_lists_models_of_each_kind_with_size_licence_and_texts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    def card(size: int, **more: object) -> Any:
        return SimpleNamespace(size=size, licence="MIT", trained_on="trees", **more)

    sources = [
        {"name": "one", "licence": "CC0"},
        {"name": "two", "licence": "MIT"},
        {"name": "three", "licence": "CC0"},
    ]
    (tmp_path / "card.json").write_text(json.dumps({"sources": sources}), encoding="utf-8")
    (tmp_path / "weights").write_bytes(b"x" * 3_000_000)
    (tmp_path / "below").mkdir()
    model = SimpleNamespace(path=tmp_path, distribution="pack", languages="en-de")
    made: dict[str, Any] = {
        "embedded_languages": lambda: ("de",),
        "embedded_card": lambda code: card(1_500_000),
        "outside_pipelines": lambda: {"fr": SimpleNamespace(name="outer", path=tmp_path)},
        "read_card": lambda code, path: card(2_000_000),
        "pairs_with_priors": lambda: (("en", "de"), ("en", "cs")),
        "alignment_card": lambda one, other: card(500_000, sources=["x", "y"]) if other == "de" else None,
        "shipped_models": lambda: [model],
    }
    for name, value in made.items():
        monkeypatch.setattr(module, name, value)
    *rows, resolver = model_inventory()
    assert [tuple(row.values()) for row in rows] == [
        ("annotator", "de", "1.5 MB", "MIT", "trees"),
        ("annotator, outer", "fr", "2.0 MB", "MIT", "trees"),
        ("aligner priors", "en-de", "0.5 MB", "MIT", "x, y"),
        ("translation, pack", "en-de", "3.0 MB", "text: CC0, text: MIT", "one, two, three"),
    ]
    assert {tuple(row) for row in rows} == {("kind", "name", "size", "licence", "trained on")}
    assert (resolver["kind"], resolver["name"], resolver["licence"]) == ("resolver", "en", "CC BY-SA 4.0")


def test_installation_lists_metrics_of_other_packages_last(monkeypatch: pytest.MonkeyPatch):
    class Own:
        """Counts words.

        At length.
        """

        level = "segment"

    class Bare:
        pass

    Bare.__doc__ = None
    known = {"bleu": object, "own": Own}
    monkeypatch.setattr(module, "METRICS", SimpleNamespace(names=lambda: tuple(known), get=known.__getitem__))
    monkeypatch.setattr(module, "DOCUMENT_METRICS", SimpleNamespace(names=lambda: ("bare",), get=lambda name: Bare))
    *rows, own, bare = metric_inventory()
    assert own == {"name": "own", "what": "Counts words.", "row": "segment", "needs": "installed"}
    assert bare == {"name": "bare", "what": "", "row": "", "needs": "installed"}
    [bleu] = [row for row in rows if row["name"] == "bleu"]
    assert bleu["needs"] == ""
    assert {tuple(row) for row in rows} == {("name", "what", "row", "needs")}
    assert all(row["what"] for row in rows)
