"""Pages for users hold no diary; they and the code are in plain English; links, commands and options exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

import endophora
from endophora.languages import load_language
from endophora.languages.schema import PHENOMENA

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
PAGES = [*sorted(DOCS.rglob("*.md")), REPOSITORY / "README.md"]
NOTES = sorted((REPOSITORY / "research").rglob("*.md"))
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")
PHRASES = (
    *("of now", "anew", "nought", "of late", "hitherto", "broken off", "by hand of"),
    *(r"(?:is|are|was|were|be) told", r"stands? in\b(?! (?:the|a|an|one|two|its|another|other|several|earlier)\b)"),
    *("mend(?:ed|s|ing)?", "likelie(?:r|st)", "goes on where", "goes on there", "told apart", "whence", "heeds?"),
    *("but for", "for want of", "at hand", "in its stead", "(?:can|to) be had"),
    *("bec(?:ame|omes?) of", "and the like", "or the like", "tells? nothing", "dealings"),
)
PHRASE = re.compile(rf"\b(?:{'|'.join(PHRASES)})\b")  # of text in lower case: three times as fast as IGNORECASE


def _name(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return [f"line {text.count(chr(10), 0, hit.start()) + 1}: {hit.group()}" for hit in pattern.finditer(text)]


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_page_for_users_has_no_dates(page: Path):
    prose = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)  # a price has its date
    assert _found(DATE, prose) == []  # they belong in research/notes


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_a_page_for_users_is_in_plain_words(page: Path):
    assert _found(PHRASE, page.read_text(encoding="utf-8").lower()) == []


@pytest.mark.parametrize("page", [*PAGES, *NOTES, *sorted(REPOSITORY.glob("*.md"))], ids=_name)
def test_a_table_has_its_head(page: Path):
    """Without it, or without the line below, the rows are shown as text."""
    prose = re.sub(r"^ *```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    tables = [
        re.split(r"\n(?!\s*\|)", f"|{rest}")[0].splitlines() for rest in re.split(r"(?<=\n)(?<!\|\n)\|", prose)[1:]
    ]
    cells = [[len(re.findall(r"(?<!\\)\|", row)) for row in table[:2]] for table in tables]
    lines = [re.fullmatch(r"\|(\s*:?-+:?\s*\|)+", "".join(table[1:2])) is not None for table in tables]
    assert [
        table[0] for table, count, line in zip(tables, cells, lines, strict=True) if not line or count[0] != count[1]
    ] == []


def test_code_and_its_messages_are_in_plain_words():
    """Docstrings, helps, messages and comments; the schemas have the descriptions of fields."""
    roots = (path for name in ("src", "makers", "benchmarks") for path in (REPOSITORY / name).rglob("*.py"))
    files = [*roots, *DOCS.glob("*.json"), REPOSITORY / "tests" / "cli" / "options.txt"]
    found = {_name(path): _found(PHRASE, path.read_text(encoding="utf-8").lower()) for path in files}
    assert {name: hits for name, hits in found.items() if hits} == {}


def test_the_phrases_are_found_where_they_stand():
    assert _found(PHRASE, "told of now.\nit is told anew; a noun stands in the same sentence.") == [
        *("line 1: of now", "line 2: is told", "line 2: anew")
    ]


@pytest.mark.parametrize("page", [*PAGES, *NOTES], ids=_name)
def test_links_lead_to_files_and_headings(page: Path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    lost: list[str] = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not re.match(r"https?:|mailto:", link) and (
            not target.exists() or (anchor and anchor not in _anchors(target))
        ):
            lost.append(link)
    assert lost == []


def _anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of headings; the first of equal ones alone."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = (re.sub(r"[`*]|<[^>]+>|\]\([^)]*\)", "", heading) for heading in re.findall(r"^#+ (.*)$", text, re.M))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_examples_of_phenomena_are_worked_examples_of_the_rules():
    pages = [*sorted((DOCS / "phenomena").glob("*.md")), DOCS / "phenomena-test-sets.md"]
    page = "".join(path.read_text(encoding="utf-8") for path in pages)
    examples = (example for code in ("de", "zh") for some in load_language(code).examples.values() for example in some)
    worked = {line for example in examples for line in example.text}
    tables = re.findall(r"^\| earlier \| the segment \| tagged \|\n\|---.*\n((?:\|.*\n)+)", page, re.MULTILINE)
    lines = [line for table in tables for line in re.findall(r"[|] ([^|*]+) – \*([^*]+)\*", table)]
    assert len(tables) == 7
    assert [line for line in lines if line not in worked] == []
    assert len(lines) == 2 * 3 * len(tables)


@pytest.mark.parametrize("name", PHENOMENA)
def test_a_page_of_a_phenomenon_has_three_examples_before_the_definition(name: str):
    text = (DOCS / "phenomena" / f"{name.replace('_', '-')}.md").read_text("utf-8")
    before, after = re.split(r"(?<=\|)\n\n", text, maxsplit=1)
    assert before.count(" – *") == 6
    assert f"`{name}`" in before
    assert "tagged" not in re.sub(r"\|.*", "", before)
    assert "tagged" in after
    assert f"](phenomena/{name.replace('_', '-')}.md) | `{name}` |" in (DOCS / "phenomena.md").read_text("utf-8")


def _commands() -> dict[str, set[str]]:
    """Return the options of every command, as ``tests/cli/options.txt`` has them, which a test of its own holds."""
    known: dict[str, set[str]] = {}
    name = ""
    for line in (REPOSITORY / "tests" / "cli" / "options.txt").read_text(encoding="utf-8").splitlines():
        if head := re.match(r"([a-z][a-z -]*): ", line):
            name = head[1]
            known[name] = {"--help"}
        elif line.startswith("  -"):
            known[name].update(re.findall(r"--?[\w-]+", line.partition(";")[0]))
    return known


COMMANDS = _commands()


def _called(page: Path) -> Iterator[str]:
    """Yield the command lines of a page, each with its continuations, in blocks and in running text."""
    text = page.read_text(encoding="utf-8")
    for block in re.findall(r"```(?:sh)?\n(.*?)```", text, re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            yield from re.findall(r"^(endophora [^#|>&;]+)", line.strip())
    yield from re.findall(r"`(endophora [^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_commands_of_a_page_have_the_options_that_it_gives(page: Path):
    wrong: list[tuple[str, list[str]]] = []
    for line in _called(page):
        words = line.split()[1:]
        name = next((n for n in (" ".join(words[:2]), words[0]) if n in COMMANDS), "")
        flags = {word.partition("=")[0] for word in words if re.fullmatch(r"--?[a-zA-Z][\w-]*(=.*)?", word)}
        if not name or flags - COMMANDS[name]:
            wrong.append((line, sorted(flags - COMMANDS.get(name, set()))))
    assert wrong == []


def _imports(page: Path) -> Iterator[tuple[str, str]]:
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.partition(".")[0] == "endophora":
                yield from ((node.module, alias.name) for alias in node.names)


def _names(module: str) -> set[str]:
    """Return the names that a module binds, from its text: importing it may load large libraries."""
    if module == "endophora":
        return set(dir(endophora))
    path = REPOSITORY / "src" / Path(*module.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    bound = (_bound(node) for node in ast.parse(path.read_text(encoding="utf-8")).body)
    return set(chain.from_iterable(bound)) if path.is_file() else set()


def _bound(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.ImportFrom | ast.Import):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


@pytest.mark.parametrize("page", [page for page in PAGES if list(_imports(page))], ids=_name)
def test_python_of_a_page_imports_names_that_are_there(page: Path):
    assert [(module, name) for module, name in _imports(page) if name not in _names(module)] == []


def test_every_page_is_in_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    pages = {path.name for path in DOCS.glob("*.md")} - {"README.md"}
    assert sorted(name for name in pages if f"({name}" not in index) == []
