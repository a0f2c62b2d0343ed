"""The model that is trained: its layout, new or warm-started weights, loss and learning rate."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor
from torch.nn import functional
from transformers import AutoModelForSeq2SeqLM, MarianMTModel, PreTrainedModel

from endophora.engine.directory import DirectoryLock
from endophora.errors import Fault, InputError, first_line, refuse
from endophora.files import TEMPORARY, Output, check_directory, disk_faults, replacing, write_whole
from endophora.models.layout import LONGEST, NEVER, Architecture, Layout, marian_config, preset
from endophora.models.loading import quiet
from endophora.models.multi_encoder import OPEN, GatedNorm, MultiEncoderForTranslation
from endophora.models.tokenization import Vocabulary
from endophora.training.translation.examples import IGNORED
from endophora.training.translation.settings import TrainingSettings


@dataclass(frozen=True, slots=True)
class Loss:
    """Sums over the labels that count, in nats."""

    smoothed: Tensor
    plain: Tensor


def cross_entropy(
    states: Tensor, weight: Tensor, bias: Tensor, labels: Tensor, smoothing: float, pad: int, *, half: bool = False
) -> Loss:
    """Return the loss of a batch.

    The scores of all V tokens are made for some rows at a time, and their gradient with them: what is kept is of the
    size of the states, not of the scores, and what is not counted has no scores at all.

    Args:
        states: (batch, T, d) what the decoder ends with.
        weight: (V, d) of the output layer.
        bias: (V,) of the output layer, which is not learned; far below the others for padding.
        labels: (batch, T); :data:`~endophora.training.translation.examples.IGNORED` where they do not count.
        smoothing: share ε of the probability that goes to all V − 1 tokens but padding alike (Szegedy et al. 2016).
    """
    counted = labels != IGNORED
    function: Any = _CrossEntropy
    smoothed, plain = function.apply(states[counted], weight, bias, labels[counted], (smoothing, pad, half))
    return Loss(smoothed, plain)


class _CrossEntropy(torch.autograd.Function):
    """The loss of rows (N, d) whose tokens (N,) are known, and its gradients, which are made on the way."""

    @staticmethod
    def forward(
        ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, wanted: Tensor, options: tuple[float, int, bool]
    ) -> tuple[Tensor, Tensor]:
        """Return the smoothed and the plain loss; keep the gradients of the first where they are wanted."""
        smoothing, pad, half = options
        kind = torch.bfloat16 if half else weight.dtype
        table, offset = weight.to(kind), bias.to(kind)
        even = smoothing / (len(weight) - 1)
        # What smoothing adds is the same for every token but padding, so that sums over the tokens do for it.
        ordinary = weight.sum(0) - weight[pad]
        pull = (even * ordinary).to(kind)
        learning = ctx.needs_input_grad[0] or ctx.needs_input_grad[1]
        by_state = torch.empty_like(states) if learning else None
        by_weight = torch.zeros_like(weight) if learning else None
        # The sums of very many rows would lose digits in float32.
        sums = torch.zeros(2, dtype=torch.float64, device=states.device)
        for start in range(0, len(states), _ROWS):
            rows, tokens = states[start : start + _ROWS].to(kind), wanted[start : start + _ROWS, None]
            scores = functional.linear(rows, table, offset).float()
            logs = functional.log_softmax(scores, -1)
            known = logs.gather(1, tokens)
            sums[1] -= known.sum()
            sums[0] -= (1 - smoothing) * known.sum()
            if smoothing:
                totals = (scores.gather(1, tokens) - known).sum()
                sums[0] += smoothing * totals - even * (rows.float().sum(0) @ ordinary.float())
            if by_state is None or by_weight is None:
                continue
            slope = logs.exp_().scatter_add_(1, tokens, torch.full_like(known, smoothing - 1)).to(kind)
            by_state[start : start + _ROWS] = slope @ table - pull
            by_weight += slope.T @ rows
        sums[0] -= even * len(states) * (bias.sum() - bias[pad])
        if by_state is not None and by_weight is not None:
            shared = even * states.sum(0, dtype=weight.dtype)
            by_weight -= shared
            by_weight[pad] += shared
            ctx.save_for_backward(by_state, by_weight)
        smoothed, plain = sums.to(torch.float32)
        ctx.mark_non_differentiable(plain)
        return smoothed, plain

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the kept gradients, times that of the smoothed loss."""
        by_state, by_weight = ctx.saved_tensors
        return by_state * slopes[0].to(by_state.dtype), by_weight * slopes[0], None, None, None


