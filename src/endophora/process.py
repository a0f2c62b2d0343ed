"""How a process of ours runs, the command's own and those that it starts."""

from __future__ import annotations

import gc
import os

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS")
"""Work is shared out to processes (``--workers``): threads in each would only wait for one another."""


def prepare_process() -> None:
    """Let numerical libraries use one thread unless the user says otherwise, and collect garbage seldom.

    To be called before such a library is imported. A run makes millions of small records that stay to its end; looking
    through them for cycles as often as Python does by default takes a fifth of the time.
    """
    for variable in _THREADS:
        os.environ.setdefault(variable, "1")
    gc.set_threshold(100_000, 50, 100)
