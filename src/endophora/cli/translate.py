"""``endophora translate``: documents through any model, with and without context."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endophora.cli import model_options, options
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.corpus.records import Corpus
    from endophora.models.documents import Sides
    from endophora.models.records import Decoding, Translation, Translator


def translate(
    languages: options.Languages,
    source: options.Source = None,
    documents: options.Documents = None,
    reference: Annotated[
        str | None,
        typer.Option("--reference", "-r", metavar="FILE", help="With --gold; with --input the name of a reference."),
    ] = None,
    path: options.Input = None,
    input_format: options.InputFormat = None,
    model: model_options.Model = "default",
    size: model_options.ContextSize = 3,
    context: model_options.Context = "both",
    gold: Annotated[
        bool, typer.Option("--gold", help="Target context from the reference, not from the model's own translations.")
    ] = False,
    beam: Annotated[int, typer.Option("--beam", min=1, help="Hypotheses kept at each step; 1 is greedy.")] = 5,
    length_penalty: Annotated[
        float, typer.Option("--length-penalty", help="Hypotheses are ranked by log-probability ÷ length to this power.")
    ] = 1.0,
    device: model_options.Device = "auto",
    batch_tokens: model_options.BatchTokens = None,
    precision: model_options.Precision = None,
    threads: model_options.Threads = 0,
    skip_faults: model_options.SkipFaults = False,
    output: model_options.File = "-",
    output_format: model_options.LineFormat = "text",
    yes: Annotated[bool, typer.Option("--yes", help="Let a service be paid for.")] = False,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Let a service be paid for, up to so much.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """Translate documents; each segment with the segments before it, and their translations, as context."""
    from endophora.files import check_file
    from endophora.models.opening import open_translator
    from endophora.models.records import Decoding

    check_file(output)
    model_options.check_format(output_format)
    sides = model_options.read_side(context)
    corpus = model_options.read_input(
        languages, source, [reference] if reference else None, documents, (), path, input_format
    )
    if gold and not corpus.references:
        raise InputError(Fault("E099", "--gold without a reference", "give one with --reference FILE", "--reference"))
    pair = (corpus.source_language, corpus.target_language)
    translator = open_translator(
        model, model_options.model_options(pair, device, batch_tokens, precision, threads, max_cost)
    )
    decoding = Decoding(beam=beam, length_penalty=length_penalty)
    check_cost(translator, corpus, size, sides, yes or max_cost is not None, quiet)
    translator = without_long(translator, corpus, decoding, skip_faults, quiet)
    made = run_translation(translator, corpus, size, sides, decoding, gold, quiet)
    _warn(made, quiet)
    with model_options.open_output(output) as stream:
        for document, translations in zip(corpus.documents, made, strict=True):
            for number, (segment, one) in enumerate(zip(document.segments, translations, strict=True), 1):
                if output_format == "text":
                    stream.write(f"{' '.join(one.text.splitlines())}\n")
                    continue
                row: dict[str, object] = {"document": document.id, "segment": number, "source": segment.source}
                row |= {"translation": one.text, "logprob": one.logprob, "warning": one.warning, "model": model}
                stream.write(model_options.as_line(row | {"context": model_options.context_row(one.context)}))


def run_translation(
    translator: Translator, corpus: Corpus, size: int, sides: Sides, decoding: Decoding, gold: bool, quiet: bool
) -> list[list[Translation]]:
    """Return the translations of each document.

    Args:
        translator: the model.
        corpus: the documents.
        size: most segments of context.
        sides: where context is given.
        decoding: how translations are searched for.
        gold: target context from the first reference.
        quiet: no progress.
    """
    from endophora.cli.console import progress_bar
    from endophora.models.documents import contextual_inputs, translate_documents

    sources = [[segment.source for segment in document.segments] for document in corpus.documents]
    with progress_bar("translate", len(corpus), quiet) as advance:
        if not gold:
            return translate_documents(translator, sources, size, sides, decoding, advance)
        name = corpus.references[0]
        made: list[list[Translation]] = []
        for document, texts in zip(corpus.documents, sources, strict=True):
            targets = [segment.references[name] for segment in document.segments]
            made.append(translator.translate(contextual_inputs(texts, targets, size, sides), decoding))
            advance(len(texts))
    return made


def without_long(translator: Translator, corpus: Corpus, decoding: Decoding, skip: bool, quiet: bool) -> Translator:
    """Return a translator that leaves segments blank that the model cannot take, if they are to be left out.

    Args:
        translator: the model.
        corpus: the documents.
        decoding: how translations are searched for.
        skip: whether they are to be left out.
        quiet: no warnings.

    Raises:
        InputError: there are some, and they are not to be left out (E281).
    """
    from endophora.cli.console import warn
    from endophora.context.context_read import Leaving, skip_long, too_long

    segments = [segment for document in corpus.documents for segment in document.segments]
    found = too_long(translator, [segment.source for segment in segments], None, decoding)
    warn(skip_long(found, [segment.location for segment in segments], skip), quiet)
    return Leaving(translator, {segments[place].source for place in found}) if found else translator


def check_cost(translator: Any, corpus: Corpus, size: int, sides: Sides, agreed: bool, quiet: bool) -> None:
    """Tell what a service would cost, and stop if that is not agreed to.

    Args:
        translator: a model; nothing is told of one that runs here.
        corpus: the documents.
        size: most segments of context.
        sides: where context is given.
        agreed: whether the user has agreed.
        quiet: say nothing.

    Raises:
        InputError: it is not agreed to (E285).
    """
    if not hasattr(translator, "estimate"):
        return
    from endophora.models.documents import contextual_inputs

    # Translations that are context later are not known yet; sources are about as long.
    inputs = [
        one
        for document in corpus.documents
        for texts in [[segment.source for segment in document.segments]]
        for one in contextual_inputs(texts, texts, size, sides)
    ]
    cost = translator.estimate(inputs)
    if not quiet:
        print(f"cost: {cost}", file=sys.stderr)
    if cost.requests and not agreed:
        advice = "agree with --yes, or with --max-cost AMOUNT"
        raise InputError(Fault("E285", f"the service wants to be paid: {cost}", advice, "--model"))


def _warn(made: Sequence[Sequence[Translation]], quiet: bool) -> None:
    """Tell what went wrong, each thing with the number of segments that it happened to."""
    from collections import Counter

    from endophora.cli.console import warn
    from endophora.context.context_read import count_context, cut_warnings

    contexts = [one.context for document in made for one in document if one.context is not None]
    warn(cut_warnings("the model", count_context(contexts)), quiet)
    counts = Counter(one.warning for document in made for one in document if one.warning)
    warn([f"{count} segments: {warning}" for warning, count in counts.most_common()], quiet)
