"""``endophora score``: log-probabilities of given translations under any model that gives them."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

from endophora.cli.commands import command
from endophora.cli.console import progress_bar, say, warn
from endophora.cli.inputs import SystemInputs
from endophora.cli.model_options import Context, LineOutput, Model, Opening, as_line, context_row, pair_of
from endophora.context.context_read import context_of, count_context, cut_warnings, skip_long, too_long
from endophora.corpus.records import Corpus, Segment
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides, contextual_inputs
from endophora.models.layout import beyond_training
from endophora.models.loading import check_finite
from endophora.models.records import ModelInput, ScoredTarget, Scorer
from endophora.models.specs import open_scorer

_HEADER = (
    *("document", "segment", "name", "logprob", "tokens"),
    *("source_given", "source_kept", "target_given", "target_kept"),
)
"""What is given and kept are sentences of context."""


@command(strict=True)
def score(
    inputs: SystemInputs,
    context: Context,
    opening: Opening,
    output: LineOutput,
    model: Model = "default",
) -> None:
    """Score references and outputs: the log-probability of each segment, and with jsonl of each token."""
    output.check()
    sides = context.read_sides()
    corpus = inputs.read(source_alone=True)
    names = (*corpus.references, *corpus.systems)
    if not names:
        advice = "give one with --reference FILE or --system NAME=FILE"
        raise InputError(Fault("E099", "there is nothing to score", advice, "--reference"))
    scorer = open_scorer(model, opening.options(pair_of(corpus)))
    long = {name: _too_long(scorer, corpus, name, opening.skip_faults) for name in names}
    for name, (_, warnings) in long.items():
        warn(f"{name}: {warning}" for warning in warnings)
    warn(beyond_training({"the model": scorer}, 0 if sides is Sides.NONE else context.size))
    found = {name: _run(scorer, corpus, name, context.size, sides, long[name][0]) for name in names}
    with output.open() as stream:
        if output.output_format == "text":
            stream.write("\t".join(_HEADER) + "\n")
        for row in _rows(corpus, found):
            if output.output_format == "jsonl":
                stream.write(as_line(row | {"model": scorer.signature}))
            else:
                stream.write("\t".join(_cells(row)) + "\n")
    for name, scored in found.items():
        contexts = [one.context for one in scored if one is not None and one.context is not None]
        warn(cut_warnings(name, count_context(contexts)))
        say(f"{name}: {_summary([one for one in scored if one is not None])}")


def _run(
    scorer: Scorer, corpus: Corpus, name: str, size: int, sides: Sides, left_out: Container[int]
) -> list[ScoredTarget | None]:
    """Return the scores of all segments of a reference or a system, its own target context; ``None`` if left out."""
    inputs: list[ModelInput] = []
    targets: list[str] = []
    for document in corpus.documents:
        texts = [_text(segment, name) for segment in document.segments]
        inputs += contextual_inputs([segment.source for segment in document.segments], texts, size, sides)
        targets += texts
    wanted = [place for place in range(len(inputs)) if place not in left_out]
    found: list[ScoredTarget | None] = [None] * len(inputs)
    with progress_bar(f"score {name}", len(wanted)) as advance:
        # So many at once that there are batches of like length, and progress to see.
        for start in range(0, len(wanted), 2048):
            some = wanted[start : start + 2048]
            scored = scorer.score([inputs[place] for place in some], [targets[place] for place in some])
            check_finite((one.total for one in scored), scorer.signature)
            for place, given, one in zip(some, (inputs[place] for place in some), scored, strict=True):
                found[place] = replace(one, context=context_of(one, given))
            advance(len(some))
    return found


def _too_long(scorer: Scorer, corpus: Corpus, name: str, skip: bool) -> tuple[dict[int, str], list[str]]:
    """Return the places of segments that the model cannot take, with the reasons, and a warning for each."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    found = too_long(scorer, [one.source for one in segments], [_text(one, name) for one in segments])
    return found, skip_long(found, [segment.location for segment in segments], skip)


def _text(segment: Segment, name: str) -> str:
    return segment.references[name] if name in segment.references else segment.outputs[name]


def _rows(corpus: Corpus, found: dict[str, list[ScoredTarget | None]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, scored in found.items():
        left = iter(scored)
        for document in corpus.documents:
            for number, one in enumerate((next(left) for _ in document.segments), 1):
                row: dict[str, object] = {"document": document.id, "segment": number, "name": name}
                if one is None:
                    text = _text(document.segments[number - 1], name)
                    rows.append(row | {"text": text, "logprob": None, "tokens": None, "context": None})
                    continue
                row |= {
                    "text": one.target,
                    "logprob": one.total,
                    "tokens": len(one.pieces),
                    "pieces": one.pieces,
                    "spans": one.spans,
                    "context": context_row(one.context),
                }
                rows.append(row | {"logprobs": one.logprobs.tolist()})
    return rows


def _cells(row: dict[str, Any]) -> list[str]:
    """Return a row as cells; those of a segment that was left out are empty."""
    cells = [str(row["document"]), str(row["segment"]), str(row["name"])]
    if row["logprob"] is None:
        return [*cells, *[""] * (len(_HEADER) - len(cells))]
    sides = [str(row["context"][side][name]) for side in ("source", "target") for name in ("given", "kept")]
    return [*cells, f"{row['logprob']:.4f}", str(row["tokens"]), *sides]


def _summary(scored: Sequence[ScoredTarget]) -> str:
    """Return the figures of all segments, and of those of whose context the model has read anything."""
    shown = _figures(scored)
    kept = [one for one in scored if one.context is not None and one.context.kept]
    return f"{shown}; of these with context: {_figures(kept)}" if kept else shown


def _figures(scored: Sequence[ScoredTarget]) -> str:
    """Return the mean log-probability of a segment and the perplexity of a token."""
    total, tokens = sum(one.total for one in scored), sum(len(one.logprobs) for one in scored)
    perplexity = math.exp(-total / tokens) if tokens else math.nan
    return f"{len(scored)} segments, log-probability {total / len(scored):.4f} a segment, perplexity {perplexity:.3f}"
