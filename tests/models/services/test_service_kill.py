"""A run that is killed with SIGKILL, again and again: what was answered is not asked again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from endophora.models.records import ModelInput
from endophora.models.services import open_service

from .conftest import deepl_answer
from .http_server import FakeService, Reply

SCRIPT = """
import sys
from endophora.models.records import ModelInput
from endophora.models.services import open_service
service = open_service(f"deepl:address={sys.argv[1]},parallel=2", ("en", "de"), cache=sys.argv[2])
service.translate([ModelInput(f"line {n}", (f"context {n}",)) for n in range(40)])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL here")
def test_nothing_is_paid_twice_after_a_kill(tmp_path: Path):
    pytest.importorskip("deepl")
    service = FakeService(lambda body: Reply(deepl_answer(body), delay=0.02))
    cache = tmp_path / "cache.sqlite"
    try:
        for stop in (6, 15):
            run = subprocess.Popen([sys.executable, "-c", SCRIPT, service.address, str(cache)], env=os.environ)
            deadline = time.monotonic() + 60
            while len(service.asked) < stop and time.monotonic() < deadline:
                time.sleep(0.005)
            run.kill()
            run.wait()
        translator = open_service(f"deepl:address={service.address}", ("en", "de"), cache=cache)
        inputs = [ModelInput(f"line {number}", (f"context {number}",)) for number in range(40)]
        found = translator.translate(inputs)
        translator.close()
    finally:
        service.close()
    assert [one.text for one in found] == [f"LINE {number}" for number in range(40)]
    asked = Counter(asked.body["text"][0] for asked in service.asked)
    assert len(asked) == 40
    # Two kills with two requests under way each: no more than these are made again.
    assert sum(asked.values()) <= 44
    assert len(service.asked) >= 40
