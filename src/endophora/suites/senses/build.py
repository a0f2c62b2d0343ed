"""A suite of word senses from linked sentence pairs (Raganato et al., 2019, §2), and the files of each step.

A table for each step, the suites in all formats, and a drawing of the thresholds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path

from markupsafe import Markup

from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError, refuse
from endophora.options import option
from endophora.signature import digest_of, keyed, write_signature
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.records import Suite
from endophora.suites.senses.clusters import (
    ClusterScore,
    Merge,
    SenseLexicon,
    Similarity,
    ambiguous,
    ambiguous_words,
    choose_threshold,
    cluster_targets,
    count_links,
    refine,
    steps_around,
    try_thresholds,
)
from endophora.suites.senses.embeddings import load_similarity, usual_threshold
from endophora.suites.senses.inventory import ADJECTIVE, ADVERB, CLASSES, NOUN, VERB, Gold, Inventory, SourceWord
from endophora.suites.senses.links import LinkedPair
from endophora.suites.senses.mucow import write_mucow_json, write_mucow_lines, write_mucow_table
from endophora.suites.senses.selection import SelectionOptions, scoring_suite, select_examples, translation_suite
from endophora.version import __version__

AUTO = "auto"
"""The inventory's signs, where it has them, and the corpus."""

Pairs = Callable[[], Iterable[LinkedPair]]
"""Reads the corpus again at each call."""


@keyed(names=("embeddings",))
@dataclass(frozen=True, slots=True)
class BuildOptions:
    """How a suite is built."""

    classes: tuple[str, ...] = (NOUN, VERB, ADJECTIVE)
    target_classes: tuple[str, ...] = (NOUN, VERB, ADJECTIVE, ADVERB)
    least: int = option(10, help="Links that a pair of words needs.")
    embeddings: str = option(
        AUTO,
        metavar="NAME",
        help="Of senses: auto, signs, glosses, corpus, words:FILE, spacy:MODEL, synsets:FILE, several with +, or none.",
    )
    threshold: float | None = option(None, metavar="COSINE", help="Senses more alike than this are merged.")
    selection: SelectionOptions = field(default_factory=SelectionOptions)

    def __post_init__(self) -> None:
        faults = [
            Fault("E220", f"“{name}” is no part of speech of inventories", f"known: {', '.join(CLASSES)}", "--upos")
            for name in (*self.classes, *self.target_classes)
            if name not in CLASSES
        ]
        chosen = self.selection
        for flag, value, low in (
            ("--least", self.least, 1),
            ("--most", chosen.most, 1),
            ("--longer-than", chosen.longer_than, 0),
        ):
            if value < low:
                faults.append(Fault("E220", f"{value} is too small", f"give a number from {low}", flag))
        if self.threshold is not None and not -1 <= self.threshold <= 1:
            faults.append(Fault("E220", f"{self.threshold} is no cosine", "give a number from -1 to 1", "--threshold"))
        refuse(faults)


@dataclass(frozen=True, slots=True)
class Sizes:
    """What the paper's Tables 4 and 6 say of a suite."""

    sentence_pairs: int
    source_words: int
    target_senses: int
    target_words: int
    contrast_pairs: int  # right and wrong translations of the scoring variant: the paper's sentence pairs
    scoring_items: int
    translation_words: int
    translation_senses: int
    in_domain: int
    out_of_domain: int
    sentences: int


@dataclass(frozen=True, slots=True)
class Build:
    """The outcome of each step."""

    targets: dict[SourceWord, dict[str, int]]  # step 1: ambiguous words, their translations, how often each was linked
    clustered: SenseLexicon  # step 2a: their clusters by the inventory
    refined: SenseLexicon  # step 2b: words that still have several clusters
    merges: list[Merge]
    curve: list[ClusterScore]
    threshold: float
    scoring: Suite
    translation: Suite
    sizes: Sizes
    signature: str
    warnings: tuple[str, ...]
    precision: str  # how many clusters are right, of how many words, and who counted; or that nobody has


