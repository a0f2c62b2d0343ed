"""The published schemas are those of the results, and results fit them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from perturbation_fakes import make_corpus, user

from endophora.context.attribution.results import (
    AttributedModel,
    AttributionResult,
    AttributionSettings,
    AttributionShare,
    ParetoPoint,
)
from endophora.context.perturbation.conditions import PerturbationOptions
from endophora.context.perturbation.perturb import perturb
from endophora.record import Interval
from endophora.report.schema import schema_text

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize("name", ["perturbation", "contrast", "attribution", "study"])
def test_published_schemas_are_current(name: str):
    assert (DOCS / f"{name}.schema.json").read_text("utf-8") == schema_text(name)


def test_a_result_fits_its_schema():
    result = perturb(make_corpus(), {"m": user()}, PerturbationOptions(size=2, resamples=20)).result
    schema = json.loads(schema_text("perturbation"))
    jsonschema.validate(json.loads(result.model_dump_json()), schema)


def test_an_attribution_fits_its_schema_and_nothing_else_does():
    interval = Interval(low=1.0, high=3.0)
    kind = {"measure": "support", "kind": "all", "group": "", "value": 2.0, "words": 7}
    result = AttributionResult(
        version="1",
        signature="s",
        data="toy",
        settings=AttributionSettings(
            method="alti",
            rows="word",
            context_size=2,
            sides="both",
            units="documents",
            resamples=10,
            trials=10,
            confidence=0.95,
            alpha=0.05,
            seed=1,
        ),
        models=[AttributedModel(name="m", signature="m", context=True, cut_off=0)],
        words=7,
        left_out={"no room": 1},
        shares=[
            AttributionShare(model="m", interval=interval, **kind),
            AttributionShare(model="n", interval=None, **kind),
        ],
        differences=[],
        pareto=[ParetoPoint(model="m", accuracy=50.0, support=2.0, dominated=False)],
        examples=[],
        warnings=[],
    )
    validator = jsonschema.Draft202012Validator(json.loads(schema_text("attribution")))
    written = json.loads(result.model_dump_json())
    assert validator.is_valid(written)
    written["shares"][0]["value"] = "much"
    written["more"] = 1
    assert {error.json_path for error in validator.iter_errors(written)} == {"$", "$.shares[0].value"}
