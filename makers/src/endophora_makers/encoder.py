"""Trains the encoder of the pronoun resolver, from a BERT of few layers on disk.

``python -m endophora_makers.encoder train BASE GUM …`` makes the shipped file. ``BASE`` is the folder of
sentence-transformers/all-MiniLM-L6-v2 (Wang et al. 2020; Apache-2.0), of which the first layers and the most frequent
pieces of words are taken. It learns from what the ranker's weights are learned from, and besides from *he, she* and
nouns where all chains are known. The ranker's own scores are added while it learns, each text's by weights that have
not seen it, so that it learns what these lack.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import torch
import typer
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertModel

from endophora.annotate.loading import load_annotator
from endophora.annotate.weights import row_steps
from endophora.corefer.encoder import DISTANCES, Window, WordPieces, distance_of, read_encoder, windows
from endophora.corefer.mentions import Lexicon, find_mentions, load_lexicon, read_discourse
from endophora.corefer.ranker import LEAST_WEIGHT, Ranker, load_weights
from endophora.training.parallel import read_pairs
from endophora_makers.askers import gold_asker
from endophora_makers.gum import GoldDocument, read_gum
from endophora_makers.logistic_fit import fit_choices
from endophora_makers.resolver import (
    CLOSED_GENRES,
    FOLDS,
    TEMPERATURES,
    WEIGHTS,
    Annotations,
    Example,
    Gum,
    Learned,
    Settings,
    annotate_gold,
    evaluate_resolver,
    examples,
    learn_types,
    opened,
    read_further,
)

ENCODER = WEIGHTS.with_name("en-encoder.npz")
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]")
PRONOUN, PERSON, NOUN = range(3)
LEVELS = 15
"""Values of either sign that a weight of a matrix may have."""


@dataclass(frozen=True, slots=True)
class Training:
    """The settings of training.

    Attributes:
        layers: how many of the base's layers are kept, from below.
        pieces: how many pieces of words are.
        hidden: width of the layer that compares two vectors.
        batch: pieces of text in a step.
        rate: of learning, for the encoder; ``new`` for the layers that are new.
        others: how much a case of *he, she* or a noun counts, and ``most`` how many of a window are taken at a time.
        empties: how much it counts whether a pronoun refers to nothing.
    """

    layers: int = 4
    pieces: int = 8000
    hidden: int = 192
    epochs: float = 1.5
    batch: int = 2048
    length: int = 256
    before: int = 96
    rate: float = 1e-4
    new: float = 1e-3
    others: float = 0.3
    most: int = 12
    empties: float = 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """A mention to learn from.

    Attributes:
        index: of its token in the document.
        heads: indices of its candidates' heads.
        right: whether each candidate is right, and last "outside"; none if nothing is to be learned of them.
        scores: what the ranker's weights say of each, and of "outside"; none for other mentions than pronouns.
        empty: whether it refers to nothing; ``None`` for a form that never does so.
    """

    kind: int
    index: int
    heads: Sequence[int]
    right: Sequence[bool] = ()
    scores: Sequence[float] = ()
    empty: bool | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A document to learn from: its tokens, the segment of each, and its cases."""

    words: Sequence[str]
    segments: Sequence[int]
    cases: Sequence[Case]
    weight: float


def read_cases(sources: Sequence[Learned], types: Any, lexicon: Lexicon, settings: Settings) -> list[Text]:
    """Return texts with their cases; the ranker's scores of a text are by weights learned on others."""
    found = [list(examples(s.texts, s.asker, lexicon, types, settings.window)) for s in sources]
    texts: list[Text] = []
    for fold in range(FOLDS):
        seen = [
            replace(example.instance, weight=source.weight)
            for place, (source, some) in enumerate(zip(sources, found, strict=True))
            for example in some
            if place % FOLDS != fold and example.instance
        ]
        weights = fit_choices(seen, least=settings.least, penalty=settings.penalty)
        weights = {name: value for name, value in weights.items() if abs(value) >= LEAST_WEIGHT}
        for source, some in list(zip(sources, found, strict=True))[fold::FOLDS]:
            row = read_discourse(source.texts)
            cases = list(_others(source, lexicon, settings.window)) if source.whole else []
            cases += [_pronoun(example, weights) for example in some if example.heads]
            # A text that counts little in the ranker, whose features are few, counts more where there are more weights.
            texts.append(Text([token.form for token in row.tokens], row.segment, cases, source.weight**0.5))
    return texts


