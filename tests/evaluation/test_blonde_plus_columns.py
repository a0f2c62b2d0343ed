"""BlonD+ by itself and beside BlonDe: each has its own columns, and BlonDe's figures are the same in both."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import run

REFERENCE = "Können Sie mir helfen?\nAnna hat meine Lampe.\n"
SPANS, NAMES = "a\t1,Sie\nb\t3,Lampe\n", "PERSON: ()\tNONPERSON: ()\nPERSON: (Anna: 1; )\tNONPERSON: ()\n"


@pytest.mark.parametrize(
    "metrics",
    [
        ("blonde+:spans=an",),
        ("blonde+:names=ner",),
        ("blonde", "blonde+:spans=an"),
        ("blonde", "blonde+:names=ner"),
        ("blonde", "blonde:paper", "blonde+:spans=an,names=ner"),
    ],
)
def test_every_combination_has_columns_of_its_own(
    metrics: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    files = {"src": "Can you help me?\nAnna has my lamp.\n", "ref": REFERENCE, "an": SPANS, "ner": NAMES}
    for name, text in files.items():
        Path(name).write_text(text, "utf-8")
    asked = [part for metric in metrics for part in ("-m", metric)]
    texts = ("-l", "en-de", "-s", "src", "-r", "ref", "-y", "a=ref", "-p", "none", "--no-store", "-w", "1")
    assert run("evaluate", *texts, *asked, "--resamples", "100", "-q", "-o", "out") == 0
    scores = json.loads(Path("out/result.json").read_text("utf-8"))["scores"]
    values = {score["column"]: score["value"] for score in scores}
    assert len(values) == len(scores)
    # The output is the reference: whatever is counted is found.
    assert all(value == pytest.approx(100) for name, value in values.items() if value is not None and "BlonD" in name)
    plus = [name for name in values if name.startswith("BlonD+")]
    assert len(plus) == any("spans" in metric for metric in metrics)
