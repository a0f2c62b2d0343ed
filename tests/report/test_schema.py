"""The published JSON Schema is the code's, and results are valid by it."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from endophora.evaluation.result import Result
from endophora.report import render
from endophora.report.schema import main, schema_text

from .factory import make

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "result.schema.json"
SCHEMA = json.loads(schema_text())


def test_published_schema_is_current():
    assert PUBLISHED.read_text(encoding="utf-8") == schema_text()


def test_command_writes_the_published_schema(tmp_path, monkeypatch):
    subprocess.run([sys.executable, "-m", "endophora.report.schema", str(tmp_path)], check=True)
    written = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert written == {path.name: path.read_text("utf-8") for path in PUBLISHED.parent.glob("*.schema.json")}
    target = tmp_path / "result.schema.json"
    target.unlink()
    monkeypatch.setattr(sys, "argv", ["schema", str(target)])
    main()
    assert target.read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize(
    "result", [make(2), make(3, hostile=True), make(0), make(2, nulls=True, comparisons=False)], ids=str.__class__
)
def test_results_are_valid(result):
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.check_schema(SCHEMA)
    assert list(validator.iter_errors(json.loads(render(result, "json")))) == []


def test_schema_refuses_what_is_no_result():
    broken = json.loads(render(make(2), "json"))
    broken["scores"][0]["value"] = "high"
    broken["extra"] = 1
    paths = {error.json_path for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(broken)}
    assert paths == {"$", "$.scores[0].value"}


def test_json_round_trip():
    result = make(3, hostile=True)
    assert Result.model_validate_json(render(result, "json")) == result
