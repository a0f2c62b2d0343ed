"""Write the site: the pages of ``docs/`` as they are, and what is generated beside them.

    python packaging/site/pages.py build/site

- The navigation is the index, ``docs/README.md``: a part a section, in its order.
- Pages outside ``docs/`` that pages link to (README, CHANGELOG, the research notes) are taken in; links to other files
  of the repository become plain text, since a site has no such files.
- Commands: a page each, from ``tests/cli/options.txt``, which a test holds equal to the help of the commands, with
  their examples.
- Names of the library: from the docstrings of the public names.

Sphinx makes the pages (extra ``docs``), every warning is an error, and nothing is asked of the network.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
DOCS = ROOT / "docs"
HOMES = {
    "README.md": "introduction.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
}
"""Path in the repository → page of the site, for pages that do not lie in ``docs/``; the notes come to it."""
_TABLE = tomllib.loads((SOURCE / "endophora" / "cli" / "commands.toml").read_text("utf-8"))
"""Command → what is typed after it, as its help has it, among others."""
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^()\s]+)\)")
_CODE = re.compile(r"^```.*?^```|`[^`\n]+`", re.DOTALL | re.MULTILINE)


def write_pages(folder: Path) -> None:
    """Write all pages and what they link to into a folder, as Sphinx takes them."""
    shutil.copytree(DOCS, folder, dirs_exist_ok=True)
    (folder / "README.md").unlink()
    for home, text in pages().items():
        path = folder / home
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pages() -> dict[str, str]:
    """Return the pages of the site: path → Markdown."""
    homes = _homes()
    sources = {page.relative_to(ROOT).as_posix(): None for page in sorted(DOCS.rglob("*.md"))} | homes
    found = {home or name.removeprefix("docs/"): _led(name, homes) for name, home in sources.items()}
    found |= {_page(name): text for name, text in _commands()}
    notes = [home for home in found if home.startswith("notes/")]
    found["notes/index.md"] = (
        "# Research notes\n\nMeasurements with machine and date.\n\n"
        + "".join(
            f"- [{found[home].partition(chr(10))[0].removeprefix('# ')}]({PurePosixPath(home).name})\n"
            for home in notes
        )
        + _tree("", notes, "notes")
    )
    found["commands.md"] = _list_of_commands() + _tree("", [_page(name) for name, *_ in _entries()])
    found["library.md"] = _library()
    index = found.pop("README.md")
    more = "- [Commands](commands.md): every option\n- [Names of the library](library.md): what can be imported\n"
    index = index.replace("\n\n## How far to trust it", f"\n{more}\n## How far to trust it")
    # A page has one place in the navigation: the first that the index gives it.
    seen: set[str] = set()
    trees: list[str] = []
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        listed = [path.partition("#")[0] for _, _, path in _LINK.findall(section) if path.partition("#")[0] in found]
        trees.append(_tree(section.partition("\n")[0], [page for page in dict.fromkeys(listed) if page not in seen]))
        seen.update(listed)
    found["index.md"] = index + "".join(trees)
    rest = set(found) - seen - {"index.md", "commands.md", *notes, *(_page(name) for name, *_ in _entries())}
    return {home: _front(text, orphan=home in rest) + text for home, text in found.items()}


def _front(text: str, *, orphan: bool) -> str:
    """Return what Sphinx is told of a page: what search engines show of it, and whether no navigation has it."""
    said = json.dumps(description(text), ensure_ascii=False)
    alone = "orphan: true\n" if orphan else ""
    return f"---\n{alone}myst:\n  html_meta:\n    description: {said}\n---\n\n"


_NO_PROSE = re.compile(r"^```.*?^```|<!--.*?-->|^(?:#|\||!\[)[^\n]*", re.DOTALL | re.MULTILINE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\W?[A-Z])")


def description(text: str) -> str:
    """Return the title of a page and the first sentences of its prose, as plain text: one, more where it is short."""
    title = text.partition("\n")[0].removeprefix("# ").replace("`", "")
    prose = _NO_PROSE.sub("", text).strip()
    plain = _LINK.sub(r"\2", " ".join(prose.partition("\n\n")[0].removeprefix("- ").split()))
    said = ""
    for sentence in _SENTENCE_END.split(re.sub(r"[*`\\]", "", plain).replace("&lt;", "<")):
        said = f"{said} {sentence}"
        if len(said) > _LEAST:
            break
    return textwrap.shorten(f"{title}{'' if title.endswith('?') else '.'}{said}", _MOST, placeholder=" …")


_LEAST, _MOST = 60, 300
"""Characters: of the sentences of a description, and of the whole."""


def _tree(caption: str, listed: list[str], folder: str = "") -> str:
    names = "\n".join(os.path.relpath(page, folder or ".") for page in listed)
    title = f":caption: {caption}\n" if caption else ""
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 1\n{title}\n{names}\n```\n"


def _homes() -> dict[str, str]:
    notes = sorted((ROOT / "research" / "notes").glob("*.md"))
    return HOMES | {f"research/notes/{path.name}": f"notes/{path.name}" for path in notes}


def _led(name: str, homes: dict[str, str]) -> str:
    """Return a page of the repository with its links led to pages of the site; those that lead elsewhere are text."""
    folder = PurePosixPath(name).parent
    start = PurePosixPath(homes.get(name) or name.removeprefix("docs/")).parent

    def lead(match: re.Match[str]) -> str:
        mark, text, link = match.groups()
        path, sign, anchor = link.partition("#")
        if not path or re.match(r"[a-z]+:", link):
            return match.group()
        target = os.path.normpath(folder / path)
        inside = target.removeprefix("docs/")
        home = "notes/index.md" if target == "research/notes" else homes.get(target)
        if home is None and inside != target and (ROOT / target).is_file():
            home = "index.md" if inside == "README.md" else inside
        return f"{mark}[{text}]({os.path.relpath(home, start)}{sign}{anchor})" if home else text

    return _outside_code((ROOT / name).read_text("utf-8"), lambda text: _LINK.sub(lead, text))


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """Change text except for blocks of code and code in lines, for which a sign stands meanwhile."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match.group())
        return f"\ue000{len(kept) - 1}\ue001"

    changed = change(_CODE.sub(keep, text))
    return re.sub(r"\ue000(\d+)\ue001", lambda match: kept[int(match[1])], changed)


