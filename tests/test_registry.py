"""Registries: names of one's own and of outside packages, looked for once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from endophora import registry
from endophora.errors import InputError
from endophora.registry import Registry


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a distribution that registers two drinks, the second of which is no function."""
    (tmp_path / "outside_drinks.py").write_text("def tea(): return 'tea'\nmud = 1\n", encoding="utf-8")
    info = tmp_path / "outside_drinks-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-drinks\nVersion: 1.0\n", encoding="utf-8")
    points = "[endophora.drink]\ntea = outside_drinks:tea\nmud = outside_drinks:mud\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


def drinks() -> Registry[Any]:
    """A registry of one drink of its own, which is imported when first asked for."""
    return Registry("drink", {"water": "builtins:print"})


def test_registry_knows_its_own_names_and_loads_them_when_asked() -> None:
    assert list(drinks()) == ["water"]
    assert drinks().get("water") is print


@pytest.mark.usefixtures("outside")
def test_registry_knows_the_names_of_a_package_installed_while_it_lives() -> None:
    table = drinks()
    assert table.names() == ("water", "tea", "mud")
    assert "tea" in table
    assert "coffee" not in table
    assert table.get("tea")() == "tea"
    with pytest.raises(InputError, match="E091"):
        table.get("mud")
    with pytest.raises(InputError, match=r"E090.*did you mean tea"):
        table.get("teas")


def test_registry_looks_for_outside_packages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def search(group: str) -> list[Any]:
        searched.append(group)
        return []

    monkeypatch.setattr(registry, "entry_points", search)
    table: Registry[Any] = Registry("search_of_a_test", {"water": print})
    assert [list(table) for _ in range(5)] == [["water"]] * 5
    assert "tea" not in table
    assert searched == ["endophora.search_of_a_test"]
