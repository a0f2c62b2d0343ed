"""Trains and evaluates the pronoun resolver on GUM.

``python -m endophora_makers.resolver train GUM`` makes the shipped weights;
``python -m endophora_makers.resolver evaluate GUM`` prints the figures of the model card. ``GUM`` is the unpacked
folder or ``gum.tar.xz``.
"""

from __future__ import annotations

import tarfile
import tempfile
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.resources import files
from math import log
from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer

from endophora.align import load_aligner
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import NOUNS, AnnotatedText, Annotator
from endophora.corefer.expletive import ALWAYS, expletive_features
from endophora.corefer.features import gather, slot_of
from endophora.corefer.mentions import (
    Lexicon,
    NounTypes,
    find_mentions,
    load_lexicon,
    read_data,
    read_discourse,
)
from endophora.corefer.ranker import Ranker, RankerWeights, candidates_of, score_rows
from endophora.corefer.records import Resolver
from endophora.corefer.resolvers import load_resolver
from endophora.engine.shipping import extract_files
from endophora_makers.antecedents import SUBTITLES, WEB, read_readings, subtitle_texts, web_texts
from endophora_makers.askers import Asker, gold_asker, novel_asker, read_asker
from endophora_makers.coreference_evaluation import Score, gold_pronouns, token_at
from endophora_makers.expletives import read_expletives, views
from endophora_makers.gum import GoldDocument, read_gum
from endophora_makers.litbank import read_litbank
from endophora_makers.logistic_fit import Instance, fit_binary, fit_choices
from endophora_makers.parcorfull import read_talks, talk_pronouns

