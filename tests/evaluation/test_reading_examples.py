"""What a reader is shown of an occurrence, by texts whose words are what blanks separate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.evaluation.examples import ExampleLines
from endophora.evaluation.result import Example
from endophora.evaluation.setup import EvaluationOptions
from endophora.evaluation.tagging import Span, TaggedDocument, encode_document
from endophora.phenomena.records import Occurrence, Support

SEGMENTS = 12
LAST = SEGMENTS - 1


def spans(text: str) -> list[Span]:
    return [(found.start(), found.end()) for found in re.finditer(r"\S+", text)]


def tagged(
    texts: Sequence[str], sources: Sequence[str], occurrences: Sequence[Occurrence], links: Sequence[Span] = ()
) -> TaggedDocument:
    every = [links for _ in texts]
    return TaggedDocument("d", texts, encode_document(map(spans, sources), map(spans, texts), every, occurrences, ()))


def shown(
    occurrences: Sequence[Occurrence],
    output: str = "",
    links: Sequence[Span] = (),
    file: str = "in.tsv",
    **options: int | str,
):
    """Examples of a document of twelve segments, “alpha3 beta” with the reference “eins3 zwei drei”."""
    sources = [f"alpha{number} beta" for number in range(SEGMENTS)]
    references = [f"eins{number} zwei drei" for number in range(SEGMENTS)]
    outputs = [output or reference for reference in references]
    segments = tuple(
        Segment(source, {"ref": reference}, {"mt": text}, Location(file, number + 2))
        for number, (source, reference, text) in enumerate(zip(sources, references, outputs, strict=True))
    )
    corpus = Corpus("en", "de", (Document("d", segments),), ("ref",), ("mt",))
    systems = {"mt": [tagged(outputs, sources, (), links)]}
    chosen = EvaluationOptions(**({"judge": "wording", "examples": 9, "seed": 1} | options))
    return ExampleLines(corpus, [tagged(references, sources, occurrences)], systems, chosen).sample()


def occurrence(support: Support | None = None, segment: int = LAST, **changed: object) -> Occurrence:
    fields = {
        "document": "d", "segment": segment, "phenomenon": "pronouns", "rule": "third", "source_tokens": (1,),
        "target_tokens": (1,), "expected": "zwei", "support": support,
    }  # fmt: skip
    return Occurrence(**(fields | changed))  # type: ignore[arg-type]


def marks(found: Example) -> dict[str, list[tuple[str, str]]]:
    passages = {"source": found.source, "reference": found.reference, "output": found.outputs[0].passage}
    for one in found.context:
        passages |= {f"source {one.segment}": one.source, f"reference {one.segment}": one.reference}
    return {
        name: [(passage.text[mark.start : mark.end], mark.role) for mark in passage.highlights]
        for name, passage in passages.items()
        if passage.highlights
    }


def test_an_examples_file_is_named_without_the_folders_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    here = tmp_path / "work"
    here.mkdir()
    monkeypatch.chdir(here)
    given = {str(here / "in" / "a.tsv"): "in/a.tsv", str(tmp_path / "b.tsv"): "b.tsv", "in/c.tsv": "in/c.tsv"}
    for file, name in {**given, "<stdin>": "<stdin>"}.items():
        (found,) = shown([occurrence()], file=file)
        assert found.file == name


def test_what_is_judged_comes_before_what_is_not():
    support = Support(((2, 0),), ((2, 0),), LAST - 2)
    unlinked = [occurrence(support, phenomenon="verb_form", source_tokens=(), target_tokens=(at,)) for at in (0, 2)]
    linked = occurrence(support, phenomenon="verb_form")
    assert [one.expected for one in shown([*unlinked, linked], judge="choice", examples=1)] == ["zwei"]
    found = shown([unlinked[0], linked, unlinked[1]], judge="choice", examples=2)
    assert len(found) == 2
    assert any(mark == [("zwei", "occurrence")] for one in found for mark in [marks(one)["reference"]])


def test_an_example_shows_the_context_from_the_nearest_supporting_segment_on():
    (found,) = shown([occurrence(Support(((2, 0), (5, 0)), ((5, 0), (6, 2)), 6, 0.75))])
    assert (found.document, found.segment, found.file, found.line) == ("d", LAST, "in.tsv", LAST + 2)
    assert (found.phenomenon, found.rule, found.expected) == ("pronouns", "third", "zwei")
    assert (found.antecedent, found.distance, found.probability) == ("alpha5", 6, 0.75)
    assert [one.segment for one in found.context] == [5, 6, 7, 8, 9, 10]
    assert found.context[1].source.text == "alpha6 beta"
    assert found.context[1].reference.text == "eins6 zwei drei"
    assert marks(found) == {
        "source": [("beta", "source")],
        "reference": [("zwei", "occurrence")],
        "output": [("zwei", "written")],
        "source 5": [("alpha5", "support")],
        "reference 5": [("eins5", "support")],
        "reference 6": [("drei", "support")],
    }


@pytest.mark.parametrize(
    ("segment", "support", "context"),
    [
        (LAST, None, [9, 10]),
        (LAST, Support(((1, 0),), (), 10), [3, 4, 5, 6, 7, 8, 9, 10]),
        (LAST, Support(((3, 0),), (), 8), [3, 4, 5, 6, 7, 8, 9, 10]),
        (LAST, Support(((4, 0),), (), 7), [4, 5, 6, 7, 8, 9, 10]),
        (LAST, Support(((10, 0),), (), 1), [9, 10]),
        (LAST, Support(((LAST, 0),), (), 0), [9, 10]),
        (LAST, Support((), ((2, 0),), 9), [9, 10]),
        (1, None, [0]),
        (0, None, []),
    ],
)
def test_two_to_eight_segments_of_context_are_shown(segment: int, support: Support | None, context: list[int]):
    (found,) = shown([occurrence(support, segment)])
    assert [one.segment for one in found.context] == context


def test_an_occurrence_without_support_has_no_antecedent():
    (found,) = shown([occurrence()])
    assert (found.antecedent, found.distance, found.probability) == ("", None, None)


def test_of_an_antecedent_the_head_is_named_and_not_its_last_word():
    """*The lamp at the market … it* refers to the lamp."""
    (found,) = shown([occurrence(Support(((LAST - 1, 1), (LAST - 1, 0)), (), 1))])
    assert found.antecedent == f"alpha{LAST - 1}"


def test_support_in_the_same_segment_is_marked_beside_the_occurrence():
    (found,) = shown([occurrence(Support(((LAST, 0),), ((LAST, 2),), 0))])
    assert found.antecedent == f"alpha{LAST}"
    assert marks(found)["source"] == [(f"alpha{LAST}", "support"), ("beta", "source")]
    assert marks(found)["reference"] == [("zwei", "occurrence"), ("drei", "support")]


@pytest.mark.parametrize(
    ("output", "links", "correct", "written"),
    [
        ("drei zwei", (), True, "zwei"),
        ("drei vier fünf", ((0, 0), (1, 2), (1, 1)), False, "vier fünf"),
        ("drei vier fünf", ((0, 1),), False, ""),
        ("", (), True, "zwei"),
    ],
)
def test_what_a_system_wrote_is_the_same_form_or_what_is_linked(
    output: str, links: Sequence[Span], correct: bool, written: str
):
    (found,) = shown([occurrence()], output, links)
    (one,) = found.outputs
    assert (one.system, one.correct, one.written) == ("mt", correct, written)
    assert marks(found).get("output", []) == [(word, "written") for word in written.split()]


def test_all_words_of_an_occurrence_must_be_there():
    both = occurrence(target_tokens=(1, 2), expected="zwei drei")
    for output, correct, written in (("drei zwei", True, "zwei drei"), ("zwei vier", False, "vier")):
        (found,) = shown([both], output, ((1, 1),))
        assert (found.outputs[0].correct, set(found.outputs[0].written.split())) == (correct, set(written.split()))


def test_the_references_word_makes_nothing_right_that_has_no_verdict():
    (found,) = shown([occurrence()], judge="choice", support="any")
    (output,) = found.outputs
    assert (output.correct, output.verdict, output.why) == (False, "", "antecedent not known")


def test_equal_forms_are_set_against_each_other_in_order():
    sources, references = ["one two"], ["zwei zwei drei"]
    for output, correct in (("zwei drei", False), ("drei zwei zwei", True)):
        segment = Segment(sources[0], {"ref": references[0]}, {"mt": output}, Location("in.tsv", 1))
        corpus = Corpus("en", "de", (Document("d", (segment,)),), ("ref",), ("mt",))
        second = occurrence(segment=0, target_tokens=(1,))
        reference, system = tagged(references, sources, [second]), tagged([output], sources, ())
        (found,) = ExampleLines(
            corpus, [reference], {"mt": [system]}, EvaluationOptions(judge="wording", examples=1)
        ).sample()
        assert found.outputs[0].correct == correct


def test_the_sample_is_so_many_of_each_phenomenon_in_the_order_of_the_corpus():
    pronouns = [occurrence(segment=number) for number in range(10)]
    verbs = [occurrence(segment=number, phenomenon="verbs") for number in (2, 4)]
    flat = [*pronouns[:5], *verbs, *pronouns[5:]]
    found = shown(flat, examples=3, seed=5)
    assert [one.phenomenon for one in found] == ["pronouns"] * 3 + ["verbs"] * 2
    chosen = [one.segment for one in found[:3]]
    assert chosen == sorted(set(chosen))
    assert [one.segment for one in shown(flat, examples=3, seed=5)[:3]] == chosen
    assert {tuple(one.segment for one in shown(flat, examples=3, seed=seed)[:3]) for seed in range(5)} != {
        tuple(chosen)
    }
    assert len(shown(flat, examples=0)) == 0
