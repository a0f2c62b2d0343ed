"""``endophora translate`` and ``score``: documents through any model, and log-probabilities of given translations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Annotated, Any, TextIO

import typer

from endophora.cli.commands import But, command
from endophora.cli.console import progress_bar, say, warn
from endophora.cli.inputs import Inputs, Payment, SystemInputs
from endophora.cli.model_options import (
    Context,
    LineOutput,
    Model,
    Sharing,
    as_line,
    context_row,
    pair_of,
    tell_shipped,
)
from endophora.context.context_read import (
    KeptAnswers,
    KeptTranslator,
    Leaving,
    context_of,
    count_context,
    cut_warnings,
    skip_long,
    too_long,
)
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.models.layout import beyond_training
from endophora.models.records import (
    Decoding,
    ModelInput,
    ScoredTarget,
    Scorer,
    Sides,
    Translation,
    Translator,
    contextual_inputs,
    translate_documents,
)
from endophora.models.specs import open_scorer, open_translator
from endophora.models.whole import Whole, WholeOptions, planned_chunks, report_lines, translate_whole


@command(strict=True)
def translate(
    inputs: Annotated[Inputs, But("reference")],
    context: Context,
    decoding: Decoding,
    opening: Sharing,
    output: LineOutput,
    several: WholeOptions,
    payment: Payment,
    reference: Annotated[
        str | None,
        typer.Option("--reference", "-r", metavar="FILE", help="With --gold; with --input the name of a reference."),
    ] = None,
    model: Model = "default",
    gold: Annotated[
        bool, typer.Option("--gold", help="Target context from the reference, not from the model's own translations.")
    ] = False,
) -> None:
    """Translate documents; each segment with the segments before it, and their translations, as context."""
    output.check()
    sides = context.read_sides()
    named = replace(inputs, reference=(reference,) if reference else ())
    corpus = named.read(source_alone=True, unreferenced=not (gold or reference))
    if gold and not corpus.references:
        raise InputError(Fault("E099", "--gold without a reference", "give one with --reference FILE", "--reference"))
    _check_together(several, gold)
    tell_shipped([model], pair_of(corpus))
    asked = (context.size, sides)
    whole: Whole | None = None
    made: list[list[Translation]] = []
    with (
        opening.opened(open_translator, {model: model}, pair_of(corpus), payment.max_cost) as models,
        output.kept() as store,
    ):
        translator = models[model]
        _check_cost(translator, corpus, asked, several, payment)
        long = _too_long_sources(translator, corpus, decoding, opening.skip_faults)
        # A service keeps its answers itself.
        kept = translator if hasattr(translator, "estimate") else KeptTranslator(translator, KeptAnswers(store))
        if several.used:
            whole = _whole(_leaving(kept, long), corpus, long, several, asked, decoding)
        else:
            made = _translate(_leaving(kept, long), corpus, *asked, decoding, gold)
    if whole is not None:
        with output.open() as stream:
            _write_whole(corpus, whole, output.output_format, model, stream)
        return
    _warn(made)
    with output.open() as stream:
        for document, translations in zip(corpus.documents, made, strict=True):
            for number, (segment, one) in enumerate(zip(document.segments, translations, strict=True), 1):
                if output.output_format == "text":
                    stream.write(f"{' '.join(one.text.splitlines())}\n")
                    continue
                row: dict[str, object] = {"document": document.id, "segment": number, "source": segment.source}
                row |= {"translation": one.text, "logprob": one.logprob, "warning": one.warning, "model": model}
                stream.write(as_line(row | {"context": context_row(one.context)}))


def _translate(
    translator: Translator, corpus: Corpus, size: int, sides: Sides, decoding: Decoding, gold: bool
) -> list[list[Translation]]:
    """Return the translations of each document; ``gold`` takes target context from the first reference."""
    sources = [[segment.source for segment in document.segments] for document in corpus.documents]
    with progress_bar("translate", len(corpus)) as advance:
        if not gold:
            return translate_documents(translator, sources, size, sides, decoding, advance)
        name = corpus.references[0]
        inputs: list[ModelInput] = []
        for document, texts in zip(corpus.documents, sources, strict=True):
            targets = [segment.references[name] for segment in document.segments]
            inputs += contextual_inputs(texts, targets, size, sides)
        made: list[Translation] = []
        for start in range(0, len(inputs), CHUNK):
            made += translator.translate(inputs[start : start + CHUNK], decoding)
            advance(len(made) - start)
    found = iter(made)
    return [list(islice(found, len(texts))) for texts in sources]


def _check_together(several: WholeOptions, gold: bool) -> None:
    """Refuse options that say two things (E272)."""
    if several.used and gold:
        advice = "leave --gold out: the context of a chunk is the model's own translations"
        raise InputError(Fault("E272", "--gold with --document or --chunk", advice, "--gold"))
    if several.document and several.chunk:
        raise InputError(Fault("E272", "--document with --chunk", "give one of them", "--chunk"))
    alone = WholeOptions(document=several.document, chunk=several.chunk)
    if several != alone and not several.used:
        advice = "say too how many segments go into a request: --document or --chunk N"
        flag = "--retries" if several.markers else "--no-markers"
        raise InputError(Fault("E272", f"{flag} without --document or --chunk", advice, flag))


def _whole(
    translator: Translator,
    corpus: Corpus,
    long: Container[str],
    options: WholeOptions,
    context: tuple[int, Sides],
    decoding: Decoding,
) -> Whole:
    """Translate whole documents or chunks, without sources that are too long, and tell what happened to them."""
    sources = [
        ["" if segment.source in long else segment.source for segment in document.segments]
        for document in corpus.documents
    ]
    with progress_bar("translate", len(corpus)) as advance:
        made = translate_whole(translator, sources, pair_of(corpus), options, context, decoding, advance)
    counts, *warnings = report_lines(made.report, [document.id for document in corpus.documents])
    say(counts)
    warn(warnings)
    say(f"signature: {made.signature}")
    return made


def _write_whole(corpus: Corpus, whole: Whole, form: str, model: str, stream: TextIO) -> None:
    for document, texts, ways in zip(corpus.documents, whole.texts, whole.by, strict=True):
        for number, (segment, text, by) in enumerate(zip(document.segments, texts, ways, strict=True), 1):
            if form == "text":
                stream.write(f"{' '.join(text.splitlines())}\n")
                continue
            row = {"document": document.id, "segment": number, "source": segment.source, "translation": text}
            stream.write(as_line(row | {"by": by, "model": model, "signature": whole.signature}))


def _too_long_sources(translator: Translator, corpus: Corpus, decoding: Decoding, skip: bool) -> set[str]:
    """Return the sources that the model cannot take, if they may be left out (E281)."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    found = too_long(translator, [segment.source for segment in segments], None, decoding)
    warn(skip_long(found, [segment.location for segment in segments], skip))
    return {segments[place].source for place in found}


