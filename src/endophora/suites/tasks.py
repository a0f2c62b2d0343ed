"""Suites as tasks of lm-evaluation-harness (version 0.4.9 and later): folders of YAML, with the items as JSON Lines.

Items with wrong translations become a multiple choice between these and the reference, each scored after one prompt;
items with expected or forbidden forms become a translation that is judged as ``endophora suite score`` does. The prompt
is the one of ``lm:`` models in the form ``plain``, with the context of both sides; it stands in the YAML, so that a
user can change it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from endophora.corpus.codes import language_names
from endophora.corpus.writing import make_folder, write_lines
from endophora.errors import Fault, InputError
from endophora.suites.files import check_texts
from endophora.suites.matching import UNDECIDED, find_matching, judge
from endophora.suites.outputs import parts, targets
from endophora.suites.records import Criterion, Item, Json, Suite
from endophora.suites.scoring import SuiteOptions, matchings_of

LM_EVAL = "lm-eval"
FILES = ("tasks/", "README.md")
"""What is written into a directory; a name that ends in ``/`` is a folder."""

_PROMPT = (
    "{{% for one in context %}}{{% if one.source %}}{0}: {{{{ one.source }}}}\n{{% endif %}}"
    "{{% if one.target %}}{1}: {{{{ one.target }}}}\n{{% endif %}}{{% endfor %}}{0}: {{{{ source }}}}\n{1}:"
)
_END = "\n"
"""Ends a translation: a choice has it too, since the end of a translation has a probability as well."""

_READER = '''"""The items of the tasks beside this file."""

from pathlib import Path

import datasets


def items(file, **_):
    """Return the items of a file as the split that is tested."""
    return {"test": datasets.Dataset.from_json(str(Path(__file__).with_name(file)))}


def judged(doc, results):
    """Return whether an output is right, as endophora judges it."""
    from endophora.suites.tasks import judged as judge

    return judge(doc, results)
'''

_KINDS: dict[str, dict[str, Any]] = {
    "choice": {
        "output_type": "multiple_choice",
        "doc_to_choice": "choices",
        "doc_to_target": "answer",
    },
    "translation": {
        "output_type": "generate_until",
        "doc_to_target": "reference",
        "generation_kwargs": {"until": [_END], "do_sample": False},
        "process_results": "!function items.judged",
    },
}


def write_tasks(suite: Suite, folder: Path, context: int) -> list[str]:
    """Write the tasks of a suite: one a kind and phenomenon, and a group a kind; return what was left out.

    ``tasks/`` and ``README.md`` are written (E176, E177, E026); ``context`` is most segments before an item's own.
    """
    check_texts(suite, LM_EVAL, lines=True)
    bare = sum(item.before is None for item in suite.items)
    if context and bare:
        advice = "join it: --corpus PATH or --inputs FILE; or ask for --context 0"
        raise InputError(Fault("E177", f"{bare} of {len(suite)} items have no context", advice, suite.name))
    choice = [item for item in suite.items if item.variants]
    alike = [item for item in choice if all(one.before is None for one in item.variants)]
    judged = [item for item in suite.items if _forms(item)]
    kinds = {"choice": alike, "translation": judged}
    if not any(kinds.values()):
        cause = "no item has wrong translations with the reference's context, or forms that are right or wrong"
        raise InputError(Fault("E176", cause, "score it with `endophora suite score`", suite.name))
    place = folder / "tasks"
    make_folder(place, "the directory")
    names = {kind: _write_kind(suite, kind, items, place, context) for kind, items in kinds.items() if items}
    write_lines(place / "items.py", _READER.splitlines())
    write_lines(folder / "README.md", _readme(suite, names, kinds).splitlines())
    notes = {
        "whose wrong translations have a context of their own are in no multiple choice": len(choice) - len(alike),
        "without wrong translations and forms are in no task": sum(
            not (item.variants or _forms(item)) for item in suite.items
        ),
    }
    return [f"{count:,} items {what}" for what, count in notes.items() if count]


def _forms(item: Item) -> Sequence[str]:
    """Return the forms by which an output for an item is right or wrong."""
    return item.forbidden if item.criterion == "absent" else item.expected


def _write_kind(suite: Suite, kind: str, items: Iterable[Item], folder: Path, context: int) -> str:
    """Write the tasks of one kind, and return the name under which all of them run."""
    phenomena: dict[str, list[Item]] = {}
    for item in items:
        phenomena.setdefault(item.phenomenon, []).append(item)
    whole = "_".join(("endophora", _word(suite.name), kind))
    rows = _rows(suite, kind, context)
    tasks: list[str] = []
    for phenomenon, some in phenomena.items():
        name = first = whole if len(phenomena) == 1 else f"{whole}_{_word(phenomenon)}"
        number = 1
        while name in tasks:
            name = f"{first}_{(number := number + 1)}"
        write_lines(folder / f"{name}.jsonl", (json.dumps(rows(item), ensure_ascii=False) for item in some))
        _write_yaml(folder / f"{name}.yaml", _task(suite, kind, name))
        tasks.append(name)
    if len(tasks) > 1:
        means = [{"metric": "acc", "aggregation": "mean", "weight_by_size": True}]
        _write_yaml(folder / f"{whole}.yaml", {"group": whole, "task": tasks, "aggregate_metric_list": means})
    return whole


def _word(text: str) -> str:
    """Return the letters and digits of a text, of any script, as a part of a task's name."""
    return re.sub(r"[\W_]+", "_", text.lower()).strip("_") or "items"


