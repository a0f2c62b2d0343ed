"""The model that chooses parts of speech once more is fitted to text that its networks have not seen."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
import spacy
from scipy import optimize as _optimize
from spacy.tokens import Doc

from endophora.annotate.forms import FormClasses
from endophora.annotate.rescoring import Surroundings
from endophora.errors import InputError
from endophora_makers import annotators
from endophora_makers import rescoring as training
from endophora_makers.conllu import Sentence, Word
from endophora_makers.recipe import RECIPES, load_recipe
from endophora_makers.rescoring import NAMES, Held, RescoringRecipe, cross_fitted, fit_rescorer, part

VERB, AUX = NAMES.index("VERB"), NAMES.index("AUX")
NLP = spacy.blank("de")


def held(forms: list[str], truth: list[int]) -> Held:
    """Words of one sentence each, of which the network knows nothing."""
    docs = [Doc(NLP.vocab, [form], heads=[0], deps=["ROOT"]) for form in forms]
    opinions = np.full((len(forms), len(NAMES)), -np.log(len(NAMES)), np.float32)
    return Held(Surroundings(docs, FormClasses()), opinions, np.array(truth), np.zeros(len(forms), np.bool_))


def test_the_model_learns_the_shares_of_parts_of_speech_that_a_form_has():
    text = held(["hat"] * 4 + ["Hund"] * 4, [VERB, VERB, VERB, AUX, *[NAMES.index("NOUN")] * 3, -1])
    recipe = RescoringRecipe(templates=("form",), bits=10, penalty=1e-4, scale_penalty=1e6, rounds=200)
    model = fit_rescorer([text], recipe)
    weights = model.weights[model.features(text.opinions, text.words)[0, 0]]
    assert weights[VERB] - weights[AUX] == pytest.approx(np.log(3), abs=0.02)
    assert weights[VERB] - weights[NAMES.index("NOUN")] > 3


def test_the_gradient_is_that_of_the_loss():
    random = np.random.default_rng(3)
    recipe = RescoringRecipe(templates=("form",), bits=2, penalty=0.7, scale_penalty=3.0)
    opinions = random.normal(size=(6, 3)).astype(np.float32)
    problem: Any = training.Problem(
        random.integers(0, 4, (6, 2)), opinions, random.integers(0, 3, 6), np.array([1, 4] * 3, np.float32), recipe
    )
    start = random.normal(size=15)

    def loss(values: object) -> float:
        return problem.loss(values)[0]

    numeric = cast("Any", _optimize).approx_fprime(start, loss, 1e-3)
    assert problem.loss(start)[1] == pytest.approx(numeric, abs=0.02)


def test_no_network_has_seen_the_text_that_it_labels(monkeypatch: pytest.MonkeyPatch):
    plan = load_recipe("de")
    sentences = {
        source.name: [Sentence((Word(f"{source.name}{i}", upos="NOUN"),)) for i in range(40)] for source in plan.sources
    }
    seen: list[dict[str, list[Sentence]]] = []
    unseen: list[list[Sentence]] = []

    def learn(plan: object, text: dict[str, list[Sentence]], *rest: object) -> None:
        seen.append(text)

    monkeypatch.setattr(annotators, "fit", learn)

    def keep(fitted: object, text: list[Sentence], forms: object) -> Held:
        unseen.append(text)
        return held(["x"], [0])

    monkeypatch.setattr(training, "labelled", keep)
    recipe = RescoringRecipe(templates=("form",), folds=3, silver=4)
    assert len(list(cross_fitted(plan, sentences, recipe, FormClasses()))) == 3
    treebanks = [s for source in plan.sources if source.convert != "silver" for s in sentences[source.name]]
    assert sorted(s.text for each in unseen for s in each) == sorted(s.text for s in treebanks)
    for known, new in zip(seen, unseen, strict=True):
        texts = {s.text for each in known.values() for s in each}
        assert texts.isdisjoint(s.text for s in new)
        assert len(known["Tatoeba"]) == 10
    assert {part(s, 3) for s in treebanks} == {0, 1, 2}


def test_the_shipped_recipe_is_read_and_a_wrong_template_is_a_fault():
    recipe = RescoringRecipe.read(RECIPES / load_recipe("de").rescoring)
    assert recipe.folds >= 2
    with pytest.raises(InputError, match="E342"):
        RescoringRecipe(templates=("form", "colour^"))
