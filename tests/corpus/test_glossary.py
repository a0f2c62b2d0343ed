"""Glossaries are read from tables and from both forms of TBX; what is none is refused with its line."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.corpus.glossary import read_glossary
from endophora.errors import InputError

MARTIF = """<?xml version="1.0"?>
<!DOCTYPE martif SYSTEM "TBXcoreStructV02.dtd">
<martif type="TBX" xml:lang="en"><text><body>
<termEntry id="1"><langSet xml:lang="en-US"><tig><term>power
  supply</term></tig></langSet>
<langSet xml:lang="de"><tig><term>Netzteil</term></tig>
<ntig><termGrp><term>Stromversorgung</term>
<termNote type="administrativeStatus">deprecatedTerm-admn-sts</termNote></termGrp></ntig></langSet></termEntry>
<termEntry id="2"><langSet xml:lang="en"><tig><term>lamp</term></tig></langSet>
<langSet xml:lang="fr"><tig><term>lampe</term></tig></langSet></termEntry>
</body></text></martif>"""
TBX = """<tbx type="TBX-Core" style="dca" xml:lang="en" xmlns="urn:iso:std:iso:30042:ed-2"><text><body>
<conceptEntry id="1"><langSec xml:lang="en"><termSec><term>power supply</term></termSec></langSec>
<langSec xml:lang="de"><termSec><term>Netzteil</term></termSec></langSec></conceptEntry></body></text></tbx>"""


def terms(path: Path, text: str) -> list[tuple[str, tuple[str, ...]]]:
    path.write_text(text, encoding="utf-8")
    return [(term.source, term.targets) for term in read_glossary(path, ("en", "de")).terms]


def faults(path: Path, text: str) -> list[tuple[str, int | None]]:
    with pytest.raises(InputError) as caught:
        terms(path, text)
    return [(fault.code, fault.line) for fault in caught.value.faults]


@pytest.mark.parametrize("header", ["", "source\ttarget\n", "EN\tde-DE\tnote\n", "# ours\n\n"])
def test_a_table_has_a_header_or_none_and_comments(tmp_path: Path, header: str):
    text = f"{header}lamp\tLampe\n# no\tpair\nlamp\tLeuchte\tof the trade\nbridge\tBrücke\nlamp\tLampe\n"
    assert terms(tmp_path / "g.tsv", text) == [("lamp", ("Lampe", "Leuchte")), ("bridge", ("Brücke",))]


@pytest.mark.parametrize("text", [MARTIF, TBX])
def test_both_forms_of_tbx_have_the_terms_of_the_pair_that_may_be_used(tmp_path: Path, text: str):
    assert terms(tmp_path / "g.tbx", text) == [("power supply", ("Netzteil",))]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("g.tsv", "lamp\tLampe\nbridge\n\t\nriver\t\n", [("E027", 2), ("E027", 4)]),
        ("g.tsv", "a\tb\tc\td\n", [("E027", 1)]),
        ("g.tsv", "# nothing\n", [("E028", None)]),
        ("g.tsv", "", [("E005", None)]),
        ("g.tbx", TBX.replace('"de"', '"es"'), [("E028", None)]),
        ("g.tbx", TBX.replace("</text>", ""), [("E230", 3)]),
        ("g.tbx", "<tmx/>", [("E231", 1)]),
        ("g.tbx", f'<!DOCTYPE tbx [<!ENTITY a "b">]>{TBX}', [("E230", 1)]),
        ("g.tbx", '<!DOCTYPE tbx [<!ENTITY a SYSTEM "/etc/passwd">]><tbx>&a;</tbx>', [("E230", 1)]),
    ],
)
def test_what_is_no_glossary_is_refused_with_its_line(tmp_path: Path, name: str, text: str, expected):
    assert faults(tmp_path / name, text) == expected


def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="E001"):
        read_glossary(tmp_path / "none.tsv", ("en", "de"))


def test_what_a_glossary_says_is_in_its_signature_and_its_name_is_not(tmp_path: Path):
    one, same, other = (tmp_path / name for name in ("a.tsv", "b.tsv", "c.tsv"))
    for path, text in ((one, "a\tb\n"), (same, "# x\na\tb\n"), (other, "a\tc\n")):
        path.write_text(text)
    signed = [read_glossary(path, ("en", "de")).signature for path in (one, same, other)]
    assert signed[0] == signed[1] != signed[2]


WORDS = st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=8)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=8))
def test_any_pairs_of_words_come_back(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]):
    path = tmp_path_factory.getbasetemp() / "any.tsv"
    found = terms(path, "source\ttarget\n" + "".join(f"{one}\t{other}\n" for one, other in pairs))
    assert [(one, other) for one, others in found for other in others] == list(
        dict.fromkeys(sorted(dict.fromkeys(pairs), key=lambda pair: list(dict(pairs)).index(pair[0])))
    )
