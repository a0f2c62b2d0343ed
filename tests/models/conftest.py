"""Tiny models on disk, each made once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest


class Folders(dict[str, Path]):
    """The folder of each model; it is made when it is first asked for."""

    def __init__(self, place: Path) -> None:
        self._place = place

    def __missing__(self, name: str) -> Path:
        from tiny_models import HUB, make_hub, make_language_model, make_own

        from endophora.models.layout import Architecture

        folder = self._place / name
        if name in HUB:
            self[name] = make_hub(folder, name)
        elif name in ("llama", "gpt2", "chat"):
            self[name] = make_language_model(folder, "llama" if name == "chat" else name, chat=name == "chat")
        else:
            self[name] = make_own(folder, Architecture(name))
        return self[name]


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of a model of each architecture, of each kind of the Hub's, and of decoder-only ones."""
    pytest.importorskip("torch")
    return Folders(tmp_path_factory.mktemp("models"))
