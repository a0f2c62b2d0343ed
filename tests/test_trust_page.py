"""docs/trust.md has the figures of the pages that it joins, and these have those of the cards."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
NAMES = {"lemma": "LEMMA", "tokens": "TOKENS"}


def test_the_page_of_trust_joins_what_the_other_pages_say():
    spec = importlib.util.spec_from_file_location("trust", REPOSITORY / "benchmarks" / "trust.py")
    assert spec
    assert spec.loader
    trust = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(trust)
    page = (REPOSITORY / "docs" / "trust.md").read_text("utf-8")
    assert page == trust.page(), "python benchmarks/trust.py > docs/trust.md"
    german = page.partition("## German\n")[2]
    assert "| pronouns | 69 of 84 (.73–.89) | 55.0 % of 40 | 90.2 % of 51 | 95.9 % of 49 |" in german


@pytest.mark.parametrize(
    "page", sorted((REPOSITORY / "docs" / "models").glob("annotators-??.md")), ids=lambda p: p.stem
)
def test_the_table_of_a_model_page_is_that_of_its_card(page: Path):
    card = REPOSITORY / "src" / "endophora" / "annotate" / "pipelines" / page.stem[-2:] / "card.json"
    if not card.is_file():
        pytest.skip("weights of another distribution")
    known = json.loads(card.read_text("utf-8"))
    wrong, head = [], [""]
    for line in page.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else [""]
        if not cells[0] or cells[0] == "test set":
            head = cells
        elif (kind := dict(zip(head, cells, strict=False)).get("tokens of")) in ("own", "treebank’s"):
            figures = known["raw_tests" if kind == "own" else "tests"][re.sub(r" \([^)]*\)$", "", cells[0])]
            for name, cell in zip(head[2:], cells[2:], strict=True):
                figure = figures.get(NAMES.get(name, name))
                if figure is not None and cell not in ("", "–") and cell != f"{figure:.1f}":
                    wrong.append((cells[0], name, cell, figure))
    assert wrong == []
