"""``translate`` and ``score``: files in, lines out, whichever model; nothing is paid for unasked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import run
from endophora.models import specs
from endophora.models.records import ModelInput, ScoredTarget, Translation
from endophora.models.services import Cost
from endophora.models.services.records import Usage


class Fake:
    """A model that answers with what it was given."""

    signature = "fake"
    vocabulary = range(3)
    uses_target_context = True

    def __init__(self) -> None:
        self.seen: list[ModelInput] = []

    def length(self, sentence):
        return len(sentence)

    def translate(self, inputs, decoding=None):
        self.seen += inputs
        return [Translation(one.source.upper(), -1.5, "odd" if "b" in one.source else "") for one in inputs]

    def score(self, inputs, targets):
        import numpy as np

        self.seen += inputs
        return [
            ScoredTarget(one, (one, "</s>"), ((0, len(one)), (len(one),) * 2), np.array([-1.0, -0.5]))
            for one in targets
        ]


class Paid(Fake):
    def estimate(self, inputs):
        return Cost(len(inputs), 0, Usage(9, 0), "characters", 1.0, 2.0, "EUR", "a list")


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "source").write_text("a b\nc\nd\n")
    (tmp_path / "target").write_text("x y\nz\nw\n")
    (tmp_path / "ids").write_text("1\n1\n2\n")
    return tmp_path


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Fake:
    fake = Fake()
    monkeypatch.setitem(specs.KINDS._entries, "fake", lambda argument, options: fake)
    return fake


def arguments(text: Path, *more: str) -> list[str]:
    files = ["-s", str(text / "source"), "-d", str(text / "ids"), "--store", str(text / "store.sqlite")]
    return ["-l", "en-de", *files, "-M", "fake:", *more]


def test_translations_come_line_by_line_with_their_own_context(text: Path, model: Fake, capsys):
    assert run("translate", *arguments(text)) == 0
    out, err = capsys.readouterr()
    assert out == "A B\nC\nD\n"
    assert "1 segments: odd" in err
    assert model.seen == [ModelInput("a b"), ModelInput("d"), ModelInput("c", ("a b",), ("A B",))]


@pytest.mark.parametrize(
    ("more", "wanted"),
    [
        (("--sides", "none"), ModelInput("c")),
        (("--sides", "source"), ModelInput("c", ("a b",))),
        (("--context", "0"), ModelInput("c")),
        (("--gold", "-r", "target"), ModelInput("c", ("a b",), ("x y",))),
    ],
)
def test_context_is_where_it_is_asked_for(text: Path, model: Fake, more: tuple[str, ...], wanted: ModelInput):
    more = tuple(str(text / one) if one == "target" else one for one in more)
    assert run("translate", *arguments(text, "-q", *more)) == 0
    assert wanted in model.seen


def test_translations_as_json_lines_in_a_file(text: Path, model: Fake):
    assert run("translate", *arguments(text, "-f", "jsonl", "-o", str(text / "out"))) == 0
    rows = [json.loads(line) for line in (text / "out").read_text().splitlines()]
    assert [(row["document"], row["segment"], row["translation"]) for row in rows] == [
        ("1", 1, "A B"),
        ("1", 2, "C"),
        ("2", 1, "D"),
    ]
    assert rows[0]["logprob"] == -1.5
    assert not (text / "out.part").exists()


def test_scores_of_segments_and_of_tokens(text: Path, model: Fake, capsys):
    named = ["-r", f"gold={text / 'target'}", "-y", f"same={text / 'source'}"]
    assert run("score", *arguments(text, *named)) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[:3] == [
        "document\tsegment\tname\tlogprob\ttokens\tsource_given\tsource_kept\ttarget_given\ttarget_kept",
        "1\t1\tgold\t-1.5000\t2\t0\t0\t0\t0",
        "1\t2\tgold\t-1.5000\t2\t1\t1\t1\t1",
    ]
    assert len(out.splitlines()) == 7
    assert "gold: 3 segments, log-probability -1.5000 a segment, perplexity 2.117" in err
    assert ModelInput("c", ("a b",), ("x y",)) in model.seen
    assert ModelInput("c", ("a b",), ("a b",)) in model.seen
    assert run("score", *arguments(text, *named[:2], "-f", "jsonl", "-q")) == 0
    out, err = capsys.readouterr()
    row = json.loads(out.splitlines()[0])
    assert (row["pieces"], row["spans"], row["logprobs"]) == (["x y", "</s>"], [[0, 3], [3, 3]], [-1.0, -0.5])
    assert not err


def test_a_service_is_not_paid_unasked(text: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setitem(specs.KINDS._entries, "fake", lambda argument, options: Paid())
    assert run("translate", *arguments(text)) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "[E285]" in err
    assert "1.0000 EUR" in err
    assert run("translate", *arguments(text, "--yes")) == 0
    assert run("translate", *arguments(text, "--max-cost", "3")) == 0


@pytest.mark.parametrize(
    ("more", "code"),
    [
        (("--sides", "left"), "E272"),
        (("-f", "xml"), "E090"),
        (("--precision", "int3"), "E272"),
        (("--gold",), "E099"),
        (("-o", "/dev/null/x"), "E355"),
    ],
)
def test_wrong_options_are_told(text: Path, model: Fake, capsys, more: tuple[str, ...], code: str):
    assert run("translate", *arguments(text, *more)) == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_nothing_to_score_is_told(text: Path, model: Fake, capsys):
    assert run("score", *arguments(text)) == 2
    assert "[E099]" in capsys.readouterr().err


def test_a_precision_that_there_is_not_is_told(capsys):
    pytest.importorskip("torch")
    assert run("models", "convert", "x", "y", "--precision", "int3") == 2
    assert "[E272]" in capsys.readouterr().err


class Breaking(Fake):
    """A model whose process is ended after some segments, as by a kill: what it has answered by then is kept."""

    signature = "breaking"
    shard = 1

    def __init__(self, after: int) -> None:
        super().__init__()
        self._left = after

    def _end(self, inputs):
        self._left -= len(inputs)
        if self._left < 0:
            raise KeyboardInterrupt

    def translate(self, inputs, decoding=None):
        self._end(inputs)
        return super().translate(inputs, decoding)

    def score(self, inputs, targets):
        self._end(inputs)
        return super().score(inputs, targets)


@pytest.mark.parametrize(("command", "option"), [("translate", ""), ("translate", "--chunk=1"), ("score", "")])
def test_a_broken_run_is_taken_up_where_it_ended_with_the_same_lines(
    text: Path, monkeypatch, command: str, option: str
):
    more = ["-k", "1", "-f", "jsonl", *([option] * bool(option))]
    more += ["-r", str(text / "target")] * (command == "score")
    models = {"broken": Breaking(2), "again": Breaking(1), "whole": Breaking(99)}
    for name, model in models.items():
        monkeypatch.setitem(specs.KINDS._entries, "fake", lambda argument, options, model=model: model)
        keep = ["--no-store"] if name == "whole" else []
        status = run(command, *arguments(text, *more, *keep, "-o", str(text / name)))
        assert bool(status) is (name == "broken")
    assert len(models["again"].seen) == 1
    assert not (text / "broken").exists()
    assert (text / "again").read_bytes() == (text / "whole").read_bytes()
