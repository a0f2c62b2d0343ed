"""Plain text, one segment a line: files that are parallel, a directory of them, and the layout of WMT.

What is clearly no plain text (subtitles, markup, tables) is recognised by its first lines: it is not read as segments.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from pathlib import Path
from typing import NamedTuple, TypeVar

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import (
    STDIN,
    UNREADABLE,
    Lines,
    PathLike,
    display_name,
    each_line,
    fetched,
    is_canary,
    is_remote,
    read_lines,
)
from endophora.corpus.records import Corpus
from endophora.corpus.streams import UNREAD, Names, ReadOptions, Row
from endophora.corpus.writing import check_no_canary, check_writable, rows, write_lines
from endophora.errors import Fault, InputError

HEAD = 200
"""How many lines from the top are looked at to see what a file is."""

_TIME = re.compile(r"\s*(\d+:)?\d\d:\d\d[,.]\d{3} --> (\d+:)?\d\d:\d\d[,.]\d{3}(\s.*)?$")
_MARKUP = re.compile(r"\s*<(\?xml|!DOCTYPE|html|tmx|xliff|mteval|srcset|refset|tstset|dataset|text|body|tt)[\s>]", re.I)
_SETS = ("mteval", "srcset", "refset", "tstset")
_FORMS = {"tmx": "TMX", "xliff": "XLIFF", "html": "HTML", **dict.fromkeys(_SETS, "SGML")}
_INPUT = "give it with --input FILE"
_PAIR = "name all files so, .srt or .vtt: their times pair them"
_EXPORT = "extract its text first: one segment a line, the same number of lines in every file"
_SEPARATORS = (
    ("\t", "tab-separated values", "give it with --input FILE --input-format tsv, or take one column: cut -f 1"),
    (",", "comma-separated values", f"{_INPUT} --input-format csv"),
    (";", "semicolon-separated values", f"{_INPUT} --input-format csv"),
)
_COLUMNS = re.compile(
    r"\"?(id|source|target|reference|translation|document|segment|text|src|tgt|ref|hyp|output|system|doc)\w*\"?", re.I
)

_PACKED = re.compile(r"\.(gz|zst)$")

T = TypeVar("T")


def parse_named(text: PathLike) -> tuple[str, PathLike]:
    """Return name and path of ``NAME=FILE``; without a name, it is the file's name less ``.gz`` and one more suffix.

    A text that is as a whole the path of a file is that file, equals sign or not.
    """
    name, sign, path = str(text).partition("=")
    if sign and name and not Path(text).exists() and not is_remote(name):
        return name, fetched(path)
    stem = Path(_PACKED.sub("", str(text))).stem
    return "stdin" if str(text) == STDIN else stem, fetched(str(text))


def unique_files(texts: Iterable[PathLike], code: str, kind: str, log: FaultLog) -> dict[str, PathLike]:
    """Return name → path of ``NAME=FILE``; a name that is there twice is a fault with the code given."""
    files: dict[str, PathLike] = {}
    for name, path in map(parse_named, texts):
        if name in files:
            cause = f"two files for {kind} “{name}”: {files[name]} and {path}"
            log.add(code, cause, "name them apart: NAME=FILE", display_name(path))
        files.setdefault(name, path)
    return files


def select(named: Mapping[str, T], names: Names, kind: str, log: FaultLog) -> dict[str, T]:
    """Return what has the names that the user asked for, in that order, or all; an unknown name is a fault (E024)."""
    if names is None:
        return dict(named)
    for name in names:
        if name not in named:
            near = difflib.get_close_matches(name, named, n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are: {', '.join(named) or 'none'}"
            hint += "; a file is given as NAME=FILE" if kind == "system" else ""
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


class _LineReader:
    """Reads a file, and counts its lines and those of them that are blank at its end."""

    def __init__(self, path: PathLike, log: FaultLog, *, plain: bool, canaries: bool) -> None:
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
    files: Files, log: FaultLog, parse_id: Callable[[str], str] = lambda text: text, *, canaries: bool = False
) -> Iterator[Row]:
    """Yield the rows of files that are parallel line by line; ``canaries`` leaves out such lines at their tops.

    Faults: E001–E007, standard input twice (E021), files of different length (E008), no plain text (E385).
    """
    parts = files.parts()
    paths = dict.fromkeys(map(str, parts.values()))
    if (times := [str(path) for path in parts.values()].count(STDIN)) > 1:
        log.add("E021", f"standard input is named {times} times", "give all but one as files", "<stdin>")
        return
    plain = {str(path) for part, path in parts.items() if part != "document"}
    readers = {path: _LineReader(path, log, plain=path in plain, canaries=canaries) for path in paths}
    if log.has("E385"):
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
    outputs = {display_name(path) for path in files.systems.values()}
    _check_lengths(list(readers.values()), log, outputs)


def _are_surplus(readers: Iterable[_LineReader], index: int) -> bool:
    """Return whether half of the files have ended before a line: what others have there is a fault of their length."""
    counts = [reader.count for reader in readers if reader.count]
    return 2 * sum(count < index for count in counts) >= len(counts)


def _check_lengths(readers: Sequence[_LineReader], log: FaultLog, outputs: Container[str]) -> None:
    """Note a fault (E008) for each file that could be read and is longer or shorter than most."""
    counted = [one for one in readers if one.count and not any(log.has(code, one.file) for code in UNREADABLE)]
    counts = [one.count for one in counted]
    usual = max(counts, key=counts.count, default=0)
    for one in counted:
        if one.count != usual:
            others = ", ".join(other.file for other in counted if other.count == usual)
            log.add(
                "E008",
                f"{one.count} lines, but {usual} in {others}",
                _length_advice(one, usual, one.file in outputs),
                one.file,
            )


def _length_advice(reader: _LineReader, usual: int, output: bool) -> str:
    surplus = reader.count - usual
    if 0 < surplus <= reader.blank:
        what = "line is empty" if surplus == 1 else f"{surplus} lines are empty"
        return f"its last {what}: delete {'it' if surplus == 1 else 'them'}"
    advice = "every file needs one line a segment; look for a segment that was split, joined or left out"
    return f"{advice}; or cut it again: --system NAME=FILE --resegment" if output else advice


class _Layout(NamedTuple):
    """Where the files of a directory lie: references and systems under a prefix, before ``NAME.txt``."""

    source: str
    documents: str
    references: str
    systems: str


_TEXT = _Layout("source.txt", "documents.txt", "references/", "systems/")


def _wmt(pair: str) -> _Layout:
    return _Layout(f"sources/{pair}.txt", f"documents/{pair}.docs", f"references/{pair}.", f"system-outputs/{pair}/")


def wmt_rows(directory: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a directory in the layout of WMT and mt-metrics-eval, plain or gzipped, without canary lines.

    A line of ``documents`` is domain, tab, document id. References and systems that are not wanted are not opened. A
    missing part is a fault (E020).
    """
    if files := _find(Path(directory), _wmt("-".join(options.languages)), options, log):
        yield from parallel_rows(files, log, lambda line: line.split("\t", 1)[-1], canaries=True)


