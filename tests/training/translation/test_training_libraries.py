"""Says whether the tests of training could run."""

from __future__ import annotations

from importlib.util import find_spec

import pytest


@pytest.mark.parametrize("name", ["torch", "transformers", "sentencepiece", "safetensors"])
def test_what_training_needs_is_installed(name: str):
    if find_spec(name) is None:
        pytest.skip(f"{name} is not installed, and the tests of training are left out: pip install 'endophora[train]'")
