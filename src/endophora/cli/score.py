"""``endophora score``: log-probabilities of given translations under any model that tells them."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from endophora.cli import model_options, options
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.corpus.records import Corpus, Segment
    from endophora.models.documents import Sides
    from endophora.models.records import ModelInput, ScoredTarget, Scorer

_HEADER = ("document", "segment", "name", "logprob", "tokens")


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
    output: model_options.File = "-",
    output_format: model_options.LineFormat = "text",
    quiet: options.Quiet = False,
) -> None:
    """Score references and outputs: the log-probability of each segment, and with jsonl of each token."""
    from endophora.models.opening import open_scorer

    model_options.check_format(output_format)
    sides = model_options.read_side(context)
    corpus = model_options.read_input(languages, source, reference, documents, system, path, input_format)
    names = (*corpus.references, *corpus.systems)
    if not names:
        advice = "give one with --reference FILE or --system NAME=FILE"
        raise InputError(Fault("E099", "there is nothing to score", advice, "--reference"))
    pair = (corpus.source_language, corpus.target_language)
    scorer = open_scorer(model, model_options.model_options(pair, device, batch_tokens, precision, threads))
    found = {name: run_scoring(scorer, corpus, name, size, sides, quiet) for name in names}
    with model_options.open_output(output) as stream:
        if output_format == "text":
            stream.write("\t".join(_HEADER) + "\n")
        for row in _rows(corpus, found):
            if output_format == "jsonl":
                stream.write(model_options.as_line(row | {"model": scorer.signature}))
            else:
                cells = [str(row["document"]), str(row["segment"]), str(row["name"]), f"{row['logprob']:.4f}"]
                stream.write("\t".join([*cells, str(row["tokens"])]) + "\n")
    if not quiet:
        for name, scored in found.items():
            print(f"{name}: {_summary(scored)}", file=sys.stderr)


def run_scoring(scorer: Scorer, corpus: Corpus, name: str, size: int, sides: Sides, quiet: bool) -> list[ScoredTarget]:
    """Return the scores of all segments of a reference or a system, in their order.

    Args:
        scorer: the model.
        corpus: the documents.
        name: of the reference or system, which is its own target context.
        size: most segments of context.
        sides: where context is given.
        quiet: no progress.
    """
    from endophora.cli.console import progress_bar
    from endophora.models.documents import contextual_inputs

    inputs: list[ModelInput] = []
    targets: list[str] = []
    for document in corpus.documents:
        texts = [_text(segment, name) for segment in document.segments]
        inputs += contextual_inputs([segment.source for segment in document.segments], texts, size, sides)
        targets += texts
    found: list[ScoredTarget] = []
    with progress_bar(f"score {name}", len(inputs), quiet) as advance:
        # So many at once that there are batches of like length, and progress to see.
        for start in range(0, len(inputs), 2048):
            some = slice(start, start + 2048)
            found += scorer.score(inputs[some], targets[some])
            advance(len(inputs[some]))
    return found


def _text(segment: Segment, name: str) -> str:
    return segment.references[name] if name in segment.references else segment.outputs[name]


def _rows(corpus: Corpus, found: dict[str, list[ScoredTarget]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for name, scored in found.items():
        left = iter(scored)
        for document in corpus.documents:
            for number, one in enumerate((next(left) for _ in document.segments), 1):
                row: dict[str, object] = {"document": document.id, "segment": number, "name": name}
                row |= {
                    "text": one.target,
                    "logprob": one.total,
                    "tokens": len(one.pieces),
                    "pieces": one.pieces,
                    "spans": one.spans,
                }
                rows.append(row | {"logprobs": one.logprobs.tolist()})
    return rows


def _summary(scored: Sequence[ScoredTarget]) -> str:
    """Return the mean log-probability of a segment and the perplexity of a token."""
    total, tokens = sum(one.total for one in scored), sum(len(one.logprobs) for one in scored)
    perplexity = math.exp(-total / tokens) if tokens else math.nan
    return f"{len(scored)} segments, log-probability {total / len(scored):.4f} a segment, perplexity {perplexity:.3f}"
