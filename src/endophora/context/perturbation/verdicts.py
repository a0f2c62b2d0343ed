"""What the figures say of a model: does it use its context, is it indifferent, does it collapse under it?

A verdict heeds a difference only if it is significant after correction and at least as large as a margin: with much
text the smallest difference becomes significant. In this order, with the first metric:

- *collapses*: with the correct context it loses a fifth or more of its score without context;
- *harmed*: it loses less than that, but significantly and more than the margin;
- *uses*: it is worse under the perturbed context than under the correct one; or, where translations do not tell, the
  correct context makes the references likelier (CXMI above zero) and the perturbed one less likely than that;
- *indifferent*: neither the metric nor CXMI differs by the margin between correct and perturbed context;
- *undecided*: they differ by more than that, and no difference is significant.
"""

from __future__ import annotations

from dataclasses import dataclass

from endophora.context.perturbation.conditions import CORRECT, NONE, Kind
from endophora.context.perturbation.result import (
    Label,
    PerturbationColumn,
    PerturbationDifference,
    PerturbationResult,
    Verdict,
)

_ORDER = (Kind.RANDOM, Kind.SENTENCES, Kind.SHUFFLED_WORDS, Kind.SHUFFLED)
"""The perturbation that a verdict goes by is the first of these that was tried."""
_NAMED = {
    Kind.RANDOM.value: "random tokens",
    Kind.SENTENCES.value: "random sentences",
    Kind.SHUFFLED_WORDS.value: "shuffled words",
    Kind.SHUFFLED.value: "shuffled sentences",
}


@dataclass(frozen=True, slots=True)
class _Evidence:
    """The differences that a verdict goes by; what was not measured is ``None``.

    Attributes:
        metric: the first column.
        perturbed: name of the condition that is compared with the correct one; empty if there is none.
        harm: correct less none, in the metric.
        use: correct less perturbed, in the metric.
        likelier: CXMI of the correct context.
        gap: CXMI of the correct less that of the perturbed context.
    """

    metric: PerturbationColumn
    perturbed: str
    harm: PerturbationDifference | None
    use: PerturbationDifference | None
    likelier: PerturbationDifference | None
    gap: PerturbationDifference | None


def judge(result: PerturbationResult) -> list[Verdict]:
    """Return the verdict of each model; none where neither a perturbed context nor none was tried.

    Args:
        result: scores and differences, by the settings' thresholds.
    """
    return [verdict for model in result.models if (verdict := _judge_model(result, model.name)) is not None]


def _judge_model(result: PerturbationResult, model: str) -> Verdict | None:
    evidence = _evidence(result, model)
    if evidence.harm is None and evidence.use is None and evidence.gap is None:
        return None
    label = _label(result, model, evidence)
    sentence = _BY_CXMI if label == "uses" and not _worse(result, evidence) else _SENTENCES[label]
    sentence = sentence.format(model=model, perturbed=_NAMED.get(evidence.perturbed, evidence.perturbed))
    return Verdict(model=model, label=label, sentence=f"{sentence} ({_figures(evidence, label)}).")


_SENTENCES: dict[Label, str] = {
    "uses": "{model} uses its context: {perturbed} in its place do worse than the correct one",
    "indifferent": "{model} is indifferent to its context: {perturbed} in its place change next to nothing",
    "harmed": "{model} is harmed by context: it does worse with the correct one than with none",
    "collapses": "{model} collapses under context, also the correct one",
    "undecided": "{model} is undecided: its differences are not small, and not significant",
}
_BY_CXMI = (
    "{model} uses its context by CXMI alone: the correct one makes the references likelier, and {perturbed} in its "
    "place do less; its translations do not tell"
)


def _evidence(result: PerturbationResult, model: str) -> _Evidence:
    tried = {condition.name for condition in result.conditions}
    perturbed = next((kind.value for kind in _ORDER if kind.value in tried), "")
    metric = result.columns[0]
    cxmi = next((column.name for column in result.columns if column.kind == "cxmi"), "")
    return _Evidence(
        metric,
        perturbed,
        result.difference(model, metric.name, CORRECT.name, NONE.name),
        result.difference(model, metric.name, CORRECT.name, perturbed),
        result.difference(model, cxmi, CORRECT.name, NONE.name),
        result.difference(model, cxmi, CORRECT.name, perturbed),
    )


def _margin(result: PerturbationResult, evidence: _Evidence) -> tuple[float, int]:
    """Return the smallest difference in the metric that is heeded, and the sign of a better score."""
    return result.settings.margin * evidence.metric.scale / 100, 1 if evidence.metric.higher_is_better else -1


def _worse(result: PerturbationResult, evidence: _Evidence) -> bool:
    """Tell whether translations are worse under the perturbed context."""
    margin, sign = _margin(result, evidence)
    return evidence.use is not None and evidence.use.significant and sign * evidence.use.difference >= margin


def _label(result: PerturbationResult, model: str, evidence: _Evidence) -> Label:
    settings = result.settings
    margin, sign = _margin(result, evidence)
    without = result.score(model, NONE.name, evidence.metric.name)
    if evidence.harm is not None and evidence.harm.significant and sign * evidence.harm.difference <= -margin:
        level = abs(without.value) if without is not None and without.value is not None else 0.0
        return "collapses" if abs(evidence.harm.difference) >= settings.collapse * level else "harmed"
    if _worse(result, evidence):
        return "uses"
    likelier = evidence.likelier is not None and evidence.likelier.significant and evidence.likelier.difference > 0
    gap = evidence.gap is not None and evidence.gap.significant and evidence.gap.difference >= settings.cxmi_margin
    if likelier and gap:
        return "uses"
    limits = ((evidence.use, margin), (evidence.gap, settings.cxmi_margin))
    small = all(one is None or abs(one.difference) < limit for one, limit in limits)
    return "indifferent" if small else "undecided"


def _figures(evidence: _Evidence, label: Label) -> str:
    """Return the figures behind a verdict, ``BLEU −3.1 against random tokens, p < .001; CXMI …``."""
    shown: list[str] = []
    first, metric = evidence.use, evidence.metric
    against = _NAMED.get(evidence.perturbed, evidence.perturbed)
    if label in ("harmed", "collapses") or first is None:
        first, against = evidence.harm, "no context"
    if first is not None:
        points = f"{100 * first.difference / metric.scale:+.1f}"
        shown.append(f"{metric.name} {points} against {against}, {p_text(first.p_adjusted)}")
    if evidence.likelier is not None:
        text = f"CXMI {evidence.likelier.difference:+.3f} correct"
        if evidence.gap is not None:
            text += f", {evidence.likelier.difference - evidence.gap.difference:+.3f} perturbed"
        shown.append(text)
    return "; ".join(shown).replace("-", "−")


def p_text(p_value: float) -> str:
    """Return a p-value as verdicts show it: ``p = .042``, or ``p < .001``."""
    return "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}".replace("0.", ".")
