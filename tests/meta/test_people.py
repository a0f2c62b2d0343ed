"""Human scores beside an evaluation: matched by names, agreements by scipy, and what does not match is reported."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from command import run
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.evaluation import levels
from endophora.evaluation.evaluate import evaluate
from endophora.evaluation.levels import Documents, Scores, ScoreSet, documents_of
from endophora.evaluation.result import Human, Result
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.meta.evaluate import meta_evaluate
from endophora.meta.options import MetaOptions
from endophora.meta.people import People, match_people, read_metrics, read_people
from endophora.meta.score_files import write_documents, write_human
from endophora.phenomena import TaggerOptions

SYSTEMS = ("A", "B", "C", "D")
SIZES = {"d1": 4, "d2": 3, "d3": 5}
SEGMENTS = sum(SIZES.values())


def made() -> Corpus:
    words = "the old bridge across a river carries them home every night but it is narrow".split()  # noqa: SIM905
    rng = np.random.default_rng(5)

    def segment(index: int) -> Segment:
        text = [str(word) for word in rng.choice(words, size=9)]
        noisy = {s: " ".join(w if rng.random() > 0.15 * i else "x" for w in text) for i, s in enumerate(SYSTEMS)}
        return Segment(f"Quelle {index}", {"ref": " ".join(text)}, noisy, Location("f", index))

    documents = tuple(Document(name, tuple(segment(i) for i in range(size))) for name, size in SIZES.items())
    return Corpus("sw", "en", documents, ("ref",), SYSTEMS)


CORPUS = made()
VALUES = -np.random.default_rng(1).integers(0, 9, size=(4, SEGMENTS)).astype(float)


def people_of(values: np.ndarray, systems: tuple[str, ...] = SYSTEMS, documents: Documents | None = None) -> People:
    known = documents or documents_of(CORPUS)
    return People(ScoreSet("esa", {"seg": Scores("seg", systems, values)}).complete(known), known)


def evaluated(people: People | None = None) -> Result:
    setup = Setup("sw", "en", taggers=TaggerOptions(phenomena=()))
    options = EvaluationOptions(metrics=("chrf", "ter", "d-bleu"), resamples=100)
    human = None if people is None else match_people(people, CORPUS)
    return evaluate(CORPUS, setup, options, human=human).result


def codes(people: People, corpus: Corpus = CORPUS) -> list[str]:
    with pytest.raises(InputError) as caught:
        match_people(people, corpus)
    return [fault.code for fault in caught.value.faults]


def test_agreements_are_scipys_at_every_level(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(levels, "FEWEST", 4)
    result = evaluated(people_of(VALUES))
    assert result.human is not None
    found = {(one.column, one.level, one.coefficient): one for one in result.human.agreements}
    assert ("d-BLEU", "segment", "pearson") not in found
    assert len(found) == 3 * (2 + 3 + 3)
    documents = np.array([result.score("TER", system).documents for system in SYSTEMS])
    systems = np.array([result.score("TER", system).value for system in SYSTEMS])
    said = np.array([one.documents for one in result.human.scores])
    np.testing.assert_allclose(said[:, 1], VALUES[:, 4:7].mean(axis=1))
    for level, x, y in (("document", documents, said), ("system", systems, VALUES.mean(axis=1))):
        for name, scipys in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
            one = found["TER", level, name]
            assert one.value == pytest.approx(scipys(x.ravel(), y.ravel()).statistic), (level, name)
            assert one.pairs == x.size
            assert one.interval.low <= one.interval.high
    assert found["chrF2", "segment", "pearson"].pairs == 4 * SEGMENTS
    assert result.signature.endswith("|human:esa")


def test_systems_are_compared_with_their_neighbours_as_people_rank_them():
    assert [(one.first, one.second) for one in evaluated().paired[:3]] == [("A", "B"), ("B", "C"), ("C", "D")]
    ranked = -np.array([[4.0], [1.0], [3.0], [2.0]]) * np.ones((4, SEGMENTS))
    result = evaluated(people_of(ranked))
    pairs = [one for one in result.paired if one.column == "TER"]
    assert [(one.first, one.second) for one in pairs] == [("A", "C"), ("C", "D"), ("D", "B")]
    first, second = (result.score("TER", name).documents for name in ("A", "C"))
    expected = stats.ttest_rel(second, first)
    assert pairs[0].statistic == pytest.approx(-expected.statistic), "C makes more errors than A"
    assert pairs[0].p_value == pytest.approx(expected.pvalue)
    assert pairs[0].documents == 3


def test_scores_are_matched_by_names_whatever_their_order():
    straight = match_people(people_of(VALUES), CORPUS)
    order = [*range(7, 12), *range(4), *range(4, 7)]
    documents = Documents(tuple(documents_of(CORPUS).ids[index] for index in order))
    there = people_of(VALUES[[2, 0, 3, 1]][:, order], ("C", "A", "D", "B"), documents)
    turned = match_people(there, CORPUS)
    for level in ("seg", "doc", "sys"):
        np.testing.assert_array_equal(straight.scores.levels[level].values, turned.scores.levels[level].values)
    assert evaluated(people_of(VALUES)).human == evaluated(there).human


def test_what_only_one_side_has_is_told():
    values = VALUES[:3, :7].copy()
    values[0, 0] = np.nan
    documents = Documents(("d1",) * 4 + ("d9",) * 3)
    people = people_of(values, ("A", "C", "X"), documents)
    matched = match_people(people, CORPUS)
    assert matched.warnings == (
        "without human scores: B, D",
        "people scored what is no system here: X",
        "documents without human scores: d2, d3",
        "people judged documents that are not here: d9",
        f"people judged 7 of {4 * SEGMENTS} outputs; documents and systems are means of these",
    )
    result = evaluated(people)
    assert result.warnings[-1] == "people scored 2 of the systems: too few for a correlation at system level"
    by_name = {one.system: one for one in result.human.scores}
    assert by_name["B"].value is None
    assert by_name["A"].documents == [pytest.approx(values[0, 1:4].mean()), None, None]
    assert {one.value for one in result.human.agreements if one.level == "system"} == {None}
    assert "NaN" not in result.model_dump_json()


def test_scores_of_documents_and_systems_alone_are_taken():
    levels = {
        "doc": Scores("doc", SYSTEMS, np.arange(12.0).reshape(4, 3)),
        "sys": Scores("sys", SYSTEMS, np.arange(4.0)[:, None]),
    }
    human = evaluated(People(ScoreSet("da", levels), None)).human
    assert {one.level for one in human.agreements} == {"document", "system"}
    assert [one.value for one in human.scores] == [0, 1, 2, 3]
    assert human.scores[1].documents == [3, 4, 5]


def test_what_does_not_match_is_refused():
    assert codes(people_of(VALUES, ("W", "X", "Y", "Z"))) == ["E126"]
    assert codes(people_of(VALUES, documents=Documents(("e1",) * SEGMENTS))) == ["E128"]
    assert codes(people_of(VALUES, documents=Documents(("d1",) * 5 + ("d2",) * 2 + ("d3",) * 5))) == ["E128"] * 2
    assert codes(replace(people_of(VALUES[:, 1:], documents=Documents(("d1",) * 11)), documents=None)) == ["E128"]


def test_an_evaluation_is_read_back_as_scores(tmp_path):
    result = evaluated()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        result.write(tmp_path / name / "result.json")
    turned = Documents(tuple(reversed(documents_of(CORPUS).ids)))
    read = {one.name: one for one in read_metrics([tmp_path / "one", tmp_path / "two" / "result.json"], "", turned)}
    assert [*read] == ["chrF2", "TER", "d-BLEU", "chrF2 (two)", "TER (two)", "d-BLEU (two)"]
    for name, sign in (("chrF2", 1), ("TER", -1)):
        scores = [result.score(name, system) for system in SYSTEMS]
        assert read[name].levels["doc"].values.tolist() == [[sign * x for x in one.documents[::-1]] for one in scores]
        assert read[f"{name} (two)"].levels["sys"].values.tolist() == [[sign * one.value] for one in scores]
    people = people_of(VALUES)
    compared = meta_evaluate(
        [*read.values()][:3], people.scores, people.documents, MetaOptions(resamples=100, trials=0)
    )
    assert {one.level for one in compared.comparisons if one.williams} == {"doc", "sys"}
    with pytest.raises(InputError, match="E128"):
        read_metrics([tmp_path / "one"], "", Documents(("d1", "d2")))
    (tmp_path / "one" / "result.json").write_text("{}")
    with pytest.raises(InputError, match="E117"):
        read_metrics([tmp_path / "one"], "", None)


def annotations(path: Path, numbers: list[int], *, given: bool = True) -> Path:
    """Write MQM of some segments, by their numbers in the corpus from 1."""
    lines = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    flat = [(d.id, place, s) for d in CORPUS.documents for place, s in enumerate(d.segments, start=1)]
    for own, number in enumerate(numbers, start=1):
        document, place, segment = flat[number - 1]
        for index, (name, text) in enumerate(segment.outputs.items()):
            severity = ("Minor", "Major", "No-error")[(index + number) % 3]
            row = (name, document, place, number if given else own, "r1", segment.source, text, "Style", severity)
            lines.append("\t".join(map(str, row)))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_annotations_of_some_segments_go_by_the_numbers_of_the_test_set(tmp_path):
    numbers = [2, 3, 6, 9, 12]
    people = read_people(annotations(tmp_path / "mqm.tsv", numbers))
    matched = match_people(people, CORPUS).scores.levels["seg"].values
    assert np.flatnonzero(~np.isnan(matched[0])).tolist() == [number - 1 for number in numbers]
    costs = {0: -1.0, 1: -5.0, 2: 0.0}
    assert matched[1, [1, 2, 5]].tolist() == [costs[(1 + number) % 3] for number in (2, 3, 6)]
    unnumbered = read_people(annotations(tmp_path / "own.tsv", numbers, given=False))
    assert codes(unnumbered) == ["E128"] * 3


@pytest.fixture
def files(tmp_path) -> list[str]:
    segments = [segment for document in CORPUS.documents for segment in document.segments]
    texts = {"src": [s.source for s in segments], "ref": [s.references["ref"] for s in segments]}
    texts |= {name: [s.outputs[name] for s in segments] for name in SYSTEMS}
    texts["docs"] = list(documents_of(CORPUS).ids)
    for name, lines in texts.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ["-s", str(tmp_path / "src"), "-r", f"ref={tmp_path / 'ref'}", "-d", str(tmp_path / "docs")]
    options += [part for name in SYSTEMS for part in ("-y", f"{name}={tmp_path / name}")]
    return [*options, "-l", "sw-en", "-p", "none", "-m", "chrf", "--resamples", "100", "--no-store"]


def human_scores(output: Path) -> Human:
    """Return what an evaluation says of people, whose neighbours its page and its pairs must have."""
    result = Result.read(output / "result.json")
    human = result.human
    assert human.name == "mqm"
    ranked = sorted((one for one in human.scores if one.value is not None), key=lambda one: one.value)
    neighbours = [(one.system, other.system) for one, other in pairwise(ranked)]
    assert [(one.first, one.second) for one in result.paired if one.column == "chrF2"] == neighbours
    page = (output / "report.html").read_text("utf-8")
    assert all(f"<bdi>{first}</bdi> – <bdi>{second}</bdi>" in page for first, second in neighbours)
    return human


def test_the_command_sets_human_scores_beside_metrics(files, tmp_path, capsys):
    path = annotations(tmp_path / "mqm.tsv", list(range(1, SEGMENTS + 1)))
    assert run("evaluate", *files, "--human", str(path), "--verbose", "-o", str(tmp_path / "out")) == 0
    assert "Agreement with mqm" in capsys.readouterr().out
    human = human_scores(tmp_path / "out")
    assert {one.level for one in human.agreements} == {"segment", "document", "system"}
    assert run("evaluate", *files, "--human", str(path), "--weights", "none", "-o", str(tmp_path / "out")) == 2
    assert "E120" in capsys.readouterr().err


def test_the_command_finds_the_human_scores_of_a_test_set(files, tmp_path, capsys):
    test_set = tmp_path / "set"
    for name in ("esa", "mqm"):
        people = people_of(VALUES if name == "esa" else VALUES / 2)
        write_human(test_set, "sw-en", replace(people.scores, name=name))
    write_documents(test_set, "sw-en", documents_of(CORPUS))
    common = ["-o", str(tmp_path / "out"), "--human", str(test_set)]
    assert run("evaluate", *files, *common, "--human-name", "mqm", "-q") == 0
    human = human_scores(tmp_path / "out")
    assert human.scores[0].value == pytest.approx(VALUES[0].mean() / 2)
    assert run("evaluate", *files, *common) == 2
    assert "E117" in capsys.readouterr().err
