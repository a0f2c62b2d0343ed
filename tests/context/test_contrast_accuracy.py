"""Contrastive accuracy with a scorer that does what the test says: figures by hand, and McNemar's test by scipy."""

from __future__ import annotations

import csv
import io
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from command import run
from endophora.context.contrast import (
    Contrast,
    ReadScores,
    contrast_inputs,
    read_contrast_scores,
    score_contrast,
    write_contrast_scores,
)
from endophora.context.contrast_figures import ContrastOptions, Run, contrast_groups
from endophora.context.results import ContrastResult
from endophora.errors import InputError
from endophora.models.records import ModelInput, ScoredTarget, Sides
from endophora.report import REPORTS
from endophora.store import Store
from endophora.suites import Item, Pair, Suite, Variant
from endophora.suites.formats import read_suite
from endophora.suites.own_formats import write_suite_jsonl
from endophora.suites.published import write_contrapro
from endophora.suites.scoring import SuiteOptions, score_contrastive

SMALL = ContrastOptions(sizes=(0, 2), resamples=1000)


class FakeScorer:
    """Gives each target as many tokens as it has words, and the log-probability that a function says."""

    vocabulary: Sequence[int] = range(10)

    def __init__(self, find: Callable[[ModelInput, str], float], signature: str = "fake") -> None:
        self.find = find
        self.signature = signature
        self.asked: list[tuple[ModelInput, str]] = []

    def length(self, sentence: str | tuple[int, ...]) -> int:
        return len(sentence)

    def score(self, inputs: Sequence[ModelInput], targets: Sequence[str]) -> list[ScoredTarget]:
        self.asked += zip(inputs, targets, strict=True)
        found: list[ScoredTarget] = []
        for one, target in zip(inputs, targets, strict=True):
            count = len(target.split())
            values = np.full(count, self.find(one, target) / count)
            found.append(ScoredTarget(target, (*target.split(),), ((0, 0),) * count, values))
        return found


def item(number: int, right: str = "er", distance: int | None = 1, **changes: object) -> Item:
    wrong = [form for form in ("er", "sie", "es") if form != right]
    made = Item(
        id=str(number),
        document=f"d{number}",
        segment=3,
        source=f"it {number}",
        reference=f"{right} {number}",
        phenomenon="gender",
        rule=f"it:{right}",
        expected=(right,),
        distance=distance,
        before=(Pair("s1", "t1"), Pair("s2", "t2"), Pair("s3", "t3")),
        variants=tuple(Variant(f"{form} {number}", form) for form in wrong),
    )
    return replace(made, **changes)


def suite() -> Suite:
    """Twelve items in as many documents: six of *er*, four of *sie*, two of *es*; distances 0 and 1."""
    forms = ["er"] * 6 + ["sie"] * 4 + ["es"] * 2
    return Suite("toy", "en", "de", tuple(item(n, form, n % 2) for n, form in enumerate(forms)))


def always_er(one: ModelInput, target: str) -> float:
    """Without context *er* is always best; with it the right form is, except for item 11."""
    number = int(target.split()[1])
    if not one.source_context or number == 11:
        return {"er": -1.0, "sie": -2.0, "es": -3.0}[target.split()[0]]
    right = suite().items[number].expected[0]
    return -1.0 if target.startswith(right) else -2.0


def find_zero_worse(one: ModelInput, target: str) -> float:
    """As :func:`always_er`, but that item 0 is wrong with context."""
    if one.source_context and target == "er 0":
        return -9.0
    return always_er(one, target)


@pytest.fixture(scope="module")
def found() -> Contrast:
    blind = FakeScorer(lambda _, target: always_er(ModelInput(""), target), "blind")
    return score_contrast(suite(), {"none": blind, "uses": FakeScorer(find_zero_worse)}, SMALL)


def test_accuracies_by_hand(found: Contrast):
    """Without context the six of *er*; with it all but item 0 (lost) and item 11."""
    value = {(one.model, one.size, one.kind, one.group): one.value for one in found.result.scores}
    assert value["uses", 0, "all", ""] == 50.0
    assert value["uses", 2, "all", ""] == pytest.approx(100 * 10 / 12)
    assert value["uses", 0, "form", "er"] == 100.0
    assert value["uses", 2, "form", "er"] == pytest.approx(100 * 5 / 6)
    assert value["uses", 2, "form", "sie"] == 100.0
    assert value["uses", 2, "form", "es"] == 50.0
    assert value["uses", 2, "distance", "0"] == pytest.approx(100 * 5 / 6)
    assert value["uses", 2, "distance", "1"] == pytest.approx(100 * 5 / 6)
    assert value["none", 2, "all", ""] == 50.0


