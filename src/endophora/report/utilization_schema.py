"""The JSON Schemas of perturbations and contrasts.

``python -m endophora.report.utilization_schema DIR`` writes them.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from endophora.context.contrast_result import CONTRAST_SCHEMA_VERSION, ContrastResult
from endophora.context.perturbation.result import PERTURBATION_SCHEMA_VERSION, PerturbationResult


def schema_texts() -> dict[str, str]:
    """Return file name → the schema (draft 2020-12) as the published file holds it."""
    results = {
        "perturbation.schema.json": (PerturbationResult, "a perturbation", PERTURBATION_SCHEMA_VERSION),
        "contrast.schema.json": (ContrastResult, "contrastive scoring", CONTRAST_SCHEMA_VERSION),
    }
    found: dict[str, str] = {}
    for name, (result, what, version) in results.items():
        described = result.model_json_schema(mode="serialization")
        described["$schema"] = "https://json-schema.org/draft/2020-12/schema"
        described["title"] = f"Result of {what} by endophora, version {version} of the schema"
        found[name] = json.dumps(described, indent=1, ensure_ascii=False) + "\n"
    return found


def main() -> None:
    """Write the schemas into the directory that the command line names, or to standard output."""
    for name, text in schema_texts().items():
        if len(sys.argv) > 1:
            (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
        else:
            sys.stdout.write(text)


if __name__ == "__main__":
    main()
