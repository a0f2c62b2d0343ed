"""What it costs that extraction links pairs by themselves and resolves pronouns from a window.

python benchmarks/windows.py links ../shared/documents/ntrex        links shared with those of whole documents
python benchmarks/windows.py antecedents ../shared/coreference/gum.tar.xz
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.mentions import load_lexicon
from endophora.corefer.ranker import Ranker
from endophora.corefer.records import Resolution
from endophora.evaluation.setup import Setup
from endophora.extraction.select import Sides, align_alone, resolve_windows
from endophora.phenomena import TaggerOptions
from endophora.phenomena.records import AnnotatedDocument
from endophora_makers.coreference_evaluation import Score, gold_pronouns
from endophora_makers.gum import read_gum
from endophora_makers.resolver import CLOSED_GENRES, annotate_gold, opened

FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "pt": "por", "ru": "rus"}
REACHES = (None, 5, 10, 15)


def links(folder: Path, code: str, segments: int) -> None:
    """Print how many links of documents are those of their pairs by themselves."""
    with (folder / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as lines:
        ids = [row[0] for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)][:segments]
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=())).load()
    texts = [
        list(annotator.annotate((folder / f"newstest2019.{name}.txt").read_text("utf-8").splitlines()[:segments]))
        for name, annotator in (("eng", tools.source_annotator), (FILES[code], tools.target_annotator))
    ]
    grouped: dict[str, tuple[list[AnnotatedText], list[AnnotatedText]]] = {}
    for name, one, other in zip(ids, *texts, strict=True):
        sides = grouped.setdefault(name, ([], []))
        sides[0].append(one)
        sides[1].append(other)
    documents: list[Sides] = [(tuple(ones), tuple(others)) for ones, others in grouped.values()]
    whole, alone = _points(tools.aligner.align_many(documents)), _points(align_alone(tools.aligner, documents))
    print(f"en-{code}: {len(whole)} links by document, {len(alone)} by pair, {len(whole & alone)} the same")


def _points(linked: Sequence[Sequence[Sequence[Link]]]) -> set[tuple[int, int, int, int]]:
    return {
        (number, place, link.source, link.target)
        for number, document in enumerate(linked)
        for place, segment in enumerate(document)
        for link in segment
    }


def antecedents(gum: Path) -> None:
    """Print how often the resolver is right that sees the document, or some segments before the pronoun's."""
    with opened(gum) as folder:
        documents = read_gum(folder)
    chosen = [d for d in documents if d.split in ("dev", "test") or (d.split == "train" and d.genre in CLOSED_GENRES)]
    annotations, lexicon, ranker = annotate_gold(chosen, "default"), load_lexicon("en"), Ranker()
    for reach in REACHES:
        score = Score()
        for document in chosen:
            texts = tuple(annotations[document.id])
            score.add(gold_pronouns(document, texts, lexicon), _resolved(ranker, texts, reach), texts)
        kept = ", ".join(f"p ≥ {p}: {found.percent:.1f} % of {found.total}" for p, found in score.answered.items())
        print(f"{'document' if reach is None else reach}: right noun {score.right:.1f}, {kept}, of {score.asked}")


def _resolved(ranker: Ranker, texts: tuple[AnnotatedText, ...], reach: int | None) -> Sequence[Resolution]:
    if reach is None:
        return ranker.with_target(ranker.prepare(texts))
    bare = tuple(AnnotatedText(text.text, ()) for text in texts)
    document = AnnotatedDocument("", texts, bare, ((),) * len(texts))
    return resolve_windows(ranker, document, range(len(texts)), reach)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("links", "antecedents"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--language", "-l", action="append", choices=sorted(FILES))
    parser.add_argument("--segments", type=int, default=500)
    chosen = parser.parse_args()
    if chosen.what == "antecedents":
        antecedents(chosen.path)
        return
    for code in chosen.language or ("fr", "pl"):
        links(chosen.path, code, chosen.segments)


if __name__ == "__main__":
    main()
