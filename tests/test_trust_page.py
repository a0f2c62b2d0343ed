"""docs/trust.md has the figures of the pages that it joins."""

from __future__ import annotations

import importlib.util
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]


def test_the_page_of_trust_joins_what_the_other_pages_say():
    spec = importlib.util.spec_from_file_location("trust", REPOSITORY / "benchmarks" / "trust.py")
    assert spec
    assert spec.loader
    trust = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(trust)
    page = (REPOSITORY / "docs" / "trust.md").read_text("utf-8")
    assert page == trust.page(), "python benchmarks/trust.py > docs/trust.md"
    german = page.partition("## German\n")[2]
    assert "| pronouns | 69 of 84 (.73–.89) | 60.0 % of 40 | 88.9 % of 45 | 98.0 % of 50 |" in german
