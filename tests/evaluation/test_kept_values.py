"""Nothing that was kept for one setup is served for another: files named in it, tools, and the code of a tagger."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import endophora
from endophora.corpus.records import Corpus, Document, Location, Segment
from endophora.evaluation.columns import measure
from endophora.evaluation.setup import Setup
from endophora.models.loading import fingerprint
from endophora.models.options import ModelOptions
from endophora.phenomena import TaggerOptions
from endophora.signature import digest_of, run_signature

TEXTS = ("The bank was closed, and so was the shop.",)
OUTPUT = "The bank is shut, and so is the shop."
CORPUS = Corpus(
    "de",
    "en",
    (Document("d", (Segment("Die Bank war zu.", {"ref": TEXTS[0]}, {"mt": OUTPUT}, Location("memory", 1)),)),),
    ("ref",),
    ("mt",),
)


def _score(metric: str, store: Path) -> float:
    setup = Setup("de", "en", store=store, taggers=TaggerOptions(phenomena=()))
    (found,) = measure(CORPUS, (metric,), setup)
    return float(found.score(found.statistics.sum(axis=1))[0][0])


def test_a_file_that_a_metric_names_counts_by_content(tmp_path: Path):
    spans, store = tmp_path / "spans.txt", tmp_path / "store.sqlite"
    metric = f"blonde+:spans={spans}"
    spans.write_text(f"{TEXTS[0]}\t1,bank, shop <pos/0,4>\n", encoding="utf-8")
    first = _score(metric, store)
    spans.write_text(f"{TEXTS[0]}\t1,closed, open <pos/0,6>\n", encoding="utf-8")
    second = _score(metric, store)
    assert second == _score(metric, tmp_path / "other.sqlite")
    assert first != pytest.approx(second)


def test_word_vectors_count_by_content(tmp_path: Path):
    vectors, store = tmp_path / "words.vec", tmp_path / "store.sqlite"
    words = sorted({*TEXTS[0].replace(",", "").split(), *OUTPUT.split()})
    rows = [(word, number) for number, word in enumerate(words)]
    vectors.write_text("".join(f"{word} 1 {number % 10}\n" for word, number in rows), "utf-8")
    first, size = _score(f"average:{vectors}", store), vectors.stat().st_size
    vectors.write_text("".join(f"{word} 1 {number * 3 % 10}\n" for word, number in rows), "utf-8")
    assert vectors.stat().st_size == size
    second = _score(f"average:{vectors}", store)
    assert second == _score(f"average:{vectors}", tmp_path / "other.sqlite")
    assert first != pytest.approx(second)


SETUP = Setup("en", "de")


@pytest.mark.parametrize(
    "changed",
    [
        replace(SETUP, resolver="nearest"),
        replace(SETUP, window=3),
        replace(SETUP, annotators={"en": "blank"}),
        replace(SETUP, taggers=TaggerOptions(repetitions=2)),
        replace(SETUP, taggers=TaggerOptions(phenomena=("pronouns",))),
        replace(SETUP, target_language="fr"),
    ],
    ids=["resolver", "window", "annotators", "taggers", "phenomena", "language"],
)
def test_occurrences_of_another_setup_have_other_keys(changed: Setup):
    one, other = SETUP.load(), changed.load()
    assert one.keys(TEXTS, TEXTS) != other.keys(TEXTS, TEXTS)
    assert run_signature(one.loaded) != run_signature(other.loaded)


def test_another_store_has_the_same_keys(tmp_path: Path):
    stored = replace(SETUP, store=tmp_path / "store.sqlite")
    assert SETUP.load().keys(TEXTS, TEXTS) == stored.load().keys(TEXTS, TEXTS)


def test_words_of_grammar_count_by_content_and_not_by_number(tmp_path: Path):
    rules = (Path(endophora.__file__).parent / "languages" / "data" / "de.yaml").read_text("utf-8")
    files = [tmp_path / name for name in ("one.yaml", "two.yaml")]
    files[0].write_text(rules, encoding="utf-8")
    files[1].write_text(rules.replace("sie", "säe"), encoding="utf-8")
    aligners = [replace(SETUP, rules=(file,)).load().aligner.signature for file in files]
    assert aligners[0] != aligners[1]


def _model(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return fingerprint(str(folder))


def test_all_files_of_a_model_count_but_its_pages(tmp_path: Path):
    folder = tmp_path / "model"
    folder.mkdir()
    before = _model(folder, "model.safetensors", "1")
    for name in ("chat_template.jinja", "merges.txt", "config.json", "source.spm"):
        after = _model(folder, name, "1")
        assert after != before
        before = after
    assert _model(folder, "README.md", "1") == before
    moved = shutil.copytree(folder, tmp_path / "elsewhere" / "model")
    assert fingerprint(str(moved)) == before


def test_templates_of_a_model_count_by_content(tmp_path: Path):
    file = tmp_path / "prompt.yaml"
    file.write_text("one", encoding="utf-8")
    before = digest_of(ModelOptions(template=file))
    file.write_text("two", encoding="utf-8")
    assert digest_of(ModelOptions(template=file)) != before
    assert digest_of(ModelOptions(template=file, device="cpu", threads=2)) == digest_of(ModelOptions(template=file))


def test_an_edited_tagger_in_a_checkout_never_meets_its_old_occurrences(tmp_path: Path):
    package = tmp_path / "src" / "endophora"
    source = Path(endophora.__file__).parent
    # The pipelines of other languages are not needed, and large.
    others = {path.name for path in (source / "annotate" / "pipelines").iterdir()} - {"en", "de"}
    shutil.copytree(source, package, ignore=lambda place, names: others & set(names) if "pipelines" in place else ())
    rows = "document\tsource\ttarget", "d\tYou know it.\tDu kennst es.", "d\tDo you like it?\tMagst du es?"
    (tmp_path / "text.tsv").write_text("\n".join(rows), encoding="utf-8")
    command = [sys.executable, "-c", "import endophora.cli as cli; cli.main()", "tag", "-i", "text.tsv", "-l", "en-de"]
    command += ["-p", "formality", "-f", "jsonl", "-q", "--store", "store.sqlite"]
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}

    def tag() -> str:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    assert "formality" in tag()
    tagger = package / "phenomena" / "formality.py"
    code = tagger.read_text("utf-8")
    start = code.index("    def tag(self, document")
    edited = code[start:].replace("list[Occurrence]:\n", "list[Occurrence]:\n        return []\n", 1)
    tagger.write_text(code[:start] + edited, encoding="utf-8")
    assert "formality" not in tag()
