"""What all tests share: fixtures, pipelines, and how tests are dealt out to processes."""

from __future__ import annotations

import gc
import os
import re
import signal
import sys
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from endophora.annotate import loading
from endophora.process import prepare_process

# As a command does, before numerical libraries are loaded: the threads of each would wait for one another.
prepare_process()

# Whatever the environment says, or each command that a test starts compiles the package again, in up to a second.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Collection only adds to what a process holds, hundreds of megabytes: nothing of it is ever garbage.
gc.disable()


def pytest_collection_finish() -> None:
    """Let the garbage collector never look again at what collection has made, or each of its rounds takes a second."""
    gc.freeze()
    gc.enable()


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

# A command needs two pipelines, tests in turn all of them: each is opened once in a process.
loading._load_own = lru_cache(maxsize=None)(loading._load_own.__wrapped__)

REPOSITORY = Path(__file__).resolve().parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--core``: what needs a library that is not installed is skipped, not failed."""
    parser.addoption("--core", action="store_true", help="skip tests that need a library which is not installed")


_LACKING = re.compile(
    r"No module named '(?!endophora)[\w.]+'|– install it with: pip|\bE150\b|(?<=assert )3 == [02]|\('endophora', 3\) =="
)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Any:
    """Skip a module that imports what is not installed, with ``--core``."""
    return _skipped(collector.config, (yield))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Skip a test that fails for lack of a library, with ``--core``."""
    return _skipped(item.config, (yield))


def _skipped(config: pytest.Config, report: Any) -> Any:
    lacking = _LACKING.search(str(report.longrepr)) if report.failed and config.getoption("--core") else None
    if lacking:
        report.outcome = "skipped"
        report.longrepr = (str(report.fspath), 0, f"Skipped: {lacking.group()}")
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The directory of treebanks, parallel documents and known answers; skips where it is absent."""
    path = Path(os.environ.get("ENDOPHORA_SHARED", REPOSITORY.parent / "shared"))
    if not path.is_dir():
        pytest.skip("the data directory is absent (set ENDOPHORA_SHARED)")
    return path


# Tests that one process does, by how their names begin: those that open every language's pipeline, and trainings in
# processes that are forked from one.
TOGETHER = {
    "tests/languages/": "languages",
    "tests/annotate/test_loading.py": "languages",
    "tests/cli/test_main.py::test_doctor_finds_a_working_installation": "languages",
    "tests/training/translation/test_several_devices.py": "forked",
    "tests/training/translation/test_exact_resume.py": "forked",
    "tests/training/translation/test_stopped_training.py": "forked",
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> object:
    """Give all tests of a file to one process, and those that share what takes long."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            groups = (group for name, group in TOGETHER.items() if nodeid.startswith(name))
            return next(groups, nodeid.partition("::")[0])

    return ByFile(config, log)
