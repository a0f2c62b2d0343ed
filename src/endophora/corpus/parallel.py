"""Plain text, one segment a line: files that are parallel, a directory of them, and the layout of WMT."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import TypeVar

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import STDIN, UNREADABLE, PathLike, display_name, each_line, is_canary
from endophora.corpus.not_plain import HEAD, check_plain
from endophora.corpus.records import Corpus
from endophora.corpus.streams import UNREAD, Row, StreamLog
from endophora.corpus.writing import check_no_canary, check_writable, rows, write_lines
from endophora.errors import Fault, InputError

T = TypeVar("T")

Names = Sequence[str] | None
"""References or systems to keep; ``None`` keeps all."""


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file of a reference or system, and the name by which results call it."""

    name: str
    path: str


def parse_named(text: PathLike) -> NamedFile:
    """Read ``NAME=FILE``; without a name, it is the file's name less ``.gz`` and one more suffix.

    A text that is as a whole the path of a file is that file, equals sign or not.
    """
    name, sign, path = str(text).partition("=")
    if sign and name and not Path(text).exists():
        return NamedFile(name, path)
    stem = Path(str(text).removesuffix(".gz")).stem
    return NamedFile("stdin" if str(text) == STDIN else stem, str(text))


def unique_files(texts: Iterable[PathLike], code: str, kind: str, log: FaultLog) -> dict[str, PathLike]:
    """Return name → path of ``NAME=FILE``; a name that is there twice is a fault with the code given."""
    files: dict[str, PathLike] = {}
    for named in map(parse_named, texts):
        if named.name in files:
            cause = f"two files for {kind} “{named.name}”: {files[named.name]} and {named.path}"
            log.add(code, cause, "name them apart: NAME=FILE", display_name(named.path))
        else:
            files[named.name] = named.path
    return files


def select(named: Mapping[str, T], names: Names, kind: str, log: FaultLog) -> dict[str, T]:
    """Return what has the names that the user asked for, in that order, or all; an unknown name is a fault (E024)."""
    if names is None:
        return dict(named)
    for name in names:
        if name not in named:
            near = difflib.get_close_matches(name, named, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(named) or 'none'}"
            log.add("E024", f"there is no {kind} “{name}”", hint)
    return {name: named[name] for name in names if name in named}


@dataclass(frozen=True, slots=True)
class Files:
    """The files of a corpus, one segment a line; references and systems by name."""

    source: PathLike
    documents: PathLike | None
    references: Mapping[str, PathLike]
    systems: Mapping[str, PathLike] = field(default_factory=dict[str, PathLike])

    def parts(self) -> dict[str, PathLike]:
        """Return what :class:`~endophora.corpus.streams.Row` calls each part → its file."""
        return {
            "source": self.source,
            **({} if self.documents is None else {"document": self.documents}),
            **{f"reference {name}": path for name, path in self.references.items()},
            **{f"system {name}": path for name, path in self.systems.items()},
        }


class _Reader:
    """Reads a file, and counts its lines and those of them that are blank at its end."""

    def __init__(self, path: PathLike, log: StreamLog, *, plain: bool, canaries: bool) -> None:
        self.file = display_name(path)
        lines = each_line(path, log)
        head = list(islice(lines, HEAD))
        skipped = 0
        while canaries and skipped < len(head) and is_canary(head[skipped][1] or ""):
            skipped += 1
        self.skipped = skipped
        self.first = head[skipped][1] or "" if head[skipped:] else ""
        if plain:
            check_plain([text or "" for _, text in head], self.file, log)
        self._lines = chain(head[skipped:], lines)
        self.count = self.blank = 0

    def __iter__(self) -> Iterator[str]:
        for _, text in self._lines:
            self.count += 1
            self.blank = self.blank + 1 if text is not None and not text.strip() else 0
            yield UNREAD if text is None else text


