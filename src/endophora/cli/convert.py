"""``endophora convert``: a corpus of any format that is read, in any that is written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import say, warn
from endophora.cli.inputs import SystemInputs
from endophora.corpus.filling import fill as fill_file
from endophora.corpus.formats import FORMATS
from endophora.corpus.records import Corpus
from endophora.corpus.streams import ReadOptions
from endophora.errors import Fault, InputError
from endophora.files import check_file, check_new, written_file

_FOLDERS = ("wmt", "text")


@command(strict=True)
def convert(
    paths: Annotated[list[str], typer.Argument(metavar="[FROM] TO", help="What is read, and what is written.")],
    inputs: Annotated[
        SystemInputs,
        Only(
            *("languages", "source", "documents", "input_format", "test_set"),
            reference="Reference, by its name in FROM; with --source a file. Repeatable.",
            system="Output, by its name in FROM, or NAME=FILE. Repeatable.",
        ),
    ],
    to: Annotated[
        str, typer.Option("--to", metavar="NAME", help="Format of TO, where its name does not show it; text and wmt.")
    ] = "",
    fill: Annotated[
        bool, typer.Option("--fill", help="TO is FROM, XLIFF or PO, with the output of --system in its targets.")
    ] = False,
) -> None:
    """Write a corpus in another format: all its translations, or those that are named."""
    *sources, target = paths
    if fill:
        _fill(inputs, sources, target)
        return
    if len(sources) > 1:
        raise InputError(Fault("E098", f"{len(paths)} paths are named", "name two, FROM and TO", paths[-1]))
    name = to or _format_of(target)
    form = FORMATS.get(name)
    if form.write is None:
        known = ", ".join(name for name in FORMATS if FORMATS.get(name).write)
        raise InputError(Fault("E015", f"{name} is only read", f"written are: {known}", target))
    (check_new if name in _FOLDERS else check_file)(Path(target))
    outputs_alone = bool(inputs.system) and not inputs.reference
    corpus = replace(inputs, path=next(iter(sources), None)).read(source_alone=True, unreferenced=outputs_alone)
    if inputs.reference and not inputs.system and sources:
        corpus = _without_outputs(corpus)
    if name in _FOLDERS:
        form.write(corpus, target)
    else:
        with written_file(target) as place:
            form.write(corpus, place)
    warn(_lost(corpus, name))
    texts = ", ".join([*corpus.references, *corpus.systems]) or "no translation"
    say(f"{len(corpus)} segments of {len(corpus.documents)} documents, with {texts}: {target}")


def _fill(inputs: SystemInputs, sources: list[str], target: str) -> None:
    """Write FROM again with the translations of one system (E015, E098)."""
    if len(sources) != 1 or len(inputs.system) != 1 or inputs.reference:
        advice = "name FROM, TO and one --system NAME=FILE"
        raise InputError(Fault("E098", "--fill puts one translation into one file", advice, "--fill"))
    from endophora.align.markup import place_markup

    check_file(Path(target))
    corpus = replace(inputs, path=sources[0]).read(source_alone=True, unreferenced=True)
    (name,) = corpus.systems
    pair = corpus.source_language, corpus.target_language
    texts = [segment.outputs[name] for document in corpus.documents for segment in document.segments]
    form = inputs.input_format or next(each for each in FORMATS if FORMATS.get(each).recognises(Path(sources[0])))
    with written_file(target) as place:
        options = ReadOptions(languages=pair, references=())
        fill_file(sources[0], place, form, texts, options, lambda marked: place_markup(marked, *pair))
    say(f"{sum(bool(text.strip()) for text in texts)} of {len(texts)} segments filled: {target}")


def _without_outputs(corpus: Corpus) -> Corpus:
    documents = (
        replace(document, segments=tuple(replace(segment, outputs={}) for segment in document.segments))
        for document in corpus.documents
    )
    return replace(corpus, systems=(), documents=tuple(documents))


def _format_of(path: str) -> str:
    """Return the format that the name of a file to be written tells (E015)."""
    for name in FORMATS:
        if name not in _FOLDERS and FORMATS.get(name).write and FORMATS.get(name).recognises(Path(path)):
            return name
    known = ", ".join(name for name in FORMATS if FORMATS.get(name).write)
    raise InputError(Fault("E015", "the name does not tell the format", f"say it with --to: {known}", path))


def _lost(corpus: Corpus, form: str) -> list[str]:
    """Say what a format does not hold of a corpus."""
    segments = [segment for document in corpus.documents for segment in document.segments]
    marks = sum(code.form != form for segment in segments for codes in segment.codes.values() for code in codes)
    names = [name for name in (*corpus.references, *corpus.systems) if name != "target"]
    lost = [f"{marks} tags of markup were left out: {form} has others, or none"] if marks else []
    if form in ("xliff", "xliff2") and names:
        lost.append(f"the name {names[0]} is not written: {form} has one translation, which is read as “target”")
    return lost
