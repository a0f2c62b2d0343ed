"""What commands of pages take from outside, made here: services, COMET, a Ray cluster, a fetched test set.

Each is in the form that its makers document, as in the tests of the room that asks it; none is the thing itself.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from comet_folder import make_interpreter
from endophora.metrics import comet
from fetched_test_set import fetched
from models.services.completions_model import Model
from models.services.conftest import chat, chat_answer, deepl_answer
from models.services.http_server import FakeService
from tiny_encoder import make_encoder

JUDGED = chat(json.dumps({"reason": "so it is", "verdict": "right"}))
REPOSITORY = Path(__file__).resolve().parents[2]
PRICES = """\
deepl: {unit: characters, input: 20, currency: EUR, looked_up: 2026-11-20, source: made up}
openai:gpt-4.1: {unit: tokens, input: 2, output: 8, currency: USD, looked_up: 2026-11-20, source: made up}
"""


@contextmanager
def services(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Serve what DeepL, OpenAI's chat and a server of completions answer; their address is ``$SERVER``."""
    model = Model(folder / "llama")

    def answer(body: Any) -> Any:
        if "text" in body:
            return deepl_answer(body)
        if "messages" not in body:
            return model.answer(body)
        marked = re.search(r"^\[\[\d+\]\] ", body["messages"][1]["content"], re.M)
        return chat_answer(body) if marked else JUDGED

    service = FakeService(answer)
    monkeypatch.setenv("SERVER", service.address)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    for name in ("DEEPL_AUTH_KEY", "OPENAI_API_KEY"):
        monkeypatch.setenv(name, "a-key")
    (folder / "prices.yaml").write_text(PRICES, "utf-8")
    try:
        yield
    finally:
        service.close()
    assert service.asked


@contextmanager
def environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Make an interpreter whose environments have a stand-in for COMET's worker, and name the environment's place."""
    monkeypatch.setenv("ENDOPHORA_COMET", str(folder / "comet"))
    monkeypatch.setenv("INTERPRETER", str(make_interpreter(folder)))
    if not (folder / "comet").exists():
        from command import run

        assert run("models", "install", "comet", "--python", os.environ["INTERPRETER"]) == 0
    try:
        yield
    finally:
        for client, _ in comet._running.values():
            client.close()
        comet._running.clear()


@contextmanager
def cluster(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Start a Ray cluster that says it has a GPU; ``auto`` finds it."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    utils = pytest.importorskip("ray.cluster_utils")
    bare = {"include_dashboard": False, "include_log_monitor": False, "no_monitor": True}
    sizes = {"num_cpus": 1, "num_gpus": 1, "object_store_memory": 80 * 1024 * 1024}
    made = utils.Cluster(initialize_head=True, head_node_args={**sizes, **bare})
    monkeypatch.setenv("RAY_ADDRESS", made.address)
    try:
        yield
    finally:
        made.shutdown()


@contextmanager
def fetched_test_set(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Write the example as the test set of WMT 2024 that sacreBLEU has fetched."""
    names = ("ids.txt", "source.txt", "reference.txt")
    rows = zip(*((folder / name).read_text("utf-8").splitlines() for name in names), strict=True)
    parts = ['<dataset id="wmttest2024.en-de">']
    for document, lines in groupby(rows, key=lambda row: row[0]):
        _, *texts = zip(*lines, strict=True)
        parts.append(f'<doc origlang="en" id="{document}">')
        for begin, side in zip(('src lang="en"', 'ref lang="de" translator="refA"'), texts, strict=True):
            segments = "".join(f'<seg id="{number}">{text}</seg>' for number, text in enumerate(side, 1))
            parts.append(f"<{begin}><p>{segments}</p></{begin[:3]}>")
        parts.append("</doc>")
    fetched(folder, "\n".join([*parts, "</dataset>"]), monkeypatch)
    yield


@contextmanager
def encoder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Write a tiny encoder with random weights under the name of BERT, and sentences labelled for ellipsis."""
    text = (REPOSITORY / "tests" / "phenomena" / "data" / "ellipsis-dev.tsv").read_text("utf-8")
    make_encoder(folder / "bert-base-cased", text.splitlines())
    (folder / "labelled.tsv").write_text(text, "utf-8")
    yield


Outside = Callable[[Path, pytest.MonkeyPatch], AbstractContextManager[None]]
OUTSIDE: dict[str, Outside] = {
    "services": services,
    "comet": environment,
    "ray": cluster,
    "test set": fetched_test_set,
    "encoder": encoder,
}
