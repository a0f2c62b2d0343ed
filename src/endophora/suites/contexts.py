"""Contexts of items whose suite names only document and segment, and the inputs that systems translate with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from endophora.corpus.faults import FaultLog
from endophora.corpus.records import Corpus, Segment
from endophora.suites.outputs import targets
from endophora.suites.records import Item, Pair, Suite, Variant

_SPACE = re.compile(r"\s+")


def join_contexts(suite: Suite, corpus: Corpus, size: int, reference: str | None = None) -> Suite:
    """Return a suite whose items have the segments before them, from a corpus of the documents it was taken from.

    Suites count segments from 0 or from 1: the first of the two by which more items have the corpus' own text is taken.

    Raises: InputError: an item's document is not in the corpus, or has another text in that place (E178); all at once.
    """
    documents = {document.id: document.segments for document in corpus.documents}
    first = _first(suite.items, documents)
    name = reference or (corpus.references[0] if corpus.references else None)
    log, items = FaultLog(), list[Item]()
    for item in suite.items:
        segments, index = documents.get(item.document, ()), item.segment - first
        if not 0 <= index < len(segments) or _bare(segments[index].source) != _bare(item.source):
            what = "there is no such document" if not segments else f"segment {item.segment} is none or another"
            cause = f"item {item.id}, document “{item.document}”: {what}"
            log.add("E178", cause, "name the corpus that the suite was taken from, whole", suite.name)
            continue
        items.append(replace(item, before=tuple(_pair(one, name) for one in segments[max(0, index - size) : index])))
    log.check()
    return replace(suite, items=tuple(items))


def contexts_from_inputs(suite: Suite, lines: Sequence[str], separator: str) -> Suite:
    """Return a suite whose items have the source segments before them, from a file of inputs for systems.

    Args:
        lines: one line an item: source segments joined by the separator, the item's own last.
        separator: such as ``<eos>``; spaces beside it are dropped.

    Raises: InputError: there are not as many lines as items, or a line's last segment is not the item's source (E178).
    """
    log, items = FaultLog(), list[Item]()
    if len(lines) != len(suite):
        log.add("E178", f"{len(lines)} inputs for {len(suite)} items", "give the suite's own inputs", suite.name)
    for item, line in zip(suite.items, lines, strict=False):
        *context, last = (part.strip() for part in line.split(separator))
        if _bare(last) != _bare(item.source):
            log.add("E178", f"item {item.id}: the input ends in another segment", "give its own inputs", suite.name)
        items.append(replace(item, before=tuple(map(Pair, context))))
    log.check()
    return replace(suite, items=tuple(items))


def _first(items: Sequence[Item], documents: Mapping[str, Sequence[Segment]]) -> int:
    """Return whether segments are counted from 0 or from 1."""
    found = [0, 0]
    for item in items:
        segments = documents.get(item.document, ())
        for start in (0, 1):
            index = item.segment - start
            found[start] += 0 <= index < len(segments) and _bare(segments[index].source) == _bare(item.source)
    return int(found[1] > found[0])


def _pair(segment: Segment, reference: str | None) -> Pair:
    return Pair(segment.source, segment.references[reference] if reference else "")


def _bare(text: str) -> str:
    """Return a text without spaces and quotes, which tokenisers and exports change."""
    return _SPACE.sub("", text).translate({ord(mark): None for mark in "\"'`´"})


SEPARATOR = "<eos> "
"""What ctxpro's inputs have between segments."""


def inputs(suite: Suite, size: int, separator: str = SEPARATOR) -> Iterator[str]:
    """Yield a line for each item: up to ``size`` source segments before it, and its own.

    Raises: InputError: an item has no context (E177), or a text holds the separator's mark or a line end (E176).
    """
    for item in _checked(suite, size, separator):
        before = item.before or ()
        yield separator.join((*(pair.source for pair in before[len(before) - min(size, len(before)) :]), item.source))


def translations(suite: Suite, size: int, separator: str = SEPARATOR) -> Iterator[tuple[str, str]]:
    """Yield source and target of each right or wrong translation, in the order of a file of scores."""
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