# Commands.


def _page(command: str) -> str:
    return f"commands/{command.replace(' ', '-')}.md"


def _entries() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Yield each command, its help, and its options: what stands before each help, and the help."""
    text = (ROOT / "tests" / "cli" / "options.txt").read_text("utf-8")
    for entry in text.strip().split("\n\n"):
        head, *lines = entry.split("\n")
        name, _, about = head.partition(": ")
        yield name, about, [(what.strip(), help_.strip()) for what, help_ in zip(lines[::2], lines[1::2], strict=True)]


def _cell(text: str) -> str:
    """Return help as a cell of a table has it, its flags as code, which is not broken at their dashes."""
    text = re.sub(r"(?<![\w`-])--[a-z][a-z-]*", r"``\g<0>``", text) if "`" not in text else text
    return text.replace("``", "`").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def _commands() -> list[tuple[str, str]]:
    """Return each command and its page."""
    return [(name, _command_page(name, about, options)) for name, about, options in _entries()]


def _command_page(name: str, about: str, options: list[tuple[str, str]]) -> str:
    tables: dict[str, list[str]] = {"Arguments": [], "Options": []}
    for what, help_ in options:
        flags, *rest = what.split("; ")
        shown = ", ".join(f"`{flag}`" for flag in flags.split(", "))
        kind = "Options" if flags.startswith("-") else "Arguments"
        tables[kind].append(f"| {shown} | {_cell('; '.join(rest))} | {_cell(help_)} |")
    sections = (
        f"\n## {title}\n\n| {title[:-1].lower()} | value | what it does |\n|---|---|---|\n" + "\n".join(rows) + "\n"
        for title, rows in tables.items()
        if rows
    )
    lines = "\n".join(f"endophora {name} {rest}".strip() for rest in _TABLE[name]["examples"])
    shown = f"\n```sh\n{lines}\n```\n"
    below = [(one, said) for one, said, _ in _entries() if one.startswith(f"{name} ")]
    return f"# endophora {name}\n\n{about.replace('``', '`')}\n{shown}{_commands_table(below, 'commands')}" + "".join(
        sections
    )


def _list_of_commands() -> str:
    shown = _commands_table([(name, about) for name, about, _ in _entries()])
    return f"# Commands\n\n`endophora COMMAND --help` says the same.\n{shown}"


def _commands_table(commands: list[tuple[str, str]], folder: str = "") -> str:
    rows = [
        f"| [`endophora {n}`]({os.path.relpath(_page(n), folder or '.')}) | {_cell(about)} |\n" for n, about in commands
    ]
    return "\n| command | does |\n|---|---|\n" + "".join(rows) if rows else ""


# Names of the library.


def _library() -> str:
    """Return the page of the public names: what ``import endophora`` offers."""
    tree = ast.parse((SOURCE / "endophora" / "__init__.py").read_text("utf-8"))
    values = {_target(n): n.value for n in tree.body if isinstance(n, ast.Assign)}
    homes, public = (ast.literal_eval(values[name]) for name in ("_HOMES", "__all__"))
    home = {name: module for module, names in homes.items() for name in names if name in public}
    head = (
        "# Names of the library\n\n`import endophora` offers these; they keep their meaning between minor versions.\n"
    )
    return head + "".join(_entry(name, _found(home[name], name)) for name in sorted(home, key=str.lower))


def _target(node: ast.Assign) -> str:
    return node.targets[0].id if isinstance(node.targets[0], ast.Name) else ""


def _found(module: str, name: str) -> ast.ClassDef | ast.FunctionDef:
    """Return the definition of a name, wherever its module has it from; importing it may need large libraries."""
    path = SOURCE / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return node
        if isinstance(node, ast.ImportFrom) and node.module and any(alias.name == name for alias in node.names):
            return _found(node.module, name)
    raise LookupError(f"{module} has no {name}")


def _entry(name: str, node: ast.ClassDef | ast.FunctionDef) -> str:
    if isinstance(node, ast.FunctionDef):
        code = f"{name}({ast.unparse(node.args)}) -> {ast.unparse(node.returns) if node.returns else 'None'}"
        return f"\n## {name}\n\n```python\n{_wrapped(code)}\n```\n\n{_prose(node)}\n"
    fields = [n for n in node.body if isinstance(n, ast.AnnAssign) and not ast.unparse(n.target).startswith("_")]
    methods = [n for n in node.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    rows = "".join(f"| `{ast.unparse(n.target)}` | `{_bar(ast.unparse(n.annotation))}` |\n" for n in fields)
    table = f"\n| field | type |\n|---|---|\n{rows}" if rows else ""
    shown = "".join(f"\n- `.{m.name}{_call(m)}`: {_prose(m).partition(chr(10) * 2)[0]}" for m in methods)
    return f"\n## {name}\n\n{_prose(node)}\n{table}{shown}\n"


def _call(node: ast.FunctionDef) -> str:
    if any(ast.unparse(each).endswith("property") for each in node.decorator_list):
        return ""
    return f"({re.sub(r'^(?:self|cls)(?:, )?', '', ast.unparse(node.args))})"


def _bar(text: str) -> str:
    return text.replace("|", "\\|")


def _wrapped(code: str) -> str:
    """Put each argument of a long signature on a line of its own."""
    if len(code) < 90:
        return code
    [tree] = (node for node in ast.parse(f"def {code}: ...").body if isinstance(node, ast.FunctionDef))
    inner = re.split(r", (?=\*?\w+(?:: |=|,|$)|\*$)", ast.unparse(tree.args))
    return (
        f"{tree.name}(\n    " + ",\n    ".join(inner) + f",\n) -> {ast.unparse(tree.returns) if tree.returns else ''}"
    )


def _prose(node: ast.ClassDef | ast.FunctionDef) -> str:
    """Return a docstring as Markdown: its sections as lists, its references as code."""
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", ast.get_docstring(node) or "").replace("``", "`")
    lines: list[str] = []
    for line in text.splitlines():
        if re.fullmatch(r"(?:Args|Raises|Returns|Yields):", line):
            lines += ["", f"**{line}**", ""]
        elif line.startswith("    ") and not line.startswith("     ") and ": " in line:
            lines.append("- " + line.strip())
        else:
            lines.append(line)
    return "\n".join(lines).replace("<", "&lt;")


def build(output: Path) -> int:
    """Build the site; returns Sphinx's exit status."""
    from sphinx.cmd.build import build_main

    with tempfile.TemporaryDirectory() as work:
        write_pages(Path(work) / "pages")
        options = ["-q", "-W", "--keep-going", "-c", str(Path(__file__).parent), "-d", f"{work}/trees"]
        status = build_main([*options, "-b", "html", f"{work}/pages", str(output)])
    for path in output.rglob("*.html"):
        path.write_text(accessible(path.read_text("utf-8")), "utf-8")
    asked = [f"{path.relative_to(output)}: {found}" for path in sorted(output.rglob("*")) for found in requests(path)]
    print(f"{len(list(output.rglob('*.html')))} pages", *asked, sep="\n")
    return status or bool(asked)


