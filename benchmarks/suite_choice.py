"""What a suite says by the published wording, and by the choice that an output shows.

    python benchmarks/suite_choice.py ../shared/known-answers/ctxpro [--sample 300]

The two evaluation sets with DeepL's outputs give the changes; the development items have no outputs: there references
must be right, and wrong where the expected form is replaced by that of another gender, number or level.
"""

from __future__ import annotations

import argparse
import lzma
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from endophora.suites.formats import read_suite
from endophora.suites.records import Suite
from endophora.suites.scoring import SuiteOptions, judge_choices, judge_outputs

ANIMACY = "mini.animacy.opensubtitles.pl-en.test"
DEV = ("gender.opensubtitles.en-es.dev", "formality.opensubtitles.en-fr.dev")
OTHERS = {
    **{"la": "lo", "lo": "la", "ellos": "ellas", "ellas": "ellos", "los": "las", "las": "los", "él": "ella"},
    **{"ella": "él", "vous": "toi", "te": "vous", "t'": "vous ", "toi": "vous", "tu": "vous"},
}
"""Form → one of the other gender or level that may replace it; the verb is left as it is."""

OPTIONS = SuiteOptions(judge="choice", matching="ascii")


def changes(suite: Suite, outputs: dict[str, Sequence[str]]) -> None:
    """Print how many outcomes of each kind of matching became which verdict."""
    found = judge_choices(suite, outputs, OPTIONS)
    print("| outputs | matched | right | wrong | other | missing |\n|---|---|---|---|---|---|")
    for name, lines in outputs.items():
        counts = Counter(zip(judge_outputs(suite, lines, OPTIONS), (one.verdict for one in found[name]), strict=True))
        for outcome, word in ((1, "yes"), (0, "no")):
            cells = [counts[outcome, verdict] for verdict in ("right", "wrong", "other", "missing")]
            print(f"| {name} | {word} | {' | '.join(map(str, cells))} |")


def replaced(text: str, form: str) -> str:
    """Return a text with another form in the place of the last that is the expected one; empty if there is none."""
    places = list(
        re.finditer(rf"(?<!\w){re.escape(form)}(?!\w)" if form[-1].isalpha() else re.escape(form), text, re.I)
    )
    if not places or form not in OTHERS:
        return ""
    start, end = places[-1].span()
    return text[:start] + OTHERS[form] + text[end:]


def dev(path: Path, sample: int) -> None:
    """Print the verdicts on references, and on references with another form."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / path.name.removesuffix(".xz")
        file.write_bytes(lzma.decompress(path.read_bytes()))
        suite = read_suite(file)
    chosen = [one for one in suite.items if replaced(one.reference, one.expected[0].lower())]
    chosen = Random(1).sample(chosen, min(sample, len(chosen)))  # noqa: S311 - a sample for reading
    suite = replace(suite, items=chosen)
    outputs = {
        "references": [one.reference for one in chosen],
        "another form": [replaced(one.reference, one.expected[0].lower()) for one in chosen],
    }
    print(f"\n{suite.name}, {len(chosen)} items\n")
    changes(suite, outputs)


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--sample", type=int, default=300)
    given = parser.parse_args()
    suite = read_suite(given.directory / f"{ANIMACY}.json.gz")
    files = {name: given.directory / f"deepl.{ANIMACY}.{name}" for name in ("sentences", "contexts")}
    print(f"{suite.name}, {len(suite)} items\n")
    changes(suite, {name: path.read_text("utf-8").removesuffix("\n").split("\n") for name, path in files.items()})
    for name in DEV:
        dev(given.directory / "dev" / f"{name}.json.xz", given.sample)


if __name__ == "__main__":
    main()