def _pronoun(example: Example, weights: Mapping[str, float]) -> Case:
    """Return the case of a pronoun, with its scores by the ranker's weights."""
    empty = example.empty if example.features else None
    if example.instance is None:
        return Case(PRONOUN, example.index, example.heads, empty=empty)
    scores = [sum(weights.get(name, 0.0) for name in features) for features in example.instance.rows]
    return Case(PRONOUN, example.index, example.heads, example.instance.right, scores, empty)


def _others(source: Learned, lexicon: Lexicon, window: int) -> Iterator[Case]:
    """Yield the persons and nouns of a text that belong to a chain."""
    row = read_discourse(source.texts)
    mentions = find_mentions(row, lexicon)
    chains, _ = source.asker(row, mentions)
    for mention in mentions:
        own = chains.get((mention.index, mention.coordinated), set())
        if mention.group or not own:
            continue
        before = [m for m in mentions[: mention.order] if mention.segment - m.segment <= window][::-1]
        right = [not own.isdisjoint(chains.get((m.index, m.coordinated), ())) for m in before]
        if before:
            heads = [m.index for m in before]
            yield Case(PERSON if mention.person else NOUN, mention.index, heads, [*right, not any(right)])


class Network(nn.Module):
    """The encoder as it is trained; what it computes is what ``endophora.corefer.encoder`` does."""

    def __init__(self, base: BertModel, rows: Sequence[int], training: Training) -> None:
        super().__init__()
        bert = cast("Any", base)
        bert.encoder.layer = bert.encoder.layer[: training.layers]
        embeddings = bert.embeddings.word_embeddings.weight.data[torch.tensor(rows)].clone()
        # What the base knows of words stays: these texts have too few of them to learn it.
        bert.embeddings.word_embeddings = cast("Any", nn.Embedding).from_pretrained(embeddings)
        bert.embeddings.position_embeddings.weight.requires_grad = False
        self.bert = bert
        size, hidden = embeddings.shape[1], training.hidden
        self.pronoun, self.candidate, self.both = (nn.Linear(size, hidden) for _ in range(3))
        self.distances, self.kinds = nn.Embedding(DISTANCES, hidden), nn.Embedding(3, hidden)
        self.pair, self.drop = nn.Linear(hidden, 1), nn.Dropout(0.1)
        self.outside = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, 3))
        self.empty = nn.Sequential(nn.Linear(size, hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.share, self.gone = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(0.0))
        for layer in (self.pair, self.outside[2]):
            nn.init.zeros_(cast("Any", layer).weight)
            nn.init.zeros_(cast("Any", layer).bias)

    def forward(self, batch: Sequence[Window], cases: Sequence[tuple[int, Case]]) -> tuple[list[Tensor], Tensor]:
        """Return of each case the scores of its candidates and "outside"; of all, the log-odds of referring to nothing.

        A case is given with the place of its window in the batch.
        """
        longest = max(len(window.pieces) for window in batch)
        pieces = torch.zeros(len(batch), longest, dtype=torch.long)
        for place, window in enumerate(batch):
            pieces[place, : len(window.pieces)] = torch.tensor(window.pieces)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            vectors = self.bert(pieces, attention_mask=(pieces > 0).long()).last_hidden_state
        flat = vectors.float().reshape(-1, vectors.shape[2])
        spans = [batch[place].words[case.index] for place, case in cases]
        own = _means(flat, [place * longest for place, _ in cases], spans)
        starts: list[int] = []
        theirs: list[tuple[int, int]] = []
        owner: list[int] = []
        distances: list[int] = []
        inside: list[int] = []
        for row, (place, case) in enumerate(cases):
            words = batch[place].words
            for column, head in enumerate(case.heads):
                if head in words:
                    starts.append(place * longest)
                    theirs.append(words[head])
                    owner.append(row)
                    distances.append(distance_of(spans[row][0] - words[head][0]))
                    inside.append(column)
        kinds = torch.tensor([case.kind for _, case in cases])
        rows = torch.tensor(owner, dtype=torch.long)
        other = _means(flat, starts, theirs)
        hidden = self.pronoun(own)[rows] + self.candidate(other) + self.both(own[rows] * other)
        hidden = hidden + self.distances(torch.tensor(distances, dtype=torch.long)) + self.kinds(kinds[rows])
        pairs = self.pair(self.drop(torch.relu(hidden)))[:, 0]
        outside = self.outside(own)[torch.arange(len(cases)), kinds]
        scores = torch.zeros(len(cases), max(len(case.heads) for _, case in cases)) + self.gone
        scores = scores.index_put((rows, torch.tensor(inside, dtype=torch.long)), pairs)
        found = [torch.cat([scores[r, : len(c.heads)], outside[r : r + 1]]) for r, (_, c) in enumerate(cases)]
        return found, self.empty(own)[:, 0]


def _means(flat: Tensor, starts: Sequence[int], spans: Sequence[tuple[int, int]]) -> Tensor:
    """Return the mean of each span of rows; ``starts`` are added to its places."""
    places = [start + piece for start, span in zip(starts, spans, strict=True) for piece in range(*span)]
    owner = [row for row, span in enumerate(spans) for _ in range(*span)]
    sums = torch.zeros(len(spans), flat.shape[1]).index_add(0, torch.tensor(owner, dtype=torch.long), flat[places])
    return sums / torch.tensor([[float(end - start)] for start, end in spans]).reshape(-1, 1)


@dataclass(frozen=True, slots=True)
class Lesson:
    """A window with its pronouns and the other mentions in it."""

    window: Window
    pronouns: Sequence[Case]
    others: Sequence[Case]
    weight: float


def lessons_of(texts: Iterable[Text], pieces_of: WordPieces, training: Training) -> list[Lesson]:
    """Return the windows of the pronouns of texts."""
    found: list[Lesson] = []
    for text in texts:
        pronouns = {case.index: case for case in text.cases if case.kind == PRONOUN}
        others = [case for case in text.cases if case.kind != PRONOUN]
        for window in windows(
            text.words, text.segments, pronouns, pieces_of, length=training.length, before=training.before
        ):
            # Of a mention near the start of the window most candidates are outside.
            least = min(training.before, len(window.pieces) // 3)
            inside = [case for case in others if case.index in window.words and window.words[case.index][0] > least]
            known = [c for c in inside if c.right[-1] or any(map(window.words.__contains__, _right(c)))]
            found.append(Lesson(window, [pronouns[index] for index in window.asked], known, text.weight))
    return found


def _right(case: Case) -> list[int]:
    return [head for head, right in zip(case.heads, case.right, strict=False) if right]


def train(network: Network, lessons: Sequence[Lesson], training: Training) -> None:
    """Train a network in place."""
    order = list(lessons)
    steps = int(len(_batches(order, training.batch)) * training.epochs)
    old = [p for name, p in network.named_parameters() if name.startswith("bert.") and p.requires_grad]
    new = [p for name, p in network.named_parameters() if not name.startswith("bert.")]
    groups: list[dict[str, Any]] = [{"params": old, "lr": training.rate}, {"params": new, "lr": training.new}]
    optimizer: Any = torch.optim.AdamW(groups, weight_decay=0.01)
    rises = 0.06 * steps
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / rises, max(0.0, (steps - step) / (steps - rises)))
    )
    network.train()
    step, losses = 0, list[float]()
    while step < steps:
        for batch in _batches(order, training.batch)[: steps - step]:
            loss: Any = _loss(network, batch, training)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step, losses = step + 1, [*losses[-99:], loss.item()]
            if step % 50 == 0:
                typer.echo(f"step {step} of {steps}: loss {sum(losses) / len(losses):.3f}", err=True)


