"""Files of the published formats made from any texts: the texts come back; any lines at all never break a reader."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from endophora.errors import EndophoraError
from endophora.suites import Pair
from endophora.suites.formats import read_suite
from endophora.suites.outputs import targets

WORD = st.text(st.characters(categories=["L", "N", "P"], exclude_characters="<>[]_"), min_size=1, max_size=6)
LINE = st.lists(WORD, min_size=1, max_size=5).map(" ".join)
ANY = st.text(st.sampled_from("ab <>/phonfFM[]\t_.e\u00e9"), max_size=20)


def in_files(files: dict[str, str], name: str, form: str) -> tuple:
    with tempfile.TemporaryDirectory() as folder:
        for file, body in files.items():
            (Path(folder) / file).write_text(body, encoding="utf-8")
        return read_suite(Path(folder) / name, form).items


@given(st.lists(st.tuples(LINE, LINE), min_size=1, max_size=4), WORD, st.integers(0, 9), st.data())
def test_genpro_gives_back_segments_and_their_place(
    pairs: list[tuple[str, str]], pronoun: str, distance: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(pairs) - 1))
    sources, texts = (" <eos>".join(side) for side in zip(*pairs, strict=True))
    line = f"{place}\t{distance}\tcorrect\t{pronoun}\t{sources}\t{texts}\n"
    (item,) = in_files({"x.tsv": line}, "x.tsv", "genpro")
    assert (item.source, item.reference) == pairs[place]
    assert (item.before, item.after) == (
        tuple(Pair(*p) for p in pairs[:place]),
        tuple(Pair(*p) for p in pairs[place + 1 :]),
    )


@given(
    st.lists(LINE, min_size=4, max_size=4),
    st.lists(st.lists(LINE, min_size=4, max_size=4), min_size=2, max_size=4),
    st.data(),
)
def test_the_consistency_sets_keep_the_order_of_scores(
    source: list[str], groups: list[list[str]], data: st.DataObject
) -> None:
    right = data.draw(st.integers(0, len(groups) - 1))
    entry = {
        "src": " _eos ".join(source),
        "dst": [" _eos ".join(group) for group in groups],
        "true_ind": right,
        "ctx_dist": 2,
    }
    (item,) = in_files({"deixis_test.json": json.dumps([entry])}, "deixis_test.json", "consistency")
    assert targets(item) == [group[-1] for group in groups]
    assert item.before == tuple(map(Pair, source[:-1], groups[right][:-1]))


@given(LINE, WORD, LINE, LINE, WORD)
def test_scat_loses_nothing_but_its_marks(left: str, pronoun: str, right: str, context: str, marked: str) -> None:
    text = f"{left} {pronoun} {right}"
    files = {
        "h.en": f"{left} <p>{pronoun}</p> {right}\n",
        "h.fr": f"{left} <p>{pronoun}</p>  <hon>{right}<hoff> .\n",
        "h.context.en": f"{context}\n",
        "h.context.fr": f"{context}  <hon>{marked}<hoff> , {context}\n",
    }
    (item,) = in_files(files, "h.en", "scat")
    assert (item.source, item.reference) == (text, f"{text}.")
    assert item.before == (Pair(context, f"{context} {marked}, {context}"),)
    ((start, end),) = item.extra["highlights"]["target_context"]
    assert item.before[0].target[start:end] == marked


@given(LINE, WORD, WORD, LINE)
def test_cocoa_mt_loses_nothing_but_its_marks(left: str, formal: str, informal: str, right: str) -> None:
    files = {
        "x.en-de": f"{left}\n",
        "x.en-de.formal.annotated": f"{left} [F]{formal}[/F] {right}\n",
        "x.en-de.informal.annotated": f"{left} [F]{informal}[/F] {right}\n",
    }
    (item,) = in_files(files, "x.en-de.formal.annotated", "cocoa-mt")
    assert item.reference == f"{left} {formal} {right}"
    assert (item.expected, item.forbidden) == ((formal,), (informal,))


STEM = "geneval-context-wikiprofessions"
NAMES = {
    "scat": ["h.en", "h.fr", "h.context.en", "h.context.fr"],
    "cocoa-mt": ["x.en-de", "x.en-de.formal.annotated", "x.en-de.informal.annotated"],
    "mt-geneval": [f"{STEM}-2to1-test.en_de.en", f"{STEM}-original-test.en_de.de", f"{STEM}-flipped-test.en_de.de"],
    "genpro": ["x.tsv"],
}


@given(st.sampled_from(list(NAMES)), st.lists(st.lists(ANY, min_size=1, max_size=3), min_size=4, max_size=4))
def test_files_of_any_lines_are_read_or_refused(form: str, bodies: list[list[str]]) -> None:
    names = NAMES[form]
    files = {name: "".join(f"{line}\n" for line in lines) for name, lines in zip(names, bodies, strict=False)}
    with contextlib.suppress(EndophoraError):
        assert in_files(files, names[0], form)
