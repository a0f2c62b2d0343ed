"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The directory of treebanks, parallel documents and known answers; skips where it is absent."""
    path = Path(os.environ.get("ENDOPHORA_SHARED", REPOSITORY.parent / "shared"))
    if not path.is_dir():
        pytest.skip("the data directory is absent (set ENDOPHORA_SHARED)")
    return path
