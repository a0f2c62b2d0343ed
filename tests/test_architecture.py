"""The architecture, held from the first day: rooms, sizes, documentation, and no language data in code."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from endophora.provenance import ROOMS

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "src" / "endophora"
FOUNDATION = (
    "errors",
    "files",
    "record",
    "registry",
    "version",
    "provenance",
    "signature",
    "options",
    "store",
    "data",
    "process",
    "stopping",
)
MODULES = sorted(PACKAGE.rglob("*.py"))
IDENTIFIERS = [str(path.relative_to(PACKAGE)) for path in MODULES]
ALL = [*MODULES, *sorted((REPOSITORY / "makers" / "src").rglob("*.py"))]
"""The package and what makes its models, which is a distribution of its own."""
NAMES = [str(path.relative_to(REPOSITORY)) for path in ALL]


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module: each test looks at some."""
    return tuple(ast.walk(tree))


def _room(dotted: str) -> str | None:
    parts = dotted.split(".")
    return parts[1] if len(parts) > 1 and parts[0] == "endophora" else None


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in _nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            # ``from endophora import corpus`` names a room as well.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _lazy_names(tree: ast.Module) -> Iterator[str]:
    for node in _nodes(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and re.match(r"endophora\.[\w.]+:\w+$", node.value)
        ):
            yield node.value.partition(":")[0]


def _definitions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    for node in _nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node


@pytest.mark.parametrize("path", MODULES, ids=IDENTIFIERS)
def test_imports_go_down_the_list_of_rooms_only(path: Path):
    room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    tree = _tree(path)
    names = (*_imports(tree), *_lazy_names(tree))
    assert not any(name.startswith("endophora_makers") for name in names), "users do not have the makers' tools"
    used = {other for name in names if (other := _room(name)) and other != room}
    if room == "__main__":
        assert used == {"cli"}
        return
    if room == "__init__":
        used -= {"version", "__version__"}
        assert used <= {*FOUNDATION, *ROOMS}
        return
    allowed = set(FOUNDATION) if room in FOUNDATION else {*FOUNDATION, *ROOMS[: ROOMS.index(room)]}
    assert used <= allowed | {"__version__"}, f"{room} may not import {sorted(used - allowed)}"


@pytest.mark.parametrize("path", ALL, ids=NAMES)
def test_modules_and_functions_stay_small(path: Path):
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 500
    for node in _definitions(_tree(path)):
        if not isinstance(node, ast.ClassDef):
            assert node.end_lineno - node.lineno + 1 <= 80, node.name


@pytest.mark.parametrize("path", MODULES, ids=IDENTIFIERS)
def test_functions_take_no_more_than_ten_arguments(path: Path):
    """What would be more is a record, which commands, keys and tests share."""
    for node in _definitions(_tree(path)):
        if not isinstance(node, ast.ClassDef):
            given = node.args
            names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
            count = len(names) - (names[:1] in (["self"], ["cls"])) + bool(given.vararg) + bool(given.kwarg)
            assert count <= 10, node.name


@pytest.mark.parametrize("path", ALL, ids=NAMES)
def test_public_names_are_documented_and_annotated(path: Path):
    tree = _tree(path)
    inner = {
        part
        for node in _definitions(tree)
        if not isinstance(node, ast.ClassDef)
        for part in ast.walk(node)
        if part is not node
    }
    for node in _definitions(tree):
        # A function inside a function is nobody's to call.
        if not node.name.startswith("_") and node not in inner:
            assert ast.get_docstring(node), node.name
        if not isinstance(node, ast.ClassDef):
            assert node.returns is not None or node.name == "__init__", node.name


@pytest.mark.parametrize("path", ALL, ids=NAMES)
def test_no_word_lists_and_no_language_conditions_in_code(path: Path):
    """A word list is a literal of ten or more lower-case words; a condition on a language compares with its code."""
    tree = _tree(path)
    for node in _nodes(tree):
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            words = [
                element.value
                for element in node.elts
                if isinstance(element, ast.Constant) and isinstance(element.value, str)
            ]
            assert sum(word.isalpha() and word.islower() for word in words) < 10, f"line {node.lineno}: {words}"
        if isinstance(node, ast.Compare):
            sides = (node.left, *node.comparators)
            about_language = any("language" in ast.unparse(side).lower() for side in sides)
            with_code = any(
                isinstance(side, ast.Constant) and isinstance(side.value, str) and len(side.value) == 2
                for side in sides
            )
            assert not (about_language and with_code), f"line {node.lineno}: {ast.unparse(node)}"


def test_every_room_is_known():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders <= {*ROOMS, *FOUNDATION}


def test_no_class_name_is_in_three_modules():
    """A name says what differs: a reader who searches for it finds the one that is meant."""
    names = Counter(node.name for path in MODULES for node in _tree(path).body if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 2] == []


def test_no_two_test_files_have_one_name():
    """Of two files of one name, a run of both fails, and a run of one folder says nothing."""
    names = [path.name for path in (REPOSITORY / "tests").rglob("test_*.py")]
    assert sorted(set(names)) == sorted(names)
