"""Opens models that were trained here: Marian models that say how they take context, and the multi-encoder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from endophora.corpus.trees import load_json
from endophora.errors import Fault, InputError
from endophora.models.layout import Architecture, Layout
from endophora.models.loading import (
    batch_tokens,
    check_folder,
    find_device,
    load,
    need_libraries,
    signature,
    weights_file,
)
from endophora.models.options import ModelOptions

if TYPE_CHECKING:
    from endophora.models.tokenization import Vocabulary
    from endophora.models.torch_model import TorchModel


VOCABULARY = "source.spm"
"""The file of the vocabulary in the folder of a model."""


def read_config(folder: Path) -> dict[str, Any]:
    """Return a model's configuration.

    Raises: InputError: there is none, or it cannot be read (E275).
    """
    try:
        config = load_json((folder / "config.json").read_bytes())
    except (OSError, ValueError) as error:
        cause = f"config.json cannot be read ({error})"
        raise InputError(
            Fault("E275", cause, "name the folder of a model, or hf:NAME for one of the Hub", str(folder))
        ) from error
    if not isinstance(config, dict):
        raise InputError(Fault("E275", "config.json is no object", "copy the model anew", str(folder)))
    return cast("dict[str, Any]", config)


def was_trained_here(folder: Path) -> bool:
    """Tell whether the folder has a model that was trained here."""
    return (folder / "config.json").is_file() and "context_architecture" in read_config(folder)


def trained_parts(
    folder: Path,
    architecture: Architecture,
    longest: int,
    window: int | None,
    context_size: int | None,
    options: ModelOptions,
) -> tuple[Vocabulary, Layout]:
    """Return the vocabulary of a model, and its layout: separator and window as asked for, or as in training."""
    from endophora.models.tokenization import Vocabulary

    vocabulary = Vocabulary(folder / VOCABULARY)
    separator = (vocabulary.separator,) if options.separator is None else vocabulary.ids_of(options.separator)
    ends = (vocabulary.eos,)
    layout = Layout(architecture, separator, ends, longest, window=options.window or window, trained=context_size)
    return vocabulary, layout


def open_own(argument: str, options: ModelOptions) -> TorchModel:
    """Open a model that was trained here.

    Raises: InputError (E275, E272, E284), MissingModelError (E273, E274).
    """
    need_libraries()
    check_folder(argument)
    folder = Path(argument)
    config = read_config(folder)
    if "context_architecture" not in config or not (folder / VOCABULARY).is_file():
        raise InputError(
            Fault("E275", "the model was not trained with endophora", f"name it as hf:{argument}", argument)
        )
    # What reads the multi-encoder is registered on import.
    import endophora.models.multi_encoder as _multi_encoder
    from endophora.models.torch_model import TorchModel

    del _multi_encoder
    trained = Architecture(config["context_architecture"])
    wanted = options.architecture or trained
    if wanted is not trained and Architecture.MULTI_ENCODER in (wanted, trained):
        cause = f"a {trained.value} model cannot take context as {wanted.value}"
        raise InputError(Fault("E272", cause, "leave the architecture out", argument))
    limits = int(config["max_position_embeddings"]), config.get("context_window"), config.get("context_size")
    vocabulary, layout = trained_parts(folder, wanted, *limits, options)
    model = load(argument, "AutoModelForSeq2SeqLM", options)
    says = f"{wanted.value}{'' if wanted is trained else f' (trained {trained.value})'}"
    if options.separator is not None:
        says += f",separator={','.join(map(vocabulary.piece, layout.separator))}"
    return TorchModel(
        model,
        vocabulary,
        layout,
        signature("trained", argument, says, options),
        batch_tokens(options, find_device(options.device)),
        weights_file(argument),
    )
