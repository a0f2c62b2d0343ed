"""``endophora translate``: documents through any model, with and without context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

import typer

from endophora.cli.commands import But, command
from endophora.cli.console import progress_bar, say, warn
from endophora.cli.inputs import Inputs
from endophora.cli.model_options import Context, LineOutput, Model, Opening, as_line, context_row, pair_of
from endophora.context.context_read import Leaving, count_context, cut_warnings, skip_long, too_long
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides, contextual_inputs, translate_documents
from endophora.models.records import Decoding, Translation, Translator
from endophora.models.specs import open_translator


@command(strict=True)
def translate(
    inputs: Annotated[Inputs, But("reference")],
    context: Context,
    decoding: Decoding,
    opening: Opening,
    output: LineOutput,
    reference: Annotated[
        str | None,
        typer.Option("--reference", "-r", metavar="FILE", help="With --gold; with --input the name of a reference."),
    ] = None,
    model: Model = "default",
    gold: Annotated[
        bool, typer.Option("--gold", help="Target context from the reference, not from the model's own translations.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Let a service be paid for.")] = False,
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", min=0, help="Let a service be paid for, up to so much.")
    ] = None,
) -> None:
    """Translate documents; each segment with the segments before it, and their translations, as context."""
    output.check()
    sides = context.read_sides()
    corpus = replace(inputs, reference=(reference,) if reference else ()).read(source_alone=True)
    if gold and not corpus.references:
        raise InputError(Fault("E099", "--gold without a reference", "give one with --reference FILE", "--reference"))
    translator = open_translator(model, opening.options(pair_of(corpus), max_cost))
    _check_cost(translator, corpus, context.size, sides, yes or max_cost is not None)
    translator = _without_long(translator, corpus, decoding, opening.skip_faults)
    made = _run(translator, corpus, context.size, sides, decoding, gold)
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


def _run(
    translator: Translator, corpus: Corpus, size: int, sides: Sides, decoding: Decoding, gold: bool
) -> list[list[Translation]]:
    """Return the translations of each document; ``gold`` takes target context from the first reference."""
    sources = [[segment.source for segment in document.segments] for document in corpus.documents]
    with progress_bar("translate", len(corpus)) as advance:
        if not gold:
            return translate_documents(translator, sources, size, sides, decoding, advance)
        name = corpus.references[0]
        made: list[list[Translation]] = []
        for document, texts in zip(corpus.documents, sources, strict=True):
            targets = [segment.references[name] for segment in document.segments]
            made.append(translator.translate(contextual_inputs(texts, targets, size, sides), decoding))
            advance(len(texts))
    return made


def _without_long(translator: Translator, corpus: Corpus, decoding: Decoding, skip: bool) -> Translator:
    """Return a translator that leaves segments blank that the model cannot take, if they are to be left out.

    Raises:
        InputError: there are some, and they are not to be left out (E281).
    """
    segments = [segment for document in corpus.documents for segment in document.segments]
    found = too_long(translator, [segment.source for segment in segments], None, decoding)
    warn(skip_long(found, [segment.location for segment in segments], skip))
    return Leaving(translator, {segments[place].source for place in found}) if found else translator


def _check_cost(translator: Any, corpus: Corpus, size: int, sides: Sides, agreed: bool) -> None:
    """Print what a service would cost; nothing is printed for a model that runs here.

    Raises:
        InputError: it is not agreed to (E285).
    """
    if not hasattr(translator, "estimate"):
        return
    # Translations that are context later are not known yet; sources are about as long.
    inputs = [
        one
        for document in corpus.documents
        for texts in [[segment.source for segment in document.segments]]
        for one in contextual_inputs(texts, texts, size, sides)
    ]
    cost = translator.estimate(inputs)
    say(f"cost: {cost}")
    if cost.requests and not agreed:
        advice = "agree with --yes, or with --max-cost AMOUNT"
        raise InputError(Fault("E285", f"the service wants to be paid: {cost}", advice, "--model"))


def _warn(made: Sequence[Sequence[Translation]]) -> None:
    """Tell what went wrong, each thing with the number of segments that it happened to."""
    contexts = [one.context for document in made for one in document if one.context is not None]
    warn(cut_warnings("the model", count_context(contexts)))
    counts = Counter(one.warning for document in made for one in document if one.warning)
    warn(f"{count} segments: {warning}" for warning, count in counts.most_common())
