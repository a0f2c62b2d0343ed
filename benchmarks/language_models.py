"""Whether a language model's score is that of the text as the model would write it.

    python benchmarks/language_models.py [--updates 400]
    python benchmarks/language_models.py --families     # a table of families
    python benchmarks/language_models.py --weights      # adapters, 8 and 4 bits (peft, bitsandbytes, accelerate)
    python benchmarks/language_models.py --server http://localhost:8000/v1 --served NAME --folder FOLDER

A two-layer Llama learns documents of a toy language in the form of the plain prompt. No sentence says anything of
another, so that the true CXMI is 0. Its vocabulary is cut by Qwen's pattern, in which a full stop and the end of its
line are one token. The perplexity of a segment by `endophora` stands beside that of the same text cut and scored here.

With ``--families``: a table of families of models, made to their patterns with random weights. Chat, turns and plain:
the largest difference of a target's log-probability from that of the whole text cut and scored here. End: the tokens
that end an answer. Limit: tokens of prompt and target, and whether what is too long is refused. Thinking: what stands
between the model's turn and its answer.

``--weights``: the largest difference of a token's log-probability from what transformers and peft give alone, for the
same call. ``--server``: the same between ``completions:`` and ``lm:``, for a server that has the model of a folder.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "models"))

from families import FAMILIES, byte_level, make_family
from tiny_models import SENTENCES, enliven, make_hub, two_layers

from endophora.models.options import ModelOptions
from endophora.models.records import ModelInput
from endophora.models.specs import open_model

NOUNS = {"lamp": "Lampe", "cup": "Tasse", "book": "Heft", "moon": "Mond", "bridge": "Insel", "key": "Bein"}
VERBS = {"shines": "scheint", "falls": "sinkt", "waits": "wartet", "sings": "singt"}


def sentence(draw: random.Random) -> tuple[str, str]:
    """Return a sentence of the toy language and its translation."""
    noun, verb = draw.choice(list(NOUNS)), draw.choice(list(VERBS))
    return f"The {noun} {verb}.", f"{NOUNS[noun]} {VERBS[verb]}."


def written(pairs: list[tuple[str, str]]) -> str:
    """Return a document as the plain prompt writes it."""
    return "".join(f"English: {source}\nGerman: {target}\n" for source, target in pairs)


def train(folder: Path, updates: int, draw: random.Random) -> None:
    """Write a model that has learned the toy language."""
    from transformers import PreTrainedTokenizerFast

    family = FAMILIES["qwen-3"]
    texts = [written([sentence(draw) for _ in range(4)]) for _ in range(2000)]
    inner = byte_level(family.special, str(family.pattern), texts)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token=family.eos, pad_token=family.special[0])
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    model = two_layers(len(tokenizer), 96, 192)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for update in range(updates):
        # Documents begin anywhere, as a prompt does with each size of its context.
        chosen = [written([sentence(draw) for _ in range(draw.randint(1, 4))]) for _ in range(16)]
        batch = tokenizer(chosen, padding=True, return_tensors="pt", padding_side="right")
        labels = batch["input_ids"].masked_fill(batch["attention_mask"] == 0, -100)
        loss = model(**batch, labels=labels).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * (1 - update / updates)
    model.save_pretrained(folder)


def by_hand(tokenizer: Any, model: Any, before: str, line: str) -> tuple[float, int]:
    """Return the log-probability of a line behind a text, and its number of tokens."""
    cut = tokenizer(before + line, add_special_tokens=False, return_offsets_mapping=True)
    ids, first = cut["input_ids"], next(i for i, span in enumerate(cut["offset_mapping"]) if span[1] > len(before))
    with torch.no_grad():
        scores = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return float(sum(scores[place - 1, ids[place]] for place in range(first, len(ids)))), len(ids) - first


PAIR = ModelOptions(languages=("en", "de"), device="cpu")
EARLIER = [("It was raining.", "Es regnete."), ("Night fell.", "Es wurde Nacht.")]
NOW = ("She had no umbrella!", "Sie hatte keinen Schirm.")


def families(place: Path) -> None:
    """Print the table of families."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    print("| model | chat | turns | plain | end of turn | limit | thinking |\n|---|---|---|---|---|---|---|")
    for name, family in FAMILIES.items():
        folder, bare = make_family(place / name, name), make_family(place / f"{name}-bare", name, chat=False)
        hand = {one: (AutoTokenizer.from_pretrained(one), AutoModelForCausalLM.from_pretrained(one).eval())
                for one in (folder, bare)}  # fmt: skip
        cells: list[str] = []
        for form, one in (("chat", folder), ("turns", folder), ("plain", bare)):
            model: Any = open_model(f"lm:{one},form={form}", PAIR)
            gaps: list[float] = []
            for size in (0, 1, 2):
                pairs = EARLIER[:size]
                given = ModelInput(NOW[0], tuple(one for one, _ in pairs), tuple(two for _, two in pairs))
                (found,) = model.score([given], [NOW[1]])
                before, after = model._around(given)
                ahead = hand[one][0].decode(model._start) if form == "plain" else ""
                # The blank before a word is a part of its token.
                blank = " " if form == "plain" else before[len(before.rstrip(" ")) :]
                line = f"{blank}{NOW[1]}{family.answered[1] if form != 'plain' else after}"
                gaps.append(abs(by_hand(*hand[one], ahead + before.rstrip(" "), line)[0] - found.total))
            cells.append(f"{max(gaps):.0e}")
        model = open_model(f"lm:{folder}", PAIR)
        ends = " ".join(f"`{model.coder.piece(index)}`" for index in model._ends)
        refused = model.fit([ModelInput("word " * model.longest)], [NOW[1]])[0].excess
        thought = model.prompt(ModelInput(NOW[0]))
        shown = "off" if "</think>" in model._tokenizer.decode(thought) else "none" * ("think" not in family.template)
        print(f"| {name} | {' | '.join(cells)} | {ends} | {model.longest}{', refused' * bool(refused)} | {shown} |")
    for name in ("nllb", "t5", "marian"):
        gap = encoder_decoder(make_hub(place / name, name), name)
        model = open_model(f"hf:{place / name}", PAIR)
        refused = model.fit([ModelInput("word " * model.layout.longest)], [NOW[1]])[0].excess
        limit = f"{model.layout.longest}{', refused' * bool(refused)}"
        print(f"| {name} | {gap:.0e} (no prompt) | – | – | `</s>` | {limit} | – |")


