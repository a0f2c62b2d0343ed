"""How many items of published test sets (ctxpro) the package finds again, and why the others are not.

    python benchmarks/published_items.py ../shared/known-answers/ctxpro/dev
    python benchmarks/published_items.py ../shared/known-answers/ctxpro/dev -p gender --rules-as published --every 5
    python benchmarks/published_items.py ../shared/known-answers/ctxpro -p animacy --misses 30

An item is given as it is published: its segment, and before it the segment of its antecedent where it has one; the
distance between the two is not kept. It is found if a word of the published form is tagged in its segment, under
whatever rule. ``antecedent`` counts those found items whose antecedent has the published head on either side.
``--misses`` prints examples of each reason, ``--found`` examples of what is found, ``--beyond`` what is found in the
items' segments besides the published word.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, cast

from endophora.evaluation.setup import Setup, Toolbox
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.impersonal import normal
from endophora.phenomena.pronoun_cases import PairTagger
from endophora.phenomena.records import AnnotatedDocument, Occurrence, heads_of, swap_sides
from endophora.phenomena.tagging import REVERSED
from endophora.phenomena.verdicts import Reason, SegmentTagger, Verdict, furthest

NAME = re.compile(r"(?:mini\.)?(?P<kind>\w+)\.\w+\.(?P<source>\w+)-(?P<target>\w+)\.\w+\.json\.(?:xz|gz)")
NAMES = {"formality": "formality_cases"}
CHUNK = 1_000

Item = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What happened to an item."""

    reason: str
    found: Occurrence | None
    right: bool
    beyond: tuple[Occurrence, ...]


def items_of(path: Path) -> list[Item]:
    """Read a published file."""
    opener: Any = lzma.open if path.suffix == ".xz" else gzip.open
    with opener(path, "rt", encoding="utf-8") as stream:
        return json.load(stream)


def documents(items: list[Item], tools: Toolbox, *, turned: bool) -> Iterator[tuple[Item, AnnotatedDocument]]:
    """Yield items with their segments annotated, linked and resolved; documents into English are turned round."""
    one, other = ("ref", "src") if turned else ("src", "ref")
    for start in range(0, len(items), CHUNK):
        chunk = items[start : start + CHUNK]
        pairs = [[(item[f"{one} {kind}"], item[f"{other} {kind}"]) for kind in kinds(item)] for item in chunk]
        sides: list[dict[str, Any]] = []
        for side, annotator in enumerate((tools.source_annotator, tools.target_annotator)):
            texts = sorted({pair[side] for some in pairs for pair in some}, key=lambda text: (-len(text), text))
            sides.append(dict(zip(texts, annotator.annotate(texts), strict=True)))
        texts_of = [tuple(tuple(sides[side][pair[side]] for pair in some) for side in (0, 1)) for some in pairs]
        linked = tools.aligner.align_many([(source, target) for source, target in texts_of])
        for item, (source, target), links in zip(chunk, texts_of, linked, strict=True):
            resolutions = tuple(tools.resolver.resolve(source, target, links))
            yield item, AnnotatedDocument("", source, target, tuple(links), resolutions)


def kinds(item: Item) -> tuple[str, ...]:
    """Return the segments that an item has, by the names of its fields."""
    return ("ante segment", "segment") if item.get("ante distance") else ("segment",)


def answer(item: Item, document: AnnotatedDocument, tagger: PairTagger | SegmentTagger[Any]) -> Answer:
    """Return what a tagger says of an item."""
    last = len(document.source) - 1
    given = swap_sides(document) if tagger.phenomenon in REVERSED else document
    verdicts = tagger.verdicts(given, last)
    wanted = normal(item["src pronoun"] if tagger.phenomenon in REVERSED else item["expected"])
    tagged = [one.occurrence for one in verdicts.values() if one.occurrence is not None]
    hits = [one for one in tagged if normal(form_of(one, document, tagger.phenomenon)).endswith(wanted)]
    beyond = tuple(one for one in tagged if one not in hits)
    if hits:
        return Answer("found", hits[0], is_right(hits[0], item, document, tagger.phenomenon), beyond)
    mine = verdicts.get(item["rule"], Verdict(Reason.NO_PAIR))
    if mine.reason in {Reason.TARGET_CASE, Reason.NO_PAIR}:
        others = (one for one in verdicts.values() if one.reason is not Reason.HIT)
        mine = furthest(others, mine.reason)
    return Answer(
        mine.reason.value + detail(mine.reason, item, document, turned=tagger.phenomenon in REVERSED),
        None,
        False,
        beyond,
    )


def form_of(one: Occurrence, document: AnnotatedDocument, phenomenon: str) -> str:
    """Return the word of the other language than English that an occurrence is of."""
    if phenomenon in REVERSED:
        return document.target[one.segment].tokens[one.source_tokens[-1]].form
    return one.expected.split()[-1] if phenomenon != "gender" else one.expected