_MENDED = {
    '<p class="caption" role="heading">': '<p class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="On this page">',
    '<th class="head"><p></p></th>': '<td class="head"></td>',
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper ': '<div tabindex="0" class="table-wrapper ',
}
"""What the theme writes → what a keyboard and a screen reader need: names, levels, and ways into what scrolls."""


def accessible(page: str) -> str:
    """Return a page of the theme that axe finds nothing wrong with (benchmarks/accessible.mjs)."""
    for written, needed in _MENDED.items():
        page = page.replace(written, needed)
    return _NAMELESS.sub(lambda table: _FIRST_CELL.sub(r'\1<th scope="row">\2</th>', table.group()), page)


_NAMELESS = re.compile(r'<thead>\s*<tr[^>]*><td class="head"></td>.*?</table>', re.DOTALL)
"""A table whose first column has no head: its cells are the heads of their rows."""
_FIRST_CELL = re.compile(r"(<tr[^>]*>\s*)<td>(?!<p></p>)(.*?)</td>", re.DOTALL)


_REQUEST = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\b(?:src|srcset)=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?![^>]*rel=["']?canonical)[^>]*?\bhref=["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|@import\s+(?:url\()?["']?((?:https?:)?//[^"')\s]+)|url\(["']?((?:https?:)?//[^"')\s]+)""",
    re.IGNORECASE,
)


def requests(path: Path) -> list[str]:
    """Return the addresses on other machines that a page or a style sheet loads something from; links load nothing."""
    if path.suffix not in (".html", ".css"):
        return []
    return ["".join(found) for found in _REQUEST.findall(path.read_text("utf-8"))]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("output", type=Path)
    sys.exit(build(parser.parse_args().output))
