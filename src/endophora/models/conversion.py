"""Converts models to the form of CTranslate2, with all that is needed to give them context as before."""

from __future__ import annotations

import shutil
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pydantic import BaseModel, ConfigDict, ValidationError

from endophora.corpus.trees import load_json
from endophora.errors import Fault, InputError, MissingModelError
from endophora.files import check_new, disk_faults
from endophora.models.loading import check_folder, first_line, load_tokenizer, need_libraries, quiet
from endophora.models.options import Precision
from endophora.models.own import VOCABULARY, is_own, read_config
from endophora.models.presets import Architecture

CARD = "endophora.json"
"""The file of a converted model that says where it is from and how it takes context."""

TOKENIZER = "tokenizer"
"""The folder of a converted model with the tokenizer and the configuration of a model of the Hub."""


class ConvertedCard(BaseModel):
    """What a converted model was.

    Attributes:
        kind: ``own`` if it was trained here, ``hf`` if it is from the Hub.
        architecture: how it was trained to take context; models of the Hub do not say.
        window: most tokens of a side with its context in their training.
        context_size: most sentences of context in their training.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Literal["own", "hf"]
    model: str
    precision: Precision
    architecture: Architecture | None = None
    longest: int | None = None
    window: int | None = None
    context_size: int | None = None
    versions: dict[str, str] = {}


def need_ctranslate() -> Any:
    """Return the library.

    Raises: MissingModelError: it is not installed (E273).
    """
    if find_spec("ctranslate2") is None:
        cause = "the library ctranslate2 is not installed"
        raise MissingModelError(Fault("E273", cause, "install it with: pip install 'endophora[ctranslate2]'"))
    return import_module("ctranslate2")


def convert_model(name: str, output: Path, precision: Precision = "float32") -> ConvertedCard:
    """Convert a model.

    Args:
        output: a folder that is empty or not there.

    Raises: InputError (E279, E275, E355, E356), MissingModelError (E273, E274).
    """
    need_libraries()
    library = need_ctranslate()
    check_folder(name)
    own = is_own(Path(name))
    config = read_config(Path(name)) if own else {}
    if own and config["context_architecture"] == Architecture.MULTI_ENCODER:
        cause = "CTranslate2 has no models with several encoders"
        raise InputError(Fault("E279", cause, "use the multi-encoder as it is", name))
    check_new(output)
    with disk_faults(output):
        output.mkdir(parents=True, exist_ok=True)
    _convert(library, name, output, precision)
    card = ConvertedCard(
        kind="own" if own else "hf",
        model=Path(name).resolve().name if Path(name).is_dir() else name,
        precision=precision,
        architecture=config.get("context_architecture"),
        longest=config.get("max_position_embeddings"),
        window=config.get("context_window"),
        context_size=config.get("context_size"),
        versions={one: version(one) for one in ("ctranslate2", "transformers")},
    )
    if own:
        shutil.copyfile(Path(name) / VOCABULARY, output / VOCABULARY)
    else:
        transformers: Any = import_module("transformers")
        load_tokenizer(name).save_pretrained(output / TOKENIZER)
        transformers.AutoConfig.from_pretrained(name, trust_remote_code=False).save_pretrained(output / TOKENIZER)
    (output / CARD).write_text(card.model_dump_json(indent=1) + "\n", "utf-8")
    return card


def _convert(library: Any, name: str, output: Path, precision: Precision) -> None:
    transformers: Any = import_module("transformers")
    converters: Any = import_module("ctranslate2.converters")
    torch: Any = import_module("torch")

    class _Safe(converters.TransformersConverter):
        """The library's converter, but that it takes weights in safetensors alone.

        A file in half precision is read in full, as :func:`endophora.models.opening.open_model` reads it: what is
        computed when a model is made, the encodings of positions, would be rounded too.
        """

        def load_model(self, model_class: Any, model_name_or_path: str, **kwargs: Any) -> Any:
            """Return the model."""
            return model_class.from_pretrained(
                model_name_or_path, use_safetensors=True, **{**kwargs, "dtype": torch.float32}
            )

    try:
        with quiet(transformers):
            converter: Any = _Safe(name)
            converter.convert(str(output), quantization=None if precision == "float32" else precision, force=True)
    except OSError as error:
        cause = f"the model “{name}” cannot be loaded ({first_line(error)})"
        raise MissingModelError(Fault("E274", cause, f"fetch it with: hf download {name}, or name a folder")) from error
    except (ValueError, RuntimeError, KeyError, AttributeError) as error:
        cause = f"CTranslate2 {library.__version__} cannot convert it ({first_line(error)})"
        raise InputError(Fault("E279", cause, "use it on torch, as hf:NAME", name)) from error


def read_precision(name: str) -> Precision:
    """Return a precision of weights by its name.

    Raises: InputError: there is none of that name (E272).
    """
    known = get_args(Precision)
    if name not in known:
        raise InputError(Fault("E272", f"unknown precision “{name}”", f"known: {', '.join(known)}", "--precision"))
    return cast("Precision", name)


def read_card(folder: Path) -> ConvertedCard:
    """Return what a converted model was.

    Raises: InputError: the folder has no model that :func:`convert_model` has made (E279).
    """
    try:
        return ConvertedCard.model_validate(load_json((folder / CARD).read_bytes()))
    except (OSError, ValueError, ValidationError) as error:
        cause = f"{CARD} is missing or not in its form ({first_line(error)})"
        advice = "convert the model with: endophora models convert MODEL DIR"
        raise InputError(Fault("E279", cause, advice, str(folder))) from error
