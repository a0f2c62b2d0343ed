"""The page's script in a real browser; runs where ``ENDOPHORA_BROWSER`` names a Chromium."""

import html
import json
import os
import re
import subprocess
from urllib.parse import urlencode

import pytest

from endophora.report import render

from .factory import CATEGORIES, EXTRAS, HOSTILE, make

BROWSER = os.environ.get("ENDOPHORA_BROWSER", "")
pytestmark = pytest.mark.skipif(not BROWSER, reason="ENDOPHORA_BROWSER names no browser")


@pytest.fixture(scope="module")
def result():
    return make(len(HOSTILE) + 1, documents=12, examples=60, hostile=True, extras=EXTRAS)


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
        shown = _run(profile, f"file://{directory}/report.html#{urlencode(values)}")
        return re.sub(r"<script.*?</script>", "", shown, flags=re.S)

    return load


def _run(*arguments):
    """Return the elements of a page after its script ran."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"]
    command += ["--disable-background-networking", "--disable-component-update", "--dump-dom", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


# A window is never as narrow as a telephone, so the page is in a frame; what is found becomes the frame's title.
FRAME = """<!doctype html><title>none</title>
<iframe src="report.html" style="border:0;height:900px;width:{width}px"></iframe>
<script>
onload = () => {{
  const page = document.querySelector("iframe").contentDocument;
  page.querySelectorAll("details").forEach((one) => {{ one.open = true; }});
  const box = (one) => one.getBoundingClientRect();
  const all = (selector) => [...page.querySelectorAll(selector)];
  const out = all("main *").filter((one) => !one.closest(".scroll, .hidden, nav, svg, .controls"))
    .filter((one) => box(one).right > {width} + 1 && box(one).width > 0);
  const small = all(".gauge").filter((one) => box(one).width < 60 || box(one).height < 5);
  document.title = JSON.stringify({{
    over: page.documentElement.scrollWidth - {width},
    out: out.map((one) => one.tagName + "." + one.className),
    bars: all(".gauge").length,
    small: small.length,
    plots: all(".scatter").map((one) => Math.round(box(one).width)),
    shaded: new Set(all(".heat [class^=r]").map((one) => getComputedStyle(one).backgroundColor)).size,
  }});
}};
</script>"""


@pytest.fixture
def measured(tmp_path):
    """Return a function from a result and a width in pixels to what a frame finds on its page."""

    def measure(result, width):
        (tmp_path / "report.html").write_text(render(result, "html"), encoding="utf-8")
        (tmp_path / "frame.html").write_text(FRAME.format(width=width), encoding="utf-8")
        shown = _run(
            f"--user-data-dir={tmp_path}/profile", "--allow-file-access-from-files", f"file://{tmp_path}/frame.html"
        )
        return json.loads(html.unescape(re.search(r"<title>(.*?)</title>", shown, re.S)[1]))

    return measure


def _status(page):
    return re.search(r'id="o-status"[^>]*>([^<]*)<', page)[1]


def test_hostile_occurrences_are_rendered_as_text(dom):
    page = dom(view="occurrences", text="onerror")
    assert int(_status(page).split()[0]) > 0
    assert "<img" not in page
    assert "pwned=" not in page.split(">", 2)[1]
    assert "&lt;img src=x onerror=" in page
    assert '<span class="control">U+' in dom(view="occurrences", text="gnp")


def test_words_wrong_most_often_are_counted_in_what_the_filter_leaves(dom, result):
    system = result.corpus.systems[-1]
    page = dom(view="occurrences", system=system, phenomenon="pronouns")
    counts: dict[str, list[int]] = {}
    for example in result.examples:
        for output in example.outputs:
            if (example.phenomenon, output.system) == ("pronouns", system):
                wrong, whole = counts.get(example.expected.lower(), (0, 0))
                counts[example.expected.lower()] = [wrong + (not output.correct), whole + 1]
    shown = re.search(r'id="o-words"[^>]*>(.*?)</p>', page)[1]
    found = re.findall(r"<bdi>(.*?)</bdi></button> (\d+) of (\d+)", shown)
    assert [[int(wrong), int(whole)] for _, wrong, whole in found] == sorted(
        (each for each in counts.values() if each[0] > 1), key=lambda each: (-each[0], each[1])
    )[:8]


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


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("systems", [1, 5, 26])
def test_sections_of_metrics_fit_the_width_of_the_page(measured, systems, width):
    result = make(systems, documents=20, examples=6, extras=EXTRAS)
    found = measured(result, width)
    assert found["over"] <= 0
    assert found["out"] == []
    assert found["bars"] == systems * len(CATEGORIES)
    assert found["small"] == 0
    assert len(found["plots"]) == 2 * len(result.columns)
    assert min(found["plots"]) >= 220
    assert found["shaded"] > 10


def test_hostile_names_are_text_in_the_sections_of_metrics(dom):
    page = dom()
    for name in ("categories", "correlations", "people"):
        section = re.search(rf'<section id="{name}".*?</section>', page, re.S)[0]
        assert "<img" not in section
        assert "&lt;script&gt;" in section or name == "correlations"
    assert "pwned=" not in page.split(">", 2)[1]


def test_documents_of_metrics_alone_can_be_looked_at(tmp_path):
    result = make(2, phenomena=False)
    (tmp_path / "report.html").write_text(render(result, "html"), encoding="utf-8")
    address = f"file://{tmp_path}/report.html#{urlencode({'view': 'cell', 'system': 'system-02', 'column': 'chrF'})}"
    page = _run(f"--user-data-dir={tmp_path}/profile", address)
    assert f'<span class="big">{result.score("chrF", "system-02").value:.1f}</span>' in page


def test_a_link_leads_to_one_occurrence(dom, result):
    page = dom(view="one", n="3")
    assert _status(page).startswith("One occurrence.")
    assert page.count('<article class="example">') == 1
    assert f"segment {result.examples[2].segment + 1} " in page


@pytest.fixture
def shown(tmp_path):
    """Return a function from a result, and values of a hash, to the page's elements after the script ran."""

    def load(result, **values):
        (tmp_path / "report.html").write_text(render(result, "html"), encoding="utf-8")
        page = _run(f"--user-data-dir={tmp_path}/profile", f"file://{tmp_path}/report.html#{urlencode(values)}")
        return re.sub(r"<script.*?</script>", "", page, flags=re.S)

    return load


