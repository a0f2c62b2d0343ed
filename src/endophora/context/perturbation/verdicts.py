"""What the figures say of a model: does it use its context, is it indifferent, is it harmed by it?

A verdict rests on differences that are significant after correction; to count for the model, a difference has to be at
least as large as a margin too, since with much text the smallest one becomes significant. All columns are heard, the
metrics and CXMI alike, but not phenomena: how much the model *gains* (the correct context less none) and how much it
*loses* when the context is perturbed (the correct one less the perturbed one). ``_CASES`` is the whole table, the first
case that fits is the verdict.

No verdict is given where more than a share of the answers was made without the context that was to be tried: a model
that never saw it looks indifferent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from endophora.context.perturbation.conditions import CORRECT, NONE, Kind
from endophora.context.results import Label, PerturbationColumn, PerturbationDifference, PerturbationResult, Verdict

_NAMED = {
    Kind.RANDOM.value: "random tokens",
    Kind.SENTENCES.value: "random sentences",
    Kind.SHUFFLED_WORDS.value: "shuffled words",
    Kind.SHUFFLED.value: "shuffled sentences",
}
"""What sentences call a perturbation; a verdict goes by the first of these that was tried."""


@dataclass(frozen=True, slots=True)
class _Effect:
    """The difference that a context makes in one column, positive where the correct context is better."""

    column: PerturbationColumn
    found: PerturbationDifference
    margin: float

    @property
    def size(self) -> float:
        """The difference, positive where the correct context is better."""
        return self.found.difference if self.column.higher_is_better else -self.found.difference

    @property
    def better(self) -> bool:
        """Whether the correct context is significantly better, by the margin at least."""
        return self.found.significant and self.size >= self.margin

    @property
    def worse(self) -> bool:
        """Whether it is significantly worse, by the margin at least."""
        return self.found.significant and self.size <= -self.margin


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What a verdict goes by; ``perturbed`` is the condition compared with the correct one, empty if none was tried."""

    perturbed: str
    gains: Sequence[_Effect]
    losses: Sequence[_Effect]
    collapse: bool

    @property
    def reads(self) -> list[_Effect]:
        """The columns in which the perturbed context is worse than the correct one."""
        return [loss for loss in self.losses if loss.better]

    @property
    def translates_worse(self) -> bool:
        """Whether a metric is worse under the perturbed context, and none better."""
        metrics = [loss for loss in self.losses if loss.column.kind == "metric"]
        return any(loss.better for loss in metrics) and not any(loss.worse for loss in metrics)

    @property
    def more_likely(self) -> bool:
        """Whether CXMI is above zero with the correct context, and above that of the perturbed one."""
        gained = any(one.found.significant and one.size > 0 for one in self.gains if one.column.kind == "cxmi")
        return gained and any(loss.better for loss in self.losses if loss.column.kind == "cxmi")


@dataclass(frozen=True, slots=True)
class _Case:
    """A row of the table of verdicts."""

    label: Label
    holds: Callable[[_Evidence], bool]
    sentence: str
    shown: Callable[[_Evidence], Sequence[_Effect]]


def _harms(evidence: _Evidence) -> list[_Effect]:
    return [gain for gain in evidence.gains if gain.worse]


def _blocked(evidence: _Evidence) -> bool:
    """Return whether the correct context is significantly worse than none, by however little."""
    return any(gain.found.significant and gain.size < 0 for gain in evidence.gains)


def _significant(evidence: _Evidence) -> list[_Effect]:
    return [effect for effect in (*evidence.gains, *evidence.losses) if effect.found.significant]


def _all(evidence: _Evidence) -> list[_Effect]:
    return [*evidence.losses, *evidence.gains]


_CASES = (
    _Case(
        "collapses",
        lambda evidence: evidence.collapse,
        "{model} collapses under context, also the correct one",
        lambda evidence: evidence.gains,
    ),
    _Case(
        "harmed",
        lambda evidence: bool(_harms(evidence) and evidence.reads),
        "{model} is harmed by context: it does worse with the correct one than with none, and with {perturbed} worse "
        "still",
        lambda evidence: [*_harms(evidence), *evidence.reads],
    ),
    _Case(
        "harmed",
        lambda evidence: bool(_harms(evidence)),
        "{model} is harmed by context: it does worse with the correct one than with none",
        _harms,
    ),
    _Case(
        "uses",
        lambda evidence: evidence.translates_worse and not _blocked(evidence),
        "{model} uses its context: {perturbed} in its place do worse than the correct one",
        lambda evidence: [*evidence.reads, *(gain for gain in evidence.gains if gain.found.significant)],
    ),
    _Case(
        "uses",
        lambda evidence: evidence.more_likely and not _blocked(evidence),
        "{model} uses its context by CXMI alone: the correct one makes the references more probable, {perturbed} in "
        "its place do so less; its translations do not show it",
        _all,
    ),
    _Case(
        "undecided",
        lambda evidence: not evidence.losses,
        "{model} is undecided: no perturbed context was tried, and the correct one does it no harm",
        lambda evidence: evidence.gains,
    ),
    _Case(
        "undecided",
        lambda evidence: bool(evidence.reads) and _blocked(evidence),
        "{model} is undecided: {perturbed} do worse than the correct context, but that does worse than none",
        _significant,
    ),
    _Case(
        "undecided",
        lambda evidence: bool(evidence.reads),
        "{model} is undecided: {perturbed} do worse than the correct context, but nothing shows that this one helps",
        _all,
    ),
    _Case(
        "undecided",
        lambda evidence: any(loss.worse for loss in evidence.losses),
        "{model} is undecided: {perturbed} do better than the correct context",
        _significant,
    ),
    _Case(
        "indifferent",
        lambda evidence: all(abs(loss.size) < loss.margin for loss in evidence.losses),
        "{model} is indifferent to its context: {perturbed} in its place change next to nothing",
        _all,
    ),
    _Case(
        "undecided",
        lambda _: True,
        "{model} is undecided: the differences between the correct context and {perturbed} are not small, and not "
        "significant",
        lambda evidence: evidence.losses,
    ),
)
"""The table: the first case that holds is the verdict. That the correct context is significantly worse than none, in
any column and by however little, leaves no room for *uses* (Mohammed and Niculae 2024, §4.1, ask for quality with
the correct context as well as sensitivity to a wrong one)."""


