"""How often an annotator gives frequent verb forms their part of speech and person: dialogue is what treebanks lack.

    python benchmarks/persons.py ../shared/parallel es [ANNOTATOR]

Forms that are of one person only (``persons.yaml``) are looked up in every seventh sentence of Tatoeba that has one,
350 at most; a form is right if it is a VERB or AUX of that person. Tatoeba is also what silver labels are made of, so
the figures say what was learned rather than how it carries over.
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import VERBS

EVERY, MOST = 7, 350


def main(directory: str, language: str, name: str | None = None) -> None:
    """Print the share of right forms of each person, and the commonest wrong analyses."""
    table = cast("dict[str, Any]", YAML(typ="safe").load(Path(__file__).with_name("persons.yaml")))[language]
    with gzip.open(Path(directory) / table["file"], "rt", encoding="utf-8", newline="") as rows:
        reader = csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)
        texts = [row[2] for row in reader if row[0].startswith("tatoeba")]
    annotator = load_annotator(language, name)
    for person, forms in cast("dict[str, list[str]]", table["persons"]).items():
        wanted = re.compile(rf"\b(?:{'|'.join(forms)})\b", re.IGNORECASE)
        right, wrong = 0, Counter[tuple[str, str, str]]()
        for text in annotator.annotate([text for text in texts if wanted.search(text)][::EVERY][:MOST]):
            for token in text.tokens:
                if wanted.fullmatch(token.form):
                    found = token.features.get("Person", "")
                    if found == person and token.upos in VERBS:
                        right += 1
                    else:
                        wrong[token.form.lower(), token.upos, found] += 1
        total = right + wrong.total()
        print(f"person {person}: {100 * right / total:.1f} % of {total}; wrong: {wrong.most_common(5)}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
