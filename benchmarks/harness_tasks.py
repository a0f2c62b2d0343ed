"""Hold tasks for lm-evaluation-harness against our own scoring: the same items, model, context and log-probabilities.

    python benchmarks/harness_tasks.py PRONOUNS --python ENV/bin/python

``PRONOUNS`` is the table of pronouns en-fr with context (``contrastive/pronouns-en-fr.tsv.xz``), ``ENV`` an environment
with lm-eval, torch and endophora. The model is a tiny one with random weights, made in the work folder.
"""

from __future__ import annotations

import argparse
import csv
import json
import lzma
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "models"))

from endophora.context.contrast import score_contrast
from endophora.context.contrast_figures import ContrastOptions
from endophora.models.options import ModelOptions
from endophora.models.specs import open_scorer
from endophora.suites import Item, Pair, Suite, Variant
from endophora.suites.tasks import write_tasks

CONTEXT = 2
NAME = "endophora_pronouns_choice"


def suite(table: Path, count: int) -> Suite:
    """Return the first short items of the table."""
    with lzma.open(table, "rt", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if _bytes(row) < 450]
    return Suite("pronouns", "en", "fr", tuple(map(_item, rows[:count])))


def _bytes(row: dict[str, str]) -> int:
    return len("".join(row.values()).encode())


def _item(row: dict[str, str]) -> Item:
    before = tuple(Pair(row[f"source_{place}"], row[f"target_{place}"]) for place in (1, 2, 3))
    texts = row["source"], row["right"]
    return Item(row["item"], row["item"], 0, *texts, "pronouns", "", before=before, variants=(Variant(row["wrong"]),))


def main() -> None:
    """Print how many log-probabilities there are, and by how much they differ at most."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--items", type=int, default=60)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        work, items = Path(name), suite(given.table, given.items)
        from families import make_family

        model = make_family(work / "model", "qwen-3", chat=False)
        write_tasks(items, work, CONTEXT)
        theirs = _harness(given.python, work, model)
        scorer = open_scorer(f"lm:{model},form=plain", ModelOptions(languages=("en", "fr")))
        found = score_contrast(items, {"tiny": scorer}, ContrastOptions(sizes=(CONTEXT,)))
    ours = list(next(scores for run, scores in found.scores.items() if run.size == CONTEXT))
    accuracy = [score for score in found.result.scores if score.size == CONTEXT and score.kind == "all"]
    print(f"accuracy: {accuracy[0].value:.1f} here, {100 * theirs[0]:.1f} there, {len(items)} items")
    apart = max(abs(one - other) for one, other in zip(ours, theirs[1], strict=True))
    print(f"log-probabilities: {len(ours)}, at most {apart:.6f} apart")


def _harness(python: str, work: Path, model: Path) -> tuple[float, list[float]]:
    """Return the accuracy and the log-probabilities that lm-evaluation-harness has."""
    options = ["--model", "hf", "--model_args", f"pretrained={model},dtype=float32,max_length=2048", "--device", "cpu"]
    options += ["--include_path", str(work), "--tasks", NAME, "--log_samples", "--output_path", str(work / "out")]
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(work / "home")}
    subprocess.run([python, "-m", "lm_eval", "run", *options], check=True, env={**os.environ, **offline})  # noqa: S603
    (figures,) = (work / "out").rglob("results*.json")
    (samples,) = (work / "out").rglob(f"samples_{NAME}_*.jsonl")
    rows = sorted(map(json.loads, samples.read_text("utf-8").splitlines()), key=lambda row: row["doc_id"])
    scores = [float(answer[0][0]) for row in rows for answer in row["resps"]]
    return json.loads(figures.read_text("utf-8"))["results"][NAME]["acc,none"], scores


if __name__ == "__main__":
    main()
