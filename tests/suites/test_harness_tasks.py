"""Tasks for lm-evaluation-harness: its prompt is ours, its choices and judgments are those of the suite."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jinja2 import Environment, StrictUndefined
from ruamel.yaml import YAML
from suite_items import make_item, make_suite

from endophora.errors import InputError
from endophora.models.prompting import Prompts, prompt_template
from endophora.suites import Pair, Suite, Variant
from endophora.suites.scoring import SuiteOptions, judge_outputs
from endophora.suites.tasks import judged, write_tasks

BEFORE = (Pair("Far away.", "Weit weg."), Pair("Where is the lamp?", "Wo ist die Lampe?"), Pair("Only here.", ""))


def tasks(suite: Suite, folder: Path, context: int = 5) -> dict[str, dict]:
    """Return the YAML of each task; a function is its name."""
    write_tasks(suite, folder, context)
    yaml = YAML(typ="safe")
    yaml.constructor.add_constructor("!function", lambda _, node: node.value)
    return {path.stem: yaml.load(path) for path in sorted((folder / "tasks").glob("*.yaml"))}


def rows(folder: Path, name: str) -> list[dict]:
    return [json.loads(line) for line in (folder / "tasks" / f"{name}.jsonl").read_text("utf-8").splitlines()]


@pytest.mark.parametrize("size", [0, 1, 2, 5])
def test_the_prompt_is_what_our_own_language_models_read(tmp_path: Path, size: int):
    found = tasks(make_suite(make_item(before=BEFORE)), tmp_path, size)["endophora_toy_choice"]
    (row,) = rows(tmp_path, "endophora_toy_choice")
    # As the harness fills its templates.
    shown = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=True)
    read = shown.from_string(found["doc_to_text"]).render(**row)
    names = {"source_language": "English", "target_language": "German"}
    given = [{"source": one.source, "target": one.target} for one in BEFORE[len(BEFORE) - min(size, 3) :]]
    before, after = Prompts(prompt_template(), "plain", names, {}).text("It is here.", given)
    assert read + found["target_delimiter"] == before
    assert row["choices"] == [f"{text}{after}" for text in ("Sie ist hier.", "Er ist hier.", "Es ist hier.")]
    assert row["answer"] == 0


def test_the_reference_stands_where_the_suite_has_it(tmp_path: Path):
    tasks(make_suite(make_item(correct=1), make_item(1, correct=9)), tmp_path)
    first, second = rows(tmp_path, "endophora_toy_choice")
    assert [one["choices"][one["answer"]] for one in (first, second)] == ["Sie ist hier.\n"] * 2
    assert (first["answer"], second["answer"]) == (1, 2)


def test_phenomena_are_tasks_of_a_group_whose_mean_is_over_items(tmp_path: Path):
    found = tasks(make_suite(make_item(), make_item(1, phenomenon="Verb form")), tmp_path)
    names = ["endophora_toy_choice_gender", "endophora_toy_choice_verb_form"]
    assert found["endophora_toy_choice"]["task"] == names
    assert found["endophora_toy_choice"]["aggregate_metric_list"][0]["weight_by_size"] is True
    assert [found[name]["custom_dataset"] for name in names] == ["items.items"] * 2
    assert [found[name]["dataset_kwargs"]["file"] for name in names] == [f"{name}.jsonl" for name in names]
    assert (tmp_path / "tasks" / "items.py").exists()


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("pro-form", "pro form", "Pro form 2"), ("pro_form", "pro_form_2", "pro_form_2_2")),
        (("pronouns", "Pronouns"), ("pronouns", "pronouns_2")),
        (("代词", "省略", "—"), ("代词", "省略", "items")),
    ],
)
def test_each_phenomenon_has_items_of_its_own_whatever_its_name(tmp_path: Path, names: tuple, words: tuple):
    found = tasks(make_suite(*(make_item(place, phenomenon=name) for place, name in enumerate(names))), tmp_path)
    known = [f"endophora_toy_choice_{word}" for word in words]
    assert found["endophora_toy_choice"]["task"] == known
    assert [row["id"] for name in known for row in rows(tmp_path, name)] == [str(place) for place in range(len(names))]


def test_functions_are_those_of_the_file_beside_the_tasks(tmp_path: Path):
    # Versions before 0.4.12 look for a function's module in the folder of the YAML alone.
    found = tasks(make_suite(make_item()), tmp_path)["endophora_toy_translation"]
    beside: dict = {}
    code = (tmp_path / "tasks" / "items.py").read_text("utf-8").replace("import datasets", "")
    exec(compile(code, "items.py", "exec"), beside)
    module, _, name = found["process_results"].removeprefix("!function ").partition(".")
    (row,) = rows(tmp_path, "endophora_toy_translation")
    assert (module, beside[name](row, ["Sie ist da."])) == ("items", {"acc": 1.0})


@pytest.mark.parametrize(
    "output",
    ["Sie ist da.", "Er ist da.", "Siegt.", "sie, ja", "", "Sie ist da. Er leuchtet.", "Er ist da. Sie freut sich."],
)
def test_an_output_is_right_where_suite_score_says_so(tmp_path: Path, output: str):
    suite = make_suite(
        make_item(),
        make_item(1, criterion="absent", forbidden=("er",)),
        make_item(2, criterion="matched", expected=("Sie",), forbidden=("Er",)),
    )
    tasks(suite, tmp_path)
    given = [judged(row, [output]) for row in rows(tmp_path, "endophora_toy_translation")]
    known = judge_outputs(suite, [output] * 3, SuiteOptions())
    assert given == [{} if one == -1 else {"acc": float(one)} for one in known]


def test_items_that_a_task_cannot_have_are_left_out_and_counted(tmp_path: Path):
    other = make_item(1, variants=(Variant("Sie ist hier.", before=("Wo ist der Tisch?",)),))
    neither = make_item(2, variants=(), expected=())
    notes = write_tasks(make_suite(make_item(), other, neither), tmp_path, 1)
    assert [note.partition(" are ")[2] for note in notes] == ["in no multiple choice", "in no task"]
    assert all(note.startswith("1 items ") for note in notes)
    assert len(rows(tmp_path, "endophora_toy_choice")) == 1


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"before": None}, "E177"),
        ({"source": "It is\nhere."}, "E176"),
        ({"expected": (), "variants": ()}, "E176"),
    ],
)
def test_what_cannot_be_a_task_is_refused(tmp_path: Path, changes: dict, code: str):
    with pytest.raises(InputError) as caught:
        write_tasks(make_suite(replace(make_item(), **changes)), tmp_path, 1)
    assert [fault.code for fault in caught.value.faults] == [code]
