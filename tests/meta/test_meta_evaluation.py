"""Metrics against people: figures by scipy, levels and systems that are missing, and the command."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from command import run
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.evaluation.levels import Documents, Scores, ScoreSet
from endophora.meta.evaluate import meta_evaluate
from endophora.meta.options import MetaOptions
from endophora.meta.people import score_corpus
from endophora.meta.result import MetaResult
from endophora.meta.score_files import write_documents, write_human, write_metric
from endophora.metrics import load_metric

SYSTEMS = ("A", "B", "C", "D", "E")
DOCUMENTS = Documents(tuple(f"d{index // 3}" for index in range(24)))
FAST = {"resamples": 50, "trials": 50}


def of_segments(name: str, values: np.ndarray, systems: tuple[str, ...] = SYSTEMS) -> ScoreSet:
    return ScoreSet(name, {"seg": Scores("seg", systems, values)}).complete(DOCUMENTS)


@pytest.fixture
def human() -> ScoreSet:
    return of_segments("mqm", -np.random.default_rng(1).integers(0, 4, size=(5, 24)).astype(float))


@pytest.fixture
def good(human) -> ScoreSet:
    return of_segments("good", human.levels["seg"].values + np.random.default_rng(2).normal(size=(5, 24)))


@pytest.fixture
def bad(human) -> ScoreSet:
    return of_segments("bad", human.levels["seg"].values + np.random.default_rng(3).normal(size=(5, 24)) * 9)


def codes(call) -> list[str]:
    with pytest.raises(InputError) as caught:
        call()
    return [fault.code for fault in caught.value.faults]


def test_figures_are_scipys_at_all_levels(good, bad, human):
    result = meta_evaluate([good, bad], human, DOCUMENTS, MetaOptions(**FAST))
    segments, people = good.levels["seg"].values, human.levels["seg"].values
    by_document = [values.reshape(5, 8, 3).mean(axis=2) for values in (segments, people)]
    for level, x, y in (
        ("seg", segments, people),
        ("doc", *by_document),
        ("sys", segments.mean(axis=1), people.mean(axis=1)),
    ):
        for name, scipys in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
            found = result.correlation("good", level, name)
            assert found.value == pytest.approx(scipys(x.ravel(), y.ravel()).statistic), (level, name)
            assert found.interval.low <= found.value <= found.interval.high
    assert [info.units for info in result.levels] == [8, 8, 5]
    assert result.accuracy("good", "sys").pairs == 10


def test_the_better_metric_is_found_and_stands_first(good, bad, human):
    result = meta_evaluate([bad, good], human, DOCUMENTS, MetaOptions(**FAST))
    (one,) = [c for c in result.comparisons if (c.level, c.measure) == ("seg", "pearson")]
    assert (one.first, one.second) == ("good", "bad")
    assert one.williams.significant
    assert one.permutation.significant
    assert one.interval.low > 0
    assert one.williams.statistic > 0
    untested = [c for c in result.comparisons if c.measure == "kendall"]
    assert untested
    assert all(c.permutation is None and c.williams is None for c in untested)


def test_the_result_is_read_back_and_the_same_again(good, bad, human, tmp_path):
    one, two = (meta_evaluate([good, bad], human, DOCUMENTS, MetaOptions(**FAST)) for _ in range(2))
    assert one == two
    one.write(tmp_path / "result.json")
    assert MetaResult.read(tmp_path / "result.json") == one


def test_systems_that_not_all_scored_are_left_out_and_named(good, human):
    few = of_segments("few", np.random.default_rng(4).normal(size=(4, 24)), ("B", "D", "X", "A"))
    result = meta_evaluate([good, few], human, DOCUMENTS, MetaOptions(**FAST, exclude=("D",)))
    assert result.levels[0].systems == ["A", "B"]
    assert result.warnings[:2] == [
        "Left out, since not all metrics scored them: C, E.",
        "Left out, since people did not score them: X.",
    ]


def test_missing_human_scores_are_left_out(good, human):
    values = human.levels["seg"].values.copy()
    values[:, ::2] = np.nan
    values[0, 1] = np.nan
    result = meta_evaluate([good], of_segments("mqm", values), DOCUMENTS, MetaOptions(**FAST))
    there = ~np.isnan(values)
    expected = stats.pearsonr(good.levels["seg"].values[there], values[there]).statistic
    assert result.correlation("good", "seg", "pearson").value == pytest.approx(expected)
    assert result.correlation("good", "seg", "pearson").scores == 59
    assert result.levels[0].scores == 59


def test_documents_can_be_drawn_at_system_level_only_if_its_scores_are_means(good, human):
    options = MetaOptions(**FAST, system_units="documents", levels=("sys",))
    drawn = meta_evaluate([good], human, DOCUMENTS, options)
    assert drawn.levels[0].resampled == "documents"
    plain = meta_evaluate([good], human, DOCUMENTS, MetaOptions(**FAST, levels=("sys",)))
    name = ("good", "sys", "pearson")
    assert drawn.correlation(*name).value == pytest.approx(plain.correlation(*name).value)
    assert drawn.correlation(*name).interval != plain.correlation(*name).interval
    own = ScoreSet("own", {**good.levels, "sys": good.levels["sys"]})
    assert codes(lambda: meta_evaluate([own], human, DOCUMENTS, options)) == ["E124"]


def test_without_documents_segments_are_drawn_and_a_warning_says_so(good, human):
    bare = [ScoreSet(one.name, {"seg": one.levels["seg"]}) for one in (good, human)]
    result = meta_evaluate(bare[:1], bare[1], None, MetaOptions(**FAST))
    assert result.levels[0].resampled == "segments"
    assert any("as if independent" in warning for warning in result.warnings)
    assert any("level doc" in warning for warning in result.warnings)


def test_wrong_calls_are_refused(good, human):
    assert codes(lambda: meta_evaluate([good, good], human)) == ["E123"]
    assert codes(lambda: meta_evaluate([], human)) == ["E123"]
    assert codes(lambda: meta_evaluate([good], human, options=MetaOptions(exclude=("Z",)))) == ["E123"]
    other = of_segments("good", good.levels["seg"].values, ("V", "W", "X", "Y", "Z"))
    assert codes(lambda: meta_evaluate([other], human)) == ["E123"]
    short = ScoreSet("short", {"seg": Scores("seg", SYSTEMS, np.zeros((5, 3)))})
    assert codes(lambda: meta_evaluate([short], human)) == ["E113"]
    assert codes(lambda: MetaOptions(levels=("word",), coefficients=("r",), alpha=2.0, trials=-1)) == [
        *["E075"] * 2,
        *["E106"] * 2,
    ]


def test_neighbouring_systems_are_compared_over_documents_as_scipy_does(good, bad, human):
    result = meta_evaluate([good, bad], human, DOCUMENTS, MetaOptions(**FAST, order=("D", "A", "C")))
    found = {(one.column, one.first, one.second): one for one in result.paired}
    assert list(found) == [(name, *pair) for name in ("", "good", "bad") for pair in (("D", "A"), ("A", "C"))]
    scores = {"": human, "good": good, "bad": bad}
    for (name, first, second), one in found.items():
        of = dict(zip(SYSTEMS, scores[name].levels["doc"].values, strict=True))
        expected = stats.ttest_rel(of[second], of[first])
        assert one.statistic == pytest.approx(expected.statistic)
        assert one.p_value == pytest.approx(expected.pvalue)
        assert one.interval.low == pytest.approx(expected.confidence_interval().low)
        assert one.documents == 8


def test_neighbours_are_those_of_peoples_ranking_unless_an_order_is_given(good, human):
    result = meta_evaluate([good], human, DOCUMENTS, MetaOptions(**FAST))
    means = human.levels["seg"].values.mean(axis=1)
    ranked = [SYSTEMS[index] for index in np.argsort(means, kind="stable")]
    own = [one for one in result.paired if one.column == "good"]
    assert [(one.first, one.second) for one in own] == list(pairwise(ranked))
    assert not meta_evaluate([good], human, DOCUMENTS, MetaOptions(**FAST, levels=("seg",))).paired
    for order in (("A",), ("A", "A"), ("A", "Z")):
        assert codes(lambda order=order: meta_evaluate([good], human, options=MetaOptions(order=order))) == ["E129"]


def test_too_few_trials_for_so_many_pairs_are_told(good, human):
    many = [replace(good, name=f"m{number}") for number in range(4)]
    warned = meta_evaluate(many, human, DOCUMENTS, MetaOptions(resamples=0, trials=118)).warnings
    assert any("take 120 trials or more" in warning for warning in warned)
    enough = meta_evaluate(many, human, DOCUMENTS, MetaOptions(resamples=0, trials=119)).warnings
    assert not any("trials" in warning for warning in enough)


def test_a_constant_metric_has_no_figure_and_no_test(good, human):
    flat = of_segments("flat", np.ones((5, 24)))
    result = meta_evaluate([good, flat], human, DOCUMENTS, MetaOptions(**FAST))
    assert result.correlation("flat", "seg", "pearson").value is None
    assert not [c for c in result.comparisons if c.measure == "pearson"]
    assert "NaN" not in result.model_dump_json()


def test_two_metrics_without_a_figure_where_both_have_scores_are_not_compared(human, tmp_path):
    everywhere, here = np.random.default_rng(7).normal(size=(2, 5, 24)) + human.levels["seg"].values
    everywhere[:, :4], here[:, 4:] = 1.0, np.nan
    metrics = [of_segments("everywhere", everywhere), of_segments("here", here)]
    result = meta_evaluate(metrics, human, DOCUMENTS, MetaOptions(**FAST, levels=("seg",)))
    assert result.correlation("everywhere", "seg", "pearson").value is not None
    assert result.correlation("here", "seg", "pearson").value is not None
    result.write(tmp_path / "result.json")
    assert MetaResult.read(tmp_path / "result.json") == result


def corpus() -> Corpus:
    words = "the old bridge across a river carries them home every night but it is narrow".split()  # noqa: SIM905
    rng = np.random.default_rng(5)

    def segment(index: int) -> Segment:
        text = [str(word) for word in rng.choice(words, size=9)]
        noisy = {s: " ".join(w if rng.random() > 0.1 * i else "x" for w in text) for i, s in enumerate("AB")}
        return Segment(f"Quelle {index}", {"ref": " ".join(text)}, noisy, Location("f", index))

    documents = tuple(Document(name, tuple(segment(i) for i in range(4))) for name in ("d1", "d2"))
    return Corpus("de", "en", documents, ("ref",), ("A", "B"))


def test_a_metric_scores_systems_by_its_formula_and_not_by_means():
    bleu = load_metric("bleu", "en")
    scored, by_document, ter = score_corpus(["bleu", "d-bleu", "ter"], corpus())
    texts = [s for d in corpus().documents for s in d.segments]
    statistics = bleu.statistics([s.outputs["B"] for s in texts], [[s.references["ref"] for s in texts]])
    assert scored.levels["sys"].values[1, 0] == pytest.approx(float(bleu.score(statistics.sum(axis=0))))
    assert scored.levels["doc"].values[1, 1] == pytest.approx(float(bleu.score(statistics[4:].sum(axis=0))))
    assert scored.levels["seg"].values[1, 6] == pytest.approx(float(bleu.score(statistics[6])))
    assert scored.means == frozenset()
    assert set(by_document.levels) == {"doc", "sys"}
    assert by_document.levels["doc"].values.shape == (2, 2)
    assert (ter.levels["sys"].values <= 0).all()


def test_a_metric_of_annotated_texts_brings_its_categories():
    found = {scored.name: scored for scored in score_corpus(["blonde"], corpus())}
    assert {"BlonDe", "BlonD-d", "BlonDe tense", "BlonDe 4-grams"} <= set(found)
    assert found["BlonDe"].levels["seg"].values.shape == (2, 8)
    assert found["BlonDe"].levels["sys"].values[0, 0] == pytest.approx(100)


def test_a_metric_asked_for_twice_is_named_by_its_arguments():
    found = [scored.name for scored in score_corpus(["blonde", "blonde:paper,arithmetic", "chrf"], corpus())]
    assert {"BlonDe", "BlonDe (paper,arithmetic)", "BlonDe tense (paper,arithmetic)", "chrF2"} <= set(found)
    assert len(set(found)) == len(found)


def test_recall_and_precision_can_be_metrics_too():
    found = {scored.name: scored for scored in score_corpus(["chrf", "blonde"], corpus(), halves=True)}
    assert [name for name in found if "recall" in name] == ["BlonDe recall"]
    whole, recall, precision = (
        found[name].levels["sys"].values[1, 0] for name in ("BlonDe", "BlonDe recall", "BlonDe precision")
    )
    assert whole == pytest.approx(2 * recall * precision / (recall + precision))


@pytest.fixture
def test_set(tmp_path, good, bad, human) -> Path:
    write_human(tmp_path, "en-de", human)
    write_metric(tmp_path, "en-de", good, ["refA"])
    write_metric(tmp_path, "en-de", bad, [])
    write_documents(tmp_path, "en-de", DOCUMENTS)
    return tmp_path


@pytest.mark.parametrize("form", ["text", "json", "csv", "latex"])
def test_the_command_reads_a_test_sets_directory(test_set, form, capsys):
    arguments = ["-H", str(test_set), "-m", str(test_set), "-l", "en-de", "-o", str(test_set / "out"), "-f", form]
    assert run("meta-evaluate", *arguments, "--resamples", "20", "--trials", "20", "--quiet") == 0
    out = capsys.readouterr().out
    result = MetaResult.read(test_set / "out" / "result.json")
    assert [metric.name for metric in result.metrics] == ["bad-src", "good-refA"]
    value = result.correlation("good-refA", "seg", "pearson").value
    if form == "text":
        assert "people (mqm)" in out
    if form == "json":
        assert json.loads(out)["signature"] == result.signature
    elif form == "csv":
        rows = list(csv.DictReader(out.splitlines()))
        assert float(next(r for r in rows if r["metric"] == "good-refA")["value"]) == value
    else:
        assert f"{value:.3f}" in out


def test_the_command_scores_and_converts_annotations(tmp_path, capsys):
    lines = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    number = 0
    for document in corpus().documents:
        for position, segment in enumerate(document.segments, start=1):
            number += 1
            for index, (name, text) in enumerate((*segment.outputs.items(), ("ref", segment.references["ref"]))):
                severity = ("Minor", "Major", "No-error")[(index + number) % 3]
                row = (name, document.id, position, number, "r1", segment.source, f"<v>{text}</v>", "Style", severity)
                lines.append("\t".join(map(str, row)))
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join(lines) + "\n")
    common = ["-H", str(path), "-l", "de-en", "-o", str(tmp_path / "out"), "--trials", "9", "--resamples", "9", "-q"]
    scored = [*common, "-r", "ref", "--score", "bleu", "--score", "chrf", "--write-scores", str(tmp_path / "set")]
    assert run("meta-evaluate", *scored) == 0
    first = MetaResult.read(tmp_path / "out" / "result.json")
    assert first.levels[0].systems == ["A", "B"]
    assert "weights:google" in first.signature
    assert first.metrics[0].signature == load_metric("bleu", "en").signature()
    assert (tmp_path / "set" / "metric-scores" / "de-en" / "BLEU-ref.seg.score").is_file()
    again = ["-m", str(tmp_path / "set"), "--coefficient", "pearson"]
    assert run("meta-evaluate", *common, *again) == 0
    second = MetaResult.read(tmp_path / "out" / "result.json")
    for level in ("seg", "doc", "sys"):
        one, two = (r.correlation(n, level, "pearson").value for r, n in ((first, "BLEU"), (second, "BLEU-ref")))
        assert one == two
    assert run("meta-evaluate", *common, "--write-scores", str(tmp_path / "only")) == 0
    assert not (tmp_path / "only" / "metric-scores").exists()
    assert run("meta-evaluate", *common, "--score", "bleu") == 2
    assert "E127" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--level", "word"), "E106"),
        (("--negate", "x"), "E123"),
        (("--epsilon", "good-refA=x"), "E106"),
        (("--epsilon", "x=1"), "E123"),
        (("--epsilon", "good-refA=-1"), "E110"),
        (("--exclude", "x"), "E123"),
        (("--order", "x"), "E129"),
        (("--format", "odt"), "E090"),
        (("--human-name", "esa"), "E117"),
    ],
)
def test_wrong_options_end_with_a_code(test_set, arguments, code, capsys):
    common = ["-H", str(test_set), "-m", str(test_set), "-l", "en-de", "-o", str(test_set / "out")]
    assert run("meta-evaluate", *common, "--trials", "9", "--resamples", "9", *arguments) == 2
    assert code in capsys.readouterr().err