def _batches(order: list[Lesson], size: int) -> list[list[Lesson]]:
    """Return lessons in a new order, those of like length together, as many as ``size`` pieces."""
    random.shuffle(order)
    found: list[list[Lesson]] = []
    for start in range(0, len(order), 400):
        found.append([])
        for lesson in sorted(order[start : start + 400], key=lambda lesson: len(lesson.window.pieces)):
            if found[-1] and len(lesson.window.pieces) * (len(found[-1]) + 1) > size:
                found.append([])
            found[-1].append(lesson)
    random.shuffle(found)
    return found


def _loss(network: Network, batch: Sequence[Lesson], training: Training) -> Tensor:
    """Return minus the log of the summed share of what is right, a pronoun, as the ranker's own loss."""
    cases = [(place, case, lesson.weight) for place, lesson in enumerate(batch) for case in lesson.pronouns]
    for place, lesson in enumerate(batch):
        some = random.sample(list(lesson.others), min(len(lesson.others), training.most))
        cases += [(place, case, lesson.weight * training.others) for case in some]
    found, empties = network([lesson.window for lesson in batch], [(place, case) for place, case, _ in cases])
    loss = torch.zeros(())
    for (_, case, weight), scores, empty in zip(cases, found, empties, strict=True):
        if case.empty is not None:
            said = functional.binary_cross_entropy_with_logits(empty, torch.tensor(float(case.empty)))
            loss = loss + training.empties * weight * said
        if case.right:
            whole = scores + network.share * torch.tensor(case.scores) if case.scores else scores
            loss = loss + weight * (whole.logsumexp(0) - whole[torch.tensor(case.right)].logsumexp(0))
    return loss / max(1, sum(bool(case.scores) for _, case, _ in cases))