def test_figures_over_kept_context_have_intervals_where_they_stand_in_enough_documents(found: Contrast):
    several = 0
    for one in found.result.scores:
        # The model does not tell what it reads, so that all context counts as read; each item is a document.
        assert one.kept_counted == (one.counted if one.size else 0)
        assert one.kept_interval == (one.interval if one.kept_counted >= 6 else None)
        several += one.kept_interval is not None
    # All items, those of *er* and those of each of two distances, of two models.
    assert several == 8


def test_drawn_figures_have_their_n(found: Contrast):
    shown = re.findall(r">([^<:]*\d \([^<]*\)[^<]*)</text>", found.result.plot().svg)
    assert len(shown) > 4
    assert [text for text in shown if not re.search(r"\), n = [\d,]+$", text)] == []


def test_p_is_that_of_the_exact_test_of_mcnemar(found: Contrast):
    """With one item a document, swapping documents is swapping items: the sign test of the discordant ones."""
    one = found.result.comparison("context", "uses", 2)
    assert one is not None
    assert (one.gained, one.lost) == (5, 1)
    assert one.difference == pytest.approx(100 * 4 / 12)
    assert one.p_value == pytest.approx(stats.binomtest(1, 6, 0.5).pvalue)


def test_models_are_compared_at_the_same_size(found: Contrast):
    one = found.result.comparison("model", "uses", 2)
    assert one is not None
    assert (one.other_model, one.other_size) == ("none", 2)
    assert one.difference == pytest.approx(100 * 4 / 12)
    same = found.result.comparison("model", "uses", 0)
    assert same is not None
    assert (same.difference, same.p_value) == (0.0, 1.0)


def test_rules_that_are_but_forms_are_left_out():
    assert [kind for kind, _ in contrast_groups(suite().items).names] == ["all", *["form"] * 3, *["distance"] * 2]
    other = [*suite().items, item(12, "er", rule="this:er")]
    assert [kind for kind, _ in contrast_groups(other).names].count("rule") == 4


def test_a_tie_is_wrong_unless_it_is_said_to_be_correct():
    model = FakeScorer(lambda *_: -1.0)
    wrong = score_contrast(suite(), {"m": model}, SMALL).result
    right = score_contrast(suite(), {"m": model}, replace(SMALL, ties="correct")).result
    assert [one.value for one in wrong.scores if one.kind == "all"] == [0.0, 0.0]
    assert [one.value for one in right.scores if one.kind == "all"] == [100.0, 100.0]
    assert [one.ties for one in wrong.runs] == [12, 12]


def test_scores_are_of_the_whole_translation_unless_normalised():
    """The right one is three times as long, and more likely a token: −3 against −2 in all, −1 against −2 a token."""
    one = item(0, reference="er ist da", variants=(Variant("sie"),))
    model = FakeScorer(lambda _, target: -3.0 if target == "er ist da" else -2.0)
    two = Suite("toy", "en", "de", (one, replace(one, id="1", document="x")))
    assert score_contrast(two, {"m": model}, SMALL).result.scores[0].value == 0.0
    assert score_contrast(two, {"m": model}, replace(SMALL, normalised=True)).result.scores[0].value == 100.0


def test_inputs_have_the_last_segments_of_the_sides_that_are_wanted():
    one = item(0, variants=(Variant("sie 0"), Variant("es 0", before=("u1", "u2", "u3"))), correct=1)
    inputs, targets = contrast_inputs([one], 2, SMALL)
    assert targets == ["sie 0", "er 0", "es 0"]
    assert [each.source_context for each in inputs] == [("s2", "s3")] * 3
    assert [each.target_context for each in inputs] == [("t2", "t3"), ("t2", "t3"), ("u2", "u3")]
    source_only, _ = contrast_inputs([one], 2, replace(SMALL, sides=Sides.SOURCE))
    assert not any(each.target_context for each in source_only)
    assert contrast_inputs([one], 0, SMALL)[0] == [ModelInput("it 0")] * 3


