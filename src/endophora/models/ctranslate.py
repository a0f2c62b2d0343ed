"""Models in the form of CTranslate2, the same probabilities as on torch: converting and running them."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from endophora.corpus.trees import load_json
from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.files import check_new, disk_faults
from endophora.models.hub import hub_parts
from endophora.models.layout import LONGEST, Architecture, Ids, LaidOut, Layout, batches, decoder_length, source_length
from endophora.models.loading import (
    VOCABULARY,
    batch_tokens,
    check_folder,
    load_tokenizer,
    missing_model,
    need_libraries,
    quiet,
    read_config,
    refuse_options,
    signature,
    trained_parts,
    was_trained_here,
    weights_file,
)
from endophora.models.options import ModelOptions, Precision
from endophora.models.records import Decoding
from endophora.models.sequence_model import Found, SequenceModel, Task
from endophora.models.tokenization import Coder
from endophora.record import Fixed

CARD = "endophora.json"
"""The file of a converted model that says where it is from and how it takes context."""

TOKENIZER = "tokenizer"
"""The folder of a converted model with the tokenizer and the configuration of a model of the Hub."""


class ConvertedCard(Fixed):
    """What a converted model was: trained here (``own``), or from the Hub (``hf``), which does not say how."""

    kind: Literal["own", "hf"]
    model: str
    precision: Precision
    architecture: Architecture | None = None
    longest: int | None = None
    window: int | None = None
    context_size: int | None = None
    versions: dict[str, str] = {}


def need_ctranslate() -> Any:
    """Return the library, if it is installed (E273)."""
    if find_spec("ctranslate2") is None:
        cause = "the library ctranslate2 is not installed"
        raise MissingModelError(Fault("E273", cause, "install it with: pip install 'endophora[ctranslate2]'"))
    return import_module("ctranslate2")


def convert_model(name: str, output: Path, precision: Precision = "float32") -> ConvertedCard:
    """Convert a model into a folder that is empty or not there (E279, E275, E355, E356, E273, E274)."""
    need_libraries()
    library = need_ctranslate()
    check_folder(name)
    own = was_trained_here(Path(name))
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

        A file in half precision is read in full, as :func:`endophora.models.specs.open_model` reads it: what is
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
        raise missing_model(name, error) from error
    except (ValueError, RuntimeError, KeyError, AttributeError) as error:
        cause = f"CTranslate2 {library.__version__} cannot convert it ({first_line(error)})"
        raise InputError(Fault("E279", cause, "use it on torch, as hf:NAME", name)) from error


def read_precision(name: str) -> Precision:
    """Return a precision of weights by its name (E272)."""
    known = get_args(Precision)
    if name not in known:
        raise InputError(Fault("E272", f"unknown precision “{name}”", f"known: {', '.join(known)}", "--precision"))
    return cast("Precision", name)


def read_card(folder: Path) -> ConvertedCard:
    """Return what a converted model was (E279)."""
    try:
        return ConvertedCard.model_validate(load_json((folder / CARD).read_bytes()))
    except (OSError, ValueError) as error:
        cause = f"{CARD} is missing or not in its form ({first_line(error)})"
        advice = "convert the model with: endophora models convert MODEL DIR"
        raise InputError(Fault("E279", cause, advice, str(folder))) from error


def open_ctranslate(argument: str, options: ModelOptions) -> CTranslateModel:
    """Open a converted model (E279, E272, E276, E284, E273)."""
    refuse_options(options, ("adapter", "weights", "device_map"), argument)
    library = need_ctranslate()
    folder = Path(argument)
    card = read_card(folder)
    coder, layout = _parts(folder, card, options)
    device = options.device
    if device == "auto":
        device = "cuda" if library.get_cuda_device_count() else "cpu"
    name, _, number = device.partition(":")
    chosen = options.precision or "default"
    try:
        place = {"device": name, "device_index": int(number or 0), "intra_threads": options.threads or 0}
        model: Any = library.Translator(str(folder), compute_type=chosen, **place)
    except (ValueError, RuntimeError) as error:
        code = "E272" if "compute type" in str(error) else "E284" if "device" in str(error) else "E279"
        advice = "name another device or precision, or convert again"
        raise InputError(Fault(code, first_line(error), advice, argument)) from error
    tokens = batch_tokens(options, name)
    separator = ",".join(map(coder.piece, layout.separator))
    precision = card.precision if chosen == "default" else chosen
    says = f"{layout.architecture.value},separator={separator}"
    signed = signature("ct2", argument, says, options, None, precision, ("ctranslate2",))
    return CTranslateModel(model, coder, layout, signed, tokens, weights_file(argument))


def _parts(folder: Path, card: ConvertedCard, options: ModelOptions) -> tuple[Coder, Layout]:
    if card.kind == "own":
        architecture = options.architecture or card.architecture or Architecture.SENTENCE
        if architecture is Architecture.MULTI_ENCODER:
            raise InputError(Fault("E272", "the model has one encoder", "name another architecture", str(folder)))
        limits = card.longest or LONGEST, card.window, card.context_size
        return trained_parts(folder, architecture, *limits, options)
    transformers: Any = import_module("transformers")
    place = str(folder / TOKENIZER)
    config = transformers.AutoConfig.from_pretrained(place, trust_remote_code=False)
    coder, layout, _ = hub_parts(config, None, load_tokenizer(place), str(folder), options)
    return coder, layout


class CTranslateModel(SequenceModel):
    """A converted model."""

    def _logprobs(self, examples: Sequence[LaidOut]) -> list[NDArray[np.float64]]:
        found: list[NDArray[np.float64]] = [np.zeros(0)] * len(examples)
        lengths = [max(source_length(one), decoder_length(one)) for one in examples]
        for batch in batches(lengths, self.batch_tokens):
            chosen = [examples[number] for number in batch]
            # The library adds the end of the target by itself.
            results = self.model.score_batch(
                [self._written(one.source) for one in chosen],
                [self._written((*one.prefix, *one.target[:-1])) for one in chosen],
                max_input_length=0,
            )
            for number, example, result in zip(batch, chosen, results, strict=True):
                found[number] = np.array(result.log_probs[len(example.prefix) :], dtype=np.float64)
        return found

    def _search(self, tasks: Sequence[Task], decoding: Decoding) -> list[Found]:
        prefixes = [self._written(task.example.prefix) for task in tasks]
        results = self.model.translate_batch(
            [self._written(task.example.source) for task in tasks],
            target_prefix=prefixes if any(prefixes) else None,
            beam_size=decoding.beam,
            num_hypotheses=decoding.beam,
            length_penalty=decoding.length_penalty,
            max_input_length=0,
            min_decoding_length=0,
            max_decoding_length=max(len(task.example.prefix) + task.limit for task in tasks),
            return_scores=True,
            return_end_token=True,
        )
        return [self._found(task, result, decoding) for task, result in zip(tasks, results, strict=True)]

    def _found(self, task: Task, result: Any, decoding: Decoding) -> Found:
        """Return the best hypothesis: the library counts the prefix among the tokens that it divides by."""
        ahead, penalty = len(task.example.prefix), decoding.length_penalty
        hypotheses: list[tuple[float, float, list[str]]] = []
        for pieces, score in zip(result.hypotheses, result.scores, strict=True):
            found = pieces[ahead:]
            logprob = float(score) * len(pieces) ** penalty
            hypotheses.append((logprob / max(1, len(found)) ** penalty, logprob, found))
        _, logprob, found = max(hypotheses, key=lambda one: one[0])
        ids = tuple(self.coder.index(piece) for piece in found)
        # The library has one limit for a batch.
        return Found(ids, logprob) if len(ids) <= task.limit else Found(ids[: task.limit], None)

    def _written(self, ids: Ids) -> list[str]:
        return [self.coder.piece(index) for index in ids]
