"""What systems are given for a suite and what they give: contexts and inputs; outputs and scores, read and doubted.

Outputs are a line an item, scores a line a translation. Doubts (blank or foreign outputs, scores whose sign is the
wrong way round) become warnings of the suite, and so of every result on it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from endophora.corpus.faults import FaultLog
from endophora.corpus.formats import realigned_text
from endophora.corpus.lines import PathLike, read_lines
from endophora.corpus.meaning import Text, check_meaning
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import Fault, InputError, refuse
from endophora.suites import europarl
from endophora.suites.files import check_lengths
from endophora.suites.matching import last_sentences
from endophora.suites.records import Item, Pair, Suite

# Contexts, for suites that name only document and segment, and inputs.

_SPACE = re.compile(r"\s+")


def join_contexts(suite: Suite, corpus: Corpus, size: int) -> Suite:
    """Return a suite whose items have the segments before them, from a corpus of the documents it was taken from.

    Suites count segments from 0 or from 1: the first of the two by which more items have the corpus' own text is taken.
    """
    documents = {document.id: document.segments for document in corpus.documents}
    # As many items have the text of the corpus if segments are counted from 0, and from 1.
    fitting = [0, 0]
    for item in suite.items:
        segments = documents.get(item.document, ())
        for start in (0, 1):
            index = item.segment - start
            fitting[start] += 0 <= index < len(segments) and _bare(segments[index].source) == _bare(item.source)
    first = int(fitting[1] > fitting[0])
    name = corpus.references[0] if corpus.references else None
    log, items = FaultLog(), list[Item]()
    for item in suite.items:
        segments, index = documents.get(item.document, ()), item.segment - first
        if not 0 <= index < len(segments) or _bare(segments[index].source) != _bare(item.source):
            what = "there is no such document" if not segments else f"segment {item.segment} is none or another"
            cause = f"item {item.id}, document “{item.document}”: {what}"
            log.add("E178", cause, "name the corpus that the suite was taken from, whole", suite.name)
            continue
        before = segments[max(0, index - size) : index]
        pairs = tuple(Pair(one.source, one.references[name] if name else "") for one in before)
        items.append(replace(item, before=pairs))
    log.check()
    return replace(suite, items=tuple(items))


def contexts_from_inputs(suite: Suite, lines: Sequence[str], separator: str) -> Suite:
    """Return a suite whose items have the source segments before them, from a file of inputs for systems."""
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


def as_corpus(suite: Suite) -> tuple[Corpus, int]:
    """Return a suite as a corpus, and how many segments of context were left out, having no translation (E014, E177).

    Each item is a document: the segments before it, its own, and those after it. So what tags and judges corpora works
    on a suite, and what systems make of the source is one line a segment.
    """
    _check_languages(suite)
    documents, bare = list[Document](), 0
    for item in _checked(suite, 1, ""):
        pairs = [*(item.before or ()), Pair(item.source, item.reference), *item.after]
        kept = [pair for pair in pairs if pair.source.strip() and pair.target.strip()]
        bare += len(pairs) - len(kept)
        place = Location(suite.name, len(documents) + 1)
        segments = (Segment(pair.source, {"reference": pair.target}, {}, place) for pair in kept)
        documents.append(Document(f"{item.id}:{item.document}", tuple(segments)))
    pair = suite.source_language, suite.target_language
    return Corpus(*pair, tuple(documents), ("reference",), ()), bare


def _check_languages(suite: Suite) -> None:
    if not (suite.source_language and suite.target_language):
        advice = "say them: --languages en-de"
        raise InputError(Fault("E014", "the languages of the suite are not known", advice, suite.name))


def _bare(text: str) -> str:
    """Return a text without spaces and quotes, which tokenisers and exports change."""
    return _SPACE.sub("", text).translate({ord(mark): None for mark in "\"'`´"})


def text_key(item: Item) -> str:
    """Return what tells an item's segment from others, in any suite that has it."""
    return "\x1f".join((_bare(item.source), _bare(item.reference))).casefold()


SEPARATOR = "<eos> "
"""What ctxpro's inputs have between segments."""


def inputs(suite: Suite, size: int, separator: str = SEPARATOR) -> Iterator[str]:
    """Yield a line for each item: up to ``size`` source segments before it, and its own."""
    for item in _checked(suite, size, separator):
        before = item.before or ()
        yield separator.join((*(pair.source for pair in before[len(before) - min(size, len(before)) :]), item.source))


