"""Write ``docs/errors.md`` from the code: ``python packaging/site/errors.py``; a test holds the page equal.

``docs/errors.yaml`` has the sections of the page and one line for each code: what is wrong. What to do, and the exit
status, are read where the code raises the error. A code that is raised with many advices, or with one that is composed
at run time, has its summary in the data as well: ``E016: [what is wrong, what to do]``.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain, product
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "errors.md"
DATA = ROOT / "docs" / "errors.yaml"
CODE = re.compile(r"E[0-3]\d\d")
FOREIGN = {"E048"}
"""spaCy's own code for a language that it does not know, which is caught and reported as E042."""
_OPEN = re.compile(r"^…|…(?![}\w]|,)(?!.*})|^$")
"""An advice of which a part is filled in, which only the message has."""
_OPTIONS = (ROOT / "tests" / "cli" / "options.txt").read_text("utf-8")
_NAMES = "|".join(sorted(re.findall(r"^([a-z][a-z -]*): ", _OPTIONS, re.MULTILINE), key=len, reverse=True))
_VALUE = r"[A-Z][A-Z=-]*|'[^']+'|(?:all|auto|bfloat16|float32|lexical_cohesion|en-\w\w|0)\b"
_LITERAL = re.compile(
    rf"`[^`]*`|endophora(?: (?:{_NAMES}))?(?: comet)?(?: --[a-z-]+(?: (?:{_VALUE}))?)*(?= |$)"
    rf"|endophora-makers priors|--[a-z][\w-]*(?: (?:{_VALUE}))?|pip install '[^']*'|msgfmt --check|tr -d '[^']*'"
    r"|\b[\w.]+=(?:[A-Z]+|float32|False)\b|\b[\w-]+\.(?:json|jsonl|npz|txt)\b|[{].*[}]|if __name__ == '__main__'"
)
"""What is typed."""


@cache
def read() -> tuple[set[str], set[str], dict[str, list[list[str]]]]:
    """Return the codes in the source, those of what is not installed, and what each place that raises one advises.

    With the second a command ends with status 3. An advice that is composed at run time has no text.
    """
    codes: set[str] = set()
    absent: set[str] = set()
    advices: dict[str, list[list[str]]] = {}
    for path in sorted(path for root in ("src", "makers/src") for path in (ROOT / root).rglob("*.py")):
        if CODE.search(text := path.read_text("utf-8")):
            tree = ast.parse(text)
            module = _scope(tree.body)
            scopes: dict[ast.AST, dict[str, list[ast.expr]]] = {tree: module}
            for node, within in _nodes(tree, tree):
                if code := _code(node):
                    codes.add(code)
                elif isinstance(node, ast.Call):
                    if "MissingModelError" in ast.unparse(node.func):
                        absent.update(code for inner in ast.walk(node) if (code := _code(inner)))
                    if places := [i for i, argument in enumerate(node.args) if _code(argument)]:
                        names = scopes.setdefault(within, module | _scope(ast.walk(within)))
                        rest = node.args[places[0] + 2 :]
                        found = _texts(rest[0], names) if rest else []
                        advices.setdefault(_code(node.args[places[0]]), []).append(found)
    return codes - FOREIGN, absent, advices


def _nodes(node: ast.AST, within: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Yield all nodes, each with the function that it stands in."""
    for child in ast.iter_child_nodes(node):
        yield child, within
        yield from _nodes(child, child if isinstance(child, ast.FunctionDef) else within)


def page() -> str:
    """Return the page."""
    data: dict[str, Any] = YAML(typ="safe").load(DATA.read_text("utf-8"))
    _, absent, known = read()
    parts = [data["about"]]
    for section in data["sections"]:
        rows = [f"| {code} | {_row(code, text, known, absent)} |" for code, text in section["codes"].items()]
        head = [f"## {section['title']} ({section['range']})", section.get("about", "")]
        table = ["| code | what is wrong | what to do |", "|---|---|---|", *rows]
        parts += [*head, "\n".join(table), section.get("after", "")]
    return "\n\n".join(part.strip() for part in parts if part) + "\n"


def advised(places: list[list[str]]) -> str:
    """Return the advice that most places give, or both where all together give two; nothing else is a summary."""
    counts = Counter(_plain(text) for place in places for text in dict.fromkeys(place))
    (first, often), *more = counts.most_common() or [("", 0)]
    most = 2 * often > len(places)
    found = [first] if most else [first, *(text for text, _ in more)]
    found = [text for text in found if not any(text in other for other in found if other != text)]
    return (
        "; ".join(found)
        if (most or all(places)) and len(found) < 3 and not any(_OPEN.search(text) for text in found)
        else ""
    )


def _row(code: str, text: str | list[str], known: dict[str, list[list[str]]], absent: set[str]) -> str:
    what, do = (text, advised(known.get(code, [[]]))) if isinstance(text, str) else text
    what += " (exit 3)" if code in absent else ""
    return " | ".join(cell.replace("|", "\\|") for cell in (what, do))


def _code(node: ast.AST) -> str:
    text = node.value if isinstance(node, ast.Constant) else None
    return text if isinstance(text, str) and CODE.fullmatch(text) else ""


def _scope(nodes: Any) -> dict[str, list[ast.expr]]:
    """Return what is assigned to each name."""
    found: dict[str, list[ast.expr]] = {}
    for node in nodes:
        target = (
            node.targets[0]
            if isinstance(node, ast.Assign)
            else node.target
            if isinstance(node, ast.AugAssign)
            else None
        )
        if isinstance(node, ast.Assign | ast.AugAssign) and isinstance(target, ast.Name):
            # What is added to is not known: an empty tuple is no text.
            found.setdefault(target.id, []).append(
                node.value if isinstance(node, ast.Assign) else ast.Tuple([], ast.Load())
            )
    return found


def _texts(node: ast.expr, names: dict[str, list[ast.expr]]) -> list[str]:
    """Return the texts that an expression can be, with … for what is filled in; none if it cannot be read."""
    match node:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.JoinedStr(values=values):
            return ["".join(str(v.value) if isinstance(v, ast.Constant) else "…" for v in values)]
        case ast.IfExp(body=one, orelse=other):
            parts = [_texts(one, names), _texts(other, names)]
            return [*chain(*parts)] if all(parts) else []
        case ast.Name(id=name) if name in names:
            parts = [_texts(value, {}) for value in names[name]]
            return [*chain(*parts)] if all(parts) else []
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [a + b for a, b in product(_texts(left, names), _texts(right, names))]
        case _:
            return []


def _plain(text: str) -> str:
    """Return an advice as Markdown: lists that only the message has are said, what is typed is code."""
    text = re.sub(
        r"^(?:known: |choose |choose of |there are:? |it has:? |give |systems: )…(?:$|; )",
        "the message has the known ones",
        text,
    )
    text = re.sub(r"^did you mean …\? ?$", "the message has the nearest name", text)
    text = re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](\1.md)", text)
    return _LITERAL.sub(lambda hit: hit.group() if hit.group().startswith("`") else f"`{hit.group()}`", text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