def write_encoder(network: Network, vocabulary: Sequence[str], longest: int, path: Path) -> None:
    """Write a trained network as the package reads it: matrices in whole numbers, with a step a row."""
    state = {name: values.detach().float().numpy() for name, values in network.state_dict().items()}
    arrays: dict[str, Any] = {
        "words": state["bert.embeddings.word_embeddings.weight"],
        "positions": state["bert.embeddings.position_embeddings.weight"][:longest]
        + state["bert.embeddings.token_type_embeddings.weight"][:1],
        "distances": state["distances.weight"],
        "gone": state["gone"],
        "share": state["share"],
        "temperature": np.array(1.0),
    }

    def put(name: str, *layers: str) -> None:
        arrays[name] = np.concatenate([state[f"{layer}.weight"] for layer in layers])
        arrays[f"{name}.bias"] = np.concatenate([state[f"{layer}.bias"] for layer in layers])

    put("norm", "bert.embeddings.LayerNorm")
    for number in range(len(network.bert.encoder.layer)):
        layer = f"bert.encoder.layer.{number}"
        put(f"{number}.three", *(f"{layer}.attention.self.{name}" for name in ("query", "key", "value")))
        put(f"{number}.out", f"{layer}.attention.output.dense")
        put(f"{number}.norm", f"{layer}.attention.output.LayerNorm")
        put(f"{number}.wide", f"{layer}.intermediate.dense")
        put(f"{number}.narrow", f"{layer}.output.dense")
        put(f"{number}.last", f"{layer}.output.LayerNorm")
    for name in ("pronoun", "candidate", "both", "pair"):
        put(name, name)
    arrays["pronoun.bias"] = arrays["pronoun.bias"] + state["kinds.weight"][PRONOUN]
    for name in ("outside", "empty"):
        put(f"{name}.hidden", f"{name}.0")
        put(name, f"{name}.2")
    for part in ("outside", "outside.bias"):
        arrays[part] = arrays[part][PRONOUN : PRONOUN + 1]
    for name, values in list(arrays.items()):
        if values.ndim == 2 and min(values.shape) > DISTANCES:
            arrays[f"{name}.step"] = step = row_steps(values, LEVELS)
            arrays[name] = np.rint(values / step.astype(np.float32)[:, None]).astype(np.int8)
        else:
            arrays[name] = values.astype(np.float16)
    arrays["vocabulary"] = np.frombuffer("\n".join(vocabulary).encode(), np.uint8)
    np.savez_compressed(path, allow_pickle=False, **arrays)


