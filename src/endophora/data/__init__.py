"""Example documents that ship with the package, written by hand for it; ``examples/README.md`` says how."""

from __future__ import annotations

from pathlib import Path

from endophora.errors import Fault, InputError

_EXAMPLES = Path(__file__).parent / "examples"
CONTEXT_DEMO = Path(__file__).parent / "context"
"""Text, suite and models of ``endophora context demo``; ``makers/scripts/context_demo.py`` makes them."""


def example_pairs() -> tuple[str, ...]:
    """Return the language pairs that have example documents, such as ``en-de``, in alphabetical order."""
    return tuple(sorted(path.name for path in _EXAMPLES.iterdir() if path.is_dir()))


def example_directory(pair: str) -> Path:
    """Return the directory of the example documents of a language pair (E090), in the layout of WMT."""
    pairs = example_pairs()
    if pair not in pairs:
        raise InputError(Fault("E090", f"unknown pair of example documents “{pair}”", f"known: {', '.join(pairs)}"))
    return _EXAMPLES / pair
