"""Names and words of the translation side of a dictionary."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from endophora.errors import InputError
from endophora_makers.forms import Translations, translated

LINES = """# a comment {prop} :: Kommentar
Russia {prop} (country in Asia and Europe) :: Russland {n}, Rußland {n} (old)
elsewhere {adv} :: anderswo, an anderer Stelle, sonst wo/woanders
Turkey {prop} (country) SEE: Türkei ::
house {n} (abode) :: Haus {n}
"""


def test_names_and_small_words_are_taken_by_the_kind_of_the_left_side(tmp_path: Path):
    (tmp_path / "d.gz").write_bytes(gzip.compress(LINES.encode()))
    source = Translations(archive="d.gz", names={"prop": "o"}, words={"adv": "d"})
    found = list(translated(source, tmp_path))
    assert found == [("Russland", "o"), ("Rußland", "o"), ("anderswo", "d"), ("woanders", "d")]


@pytest.mark.parametrize("data", [None, b"no gzip", gzip.compress(b"\xff\xfe")], ids=["absent", "plain", "no text"])
def test_an_unreadable_dictionary_is_a_fault(tmp_path: Path, data: bytes | None):
    if data is not None:
        (tmp_path / "d.gz").write_bytes(data)
    with pytest.raises(InputError, match="E081"):
        list(translated(Translations(archive="d.gz"), tmp_path))
