"""A trained classifier in the place of the rules: read from its folder, batched, in the signature, or refused."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from handmade import document, text

from command import run
from endophora.annotate.records import AnnotatedText
from endophora.errors import InputError, MissingModelError
from endophora.phenomena import TaggerOptions, make_taggers
from endophora.phenomena.ellipsis import EllipsisTagger
from endophora.phenomena.ellipsis_classifier import ClassifierDetector, read_card, sentence_texts
from endophora.phenomena.ellipsis_examples import read_labelled
from endophora_makers.ellipsis_evaluation import main
from tiny_encoder import make_encoder, toy_sentences, write_toy

TEXTS = ["ann sings songs and bob does too.", "cid reads.", "eve cooks soups and fay reads too."]
KNOWN = ("I/PRON >1 :nsubj | know/VERB", "ich/PRON | weiß/VERB lemma=wissen", "0-0 1-1")
SHORT = ("I/PRON | do/VERB", "Ich/PRON | weiß/VERB lemma=wissen", "0-0")
OTHER = ("You/PRON | do/VERB", "Du/PRON | weißt/VERB lemma=wissen", "0-0")

neural = pytest.mark.skipif(find_spec("transformers") is None, reason="transformers is not installed")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_encoder(tmp_path_factory.mktemp("classifier"), TEXTS, labels=2)


def plain(*sentences: str) -> AnnotatedText:
    """A text of sentences whose words stand apart."""
    written = " | ".join(f"{word}/X" for sentence in sentences for word in sentence.split())
    made = text(written)
    starts = [0]
    for sentence in sentences[:-1]:
        starts.append(starts[-1] + len(sentence.split()))
    return AnnotatedText(made.text, made.tokens, tuple(starts))


@neural
def test_a_batch_gives_what_each_text_gives_alone(folder: Path):
    one, many = (ClassifierDetector(folder, "en", batch=size) for size in (1, 8))
    texts = [plain(each) for each in TEXTS]
    alone = [one.probabilities([each])[0] for each in texts]
    assert many.probabilities(texts) == pytest.approx(alone, abs=1e-6)
    assert all(0 < value < 1 for value in alone)
    assert len(set(alone)) == len(alone)


@neural
def test_a_text_is_as_elliptical_as_its_most_elliptical_sentence(folder: Path):
    classifier = ClassifierDetector(folder, "en")
    parts = classifier.probabilities([plain(each) for each in TEXTS])
    assert classifier.probabilities([plain(*TEXTS)]) == pytest.approx([max(parts)], abs=1e-6)
    assert classifier.probabilities([AnnotatedText("", ()), plain(TEXTS[0])])[0] == 0
    assert sentence_texts(plain("a b", "c")) == ["a b", "c"]


@neural
def test_the_signature_changes_with_the_weights_and_the_card(folder: Path, tmp_path: Path):
    other = make_encoder(tmp_path / "other", ["another vocabulary"], labels=2)
    signatures = {ClassifierDetector(path, "en").signature for path in (folder, folder, other)}
    assert len(signatures) == 2
    assert ClassifierDetector(folder, "en", threshold=0.4).signature not in signatures
    options = [TaggerOptions(("ellipsis",)), TaggerOptions(("ellipsis",), ellipsis_classifier=folder)]
    assert len({make_taggers("de", each)[0].signature for each in options}) == 2


@neural
def test_the_tagger_asks_the_classifier_once_for_a_whole_document(folder: Path):
    calls: list[int] = []

    class Counting(ClassifierDetector):
        def probabilities(self, texts):
            calls.append(len(texts))
            return super().probabilities(texts)

    tagger = EllipsisTagger(Counting(folder, "en", threshold=0.0))
    doc = document([KNOWN, SHORT, OTHER])
    assert [found.rule for found in tagger.tag(doc)] == ["sentence"] * 2
    assert tagger.tag(doc)
    assert calls == [3]


@neural
def test_source_languages_without_rules_have_ellipsis_with_a_classifier(folder: Path):
    assert make_taggers("en", TaggerOptions(("ellipsis",), ellipsis_classifier=folder), source_language="de")


@neural
def test_folders_that_are_no_classifier_are_refused(folder: Path, tmp_path: Path):
    with pytest.raises(InputError, match=r"E253.*safetensors"):
        ClassifierDetector(tmp_path, "en")
    with pytest.raises(InputError, match=r"E253.*classifier.weight"):
        ClassifierDetector(make_encoder(tmp_path / "bare", TEXTS), "en").probabilities([plain("a")])
    three = make_encoder(tmp_path / "three", TEXTS, labels=3)
    with pytest.raises(InputError, match=r"E253.*3 labels"):
        ClassifierDetector(three, "en").probabilities([plain("a")])
    broken = make_encoder(tmp_path / "broken", TEXTS, labels=2)
    (broken / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(InputError, match=r"E253.*cannot be loaded"):
        ClassifierDetector(broken, "en").probabilities([plain("a")])
    (broken / "ellipsis.json").write_text('{"format": "another"}')
    with pytest.raises(InputError, match=r"E253.*no card"):
        ClassifierDetector(broken, "en")
    with pytest.raises(InputError, match=r"E253.*unaligned"):
        make_taggers("de", TaggerOptions(("ellipsis",), ellipsis="unaligned", ellipsis_classifier=folder))


def test_missing_libraries_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("endophora.phenomena.ellipsis_classifier.find_spec", lambda name: None)
    with pytest.raises(MissingModelError, match=r"E252.*pip install 'endophora\[neural\]'"):
        ClassifierDetector(tmp_path, "en")


@neural
def test_tag_takes_a_classifier_by_its_folder(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "s.txt").write_text("I know that.\nYou do.\n")
    (tmp_path / "t.txt").write_text("Ich weiß das.\nDu weißt das.\n")
    files = ("--source", str(tmp_path / "s.txt"), "--reference", str(tmp_path / "t.txt"), "-l", "en-de", "-q")
    command = ("tag", *files, "-p", "ellipsis", "--no-store", "-o", str(tmp_path / "out"))
    assert run(*command, "--ellipsis-classifier", str(folder)) == 0
    assert "encoder-" in (tmp_path / "out" / "result.json").read_text()
    capsys.readouterr()
    assert run(*command, "--ellipsis-classifier", str(tmp_path)) == 2
    assert "E253" in capsys.readouterr().err


@neural
def test_rules_and_a_trained_classifier_are_scored_on_the_same_sentences(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    toy = toy_sentences(80)
    data = write_toy(tmp_path / "toy.tsv", toy)
    encoder = make_encoder(tmp_path / "encoder", [each.text for each in toy])
    shares = ("--validation", "0.2", "--test", "0.2", "--epochs", "1", "-q")
    assert run("train", "ellipsis", str(data), "--encoder", str(encoder), "-o", str(tmp_path / "out"), *shares) == 0
    capsys.readouterr()
    classifier = str(tmp_path / "out")
    assert main([str(data), "--classifier", classifier, "--held-out", classifier]) == 0
    rules, trained = capsys.readouterr().out.splitlines()
    card = read_card(tmp_path / "out")
    assert card is not None
    judged = [sum(map(int, re.findall(r"(\d+) (?:found|missed|wrong|passed)", line))) for line in (rules, trained)]
    assert judged == [card.parts["test"].sentences] * 2
    assert "toy.tsv, rules: precision" in rules
    assert f"toy.tsv, {classifier}: precision" in trained
    assert main([str(data), "--held-out", str(encoder)]) == 2
    assert "E253" in capsys.readouterr().err
    with pytest.raises(InputError, match=r"E253.*learned “en”.*is “de”"):
        ClassifierDetector(tmp_path / "out", "de")


def test_the_treebanks_sentences_are_read_in_their_documents(shared: Path):
    examples = read_labelled([shared / "ellipsis" / "penn-treebank-sample.zip"])
    documents = {each.document for each in examples}
    assert (len(examples), sum(each.elliptical for each in examples), len(documents)) == (3914, 45, 199)
