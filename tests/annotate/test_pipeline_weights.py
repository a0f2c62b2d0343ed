"""Pipelines on disk: eight bits a weight, each within half a step of what it was."""

from __future__ import annotations

import numpy as np
import pytest
import spacy

from endophora.annotate.loading import load_annotator
from endophora.annotate.weights import STEPS, load_pipeline, models, save_pipeline


@pytest.fixture(scope="module")
def pipeline():
    nlp = spacy.blank("de")
    tagger = nlp.add_pipe("tagger")
    for label in ("ADJ", "NOUN", "VERB"):
        tagger.add_label(label)
    nlp.initialize()
    draw = np.random.default_rng(1)
    for _, layer, name, values in weights(nlp):
        # Rows of very different size, as embeddings of frequent and of unseen words are.
        sizes = 10.0 ** draw.uniform(-3, 1, (*values.shape[:-1], 1))
        layer.set_param(name, (draw.standard_normal(values.shape) * sizes).astype("float32"))
    return nlp


def weights(nlp):
    for model in models(nlp):
        for layer in model.walk():
            for name in layer.param_names:
                if layer.has_param(name):
                    yield layer.name, layer, name, layer.get_param(name)


def test_a_matrix_comes_back_within_half_a_step_of_each_row_and_a_bias_in_half_precision(pipeline, tmp_path):
    before = [(name, values.copy()) for name, *_, values in weights(pipeline)]
    save_pipeline(pipeline, tmp_path / "pipeline")
    loaded = [values for *_, values in weights(load_pipeline(tmp_path / "pipeline"))]
    assert len(loaded) == len(before) > 5
    for (name, old), new in zip(before, loaded, strict=True):
        assert new.dtype == np.float32
        if old.ndim < 2 or old.shape[-1] < 16:
            assert np.array_equal(new, old.astype(np.float16).astype(np.float32))
        else:
            # A step is a 127th, of an embedding a 63rd, of the largest weight of its row, rounded up to half precision.
            levels = 63 if name == "hashembed" else 127
            step = np.abs(old).max(axis=-1, keepdims=True) / levels * (1 + 2**-9) + 2**-14
            assert (np.abs(new - old) <= step / 2 + 1e-7).all()


def test_the_pipeline_in_memory_has_the_weights_of_the_one_on_disk(pipeline, tmp_path):
    save_pipeline(pipeline, tmp_path / "pipeline")
    kept = [values for *_, values in weights(load_pipeline(tmp_path / "pipeline"))]
    assert all(np.array_equal(a, b) for a, (*_, b) in zip(kept, weights(pipeline), strict=True))
    save_pipeline(pipeline, tmp_path / "again")
    again = [values for *_, values in weights(load_pipeline(tmp_path / "again"))]
    assert all(np.array_equal(a, b) for a, b in zip(kept, again, strict=True))


def test_a_file_takes_a_byte_a_weight(pipeline, tmp_path):
    save_pipeline(pipeline, tmp_path / "pipeline")
    count = sum(values.size for *_, values in weights(pipeline))
    files = [*(tmp_path / "pipeline").rglob("model"), tmp_path / "pipeline" / STEPS]
    assert sum(path.stat().st_size for path in files) < 1.2 * count


def test_a_pipeline_in_half_precision_loads_as_ever(pipeline, tmp_path):
    for _, layer, name, values in weights(pipeline):
        layer.set_param(name, values.astype(np.float16))
    pipeline.to_disk(tmp_path / "half")
    expected = [values.astype(np.float32) for *_, values in weights(pipeline)]
    loaded = [values for *_, values in weights(load_pipeline(tmp_path / "half"))]
    assert all(np.array_equal(a, b) and b.dtype == np.float32 for a, b in zip(expected, loaded, strict=True))
    for _, layer, name, values in weights(pipeline):
        layer.set_param(name, values.astype(np.float32))


def test_an_annotator_with_other_steps_has_another_signature(pipeline, tmp_path):
    save_pipeline(pipeline, tmp_path / "pipeline")
    before = load_annotator("de", str(tmp_path / "pipeline")).signature
    with np.load(tmp_path / "pipeline" / STEPS) as file:
        steps = {key: values * np.float16(2) for key, values in file.items()}
    np.savez(tmp_path / "pipeline" / STEPS, allow_pickle=False, **steps)
    assert load_annotator("de", str(tmp_path / "pipeline")).signature != before
