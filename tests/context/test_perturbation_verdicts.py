"""The table of verdicts: each case by figures, and none that the figures do not bear out."""

from __future__ import annotations

import pytest

from endophora.context.context_read import ContextCounts, count_context
from endophora.context.perturbation.verdicts import judge
from endophora.context.results import (
    PerturbationColumn,
    PerturbationDifference,
    PerturbationResult,
    PerturbationScore,
    PerturbationSettings,
    PerturbedCondition,
    PerturbedCorpus,
    PerturbedModel,
    PerturbedOutput,
    Verdict,
)
from endophora.models.records import ContextRead, SideRead

COLUMNS = {"BLEU": "metric", "chrF2": "metric", "TER": "metric", "CXMI": "cxmi"}
Figures = dict[str, tuple[str, str]]
"""Column → correct less none, correct less random; a star where it is significant, “-” where it was not measured."""


def context_of(given: int, lost: int) -> ContextCounts:
    one, none = SideRead(1, 1), SideRead(1, 0)
    return count_context([ContextRead(none)] * lost + [ContextRead(one)] * (given - lost))


def result_of(figures: Figures, read: tuple[int, int] = (100, 0), none: float = 30.0) -> PerturbationResult:
    """A result with these differences; of the answers to segments with context, so many were made without it."""
    differences = [
        PerturbationDifference(
            model="m",
            column=column,
            first="correct",
            second=second,
            difference=float(figure.rstrip("*")),
            interval=None,
            p_value=0.01 if figure.endswith("*") else 0.4,
            p_adjusted=0.01 if figure.endswith("*") else 0.4,
            significant=figure.endswith("*"),
        )
        for column, pair in figures.items()
        for second, figure in zip(("none", "random"), pair, strict=True)
        if figure != "-"
    ]
    tried = ["correct", *dict.fromkeys(one.second for one in differences)]
    return PerturbationResult(
        version="0",
        signature="s",
        corpus=PerturbedCorpus(source_language="en", target_language="de", documents=9, segments=99, references=["r"]),
        settings=PerturbationSettings(
            **{"size": 2, "sides": "both", "beam": 1, "length_penalty": 1, "longest": 2, "cxmi": "total"},
            **{"test": "approximate-randomisation", "units": "documents", "resamples": 100, "confidence": 0.95},
            **{"alpha": 0.05, "seed": 1, "margin": 0.5, "cxmi_margin": 0.1, "collapse": 0.2, "without_context": 0.1},
        ),
        models=[PerturbedModel(name="m", signature="s")],
        conditions=[PerturbedCondition(name=name, description="d") for name in tried],
        columns=[
            PerturbationColumn(
                name=name,
                kind=COLUMNS[name],
                scale=1 if name == "CXMI" else 100,
                higher_is_better=name != "TER",
                signature="s",
            )
            for name in figures
        ],
        scores=[
            PerturbationScore(model="m", condition="none", column=name, value=none, interval=None) for name in figures
        ],
        differences=differences,
        outputs=[
            PerturbedOutput(model="m", condition="correct", changed=0, warned=0, file="", context=context_of(*read))
        ],
        verdicts=[],
        warnings=[],
    )


def verdict(figures: Figures, **more: tuple[int, int]) -> Verdict:
    [found] = judge(result_of(figures, **more))
    return found