def text_rows(directory: PathLike, options: ReadOptions, log: FaultLog) -> Iterator[Row]:
    """Yield the rows of a directory of plain or gzipped text; the document ids may be absent (E020: the source is)."""
    if files := _find(Path(directory), _TEXT, options, log, ids=False):
        yield from parallel_rows(files, log)


def _find(root: Path, layout: _Layout, options: ReadOptions, log: FaultLog, *, ids: bool = True) -> Files | None:
    """Return the files of a directory; a fault (E020) if there is no source, or no ids though ``ids`` are needed."""
    source, documents = (packed_or_not(root / name) for name in (layout.source, layout.documents))
    wanted = [(layout.source, source), (layout.documents, documents)]
    missing = [name for name, path in wanted[: 1 + ids] if path is None]
    for name in missing:
        there = sorted(path.name for path in (root / name).parent.glob("*"))[:10]
        known = f"there are: {', '.join(there)}" if there else "the directory is empty or absent"
        log.add("E020", f"{name} is missing; {known}", "docs/formats.md describes the layout", str(root))
    references = _named(root, layout.references, "E012", log)
    systems = _named(root, layout.systems, "E011", log)
    if source is None or missing:
        return None
    return Files(
        source,
        documents,
        select(references, options.references, "reference", log),
        select(systems, options.systems, "system", log),
    )