Annotations = Mapping[str, Sequence[AnnotatedText]]
# Their texts are CC BY-NC-SA: measured with, never learned from for what ships.
CLOSED_GENRES = frozenset({"essay", "fiction", "letter", "podcast", "whow"})
TEMPERATURES = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4)
SHIFTS = (0.0, -0.2, -0.4, -0.6, -0.8)
FOLDS = 5
TALKS_DEVELOPED = 5
WEIGHTS = Path(str(files("endophora.corefer") / "data" / "en-weights.json"))


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of learning.

    Attributes:
        least: how many candidates a feature must occur in.
        expletive_least: how many cases a feature of the non-referential classifier must occur in.
        novels: how much a pronoun of LitBank counts beside one of GUM; ``web`` and ``subtitles`` those of our readings.
        window: how many segments back a candidate may stand.
    """

    least: int = 4
    penalty: float = 30.0
    novels: float = 0.1
    web: float = 0.5
    subtitles: float = 0.15
    expletive_least: int = 3
    expletive_penalty: float = 12.0
    window: int = 5


@dataclass(frozen=True, slots=True)
class Learned:
    """A text to learn from beside GUM.

    Attributes:
        asker: what is known of its pronouns.
        weight: how much each of them counts beside one of GUM.
        empties: whether it teaches what refers to nothing too.
        whole: whether the chains of all its nouns and persons are known, not of what pronouns stand for alone.
    """

    asker: Asker
    texts: Sequence[AnnotatedText]
    weight: float
    empties: bool = False
    whole: bool = False


def train_resolver(
    documents: Sequence[GoldDocument],
    annotations: Annotations,
    *,
    language: str = "en",
    settings: Settings | None = None,
    expletives: Sequence[tuple[list[str], bool]] = (),
    further: Sequence[Learned] = (),
    trained_on: str = "",
) -> RankerWeights:
    """Learn the weights of the ranker.

    Args:
        annotations: document id → the annotation to learn on, segment by segment; the annotator's own, or the gold.
        further: texts beside GUM.
    """
    settings = settings or Settings()
    lexicon, window = load_lexicon(language), settings.window
    instances: list[Instance] = []
    cases = list(expletives)
    for fold in range(FOLDS):
        # A document must not be seen with types that it taught itself: new documents have none of these.
        others = [document for place, document in enumerate(documents) if place % FOLDS != fold]
        types = learn_types(others, annotations, lexicon)
        for document in documents[fold::FOLDS]:
            texts = annotations[document.id]
            asker = gold_asker(document, texts, lexicon, window)
            for example in examples(texts, asker, lexicon, types, window):
                if example.features:
                    cases.append((example.features, example.empty))
                if example.instance is not None:
                    instances.append(example.instance)
    types = learn_types(documents, annotations, lexicon)
    for text in further:
        for example in examples(text.texts, text.asker, lexicon, types, window):
            if example.features and text.empties:
                cases.append((example.features, example.empty))
            if example.instance is not None:
                instances.append(replace(example.instance, weight=text.weight))
    seen = [(view, empty) for features, empty in cases for view in views(features)]
    rows, empty = [view for view, _ in seen], [empty for _, empty in seen]
    return RankerWeights(
        pair=fit_choices(instances, least=settings.least, penalty=settings.penalty),
        expletive=fit_binary(rows, empty, least=settings.expletive_least, penalty=settings.expletive_penalty),
        types=types,
        trained_on=trained_on,
    )


def learn_types(documents: Sequence[GoldDocument], annotations: Annotations, lexicon: Lexicon) -> NounTypes:
    """Learn the entity types of nouns from GUM's entities, and governors' preferences from the nouns they govern."""
    labels = (read_data(f"{lexicon.language}.json") or {}).get("labels", {})
    pairs: list[tuple[str, str]] = []
    for document in documents:
        for span in document.entities:
            if span.upos in NOUNS and not span.coordinated:
                text = document.texts[span.segment]
                pairs.append((text.tokens[token_at(text, span.head)].lemma.lower(), span.kind))
    types = _count_types(pairs, labels)
    slots: list[tuple[str, str]] = []
    for document in documents:
        row = read_discourse(annotations[document.id])
        for mention in find_mentions(row, lexicon):
            if mention.nominal and not mention.coordinated:
                slots.append((slot_of(row, mention), types.of(row.lemma(mention.index))))
    return replace(types, slots=_count_slots(slots))


def _count_types(pairs: Iterable[tuple[str, str]], labels: Mapping[str, str]) -> NounTypes:
    """Learn the types of nouns from (lemma, type) of each marked mention."""
    lemmas: dict[str, Counter[str]] = {}
    for lemma, kind in pairs:
        lemmas.setdefault(lemma, Counter())[kind] += 1
    endings: dict[str, Counter[str]] = {}
    for lemma, kinds in lemmas.items():
        for size in (3, 4):
            if len(lemma) > size:
                endings.setdefault(lemma[-size:], Counter())[_most(kinds)] += 1
    usual = {
        ending: _most(kinds)
        for ending, kinds in sorted(endings.items())
        if kinds.total() >= 5 and kinds[_most(kinds)] >= 0.7 * kinds.total()
    }
    general = NounTypes({}, usual, dict(labels), {})
    # A lemma whose ending shows its type needs no separate entry.
    special = {lemma: kind for lemma, kinds in sorted(lemmas.items()) if (kind := _most(kinds)) != general.of(lemma)}
    return replace(general, lemmas=special)


def _count_slots(pairs: Iterable[tuple[str, str]], least: int = 4, prior: float = 4.0) -> dict[str, dict[str, float]]:
    """Learn from (slot, type) of each noun which types slots take: slot → type → log-odds, without those near zero."""
    slots: dict[str, Counter[str]] = {}
    overall: Counter[str] = Counter()
    for slot, kind in pairs:
        slots.setdefault(slot, Counter())[kind] += 1
        overall[kind] += 1
    found: dict[str, dict[str, float]] = {}
    for slot, kinds in sorted(slots.items()):
        if kinds.total() < least:
            continue
        odds = {
            kind: round(log((kinds[kind] / share + prior) / (kinds.total() + prior)), 1)
            for kind, share in ((kind, n / overall.total()) for kind, n in sorted(overall.items()))
        }
        found[slot] = {kind: value for kind, value in odds.items() if abs(value) >= 0.3}
    return found


def _most(kinds: Counter[str]) -> str:
    return min(kinds, key=lambda kind: (-kinds[kind], kind))


@dataclass(frozen=True, slots=True)
class Example:
    """A pronoun that something is known of.

    Attributes:
        index: of its token in the document.
        heads: indices of its candidates' heads.
        instance: its candidates to choose from; ``None`` if it refers to nothing.
        features: as one that may be non-referential; none if its form never is.
        empty: whether it refers to nothing.
    """

    index: int
    heads: Sequence[int]
    instance: Instance | None
    features: list[str]
    empty: bool


def examples(
    texts: Sequence[AnnotatedText], asked_of: Asker, lexicon: Lexicon, types: NounTypes, window: int
) -> Iterator[Example]:
    """Yield each pronoun of a text that something is known of."""
    row = read_discourse(texts)
    mentions = find_mentions(row, lexicon)
    facts = gather(row, mentions, lexicon, types)
    chains, known = asked_of(row, mentions)
    for mention in mentions:
        asked = known.get(mention.index)
        if not mention.group or asked is None:
            continue
        features = expletive_features(row, mention, lexicon) if mention.group in lexicon.expletive_groups else []
        candidates = candidates_of(mentions, mention.order, window)
        heads = [mentions[order].index for order in candidates]
        if asked.empty:
            yield Example(mention.index, heads, None, features, True)
            continue
        rows = score_rows(row, facts, mention.order, candidates, lexicon, types)
        places = ((mentions[order].index, mentions[order].coordinated) for order in candidates)
        right = [not asked.chains.isdisjoint(chains.get(place, ())) for place in places]
        yield Example(mention.index, heads, Instance(rows, [*right, not any(right)]), features, False)


def read_further(
    parser: Annotator, settings: Settings, *, treebank: Path | None, litbank: Path | None, subtitles: Path | None
) -> list[Learned]:
    """Return the texts to learn from beside GUM: LitBank, and what was read of EWT and of contrastive items.

    Readings of a corpus that is given whose texts are not in it are counted on standard error.
    """
    lexicon = load_lexicon("en")
    further: list[Learned] = []
    if litbank is not None:
        with opened(litbank) as folder:
            for opening in read_litbank(folder):
                texts = tuple(parser.annotate(opening.segments))
                further.append(Learned(novel_asker(opening, texts), texts, settings.novels, whole=True))
    readings = read_readings()
    # What refers to nothing in the web texts is among the cases of the treebank.
    for corpus, sources, weight, empties in (
        (WEB, treebank and web_texts(treebank), settings.web, False),
        (SUBTITLES, subtitles and subtitle_texts(subtitles), settings.subtitles, True),
    ):
        if sources is None:
            continue
        texts = {key: segments for key, segments in sources if key in readings}
        for key, segments in texts.items():
            asker = read_asker(readings[key], lexicon, settings.window)
            further.append(Learned(asker, tuple(parser.annotate(segments)), weight, empties))
        if lost := [key for key in readings if key[0] == corpus and key not in texts]:
            typer.echo(f"{corpus}: nothing is learned of {len(lost)} documents that were read: no text", err=True)
    return further


def evaluate_resolver(
    resolver: Resolver, documents: Iterable[GoldDocument], annotations: Annotations, score: Score | None = None
) -> Score:
    """Return the figures of a resolver over documents, added to those that are given."""
    lexicon, score = load_lexicon("en"), Score() if score is None else score
    for document in documents:
        texts = annotations[document.id]
        score.add(gold_pronouns(document, texts, lexicon), resolver.resolve(texts), texts)
    return score


def leave_one_genre_out(documents: Sequence[GoldDocument], annotations: Annotations) -> Score:
    """Return the figures over documents, each resolved by weights learned of the other genres alone, no encoder."""
    score = Score()
    for genre in sorted({document.genre for document in documents}):
        weights = train_resolver([d for d in documents if d.genre != genre], annotations)
        own = [d for d in documents if d.genre == genre]
        evaluate_resolver(Ranker(weights=weights), own, annotations, score)
    return score


def calibrate(weights: RankerWeights, documents: Sequence[GoldDocument], annotations: Annotations) -> RankerWeights:
    """Return the weights as they do best on held-out documents.

    Args:
        annotations: document id → annotation.

    Returns:
        At the temperature whose probabilities fit best, by log-likelihood; and at the shift of all log-odds of
        "non-referential" by which that is found best, by F1: it has to beat the single nouns, which share what is
        left.
    """

    def score(trial: RankerWeights) -> Score:
        return evaluate_resolver(Ranker(weights=trial), documents, annotations)

    best = min((replace(weights, temperature=t) for t in TEMPERATURES), key=lambda trial: score(trial).log_loss)
    return max((_shifted(best, shift) for shift in SHIFTS), key=lambda trial: score(trial).non_referential)


def _shifted(weights: RankerWeights, shift: float) -> RankerWeights:
    expletive = dict(weights.expletive)
    expletive[ALWAYS] = expletive.get(ALWAYS, 0.0) + shift
    return replace(weights, expletive=expletive)


def annotate_gold(documents: Iterable[GoldDocument], annotator: str) -> dict[str, Sequence[AnnotatedText]]:
    """Return each document as an annotator sees it; ``"gold"`` is the gold parse."""
    if annotator == "gold":
        return {document.id: document.texts for document in documents}
    model = load_annotator("en", None if annotator == "default" else annotator)
    return {document.id: tuple(model.annotate(text.text for text in document.texts)) for document in documents}


@contextmanager
def opened(path: Path) -> Generator[Path]:
    """Yield the folder of a corpus that is a folder or an archive."""
    if path.is_dir():
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(path) as archive:
            extract_files(archive, Path(folder))
        inside = list(Path(folder).iterdir())
        yield inside[0] if len(inside) == 1 else Path(folder)


app = typer.Typer(add_completion=False, help="Trains and evaluates the pronoun resolver.")
Gum = Annotated[Path, typer.Argument(help="unpacked GUM, or gum.tar.xz")]
Parser = Annotated[str, typer.Option(help="gold, default (the shipped annotator), or an annotator's name")]


@app.command("train")
def train_command(
    gum: Gum,
    annotator: Parser = "default",
    treebank: Annotated[Path | None, typer.Option(help="folder of CoNLL-U files with more expletives (EWT)")] = None,
    litbank: Annotated[Path | None, typer.Option(help="unpacked LitBank, or litbank.tar.xz")] = None,
    subtitles: Annotated[Path | None, typer.Option(help="contrastive items en-fr, pronouns-en-fr.tsv.xz")] = None,
    output: Path = WEIGHTS,
) -> None:
    """Learn the weights that ship: GUM's training documents of open licence; temperature from its development set."""
    with opened(gum) as folder:
        documents = read_gum(folder)
    learn = [d for d in documents if d.split == "train" and d.genre not in CLOSED_GENRES]
    held = [d for d in documents if d.split == "dev"]
    annotations = annotate_gold([*learn, *held], annotator)
    parser = load_annotator("en", None if annotator in {"default", "gold"} else annotator)
    settings = Settings()
    more = [] if treebank is None else read_expletives(treebank, parser)
    further = read_further(parser, settings, treebank=treebank, litbank=litbank, subtitles=subtitles)
    novels = sum(text.whole for text in further)
    origin = (
        f"GUM train, {len(learn)} documents; LitBank, {novels}; texts read, {len(further) - novels}; "
        f"{len(more)} cases of it; {annotator} parse"
    )
    weights = train_resolver(learn, annotations, settings=settings, expletives=more, further=further, trained_on=origin)
    weights = calibrate(weights, held, annotations)
    output.write_text(weights.to_json(), encoding="utf-8")
    typer.echo(f"{output}: {output.stat().st_size} bytes, {weights.digest}, temperature {weights.temperature}")


