"""The example documents as a stream, and tools that are loaded once."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.corpus.formats import open_stream
from endophora.corpus.records import Document
from endophora.corpus.streams import DocumentStream, ReadOptions
from endophora.data import example_directory
from endophora.extraction import ExtractionSetup, default_phenomena
from endophora.extraction.setup import ExtractionTools


@pytest.fixture(scope="session")
def setup() -> ExtractionSetup:
    return ExtractionSetup(source_language="en", target_language="de", phenomena=default_phenomena("en", "de"))


@pytest.fixture(scope="session")
def tools(setup: ExtractionSetup) -> ExtractionTools:
    return setup.load()


@pytest.fixture(scope="session")
def stream() -> DocumentStream:
    return open_stream([example_directory("en-de")], ReadOptions(languages=("en", "de")))


@pytest.fixture(scope="session")
def documents(stream: DocumentStream) -> list[Document]:
    return list(stream)


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    """A TSV file of short documents with a lamp, a table, a letter, and who they belong to."""
    things = [("lamp", "die Lampe", "Sie"), ("table", "der Tisch", "Er"), ("letter", "der Brief", "Er")]
    lines = ["document\tsource\ttarget"]
    for number in range(12):
        english, german, pronoun = things[number % 3]
        name = f"{2000 + number}/{number}"
        lines.append(f"{name}\tWhere is the {english}?\tWo ist {german}?")
        lines.append(f"{name}\tIt is in the kitchen.\t{pronoun} ist in der Küche.")
        lines.append(f"{name}\tYou know the kitchen.\tDu kennst die Küche.")
    path = tmp_path / "lamps.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