def wmt_pairs(directory: PathLike) -> list[tuple[str, str]]:
    """Return the language pairs of a WMT directory."""
    names = sorted(_PACKED.sub("", path.name) for path in Path(directory).glob("sources/*-*.txt*"))
    pairs = [name.removesuffix(".txt").partition("-") for name in dict.fromkeys(names)]
    return [(source, target) for source, _, target in pairs]


def packed_or_not(path: Path) -> Path | None:
    """Return the path of a file that is there as it is, gzipped or packed by zstd."""
    names = (f"{path.name}{suffix}" for suffix in ("", ".gz", ".zst"))
    return next((one for name in names if (one := path.with_name(name)).exists()), None)


def _named(root: Path, before: str, code: str, log: FaultLog) -> dict[str, Path]:
    """Return the text files whose paths begin with ``before``, by the rest of their names."""
    folder, _, prefix = before.rpartition("/")
    files: dict[str, Path] = {}
    for path in sorted((root / folder).glob("*")):
        name = _PACKED.sub("", path.name)
        if not name.startswith(prefix) or not name.endswith(".txt"):
            continue
        short = name[len(prefix) : -len(".txt")]
        if short in files:
            log.add(code, f"“{short}” is there twice: {files[short].name} and {path.name}", "remove one", str(path))
        files.setdefault(short, path)
    return files


def write_wmt(corpus: Corpus, directory: PathLike) -> None:
    """Write a corpus in the layout of WMT (E022, E026); the domain of every document is ``text``."""
    check_writable(corpus, "WMT", forbidden="\n", in_names="/")
    check_no_canary(corpus, "WMT")
    _write(corpus, Path(directory), _wmt(f"{corpus.source_language}-{corpus.target_language}"), "text\t")


def write_text(corpus: Corpus, directory: PathLike) -> None:
    """Write a corpus as a directory of plain text (E022, E026)."""
    check_writable(corpus, "plain text", forbidden="\n", in_names="/")
    _write(corpus, Path(directory), _TEXT, "")