TABLE: list[tuple[str, Figures, str, str]] = [
    ("the first metric falls by a fifth", {"BLEU": ("-6.1*", "2*")}, "collapses", "collapses under context"),
    (
        "by less than a fifth",
        {"BLEU": ("-5.9*", "0")},
        "harmed",
        "worse with the correct one than with none (BLEU −5.9",
    ),
    # docs/perturbation.md, television subtitles zh–en: the first metric alone does not tell.
    (
        "only the second metric and CXMI tell of harm",
        {"BLEU": ("-.6", "0.7*"), "chrF2": ("-1.4*", "0.7*"), "CXMI": ("-.889*", ".689*")},
        "harmed",
        "random tokens worse still (chrF2 −1.4 and CXMI −0.889 against no context, p ≤ .010; BLEU +0.7, chrF2 +0.7",
    ),
    # The shipped model on news: only CXMI is significant, and below zero.
    (
        "CXMI alone tells of harm",
        {"BLEU": ("-.2", ".1"), "chrF2": ("-.5", "-.1"), "CXMI": ("-1.239*", "1.633*")},
        "harmed",
        "harmed by context",
    ),
    ("error rates fall where it gets better", {"TER": ("2*", "0")}, "harmed", "TER +2.0 against no context"),
    (
        "a wrong context costs quality",
        {"BLEU": ("1*", "3.1*"), "CXMI": (".4*", "2*")},
        "uses",
        "do worse than the corr",
    ),
    ("likewise without a gain that is shown", {"BLEU": ("-.1", "3.1*")}, "uses", "BLEU +3.1 against random tokens"),
    ("error rates rise under a wrong context", {"TER": ("0", "-2*")}, "uses", "TER −2.0 against random tokens"),
    ("the second metric tells", {"BLEU": ("0", ".3"), "chrF2": ("0", ".9*")}, "uses", "uses its context:"),
    ("likelihood alone", {"BLEU": ("0", ".1"), "CXMI": (".124*", ".2*")}, "uses", "by CXMI alone"),
    (
        "however little worse than without, it is no use",
        {"BLEU": ("-.2*", "3*"), "CXMI": (".4*", "2*")},
        "undecided",
        "do worse than the correct context, but that does worse than none",
    ),
    (
        "random tokens disturb, the correct context does not help",
        {"BLEU": ("0", ".1"), "CXMI": (".02", "1.6*")},
        "undecided",
        "nothing shows that this one helps",
    ),
    ("metrics contradict each other", {"BLEU": ("0", "2*"), "chrF2": ("0", "-2*")}, "undecided", "nothing shows"),
    ("a wrong context is better", {"BLEU": ("0", "-2*")}, "undecided", "do better than the correct context"),
    ("next to nothing", {"BLEU": ("0", ".4*"), "CXMI": (".3*", ".09*")}, "indifferent", "change next to nothing"),
    ("too little text", {"BLEU": ("-2", "3"), "CXMI": ("0", ".09")}, "undecided", "not small, and not significant"),
    ("nothing but none was tried", {"BLEU": ("1*", "-")}, "undecided", "no perturbed context was tried"),
    ("nothing but none, and harm", {"BLEU": ("-1*", "-")}, "harmed", "BLEU −1.0 against no context"),
]


@pytest.mark.parametrize(("figures", "label", "said"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_case(figures: Figures, label: str, said: str):
    found = verdict(figures)
    assert found.label == label
    assert said in found.sentence


def test_uses_never_stands_beside_a_significant_loss():
    """All combinations of one metric and CXMI: whatever else holds, a loss against no context excludes it."""
    steps = ("-2*", "-.2*", "-2", "0", ".2*", "2*")
    for bleu_gain in steps:
        for bleu_loss in steps:
            for cxmi_gain in steps:
                for cxmi_loss in steps:
                    found = verdict({"BLEU": (bleu_gain, bleu_loss), "CXMI": (cxmi_gain, cxmi_loss)})
                    lost = any(gain.startswith("-") and gain.endswith("*") for gain in (bleu_gain, cxmi_gain))
                    assert not (lost and found.label == "uses")
                    if "not significant" in found.sentence:
                        assert not bleu_loss.endswith("2*") or abs(float(bleu_loss.rstrip("*"))) < 0.5


def test_no_verdict_where_answers_had_no_context():
    found = verdict({"BLEU": ("0", "0")}, read=(21, 21))
    assert found.label == "refused"
    assert "21 of 21 answers" in found.sentence
    assert verdict({"BLEU": ("0", "0")}, read=(20, 2)).label == "indifferent"
    assert verdict({"BLEU": ("0", "0")}, read=(20, 3)).label == "refused"
