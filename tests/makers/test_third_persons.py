"""English third persons: what a dictionary says of a form in -s, and what the morphologizer makes of it."""

from __future__ import annotations

import gzip
from pathlib import Path

from endophora.annotate.loading import load_annotator
from endophora_makers.conllu import Word
from endophora_makers.third_persons import ThirdPersons

LINES = """\
consist {v} (to be composed) :: bestehen
consist {v} (to lie) :: bestehen
try {v} :: versuchen
try {n} :: Versuch {m}
live {v} :: leben
life {n} (state) :: Leben {n}
life {n} (duration) :: Leben {n}
house {n} :: Haus {n}
wash {v} :: waschen
do {v} :: tun
"""


def recipe(path: Path) -> ThirdPersons:
    (path / "en.txt.gz").write_bytes(gzip.compress(LINES.encode()))
    return ThirdPersons.read().model_copy(update={"glossaries": ("en.txt.gz",)})


def test_senses_are_counted_by_form(tmp_path: Path):
    senses = recipe(tmp_path).senses(tmp_path)
    assert dict(senses["v"]) == {"consists": 2, "tries": 1, "lives": 1, "washes": 1, "does": 1}
    assert senses["n"]["lives"] == senses["n"]["lifes"] == 2
    assert senses["n"]["houses"] == 1


def test_a_form_is_worth_the_more_the_more_of_its_word_is_verb(tmp_path: Path):
    plan = recipe(tmp_path)
    worth = plan.worth(plan.senses(tmp_path), {"does"})
    assert worth["consists"] > worth["tries"] > worth["lives"]
    assert "does" not in worth
    assert "houses" not in worth


def test_forms_that_are_other_words_are_left_out():
    does, walks = (
        Word("Does", "do", "AUX", "_", "_", None, "_", True),
        Word("walks", "walk", "NOUN", "_", "_", None, "_", True),
    )
    assert ThirdPersons.read().unlike([does, walks]) == {"does"}


def test_third_persons_of_the_embedded_pipeline():
    annotator = load_annotator("en")
    text = "She reads a lot . It needs paint . The road ends here . He hopes so . Water consists of atoms ."
    (found,) = annotator.annotate([text + " They sat under the trees ."])
    tags = {(token.form, token.upos, token.xpos) for token in found.tokens}
    assert {(form, "VERB", "VBZ") for form in ("reads", "needs", "ends", "hopes", "consists")} <= tags
    assert ("trees", "NOUN", "NNS") in tags
