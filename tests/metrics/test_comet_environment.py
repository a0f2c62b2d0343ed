"""What COMET's worker may say and how it is read, and where its environment is looked for; workers of one line."""

from __future__ import annotations

import json
import sys
from contextlib import closing
from pathlib import Path

import pytest

from endophora.errors import InputError, MissingModelError
from endophora.metrics import comet, comet_environment
from endophora.metrics.comet import Comet, DocComet
from endophora.metrics.comet_environment import CometModel, environment_folder, installed_environment, worker_command

VERSIONS = {"unbabel-comet": "2.2.7", "torch": "2.6"}
WORKER = """
import json, sys
print(json.dumps({"protocol": 1, "versions": %r}), flush=True)
for reply in %r:
    sys.stdin.readline()
    print(reply, flush=True)
"""


def client(*replies: object) -> comet_environment.CometClient:
    """Return the client of a worker that has these answers."""
    code = WORKER % (VERSIONS, [json.dumps(reply) for reply in replies])
    return comet_environment.CometClient([sys.executable, "-I", "-S", "-c", code], greeting_seconds=20)


OPENED = {"id": 1, "checkpoint": "c", "hash": "h", "class": "k", "pooling": "avg", "references": "needed"}


def test_an_opened_model_is_what_the_worker_says():
    with closing(client(OPENED)) as made:
        assert made.versions == VERSIONS
        assert made.open("m") == CometModel("c", "h", "k", "avg", "needed")


@pytest.mark.parametrize(
    ("reply", "fetch", "kind", "said"),
    [
        ({"id": 1, "error": "no", "kind": "refused"}, False, InputError, "E136.*COMET: no.*without context"),
        ({"id": 1, "error": "no", "kind": "missing"}, False, MissingModelError, "E133.*install comet --model NAME/m"),
        ({"id": 1, "error": "no", "kind": "missing"}, True, MissingModelError, "E133.*COMET: no.*check the name"),
        ({"id": 1, "error": "no", "kind": "failed"}, False, InputError, "E134.*failed: no"),
        ({"id": 1, "error": "no"}, False, InputError, "E134.*failed: no"),
        ({"id": 2}, False, InputError, "E134.*answers request 2, and 1 was asked"),
        ({"id": 1}, False, InputError, "E134.*lacks 'checkpoint'"),
        ([1], False, InputError, "E134.*no message"),
    ],
)
def test_what_the_worker_says_against_a_model(reply: object, fetch: bool, kind: type[Exception], said: str):
    with closing(client(reply)) as made, pytest.raises(kind, match=f"(?s){said}"):
        made.open("NAME/m", fetch=fetch)


@pytest.mark.parametrize(
    ("scores", "said"),
    [([1], "one score for each of 2"), (None, "one score"), ([1, "2"], "gives 2"), ([1, float("inf")], "gives inf")],
)
def test_scores_are_a_finite_number_for_each_segment(scores: object, said: str):
    with closing(client({"id": 1, "scores": scores})) as made, pytest.raises(InputError, match=f"E134.*{said}"):
        made.score([{"src": ["a"]}, {"src": ["b"]}])


def test_scores_of_all_requests_are_put_together():
    with closing(client({"id": 1, "scores": [1, 0.5]}, {"id": 2, "scores": [-2]})) as made:
        assert made.score([{"src": ["a"]}] * 3, size=2) == [1.0, 0.5, -2.0]


