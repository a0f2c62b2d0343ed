"""Aligners of other libraries, extras: eflomal, and the contextual embeddings of a model that the user names.

eflomal (Östling and Tiedemann 2016) is Markov chain Monte Carlo over the document. It is distributed as source under
the GPL; nothing of it ships here. The compact aligner's priors are handed to it where there are any.

The neural aligner has the method of awesome-align (Dou and Neubig 2021) and SimAlign (Jalili Sabet et al. 2020): each
sub-word's embedding is that of a middle layer, similarities are dot products, a softmax in each direction gives
probabilities. A word's probability is the highest of its sub-words'. Weights are read from safetensors only, and no
code that comes with a model is run.
"""

from __future__ import annotations

import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from endophora.align.compact import check_lengths
from endophora.align.pieces import Documents, Links
from endophora.align.priors import Priors, shipped_priors
from endophora.align.records import Aligner, Link, Point, Symmetrisation
from endophora.annotate.records import AnnotatedText
from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.provenance import content_of

Floats = NDArray[np.float32]

LAYER = 8
"""The layer whose embeddings align best in multilingual BERT (Dou and Neubig 2021, §2); a shallower model's last."""
DIRECTION = 1e-3
"""The least probability of a link in one direction."""

_SPACE = re.compile(r"\s")
_UNREADABLE = (ValueError, RuntimeError, KeyError, TypeError, AttributeError, ImportError)
"""What the libraries raise when files are not in their form."""
_POOLER = "pooler"
"""In the names of the weights that make one vector of a sentence."""


class _OneByOne(ABC):
    """An aligner that gains nothing from several documents at once."""

    def align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> list[tuple[Link, ...]]:
        """Link one document, segment by segment; links are ordered by source, then target."""
        return self.align_many([(source, target)])[0]

    def align_many(self, documents: Documents) -> list[Links]:
        """Link several documents, one after the other."""
        check_lengths(documents)
        return [self._align(source, target) for source, target in documents]

    @abstractmethod
    def _align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> Links: ...


class EflomalAligner(_OneByOne):
    """Aligns a document with eflomal; of the priors only the counts of word pairs are used.

    A link that both directions chose has confidence 1, one that a single direction chose .5. eflomal draws at random:
    two runs may differ in a few links.
    """

    def __init__(self, priors: Priors, symmetrisation: Symmetrisation) -> None:
        if find_spec("eflomal") is None:
            advice = "install it with: pip install 'endophora[eflomal]' (it needs a C compiler)"
            raise MissingModelError(Fault("E056", "the aligner eflomal is not installed", advice))
        self._priors = priors
        self._symmetrisation = symmetrisation

    @property
    def signature(self) -> str:
        """Name, version, priors hash and symmetrisation."""
        return f"eflomal {version('eflomal')}, priors {self._priors.hash}, {self._symmetrisation}"

    def _align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> Links:
        # eflomal takes no empty line, so that segments with an empty side stay out.
        full = [k for k, (one, other) in enumerate(zip(source, target, strict=True)) if one.tokens and other.tokens]
        results: Links = [()] * len(source)
        if not full:
            return results
        forward, backward = self._run(*([_line(side[k]) for k in full] for side in (source, target)))
        for k, first, second in zip(full, forward, backward, strict=True):
            confidence = {point: 1.0 if point in first and point in second else 0.5 for point in first | second}
            results[k] = self._symmetrisation.links(first, second, confidence)
        return results

    def _run(self, source: Sequence[str], target: Sequence[str]) -> tuple[list[set[Point]], list[set[Point]]]:
        sampler: Any = import_module("eflomal").Aligner()
        with tempfile.TemporaryDirectory() as folder:
            forward, backward = Path(folder, "forward"), Path(folder, "backward")
            # An empty list of priors crashes eflomal; none at all does not.
            lines = self._prior_lines(source, target) or None
            sampler.align(source, target, str(forward), str(backward), priors_input=lines)
            return _read_links(forward), _read_links(backward)

    def _prior_lines(self, source: Sequence[str], target: Sequence[str]) -> list[str]:
        numbers = [
            np.array(sorted(side.word_numbers[word] for word in _words(lines) & side.word_numbers.keys()), np.int64)
            for side, lines in ((self._priors.source, source), (self._priors.target, target))
        ]
        pairs = self._priors.words
        first, second = np.divmod(pairs.keys, max(1, pairs.columns))
        here = np.flatnonzero(np.isin(first, numbers[0]) & np.isin(second, numbers[1]))
        ones, others = self._priors.source.words, self._priors.target.words
        return [
            f"LEX\t{ones[int(first[k])]}\t{others[int(second[k])]}\t{float(pairs.counts[k]):.4g}" for k in here.tolist()
        ]


def build_eflomal(
    argument: str, source_language: str, target_language: str, symmetrisation: str, threshold: float
) -> Aligner:
    """Build the aligner, with the shipped priors of the pair; it takes no argument."""
    del argument
    return EflomalAligner(shipped_priors(source_language, target_language), Symmetrisation(symmetrisation, threshold))


def _line(text: AnnotatedText) -> str:
    return " ".join(_SPACE.sub("_", token.form) for token in text.tokens)


def _words(lines: Iterable[str]) -> set[str]:
    return {word.lower() for line in lines for word in line.split()}


def _read_links(path: Path) -> list[set[Point]]:
    """Read eflomal's links, a line a segment: ``0-0 1-2``."""
    lines = path.read_text("utf-8").split("\n")[:-1]
    points = [[item.partition("-") for item in line.split()] for line in lines]
    return [{(int(source), int(target)) for source, _, target in some} for some in points]


