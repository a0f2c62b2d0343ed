"""Where the models that can be taken apart have their encoders, their decoder and their layer norms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from endophora.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class Architecture:
    """How the layers of a kind of model are built. All are of Bart's family: the attributes have the same names.

    Attributes:
        name: what documents call it.
        norm_first: layer norms stand before attention and not after the residual.
        encoders: dotted paths of the encoders, in the order in which their outputs are joined.
        decoder: dotted path of the decoder.
    """

    name: str
    norm_first: bool
    encoders: tuple[str, ...] = ("model.encoder",)
    decoder: str = "model.decoder"


ARCHITECTURES: Mapping[str, Architecture] = {
    "marian": Architecture("Marian", norm_first=False),
    "m2m_100": Architecture("M2M100 and NLLB", norm_first=True),
    "mbart": Architecture("mBART", norm_first=True),
    "bart": Architecture("BART", norm_first=False),
    "endophora_multi_encoder": Architecture(
        "multi-encoder",
        norm_first=False,
        encoders=("model.source_context_encoder", "model.encoder", "model.target_context_encoder"),
    ),
}
"""By the ``model_type`` of a model's configuration."""


def architecture_of(model: Any) -> Architecture:
    """Return how a model is built.

    Args:
        model: a model of ``transformers``.

    Raises:
        InputError: its kind is not known here (E260).
    """
    kind = str(getattr(getattr(model, "config", None), "model_type", "") or type(model).__name__)
    if kind not in ARCHITECTURES:
        known = ", ".join(architecture.name for architecture in ARCHITECTURES.values())
        cause = f"ALTI+ does not know how a model of the kind “{kind}” is built"
        raise InputError(Fault("E260", cause, f"take one of {known}; --method gradient works with any", "--model"))
    return ARCHITECTURES[kind]
