"""A language model's judgments beside ours: one occurrence a question, in a fixed form, and how far the two agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from random import Random
from typing import Any, cast

import numpy as np

from endophora.corpus.codes import language_names
from endophora.corpus.records import Corpus, Document
from endophora.errors import Fault, InputError
from endophora.evaluation.examples import lone_example
from endophora.evaluation.result import Example, ModelAgreement, ModelJudge, Passage
from endophora.evaluation.setup import JudgeOptions
from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.records import Judgment
from endophora.models.services.asking import Asker
from endophora.models.services.judge import ChatJudge, open_judge
from endophora.models.services.records import Answer, Cost, Question
from endophora.models.templates import Templates
from endophora.phenomena.records import Occurrence
from endophora.statistics.agreement import kappa, rater_table

PREFIX = "llm:"

_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": ["right", "wrong", "unclear"]}},
    "required": ["reason", "verdict"],
    "additionalProperties": False,
}
_VERDICTS = ("right", "wrong")
_UNANSWERED = "unanswered"
_MARKS = ("⟦", "⟧")


@dataclass(frozen=True, slots=True)
class _Place:
    """A judged occurrence of a system."""

    system: str
    document: Document
    tagged: TaggedDocument
    occurrence: Occurrence
    judgment: Judgment


@dataclass
class AskedModel:
    """A language model that is asked about places that were judged without it.

    Attributes:
        confirm: is given the cost before anything is sent, and raises where it is not agreed to.
    """

    judge: ChatJudge
    asker: Asker
    currency: str
    sample: int
    confirm: Callable[[Cost], None] = field(default=lambda _: None)

    @classmethod
    def open(cls, options: JudgeOptions, limit: float | None, confirm: Callable[[Cost], None]) -> AskedModel | None:
        """Open the model that options name, if they name one (E071, E240, E241, E242, E247)."""
        if not options.judge:
            return None
        if not options.judge.startswith(PREFIX):
            advice = "write llm:MODEL, or llm:MODEL,address=http://localhost:8000/v1"
            raise InputError(Fault("E071", f"“{options.judge}” is no language model to ask", advice, "--judge"))
        return cls(*open_judge(options.judge.removeprefix(PREFIX), limit), options.sample, confirm)

    def compare(
        self,
        corpus: Corpus,
        tagged: Mapping[str, Sequence[TaggedDocument]],
        judged: Mapping[str, Sequence[Sequence[tuple[Occurrence, Judgment]]]],
        seed: int,
    ) -> ModelJudge:
        """Ask about judged places, and return how far the model agrees (E243, E244, E245, E246, E285).

        Args:
            tagged, judged: of each system its documents, in the order of the corpus.
        """
        places = [
            _Place(system, document, text, occurrence, judgment)
            for system, documents in judged.items()
            for document, text, found in zip(corpus.documents, tagged[system], documents, strict=True)
            for occurrence, judgment in found
        ]
        chosen = _drawn(places, self.sample, seed)
        questions = _Questions(corpus, places)
        asked = [self._question(questions, place) for place in chosen]
        again = [self._question(questions, place, "it was no such object") for place in chosen]
        self.confirm(self.asker.estimate([list(pair) for pair in zip(asked, again, strict=True)]))
        self.asker.check_limit(asked)
        said = [self._verdict(*pair) for pair in zip(self.asker.obtain(asked), asked, strict=True)]
        missing = [number for number, verdict in enumerate(said) if verdict == _UNANSWERED]
        found = self.asker.obtain([again[number] for number in missing])
        for number, answer in zip(missing, found, strict=True):
            said[number] = self._verdict(answer, again[number])
        return ModelJudge(
            model=self.judge.signature,
            judged=len(places),
            asked=len(chosen),
            asked_again=len(missing),
            spent=self.asker.spent,
            currency=self.currency,
            agreements=_agreements(chosen, said),
        )

    def close(self) -> None:
        """Close the cache of answers."""
        self.asker.close()

    def _question(self, questions: _Questions, place: _Place, fault: str = "") -> Question:
        return self.judge.question(questions.system, questions.text(place, fault), _SCHEMA)

    def _verdict(self, answer: Answer, question: Question) -> str:
        """Return the verdict of an answer, if it has the form that was asked for."""
        try:
            found: object = json.loads(self.judge.read(answer, question))
        except ValueError:
            return _UNANSWERED
        if not isinstance(found, dict):
            return _UNANSWERED
        table = cast("dict[str, Any]", found)
        verdict, reason = table.get("verdict"), table.get("reason")
        fits = set(table) == {"reason", "verdict"} and isinstance(reason, str)
        return verdict if fits and verdict in (*_VERDICTS, "unclear") else _UNANSWERED


def _drawn(places: Sequence[_Place], most: int, seed: int) -> list[_Place]:
    """Return a seeded sample of each phenomenon, in the order of the places."""
    random = Random(seed)  # noqa: S311 - a sample, no secret
    chosen: list[_Place] = []
    for phenomenon in dict.fromkeys(place.occurrence.phenomenon for place in places):
        found = [place for place in places if place.occurrence.phenomenon == phenomenon]
        chosen += [found[at] for at in sorted(random.sample(range(len(found)), min(most, len(found))))]
    return chosen


def _agreements(places: Sequence[_Place], said: Sequence[str]) -> list[ModelAgreement]:
    """Return how far our verdicts and the model's agree: over each phenomenon, then over all."""
    pairs = [
        (one.occurrence.phenomenon, one.judgment.verdict, verdict) for one, verdict in zip(places, said, strict=True)
    ]
    found: list[ModelAgreement] = []
    for name in (*dict.fromkeys(phenomenon for phenomenon, _, _ in pairs), ""):
        here = [(ours, theirs) for phenomenon, ours, theirs in pairs if name in (phenomenon, "")]
        both = [pair for pair in here if pair[1] in _VERDICTS]
        table = rater_table([ours for ours, _ in both], [theirs for _, theirs in both], _VERDICTS)
        measured = kappa(table)
        found.append(
            ModelAgreement(
                phenomenon=name,
                asked=len(here),
                answered=len(both),
                unclear=sum(theirs == "unclear" for _, theirs in here),
                unanswered=sum(theirs == _UNANSWERED for _, theirs in here),
                both_right=int(table[0, 0]),
                ours_alone_right=int(table[0, 1]),
                theirs_alone_right=int(table[1, 0]),
                both_wrong=int(table[1, 1]),
                agreement=None if np.isnan(measured.observed) else measured.observed,
                kappa=None if np.isnan(measured.value) else measured.value,
            )
        )
    return found


