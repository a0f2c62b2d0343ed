"""What a result says of a small corpus, beside its figures."""

from __future__ import annotations

from collections import Counter

import pytest

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.errors import InputError
from endophora.evaluation.columns import measure
from endophora.evaluation.evaluate import Evaluation, evaluate
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.phenomena import TaggerOptions

FIRST = (("Do you have it?", "Haben Sie es?", "Hast du es?"), ("You have it.", "Sie haben es.", "Du hast es."))
SECOND = (("You are late.", "Sie sind spät.", "Sie sind spät."),)


def corpus(references: int = 1) -> Corpus:
    names = ("ref", "other")[:references]
    documents = tuple(
        Document(
            f"d{number}",
            tuple(
                Segment(source, dict.fromkeys(names, reference), {"same": reference, "du": output}, Location("m", line))
                for line, (source, reference, output) in enumerate(rows, start=1)
            ),
        )
        for number, rows in enumerate((FIRST, SECOND))
    )
    return Corpus("en", "de", documents, names, ("same", "du"))


def evaluated(references: int = 1, **options: object) -> Evaluation:
    setup = Setup("en", "de", taggers=TaggerOptions(phenomena=("formality",)))
    return evaluate(corpus(references), setup, EvaluationOptions(metrics=("chrf",), resamples=100, **options))


@pytest.fixture(scope="module")
def done() -> Evaluation:
    return evaluated()


def test_the_corpus_is_described(done: Evaluation):
    info = done.result.corpus
    assert [(one.id, one.segments) for one in info.documents] == [("d0", 2), ("d1", 1)]
    assert (info.source_language, info.target_language, info.segments) == ("en", "de", 3)
    assert (info.references, info.systems) == (["ref"], ["same", "du"])
    # “Do you have it ?” 5, “You have it .” 4, “You are late .” 4; “Haben Sie es ?” 4, “Sie haben es .” 4, 4.
    assert (info.source_words, info.reference_words) == (13, 12)


def test_a_phenomenon_is_counted_in_the_reference_and_in_each_output(done: Evaluation):
    (found,) = done.result.phenomena
    occurrences = [one for one in done.occurrences if one.phenomenon == "formality"]
    assert found.name == "formality"
    assert found.occurrences == len(occurrences) > 0
    assert found.rules == Counter(one.rule for one in occurrences)
    assert found.words == len(
        {(one.document, one.segment, place) for one in occurrences for place in one.target_tokens}
    )
    distances = [one.support.distance for one in occurrences if one.support]
    assert found.distances == Counter(distances)
    assert list(found.distances) == sorted(found.distances)
    assert found.systems["same"] == found.occurrences
    assert found.systems.keys() == {"same", "du"}
    assert set(done.tagged) == {"ref", "same", "du"}


def test_settings_and_signature_say_what_was_chosen(done: Evaluation):
    settings = done.result.settings
    assert (settings.baseline, settings.alpha, settings.confidence) == ("best", 0.05, 0.95)
    assert (settings.resamples, settings.seed, settings.units) == (100, 1, "documents")
    assert settings.test == "approximate-randomisation"
    parts = done.result.signature.split("|")
    wanted = (
        "refs:ref", "judge:choice", "support:inter", "test:approximate-randomisation", "units:documents",
        "resamples:100", "confidence:0.95", "alpha:0.05", "seed:1",
    )  # fmt: skip
    assert set(parts) >= set(wanted)


def test_columns_are_phenomena_then_metrics_with_their_signatures(done: Evaluation):
    formality, level, chrf = done.result.columns
    assert (formality.name, formality.kind, formality.scale, formality.higher_is_better) == (
        "formality", "phenomenon", 1.0, True,
    )  # fmt: skip
    assert (chrf.kind, chrf.scale, chrf.higher_is_better) == ("text", 100, True)
    assert chrf.signature
    assert formality.signature
    score = done.result.score("formality", "same")
    assert (score.value, score.precision, score.recall) == (1.0, None, None)
    assert score.counts == {"right": 1, "wrong": 0, "other": 0, "missing": 0}
    assert (formality.occurrences, formality.documents, formality.enough) == (1, 1, False)
    assert (level.name, level.kind, level.metric) == ("formality level", "category", "formality")
    assert [len(one.documents) for one in done.result.scores] == [2] * 6
    with pytest.raises(KeyError):
        done.result.score("formality", "nobody")


def test_what_the_user_should_know_comes_with_the_result(done: Evaluation):
    assert "with 2 documents no difference can be significant at .05" in done.result.warnings
    assert not any("first reference" in warning for warning in done.result.warnings)
    two = evaluated(references=2, units="segments").result
    assert "occurrences are found and matched in the first reference, ref; text metrics use all" in two.warnings
    assert "refs:ref,other" in two.signature
    assert "units:segments" in two.signature
    assert two.settings.units == "segments"


def test_phenomena_without_judgments_are_named():
    """Those of test sets have word F alone: an empty column says so."""
    setup = Setup("en", "de", taggers=TaggerOptions(phenomena=("formality", "formality_cases")))
    said = "there are no judgments of formality_cases: --judge wording scores their words"
    for judge, expected in (("choice", True), ("wording", False)):
        options = EvaluationOptions(metrics=(), resamples=100, judge=judge)
        assert (said in evaluate(corpus(), setup, options).result.warnings) == expected


def test_a_corpus_without_reference_is_refused():
    bare = Corpus("en", "de", (Document("d", ()),), (), ())
    for call in (lambda: evaluate(bare, Setup("en", "de")), lambda: measure(bare, ("chrf",))):
        with pytest.raises(InputError, match=r"\[E107\]"):
            call()
