"""``endophora score``: log-probabilities of given translations under any model that tells them."""

from __future__ import annotations

import math
import sys
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from endophora.cli import model_options, options
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.corpus.records import Corpus, Segment
    from endophora.models.documents import Sides
    from endophora.models.records import ModelInput, ScoredTarget, Scorer

_HEADER = (
    *("document", "segment", "name", "logprob", "tokens"),
    *("source_given", "source_kept", "target_given", "target_kept"),
)
"""What is given and kept are sentences of context."""


def score(
    languages: options.Languages,
    source: options.Source = None,
    reference: options.References = None,
    documents: options.Documents = None,
    system: options.Systems = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    model: model_options.Model = "default",
    size: model_options.ContextSize = 3,
    context: model_options.Context = "both",
    device: model_options.Device = "auto",
    batch_tokens: model_options.BatchTokens = None,
    precision: model_options.Precision = None,
    threads: model_options.Threads = 0,
    skip_faults: model_options.SkipFaults = False,
    output: model_options.File = "-",
    output_format: model_options.LineFormat = "text",
    quiet: options.Quiet = False,
) -> None:
    """Score references and outputs: the log-probability of each segment, and with jsonl of each token."""
    from endophora.cli.console import warn
    from endophora.context.context_read import count_context, cut_warnings
    from endophora.files import check_file
    from endophora.models.documents import Sides
    from endophora.models.layout import beyond_training
    from endophora.models.opening import open_scorer

    check_file(output)
    model_options.check_format(output_format)
    sides = model_options.read_side(context)
    corpus = model_options.read_input(languages, source, reference, documents, system, path, input_format)
    names = (*corpus.references, *corpus.systems)
    if not names:
        advice = "give one with --reference FILE or --system NAME=FILE"
        raise InputError(Fault("E099", "there is nothing to score", advice, "--reference"))
    pair = (corpus.source_language, corpus.target_language)
    scorer = open_scorer(model, model_options.model_options(pair, device, batch_tokens, precision, threads))
    long = {name: _too_long(scorer, corpus, name, skip_faults) for name in names}
    for name, (_, warnings) in long.items():
        warn([f"{name}: {warning}" for warning in warnings], quiet)
    warn(beyond_training({"the model": scorer}, 0 if sides is Sides.NONE else size), quiet)
    found = {name: run_scoring(scorer, corpus, name, size, sides, quiet, long[name][0]) for name in names}
    with model_options.open_output(output) as stream:
        if output_format == "text":
            stream.write("\t".join(_HEADER) + "\n")
        for row in _rows(corpus, found):
            if output_format == "jsonl":
                stream.write(model_options.as_line(row | {"model": scorer.signature}))
            else:
                stream.write("\t".join(_cells(row)) + "\n")
    for name, scored in found.items():
        contexts = [one.context for one in scored if one is not None and one.context is not None]
        warn(cut_warnings(name, count_context(contexts)), quiet)
        if not quiet:
            print(f"{name}: {_summary([one for one in scored if one is not None])}", file=sys.stderr)


def run_scoring(
    scorer: Scorer, corpus: Corpus, name: str, size: int, sides: Sides, quiet: bool, left_out: Container[int] = ()
) -> list[ScoredTarget | None]:
    """Return the scores of all segments of a reference or a system, in their order.

    Args:
        scorer: the model.
        corpus: the documents.
        name: of the reference or system, which is its own target context.
        size: most segments of context.
        sides: where context is given.
        quiet: no progress.
        left_out: places of segments that are not scored.

    Returns:
        ``None`` for what is left out.
    """
    from endophora.cli.console import progress_bar
    from endophora.context.context_read import context_of
    from endophora.models.documents import contextual_inputs
    from endophora.models.loading import check_finite

    inputs: list[ModelInput] = []
    targets: list[str] = []
    for document in corpus.documents:
        texts = [_text(segment, name) for segment in document.segments]
        inputs += contextual_inputs([segment.source for segment in document.segments], texts, size, sides)
        targets += texts
    wanted = [place for place in range(len(inputs)) if place not in left_out]
    found: list[ScoredTarget | None] = [None] * len(inputs)
    with progress_bar(f"score {name}", len(wanted), quiet) as advance:
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
    from endophora.context.context_read import skip_long, too_long

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
                    "context": model_options.context_row(one.context),
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
