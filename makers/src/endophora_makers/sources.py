"""Learns the priors that ship, from the sources that ``recipes/priors.yaml`` names.

python -m endophora_makers.sources ../shared LIBREOFFICE WORDNET es it

``LIBREOFFICE`` holds ``help`` and ``resource`` as Debian's packages ``libreoffice-help-*`` and ``libreoffice-l10n-*``
install them, ``WORDNET`` the files of WordNet 3.0 (``wordnet-base``).
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, cast

from ruamel.yaml import YAML

from endophora.align.aligners import CARDS
from endophora.align.priors import PRIORS
from endophora.align.words import scheme_of
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText, Annotator
from endophora.record import Fixed
from endophora.training.parallel import TextPair, read_pairs
from endophora_makers.prior_texts import (
    keep_out,
    read_catalogues,
    read_help,
    read_wiktionary,
    read_wordnet,
)
from endophora_makers.priors import PriorsRecipe, pair_words, train_priors, write_priors

LICENCE = "CC BY-SA 3.0"
"""Of all files, since Wiktionary's asks for it."""

_RECIPE = Path(__file__).parent / "recipes" / "priors.yaml"


class Sources(Fixed):
    """What the priors of one language are learned from; see the head of ``recipes/priors.yaml``."""

    pairs: str
    help: str | None = None
    messages: str | None = None
    wiktionary: str | None = None
    wordnet: str | None = None


class SourcesFile(Fixed):
    """``recipes/priors.yaml``."""

    collections: tuple[str, ...]
    longest: int
    diagonal_rounds: int
    jump_rounds: int
    languages: dict[str, Sources]


def load_sources() -> SourcesFile:
    """Return the sources of all languages whose priors ship."""
    return SourcesFile.model_validate(cast("Any", YAML(typ="safe")).load(_RECIPE))


def read_sources(language: str, shared: Path, libreoffice: Path, wordnet: Path) -> Iterator[TextPair]:
    """Yield the pairs that the priors of a language are learned from, what is evaluated on kept out.

    Raises:
        InputError: a source is missing (E081).
    """
    file = load_sources()
    sources = file.languages[language]
    lexicons = shared / "lexicons"
    texts: list[Iterable[TextPair]] = [read_pairs(shared / "parallel" / sources.pairs, file.collections)]
    if sources.help:
        texts.append(read_help(libreoffice / "help", "en-US", sources.help))
    if sources.messages:
        texts.append(read_catalogues(libreoffice / "resource" / sources.messages))
    if sources.wiktionary:
        texts.append(read_wiktionary(lexicons / "wiktionary" / sources.wiktionary))
    if sources.wordnet:
        texts.append(read_wordnet(lexicons / "omw-wiktionary" / sources.wordnet, wordnet))
    return keep_out(chain.from_iterable(texts), evaluated(shared))


def annotated(texts: Sequence[str], annotator: Annotator, known: dict[str, AnnotatedText]) -> list[AnnotatedText]:
    """Return texts annotated; what is known already is not annotated again, since the pairs share their English."""
    new = [text for text in dict.fromkeys(texts) if text not in known]
    known.update(zip(new, annotator.annotate(new), strict=True))
    return [known[text] for text in texts]


def evaluated(shared: Path) -> Iterator[str]:
    """Yield the lines of all texts that anything is evaluated on: NTREX, WMT 2024 and the gold alignments."""
    documents = shared / "documents"
    for path in chain(
        (documents / "ntrex").glob("*.txt"),
        (documents / "wmt24").glob("*/*.txt"),
        (shared / "gold-alignments").glob("*.??"),
    ):
        yield from path.read_text("utf-8").split("\n")


def record(path: Path, counts: dict[str, int]) -> None:
    """Write what a priors file was learned from to ``card.json`` next to it; measurements of an older file go."""
    file = path.with_name(CARDS)
    cards: dict[str, dict[str, Any]] = json.loads(file.read_text("utf-8"))["pairs"] if file.is_file() else {}
    cards[path.stem] = {"licence": LICENCE, "sources": counts}
    text = json.dumps({"pairs": dict(sorted(cards.items()))}, indent=1)
    file.write_text(text + "\n", "utf-8")


def main() -> None:
    """Learn the priors of the languages that the command line names."""
    parser = argparse.ArgumentParser(description="Learn the priors that ship.")
    parser.add_argument("shared", type=Path, help="the data directory")
    parser.add_argument("libreoffice", type=Path, help="folder with help and resource")
    parser.add_argument("wordnet", type=Path, help="folder with data.noun and its other files")
    parser.add_argument("languages", nargs="+", help="ISO 639-1 codes")
    parser.add_argument("--output", type=Path, default=PRIORS, help="folder of the new files")
    given = parser.parse_args()
    file = load_sources()
    english: dict[str, AnnotatedText] = {}
    for language in given.languages:
        # Six letters a token: longer texts would be left out after all, once they were cut.
        most = 6 * file.longest
        pairs = [
            pair
            for pair in read_sources(language, given.shared, given.libreoffice, given.wordnet)
            if len(pair.source) <= most and len(pair.target) <= most
        ]
        counts = Counter(
            next((name for name in file.collections if pair.collection.startswith(name)), pair.collection)
            for pair in pairs
        )
        schemes = scheme_of("en"), scheme_of(language)
        tokens = pair_words(
            annotated([pair.source for pair in pairs], load_annotator("en", "blank"), english),
            annotated(
                [pair.target for pair in pairs], load_annotator(language, None if schemes[1].stems else "blank"), {}
            ),
            *schemes,
        )
        recipe = PriorsRecipe(
            *schemes,
            diagonal_rounds=file.diagonal_rounds,
            jump_rounds=file.jump_rounds,
            longest=file.longest,
        )
        path = given.output / f"en-{language}.priors"
        digest = write_priors(train_priors(tokens, recipe), path)
        record(path, dict(counts))
        print(f"en-{language}\t{digest}\t{path.stat().st_size}\t{dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
