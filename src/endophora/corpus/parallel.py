"""Plain text, one segment a line: a file for the source and for each reference and system, and one of document ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from endophora.corpus.assemble import Column, Columns, assemble, check_lengths, column
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import STDIN, Lines, PathLike, display_name, is_canary, read_lines
from endophora.corpus.not_plain import check_plain
from endophora.corpus.records import Corpus


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file of a reference or system, and the name by which results call it."""

    name: str
    path: str


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a corpus, one segment a line.

    Attributes:
        source: the source file.
        documents: the file of document ids, or ``None``.
        references: by name.
        systems: by name.
    """

    source: PathLike
    documents: PathLike | None
    references: Mapping[str, PathLike]
    systems: Mapping[str, PathLike]

    def all(self) -> list[PathLike]:
        """Return all paths."""
        ids = [] if self.documents is None else [self.documents]
        return [self.source, *ids, *self.references.values(), *self.systems.values()]


def parse_named(text: PathLike) -> NamedFile:
    """Read ``NAME=FILE``; without a name, it is the file's name less ``.gz`` and one more suffix.

    A text that is as a whole the path of a file is that file, equals sign or not.
    """
    name, sign, path = str(text).partition("=")
    if sign and name and not Path(text).exists():
        return NamedFile(name, path)
    stem = Path(str(text).removesuffix(".gz")).stem
    return NamedFile("stdin" if str(text) == STDIN else stem, str(text))


def read_parallel(
    source: PathLike,
    references: Iterable[PathLike],
    documents: PathLike | None = None,
    systems: Iterable[PathLike] = (),
    languages: tuple[str, str] = ("en", "de"),
) -> Corpus:
    """Read plain text, one segment a line.

    Args:
        source: the source file; each of the files may be gzipped, and one of them ``-``, standard input.
        references: files of references, as ``NAME=FILE`` or ``FILE``.
        documents: the file that gives each line's document id, any text; without it all is one document.
        systems: files of outputs, as ``NAME=FILE`` or ``FILE``.
        languages: ISO 639-1 codes of source and target.

    Raises:
        InputError: with all faults of all files; ``docs/errors.md`` lists them.
    """
    log = FaultLog()
    files = Files(
        source,
        documents,
        _unique(references, "E012", "reference", log),
        _unique(systems, "E011", "system", log),
    )
    return read_files(files, languages, log)


def read_files(
    files: Files,
    languages: tuple[str, str],
    log: FaultLog,
    trim: Callable[[Lines], Lines] = lambda lines: lines,
    parse_id: Callable[[str], str] = lambda text: text,
) -> Corpus:
    """Read the files of a corpus.

    Args:
        files: which files.
        languages: ISO 639-1 codes of source and target.
        log: what was found wrong before; all of it is raised together.
        trim: takes from a file the lines that are no segments.
        parse_id: takes the document id from its line.

    Raises:
        InputError: with all faults of all files.
    """
    paths = [str(path) for path in files.all()]
    if paths.count(STDIN) > 1:
        log.add("E021", f"standard input is named {paths.count(STDIN)} times", "give all but one as files", "<stdin>")
        log.check()
    read = {path: trim(read_lines(path, log)) for path in dict.fromkeys(paths)}
    for path in (files.source, *files.references.values(), *files.systems.values()):
        check_plain(read[str(path)].texts, read[str(path)].file, log)
    if log.found("E385"):
        # Lines that are no segments are not counted, and not looked at.
        log.check()
    length = check_lengths(list(read.values()), log)
    columns = {path: column(lines, length) for path, lines in read.items()}
    ids = None if files.documents is None else columns[str(files.documents)]
    return assemble(
        Columns(
            source=columns[str(files.source)],
            documents=ids and Column(ids.file, [parse_id(text) for text in ids.texts], ids.line),
            references={name: columns[str(path)] for name, path in files.references.items()},
            systems={name: columns[str(path)] for name, path in files.systems.items()},
        ),
        languages,
        log,
        _canary_warning(columns[str(files.source)]),
    )


def _unique(texts: Iterable[PathLike], code: str, kind: str, log: FaultLog) -> dict[str, PathLike]:
    """Return name → path, with a fault for every name that is there twice."""
    files: dict[str, PathLike] = {}
    for named in map(parse_named, texts):
        if named.name in files:
            cause = f"two files for {kind} “{named.name}”: {files[named.name]} and {named.path}"
            log.add(code, cause, "name them apart: NAME=FILE", display_name(named.path))
        else:
            files[named.name] = named.path
    return files


def _canary_warning(source: Column) -> list[str]:
    if not source.texts or not is_canary(source.texts[0]):
        return []
    return [
        f"The first line of {source.file} is a canary line and counts as a segment; delete it in all files, or read "
        "the WMT directory as a whole, which skips it."
    ]
