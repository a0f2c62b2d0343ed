"""`endophora train model`: settings from file and options, faults, messages, the card."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest
from toy_text import toy_documents, write_toy

from command import run
from endophora.cli.commands import build
from endophora.cli.train import model
from endophora.errors import InputError
from endophora.stopping import watch_signals
from endophora.training.translation.card import TranslationCard
from endophora.training.translation.settings import TrainingSettings, make_settings

FAST = [
    "--preset",
    "tiny",
    "--context-size",
    "1",
    "--vocabulary-size",
    "420",
    "--batch-tokens",
    "600",
    "--device",
    "cpu",
    "--threads",
    "1",
]


@pytest.fixture
def texts(tmp_path: Path) -> dict[str, str]:
    """Training, validation and test text as TSV files."""
    made = {"train": toy_documents(30), "validation": toy_documents(6, 1, "v"), "test": toy_documents(4, 2, "t")}
    return {name: str(write_toy(tmp_path / f"{name}.tsv", documents)) for name, documents in made.items()}


def test_every_setting_has_an_option_and_its_default_is_in_the_help():
    helps = {each.name: each.help for each in build(model).params}
    assert set(TrainingSettings.model_fields) <= set(helps)
    words = {
        "dynamic": "draw",
        "context_loss": "yes",
        "architecture": "concatenation",
        "window": "as --longest",
        "freeze": "no",
        "gates": "no",
    }
    for name, field in TrainingSettings.model_fields.items():
        default = words.get(name, "the preset's" if field.default is None else field.default)
        shown = f"{default:g}" if isinstance(default, float) else str(default)
        assert name == "minutes" or helps[name].endswith(f"[{shown}]"), name


def test_a_model_is_trained_and_its_card_tells_all(
    texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "sources.json").write_text(
        json.dumps({"sources": [{"name": "toy", "licence": "CC0 1.0", "domain": "furniture"}], "notes": {"x": 3}})
    )
    (tmp_path / "settings.yaml").write_text("updates: 20\nevaluate_every: 5\nseed: 7\n")
    out = tmp_path / "model"
    paths = ("--train", texts["train"], "--validation", texts["validation"], "--test", texts["test"])
    command = ("train", "model", "--languages", "en-de", *paths, *FAST, "--settings", str(tmp_path / "settings.yaml"))
    assert run(*command, "--updates", "10", "--output", str(out)) == 0
    shown = capsys.readouterr()
    card = TranslationCard.model_validate_json((out / "card.json").read_text("utf-8"))
    assert (card.update, card.ended, card.settings["seed"]) == (10, "updates", 7)
    assert [row["update"] for row in card.history] == [5, 10]
    assert card.texts["train"].segments == 60
    assert {(score.metric, score.context) for score in card.scores} == {
        (m, k) for m in ("BLEU", "chrF2") for k in (0, 1)
    }
    for word in ("loss", "words/s", "left", "validation perplexity"):
        assert word in shown.err
    assert "BLEU" in shown.out
    page = (out / "README.md").read_text("utf-8")
    for word in (
        "CC0 1.0",
        "furniture",
        "60",
        "0.1 million parameters",
        "Do not expect",
        "3 x",
        "ended at its limit of updates",
    ):
        assert word in page


def test_three_parallel_files_are_a_text(texts: dict[str, str], tmp_path: Path):
    rows = [(d.id, s.source, s.references["reference"]) for d in toy_documents(30) for s in d.segments]
    for name, column in zip(("ids", "en", "de"), zip(*rows, strict=True), strict=True):
        (tmp_path / f"a.{name}").write_text("\n".join(column) + "\n")
    triple = [str(tmp_path / f"a.{name}") for name in ("en", "de", "ids")]
    named = ("--source", triple[0], "--target", triple[1], "--documents", triple[2])
    command = ("train", "model", "--languages", "en-de", *FAST, "--updates", "1", "--quiet")
    digests = set()
    for number, form in enumerate((named, ("--train", ",".join(triple)), ("--train", texts["train"]))):
        out = tmp_path / f"model{number}"
        assert run(*command, *form, "--validation", ",".join(triple), "--output", str(out)) == 0
        digests.add(json.loads((out / "card.json").read_text())["texts"]["train"]["digest"])
    assert len(digests) == 1


def test_faulty_lines_stop_it_or_are_counted(texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    with Path(texts["train"]).open("a") as stream:
        stream.write("d99\tno target\t\nd99\tone\n")
    command = ("train", "model", "--languages", "en-de", *FAST, "--updates", "1", "--output", str(tmp_path / "m"))
    paths = ("--train", texts["train"], "--validation", texts["validation"])
    assert run(*command, *paths) == 2
    assert "[E010]" in capsys.readouterr().err
    assert run(*command, *paths, "--skip-faults") == 0
    assert "2 faulty lines" in capsys.readouterr().err
    card = TranslationCard.model_validate_json((tmp_path / "m" / "card.json").read_text("utf-8"))
    assert sum(card.texts["train"].left_out.values()) == 2


def test_segments_that_are_too_long_are_counted(
    texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    with Path(texts["train"]).open("a") as stream:
        stream.write(f"d99\t{'it is ' * 99}\tsie ist\n")
    paths = ("--train", texts["train"], "--validation", texts["validation"], "--output", str(tmp_path / "m"))
    assert run("train", "model", "--languages", "en-de", *FAST, "--longest", "100", "--updates", "1", *paths) == 0
    assert "train: 1 segments of more than 100 tokens" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--train", "{train}"), "E098"),
        (("--train", "{train}", "--validation", "{validation}", "--dropout", "3"), "E290"),
        (("--train", "{train}", "--validation", "{validation}", "--architecture", "none"), "E290"),
        (("--train", "{train}", "--validation", "{validation}", "--preset", "none"), "E270"),
        (("--train", "{train}", "--validation", "{validation}", "--device", "abacus"), "E296"),
        (("--train", "{train}", "--validation", "{validation}", "--start", "nowhere"), "E295"),
        (("--train", "{train}", "--validation", "{validation}", "--vocabulary", "{train}"), "E295"),
        (("--train", "{train}", "--validation", "{validation}", "--settings", "nowhere"), "E290"),
        (("--train", "{train}", "--validation", "{validation}", "--sources", "{train}"), "E298"),
        (("--source", "{train}", "--validation", "{validation}"), "E099"),
        (("--train", "{train}", "--validation", "{validation}", "--columns", "a,b"), "E206"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(
    arguments: tuple[str, ...], code: str, texts: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    filled = [argument.format(**texts) for argument in arguments]
    fast = [] if "--preset" in filled else FAST
    assert run("train", "model", "--languages", "en-de", *fast, *filled, "--output", str(tmp_path / "m")) in (2, 3)
    shown = capsys.readouterr().err
    assert f"[{code}]" in shown
    assert "Traceback" not in shown


def test_all_faults_of_the_settings_are_named_at_once(tmp_path: Path):
    path = tmp_path / "settings.yaml"
    path.write_text("colour: red\nupdates: -1\n")
    with pytest.raises(InputError) as caught:
        make_settings({"clip": -1}, path)
    assert {fault.code for fault in caught.value.faults} == {"E290"}
    assert sorted(fault.file for fault in caught.value.faults) == ["--clip", str(path), str(path)]
    path.write_text("- a\n- b\n")
    with pytest.raises(InputError, match="no table"):
        make_settings({}, path)


def test_a_library_that_is_missing_is_told_with_the_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("endophora.models.loading.find_spec", lambda name: None)
    assert run("train", "model", "--languages", "en-de", "--output", "x") == 3
    assert "pip install 'endophora[train]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("number", "status", "launched"), [(signal.SIGTERM, 143, False), (signal.SIGINT, 130, False), (15, 143, True)]
)
def test_a_signal_or_the_launchers_death_ends_it_after_an_update_and_the_same_command_goes_on(
    number: int,
    status: int,
    launched: bool,
    texts: dict[str, str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    # An update may take longer here, and the process that would be ended is that of the tests.
    monkeypatch.setattr("endophora.stopping.GRACE", 60.0)
    paths = ("--train", texts["train"], "--validation", texts["validation"], "--output", str(tmp_path / "m"))
    command = ("train", "model", "--languages", "en-de", *FAST, *paths, "--evaluate-every", "3", "--patience", "10000")
    command = (*command, "--updates", "5000")
    before = signal.getsignal(number)
    checkpoint = tmp_path / "m" / "work" / "checkpoint.safetensors"

    def interrupt() -> None:
        """Wait until the training is at work, and send the signal."""
        while not checkpoint.exists():
            time.sleep(0.02)
        if launched:
            orphaned.set()
        else:
            os.kill(os.getpid(), number)

    parent, orphaned = os.getppid(), threading.Event()
    if launched:
        # Nothing sends a signal: the command itself must see that its launcher is gone.
        monkeypatch.setenv("TORCHELASTIC_RUN_ID", "1")
        monkeypatch.setattr(os, "getppid", lambda: 1 if orphaned.is_set() else parent)
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    give_back = watch_signals()
    try:
        assert run(*command) == status
    finally:
        give_back()
    thread.join()
    assert "[E297]" in capsys.readouterr().err
    assert signal.getsignal(number) == before
    # A second watch would see the real parent come back after the test, and end the tests.
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    assert run(*command, "--updates", "1") == 0
    assert "taken up again after update" in capsys.readouterr().err
