"""The blocks of model cards that learn from the shared data run, on the beginning of every text.

Only with ``ENDOPHORA_ALL_COMMANDS=1``, and where the shared data are. Each block runs in a shell as it stands, in a
folder beside a small copy of ``../shared``; what is added is how long to train, and where the weights go that would
take the place of those that ship. Where a dictionary is not installed, the test is skipped with the line that says so:
all before the dictionary has run.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cli.shared_parts import cut_documents, cut_rows, cut_treebank, later_sentences, write_catalogue
from cli.test_commands_of_pages import BLOCK, REPOSITORY, SHARED
from endophora.annotate.loading import load_annotator
from endophora.corefer.ranker import from_json

pytestmark = [
    pytest.mark.skipif("ENDOPHORA_ALL_COMMANDS" not in os.environ, reason="takes minutes"),
    pytest.mark.skipif(not (SHARED / "treebanks").is_dir(), reason="the shared data are not here"),
]
RECIPES = "makers/src/endophora_makers/recipes"
WORDS = 2000
BLOCKS = [
    (page, number, block)
    for page in sorted((REPOSITORY / "docs" / "models").glob("*.md"))
    for number, (kind, block) in enumerate(BLOCK.findall(page.read_text("utf-8")))
    if kind in ("", "sh") and "endophora" in block
]
# What would be written into the package goes elsewhere, and training is short.
PROGRAMS = {
    "endophora-makers": f'exec {sys.executable} -m endophora_makers "$@" --words {WORDS}',
    "python": (
        'case "$*" in *"resolver train"*) set -- "$@" --output weights.json;; esac\n'
        'case "$*" in *sources*) set -- "$@" --output .;; esac\n'
        f'exec {sys.executable} "$@"'
    ),
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with the recipes, whose teachers are trained shortly, and the programs that blocks call."""
    folder = tmp_path / "here"
    for path in (REPOSITORY / RECIPES).rglob("*.yaml"):
        copy = folder / path.relative_to(REPOSITORY)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(re.sub(r"teacher: \d+", f"teacher: {WORDS}", path.read_text("utf-8")), "utf-8")
    for name, text in PROGRAMS.items():
        program = tmp_path / "programs" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
        program.chmod(0o755)
    return folder


def run_block(block: str, here: Path) -> str:
    """Run a block and return what it shows; a dictionary that is not here skips the test."""
    path = f"{here.parent / 'programs'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-e"], input=block, text=True, cwd=here, env={**os.environ, "PATH": path}, capture_output=True
    )
    absent = re.search(r"\[E085\].*|\[E081\].*\.\./(?:npm|pypi)/.*", done.stderr)
    if done.returncode and absent:
        pytest.skip(absent[0])
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def shared_of(language: str, block: str, here: Path) -> Path:
    """Lay out what the training of a language reads, and the files of treebanks that the page tells to get."""
    shared, archive = here.parent / "shared", SHARED / "treebanks" / f"{language}.tar.xz"
    cut_treebank(archive, shared / "treebanks" / archive.name)
    for kind in ("coreference", "lexicons", "npm", "pypi"):
        (shared / kind).symlink_to(SHARED / kind)
    recipes = "".join(path.read_text("utf-8") for path in (here / RECIPES).rglob(f"{language}.yaml"))
    for name in sorted(set(re.findall(r"\.\./parallel/([\w-]+\.tsv\.gz)", recipes))):
        cut_rows(SHARED / "parallel" / name, shared / "parallel" / name)
    for name in re.findall(r"(?<=[ ])\w+-ud-train\.conllu", "".join(re.findall("^tar .*", block, re.M))):
        (here / name).write_text(later_sentences(archive, name), "utf-8")
    return shared


TRAINED = [one for one in BLOCKS if "endophora-makers annotator" in one[2]]


@pytest.mark.parametrize(("page", "number", "block"), TRAINED, ids=[f"{one[0].stem}-{one[1]}" for one in TRAINED])
def test_an_annotator_is_trained_as_its_card_says(page: Path, number: int, block: str, here: Path):
    language = page.stem.removeprefix("annotators-")
    shared_of(language, block, here)
    run_block(block, here)
    [text] = load_annotator(language, str(here / "out")).annotate(["1 2 3!"])
    assert [token.form for token in text.tokens] == ["1", "2", "3", "!"]
    assert all(token.upos for token in text.tokens)


def test_priors_are_learned_as_the_card_says(here: Path):
    [block] = [block for page, _, block in BLOCKS if page.stem == "aligner"]
    shared = here.parent / "shared"
    for language, name in (("es", "spa"), ("it", "ita")):
        cut_rows(SHARED / "parallel" / f"en-{name}.tsv.gz", shared / "parallel" / f"en-{name}.tsv.gz")
        words = Path("lexicons", "wiktionary", f"en-{language}.txt.gz")
        cut_rows(SHARED / words, shared / words)
        messages = [("", "header"), ("~Close", "~Chiudi")]
        write_catalogue(here / "LIBREOFFICE" / "resource" / language / "LC_MESSAGES" / "sw.mo", messages)
    for language, text in (("en-US", "Print"), ("es", "Imprimir")):
        page = here / "LIBREOFFICE" / "help" / language / "a.html"
        page.parent.mkdir(parents=True)
        page.write_text(f'<p id="a">{text}</p>', "utf-8")
    lines = run_block(block, here).splitlines()
    assert [line.partition("\t")[0] for line in lines] == ["en-es", "en-it"]
    assert all("'messages': 1" in line and "'tatoeba'" in line for line in lines)


def test_a_resolver_is_learned_and_measured_as_its_card_says(here: Path):
    [block] = [block for page, _, block in BLOCKS if page.stem == "resolver" and "train" in block]
    shared = here.parent / "shared"
    cut_treebank(SHARED / "treebanks" / "en.tar.xz", shared / "treebanks" / "en.tar.xz")
    for name, every in (("gum", 15), ("litbank", 20)):
        cut_documents(SHARED / f"coreference/{name}.tar.xz", shared / f"coreference/{name}.tar.xz", every)
    shutil.copy(SHARED / "coreference" / "parcorfull-ted-de.tar.xz", shared / "coreference")
    shown = run_block(block, here)
    assert from_json(json.loads((here / "weights.json").read_text("utf-8"))).temperature > 0
    assert len(re.findall(r"^\d+ documents, ", shown, re.M)) == 2
    assert "with target" in shown
