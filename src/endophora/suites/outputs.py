"""What systems gave for a suite, a line of output an item or of score a translation: read, cut to its part, doubted.

Doubts (blank or foreign outputs, scores whose sign is the wrong way round) become warnings of the suite, and so of
every result on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import PathLike, read_lines
from endophora.corpus.meaning import Text, check_meaning
from endophora.errors import Fault, InputError
from endophora.suites.files import check_lengths
from endophora.suites.matching import last_sentences
from endophora.suites.records import Item, Suite

Part: TypeAlias = Literal["auto", "sentence", "segment", "line"]
PARTS: tuple[Part, ...] = ("auto", "sentence", "segment", "line")
"""``sentence``: the last; ``segment``: after the last separator; ``line``: all; ``auto``: see :func:`parts`."""


def read_outputs(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[str]]:
    """Read the outputs of systems, one line an item.

    Raises: InputError: with all faults of all files; a file with another number of lines than the suite has items is
    one (E173).
    """
    log, outputs = FaultLog(), dict[str, list[str]]()
    for name, path in paths.items():
        lines = read_lines(path, log)
        if lines.readable and len(lines.texts) != len(suite):
            cause = f"{len(lines.texts)} lines for {len(suite)} items"
            log.add("E173", cause, "give one line an item, in the order of the suite", lines.file)
        check_lengths(lines, log)
        outputs[name] = lines.texts
    log.check()
    return outputs


def read_scores(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[float]]:
    """Read scores of right and wrong translations, one a line, in the order of :func:`targets`.

    Raises: InputError: with all faults: an item has no wrong translation (E175), a line is no number, or a file has
    another number of lines than the suite has translations (E174).
    """
    check_scores(suite, {})
    wanted = sum(1 + len(item.variants) for item in suite.items)
    log, scores = FaultLog(), dict[str, list[float]]()
    for name, path in paths.items():
        lines = read_lines(path, log)
        if lines.readable and len(lines.texts) != wanted:
            cause = f"{len(lines.texts)} lines for {wanted} translations of {len(suite)} items"
            log.add("E174", cause, "give one score a translation; `suite prompts --targets` writes them", lines.file)
        scores[name] = [_number(text, lines.file, index, log) for index, text in enumerate(lines.texts, start=1)]
    log.check()
    return scores


def check_scores(suite: Suite, counts: Mapping[str, int]) -> None:
    """Check that every item has a wrong translation, and every system as many scores as there are translations.

    Raises: InputError: an item has none (E175), or a system has more or fewer (E174).
    """
    wanted = sum(1 + len(item.variants) for item in suite.items)
    bare = sum(not item.variants for item in suite.items)
    faults = [
        Fault("E174", f"{count} scores for {wanted} translations", "give one a translation", name)
        for name, count in counts.items()
        if count != wanted
    ]
    if bare:
        cause = f"{bare} of {len(suite)} items have no wrong translation"
        faults.append(Fault("E175", cause, "score outputs instead: --system NAME=FILE", suite.name))
    if faults:
        raise InputError(faults)


def each_scored(
    items: Sequence[Item], scores: Sequence[float], *, higher_is_better: bool
) -> Iterator[tuple[Item, float, list[float]]]:
    """Yield each item with the scores of its right and of its wrong translations, losses with their sign turned."""
    sign, start = 1 if higher_is_better else -1, 0
    for item in items:
        group = [sign * value for value in scores[start : start + 1 + len(item.variants)]]
        start += len(group)
        right = group.pop(item.correct)
        yield item, right, group


def targets(item: Item) -> list[str]:
    """Return the translations of an item in the order of a file of scores."""
    wrong = [variant.target for variant in item.variants]
    return [*wrong[: item.correct], item.reference, *wrong[item.correct :]]


def parts(suite: Suite, outputs: Sequence[str], separator: str = "", part: str = "auto") -> list[str]:
    """Return the part of each output in which the form is looked for.

    With a separator that is the segment's own place among the joined segments: the last, unless the item has segments
    after it. Without one it is the last sentence, as published, for items of the criterion ``present``, and the
    whole line for the others, whose suites have no joined context.

    Raises: InputError: the part is unknown, or needs a separator and there is none (E181).
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


STANDARD_ERRORS = 4.0
"""How far below chance an accuracy lies that cannot be chance: one of 30,000 suites of coin flips does."""

SHARE_OF_CHANCE = 0.5
"""How much of chance it reaches at most, whatever the sign of the scores. Models without context that always choose the
commonest form stay above: on ContraPro they reach 1.1 to 1.4 times chance."""


def doubt_outputs(suite: Suite, outputs: Mapping[str, Sequence[str]]) -> Suite:
    """Return a suite with doubts about outputs among its warnings."""
    found: list[str] = []
    for name, lines in outputs.items():
        if blank := [index for index, line in enumerate(lines) if not line.strip()]:
            shown = ", ".join(str(index + 1) for index in blank[:5]) + (", …" if len(blank) > 5 else "")
            cause = f"{len(blank)} of {len(lines)} outputs are blank, and count as they are: lines {shown}"
            found.append(str(Fault("E387", cause, "check that the system wrote a line for every item", name)))
    target = suite.target_language
    found += check_meaning(
        Text("source", "", suite.source_language, suite.name, [item.source for item in suite.items]),
        [Text("reference", "reference", target, suite.name, [item.reference for item in suite.items])],
        [Text("system", name, target, name, lines) for name, lines in outputs.items()],
    )
    return replace(suite, warnings=(*suite.warnings, *found))


def doubt_scores(suite: Suite, scores: Mapping[str, Sequence[float]], *, higher_is_better: bool) -> Suite:
    """Return a suite with doubts about the direction of scores among its warnings."""
    cause = "the right translations score worse than the wrong ones, far more often than by chance"
    advice = "give --lower-is-better for losses, and leave it out for log-probabilities"
    found = [
        str(Fault("E389", cause, advice, name))
        for name, values in scores.items()
        if _far_below_chance(suite.items, values, higher_is_better=higher_is_better)
    ]
    return replace(suite, warnings=(*suite.warnings, *found))


def _far_below_chance(items: Sequence[Item], scores: Sequence[float], *, higher_is_better: bool) -> bool:
    """Tell whether the right translation wins far less often than chance has it, and more often if turned round."""
    right = turned = 0
    chance = variance = 0.0
    for _, own, others in each_scored(items, scores, higher_is_better=higher_is_better):
        if others:
            chance += 1 / (1 + len(others))
            variance += len(others) / (1 + len(others)) ** 2
            right += own >= max(others)
            turned += own < min(others)
    if right > chance - STANDARD_ERRORS * math.sqrt(variance) or turned <= chance:
        return False
    # Log-probabilities are never above 0, and losses never below: the other sign says more than the accuracy.
    return right < SHARE_OF_CHANCE * chance or all((value if higher_is_better else -value) >= 0 for value in scores)
