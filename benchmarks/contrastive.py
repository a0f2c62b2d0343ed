"""How many contrastive pronouns are tagged, in the right variant and in the wrong one.

    python benchmarks/contrastive.py ../shared/contrastive/pronouns-en-fr.tsv.xz [--limit 300]

Items of Lopes et al. (2020) that the resolver has not learned from: three segments of context and one whose French
pronoun is right or wrong. An item is tagged if an occurrence of pronoun choice touches the place where the variants
differ. What is tagged comes from the source pronoun and its antecedent, so that the wrong variant is mostly tagged too;
about 55 % have their noun in an earlier segment, and the others are rightly left untagged.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import random
from collections import Counter
from pathlib import Path

from ctxpro_counts import annotate

from endophora.evaluation.setup import Setup
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.records import AnnotatedDocument
from endophora_makers.antecedents import kept

VARIANTS = ("right", "wrong")


def touches(document: AnnotatedDocument, tokens: tuple[int, ...], place: int) -> bool:
    """Return whether tokens of the last segment touch a place in its target text."""
    written = (document.target[-1].tokens[index] for index in tokens)
    return any(token.start <= place <= token.end for token in written)


def main() -> None:
    """Print the share of items that are tagged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("items", type=Path)
    parser.add_argument("--limit", type=int, default=300, help="items, drawn by chance; 0 for all")
    given = parser.parse_args()
    with lzma.open(given.items, "rt", encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE) if kept(row["source"])]
    random.Random(19).shuffle(rows)  # noqa: S311
    rows = rows[: given.limit or None]
    tools = Setup("en", "fr", taggers=TaggerOptions(phenomena=("pronouns",))).load()
    (tagger,) = make_taggers("fr", TaggerOptions(phenomena=("pronouns",)), "en")
    count: Counter[str] = Counter()
    for variant in VARIANTS:
        texts: list[list[tuple[str, str]]] = []
        for row in rows:
            context = [(row[f"source_{n}"], row[f"target_{n}"]) for n in (1, 2, 3)]
            texts.append([*context, (row["source"], row[variant])])
        documents = annotate([(row["item"], text) for row, text in zip(rows, texts, strict=True)], tools)
        for row, document in zip(rows, documents, strict=True):
            pairs = enumerate(zip(row["right"], row["wrong"], strict=False))
            place = next((index for index, (one, other) in pairs if one != other), 0)
            found = (each.target_tokens for each in tagger.tag(document) if each.segment == 3)
            count[variant] += any(touches(document, tokens, place) for tokens in found)
    shares = ", ".join(f"{variant} variant tagged {100 * count[variant] / len(rows):.1f} %" for variant in VARIANTS)
    print(f"{len(rows)} items: {shares}")


if __name__ == "__main__":
    main()
