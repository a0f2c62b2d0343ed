"""``endophora convert``, ``align``, ``mentions``: corpora in other formats, of books, and with mentions marked."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from endophora.cli.commands import But, Only, command
from endophora.cli.console import live_bar, print_table, say, warn
from endophora.cli.inputs import Inputs, SystemInputs, Tools, into
from endophora.corpus.codes import parse_languages
from endophora.corpus.filling import fill as fill_file
from endophora.corpus.formats import FORMATS
from endophora.corpus.records import Corpus
from endophora.corpus.streams import ReadOptions, left_out
from endophora.errors import Fault, InputError, refuse
from endophora.files import Output, check_file, check_new, written_file
from endophora.training.books import PARTS, BookPlan, build_corpus

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
        bare = (
            replace(one, segments=tuple(replace(it, outputs={}) for it in one.segments)) for one in corpus.documents
        )
        corpus = replace(corpus, systems=(), documents=tuple(bare))
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
        left = fill_file(sources[0], place, form, texts, options, lambda marked: place_markup(marked, *pair))
    count = sum(bool(text.strip()) for text in texts) - left
    kept = f", {left} left as they are, since they are not to be translated" if left else ""
    say(f"{count} of {len(texts)} segments filled{kept}: {target}")


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


_FORMS = ("tsv", "jsonl", "tmx")


@command()
def align(
    source: Annotated[Path, typer.Argument(metavar="SOURCE", help="Folder of books; a book is a folder or a file.")],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="Folder of the same books in the other language.")],
    inputs: Annotated[Inputs, Only("languages")],
    plan: BookPlan,
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="Format: tsv, jsonl or tmx.")] = "tsv",
    output: Annotated[Path, into("Directory of the parts.")] = Path("endophora-books"),
) -> None:
    """Align books in two languages, print how much there is and say what was left out."""
    write = FORMATS.get(to).write
    if to not in _FORMS or write is None:
        raise InputError(Fault("E015", f"{to} is no format of a corpus of books", f"give {', '.join(_FORMS)}", "--to"))
    place = Output(output, [*(f"{part}.{to}" for part in PARTS), "corpus.json"])
    with live_bar("books") as update:
        made, sizes = build_corpus(
            (source, target), parse_languages(inputs.languages), plan, lambda name: update(description=name)
        )
    if not sizes.has_priors:
        warn([f"no words of {sizes.languages} are known: sentences were aligned by lengths, names and numbers alone"])
    warn(left_out(sizes.left_out))
    with place.writing() as folder:
        for part, corpus in made.items():
            write(corpus, folder / f"{part}.{to}")
        (folder / "corpus.json").write_text(sizes.model_dump_json(indent=1) + "\n", "utf-8")
    rows = [
        (
            *(name, str(len(one.books)), f"{one.documents:,}", f"{one.segments:,}"),
            *(f"{one.source_words:,}", f"{one.target_words:,}", f"{one.shortest} / {one.median:g} / {one.longest}"),
        )
        for name, one in sizes.parts.items()
    ]
    sides = inputs.languages.split("-")
    header = ["", "books", "documents", "segments", *(f"words {side}" for side in sides), "segments of a document"]
    print_table(header, rows)


@command(strict=True)
def mentions(
    inputs: Annotated[Inputs, But()],
    tools: Annotated[Tools, Only("annotator", "aligner", "resolver", "window", "store", "no_store")],
    output: Annotated[Path, into("Directory of the books.")] = Path("endophora-mentions"),
) -> None:
    """Mark names, and pronouns whose antecedent is believed, in source and first reference."""
    from endophora.extraction.mentions import mark_mentions

    place = Output(output)
    corpus = inputs.read()
    names = {document.id: _file(document.id) for document in corpus.documents}
    counts = Counter(names.values())
    twice = [one for one, name in names.items() if counts[name] > 1]
    refuse(
        Fault("E013", f"the documents {', '.join(twice)} make one file", "rename them", output.name) for _ in twice[:1]
    )
    count = 0
    tools = replace(tools, phenomenon=("none",))
    with tools.setup((corpus.source_language, corpus.target_language)) as setup, place.writing() as folder:
        for document, source, target in mark_mentions(corpus, setup):
            for side, lines in (("chs", source), ("ref", target)):
                path = folder / f"{names[document]}.{side}_re.an.txt"
                path.parent.mkdir(exist_ok=True)
                path.write_text("\n".join(lines) + "\n", "utf-8", newline="\n")
                count += sum(line.count("{") for line in lines)
    say(f"{count} mentions in {len(corpus.documents)} documents: {output}")


def _file(document: str) -> str:
    """Return BOOK/N of a document's id, BOOK-N as BWB's or BOOK/N as ours."""
    book, _, number = (
        re.sub(r"[^\w/.-]+", "_", document).replace("..", "_").strip("/-.").replace("/", "-").rpartition("-")
    )
    return f"{book or 'Book'}/{number}"