def build_suite(
    pairs: Pairs, inventory: Inventory, options: BuildOptions, languages: tuple[str, str], gold: Gold | None = None
) -> Build:
    """Build a suite of word senses; the corpus is read twice, and never held."""
    counts = count_links(pairs(), options.classes, options.target_classes)
    targets = ambiguous_words(counts, options.least)
    clustered = cluster_targets(targets, inventory.senses(targets)) if targets else {}
    candidates = ambiguous(clustered)
    if not candidates:
        cause = f"of {counts.sentences} sentence pairs no word is ambiguous ({len(targets)} had several translations)"
        raise InputError(
            Fault("E228", cause, "more sentences, a smaller --least, or another inventory", inventory.name)
        )
    embeddings = options.embeddings
    if embeddings == AUTO:
        signed = any(sense.signs for found in candidates.values() for cluster in found for sense in cluster.senses)
        embeddings = "signs+corpus" if signed else "corpus"
    similarity = load_similarity(embeddings, candidates, counts)
    steps = steps_around(usual_threshold(embeddings))
    curve = try_thresholds(candidates, similarity, gold, steps) if similarity and gold else []
    threshold = options.threshold
    if threshold is None:
        threshold = choose_threshold(curve) if curve else usual_threshold(embeddings)
    merges = list[Merge]()
    refined = candidates
    if similarity:
        joined, merges = refine(candidates, similarity, threshold)
        refined = ambiguous(joined)
    warnings = list[str]()
    if counts.pruned:
        linked = f"pairs of words that were linked at most {counts.pruned} times"
        warnings.append(f"{linked} may have been dropped for lack of memory")
    if gold and not any(score.gold for score in curve):
        warnings.append("the gold clustering has none of the ambiguous words, so it chose nothing")
    name = "-".join(languages)
    usual = options.embeddings == AUTO and inventory.name.startswith("wiktionary")
    if usual:
        warnings += doubt_precision(name)
    scoring, translating = select_examples(pairs(), refined, options.selection, options.target_classes)
    scored = scoring_suite(scoring, refined, f"{name}.scoring", languages)
    outside = options.selection.out_of_domain
    translated = translation_suite(translating, refined, f"{name}.translation", languages, outside)
    return Build(
        targets=targets,
        clustered=clustered,
        refined=refined,
        merges=merges,
        curve=curve,
        threshold=threshold,
        scoring=scored,
        translation=translated,
        sizes=_sizes(counts.sentences, refined, scored, translated),
        signature=_signature(inventory, similarity, threshold, options),
        warnings=tuple(warnings),
        precision=_precision(name if usual else "", next((one for one in curve if one.threshold == threshold), None)),
    )


PUBLISHED_PRECISION = 67
"""Of the clusters of Raganato et al. (2019, Table 3), German–English, in per cent."""

JUDGED_WORDS = 50
"""Words of each pair whose clusters were judged by hand, as in the paper."""