def _leaving(translator: Translator, long: set[str]) -> Translator:
    return Leaving(translator, long) if long else translator


def _check_cost(
    translator: Any, corpus: Corpus, context: tuple[int, Sides], several: WholeOptions, payment: Payment
) -> None:
    """Print what a service would cost, unless the model runs here; E285 where that is not agreed to."""
    if not hasattr(translator, "estimate"):
        return
    documents = [[segment.source for segment in document.segments] for document in corpus.documents]
    if several.used:
        cost = translator.estimate_chunks(planned_chunks(documents, several, context))
    else:
        # Translations that are context later are not known yet; sources are about as long.
        cost = translator.estimate([one for texts in documents for one in contextual_inputs(texts, texts, *context)])
    payment.agree(cost)


def _warn(made: Sequence[Sequence[Translation]]) -> None:
    """Tell what went wrong, each thing with the number of segments that it happened to."""
    contexts = [one.context for document in made for one in document if one.context is not None]
    warn(cut_warnings("the model", count_context(contexts)))
    counts = Counter(one.warning for document in made for one in document if one.warning)
    warn(f"{count} segments: {warning}" for warning, count in counts.most_common())


CHUNK = 2048
"""Segments that are asked for at a time: enough for many workers, each of which gets a part."""

_HEADER = (
    *("document", "segment", "name", "logprob", "tokens"),
    *("source_given", "source_kept", "target_given", "target_kept"),
)
"""What is given and kept are sentences of context."""