def calibrate(path: Path, documents: Sequence[GoldDocument], annotations: Annotations) -> None:
    """Write into an encoder's file the temperature by which its probabilities fit held-out documents best."""
    with np.load(path) as file:
        arrays = dict(file)

    def log_loss(temperature: float) -> float:
        arrays["temperature"] = np.array(temperature, dtype=np.float16)
        np.savez_compressed(path, allow_pickle=False, **arrays)
        ranker = Ranker(weights=load_weights("en"), encoder=read_encoder(path.read_bytes()))
        return evaluate_resolver(ranker, documents, annotations).log_loss

    log_loss(min(TEMPERATURES, key=log_loss))


def frequent_pieces(vocabulary: Sequence[str], words: Iterable[str], count: int) -> list[int]:
    """Return the rows of the most frequent pieces of words, after those with a meaning of their own and all signs."""
    pieces_of, seen = WordPieces(vocabulary), Counter[int]()
    # The whole vocabulary has its special pieces elsewhere.
    rows = [vocabulary.index(piece) for piece in SPECIAL]
    for word, times in Counter(words).items():
        for row in pieces_of(word):
            seen[row] += times
    short = [row for row, piece in enumerate(vocabulary) if len(piece.removeprefix("##")) == 1]
    rows += [row for row in short if seen[row] or vocabulary[row].removeprefix("##").isascii()]
    taken = set(rows)
    return [*rows, *(row for row, _ in seen.most_common() if row not in taken)][:count]


app = typer.Typer(add_completion=False, help="Trains the encoder of the pronoun resolver.")


@app.callback()
def callback() -> None:
    """Train the encoder of the pronoun resolver."""


@app.command("train")
def train_command(
    base: Annotated[Path, typer.Argument(help="folder of all-MiniLM-L6-v2: model.safetensors, config.json, vocab.txt")],
    gum: Gum,
    treebank: Annotated[Path, typer.Option(help="folder of CoNLL-U files of the English Web Treebank")],
    litbank: Annotated[Path, typer.Option(help="unpacked LitBank, or litbank.tar.xz")],
    subtitles: Annotated[Path, typer.Option(help="contrastive items en-fr, pronouns-en-fr.tsv.xz")],
    lines: Annotated[
        list[Path], typer.Option(help="pairs of sentences, English first: the words of TICO-19 are counted too")
    ],
    output: Path = ENCODER,
    layers: Annotated[int, typer.Option(help="layers of the base that are kept")] = Training().layers,
    epochs: Annotated[float, typer.Option(help="how often each text is seen")] = Training().epochs,
) -> None:
    """Train the encoder that ships."""
    training, settings, lexicon = Training(layers=layers, epochs=epochs), Settings(), load_lexicon("en")
    with opened(gum) as folder:
        every = read_gum(folder)
    documents = [d for d in every if d.split == "train" and d.genre not in CLOSED_GENRES]
    held = [d for d in every if d.split == "dev"]
    annotations = annotate_gold([*documents, *held], "default")
    sources = [
        Learned(gold_asker(d, annotations[d.id], lexicon, settings.window), annotations[d.id], 1.0, whole=True)
        for d in documents
    ]
    sources += read_further(load_annotator("en"), settings, treebank=treebank, litbank=litbank, subtitles=subtitles)
    texts = read_cases(sources, learn_types(documents, annotations, lexicon), lexicon, settings)
    whole = (base / "vocab.txt").read_text(encoding="utf-8").splitlines()
    counted = {pair.source for path in lines for pair in read_pairs(path, ("tico19",))}
    words = [word for line in sorted(counted) for word in line.split()]
    rows = frequent_pieces(whole, [*words, *(word for text in texts for word in text.words)], training.pieces)
    vocabulary = [whole[row] for row in rows]
    random.seed(1)
    cast("Any", torch).manual_seed(1)
    network = Network(cast("Any", BertModel).from_pretrained(base, add_pooling_layer=False), rows, training)
    lessons = lessons_of(texts, WordPieces(vocabulary), training)
    typer.echo(f"{len(texts)} texts, {len(lessons)} windows", err=True)
    train(network, lessons, training)
    write_encoder(network, vocabulary, training.length + 2, output)
    calibrate(output, held, annotations)
    typer.echo(f"{output}: {output.stat().st_size} bytes")


if __name__ == "__main__":
    app()