def test_the_environment_is_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ENDOPHORA_COMET", str(tmp_path))
    assert environment_folder() == tmp_path
    with pytest.raises(MissingModelError, match=r"E131.*not installed in"):
        worker_command()
    python = comet_environment._python_of(tmp_path)
    python.parent.mkdir()
    python.touch()
    assert worker_command() == [str(python), "-I", "-W", "ignore", str(comet_environment.WORKER)]
    assert comet_environment.WORKER.is_file()
    monkeypatch.setenv("ENDOPHORA_COMET", "")
    assert environment_folder().parts[-2:] == ("endophora", "comet")


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ('{"versions": {"torch": "2"}, "size": 7}', 7),
        ('{"versions": {"torch": "2"}}', None),
        ('{"size": 7}', None),
        ('{"versions": {}, "size": "x"}', None),
        ("[]", None),
        ("no", None),
    ],
)
def test_an_environment_made_to_its_end_has_its_mark(
    text: str, size: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ENDOPHORA_COMET", str(tmp_path))
    assert installed_environment() is None
    (tmp_path / "endophora-comet.json").write_text(text, "utf-8")
    found = installed_environment()
    assert (found and (found.folder, found.versions, found.size)) == (size and (tmp_path, {"torch": "2"}, size))


def test_the_last_lines_are_those_that_are_not_empty():
    assert comet_environment._last_lines("a\n\n b \n\nc\n \n", 2) == "b / c"
    assert comet_environment._last_lines("a\n", 2) == "a"
    assert comet_environment._last_lines("", 2) == ""


class Scores:
    """Stands for a client: a segment's score is the number of its texts of the source and of the reference."""

    versions = {"unbabel-comet": "2.2.7", "torch": "2.6"}  # noqa: RUF012

    def __init__(self) -> None:
        self.asked: list[tuple[list[dict[str, list[str]]], bool]] = []

    def score(self, segments: list[dict[str, list[str]]], *, context: bool = False) -> list[float]:
        self.asked.append((segments, context))
        return [10.0 * len(each["src"]) + len("".join(each.get("ref", []))) for each in segments]


def opened(monkeypatch: pytest.MonkeyPatch, references: str = "needed", kind: str = "regression_metric") -> Scores:
    made = Scores()
    model = CometModel("c", "0123456789abcdef", kind, "avg", references)  # pyright: ignore[reportArgumentType]
    monkeypatch.setattr(comet, "_open", lambda name: (made, model))
    return made


def test_comet_scores_each_reference_and_takes_the_mean(monkeypatch: pytest.MonkeyPatch):
    made = opened(monkeypatch)
    sums = Comet("de", "m").statistics(["h", "i"], [["a", "b"], ["aaa", "b"]], sources=["s", "t"])
    assert sums.tolist() == [[12, 1], [11, 1]]
    assert made.asked[0] == (
        [{"src": ["s"], "mt": ["h"], "ref": ["a"]}, {"src": ["t"], "mt": ["i"], "ref": ["b"]}],
        False,
    )


def test_doc_comet_reads_the_sentences_before_in_the_same_document(monkeypatch: pytest.MonkeyPatch):
    made = opened(monkeypatch)
    DocComet("de", "m@1").statistics(["h", "i", "j"], [["a", "b", "c"]], [0, 0, 1], ["s", "t", "u"])
    assert made.asked == [
        (
            [
                {"src": ["s"], "mt": ["h"], "ref": ["a"]},
                {"src": ["s", "t"], "mt": ["a", "i"], "ref": ["a", "b"]},
                {"src": ["u"], "mt": ["j"], "ref": ["c"]},
            ],
            True,
        )
    ]


def test_a_model_without_references_reads_the_output_alone(monkeypatch: pytest.MonkeyPatch):
    made = opened(monkeypatch, "unused")
    DocComet("de", "m").statistics(["h", "i"], [["a", "b"]], [0, 0], ["s", "t"])
    assert made.asked == [([{"src": ["s"], "mt": ["h"]}, {"src": ["s", "t"], "mt": ["h", "i"]}], True)]


def test_references_are_used_by_a_model_that_may(monkeypatch: pytest.MonkeyPatch):
    made = opened(monkeypatch, "used")
    Comet("de", "m").statistics(["h"], [], sources=["s"])
    Comet("de", "m").statistics(["h"], [["a"]], sources=["s"])
    assert ["ref" in asked[0] for asked, _ in made.asked] == [False, True]


def test_the_signature_of_comet_says_model_references_and_context(monkeypatch: pytest.MonkeyPatch):
    opened(monkeypatch)
    assert Comet("de", "Owner/name").signature() == (
        "nrefs:1|model:name|checkpoint:0123456789ab|torch:2.6|version:2.2.7"
    )
    assert Comet("de", "name").signature(references=2, short=True) == "#:2|r:mean|m:name|ck:0123456789ab|t:2.6|v:2.2.7"
    assert DocComet("de", "name@3").signature(references=2) == (
        "nrefs:2|references:mean|model:name|checkpoint:0123456789ab|context:3|hypothesis-context:reference"
        "|torch:2.6|version:2.2.7"
    )
    opened(monkeypatch, "unused")
    assert DocComet("de", "name").signature(references=2, short=True) == (
        "#:0|m:name|ck:0123456789ab|ctx:2|hctx:own|t:2.6|v:2.2.7"
    )


@pytest.mark.parametrize("kind", ["regression_metric", "referenceless_regression_metric", "unified_metric"])
def test_context_needs_a_model_that_pools(kind: str, monkeypatch: pytest.MonkeyPatch):
    opened(monkeypatch, kind=kind)
    Comet("de", "m").signature()
    if kind == "unified_metric":
        with pytest.raises(InputError, match=r"E136.*unified_metric with pooling “avg”"):
            DocComet("de", "m").signature()
    else:
        assert "context:2" in DocComet("de", "m").signature()


@pytest.mark.parametrize(
    ("argument", "model", "context"),
    [("m", "m", 2), ("m@1", "m", 1), ("a@b@12", "a@b", 12)],
)
def test_the_context_of_doc_comet_stands_after_its_model(argument: str, model: str, context: int):
    made = DocComet("de", argument)
    assert (made.model, made.context, made.name) == (model, context, f"doc-COMET {model}")


@pytest.mark.parametrize("argument", ["m@0", "m@", "m@-1", "m@x", "m@²", ""])
def test_a_context_is_a_number_of_sentences(argument: str):
    with pytest.raises(InputError, match="E130"):
        DocComet("de", argument)