_ROWS = 512
"""Rows whose scores are held at a time; with 16,000 tokens, 32 MB."""


def learning_rate(update: int, peak: float, warmup: int) -> float:
    """Return the rate of an update, from 1: linear to the peak, then with the inverse square root of the updates."""
    return peak * min(update / warmup, (warmup / update) ** 0.5)


_COMPUTED = "embed_positions"
"""Weights of this name are sines, and in no file."""


def new_model(settings: TrainingSettings, vocabulary: Vocabulary) -> PreTrainedModel:
    """Return a model with random weights; the seed determines them."""
    seed_everything(settings.seed)
    size = preset(settings.preset)
    if settings.dropout is not None:
        size = size.model_copy(update={"dropout": settings.dropout})
    config = marian_config(
        size, vocabulary, settings.architecture, settings.context_size, settings.most_with_context, gates=settings.gates
    )
    multiple = settings.architecture is Architecture.MULTI_ENCODER
    kind: Any = MultiEncoderForTranslation if multiple else MarianMTModel
    model = kind(config)
    with torch.no_grad():
        # The variance of Vaswani et al.'s shared embeddings, which are scaled by the root of the width on their way in.
        torch.nn.init.normal_(model.model.shared.weight, std=size.hidden**-0.5)
        model.model.shared.weight[vocabulary.pad] = 0
        model.final_logits_bias[0, vocabulary.pad] = NEVER
        for norm in model.modules():
            if isinstance(norm, GatedNorm):
                norm.context_gate.bias.fill_(OPEN)
    return model


_CONTEXT_ENCODERS = ("source_context_encoder", "target_context_encoder")
_LEARNED = (*_CONTEXT_ENCODERS, "context_attention", "context_gate")


def freeze_sentence_model(model: PreTrainedModel) -> None:
    """Let only the context encoders learn, and attention to them with its gates; the embeddings are shared with all."""
    for name, parameter in model.named_parameters():
        parameter.requires_grad = any(f".{one}." in name and ".embed_" not in name for one in _LEARNED)


def warm_start(model: PreTrainedModel, vocabulary: Vocabulary, path: Path) -> list[str]:
    """Take over the weights of a trained model where names and shapes are the same (E295).

    A multi-encoder's context encoders begin as copies of a single encoder. Where the vocabularies differ, embeddings
    are carried over sub-word by sub-word; a new one begins as the mean of those that the trained model cuts it into
    (Gee et al. 2022, "Fast Vocabulary Transfer for Language Model Compression", section 3).
    """
    try:
        reader: Any = AutoModelForSeq2SeqLM
        other = reader.from_pretrained(path, use_safetensors=True, local_files_only=True)
    except (OSError, ValueError) as error:
        cause = f"no model can be read there ({first_line(error)})"
        raise InputError(Fault("E295", cause, "name the folder of a trained model", str(path))) from error
    found: dict[str, Any] = other.state_dict()
    for name in _CONTEXT_ENCODERS:
        for key, value in list(found.items()):
            if key.startswith("model.encoder."):
                found.setdefault(key.replace("model.encoder.", f"model.{name}."), value)
    own: dict[str, Any] = model.state_dict()
    theirs = Vocabulary(path / "source.spm")
    if theirs.path.read_bytes() != vocabulary.path.read_bytes():
        rows = _rows(vocabulary, theirs)
        for key, value in list(found.items()):
            if theirs.size in value.shape and _COMPUTED not in key:
                at = value.shape.index(theirs.size)
                found[key] = torch.stack([value.index_select(at, torch.tensor(row)).mean(at) for row in rows], at)
    wanted = {key for key in own if _COMPUTED not in key}
    fitting = {key: found[key] for key in wanted if key in found and found[key].shape == own[key].shape}
    if not fitting:
        raise InputError(Fault("E295", "none of its weights fits", "name a model of the same preset", str(path)))
    model.load_state_dict(fitting, strict=False)
    return sorted(wanted - fitting.keys())


