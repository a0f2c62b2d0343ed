"""A task through models of the Hugging Face library: CXMI is what the bare model says, whichever kind it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from endophora.context.cxmi import CxmiOptions, measure_cxmi
from endophora.context.samples import read_tasks
from endophora.models.records import Sides

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")

TASKS = [
    {"input": "Who came?", "context": ["Ann rang.", "She was late."], "output": "Ann came late."},
    {"input": "When?", "context": [], "output": "At noon."},
    {"input": "And then?", "context": "She left.", "output": "Nobody knows."},
]
TEMPLATE = """\
plain: |
  {% for segment in context %}
  {{ segment.source }}
  {% endfor %}
  {{ source }}
  Answer:
chat: |-
  {{ source }}
"""


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(task) + "\n" for task in TASKS), "utf-8")
    return path


@pytest.fixture
def language_model(tmp_path: Path) -> Path:
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator([json.dumps(TASKS)], vocab_size=300, special_tokens=["<s>", "</s>"])
    folder = tmp_path / "model"
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizer._tokenizer, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    )
    fast.save_pretrained(folder)
    torch.manual_seed(3)
    sizes = {"n_embd": 32, "n_layer": 2, "n_head": 2, "n_positions": 256}
    config = transformers.GPT2Config(vocab_size=len(fast), bos_token_id=0, eos_token_id=1, **sizes)
    transformers.GPT2LMHeadModel(config).save_pretrained(folder)
    (tmp_path / "template.yaml").write_text(TEMPLATE, "utf-8")
    return folder


def test_a_decoder_only_model_measures_a_task(tasks: Path, language_model: Path):
    from endophora.models.specs import open_scorer

    scorer = open_scorer(f"lm:{language_model},template={language_model.parent / 'template.yaml'}")
    done = measure_cxmi(read_tasks(tasks), scorer, CxmiOptions(sides=(Sides.SOURCE,), size=2, resamples=100))
    tokenizer = transformers.AutoTokenizer.from_pretrained(language_model)
    model = transformers.AutoModelForCausalLM.from_pretrained(language_model).eval()

    def told(prompt: str, output: str) -> float:
        before = tokenizer(prompt, add_special_tokens=False).input_ids
        after = tokenizer(output, add_special_tokens=False).input_ids
        with torch.no_grad():
            logits = model(torch.tensor([[*before, *after]])).logits[0].log_softmax(-1)
        return sum(float(logits[len(before) + place - 1, token]) for place, token in enumerate(after))

    # The last sub-word is the end, which a prompt's template defines; the words are all the others.
    for one, task in zip(done.pointwise, TASKS, strict=True):
        context = task["context"] if isinstance(task["context"], list) else [task["context"]]
        rest = f"{task['input']}\nAnswer:\n"
        given = told("".join(f"{text}\n" for text in context) + rest, task["output"])
        alone = told(rest, task["output"])
        assert one.base_words.sum() == pytest.approx(alone, abs=1e-3)
        assert one.words[1].sum() == pytest.approx(given - alone, abs=1e-3)
    assert done.pointwise[1].totals.tolist() == [0, 0]
