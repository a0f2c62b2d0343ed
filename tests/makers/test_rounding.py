"""An encoder rounded for text keeps its outputs on such text better than one rounded to the nearest."""

from __future__ import annotations

import numpy as np
import pytest
import spacy

from endophora.annotate.weights import load_pipeline, models, row_steps, save_pipeline
from endophora_makers.conllu import Sentence, Word
from endophora_makers.rounding import round_encoder, rounded


def nearest(weights):
    steps = row_steps(weights, 127).astype(np.float32)[:, None]
    return np.rint(weights / steps) * steps


def error(weights, changed, inputs):
    return float(np.square(inputs @ (changed - weights).T).sum())


@pytest.fixture
def correlated():
    draw = np.random.default_rng(3)
    inputs = draw.standard_normal((500, 6)) @ draw.standard_normal((6, 24)) + 0.1 * draw.standard_normal((500, 24))
    return draw.standard_normal((8, 24)).astype(np.float32), inputs


def test_correlated_inputs_make_up_for_the_rounding_of_each_other(correlated):
    weights, inputs = correlated
    changed = rounded(weights, inputs.T @ inputs)
    assert error(weights, changed, inputs) < 0.3 * error(weights, nearest(weights), inputs)


def test_unrelated_inputs_leave_rounding_to_the_nearest(correlated):
    weights, _ = correlated
    assert np.allclose(rounded(weights, np.diag(np.arange(1.0, 25.0))), nearest(weights), atol=1e-6)


def test_the_step_of_a_row_is_found_again_from_its_rounded_weights(correlated):
    weights, inputs = correlated
    changed = rounded(weights, inputs.T @ inputs)
    steps = row_steps(changed, 127)
    assert np.array_equal(steps, row_steps(weights, 127))
    whole = changed / steps.astype(np.float32)[:, None]
    assert np.allclose(whole, np.rint(whole), atol=1e-3)
    assert np.abs(whole).max() < 127.01


def test_a_pipeline_keeps_on_disk_what_was_rounded_for_its_text(tmp_path):
    nlp = spacy.blank("en")
    nlp.add_pipe("tagger").add_label("NOUN")
    nlp.initialize()
    words = ("these", "few", "words", "stand", "for", "text")
    text = [Sentence(tuple(Word(form) for form in words[at:] + words[:at])) for at in range(len(words))]
    layers = [layer for model in models(nlp) for layer in model.walk() if layer.name == "maxout"]
    before = [layer.get_param("W").copy() for layer in layers]
    round_encoder(nlp, text)
    after = [layer.get_param("W").copy() for layer in layers]
    assert layers
    assert all((a != b).any() for a, b in zip(before, after, strict=True))
    save_pipeline(nlp, tmp_path / "pipeline")
    kept = [
        layer.get_param("W")
        for model in models(load_pipeline(tmp_path / "pipeline"))
        for layer in model.walk()
        if layer.name == "maxout"
    ]
    assert all(np.allclose(a, b, rtol=1e-6) for a, b in zip(after, kept, strict=True))