@command(strict=True)
def score(
    inputs: SystemInputs,
    context: Context,
    opening: Sharing,
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
    tell_shipped([model], pair_of(corpus))
    with opening.opened(open_scorer, {model: model}, pair_of(corpus)) as models, output.kept() as store:
        scorer = models[model]
        long = {name: _too_long(scorer, corpus, name, opening.skip_faults) for name in names}
        for name, (_, warnings) in long.items():
            warn(f"{name}: {warning}" for warning in warnings)
        warn(beyond_training({"the model": scorer}, 0 if sides is Sides.NONE else context.size))
        # A server's answers are kept apart from the store.
        ask = scorer.score if hasattr(scorer, "estimate") else partial(KeptAnswers(store).score, scorer)
        found = {name: _score(ask, corpus, name, context.size, sides, long[name][0]) for name in names}
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
        made = [one for one in scored if one is not None]
        read = [one for one in made if one.context is not None and one.context.kept]
        say(f"{name}: {_figures(made)}" + (f"; of these with context: {_figures(read)}" if read else ""))


Ask = Callable[[Sequence[ModelInput], Sequence[str]], list[ScoredTarget]]


def _score(
    score: Ask, corpus: Corpus, name: str, size: int, sides: Sides, left_out: Container[int]
) -> list[ScoredTarget | None]:
    """Return the scores of all segments of a reference or a system, its own target context; ``None`` if left out."""
    inputs: list[ModelInput] = []
    targets: list[str] = []
    for document in corpus.documents:
        texts = [segment.text_of(name) for segment in document.segments]
        inputs += contextual_inputs([segment.source for segment in document.segments], texts, size, sides)
        targets += texts
    wanted = [place for place in range(len(inputs)) if place not in left_out]
    found: list[ScoredTarget | None] = [None] * len(inputs)
    with progress_bar(f"score {name}", len(wanted)) as advance:
        for start in range(0, len(wanted), CHUNK):
            some = wanted[start : start + CHUNK]
            scored = score([inputs[place] for place in some], [targets[place] for place in some])
            for place, given, one in zip(some, (inputs[place] for place in some), scored, strict=True):
                found[place] = replace(one, context=context_of(one, given))
            advance(len(some))
    return found


def _too_long(scorer: Scorer, corpus: Corpus, name: str, skip: bool) -> tuple[dict[int, str], list[str]]:
    """Return the places of segments that the model cannot take, with the reasons, and a warning for each."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    found = too_long(scorer, [one.source for one in segments], [one.text_of(name) for one in segments])
    return found, skip_long(found, [segment.location for segment in segments], skip)


def _rows(corpus: Corpus, found: dict[str, list[ScoredTarget | None]]) -> Iterator[dict[str, Any]]:
    for name, scored in found.items():
        left = iter(scored)
        for document in corpus.documents:
            for number, (segment, one) in enumerate(zip(document.segments, left), 1):  # noqa: B905 - as many as it has
                row: dict[str, Any] = {"document": document.id, "segment": number, "name": name}
                if one is None:
                    yield row | {"text": segment.text_of(name), "logprob": None, "tokens": None, "context": None}
                    continue
                row |= {"text": one.target, "logprob": one.total, "tokens": len(one.pieces)}
                row |= {"pieces": one.pieces, "spans": one.spans, "context": context_row(one.context)}
                yield row | {"logprobs": one.logprobs.tolist()}


def _cells(row: dict[str, Any]) -> list[str]:
    """Return a row as cells; those of a segment that was left out are empty."""
    cells = [str(row["document"]), str(row["segment"]), str(row["name"])]
    if row["logprob"] is None:
        return [*cells, *[""] * (len(_HEADER) - len(cells))]
    sides = [str(row["context"][side][name]) for side in ("source", "target") for name in ("given", "kept")]
    return [*cells, f"{row['logprob']:.4f}", str(row["tokens"]), *sides]


def _figures(scored: Sequence[ScoredTarget]) -> str:
    """Return the mean log-probability of a segment and the perplexity of a token."""
    total, tokens = sum(one.total for one in scored), sum(len(one.logprobs) for one in scored)
    perplexity = math.exp(-total / tokens) if tokens else math.nan
    return f"{len(scored)} segments, log-probability {total / len(scored):.4f} a segment, perplexity {perplexity:.3f}"
