"""The names that users may rely on: few, all there, loaded only when they are used."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import endophora

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_surface_is_small_and_every_name_is_there():
    assert len(set(endophora.__all__) - {"__version__"}) <= 40
    assert dir(endophora) == sorted(endophora.__all__)
    for name in endophora.__all__:
        found = getattr(endophora, name)
        assert name == "__version__" or found.__doc__, name


def test_importing_the_package_loads_nothing_else():
    code = "import sys, endophora; print(sorted(n for n in sys.modules if n.startswith('endophora')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['endophora', 'endophora.version']"


def test_a_misspelt_name_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match="did you mean evaluate"):
        _ = endophora.evalute  # pyright: ignore[reportAttributeAccessIssue]


def test_the_readme_uses_public_names_only():
    [block] = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    assert re.findall(r"^(?:from|import) endophora.*", block, re.M) == ["import endophora as e"]
    assert set(re.findall(r"\be\.(\w+)", block)) <= set(endophora.__all__)
