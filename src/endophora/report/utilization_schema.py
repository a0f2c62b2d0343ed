"""The JSON Schemas of perturbations, contrasts and attributions.

``python -m endophora.report.utilization_schema DIR`` writes them.
"""

from __future__ import annotations

import sys
from pathlib import Path

from endophora.context.attribution.result import ATTRIBUTION_SCHEMA_VERSION, AttributionResult
from endophora.context.contrast_result import CONTRAST_SCHEMA_VERSION, ContrastResult
from endophora.context.perturbation.result import PERTURBATION_SCHEMA_VERSION, PerturbationResult
from endophora.report.schema import describe


def schema_texts() -> dict[str, str]:
    """Return file name → the schema (draft 2020-12) as the published file holds it."""
    results = {
        "perturbation.schema.json": (PerturbationResult, "a perturbation", PERTURBATION_SCHEMA_VERSION),
        "contrast.schema.json": (ContrastResult, "contrastive scoring", CONTRAST_SCHEMA_VERSION),
        "attribution.schema.json": (AttributionResult, "an attribution", ATTRIBUTION_SCHEMA_VERSION),
    }
    return {
        name: describe(result, f"Result of {what} by endophora", version)
        for name, (result, what, version) in results.items()
    }


def main() -> None:
    """Write the schemas into the directory that the command line names, or to standard output."""
    for name, text in schema_texts().items():
        if len(sys.argv) > 1:
            (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)


if __name__ == "__main__":
    main()
