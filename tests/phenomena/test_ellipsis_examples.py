"""Labelled sentences: random trees and tables come back as they were, and what is wrong is reported all at once."""

from __future__ import annotations

import string
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.corpus.faults import FaultLog
from endophora.errors import InputError
from endophora.phenomena.ellipsis_examples import Example, Tree, example_of, read_labelled, read_trees
from tiny_encoder import write_toy

PENN = """
( (S
    (NP-SBJ (PRP She) )
    (VP (VBD slept)
      (SBAR (IN as)
        (S
          (NP-SBJ (DT the) (NN cat) )
          (VP (VBD did)
            (VP (-NONE- *?*) )))))
    (. .) ))
( (S (NP-SBJ (NN Sleep) ) (VP (VBZ is) (ADJP-PRD (JJ good) (-NONE- *T*-1) )) (. .) ))
"""

words = st.text(string.ascii_letters + string.digits + "*?-.,'`éß字", min_size=1, max_size=6).filter(
    lambda word: not word.startswith("*x*")
)
trees = st.recursive(
    st.builds(Tree, words, st.just(()), words),
    lambda below: st.builds(Tree, st.one_of(words, st.just("")), st.lists(below, min_size=1, max_size=4).map(tuple)),
    max_leaves=12,
)
line_safe = st.text(st.characters(exclude_characters="\t\n\r\0", exclude_categories=("Cs",)), max_size=20)
sentences = st.builds(Example, line_safe.filter(str.strip), st.booleans(), line_safe, line_safe.filter(bool))


def parse(text: str) -> tuple[list[Tree], list[str]]:
    log = FaultLog()
    found = read_trees(enumerate(text.split("\n"), start=1), "x.mrg", log)
    return [tree for _, tree in found], [str(fault) for fault in log.faults()]


@given(st.lists(trees, max_size=4), st.randoms(use_true_random=False))
def test_trees_come_back_as_they_were_however_the_lines_are_broken(written: list[Tree], random):
    text = "\n".join(map(str, written))
    broken = "".join(random.choice((" ", "\n", "\n   ")) if mark == " " else mark for mark in text)
    assert parse(text) == parse(broken) == (written, [])


@given(st.text("()ab \n", max_size=40))
def test_no_text_breaks_the_reader_and_what_is_no_tree_is_told(text: str):
    found, faults = parse(text)
    assert faults or [parse(str(tree))[0] for tree in found] == [[tree] for tree in found]


@given(st.lists(sentences, min_size=1, max_size=6))
def test_tables_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, written: list[Example]):
    path = tmp_path_factory.mktemp("table") / "x.tsv"
    write_toy(path, written)
    assert read_labelled([path]) == written


def test_brackets_nested_very_deep_do_not_break_the_reader():
    assert parse("(" * 50_000 + ")" * 50_000)[1]
    (tree,), faults = parse("(a " * 5_000 + "b" + ")" * 5_000)
    assert (list(tree.leaves()), faults) == ([("a", "b")], [])


def test_a_sentence_with_the_null_element_of_ellipsis_is_elliptical(tmp_path: Path):
    path = tmp_path / "wsj.mrg"
    path.write_text(PENN)
    expected = [("She slept as the cat did.", True, "wsj.mrg"), ("Sleep is good.", False, "wsj.mrg")]
    assert [(each.text, each.elliptical, each.document) for each in read_labelled([path])] == expected


def test_null_elements_alone_and_words_that_look_like_the_mark_are_no_ellipsis():
    assert example_of(Tree("S", (Tree("-NONE-", word="*?*"),)), "d") is None
    plain = example_of(Tree("S", (Tree("SYM", word="*?*"),)), "d")
    assert plain is not None
    assert not plain.elliptical


