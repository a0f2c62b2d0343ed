"""The HTML page, as a parser sees it: what runs, what is loaded, what is shown."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import pytest

from endophora.evaluation.result import Highlight, Passage
from endophora.report import render
from endophora.report.matrix import rows

from .factory import EXTRAS, HOSTILE, PHENOMENA, make


class Page(HTMLParser):
    """Elements with their attributes, text of each script and style, and all other text."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.texts, self.raw, self.open = [], [], {}, []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self.open.append(tag)
        if tag in ("script", "style"):
            self.raw.setdefault(tag, []).append("")

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1] in ("script", "style"):
            self.raw[self.open[-1]][-1] += data
        else:
            self.texts.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def _data(text):
    return json.loads(Page(text).raw["script"][0])


@pytest.fixture(scope="module")
def hostile():
    return render(make(len(HOSTILE) + 1, documents=12, examples=40, hostile=True), "html")


def test_policy_allows_our_script_and_style_and_nothing_else(hostile):
    page = Page(hostile)
    policy = next(meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    digest = {
        name: base64.b64encode(hashlib.sha256(page.raw[name][-1].encode()).digest()).decode()
        for name in ("script", "style")
    }
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{digest['style']}'",
        f"script-src 'sha256-{digest['script']}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_hostile_data_makes_no_element_and_no_script(hostile):
    page = Page(hostile)
    harmless = Page(render(make(len(HOSTILE) + 1, documents=12, examples=40), "html"))
    assert {tag for tag, _ in page.elements} == {tag for tag, _ in harmless.elements}
    assert len(page.all("script")) == 2
    assert page.all("img") == []
    assert page.raw["script"][1] == harmless.raw["script"][1], "the script is not built from data"
    assert not any(name.startswith("on") or name == "style" for _, attributes in page.elements for name in attributes)


def test_data_island_cannot_end_its_script(hostile):
    island = re.search(r'<script type="application/json" id="data">(.*?)</script>', hostile, re.S)[1]
    assert not set("<>&\u2028\u2029") & set(island)
    assert HOSTILE[0] in json.loads(island)["systems"]


def test_nothing_is_loaded_from_anywhere(hostile):
    for _, attributes in Page(hostile).elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    assert not re.search(
        r"@import|url\(|fetch\(|XMLHttpRequest|innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", hostile
    )


def test_names_and_warnings_are_shown_as_text_without_controls(hostile):
    shown = "".join(Page(hostile).texts)
    assert HOSTILE[0] in shown
    assert "{{ 7*7 }}" in shown
    assert "\\x1b[31mred" in shown
    assert not set("\x1b\x07\u202e\u2066") & set(shown)


def test_matrix_needs_no_script():
    result = make(26)
    shown = render(result, "html")
    table = shown[shown.index('id="matrix-table"') : shown.index("</table>", shown.index('id="matrix-table"'))]
    for row in rows(result):
        for cell in row.cells:
            assert f">{cell.value}</" in table
            assert f"<small>{cell.interval}</small>" in table
    worse = sum(cell.verdict == "worse" for row in rows(result) for cell in row.cells)
    assert worse > 0
    assert table.count('aria-label="significantly worse"') == worse


def test_links_of_the_matrix_lead_to_their_cell():
    hashes = [attributes["href"] for attributes in Page(render(make(2), "html")).all("a")]
    assert "#view=cell&system=system-02&column=verb_form" in hashes


def test_counts_need_no_script():
    result = make(0)
    shown = re.sub(r"\s+", " ", " ".join(Page(render(result, "html")).texts))
    for phenomenon in result.phenomena:
        assert f"{phenomenon.occurrences} occurrences" in shown.replace(" ,", ",").replace("  ", " ")
        for rule, count in phenomenon.rules.items():
            assert re.search(rf"{rule.replace('_', ' ')} +{count}", shown)


def test_tagging_without_systems_has_counts_and_occurrences_only():
    ids = {attributes.get("id") for _, attributes in Page(render(make(0), "html")).elements}
    assert {"counts", "occurrences"} <= ids
    assert not {"matrix", "overview", "documents"} & ids


def test_metrics_alone_have_no_sections_of_phenomena():
    page = Page(render(make(3, phenomena=False, extras=EXTRAS), "html"))
    ids = {attributes.get("id") for _, attributes in page.elements}
    assert {"matrix", "categories", "correlations", "people", "documents"} <= ids
    assert not {"overview", "counts", "occurrences"} & ids
    links = {attributes["href"] for attributes in page.all("a") if "view=" not in attributes["href"]}
    assert {link[1:] for link in links} <= ids
    assert "F-measure" not in "".join(page.texts)


def test_best_of_each_column_as_baseline():
    shown = " ".join(Page(render(make(4, baseline="best"), "html")).texts)
    assert "each column’s best system" in shown
    assert "against best" in shown
    assert "significantly better" not in shown


@pytest.mark.parametrize("arguments", [{"comparisons": False}, {"nulls": True}, {"examples": 0}, {"systems": 1}])
def test_page_is_made_of_results_with_gaps(arguments):
    assert Page(render(make(**arguments), "html")).open == []


def test_every_control_has_a_label_and_every_table_a_caption():
    shown = render(make(3), "html")
    page = Page(shown)
    unlabelled = re.sub(r"<label.*?</label>", "", shown, flags=re.S)
    assert not re.search(r"<(select|input)\b", unlabelled.split("<script")[0])
    assert shown.split("<script")[0].count("<table") == len(page.all("caption"))
    assert page.all("html")[0]["lang"] == "en"


def test_data_holds_every_output_of_every_example():
    result = make(3, examples=10)
    data = _data(render(result, "html"))
    for example, stored in zip(result.examples, data["examples"], strict=True):
        assert data["texts"][stored["document"]] == example.document
        assert data["texts"][stored["source"][0]] == example.source.text
        shown = [
            (data["systems"][system], correct == 1, data["texts"][written], data["texts"][passage])
            for system, correct, written, _, passage, *_ in stored["outputs"]
        ]
        assert shown == [
            (output.system, output.correct, output.written, output.passage.text) for output in example.outputs
        ]
    assert set(data["texts"]) >= set(PHENOMENA)
    assert len(set(data["texts"])) == len(data["texts"])


def test_what_has_no_verdict_is_neither_right_nor_wrong_on_the_page():
    result = make(2)
    outputs = [
        one.model_copy(update={"correct": False, "verdict": "", "why": "first translation"})
        for one in result.examples[0].outputs
    ]
    examples = [result.examples[0].model_copy(update={"outputs": outputs})]
    data = _data(render(result.model_copy(update={"examples": examples}), "html"))
    (example,) = data["examples"]
    assert {output[1] for output in example["outputs"]} == {4}
    assert {data["texts"][output[3]] for output in example["outputs"]} == {"not judged: first translation"}


def test_genders_and_forms_of_verbs_are_words_on_the_page():
    result = make(2)
    outputs = [
        one.model_copy(update={"verdict": "wrong", "asked": "Masc", "shown": "Fem,Neut", "why": "does not agree"})
        for one in result.examples[0].outputs
    ]

    def reasons(phenomenon: str) -> set[str]:
        example = result.examples[0].model_copy(update={"outputs": outputs, "phenomenon": phenomenon})
        data = _data(render(result.model_copy(update={"examples": [example]}), "html"))
        return {data["texts"][output[3]] for output in data["examples"][0]["outputs"]}

    assert reasons("pronouns") == {"asked: masculine; shown: feminine, neuter; does not agree"}
    assert reasons("lexical_cohesion") == {"asked: Masc; shown: Fem,Neut; does not agree"}


def test_highlights_are_in_utf16_units_flat_and_inside_the_text():
    text = "😀 sie war da"
    marks = [
        Highlight(start=2, end=5, role="support"),
        Highlight(start=4, end=9, role="occurrence"),
        Highlight(start=10, end=99, role="source"),
    ]
    result = make(0, examples=1)
    example = result.examples[0].model_copy(update={"reference": Passage(text=text, highlights=marks)})
    data = _data(render(result.model_copy(update={"examples": [example]}), "html"))
    place, *flat = data["examples"][0]["reference"]
    units = data["texts"][place].encode("utf-16-le")
    shown = [
        (units[2 * flat[at] : 2 * flat[at + 1]].decode("utf-16-le"), data["roles"][flat[at + 2]])
        for at in range(0, len(flat), 3)
    ]
    assert shown == [("si", "support"), ("e war", "occurrence"), ("da", "source")]


def test_marked_words_with_only_a_space_between_are_marked_as_one():
    marks = [Highlight(start=0, end=2, role="support"), Highlight(start=3, end=8, role="support")]
    result = make(0, examples=1)
    example = result.examples[0].model_copy(update={"reference": Passage(text="my uncle came", highlights=marks)})
    data = _data(render(result.model_copy(update={"examples": [example]}), "html"))
    assert data["examples"][0]["reference"][1:] == [0, 8, data["roles"].index("support")]


def test_far_distances_are_counted_together():
    result = make(0)
    phenomenon = result.phenomena[0].model_copy(update={"distances": {0: 3, 5: 2, 6: 7, 40: 4}})
    page = Page(render(result.model_copy(update={"phenomena": [phenomenon]}), "html"))
    assert re.search(r"0\s+3\s+5\s+2\s+> 5\s+11\s", " ".join(page.texts))


def test_large_report_stays_small():
    result = make(26, documents=100, examples=100, length=3)
    empty = len(render(result.model_copy(update={"examples": []}), "html").encode())
    full = len(render(result, "html").encode())
    assert empty + 10 * (full - empty) < 6_000_000, "26 systems with 1,000 examples, no passage twice"


def test_page_names_no_folder_of_the_user():
    result = make(2, examples=1)
    example = result.examples[0].model_copy(update={"file": "/home/ada lovelace/secret/source.en"})
    warnings = [
        "[E391] /home/ada lovelace/secret/a.de – 1 segment is blank",
        "see /srv/project/b.txt:3 and https://example.org/a/b",
    ]
    shown = render(result.model_copy(update={"examples": [example], "warnings": warnings}), "html")
    assert not any(word in shown for word in ("lovelace", "secret", "/srv", "project/"))
    assert all(word in shown for word in ("source.en", "a.de", "b.txt:3", "https://example.org/a/b"))


def test_conclusion_stands_before_all_figures_and_sections_follow_from_matrix_to_settings():
    result = make(2, extras=EXTRAS).model_copy(update={"conclusion": ["a is worse than <b> & c.", "No more."]})
    shown = render(result, "html")
    assert "a is worse than &lt;b&gt; &amp; c." in shown
    wanted = ("a is worse", 'id="matrix"', 'id="occurrences"', 'id="overview"', 'id="categories"', 'id="about"')
    places = [shown.index(each) for each in wanted]
    assert places == sorted(places)


def test_what_comes_after_the_occurrences_is_folded():
    shown = render(make(2, extras=EXTRAS), "html")
    for name in ("overview", "documents", "categories", "people", "correlations", "counts", "about"):
        section = shown[shown.index(f'id="{name}"') :]
        assert re.match(r'[^>]*>\s*<details class="fold"><summary><h2', section), name


def test_every_phenomenon_has_its_number_of_words_in_the_head_of_its_column():
    result = make(2)
    shown = render(result, "html")
    for phenomenon in result.phenomena:
        assert f"n = {phenomenon.words:,}" in shown


def test_comparisons_are_said_in_words():
    shown = re.sub(r"\s+", " ", " ".join(Page(render(make(2, baseline="best"), "html")).texts))
    assert re.search(r"the other system is (▼ significantly worse|not significantly worse)", shown)
    assert "worse of 1" not in shown
