"""The arithmetic of ALTI+ against matrices of the published code."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from plain_alti import decoder_rollout, encoder_rollout  # noqa: E402

from endophora.context.attribution.alti import block_diagonal  # noqa: E402
from endophora.context.attribution.blocks import Normalisation, normalise  # noqa: E402
from endophora.context.attribution.flows import Part, Piece, Rows, Span, ordered, shares  # noqa: E402  # noqa: E402


@pytest.fixture(scope="module")
def expected(shared: Path) -> dict[str, Any]:
    return json.loads((shared / "known-answers" / "alti" / "expected.json").read_text("utf-8"))


def _tensor(values: Any) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64)


@pytest.mark.parametrize(
    ("how", "key"),
    [
        (Normalisation.MIN_SUM, "min_sum_with_norm"),
        (Normalisation.MIN_SUM_NO_NORM, "min_sum_no_norm"),
        (Normalisation.SUM_ONE, "sum_one"),
    ],
)
def test_normalisation_is_that_of_the_published_code(expected: dict[str, Any], how: Normalisation, key: str):
    known = expected["normalize"]
    far, norms = -_tensor(known["raw_neg_distance"]), _tensor(known["resultant_l1_norm"])
    np.testing.assert_allclose(normalise(far, norms, how), known[key], atol=1e-6)


def test_rollout_is_that_of_the_published_code(expected: dict[str, Any]):
    known = expected["rollout"]
    encoder = encoder_rollout(_tensor(known["enc_self"]))
    np.testing.assert_allclose(encoder, known["enc_rollout_last"], atol=1e-6)
    layers = zip(_tensor(known["dec_self"]), _tensor(known["cross_last_col_is_residual"]), strict=True)
    total = decoder_rollout(encoder, layers)
    np.testing.assert_allclose(total, known["total_last_layer"], atol=1e-6)
    np.testing.assert_allclose(total.sum(-1), 1, atol=1e-6)


def test_mean_share_of_the_source_is_that_of_stopes(shared: Path):
    folder = shared / "known-answers" / "alti" / "stopes"
    with (folder / "test_output.tsv").open(encoding="utf-8") as stream:
        means = [float(row["avg_sc"]) for row in csv.DictReader(stream, delimiter="\t")]
    lines = (folder / "test_output_alignments.jsonl").read_text("utf-8").splitlines()
    for line, mean in zip(lines, means, strict=True):
        known = json.loads(line)
        matrix, target = np.array(known["contributions"]), known["tgt_toks"]
        size = matrix.shape[1] - len(target)
        columns = [Piece("", Part.SOURCE) for _ in range(size)] + [Piece("", Part.TARGET_PREFIX) for _ in target]
        rows = [Piece(token, Part.TARGET_PREFIX, 0, at, at + 1) for at, token in enumerate(target)]
        # The target's columns first, so that the package has to find the source's.
        flow = ordered(rows, columns[::-1], matrix[:, ::-1])
        found = shares(flow.row(0, len(target), Rows.PREFIX_MEAN), flow.columns, ())
        assert found.parts[Part.SOURCE] == pytest.approx(mean, abs=1e-6)
        assert found.parts[Part.SOURCE] + found.parts[Part.TARGET_PREFIX] == pytest.approx(1, abs=1e-5)


def test_encoders_of_a_multi_encoder_do_not_mix():
    one, other = torch.full((2, 2), 0.5), torch.eye(1)
    joined = block_diagonal([one, other])
    assert joined.tolist() == [[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.0, 0.0, 1.0]]


def test_row_without_any_gain_is_normalised_by_the_farthest():
    # Two vectors that all but cancel: each alone is farther from their sum than nothing at all is.
    far, norms = _tensor([[20.0, 18.0, 2.0]]), _tensor([1.0])
    assert normalise(far, norms).tolist() == [[0.0, 0.1, 0.9]]
    assert normalise(_tensor([[3.0, 3.0]]), norms).tolist() == [[0.5, 0.5]]


def test_positions_out_of_reach_get_nothing():
    far, norms = _tensor([[1.0, 2.0, 0.5]]), _tensor([4.0])
    for how in Normalisation:
        row = normalise(far, norms, how, torch.tensor([[True, True, False]]))[0]
        assert row[2] == 0
        assert row.sum() == pytest.approx(1)


def _pieces(tokens: list[str], part: Part) -> list[Piece]:
    """The pieces of one sentence, with a blank where a token begins a word."""
    pieces, end = [], 0
    for token in tokens:
        if token == "</s>":
            pieces.append(Piece("", part))
            continue
        start = end + (token.startswith("▁") and end > 0)
        end = start + len(token.removeprefix("▁"))
        pieces.append(Piece(token.removeprefix("▁"), part, 0, start, end))
    return pieces


def _place(pieces: list[Piece], tokens: list[str], wanted: list[str]) -> Span:
    first = pieces[tokens.index(wanted[0])]
    return Span(first.part, 0, first.start, pieces[tokens.index(wanted[-1])].end)


def test_parts_and_supporting_words_add_up_as_in_the_published_code(expected: dict[str, Any]):
    known = expected["aggregate"]
    names = {
        "src_ctx": Part.SOURCE_CONTEXT,
        "src": Part.SOURCE,
        "tgt_ctx": Part.TARGET_CONTEXT,
        "tgt_prefix": Part.TARGET_PREFIX,
    }
    sides = {name: _pieces(known[name], part) for name, part in names.items()}
    columns = [piece for pieces in sides.values() for piece in pieces]
    matrix = np.array(known["matrix_rows_are_predicted_tokens"])
    flow = ordered(_pieces(known["pred"], Part.TARGET_PREFIX), columns, matrix)
    support = [
        _place(sides["src_ctx"], known["src_ctx"], known["src_ante_toks"]),
        _place(sides["tgt_ctx"], known["tgt_ctx"], known["tgt_ante_toks"]),
    ]
    end = flow.rows[-1].end
    found = shares(flow.row(0, end, Rows.PREFIX_MEAN), flow.columns, support)
    metrics, parts = known["sentence_metrics"], found.parts
    np.testing.assert_allclose(
        [100 * parts[part] for part in names.values()],
        [metrics["src_ctx"], metrics["src"], metrics["tgt_ctx"], metrics["tgt"]],
        atol=1e-6,
    )
    np.testing.assert_allclose(100 * found.context, metrics["ctx_vs_current"], atol=1e-6)
    np.testing.assert_allclose(100 * found.current, metrics["current_vs_ctx"], atol=1e-6)
    source, target = (parts[names[key]] / (parts[names[key]] + parts[names[other]]) for key, other in _PAIRS)
    np.testing.assert_allclose(100 * source, metrics["src_ctx_vs_src"], atol=1e-6)
    np.testing.assert_allclose(100 * target, metrics["tgt_ctx_vs_tgt"], atol=1e-6)
    np.testing.assert_allclose(found.support, known["word_metrics"]["ante"], atol=1e-6)
    assert len(flow.by_words().columns) == len(known["words_in"])
    assert [word.text for word in flow.by_words().rows] == known["words_out"]


_PAIRS = (("src_ctx", "src"), ("tgt_ctx", "tgt_prefix"))
