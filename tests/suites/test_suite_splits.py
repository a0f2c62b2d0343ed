"""Splits by document: no document twice, rare rules in test, 1:1:5, limits, recent years first, the same every time."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from suite_items import make_item, make_suite

from endophora.errors import InputError
from endophora.suites import Item
from endophora.suites.formats import read_suite
from endophora.suites.splits import SPLITS, SplitOptions, plan_splits, split_items, write_splits, year_of


def make_items(count: int, documents: int, rules: int = 2) -> list[Item]:
    return [
        make_item(n, document=f"{2010 + n % documents % 8}/{n % documents}", rule=f"R{n % rules}") for n in range(count)
    ]


def test_a_rule_with_many_items_is_split_one_to_one_to_five() -> None:
    found = split_items(make_items(7000, 700))
    for rule in ("R0", "R1"):
        counts = [sum(item.rule == rule for item in found[name]) for name in SPLITS]
        assert counts == pytest.approx([500, 500, 2500], rel=0.03)


def test_a_rare_rule_has_all_of_its_items_in_test() -> None:
    items = [*make_items(2000, 200), *(make_item(9000 + n, document=f"2015/{n}", rule="RARE") for n in range(99))]
    found = split_items(items)
    assert sum(item.rule == "RARE" for item in found["test"]) == 99


def test_test_has_no_more_than_its_limit_and_prefers_recent_years() -> None:
    items = make_items(4000, 800, rules=1)
    found = split_items(items, SplitOptions(most=500))
    assert [len(found[name]) for name in SPLITS] == [100, 100, 500]
    years = Counter(year_of(item.document) for item in found["test"])
    assert set(years) == {2017, 2016}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=1, max_size=60), st.integers(0, 20))
def test_no_document_is_in_two_splits_and_nothing_is_lost(pairs: list[tuple[int, int]], least: int) -> None:
    items = [make_item(n, document=f"d{doc}", rule=f"R{rule}") for n, (doc, rule) in enumerate(pairs)]
    found = split_items(items, SplitOptions(least=least))
    places = [{item.document for item in found[name]} for name in SPLITS]
    assert sum(map(len, places)) == len(set.union(*places))
    assert sorted(item.id for part in found.values() for item in part) == sorted(item.id for item in items)


def test_the_split_does_not_depend_on_the_order_of_the_documents() -> None:
    items = make_items(600, 60)
    plans = []
    for seed in (1, 2):
        shuffled = random.Random(seed).sample(items, len(items))
        found = split_items(shuffled)
        plans.append({item.id: name for name in SPLITS for item in found[name]})
    assert plans[0] == plans[1]


def test_a_plan_needs_counts_only() -> None:
    items = make_items(600, 60)
    counts: dict[str, Counter[str]] = {}
    for item in items:
        counts.setdefault(item.document, Counter())[item.rule] += 1
    plan = plan_splits(counts)
    found = split_items(items)
    assert all(plan[item.document] == name for name in SPLITS for item in found[name])


@pytest.mark.parametrize(
    ("document", "year"),
    [("de-en/2017/2017_1412528_7012791", 2017), ("1921_12806_3712161.de", 1921), ("d12017", None), ("letter", None)],
)
def test_the_year_of_a_document(document: str, year: int | None) -> None:
    assert year_of(document) == year


@pytest.mark.parametrize("options", [{"least": -1}, {"most": 0}, {"ratio": (1, 1, 0)}, {"ratio": (-1, 1, 5)}])
def test_numbers_out_of_range_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InputError, match="E183"):
        SplitOptions(**options)


def test_splits_are_written_a_file_each_or_as_one_data_set(tmp_path: Path) -> None:
    suite = make_suite(*make_items(700, 70))
    found = split_items(suite.items)
    files = write_splits(suite, found, tmp_path / "files", "ctxpro")
    assert sorted(Path(path).name for path in files) == ["toy.dev.json", "toy.devtest.json", "toy.test.json"]
    assert sum(files.values()) == 700
    write_splits(suite, found, tmp_path / "set", "huggingface-jsonl")
    assert len(read_suite(tmp_path / "set")) == len(found["test"])
    assert len(read_suite(tmp_path / "set" / "data" / "dev.jsonl")) == len(found["dev"])
