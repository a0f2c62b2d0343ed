"""What it costs that extraction links pairs by themselves, and that pronouns are resolved from a window.

python benchmarks/windows.py links ../shared/documents/ntrex        links shared with those of whole documents
python benchmarks/windows.py antecedents ../shared/coreference/gum.tar.xz
python benchmarks/windows.py unseen ../shared/coreference/gum.tar.xz         what the resolver's encoder does not read
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from endophora.align.records import Link
from endophora.annotate.records import AnnotatedText
from endophora.corefer.encoder import LONGEST, PronounEncoder, load_encoder, windows
from endophora.corefer.mentions import find_mentions, load_lexicon, read_discourse
from endophora.corefer.ranker import Ranker, candidates_of
from endophora.corefer.records import Resolution
from endophora.evaluation.setup import Setup
from endophora.extraction.select import Sides, align_alone, resolve_windows
from endophora.phenomena import TaggerOptions
from endophora.phenomena.records import AnnotatedDocument
from endophora_makers.coreference_evaluation import MAIN, Counts, Score, gold_pronouns, pooled
from endophora_makers.gum import read_gum
from endophora_makers.resolver import CLOSED_GENRES, annotate_gold, opened

FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "pt": "por", "ru": "rus"}
REACHES = (None, 5, 10, 15)
WINDOW = 5


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


def unseen(gum: Path) -> None:
    """Print how much of a document the resolver's encoder does not read with a pronoun, and what that costs."""
    with opened(gum) as folder:
        documents = [
            d for d in read_gum(folder) if d.split == "dev" or (d.split == "train" and d.genre in CLOSED_GENRES)
        ]
    annotations, lexicon, ranker = annotate_gold(documents, "default"), load_lexicon("en"), Ranker()
    pieces_of = cast("PronounEncoder", load_encoder("en")).pieces_of
    cut, read, scores = Counts(), Counts(), {True: Score(), False: Score()}
    for document in documents:
        texts = tuple(annotations[document.id])
        row = read_discourse(texts)
        mentions, words = find_mentions(row, lexicon), [token.form for token in row.tokens]
        asked = {
            m.index: candidates_of(mentions, m.order, WINDOW) for m in mentions if m.group and m.kind != "demonstrative"
        }
        seen = {place: w.words for w in windows(words, row.segment, asked, pieces_of) for place in w.asked}
        for word in words:
            cut.add(len(pieces_of(word)) == LONGEST)
        for place, candidates in asked.items():
            for order in candidates:
                read.add(mentions[order].index in seen[place])
        resolutions = ranker.resolve(texts)
        for gold in gold_pronouns(document, texts, lexicon):
            read_with = seen.get(row.first[gold.segment] + gold.token, ())
            near = any(row.first[segment] + token in read_with for segment, token, _ in gold.nouns)
            scores[near].add([gold], resolutions, texts)
    print(f"words of {LONGEST} pieces or more: {cut.percent:.2f} % of {cut.total}")
    print(f"candidates in the text read with their pronoun: {read.percent:.1f} % of {read.total}")
    for near, name in ((True, "a right noun in that text"), (False, "none")):
        found = pooled(scores[near].nouns, MAIN)
        print(f"{name}: right noun {found.percent:.1f} % of {found.total}")


def _resolved(ranker: Ranker, texts: tuple[AnnotatedText, ...], reach: int | None) -> Sequence[Resolution]:
    if reach is None:
        return ranker.with_target(ranker.prepare(texts))
    bare = tuple(AnnotatedText(text.text, ()) for text in texts)
    document = AnnotatedDocument("", texts, bare, ((),) * len(texts))
    return resolve_windows(ranker, document, range(len(texts)), reach)


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("links", "antecedents", "unseen"))
    parser.add_argument("path", type=Path)
    parser.add_argument("--language", "-l", action="append", choices=sorted(FILES))
    parser.add_argument("--segments", type=int, default=500)
    chosen = parser.parse_args()
    if chosen.what != "links":
        (antecedents if chosen.what == "antecedents" else unseen)(chosen.path)
        return
    for code in chosen.language or ("fr", "pl"):
        links(chosen.path, code, chosen.segments)


if __name__ == "__main__":
    main()
