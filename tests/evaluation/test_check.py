"""``endophora check``: outputs judged without a reference, end to end on the example documents."""

from dataclasses import replace
from pathlib import Path

import pytest

from endophora.corpus.formats import read_corpus
from endophora.corpus.records import Corpus, Document
from endophora.data import example_directory
from endophora.errors import InputError
from endophora.evaluation.check import PHENOMENA, check
from endophora.evaluation.evaluate import Evaluation, evaluate
from endophora.evaluation.setup import EvaluationOptions, Setup
from endophora.phenomena import TaggerOptions
from endophora.report import render

GLOSSARY = example_directory("en-de") / "glossary.tsv"


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_corpus(str(example_directory("en-de")), "wmt", ("en", "de"))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("check") / "store.db"


@pytest.fixture(scope="module")
def done(corpus: Corpus, store: Path) -> Evaluation:
    return check(corpus, Setup("en", "de", store=store), EvaluationOptions(resamples=100, support="any"), workers=1)


def test_a_system_that_reads_its_context_is_better_without_a_reference_too(done: Evaluation):
    for column in ("lexical_cohesion", "formality", "pronouns"):
        aware, sentence = (done.result.score(column, name).value for name in ("context-aware", "sentence-level"))
        assert aware is not None
        assert sentence is not None
        assert aware > sentence


def test_the_result_has_no_reference_and_counts_what_was_judged(done: Evaluation):
    assert done.result.corpus.references == []
    assert "refs:|" in done.result.signature or "refs:" not in done.result.signature
    assert {column.signature.partition("|")[0] for column in done.result.columns} == {"judge:alone"}
    for column in done.result.columns:
        counts = [sum(score.counts.values()) for score in done.result.scores if score.column == column.name]
        assert column.occurrences == max(counts)
    assert len(done.occurrences) == sum(
        sum(score.counts.values()) for score in done.result.scores if " " not in score.column
    )


def test_phenomena_that_only_a_reference_tells_are_named_with_the_reason(done: Evaluation):
    told = [warning for warning in done.result.warnings if "is not judged without a reference: only" in warning]
    assert [warning.partition(" is not")[0] for warning in told] == ["verb form", "ellipsis"]


def test_what_is_not_judged_is_counted_with_its_reason(done: Evaluation):
    """The first word of address of each of the 13 conversations that have one stands against nothing."""
    formality = [score for score in done.result.scores if score.column == "formality"]
    assert [score.unjudged["first word of address"] for score in formality] == [13, 13]
    assert all("support in the segment" not in score.unjudged for score in done.result.scores)
    shown = [choice for one in done.tagged["context-aware"] for choice in one.choices.shown]
    for column in ("formality", "pronouns", "lexical_cohesion"):
        score = done.result.score(column, "context-aware")
        tagged = sum(choice.phenomenon == column for choice in shown)
        assert sum(score.counts.values()) + sum(score.unjudged.values()) == tagged


def test_reports_say_how_many_of_the_tagged_words_are_judged(done: Evaluation):
    score = done.result.score("pronouns", "sentence-level")
    (unknown,) = score.unjudged.values()
    assert f"{unknown} antecedent not known" in render(done.result.model_copy(update={"scores": [score]}), "markdown")
    (known,) = [column.detectable for column in done.result.columns if column.name == "pronouns"]
    assert known
    assert known.difference
    assert f"pronouns {100 * known.difference:.1f}" in render(done.result, "markdown")
    assert str(unknown) in next(
        line for line in render(done.result, "csv").splitlines() if line.startswith("sentence-level,pronouns")
    )


def test_reports_say_how_much_text_is_needed(corpus: Corpus, store: Path, done: Evaluation):
    few = check(corpus, Setup("en", "de", store=store), EvaluationOptions(resamples=100, minimum=100)).result
    assert all(column.needed and column.needed > len(corpus) for column in few.columns)
    assert "Segments like these that would be enough: lexical cohesion" in render(few, "markdown")
    assert all(column.detectable is None for column in few.columns)


def test_examples_say_what_was_asked_and_what_is_shown(done: Evaluation):
    wrong = [
        output
        for example in done.result.examples
        for output in example.outputs
        if output.verdict == "wrong" and example.phenomenon == "pronouns"
    ]
    assert wrong
    assert all(output.asked in {"Fem", "Masc", "Neut"} and output.asked not in output.shown for output in wrong)
    assert all(output.why for output in wrong)