def parallel_rows(
    files: Files, log: StreamLog, parse_id: Callable[[str], str] = lambda text: text, *, canaries: bool = False
) -> Iterator[Row]:
    """Yield the rows of files that are parallel line by line.

    Args:
        files: each gzipped or not; one may be ``-``.
        log: takes the faults: E001–E007, standard input twice (E021), files of different length (E008), no plain text
            (E385).
        parse_id: takes the document id from its line.
        canaries: leave out the canary lines at the top of each file.
    """
    parts = files.parts()
    paths = dict.fromkeys(map(str, parts.values()))
    if (times := [str(path) for path in parts.values()].count(STDIN)) > 1:
        log.add("E021", f"standard input is named {times} times", "give all but one as files", "<stdin>")
        return
    plain = {str(path) for part, path in parts.items() if part != "document"}
    readers = {path: _Reader(path, log, plain=path in plain, canaries=canaries) for path in paths}
    if log.has_code("E385"):
        # Lines that are no segments are not counted, and not looked at.
        return
    source = readers[str(files.source)]
    if not canaries and is_canary(source.first):
        log.remarks.append(
            f"The first line of {source.file} is a canary line and counts as a segment; delete it in all files, or "
            "read the WMT directory as a whole, which skips it."
        )
    elsewhere = {
        part: (reader.file, reader.skipped - source.skipped)
        for part, path in parts.items()
        if (reader := readers[str(path)]) is not source
    }
    places = {part: list(paths).index(str(path)) for part, path in parts.items()}
    references = [(name, places[f"reference {name}"]) for name in files.references]
    systems = [(name, places[f"system {name}"]) for name in files.systems]
    lines = zip_longest(*readers.values(), fillvalue=UNREAD)
    for index, texts in enumerate(lines, start=1):
        if UNREAD in texts and _are_surplus(readers.values(), index):
            continue
        yield Row(
            parse_id(texts[places["document"]]) if "document" in places else None,
            texts[places["source"]],
            {name: texts[place] for name, place in references},
            {name: texts[place] for name, place in systems},
            source.file,
            source.skipped + index,
            elsewhere=elsewhere,
        )
    _check_lengths(list(readers.values()), log)


def _are_surplus(readers: Iterable[_Reader], index: int) -> bool:
    """Tell whether half of the files have ended before a line: what others have there is a fault of their length."""
    counts = [reader.count for reader in readers if reader.count]
    return 2 * sum(count < index for count in counts) >= len(counts)


def _check_lengths(readers: Sequence[_Reader], log: StreamLog) -> None:
    """Note a fault (E008) for each file that could be read and is longer or shorter than most."""
    counted = [one for one in readers if one.count and not any(log.has(code, one.file) for code in UNREADABLE)]
    counts = [one.count for one in counted]
    usual = max(counts, key=counts.count, default=0)
    for one in counted:
        if one.count != usual:
            others = ", ".join(other.file for other in counted if other.count == usual)
            log.add("E008", f"{one.count} lines, but {usual} in {others}", _length_advice(one, usual), one.file)


def _length_advice(reader: _Reader, usual: int) -> str:
    surplus = reader.count - usual
    if 0 < surplus <= reader.blank:
        what = "line is empty" if surplus == 1 else f"{surplus} lines are empty"
        return f"its last {what}: delete {'it' if surplus == 1 else 'them'}"
    return "every file needs one line a segment; look for a segment that was split, joined or left out"


def wmt_rows(
    directory: PathLike, languages: tuple[str, str], references: Names, systems: Names, log: StreamLog
) -> Iterator[Row]:
    """Yield the rows of a directory in the layout of WMT and mt-metrics-eval.

    For the pair ``en-de``: ``sources/en-de.txt``, ``documents/en-de.docs`` (domain, tab, document id),
    ``references/en-de.NAME.txt`` and ``system-outputs/en-de/NAME.txt``, each plain or gzipped. Canary lines at the
    top of a file are skipped. Files of references and systems that are not wanted are not opened. A missing part is a
    fault (E020).
    """
    root, pair = Path(directory), "-".join(languages)
    source = _one(root, f"sources/{pair}.txt", log)
    documents = _one(root, f"documents/{pair}.docs", log)
    reference_files = _named(root / "references", f"{pair}.", "E012", log)
    system_files = _named(root / "system-outputs" / pair, "", "E011", log)
    if source is None or documents is None:
        return
    files = Files(
        source,
        documents,
        select(reference_files, references, "reference", log),
        select(system_files, systems, "system", log),
    )
    yield from parallel_rows(files, log, lambda line: line.split("\t", 1)[-1], canaries=True)


def text_rows(directory: PathLike, references: Names, systems: Names, log: StreamLog) -> Iterator[Row]:
    """Yield the rows of a directory: ``source.txt``, ``documents.txt``, ``references/NAME.txt``, ``systems/NAME.txt``.

    Each file may be gzipped, and ``documents.txt`` may be absent; a missing source is a fault (E020).
    """
    root = Path(directory)
    source = _one(root, "source.txt", log)
    reference_files = _named(root / "references", "", "E012", log)
    system_files = _named(root / "systems", "", "E011", log)
    if source is None:
        return
    files = Files(
        source,
        _one(root, "documents.txt", None),
        select(reference_files, references, "reference", log),
        select(system_files, systems, "system", log),
    )
    yield from parallel_rows(files, log)


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
