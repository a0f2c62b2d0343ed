"""``context perturb`` with a converted model: the figures are those of the model on torch."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("ctranslate2")

from tiny_models import SENTENCES

from command import run
from endophora.context.results import PerturbationResult
from endophora.models.ctranslate import convert_model


def test_a_converted_model_is_perturbed_like_the_one_on_torch(folders: dict[str, Path], tmp_path: Path):
    converted = tmp_path / "converted"
    convert_model(str(folders["concatenation"]), converted)
    rows = [f"d{number % 2}\t{one}\t{SENTENCES[2 + number % 2]}" for number, one in enumerate(SENTENCES[:2] * 2)]
    text = tmp_path / "text.tsv"
    text.write_text("\n".join(["document\tsource\treference", *sorted(rows)]) + "\n", "utf-8")
    arguments = ("-l", "en-de", "-i", str(text), "-k", "1", "--beam", "1", "-m", "chrf", "--resamples", "100", "-q")
    models = ("-M", f"torch={folders['concatenation']}", "-M", f"converted=ct2:{converted}")
    assert run("context", "perturb", *models, *arguments, "-o", str(tmp_path / "out")) == 0
    result = PerturbationResult.read(tmp_path / "out" / "result.json")
    assert {one.condition for one in result.scores} == {"correct", "random", "none"}
    for one in (one for one in result.scores if one.model == "torch"):
        other = result.score("converted", one.condition, one.column)
        assert other is not None
        assert other.value == pytest.approx(one.value, abs=1e-3), (one.condition, one.column)
    cxmi = result.score("converted", "random", "CXMI")
    assert cxmi is not None
    assert cxmi.value
    for name in ("correct", "random", "none"):
        written = [(tmp_path / "out" / "translations" / f"{model}.{name}.txt") for model in ("torch", "converted")]
        assert written[0].read_text("utf-8") == written[1].read_text("utf-8")
