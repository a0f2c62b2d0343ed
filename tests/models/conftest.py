"""Tiny models on disk, made once for all tests of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The folder of a model of each architecture, of each kind of the Hub's, and of decoder-only ones."""
    pytest.importorskip("torch")
    from tiny_models import HUB, make_hub, make_language_model, make_own

    from endophora.models.layout import Architecture

    place = tmp_path_factory.mktemp("models")
    made = {one.value: make_own(place / one.value, one) for one in Architecture}
    made |= {kind: make_hub(place / kind, kind) for kind in HUB}
    made |= {kind: make_language_model(place / kind, kind) for kind in ("llama", "gpt2")}
    return made | {"chat": make_language_model(place / "chat", "llama", chat=True)}
