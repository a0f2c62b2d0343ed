"""Fixtures that all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from endophora.process import prepare_process

# As a command does, before numerical libraries are loaded: the threads of each would wait for one another.
prepare_process()

# The same examples each time, and none that fails because the machine is busy. Fixtures of a function may be shared by
# its examples: they are folders to write into, or skip the test.
settings.register_profile(
    "endophora",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("endophora")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # As in a job in the background; what the tests start would inherit it.
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The directory of treebanks, parallel documents and known answers; skips where it is absent."""
    path = Path(os.environ.get("ENDOPHORA_SHARED", REPOSITORY.parent / "shared"))
    if not path.is_dir():
        pytest.skip("the data directory is absent (set ENDOPHORA_SHARED)")
    return path