def encoder_decoder(folder: Path, name: str) -> float:
    """Return how far a target's log-probability is from that of transformers alone."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    tokenizer, plain = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    if name == "nllb":
        tokenizer.src_lang, tokenizer.tgt_lang = "eng_Latn", "deu_Latn"
    prefix = "<2de> " if name == "t5" else ""
    cut = tokenizer(prefix + SENTENCES[1], text_target=SENTENCES[3], return_tensors="pt")
    with torch.no_grad():
        scores = plain(input_ids=cut["input_ids"], labels=cut["labels"]).logits[0].double().log_softmax(-1)
    labels = cut["labels"][0].tolist()
    known = int(name == "nllb")  # the language is given
    whole = float(sum(scores[place, index] for place, index in enumerate(labels) if place >= known))
    options = f",prefix={prefix}" * bool(prefix)
    (found,) = open_model(f"hf:{folder}{options}", PAIR).score([ModelInput(SENTENCES[1])], [SENTENCES[3]])
    return abs(whole - found.total)


GIVEN = [ModelInput(NOW[0], *zip(*EARLIER[:size], strict=True)) if size else ModelInput(NOW[0]) for size in (0, 1, 2)]


def weights(place: Path) -> None:
    """Print how far adapters, 8 and 4 bits and a shared out model are from transformers and peft alone."""
    from peft import LoraConfig, PeftModel, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    folder, adapter = make_family(place / "llama-3", "llama-3", chat=False), place / "adapter"
    size = len(AutoTokenizer.from_pretrained(folder))
    bare = two_layers(size, 128, 256)  # 4 bits come in blocks of 64
    enliven(bare)
    bare.save_pretrained(folder)
    load: Any = AutoModelForCausalLM.from_pretrained
    added = get_peft_model(load(folder), LoraConfig(r=4, target_modules=["q_proj", "up_proj"], task_type="CAUSAL_LM"))
    torch.manual_seed(1)
    for name, values in added.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(values, std=0.1)
    added.save_pretrained(adapter)
    bits = {one: BitsAndBytesConfig(**{f"load_in_{one}": True}) for one in ("8bit", "4bit")}
    hand = {
        "": load(folder),
        f",adapter={adapter}": PeftModel.from_pretrained(load(folder), adapter),
        **{f",weights={one}": load(folder, quantization_config=how, device_map="cpu") for one, how in bits.items()},
        ",device_map=auto": load(folder, device_map="auto"),
    }
    whole = open_model(f"lm:{folder},form=plain", PAIR).score(GIVEN, [NOW[1]] * 3)
    for options, alone in hand.items():
        model: Any = open_model(f"lm:{folder},form=plain{options}", PAIR)
        gaps, moved = [], []
        for given, without in zip(GIVEN, whole, strict=True):
            (one,), (found,) = model.encode([given], [NOW[1]]), model.score([given], [NOW[1]])
            with torch.no_grad():
                scores = alone.eval()(torch.tensor([[*one.prefix, *one.target[:-1]]])).logits[0].float().log_softmax(-1)
            said = [float(scores[len(one.prefix) + at - 1, index]) for at, index in enumerate(one.target)]
            gaps.append(max(abs(a - b) for a, b in zip(said, found.logprobs, strict=True)))
            moved.append(abs(found.logprobs - without.logprobs).max())
        tokens = sum(len(found.logprobs) for found in whole)
        named = options[1:].partition("/")[0] or "as it is"
        print(f"{named}: {max(gaps):.0e}; from the bare model {max(moved):.0e}; {tokens} tokens")


def server(address: str, served: str, folder: str) -> None:
    """Print how far a server's figures are from those of the same model here."""
    here = open_model(f"lm:{folder},form=plain", PAIR).score(GIVEN, [NOW[1]] * 3)
    for asked in ("prompt", "echo"):
        spec = f"completions:{served},address={address},tokenizer={folder},form=plain,logprobs={asked}"
        there = open_model(spec, PAIR).score(GIVEN, [NOW[1]] * 3)
        gaps = [abs(one.logprobs - two.logprobs).max() for one, two in zip(here, there, strict=True)]
        print(f"{asked}: {max(gaps):.0e} at most, {sum(len(one.logprobs) for one in here)} tokens")


