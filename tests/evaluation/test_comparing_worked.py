"""What became of occurrences between two results, and whether these may be compared at all: by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from endophora.errors import InputError
from endophora.evaluation.comparing import Kept, _tables, _turnover, check_comparable
from endophora.evaluation.result import Column, Example, Passage, SystemOutput
from endophora.evaluation.sums import About, Sums


def output(system: str, verdict: Any) -> SystemOutput:
    return SystemOutput(
        system=system, passage=Passage(text=""), correct=verdict == "right", verdict=verdict, written=verdict
    )


def example(place: int, phenomenon: str, **verdicts: str) -> Example:
    marked = {"text": "a b c d e f", "highlights": [{"start": place, "end": place + 1, "role": "source"}]}
    return Example(
        document="d", segment=place, file="f", line=1, phenomenon=phenomenon, rule="it", expected="es", antecedent="x",
        context=[], source=Passage.model_validate(marked), reference=Passage(text="r"),
        outputs=[output(system, verdict) for system, verdict in verdicts.items()],
    )  # fmt: skip


def kept(*examples: Example, judge: str = "choice") -> Kept:
    result: Any = SimpleNamespace(
        settings=SimpleNamespace(judge=judge),
        phenomena=[SimpleNamespace(name=name) for name in ("terms", "pronouns", "formality")],
    )
    return Kept(result, [], list(examples))


def test_comparing_counts_what_broke_was_repaired_or_changed_otherwise():
    old = kept(
        example(0, "pronouns", a="right"),
        example(1, "pronouns", a="wrong"),
        example(2, "pronouns", a="wrong"),
        example(3, "pronouns", a="right"),
        example(4, "terms", a="right"),
        example(5, "formality", a=""),
    )
    new = kept(
        example(2, "pronouns", b="missing"),
        example(1, "pronouns", b="right"),
        example(0, "pronouns", b="wrong"),
        example(3, "pronouns", b="right"),
        example(5, "formality", b=""),
        example(6, "pronouns", b="right"),
    )
    turnover, changed = _turnover(old, new, {"b": "a"})
    # The phenomena in the result's order; formality has no verdict in either.
    assert [(one.phenomenon, one.system, one.judged, one.broken, one.repaired, one.other) for one in turnover] == [
        ("terms", "b", 1, 0, 0, 1),
        ("pronouns", "b", 5, 1, 1, 2),
    ]
    assert [(one.change, one.segment, one.old.verdict, one.new.verdict) for one in changed] == [
        ("broken", 0, "right", "wrong"),
        ("repaired", 1, "wrong", "right"),
        ("other", 2, "wrong", "missing"),
        ("other", 4, "right", ""),
        ("other", 6, "", "right"),
    ]
    assert [(one.old.system, one.new.system) for one in changed] == [("a", "b")] * 5
    assert (changed[0].expected, changed[0].antecedent, changed[0].rule, changed[0].system) == ("es", "x", "it", "b")
    assert (changed[3].new.why, changed[4].old.why) == ("not judged", "not judged")


def test_comparing_words_counts_occurrences_without_a_verdict_too():
    old, new = (kept(example(0, "pronouns", a=""), judge="wording") for _ in range(2))
    [found], changed = _turnover(old, new, {"a": "a"})
    assert (found.judged, found.broken, found.repaired, found.other, changed) == (1, 0, 0, 0, [])
    assert _turnover(kept(example(0, "pronouns", a="")), kept(example(0, "pronouns", a="")), {"a": "a"}) == ([], [])


def test_comparing_tells_systems_apart():
    old = kept(example(0, "pronouns", a="right", b="wrong"))
    new = kept(example(0, "pronouns", a="right", b="right"))
    turnover, [changed] = _turnover(old, new, {"b": "b", "a": "a"})
    assert [(one.system, one.judged, one.repaired) for one in turnover] == [("b", 1, 1), ("a", 1, 0)]
    assert (changed.system, changed.change) == ("b", "repaired")
    # Crosswise: the old b was wrong, the old a right, and the new ones are right.
    turnover, _ = _turnover(old, new, {"a": "b", "b": "a"})
    assert [(one.system, one.repaired) for one in turnover] == [("a", 1), ("b", 0)]


def signed(signature: str, texts: str = "t", segments: int = 3) -> Any:
    corpus = SimpleNamespace(texts=texts, segments=segments, documents=["d"])
    return SimpleNamespace(signature=signature, corpus=corpus)


def test_comparing_needs_the_same_texts_and_a_mark_of_them():
    check_comparable(signed("pair:en-de"), signed("pair:en-de"))
    for old, new in ((signed("", "t"), signed("", "u", 1234)), (signed("", ""), signed("", "", 1234))):
        with pytest.raises(InputError, match=r"\[E372\].*\(3 segments in 1 documents; 1,234 segments in 1 documents\)"):
            check_comparable(old, new)


@pytest.mark.parametrize("key", ["test", "resamples", "confidence", "alpha", "seed", "options", "human", "cut", "refs"])
def test_comparing_does_not_mind_what_no_sum_depends_on(key: str):
    check_comparable(signed(f"pair:en-de|{key}:1"), signed(f"pair:en-de|{key}:2"))


def test_comparing_minds_each_tool_that_both_have():
    check_comparable(signed("pair:en-de"), signed("pair:en-de|align:x"))
    with pytest.raises(InputError) as raised:
        check_comparable(signed("source:a|align:x|units:documents"), signed("source:b|align:x|units:segments"))
    assert [one.cause for one in raised.value.faults] == [
        "the results were made with another “source”: a; b",
        "the results were made with another “units”: documents; segments",
    ]


def side(columns: dict[str, str], tables: list[tuple[str, ...]]) -> Kept:
    made = [
        Column(name=name, kind="category" if " " in name else "text", scale=1, higher_is_better=True, signature=signed)
        for name, signed in columns.items()
    ]  # fmt: skip
    result: Any = SimpleNamespace(
        columns=made, corpus=SimpleNamespace(systems=["x", "a"], documents=[None] * 6, target_language="de")
    )
    sums = [
        Sums(About("choice", names, "documents"), np.arange(48.0).reshape(2, 6, 1, 4) * len(names),
             np.ones((2, len(names)), dtype=bool))
        for names in tables
    ]  # fmt: skip
    return Kept(result, sums, [])


def test_comparing_leaves_out_one_column_of_judgments_that_was_measured_otherwise():
    """Pronouns are judged with the other systems of a run, of which there are more in the new one."""
    names = ("formality", "pronouns")
    kept: list[Kept] = []
    for heard in (3, 4):
        one = side({"formality": "judge:alone", "pronouns": f"judge:alone|heard:{heard}"}, [])
        sums = Sums(
            About("choice", names, "documents"), np.arange(96.0).reshape(2, 6, 2, 4), np.ones((2, 2), dtype=bool)
        )
        kept.append(replace(one, sums=[sums]))
    [(_, table)], left = _tables(*kept, {"a": "x"})
    assert left == ["pronouns: measured with other settings"]
    assert [one.name for one in table.columns] == ["formality"]
    assert table.statistics.shape == (2, 6, 1, 4)
    assert table.statistics[0, 0].tolist() == [[48.0, 49.0, 50.0, 51.0]]


def test_comparing_leaves_out_columns_of_one_result_or_of_other_settings():
    old = side({"B": "v:1", "C": "v:1", "D": "v:1"}, [("B",), ("C",), ("D",)])
    new = side({"B": "v:1", "C": "v:2", "E": "v:1", "E part": "v:1"}, [("B",), ("C",), ("E", "E part")])
    tables, left = _tables(old, new, {"a": "x"})
    assert left == ["C: measured with other settings", "E: only in the new result", "D: only in the old result"]
    [(system, table)] = tables
    assert (system, table.baseline, table.families) == ("a", 1, ["text"])
    # The new a is the second row of its sums, the old x the first.
    assert np.array_equal(table.statistics, np.stack([new.sums[0].sums[1], old.sums[0].sums[0]]))


def test_comparing_reads_a_directory_or_says_why_it_cannot(tmp_path: Path):
    for path in (tmp_path, tmp_path / "result.json"):
        with pytest.raises(InputError) as raised:
            Kept.read(path)
        [fault] = raised.value.faults
        assert (fault.code, fault.file) == ("E371", str(tmp_path / "result.json"))
        assert fault.cause == "the result cannot be read: No such file or directory"
    (tmp_path / "result.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"\[E371\].*it is no result of an evaluation by this version"):
        Kept.read(tmp_path)
