"""How far the verdicts can be trusted: published contrastive sets, human translations as systems.

    python benchmarks/validity.py contrastive ../shared/contrastive [--sample 500]
    python benchmarks/validity.py people ../shared/documents/wmt24 -l en-de
    python benchmarks/validity.py alone ../shared/documents/wmt24 -l en-de

``contrastive`` judges the variants of each item (English-Russian: Voita et al. 2019; English-French: Lopes et al. 2020)
in their context, without a model and without a reference: an item is decided where the variants differ in wrong less
right judgments of its phenomenon, and right where the right one has the fewest.

``people`` enters each reference as a system, judged on the other, beside all systems; ``alone`` checks references and
systems without a reference.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from endophora.evaluation.setup import Setup
from endophora.judgments.alone import LoneText
from endophora.judgments.reading import read_choices
from endophora.phenomena.records import AnnotatedDocument

RUSSIAN = {"deixis_dev": "formality", "lex_cohesion_dev": "lexical_cohesion", "ellipsis_vp_first_half": "ellipsis"}


@dataclass(frozen=True)
class Item:
    """Source segments, and the target segments of each variant, the right one first."""

    source: tuple[str, ...]
    variants: tuple[tuple[str, ...], ...]


def russian(path: Path) -> Iterator[Item]:
    """Read a set of Voita et al. (2019); its texts are cut into tokens."""
    with lzma.open(path) as file:
        for one in json.load(file):
            variants = [tuple(text.split(" _eos ")) for text in one["dst"]]
            right = variants.pop(one["true_ind"])
            yield Item(tuple(one["src"].split(" _eos ")), (right, *variants))


def french(path: Path) -> Iterator[Item]:
    """Read the pronouns of Lopes et al. (2020)."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        head = next(file).rstrip("\n").split("\t")
        for line in file:
            row = dict(zip(head, line.rstrip("\n").split("\t"), strict=True))
            source, target = ([row[f"{side}_{at}"] for at in (1, 2, 3)] for side in ("source", "target"))
            yield Item((*source, row["source"]), ((*target, row["right"]), (*target, row["wrong"])))


def judge(items: list[Item], language: str, phenomenon: str) -> list[list[Counter[str]]]:
    """Return the verdicts of each variant of each item in its last segment."""
    setup = Setup("en", language, store=None)
    tools = setup.load()
    sources = list(tools.source_annotator.annotate([text for item in items for text in item.source]))
    targets = list(tools.target_annotator.annotate([text for item in items for v in item.variants for text in v]))
    pairs, at, to = [], 0, 0
    for item in items:
        source = tuple(sources[at : at + len(item.source)])
        at += len(item.source)
        for variant in item.variants:
            pairs.append((source, tuple(targets[to : to + len(variant)])))
            to += len(variant)
    found = iter(zip(pairs, tools.aligner.align_many(pairs), strict=True))
    made: list[list[Counter[str]]] = []
    for item in items:
        verdicts: list[Counter[str]] = []
        resolved = None
        for _ in item.variants:
            (source, target), links = next(found)
            resolved = tools.resolver.resolve(source) if resolved is None else resolved
            document = AnnotatedDocument("d", source, target, tuple(map(tuple, links)), tuple(resolved))
            judged = LoneText("d", read_choices(document, tools.taggers)).judgments()
            verdicts.append(Counter(verdict.verdict for one, verdict in judged if one.phenomenon == phenomenon))
        made.append(verdicts)
    return made


