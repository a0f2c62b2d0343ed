"""The small English–German model that is in a distribution of its own beside the package."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from endophora.version import __version__

pytest.importorskip("torch")

from endophora.models.records import Decoding, ModelInput, contextual_inputs
from endophora.models.specs import open_model

HERE = Path(__file__).resolve().parents[2] / "model-en-de"
FOLDER = HERE / "endophora_model_en_de"


@pytest.fixture(scope="module")
def model():
    return open_model(str(FOLDER))


def test_the_distribution_has_the_version_of_the_package_and_less_than_thirty_megabytes():
    project = tomllib.loads((HERE / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__
    assert sum(path.stat().st_size for path in FOLDER.iterdir() if path.is_file()) < 30e6


def test_the_card_names_text_licences_and_domain_and_the_notice_credits_them():
    card = json.loads((FOLDER / "card.json").read_text("utf-8"))
    notice = (HERE / "NOTICE").read_text("utf-8")
    assert {"MPL-2.0", "CC BY 2.0 FR"} <= {source["licence"] for source in card["sources"]}
    assert all(source["name"] in notice and source["holder"] in notice for source in card["sources"])


def test_it_translates_the_text_of_its_domain(model):
    sources = ("Select the cell and press Enter.", "The file could not be opened.")
    found = model.translate([ModelInput(source) for source in sources], Decoding(beam=1))
    assert [one.text for one in found] == [
        "Wählen Sie die Zelle aus und drücken Sie die Eingabetaste.",
        "Die Datei konnte nicht geöffnet werden.",
    ]


CHOICES = (
    ("Select the sheet.", "Wählen Sie {}.", "The sheet is printed.", "{} wird gedruckt.", "die Tabelle", "das Blatt"),
    ("Open the folder.", "Öffnen Sie {}.", "The folder is empty.", "{} ist leer.", "den Ordner", "das Verzeichnis"),
    ("Click the box.", "Klicken Sie auf {}.", "The box is hidden.", "{} wird ausgeblendet.", "das Feld", "den Rahmen"),
)
"""Two translations of a noun: the sentence before with either in its place, and the sentence that takes it up."""


def test_terms_are_likelier_after_themselves_than_after_their_synonyms(model):
    """Lexical cohesion, the paper's first phenomenon: the second translation of a noun follows the first."""
    gain = 0.0
    for before, translated, source, target, *terms in CHOICES:
        subjects = [term.replace("den ", "der ") for term in terms]
        targets = [target.format(subject[0].upper() + subject[1:]) for subject in subjects]
        contexts = [translated.format(term) for term in terms]
        inputs = [contextual_inputs((before, source), (context, ""), 1)[1] for context in contexts for _ in targets]
        same, crossed, uncrossed, again = (found.total for found in model.score(inputs, targets * 2))
        gain += same + again - crossed - uncrossed
    assert gain > 0
