"""Training of translation models and of the classifier of ellipsis."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


@contextmanager
def reproducible(
    threads: int, *, deterministic: bool = True, warn_only: bool = False, fork: bool = True
) -> Generator[None]:
    """Compute on so many threads (0: as many as before) with deterministic kernels; then all is as before.

    ``fork``: so are the random numbers. ``warn_only``: a kernel without a deterministic form is no error.
    """
    torch: Any = import_module("torch")
    filling: Any = torch.utils.deterministic
    before = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled(), filling.fill_uninitialized_memory
    with torch.random.fork_rng(enabled=fork):
        torch.set_num_threads(threads or before[0])
        torch.use_deterministic_algorithms(deterministic, warn_only=warn_only)
        # Torch then writes NaN into all new memory, a seventh of the time; nothing here reads what nobody has written.
        filling.fill_uninitialized_memory = False
        try:
            yield
        finally:
            torch.set_num_threads(before[0])
            torch.use_deterministic_algorithms(before[1])
            filling.fill_uninitialized_memory = before[2]