def _task(suite: Suite, kind: str, name: str) -> dict[str, Any]:
    languages = [language_names().get(code, code) for code in (suite.source_language, suite.target_language)]
    return {
        "task": name,
        "custom_dataset": "!function items.items",
        "dataset_kwargs": {"file": f"{name}.jsonl"},
        "test_split": "test",
        "doc_to_text": _PROMPT.format(languages[0] or "Source", languages[1] or "Translation"),
        "target_delimiter": " ",
        **_KINDS[kind],
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        "metadata": {"version": 1.0},
    }


def _write_yaml(path: Path, content: Mapping[str, Any]) -> None:
    """Write YAML whose values are JSON, which YAML takes as they are, and functions."""
    values = (
        (key, value if str(value).startswith("!function ") else json.dumps(value, ensure_ascii=False))
        for key, value in content.items()
    )
    write_lines(path, (f"{key}: {value}" for key, value in values))


def _rows(suite: Suite, kind: str, size: int) -> Callable[[Item], dict[str, Json]]:
    """Return what makes an item a row: the variables of the prompt, and what the answer is compared with."""
    names = matchings_of(suite, SuiteOptions())

    def row(item: Item) -> dict[str, Json]:
        before = item.before or ()
        shown: dict[str, Json] = {
            "id": item.id,
            "rule": item.rule,
            "context": [{"source": one.source, "target": one.target} for one in before[max(0, len(before) - size) :]],
            "source": item.source,
        }
        if kind == "choice":
            shown["choices"] = [text + _END for text in targets(item)]
            shown["answer"] = min(item.correct, len(item.variants))
            return shown
        expected, forbidden = list[Json](item.expected), list[Json](item.forbidden)
        forms: dict[str, Json] = {"criterion": item.criterion, "expected": expected, "forbidden": forbidden}
        forms |= {"matching": names[item.criterion], "language": suite.target_language, "reference": item.reference}
        return shown | forms

    return row


def judged(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Return whether an output is right, as ``endophora suite score`` judges it; nothing where it does not count.

    lm-evaluation-harness calls this with a row of ours and the model's outputs for it.
    """
    criterion: Criterion = doc["criterion"]
    item = Item("", "", 0, "", "", "", "", tuple(doc["expected"]), tuple(doc["forbidden"]), criterion)
    own = parts(Suite("", "", doc["language"], [item]), [results[0].strip()])
    (outcome,) = judge([item], own, {criterion: find_matching(doc["matching"])})
    return {} if outcome == UNDECIDED else {"acc": float(outcome)}


def _readme(suite: Suite, names: Mapping[str, str], kinds: Mapping[str, Sequence[Item]]) -> str:
    told = {
        "choice": "the reference against wrong translations; accuracy as of `endophora context contrast`",
        "translation": "a translation with a right form; accuracy as of `endophora suite score` (needs endophora)",
    }
    lines = [
        f"# {suite.name}: tasks for lm-evaluation-harness",
        "",
        f"Translation in context, {suite.source_language}-{suite.target_language}, made with endophora.",
        "The texts are those of the suite, whose licence holds.",
        "",
        *(f"- `{names[kind]}` ({len(kinds[kind]):,} items): {told[kind]}" for kind in names),
        "",
        "```sh",
        f"lm-eval --model hf --model_args pretrained=MODEL --include_path . --tasks {','.join(names.values())}",
        "```",
        "",
    ]
    return "\n".join(lines)