def test_only_a_pronoun_has_an_antecedent_others_have_earlier_words(shown):
    made = make(1, examples=5)
    examples = [one.model_copy(update={"antecedent": "lamp", "probability": 0.5}) for one in made.examples]
    page = shown(made.model_copy(update={"examples": examples}))
    assert {one.phenomenon for one in examples} > {"pronouns"}
    assert (page.count("antecedent lamp"), page.count("earlier lamp"), page.count("p 0.50")) == (1, 4, 1)


def test_words_wrong_most_often_are_written_as_within_a_sentence(shown):
    made = make(1, examples=6)
    words = ["Patrone", "Patrone", "Er", "er", "Er", "Patrone"]
    wrong = [
        one.model_copy(
            update={"expected": word, "outputs": [each.model_copy(update={"correct": False}) for each in one.outputs]}
        )
        for one, word in zip(made.examples, words, strict=True)
    ]
    page = shown(made.model_copy(update={"examples": wrong}))
    found = re.search(r'id="o-words"[^>]*>(.*?)</p>', page)[1]
    assert re.findall(r"<bdi>(.*?)</bdi></button> (\d+) of (\d+)", found) == [("Patrone", "3", "3"), ("er", "3", "3")]


def test_an_occurrence_that_is_judged_of_no_system_is_not_said_to_have_none_right(shown):
    made = make(2, examples=1)
    (one,) = made.examples
    left = [each.model_copy(update={"correct": False, "verdict": "", "why": "no choice"}) for each in one.outputs]
    page = shown(made.model_copy(update={"examples": [one.model_copy(update={"outputs": left})]}))
    assert re.search(r'class="tally">([^<]*)<', page)[1] == "not judged of any system"


def test_documents_begin_with_a_figure_that_there_is(shown):
    made = make(1, documents=1, examples=0)
    first = made.columns[4]
    scores = [
        one.model_copy(update={"value": None, "documents": [None]}) if one.column == first.name else one
        for one in made.scores
    ]
    page = shown(made.model_copy(update={"scores": scores}))
    assert first.kind == "phenomenon"
    assert re.search(r'<span class="big">([^<]*)<', page)[1] != "–"
    assert 'class="spark"' not in page, "there is nothing to compare a single document with"


def test_documents_of_few_words_come_last(tmp_path):
    made = make(1, documents=4, examples=0)
    column = next(one for one in made.columns if one.name == "pronouns")
    counted = column.model_copy(update={"occurrences": 30, "by_document": [1, 9, 12, 8]})
    score = made.score("pronouns", "system-01").model_copy(update={"documents": [0.0, 0.9, 0.5, 0.7]})
    result = made.model_copy(update={"columns": [counted], "scores": [score]})
    (tmp_path / "report.html").write_text(render(result, "html"), encoding="utf-8")
    page = _run(f"--user-data-dir={tmp_path}/profile", f"file://{tmp_path}/report.html")
    documents = page[page.index('class="docs"') : page.index("</table>", page.index('class="docs"'))]
    shown = re.findall(r'</th><td class="num optional">(\d+)</td><td class="num">([\d.]+)<', documents)
    assert shown == [("12", "50.0"), ("8", "70.0"), ("9", "90.0"), ("1", "0.0")]
