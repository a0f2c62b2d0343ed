"""Files of inseq: those that inseq 0.7.1 wrote of random models, those that are written here, and damaged ones."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")
pytest.importorskip("transformers")

from endophora.context.attribution import inseq_flows
from endophora.context.attribution.cases import AttributionOptions, Case, Cases, LeftOut
from endophora.context.attribution.comparing import NamedModel, attribute
from endophora.context.attribution.flows import EncodedExample, Flow, Part, Piece, Span, ordered
from endophora.context.attribution.inseq_files import (
    InseqFile,
    InseqSequence,
    InseqToken,
    read_inseq,
    sequence_of,
    write_inseq,
)
from endophora.context.attribution.inseq_flows import InseqAttributor
from endophora.errors import InputError
from endophora.models.records import ModelInput

THEIRS = Path(__file__).parent.parent.parent / "data" / "inseq"
EXAMPLES = {"llama": ("It works.", "Es geht für"), "marian": ("It works.", "Es geht.")}


@pytest.mark.parametrize("name", EXAMPLES)
def test_dimensions_are_joined_as_inseq_joins_them(name: str):
    # Saliency of 32 dimensions a token, and attention of layers and heads; beside them what inseq made of them.
    given = ModelInput(EXAMPLES[name][0])
    flows = [
        next(InseqAttributor.read(THEIRS / file).flows([given], [EXAMPLES[name][1]]))[1]
        for file in (f"{name}.json.gz", f"{name}-joined.json")
    ]
    np.testing.assert_allclose(flows[0].matrix, flows[1].matrix, atol=1e-7)
    assert flows[0].columns == flows[1].columns
    theirs = read_inseq(THEIRS / f"{name}-joined.json").sequences[0]
    parts = [one for one in (theirs.source_scores, theirs.target_scores) if one is not None]
    np.testing.assert_allclose(np.nansum(np.concatenate(parts), 0), 1, atol=1e-5)


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_tokens_of_a_file_are_those_of_the_sentences(name: str):
    source, target = EXAMPLES[name]
    ((_, flow),) = InseqAttributor.read(THEIRS / f"{name}.json.gz").flows([ModelInput(source)], [target])
    shown = {part: "".join(one.text for one in flow.columns if one.part is part) for part in Part}
    # Byte-level tokens: the two bytes of “ü” are in two of them, and it is shown in the first.
    assert "".join(one.text for one in flow.rows) == "".join(target.split())
    assert shown[Part.SOURCE] == "".join(source.split())
    assert shown[Part.TARGET_PREFIX] == "".join(target.split())
    assert shown[Part.PROMPT] == ("English:German:" if name == "llama" else "")


def test_another_text_is_not_in_a_file():
    file = InseqAttributor.read(THEIRS / "marian.json.gz")
    assert not list(file.flows([ModelInput("It works.")], ["Sie geht."]))
    assert not list(file.flows([ModelInput("She works.")], ["Es geht."]))


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="▁"), max_size=6)
TOKENS = st.builds(InseqToken, TEXTS, st.integers(0, 10**6))
NUMBERS = st.one_of(st.just(math.nan), st.floats(-1e6, 1e6, width=32))


@st.composite
def sequences(draw: Any) -> InseqSequence:
    source, target = draw(st.lists(TOKENS, max_size=3)), draw(st.lists(TOKENS, min_size=1, max_size=4))
    start = draw(st.integers(0, len(target) - 1))
    end = draw(st.integers(start + 1, len(target)))

    def scores(count: int) -> Any:
        values = draw(st.lists(NUMBERS, min_size=count * (end - start), max_size=count * (end - start)))
        return np.array(values, dtype=np.float64).reshape(count, end - start)

    alone = draw(st.booleans())
    return InseqSequence(
        tuple(source), tuple(target), start, end,
        None if alone else scores(len(source)), scores(len(target)) if alone or draw(st.booleans()) else None,
    )  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(found=st.lists(sequences(), max_size=3), packed=st.booleans())
def test_what_is_written_is_read_again(found: list[InseqSequence], packed: bool, tmp_path_factory: Any):
    path = tmp_path_factory.mktemp("written") / "out.json"
    write_inseq(InseqFile(tuple(found), {"attribution_method": "saliency"}), path)
    if packed:
        path.write_bytes(gzip.compress(path.read_bytes()))
    read = read_inseq(path)
    assert read.info["attribution_method"] == "saliency"
    assert len(read.sequences) == len(found)
    for one, two in zip(found, read.sequences, strict=True):
        assert (one.source, one.target, one.start, one.end) == (two.source, two.target, two.start, two.end)
        for before, after in ((one.source_scores, two.source_scores), (one.target_scores, two.target_scores)):
            assert (before is None) == (after is None)
            if before is not None and after is not None:
                np.testing.assert_array_equal(before, after)


@settings(max_examples=80, deadline=None)
@given(place=st.integers(0, 5000), sign=st.binary(min_size=0, max_size=2), cut=st.booleans())
def test_a_damaged_file_is_an_error_with_a_code_or_reads(place: int, sign: bytes, cut: bool, tmp_path_factory: Any):
    data = (THEIRS / "marian-joined.json").read_bytes()
    at = place % len(data)
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(data[:at] + (b"" if cut else sign + data[at + len(sign) :]))
    found = None
    try:
        read_inseq(path)
    except InputError as error:
        found = error.faults[0].code
    assert found in (None, "E268")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"dtype": "F8_E4M3"}, "F8_E4M3; save them with scores_precision"),
        ({"shape": [1, 2]}, "scores of shape"),
        ({"kind": "FeatureAttributionStepOutput"}, "sequence 1 is no FeatureAttributionSequenceOutput"),
        ({"attr_pos_end": 99}, "are not among its 2"),
        ({"token": 5}, "token without text"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], told: str, tmp_path: Path):
    token, path = InseqToken("a", 1), tmp_path / "out.json"
    write_inseq(InseqFile((InseqSequence((), (token, token), 1, 2, None, np.ones((2, 1))),)), path)
    whole = json.loads(path.read_text("utf-8"))
    sequence = whole["attributes"]["sequence_attributions"][0]
    if "kind" in change:
        sequence["__instance_type__"][1] = change["kind"]
    elif "token" in change:
        sequence["attributes"]["target"][0]["attributes"]["token"] = change["token"]
    elif "attr_pos_end" in change:
        sequence["attributes"] |= change
    else:
        import base64

        packed = base64.b64decode(sequence["attributes"]["target_attributions"])
        length = int.from_bytes(packed[:8], "little")
        about = json.loads(packed[8 : 8 + length])
        about["attribution"] |= change
        header = json.dumps(about).encode()
        packed = len(header).to_bytes(8, "little") + header + packed[8 + length :]
        sequence["attributes"]["target_attributions"] = base64.b64encode(packed).decode()
    path.write_text(json.dumps(whole), "utf-8")
    with pytest.raises(InputError, match=rf"E268.*{told}"):
        read_inseq(path)


def test_results_without_their_classes_and_other_json_are_refused(tmp_path: Path):
    path = tmp_path / "out.json"
    for text in ("{}", "[1]", "no", '{"__instance_type__": ["a", "FeatureAttributionOutput"], "attributes": 3}'):
        path.write_text(text, "utf-8")
        with pytest.raises(InputError, match=r"E268.*use_primitives=False"):
            read_inseq(path)
    with pytest.raises(InputError, match="E001"):
        read_inseq(tmp_path / "nowhere.json")


def test_an_example_is_written_with_its_encoder_and_its_start():
    def piece(text: str, part: Part, start: int, sentence: int = 0) -> Piece:
        return Piece(text, part, sentence, start, start + len(text))

    columns = (
        piece("ab", Part.SOURCE, 0), piece("c", Part.SOURCE, 2), piece("d", Part.SOURCE, 4), Piece("", Part.SOURCE),
        Piece("", Part.TARGET_PREFIX), piece("x", Part.TARGET_PREFIX, 0),
    )  # fmt: skip
    rows = (piece("x", Part.TARGET_PREFIX, 0), piece("y", Part.TARGET_PREFIX, 2))
    example = EncodedExample(((7, 8, 9, 2),), (0, 5), columns, rows, 0, (5, 6))
    matrix = np.array([[0.1, 0.2, 0.3, 0.1, 0.3, 0], [0.2, 0.1, 0.1, 0.1, 0.1, 0.4]])
    made = sequence_of(example, matrix)
    assert [one.text for one in made.source] == ["▁ab", "c", "▁d", "<2>"]
    assert [(one.text, one.id) for one in made.target] == [("<0>", 0), ("▁x", 5), ("▁y", 6)]
    assert (made.start, made.end) == (1, 3)
    np.testing.assert_array_equal(made.source_scores, matrix[:, :4].T)
    nothing = math.nan
    np.testing.assert_array_equal(made.target_scores, [[0.3, 0.1], [nothing, 0.4], [nothing, nothing]])
    flow: Flow = ordered(rows, columns, matrix)
    ((_, again),) = InseqAttributor(InseqFile((made,))).flows([ModelInput("abc d")], ["x y"])
    np.testing.assert_allclose(again.matrix[:, :-1], flow.matrix)
    assert again.columns[:-1] == flow.columns


def piece_of(text: str, start: int, part: Part = Part.TARGET_PREFIX) -> Piece:
    return Piece(text, part, 0, start, start + len(text))


@pytest.mark.parametrize(("word", "shown"), [((0, 2), 1), ((3, 6), 2), ((6, 7), 1)])
def test_a_word_s_rows_alone_are_written_with_the_whole_target(word: tuple[int, int], shown: int):
    columns = (
        piece_of("It", 0, Part.SOURCE), piece_of("works", 3, Part.SOURCE), Piece("", Part.SOURCE),
        Piece("", Part.TARGET_PREFIX), piece_of("Es", 0), piece_of("ge", 3), piece_of("ht", 5),
    )  # fmt: skip
    rows = (piece_of("Es", 0), piece_of("ge", 3), piece_of("ht", 5), piece_of(".", 7))
    whole = EncodedExample(((7, 8, 2),), (0, 5, 6, 7), columns, rows, 0, (5, 6, 7, 9))
    given = whole.narrowed(*word)
    made = sequence_of(given, np.full((len(given.rows), 7), 1 / 7))
    assert [one.text for one in made.target] == ["<0>", "▁Es", "▁ge", "ht", "."]
    ((_, flow),) = InseqAttributor(InseqFile((made,))).flows([ModelInput("It works")], ["Es geht."], None, [word])
    assert [(one.text, one.start) for one in flow.rows] == [(one.text, one.start) for one in given.rows]
    assert len(flow.rows) == shown


def written(source: str, target: str, start: int = 1, end: int = 0) -> InseqSequence:
    """A sequence whose rows draw evenly on the source; tokens are separated by blanks."""
    read, made = ([InseqToken(one, 1) for one in text.split()] for text in (source, target))
    end = end or len(made)
    shape = len(read), end - start
    return InseqSequence(tuple(read), tuple(made), start, end, np.ones(shape), np.zeros((len(made), end - start)))


def found(one: InseqSequence, given: ModelInput, target: str) -> bool:
    return bool(list(InseqAttributor(InseqFile((one,))).flows([given], [target])))


CONTEXT = "▁The ▁dog ▁sleeps . ▁It ▁snores . </s>", "<pad> ▁Der ▁Hund ▁schläft . ▁Er ▁schnarcht . </s>"
GIVEN = ModelInput("It snores.", ("The dog sleeps.",), ("Der Hund schläft.",))


def test_rows_of_the_target_s_context_are_none_of_the_word():
    # The context's first word has the number and the place of the current one.
    one = written(*CONTEXT)
    assert one.source_scores is not None
    one.source_scores[:] = 0
    one.source_scores[1, :4], one.source_scores[4, 4:] = 1, 1
    ((_, flow),) = InseqAttributor(InseqFile((one,))).flows([GIVEN], ["Er schnarcht."])
    assert [piece.text for piece in flow.rows if piece.text] == ["Er", "schnarcht", "."]
    assert {piece.text for piece, share in zip(flow.columns, flow.row(0, 2), strict=True) if share} == {"It"}


@pytest.mark.parametrize(
    ("one", "given"),
    [
        (CONTEXT, ModelInput("It snores.", ("Wait!", *GIVEN.source_context), GIVEN.target_context)),
        (CONTEXT, ModelInput("It snores.")),
        (CONTEXT, ModelInput("It snores.", GIVEN.source_context)),
        (("▁Wait ... ▁It ▁snores .", "<pad> ▁Er ▁schnarcht ."), ModelInput("It snores.", ("Wait…",))),
        (("... ▁It ▁snores .", "<pad> ▁Er ▁schnarcht ."), ModelInput("It snores.", ("…",))),
    ],
    ids=["more context", "no context", "a side of it", "other signs", "signs alone"],
)
def test_a_sequence_with_other_context_is_left_out(one: tuple[str, str], given: ModelInput):
    assert found(written(*CONTEXT), GIVEN, "Er schnarcht.")
    assert not found(written(*one), given, "Er schnarcht.")


def test_names_of_languages_and_separators_are_no_context():
    one = written("eng_Latn ▁The ▁dog ▁sleeps . <sep> ▁It ▁snores . </s>", "<pad> deu_Latn ▁Er ▁schnarcht . </s>")
    assert found(one, ModelInput("It snores.", GIVEN.source_context), "Er schnarcht.")


@pytest.mark.parametrize(
    ("source", "target"),
    [("▁Oh ▁yes .", "<pad> ▁Ja ."), ("▁yes .", "<pad> ▁Na ja ."), ("▁yes .", "<pad> ▁Ja . ▁Gut .")],
)
def test_a_sentence_is_not_found_within_another(source: str, target: str):
    assert found(written("▁yes .", "<pad> ▁Ja ."), ModelInput("yes."), "Ja.")
    assert not found(written(source, target), ModelInput("yes."), "ja." if "ja" in target else "Ja.")


@pytest.mark.parametrize("text", ["Ġorġ mar.", "Noč je tu.", "Čas beží."])
def test_letters_that_mark_bytes_elsewhere_are_letters(text: str):
    tokens = " ".join(f"▁{word}" for word in text.split())
    assert found(written("▁It ▁works", f"<pad> {tokens}"), ModelInput("It works"), text)


def test_a_sequence_is_compared_with_the_targets_that_end_as_it_does(monkeypatch: pytest.MonkeyPatch):
    asked = list[str]()
    flow_of: Any = getattr(inseq_flows, "_flow")  # noqa: B009

    def counted(*given: Any) -> Any:
        asked.append(given[-1])
        return flow_of(*given)

    monkeypatch.setattr(inseq_flows, "_flow", counted)
    numbers = range(40)
    file = InseqFile(tuple(written("▁It ▁works", f"<pad> ▁Ziel ▁{number} .") for number in numbers))
    targets = [f"Ziel {number}." for number in numbers]
    flows = InseqAttributor(file).flows([ModelInput("It works")] * len(targets), targets)
    assert [number for number, _ in flows] == list(numbers)
    assert asked == targets


@pytest.mark.parametrize("examples", [0, 20])
def test_a_word_that_a_file_lacks_is_left_out_and_counted_also_where_it_is_drawn(examples: int):
    file = InseqAttributor(InseqFile((written(*CONTEXT, start=5, end=6),)))
    span = Span(Part.SOURCE_CONTEXT, 0, 4, 7)
    cases = tuple(Case("1", "d", "g", GIVEN, "Er schnarcht.", word, (span,)) for word in ((0, 2), (3, 12)))
    options = AttributionOptions(resamples=0, examples=examples)
    result = attribute("toy", Cases(cases), [NamedModel("theirs", file)], options)
    assert (result.words, result.left_out) == (1, {LeftOut.NOT_IN_FILE: 1})
    with pytest.raises(InputError, match=r"E263.*that the file of inseq was made with"):
        attribute("toy", Cases(cases[1:]), [NamedModel("theirs", file)], options)
