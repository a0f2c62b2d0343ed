"""MQM annotations: the published scores of the TED talks, weights, raters, and the corpus that was judged."""

from __future__ import annotations

import math
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import InputError
from endophora.meta.mqm import Annotation, in_blocks, judge, load_weights, mqm_corpus, read_mqm, write_mqm
from endophora.meta.people import read_people

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"


def annotation(**changes) -> Annotation:
    plain = Annotation("A", "d", 1, 1, "r1", "Quelle", "a <v>text</v>", "Fluency/Grammar", "Minor", 2)
    return replace(plain, **changes)


def codes(call) -> list[tuple[str, int | None]]:
    try:
        call()
    except InputError as error:
        return [(fault.code, fault.line) for fault in error.faults]
    return []


@pytest.fixture(scope="module")
def ted(shared) -> Path:
    return shared / "documents" / "ted-mqm"


def published(path: Path) -> dict[tuple[str, int], float]:
    """The published averages, which have blanks where tabs are meant, and hyphens in the references' names."""
    rows = [line.split() for line in path.read_text("utf-8").splitlines()[1:]]
    names = {"ref-A": "ref", "ref-B": "refB"}
    return {(names.get(s, s), int(n)): math.nan if value == "None" else float(value) for s, value, n in rows}


def test_googles_weights_reproduce_the_published_scores_of_the_ted_talks(ted):
    expected = published(ted / "mqm_ted_zhen.avg_seg_scores.tsv")
    judged = judge(read_mqm(ted / "mqm_ted_zhen.tsv"), load_weights("google"))
    scores = judged.spread(843)
    assert scores.values.shape == (15, 843)
    found = {
        (system, number): value
        for system, row in zip(scores.systems, scores.values.tolist(), strict=True)
        for number, value in enumerate(row, start=1)
    }
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, abs=1e-9, nan_ok=True)
    assert judged.agreement() == {}  # one rater for each output


def test_the_corpus_of_the_ted_talks(ted):
    corpus = mqm_corpus(read_mqm(ted / "mqm_ted_zhen.tsv"), ("zh", "en"), ["ref"])
    assert [(document.id, len(document.segments)) for document in corpus.documents] == [
        ("talk.2", 140),
        ("talk.5", 31),
        ("talk.6", 129),
        ("talk.7", 70),
        ("talk.9", 159),
    ]
    assert corpus.references == ("ref",)
    assert len(corpus.systems) == 14
    assert not any("<v>" in s.source for d in corpus.documents for s in d.segments)
    assert not any("v>" in text for d in corpus.documents for s in d.segments for text in s.outputs.values())
    blocks = in_blocks(corpus, 5)
    assert (len(blocks), len(blocks.documents)) == (529, 107)


def test_the_longest_key_that_fits_weighs():
    google = load_weights("google")
    assert google.weight("Fluency/Punctuation", "Minor") == 0.1
    assert google.weight("fluency/punctuation", "minor") == 0.1
    assert google.weight("Fluency/Punctuation", "Major") == 5
    assert google.weight("Non-translation!", "Major") == 25
    assert google.weight("No-error", "No-error") == 0
    assert google.weight("Fluency", "Terrible") is None
    assert load_weights("severity").weight("Fluency/Punctuation", "Minor") == 1


def test_weights_of_ones_own(tmp_path):
    path = tmp_path / "w.yaml"
    path.write_text("title: mine\nvalues: {Critical: 10, Major: 5}\n")
    assert load_weights(str(path)).weight("Accuracy", "critical") == 10
    path.write_text("title: mine\nvalues: [1]\n")
    assert codes(lambda: load_weights(str(path))) == [("E120", None)]
    path.write_text("title: a\nvalues: " + "{a: " * 2000 + "1" + "}" * 2000)
    assert codes(lambda: load_weights(str(path))) == [("E120", None)]
    path.write_text("title: [\n")
    assert codes(lambda: load_weights(str(path))) == [("E120", None)]
    assert codes(lambda: load_weights("gogle")) == [("E120", None)]
    assert codes(lambda: load_weights(str(tmp_path / "none.yaml"))) == [("E001", None)]


def test_errors_add_up_and_raters_are_averaged():
    judged = judge(
        [
            annotation(severity="Major"),
            annotation(severity="Minor"),
            annotation(rater="r2", severity="No-error", category="No-error"),
            annotation(system="B", severity="Major"),
        ],
        load_weights("google"),
    )
    assert judged.scores().values.tolist() == [[-3.0], [-5.0]]
    assert judged.worst[:, :, 0].tolist()[0] == [5.0, 5.0]
    assert np.isnan(judged.worst[1, 1, 0])


def test_only_errors_of_the_named_categories_cost(tmp_path):
    path, google = tmp_path / "mqm.tsv", load_weights("google")
    rows = [
        annotation(severity="Major", category="Terminology/Inconsistent use"),
        annotation(severity="Minor", category="Terminology"),
        annotation(severity="Major", category="Terminology of another kind"),
        annotation(system="B", severity="Major", category="Fluency/Register"),
    ]
    write_mqm(rows, path)

    def scored(*names: str) -> list[list[float]]:
        return read_people(path, categories=names).scores.levels["seg"].values.tolist()

    assert scored("terminology") == [[-6.0], [0.0]]
    assert scored("Terminology/Inconsistent use", "Fluency") == [[-5.0], [-5.0]]
    assert scored() == [[-11.0], [-5.0]]
    told = read_people(path, categories=("Terminology",))
    assert told.warnings == ("of 4 errors 2 count: Terminology",)
    assert told.origin == "weights:google|categories:Terminology"
    assert codes(lambda: judge(rows, google, "", ["Term"])) == [("E120", None)]


