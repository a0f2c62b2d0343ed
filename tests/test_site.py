"""The site has every page once, each command, each public name; it loads nothing from elsewhere."""

from __future__ import annotations

import importlib.util
import json
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

import endophora

REPOSITORY = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pages", REPOSITORY / "packaging" / "site" / "pages.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(site: ModuleType) -> dict[str, str]:
    return site.pages()


def _tree(text: str) -> list[str]:
    blocks = re.findall(r"```\{toctree\}\n(?::.*\n)+\n((?:.+\n)*)```", text)
    return [line for block in blocks for line in block.splitlines()]


def test_the_navigation_has_the_parts_and_pages_of_the_index(pages: dict[str, str]):
    index = (REPOSITORY / "docs" / "README.md").read_text("utf-8")
    assert re.findall(r":caption: (.+)", pages["index.md"]) == re.findall(r"^## (.+)", index, re.MULTILINE)
    listed = _tree(pages["index.md"])
    assert len(listed) == len(set(listed))
    docs = {path.name for path in (REPOSITORY / "docs").glob("*.md")} - {"README.md"}
    assert docs | {"introduction.md", "commands.md", "library.md"} <= set(listed) <= set(pages)


def test_every_command_and_every_public_name_has_its_entry(pages: dict[str, str]):
    assert "| `--languages`, `-l` | SRC-TGT; required |" in pages["commands/evaluate.md"]
    assert len(_tree(pages["commands.md"])) == len([name for name in pages if name.startswith("commands/")]) > 40
    assert set(re.findall(r"^## (\w+)$", pages["library.md"], re.MULTILINE)) == set(endophora.__all__) - {"__version__"}
    assert "evaluate(corpus: Corpus" in pages["library.md"].replace("(\n    ", "(")


def test_every_page_says_to_search_engines_what_it_is(pages: dict[str, str]):
    front = re.compile(r'---\n(?:orphan: true\n)?myst:\n  html_meta:\n    description: (".*")\n---\n\n# (.+)\n')
    said = {name: (json.loads(found[1]), found[2]) for name, text in pages.items() if (found := front.match(text))}
    assert said.keys() == pages.keys()
    assert [
        name for name, (text, _) in said.items() if not 40 <= len(text) <= 300 or re.search(r"\]\(|[*`|]", text)
    ] == []
    assert [name for name, (text, title) in said.items() if not text.startswith(title.replace("`", ""))] == []
    assert len({text for text, _ in said.values()}) == len(pages)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "# Gates\n\n```sh\nls\n```\n\n![A picture](p.png)\n\n"
            "A *gate* stops a build (by `--fail-if`), see [tests](t.md),\nif a figure is too low. More.\n\nAnd more.",
            "Gates. A gate stops a build (by --fail-if), see tests, if a figure is too low.",
        ),
        ("# Is it right?\n\n| a | b |\n|---|---|\n\n- Short. Then more.\n", "Is it right? Short. Then more."),
        ("# Gates\n\n" + "long " * 100, "Gates. " + "long " * 58 + "…"),
    ],
)
def test_a_description_is_the_title_and_the_first_sentences_of_prose(site: ModuleType, text: str, said: str):
    assert site.description(text) == said


def test_links_between_pages_lead_to_pages_or_files(site: ModuleType, pages: dict[str, str]):
    lost = [
        (name, link)
        for name, text in pages.items()
        for link in re.findall(
            r"\]\(([^()#\s:]+)(?:#[^()\s]*)?\)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
        )
        if (path := os.path.normpath(Path(name).parent / link)) not in pages and not (site.DOCS / path).is_file()
    ]
    assert lost == []


def test_a_link_to_a_file_that_the_site_lacks_is_text(site: ModuleType, pages: dict[str, str]):
    assert "[commands.py]" in (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    assert "(commands.py says how)" in pages["contributing.md"]
    assert "](src/" not in pages["contributing.md"]
    assert "](add-a-language.md)" in pages["contributing.md"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('<script src="https://cdn.example/x.js"></script>', ["https://cdn.example/x.js"]),
        ('<link rel="stylesheet" href="//fonts.example/a.css">', ["//fonts.example/a.css"]),
        (
            "@import url('https://fonts.example/b.css'); a {b: url(//x.example/y.png)}",
            ["https://fonts.example/b.css", "//x.example/y.png"],
        ),
        (
            '<a href="https://example.org">a link</a><img src="_static/x.png"><link rel="canonical" href="https://x.example">',
            [],
        ),
    ],
)
def test_what_a_page_loads_from_elsewhere_is_found(site: ModuleType, tmp_path: Path, text: str, found: list[str]):
    (tmp_path / "page.html").write_text(text, "utf-8")
    assert site.requests(tmp_path / "page.html") == found


def test_what_scrolls_has_a_tab_stop_and_every_region_a_name(site: ModuleType):
    page = '<aside class="toc-drawer"><pre>code</pre></aside><th class="head"><p></p></th>'
    mended = site.accessible(page)
    assert mended == (
        '<aside class="toc-drawer" aria-label="On this page"><pre tabindex="0">code</pre></aside><td class="head"></td>'
    )
    assert site.accessible(mended) == mended


def test_where_the_first_column_has_no_head_its_cells_are_heads_of_rows(site: ModuleType):
    table = '<table><thead>\n<tr class="row-odd">{}<th class="head"><p>right</p></th></tr></thead><tr>{}</tr></table>'
    named = table.format('<th class="head"><p>language</p></th>', "<td><p>de</p></td><td><p>9</p></td>")
    assert site.accessible(named) == named
    row, blank = "<td><p>de</p></td><td><p>9</p></td>", "</tr><tr><td><p></p></td><td><p>8</p></td>"
    assert site.accessible(table.format('<th class="head"><p></p></th>', row + blank)) == (
        table.format('<td class="head"></td>', '<th scope="row"><p>de</p></th><td><p>9</p></td>' + blank)
    )


def test_no_cell_of_a_table_is_taken_from_screen_readers():
    """One that is gone moves the cells after it under the heads of others."""
    css = (REPOSITORY / "packaging" / "site" / "static" / "site.css").read_text("utf-8")
    assert re.findall(r"[^}]*\{[^}]*display: none[^}]*\}", css) == []
