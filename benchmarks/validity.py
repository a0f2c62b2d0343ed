"""How far the verdicts can be trusted: published contrastive sets, human translations as systems.

    python benchmarks/validity.py contrastive ../shared/contrastive [--sample 500]
    python benchmarks/validity.py precision ../shared/documents/ntrex -l en-de
    python benchmarks/validity.py people ../shared/documents/wmt24 -l en-de
    python benchmarks/validity.py alone ../shared/documents/wmt24 -l en-de
    python benchmarks/validity.py mqm ../shared/documents/ted-mqm [--reference ref]

``contrastive`` judges the variants of each item (English-Russian: Voita et al. 2019; English-French: Lopes et al. 2020)
in their context, without a model and without a reference: an item is decided where the variants differ in wrong less
right judgments of its phenomenon, and right where the right one has the fewest.

``precision`` judges a human translation by itself: what is judged wrong there is mostly the measure's own error.

``people`` enters each reference as a system, judged on the other, beside all systems; ``alone`` checks references and
systems without a reference, and sets the ranks beside those on each reference.

``mqm`` sets lexical cohesion and pronouns, judged and as word F, against the errors that people marked in TED talks
(zh-en), by category, beside text metrics; and looks at how often a word that is judged wrong was marked by people.
"""

from __future__ import annotations

import argparse
import json
import lzma
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import numpy as np

from endophora.evaluation.check import check
from endophora.evaluation.choices import judged_text
from endophora.evaluation.evaluate import evaluate
from endophora.evaluation.result import Column, Result
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.alone import LoneText
from endophora.judgments.reading import read_choices
from endophora.judgments.records import Judgment
from endophora.languages import load_language
from endophora.meta.evaluate import meta_evaluate
from endophora.meta.mqm import Annotation, mqm_corpus, mqm_format, read_mqm, without_marks, write_mqm
from endophora.meta.options import MetaOptions
from endophora.meta.people import read_metrics, read_people
from endophora.phenomena import TaggerOptions
from endophora.phenomena.records import AnnotatedDocument, Occurrence
from endophora.statistics.correlation import correlate
from endophora_makers.antecedents import kept

RUSSIAN = {"deixis_dev": "formality", "lex_cohesion_dev": "lexical_cohesion", "ellipsis_vp_first_half": "ellipsis"}


@dataclass(frozen=True)
class Item:
    """Source segments, and the target segments of each variant, the right one first."""

    source: tuple[str, ...]
    variants: tuple[tuple[str, ...], ...]


_CUT = re.compile(r" (?=[,.!?;:…]|n ?'t\b|'(?:s|re|ve|ll|m|d)\b)|(?<=n) (?='t\b)")
"""Where tokens are cut off that belong to the word before them (*didn 't*, *you 're*)."""


def russian(path: Path) -> Iterator[Item]:
    """Read a set of Voita et al. (2019); its texts are cut into tokens, which are put together again."""
    with lzma.open(path) as file:
        for one in json.load(file):
            source, *variants = (
                tuple(_CUT.sub("", part) for part in text.split(" _eos ")) for text in (one["src"], *one["dst"])
            )
            right = variants.pop(one["true_ind"])
            yield Item(source, (right, *variants))