class NeuralAligner(_OneByOne):
    """Aligns segment by segment with a model of the user's choice; words beyond its longest input stay unlinked."""

    def __init__(self, model: str, symmetrisation: Symmetrisation, *, layer: int = LAYER) -> None:
        if not model:
            raise InputError(Fault("E057", "the neural aligner needs a model", "write neural:MODEL, a name or folder"))
        missing = [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]
        if missing:
            cause = f"the neural aligner needs {' and '.join(missing)}"
            raise MissingModelError(Fault("E056", cause, "install it with: pip install 'endophora[neural]'"))
        self._torch: Any = import_module("torch")
        transformers: Any = import_module("transformers")
        safetensors: Any = import_module("safetensors")
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(
                model, use_fast=True, trust_remote_code=False
            )
            loaded, report = transformers.AutoModel.from_pretrained(
                model, use_safetensors=True, trust_remote_code=False, output_loading_info=True
            )
        except (OSError, *_UNREADABLE, safetensors.SafetensorError) as error:
            reason = first_line(error)
            cause = f"the model “{model}” cannot be loaded ({reason})"
            advice = f"fetch it with: hf download {model} (weights in safetensors), or copy its folder whole"
            raise MissingModelError(Fault("E056", cause, advice)) from error
        self._model: Any = loaded.eval()
        # Models of other tasks lack what pools a sentence, which is not used here; any other weight would be random.
        absent = {str(key) for part in ("missing_keys", "mismatched_keys") for key in report.get(part) or ()}
        if absent := sorted(key for key in absent if _POOLER not in key):
            cause = f"the model “{model}” lacks {len(absent)} weights, the first of them {absent[0]}"
            raise MissingModelError(Fault("E056", cause, "copy its folder whole, or name an encoder"))
        commit = getattr(self._model.config, "_commit_hash", None)
        name = f"{model}@{commit}" if commit else model
        self._name = f"model {content_of(Path(model))[:12]}" if Path(model).is_dir() else name
        self._layer = min(layer, int(self._model.config.num_hidden_layers))
        self._longest = int(getattr(self._model.config, "max_position_embeddings", 512))
        self._symmetrisation = symmetrisation

    @property
    def signature(self) -> str:
        """Name, library, model, layer and symmetrisation."""
        library = f"transformers {import_module('transformers').__version__}"
        return f"neural, {library}, {self._name}, layer {self._layer}, {self._symmetrisation}"

    def _align(self, source: Sequence[AnnotatedText], target: Sequence[AnnotatedText]) -> Links:
        return [self._segment(one, other) for one, other in zip(source, target, strict=True)]

    def _segment(self, source: AnnotatedText, target: AnnotatedText) -> tuple[Link, ...]:
        if not source.tokens or not target.tokens:
            return ()
        ones, one_words = self._embed(source)
        others, other_words = self._embed(target)
        forward, backward = both_softmaxes(ones, others)
        confidence = word_confidence(np.sqrt(forward * backward), one_words, other_words)
        return self._symmetrisation.links(
            link_words(forward > DIRECTION, one_words, other_words),
            link_words(backward > DIRECTION, one_words, other_words),
            {point: round(value, 4) for point, value in confidence.items()},
        )

    def _embed(self, text: AnnotatedText) -> tuple[Floats, list[int]]:
        """Return the embeddings of the sub-words, shape (sub-words, width), and the token of each."""
        words = [token.form for token in text.tokens]
        encoded: Any = self._tokenizer(
            words, is_split_into_words=True, return_tensors="pt", truncation=True, max_length=self._longest
        )
        tokens = cast("list[int | None]", encoded.word_ids(0))
        with self._torch.inference_mode():
            states: Any = self._model(**encoded, output_hidden_states=True).hidden_states[self._layer][0]
        places = [place for place, token in enumerate(tokens) if token is not None]
        return cast("Floats", states.float().numpy())[places], [token for token in tokens if token is not None]


def build_neural(
    argument: str, source_language: str, target_language: str, symmetrisation: str, threshold: float
) -> Aligner:
    """Build the aligner; the argument names the model."""
    del source_language, target_language
    return NeuralAligner(argument, Symmetrisation(symmetrisation, threshold))


def both_softmaxes(source: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities of target given source sub-words and of source given target sub-words.

    (m, width), (n, width) → two of (m, n): the rows of the first and the columns of the second sum to 1.
    """
    scores = source @ target.T
    forward = np.exp(scores - scores.max(axis=1, keepdims=True))
    backward = np.exp(scores - scores.max(axis=0, keepdims=True))
    return forward / forward.sum(axis=1, keepdims=True), backward / backward.sum(axis=0, keepdims=True)


def link_words(linked: NDArray[np.bool_], source: Sequence[int], target: Sequence[int]) -> set[Point]:
    """Return the pairs of words of which any pair of sub-words is linked; ``linked`` has shape (m, n)."""
    rows, columns = np.nonzero(linked)
    return {(source[row], target[column]) for row, column in zip(rows.tolist(), columns.tolist(), strict=True)}


def word_confidence(values: Floats, source: Sequence[int], target: Sequence[int]) -> Mapping[Point, float]:
    """Return the highest value among the sub-words of each pair of words; ``values`` has shape (m, n)."""
    whole = np.zeros((max(source, default=-1) + 1, max(target, default=-1) + 1), dtype=np.float32)
    np.maximum.at(whole, (np.array(source)[:, None], np.array(target)[None, :]), values)
    found: list[list[float]] = whole.tolist()
    return {(i, j): value for i, row in enumerate(found) for j, value in enumerate(row)}
