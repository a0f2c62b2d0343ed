"""What opens a model, and what is said to a spec or a folder that is none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")

from endophora.errors import EndophoraError, InputError, MissingModelError
from endophora.models import loading, specs
from endophora.models.layout import Architecture
from endophora.models.options import ModelOptions, read_spec
from endophora.models.prompting import prompt_template
from endophora.models.specs import KINDS, known_kinds, open_model, open_scorer, open_translator


def codes(error: EndophoraError) -> list[str]:
    return [fault.code for fault in error.faults]


def test_kinds_are_those_of_the_documentation():
    assert tuple(KINDS) == ("own", "hf", "lm", "ct2", "vllm")
    assert known_kinds() == (*KINDS, "completions", "deepl", "google", "google-basic", "openai")
    for kind in KINDS:
        assert callable(KINDS.get(kind))


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("nowhere", "E271"),
        ("xy:thing", "E090"),
        ("hf:x,colour=red", "E272"),
        ("hf:x,precision=float8", "E272"),
        ("hf:x,device=cpu,device=cpu", "E272"),
        ("own:nowhere", "E275"),
        ("ct2:nowhere", "E279"),
        ("lm:x,separator=<brk>", "E272"),
    ],
)
def test_specs_that_name_nothing_are_told(spec: str, code: str):
    with pytest.raises(EndophoraError) as caught:
        open_model(spec)
    assert code in codes(caught.value)


def test_options_in_a_spec_come_before_others():
    name, options = read_spec(
        "hf:a/b,separator=<brk>,languages=en-fr", ModelOptions(languages=("en", "de"), device="cpu")
    )
    assert name == "hf:a/b"
    assert (options.separator, options.languages, options.device) == ("<brk>", ("en", "fr"), "cpu")
    with pytest.raises(InputError) as caught:
        read_spec("x,colour=1,batch_tokens=0", ModelOptions())
    assert codes(caught.value) == ["E272", "E272"]


def test_a_folder_says_how_it_takes_context_and_can_be_told_otherwise(folders):
    assert open_model(str(folders["concatenation"])).layout.architecture is Architecture.CONCATENATION
    other = open_model(f"{folders['concatenation']},architecture=source-concatenation")
    assert other.layout.architecture is Architecture.SOURCE_CONCATENATION
    assert "trained concatenation" in other.signature
    with pytest.raises(InputError, match="E272"):
        open_model(f"{folders['sentence']},architecture=multi-encoder")
    with pytest.raises(InputError, match="E272"):
        open_model(f"{folders['sentence']},precision=int8")
    with pytest.raises(InputError, match="E284"):
        open_model(f"{folders['sentence']},device=cuda:77")


def test_separators_are_tokens_or_text(folders):
    assert open_model(str(folders["sentence"])).layout.separator == (2,)
    assert open_model(f"{folders['sentence']},separator=").layout.separator == ()
    assert open_model(f"hf:{folders['marian']}").layout.separator == ()
    assert open_model(f"hf:{folders['marian']},separator=<brk>").layout.separator == (2,)
    assert len(open_model(f"hf:{folders['marian']},separator=the mat").layout.separator) > 1


def test_signatures_tell_models_and_settings_apart(folders):
    specs = [str(folders["sentence"]), str(folders["concatenation"]), f"{folders['sentence']},separator=the"]
    specs += [f"{folders['sentence']},precision=bfloat16", f"hf:{folders['nllb']},languages=en-de"]
    specs += [
        f"hf:{folders['nllb']},languages=en-fr",
        f"lm:{folders['llama']}",
        f"lm:{folders['llama']},languages=en-de",
    ]
    signatures = [open_model(spec).signature for spec in specs]
    assert len(set(signatures)) == len(signatures)


def test_languages_are_found_by_their_codes(folders):
    english_french = ModelOptions(languages=("en", "fr"))
    for kind, token in (("m2m100", "__fr__"), ("nllb", "fra_Latn"), ("mbart50", "fr_XX")):
        model = open_model(f"hf:{folders[kind]}", english_french)
        assert [model.coder.piece(index) for index in model.layout.target_start] == [token]
    assert open_model(f"hf:{folders['nllb']},languages=en-zh").layout.target_start == (
        open_model(f"hf:{folders['nllb']},languages=en-de,target_code=zho_Hans").layout.target_start
    )
    for spec in (
        f"hf:{folders['nllb']}",
        f"hf:{folders['nllb']},languages=en-xx",
        f"hf:{folders['m2m100']},source_code=q",
    ):
        with pytest.raises(InputError, match="E276"):
            open_model(spec)


def test_weights_that_can_run_code_are_refused(folders, tmp_path: Path):
    folder = tmp_path / "model"
    shutil.copytree(folders["marian"], folder)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    for spec in (str(folder), f"hf:{folder}", f"lm:{folder}"):
        with pytest.raises(EndophoraError) as caught:
            open_model(spec)
        assert codes(caught.value) in (["E274"], ["E275"])
        assert caught.value.exit_code in (2, 3)
    with pytest.raises(MissingModelError, match="safetensors"):
        open_model(f"hf:{folder}")


def test_code_that_comes_with_a_model_is_not_run(folders, tmp_path: Path):
    folder = tmp_path / "model"
    shutil.copytree(folders["marian"], folder)
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "evil", "auto_map": {"AutoConfig": "evil.Evil", "AutoModelForSeq2SeqLM": "evil.Evil"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nclass Evil: pass\n")
    with pytest.raises(InputError, match="E275"):
        open_model(f"hf:{folder}")
    assert not (tmp_path / "ran").exists()


def test_broken_weights_are_told(folders, tmp_path: Path):
    folder = tmp_path / "model"
    shutil.copytree(folders["sentence"], folder)
    (folder / "model.safetensors").write_bytes(b"x" * 100)
    with pytest.raises(InputError, match="E275"):
        open_model(str(folder))
    (folder / "config.json").write_text("{")
    with pytest.raises(InputError, match="E275"):
        open_model(str(folder))


def test_a_missing_library_is_told_with_the_command(folders, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(loading, "find_spec", lambda name: None)
    for spec in (str(folders["sentence"]), f"hf:{folders['marian']}", f"lm:{folders['llama']}"):
        with pytest.raises(MissingModelError, match=r"E273.*pip install 'endophora\[neural\]'"):
            open_model(spec)


def test_the_shipped_model_is_found_by_its_entry_point(folders, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(specs, "shipped_models", list)
    with pytest.raises(MissingModelError, match=r"E278.*pip install endophora-model-en-de"):
        open_model("default")
    shipped = [specs.Shipped("en-de", folders["concatenation"], "endophora-model-en-de 1")]
    monkeypatch.setattr(specs, "shipped_models", lambda: shipped)
    assert open_model("small").layout.architecture is Architecture.CONCATENATION
    assert open_scorer("default", ModelOptions(languages=("en", "de")))
    with pytest.raises(MissingModelError, match=r"E278.*there is en-de.*train model --languages en-fr") as caught:
        open_model("default", ModelOptions(languages=("en", "fr")))
    assert "pip install" not in str(caught.value)


def test_an_installed_distribution_brings_its_folder(folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from importlib.metadata import EntryPoint

    package = tmp_path / "endophora_model_xx"
    shutil.copytree(folders["sentence"], package)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    points = [EntryPoint("en-xx", "endophora_model_xx", specs.GROUP), EntryPoint("a-b", "not_there", specs.GROUP)]
    monkeypatch.setattr(specs, "entry_points", lambda group: points)
    assert specs.shipped_models() == [specs.Shipped("en-xx", package, "")]


def test_what_cannot_score_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(KINDS._entries, "mute", lambda argument, options: object())
    for opened in (open_scorer, open_translator):
        with pytest.raises(InputError, match="E277"):
            opened("mute:x")


def test_a_prompt_of_the_users_own(folders, tmp_path: Path):
    file = tmp_path / "prompt.yaml"
    file.write_text(
        "chat: '{{ source }}'\n"
        "plain: |\n  {% for one in context %}\n  {{ one.target }}/\n  {% endfor %}\n  {{ source }} =\n"
    )
    template = prompt_template(file)
    assert template.fill("plain", {"source": "s", "context": [{"source": "a", "target": "b"}]}) == "b/\ns =\n"
    own = open_model(f"lm:{folders['llama']},template={file}")
    assert own.signature != open_model(f"lm:{folders['llama']}").signature


@pytest.mark.parametrize(
    "text", ["chat: x\nplain: y\n", "chat: '{{ source }}'\n", "chat: '{{ a }}'\nplain: '{{ source'\n", "[", "- a\n"]
)
def test_prompts_that_are_none_are_told(tmp_path: Path, text: str):
    file = tmp_path / "prompt.yaml"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        prompt_template(file)
    assert set(codes(caught.value)) == {"E280"}


LANGUAGES = ("source_language", "target_language")


def test_text_in_a_prompt_is_never_a_template():
    template = prompt_template()
    assert "{{ 7 * 7 }}" in template.fill(
        "plain", {"source": "{{ 7 * 7 }}", "context": [], "target": "", **dict.fromkeys(LANGUAGES, "German")}
    )