def french(path: Path) -> Iterator[Item]:
    """Read the pronouns of Lopes et al. (2020)."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        head = next(file).rstrip("\n").split("\t")
        for line in file:
            row = dict(zip(head, line.rstrip("\n").split("\t"), strict=True))
            source, target = ([row[f"{side}_{at}"] for at in (1, 2, 3)] for side in ("source", "target"))
            yield Item((*source, row["source"]), ((*target, row["right"]), (*target, row["wrong"])))


Judgments = list[tuple[Occurrence, Judgment]]


def judge(items: list[Item], language: str, phenomenon: str) -> Iterator[list[Counter[str]]]:
    """Yield the verdicts of each variant of each item."""
    found = judgments_of(items, language)
    for item in items:
        yield [
            Counter(judgment.verdict for occurrence, judgment in next(found) if occurrence.phenomenon == phenomenon)
            for _ in item.variants
        ]


def judgments_of(items: list[Item], language: str) -> Iterator[Judgments]:
    """Yield the judgments on each variant of each item by itself."""
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
    for item in items:
        resolved = None
        for _ in item.variants:
            (source, target), links = next(found)
            resolved = tools.resolver.resolve(source) if resolved is None else resolved
            document = AnnotatedDocument("d", source, target, tuple(map(tuple, links)), tuple(resolved))
            yield list(LoneText("d", read_choices(document, tools.taggers, priors=tools.priors)).judgments())


def contrastive(directory: Path, sample: int) -> None:
    """Print, for each set, how many items are decided, and how many of these rightly; and of its second half alone."""
    print("| set | items | decided | right of decided | right, ties halved | of the second half |\n" + "|---" * 6 + "|")
    sets = [(name, "ru", what, list(russian(directory / f"{name}.json.xz"))) for name, what in RUSSIAN.items()]
    # The resolver has learned from our reading of the others.
    pronouns = [item for item in french(directory / "pronouns-en-fr.tsv.xz") if kept(item.source[-1])]
    sets.append(("pronouns en-fr, kept", "fr", "pronouns", pronouns))
    for name, language, phenomenon, items in sets:
        chosen = sorted(Random(1).sample(range(len(items)), min(sample, len(items))))  # noqa: S311 - a sample for reading
        found = [preference(verdicts) for verdicts in judge([items[at] for at in chosen], language, phenomenon)]
        decided = np.mean([one != 0.5 for one in found])
        share = np.mean([one == 1 for one in found]) / decided
        second = np.mean([one for at, one in zip(chosen, found, strict=True) if at >= len(items) / 2])
        print(
            f"| {name} | {len(chosen)} | "
            + " | ".join(f"{100 * x:.1f}" for x in (decided, share, np.mean(found), second)),
            "|",
            flush=True,
        )


def preference(verdicts: list[Counter[str]]) -> float:
    """Return 1 where the right variant, the first, has the fewest wrong less right, 0 where another has, else 0.5."""
    best, *others = [counts["wrong"] - counts["right"] for counts in verdicts]
    return 1.0 if best < min(others) else 0.0 if min(others) < best else 0.5


def precision(directory: Path, pair: str) -> None:
    """Print how far a human translation is right when it is judged by itself, of each column and category."""
    code = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "ru": "rus", "zh": "zho"}[
        pair.partition("-")[2]
    ]
    source, target = (lines(directory / f"newstest2019.{name}.txt") for name in ("eng", code))
    documents = [line.split("\t")[0] for line in lines(directory / "DOCUMENT_IDS.tsv")]
    starts = [at for at, name in enumerate(documents) if at == 0 or name != documents[at - 1]]
    places = [slice(start, end) for start, end in zip(starts, [*starts[1:], len(documents)], strict=True)]
    items = [Item(tuple(source[place]), (tuple(target[place]),)) for place in places]
    counts: dict[str, list[Counter[str]]] = {}
    for number, judgments in enumerate(judgments_of(items, pair.partition("-")[2])):
        for occurrence, judgment in judgments:
            name = occurrence.phenomenon
            for column in {name, f"{name} {judgment.part}".rstrip()} if judgment.verdict else ():
                counts.setdefault(column, [Counter(), Counter()])[number % 2][judgment.verdict] += 1
    print(f"| {pair}, judged by itself | n | right | of every second document |\n|---|---|---|---|")
    for column, (first, second) in sorted(counts.items()):
        every = first + second
        shares = " | ".join(f"{100 * one['right'] / max(1, one.total()):.1f}" for one in (every, second))
        print(f"| {column} | {every.total()} | {shares} |")


def lines(path: Path) -> list[str]:
    """Return the lines of a file of WMT 2024, without the canary at its top."""
    text = path.read_text("utf-8").removesuffix("\n").split("\n")
    return text[1:] if "canary" in text[0].lower() else text


def judged(directory: Path, pair: str, reference: str) -> Result:
    """Return the evaluation of all systems, and of the other references, on a reference; by ``check`` on none."""
    names = {path.stem.split(".")[-1]: path for path in sorted((directory / "references").glob(f"{pair}.*.txt"))}
    outputs = {name: path for name, path in names.items() if name != reference}
    outputs |= {path.stem: path for path in sorted((directory / "system-outputs" / pair).glob("*.txt"))}
    texts = {name: lines(path) for name, path in outputs.items()}
    texts["source"] = lines(directory / "sources" / f"{pair}.txt")
    texts["documents"] = [line.split("\t")[-1] for line in lines(directory / "documents" / f"{pair}.docs")]
    arguments = f"-l {pair} -s source.txt -d documents.txt --support any -q -o out".split()
    arguments += [item for name in outputs for item in ("--system", f"{name}={name}.txt")]
    if reference:
        texts["reference"] = lines(names[reference])
        arguments += ["-r", "reference.txt", "-m", "bleu"]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in texts.items():
            (Path(folder) / f"{name}.txt").write_text("\n".join(text) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "endophora", "evaluate" if reference else "check", *arguments]
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own command
        return Result.read(Path(folder) / "out" / "result.json")


def people(directory: Path, pair: str) -> None:
    """Print the ranks of each reference among the systems, judged on the other one."""
    for path in sorted((directory / "references").glob(f"{pair}.*.txt")):
        name = path.stem.split(".")[-1]
        show(judged(directory, pair, name), name)


def alone(directory: Path, pair: str) -> None:
    """Print the ranks of all without a reference, and how these agree with the ranks on each reference."""
    lone = judged(directory, pair, "")
    show(lone, "nothing")
    for path in sorted((directory / "references").glob(f"{pair}.*.txt")):
        name = path.stem.split(".")[-1]
        beside(lone, judged(directory, pair, name), name)


MEAN = "mean of the columns"


def table(result: Result) -> tuple[dict[str, Column], dict[str, dict[str, float]]]:
    """Return the columns in which more than half of the systems have enough to be compared, and their scores.

    These are column, or their mean → system → score.
    """
    compared = Counter(one.column for one in result.scores if one.interval)
    columns = {
        one.name: one
        for one in result.columns
        if one.kind == "phenomenon" and 2 * compared[one.name] > len(result.corpus.systems)
    }
    values = {
        name: {system: result.score(name, system).value or 0.0 for system in result.corpus.systems} for name in columns
    }
    rows = {system: [one[system] for one in values.values()] for system in result.corpus.systems}
    return columns, {MEAN: {system: sum(row) / len(row) for system, row in rows.items()}} | values


def rank(values: dict[str, float], system: str) -> int:
    """Return the place of a system, 1 for the best."""
    return 1 + sum(value > values[system] for value in values.values())


def show(result: Result, reference: str) -> None:
    """Print the systems by the mean of the columns."""
    columns, values = table(result)
    worse = {(one.system, one.column) for one in result.comparisons if one.significant}
    print(f"\nJudged on {reference}; rank and score, * significantly worse than the best\n")
    print("| system | mean | " + " | ".join(f"{name} (n {one.occurrences})" for name, one in columns.items()) + " |")
    print("|---" * (len(columns) + 2) + "|")
    for system in sorted(result.corpus.systems, key=lambda one: -values[MEAN][one]):
        cells = [
            f"{100 * each[system]:.1f}{'*' if (system, name) in worse else ''} ({rank(each, system)})"
            for name, each in values.items()
        ]
        print(f"| {system} | {' | '.join(cells)} |")


def beside(lone: Result, result: Result, reference: str) -> None:
    """Print how the scores of ``check`` agree with those on a reference, over the systems that both have."""
    (columns, ours), (_, theirs) = table(lone), table(result)
    systems = result.corpus.systems
    print(f"\nWithout a reference, and on {reference}: {len(systems)} texts\n")
    print("| column | n without, with | Pearson | Kendall |\n|---|---|---|---|")
    for name in (one for one in ours if one in theirs):
        here, there = (np.array([[values[name][system]] for system in systems]) for values in (ours, theirs))
        cells = []
        for coefficient in ("pearson", "kendall"):
            found = correlate(here[None], there, coefficient=coefficient, drawn="systems")
            cells.append(f"{found.values[0]:.2f} [{found.low[0]:.2f}, {found.high[0]:.2f}]")
        n = "" if name == MEAN else f"{columns[name].occurrences}, {table(result)[0][name].occurrences}"
        print(f"| {name} | {n} | {' | '.join(cells)} |")
    print("\n| text | " + " | ".join(name for name in ours if name in theirs) + " |")
    print("|---" * (1 + sum(name in theirs for name in ours)) + "|")
    for system in sorted(systems, key=lambda one: -theirs[MEAN][one]):
        shared = [name for name in ours if name in theirs]
        cells = [
            f"{rank({one: ours[name][one] for one in systems}, system)}, {rank(theirs[name], system)}"
            for name in shared
        ]
        print(f"| {system} | {' | '.join(cells)} |")


PRONOUN = "Pronoun"
"""MQM has no such category: an error whose marked words are one pronoun or demonstrative is counted as one."""

GROUPS = {
    "all": (),
    "terminology": ("Terminology",),
    "inconsistency": ("Terminology/Inconsistent use of terminology", "Fluency/Inconsistency"),
    "register": ("Fluency/Register",),
    "pronoun": (PRONOUN,),
}


def marked(text: str) -> list[tuple[int, int]]:
    """Return the characters that are marked, in the text without its marks."""
    first, last = mqm_format().marks
    found, at, start = [], 0, 0
    for part in re.split(f"({re.escape(first)}|{re.escape(last)})", text):
        if part == first:
            start = at
        elif part == last:
            found.append((start, at))
        else:
            at += len(part)
    return found


def with_pronouns(annotations: Sequence[Annotation]) -> list[Annotation]:
    """Return annotations in which an error whose marked words are one pronoun is of a category of its own."""
    persons = load_language("en").persons
    words = persons.second | persons.third | {"this", "that", "these", "those"}

    def is_pronoun(one: Annotation) -> bool:
        spans = [without_marks(one.target)[start:end].strip().casefold() for start, end in marked(one.target)]
        return len(spans) == 1 and spans[0] in words

    return [replace(one, category=PRONOUN) if is_pronoun(one) else one for one in annotations]


def mqm(directory: Path, reference: str) -> None:
    """Print how columns agree with errors of some categories, and how often what is judged wrong is marked."""
    path = directory / "mqm_ted_zhen.tsv"
    annotations = with_pronouns(read_mqm(path))
    humans = [name for name in ("ref", "refB") if name != reference]
    corpus = mqm_corpus(annotations, ("zh", "en"), [reference])
    corpus = replace(corpus, systems=tuple(name for name in corpus.systems if name not in humans))
    setup = Setup("zh", "en", taggers=TaggerOptions(phenomena=("lexical_cohesion", "pronouns")), store=None)
    options = EvaluationOptions(metrics=("bleu", "chrf", "blonde"), support="any", resamples=100)
    lone = check(corpus, setup, options)
    judged = evaluate(corpus, setup, options)
    results = {
        "choice": judged.result,
        "wording": evaluate(corpus, setup, replace(options, judge="wording", metrics=())).result,
        "check": lone.result,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, result in results.items():
            (Path(folder) / name).mkdir()
            result.write(Path(folder) / name / "result.json")
        file = Path(folder) / "mqm.tsv"
        write_mqm(annotations, file)
        for name, categories in GROUPS.items():
            agreement(name, [Path(folder) / each for each in results], file, categories)
    found = [
        (system, tagged, LoneText(tagged.identifier, tagged.choices).judgments())
        for system, documents in lone.tagged.items()
        for tagged in documents
    ]
    marks(found, annotations, "by itself")
    found = [
        (system, tagged, [(one, judged_text(theirs, tagged).judge(one)) for one in theirs.occurrences])
        for system in corpus.systems
        for theirs, tagged in zip(judged.tagged[reference], judged.tagged[system], strict=True)
    ]
    marks(found, annotations, f"on {reference}")


def agreement(group: str, results: list[Path], human: Path, categories: Sequence[str]) -> None:
    """Print Pearson's r of each column with the errors of some categories, and Williams' p against BLEU."""
    people = read_people(human, "zh-en", categories=categories)
    metrics = read_metrics(results, "zh-en", people.documents)
    given = MetaOptions(levels=("doc", "sys"), coefficients=("pearson",), trials=0)
    result = meta_evaluate(metrics, people.scores, people.documents, given)
    print(f"\n{group}: {people.warnings[-1] if categories else 'all errors'}\n")
    print("| column | documents | p | systems | p |\n|---|---|---|---|---|")
    for name in (metric.name for metric in metrics):
        cells = []
        for level in ("doc", "sys"):
            one = result.correlation(name, level, "pearson")
            low_high = "" if one.interval is None else f" [{one.interval.low:.2f}, {one.interval.high:.2f}]"
            tests = [
                c.williams for c in result.comparisons if c.level == level and {c.first, c.second} == {name, "BLEU"}
            ]
            value = "–" if one.value is None else f"{one.value:.2f}{low_high} ({one.scores})"
            cells += [value, f"{tests[0].p_value:.2f}" if tests and tests[0] else ""]
        print(f"| {name} | {' | '.join(cells)} |")


Found = Iterable[tuple[str, TaggedDocument, Iterable[tuple[Occurrence, Judgment]]]]


def marks(judged: Found, annotations: Sequence[Annotation], how: str) -> None:
    """Print how many of the words that are judged, by phenomenon and verdict, people marked as a part of an error."""
    found: dict[tuple[str, str, int], list[tuple[str, int, int]]] = {}
    for one in annotations:
        for start, end in marked(one.target):
            found.setdefault((one.system, one.document, one.position), []).append((one.category, start, end))
    counts: dict[tuple[str, str], Counter[str]] = {}
    for system, tagged, judgments in judged:
        for occurrence, judgment in judgments:
            if not judgment.verdict:
                continue
            here = found.get((system, tagged.identifier, occurrence.segment + 1), [])
            places = [tagged.target[occurrence.segment][token] for token in judgment.target_tokens]
            hit = {cat for cat, a, b in here if any(a < end and start < b for start, end in places)}
            count = counts.setdefault((occurrence.phenomenon, judgment.verdict), Counter())
            count.update({"words": 1, "any": bool(hit)})
            count.update({name: any(c.startswith(tuple(of)) for c in hit) for name, of in GROUPS.items() if of})
    print(f"\n| judged {how} | verdict | words | marked | {' | '.join(name for name in GROUPS if name != 'all')} |")
    print("|---" * (len(GROUPS) + 3) + "|")
    for (phenomenon, verdict), count in sorted(counts.items()):
        cells = [
            f"{count[name]} ({100 * count[name] / count['words']:.1f} %)" for name in ("any", *GROUPS) if name != "all"
        ]
        print(f"| {phenomenon} | {verdict} | {count['words']} | {' | '.join(cells)} |")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["contrastive", "people", "alone", "mqm", "precision"])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("-l", "--languages", default="en-de")
    parser.add_argument("--reference", choices=["ref", "refB"], default="ref", help="of mqm")
    given = parser.parse_args()
    if given.what == "contrastive":
        contrastive(given.directory, given.sample)
    elif given.what == "mqm":
        mqm(given.directory, given.reference)
    else:
        {"people": people, "alone": alone, "precision": precision}[given.what](given.directory, given.languages)


if __name__ == "__main__":
    main()
