"""Sentences labelled for ellipsis: from a table, or from the Penn Treebank's brackets, where ``*?*`` is its mark."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import display_name, each_line
from endophora.phenomena.ellipsis_trees import CODE, Tree, read_trees

TREES = (".mrg", ".parse")
"""How files of brackets are called in treebanks' folders and archives."""

MARK = "*?*"
"""The null element of ellipsis (Bies et al. 1995; Fernandes et al. 2023, appendix C.4)."""

_NULL = "-NONE-"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]", "``": "“", "''": "”"}
_LABELS = {"0": False, "1": True}
_NAMES = {"elliptical": "label", "text": "sentence"}
_HEADER = "write a header with the columns label and sentence, and perhaps document and kind, tab-separated"


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and whether it is elliptical.

    Attributes:
        kind: the kind of ellipsis, or what makes a sentence without one hard.
        document: the document or file that it is of; sentences of one document are never parted.
    """

    text: str
    elliptical: bool
    kind: str
    document: str = ""


def read_labelled(paths: Sequence[Path]) -> list[Example]:
    """Read labelled sentences from files, folders and archives; all faults of all files are told at once.

    Args:
        paths: tables (``.tsv``, ``.tsv.gz``), files of Penn Treebank brackets, folders of such files (``.mrg``,
            ``.parse``), or zip archives of them.

    Returns:
        The sentences in the order of the files; those of a folder or archive by name.

    Raises:
        InputError: with all faults: a file cannot be read (E001–E007), its brackets are wrong or an archive or
            folder has no trees (E250), or a table is not in its form (E251).
    """
    log = FaultLog()
    examples: list[Example] = []
    for path in paths:
        if path.is_dir():
            examples.extend(_read_folder(path, log))
        elif path.suffix == ".zip":
            examples.extend(_read_archive(path, log))
        elif path.name.endswith((".tsv", ".tsv.gz")):
            examples.extend(_read_table(path, log))
        else:
            examples.extend(_examples(read_trees(each_line(path, log), display_name(path), log), path.name))
    log.check()
    return examples


def write_labelled(examples: Iterable[Example], path: Path) -> None:
    """Write labelled sentences as a table that :func:`read_labelled` reads.

    Args:
        examples: the sentences; their texts, kinds and documents have no tabs and line ends.

    Raises:
        ValueError: a text, kind or document has a tab or a line end.
    """
    rows = [("label", "sentence", "document", "kind")]
    rows += [(str(int(each.elliptical)), each.text, each.document, each.kind) for each in examples]
    for row in rows:
        if any(mark in field for field in row for mark in "\t\n\r"):
            raise ValueError(f"a tab or a line end in {row}")
    path.write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8", newline="\n")


def example_of(tree: Tree, document: str) -> Example | None:
    """Return the sentence of a tree, elliptical if it has the null element ``*?*``; ``None`` if it has no words."""
    leaves = list(tree.leaves())
    words = [_BRACKETS.get(word, word) for label, word in leaves if label != _NULL]
    elliptical = any(label == _NULL and word.startswith(MARK) for label, word in leaves)
    return Example(_detokenised(words), elliptical, "treebank", document) if words else None


def _read_folder(path: Path, log: FaultLog) -> Iterator[Example]:
    found = sorted(file for file in path.rglob("*") if file.suffix in TREES)
    if not found:
        log.add(CODE, f"no file {' or '.join(TREES)} in it", "name a folder of a treebank, or a file", str(path))
    for file in found:
        trees = read_trees(each_line(file, log), str(file), log)
        yield from _examples(trees, file.relative_to(path).as_posix())


def _read_archive(path: Path, log: FaultLog) -> Iterator[Example]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(TREES))
            for name in names:
                text = _decoded(archive.read(name))
                yield from _examples(read_trees(enumerate(text.split("\n"), start=1), f"{path}/{name}", log), name)
        if not names:
            log.add(CODE, f"no file {' or '.join(TREES)} in it", "name a treebank's archive", str(path))
    except FileNotFoundError:
        log.add("E001", "no such file", "check the path", str(path))
    except OSError as error:
        log.add("E003", f"cannot be read ({error.strerror or error})", "check its permissions", str(path))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, zlib.error) as error:
        # An encrypted archive is a RuntimeError, an unknown compression a NotImplementedError.
        log.add(CODE, f"no readable zip archive ({error})", "unpack it and name the folder", str(path))


def _decoded(data: bytes) -> str:
    """Return the text of a member: treebanks are ASCII or UTF-8; older ones Latin-1."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _examples(trees: Iterable[tuple[int, Tree]], document: str) -> Iterator[Example]:
    for _, tree in trees:
        if (example := example_of(tree, document)) is not None:
            yield example


def _read_table(path: Path, log: FaultLog) -> Iterator[Example]:
    file = display_name(path)
    lines = each_line(path, log)
    _, header = next(lines, (1, None))
    if header is None:
        return
    names = [_NAMES.get(name, name) for name in header.split("\t")]
    if missing := [name for name in ("label", "sentence") if names.count(name) != 1]:
        cause = f"the header has not one column “{'” and one “'.join(missing)}”; it has {', '.join(names)}"
        log.add("E251", cause, _HEADER, file, 1)
        return
    for number, text in lines:
        if text is None:
            continue
        fields = text.split("\t")
        if len(fields) != len(names):
            advice = "a text may hold no tab" if text else "the line is empty: delete it"
            log.add("E251", f"{len(fields)} fields where the header has {len(names)}", advice, file, number)
            continue
        row = dict(zip(names, fields, strict=True))
        if row["label"] not in _LABELS:
            log.add("E251", f"the label is “{row['label']}”", "1 is elliptical, 0 is not", file, number)
        if not row["sentence"].strip():
            log.add("E251", "the sentence is empty", "write it, or delete the line", file, number)
        elliptical = _LABELS.get(row["label"], False)
        yield Example(row["sentence"], elliptical, row.get("kind", ""), row.get("document") or f"{path.name}:{number}")


def _detokenised(words: Iterable[str]) -> str:
    text = " ".join(words)
    text = re.sub(r" ([.,;:?!%)”]|n't\b|'(?:s|re|ve|ll|d|m)?(?!\S))", r"\1", text)
    return re.sub(r"([($“]) ", r"\1", text)
