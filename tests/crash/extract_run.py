"""A real extraction as a program, to be killed: python extract_run.py OUTPUT LOG CORPUS [--workers 2 …]."""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "engine"))

from extraction_task import Logged, Parts, setup_of


class _Stream(Parts):
    """Parts, with what a stream counts."""

    @property
    def census(self) -> Any:
        from endophora.corpus.streams import Census

        return Census()


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("output", type=Path)
    parser.add_argument("log")
    parser.add_argument("corpus")
    parser.add_argument("--languages", default="en-de")
    parser.add_argument("--executor", default="process")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--document", type=int, default=20)
    parser.add_argument("--shard", type=int, default=40)
    parser.add_argument("--signature", default="", help="so that no process loads the models only to tell it")
    given = parser.parse_args()
    from endophora.engine import EngineOptions
    from endophora.errors import EndophoraError
    from endophora.extraction.task import ExtractionTask

    module: Any = import_module("endophora.extraction.extract")
    prepared = module.prepared_task

    def logged(setup: Any, executor: str) -> Logged:
        """Return the task of the extraction, which leaves files in the log."""
        task = ExtractionTask(setup, given.signature) if given.signature else prepared(setup, executor)
        return Logged(task, given.log)

    module.prepared_task = logged
    engine = EngineOptions(executor=given.executor, workers=given.workers, shard_segments=given.shard)
    stream: Any = _Stream(given.corpus, given.languages, given.document)
    try:
        done = module.extract(setup_of(given.languages), stream, given.output, module.ExtractOptions(engine=engine))
    except EndophoraError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    summary = done.summary
    print(json.dumps({"checksum": summary.checksum, "worked": summary.worked_shards, "rows": summary.rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
