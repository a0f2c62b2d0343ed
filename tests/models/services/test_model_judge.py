"""``check --judge llm:…``: a language model's judgments beside ours, over HTTP, on the example documents."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openai")

from endophora.corpus.formats import read_corpus
from endophora.corpus.records import Corpus
from endophora.data import example_directory
from endophora.errors import Fault, InputError
from endophora.evaluation.check import check
from endophora.evaluation.evaluate import Evaluation
from endophora.evaluation.judge import AskedModel, People, read_people
from endophora.evaluation.result import ModelJudge
from endophora.evaluation.setup import EvaluationOptions, JudgeOptions, Setup
from endophora.judgments.alone import LoneText
from endophora.models.services.openai_service import open_judge
from endophora.models.services.records import Cost
from endophora.report import render

from .conftest import chat
from .http_server import FakeService

Ask = Callable[..., tuple[Evaluation, ModelJudge]]
OPTIONS = EvaluationOptions(resamples=100, support="any", examples=1000)


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    whole = read_corpus(str(example_directory("en-de")), "wmt", ("en", "de"))
    return replace(whole, documents=whole.documents[:2], references=())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("judge") / "store.db"


@pytest.fixture(scope="module")
def alone(corpus: Corpus, store: Path) -> Evaluation:
    return check(corpus, Setup("en", "de", store=store), OPTIONS)


def said(verdict: str) -> Any:
    return chat(json.dumps({"reason": "so it is", "verdict": verdict}))


class Oracle:
    """Answers with our own verdicts, which it knows by the words in question of the translation and its source."""

    def __init__(self, corpus: Corpus, evaluation: Evaluation) -> None:
        self._verdicts: dict[tuple[str, str], str] = {}
        for system, documents in evaluation.tagged.items():
            for document, tagged in zip(corpus.documents, documents, strict=True):
                for occurrence, judgment in LoneText(document.id, tagged.choices).judgments():
                    text, spans = document.segments[occurrence.segment].outputs[system], tagged.target
                    for token in reversed(judgment.target_tokens):
                        start, end = spans[occurrence.segment][token]
                        text = f"{text[:start]}⟦{text[start:end]}⟧{text[end:]}"
                    if judgment.verdict:
                        self._verdicts[text, occurrence.phenomenon] = judgment.verdict

    def __call__(self, body: Any) -> Any:
        return said(self.verdict(body["messages"][1]["content"]))

    def verdict(self, question: str) -> str:
        kind = "formality" if "this level" in question else "pronouns" if "The pronoun" in question else ""
        here = question.split("The segment in question:")[1].splitlines()
        target = next(line.partition(": ")[2] for line in here if line.startswith("German"))
        return self._verdicts[target, kind or "lexical_cohesion"]


@pytest.fixture
def server(corpus: Corpus, alone: Evaluation) -> Iterator[FakeService]:
    service = FakeService(Oracle(corpus, alone))
    yield service
    service.close()


@pytest.fixture
def ask(
    corpus: Corpus, store: Path, server: FakeService, tmp_path: Path
) -> Callable[..., tuple[Evaluation, ModelJudge]]:
    def _ask(
        options: str = "", sample: int = 1000, confirm: Callable[[Cost], None] = lambda _: None, people: Any = None
    ) -> tuple[Evaluation, ModelJudge]:
        judge = open_judge(f"m,address={server.address}/v1,attempts=1{options}", cache=tmp_path / "answers.sqlite")
        asked = AskedModel(*judge, sample, confirm, people)
        try:
            done = check(corpus, Setup("en", "de", store=store), OPTIONS, asked=asked)
        finally:
            asked.close()
        assert done.result.model_judge
        return done, done.result.model_judge

    return _ask


def test_a_model_that_says_what_we_say_agrees_in_all_and_changes_nothing(
    ask: Ask, alone: Evaluation, server: FakeService
):
    done, judge = ask()
    scores = [one for one in alone.result.scores if " " not in one.column]
    right, wrong = (sum(one.counts[name] for one in scores) for name in ("right", "wrong"))
    every = judge.agreements[-1]
    assert (every.phenomenon, every.asked, every.answered) == ("", right + wrong, right + wrong)
    assert (every.both_right, every.both_wrong) == (right, wrong)
    assert (every.agreement, every.kappa) == (1, 1)
    assert judge.asked_again == 0
    assert len(server.asked) == len({json.dumps(one.body) for one in server.asked}) <= judge.asked == judge.judged
    assert done.result.model_copy(update={"model_judge": None}) == alone.result
    assert f"{right + wrong} of {right + wrong}" in render(done.result, "markdown")
    assert "language model" not in render(alone.result, "markdown")


def test_what_is_asked_has_the_words_the_forms_the_text_before_and_the_schema(ask: Ask, server: FakeService):
    ask()
    bodies = [one.body for one in server.asked]
    schema = bodies[0]["response_format"]["json_schema"]
    assert schema["strict"]
    assert schema["schema"]["properties"]["verdict"]["enum"] == ["right", "wrong", "unclear"]
    question = next(text for text in (one["messages"][1]["content"] for one in bodies) if "The pronoun" in text)
    before, _, here = question.partition("The segment in question:")
    assert before.count("German: ") >= 1
    assert here.count("⟦") == 3
    assert "possible: Fem; Masc" in here
    assert not {"does not agree", "asked"} & set(question.split("\n"))


def test_a_kappa_is_that_of_the_counts(ask: Ask, server: FakeService, corpus: Corpus, alone: Evaluation):
    """Every formality verdict turned round: agreement is the share of the others, kappa by Cohen's formula by hand."""
    oracle = Oracle(corpus, alone)

    def turned(body: Any) -> Any:
        question = body["messages"][1]["content"]
        verdict = oracle.verdict(question)
        return said({"right": "wrong", "wrong": "right"}[verdict] if "this level" in question else verdict)

    server.usual = turned
    _, judge = ask()
    formality = next(one for one in judge.agreements if one.phenomenon == "formality")
    assert formality.agreement == 0
    every = judge.agreements[-1]
    counts = every.both_right, every.ours_alone_right, every.theirs_alone_right, every.both_wrong
    n = sum(counts)
    assert n == every.answered
    assert every.agreement == pytest.approx((n - formality.asked) / n)
    ours, theirs = (counts[0] + counts[1]) / n, (counts[0] + counts[2]) / n
    chance = ours * theirs + (1 - ours) * (1 - theirs)
    assert every.kappa == pytest.approx((every.agreement - chance) / (1 - chance))


