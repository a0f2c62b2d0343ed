"""Translations on disk, so that they can be scored otherwise: one file a model and condition, one line a segment."""

from __future__ import annotations

from pathlib import Path

from endophora.context.perturbation.perturb import FOLDER, Perturbation, output_file
from endophora.corpus.records import Corpus
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError


def write_translations(found: Perturbation, corpus: Corpus, directory: Path) -> None:
    """Write all translations, and the corpus beside them, into ``translations/`` of a directory.

    A line end in a text becomes a blank. ``source.txt``, a file for each reference and ``documents.txt`` (ids) have as
    many lines, so that any tool can score the translations.

    Raises:
        InputError: the directory or a file cannot be written (E095, E026).
    """
    folder = directory / FOLDER
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"the translations cannot be written: {error.strerror or error}"
        raise InputError(Fault("E095", cause, "name a directory that you may write to", str(directory))) from error
    segments = [(document.id, segment) for document in corpus.documents for segment in document.segments]
    write_lines(folder / "documents.txt", (_line(document) for document, _ in segments))
    write_lines(folder / "source.txt", (_line(segment.source) for _, segment in segments))
    for number, name in enumerate(corpus.references, start=1):
        file = folder / ("reference.txt" if number == 1 else f"reference.{number}.txt")
        write_lines(file, (_line(segment.references[name]) for _, segment in segments))
    for model, conditions in found.tried.items():
        for condition, one in conditions.items():
            if one.translations:
                write_lines(directory / output_file(model, condition), (_line(each.text) for each in one.translations))


def _line(text: str) -> str:
    return " ".join(text.splitlines()) if text.splitlines()[1:] else text
