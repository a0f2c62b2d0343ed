"""Language models are asked and scored as they would write: each family's cutting of text, turns and ends."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from families import FAMILIES, make_family  # noqa: E402

from endophora.errors import InputError  # noqa: E402
from endophora.models import language_model, prompting  # noqa: E402
from endophora.models.options import ModelOptions, read_spec  # noqa: E402
from endophora.models.records import Decoding, ModelInput  # noqa: E402
from endophora.models.sequence_model import Found  # noqa: E402
from endophora.models.specs import open_model  # noqa: E402

PAIR = ModelOptions(languages=("en", "de"))
GIVEN = ModelInput("She had no umbrella!", ("It was raining.",), ("Es regnete.",))
TARGET = "Sie hatte keinen Schirm."
TASK = "Translate this segment from English into German. Answer with the translation alone.\n\n"
PLAIN = "English: It was raining.\nGerman: Es regnete.\nEnglish: She had no umbrella!\nGerman:"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory):
    place = tmp_path_factory.mktemp("families")
    found: dict[tuple[str, bool], Path] = {}

    def folder(name: str, chat: bool = True) -> Path:
        if (name, chat) not in found:
            found[name, chat] = make_family(place / f"{name}-{chat}", name, chat)
        return found[name, chat]

    return folder


def by_hand(folder: Path, before: str, target: str, after: str) -> float:
    """Return the log-probability of all of a text that begins with a target, the text cut as a whole."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
    cut = tokenizer(before + target + after, add_special_tokens=False, return_offsets_mapping=True)
    ids, spans = cut["input_ids"], cut["offset_mapping"]
    first = next(place for place, span in enumerate(spans) if span[1] > len(before))
    with torch.no_grad():
        scores = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return float(sum(scores[place - 1, ids[place]] for place in range(first, len(ids))))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_target_is_scored_as_the_answer_that_the_familys_turns_would_have(made, name: str):
    from transformers import AutoTokenizer

    family, folder = FAMILIES[name], made(name)
    context = "What comes before, for your understanding only:\nEnglish: It was raining.\nGerman: Es regnete.\n\n"
    turns = [{"role": "user", "content": f"{context}{TASK}{GIVEN.source}"}]
    asked = AutoTokenizer.from_pretrained(folder).apply_chat_template(turns, tokenize=False)
    before, after = family.answered
    opening = before.rstrip(" ")
    whole = asked if asked.endswith(opening) else asked + opening
    (found,) = open_model(f"lm:{folder}", PAIR).score([GIVEN], [TARGET])
    assert found.total == pytest.approx(by_hand(folder, whole, before[len(opening) :] + TARGET, after), abs=1e-4)
    assert found.pieces[-1] == after


@pytest.mark.parametrize("name", FAMILIES)
def test_a_plain_prompt_has_the_target_where_its_context_has_its_own(made, name: str):
    folder = made(name, chat=False)
    begins = FAMILIES[name].bos if _adds_bos(folder) else ""
    (found,) = open_model(f"lm:{folder}", PAIR).score([GIVEN], [TARGET])
    assert found.total == pytest.approx(by_hand(folder, f"{begins}{PLAIN}", f" {TARGET}", "\n"), abs=1e-4)


def _adds_bos(folder: Path) -> bool:
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    return tokenizer("x")["input_ids"][0] == tokenizer.bos_token_id


def test_the_end_of_a_line_may_be_one_token_with_the_last_sign(made):
    folder = made("qwen-3", chat=False)
    model = open_model(f"lm:{folder}", PAIR)
    (found,) = model.score([GIVEN], ["Es regnete."])
    assert found.pieces[-1] == ".Ċ"
    assert found.spans[-1] == (10, 11)
    assert len(found.logprobs) == len(found.pieces)


def answering(monkeypatch: pytest.MonkeyPatch, write) -> list[frozenset[int]]:
    """Let models answer with what ``write`` makes of the ends; return a list that each search's ends are put into."""
    seen: list[frozenset[int]] = []

    class Fake:
        def __init__(self, steps, begins, limits, ends, barred, decoding, device) -> None:
            self._found = [write(sorted(ends)) for _ in begins]
            seen.append(frozenset(ends))

        def run(self):
            return [Found(ids, -1.0) for ids in self._found]

    monkeypatch.setattr(language_model, "Search", Fake)
    return seen


@pytest.mark.parametrize("name", FAMILIES)
def test_an_answer_ends_with_any_of_the_ends_of_the_generation_configuration(made, monkeypatch, name: str):
    model = open_model(f"lm:{made(name)}", PAIR)
    words = model.coder.target(TARGET).ids
    for end in FAMILIES[name].ends:
        index = model.coder.index(end)
        answering(monkeypatch, lambda ends, index=index: (*words, index))
        (answer,) = model.translate([GIVEN], Decoding(beam=1))
        assert (answer.text, answer.warning) == (TARGET, "")