def _rows(vocabulary: Vocabulary, theirs: Vocabulary) -> list[tuple[int, ...]]:
    """Return, for each sub-word, the sub-words of another vocabulary that stand for it."""
    rows: list[tuple[int, ...]] = []
    for index in range(vocabulary.pad):
        piece = vocabulary.piece(index)
        same = theirs.index(piece)
        cut = same == theirs.unknown and index != vocabulary.unknown
        rows.append((cut and theirs.ids(piece.replace("▁", " ").lstrip())) or (same,))
    return [*rows, (theirs.pad,)]


def seed_everything(seed: int) -> None:
    """Seed torch's random numbers, on all devices."""
    torch.manual_seed(seed)  # pyright: ignore[reportUnknownMemberType]


def layout_of(settings: TrainingSettings, vocabulary: Vocabulary) -> Layout:
    """Return how a model of these settings takes context."""
    return Layout(
        settings.architecture, (vocabulary.separator,), (vocabulary.eos,), LONGEST, window=settings.most_with_context
    )


if TYPE_CHECKING:
    from endophora.training.translation.loop import Devices

_WEIGHTS, _OPTIMISER, _RANDOM, _CUDA = "weights.", "optimiser.", "random.", "cuda."


@dataclass(slots=True)
class TrainingState:
    """Where a training stands."""

    update: int = 0
    epoch: int = 0  # the pass over the text, from 0
    batch: int = 0  # batches taken of this pass
    tokens: int = 0  # labels seen, in all passes
    loss: float = 0.0  # since the last look, sum of the negative log-likelihoods in nats …
    labels: int = 0  # … and how many they are
    seconds: float = 0.0
    best: float = float("inf")  # lowest validation perplexity
    best_update: int = 0
    since_best: int = 0  # looks since then
    looked: int = 0
    history: list[dict[str, float]] = field(default_factory=list[dict[str, float]])  # one entry for each look


def save_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, state: TrainingState, devices: Devices
) -> None:
    """Write a checkpoint; the one that was there is replaced when the new one is whole (E154, E155)."""
    drawn = {_RANDOM: torch.get_rng_state()}
    if devices.device.type == "cuda":
        drawn[_CUDA] = torch.cuda.get_rng_state(devices.device)
    gathered = devices.gather(drawn)
    if devices.rank:
        return
    tensors = {_WEIGHTS + name: value.detach().contiguous() for name, value in model.named_parameters()}
    states: dict[int, dict[str, Any]] = optimiser.state_dict()["state"]
    for number, moments in states.items():
        tensors |= {f"{_OPTIMISER}{number}.{name}": value.contiguous() for name, value in moments.items()}
    for rank, drawn in enumerate(gathered):
        tensors |= {f"{kind}{rank}": value for kind, value in drawn.items()}
    with replacing(path) as temporary, weights_written():
        save: Any = import_module("safetensors.torch").save_file
        save(tensors, temporary, {"state": json.dumps(asdict(state))})


def load_checkpoint(
    path: Path, model: torch.nn.Module, optimiser: torch.optim.Optimizer, devices: Devices
) -> TrainingState | None:
    """Take a training up again where a checkpoint left it; ``None`` if there is none."""
    if not path.is_file():
        return None
    # The library's types are in its compiled part, which declares none.
    reader: Any = safe_open(path, framework="pt")
    with reader as held:
        names: list[str] = list(held.keys())
        with torch.no_grad():
            for name, value in model.named_parameters():
                value.copy_(held.get_tensor(_WEIGHTS + name))
        moments: dict[int, dict[str, Tensor]] = {}
        for key in (name for name in names if name.startswith(_OPTIMISER)):
            number, _, name = key.removeprefix(_OPTIMISER).partition(".")
            moments.setdefault(int(number), {})[name] = held.get_tensor(key)
        groups = optimiser.state_dict()["param_groups"]
        optimiser.load_state_dict({"state": moments, "param_groups": groups})
        if (mine := f"{_RANDOM}{devices.rank}") in names:
            torch.set_rng_state(held.get_tensor(mine))
        if devices.device.type == "cuda" and (mine := f"{_CUDA}{devices.rank}") in names:
            torch.cuda.set_rng_state(held.get_tensor(mine), devices.device)
        return TrainingState(**json.loads(held.metadata()["state"]))


@contextmanager
def weights_written() -> Generator[None]:
    """Turn the library's errors of writing into those of the disk that they are."""
    try:
        yield
    except SafetensorError as error:
        full = f"code: {errno.ENOSPC}" in str(error) or f"os error {errno.ENOSPC}" in str(error)
        raise OSError(errno.ENOSPC if full else errno.EIO, str(error)) from error


