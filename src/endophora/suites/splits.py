"""Items split into dev, devtest and test by document, as ctxpro does (Wicks & Post, 2023, §4): recent years first.

A rule with fewer than 100 items has all of them in test. Of the others test gets five of seven, dev and devtest one
each, and test at most 5,000 of a rule. No document is in two splits, so a rule's shares are as near as whole documents
allow. Splits are written as a file each, or as one data set.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.signature import unkeyed
from endophora.suites.formats import write_suite
from endophora.suites.own_formats import FILES, write_dataset
from endophora.suites.records import Item, Suite

Split: TypeAlias = Literal["dev", "devtest", "test"]
SPLITS: tuple[Split, ...] = ("dev", "devtest", "test")

_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")


def _read_ratio(text: str) -> tuple[int, int, int]:
    """Return a ratio as it is typed, ``1:1:5``."""
    parts = text.split(":")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        raise InputError(Fault("E206", f"“{text}” is no ratio", "three numbers, as in --ratio 1:1:5", "--ratio"))
    dev, devtest, test = map(int, parts)
    return dev, devtest, test


@unkeyed("suites are split from the rows of a run each time; nothing is kept")
@dataclass(frozen=True, slots=True)
class SplitOptions:
    """How items are split; dev and devtest have as much less of a rule than ``most`` as the ratio says."""

    least: int = option(100, least=0, help="A rule with fewer items has all of them in test.")
    most: int = option(5_000, least=1, help="Items of a rule in test.")
    ratio: tuple[int, int, int] = option(
        (1, 1, 5),
        metavar="D:D:T",
        help="Of dev, devtest and test.",
        read=_read_ratio,
        write="{0[0]}:{0[1]}:{0[2]}".format,
    )
    seed: int = option(1, least=0, help="Of the order of documents of one year.")

    def __post_init__(self) -> None:
        if self.least < 0 or self.most < 1 or min(self.ratio) < 0 or self.ratio[2] < 1:
            cause = f"--least {self.least}, --most {self.most}, --ratio {':'.join(map(str, self.ratio))}"
            raise InputError(Fault("E183", cause, "give numbers from 0; --most and the last number of --ratio from 1"))

    def limit(self, split: Split) -> int:
        """Return how many items of a rule a split has at most."""
        return max(1, self.most * self.ratio[SPLITS.index(split)] // self.ratio[2])


def year_of(document: str) -> int | None:
    """Return the year in a document's id, as in ``de-en/2017/2017_1412528_7012791``; ``None`` if there is none."""
    found = _YEAR.search(document)
    return int(found[1]) if found else None


def plan_splits(counts: Mapping[str, Mapping[str, int]], options: SplitOptions | None = None) -> dict[str, Split]:
    """Return the split of each document, from counts alone, so that no item needs to be in memory.

    Documents are taken from the most recent year on, those of one year (or without one) in an order that only ids and
    seed decide; each goes where its rules lack most. One with an item of a rare rule goes to test.
    """
    chosen = options or SplitOptions()
    totals = Counter[str]()
    for rules in counts.values():
        totals.update(rules)
    share = dict(zip(SPLITS, (part / sum(chosen.ratio) for part in chosen.ratio), strict=True))
    placed: dict[str, Counter[str]] = defaultdict(Counter)
    plan: dict[str, Split] = {}
    for document in sorted(counts, key=lambda name: _order(name, chosen.seed)):
        rules = counts[document]
        split: Split = "test"
        if all(totals[rule] >= chosen.least for rule in rules):
            # What each split would have by its share after this document, less what it has.
            lack = {
                name: sum(
                    share[name] * (placed[rule].total() + count) - placed[rule][name] for rule, count in rules.items()
                )
                for name in SPLITS
            }
            split = max(SPLITS, key=lambda name: (round(lack[name], 9), SPLITS.index(name)))
        plan[document] = split
        for rule, count in rules.items():
            placed[rule][split] += count
    return plan


