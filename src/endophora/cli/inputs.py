"""From the shared options to what the API takes: a corpus, and the setup of an evaluation."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.cli.console import warn
from endophora.cli.keeping import store_file
from endophora.cli.options import named
from endophora.corpus import parse_languages, read_corpus, read_parallel
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError

if TYPE_CHECKING:
    from endophora.evaluation.setup import Setup


def corpus_from_options(
    languages: str,
    source: str | None,
    references: Sequence[str] | None,
    documents: str | None,
    systems: Sequence[str] | None,
    path: str | None,
    path_format: str | None,
) -> Corpus:
    """Read the corpus that the options name: ``--input``, or ``--source`` with its companions; print its warnings.

    With ``--input``, ``systems`` selects by name; ``None`` takes all, and none at all are read if it is empty.

    Raises:
        InputError: neither or both are given (E098), a reference is missing (E099), the files are faulty, or the
            command is strict and the corpus has doubts.
    """
    read = _read(languages, source, references, documents, systems, path, path_format)
    # Before the work: a corpus in doubt is not worth hours of it.
    warn(read.warnings)
    return read


def _read(
    languages: str,
    source: str | None,
    references: Sequence[str] | None,
    documents: str | None,
    systems: Sequence[str] | None,
    path: str | None,
    path_format: str | None,
) -> Corpus:
    pair = parse_languages(languages)
    if (path is None) == (source is None):
        raise InputError(
            Fault("E098", "the input is not named once", "give --source and --reference, or --input, not both")
        )
    if path is not None:
        if documents is not None:
            raise InputError(Fault("E098", "--documents beside --input", "the input has its own document ids", path))
        return read_corpus(path, path_format, languages=pair, references=references or None, systems=systems)
    if not references:
        raise InputError(Fault("E099", "no reference is given", "give one with --reference FILE", "--reference"))
    return read_parallel(source or "", references, documents, systems or (), languages=pair)


@contextmanager
def setup_from_options(
    corpus: Corpus,
    annotators: Sequence[str] | None,
    aligner: str | None,
    resolver: str | None,
    window: int,
    phenomena: Sequence[str] | None,
    store: Path | None,
    no_store: bool,
    rules: Sequence[Path] | None = None,
    ellipsis_classifier: Path | None = None,
) -> Generator[Setup]:
    """Yield the setup that the options name; without a store, one lives as long as the command.

    Raises:
        InputError: an annotator is given for a language that is not in the pair (E100), or a name is unknown.
    """
    from endophora.evaluation.setup import Setup
    from endophora.phenomena import TaggerOptions

    names = named(annotators, "--annotator")
    pair = (corpus.source_language, corpus.target_language)
    if foreign := [language for language in names if language not in pair]:
        raise InputError(
            Fault(
                "E100", f"{', '.join(foreign)} is not of the pair {pair[0]}-{pair[1]}", "name it as de=…", "--annotator"
            )
        )
    with store_file(store, no_store) as path:
        options = TaggerOptions(ellipsis_classifier=ellipsis_classifier)
        if phenomena:
            options = replace(options, phenomena=_phenomena(phenomena))
        yield Setup(*pair, names, aligner, resolver, window, options, path, tuple(rules or ()))


def _phenomena(names: Sequence[str]) -> tuple[str, ...]:
    """Return the phenomena that are named; ``none`` alone names none."""
    if "none" in names and len(names) > 1:
        raise InputError(Fault("E100", "“none” beside phenomena", "name phenomena, or none alone", "--phenomenon"))
    return () if list(names) == ["none"] else tuple(names)
