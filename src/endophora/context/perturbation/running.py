"""One model under all conditions: what it translates, and how probable it finds the references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from endophora.context.perturbation.conditions import CORRECT, NONE, Condition, Kind
from endophora.context.perturbation.contexts import Given, Text, perturbed_inputs
from endophora.context.perturbation.keeping import Keeper, Likelihood
from endophora.context.perturbation.options import PerturbationOptions
from endophora.errors import Fault, InputError
from endophora.models.documents import Sides, translate_documents
from endophora.models.records import ContextRead, Decoding, ModelInput, Scorer, Translation, Translator


@dataclass(frozen=True, slots=True)
class Tried:
    """A model under one condition.

    Attributes:
        condition: what stood in the place of the context.
        translations: (N,) of all segments, document after document.
        likelihoods: (N,) of their references; empty where they were not asked for.
        changed: segments whose input is another than under the correct context.
    """

    condition: Condition
    translations: tuple[Translation, ...]
    likelihoods: tuple[Likelihood, ...]
    changed: int

    @property
    def reads(self) -> list[ContextRead]:
        """What was given and read of the context, of each translation whose model tells."""
        return [one.context for one in self.translations if one.context is not None]


def check_model(name: str, model: object, options: PerturbationOptions) -> None:
    """Check that a model can do what is asked of it.

    Raises:
        InputError: it does not translate, or it has no vocabulary and random tokens are to be drawn (E328).
    """
    faults: list[Fault] = []
    if not isinstance(model, Translator):
        faults.append(Fault("E328", f"“{name}” does not translate", "name a translation model", "--model"))
    elif not isinstance(model, Scorer) and any(one.kind is Kind.RANDOM for one in options.conditions):
        advice = "name other conditions: --condition sentences --condition none"
        faults.append(Fault("E328", f"“{name}” shows no vocabulary to draw random tokens from", advice, "--model"))
    if faults:
        raise InputError(faults)


def try_model(
    model: Translator, texts: Sequence[Text], options: PerturbationOptions, keeper: Keeper
) -> dict[str, Tried]:
    """Return what a model does under each condition, by the condition's name.

    The correct context comes first, segment by segment, since the model's own translations are part of it; the other
    conditions are made of these same translations, so that all perturb the same context.

    Args:
        model: translates; where it scores too, the references are scored unless the options say otherwise. One that
            says that it does not look at target context (``uses_target_context``) is given none.
        texts: the documents.
        options: conditions, context and decoding.
        keeper: asks the model.
    """
    scorer = model if isinstance(model, Scorer) else None
    sides = _sides(model, options)
    sources = [text.sources for text in texts]
    own = translate_documents(_Kept(model, keeper), sources, options.size, sides, options.decoding)
    texts_of = [[translation.text for translation in document] for document in own]
    given = Given(texts, texts_of, options.size, sides, options.seed)
    correct = perturbed_inputs(given, CORRECT, scorer)
    references = [reference for text in texts for reference in text.references]
    # What is without context is scored in any case: CXMI is the difference to it.
    conditions = dict.fromkeys((*options.conditions, NONE) if scorer and options.cxmi != "off" else options.conditions)
    found: dict[str, Tried] = {}
    for condition in conditions:
        inputs = correct if condition == CORRECT else perturbed_inputs(given, condition, scorer)
        wanted = condition in options.conditions
        translations = keeper.translate(model, inputs, options.decoding) if wanted else []
        scored = keeper.score(scorer, inputs, references) if scorer and options.cxmi != "off" else []
        changed = sum(one != other for one, other in zip(inputs, correct, strict=True))
        found[condition.name] = Tried(condition, tuple(translations), tuple(scored), changed)
    return found


def count_inputs(texts: Sequence[Text], options: PerturbationOptions, scores: bool) -> int:
    """Return how many inputs a model will be asked about, or the store in its stead: what progress is measured by.

    Args:
        texts: the documents.
        options: conditions and context.
        scores: whether the model scores references.
    """
    segments = sum(len(text.sources) for text in texts)
    rounds = len(options.conditions) + 1
    if scores and options.cxmi != "off":
        rounds += len({*options.conditions, NONE})
    return rounds * segments


def _sides(model: Translator, options: PerturbationOptions) -> Sides:
    """Return on which sides a model is given context: on none that it does not look at."""
    uses = bool(getattr(model, "uses_target_context", True))
    return options.sides if uses or options.sides is Sides.TARGET else Sides.SOURCE


class _Kept:
    """A translator whose answers are kept."""

    def __init__(self, model: Translator, keeper: Keeper) -> None:
        self._model = model
        self._keeper = keeper
        self.signature = model.signature

    def translate(self, inputs: Sequence[ModelInput], decoding: Decoding | None = None) -> list[Translation]:
        """Translate each input, or take its translation from the store."""
        return self._keeper.translate(self._model, inputs, decoding or Decoding())