def translations(suite: Suite, size: int, separator: str = SEPARATOR) -> Iterator[tuple[str, str]]:
    """Yield source and target of each right or wrong translation, in the order of a file of scores."""
    for item, source in zip(_checked(suite, size, separator), inputs(suite, size, separator), strict=True):
        right = tuple(pair.target for pair in item.before or ())
        contexts = [right if variant.before is None else variant.before for variant in item.variants]
        contexts.insert(item.correct, right)
        for target, context in zip(targets(item), contexts, strict=True):
            yield source, separator.join((*context[len(context) - min(size, len(context)) :], target))


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


# Outputs and scores.

PARTS = ("auto", "sentence", "segment", "line")
"""``sentence``: the last; ``segment``: after the last separator; ``line``: all; ``auto``: see :func:`parts`."""


def read_outputs(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[str]]:
    """Read the outputs of systems, one line an item."""
    log, outputs = FaultLog(), dict[str, list[str]]()
    for name, path in paths.items():
        lines = read_lines(path, log)
        if lines.readable and len(lines.texts) != len(suite):
            cause = f"{len(lines.texts)} lines for {len(suite)} items"
            advice = "give one line an item, in the order of the suite; or cut them again: --resegment"
            log.add("E173", cause, advice, lines.file)
        check_lengths(lines, log)
        outputs[name] = lines.texts
    log.check()
    return outputs


def cut_outputs(
    suite: Suite, paths: Mapping[str, PathLike], vectors: str | None = None
) -> tuple[Suite, dict[str, list[str]]]:
    """Read outputs that may have lines of their own, cut into the items; the suite's warnings say what was done."""
    from endophora.align.outputs import resegment

    _check_languages(suite)
    named = all(item.reference.strip() for item in suite.items)
    segments = tuple(
        Segment(item.source, {"reference": item.reference} if named else {}, {}, Location(suite.name, number))
        for number, item in enumerate(suite.items, start=1)
    )
    pair = suite.source_language, suite.target_language
    corpus = Corpus(*pair, (Document(suite.name, segments),), ("reference",) if named else (), ())
    joined = resegment(corpus, paths, vectors=vectors)
    outputs = {name: [one.outputs[name] for one in joined.documents[0].segments] for name in paths}
    cut = ",".join(f"{one.system}={one.signature}" for one in joined.realigned)
    said = [realigned_text(one) for one in joined.realigned]
    return replace(suite, warnings=(*suite.warnings, *said), cut=cut), outputs


def read_scores(suite: Suite, paths: Mapping[str, PathLike]) -> dict[str, list[float]]:
    """Read scores of right and wrong translations, one a line, in the order of :func:`targets`."""
    wanted = check_scores(suite, {})
    log, scores = FaultLog(), dict[str, list[float]]()
    for name, path in paths.items():
        lines = read_lines(path, log)
        if lines.readable and len(lines.texts) != wanted:
            cause = f"{len(lines.texts)} lines for {wanted} translations of {len(suite)} items"
            log.add("E174", cause, "give one score a translation; `suite prompts --targets` writes them", lines.file)
        scores[name] = [_number(text, lines.file, index, log) for index, text in enumerate(lines.texts, start=1)]
    log.check()
    return scores


MOST_BARE = 0.1
"""Part of a suite's items that may have no wrong translation; MuCoW has 20 of 4,787 in ro–en, and counts them right."""


def check_scores(suite: Suite, counts: Mapping[str, int]) -> int:
    """Check that nearly all items have wrong translations, and each system all scores; return how many these are."""
    wanted = sum(1 + len(item.variants) for item in suite.items)
    bare = sum(not item.variants for item in suite.items)
    faults = [
        Fault("E174", f"{count} scores for {wanted} translations", "give one a translation", name)
        for name, count in counts.items()
        if count != wanted
    ]
    if bare > MOST_BARE * len(suite):
        cause = f"{bare} of {len(suite)} items have no wrong translation"
        faults.append(Fault("E175", cause, "score outputs instead: --system NAME=FILE", suite.name))
    refuse(faults)
    return wanted


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