def _write(corpus: Corpus, root: Path, layout: _Layout, id_prefix: str) -> None:
    """Write the document ids and each column of texts to its file."""
    names = [f"{layout.references}{name}.txt" for name in corpus.references]
    names += [f"{layout.systems}{name}.txt" for name in corpus.systems]
    paths = [root / name for name in (layout.documents, layout.source, *names)]
    table = list(rows(corpus))
    for directory in dict.fromkeys(path.parent for path in paths):
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            cause = f"the directory cannot be made ({error.strerror or error})"
            raise InputError(Fault("E026", cause, "name another directory", str(directory))) from error
    for index, path in enumerate(paths):
        write_lines(path, (row[index] if index else id_prefix + row[0] for row in table))


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a file is instead of plain text, the index of the line that shows it, and what to do."""

    form: str
    index: int
    advice: str


def check_plain(lines: Sequence[str], file: str, log: FaultLog) -> None:
    """Note a fault (E385) if lines are clearly no plain text."""
    if found := recognise(lines):
        shown = lines[found.index].strip()[:60]
        log.add("E385", f"this is {found.form}, no plain text: “{shown}”", found.advice, file, found.index + 1)


def plain_lines(path: PathLike, count: int, beside: str, log: FaultLog) -> Lines:
    """Return the lines of a plain text of a corpus that is in another file (E385), one for each segment (E008)."""
    lines = read_lines(path, log)
    check_plain(lines.texts, lines.file, log)
    if lines.readable and not log.has("E385", lines.file) and len(lines.texts) != count:
        cause = f"{len(lines.texts)} lines, but {count} segments in {beside}"
        log.add("E008", cause, f"every segment needs one line, in the order of {beside}", lines.file)
    return lines


def _subtitles(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    first = head[filled[0]].strip()
    if first == "[Script Info]":
        return Recognised("ASS subtitles", filled[0], _EXPORT)
    times = [index for index in filled if _TIME.match(head[index])]
    if times and first.startswith("WEBVTT"):
        return Recognised("VTT subtitles", filled[0], _PAIR)
    numbered = [index for index in times if index and head[index - 1].strip().isdecimal()]
    if numbered and (len(numbered) > 1 or numbered[0] == filled[0] + 1):
        return Recognised("SRT subtitles", numbered[0], _PAIR)
    return None


def _markup(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    if not (begun := _MARKUP.match(head[filled[0]])):
        return None
    tagged = sum(head[index].lstrip().startswith("<") for index in filled)
    # A text about XML may begin so; its other lines do not.
    if tagged < 0.5 * len(filled) and not head[filled[-1]].rstrip().endswith(">"):
        return None
    if len(filled) == 1 and not re.search(r"</\w+>\s*$", head[filled[0]]):
        return None
    start = " ".join(head[index] for index in filled[:20]).lower()
    form = next((form for tag, form in _FORMS.items() if f"<{tag}" in start), "")
    advice = f"{_INPUT} --input-format {form.lower()}" if form in ("TMX", "XLIFF") else _EXPORT
    advice = "name the files so: .sgm" if form == "SGML" else advice
    return Recognised(form or ("XML" if begun[1].lower() != "!doctype" else "HTML"), filled[0], advice)


def _messages(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    begun = [index for index in filled if re.match(r'msgid\s+"', head[index])]
    answered = any(re.match(r'msgstr(\[\d\])?\s+"', head[index]) for index in filled)
    return Recognised("a PO file", begun[0], f"{_INPUT} --input-format po") if begun and answered else None


def _objects(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    first = head[filled[0]].strip()
    if not first.startswith(("{", "[")):
        return None
    if all(_is_record(head[index]) for index in filled[:5]):
        return Recognised("JSON Lines", filled[0], "give it with --input FILE --input-format jsonl")
    second = head[filled[1]].strip() if len(filled) > 1 else ""
    if first in ("{", "[") and second.startswith(('"', "{", "[")):
        return Recognised("JSON", filled[0], _EXPORT)
    return None


def _is_record(text: str) -> bool:
    if not text.lstrip().startswith(("{", "[{")):
        return False
    try:
        return bool(json.loads(text))
    except (ValueError, RecursionError):
        return False


def _table(head: Sequence[str], filled: Sequence[int]) -> Recognised | None:
    first = head[filled[0]]
    for separator, form, advice in _SEPARATORS:
        names = first.split(separator)
        if len(names) > 1 and all(_COLUMNS.fullmatch(name.strip()) for name in names):
            return Recognised(form, filled[0], advice)
    tabs = {head[index].count("\t") for index in filled[:20]}
    if len(filled) >= 3 and len(tabs) == 1 and tabs != {0}:
        return Recognised("tab-separated values", filled[0], _SEPARATORS[0][2])
    return None


def recognise(lines: Sequence[str]) -> Recognised | None:
    """Return what lines are, if they are clearly no plain text of one segment a line.

    A tag, a time or a brace in a text is text: markup has to begin the file, and structure has to repeat.
    """
    head = lines[:HEAD]
    filled = [index for index, line in enumerate(head) if line.strip()]
    if not filled:
        return None
    checks = (_subtitles, _markup, _messages, _objects, _table)
    return next((found for check in checks if (found := check(head, filled))), None)
