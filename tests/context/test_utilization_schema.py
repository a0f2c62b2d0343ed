"""The published schemas are those of the results, and results fit them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
from perturbation_fakes import make_corpus, user

from endophora.context.perturbation.options import PerturbationOptions
from endophora.context.perturbation.perturb import perturb
from endophora.report.utilization_schema import schema_texts

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_published_schemas_are_current():
    for name, text in schema_texts().items():
        assert (DOCS / name).read_text("utf-8") == text


def test_a_result_fits_its_schema():
    result = perturb(make_corpus(), {"m": user()}, PerturbationOptions(size=2, resamples=20)).result
    schema = json.loads(schema_texts()["perturbation.schema.json"])
    jsonschema.validate(json.loads(result.model_dump_json()), schema)