def judge(result: PerturbationResult) -> list[Verdict]:
    """Return the verdict of each model; none where neither a perturbed context nor none was tried."""
    return [verdict for model in result.models if (verdict := _judge_model(result, model.name)) is not None]


def _judge_model(result: PerturbationResult, model: str) -> Verdict | None:
    evidence = _evidence(result, model)
    if not evidence.gains and not evidence.losses:
        return None
    if refusal := _refusal(result, model):
        return Verdict(model=model, label="refused", sentence=refusal)
    case = next(case for case in _CASES if case.holds(evidence))
    perturbed = _NAMED.get(evidence.perturbed, evidence.perturbed)
    sentence = case.sentence.format(model=model, perturbed=perturbed)
    figures, segments = _figures(case.shown(evidence), perturbed), result.corpus.segments
    return Verdict(model=model, label=case.label, sentence=f"{sentence} ({figures}; n = {segments:,} segments).")


def _refusal(result: PerturbationResult, model: str) -> str:
    """Return why there is no verdict; empty if there may be one."""
    for output in result.outputs:
        context, most = output.context, result.settings.without_context
        if output.model == model and context.lost > most * context.given:
            return (
                f"no verdict on {model}: under “{output.condition}” {context.lost:,} of {context.given:,} answers to "
                f"segments with context were made without it, more than {most:.0%}."
            )
    return ""


def _evidence(result: PerturbationResult, model: str) -> _Evidence:
    tried = {condition.name for condition in result.conditions}
    margin, cxmi_margin = result.settings.margin, result.settings.cxmi_margin
    perturbed = next((name for name in _NAMED if name in tried), "")
    gains, losses = (
        [
            _Effect(column, found, cxmi_margin if column.kind == "cxmi" else margin * column.scale / 100)
            for column in result.columns
            if column.kind != "phenomenon"
            and (found := result.difference(model, column.name, CORRECT.name, other)) is not None
        ]
        for other in (NONE.name, perturbed)
    )
    return _Evidence(perturbed, gains, losses, _collapses(result, model, gains))


def _collapses(result: PerturbationResult, model: str, gains: Sequence[_Effect]) -> bool:
    """Return whether the first metric loses a large share of its score as soon as there is context."""
    first = next((gain for gain in gains if gain.column == result.columns[0] and gain.column.kind == "metric"), None)
    if first is None or not first.worse:
        return False
    without = result.score(model, NONE.name, first.column.name)
    level = abs(without.value) if without is not None and without.value is not None else 0.0
    return -first.size >= result.settings.collapse * level


def _figures(effects: Sequence[_Effect], perturbed: str) -> str:
    """Return the figures behind a verdict, ``BLEU −3.1 and CXMI −0.889 against random tokens, p ≤ .010; BLEU …``.

    p is the largest of those that are named.
    """
    together: dict[str, list[tuple[str, float]]] = {}
    for effect in dict.fromkeys(effects):
        found, column = effect.found, effect.column
        against = "no context" if found.second == NONE.name else perturbed
        cxmi = column.kind == "cxmi"
        value = f"{found.difference:+.3f}" if cxmi else f"{100 * found.difference / column.scale:+.1f}"
        together.setdefault(against, []).append((f"{column.name} {value}", found.p_adjusted))
    shown = [
        f"{_listed([value for value, _ in values])} against {against}, "
        + p_text(max(p_value for _, p_value in values)).replace("=", "≤" if len(values) > 1 else "=")
        for against, values in together.items()
    ]
    return "; ".join(shown).replace("-", "−")


def _listed(values: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(values[:-1]), values[-1])))


def p_text(p_value: float) -> str:
    """Return a p-value as verdicts show it: ``p = .042``, or ``p < .001``."""
    return "p < .001" if p_value < 0.001 else f"p = {p_value:.3f}".replace("0.", ".")
