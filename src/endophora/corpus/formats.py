"""The file formats by name, and the reader that recognises them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from endophora.corpus.directories import read_text, read_wmt, wmt_pairs, write_text, write_wmt
from endophora.corpus.jsonl import read_jsonl, write_jsonl
from endophora.corpus.lines import STDIN, PathLike
from endophora.corpus.records import Corpus
from endophora.corpus.tsv import read_tsv, write_tsv
from endophora.errors import Fault, InputError
from endophora.registry import Registry


class Reader(Protocol):
    """Reads a corpus from one path."""

    def __call__(
        self,
        path: PathLike,
        /,
        languages: tuple[str, str],
        references: Sequence[str] | None,
        systems: Sequence[str] | None,
    ) -> Corpus:
        """Read a corpus; ``references`` and ``systems`` name those to keep, ``None`` keeps all."""
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """A file format.

    Attributes:
        description: what it is, in one line.
        recognises: tells from a path whether it is of this format.
        read: the reader.
        write: the writer; takes a corpus and a path.
        pairs: returns the language pairs that a path names, for formats that say so in their file names.
    """

    description: str
    recognises: Callable[[Path], bool]
    read: Reader
    write: Callable[[Corpus, PathLike], None]
    pairs: Callable[[PathLike], list[tuple[str, str]]] = lambda path: []  # noqa: ARG005


def _has_suffix(suffix: str) -> Callable[[Path], bool]:
    return lambda path: path.name.removesuffix(".gz").endswith(suffix)


FORMATS: Registry[Format] = Registry(
    "format",
    {
        "jsonl": Format("JSON Lines, one segment a line", _has_suffix(".jsonl"), read_jsonl, write_jsonl),
        "tsv": Format("tab-separated values with a header", _has_suffix(".tsv"), read_tsv, write_tsv),
        "wmt": Format(
            "directory in the layout of WMT and mt-metrics-eval",
            lambda path: (path / "sources").is_dir(),
            read_wmt,
            write_wmt,
            wmt_pairs,
        ),
        "text": Format(
            "directory of plain text, one segment a line",
            lambda path: any((path / name).exists() for name in ("source.txt", "source.txt.gz")),
            read_text,
            write_text,
        ),
    },
    check=lambda thing: isinstance(thing, Format),
)


def read_corpus(
    path: PathLike,
    format: str | None = None,
    languages: tuple[str, str] | None = None,
    references: Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
) -> Corpus:
    """Read a corpus from one file or directory.

    Args:
        path: the file or directory; ``-`` is standard input, which needs ``format``.
        format: a name in :data:`FORMATS`; by default the first that recognises the path.
        languages: ISO 639-1 codes of source and target; may be left out where the path tells them.
        references: names of the references to keep; all by default.
        systems: names of the systems to keep; all by default.

    Raises:
        InputError: the format is not recognised (E015) or the languages are not known (E014), or what the reader finds.
    """
    form = FORMATS.get(format or _recognise(path))
    return form.read(path, languages or _languages(form, path), references, systems)


def _recognise(path: PathLike) -> str:
    if str(path) == STDIN:
        raise InputError(
            Fault("E015", "the format of standard input is not known", "say it: --input-format jsonl", "<stdin>")
        )
    if not Path(path).exists():
        raise InputError(Fault("E001", "no such file or directory", "check the path", str(path)))
    for name in FORMATS:
        if FORMATS.get(name).recognises(Path(path)):
            return name
    advice = f"say --input-format ({', '.join(FORMATS)}); for plain text: --source, --reference, --documents"
    raise InputError(Fault("E015", "the format is not recognised", advice, str(path)))


def _languages(form: Format, path: PathLike) -> tuple[str, str]:
    pairs = form.pairs(path)
    if len(pairs) == 1:
        return pairs[0]
    known = f"; there are: {', '.join('-'.join(pair) for pair in pairs)}" if pairs else ""
    raise InputError(Fault("E014", f"the languages are not known{known}", "say them: --languages en-de", str(path)))