def test_a_line_that_ends_in_the_token_of_its_last_sign_keeps_the_sign(made, monkeypatch):
    model = open_model(f"lm:{made('qwen-3', chat=False)}", PAIR)
    seen = answering(monkeypatch, lambda ends: (*model.coder.target(" Es regnete").ids, model.coder.index(".Ċ")))
    (answer,) = model.translate([GIVEN], Decoding(beam=1))
    assert (answer.text, answer.warning) == ("Es regnete.", "")
    assert {model.coder.index("Ċ"), model.coder.index("<|im_end|>")} <= seen[0]


def asked(model, given: ModelInput = GIVEN) -> str:
    return model._tokenizer.decode(model.prompt(given))


def test_thinking_is_off_unless_it_is_asked_for(made):
    folder = made("qwen-3")
    assert asked(open_model(f"lm:{folder}", PAIR)).endswith("assistant\n<think>\n\n</think>\n\n")
    on = open_model(f"lm:{folder},chat_template_kwargs=enable_thinking:true;other:3", PAIR)
    assert asked(on).endswith("assistant\n")
    assert on.signature != open_model(f"lm:{folder}", PAIR).signature


def test_template_arguments_of_a_spec_are_read_as_yaml():
    given = read_spec("lm:x,chat_template_kwargs=a:true;b:3;c:low", ModelOptions())[1].chat_template_kwargs
    assert given == {"a": True, "b": 3, "c": "low"}


def test_segments_with_both_sides_may_be_turns_of_their_own(made):
    model = open_model(f"lm:{made('llama-3')},form=turns", PAIR)
    turn = "<|start_header_id|>{}<|end_header_id|>\n\n{}<|eot_id|>"
    after = f"{turn.format('user', TASK + GIVEN.source)}<|start_header_id|>assistant<|end_header_id|>\n\n"
    first = turn.format("user", f"{TASK}It was raining.") + turn.format("assistant", "Es regnete.")
    assert asked(model) == f"<|begin_of_text|>{first}{after}"
    # Of the older segment there is no translation: it is in the first turn.
    older = ModelInput(GIVEN.source, ("Night fell.", "It was raining."), ("Es regnete.",))
    assert "understanding only:\nEnglish: Night fell.\n\nTranslate" in asked(model, older)
    assert asked(model, older).endswith(after)


def test_a_system_turn_comes_first_and_is_refused_where_the_template_takes_none(made, tmp_path: Path):
    file = tmp_path / "prompt.yaml"
    file.write_text("system: 'Translate into {{ target_language }}.'\nchat: '{{ source }}'\nplain: '{{ source }} ='\n")
    text = asked(open_model(f"lm:{made('qwen-3')},template={file}", PAIR))
    assert text.startswith("<|im_start|>system\nTranslate into German.<|im_end|>\n<|im_start|>user\nShe had")
    with pytest.raises(InputError, match=r"E280.*System role not supported"):
        open_model(f"lm:{made('gemma-3')},template={file}", PAIR)


def test_turns_need_a_template_of_turns(made):
    with pytest.raises(InputError, match=r"E272.*no chat template"):
        open_model(f"lm:{made('llama-3', False)},form=turns", PAIR)
    plain = open_model(f"lm:{made('llama-3')},form=plain", PAIR)
    assert asked(plain).endswith("English: She had no umbrella!\nGerman:")


def test_the_limit_is_that_of_the_text_part_and_of_the_tokenizer_where_there_is_none():
    tokenizer = SimpleNamespace(model_max_length=10**30)
    text = SimpleNamespace(max_position_embeddings=131_072, sliding_window=512, layer_types=["sliding_attention"] * 5)
    nested = SimpleNamespace(get_text_config=lambda decoder: text)
    assert prompting._longest(nested, tokenizer) == 131_072
    assert prompting._reach(nested) == 512
    text.layer_types.append("full_attention")
    assert prompting._reach(nested) > 131_072
    bare = SimpleNamespace(get_text_config=lambda decoder: SimpleNamespace(seq_length=2048))
    assert prompting._longest(bare, tokenizer) == 2048
    none = SimpleNamespace(get_text_config=lambda decoder: SimpleNamespace())
    assert prompting._longest(none, SimpleNamespace(model_max_length=512)) == 512
    assert prompting._longest(none, tokenizer) == 1024


def test_a_window_that_all_layers_slide_over_cuts_context_and_says_so(made):
    folder = made("mistral")
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = open_model(f"lm:{folder}", PAIR)
    assert model.score([GIVEN], [TARGET])[0].context.state == "whole"
    weights = AutoModelForCausalLM.from_pretrained(folder)
    alone = len(model.prompt(ModelInput(GIVEN.source)))
    weights.config.sliding_window = alone + 60
    prompts = model._prompts
    sliding = language_model.LanguageModel(weights, AutoTokenizer.from_pretrained(folder), prompts, "s", 512)
    assert sliding.score([GIVEN], [TARGET])[0].context.state == "lost"
