"""Results of inseq, read and written: the JSON of its ``FeatureAttributionOutput.save`` (inseq 0.6 and 0.7).

A file has sequences, each with its tokens and two matrices: source × generated tokens, and target × generated tokens
(of a language model that one alone, whose target begins with the prompt). A matrix is a tensor in the form of
safetensors, in base64.
"""

from __future__ import annotations

import base64
import gzip
import json
import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import numpy as np

from endophora.context.attribution.flows import EncodedExample, Floats, Piece
from endophora.corpus.trees import TreeError, load_json
from endophora.errors import Fault, InputError
from endophora.version import __version__

_TYPE, _ATTRIBUTES = "__instance_type__", "attributes"
_GRANULAR, _LAYERED = "Granular", "MultiDimensional"
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2"}
LARGEST = 2**31
"""Most bytes of a file, unpacked."""


@dataclass(frozen=True, slots=True)
class InseqToken:
    """A token as the vocabulary writes it, and its number."""

    text: str
    id: int


@dataclass(frozen=True, slots=True, eq=False)
class InseqSequence:
    """One attributed target: G tokens of it, ``target[start:end]``.

    Attributes:
        source: (S,) what the encoder read, or the prompt.
        target: (T,) what the decoder read and wrote: its start, or the prompt, first.
        source_scores: (S, G); ``None`` of a language model.
        target_scores: (T, G); ``None`` where the prefix was not attributed. NaN stands where nothing can be.
    """

    source: tuple[InseqToken, ...]
    target: tuple[InseqToken, ...]
    start: int
    end: int
    source_scores: Floats | None
    target_scores: Floats | None


@dataclass(frozen=True, slots=True)
class InseqFile:
    """Sequences, and what inseq says of how they were made (``attribution_method``, ``model_name``, …)."""

    sequences: tuple[InseqSequence, ...]
    info: Mapping[str, object] = field(default_factory=dict[str, object])


def sequence_of(example: EncodedExample, matrix: Floats) -> InseqSequence:
    """Return an example and its contributions, (R, C), as a sequence."""
    ids = [*(index for read in example.encoders for index in read), *example.decoder]
    count = len(ids) - len(example.decoder)
    read = list(zip(example.columns, ids, strict=True))
    rows = zip(example.rows, example.predicted, strict=True)
    first, end = example.first + 1, example.first + 1 + len(example.rows)
    # Where more is read than the rows, it is what the columns have; the target's last piece is read by none.
    target = _tokens_of([*read[count:][:first], *rows, *read[count:][end:], *example.ending])
    scores = np.full((len(target), len(example.rows)), np.nan)
    for row in range(len(example.rows)):
        scores[: first + row, row] = matrix[row, count : count + first + row]
    source = _tokens_of(read[:count]) if count else target[: _prompt(example)]
    return InseqSequence(source, target, first, end, matrix[:, :count].T if count else None, scores)


def _prompt(example: EncodedExample) -> int:
    """Return the tokens of a language model's prompt: all before the target's first piece."""
    begun = [place for place, piece in enumerate(example.columns) if piece.part.value == "target prefix"]
    return begun[0] if begun else len(example.columns)


def _tokens_of(pieces: Sequence[tuple[Piece, int]]) -> tuple[InseqToken, ...]:
    """Return tokens as sentencepiece writes them: a word begins with ▁, and no character is in two.

    A separator and others that no sentence has are written as their number, ``<3>``.
    """
    found = list[InseqToken]()
    before: Piece | None = None
    for piece, index in pieces:
        if piece.sentence < 0:
            # Blanks of a byte-level vocabulary would say that all tokens are of one.
            found.append(InseqToken(re.sub("[ ĠĊ]", "▁", piece.text) or f"<{index}>", index))
        else:
            same = before is not None and (piece.part, piece.sentence) == (before.part, before.sentence)
            last = before.end if before is not None and same else 0
            # A token that holds a part of a sign may have an empty place, or that of the token before it.
            shown = piece.text[max(0, last - piece.start) :].replace(" ", "▁") * (piece.end > max(last, piece.start))
            begins = (not same or piece.start > last) and not shown.startswith("▁")
            found.append(InseqToken("▁" * begins + shown, index))
        before = piece
    return tuple(found)


