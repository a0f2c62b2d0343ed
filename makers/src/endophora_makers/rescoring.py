"""Train the log-linear model of :mod:`endophora.annotate.rescoring` on words that the network has not learned from.

``python -m endophora_makers.rescoring LANGUAGE TREEBANKS PIPELINE`` trains networks that each leave out a part of the
recipe's treebank text, lets them label it, fits the model to where they are wrong, and puts it into a pipeline.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, field_validator
from ruamel.yaml import YAML
from scipy import optimize, sparse
from spacy.tokens import Doc

from endophora.annotate.forms import FormClasses
from endophora.annotate.rescoring import Floats, Numbers, Rescorer, Surroundings, parts_of
from endophora.annotate.tokens import parse_features
from endophora.annotate.weights import load_pipeline, save_pipeline
from endophora_makers.agreement import agreeing
from endophora_makers.conllu import Sentence
from endophora_makers.recipe import RECIPES, Recipe, load_recipe
from endophora_makers.treebanks import sentence_key

if TYPE_CHECKING:
    from spacy.language import Language

    from endophora_makers.annotators import Fitted

Doubles = NDArray[np.float64]
_CHUNK = 64
_HISTORY = 8
_STEPS = 64
NAMES = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM"),
    *("PART", "PRON", "PROPN", "PUNCT", "SCONJ", "SYM", "VERB", "X"),
)
"""The parts of speech of Universal Dependencies."""


class RescoringRecipe(BaseModel):
    """How the model of a language is trained.

    Attributes:
        folds: parts of the treebank text; each is labelled by a network that has not seen it.
        silver: of the text that is not left out, one sentence in so many is used.
        copies: how often a word with syntax counts, beside those without.
        penalty: on the squares of the weights.
        scale_penalty: on the squares of how much the network's probabilities are trusted more or less than they say.
        rounds: at most so many steps of L-BFGS.
        trust: what all that it has learned is multiplied by: a network that is trained for longer needs less of it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    templates: tuple[str, ...]
    bits: int = Field(default=14, ge=1, le=20)
    folds: int = Field(default=3, ge=2)
    words: int = 200_000
    silver: int = 6
    copies: float = 1.0
    penalty: float = 1.0
    scale_penalty: float = 10.0
    rounds: int = 40
    trust: float = 1.0

    @field_validator("templates")
    @classmethod
    def _known(cls, templates: tuple[str, ...]) -> tuple[str, ...]:
        for template in templates:
            parts_of(template)
        return templates

    @classmethod
    def read(cls, path: Path) -> RescoringRecipe:
        """Read a recipe.

        Raises:
            InputError: a template has a property that words do not have (E342).
        """
        return cls.model_validate(cast("Any", YAML(typ="safe")).load(path.read_text("utf-8")))


@dataclass(frozen=True, slots=True)
class Held:
    """Text that a network has labelled without having seen it.

    Attributes:
        words: its words, as the network's parser sees them.
        opinions: the network's log probabilities of the parts of speech, of shape (words, names).
        truth: number of each word's part of speech, -1 where it is unknown.
        parsed: whether the treebank has the syntax of each word.
    """

    words: Surroundings
    opinions: Floats
    truth: Numbers
    parsed: NDArray[np.bool_]


def cross_fitted(
    plan: Recipe,
    sentences: Mapping[str, Sequence[Sentence]],
    recipe: RescoringRecipe,
    forms: FormClasses,
    seed: int = 0,
) -> Iterator[Held]:
    """Yield each part of the treebank text, labelled by a network that has not seen it.

    Args:
        plan: the language's recipe; silver sources are in every network's text and in no part.
    """
    from endophora_makers.annotators import fit

    silver = {source.name for source in plan.sources if source.convert == "silver"}
    short = plan.model_copy(update={"components": ("parser", "morphologizer")})
    for fold in range(recipe.folds):
        seen = {
            name: each[:: recipe.silver] if name in silver else [s for s in each if part(s, recipe.folds) != fold]
            for name, each in sentences.items()
        }
        unseen = [
            s
            for name, each in sentences.items()
            for s in each
            if name not in silver and part(s, recipe.folds) == fold and s.words
        ]
        yield labelled(fit(short, seen, recipe.words, seed + fold), unseen, forms)


def part(sentence: Sentence, parts: int) -> int:
    """Return which of so many parts a sentence is in."""
    return sentence_key(sentence.text)[0] % parts


def names_of(labels: Sequence[str]) -> list[str]:
    """Return the part of speech of each label of a morphologizer."""
    return [parse_features(label).get("POS", "") for label in labels]


def labelled(fitted: Fitted, sentences: Sequence[Sentence], forms: FormClasses) -> Held:
    """Parse and label sentences, tokens given."""
    model = Rescorer()
    model.names = NAMES
    with cast("Any", fitted.nlp).use_params(fitted.averages):
        encoder, parser, tagger = (
            cast("Any", fitted.nlp.get_pipe(name)) for name in ("tok2vec", "parser", "morphologizer")
        )
        names = names_of([str(label) for label in tagger.labels])
        docs: list[Doc] = []
        opinions: list[Floats] = []
        for start in range(0, len(sentences), _CHUNK):
            chunk = [
                Doc(fitted.nlp.vocab, [w.form for w in s.words], [w.space for w in s.words])
                for s in sentences[start : start + _CHUNK]
            ]
            encoder.set_annotations(chunk, encoder.predict(chunk))
            opinions.extend(model.opinions(np.asarray(rows), names) for rows in tagger.model.predict(chunk))
            docs.extend(parser.pipe(chunk, batch_size=_CHUNK))
    parsed = np.array([word.head is not None for s in sentences for word in s.words], np.bool_)
    return Held(Surroundings(docs, forms), np.concatenate(opinions), truths(sentences), parsed)


