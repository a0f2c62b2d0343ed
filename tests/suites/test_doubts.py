"""Doubts about what systems gave for a suite."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from endophora.suites.outputs import doubt_outputs, doubt_scores
from endophora.suites.records import Item, Suite, Variant

SENTENCES = [
    ("The committee will meet again next week.", "Der Ausschuss wird nächste Woche wieder tagen."),
    ("She told us that nobody had been hurt.", "Sie sagte uns, dass niemand verletzt worden sei."),
    ("The price of bread has risen since summer.", "Der Brotpreis ist seit dem Sommer gestiegen."),
    ("We have been waiting for more than an hour.", "Wir warten schon seit über einer Stunde hier."),
    ("They bought the house from an old man.", "Sie kauften das Haus von einem alten Mann."),
    ("It is not known who wrote the letter.", "Es ist nicht bekannt, wer den Brief geschrieben hat."),
] * 10
OUTPUTS = [f"Nun {target[0].lower()}{target[1:]}" for _, target in SENTENCES]


def made(variants: int = 1) -> Suite:
    items = [
        Item(
            id=str(number),
            document=str(number),
            segment=0,
            source=source,
            reference=target,
            phenomenon="gender",
            rule="x",
            expected=("sie",),
            variants=tuple(Variant(f"{target} {n}", "er", "Masc", "pronoun") for n in range(variants)),
        )
        for number, (source, target) in enumerate(SENTENCES)
    ]
    return Suite("toy", "en", "de", tuple(items))


def codes(suite: Suite) -> list[str]:
    return [match[1] for warning in suite.warnings if (match := re.match(r"\[(E\d+)\]", warning))]


@pytest.mark.parametrize(
    ("outputs", "wanted"),
    [
        (OUTPUTS, []),
        ([""] * 60, ["E387"]),
        ([*OUTPUTS[:-1], "  "], ["E387"]),
        ([source for source, _ in SENTENCES], ["E382"]),
        ([target for _, target in SENTENCES], ["E383"]),
    ],
)
def test_blank_untranslated_and_copied_outputs_are_doubted(outputs: list[str], wanted: list[str]):
    assert codes(doubt_outputs(made(), {"a": outputs})) == wanted


def test_one_blank_output_is_named_by_its_line():
    (warning,) = doubt_outputs(made(), {"a": [*OUTPUTS[:3], "", *OUTPUTS[4:]]}).warnings
    assert "1 of 60 outputs are blank" in warning
    assert "lines 4 " in warning


def scores(rights: Sequence[bool], variants: int, sign: int) -> list[float]:
    """Return scores under which the right translation wins where it says so."""
    found: list[float] = []
    for right in rights:
        found += [sign * (1.0 if right else 3.0), *[sign * 2.0] * variants]
    return found


@pytest.mark.parametrize(
    ("accuracy", "variants", "sign", "higher_is_better", "doubted"),
    [
        (1.0, 1, -1, True, False),  # log-probabilities
        (1.0, 1, 1, False, False),  # losses
        (1.0, 1, 1, True, True),  # losses taken for log-probabilities
        (0.9, 1, 1, True, True),
        (1.0, 1, -1, False, True),  # log-probabilities taken for losses
        (1.0, 2, 1, True, True),
        (0.5, 1, 1, True, False),  # chance
        (0.6, 1, 1, True, True),  # hardly below chance, but no log-probability is above 0
    ],
)
def test_an_accuracy_far_below_chance_is_doubted(
    accuracy: float, variants: int, sign: int, higher_is_better: bool, doubted: bool
):
    count = len(SENTENCES)
    rights = [number < accuracy * count for number in range(count)]
    random.Random(1).shuffle(rights)
    given = scores(rights, variants, sign)
    suite = doubt_scores(made(variants), {"a": given}, higher_is_better=higher_is_better)
    assert codes(suite) == (["E389"] if doubted else [])


@pytest.mark.parametrize(("accuracy", "doubted"), [(0.4, False), (0.05, True)])
def test_scores_of_any_sign_are_doubted_far_below_chance_only(accuracy: float, doubted: bool):
    rights = [number < accuracy * 60 for number in range(60)]
    given = [value for right in rights for value in ((2.0, -1.0) if right else (-1.0, 2.0))]
    assert codes(doubt_scores(made(1), {"a": given}, higher_is_better=True)) == (["E389"] if doubted else [])


def test_scores_that_are_all_the_same_are_not_taken_for_losses():
    assert codes(doubt_scores(made(), {"a": [1.0] * 120}, higher_is_better=True)) == []
