"""A language model's judgments beside ours: one occurrence a question, in a fixed form, and how far the two agree."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any, Literal, cast

import numpy as np
from pydantic import ValidationError

from endophora.corpus.codes import language_names
from endophora.corpus.records import Corpus, Document
from endophora.errors import Fault, InputError
from endophora.evaluation.examples import lone_example
from endophora.evaluation.result import (
    Example,
    ModelAgreement,
    ModelJudge,
    Passage,
    PeopleAgreement,
    PeopleFile,
    SystemOutput,
)
from endophora.evaluation.setup import JudgeOptions
from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.records import Judgment
from endophora.models.prompting import Templates
from endophora.models.services.asking import Asker
from endophora.models.services.openai_service import ChatJudge, open_judge
from endophora.models.services.records import Answer, Cost, Question
from endophora.phenomena.records import Occurrence
from endophora.statistics.agreement import kappa, rater_table
from endophora.statistics.units import FloatArray

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


_Key = tuple[str, int, str, str, tuple[int, ...]]
"""Document, segment, phenomenon and system of an occurrence, and where its words begin in the output."""


@dataclass(frozen=True, slots=True)
class People:
    """What people said of occurrences, right or wrong, with the name and the hash of the file that says it."""

    file: str
    hash: str
    verdicts: Mapping[_Key, str]


class _Output(SystemOutput):
    people: Literal["right", "wrong", ""] | None = None


class _Line(Example):
    outputs: list[_Output]  # pyright: ignore[reportIncompatibleVariableOverride]


def read_people(path: str) -> People:
    """Read people's verdicts: ``judgments.jsonl`` of ``check``, with theirs as ``people`` of outputs (E001, E373).

    Outputs without that field, or with an empty one, are not judged by people. ``verdict`` is ours, and is not read.
    """
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError(Fault("E001", "there is no such file", "name the file of judgments", path)) from error
    except OSError as error:
        raise InputError(Fault("E373", f"the judgments cannot be read: {error}", _FORM, path)) from error
    found: dict[_Key, str] = {}
    # Lines of bytes: those of text would also end at U+2028, U+2029 and U+0085, which JSON has within strings.
    for number, written in enumerate(data.splitlines(), 1):
        try:
            example = _Line.model_validate_json(written)
        except ValidationError as error:
            first = error.errors()[0]
            cause = f"the judgments cannot be read: {'.'.join(map(str, first['loc']))}: {first['msg']}"
            raise InputError(Fault("E373", cause, _FORM, path, number)) from error
        for one in example.outputs:
            if one.people and found.setdefault(_key(example, one), one.people) != one.people:
                cause = "people's verdict of this occurrence is another one on a line before"
                raise InputError(Fault("E373", cause, "leave one of the two", path, number))
    if not found:
        raise InputError(Fault("E373", "no output has the field “people”, with right or wrong", _FORM, path))
    return People(Path(path).name, hashlib.sha256(data).hexdigest()[:12], found)


_FORM = "in judgments.jsonl of check, add the field people, right or wrong, to each output that people judged"


def _key(example: Example, output: SystemOutput) -> _Key:
    starts = tuple(one.start for one in output.passage.highlights if one.role == "written")
    return example.document, example.segment, example.phenomenon, output.system, starts


@dataclass(frozen=True, slots=True)
class _Place:
    """A judged occurrence of a system."""

    system: str
    document: Document
    tagged: TaggedDocument
    occurrence: Occurrence
    judgment: Judgment

    @property
    def example(self) -> Example:
        """The place as reports show it."""
        return lone_example(self.document, {self.system: self.tagged}, {self.system: (self.occurrence, self.judgment)})


@dataclass
class AskedModel:
    """A language model that is asked about places that were judged without it.

    Attributes:
        confirm: is given the cost before anything is sent, and raises where it is not agreed to.
        people: what people said of occurrences, which are asked about before others.
    """

    judge: ChatJudge
    asker: Asker
    currency: str
    sample: int
    confirm: Callable[[Cost], None] = field(default=lambda _: None)
    people: People | None = None

    @classmethod
    def open(cls, options: JudgeOptions, limit: float | None, confirm: Callable[[Cost], None]) -> AskedModel | None:
        """Open the model that options name, if they name one (E071, E240, E241, E242, E247, E373)."""
        if not options.judge:
            if options.people:
                raise InputError(
                    Fault("E071", "no model is to be compared with people", "add --judge", "--judge-people")
                )
            return None
        if not options.judge.startswith(PREFIX):
            advice = "write llm:MODEL, or llm:MODEL,address=http://localhost:8000/v1"
            raise InputError(Fault("E071", f"“{options.judge}” is no language model to ask", advice, "--judge"))
        people = read_people(options.people) if options.people else None
        return cls(*open_judge(options.judge.removeprefix(PREFIX), limit), options.sample, confirm, people)

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
        keys = [_key(one.example, one.example.outputs[0]) for one in places] if self.people else []
        known = [self.people.verdicts.get(key) for key in keys] if self.people else None
        if known is not None and not any(known):
            cause = "no occurrence of these outputs is one of those that people judged"
            raise InputError(Fault("E373", cause, "name outputs and options as for the file", "--judge-people"))
        numbers = _drawn(places, known, self.sample, seed)
        chosen = [places[number] for number in numbers]
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
        by_people = known and [known[number] for number in numbers]
        return ModelJudge(
            model=self.judge.signature,
            judged=len(places),
            asked=len(chosen),
            asked_again=len(missing),
            spent=self.asker.spent,
            currency=self.currency,
            people=self._file(keys, by_people),
            agreements=_agreements(chosen, said, by_people),
        )

    def _file(self, keys: Sequence[_Key], asked: Sequence[str | None] | None) -> PeopleFile | None:
        """Return how many verdicts of people were used; ``keys`` are of all places, ``asked`` of those asked about."""
        if not self.people or asked is None:
            return None
        given = self.people.verdicts
        return PeopleFile(
            file=self.people.file,
            hash=self.people.hash,
            given=len(given),
            unmatched=len(given.keys() - set(keys)),
            asked=sum(one is not None for one in asked),
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


def _drawn(places: Sequence[_Place], known: Sequence[str | None] | None, most: int, seed: int) -> list[int]:
    """Return the numbers of a seeded sample of each phenomenon, in order; what people judged has precedence."""
    random = Random(seed)  # noqa: S311 - a sample, no secret
    chosen: list[int] = []
    for phenomenon in dict.fromkeys(place.occurrence.phenomenon for place in places):
        found = [number for number, place in enumerate(places) if place.occurrence.phenomenon == phenomenon]
        drawn = random.sample(found, len(found))
        chosen += sorted(sorted(drawn, key=lambda number: not (known and known[number]))[:most])
    return chosen


def _agreement(pairs: Sequence[tuple[str, str]]) -> tuple[FloatArray, float | None, float | None]:
    """Return the table of pairs of verdicts, and what share and which kappa of them agree."""
    table = rater_table([one for one, _ in pairs], [two for _, two in pairs], _VERDICTS)
    measured = kappa(table)
    share, chance_corrected = (None if np.isnan(one) else one for one in (measured.observed, measured.value))
    return table, share, chance_corrected


def _with_people(here: Sequence[tuple[str, str, str | None]]) -> PeopleAgreement:
    """Return how far the model, and we, agree with people; of each place our verdict, the model's and people's."""
    judged = [(ours, theirs, people) for ours, theirs, people in here if people]
    both = [one for one in judged if one[1] in _VERDICTS]
    _, agreement, chance_corrected = _agreement([(theirs, people) for _, theirs, people in both])
    _, ours, ours_kappa = _agreement([(ours, people) for ours, _, people in both])
    return PeopleAgreement(
        judged=len(judged),
        answered=len(both),
        agreement=agreement,
        kappa=chance_corrected,
        ours=ours,
        ours_kappa=ours_kappa,
    )


def _agreements(
    places: Sequence[_Place], said: Sequence[str], people: Sequence[str | None] | None = None
) -> list[ModelAgreement]:
    """Return how far our verdicts and the model's agree: over each phenomenon, then over all."""
    rows = [
        (one.occurrence.phenomenon, (one.judgment.verdict or "", verdict, known))
        for one, verdict, known in zip(places, said, people or [None] * len(places), strict=True)
    ]
    found: list[ModelAgreement] = []
    for name in (*dict.fromkeys(phenomenon for phenomenon, _ in rows), ""):
        here = [row for phenomenon, row in rows if name in (phenomenon, "")]
        both = [(ours, theirs) for ours, theirs, _ in here if theirs in _VERDICTS]
        table, agreement, chance_corrected = _agreement(both)
        found.append(
            ModelAgreement(
                phenomenon=name,
                asked=len(here),
                answered=len(both),
                unclear=sum(theirs == "unclear" for _, theirs, _ in here),
                unanswered=sum(theirs == _UNANSWERED for _, theirs, _ in here),
                both_right=int(table[0, 0]),
                ours_alone_right=int(table[0, 1]),
                theirs_alone_right=int(table[1, 0]),
                both_wrong=int(table[1, 1]),
                agreement=agreement,
                kappa=chance_corrected,
                people=None if people is None else _with_people(here),
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
        example = place.example
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
