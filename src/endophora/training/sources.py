"""Learns the priors that ship, from the sources that ``recipes/priors.yaml`` names.

python -m endophora.training.sources ../shared LIBREOFFICE WORDNET es it

``LIBREOFFICE`` holds ``help`` and ``resource`` as Debian's packages ``libreoffice-help-*`` and ``libreoffice-l10n-*``
install them, ``WORDNET`` the files of WordNet 3.0 (``wordnet-base``).
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML

from endophora.align.classes import scheme_of
from endophora.align.priors import PRIORS, write_priors
from endophora.annotate import load_annotator
from endophora.training.parallel import (
    TextPair,
    keep_out,
    read_catalogues,
    read_help,
    read_pairs,
    read_wiktionary,
    read_wordnet,
)
from endophora.training.priors import PriorsRecipe, tokenise, train_priors

_RECIPE = Path(__file__).parent / "recipes" / "priors.yaml"


class Sources(BaseModel):
    """What the priors of one language are learned from; see the head of ``recipes/priors.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pairs: str
    help: str | None = None
    messages: str | None = None
    wiktionary: str | None = None
    wordnet: str | None = None


class SourcesFile(BaseModel):
    """``recipes/priors.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    collections: tuple[str, ...]
    languages: dict[str, Sources]


def load_sources() -> SourcesFile:
    """Return the sources of all languages whose priors ship."""
    return SourcesFile.model_validate(cast("Any", YAML(typ="safe")).load(_RECIPE))


def read_sources(language: str, shared: Path, libreoffice: Path, wordnet: Path) -> Iterator[TextPair]:
    """Yield the pairs that the priors of a language are learned from, what is evaluated on kept out.

    Args:
        language: ISO 639-1 code of the target language.
        shared: the data directory.
        libreoffice: LibreOffice's folders ``help`` and ``resource``.
        wordnet: WordNet 3.0's folder.

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


def evaluated(shared: Path) -> Iterator[str]:
    """Yield the lines of all texts that anything is evaluated on: NTREX, WMT 2024 and the gold alignments."""
    documents = shared / "documents"
    for path in chain(
        (documents / "ntrex").glob("*.txt"),
        (documents / "wmt24").glob("*/*.txt"),
        (shared / "gold-alignments").glob("*.??"),
    ):
        yield from path.read_text("utf-8").split("\n")


def main() -> None:
    """Learn the priors of the languages that the command line names."""
    parser = argparse.ArgumentParser(description="Learn the priors that ship.")
    parser.add_argument("shared", type=Path, help="the data directory")
    parser.add_argument("libreoffice", type=Path, help="folder with help and resource")
    parser.add_argument("wordnet", type=Path, help="folder with data.noun and the like")
    parser.add_argument("languages", nargs="+", help="ISO 639-1 codes")
    parser.add_argument("--output", type=Path, default=PRIORS, help="folder of the new files")
    given = parser.parse_args()
    for language in given.languages:
        pairs = list(read_sources(language, given.shared, given.libreoffice, given.wordnet))
        counts = Counter(pair.collection.partition("-")[0] for pair in pairs)
        tokens = tokenise(pairs, load_annotator("en", "blank"), load_annotator(language, "blank"))
        path = given.output / f"en-{language}.priors"
        digest = write_priors(train_priors(tokens, PriorsRecipe(scheme_of("en"), scheme_of(language))), path)
        print(f"en-{language}\t{digest}\t{path.stat().st_size}\t{dict(counts)}", flush=True)


if __name__ == "__main__":
    main()
