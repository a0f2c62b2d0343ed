"""JSON Schemas of results. ``python -m endophora.report.schema DIR`` writes all, ``… FILE`` the one of that name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import BaseModel

from endophora.context.attribution.results import AttributionResult
from endophora.context.results import ContrastResult, CxmiResult, PerturbationResult
from endophora.context.study import UtilizationResult
from endophora.evaluation.comparing import ComparisonResult
from endophora.evaluation.result import Result

_SCHEMAS: dict[str, tuple[type[BaseModel], str]] = {
    "result": (Result, "Result of an evaluation by endophora"),
    "comparison": (ComparisonResult, "Comparison of two results by endophora"),
    "cxmi": (CxmiResult, "CXMI measured by endophora"),
    "perturbation": (PerturbationResult, "Result of a perturbation by endophora"),
    "contrast": (ContrastResult, "Result of contrastive scoring by endophora"),
    "study": (UtilizationResult, "A study of context use by endophora"),
    "attribution": (AttributionResult, "Result of an attribution by endophora"),
}


def schema_text(name: str = "result") -> str:
    """Return a JSON Schema (draft 2020-12) as the published file ``NAME.schema.json`` holds it."""
    result, title = _SCHEMAS[name]
    described = result.model_json_schema(mode="serialization")
    described["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    version = described["properties"]["schema_version"]["default"]
    described["title"] = f"{title}, version {version} of the schema"
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the schemas to where the command line says, or that of ``result.json`` to standard output."""
    if len(sys.argv) < 2:
        sys.stdout.write(schema_text())
        return
    place = Path(sys.argv[1])
    for name in _SCHEMAS if place.is_dir() else [place.name.removesuffix(".schema.json")]:
        path = place / f"{name}.schema.json" if place.is_dir() else place
        path.write_text(schema_text(name), encoding="utf-8")


if __name__ == "__main__":
    main()
