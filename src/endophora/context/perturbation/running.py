"""One model under all conditions: what it translates, and how probable it finds the references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from endophora.context.context_counts import context_of
from endophora.context.fitting import too_long, trimmed
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
        contexts: (N,) how much context each translation had.
        scored_contexts: (N,) the same of the likelihoods.
    """

    condition: Condition
    translations: tuple[Translation, ...]
    likelihoods: tuple[Likelihood, ...]
    changed: int
    contexts: tuple[ContextRead, ...]
    scored_contexts: tuple[ContextRead, ...]


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
    conditions are made of these same translations, so that all perturb the same context: as much of it as the model has
    read, since it would make no difference what stands in the place of the rest.

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
    read: Sequence[ContextRead] | None = None
    scored_read: Sequence[ContextRead] | None = None
    for condition in conditions:
        inputs = perturbed_inputs(given, condition, scorer, read)
        scored_inputs = perturbed_inputs(given, condition, scorer, scored_read)
        wanted = condition in options.conditions
        translations = keeper.translate(model, inputs, options.decoding) if wanted else []
        scored = keeper.score(scorer, scored_inputs, references) if scorer and options.cxmi != "off" else []
        contexts = tuple(context_of(*pair) for pair in zip(translations, inputs, strict=False))
        scored_contexts = tuple(context_of(*pair) for pair in zip(scored, scored_inputs, strict=False))
        if condition == CORRECT:
            read, scored_read = contexts, scored_contexts or None
        # What the model does not read makes no difference.
        changed = sum(
            trimmed(one, context) != trimmed(other, context)
            for one, other, context in zip(inputs, correct, read or [None] * len(inputs), strict=True)
        )
        found[condition.name] = Tried(condition, tuple(translations), tuple(scored), changed, contexts, scored_contexts)
    return found


def long_segments(
    models: Mapping[str, Translator], texts: Sequence[Text], options: PerturbationOptions
) -> dict[int, str]:
    """Return the places of segments that a model cannot take even without context, and why; document after document."""
    sources = [source for text in texts for source in text.sources]
    references = [reference for text in texts for reference in text.references]
    found: dict[int, str] = {}
    for name, model in models.items():
        long = too_long(model, sources, None, options.decoding)
        if isinstance(model, Scorer) and options.cxmi != "off":
            long |= too_long(model, sources, references)
        found |= {place: f"{name}: {cause}" for place, cause in long.items()}
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