def is_right(one: Occurrence, item: Item, document: AnnotatedDocument, phenomenon: str) -> bool:
    """Return whether the antecedent has the published head on either side."""
    if one.support is None or not item.get("src ante head"):
        return True
    turned = phenomenon in REVERSED
    sides = (document.target, document.source) if turned else (document.source, document.target)
    for side, texts, places in zip(
        ("src", "ref"), sides, (one.support.source_tokens, one.support.target_tokens), strict=True
    ):
        if not places:
            continue
        tokens = texts[places[0][0]].tokens
        for head in heads_of(tokens, [place for _, place in places]):
            known = {item[f"{side} ante head"].lower(), item[f"{side} ante head lemma"].lower()}
            if {tokens[head].form.lower(), tokens[head].lemma.lower()} & known:
                return True
    return False


def detail(reason: Reason, item: Item, document: AnnotatedDocument, *, turned: bool) -> str:
    """Return, where no antecedent is believed, how likely the published one is."""
    if reason is not Reason.NO_CHAIN or "src ante head" not in item:
        return ""
    last = len(document.source) - 1
    masses: defaultdict[str, float] = defaultdict(float)
    seen = False
    for one in document.resolutions:
        if one.segment == last and normal(document.source[last].tokens[one.token].form) in english_of(item):
            seen = True
            for found in one.antecedents:
                masses[document.source[found.segment].tokens[found.head].form.lower()] += found.probability
    published = str(item["ref ante head" if turned else "src ante head"]).lower()
    if not seen:
        return ": the pronoun is not resolved"
    if published not in masses:
        return ": the published one is no candidate"
    best = max(masses, key=lambda form: masses[form])
    if best == published:
        return ": the published one is most likely"
    return ": another is more likely"


def english_of(item: Item) -> set[str]:
    """Return the English pronoun of an item."""
    return {normal(item["src pronoun"]), normal(item["expected"])}


def shown(item: Item, found: Answer) -> str:
    """Return an item on one line."""
    word = item.get("src pronoun") or item.get("src noun") or item.get("src auxiliary", "")
    named = f" [{item.get('src ante phrase', '')} ~ {item.get('ref ante phrase', '')}]"
    before = (
        f" <{item.get('src ante segment', '')} ~ {item.get('ref ante segment', '')}>" if len(kinds(item)) > 1 else ""
    )
    rules = ",".join(f"{one.rule}={one.expected}" for one in (found.found, *found.beyond) if one)
    texts = f"{item['src segment']} ~ {item['ref segment']}{before}"
    return f"    {item['rule']} {word} → {item['expected']}{named}: {texts} {rules}"


def report(path: Path, chosen: argparse.Namespace) -> None:
    """Print how many items of a file are found, why the others are not, and examples."""
    match = NAME.fullmatch(path.name)
    assert match  # noqa: S101
    kind = NAMES.get(match["kind"], match["kind"])
    turned = kind in REVERSED
    code = match["source"] if turned else match["target"]
    options = TaggerOptions(phenomena=(kind,), rules_as=chosen.rules_as)
    (made,) = make_taggers("en" if turned else code, options, code if turned else "en")
    tagger = cast("PairTagger | SegmentTagger[Any]", made)
    items = items_of(path)[:: chosen.every]
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=())).load()
    answers = [(item, answer(item, document, tagger)) for item, document in documents(items, tools, turned=turned)]
    found = [one for _, one in answers if one.found]
    print(
        f"\n{path.name}, rules as {chosen.rules_as}, {len(items)} items: found {100 * len(found) / len(items):.1f} %",
        end="",
    )
    with_support = [one for one in found if one.found and one.found.support]
    if with_support and any("src ante head" in item for item in items):
        right = sum(one.right for one in with_support)
        print(f", antecedent {100 * right / len(with_support):.1f} % of {len(with_support)}", end="")
    print()
    reasons = Counter(one.reason for _, one in answers)
    for reason, count in reasons.most_common():
        print(f"| {reason} | {count} | {100 * count / len(items):.1f} % |")
        if reason != "found":
            for item, one in islice(((item, one) for item, one in answers if one.reason == reason), chosen.misses):
                print(shown(item, one))
    rules = Counter(item["rule"] for item, _ in answers)
    again = Counter(item["rule"] for item, one in answers if one.found)
    print("by rule: " + ", ".join(f"{rule} {100 * again[rule] / rules[rule]:.0f} %" for rule in sorted(rules)))
    print(f"tagged besides: {sum(len(one.beyond) for _, one in answers)}")
    for item, one in islice(((item, one) for item, one in answers if one.found), chosen.found):
        print("found" + ("" if one.right else " (other antecedent)") + shown(item, one))
    for item, one in islice(((item, one) for item, one in answers if one.beyond), chosen.beyond):
        print("beyond" + shown(item, one))


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--phenomenon", "-p", help="the name in the file's name: gender, formality …")
    parser.add_argument("--every", type=int, default=1, help="take every Nth item")
    parser.add_argument("--rules-as", choices=["corrected", "published"], default="corrected")
    for name in ("misses", "found", "beyond"):
        parser.add_argument(f"--{name}", type=int, default=0)
    chosen = parser.parse_args()
    for path in sorted(chosen.directory.iterdir()):
        match = NAME.fullmatch(path.name)
        if match and chosen.phenomenon in (None, match["kind"]):
            report(path, chosen)


if __name__ == "__main__":
    main()