def _known_precision() -> dict[str, str]:
    """Return, for each pair, how many per cent of the clusters of the defaults are right."""
    lines = (files("endophora.suites.senses") / "data" / "precision.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def _precision(pair: str, by_gold: ClusterScore | None) -> str:
    """Say how many clusters are right: by the user's own gold, or of the defaults by hand."""
    if by_gold and by_gold.inferred:
        return f"{100 * by_gold.precision:.0f} % of {by_gold.inferred} (--gold)"
    if known := _known_precision().get(pair):
        return (
            f"{known} % by hand, of {JUDGED_WORDS} words from other text (published for de-en: {PUBLISHED_PRECISION} %)"
        )
    return "not measured: --gold FILE measures it"


def doubt_precision(pair: str) -> list[str]:
    """Return what a user should know of how many clusters of the defaults are right."""
    known = _known_precision()
    advice = "see --embeddings synsets:FILE or words:FILE, and --gold FILE, which measures it"
    if pair not in known:
        return [f"How many clusters of senses are right has not been measured for {pair}: {advice}"]
    if int(known[pair]) >= PUBLISHED_PRECISION:
        return []
    return [
        f"{known[pair]} % of the clusters of senses are right for {pair}, judged by hand for {JUDGED_WORDS} words "
        f"(published for de-en: {PUBLISHED_PRECISION} %): {advice}"
    ]


def _sizes(sentences: int, lexicon: SenseLexicon, scoring: Suite, translation: Suite) -> Sizes:
    clusters = [cluster for listed in lexicon.values() for cluster in listed]
    domains = {item.rule: str(item.extra.get("domain", "in")) for item in translation.items}
    return Sizes(
        sentence_pairs=sentences,
        source_words=len(lexicon),
        target_senses=len(clusters),
        target_words=sum(len(cluster.words) for cluster in clusters),
        contrast_pairs=sum(1 + len(item.variants) for item in scoring.items),
        scoring_items=len(scoring),
        translation_words=len({item.source_lemma for item in translation.items}),
        translation_senses=len(domains),
        in_domain=sum(domain == "in" for domain in domains.values()),
        out_of_domain=sum(domain == "out" for domain in domains.values()),
        sentences=len(translation),
    )


def _signature(inventory: Inventory, similarity: Similarity | None, threshold: float, options: BuildOptions) -> str:
    chosen = options.selection
    pairs = {
        "inventory": inventory.name,
        "embeddings": similarity.name if similarity else "none",
        "threshold": f"{threshold:g}" if similarity else "no",
        "upos": "+".join(options.classes),
        "least": options.least,
        "longer": chosen.longer_than,
        "most": chosen.most,
        "base": chosen.base_forms,
        "seed": chosen.seed,
    }
    return write_signature([*pairs.items(), ("options", digest_of(options)[:8])])


# The files of a build.

_TABLES = ("1-words.tsv", "2a-clusters.tsv", "2b-merges.tsv", "2b-clusters.tsv", "2b-thresholds.tsv")
_SCORING = ("mucow.scoring.json", "scoring.jsonl", "test.txt")
_TRANSLATION = ("mucow.tts.json", "translation.jsonl", "key.txt", "text.txt", "ref.txt", "domain.txt")


def build_files(source_language: str, target_language: str) -> list[str]:
    """Return the names of all files that :func:`write_build` may write."""
    suites = [f"{source_language}-{target_language}.{name}" for name in (*_SCORING, *_TRANSLATION)]
    return [*_TABLES, "2b-thresholds.svg", "build.json", *suites]


def write_build(build: Build, folder: Path) -> None:
    """Write the outcome of each step of a build into a directory, which exists."""
    pair = f"{build.scoring.source_language}-{build.scoring.target_language}"
    words = [
        (word.lemma, word.upos, lemma, count) for word, found in build.targets.items() for lemma, count in found.items()
    ]
    merges = [
        (
            *(one.word.lemma, one.word.upos, one.first, one.second),
            "" if math.isnan(one.similarity) else f"{one.similarity:.3f}",
            "yes" if one.merged else "no",
        )
        for one in build.merges
    ]
    curve = [
        (
            f"{one.threshold:g}",
            *(f"{figure:.4f}" for figure in (one.precision, one.recall, one.f(1), one.f(0.5))),
            *(one.correct, one.inferred, one.gold),
        )
        for one in build.curve
    ]
    _write_table(folder / "1-words.tsv", "word upos translation links", words)
    _write_table(folder / "2a-clusters.tsv", "word upos cluster translations senses", _clusters(build.clustered))
    _write_table(folder / "2b-merges.tsv", "word upos first second similarity merged", merges)
    _write_table(folder / "2b-clusters.tsv", "word upos cluster translations senses", _clusters(build.refined))
    if build.curve:
        _write_table(folder / "2b-thresholds.tsv", "threshold precision recall f1 f05 correct inferred gold", curve)
        write_lines(folder / "2b-thresholds.svg", draw_curves(build.curve).split("\n"))
    if build.scoring.items:
        write_mucow_json(build.scoring, folder / f"{pair}.mucow.scoring.json")
        write_suite_jsonl(build.scoring, folder / f"{pair}.scoring.jsonl")
        write_mucow_table(build.scoring, folder / f"{pair}.test.txt")
    if build.translation.items:
        write_mucow_json(build.translation, folder / f"{pair}.mucow.tts.json")
        write_suite_jsonl(build.translation, folder / f"{pair}.translation.jsonl")
        write_mucow_lines(build.translation, folder / pair)
    summary = {
        "version": __version__,
        "signature": build.signature,
        "threshold": build.threshold,
        "sizes": asdict(build.sizes),
        "precision": build.precision,
        "warnings": list(build.warnings),
    }
    write_lines(folder / "build.json", json.dumps(summary, ensure_ascii=False, indent=1).split("\n"))


def _write_table(path: Path, head: str, rows: Iterable[Sequence[object]]) -> None:
    body = ("\t".join(" ".join(str(cell).split()) for cell in row) for row in rows)
    write_lines(path, ["\t".join(head.split()), *body])


def _clusters(lexicon: SenseLexicon) -> Iterable[Sequence[object]]:
    for word, clusters in lexicon.items():
        for number, cluster in enumerate(clusters):
            senses = " / ".join(sense.gloss or sense.id for sense in cluster.senses)
            yield word.lemma, word.upos, number, "|".join(cluster.words), senses


_WIDTH, _HEIGHT, _LEFT, _TOP, _BELOW = 320.0, 200.0, 44.0, 28.0, 44.0
_PANEL = _WIDTH + 72.0
_ROOM = 5
"""Characters that the marks of the axis have room for, if each is written."""
_Line = tuple[str, str, Callable[[ClusterScore], float]]
_PANELS: tuple[tuple[_Line, _Line], ...] = (
    (("precision", "5 3", lambda one: one.precision), ("recall", "none", lambda one: one.recall)),
    (("F1", "5 3", lambda one: one.f(1)), ("F0.5", "none", lambda one: one.f(0.5))),
)
_FRAME = Markup(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" '
    'font-size="11" fill="currentColor" role="img" aria-label="{label}">\n{body}\n</svg>'
)
_CURVE = Markup(
    '<polyline points="{points}" fill="none" stroke="currentColor" stroke-width="1.5" stroke-dasharray="{dash}"/>'
)
_TEXT = Markup('<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')
_BEST = Markup('<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="currentColor"/>')
_RULE = Markup('<path d="M{x:.1f} {y:.1f}h{width:.1f}" stroke="currentColor" stroke-opacity="0.2"/>')


def draw_curves(curve: Sequence[ClusterScore]) -> str:
    """Return the curves as SVG, two panels side by side; dashed and solid lines as in the paper, a dot at the best."""
    body = list[Markup]()
    marks = [f"{one.threshold:g}" for one in curve]
    step = 1 if max(map(len, marks)) <= _ROOM else 2
    best = max(curve, key=lambda one: (one.f(0.5), -one.threshold))
    for number, lines in enumerate(_PANELS):
        left = _LEFT + number * _PANEL
        for percent in range(0, 101, 20):
            y = _y(percent / 100)
            body += [_RULE.format(x=left, y=y, width=_WIDTH), _svg_text(left - 6, y + 4, f"{percent} %", "end")]
        for one, mark in list(zip(curve, marks, strict=True))[::step]:
            body.append(_svg_text(left + _x(one, curve), _TOP + _HEIGHT + 16, mark, "middle"))
        body.append(_svg_text(left + _WIDTH / 2, _TOP + _HEIGHT + 34, "threshold γ", "middle"))
        for place, (name, dash, value) in enumerate(lines):
            points = " ".join(f"{left + _x(one, curve):.1f},{_y(value(one)):.1f}" for one in curve)
            body.append(_CURVE.format(points=points, dash=dash))
            x = left + 110 * place
            body.append(_CURVE.format(points=f"{x},{_TOP - 16} {x + 24},{_TOP - 16}", dash=dash))
            body.append(_svg_text(x + 30, _TOP - 12, name, "start"))
    body.append(_BEST.format(x=_LEFT + _PANEL + _x(best, curve), y=_y(best.f(0.5))))
    label = f"F0.5 is highest, {100 * best.f(0.5):.0f} %, at the threshold {best.threshold:g}"
    drawn = _FRAME.format(width=2 * _PANEL, height=_HEIGHT + _TOP + _BELOW, label=label, body=Markup("\n").join(body))
    return str(drawn)


def _x(one: ClusterScore, curve: Sequence[ClusterScore]) -> float:
    low, high = curve[0].threshold, curve[-1].threshold
    return (one.threshold - low) / (high - low) * _WIDTH if high > low else _WIDTH / 2


def _y(value: float) -> float:
    return _TOP + (1 - value) * _HEIGHT


def _svg_text(x: float, y: float, text: str, anchor: str) -> Markup:
    return _TEXT.format(x=x, y=y, text=text, anchor=anchor)
