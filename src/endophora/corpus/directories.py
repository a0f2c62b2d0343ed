"""Corpora that are directories: WMT's layout, and plain text with fixed file names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from endophora.corpus.assemble import select
from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import Lines, PathLike, is_canary
from endophora.corpus.parallel import Files, read_files
from endophora.corpus.records import Corpus
from endophora.corpus.writing import check_no_canary, check_writable, rows, write_lines
from endophora.errors import Fault, InputError


def read_wmt(
    directory: PathLike,
    languages: tuple[str, str] = ("en", "de"),
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> Corpus:
    """Read a directory in the layout of WMT and mt-metrics-eval.

    For the pair ``en-de``: ``sources/en-de.txt``, ``documents/en-de.docs`` (domain, tab, document id),
    ``references/en-de.NAME.txt`` and ``system-outputs/en-de/NAME.txt``, each plain or gzipped. Canary lines at the
    top of a file are skipped.

    Args:
        directory: the directory.
        languages: ISO 639-1 codes of source and target.
        references: names of the references to keep; all by default.
        systems: names of the systems to keep; all by default.

    Raises:
        InputError: with all faults; that of this format is a missing part (E020).
    """
    root, log = Path(directory), FaultLog()
    pair = "-".join(languages)
    source = _one(root, f"sources/{pair}.txt", log)
    documents = _one(root, f"documents/{pair}.docs", log)
    reference_files = _named(root / "references", f"{pair}.", "E012", log)
    system_files = _named(root / "system-outputs" / pair, "", "E011", log)
    if source is None or documents is None:
        raise InputError(log.faults())
    files = Files(
        source,
        documents,
        select(reference_files, references, "reference", log),
        select(system_files, systems, "system", log),
    )
    return read_files(files, languages, log, trim=_without_canary, parse_id=lambda line: line.split("\t", 1)[-1])


def write_wmt(corpus: Corpus, directory: PathLike) -> None:
    """Write a corpus in the layout of WMT; the directory is made, and the domain of every document is ``text``.

    Raises:
        InputError: a text has a line end or a name a slash (E022), or a file cannot be written (E026).
    """
    check_writable(corpus, "WMT", forbidden="\n", in_names="/")
    check_no_canary(corpus, "WMT")
    root = Path(directory)
    pair = f"{corpus.source_language}-{corpus.target_language}"
    paths = [
        root / "sources" / f"{pair}.txt",
        *(root / "references" / f"{pair}.{name}.txt" for name in corpus.references),
        *(root / "system-outputs" / pair / f"{name}.txt" for name in corpus.systems),
    ]
    _write_columns(corpus, root / "documents" / f"{pair}.docs", "text\t", paths)


def read_text(
    directory: PathLike,
    languages: tuple[str, str] = ("en", "de"),
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> Corpus:
    """Read a directory of plain text: ``source.txt``, ``documents.txt``, ``references/NAME.txt``, ``systems/NAME.txt``.

    Args:
        directory: the directory; each file in it may be gzipped, and ``documents.txt`` may be absent.
        languages: ISO 639-1 codes of source and target.
        references: names of the references to keep; all by default.
        systems: names of the systems to keep; all by default.

    Raises:
        InputError: with all faults; that of this format is a missing part (E020).
    """
    root, log = Path(directory), FaultLog()
    source = _one(root, "source.txt", log)
    reference_files = _named(root / "references", "", "E012", log)
    system_files = _named(root / "systems", "", "E011", log)
    if source is None:
        raise InputError(log.faults())
    files = Files(
        source,
        _one(root, "documents.txt", None),
        select(reference_files, references, "reference", log),
        select(system_files, systems, "system", log),
    )
    return read_files(files, languages, log)


def write_text(corpus: Corpus, directory: PathLike) -> None:
    """Write a corpus as a directory of plain text; the directory is made.

    Raises:
        InputError: a text has a line end or a name a slash (E022), or a file cannot be written (E026).
    """
    check_writable(corpus, "plain text", forbidden="\n", in_names="/")
    root = Path(directory)
    paths = [
        root / "source.txt",
        *(root / "references" / f"{name}.txt" for name in corpus.references),
        *(root / "systems" / f"{name}.txt" for name in corpus.systems),
    ]
    _write_columns(corpus, root / "documents.txt", "", paths)


def wmt_pairs(directory: PathLike) -> list[tuple[str, str]]:
    """Return the language pairs of a WMT directory."""
    names = sorted(path.name.removesuffix(".gz") for path in Path(directory).glob("sources/*-*.txt*"))
    pairs = [name.removesuffix(".txt").partition("-") for name in dict.fromkeys(names)]
    return [(source, target) for source, _, target in pairs]


def _one(root: Path, name: str, log: FaultLog | None) -> Path | None:
    """Return the path of a file that is there plain or gzipped; note a fault (E020) if it is not."""
    for path in (root / name, root / f"{name}.gz"):
        if path.exists():
            return path
    if log is not None:
        there = sorted(path.name for path in (root / name).parent.glob("*"))[:10]
        known = f"there are: {', '.join(there)}" if there else "the directory is empty or absent"
        log.add("E020", f"{name} is missing; {known}", "docs/formats.md describes the layout", str(root))
    return None


def _named(directory: Path, prefix: str, code: str, log: FaultLog) -> dict[str, Path]:
    """Return the text files of a directory whose names begin with ``prefix``, by the rest of their names."""
    files: dict[str, Path] = {}
    for path in sorted(directory.glob("*")):
        name = path.name.removesuffix(".gz")
        if not name.startswith(prefix) or not name.endswith(".txt"):
            continue
        short = name[len(prefix) : -len(".txt")]
        if short in files:
            log.add(code, f"“{short}” is there twice: {files[short].name} and {path.name}", "remove one", str(path))
        files.setdefault(short, path)
    return files


def _without_canary(lines: Lines) -> Lines:
    """Leave out the canary lines at the top of a file."""
    skipped = 0
    while skipped < len(lines.texts) and is_canary(lines.texts[skipped]):
        skipped += 1
    return Lines(lines.file, lines.texts[skipped:], lines.readable, lines.first + skipped)


def _write_columns(corpus: Corpus, documents: Path, id_prefix: str, paths: Sequence[Path]) -> None:
    """Write the document ids, and each column of texts to its path."""
    table = list(rows(corpus))
    for directory in dict.fromkeys(path.parent for path in (documents, *paths)):
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            cause = f"the directory cannot be made ({error.strerror or error})"
            raise InputError(Fault("E026", cause, "name another directory", str(directory))) from error
    write_lines(documents, (id_prefix + row[0] for row in table))
    for index, path in enumerate(paths, start=1):
        write_lines(path, (row[index] for row in table))
