"""JSON Schemas of results. ``python -m endophora.report.schema FILE`` writes that of ``result.json``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import BaseModel

from endophora.evaluation.result import SCHEMA_VERSION, Result


def describe(result: type[BaseModel], title: str, version: int) -> str:
    """Return the JSON Schema (draft 2020-12) of a written result, as a published file holds it.

    Args:
        result: the typed result.
        title: what it is, in a few words.
        version: of the schema.
    """
    described = result.model_json_schema(mode="serialization")
    described["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    described["title"] = f"{title}, version {version} of the schema"
    return json.dumps(described, indent=1, ensure_ascii=False) + "\n"


def schema_text() -> str:
    """Return the schema of an evaluation's result as the published file holds it."""
    return describe(Result, "Result of an evaluation by endophora", SCHEMA_VERSION)


def main() -> None:
    """Write the schema to the file that the command line names, or to standard output."""
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
    else:
        sys.stdout.write(schema_text())


if __name__ == "__main__":
    main()
