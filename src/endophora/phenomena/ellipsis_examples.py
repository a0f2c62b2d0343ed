"""Sentences with and without an ellipsis, and the trees of treebanks that they are read from."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import display_name, each_line

_CODE = "E250"  # of all faults of bracketed text
_PARTS = re.compile(r"[()]|[^\s()]+")
_COMMENTS = ("*x*", "@")
_WHOLE = "is the file whole, and in the brackets of the Penn Treebank?"


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent, or a word under its tag; the outermost bracket of a sentence may have no label."""

    label: str
    children: tuple[Tree, ...] = ()
    word: str = ""

    def leaves(self) -> Iterator[tuple[str, str]]:
        """Iterate over tag and word of each word, from left to right."""
        ahead: list[Tree] = [self]
        while ahead:
            tree = ahead.pop()
            if tree.word:
                yield tree.label, tree.word
            ahead.extend(reversed(tree.children))

    def __str__(self) -> str:
        """Return the tree in brackets, on one line."""
        inner = self.word or " ".join(map(str, self.children))
        return f"({self.label} {inner})"


@dataclass(slots=True)
class _Open:
    """A bracket that is not closed yet."""

    line: int
    label: str | None = None
    children: list[Tree] = field(default_factory=list[Tree])
    word: str = ""


def read_trees(lines: Iterable[tuple[int, str | None]], file: str, log: FaultLog) -> list[tuple[int, Tree]]:
    """Read trees from numbered lines; faults (E250) go into the log.

    As in the treebank, lines outside of brackets that begin with ``*x*`` or ``@`` are comments, and an outermost
    bracket with one word alone, as ``(END_OF_TEXT_UNIT)``, is a mark and no sentence.
    """
    stack: list[_Open] = []
    trees: list[tuple[int, Tree]] = []
    for number, text in lines:
        if text is None or (not stack and text.startswith(_COMMENTS)):
            continue
        stray = False
        for part in _PARTS.findall(text):
            if part == "(":
                stack.append(_Open(number))
            elif not stack:
                stray = True
            elif part == ")":
                _close(stack, trees, file, log)
            elif not _take(stack[-1], part):
                log.add(
                    _CODE, f"“{part}” stands next to a word or a bracket", "a word has a bracket alone", file, number
                )
        if stray:
            log.add(_CODE, "text or a closing bracket outside of all brackets", _WHOLE, file, number)
    if stack:
        log.add(_CODE, "a bracket that is never closed", _WHOLE, file, stack[0].line)
    return trees


def _take(node: _Open, part: str) -> bool:
    """Take a word as label or as word; return whether there is a place for it."""
    if node.children or node.word:
        return False
    if node.label is None:
        node.label = part
    else:
        node.word = part
    return True


def _close(stack: list[_Open], trees: list[tuple[int, Tree]], file: str, log: FaultLog) -> None:
    """Close the innermost bracket: it belongs to the one around it, or is a sentence."""
    node = stack.pop()
    tree = Tree(node.label or "", tuple(node.children), node.word)
    empty = not (node.children or node.word)
    if empty and (stack or node.label is None):
        log.add(_CODE, f"nothing stands under “{tree.label}”", _WHOLE, file, node.line)
    elif stack and stack[-1].word:
        log.add(_CODE, f"a bracket next to the word “{stack[-1].word}”", "a word has a bracket alone", file, node.line)
    elif stack:
        outer = stack[-1]
        outer.label = outer.label or ""
        outer.children.append(tree)
    elif not empty:
        trees.append((node.line, tree))


# How files of brackets are called in treebanks' folders and archives.
_TREES = (".mrg", ".parse")
# The null element of ellipsis (Bies et al. 1995; Fernandes et al. 2023, appendix C.4).
_MARK = "*?*"
_NULL = "-NONE-"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]", "``": "“", "''": "”"}
_LABELS = {"0": False, "1": True}
_NAMES = {"elliptical": "label", "text": "sentence"}
_HEADER = "write a header with the columns label and sentence, and perhaps document and kind, tab-separated"


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence and whether it is elliptical.

    ``kind`` is that of the ellipsis, or what makes a sentence without one hard; sentences of one ``document``, or file,
    are never parted.
    """

    text: str
    elliptical: bool
    kind: str
    document: str = ""


def read_labelled(paths: Sequence[Path]) -> list[Example]:
    """Read labelled sentences; all faults of all files are raised at once (E001–E007, E250, E251).

    A path is a table (``.tsv``, ``.tsv.gz``), a file of Penn Treebank brackets, a folder of such files (``.mrg``,
    ``.parse``), or a zip archive of them.
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


def example_of(tree: Tree, document: str) -> Example | None:
    """Return the sentence of a tree, elliptical if it has the null element ``*?*``; ``None`` if it has no words."""
    leaves = list(tree.leaves())
    words = [_BRACKETS.get(word, word) for label, word in leaves if label != _NULL]
    elliptical = any(label == _NULL and word.startswith(_MARK) for label, word in leaves)
    text = re.sub(r" ([.,;:?!%)”]|n't\b|'(?:s|re|ve|ll|d|m)?(?!\S))", r"\1", " ".join(words))
    return Example(re.sub(r"([($“]) ", r"\1", text), elliptical, "treebank", document) if words else None


def _read_folder(path: Path, log: FaultLog) -> Iterator[Example]:
    found = sorted(file for file in path.rglob("*") if file.suffix in _TREES)
    if not found:
        log.add(_CODE, f"no file {' or '.join(_TREES)} in it", "name a folder of a treebank, or a file", str(path))
    for file in found:
        trees = read_trees(each_line(file, log), str(file), log)
        yield from _examples(trees, file.relative_to(path).as_posix())


def _read_archive(path: Path, log: FaultLog) -> Iterator[Example]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(_TREES))
            for name in names:
                data = archive.read(name)
                try:
                    text = data.decode("utf-8-sig")
                except UnicodeDecodeError:
                    text = data.decode("latin-1")  # older treebanks that are not ASCII
                yield from _examples(read_trees(enumerate(text.split("\n"), start=1), f"{path}/{name}", log), name)
        if not names:
            log.add(_CODE, f"no file {' or '.join(_TREES)} in it", "name a treebank's archive", str(path))
    except FileNotFoundError:
        log.add("E001", "no such file", "check the path", str(path))
    except OSError as error:
        log.add("E003", f"cannot be read ({error.strerror or error})", "check its permissions", str(path))
    except (zipfile.BadZipFile, RuntimeError, EOFError, zlib.error) as error:
        # The zip library raises a RuntimeError for an encrypted archive and, as a subclass, for an unknown compression.
        log.add(_CODE, f"no readable zip archive ({error})", "unpack it and name the folder", str(path))


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
