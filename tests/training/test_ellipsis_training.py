"""The classifier of ellipsis: it learns what can be learned, and the same again; what is written; what is refused."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import run
from endophora.errors import InputError, MissingModelError
from endophora.phenomena.ellipsis_classifier import count, read_card
from endophora.phenomena.ellipsis_examples import Example
from endophora.training.ellipsis import best_threshold, split_examples, train_ellipsis
from endophora.training.ellipsis_fitting import EllipsisSettings, EpochReport, average_precision, batches
from tiny_encoder import make_encoder, toy_sentences, write_toy

TOY = toy_sentences(400)
TEXTS = [example.text for example in TOY]
FAST = {"rate": 5e-3, "batch": 16, "epochs": 8, "validation": 0.2, "test": 0.2}

neural = pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("encoder"), TEXTS)


@neural
def test_what_can_be_learned_is_learned_and_what_cannot_is_not(tmp_path: Path, encoder: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    settings = EllipsisSettings(encoder=str(encoder), weight=3, **FAST)
    card = train_ellipsis([data], tmp_path / "out", settings)
    assert card.scores["test"].f1[0] > 0.9
    other = write_toy(tmp_path / "shuffled.tsv", toy_sentences(400, shuffled=True))
    assert train_ellipsis([other], tmp_path / "other", settings).scores["test"].f1[0] < 0.7


@neural
def test_the_weight_finds_more_and_wrongly(tmp_path: Path, encoder: Path):
    """On labels that say nothing, a heavy weight takes all for elliptical, a light one nothing."""
    data = write_toy(tmp_path / "toy.tsv", toy_sentences(400, shuffled=True))
    made = {
        weight: train_ellipsis(
            [data],
            tmp_path / str(weight),
            EllipsisSettings(encoder=str(encoder), weight=weight, **{**FAST, "epochs": 2}),
        )
        for weight in (0.01, 100)
    }
    found = {weight: card.scores["test"].found + card.scores["test"].wrong for weight, card in made.items()}
    assert found[0.01] == 0
    assert found[100] == made[100].parts["test"].sentences


@neural
def test_half_precision_learns_too_and_keeps_single_precision_weights(tmp_path: Path, encoder: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    settings = EllipsisSettings(encoder=str(encoder), weight=3, precision="bfloat16", **FAST)
    assert train_ellipsis([data], tmp_path / "out", settings).scores["test"].f1[0] > 0.9
    safetensors = pytest.importorskip("safetensors")
    with safetensors.safe_open(tmp_path / "out" / "model.safetensors", "np") as weights:
        assert {str(weights.get_tensor(name).dtype) for name in weights.keys()} == {"float32"}  # noqa: SIM118


def test_half_precision_is_for_gpus_unless_it_is_asked_for():
    cases = {"auto": (False, True), "float32": (False, False), "bfloat16": (True, True)}
    for precision, expected in cases.items():
        settings = EllipsisSettings(precision=precision)
        assert (settings.half("cpu"), settings.half("cuda")) == expected


@neural
def test_the_same_seed_gives_the_same_bytes(tmp_path: Path, encoder: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    settings = {"encoder": str(encoder), **FAST, "epochs": 2}
    folders = [tmp_path / name for name in ("one", "two", "three")]
    for folder, seed in zip(folders, (7, 7, 8), strict=True):
        train_ellipsis([data], folder, EllipsisSettings(**settings, seed=seed))
    weights = [(folder / "model.safetensors").read_bytes() for folder in folders]
    assert weights[0] == weights[1] != weights[2]


@neural
def test_a_new_small_encoder_needs_no_model_and_is_the_same_each_time(tmp_path: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    settings = EllipsisSettings(encoder="scratch", **{**FAST, "rate": 1e-3, "epochs": 1})
    for name in ("one", "two"):
        train_ellipsis([data], tmp_path / name, settings)
    one, two = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in ("one", "two"))
    assert one == two


@neural
def test_a_training_that_is_broken_off_leaves_the_best_weights_and_says_so(tmp_path: Path, encoder: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)

    def stop(report: EpochReport) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_ellipsis([data], tmp_path / "out", EllipsisSettings(encoder=str(encoder), **FAST), stop)
    card = read_card(tmp_path / "out")
    assert card is not None
    assert (card.finished, card.epochs, card.scores) == (False, 1, {})
    assert "interrupted" in (tmp_path / "out" / "README.md").read_text()
    assert not list((tmp_path / "out").glob(".new*"))


@neural
def test_a_training_that_diverges_is_told_and_not_saved_as_a_classifier(tmp_path: Path, encoder: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    with pytest.raises(InputError, match=r"E256.*epoch 1"):
        train_ellipsis([data], tmp_path / "out", EllipsisSettings(encoder=str(encoder), weight=1e38, **FAST))
    assert not (tmp_path / "out" / "model.safetensors").exists()


@neural
def test_training_stops_when_nothing_is_gained(tmp_path: Path, encoder: Path):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    settings = EllipsisSettings(encoder=str(encoder), **{**FAST, "epochs": 30}, patience=1)
    card = train_ellipsis([data], tmp_path / "out", settings)
    assert card.epochs == card.best_epoch + 1 < 30


@neural
def test_the_command_writes_a_card_and_names_what_is_wrong(
    tmp_path: Path, encoder: Path, capsys: pytest.CaptureFixture[str]
):
    data = write_toy(tmp_path / "toy.tsv", TOY)
    shares = ("--validation", "0.2", "--test", "0.2", "--epochs", "1")
    command = ("train", "ellipsis", str(data), "--encoder", str(encoder), "-o", str(tmp_path / "out"), *shares)
    assert run(*command, "--threshold", "tuned") == 0
    assert "| test | " in capsys.readouterr().out
    card = read_card(tmp_path / "out")
    assert card is not None
    assert card.data == ("toy.tsv",)
    assert sum(part.sentences for part in card.parts.values()) + card.leaked == len(TOY)
    readme = (tmp_path / "out" / "README.md").read_text()
    assert all(text in readme for text in ("| weight | 100.0 |", "| threshold | tuned |", "toy.tsv", "| train |"))
    assert run(*command) == 2
    assert "E356" in capsys.readouterr().err
    assert run(*command, "-o", str(tmp_path / "new"), "--threshold", "high") == 2
    assert "E256" in capsys.readouterr().err


@neural
def test_an_encoder_that_is_not_there_or_not_in_safetensors_is_named_and_nothing_is_written(tmp_path: Path):
    torch = pytest.importorskip("torch")
    data = write_toy(tmp_path / "toy.tsv", TOY)
    pickled = make_encoder(tmp_path / "pickled", TEXTS)
    (pickled / "model.safetensors").unlink()
    torch.save({}, pickled / "pytorch_model.bin")
    for name in (str(tmp_path / "none"), str(pickled)):
        with pytest.raises(MissingModelError, match="E252"):
            train_ellipsis([data], tmp_path / "out", EllipsisSettings(encoder=name, **FAST))
    assert not (tmp_path / "out").exists()


def test_missing_libraries_are_named_with_the_line_that_installs_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.phenomena.ellipsis_classifier.find_spec", lambda name: None)
    with pytest.raises(MissingModelError, match=r"E252.*torch and transformers.*pip install 'endophora\[neural\]'"):
        train_ellipsis([write_toy(tmp_path / "toy.tsv", TOY)], tmp_path / "out")


def test_settings_out_of_range_are_told_at_once(tmp_path: Path):
    wrong = EllipsisSettings(weight=0, threshold=2, epochs=0, validation=0.6, test=0.4, precision="half")
    with pytest.raises(InputError) as caught:
        train_ellipsis([], tmp_path / "out", wrong)
    assert [fault.code for fault in caught.value.faults] == ["E256"] * 5


def test_a_split_keeps_documents_together_and_gives_each_part_its_share():
    split = split_examples(TOY, 0.2, 0.3, seed=1)
    documents = [{example.document for example in split.parts[name]} for name in ("train", "validation", "test")]
    assert not any(
        a & b for a, b in ((documents[0], documents[1]), (documents[0], documents[2]), (documents[1], documents[2]))
    )
    assert [len(each) for each in documents] == [50, 20, 30]
    assert split_examples(TOY, 0.2, 0.3, seed=1) == split
    assert split_examples(TOY, 0.2, 0.3, seed=2) != split
    texts = {example.text for name in ("validation", "test") for example in split.parts[name]}
    assert not texts & {example.text for example in split.parts["train"]}


def test_sentences_that_stand_in_two_parts_are_learned_in_none():
    twins = [Example(f"Sentence {n // 2}.", n % 8 < 4, "", f"d{n % 2}{n // 4}") for n in range(400)]
    split = split_examples(twins, 0.2, 0.2, seed=0)
    assert split.leaked > 0
    held = {example.text for name in ("validation", "test") for example in split.parts[name]}
    assert not held & {example.text for example in split.parts["train"]}


def test_a_part_without_elliptical_sentences_is_refused():
    one = [Example(f"Sentence {n}.", n == 0, "", f"d{n}") for n in range(30)]
    with pytest.raises(InputError) as caught:
        split_examples(one, 0.2, 0.2, seed=0)
    assert [fault.code for fault in caught.value.faults] == ["E254", "E254"]


def test_average_precision_of_a_hand_worked_ranking():
    # Right at ranks 1 and 3: (1/1 + 2/3) / 2.
    assert average_precision([True, False, True, False], [0.9, 0.8, 0.7, 0.1]) == pytest.approx(5 / 6)
    # All alike: the share of elliptical sentences.
    assert average_precision([True, False, False, False], [0.5] * 4) == 0.25
    assert average_precision([False, False], [0.5, 0.1]) == 0


def test_the_best_threshold_is_halfway_below_the_last_that_is_worth_it():
    assert best_threshold([True, False, True, False], [0.9, 0.2, 0.7, 0.1]) == pytest.approx(0.45)
    assert best_threshold([], []) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.2, 0.4, 0.7, 0.9])), max_size=30))
def test_no_threshold_is_better_than_the_best(pairs: list[tuple[bool, float]]):
    labels, values = [label for label, _ in pairs], [value for _, value in pairs]

    def f1(threshold: float) -> float:
        return count(labels, [value >= threshold for value in values]).f1

    assert f1(best_threshold(labels, values)) == max((f1(threshold) for threshold in values), default=0)


def test_batches_have_every_row_once_and_rows_of_like_length():
    rows = [[0] * (n % 37 + 1) for n in range(500)]
    drawn = list(batches(rows, 16, seed=1))
    assert sorted(index for batch in drawn for index in batch) == list(range(500))
    assert drawn != list(batches(rows, 16, seed=2))
    padded = sum(len(batch) * max(len(rows[index]) for index in batch) for batch in drawn)
    assert padded < 1.15 * sum(map(len, rows))
