"""Occurrences of test sets in real documents, beside the published counts.

    python benchmarks/ctxpro_counts.py ../shared/documents              NTREX-128 in seven languages, WMT 2024 in two
    python benchmarks/ctxpro_counts.py ../shared/documents -l de -l fr
    python benchmarks/ctxpro_counts.py ../shared/documents --suites ../shared/known-answers/ctxpro
    python benchmarks/ctxpro_counts.py ../shared/parallel --single --every 5   sentence pairs, each by itself
    python benchmarks/ctxpro_counts.py ../shared/parallel --surface            how much formality there can be at most

Prints, for each language, occurrences by phenomenon a thousand segments beside Table 5 (OpenSubtitles) and Table 8 (WMT
2019–2022) of Wicks and Post 2023; and counts by rule. With
``--suites``, what part of two published test sets is found again in their segments alone, and why the rest is not. With
``--single``, every distinct sentence pair of ``en-*.tsv.gz`` is a document of its own; what a look at the surface
leaves, as in ``extract``, is annotated once and tagged from English (gender, formality by case) and into it (animacy).
Auxiliaries and inflection need a sentence before.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from endophora.corpus.records import Document, Location, Segment
from endophora.corpus.streams import REFERENCE
from endophora.evaluation.setup import Setup, Toolbox
from endophora.extraction import ExtractionSetup
from endophora.extraction.select import Selector
from endophora.languages import load_language
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.auxiliary import AuxiliaryTagger
from endophora.phenomena.gender import AnimacyTagger
from endophora.phenomena.records import AnnotatedDocument, Occurrence, swap_sides
from endophora.phenomena.tagging import REVERSED
from endophora.phenomena.verdicts import Reason, furthest

Pairs = list[tuple[str, list[tuple[str, str]]]]
"""(id, [(English, other)]) a document."""

NTREX = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "pt": "por", "ru": "rus"}
WMT24 = {"de": "de", "es": "es"}
PHENOMENA = ("gender", "animacy", "formality_cases", "auxiliary", "inflection")
# Table 5: thousands extracted from OpenSubtitles2018, and millions of lines.
# Table 8: counts in WMT 2019-2022, and lines.
TABLE_5 = {
    "de": (147, 80, 3900, 4.414, None, 22.5), "fr": (291, 145, 5700, 27.6, None, 41.9),
    "ru": (113, 66, 3600, 39.1, 2600, 25.9), "pl": (117, 39, 1700, 34.2, 3200, 77.2),
    "pt": (127, 38, 857, 30.2, None, 33.2), "it": (36, 20, 833, 17.5, None, 35.2),
    "es": (96, 84, 10100, 29.6, None, 61.4),
}  # fmt: skip
SINGLE, OTHERS = ("tatoeba", "news"), "others"
"""How names of collections of sentence pairs begin; the others are TICO-19 and multi30k."""
CHUNK = 2_000
"""Sentence pairs that are annotated at once."""
TABLE_8 = {"de": (135, None, 540, 1, None, 6454), "ru": (64, None, 416, 0, 14, 7038), "pl": (13, None, 4, 0, 1, 1000)}


def ntrex(folder: Path, code: str) -> Pairs:
    """Return the documents of NTREX-128."""
    with (folder / "DOCUMENT_IDS.tsv").open(encoding="utf-8", newline="") as rows:
        ids = [row[0] for row in csv.reader(rows, delimiter="\t", quoting=csv.QUOTE_NONE)]
    return _grouped(ids, folder / "newstest2019.eng.txt", folder / f"newstest2019.{NTREX[code]}.txt")


def wmt24(folder: Path, code: str) -> Pairs:
    """Return the documents of WMT 2024, without the line at the top of each file that marks it as test data."""
    pair = f"en-{code}"
    ids = [line.split("\t")[1] for line in (folder / "documents" / f"{pair}.docs").read_text("utf-8").splitlines()]
    reference = min((folder / "references").glob(f"{pair}.*.txt"))
    return _grouped(ids, folder / "sources" / f"{pair}.txt", reference, 1)


def _grouped(ids: Sequence[str], source: Path, target: Path, skipped: int = 0) -> Pairs:
    found: dict[str, list[tuple[str, str]]] = {}
    sides = [path.read_text("utf-8").splitlines() for path in (source, target)]
    for identifier, one, other in list(zip(ids, *sides, strict=True))[skipped:]:
        found.setdefault(identifier, []).append((one, other))
    return list(found.items())


def annotate(documents: Iterable[tuple[str, Sequence[tuple[str, str]]]], tools: Toolbox) -> list[AnnotatedDocument]:
    """Annotate, link and resolve documents."""
    texts = list(documents)
    sides = [
        list(annotator.annotate([pair[side] for _, pairs in texts for pair in pairs]))
        for side, annotator in enumerate((tools.source_annotator, tools.target_annotator))
    ]
    bounds: list[slice] = []
    start = 0
    for _, pairs in texts:
        bounds.append(slice(start, start + len(pairs)))
        start += len(pairs)
    sources, targets = ([tuple(side[bound]) for bound in bounds] for side in sides)
    linked = tools.aligner.align_many(list(zip(sources, targets, strict=True)))
    return [
        AnnotatedDocument(name, source, target, tuple(links), tuple(tools.resolver.resolve(source, target, links)))
        for (name, _), source, target, links in zip(texts, sources, targets, linked, strict=True)
    ]


def tag(documents: Sequence[AnnotatedDocument], code: str) -> list[Occurrence]:
    """Return the occurrences of all phenomena of a language, animacy of the documents turned round."""
    found: list[Occurrence] = []
    for name in load_language(code).extractable:
        pair = (code, "en") if name in REVERSED else ("en", code)
        (tagger,) = make_taggers(pair[1], TaggerOptions(phenomena=(name,)), pair[0])
        found.extend(one for each in documents for one in tagger.tag(swap_sides(each) if name in REVERSED else each))
    return found


def report(name: str, pairs: Pairs, code: str) -> None:
    """Print one collection in one language."""
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=())).load()
    found = tag(annotate(pairs, tools), code)
    total = sum(len(some) for _, some in pairs)
    counts = Counter(one.phenomenon for one in found)
    earlier = Counter(one.phenomenon for one in found if one.support is not None and one.support.distance > 0)
    five, eight = TABLE_5[code], TABLE_8.get(code)
    print(f"\n{name} en-{code}, {total} segments")
    print("| | found | support in an earlier segment | per 1,000 | Table 5 | Table 8 |")
    print("|---|---|---|---|---|---|")
    for index, phenomenon in enumerate(PHENOMENA):
        if phenomenon not in load_language(code).extractable:
            continue
        thousands, counted = five[index], eight[index] if eight else None
        published = (
            "–" if thousands is None else f"{thousands / five[5]:.2f}",
            "–" if eight is None or counted is None else f"{1000 * counted / (eight[5] or 1):.2f}",
        )
        cells = (
            phenomenon,
            f"{counts[phenomenon]}",
            f"{earlier[phenomenon]}",
            f"{1000 * counts[phenomenon] / total:.2f}",
        )
        print("| " + " | ".join((*cells, *published)) + " |")
    for phenomenon in PHENOMENA:
        families = Counter(one.rule.split(".")[0] for one in found if one.phenomenon == phenomenon)
        if families:
            print(f"{phenomenon}: " + ", ".join(f"{family} {count}" for family, count in families.most_common()))


def single_pairs(path: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield the collection and text of each distinct sentence pair of a file."""
    seen: set[tuple[str, str]] = set()
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            name, one, other = line.rstrip("\n").split("\t")
            if (one, other) not in seen:
                seen.add((one, other))
                yield next((kind for kind in SINGLE if name.startswith(kind)), OTHERS), (one, other)