BAD = {
    "no JSON": "I think it is right.",
    "another verdict": '{"reason": "", "verdict": "correct"}',
    "no reason": '{"verdict": "right"}',
    "more than that": '{"reason": "", "verdict": "right", "level": 1}',
    "no object": '["right"]',
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_not_in_the_form_is_asked_again_once_and_never_counts_as_right(
    ask: Ask, server: FakeService, name: str
):
    server.usual = lambda _: chat(BAD[name])
    _, judge = ask(sample=2)
    every = judge.agreements[-1]
    assert (every.unanswered, every.answered, every.agreement, every.kappa) == (judge.asked, 0, None, None)
    assert judge.asked_again == judge.asked
    assert len(server.asked) == 2 * judge.asked
    assert "not in the form" in server.asked[-1].body["messages"][1]["content"]


def test_an_answer_that_is_right_the_second_time_counts(
    ask: Ask, server: FakeService, corpus: Corpus, alone: Evaluation
):
    oracle = Oracle(corpus, alone)

    def second(body: Any) -> Any:
        return oracle(body) if "not in the form" in body["messages"][1]["content"] else chat("?")

    server.usual = second
    _, judge = ask(sample=2)
    assert judge.agreements[-1].answered == judge.asked == judge.asked_again


def test_unclear_is_neither_right_nor_wrong(ask: Ask, server: FakeService):
    server.usual = lambda _: said("unclear")
    _, judge = ask(sample=2)
    every = judge.agreements[-1]
    assert (every.unclear, every.answered, every.unanswered) == (judge.asked, 0, 0)


def test_answers_are_kept_and_thoughts_are_left_out(ask: Ask, server: FakeService):
    server.usual = lambda _: chat('<think>right or wrong?</think>\n{"reason": "", "verdict": "right"}')
    _, judge = ask(sample=2)
    assert judge.agreements[-1].answered == judge.asked
    asked = len(server.asked)
    assert ask(sample=2)[1] == judge
    assert len(server.asked) == asked


def test_nothing_is_sent_before_the_cost_is_agreed_to(ask: Ask, server: FakeService):
    costs: list[Cost] = []

    def refuse(cost: Cost) -> None:
        costs.append(cost)
        raise InputError(Fault("E285", "no", "no"))

    with pytest.raises(InputError, match="E285"):
        ask(confirm=refuse)
    assert costs[0].requests
    assert costs[0].unit == "tokens"
    assert not server.asked


def test_what_names_no_language_model_is_refused():
    with pytest.raises(InputError, match=r"E071.*llm:MODEL"):
        AskedModel.open(JudgeOptions(judge="wording"), None, lambda _: None)
    assert AskedModel.open(JudgeOptions(), None, lambda _: None) is None


def test_people_are_compared_with_both_over_what_they_judged(
    ask: Ask, alone: Evaluation, tmp_path: Path, server: FakeService
):
    """The model says what we say, and people say otherwise of one in three: kappas by Cohen's formula by hand."""
    lines = [json.loads(line) for line in alone.judged_lines()]
    kept = [(line, one) for line in lines for one in line["outputs"] if one["verdict"] in ("right", "wrong")][::2]
    ours = [one["verdict"] for _, one in kept]
    for number, (_, one) in enumerate(kept):
        other = "wrong" if one["verdict"] == "right" else "right"
        one["people"] = one["verdict"] if number % 3 else other
    file = tmp_path / "people.jsonl"
    strange = {**kept[0][0], "document": "another", "outputs": [kept[0][1]]}
    rows = [strange, *({**line, "outputs": [one]} for line, one in kept)]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    people = read_people(str(file))
    assert len(people.verdicts) == len(kept) + 1
    _, judge = ask(people=people, sample=1000)
    every = judge.agreements[-1].people
    n = len(kept)
    found = judge.people
    assert found
    assert (found.file, found.hash) == ("people.jsonl", hashlib.sha256(file.read_bytes()).hexdigest()[:12])
    assert (found.given, found.unmatched, found.asked) == (n + 1, 1, n)
    theirs = [one["people"] for _, one in kept]
    share = sum(one == two for one, two in zip(ours, theirs, strict=True)) / n
    assert share == pytest.approx(2 / 3, abs=1 / n)
    right = ours.count("right") / n, theirs.count("right") / n
    chance = right[0] * right[1] + (1 - right[0]) * (1 - right[1])
    assert every
    assert (every.judged, every.answered) == (n, n)
    assert every.agreement == every.ours == pytest.approx(share)
    assert every.kappa == every.ours_kappa == pytest.approx((share - chance) / (1 - chance))
    assert sum(one.people.judged for one in judge.agreements[:-1] if one.people) == n
    server.usual = lambda _: said("unclear")
    done, judge = ask(people=people, sample=1, options=",temperature=1")
    first = judge.agreements[-1].people
    # Of each phenomenon one is asked about, and that one people judged.
    assert first
    assert (first.judged, first.answered, first.agreement) == (judge.asked, 0, None)
    text = render(done.result, "markdown")
    assert f"0 of {judge.asked}" in text
    assert f"people: {n + 1} verdicts in people.jsonl ({found.hash}), 1 match no judged occurrence here" in text
    assert f"{judge.asked} were asked about; these come first" in text


def test_our_own_verdicts_are_not_peoples(alone: Evaluation, tmp_path: Path):
    """A file that nobody touched is refused; of one that has a single ``people``, only that counts."""
    file = written(tmp_path, alone)
    with pytest.raises(InputError, match=r"\[E373\].*no output has the field “people”.*add the field people"):
        read_people(str(file))
    lines = [json.loads(line) for line in alone.judged_lines()]
    lines[0]["outputs"][0]["people"] = "right"
    lines[1]["outputs"][0]["people"] = ""
    assert list(people_of(tmp_path, lines).verdicts.values()) == ["right"]
    with pytest.raises(InputError, match=r"\[E373\].*another one on a line before"):
        people_of(tmp_path, [*lines, {**lines[0], "outputs": [{**lines[0]["outputs"][0], "people": "wrong"}]}])
    lines[1]["outputs"][0]["people"] = "Right"
    with pytest.raises(InputError, match=r"\[E373\].*outputs\.0\.people: ") as caught:
        people_of(tmp_path, lines)
    assert [fault.line for fault in caught.value.faults] == [2]


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\u0085", "\x0b"])
def test_a_line_ends_where_json_lines_end(alone: Evaluation, tmp_path: Path, end: str):
    line = json.loads(next(alone.judged_lines()))
    line["outputs"][0]["people"] = "wrong"
    line["source"]["text"] += f"{end}and so on"
    assert list(people_of(tmp_path, [line]).verdicts.values()) == ["wrong"]


def people_of(place: Path, lines: Sequence[Any]) -> People:
    file = place / "people.jsonl"
    file.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), encoding="utf-8")
    return read_people(str(file))


def test_a_file_without_verdicts_of_these_outputs_is_refused(ask: Ask, alone: Evaluation, tmp_path: Path):
    file = written(tmp_path, alone)
    line = json.loads(next(alone.judged_lines()))
    line["document"], line["outputs"][0]["people"] = "none", "right"
    with pytest.raises(InputError, match=r"E373.*--judge-people"):
        ask(people=people_of(tmp_path, [line]))
    for text in ("{}\n", ""):
        file.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=r"E373"):
            read_people(str(file))
    with pytest.raises(InputError, match=r"E001"):
        read_people(str(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match=r"E071.*--judge"):
        AskedModel.open(JudgeOptions(people=str(file)), None, lambda _: None)


def written(place: Path, evaluation: Evaluation) -> Path:
    file = place / "judgments.jsonl"
    file.write_text("".join(f"{line}\n" for line in evaluation.judged_lines()), encoding="utf-8")
    return file