WEIGHTS = "model.safetensors"

_SHARD = "1000GB"
"""One file of weights takes its place at once; several could be of two models."""


_BEGUN = "work/begun.json"
_FILES = (
    WEIGHTS,
    "card.json",
    "config.json",
    "generation_config.json",
    "README.md",
    "source.spm",
    "target.spm",
    "tokenizer_config.json",
    "vocab.json",
    "work/checkpoint.safetensors",
    "work/new/",
    "work/source.spm",
)


def check_place(path: Path) -> None:
    """Check a model's folder: where no training was begun, nothing of a model's may be there (E355, E356)."""
    check_directory(path)
    Output(path, () if (path / _BEGUN).is_file() else _FILES)


class ModelFolder:
    """A model's folder, held for this run (E151, E154, E155, E355, E356)."""

    def __init__(self, path: Path) -> None:
        check_place(path)
        self.path = path
        self.work = path / "work"
        self.checkpoint = self.work / "checkpoint.safetensors"
        self.vocabulary = self.work / "source.spm"
        self._begun = path / _BEGUN
        self.lock = DirectoryLock(self.work / "lock")
        for left in self.work.glob(f".*{TEMPORARY}"):
            left.unlink(missing_ok=True)

    def begin(self, identity: Mapping[str, Any], usual: Mapping[str, Any], *, fresh: bool) -> None:
        """Begin a training, or go on with the one that was begun here (E292, E293).

        ``identity`` is what decides the weights, by name; tables in it are compared entry by entry. An entry that was
        not there yet when it was begun counts as that of ``usual``, which has the defaults in the same form.
        """
        if self._begun.is_file() and not fresh:
            self._compare(json.loads(self._begun.read_text("utf-8")), identity, usual)
            return
        for path in (self.checkpoint, self.vocabulary, self.path / WEIGHTS):
            path.unlink(missing_ok=True)
        write_whole(self._begun, (json.dumps(identity, indent=1) + "\n").encode())

    def keep(self, model: Any, files: Mapping[str, str], save_vocabulary: Callable[[Path], None]) -> None:
        """Put a model in the place of the one before.

        It is written elsewhere; each file is synced and renamed, the weights last. All other files of two models of a
        training are the same, so that there is a whole model at any moment (E154, E155).
        """
        new = self.work / "new"
        shutil.rmtree(new, ignore_errors=True)
        with disk_faults(new), weights_written(), quiet(import_module("transformers")):
            model.save_pretrained(new, max_shard_size=_SHARD)
            save_vocabulary(new)
        for path in sorted(new.iterdir(), key=lambda path: path.name == WEIGHTS):
            if path.name == WEIGHTS:
                self.write(files)
            with replacing(self.path / path.name, self.work) as temporary:
                path.replace(temporary)
        new.rmdir()

    def write(self, files: Mapping[str, str]) -> None:
        """Write texts, each there whole or not at all (E154, E155)."""
        for name, text in files.items():
            with replacing(self.path / name, self.work) as temporary:
                temporary.write_bytes(text.encode())

    def _compare(self, begun: Mapping[str, Any], identity: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
        advice = "give the same, begin again with --fresh, or name another folder"
        faults: list[Fault] = []
        for name, value in identity.items():
            before: Any = begun.get(name)
            if isinstance(before, dict):
                before = {**usual[name], **cast("dict[str, Any]", before)}
            if before == value:
                continue
            if isinstance(value, dict) and isinstance(before, dict):
                was, new = cast("dict[str, Any]", before), cast("dict[str, Any]", value)
                changed = [key for key in {**was, **new} if was.get(key) != new.get(key)]
                what = "; ".join(f"{key} was {was.get(key)}, now {new.get(key)}" for key in changed)
                faults.append(Fault("E292", f"begun with other {name}: {what}", advice, str(self.path)))
            elif name.endswith("text"):
                cause = f"the {name.replace('_', ' ')} is not the one it was begun with"
                faults.append(Fault("E293", cause, advice, str(self.path)))
            else:
                was, new = ("none" if one is None else str(one) for one in (before, cast("object", value)))
                cause = f"begun with another {name}: it was {was}, now {new}"
                faults.append(Fault("E292", cause, advice, str(self.path)))
        refuse(faults)