def split_items(items: Iterable[Item], options: SplitOptions | None = None) -> dict[Split, list[Item]]:
    """Return the items of each split, in the order given; items beyond a rule's limit are left out."""
    chosen, every = options or SplitOptions(), list(items)
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for item in every:
        counts[item.document][item.rule] += 1
    plan = plan_splits(counts, chosen)
    # Where a rule has more than its limit, the documents that come first have it.
    rank = {name: number for number, name in enumerate(sorted(counts, key=lambda name: _order(name, chosen.seed)))}
    kept, taken = set[int](), dict[tuple[Split, str], int]()
    for index in sorted(range(len(every)), key=lambda index: rank[every[index].document]):
        key = (plan[every[index].document], every[index].rule)
        if taken.get(key, 0) < chosen.limit(key[0]):
            taken[key] = taken.get(key, 0) + 1
            kept.add(index)
    found: dict[Split, list[Item]] = {name: [] for name in SPLITS}
    for index, item in enumerate(every):
        if index in kept:
            found[plan[item.document]].append(item)
    return found


def sample_items(items: Sequence[Item], most: int, seed: int = 1) -> list[Item]:
    """Return at most so many items of each phenomenon, drawn as evenly over its rules as these allow (ctxpro, §4.1).

    The items keep their order. A rule with fewer items than its share has all, and the others more.
    """
    chosen = set[int]()
    for phenomenon in {item.phenomenon for item in items}:
        rules: dict[str, list[int]] = defaultdict(list)
        for place, item in enumerate(items):
            if item.phenomenon == phenomenon:
                rules[item.rule].append(place)
        room = most
        # The rules with the fewest first: what they leave is shared out among those that come after.
        for left, rule in enumerate(sorted(rules, key=lambda name: (len(rules[name]), name))):
            share = min(len(rules[rule]), room // (len(rules) - left))
            room -= share
            chosen.update(sorted(rules[rule], key=lambda place: _drawn(items[place], place, seed))[:share])
    return [items[place] for place in sorted(chosen)]


def _drawn(item: Item, place: int, seed: int) -> bytes:
    text = f"{seed}\x1f{item.document}\x1f{item.segment}\x1f{place}"
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=8).digest()


def _order(document: str, seed: int) -> tuple[int, bytes, str]:
    digest = hashlib.blake2b(f"{seed}\x1f{document}".encode(errors="surrogatepass"), digest_size=8).digest()
    return (-(year_of(document) or 0), digest, document)


DATASETS = {"huggingface": True, "huggingface-jsonl": False}
"""The formats that are a directory → whether it holds Parquet."""

_SUFFIXES = {"jsonl": ".jsonl", "ctxpro": ".json", "contrapro": ".json"}


def split_files(name: str, form: str) -> Sequence[str]:
    """Return the names of the files that :func:`write_splits` may write."""
    return FILES if form in DATASETS else [f"{name}.{split}{_SUFFIXES.get(form, '')}" for split in SPLITS]


def write_splits(suite: Suite, parts: Mapping[Split, Sequence[Item]], output: str | Path, form: str) -> dict[str, int]:
    """Write the splits of a suite into a directory, ``NAME.test.json`` and so on; an empty split has no file."""
    splits = {name: replace(suite, items=tuple(items)) for name, items in parts.items() if items}
    if form in DATASETS:
        write_dataset(splits, output, parquet=DATASETS[form])
        return {f"{output}, {name}": len(part) for name, part in splits.items()}
    try:
        Path(output).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"cannot be made ({error.strerror or error})"
        raise InputError(Fault("E026", cause, "name a directory that you may write to", str(output))) from error
    found: dict[str, int] = {}
    for name, part in splits.items():
        path = Path(output) / f"{suite.name}.{name}{_SUFFIXES.get(form, '')}"
        write_suite(part, path, form)
        found[str(path)] = len(part)
    return found
