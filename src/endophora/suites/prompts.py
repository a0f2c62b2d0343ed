"""The inputs that systems translate: each item's source with the segments before it, in the order of the suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from endophora.corpus.faults import FaultLog
from endophora.suites.outputs import targets
from endophora.suites.records import Item, Suite, Variant

SEPARATOR = "<eos> "
"""What ctxpro's inputs have between segments."""


def inputs(suite: Suite, size: int, separator: str = SEPARATOR) -> Iterator[str]:
    """Yield a line for each item: up to ``size`` source segments before it, and its own.

    Args:
        suite: the items; their contexts have to be there if ``size`` is not 0.
        size: how many segments before; those there are, where they are fewer.
        separator: put between segments.

    Raises:
        InputError: an item has no context (E177), or a text holds the separator's mark or a line end (E176).
    """
    for item in _checked(suite, size, separator):
        before = item.before or ()
        yield separator.join((*(pair.source for pair in before[len(before) - min(size, len(before)) :]), item.source))


def translations(suite: Suite, size: int, separator: str = SEPARATOR) -> Iterator[tuple[str, str]]:
    """Yield source and target of each right or wrong translation, in the order of a file of scores.

    Args:
        suite: the items, with their wrong translations.
        size: how many segments before, on both sides.
        separator: put between segments.

    Raises:
        InputError: an item has no context (E177), or a text holds the separator's mark or a line end (E176).
    """
    for item, source in zip(_checked(suite, size, separator), inputs(suite, size, separator), strict=True):
        contexts = [_target_context(item, variant) for variant in item.variants]
        contexts.insert(item.correct, tuple(pair.target for pair in item.before or ()))
        for target, context in zip(targets(item), contexts, strict=True):
            yield source, separator.join((*context[len(context) - min(size, len(context)) :], target))


def _target_context(item: Item, variant: Variant) -> tuple[str, ...]:
    return variant.before if variant.before is not None else tuple(pair.target for pair in item.before or ())


def _checked(suite: Suite, size: int, separator: str) -> Sequence[Item]:
    mark, log = separator.strip(), FaultLog()
    without = sum(item.before is None for item in suite.items)
    if size and without:
        advice = "join it: --corpus PATH or --inputs FILE; or ask for --context 0"
        log.add("E177", f"{without} of {len(suite)} items have no context", advice, suite.name)
    for item in suite.items:
        texts = [item.source, item.reference, *(pair.source for pair in item.before or ())]
        if any("\n" in text or (mark and mark in text) for text in texts):
            cause = f"item {item.id}: a text has the separator or a line end in it"
            log.add("E176", cause, "choose another --separator", suite.name)
    log.check()
    return suite.items
