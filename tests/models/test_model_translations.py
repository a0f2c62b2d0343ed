"""Translations: those of ``transformers``' search, whatever the batch and whatever is forced upon the decoder."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")

from tiny_models import SENTENCES  # noqa: E402

from endophora.errors import InputError  # noqa: E402
from endophora.models.options import ModelOptions  # noqa: E402
from endophora.models.records import ContextRead, Decoding, ModelInput, Sides, Translation, translate_documents  # noqa: E402  # noqa: E402
from endophora.models.search import Search  # noqa: E402
from endophora.models.specs import open_model  # noqa: E402

PAIR = ModelOptions(languages=("en", "de"))
INPUTS = [
    ModelInput(SENTENCES[0]),
    ModelInput(SENTENCES[1], SENTENCES[:1], SENTENCES[2:3]),
    ModelInput(SENTENCES[5], SENTENCES[:3], SENTENCES[2:5]),
    ModelInput("It", ((25, 26, 27),), ((31, 30),)),
    ModelInput(SENTENCES[4], (SENTENCES[1],)),
]
BEAMS = (1, 4)


def opened(folders, name: str):
    kind, colon, folder = name.rpartition(":")
    return open_model(f"{kind}{colon}{folders[folder]}", PAIR)


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize("penalty", [0.6, 1.0])
@pytest.mark.parametrize("name", ["sentence", "hf:marian", "hf:m2m100"])
def test_the_search_is_that_of_transformers(folders, name: str, beam: int, penalty: float):
    from transformers import AutoModelForSeq2SeqLM

    model = opened(folders, name)
    plain = AutoModelForSeq2SeqLM.from_pretrained(folders[name.rpartition(":")[2]]).eval()
    decoding = Decoding(beam=beam, length_penalty=penalty, longest=0.5)
    ended = 0
    for source in SENTENCES:
        (example,) = model.encode([ModelInput(source)])
        begin = [model.coder.start, *example.prefix]
        limit = int(len(model.coder.source(source).ids) * 0.5) + 10
        wanted = plain.generate(
            input_ids=torch.tensor([example.source]),
            decoder_input_ids=torch.tensor([begin]),
            num_beams=beam,
            length_penalty=penalty,
            max_new_tokens=limit,
            do_sample=False,
            early_stopping=False,
            forced_eos_token_id=None,
            suppress_tokens=[model.coder.pad],
        )[0].tolist()[len(begin) :]
        (task,) = [model._task(0, ModelInput(source), example, decoding)]
        (found,) = model._search([task], decoding)
        assert list(found.ids) == wanted
        ended += found.ids[-1] == model.layout.closing[0]
    if name == "sentence":
        assert ended, "at least one translation comes to its end"


@pytest.mark.parametrize("beam", BEAMS)
@pytest.mark.parametrize(
    "name", ["sentence", "concatenation", "source-concatenation", "multi-encoder", "hf:nllb", "hf:t5", "lm:gpt2"]
)
def test_translations_of_a_batch_are_those_of_one_at_a_time(folders, name: str, beam: int):
    model = opened(folders, name)
    decoding = Decoding(beam=beam, longest=0.7)
    for given, one in zip(INPUTS, model.translate(INPUTS, decoding), strict=True):
        (alone,) = model.translate([given], decoding)
        assert (one.text, one.warning) == (alone.text, alone.warning)
        assert one.logprob == pytest.approx(alone.logprob, abs=1e-3)


@pytest.mark.parametrize("name", ["concatenation", "multi-encoder"])
def test_the_probability_of_a_translation_is_its_score(folders, name: str):
    model = opened(folders, name)
    decoding = Decoding(beam=3)
    tasks = [model._task(0, given, model.encode([given])[0], decoding) for given in INPUTS[:3]]
    from endophora.models.layout import LaidOut

    for task, found in zip(tasks, model._search(tasks, decoding), strict=True):
        one = task.example
        scored = LaidOut(one.source, one.source_context, one.target_context, one.prefix, found.ids)
        assert model._logprobs([scored])[0].sum() == pytest.approx(found.logprob, abs=1e-3)


class Script:
    """Steps of a decoder that says what a table of logits says of the tokens read so far."""

    def __init__(self, table: dict[tuple[int, ...], list[float]], size: int) -> None:
        self.table, self.size, self.read = table, size, []

    def _logits(self):
        return torch.tensor([self.table.get(tuple(row), [0.0] * self.size) for row in self.read])

    def begin(self, tokens):
        self.read = tokens.tolist()
        return self._logits()

    def repeat(self, times):
        self.read = [list(row) for row in self.read for _ in range(times)]

    def step(self, tokens):
        self.read = [[*row, token] for row, token in zip(self.read, tokens.tolist(), strict=True)]
        return self._logits()

    def reorder(self, rows):
        self.read = [list(self.read[row]) for row in rows.tolist()]

    keep = reorder


def test_a_forced_beginning_counts_neither_for_the_score_nor_for_the_length():
    # 0 ends; after 9 8 7 the model says 1, then ends; the beginning itself is as improbable as can be.
    end = [9.0, 0, 0, 0, 0, 0, 0, -9.0, -9.0, -9.0]
    one = [0, 9.0, 0, 0, 0, 0, 0, -9.0, -9.0, -9.0]
    table = {(9, 8, 7): one, (9, 8, 7, 1): end, (9,): one, (9, 1): end}
    for beam in BEAMS:
        decoding = Decoding(beam=beam)
        together = Search(Script(table, 10), [(9, 8, 7), (9,)], [5, 5], [0], [], decoding).run()
        assert [found.ids for found in together] == [(1, 0), (1, 0)]
        assert together[0].logprob == pytest.approx(together[1].logprob)


def test_limits_are_of_each_example():
    table: dict[tuple[int, ...], list[float]] = {}
    found = Search(Script(table, 4), [(3,), (3, 2)], [2, 5], [0], [0, 1, 2], Decoding(beam=1)).run()
    assert [len(one.ids) for one in found] == [2, 5]
    assert set(found[1].ids) == {3}


def test_the_answer_is_what_follows_the_last_separator(folders):
    model = opened(folders, "concatenation")
    brk, (a, b) = model.layout.separator[0], model.coder.target("a b").ids[-2:]
    task = model._task(0, INPUTS[4], model.encode([INPUTS[4]])[0], Decoding())
    assert task.separators == 1
    from endophora.models.sequence_model import Found

    whole = model._answer(task, Found((a, brk, b, 0), -1.0))
    assert (whole.text, whole.logprob, whole.warning) == (model.coder.text([b]).strip(), -1.0, "")
    assert "1 sentences, not 2" in model._answer(task, Found((b, 0), -1.0)).warning
    assert "cut" in model._answer(task, Found((a, brk, b), -1.0)).warning


def test_blank_sources_have_blank_translations(folders):
    for name in ("sentence", "lm:llama"):
        assert opened(folders, name).translate([ModelInput(" ")]) == [Translation("", context=ContextRead())]


def test_what_is_too_long_is_told_with_its_number(folders):
    model = opened(folders, "hf:marian")
    with pytest.raises(InputError, match=r"E281.*input 2"):
        model.translate([ModelInput("x"), ModelInput("x " * 300)])
    with pytest.raises(InputError) as caught:
        model.score([ModelInput("x " * 300)], ["x " * 300])
    (fault,) = caught.value.faults
    assert fault.code == "E281"
    assert fault.cause.count("tokens, and the model takes 256") == 2


class Echo:
    """A translator that says what it was given."""

    signature = "echo"

    def __init__(self, uses_target_context: bool = True) -> None:
        self.uses_target_context = uses_target_context
        self.batches: list[list[ModelInput]] = []

    def translate(self, inputs, decoding=None):
        self.batches.append(list(inputs))
        return [Translation(f"t{given.source}") for given in inputs]


def test_documents_are_translated_in_order_with_their_own_translations():
    echo = Echo()
    told: list[int] = []
    made = translate_documents(echo, [["a", "b", "c"], ["d"]], 1, Sides.BOTH, None, told.append)
    assert [[one.text for one in document] for document in made] == [["ta", "tb", "tc"], ["td"]]
    assert echo.batches == [
        [ModelInput("a"), ModelInput("d")],
        [ModelInput("b", ("a",), ("ta",))],
        [ModelInput("c", ("b",), ("tb",))],
    ]
    assert told == [2, 1, 1]


@pytest.mark.parametrize(
    ("uses", "sides", "size"), [(False, Sides.BOTH, 2), (True, Sides.SOURCE, 2), (True, Sides.BOTH, 0)]
)
def test_documents_are_translated_at_once_where_nothing_depends_on_what_is_found(uses: bool, sides: Sides, size: int):
    echo = Echo(uses)
    translate_documents(echo, [["a", "b"], ["c"]], size, sides)
    context = ("a",) if size else ()
    assert echo.batches == [[ModelInput("a"), ModelInput("b", context), ModelInput("c")]]


def test_documents_through_a_model_are_its_translations_one_by_one(folders):
    model = opened(folders, "concatenation")
    decoding = Decoding(beam=2, longest=0.5)
    made = translate_documents(model, [SENTENCES[:3], SENTENCES[3:5]], 2, Sides.BOTH, decoding)
    (first,) = model.translate([ModelInput(SENTENCES[0])], decoding)
    (second,) = model.translate([ModelInput(SENTENCES[1], SENTENCES[:1], (first.text,))], decoding)
    assert [one.text for one in made[0][:2]] == [first.text, second.text]
    assert len(made[1]) == 2