@app.command("evaluate")
def evaluate_command(
    gum: Gum,
    annotator: Parser = "default",
    resolver: Annotated[str, typer.Option(help="name of the resolver")] = "ranker",
    split: Annotated[str, typer.Option(help="dev, test, test2 or train")] = "test",
    leave_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-genre-out",
            help="not what ships: weights of the other genres of GUM alone, without encoder; of all but test2",
        ),
    ] = False,
) -> None:
    """Print how often the resolver is right."""
    with opened(gum) as folder:
        documents = read_gum(folder)
    chosen = [d for d in documents if (d.split != "test2" if leave_out else d.split == split)]
    annotations = annotate_gold(chosen, annotator)
    start = perf_counter()
    score = (
        leave_one_genre_out(chosen, annotations)
        if leave_out
        else evaluate_resolver(load_resolver(resolver), chosen, annotations)
    )
    typer.echo("\n".join(score.lines()))
    typer.echo(f"{len(chosen)} documents, {perf_counter() - start:.1f} s")


@app.command("talks")
def talks_command(
    talks: Annotated[Path, typer.Argument(help="unpacked ParCorFull, or parcorfull-ted-de.tar.xz")],
    part: Annotated[str, typer.Option(help="dev (the first five talks), test (the others) or all")] = "all",
    resolver: Annotated[str, typer.Option(help="name of the resolver")] = "ranker",
) -> None:
    """Print how often the resolver is right on talks that nothing was fitted on, without and with the German side."""
    with opened(talks) as folder:
        read = read_talks(folder)
    chosen = {"dev": read[:TALKS_DEVELOPED], "test": read[TALKS_DEVELOPED:]}.get(part, read)
    english, german, aligner = load_annotator("en"), load_annotator("de"), load_aligner(None, "en", "de")
    sides = [(tuple(english.annotate(t.source)), tuple(german.annotate(t.target))) for t in chosen]
    linked = aligner.align_many(sides)
    found, lexicon = load_resolver(resolver), load_lexicon("en")
    for name, given in (("without target", False), ("with target", True)):
        score = Score()
        for talk, (source, target), links in zip(chosen, sides, linked, strict=True):
            resolutions = found.resolve(source, target, links) if given else found.resolve(source)
            score.add(talk_pronouns(talk, source, lexicon), resolutions, source)
        typer.echo("\n".join([name, *score.lines()]))


if __name__ == "__main__":
    app()
