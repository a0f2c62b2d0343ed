"""``endophora context demo``: every measure finds what is true of a language in which only context tells a pronoun."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("sentencepiece")


from command import run
from endophora.context.demo import CONTEXTUAL, DemoFigure
from endophora.data import CONTEXT_DEMO


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[DemoFigure], Path, str]:
    """The figures of nine documents, the directory, and what was printed."""
    import contextlib
    import io

    import endophora.context.demo as demo

    kept: list[demo.Demonstration] = []
    real = demo.demonstrate
    place, printed = tmp_path_factory.mktemp("demo") / "out", io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(printed):
        patch.setattr(demo, "demonstrate", lambda *given: kept.append(real(*given)) or kept[-1])
        assert run("context", "demo", "--documents", "9", "--output", str(place), "-q") == 0
    return list(kept[0].figures), place, printed.getvalue()


def test_every_measure_finds_the_true_answer(shown: tuple[list[DemoFigure], Path, str]):
    figures = shown[0]
    assert {one.measure for one in figures} == {"cxmi", "themes", "perturb", "contrast", "attribute"}
    near = {"nats": 0.1, "%": 2.0}
    for one in figures:
        if isinstance(one.truth, str) and isinstance(one.found, str):
            assert one.found == one.truth, one
        elif not isinstance(one.truth, str):
            within = one.interval is not None and one.interval.low <= one.truth <= one.interval.high
            assert within or one.found == pytest.approx(one.truth, abs=near[one.what.rpartition(" ")[2]]), one


def test_attribution_names_the_antecedent_for_pronouns_more_than_for_other_words(
    shown: tuple[list[DemoFigure], Path, str],
):
    for model in CONTEXTUAL:
        pronouns, others = (one.found for one in shown[0] if one.measure == "attribute" and one.model == model)
        assert pronouns > 1.5 * others


def test_what_the_table_calls_true_follows_from_the_text_alone():
    """Every gender and every state with it are alike often, so that nothing but the sentence before tells."""
    rows = [line.split("\t") for line in (CONTEXT_DEMO / "text.tsv").read_text("utf-8").splitlines()[1:]]
    seen = [(source, target.split()[0]) for _, source, target in rows if source.startswith("It ")]
    counts = {pair: seen.count(pair) for pair in seen}
    assert len(counts) == 18
    assert set(counts.values()) == {len(seen) // 18}
    for (_, before, noun), (_, source, target) in pairwise(rows):
        if source.startswith("It "):
            assert before.startswith("The ")
            assert target.split()[0] == {"Der": "Er", "Die": "Sie", "Das": "Es"}[noun.split()[0]]


def test_table_and_pages_are_written(shown: tuple[list[DemoFigure], Path, str]):
    _, place, printed = shown
    assert "found" in printed
    assert "true" in printed
    pages = {str(path.relative_to(place)) for path in place.rglob("*.html")}
    measured = {f"cxmi/{model}/{page}.html" for model in CONTEXTUAL for page in ("report", "themes")}
    others = {f"{name}/report.html" for name in ("perturb", "contrast", "attribute")}
    assert pages == measured | others | {"report.html"}


def test_a_page_has_every_figure_beside_the_true_answer_and_leads_to_all_others(
    shown: tuple[list[DemoFigure], Path, str],
):
    figures, place, _ = shown
    page = (place / "report.html").read_text(encoding="utf-8")
    links = re.findall(r'href="([^#"]+)"', page)
    assert sorted(links) == sorted(str(path.relative_to(place)) for path in place.glob("*/**/*.html"))
    rows = [re.sub(r"<[^>]+>|\s+", " ", row).split() for row in re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)]
    assert len([row for row in rows if row[-1].isdigit()]) == len(figures)
    known = [row for row in rows if row[:2] == ["P-CXMI", "of"] and "pronouns," in row]
    assert [row[-2] for row in known] == ["1.10"] * len(CONTEXTUAL)
    gaps = {"nats": list[float](), "%": list[float]()}
    for one in figures:
        if isinstance(one.found, float) and isinstance(one.truth, float):
            gaps[one.what.rpartition(" ")[2]].append(abs(one.found - one.truth))
    nats, points = max(gaps["nats"]), max(gaps["%"])
    said = re.search(r"What is found lies at most (.*?) nats and (.*?) points of 100 from the true answer", page)
    assert said
    assert said.groups() == (f"{nats:.2f}", f"{points:.2f}")


def test_what_ships_is_small():
    assert sum(path.stat().st_size for path in CONTEXT_DEMO.rglob("*") if path.is_file()) < 600_000