def test_a_corpus_without_outputs_is_refused(corpus: Corpus):
    bare = Corpus("en", "de", corpus.documents, corpus.references, ())
    with pytest.raises(InputError, match=r"\[E108\]"):
        check(bare, Setup("en", "de"))


def test_what_only_a_reference_tells_is_refused(corpus: Corpus):
    with pytest.raises(InputError, match=r"\[E109\]"):
        check(corpus, Setup("en", "de", taggers=TaggerOptions(phenomena=("verb_form",))))


def test_terms_of_a_glossary_are_a_column_of_their_own(corpus: Corpus, store: Path, done: Evaluation):
    """The sentence-level output has another word for the suitcase, the printer, the library or the flat in places."""
    options = EvaluationOptions(resamples=100, support="any", glossary=GLOSSARY, metrics=())
    setup = Setup("en", "de", store=store, taggers=TaggerOptions(phenomena=PHENOMENA))
    for result in (check(corpus, setup, options).result, evaluate(corpus, setup, options).result):
        aware, sentence = (result.score("terms", name) for name in ("context-aware", "sentence-level"))
        assert aware.counts["right"] > sentence.counts["right"]
        assert sum(aware.counts.values()) == sum(result.phenomena[-1].rules.values())
        assert result.glossary
        assert result.glossary.terms == 11
        assert f"glossary:{result.glossary.signature}" in result.signature
        assert result.glossary.unfound == []
        assert "Glossary: 11 terms, all of them in the source." in render(result, "markdown")
        wrong = {
            (output.asked, output.written) for e in result.examples for output in e.outputs if e.phenomenon == "terms"
        }
        assert ("Drucker", "Gerät") in wrong
        assert ("Patrone", "Kartusche") in wrong


def test_a_glossary_without_outputs_is_not_dropped_in_silence(corpus: Corpus, store: Path, done: Evaluation):
    bare = Corpus("en", "de", corpus.documents, corpus.references, ())
    setup = Setup("en", "de", store=store, taggers=TaggerOptions(phenomena=("formality",)))
    result = evaluate(bare, setup, EvaluationOptions(glossary=GLOSSARY)).result
    assert any("glossary" in warning for warning in result.warnings)


def test_another_glossary_is_another_column(corpus: Corpus, store: Path, done: Evaluation, tmp_path: Path):
    other = tmp_path / "g.tsv"
    other.write_text("bridge\tFähre\n", encoding="utf-8")
    options = EvaluationOptions(resamples=100, support="any", glossary=other, metrics=())
    result = check(corpus, Setup("en", "de", store=store), options).result
    assert result.score("terms", "context-aware").counts["right"] == 0
    assert result.score("terms", "context-aware").counts["wrong"] > 0


def test_a_system_named_like_the_reference_is_not_taken_for_it(corpus: Corpus, store: Path, done: Evaluation):
    """The first reference has its own figure and stands in the examples, also where an output has its name."""
    (name,) = corpus.references[:1]
    documents = list[Document]()
    for each in corpus.documents:
        segments = (replace(one, outputs={name: one.outputs["sentence-level"]}) for one in each.segments)
        documents.append(replace(each, segments=tuple(segments)))
    twin = Corpus("en", "de", tuple(documents), (name,), (name,))
    options = EvaluationOptions(resamples=1, glossary=GLOSSARY, metrics=())
    setup = Setup("en", "de", store=store, taggers=TaggerOptions(phenomena=("formality",)))
    result = evaluate(twin, setup, options).result
    (terms,) = [column for column in result.columns if column.name == "terms"]
    value = result.score("terms", name).value
    assert terms.human == 1.0
    assert terms.human_judged
    assert value is not None
    assert value < 1.0
    assert f"The first reference, people's own translation, has: terms 100.0 ({terms.human_judged} judged)" in render(
        result, "markdown"
    )
    texts = {each.id: each.segments for each in corpus.documents}
    for example in (one for one in result.examples if one.phenomenon == "terms"):
        segments = texts[example.document]
        assert example.reference.text == segments[example.segment].references[name]
        assert [one.reference.text for one in example.context] == [
            segments[one.segment].references[name] for one in example.context
        ]