def single(path: Path, code: str, every: int) -> None:
    """Print what is found in every so many sentence pairs, each a document of its own, by collection and rule."""
    setup = ExtractionSetup(source_language="en", target_language=code, phenomena=("gender", "formality_cases"))
    tools = setup.load()
    selector = Selector(tools)
    segments: Counter[str] = Counter()
    left: list[tuple[str, tuple[str, str]]] = []
    for kind, pair in islice(single_pairs(path), 0, None, every):
        segments[kind] += 1
        document = Document(kind, (Segment(pair[0], {REFERENCE: pair[1]}, {}, Location("", 1)),))
        if any(selector.candidates(document).values()):
            left.append((kind, pair))
    # Texts of one length make full batches.
    left.sort(key=lambda item: (-len(item[1][0]), item))
    found: Counter[tuple[str, str, str]] = Counter()
    for start in range(0, len(left), CHUNK):
        documents = annotate([(kind, [pair]) for kind, pair in left[start : start + CHUNK]], tools)
        found.update((one.document, one.phenomenon, one.rule) for one in tag(documents, code))
    for kind in segments:
        for phenomenon, thousands in zip(PHENOMENA[:3], TABLE_5[code], strict=False):
            rules = {rule: count for (some, name, rule), count in found.items() if (some, name) == (kind, phenomenon)}
            total, published = sum(rules.values()), (thousands or 0) / TABLE_5[code][5]
            cells = (
                f"en-{code}",
                kind,
                f"{segments[kind]}",
                phenomenon,
                f"{total} ({1000 * total / segments[kind]:.1f})",
            )
            print("| " + " | ".join((*cells, f"{published:.1f}")) + " |")
            ordered = sorted(rules.items(), key=lambda one: (-one[1], one))
            print("  " + ", ".join(f"{rule} {count}" for rule, count in ordered))
    print(f"{len(left)} of {segments.total()} parsed", flush=True)