def test_a_suite_without_target_context_gives_none_and_says_so():
    bare = Suite("toy", "en", "de", tuple(replace(one, before=(Pair("s1"),)) for one in suite().items))
    model = FakeScorer(always_er)
    result = score_contrast(bare, {"m": model}, SMALL).result
    assert not any(one.target_context for one, _ in model.asked)
    assert any("no target context" in warning for warning in result.warnings)


def test_items_without_wrong_translations_are_left_out_with_a_warning():
    some = Suite("toy", "en", "de", (*suite().items, item(12, variants=())))
    result = score_contrast(some, {"m": FakeScorer(always_er)}, SMALL).result
    assert result.suite.items == 12
    assert any("1 of 13 items" in warning for warning in result.warnings)


def test_a_second_run_asks_nothing(tmp_path: Path):
    with Store(tmp_path / "kept.sqlite") as store:
        first = score_contrast(suite(), {"m": FakeScorer(always_er)}, SMALL, (), store).result
        again = FakeScorer(always_er)
        assert score_contrast(suite(), {"m": again}, SMALL, (), store).result == first
    assert again.asked == []


def test_scores_of_other_tools_stand_beside_and_give_what_suite_score_gives(found: Contrast, tmp_path: Path):
    write_contrast_scores(found, tmp_path)
    files = {"marian@0": str(tmp_path / "scores" / "uses.0.txt"), "marian@2": str(tmp_path / "scores" / "uses.2.txt")}
    read = read_contrast_scores(suite(), files)
    result = score_contrast(suite(), {"uses": FakeScorer(find_zero_worse)}, SMALL, read).result
    ours = [(one.kind, one.group, one.value) for one in result.scores if one.model == "uses"]
    assert [(one.kind, one.group, one.value) for one in result.scores if one.model == "marian"] == ours
    for each in read:
        plain = score_contrastive(suite(), {"x": each.scores}, SuiteOptions(resamples=100))
        score = result.score("marian", each.run.size)
        assert score is not None
        assert plain.score("x").value == score.value


def test_losses_are_turned_round(tmp_path: Path):
    lines = [str(-value) for value in _scores(0)]
    (tmp_path / "losses.txt").write_text("\n".join(lines) + "\n", "utf-8")
    (read,) = read_contrast_scores(suite(), {"x@0": str(tmp_path / "losses.txt")}, higher_is_better=False)
    assert list(read.scores) == _scores(0)


def _scores(size: int) -> list[float]:
    inputs, targets = contrast_inputs(suite().items, size, SMALL)
    return [always_er(one, target) for one, target in zip(inputs, targets, strict=True)]


@given(st.lists(st.floats(-1e6, 0, allow_nan=False), min_size=36, max_size=36))
@settings(max_examples=25)
def test_scores_that_were_written_read_back_the_same(found: Contrast, values: list[float]):
    with tempfile.TemporaryDirectory() as folder:
        write_contrast_scores(Contrast(found.result, {Run("m", 0): values}), Path(folder))
        (read,) = read_contrast_scores(suite(), {"m@0": str(Path(folder) / "scores" / "m.0.txt")})
    assert list(read.scores) == values


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: score_contrast(suite(), {}, SMALL), "E332"),
        (lambda: score_contrast(suite(), {"m": FakeScorer(always_er)}, replace(SMALL, baseline="x")), "E332"),
        (lambda: score_contrast(Suite("t", "en", "de", (item(0, variants=()),)), {"m": FakeScorer(always_er)}), "E331"),
        (lambda: score_contrast(Suite("t", "en", "de", (item(0, before=None),)), {"m": FakeScorer(always_er)}), "E177"),
        (lambda: score_contrast(suite(), {}, SMALL, [ReadScores(Run("m", 0), [1.0])]), "E174"),
        (lambda: read_contrast_scores(suite(), {"nematus": "x"}), "E333"),
        (lambda: ContrastOptions(sizes=(0, 0), ties="either"), "E326"),
    ],
)
def test_what_is_wrong_is_told(call: Callable[[], object], code: str):
    with pytest.raises(InputError, match=code):
        call()


