"""Learns how much more often parts of speech are linked than by chance, from the aligner's own links.

python -m endophora_makers.parts ../shared/parallel/en-deu.tsv.gz ../shared/parallel/en-fra.tsv.gz
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import islice, product
from pathlib import Path

import numpy as np

from endophora.align import load_aligner
from endophora.align.records import Link
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText
from endophora.corpus.codes import language_names
from endophora.training.parallel import read_pairs

PAIRS = 20_000
SEGMENTS = 50
POWER = 0.75
"""Words and their parts of speech are not independent, so that their ratios are not multiplied in full."""

BOUNDS = (0.1, 10.0)
_OUTPUT = Path(__file__).parent.parent / "align" / "data" / "parts.json"

Aligned = tuple[AnnotatedText, AnnotatedText, Sequence[Link]]


def learn_parts(segments: Iterable[Aligned]) -> dict[str, object]:
    """Return parts of speech and the factor of each pair of them, as ``parts.json`` holds them.

    The factor is (links of the pair ÷ links expected if parts of speech were linked at random)^:data:`POWER`, between
    :data:`BOUNDS`; ``X`` and punctuation are left out, since a link with them is shown by the words.
    """
    linked: defaultdict[tuple[str, str], float] = defaultdict(float)
    met: defaultdict[tuple[str, str], float] = defaultdict(float)
    for source, target, links in segments:
        for link in links:
            linked[source.tokens[link.source].upos, target.tokens[link.target].upos] += link.confidence
        ones, others = (Counter(token.upos for token in text.tokens) for text in (source, target))
        share = 1 / max(1, max(len(source.tokens), len(target.tokens)))
        for one, other in product(ones, others):
            met[one, other] += ones[one] * others[other] * share
    parts = sorted({part for pair in met for part in pair} - {"X", "PUNCT", "SYM", ""})
    ratios = np.array([[(linked[a, b] + 1) / (met[a, b] + 1) for b in parts] for a in parts])
    return {"parts": parts, "factors": np.round(np.clip(ratios**POWER, *BOUNDS), 2).tolist()}


def aligned(path: Path, languages: tuple[str, str]) -> Iterable[Aligned]:
    """Yield aligned segments of a file of sentence pairs, in documents of :data:`SEGMENTS`."""
    pairs = list(islice(read_pairs(path, ("tatoeba",)), PAIRS))
    texts = [
        list(load_annotator(code).annotate(text for text in side))
        for code, side in zip(languages, ([p.source for p in pairs], [p.target for p in pairs]), strict=True)
    ]
    aligner = load_aligner(None, *languages)
    documents = [(texts[0][at : at + SEGMENTS], texts[1][at : at + SEGMENTS]) for at in range(0, len(pairs), SEGMENTS)]
    for (source, target), links in zip(documents, aligner.align_many(documents), strict=True):
        yield from zip(source, target, links, strict=True)


def main() -> None:
    """Learn the table that ships from the files named on the command line, ``en-deu.tsv.gz`` and similar ones."""
    segments: list[Aligned] = []
    for name in sys.argv[1:]:
        target = Path(name).name.partition(".")[0].partition("-")[2]
        code = next(code for code in language_names() if code == target[:2])
        segments.extend(aligned(Path(name), ("en", code)))
    table = learn_parts(segments)
    _OUTPUT.write_text(json.dumps(table, separators=(",", ":")) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
