"""Precision of the occurrences, by reading: draw a sample, judge it in a table, add it up.

    endophora tag -l en-fr -s newstest2019.eng.txt -r newstest2019.fra.txt -d ids.txt --examples 50 --seed 7 -o sample
    python benchmarks/quality.py show sample/result.json > to-read.txt
    python benchmarks/quality.py form sample/result.json > docs/quality/en-fr.tsv    (then fill in the verdicts)
    python benchmarks/quality.py table docs/quality/*.tsv
    python benchmarks/quality.py help LIBREOFFICE/help de --pages 400 --seed 7 > help-de.tsv   (documents to tag)

``show`` and ``form`` take several results and number them on. ``help`` draws pages of LibreOffice's help and prints
them as a corpus: page, English paragraph, translation; a pair of paragraphs that an earlier page has is left out.

A verdict is ``yes`` (the definition in docs/phenomena.md holds), ``no``, and a word on why not. The tables hold no
text, so that they can be in the repository whatever the licence of the documents is.
"""

from __future__ import annotations

import argparse
import csv
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from scipy.stats import binomtest

from endophora.evaluation.result import Example, Passage, Result
from endophora_makers.prior_texts import read_help

COLUMNS = ("number", "document", "segment", "phenomenon", "rule", "start", "verdict", "why")


def marked(passage: Passage) -> str:
    """Return a passage with its marked stretches in brackets: [occurrence], {source}, <support>."""
    brackets = {"occurrence": "[]", "source": "{}", "support": "<>", "written": "[]"}
    text = passage.text
    for mark in sorted(passage.highlights, key=lambda mark: -mark.start):
        before, after = brackets[mark.role]
        text = f"{text[: mark.start]}{before}{text[mark.start : mark.end]}{after}{text[mark.end :]}"
    return text


def show(examples: list[Example]) -> None:
    """Print the examples with their context, to be read."""
    for number, example in enumerate(examples, 1):
        distance = "" if example.distance is None else f", support {example.distance} back"
        print(f"#{number} {example.phenomenon}/{example.rule} {example.document}:{example.segment}{distance}")
        for context in example.context:
            print(f"    {marked(context.source)}\n    {marked(context.reference)}")
        print(f"  > {marked(example.source)}\n  > {marked(example.reference)}\n")


def form(examples: list[Example]) -> None:
    """Print the table to fill in."""
    writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n")
    writer.writerow(COLUMNS)
    for number, example in enumerate(examples, 1):
        start = min(mark.start for mark in example.reference.highlights if mark.role == "occurrence")
        writer.writerow((number, example.document, example.segment, example.phenomenon, example.rule, start, "", ""))


def table(paths: list[Path]) -> None:
    """Print precision with Wilson intervals, and the commonest errors."""
    for path in paths:
        verdicts: dict[str, Counter[str]] = defaultdict(Counter)
        errors: dict[str, Counter[str]] = defaultdict(Counter)
        with path.open(encoding="utf-8", newline="") as stream:
            reader = csv.DictReader(stream, delimiter="\t")
            if "verdict" not in (reader.fieldnames or ()):
                continue
            for row in reader:
                if row["verdict"] not in ("yes", "no"):
                    raise SystemExit(f"{path}: number {row['number']} has no verdict")
                verdicts[row["phenomenon"]][row["verdict"]] += 1
                if row["verdict"] == "no":
                    errors[row["phenomenon"]][row["why"]] += 1
        print(f"\n{path.stem}\n\n| phenomenon | read | precision | 95 % interval | errors |\n|---|---|---|---|---|")
        for phenomenon, counts in verdicts.items():
            interval = binomtest(counts["yes"], counts.total()).proportion_ci(method="wilson")
            why = "; ".join(f"{reason} {count}" for reason, count in errors[phenomenon].most_common())
            print(
                f"| {phenomenon} | {counts.total()} | {counts['yes'] / counts.total():.2f} "
                f"| {interval.low:.2f}–{interval.high:.2f} | {why or '–'} |"
            )


def help_pages(folder: Path, language: str, pages: int, seed: int) -> None:
    """Print a sample of LibreOffice's help pages as document, source and reference, each pair of paragraphs once."""
    names = sorted(str(page.relative_to(folder / "en-US")) for page in (folder / "en-US").rglob("*.html"))
    both = [name for name in names if (folder / language / name).is_file()]
    writer = csv.writer(sys.stdout, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    writer.writerow(("document", "source", "reference"))
    seen: set[tuple[str, str]] = set()
    for name in sorted(random.Random(seed).sample(both, min(pages, len(both)))):  # noqa: S311
        with TemporaryDirectory() as directory:
            # A folder of one page each, since the reader does not tell which page a pair is from.
            for side in ("en-US", language):
                (Path(directory) / side).mkdir()
                (Path(directory) / side / "page.html").symlink_to((folder / side / name).resolve())
            for pair in read_help(Path(directory), "en-US", language):
                texts = (pair.source, pair.target)
                if texts not in seen:
                    seen.add(texts)
                    writer.writerow((name, *texts))


def main() -> None:
    """Run one of the four steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("show", "form", "table", "help"))
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=400, help="of help, drawn at random")
    parser.add_argument("--seed", type=int, default=7, help="of the draw of pages")
    arguments = parser.parse_args()
    if arguments.step == "table":
        table(arguments.files)
        return
    if arguments.step == "help":
        help_pages(arguments.files[0], arguments.files[1].name, arguments.pages, arguments.seed)
        return
    examples = [example for path in arguments.files for example in Result.read(path).examples]
    (show if arguments.step == "show" else form)(examples)


if __name__ == "__main__":
    main()
