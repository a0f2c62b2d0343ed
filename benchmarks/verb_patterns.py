"""How often the patterns of a language's verb forms know a form whatever a model says of its tense.

    python benchmarks/verb_patterns.py ../shared fr

Finite indicatives of the language's treebanks are looked up as presents, which models that saw few pasts take them for:
of each tense of the treebank, how many have which label by their form alone.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from itertools import chain
from pathlib import Path

from injected_changes import sentences

from endophora.annotate.records import VERBS
from endophora.languages import load_language
from endophora.languages.base import matches

PRESENT = {"VerbForm": "Fin", "Mood": "Ind", "Tense": "Pres"}


def main(shared: str, language: str) -> None:
    """Print the counts."""
    rules = [rule for rule in load_language(language).verb_forms if rule.pattern and matches(PRESENT, rule.features)]
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for token in chain.from_iterable(sentences(Path(shared) / "treebanks" / f"{language}.tar.xz")):
        if token.upos in VERBS and matches(token.features, {"VerbForm": "Fin", "Mood": "Ind"}):
            known = (rule.label for rule in rules if re.search(rule.pattern, token.form.lower()))
            counts[token.features.get("Tense", "none")][next(known, "not known")] += 1
    for tense, found in sorted(counts.items()):
        print(f"{tense}, {found.total():,}: {', '.join(f'{label} {n:,}' for label, n in found.most_common())}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
