"""``endophora metrics`` knows every metric that is registered."""

from __future__ import annotations

import json

import pytest

from command import run
from endophora.evaluation.installation import metric_inventory
from endophora.metrics import DOCUMENT_METRICS, METRICS


def test_every_registered_metric_is_listed_once_with_what_it_is():
    rows = metric_inventory()
    names = [row["name"] for row in rows]
    assert sorted(names) == sorted({"word F", *METRICS, *DOCUMENT_METRICS})
    assert all(row["what"] and row["row"] in ("segment", "document") for row in rows)


def test_levels_are_those_of_the_metrics():
    for row in metric_inventory():
        if row["name"] in METRICS:
            assert METRICS.get(row["name"]).level == row["row"], row["name"]


def test_the_command_writes_a_table_and_json(capsys: pytest.CaptureFixture[str]):
    assert run("metrics") == 0
    assert "blonde" in capsys.readouterr().out
    assert run("metrics", "--format", "json") == 0
    assert json.loads(capsys.readouterr().out) == metric_inventory()
