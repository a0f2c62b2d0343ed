"""``endophora languages``: the inventory, a new language's file, the check of a file; and ``--rules``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command import run
from endophora.annotate import loading, tokenisation
from endophora.annotate.loading import Preferred
from endophora.evaluation import installation

MINIMAL = """\
language: de
name: Test German
pro_drop: false
content_words: {upos: [NOUN], source: test}
persons: {second: [du], third: [er], source: test}
tenses: {values: [], source: test}
formality:
  - {level: informal, forms: [du], source: test}
examples:
  formality:
    - shows: the second du
      text: [[You are right., Du hast recht.], [You know it., Das weißt du.]]
      occurrences: [{segment: 2, words: du, rule: informal}]
    - shows: the first du
      text: [[You are right., Du hast recht.]]
"""


@pytest.fixture
def rule_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A rule file of two passing examples, and a cache of its own."""
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.yaml"
    path.write_text(MINIMAL, encoding="utf-8")
    return path


def test_the_inventory_names_annotator_licence_and_scores(capsys: pytest.CaptureFixture[str]):
    assert run("languages", "--format", "json") == 0
    rows = {row["language"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["de"]["name"] == "German"
    assert rows["de"]["annotator"] == "embedded"
    assert rows["de"]["licence"].startswith("CC BY")
    assert rows["de"]["UPOS"] > 90
    assert "formality" in rows["fr"]["phenomena"]


def test_the_inventory_fits_80_columns_and_says_what_its_letters_mean(capsys: pytest.CaptureFixture[str]):
    assert run("languages") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, (line.rstrip() for line in lines))) <= 80
    rows = {line.split()[0]: line.split()[1:] for line in lines[1 : lines.index("")]}
    assert rows["de"][:7] == ["German", "C", "F", "P", "V", "E", "embedded"]
    assert rows["ko"][:7] == ["Korean", "C", "F", "·", "·", "E", "embedded"]
    assert "C lexical cohesion, F formality, P pronouns, V verb form, E ellipsis" in "\n".join(lines)
    assert "into English also P, and V (its tense) from zh" in "\n".join(lines)
    assert any(line.startswith("licence: CC BY-SA 4.0") for line in lines)


