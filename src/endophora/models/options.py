"""Options of models that run here: given to ``open_model``, or in a spec, each after a comma."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, field_validator

from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError
from endophora.models.layout import Architecture
from endophora.record import Fixed
from endophora.signature import keyed

Form = Literal["chat", "turns", "plain"]
"""How a language model is asked: in one turn with the context, with earlier segments as turns, or in a text."""

Precision = Literal["float32", "bfloat16", "float16", "int8", "int8_float32"]


@keyed(
    irrelevant={
        "device": "where a model computes; figures agree except for rounding",
        "batch_tokens": "how many inputs go together; figures agree except for rounding",
        "threads": "how fast a model is; figures agree except for rounding",
        "device_map": "where a model computes; figures agree except for rounding",
        "gpus": "where a model computes; figures agree except for rounding",
        "limit": "what a service may cost, not what it answers",
    },
    names={"adapter"},
)
class ModelOptions(Fixed):
    """How a model is opened.

    Attributes:
        device: ``auto`` takes a GPU if there is one; otherwise as torch names it.
        batch_tokens: most tokens of a batch, padding included; by default what suits the device.
        precision: of the weights; by default bfloat16 on a GPU that has it, and float32 elsewhere. The softmax is
            computed in float32 in any case. The two of int8 are for CTranslate2 alone.
        device_map: how ``accelerate`` shares a model out to devices, as ``auto``; then ``device`` does not count.
        weights: 8 or 4 bits a weight, by ``bitsandbytes``; they compute in ``precision``.
        adapter: a folder or name of the Hub with what ``peft`` has learned beside the model.
        separator: what stands between two sentences of a joined context: a token of the vocabulary, or text; empty for
            nothing. By default what the model was trained with, and nothing for models that do not say.
        architecture: how the model takes context, if not as it says itself.
        window: most tokens of a side together with its context: sentences of context beyond it are left out, the oldest
            first. By default as in training, of models that were trained here, and otherwise what the model can take.
        languages: ISO 639-1 codes of source and target, for models of several languages and for services.
        source_code, target_code: the model's own codes of the languages, where they do not follow from ``languages``.
        threads: of the CPU that one model uses; as the library has it by default.
        gpus: that one model of ``vllm:`` is shared out to.
        limit: most that a service may cost, in the currency of its price.
        prefix: text before every source, for models that read an instruction (T5: ``translate English to German: ``).
        template: a file with the prompt of a decoder-only model.
        form: how a decoder-only model is asked; by default ``chat`` if its tokenizer has a template of turns.
        chat_template_kwargs: what that template is given; in a spec ``NAME:VALUE``, several with ``;`` between them,
            and each value is read as YAML. ``enable_thinking`` is off unless given.
    """

    device: str = "auto"
    batch_tokens: int | None = Field(default=None, ge=1)
    precision: Precision | None = None
    separator: str | None = None
    architecture: Architecture | None = None
    window: int | None = Field(default=None, ge=1)
    languages: tuple[str, str] | None = None
    source_code: str | None = None
    target_code: str | None = None
    threads: int | None = Field(default=None, ge=1)
    device_map: str | None = None
    weights: Literal["8bit", "4bit"] | None = None
    adapter: str | None = None
    gpus: int | None = Field(default=None, ge=1)
    limit: float | None = Field(default=None, ge=0)
    prefix: str | None = None
    template: Path | None = None
    form: Form | None = None
    chat_template_kwargs: dict[str, bool | int | float | str] = Field(default_factory=dict)

    @field_validator("chat_template_kwargs", mode="before")
    @classmethod
    def _read_kwargs(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        pairs = (part.partition(":") for part in value.split(";") if part)
        return {name.strip(): load_yaml(text) if text.strip() else "" for name, _, text in pairs}


def read_spec(spec: str, options: ModelOptions) -> tuple[str, ModelOptions]:
    """Take the options that are in a spec: ``hf:NAME,separator=<brk>,target_code=deu_Latn`` (E272)."""
    name, *parts = spec.split(",")
    given: dict[str, Any] = {}
    faults: list[Fault] = []
    for part in parts:
        key, equals, value = part.partition("=")
        if not equals or key in given:
            cause = f"“{part}” is no option, or is there twice"
            faults.append(Fault("E272", cause, "write NAME=VALUE between commas", spec))
        given[key] = value
    if "languages" in given:
        given["languages"] = given["languages"].split("-")
    try:
        made = ModelOptions.model_validate({**options.model_dump(exclude_unset=True), **given})
    except ValidationError as error:
        known = f"known: {', '.join(ModelOptions.model_fields)}"
        causes = (f"option {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
        faults += [Fault("E272", cause, known, spec) for cause in causes]
        raise InputError(faults) from error
    if faults:
        raise InputError(faults)
    return name, made
