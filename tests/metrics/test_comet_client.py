"""The line to COMET's worker: order, requests, and what is said when something goes wrong; a stand-in answers."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comet_folder import FAKE_WORKER
from endophora.errors import InputError, MissingModelError
from endophora.metrics import comet, comet_environment, comet_worker
from endophora.metrics.comet_environment import CometClient

FAKE = [sys.executable, str(FAKE_WORKER)]


def segment(source: str, output: str, reference: str) -> dict[str, list[str]]:
    return {"src": [source], "mt": [output], "ref": [reference]}


def speaking(*lines: str, after: str = "") -> list[str]:
    """Return the command of a worker that prints lines and then does something."""
    return [sys.executable, "-c", f"print({chr(10).join(lines)!r}, flush=True)\n{after}"]


def test_both_sides_have_the_same_protocol():
    assert comet_environment.PROTOCOL == comet_worker.PROTOCOL


def test_scores_come_in_the_order_of_the_segments_whatever_the_size_of_requests(tmp_path: Path):
    segments = [segment("s " * n, "m " * (n + 1), "r " * (n % 3)) for n in range(11)]
    expected = [100 * n + 10 * (n + 1) + n % 3 for n in range(11)]
    log = tmp_path / "requests.jsonl"
    with closing(CometClient([*FAKE, str(log)])) as client:
        client.open("fake/model")
        assert client.score(segments, size=4) == expected
        assert client.score(segments, size=100) == expected
        assert client.score([]) == []
    requests = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [len(request["segments"]) for request in requests[1:]] == [4, 4, 3, 11]
    assert [request["id"] for request in requests] == [1, 2, 3, 4, 5]


@pytest.fixture(scope="module")
def shared_client():
    with closing(CometClient(FAKE)) as client:
        client.open("fake/model")
        yield client


@settings(max_examples=50)
@given(st.lists(st.text(max_size=20), min_size=1, max_size=4))
def test_any_text_survives_the_line(shared_client: CometClient, texts: list[str]):
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    found = shared_client.score([segment(text, text, text) for text in texts], size=2)
    assert found == [111 * len(text.split()) for text in texts]


def test_what_the_worker_tells_of_a_model_is_kept():
    with closing(CometClient(FAKE)) as client:
        model = client.open("qe/model")
    assert client.versions["unbabel-comet"] == "2.2.7"
    assert (model.kind, model.pooling, model.references) == ("regression_metric", "avg", "unused")
    assert model.hash.startswith("0123456789ab")


def test_a_model_that_is_not_there_says_what_fetches_it():
    with (
        closing(CometClient(FAKE)) as client,
        pytest.raises(MissingModelError, match=r"E133.*install comet --model fake/absent"),
    ):
        client.open("fake/absent")


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("dies", "status 9.*it said: out of memory"),
        ("babbles", "no message: “Loading weights…”"),
        ("breaks", "RuntimeError: shapes"),
        ("short", "not one score for each of 2 segments"),
        ("nan", "gives nan for a score"),
        ("confused", "answers request 0, and 2 was asked"),
    ],
)
def test_a_worker_that_fails_is_an_error_that_says_how(fault: str, said: str):
    with closing(CometClient(FAKE)) as client:
        client.open(f"fake/{fault}")
        with pytest.raises(InputError, match=f"E134.*{said}"):
            client.score([segment("a", "b", "c")] * 2)


def test_a_worker_that_does_not_answer_is_ended():
    with closing(CometClient(FAKE, answer_seconds=1.0)) as client:
        client.open("fake/sleeps")
        begin = time.monotonic()
        with pytest.raises(InputError, match=r"E134.*no answer within 1 seconds"):
            client.score([segment("a", "b", "c")])
    assert time.monotonic() - begin < 10


def test_a_worker_that_is_gone_is_an_error_for_every_further_question():
    client = CometClient(FAKE)
    client.close()
    with pytest.raises(InputError, match=r"E134.*ended with status 0"):
        client.open("fake/model")


@pytest.mark.parametrize(
    ("command", "error", "said"),
    [
        (["/nowhere/python"], MissingModelError, "E131.*models install comet"),
        (speaking('{"protocol": 7, "versions": {}}'), MissingModelError, "E135.*protocol 7"),
        (speaking('{"protocol": 1, "versions": {"torch": "2"}}'), MissingModelError, "E135.*no unbabel-comet"),
        (speaking("Hello"), InputError, "E134.*no message: “Hello”"),
        (speaking("[1]"), InputError, "E134.*no message"),
        ([sys.executable, "-c", "raise SystemExit('no torch')"], InputError, "E134.*status 1.*no torch"),
    ],
)
def test_a_worker_that_does_not_greet_rightly_is_an_error(command: list[str], error: type[Exception], said: str):
    with pytest.raises(error, match=said):
        CometClient(command)


def test_a_worker_that_does_not_greet_in_time_is_ended():
    with pytest.raises(InputError, match=r"E134.*no answer within 0.3 seconds"):
        CometClient([sys.executable, "-c", "import time; time.sleep(60)"], greeting_seconds=0.3)


def test_the_worker_script_greets_and_refuses_in_this_environment_too(tmp_path: Path):
    """The script itself, in a python without COMET: it greets, tells what is missing, and ends with its input."""
    lines = [
        {"id": 1, "request": "open", "model": str(tmp_path)},
        {"id": 2, "request": "score"},
        {"id": 3, "request": "?"},
    ]
    done = subprocess.run(
        [sys.executable, "-I", comet_worker.__file__],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    hello, *answers = map(json.loads, done.stdout.splitlines())
    assert hello["protocol"] == comet_worker.PROTOCOL
    assert "python" in hello["versions"]
    assert [(answer["id"], answer["kind"]) for answer in answers] == [(1, "missing"), (2, "failed"), (3, "failed")]
    assert "0 checkpoints" in answers[0]["error"]


def test_what_libraries_print_does_not_come_between_the_answers(tmp_path: Path):
    model = tmp_path / "model"
    (model / "checkpoints").mkdir(parents=True)
    (model / "checkpoints" / "m.ckpt").write_bytes(b"weights")
    (model / "hparams.yaml").write_text("class_identifier: regression_metric\n", encoding="utf-8")
    noisy = tmp_path / "yaml.py"
    noisy.write_text(
        "import os\nprint('banner')\nos.system('echo banner')\n"
        "def safe_load(text):\n    return {'class_identifier': input() if False else 'regression_metric'}\n",
        encoding="utf-8",
    )
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import runpy; "
    code += f"runpy.run_path({comet_worker.__file__!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps({"id": 1, "request": "open", "model": str(model)}) + "\n",
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    _, answer = map(json.loads, done.stdout.splitlines())
    assert answer["hash"] == comet_worker.digest(model / "checkpoints" / "m.ckpt")
    assert answer["references"] == "needed"
    assert done.stderr.count("banner") == 2


@pytest.mark.parametrize(
    ("texts", "longest", "joined"),
    [
        (["one", "two", "three"], 100, "one </s> two </s> three"),
        (["one", "two", "three"], 5, "one </s> two </s> three"),  # three words and two separators
        (["one", "two", "three"], 4, "two </s> three"),
        (["one", "two", "three"], 2, "three"),
        (["one", "two three four"], 2, "two three four"),
        (["o</s>ne", "two"], 100, "o ne </s> two"),
        (["two"], 100, "two"),
    ],
)
def test_context_stands_before_the_sentence_and_gives_way_to_it(texts: list[str], longest: int, joined: str):
    assert comet_worker.with_context(texts, "</s>", longest, lambda text: len(text.split())) == joined


@pytest.mark.parametrize(
    ("settings", "use"),
    [
        ({"class_identifier": "regression_metric"}, "needed"),
        ({"class_identifier": "ranking_metric"}, "needed"),
        ({"class_identifier": "referenceless_regression_metric"}, "unused"),
        ({"class_identifier": "unified_metric", "input_segments": ["mt", "src"]}, "unused"),
        ({"class_identifier": "unified_metric", "input_segments": ["mt", "ref"]}, "needed"),
        ({"class_identifier": "xcomet_metric"}, "used"),
    ],
)
def test_a_model_needs_references_by_its_class(settings: dict[str, object], use: str):
    assert comet_worker.reference_use(settings) == use


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("Unbabel/wmt22-comet-da", "wmt22-comet-da"),
        ("/models/wmt22/checkpoints/model.ckpt", "wmt22"),
        ("C:\\models\\wmt22\\model.ckpt", "wmt22"),
        ("a/b/checkpoints/c.ckpt", "b"),
        ("model.ckpt", "model"),
        ("model", "model"),
        ("/", "/"),
    ],
)
def test_a_model_is_called_by_its_folder_or_its_name_on_the_hub(model, name):
    assert comet._short(model) == name


def test_an_installation_with_a_python_that_is_not_there_says_so(tmp_path):
    with pytest.raises(InputError, match=r"E132.*No such file"):
        comet_environment._step([str(tmp_path / "python"), "-c", "1"], tmp_path)


def test_a_step_that_fails_says_its_last_lines_and_keeps_all_of_them(tmp_path):
    with pytest.raises(InputError, match=r"E132.*status 3 .*deep trouble"):
        comet_environment._step([sys.executable, "-c", "print('deep trouble'); raise SystemExit(3)"], tmp_path)
    assert "deep trouble" in (tmp_path / comet_environment._LOG).read_text("utf-8")
