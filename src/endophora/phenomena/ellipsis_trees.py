"""Bracketed trees as in the Penn Treebank, one bracket a constituent: ``( (S (NP (PRP She)) (VP (MD will))))``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from endophora.corpus.faults import FaultLog

CODE = "E250"
"""The code of all faults of bracketed text."""

_PARTS = re.compile(r"[()]|[^\s()]+")
_COMMENTS = ("*x*", "@")
_WHOLE = "is the file whole, and in the brackets of the Penn Treebank?"


@dataclass(frozen=True, slots=True)
class Tree:
    """A constituent, or a word under its tag.

    Attributes:
        label: of the constituent, or the word's tag; the outermost bracket of a sentence may have none.
        children: what the constituent consists of; none of a word.
        word: the word; empty of a constituent.
    """

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
    """Read trees.

    As in the treebank, lines outside of brackets that begin with ``*x*`` or ``@`` are comments, and an outermost
    bracket with one word alone, as ``(END_OF_TEXT_UNIT)``, is a mark and no sentence.

    Args:
        lines: number, from 1, and text of each line; ``None`` is passed over.
        log: takes the faults (E250).
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
                log.add(CODE, f"“{part}” stands beside a word or a bracket", "a word has a bracket alone", file, number)
        if stray:
            log.add(CODE, "text or a closing bracket outside of all brackets", _WHOLE, file, number)
    if stack:
        log.add(CODE, "a bracket that is never closed", _WHOLE, file, stack[0].line)
    return trees


def _take(node: _Open, part: str) -> bool:
    """Take a word as label or as word; tell whether there is a place for it."""
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
        log.add(CODE, f"nothing stands under “{tree.label}”", _WHOLE, file, node.line)
    elif stack and stack[-1].word:
        log.add(CODE, f"a bracket beside the word “{stack[-1].word}”", "a word has a bracket alone", file, node.line)
    elif stack:
        outer = stack[-1]
        outer.label = outer.label or ""
        outer.children.append(tree)
    elif not empty:
        trees.append((node.line, tree))
