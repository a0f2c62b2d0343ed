"""BWB's marks of mentions: read as published, written so that they read back the same; its folders as a corpus."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import run
from endophora.corpus.bwb import Mention, read_marks, write_marks
from endophora.corpus.formats import read_corpus
from endophora.errors import InputError

# In the forms that the data's page shows, oddities included: no blank, no opening brace, one mention in another.
SHOWN = [
    (
        r"<Q, 5> [<PER, 5>{Bo}: <PER, T, 1>{Qi}, look at <ORG, T, 6>{Wei}!] <\Q>",
        "[Bo: Qi, look at Wei!]",
        [Mention(0, 22, "Q", 5), Mention(1, 3, "PER", 5), Mention(5, 7, "PER", 1, "T"), Mention(17, 20, "ORG", 6, "T")],
    ),
    ("<P,2>{he} was <O, 1>her}.", "he was her.", [Mention(0, 2, "P", 2), Mention(7, 10, "O", 1)]),
    (
        "the <ORG, T, 4>{<PER, T, 2>{Shen} fan group}",
        "the Shen fan group",
        [Mention(4, 18, "ORG", 4, "T"), Mention(4, 8, "PER", 2, "T")],
    ),
    ("<PER, T, 1>{乔恋}攥紧了拳头。", "乔恋攥紧了拳头。", [Mention(0, 2, "PER", 1, "T")]),
]


@pytest.mark.parametrize(("line", "text", "mentions"), SHOWN)
def test_marks_are_read_as_they_are_published(line, text, mentions):
    assert read_marks(line) == (text, mentions, "")
    assert read_marks(write_marks(text, mentions)) == (text, mentions, "")


@pytest.mark.parametrize("line", ["a } b", "<P, 1>{her", r"her <\Q>", r"<Q, 1> <P, 2>{he <\Q>}"])
def test_marks_that_do_not_fit_are_told(line):
    assert read_marks(line)[2]


@st.composite
def marked(draw):
    """Words with mentions that lie side by side or within each other."""
    words = draw(st.lists(st.text(string.ascii_letters, min_size=1, max_size=4), min_size=1, max_size=8))
    text, starts, at = " ".join(words), [], 0
    for word in words:
        starts.append(at)
        at += len(word) + 1
    kinds = st.sampled_from([("PER", "T"), ("LOC", "N"), ("P", ""), ("O", "")])
    found = set()
    for _ in range(draw(st.integers(0, 6))):
        one, two = sorted(draw(st.tuples(*[st.integers(0, len(words) - 1)] * 2)))
        start, end = starts[one], starts[two] + len(words[two])
        if all(end <= a or b <= start or (a <= start and end <= b) or (start <= a and b <= end) for a, b, *_ in found):
            kind, term = draw(kinds)
            if (start, end) not in {(a, b) for a, b, *_ in found}:
                found.add(Mention(start, end, kind, draw(st.integers(0, 99)), term))
    return text, sorted(found, key=lambda one: (one.start, -one.end))


@given(marked())
def test_what_is_written_reads_back(case):
    text, mentions = case
    assert read_marks(write_marks(text, mentions)) == (text, mentions, "")


def test_a_folder_of_books_is_a_corpus(tmp_path):
    for book, number, source in (("Book10", 0, "他。"), ("Book2", 1, "她。"), ("Book2", 0, "<PER, T, 1>{乔恋}。")):
        folder = tmp_path / book
        folder.mkdir(exist_ok=True)
        an = ".an" if "<" in source else ""
        (folder / f"{number}.chs_re{an}.txt").write_text(f"{source}\n", "utf-8")
        (folder / f"{number}.ref_re{an}.txt").write_text("Qiao Lian.\n", "utf-8")
        (folder / f"{number}.mt_re.txt").write_text("Joe.\n", "utf-8")
    read = read_corpus(tmp_path, languages=("zh", "en"))
    assert [(one.id, one.segments[0].source) for one in read.documents] == [
        ("Book2-0", "乔恋。"),
        ("Book2-1", "她。"),
        ("Book10-0", "他。"),
    ]
    assert (read.references, read.systems) == (("ref",), ("mt",))
    (tmp_path / "Book2" / "0.chs_re.an.txt").write_text("<P, 1>{他。\n", "utf-8")
    with pytest.raises(InputError, match=r"E029.*0\.chs_re\.an\.txt:1"):
        read_corpus(tmp_path, languages=("zh", "en"))


def test_names_linked_across_languages_are_one_entity(tmp_path):
    """By the command, from a table: its own files read back as the texts that it was given."""
    rows = [("d-1", "Anna saw Berlin.", "Anna sah Berlin."), ("d-1", "Anna was happy.", "Anna war froh.")]
    lines = ["document\tsource\treference", *("\t".join(row) for row in rows)]
    (tmp_path / "c.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    assert run("mentions", "-i", str(tmp_path / "c.tsv"), "-l", "en-de", "-o", str(tmp_path / "out"), "--no-store") == 0
    sides = [
        (tmp_path / "out" / "d" / f"1.{side}_re.an.txt").read_text("utf-8").splitlines() for side in ("chs", "ref")
    ]
    read = [[read_marks(line) for line in side] for side in sides]
    found = [[{(text[m.start : m.end], m.entity) for m in mentions} for text, mentions, _ in side] for side in read]
    assert found[0] == found[1]
    assert {name for one in found[0] for name, _ in one} == {"Anna", "Berlin"}
    assert len({number for one in found[0] for _, number in one}) == 2
    back = read_corpus(tmp_path / "out", languages=("en", "de"))
    assert [(one.source, one.references["ref"]) for one in back.documents[0].segments] == [row[1:] for row in rows]
