"""The JSON Schema of ``result.json``. ``python -m endophora.report.schema FILE`` writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from endophora.evaluation.result import SCHEMA_VERSION, Result


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a written result."""
    described = Result.model_json_schema(mode="serialization")
    described["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    described["title"] = f"Result of an evaluation by endophora, version {SCHEMA_VERSION} of the schema"
    return described


def schema_text() -> str:
    """Return the schema as the published file holds it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write the schema to the file that the command line names, or to standard output."""
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
    else:
        sys.stdout.write(schema_text())


if __name__ == "__main__":
    main()