def test_every_format_shows_the_result(found: Contrast, tmp_path: Path):
    found.result.write(tmp_path / "result.json")
    assert ContrastResult.read(tmp_path / "result.json") == found.result
    text = REPORTS.get("text")(found.result)
    assert "83.3" in text
    assert "by distance of the antecedent" in text
    rows = list(csv.DictReader(io.StringIO(REPORTS.get("csv")(found.result))))
    read = {(row["model"], row["size"], row["by"]): row["counted"] for row in rows if row["kind"] == "context-read"}
    assert len(rows) == len(found.result.scores) + len(found.result.comparisons) + len(read)
    assert [read["uses", "2", state] for state in ("given", "whole", "cut", "lost")] == ["12", "12", "0", "0"]
    whole = next(row for row in rows if (row["model"], row["size"], row["by"]) == ("uses", "2", "all"))
    assert (whole["kept_low"], whole["kept_high"]) == (whole["low"], whole["high"]) != ("", "")
    assert REPORTS.get("latex")(found.result).count(r"\\") == 3
    page = REPORTS.get("html")(found.result)
    assert "83.3" in page
    assert "<script" not in page


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    write_suite_jsonl(suite(), tmp_path / "toy.jsonl")
    monkeypatch.setattr("endophora.cli.context.open_scorer", lambda *_: FakeScorer(find_zero_worse))
    out = tmp_path / "out"
    arguments = ("context", "contrast", str(tmp_path / "toy.jsonl"), "-M", "uses=x", "--size", "0", "--size", "2")
    assert run(*arguments, "-o", str(out), "-q") == 0
    assert "83.3" in capsys.readouterr().out
    assert (out / "report.html").is_file()
    assert [(one.model, one.size) for one in ContrastResult.read(out / "result.json").runs] == [
        ("uses", 0),
        ("uses", 2),
    ]
    assert run(*arguments, "--scores", f"other@2={out / 'scores' / 'uses.2.txt'}", "-o", str(out), "-q") == 0
    assert run(*arguments, "--baseline", "nothing", "-o", str(out), "-q") == 2
    assert "E332" in capsys.readouterr().err


def test_a_suite_of_word_senses_gives_the_published_accuracy(shared: Path):
    """MuCoW's Table 5, tr–en: 2334 of 3723."""
    folder = shared / "known-answers" / "mucow"
    mucow = read_suite(folder / "tr-en.mucow.scoring.json.gz")
    files = {"nematus@0": str(folder / "nematus.score.tr-en.mucow.txt")}
    read = read_contrast_scores(mucow, files, higher_is_better=False)
    result = score_contrast(mucow, {}, replace(SMALL, sizes=(0,), resamples=1), read).result
    total = result.score("nematus", 0)
    assert total is not None
    assert (total.correct, total.counted) == (2334, 3723)


def test_contexts_of_contrapro_are_joined_from_its_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    write_contrapro(suite(), tmp_path / "contrapro.json")
    before = [("s1", "t1"), ("s2", "t2"), ("s3", "t3")]
    rows = [(one.document, *pair) for one in suite().items for pair in (*before, (one.source, one.reference))]
    lines = ["document\tsource\treference", *map("\t".join, rows)]
    (tmp_path / "corpus.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    model = FakeScorer(find_zero_worse)
    monkeypatch.setattr("endophora.cli.context.open_scorer", lambda *_: model)
    arguments = ("context", "contrast", str(tmp_path / "contrapro.json"), "-l", "en-de", "-M", "uses=x", "--size", "2")
    assert run(*arguments, "-o", str(tmp_path / "out"), "-q") == 2
    assert "E177" in capsys.readouterr().err
    assert run(*arguments, "--corpus", str(tmp_path / "corpus.tsv"), "-o", str(tmp_path / "out"), "-q") == 0
    assert {one.source_context for one, _ in model.asked} == {("s2", "s3")}
    assert {one.target_context for one, _ in model.asked} == {("t2", "t3")}


def test_a_run_is_compared_with_the_least_context_however_sizes_are_ordered():
    def difference(*sizes: int) -> tuple[int, float]:
        options = replace(SMALL, sizes=sizes)
        made = score_contrast(suite(), {"uses": FakeScorer(always_er)}, options).result.comparison("context", "uses", 2)
        assert made
        return made.other_size, made.difference

    assert difference(0, 2) == difference(2, 0) == (0, pytest.approx(100 * 5 / 12))
