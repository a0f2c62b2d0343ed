"""What systems wrote for a suite: a line of output an item, or of score a translation; and what is looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike
from endophora.errors import Fault, InputError
from endophora.suites.records import Item, Suite
from endophora.suites.sentences import last_sentences
from endophora.suites.whole import check_lengths, whole_lines

Part: TypeAlias = Literal["auto", "sentence", "segment", "line"]
PARTS: tuple[Part, ...] = ("auto", "sentence", "segment", "line")
"""``sentence``: the last; ``segment``: after the last separator; ``line``: all; ``auto``: see :func:`parts`."""


def read_outputs(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[str]]:
    """Read the outputs of systems, one line an item.

    Raises:
        InputError: with all faults of all files; a file with another number of lines than the suite has items is
            one (E173).
    """
    log, outputs = FaultLog(), dict[str, list[str]]()
    for name, path in paths.items():
        lines = whole_lines(path, log)
        if lines.readable and len(lines.texts) != len(suite):
            cause = f"{len(lines.texts)} lines for {len(suite)} items"
            log.add("E173", cause, "give one line an item, in the order of the suite", lines.file)
        check_lengths(lines, log)
        outputs[name] = lines.texts
    log.check()
    return outputs


def read_scores(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[float]]:
    """Read scores of right and wrong translations, one a line, in the order of :func:`targets`.

    Raises:
        InputError: with all faults: an item has no wrong translation (E175), a line is no number, or a file has another
            number of lines than the suite has translations (E174).
    """
    bare = sum(not item.variants for item in suite.items)
    if bare:
        cause = f"{bare} of {len(suite)} items have no wrong translation"
        raise InputError(Fault("E175", cause, "score outputs instead: --system NAME=FILE", suite.name))
    wanted = sum(1 + len(item.variants) for item in suite.items)
    log, scores = FaultLog(), dict[str, list[float]]()
    for name, path in paths.items():
        lines = whole_lines(path, log)
        if lines.readable and len(lines.texts) != wanted:
            cause = f"{len(lines.texts)} lines for {wanted} translations of {len(suite)} items"
            log.add("E174", cause, "give one score a translation; `suite prompts --targets` writes them", lines.file)
        scores[name] = [_number(text, lines.file, index, log) for index, text in enumerate(lines.texts, start=1)]
    log.check()
    return scores


def targets(item: Item) -> list[str]:
    """Return the translations of an item in the order of a file of scores."""
    wrong = [variant.target for variant in item.variants]
    return [*wrong[: item.correct], item.reference, *wrong[item.correct :]]


def parts(suite: Suite, outputs: Sequence[str], separator: str = "", part: str = "auto") -> list[str]:
    """Return the part of each output in which the form is looked for.

    With a separator that is the segment's own place among the joined segments: the last, unless the item has segments
    after it. Without one it is the last sentence, as published, for items of the criterion ``present``, and the
    whole line for the others, whose suites have no joined context.

    Args:
        suite: the items.
        outputs: one line an item.
        separator: what stands between joined segments, such as ``<eos>``; empty if nothing does.
        part: one of :data:`PARTS`.

    Raises:
        InputError: the part is unknown, or needs a separator and there is none (E181).
    """
    if part not in PARTS or (part == "segment" and not separator):
        cause = f"“{part}” is no part of an output" if part not in PARTS else "a segment needs a separator"
        advice = f"known: {', '.join(PARTS)}" if part not in PARTS else "--separator '<eos>'"
        raise InputError(Fault("E181", cause, advice, "--part"))
    if part == "line":
        return list(outputs)
    found = _segments(suite.items, outputs, separator) if separator else list(outputs)
    if part == "sentence":
        return last_sentences(found, suite.target_language)
    if part == "segment" or separator:
        return found
    chosen = [index for index, item in enumerate(suite.items) if item.criterion == "present"]
    sentences = last_sentences((found[index] for index in chosen), suite.target_language)
    for index, sentence in zip(chosen, sentences, strict=True):
        found[index] = sentence
    return found


def _segments(items: Sequence[Item], outputs: Sequence[str], separator: str) -> list[str]:
    """Return the own segment of each output; nothing where there are too few for one."""
    found = list[str]()
    for item, output in zip(items, outputs, strict=True):
        if not item.after:
            found.append(output.rpartition(separator)[2])
        else:
            pieces = output.split(separator)
            place = len(pieces) - 1 - len(item.after)
            found.append(pieces[place] if place >= 0 else "")
    return found


def _number(text: str, file: str, line: int, log: FaultLog) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        log.add("E174", f"“{text[:40]}” is no number", "give one score a line", file, line)
    return value
