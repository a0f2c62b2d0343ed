"""Which outputs are read beside ``--input``, and which are cut."""

from __future__ import annotations

from pathlib import Path

import pytest

from endophora.cli.inputs import Inputs, SystemInputs
from endophora.errors import InputError

TABLE = str(Path(__file__).parent.parent / "data" / "libreoffice" / "table.csv")


@pytest.mark.parametrize("resegment", [False, True])
def test_who_names_an_output_gets_it_alone(resegment: bool, tmp_path: Path):
    path = tmp_path / "x.txt"
    path.write_text("Die Lampe ist kaputt.\nSie lässt sich reparieren.\nMein Bruder hat seinen Schlüssel verloren.\n")
    named = SystemInputs(languages="en-de", path=TABLE, system=(f"x={path}",), resegment=resegment)
    assert named.read().systems == ("x",)
    assert SystemInputs(languages="en-de", path=TABLE).read().systems == ("mt",)
    assert SystemInputs(languages="en-de", path=TABLE, system=("mt", f"x={path}")).read().systems == ("mt", "x")


def test_a_command_without_outputs_reads_none():
    assert Inputs(languages="en-de", path=TABLE).read().systems == ()


def test_there_is_an_output_to_cut():
    with pytest.raises(InputError) as caught:
        SystemInputs(languages="en-de", path=TABLE, system=("mt",), resegment=True).read()
    assert caught.value.faults[0].code == "E098"
