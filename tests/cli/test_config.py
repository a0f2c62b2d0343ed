"""``--config FILE``: any option of any command, as if it were typed; what is typed wins."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cli.test_options_of_records import SEEN, Side, Study, study, train
from cli.test_suite_command import ITEMS
from command import run
from endophora.cli.commands import build
from endophora.errors import InputError


def _run(function: Any, path: Path, text: str, *typed: str) -> dict[str, Any]:
    SEEN.clear()
    path.write_text(text, encoding="utf-8")
    build(function).main(["--config", str(path), *typed], standalone_mode=False, prog_name="endophora study")
    return SEEN


TOML = """
main = "source"
lower = true
side = ["source", "both"]
size = 7
resamples = 0
[share]
a = 0.5
b = 1
"""
YAML = """
main: source
lower: true
side: [source, both]
size: 7
resamples: 0
share: {a: 0.5, b: 1}
"""
FOUND = Study(
    main=Side.SOURCE,
    higher=False,
    sides=(Side.SOURCE, Side.BOTH),
    sizes=(7,),
    resamples=0,
    shares={"a": 0.5, "b": 1.0},
)


@pytest.mark.parametrize(("name", "text"), [("a.toml", TOML), ("a.yaml", YAML)])
def test_every_kind_of_option_is_taken_from_a_file(tmp_path: Path, name: str, text: str):
    assert _run(study, tmp_path / name, text)["one"] == FOUND


def test_what_is_typed_wins(tmp_path: Path):
    one = _run(study, tmp_path / "a.toml", TOML, "--size", "1", "--size", "2", "--resamples", "9")["one"]
    assert (one.sizes, one.resamples, one.main, one.higher) == ((1, 2), 9, Side.SOURCE, False)


def test_a_switch_of_the_file_is_switched_off_by_typing(tmp_path: Path):
    assert _run(study, tmp_path / "a.toml", TOML, "--no-lower")["one"].higher
    assert _run(study, tmp_path / "a.toml", TOML, "--no-lower", "--lower")["one"].higher is False


def test_what_switches_off_twice_is_taken_and_never_suggested(capsys: pytest.CaptureFixture[str]):
    assert run("evaluate", "--no-nonsense") == 2
    told = capsys.readouterr().err
    assert "No such option: --no-nonsense" in told
    assert "--no-no-" not in told
    assert run("evaluate", "--no-no-store") == 2
    assert "No such option" not in capsys.readouterr().err


def test_settings_below_options_see_the_file_as_typed_and_a_switch_both_ways(tmp_path: Path):
    assert _run(train, tmp_path / "a.toml", "all = true\nrate = 0.5")["given"] == {"draw": False, "rate": 0.5}
    assert _run(train, tmp_path / "a.toml", "draw = true")["given"] == {"draw": True}


def test_the_table_of_a_command_wins_over_the_top_and_that_of_another_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = tmp_path / "run.toml"
    path.write_text('[evaluate]\nlanguages = "en-xy"\n[context.cxmi]\ncolour = 1\n', encoding="utf-8")
    assert run("evaluate", "--config", str(path)) == 2
    assert "“xy”" in capsys.readouterr().err
    assert run("evaluate", "--config", str(path), "--languages", "en-xx") == 2
    assert "“xx”" in capsys.readouterr().err
    assert run("context", "cxmi", "--config", str(path)) == 2
    assert f"[E104] {path}:4 – context cxmi has no option “colour”" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "faults"),
    [
        ("seed = 1\nresample = 3\n", [(2, "evaluate has no option “resample”", "did you mean resamples?")]),
        ("[evaluate]\nseed = 'x'\nstrict = 1\n", [(2, "seed: ", ""), (3, "strict is a switch", "true or false")]),
        ("seed = 2.5\nalpha = [1, 2]\n", [(1, "seed: ", ""), (2, "alpha takes one value", "")]),
        ("alpha = 0.7\n", [(1, "alpha: ", "")]),
        ("[evalute]\nseed = 1\n", [(1, "no option “evalute”", "did you mean evaluate?")]),
        ("source = 1\n[context]\nmodel = 'x'\n", [(3, "“context” is a group of commands", "[context.NAME]")]),
        ("metric = []\n", [(1, "metric takes one value or more", "leave the key out")]),
        ("[evaluate]\nsystem = {ours = ['a', 'b'], theirs = 'c'}\n", [(2, "system takes one value or more", "")]),
        ("system = {ours = true}\n", [(1, "system takes one value or more", "")]),
        ("config = 'x'\n", [(1, "evaluate has no option “config”", "")]),
    ],
)
def test_what_the_command_cannot_take_is_refused_at_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, faults: list[tuple[int, str, str]]
):
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    assert run(*(("context", "cxmi") if "group" in str(faults) else ("evaluate",)), "--config", str(path)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(faults)
    for line, (number, cause, advice) in zip(lines, faults, strict=True):
        assert line.startswith(f"[E104] {path}:{number} – ")
        assert cause in line
        assert advice in line


def test_keys_that_are_no_text_and_values_that_are_absent_are_faults(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    (path := tmp_path / "run.yaml").write_text("languages: en-de\nevaluate:\n  1: 2\n  seed:\n", encoding="utf-8")
    assert run("evaluate", "--config", str(path)) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert first.startswith(f"[E104] {path}:3 – evaluate has no option “1”")
    assert second.startswith(f"[E104] {path}:4 – seed takes one value")


def test_a_group_that_is_a_command_and_its_commands_leave_the_tables_of_each_other_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path, store = tmp_path / "run.toml", tmp_path / "s.sqlite"
    path.write_text(f'[store]\nstore = "{store}"\n[store.prune]\nstore = "{store}"\ncolour = 1\n', encoding="utf-8")
    run("store", "--config", str(path))
    assert "E104" not in capsys.readouterr().err
    assert run("store", "prune", "--config", str(path)) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"[E104] {path}:5 – store prune has no option “colour”")


@pytest.mark.parametrize(("name", "text", "line"), [("a.toml", "a = [\n b", ":2"), ("a.yaml", "a: b: c", ":1")])
def test_a_file_that_is_none_is_refused(tmp_path: Path, name: str, text: str, line: str):
    for path, at in ((tmp_path / name, line), (tmp_path / "absent" / name, "")):
        if not at:
            path.parent.mkdir()
            path.mkdir()
        else:
            path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match="E103") as caught:
            build(study).main(["--config", str(path)], standalone_mode=False)
        assert f"{name}{at} – " in str(caught.value)


def test_a_result_is_the_same_from_a_file_and_has_its_settings(tmp_path: Path):
    suite = tmp_path / "toy.en-de.test.json"
    suite.write_text(json.dumps(ITEMS), encoding="utf-8")
    outputs = {"good": "Sie ist da.", "bad": "Er ist da."}
    for name, text in outputs.items():
        (tmp_path / name).write_text(f"{text}\n" * len(ITEMS), encoding="utf-8")
    files = {name: str(tmp_path / name) for name in outputs}
    typed = [word for name, path in files.items() for word in ("--system", f"{name}={path}")]
    assert run("suite", "score", str(suite), *typed, "--resamples", "150", "-o", str(tmp_path / "typed")) == 0
    config = tmp_path / "run.toml"
    systems = "\n".join(f"{name} = {json.dumps(path)}" for name, path in files.items())
    config.write_text(f"[suite.score]\nresamples = 150\n[suite.score.system]\n{systems}\n", encoding="utf-8")
    assert run("suite", "score", str(suite), "--config", str(config), "-o", str(tmp_path / "file")) == 0
    results = [(tmp_path / name / "result.json").read_text("utf-8") for name in ("typed", "file")]
    assert results[0] == results[1]
    assert json.loads(results[1])["settings"]["resamples"] == 150


def test_the_example_of_the_page_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    page = (Path(__file__).resolve().parents[2] / "docs" / "command-line.md").read_text("utf-8")
    (tmp_path / "run.toml").write_text(page.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("evaluate", "--config", "run.toml") == 2
    found = [" ".join(line.split()[:2]) for line in capsys.readouterr().err.splitlines()]
    assert sorted(found) == [f"[E001] {name}" for name in ("ours.de", "test.de", "test.en", "test.ids", "theirs.de")]