def test_a_folder_and_an_archive_give_the_same_as_their_files(tmp_path: Path):
    folder = tmp_path / "penn"
    (folder / "wsj").mkdir(parents=True)
    (folder / "wsj" / "b.mrg").write_text(PENN)
    (folder / "wsj" / "a.mrg").write_text("*x*x* a header\n( (S (NN Cats) (. .)) )\n( END_OF_TEXT_UNIT )\n")
    (folder / "README").write_text("(no tree")
    with zipfile.ZipFile(tmp_path / "penn.zip", "w") as archive:
        for path in folder.rglob("*.mrg"):
            archive.write(path, path.relative_to(folder))
    one, other = read_labelled([folder]), read_labelled([tmp_path / "penn.zip"])
    assert one == other
    assert [each.document for each in one] == ["wsj/a.mrg", "wsj/b.mrg", "wsj/b.mrg"]


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("(S (NN a))\n(S (NN b)", 2, "never closed"),
        ("(S (NN a)))", 1, "outside"),
        ("stray\n(S (NN a))", 1, "outside"),
        ("(S (NN a)\n(NN))", 2, "nothing stands under “NN”"),
        ("(S ())", 1, "nothing stands"),
        ("(S (NN a b))", 1, "“b” stands next to"),
        ("(S (NN a)\nb)", 2, "“b” stands next to"),
        ("(S (NN a (NN b)))", 1, "next to the word “a”"),
    ],
)
def test_faulty_brackets_are_told_by_line(text: str, line: int, cause: str):
    _, faults = parse(text)
    assert len(faults) == 1
    assert f"[E250] x.mrg:{line} – " in faults[0]
    assert cause in faults[0]


def test_faults_of_all_files_are_told_at_once(tmp_path: Path):
    (tmp_path / "a.mrg").write_text("(S (NN a)")
    (tmp_path / "b.tsv").write_text("label\tsentence\n2\tHello.\n1\n\n0\t \n1\tI do.\n")
    (tmp_path / "c.tsv").write_text("sentence\tsentence\nx\ty\n")
    (tmp_path / "d.zip").write_text("no archive")
    (tmp_path / "e").mkdir()
    with pytest.raises(InputError) as caught:
        read_labelled([tmp_path / name for name in ("a.mrg", "b.tsv", "c.tsv", "d.zip", "e", "none.mrg", "no.zip")])
    found = [(fault.code, Path(fault.file).name, fault.line) for fault in caught.value.faults]
    table = [("E251", "b.tsv", line) for line in (2, 3, 4, 5)]
    assert found == [
        ("E250", "a.mrg", 1), *table, ("E251", "c.tsv", 1), ("E250", "d.zip", None), ("E250", "e", None),
        ("E001", "none.mrg", None), ("E001", "no.zip", None),
    ]  # fmt: skip


def test_a_fault_within_a_folder_or_an_archive_names_the_file(tmp_path: Path):
    folder = tmp_path / "penn"
    (folder / "wsj").mkdir(parents=True)
    (folder / "wsj" / "a.mrg").write_text("(S (NN a)")
    with zipfile.ZipFile(tmp_path / "penn.zip", "w") as archive:
        archive.write(folder / "wsj" / "a.mrg", "wsj/a.mrg")
    for path, named in ((folder, folder / "wsj" / "a.mrg"), (tmp_path / "penn.zip", tmp_path / "penn.zip/wsj/a.mrg")):
        with pytest.raises(InputError) as caught:
            read_labelled([path])
        assert [(fault.file, fault.line) for fault in caught.value.faults] == [(str(named), 1)]


def test_an_old_treebank_is_read_as_latin_1(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "penn.zip", "w") as archive:
        archive.writestr("a.mrg", "(S (NN caf\xe9))".encode("latin-1"))
        archive.writestr("b.mrg", "\ufeff(S (NN caf\xe9))".encode())
    assert [each.text for each in read_labelled([tmp_path / "penn.zip"])] == ["café", "café"]


def test_each_sentence_of_a_table_without_documents_is_its_own(tmp_path: Path):
    (tmp_path / "t.tsv").write_text("text\telliptical\nI do.\t1\nI sleep.\t0\n")
    expected = [Example("I do.", True, "", "t.tsv:2"), Example("I sleep.", False, "", "t.tsv:3")]
    assert read_labelled([tmp_path / "t.tsv"]) == expected