def main() -> None:
    """Print the table."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--families", action="store_true")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--server", help="its address")
    parser.add_argument("--served", help="the model's name there")
    parser.add_argument("--folder", help="the model and its tokenizer")
    arguments = parser.parse_args()
    if arguments.server:
        server(arguments.server, arguments.served, arguments.folder)
        return
    if arguments.families or arguments.weights:
        with tempfile.TemporaryDirectory() as place:
            (families if arguments.families else weights)(Path(place))
        return
    updates: int = arguments.updates
    draw = random.Random(7)  # noqa: S311
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "toy"
        train(folder, updates, draw)
        documents = [[sentence(draw) for _ in range(3)] for _ in range(48)]
        hand = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder).eval()
        model = open_model(f"lm:{folder},form=plain", ModelOptions(languages=("en", "de")))
        print("context    perplexity by hand    by endophora    log-probability of a segment, by hand, by endophora")
        means: list[float] = []
        for size in (0, 2):
            own = [by_hand(*hand, f"{written(one[2 - size : 2])}English: {one[2][0]}\nGerman:", f" {one[2][1]}\n")
                   for one in documents]  # fmt: skip
            inputs = [
                ModelInput(one[2][0], tuple(p[0] for p in one[2 - size : 2]), tuple(p[1] for p in one[2 - size : 2]))
                for one in documents
            ]
            scored = model.score(inputs, [one[2][1] for one in documents])
            sums = (sum(total for total, _ in own), sum(one.total for one in scored))
            tokens = (sum(count for _, count in own), sum(len(one.logprobs) for one in scored))
            ppl = [math.exp(-total / count) for total, count in zip(sums, tokens, strict=True)]
            means.append(sums[1] / len(documents))
            print(f"{size}          {ppl[0]:18.4f} {ppl[1]:15.4f} {sums[0] / 48:42.4f} {means[-1]:10.4f}")
        print(f"CXMI of two segments, true value 0: {means[1] - means[0]:.4f}")


if __name__ == "__main__":
    main()