def write_inseq(file: InseqFile, path: Path) -> None:
    """Write a file that ``inseq.FeatureAttributionOutput.load`` reads."""
    info = {
        **{"attribution_method": "", "attributed_fn": "probability_fn", "step_scores": [], "model_name": ""},
        **{"input_texts": [_text(one.source) for one in file.sequences]},
        **{"generated_texts": [_text(one.target) for one in file.sequences]},
        **{"attr_pos_start": None, "attr_pos_end": None, "constrained_decoding": True, "endophora": __version__},
        **file.info,
    }
    made = {"info": info, "sequence_attributions": [_sequence_json(one) for one in file.sequences]}
    whole = _instance("inseq.data.attribution", "FeatureAttributionOutput", {**made, "step_attributions": None})
    path.write_text(json.dumps(whole, ensure_ascii=False, indent=1), encoding="utf-8")


def _instance(module: str, name: str, attributes: Mapping[str, object]) -> dict[str, object]:
    return {_TYPE: [module, name], _ATTRIBUTES: dict(attributes)}


def _sequence_json(one: InseqSequence) -> dict[str, object]:
    def tokens(some: Sequence[InseqToken]) -> list[object]:
        return [_instance("inseq.utils.typing", "TokenWithId", {"id": x.id, "token": x.text}) for x in some]

    attributes: dict[str, object] = {
        "source": tokens(one.source),
        "target": tokens(one.target),
        "source_attributions": None if one.source_scores is None else _packed(one.source_scores),
        "target_attributions": None if one.target_scores is None else _packed(one.target_scores),
        "attr_pos_start": one.start,
        "attr_pos_end": one.end,
        "step_scores": {},
        "sequence_scores": {},
    }
    return _instance("inseq.data.attribution", "CoarseFeatureAttributionSequenceOutput", attributes)


