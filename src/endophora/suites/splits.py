"""The splits of a suite as files: one a split, or one data set with all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from endophora.errors import Fault, InputError
from endophora.suites.formats import write_suite
from endophora.suites.huggingface import FILES, write_dataset
from endophora.suites.records import Item, Suite
from endophora.suites.split import SPLITS, Split

DATASETS = {"huggingface": True, "huggingface-jsonl": False}
"""The formats that are a directory → whether it holds Parquet."""

_SUFFIXES = {"jsonl": ".jsonl", "ctxpro": ".json", "contrapro": ".json"}


def split_files(name: str, form: str) -> Sequence[str]:
    """Return the names of the files that :func:`write_splits` may write.

    Args:
        name: of the suite.
        form: name of a format that is written.
    """
    return FILES if form in DATASETS else [f"{name}.{split}{_SUFFIXES.get(form, '')}" for split in SPLITS]


def write_splits(suite: Suite, parts: Mapping[Split, Sequence[Item]], output: str | Path, form: str) -> dict[str, int]:
    """Write the splits of a suite into a directory, ``NAME.test.json`` and so on; an empty split has no file.

    Args:
        suite: what was split; its name begins the files' names.
        parts: split → items.
        output: the directory, made if absent.
        form: name of a format that is written.

    Returns:
        path → items.

    Raises:
        InputError: the directory cannot be made (E026), or what the format's writer finds.
    """
    splits = {name: replace(suite, items=tuple(items)) for name, items in parts.items() if items}
    if form in DATASETS:
        write_dataset(splits, output, parquet=DATASETS[form])
        return {f"{output}, {name}": len(part) for name, part in splits.items()}
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"cannot be made ({error.strerror or error})"
        raise InputError(Fault("E026", cause, "name a directory that you may write to", str(output))) from error
    found: dict[str, int] = {}
    for name, part in splits.items():
        path = Path(output) / f"{suite.name}.{name}{_SUFFIXES.get(form, '')}"
        write_suite(part, path, form)
        found[str(path)] = len(part)
    return found