def test_raters_agree_by_kappa_on_their_worst_error():
    """Four outputs; the raters agree on three and differ by one of two steps on the other: observed 1 - 1 / 8."""
    severities = {"r1": ("Major", "Minor", "No-error", "Major"), "r2": ("Major", "Minor", "Minor", "Major")}
    rows = [
        annotation(system=system, rater=rater, severity=severity)
        for rater, given in severities.items()
        for system, severity in zip("ABCD", given, strict=True)
    ]
    (kappa,) = judge(rows, load_weights("google")).agreement().values()
    assert (kappa.count, kappa.observed) == (4, pytest.approx(7 / 8))


def test_documents_and_segments_stand_in_the_order_of_the_test_set():
    rows = [
        annotation(document="late", position=2, segment=9),
        annotation(document="late", position=1, segment=8),
        annotation(document="early", position=1, segment=3),
    ]
    judged = judge(rows, load_weights("google"))
    assert judged.documents.ids == ("early", "late", "late")
    assert judged.positions == (3, 8, 9)
    assert codes(lambda: judged.spread(8)) == [("E121", None)]
    unnumbered = [replace(row, segment=0) for row in rows]
    assert judge(unnumbered, load_weights("google")).documents.ids == ("late", "late", "early")
    assert judge(unnumbered, load_weights("google")).positions == (1, 2, 3)


def test_contradictions_are_refused():
    google = load_weights("google")
    assert codes(lambda: judge([annotation(severity="Huge", line=7)], google)) == [("E120", 7)]
    assert codes(lambda: judge([annotation(), annotation(segment=2, line=3)], google)) == [("E121", 3)]
    assert codes(lambda: judge([annotation(), annotation(position=2, line=3)], google)) == [("E121", 3)]
    pair = ("zh", "en")
    assert codes(lambda: mqm_corpus([annotation(), annotation(target="other", line=3)], pair, [])) == [("E121", 3)]
    assert codes(lambda: mqm_corpus([annotation(), annotation(system="B", position=2, segment=2)], pair, [])) == [
        ("E121", None),
        ("E121", None),
    ]
    assert codes(lambda: mqm_corpus([annotation()], pair, ["ref"])) == [("E122", None)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (HEADER, [("E119", None)]),
        ("system\tdoc\n", [("E118", 1)] * 6),
        (HEADER.replace("rater", "doc"), [("E118", 1), ("E118", 1)]),
        (HEADER + "A\td\t1\t1\tr\ts\tt\tc\n\nA\td\tx\t1\tr\ts\tt\tc\tMinor\n", [("E119", 2), ("E119", 3), ("E119", 4)]),
        (HEADER + "\td\t1\t1\t\ts\tt\tc\tMinor\n", [("E119", 2), ("E119", 2)]),
    ],
)
def test_faults_of_a_file_are_told_together(tmp_path, text, expected):
    path = tmp_path / "x.tsv"
    path.write_text(text)
    assert codes(lambda: read_mqm(path)) == expected


@pytest.mark.parametrize("column", ["source", "target"])
def test_a_text_of_a_megabyte_is_no_segment(tmp_path, column):
    texts = {"source": "s", "target": "t"} | {column: "long " * 200_000}
    path = tmp_path / "mqm.tsv"
    line = f"A\td\t1\t1\tr\t{texts['source']}\t{texts['target']}\tc\tMinor\n"
    path.write_text(HEADER + "A\td\t2\t2\tr\ts\tt\tc\tMinor\n" + line, encoding="utf-8")
    assert codes(lambda: read_mqm(path)) == [("E345", 3)]
    path.write_text(HEADER + line.replace(texts[column], "x" * 50_000), encoding="utf-8")
    assert len(read_mqm(path)) == 1


def test_a_missing_file_is_one_fault(tmp_path):
    assert codes(lambda: read_mqm(tmp_path / "none.tsv")) == [("E001", None)]


def test_later_releases_name_columns_otherwise(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text(
        "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"
        + "A\td\t1\t4\tr\ts\tt\tc\tminor\t{}\n"
    )
    assert read_mqm(path) == (Annotation("A", "d", 1, 4, "r", "s", "t", "c", "minor", 2),)


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0\t\n\r"), max_size=6)
FILLED = TEXT.filter(lambda text: text.strip() != "")
ANNOTATIONS = st.lists(
    st.builds(
        Annotation,
        system=FILLED,
        document=FILLED,
        position=st.integers(0, 10**9),
        segment=st.integers(0, 10**9),
        rater=FILLED,
        source=TEXT,
        target=TEXT,
        category=TEXT,
        severity=FILLED,
        line=st.just(0),
    ),
    min_size=1,
    max_size=5,
)


@given(ANNOTATIONS)
def test_what_is_written_is_read_back(annotations):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.tsv"
        write_mqm(annotations, path)
        assert [replace(one, line=0) for one in read_mqm(path)] == annotations


@given(st.binary(max_size=150))
def test_any_bytes_are_annotations_or_coded_faults(data):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "x.tsv"
        path.write_bytes(HEADER.encode() + data)
        assert all(code.startswith("E") for code, _ in codes(lambda: read_mqm(path)))


def test_a_tab_cannot_be_written(tmp_path):
    assert codes(lambda: write_mqm([annotation(source="a\tb")], tmp_path / "x")) == [("E115", None)]
