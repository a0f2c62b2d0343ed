"""Counts how pronouns of known antecedents are translated: what the ratios of ``corefer/data/target.json`` rest on.

``python -m endophora_makers.target_shares TALKS ITEMS`` counts on the first five talks of ParCorFull (German) and on
the contexts of the contrastive items that are learned from (French). A ratio is the logarithm of one share by another.
"""

from __future__ import annotations

import csv
import lzma
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from endophora.align import load_aligner
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import NOUNS, AnnotatedText
from endophora.corefer.mentions import Mention, find_mentions, load_lexicon, read_data, read_discourse
from endophora.corefer.target import ARTICLE, Target, noun_features, pronoun_features
from endophora_makers.antecedents import CLAUSE, NOTHING, UNNAMED, UNSURE, Place, kept, read_readings
from endophora_makers.coreference_evaluation import MAIN
from endophora_makers.parcorfull import read_talks, talk_pronouns
from endophora_makers.resolver import TALKS_DEVELOPED, opened

Known = tuple[Mention, str, Mention | None]
"""A pronoun, what it stands for (``"noun"``, ``"nothing"`` or ``"outside"``), and the nearest mention of its noun."""
Sides = tuple[tuple[AnnotatedText, ...], tuple[AnnotatedText, ...]]
WINDOW = 5
DEFAULT = {"de": "Neut", "fr": "Masc"}
"""The gender that is used where nothing is referred to."""


def count_shares(sides: Sequence[Sides], known: Sequence[Sequence[Known]], code: str) -> dict[str, Counter[str]]:
    """Return what pronouns stand for → how often the target shows what."""
    shares: dict[str, Counter[str]] = {}
    for (source, target), links, pronouns in zip(
        sides, load_aligner(None, "en", code).align_many(sides), known, strict=True
    ):
        evidence = Target(read_discourse(source), target, links)
        for pronoun, what, noun in pronouns:
            kind, shown = _shown(evidence, pronoun, noun, DEFAULT[code])
            shares.setdefault(f"{pronoun.number}, {what if noun is None else kind}", Counter())[shown] += 1
    return shares


def _shown(evidence: Target, pronoun: Mention, noun: Mention | None, default: str) -> tuple[str, str]:
    """Return what is known of a noun's translation, and what the target shows for a pronoun, beside it."""
    listed: Mapping[str, str] = (read_data("target.json") or {})["both_numbers"]
    linked = None if noun is None else evidence.word(noun.index, NOUNS)
    known = {} if linked is None else noun_features(linked)
    gender = known.get("Gender", frozenset[str]())
    kind = "not linked" if linked is None else "no gender" if not gender else "marked" if default not in gender else ""
    kind = "coordination" if noun is not None and noun.coordinated else kind or "default"
    written = evidence.pronoun(pronoun)
    if written is None or written.token.relation == ARTICLE:
        return kind, "no pronoun"
    found = pronoun_features(written.token, pronoun, frozenset({default}), listed)
    if "Gender" in found:
        agrees = "" if not gender else ", agrees" if gender & found["Gender"] else ", does not"
        return kind, ("default" if default in found["Gender"] else "marked") + agrees
    return kind, "number" if "Number" in found else "nothing"


def of_talks(folder: Path) -> Iterator[tuple[Sides, list[Known]]]:
    """Yield the talks that are developed on, and what is known of their pronouns."""
    english, german, lexicon = load_annotator("en"), load_annotator("de"), load_lexicon("en")
    for talk in read_talks(folder)[:TALKS_DEVELOPED]:
        source = tuple(english.annotate(talk.source))
        row = read_discourse(source)
        places = {
            (mention.segment, mention.index - row.first[mention.segment], mention.coordinated): mention
            for mention in find_mentions(row, lexicon)
        }
        known: list[Known] = []
        for gold in talk_pronouns(talk, source, lexicon, WINDOW):
            nouns = [places[noun] for noun in gold.nouns if noun in places]
            pronoun = places.get((gold.segment, gold.token, False))
            if gold.group in MAIN and pronoun is not None and (nouns or not gold.nouns):
                what = "nothing" if gold.non_referential else "noun" if nouns else "outside"
                known.append((pronoun, what, max(nouns, key=lambda noun: noun.order, default=None)))
        yield (source, tuple(german.annotate(talk.target))), known


def of_items(path: Path, every: int) -> Iterator[tuple[Sides, list[Known]]]:
    """Yield the contexts of every so many contrastive items, without the pronouns that the items were chosen for."""
    english, french, lexicon, readings = load_annotator("en"), load_annotator("fr"), load_lexicon("en"), read_readings()
    with lzma.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in [row for row in rows if not kept(row["source"]) and ("contrastive", row["item"]) in readings][::every]:
        reading = readings["contrastive", row["item"]]
        source = tuple(english.annotate([row[f"source_{number}"] for number in (1, 2, 3)]))
        discourse = read_discourse(source)
        mentions = find_mentions(discourse, lexicon)
        said = [
            reading.get(Place(one.segment, discourse.tokens[one.index].start, one.coordinated), UNSURE)
            for one in mentions
        ]
        known: list[Known] = []
        for pronoun in mentions:
            what = said[pronoun.order]
            nouns = [noun for noun in mentions[: pronoun.order] if noun.nominal and said[noun.order] == what]
            if pronoun.group not in MAIN or what == UNSURE:
                continue
            if what in {NOTHING, CLAUSE, UNNAMED}:
                known.append((pronoun, "nothing" if what == NOTHING else "outside", None))
            elif nouns:
                known.append((pronoun, "noun", nouns[-1]))
        yield (source, tuple(french.annotate([row[f"target_{number}"] for number in (1, 2, 3)]))), known


app = typer.Typer(add_completion=False)


@app.command()
def main(
    talks: Annotated[Path, typer.Argument(help="unpacked ParCorFull, or parcorfull-ted-de.tar.xz")],
    items: Annotated[Path, typer.Argument(help="contrastive items en-fr, pronouns-en-fr.tsv.xz")],
    every: Annotated[int, typer.Option(help="only every so many of the items")] = 3,
) -> None:
    """Print how often each kind of antecedent is taken up by which kind of target form."""
    with opened(talks) as folder:
        german = list(of_talks(folder))
    for code, found in (("de", german), ("fr", list(of_items(items, every)))):
        shares = count_shares([sides for sides, _ in found], [known for _, known in found], code)
        for kind, counts in sorted(shares.items()):
            shown = ", ".join(f"{name} {100 * n / counts.total():.0f} %" for name, n in counts.most_common())
            typer.echo(f"{code}, {kind} ({counts.total()}): {shown}")


if __name__ == "__main__":
    app()
