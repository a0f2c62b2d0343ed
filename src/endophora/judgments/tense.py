"""Judgment of tense, where the source language has none: what times a verb's form may say."""

from __future__ import annotations

from collections.abc import Sequence

from endophora.judgments.records import Choice, Judgment, Verdict

_VERDICTS: tuple[Verdict, ...] = ("right", "other", "wrong")


def judge_tense(asked: str, own: Sequence[Choice]) -> Judgment:
    """Judge the tense of what translates a verb, the best of several, by the time that the context asks for."""
    found = min(own, key=lambda choice: _VERDICTS.index(_verdict(asked, choice)))
    verdict = _verdict(asked, found)
    why = {
        "right": "the tense of the reference" if found.about == asked else "a form that tells of the same time",
        "wrong": "another tense than the text around it",
    }.get(verdict, "a form that leaves the time open")
    return Judgment(verdict, asked, found.about, found.target_tokens, why=why)


def _verdict(asked: str, choice: Choice) -> Verdict:
    says = choice.shown.split(",")
    return "right" if says[0] == asked else "other" if asked in says or says == [""] else "wrong"