def _packed(values: Floats) -> str:
    data = np.ascontiguousarray(values, dtype="<f4").tobytes()
    about = {"attribution": {"dtype": "F32", "shape": list(values.shape), "data_offsets": [0, len(data)]}}
    header = json.dumps(about, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return base64.b64encode(struct.pack("<Q", len(header)) + header + data).decode("ascii")


def _text(tokens: Sequence[InseqToken]) -> str:
    return "".join(one.text for one in tokens).replace("▁", " ").strip()


class _FormError(ValueError):
    """What a file has is not of the form."""


def read_inseq(path: str | Path) -> InseqFile:
    """Read what inseq saved, also gzipped; scores of more than two dimensions are joined as inseq itself does.

    Dimensions of embeddings become their Euclidean norm, layers and heads their mean.

    Raises:
        InputError: there is no such file (E001), it cannot be read (E003, E004), or is no result of inseq (E268).
    """
    place = Path(path)
    try:
        data = place.read_bytes()
        if data[:2] == b"\x1f\x8b":
            with gzip.open(place) as packed:
                data = packed.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise InputError(Fault("E001", "there is no such file", "check the path", str(path))) from error
    except (EOFError, gzip.BadGzipFile) as error:
        raise InputError(Fault("E004", f"gzipped data is damaged: {error}", "save it again", str(path))) from error
    except OSError as error:
        raise InputError(Fault("E003", error.strerror or str(error), "check the path", str(path))) from error
    try:
        if len(data) > LARGEST:
            raise _FormError("it is larger than 2 GiB")
        attributes = _attributes(load_json(data), "FeatureAttributionOutput", "the file")
        sequences = _list(attributes.get("sequence_attributions"), "sequence_attributions")
        return InseqFile(
            tuple(_sequence(one, f"sequence {number}") for number, one in enumerate(sequences, 1)),
            cast("Mapping[str, object]", info) if isinstance(info := attributes.get("info"), Mapping) else {},
        )
    except (TreeError, _FormError) as error:
        advice = "save it as out.save(FILE), of inseq 0.6 or later, with use_primitives=False"
        raise InputError(Fault("E268", f"this is no result of inseq: {error}", advice, str(path))) from error


def _attributes(value: object, name: str, where: str) -> Mapping[str, Any]:
    """Return the attributes of an instance whose class ends so."""
    found = cast("Mapping[str, Any]", value if isinstance(value, Mapping) else {})
    kind, attributes = found.get(_TYPE), found.get(_ATTRIBUTES)
    if not (isinstance(kind, list) and kind and str(cast("list[object]", kind)[-1]).endswith(name)):
        raise _FormError(f"{where} is no {name}")
    if not isinstance(attributes, Mapping):
        raise _FormError(f"{where} has no attributes")
    return cast("Mapping[str, Any]", attributes)


def _list(value: object, where: str) -> list[object]:
    if not isinstance(value, list):
        raise _FormError(f"{where} is no list")
    return cast("list[object]", value)


def _sequence(value: object, where: str) -> InseqSequence:
    attributes = _attributes(value, "FeatureAttributionSequenceOutput", where)
    kind = str(cast("Mapping[str, list[object]]", value)[_TYPE][-1])
    source, target = (_tokens(attributes.get(name), f"{where}, {name}") for name in ("source", "target"))
    start, end = attributes.get("attr_pos_start"), attributes.get("attr_pos_end")
    start, end = 0 if start is None else start, len(target) if end is None else end
    if not (type(start) is int and type(end) is int and 0 <= start < end <= len(target)):
        raise _FormError(f"{where}: the attributed tokens {start} to {end} are not among its {len(target)}")
    found = [
        None if (packed := attributes.get(name)) is None else _scores(packed, kind, (count, end - start), where)
        for name, count in (("source_attributions", len(source)), ("target_attributions", len(target)))
    ]
    if found[0] is None and found[1] is None:
        raise _FormError(f"{where} has no scores")
    return InseqSequence(source, target, start, end, found[0], found[1])


def _tokens(value: object, where: str) -> tuple[InseqToken, ...]:
    found: list[InseqToken] = []
    for one in _list(value, where):
        attributes = _attributes(one, "TokenWithId", where)
        text, index = attributes.get("token"), attributes.get("id")
        if not isinstance(text, str) or type(index) is not int:
            raise _FormError(f"{where} has a token without text or number")
        found.append(InseqToken(text, index))
    return tuple(found)


def _scores(packed: object, kind: str, shape: tuple[int, int], where: str) -> Floats:
    """Return a matrix of safetensors in base64; dimensions beyond the second are joined."""
    values = _unpacked(packed, where)
    if values.shape[:2] != shape:
        raise _FormError(f"{where}: scores of shape {values.shape}, and not {shape}, the tokens'")
    if values.ndim > 2 and _LAYERED in kind:
        return np.asarray(values.mean(tuple(range(2, values.ndim))), dtype=np.float64)
    if values.ndim > 2 and not (values.ndim == 3 and _GRANULAR in kind):
        raise _FormError(f"{where}: scores of {values.ndim} dimensions of the kind {kind} are not known")
    return values if values.ndim == 2 else np.sqrt(np.square(values).sum(-1))


def _unpacked(packed: object, where: str) -> Floats:
    try:
        data = base64.b64decode(packed, validate=True) if isinstance(packed, str) else b""
        (length,) = struct.unpack("<Q", data[:8])
        about = cast("Mapping[str, Any]", load_json(data[8 : 8 + length]))["attribution"]
        kind, shape, (begin, end) = about["dtype"], tuple(map(int, about["shape"])), about["data_offsets"]
        if kind not in _DTYPES:
            raise _FormError(f"{where}: scores in {kind}; save them with scores_precision float32 or float16")
        values = np.frombuffer(data[8 + length :][begin:end], _DTYPES[kind]).reshape(shape)
    except _FormError:
        raise
    except (ValueError, TypeError, KeyError, AttributeError, struct.error) as error:
        raise _FormError(f"{where}: its scores are no tensor of safetensors in base64") from error
    if np.isinf(values).any():
        raise _FormError(f"{where}: a score is infinite")
    return values.astype(np.float64)