class _Questions:
    """The texts of questions about a corpus."""

    def __init__(self, corpus: Corpus, places: Sequence[_Place]) -> None:
        names = language_names()
        pair = (corpus.source_language, corpus.target_language)
        self._languages = {
            f"{side}_language": names.get(code, code) for side, code in zip(("source", "target"), pair, strict=True)
        }
        self._templates = _templates()
        self.system = self._templates.fill("system", self._languages)
        self._forms: dict[str, set[str]] = {}
        for place in places:
            seen = self._forms.setdefault(place.occurrence.phenomenon, set())
            seen.update(filter(None, (place.judgment.asked, place.judgment.shown)))

    def text(self, place: _Place, fault: str = "") -> str:
        """Return the question about a place; ``fault`` says what was wrong with the answer before."""
        judged = {place.system: (place.occurrence, place.judgment)}
        example = lone_example(place.document, {place.system: place.tagged}, judged)
        (output,) = example.outputs
        shown = {
            **self._languages,
            "context": list(_context(place, example)),
            "source": _marked(example.source, "source"),
            "target": _marked(output.passage, "written"),
        }
        question = {
            "shown_text": self._templates.fill("text", shown),
            "word": output.written,
            "source_word": _words(example.source, "source"),
            "shown": place.judgment.shown,
            "choices": self._choices(place),
        }
        text = self._templates.fill(place.occurrence.phenomenon, question)
        return self._templates.fill("again", {"fault": fault}) + text if fault else text

    def _choices(self, place: _Place) -> list[str]:
        """Return what a text could show at a place: a word's translations up to it, or all forms of the corpus."""
        name, number = place.occurrence.phenomenon, place.occurrence.segment
        if name != "lexical_cohesion":
            return sorted(self._forms[name])
        choices = place.tagged.choices
        words = {one.about for one in choices.of(name, number, place.occurrence.source_tokens)}
        uses = (use for word in words for use in choices.by_lemma.get(word, ()) if use.segment <= number)
        return sorted({use.shown for use in uses if use.shown} | {place.judgment.shown})


def _templates() -> Templates:
    languages: dict[str, object] = {"source_language": "English", "target_language": "German"}
    context = [{"source": "a", "target": "b", "gap": True}]
    question: dict[str, object] = {"shown_text": "a", "word": "b", "source_word": "c", "shown": "d", "choices": ["d"]}
    trials: dict[str, dict[str, object]] = {"system": languages, "again": {"fault": "a"}}
    trials["text"] = {**languages, "context": context, "source": "a", "target": "b"}
    trials |= dict.fromkeys(("pronouns", "formality", "lexical_cohesion"), question)
    return Templates(None, files("endophora.evaluation") / "judge.yaml", trials, ("E248", "docs/metrics.md"))


def _context(place: _Place, example: Example) -> list[dict[str, object]]:
    """Return the segments before a place: those that a reader is shown, and before them those of its support."""
    number, support = place.occurrence.segment, place.occurrence.support
    near = {one.segment for one in example.context}
    far = {at for at, _ in (*support.source_tokens, *support.target_tokens) if at < number} if support else set[int]()
    rows: list[dict[str, object]] = []
    last = -1
    for at in sorted(near | far):
        segment = place.document.segments[at]
        rows.append({"source": segment.source, "target": segment.outputs[place.system], "gap": at > last + 1})
        last = at
    return rows


def _marked(passage: Passage, role: str) -> str:
    """Return a text with marks around what has a role."""
    text = passage.text
    for one in sorted((one for one in passage.highlights if one.role == role), key=lambda one: -one.start):
        text = f"{text[: one.start]}{_MARKS[0]}{text[one.start : one.end]}{_MARKS[1]}{text[one.end :]}"
    return text


def _words(passage: Passage, role: str) -> str:
    return " ".join(passage.text[one.start : one.end] for one in passage.highlights if one.role == role)
