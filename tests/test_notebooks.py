"""The notebooks of the documentation run, cell by cell, and have the outputs of a run.

They are run here without Jupyter, so that nothing has to be started. ``python tests/test_notebooks.py`` runs them and
writes their outputs again.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "docs" / "notebooks").glob("*.ipynb"))


def execute(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run the cells of a notebook in its folder, and return the outputs of each cell of code."""
    names: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [_outputs("".join(cell["source"]), names, number) for number, cell in enumerate(cells, 1)]


def _outputs(source: str, names: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    stream, value = io.StringIO(), None
    with contextlib.redirect_stdout(stream):
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    printed = stream.getvalue()
    made: list[dict[str, Any]] = []
    if printed:
        made.append({"name": "stdout", "output_type": "stream", "text": printed.splitlines(keepends=True)})
    if value is not None:
        data = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            # The frame with the page is left out: it is ten times as long as all else.
            data = {"text/html": re.sub(r"<iframe.*?</iframe>", "", value._repr_html_(), flags=re.DOTALL), **data}
        if hasattr(value, "_repr_svg_"):
            data = {"image/svg+xml": value._repr_svg_(), **data}
        lines = {kind: text.splitlines(keepends=True) for kind, text in data.items()}
        made.append({"data": lines, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return made


def kinds(outputs: list[dict[str, Any]]) -> list[list[str]]:
    return [sorted(output.get("data", {output["output_type"]: ""})) for output in outputs]


def figures(outputs: list[dict[str, Any]]) -> list[str]:
    """Return the numbers with a decimal that outputs show; after a change: ``python tests/test_notebooks.py``."""
    return re.findall(r"\d+\.\d", json.dumps(outputs, sort_keys=True))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_and_has_its_outputs(path: Path, monkeypatch: pytest.MonkeyPatch):
    notebook = json.loads(path.read_text("utf-8"))
    monkeypatch.chdir(path.parent)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for cell, outputs in zip(cells, execute(notebook), strict=True):
        assert kinds(outputs) == kinds(cell["outputs"])
        assert figures(outputs) == figures(cell["outputs"])


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 3


if __name__ == "__main__":
    for place in NOTEBOOKS:
        content = json.loads(place.read_text("utf-8"))
        os.chdir(place.parent)
        code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
        for count, (one, found) in enumerate(zip(code, execute(content), strict=True), 1):
            one["execution_count"], one["outputs"] = count, found
        place.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