def parts(
    suite: Suite,
    outputs: Sequence[str],
    separator: str = "",
    part: str = "auto",
    *,
    language: str = "",
    published: bool = False,
) -> list[str]:
    """Return the part of each output in which the form is looked for; ``language`` is the target's if empty.

    With a separator that is the segment's own place among the joined segments: the last, unless the item has segments
    after it. Without one it is the last sentence, as published, for items of the criterion ``present``, and the
    whole line for the others, whose suites have no joined context.
    """
    if part not in PARTS or (part == "segment" and not separator):
        cause = f"“{part}” is no part of an output" if part not in PARTS else "a segment needs a separator"
        advice = f"known: {', '.join(PARTS)}" if part not in PARTS else "--separator '<eos>'"
        raise InputError(Fault("E181", cause, advice, "--part"))
    if part == "line":
        return list(outputs)
    found = _segments(suite.items, outputs, separator) if separator else list(outputs)
    language = language or suite.target_language
    last = europarl.last_sentences if published else last_sentences
    if part == "sentence":
        return last(found, language)
    if part == "segment" or separator:
        return found
    chosen = [index for index, item in enumerate(suite.items) if item.criterion == "present"]
    sentences = last((found[index] for index in chosen), language)
    for index, sentence in zip(chosen, sentences, strict=True):
        found[index] = sentence
    return found


def antecedents(items: Sequence[Item], outputs: Sequence[str], separator: str) -> list[str]:
    """Return the segment of each output where the antecedent is translated; nothing where it is not known."""
    found = list[str]()
    for item, output in zip(items, outputs, strict=True):
        pieces = output.split(separator) if separator else []
        place = len(pieces) - 1 - len(item.after) - (item.distance or 0)
        found.append(pieces[place] if item.distance and place >= 0 else "")
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
"""How much of chance it reaches at most, for either sign of the scores. Models without context that always choose the
commonest form stay above: on ContraPro they reach 1.1 to 1.4 times chance."""


def doubt_outputs(suite: Suite, outputs: Mapping[str, Sequence[str]]) -> Suite:
    """Return a suite with doubts about outputs among its warnings."""
    found: list[str] = []
    for name, lines in outputs.items():
        if blank := [index for index, line in enumerate(lines) if not line.strip()]:
            shown = ", ".join(str(index + 1) for index in blank[:5]) + (", …" if len(blank) > 5 else "")
            cause = f"{len(blank)} of {len(lines)} outputs are blank, and are counted unchanged: lines {shown}"
            found.append(str(Fault("E387", cause, "check that the system wrote a line for every item", name)))
    target = suite.target_language
    found += check_meaning(
        Text("source", "", suite.source_language, suite.name, [item.source for item in suite.items]),
        [Text("reference", "reference", target, suite.name, [item.reference for item in suite.items])],
        [Text("system", name, target, name, lines) for name, lines in outputs.items()],
    )
    return replace(suite, warnings=(*suite.warnings, *found))


def doubt_scores(suite: Suite, scores: Mapping[str, Sequence[float]], *, higher_is_better: bool) -> Suite:
    """Return a suite with doubts about the direction of scores, and about items that cannot be wrong, as warnings."""
    cause = "the right translations score worse than the wrong ones, far more often than by chance"
    advice = "give --lower-is-better for losses, and leave it out for log-probabilities"
    found = [
        str(Fault("E389", cause, advice, name))
        for name, values in scores.items()
        if _far_below_chance(suite.items, values, higher_is_better=higher_is_better)
    ]
    if bare := [item.id for item in suite.items if not item.variants]:
        shown = ", ".join(bare[:5]) + (", …" if len(bare) > 5 else "")
        found.append(f"{len(bare)} of {len(suite)} items have no wrong translation and count as right: {shown}")
    return replace(suite, warnings=(*suite.warnings, *found))


def _far_below_chance(items: Sequence[Item], scores: Sequence[float], *, higher_is_better: bool) -> bool:
    """Return whether the right translation wins less often than chance has it, and more often if reversed.

    Far less often; or at all, where the sign and size of the scores are those of the other kind.
    """
    right = turned = 0
    chance = variance = 0.0
    for _, own, others in each_scored(items, scores, higher_is_better=higher_is_better):
        if others:
            chance += 1 / (1 + len(others))
            variance += len(others) / (1 + len(others)) ** 2
            right += own >= max(others)
            turned += own < min(others)
    if right >= chance or turned <= chance:
        return False
    # Log-probabilities are never above 0, and losses never below: the other sign says more than the accuracy.
    turned_sign = all((value if higher_is_better else -value) >= 0 for value in scores)
    if turned_sign and max(map(abs, scores)) > 1:
        return True
    return right <= chance - STANDARD_ERRORS * math.sqrt(variance) and (right < SHARE_OF_CHANCE * chance or turned_sign)
