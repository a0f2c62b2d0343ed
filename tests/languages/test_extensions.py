"""A phenomenon of another distribution has rules and worked examples, which are checked like our own."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from test_rule_files import MINIMAL

from command import run
from endophora.errors import InputError
from endophora.languages import load_language, read_language
from endophora.languages.load import EXTENSIONS, parse_rules, review
from endophora.phenomena import TAGGERS

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "own-phenomenon.md").read_text(encoding="utf-8")

OWN = """\
extensions:
  connectives: {words: [darum], source: grammar}
examples:
  connectives:
    - shows: one that looks back
      text: [[It rained., Es regnete.], ["So we stayed.", "Darum blieben wir."]]
      occurrences: [{segment: 2, words: Darum, rule: first}]
    - shows: nothing to look back to
      text: [["So we stayed.", "Darum blieben wir."]]
"""


def _block(kind: str) -> str:
    [block] = re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)
    return block


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install the distribution of the guide: a tagger of connectives, its rules and its examples; return the rules."""
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    (tmp_path / "outside_connectives.py").write_text(_block("python"), encoding="utf-8")
    rules = tmp_path / "outside_connectives_rules"
    rules.mkdir()
    (rules / "de.yaml").write_text(_block("yaml"), encoding="utf-8")
    info = tmp_path / "outside_connectives-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-connectives\nVersion: 1.0\n")
    points = re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", _block("toml")).replace('"', "")
    (info / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(tmp_path))
    load_language.cache_clear()
    yield rules / "de.yaml"
    load_language.cache_clear()
    for registry in (TAGGERS, EXTENSIONS):
        registry._entries.pop("connectives", None)
    for module in ("outside_connectives", "outside_connectives_rules"):
        sys.modules.pop(module, None)


def _faults(text: str) -> list[tuple[str, int | None, str]]:
    with pytest.raises(InputError) as caught:
        parse_rules((MINIMAL + text).encode(), "xx.yaml")
    return [(fault.code, fault.line, fault.cause) for fault in caught.value.faults]


def test_rules_of_a_language_are_those_of_the_outside_package(outside: Path):
    rules = load_language("de")
    model = EXTENSIONS.get("connectives").model
    assert rules.extension("connectives", model).words == {"deshalb", "trotzdem", "außerdem"}
    assert rules.extension("connectives", type(rules)) is None
    assert load_language("fr").extension("connectives", model) is None
    assert [bool(example.occurrences) for example in rules.examples["connectives"]] == [True, False]


def test_the_hash_counts_rules_of_outside_packages_and_is_the_same_without(outside: Path):
    with_rules, other = load_language("de").hash, load_language("fr").hash
    outside.write_text(outside.read_text(encoding="utf-8") + "# note\n", encoding="utf-8")
    load_language.cache_clear()
    assert load_language("de").hash != with_rules
    outside.unlink()
    load_language.cache_clear()
    assert load_language("de").hash not in (with_rules, other)
    assert load_language("fr").hash == other


@pytest.mark.usefixtures("outside")
def test_worked_examples_are_run_by_the_check(capsys: pytest.CaptureFixture[str]):
    assert run("languages", "check", "de", "--phenomenon", "connectives") == 0
    shown = capsys.readouterr()
    assert re.search(r"connectives +2 +1 +2 *\n", shown.out)
    assert "connectives: 2 worked examples, and 8 are asked for" in shown.err


@pytest.mark.usefixtures("outside")
def test_a_rule_file_of_the_user_has_rules_and_examples_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "mine.yaml"
    path.write_text(MINIMAL.replace("language: xx", "language: de") + OWN, encoding="utf-8")
    assert read_language(path).extensions["connectives"].words == {"darum"}
    assert run("languages", "check", str(path)) == 0
    assert re.search(r"connectives +2 +1 +2 *\n", capsys.readouterr().out)
    path.write_text(path.read_text(encoding="utf-8").replace("words: Darum", "words: wir"), encoding="utf-8")
    assert run("languages", "check", str(path)) == 1


@pytest.mark.usefixtures("outside")
def test_a_rule_file_takes_the_place_of_the_rules_of_the_package():
    text = MINIMAL.replace("language: xx", "language: de") + OWN
    rules = parse_rules(text.encode(), "de.yaml")
    assert rules.extensions["connectives"].words == {"darum"}
    assert rules.examples["connectives"][0].shows == "one that looks back"


@pytest.mark.usefixtures("outside")
def test_rules_that_the_model_refuses_are_faults_with_their_lines():
    [(code, line, cause)] = _faults("extensions:\n  connectives:\n    source: x\n    words: [a]\n    word: [b]\n")
    assert (code, line) == ("E033", len(MINIMAL.splitlines()) + 5)
    assert cause.startswith("extensions.connectives.word: ")


def test_faults_in_the_package_s_own_file_name_that_file(outside: Path):
    outside.write_text("rules:\n  words: deshalb\n  source: x\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_language("de")
    [fault] = caught.value.faults
    assert (fault.code, fault.file, fault.line) == ("E033", str(outside), 2)


def test_what_no_installed_package_brings_is_refused_with_line_and_known_names():
    first = len(MINIMAL.splitlines())
    unknown, nameless = _faults(OWN)
    assert (unknown[0], unknown[1], nameless[0], nameless[1]) == ("E033", first + 2, "E033", first + 4)
    assert "endophora.rules" in unknown[2]
    assert "known: lexical_cohesion, formality" in nameless[2]


@pytest.mark.usefixtures("outside")
def test_a_phenomenon_without_rules_may_have_examples():
    text = MINIMAL + OWN[OWN.index("examples:") :]
    rules = parse_rules(text.encode(), "xx.yaml")
    assert not [remark for remark in review(rules, load_language("en")) if "connectives" in remark]