def contrastive(directory: Path, sample: int) -> None:
    """Print, for each set, how many items are decided, and how many of these rightly."""
    print("| set | items | decided | right of decided | right, ties halved |\n|---|---|---|---|---|")
    sets = [(name, "ru", what, list(russian(directory / f"{name}.json.xz"))) for name, what in RUSSIAN.items()]
    sets.append(("pronouns en-fr", "fr", "pronouns", list(french(directory / "pronouns-en-fr.tsv.xz"))))
    for name, language, phenomenon, items in sets:
        chosen = Random(1).sample(items, min(sample, len(items)))  # noqa: S311 - a sample for reading
        decided = right = 0
        for verdicts in judge(chosen, language, phenomenon):
            best, *others = [counts["wrong"] - counts["right"] for counts in verdicts]
            right += all(best < other for other in others)
            decided += all(best < other for other in others) or any(other < best for other in others)
        ties = len(chosen) - decided
        share = 100 * right / decided if decided else float("nan")
        halved = 100 * (right + ties / 2) / len(chosen)
        print(
            f"| {name} | {len(chosen)} | {100 * decided / len(chosen):.1f} | {share:.1f} | {halved:.1f} |", flush=True
        )


def lines(path: Path) -> list[str]:
    """Return the lines of a file of WMT 2024, without the canary at its top."""
    text = path.read_text("utf-8").removesuffix("\n").split("\n")
    return text[1:] if "canary" in text[0].lower() else text


def people(directory: Path, pair: str, *, alone: bool) -> None:
    """Print the ranks of each reference among the systems, judged on the other one, or all without a reference."""
    source = lines(directory / "sources" / f"{pair}.txt")
    documents = [line.split("\t")[-1] for line in lines(directory / "documents" / f"{pair}.docs")]
    references = {path.stem.split(".")[-1]: path for path in sorted((directory / "references").glob(f"{pair}.*.txt"))}
    systems = {path.stem: path for path in sorted((directory / "system-outputs" / pair).glob("*.txt"))}
    for chosen in [""] if alone else references:
        outputs = {name: path for name, path in (references | systems).items() if name != chosen}
        texts = {name: lines(path) for name, path in outputs.items()} | {"source": source, "documents": documents}
        arguments = f"-l {pair} -s source.txt -d documents.txt --support any -q -o out".split()
        arguments += [item for name in outputs for item in ("--system", f"{name}={name}.txt")]
        if chosen:
            texts["reference"] = lines(references[chosen])
            arguments += ["-r", "reference.txt", "-m", "bleu"]
        with tempfile.TemporaryDirectory() as folder:
            for name, text in texts.items():
                (Path(folder) / f"{name}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
            command = [sys.executable, "-m", "endophora", "evaluate" if chosen else "check", *arguments]
            subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
            show(json.loads((Path(folder) / "out" / "result.json").read_text("utf-8")), chosen or "nothing")


def show(result: dict[str, list[dict[str, object]]], reference: str) -> None:
    """Print the systems by the mean of the columns of phenomena that have enough occurrences."""
    columns = [one for one in result["columns"] if one["kind"] == "phenomenon" and one["enough"]]
    values = {(one["system"], one["column"]): one["value"] for one in result["scores"]}
    worse = {(one["system"], one["column"]): one["significant"] for one in result["comparisons"]}
    systems = list(dict.fromkeys(one["system"] for one in result["scores"]))
    names = [str(one["name"]) for one in columns]
    means = {system: sum(float(str(values[system, name])) for name in names) / len(names) for system in systems}
    print(f"\nJudged on {reference}; rank and score, * significantly worse than the best\n")
    heads = [f"{one['name']} (n {one['occurrences']})" for one in columns]
    print("| system | mean | " + " | ".join(heads) + " |\n" + "|---" * (len(names) + 2) + "|")
    for system in sorted(systems, key=lambda one: -means[one]):
        cells = []
        for name in names:
            rank = 1 + sum(float(str(values[other, name])) > float(str(values[system, name])) for other in systems)
            mark = "*" if worse.get((system, name)) else ""
            cells.append(f"{100 * float(str(values[system, name])):.1f}{mark} ({rank})")
        print(f"| {system} | {100 * means[system]:.1f} | " + " | ".join(cells) + " |")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["contrastive", "people", "alone"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("-l", "--languages", default="en-de")
    given = parser.parse_args()
    if given.what == "contrastive":
        contrastive(given.directory, given.sample)
    else:
        people(given.directory, given.languages, alone=given.what == "alone")


if __name__ == "__main__":
    main()
