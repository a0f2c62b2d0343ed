"""Two results compared: the test is exact randomisation over documents, and nothing unlike is compared."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.evaluation.comparing import Kept, check_comparable, compare_results, match_systems
from endophora.evaluation.gate import decide, facts_of_comparison, read_conditions
from endophora.evaluation.result import Column, DocumentInfo, Example, Passage, Result, Score, SystemOutput
from endophora.evaluation.setup import EvaluationOptions
from endophora.evaluation.sums import SUMS, About, Sums, read_sums, write_sums
from endophora.report import render

from .factory import make

OLD = [5, 5, 4, 6, 5, 7, 4, 5]
NEW = [3, 4, 2, 5, 4, 4, 4, 6]
OF = 8
"""Right choices in eight documents, of eight judged in each."""


def kept(right: list[int], system: str = "ours", words: tuple[bool, ...] = (True, True, False)) -> Kept:
    made = make(1, documents=len(right), examples=0, comparisons=False)
    column = Column(
        name="pronouns", kind="phenomenon", scale=1, higher_is_better=True, signature="judge:choice", occurrences=64
    )
    score = Score(
        column="pronouns", system=system, value=sum(right) / (OF * len(right)), interval=None, documents=[],
        counts={"right": sum(right), "wrong": OF * len(right) - sum(right), "other": 0, "missing": 0},
    )  # fmt: skip
    corpus = made.corpus.model_copy(update={"systems": [system], "texts": "same"})
    about = {"corpus": corpus, "columns": [column], "scores": [score], "examples": []}
    settings = made.settings.model_copy(update={"judge": "choice"})
    result = made.model_copy(update={**about, "settings": settings})
    counts = np.array([[[[one, OF - one, 0, 0]] for one in right]], dtype=float)
    sums = Sums(About("choice", ("pronouns",), "documents"), counts, np.array([[True]]))
    return Kept(result, [sums], [example(number, ok, system) for number, ok in enumerate(words)])


def example(number: int, right: bool, system: str) -> Example:
    passage = Passage.model_validate({"text": "It slept.", "highlights": [{"start": 0, "end": 2, "role": "source"}]})
    output = SystemOutput(
        system=system, passage=Passage(text="Er schlief."), correct=right, verdict="right" if right else "wrong",
        written="Er",
    )  # fmt: skip
    return Example(
        document="a", segment=number, file="f", line=1, phenomenon="pronouns", rule="it", expected="Er", context=[],
        source=passage, reference=Passage(text="Er schlief."), outputs=[output],
    )  # fmt: skip


def test_the_difference_is_tested_by_swapping_documents():
    result = compare_results(kept(OLD), kept(NEW), options=EvaluationOptions(resamples=500))
    [change] = result.changes
    assert (change.old, change.new) == (sum(OLD) / 64, sum(NEW) / 64)
    assert change.difference == pytest.approx(-9 / 64)
    assert change.judged == [64, 64]
    # All 2⁸ ways to swap documents; a share as far from zero as the one found.
    differences = np.array(NEW) - np.array(OLD)
    sums = [abs(np.dot(signs, differences)) for signs in product((1, -1), repeat=8)]
    assert change.p_value == pytest.approx(sum(each >= abs(differences.sum()) for each in sums) / 2**8)


def test_a_clear_loss_is_significant_and_a_result_equals_itself():
    lost = compare_results(kept([8] * 8), kept([1] * 8), options=EvaluationOptions(resamples=500))
    assert [change.verdict for change in lost.changes] == ["worse"]
    shown = render(lost, width=120)
    assert lost.changes[0].p_value == 2 / 2**8
    assert "Significantly worse: pronouns, 100.0 before, 12.5 now (−87.5, p = 0.008, 64 judged)." in shown
    same = compare_results(kept(OLD), kept(OLD), options=EvaluationOptions(resamples=500))
    assert [change.verdict for change in same.changes] == [""]
    assert same.occurrences == []


def test_occurrences_that_changed_are_named_broken_ones_first():
    result = compare_results(kept(OLD), kept(NEW, words=(True, False, True)), options=EvaluationOptions(resamples=100))
    assert [(one.change, one.segment) for one in result.occurrences] == [("broken", 1), ("repaired", 2)]
    [turnover] = result.turnover
    assert (turnover.judged, turnover.broken, turnover.repaired, turnover.other) == (3, 1, 1, 0)
    for format in ("text", "markdown", "csv", "latex", "html", "json"):
        assert "pronouns" in render(result, format)


@pytest.mark.parametrize(("changed", "folded"), [(10, 0), (11, 1), (99, 89)])
def test_the_page_shows_ten_occurrences_of_a_kind_and_folds_the_rest(changed: int, folded: int):
    old, new = kept(OLD, words=(True,) * changed), kept(NEW, words=(False,) * changed)
    shown = render(compare_results(old, new, options=EvaluationOptions(resamples=100)), "html")
    section = shown.partition("Occurrences that were right and are not now</h2>")[2]
    opened, _, rest = section.partition('<details class="whole">')
    places = [re.findall(r"<strong>a:(\d+) pronouns", part) for part in (opened, rest)]
    assert places == [[str(at) for at in range(1, 11)], [str(at) for at in range(11, changed + 1)]]
    assert (f"<summary>… {folded} more</summary>" in rest) == bool(folded)


def test_a_phenomenon_with_too_few_words_is_not_tested_and_that_is_said():
    old, new = kept([8] * 8), kept([1] * 8)
    new.sums[0].enough[:] = False
    result = compare_results(old, new, options=EvaluationOptions(resamples=100))
    assert [(one.verdict, one.p_value, one.enough) for one in result.changes] == [("", None, False)]
    assert "Too few occurrences are judged for a test: pronouns (64)." in render(result)


def test_the_page_marks_the_word_that_a_changed_occurrence_is_about():
    result = compare_results(kept(OLD), kept(NEW, words=(True, False, True)), options=EvaluationOptions(resamples=100))
    section = render(result, "html").partition("Occurrences that were right and are not now</h2>")[2]
    assert '<strong>a:2 pronouns</strong><br><mark class="source">It</mark> slept.<br>' in section, (
        "the only system is not named"
    )


def signed(signature: str, texts: str = "same") -> Result:
    result = kept(OLD).result
    corpus = result.corpus.model_copy(update={"texts": texts, "documents": [DocumentInfo(id="a", segments=1)]})
    return result.model_copy(update={"signature": signature, "corpus": corpus})


def test_results_of_other_texts_or_tools_are_refused_and_what_differs_is_named():
    one = signed("pair:en-de|corefer:{ranker|{a|b}}|seed:1|options:x|judge:choice")
    check_comparable(one, signed("pair:en-de|corefer:{ranker|{a|b}}|seed:2|options:y|judge:choice"))
    with pytest.raises(InputError) as raised:
        check_comparable(one, signed("pair:en-de|corefer:{ranker|{a|c}}|seed:1|options:x|judge:wording", "other"))
    assert [fault.code for fault in raised.value.faults] == ["E372"] * 3
    causes = [fault.cause for fault in raised.value.faults]
    assert causes[1] == "the results were made with another “corefer”: {ranker|{a|b}}; {ranker|{a|c}}"
    assert causes[2] == "the results were made with another “judge”: choice; wording"


def test_systems_are_matched_by_name_or_as_told():
    assert match_systems(["a", "b"], ["b", "c"], {}) == {"b": "b"}
    assert match_systems(["old"], ["new"], {}) == {"new": "old"}
    assert match_systems(["a", "b"], ["b", "c"], {"c": "a"}) == {"c": "a"}
    with pytest.raises(InputError, match=r"E374.*--system NEW=OLD"):
        match_systems(["a", "b"], ["c", "d"], {})
    with pytest.raises(InputError, match="did you mean ours"):
        match_systems(["a"], ["ours"], {"our": "a"})


def test_a_directory_without_a_result_or_with_files_of_another_is_refused(tmp_path: Path):
    with pytest.raises(InputError, match="E371"):
        Kept.read(tmp_path)
    kept(OLD).result.write(tmp_path / "result.json")
    with pytest.raises(InputError, match=r"E373.*judgments\.jsonl"):
        Kept.read(tmp_path)
    (tmp_path / "judgments.jsonl").write_text("")
    about = json.dumps({"signature": "another", "systems": ["ours"], "tables": []})
    np.savez_compressed(tmp_path / SUMS, about=np.array(about))
    with pytest.raises(InputError, match=r"E373.*of another result"):
        Kept.read(tmp_path)


def written(folder: Path) -> Kept:
    """Write a result without tables, and the files beside it."""
    made = kept(OLD)
    made.result.write(folder / "result.json")
    (folder / "judgments.jsonl").write_text("".join(f"{one.model_dump_json()}\n" for one in made.examples))
    write_sums(made.result, [], folder / SUMS, folder / "judgments.jsonl")
    return made


def test_what_lies_beside_a_result_must_be_written_with_it_and_whole(tmp_path: Path):
    made = written(tmp_path)
    lines = (tmp_path / "judgments.jsonl").read_bytes()
    assert Kept.read(tmp_path).examples == made.examples
    (tmp_path / "judgments.jsonl").write_bytes(lines.replace(b"\n", b"\r\n"))
    assert Kept.read(tmp_path).examples == made.examples
    for damaged in (b"", lines.splitlines(keepends=True)[0], lines.replace(b"Er", b"Es", 1)):
        (tmp_path / "judgments.jsonl").write_bytes(damaged)
        with pytest.raises(InputError, match=r"E373.*the judgments beside them"):
            Kept.read(tmp_path)
    (tmp_path / "judgments.jsonl").write_bytes(lines)
    others = (
        made.result.model_copy(update={"scores": kept(NEW).result.scores}),
        made.result.model_copy(update={"corpus": made.result.corpus.model_copy(update={"texts": "others"})}),
    )
    for other in others:
        other.write(tmp_path / "result.json")
        with pytest.raises(InputError, match=r"E373.*of another result"):
            Kept.read(tmp_path)


def test_no_damaged_byte_of_the_statistics_is_a_crash(tmp_path: Path):
    result, path = written(tmp_path).result, tmp_path / SUMS
    whole, lines = path.read_bytes(), (tmp_path / "judgments.jsonl").read_bytes()
    refused = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        try:
            read_sums(result, path, lines)
        except InputError as error:
            refused += [fault.code for fault in error.faults] == ["E373"]
    assert refused > len(whole) / 2


def broken(old: Kept, new: Kept) -> tuple[str, str]:
    result = compare_results(old, new, options=EvaluationOptions(resamples=100))
    [outcome] = decide(
        read_conditions(["broken > 0"], ["pronouns"], ["ours"], compared=True), facts_of_comparison(result)
    )
    return outcome.status, outcome.why


def test_places_in_one_result_alone_are_otherwise_changed():
    old, new = kept(OLD, words=(True, True, False)), kept(NEW, words=(True,))
    result = compare_results(old, new, options=EvaluationOptions(resamples=100))
    [turnover] = result.turnover
    assert (turnover.judged, turnover.broken, turnover.repaired, turnover.other) == (3, 0, 0, 2)
    assert [(one.segment, one.old.verdict, one.new.why) for one in result.occurrences] == [
        (1, "right", "not judged"),
        (2, "wrong", "not judged"),
    ]


def test_broken_is_undecided_where_every_judged_word_has_vanished():
    assert broken(kept(OLD), kept(OLD)) == ("passed", "pronouns of ours: 0 broken (64 judged)")
    gone = kept([0] * 8, words=())
    gone.result.scores[0].counts.update(wrong=0)
    assert broken(kept(OLD), gone) == ("undecided", "pronouns of ours: no judgments to compare (0 judged)")
    assert broken(kept(OLD, words=()), kept(OLD, words=())) == (
        "undecided",
        "pronouns of ours: no judgments to compare (64 judged)",
    )
    assert broken(gone, gone) == ("undecided", "nothing was measured")
    # By its wording a phenomenon has no judgments, and its occurrences are compared all the same.
    for one in (worded := [kept(OLD, words=()), kept(OLD, words=())]):
        one.result.columns[0] = one.result.columns[0].model_copy(update={"occurrences": None})
    assert broken(*worded) == ("passed", "pronouns of ours: 0 broken")