def test_the_inventory_says_which_extra_is_missing(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    absent = Preferred(annotator="saga", needs=("no_such_module",), extra="is")
    for module in (loading, installation):
        monkeypatch.setattr(module, "preferences", lambda: {"is": absent, "de": absent})
    assert run("languages") == 0
    shown = capsys.readouterr().out
    assert "is: saga is needed:\n  pip install 'endophora[is]'\n" in shown
    assert "de: saga is more accurate:\n  pip install 'endophora[is]'\n" in shown


def test_the_inventory_names_a_better_model_its_licence_and_the_command(capsys: pytest.CaptureFixture[str]):
    assert run("languages") == 0
    shown = capsys.readouterr().out
    assert (
        "pl: pl_core_news_sm (GPL 3.0) is more accurate (UPOS +3.7, LAS +20):\n  "
        "python -m spacy download pl_core_news_sm, then --annotator pl=pl_core_news_sm\n" in shown
    )
    assert "cs: cs_core_news_sm (CC BY-NC-SA 3.0)" in shown


def test_the_inventory_says_that_an_embedded_pipeline_needs_an_extra(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    for there in (True, False):
        monkeypatch.setattr(tokenisation, "find_spec", lambda _, there=there: object() if there else None)
        assert run("languages", "--format", "json") == 0
        rows = {row["language"]: row for row in json.loads(capsys.readouterr().out)}
        assert rows["zh"]["annotator"] == "embedded (extra zh)"
        assert (rows["zh"]["extra"], rows["zh"]["extra installed"]) == ("zh", there)
        note = "" if there else "zh: jieba and opencc are needed: pip install 'endophora[zh]'"
        assert rows["zh"]["note"] == note
        assert rows["fr"]["annotator"] == "embedded"


def test_a_new_file_keeps_to_the_schema_and_says_what_is_left(rule_file: Path, capsys: pytest.CaptureFixture[str]):
    assert run("languages", "new", "sv", "--output", "new") == 0
    text = Path("new/sv.yaml").read_text(encoding="utf-8")
    assert "language: sv" in text
    assert "name: Swedish" in text
    assert run("languages", "check", "new/sv.yaml", "--annotator", "sv=blank") == 1
    shown = capsys.readouterr()
    assert "placeholders (TODO) are left" in shown.err
    assert "found:    nothing" in shown.out


def test_a_new_file_overwrites_nothing(rule_file: Path, capsys: pytest.CaptureFixture[str]):
    assert run("languages", "new", "sv") == 0
    assert run("languages", "new", "sv") == 2
    assert "[E034]" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["Swedish", "s"])
def test_a_new_file_needs_a_language_code(rule_file: Path, capsys: pytest.CaptureFixture[str], code: str):
    assert run("languages", "new", code, "--name", "Swedish") == 2
    assert "[E033]" in capsys.readouterr().err


def test_a_check_that_passes_ends_with_0_and_warns_of_few_examples(rule_file: Path, capsys: pytest.CaptureFixture[str]):
    assert run("languages", "check", str(rule_file)) == 0
    shown = capsys.readouterr()
    assert "formality: 2 worked examples, and 8 are asked for" in shown.err
    assert shown.out.splitlines()[2].split() == ["formality", "2", "1", "2"]


def test_a_failing_example_ends_with_1_and_shows_what_was_found(rule_file: Path, capsys: pytest.CaptureFixture[str]):
    rule_file.write_text(MINIMAL.replace("words: du", "words: Du"), encoding="utf-8")
    assert run("languages", "check", str(rule_file)) == 1
    shown = capsys.readouterr().out
    assert "formality: the second du" in shown
    assert "expected: 2 “Du” (informal)" in shown
    assert "found:    2 “du” (informal)" in shown


def test_a_broken_file_ends_with_2_and_names_all_faults_with_their_lines(
    rule_file: Path, capsys: pytest.CaptureFixture[str]
):
    broken = MINIMAL.replace("pro_drop: false", "pro_drop: 1").replace("forms: [du]", "form: [du]")
    rule_file.write_text(broken, encoding="utf-8")
    assert run("languages", "check", str(rule_file)) == 2
    shown = capsys.readouterr().err
    assert f"[E033] {rule_file}:3 – pro_drop" in shown
    assert f"[E033] {rule_file}:8 – formality.0.forms" in shown
    assert f"[E033] {rule_file}:8 – formality.0.form:" in shown


@pytest.mark.parametrize(
    ("before", "after", "warning"),
    [
        ("forms: [du]", "forms: [Du]", "never match: Du"),
        ("upos: [NOUN]", "upos: [NOM]", "no universal part of speech: NOM"),
        (
            "examples:",
            "verb_forms: [{label: a, name: a, features: {}, from_forms: [Aorist], source: a}]\nexamples:",
            "English has no form Aorist",
        ),
        ("  formality:\n", "  pronouns:\n", "pronouns: it has worked examples, and no rules"),
    ],
)
def test_what_can_never_match_is_a_warning(
    rule_file: Path, capsys: pytest.CaptureFixture[str], before: str, after: str, warning: str
):
    rule_file.write_text(MINIMAL.replace(before, after), encoding="utf-8")
    run("languages", "check", str(rule_file))
    assert warning in capsys.readouterr().err


def test_rules_of_a_file_take_the_place_of_the_packages_and_change_the_signature(
    rule_file: Path, capsys: pytest.CaptureFixture[str]
):
    Path("a.en").write_text("You are right.\nYou know it.\nYou see it.\n", encoding="utf-8")
    Path("a.de").write_text("Sie haben recht.\nSie wissen es.\nDas sehen Sie.\n", encoding="utf-8")
    tagged = {}
    for name, more in (("ours", ()), ("mine", ("--rules", str(rule_file)))):
        command = ("tag", "-l", "en-de", "-s", "a.en", "-r", "a.de", "-p", "formality", "-o", name, "--quiet", *more)
        assert run(*command) == 0
        result = json.loads(Path(name, "result.json").read_text(encoding="utf-8"))
        tagged[name] = (result["signature"], Path(name, "occurrences.jsonl").read_text(encoding="utf-8"))
    assert "Sie" in tagged["ours"][1]
    assert tagged["mine"][1] == ""
    assert tagged["mine"][0] != tagged["ours"][0]


def test_rules_of_another_pair_or_twice_are_refused(rule_file: Path, capsys: pytest.CaptureFixture[str]):
    Path("a.en").write_text("You.\n", encoding="utf-8")
    command = ("tag", "-l", "en-fr", "-s", "a.en", "-r", "a.en", "-o", "out", "--quiet")
    assert run(*command, "--rules", str(rule_file), "--rules", str(rule_file)) == 2
    shown = capsys.readouterr().err
    assert shown.count("[E035]") == 2
    assert "and the pair is en-fr" in shown


def test_a_code_that_names_no_language_asks_for_its_name(rule_file: Path, capsys: pytest.CaptureFixture[str]):
    assert run("languages", "new", "xx") == 2
    told = capsys.readouterr().err
    assert told == "[E033] – no language is known by the code “xx” – name the language with --name\n"
    assert run("languages", "new", "xx", "--name", "Xhosan") == 0
    assert "name: Xhosan" in Path("xx.yaml").read_text("utf-8")