def truths(sentences: Sequence[Sentence]) -> Numbers:
    """Return the number of each word's part of speech, -1 where it is unknown."""
    number = {name: place for place, name in enumerate(NAMES)}
    return np.array([number.get(word.upos, -1) for s in sentences for word in s.words], np.int64)


def fit_rescorer(held: Sequence[Held], recipe: RescoringRecipe) -> Rescorer:
    """Fit the model to held-out text: multinomial logistic regression, the network's opinions given."""
    model = Rescorer()
    model.templates, model.names = recipe.templates, NAMES
    model.weights = np.zeros((1 << recipe.bits, len(NAMES)), np.float32)
    known = [each.truth >= 0 for each in held]
    hashes = np.concatenate(
        [model.features(each.opinions, each.words)[rows] for each, rows in zip(held, known, strict=True)]
    )
    opinions = np.concatenate([each.opinions[rows] for each, rows in zip(held, known, strict=True)])
    truth = np.concatenate([each.truth[rows] for each, rows in zip(held, known, strict=True)])
    parsed = np.concatenate([each.parsed[rows] for each, rows in zip(held, known, strict=True)])
    problem = Problem(hashes, opinions, truth, np.where(parsed, np.float32(recipe.copies), np.float32(1)), recipe)
    start = np.concatenate([np.zeros(model.weights.size), np.ones(len(NAMES))])
    how = {"maxiter": recipe.rounds, "maxcor": _HISTORY}
    found = cast("Any", optimize).minimize(problem.loss, start, jac=True, method="L-BFGS-B", options=how)
    weights, scales = problem.split(found.x)
    steps = np.round(recipe.trust * weights * _STEPS)  # few values, most of them zero: a quarter of the size on disk
    model.weights = (steps / _STEPS).astype(np.float32)
    model.scales = (1 + recipe.trust * (scales - 1)).astype(np.float32)
    return model


class Problem:
    """What is minimised: the negative log likelihood with penalties."""

    def __init__(
        self, hashes: Numbers, opinions: Floats, truth: Numbers, counts: Floats, recipe: RescoringRecipe
    ) -> None:
        words, features = hashes.shape
        ends = np.arange(words + 1, dtype=np.int64) * features
        self._matrix: Any = cast("Any", sparse).csr_matrix(
            (np.ones(hashes.size, np.float32), hashes.ravel(), ends), shape=(words, 1 << recipe.bits)
        )
        self._turned: Any = self._matrix.T.tocsr()
        self._opinions, self._truth, self._recipe = opinions, truth, recipe
        self._counts = counts
        self._right = np.eye(opinions.shape[1], dtype=np.float32)[truth]

    def split(self, values: Doubles) -> tuple[Doubles, Doubles]:
        """Return weights and scales."""
        names = self._opinions.shape[1]
        return values[:-names].reshape(-1, names), values[-names:]

    def loss(self, values: Doubles) -> tuple[float, Doubles]:
        """Return the loss and its gradient."""
        weights, scales = self.split(values)
        said = self._matrix @ weights.astype(np.float32) + self._opinions * scales.astype(np.float32)
        said -= said.max(axis=1, keepdims=True)
        said -= np.log(np.exp(said).sum(axis=1, keepdims=True))
        excess = (np.exp(said) - self._right) * self._counts[:, None]
        less, penalty = scales - 1, self._recipe.scale_penalty
        total = -(said[np.arange(len(said)), self._truth] * self._counts).sum(dtype=np.float64)
        total += (self._recipe.penalty * (weights**2).sum() + penalty * (less**2).sum()) / 2
        by_weight = self._turned @ excess + self._recipe.penalty * weights
        by_scale = (excess * self._opinions).sum(axis=0, dtype=np.float64) + penalty * less
        return float(total), np.concatenate([by_weight.ravel(), by_scale])


def add_rescoring(nlp: Language, plan: Recipe, sentences: Mapping[str, Sequence[Sentence]], seed: int = 0) -> None:
    """Let the morphologizer of a pipeline choose parts of speech again, by the recipe that the language's names."""
    recipe = RescoringRecipe.read(RECIPES / plan.rescoring)
    component = agreeing(nlp)
    component.rescorer = fit_rescorer(list(cross_fitted(plan, sentences, recipe, component.forms, seed)), recipe)


def main(language: str, treebanks: str, pipeline: str) -> None:
    """Add the model to a pipeline on disk."""
    from endophora_makers.annotators import gather

    nlp, plan = load_pipeline(Path(pipeline)), load_recipe(language)
    add_rescoring(nlp, plan, gather(plan, Path(treebanks)))
    save_pipeline(nlp, Path(pipeline))


if __name__ == "__main__":
    main(*sys.argv[1:4])