def surface(path: Path, code: str) -> None:
    """Print in how many Tatoeba pairs *you* stands beside a form of the published rules: no tagger finds more.

    Forms that are articles as well, as the published rules of gender have them for *it* and *them*, are counted apart.
    """
    rules = load_language(code).extraction
    forms, things = (
        {" ".join(words) for case in rules.cases(name, published=True) for words in case.words}
        for name in ("formality", "gender")
    )
    counts: Counter[str] = Counter()
    for kind, (one, other) in single_pairs(path):
        if kind != SINGLE[0]:
            continue
        counts["all"] += 1
        if "you" in re.findall(r"\w+", one.lower()):
            words = set(re.findall(r"\w+", other.lower()))
            counts["you"] += 1
            counts["form"] += bool(words & forms)
            counts["own"] += bool(words & (forms - things))
    of = {name: f"{1000 * counts[name] / counts['all']:.1f}" for name in ("you", "own", "form")}
    published = (TABLE_5[code][2] or 0) / TABLE_5[code][5]
    print(f"| en-{code} | {counts['all']} | {of['you']} | {of['own']} | {of['form']} | {published:.1f} |", flush=True)


def recall(folder: Path, file: str, code: str, tagger: AuxiliaryTagger | AnimacyTagger) -> None:
    """Print what part of a published set is found in its segments and antecedent segments, and why the rest is not."""
    with gzip.open(folder / file, "rt", encoding="utf-8") as stream:
        items: list[dict[str, str]] = json.load(stream)
    turned = isinstance(tagger, AnimacyTagger)
    sides = ("ref", "src") if turned else ("src", "ref")
    kinds = ("ante segment", "segment")
    one, other = sides
    pairs = [
        (
            str(number),
            [(item[f"{one} {kind}"], item[f"{other} {kind}"]) for kind in kinds[not item["ante distance"] :]],
        )
        for number, item in enumerate(items)
    ]
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=())).load()
    reasons: Counter[str] = Counter()
    for item, document in zip(items, annotate(pairs, tools), strict=True):
        verdicts = tagger.verdicts(swap_sides(document) if turned else document, len(document.source) - 1)
        verdict = verdicts[item["rule"]]
        if verdict.reason is Reason.TARGET_CASE:
            # The annotator has the form in another case: the rule of that case says how far the check came.
            verdict = furthest(verdicts.values(), Reason.TARGET_CASE)
        other = verdict.reason is Reason.HIT or any(each.reason is Reason.HIT for each in verdicts.values())
        found = verdicts[item["rule"]].reason is Reason.HIT
        reasons["found under another rule" if other and not found else verdict.reason.value] += 1
    print(f"\n{file}, {len(items)} items")
    for reason, count in reasons.most_common():
        print(f"| {reason} | {count} | {100 * count / len(items):.1f} % |")


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", "-l", action="append", choices=sorted(NTREX))
    parser.add_argument("--suites", type=Path, help="folder of the published sets: their recall only")
    parser.add_argument("--single", action="store_true", help="the directory holds sentence pairs")
    parser.add_argument("--every", type=int, default=1, help="of sentence pairs, take every Nth")
    parser.add_argument("--surface", action="store_true", help="of sentence pairs, how much formality there can be")
    arguments = parser.parse_args()
    if arguments.suites:
        german, polish = AuxiliaryTagger(load_language("de")), AnimacyTagger(load_language("pl"))
        recall(arguments.suites, "auxiliary.opensubtitles.en-de.test.json.gz", "de", german)
        recall(arguments.suites, "mini.animacy.opensubtitles.pl-en.test.json.gz", "pl", polish)
        return
    for code in arguments.language or sorted(NTREX):
        if arguments.surface:
            surface(arguments.directory / f"en-{NTREX[code]}.tsv.gz", code)
            continue
        if arguments.single:
            single(arguments.directory / f"en-{NTREX[code]}.tsv.gz", code, arguments.every)
            continue
        report("NTREX-128", ntrex(arguments.directory / "ntrex", code), code)
        if code in WMT24:
            report("WMT 2024", wmt24(arguments.directory / "wmt24", code), code)


if __name__ == "__main__":
    main()
