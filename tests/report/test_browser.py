"""The page's script in a real browser; runs where ``ENDOPHORA_BROWSER`` names a Chromium."""

import os
import re
import subprocess
from urllib.parse import urlencode

import pytest

from endophora.report import render

from .factory import HOSTILE, make

BROWSER = os.environ.get("ENDOPHORA_BROWSER", "")
pytestmark = pytest.mark.skipif(not BROWSER, reason="ENDOPHORA_BROWSER names no browser")


@pytest.fixture(scope="module")
def result():
    return make(len(HOSTILE) + 1, documents=12, examples=60, hostile=True)


@pytest.fixture(scope="module")
def dom(result, tmp_path_factory):
    """Return a function from the values of a hash to the page's elements after the script ran."""
    directory = tmp_path_factory.mktemp("page")
    # A handler that ran would leave its trace where a test sees it.
    (directory / "report.html").write_text(
        render(result, "html").replace("alert(", "document.documentElement.setAttribute('pwned',"), encoding="utf-8"
    )

    def load(**values):
        profile = f"--user-data-dir={tmp_path_factory.mktemp('profile')}"
        address = f"file://{directory}/report.html#{urlencode(values)}"
        command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync", profile]
        command += ["--disable-background-networking", "--disable-component-update", "--dump-dom", address]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
        return re.sub(r"<script.*?</script>", "", done.stdout, flags=re.S)

    return load


def _status(page):
    return re.search(r'id="o-status"[^>]*>([^<]*)<', page)[1]


def test_hostile_occurrences_are_rendered_as_text(dom):
    page = dom(view="occurrences", text="onerror")
    assert int(_status(page).split()[0]) > 0
    assert "<img" not in page
    assert "pwned=" not in page.split(">", 2)[1]
    assert "&lt;img src=x onerror=" in page
    assert '<span class="control">U+' in dom(view="occurrences", text="gnp")


def test_cell_of_the_matrix_opens_its_documents_and_its_wrong_occurrences(dom, result):
    system = result.corpus.systems[-1]
    page = dom(view="cell", system=system, column="pronouns")
    wrong = sum(
        example.phenomenon == "pronouns" and output.system == system and not output.correct
        for example in result.examples
        for output in example.outputs
    )
    assert _status(page) == f"{wrong} occurrences; {system} has 0 right, {wrong} wrong"
    assert f'<span class="big">{100 * result.score("pronouns", system).value:.1f}</span>' in page
    values = [value for value in result.score("pronouns", system).documents if value is not None]
    documents = page[page.index('class="docs"') :]
    shown = [
        float(value)
        for value in re.findall(r'</th><td class="num optional">\d+</td><td class="num">([\d.]+)<', documents)
    ]
    assert shown == [round(100 * value, 1) for value in sorted(values)]


def test_filters_are_joined_and_counted(dom, result):
    page = dom(view="occurrences", phenomenon="ellipsis", rule="verb_phrase", distance="1")
    expected = sum(
        example.phenomenon == "ellipsis" and example.rule == "verb_phrase" and example.distance == 1
        for example in result.examples
    )
    assert expected > 0
    assert int(_status(page).split()[0]) == expected
    assert page.count('<article class="example">') == min(expected, 10)
