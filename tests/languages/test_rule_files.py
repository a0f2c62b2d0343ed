"""Rule files: what comes with the package, and what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from endophora.errors import InputError
from endophora.languages import language_codes, load_language, read_language
from endophora.languages.base import matches
from endophora.languages.load import parse_rules

MINIMAL = """\
language: xx
name: Example
pro_drop: false
content_words: {upos: [NOUN], source: grammar}
persons: {second: [tu], third: [il], source: grammar}
tenses: {values: [], source: grammar}
"""


def test_languages_of_the_package():
    assert {"en", "de", "fr"} <= set(language_codes())


@pytest.mark.parametrize("code", language_codes())
def test_file_is_named_after_its_language(code):
    assert load_language(code).language == code


@pytest.mark.parametrize(("code", "near"), [("dee", "de"), ("fre", "fr"), ("english", "en")])
def test_unknown_language_is_refused_with_the_nearest(code, near):
    with pytest.raises(InputError) as caught:
        load_language(code)
    fault = caught.value.faults[0]
    assert fault.code == "E030"
    assert near in fault.advice


def test_rules_are_read_once_and_their_hash_is_that_of_the_bytes():
    assert load_language("de") is load_language("de")
    one, other = parse_rules(MINIMAL.encode(), "xx"), parse_rules((MINIMAL + "# note\n").encode(), "xx")
    assert len(one.hash) == 12
    assert one.hash != other.hash


def test_all_faults_of_a_file_are_reported_at_once(tmp_path):
    path = tmp_path / "xx.yaml"
    path.write_text(MINIMAL.replace("pro_drop: false", "pro_drop: 1\nextra: 2").replace("name: Example", "name: ''"))
    with pytest.raises(InputError) as caught:
        read_language(path)
    assert {fault.cause.partition(":")[0] for fault in caught.value.faults} == {"pro_drop", "extra", "name"}
    assert {fault.code for fault in caught.value.faults} == {"E033"}


@pytest.mark.parametrize(
    ("text", "line"),
    [("language: [xx", 1), ("language: xx\nname: a\nname: b\n", 3), ("language: xx\n\tname: b\n", 2)],
)
def test_what_is_no_yaml_is_refused_with_its_line(text, line):
    with pytest.raises(InputError) as caught:
        parse_rules(text.encode(), "xx.yaml")
    fault = caught.value.faults[0]
    assert fault.code == "E032"
    assert fault.line is not None
    assert abs(fault.line - line) <= 1


def test_wrong_encoding_and_absent_file_are_refused(tmp_path):
    with pytest.raises(InputError, match="E032"):
        parse_rules(MINIMAL.replace("Example", "Bär").encode("latin-1"), "xx.yaml")
    with pytest.raises(InputError, match="E031"):
        read_language(tmp_path / "absent.yaml")


def test_language_code_no_is_text():
    assert parse_rules(MINIMAL.replace("language: xx", "language: no").encode(), "no.yaml").language == "no"


def test_example_may_not_point_outside_its_text():
    example = "examples: {formality: [{shows: x, text: [[a, b]], occurrences: [{segment: 2, words: b}]}]}\n"
    with pytest.raises(InputError, match="segment 2 of 1"):
        parse_rules((MINIMAL + example).encode(), "xx.yaml")


def test_paper_forms_are_in_the_rules():
    """Tables 10, 11 and 12 of Fernandes et al. 2023 for German and French."""
    german, french = load_language("de"), load_language("fr")
    informal = {form for rule in german.formality if rule.level == "informal" for form in rule.forms}
    assert "du" in informal
    assert any("Sie" in rule.forms and rule.cased for rule in german.formality)
    tutoiement = {form for rule in french.formality if rule.level == "informal" for form in rule.forms}
    assert {"tu", "ton", "ta", "tes", "toi", "te", "tien", "tiens", "tienne", "tiennes"} <= tutoiement
    vouvoiement = {form for rule in french.formality if rule.level == "formal" for form in rule.forms}
    assert {"vous", "votre", "vos"} <= vouvoiement
    choices = {
        (source, form)
        for language in (german, french)
        for rule in language.pronouns
        for source in rule.source_forms
        for forms in rule.alternatives.values()
        for form in forms
    }
    listed = {"it": "er sie es il elle lui", "they": "ils elles", "them": "ils elles", "we": "nous on"}
    listed |= {"this": "celle ceci", "that": "celle celui", "these": "celles ceux", "those": "celles ceux"}
    assert {(source, form) for source, forms in listed.items() for form in forms.split()} <= choices
    assert french.tenses.values == {"Imp", "Past", "Pqp"}
    assert german.tenses.values == frozenset()


@pytest.mark.parametrize(
    ("features", "wanted", "expected"),
    [
        ({"Tense": "Past"}, {"Tense": "Past"}, True),
        ({"Tense": "Past"}, {"Tense": ("Past", "Imp")}, True),
        ({"Tense": "Pres"}, {"Tense": ("Past", "Imp")}, False),
        ({}, {"Tense": "Past"}, False),
        ({"Tense": "Past"}, {}, True),
    ],
)
def test_matches(features, wanted, expected):
    assert matches(features, wanted) is expected


@pytest.mark.parametrize("code", sorted({*language_codes()} - {"en"}))
def test_examples_are_enough_and_of_both_kinds(code):
    rules = load_language(code)
    for phenomenon in rules.phenomena:
        examples = rules.examples.get(phenomenon, ())
        assert len(examples) >= 8, phenomenon
        assert any(not example.occurrences for example in examples), phenomenon
        assert sum(bool(example.occurrences) for example in examples) >= 3, phenomenon


def test_examples_of_the_guide_make_a_rule_file():
    guide = Path(__file__).resolve().parents[2] / "docs" / "add-a-language.md"
    blocks = re.findall(r"```yaml\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    rules = parse_rules("".join(blocks).encode(), str(guide))
    assert rules.phenomena == ("lexical_cohesion", "formality", "pronouns", "verb_form", "ellipsis")


def _folded(rules: str) -> list[str]:
    """Return the patterns of forms and lemmas, in JSON, that have a blank beside a bar or a bracket, and not (?x)."""
    patterns = re.findall(r'"[a-z_]*pattern":"(?!\(\?x\))(.*?)"[,}]', rules)
    return [one for one in patterns if re.search(r"\s[|()]|[|()]\s", one)]


def test_a_quoted_line_that_goes_on_without_its_sign_has_a_blank_beside_a_bar():
    rules = YAML(typ="safe").load('{pattern: "^(?:díga|\n  dé)$", lemma_pattern: "^(?:da|\\\n  de)$"}')
    assert _folded(json.dumps(rules, ensure_ascii=False, separators=(",", ":"))) == ["^(?:díga| dé)$"]


@pytest.mark.parametrize("code", language_codes())
def test_no_pattern_of_words_has_a_folded_line(code: str):
    """Its blank would keep the alternative beside it from matching anything."""
    assert _folded(load_language(code).model_dump_json()) == []


@pytest.mark.parametrize(
    ("word", "plural", "other"),
    [
        *((word, True, False) for word in ("ustedes", "uds.", "les", "saben", "miren", "permítanme", "siéntense")),
        *((word, False, False) for word in ("le", "lo", "sabe", "mire", "permítame", "siéntese", "sabes", "tú")),
        *((word, False, True) for word in ("vosotras", "os", "vuestro", "sabéis", "sois", "dijisteis", "venid")),
    ],
)
def test_the_plural_of_address_is_told_by_its_form(word: str, plural: bool, other: bool):
    rule = load_language("es").plural_address
    assert rule is not None
    assert (bool(re.search(rule.pattern, word)), bool(re.search(rule.other, word))) == (plural, other)
