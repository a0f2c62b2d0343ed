"""DiscEvalMT's JSON (Bawden et al., 2018, en–fr): blocks of contrastive pairs with one segment of context.

Anaphora: a block has one source and several targets, each with a right (or half right) and a wrong translation. Lexical
choice: a block has two examples of one ambiguous sentence. Scores are in the order of the blocks' numbers, the right
translation first.
"""

from __future__ import annotations

from collections.abc import Iterator

from endophora.corpus.faults import FaultLog
from endophora.corpus.limits import whole_number
from endophora.corpus.lines import PathLike, display_name
from endophora.suites.ctxpro import languages_in
from endophora.suites.fields import Fields, read_json
from endophora.suites.records import Item, Json, Pair, Suite, Variant, suite_name


def read_discevalmt(path: PathLike, languages: tuple[str, str] | None = None) -> Suite:
    """Read the anaphora or the lexical-choice set.

    Args:
        path: the JSON file, gzipped or not, or ``-``.
        languages: ISO 639-1 codes; English and French by default, as published.

    Raises:
        InputError: with all faults of the file: it is no such JSON (E170), a block lacks a key or has one of the wrong
            type (E172).
    """
    log, items, file = FaultLog(), list[Item](), display_name(path)
    blocks = read_json(path, log)
    if isinstance(blocks, dict) and blocks and all(whole_number(key) is not None for key in blocks):
        for number in sorted(blocks, key=int):
            block = blocks[number]
            if isinstance(block, dict):
                items += _items(Fields(block, f"block {number}", file, log), number)
            else:
                log.add("E172", f"block {number} is no object", "compare it with the suite as published", file)
    elif not log:
        log.add("E170", "this is no object of numbered blocks", "name anaphora.json or lexical-choice.json", file)
    log.check()
    source, target = languages or languages_in(file)
    return Suite(suite_name(path), source or "en", target or "fr", tuple(items))


def _items(block: Fields, number: str) -> Iterator[Item]:
    kind = block.text("type", default="")
    if block.has("examples"):
        for index, example in enumerate(block.objects("examples"), start=1):
            if target := example.object("trg"):
                yield from _item(example.texts("src", 2), target, f"{number}.{index}", number, "lexical_choice", kind)
    else:
        source = block.texts("src", 2)
        for index, target in enumerate(block.objects("trg"), start=1):
            yield from _item(source, target, f"{number}.{index}", number, "anaphora", target.text("type", default=kind))


def _item(source: tuple[str, ...], target: Fields, name: str, block: str, phenomenon: str, rule: str) -> Iterator[Item]:
    key = "correct" if target.has("correct") else "semi-correct"
    right, wrong = target.texts(key, 2), target.texts("incorrect", 2)
    if len(source) != 2 or len(right) != 2 or len(wrong) != 2:
        if target.sound:
            target.fault("source and targets are not two segments each")
        return
    extra: dict[str, Json] = {"semi-correct": True} if key != "correct" else {}
    yield Item(
        id=name,
        document=block,
        segment=1,
        source=source[1],
        reference=right[1],
        phenomenon=phenomenon,
        rule=rule or phenomenon,
        distance=1,
        before=(Pair(source[0], right[0]),),
        variants=(Variant(wrong[1], before=None if wrong[0] == right[0] else (wrong[0],)),),
        extra=extra,
    )
