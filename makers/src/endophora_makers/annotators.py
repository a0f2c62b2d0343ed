"""Train the pipeline of a language by its recipe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, cast

from spacy.tokens import Doc
from thinc.api import Adam, fix_random_seed

from endophora.annotate.components import use_fast_ops
from endophora.annotate.tokenisation import blank
from endophora.annotate.weights import save_pipeline
from endophora.errors import Fault, InputError
from endophora_makers.agreement import add_agreement
from endophora_makers.conllu import Sentence, Word
from endophora_makers.examples import batches, make_example, segments, varied
from endophora_makers.genders import add_genders
from endophora_makers.label_mapping import harmonised
from endophora_makers.orthographic_unimorph import convert_written
from endophora_makers.recipe import RECIPES, Network, Recipe, load_recipe
from endophora_makers.relabel import relabelled
from endophora_makers.rounding import save_rounded
from endophora_makers.silver import SilverRules, read_pairs, seen_classes, silver
from endophora_makers.treebanks import Source, keys, read_source, without_leaks
from endophora_makers.unimorph import convert

if TYPE_CHECKING:
    from spacy.language import Language

_REPORT = 100  # batches


@dataclass(frozen=True, slots=True)
class Progress:
    """How far training is.

    Attributes:
        losses: mean loss of each component over the batches since the last report.
    """

    words: int
    total: int
    losses: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class Fitted:
    """A pipeline and the averages of its weights over training, which are what is used."""

    nlp: Language
    averages: dict[Any, Any]

    def save(self, path: Path) -> None:
        """Write the pipeline with averaged weights."""
        with cast("Any", self.nlp).use_params(self.averages):
            save_pipeline(self.nlp, path)


Report = Callable[[Progress], None]


def gather(recipe: Recipe, treebanks: Path, seed: int = 0, progress: Report | None = None) -> dict[str, list[Sentence]]:
    """Read all training sources of a recipe, without any sentence of its tests and development sets.

    A source without UD labels is labelled by a teacher trained on all sources before it; each further teacher labels
    again what came before, and at the end all are labelled by teachers of all sources, ``rounds`` times. With fewer
    ``stages`` than such sources, the last stage labels all that are left.

    Raises:
        InputError: an archive is missing (E081), or no sentence with UD labels is left (E082).
    """
    held_out = keys(s for source in (*recipe.development, *recipe.tests) for s in read_source(source, treebanks))
    gold = [source for source in recipe.sources if source.convert == "ud"]
    other = [source for source in recipe.sources if source.convert != "ud"]
    found = {source.name: list(without_leaks(read_harmonised(source, recipe, treebanks), held_out)) for source in gold}
    if gold and not any(found.values()):
        cause = "no sentence of its treebanks is left to learn from: all are in its tests or development sets too"
        advice = "name treebanks with other sentences in “sources”"
        raise InputError(Fault("E082", cause, advice, f"recipe of {recipe.language}"))
    held_out |= keys(chain.from_iterable(found.values()))
    plan = recipe.model_copy(update={"components": ("morphologizer",)})
    stages = recipe.training.stages or len(other)
    for step in range(stages + recipe.training.rounds if other else 0):
        teacher = fit(plan, found, recipe.training.teacher, seed, progress)
        seen = seen_classes(chain.from_iterable(found.values()))
        for source in other[: step + 1] if step + 1 < stages else other:
            taught = chain.from_iterable(found[each.name] for each in gold)
            labelled = _labelled(source, recipe, treebanks, teacher, seen, taught)
            found[source.name] = list(without_leaks(labelled, held_out))
    return found


def read_harmonised(source: Source, recipe: Recipe, treebanks: Path) -> Iterator[Sentence]:
    """Read a source with UD labels, its features brought to the recipe's convention."""
    sentences = read_source(source, treebanks)
    if source.harmonise is None:
        return iter(sentences)
    rules = recipe.harmonise[source.harmonise]
    return (harmonised(sentence, rules) for sentence in sentences)


def _labelled(
    source: Source,
    recipe: Recipe,
    treebanks: Path,
    teacher: Fitted,
    seen: Mapping[str, frozenset[str]],
    gold: Iterable[Sentence],
) -> list[Sentence]:
    """Label a source without UD labels; converted files are harmonised afterwards, when they have them."""
    with cast("Any", teacher.nlp).use_params(teacher.averages):
        if source.convert == "relabel":
            sentences = read_harmonised(source, recipe, treebanks)
            return list(relabelled(sentences, teacher.nlp, recipe.relabel[source.rules]))
        rules = SilverRules.read(RECIPES / source.rules) if source.rules else SilverRules()
        if source.convert == "silver":
            pairs = list(read_pairs(treebanks / source.archive, source.files))
            return list(silver(pairs, teacher.nlp, recipe.language, rules, seen, gold))
        merge = source.multiword == "merge"
        read = read_source(source, treebanks)
        if source.multiword == "written":
            converted = convert_written(read, teacher.nlp, recipe.language)
        else:
            converted = convert(read, teacher.nlp, rules, language=recipe.language, merge=merge)
        if source.harmonise is None:
            return list(converted)
        return [harmonised(sentence, recipe.harmonise[source.harmonise]) for sentence in converted]


def train_annotator(
    language: str,
    treebanks: Path,
    output: Path,
    *,
    recipe: Path | None = None,
    seed: int = 0,
    words: int | None = None,
    checkpoint: int = 500_000,
    progress: Report | None = None,
) -> None:
    """Train an annotator and write it.

    Args:
        output: directory to write the pipeline to; what is there is replaced.
        recipe: a recipe file; by default the shipped one of the language.
        seed: of the initial weights, the order of the sentences and the variation.
        checkpoint: after how many words the pipeline so far is written to ``output``.

    Raises:
        InputError: the recipe or an archive is missing or wrong (E081–E085).
    """
    plan = load_recipe(language, recipe)
    sentences, total = gather(plan, treebanks, seed, progress), words or plan.training.words

    def trained() -> Fitted:
        return fit(plan, sentences, total, seed, progress, lambda so_far: so_far.save(output), checkpoint)

    fitted = trained()
    if plan.training.taught:
        sentences = {name: list(with_trees(source, fitted)) for name, source in sentences.items()}
        fitted = trained()
    if plan.genders:
        add_genders(fitted.nlp, plan, treebanks)
    if plan.agreement:
        with cast("Any", fitted.nlp).use_params(fitted.averages):
            add_agreement(fitted.nlp, plan, treebanks)
    with cast("Any", fitted.nlp).use_params(fitted.averages):
        save_rounded(fitted.nlp, plan, treebanks, output)


def with_trees(sentences: Sequence[Sentence], fitted: Fitted) -> Iterator[Sentence]:
    """Yield sentences of which those without any syntax have the tree that a pipeline gives them."""
    nlp = fitted.nlp
    bare = (sentence for sentence in sentences if _is_bare(sentence))
    docs = (Doc(nlp.vocab, [word.form for word in s.words], [word.space for word in s.words]) for s in bare)
    with cast("Any", nlp).use_params(fitted.averages):
        parsed = nlp.pipe(docs)
        for sentence in sentences:
            yield _parsed(sentence, next(parsed)) if _is_bare(sentence) else sentence


def _is_bare(sentence: Sentence) -> bool:
    return all(word.head is None for word in sentence.words)


def _parsed(sentence: Sentence, doc: Doc) -> Sentence:
    words = (
        replace(word, head=-1, relation="root")
        if token.head == token
        else replace(word, head=token.head.i, relation=token.dep_)
        for word, token in zip(sentence.words, doc, strict=True)
    )
    return replace(sentence, words=tuple(words))


def fit(
    plan: Recipe,
    sentences: Mapping[str, Sequence[Sentence]],
    total: int,
    seed: int = 0,
    progress: Report | None = None,
    save: Callable[[Fitted], None] | None = None,
    checkpoint: int = 0,
) -> Fitted:
    """Train a pipeline.

    Args:
        seed: of the initial weights, the order of the sentences and the variation.
    """
    fix_random_seed(seed)
    random = Random(seed)  # noqa: S311 – decides an order, guards nothing
    nlp = build(plan, list(chain.from_iterable(sentences.values())), random)
    optimizer = Adam(plan.training.rate, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    fitted = Fitted(nlp, cast("dict[Any, Any]", optimizer.averages))
    losses: dict[str, float] = {}
    seen = saved = 0
    for count, batch in enumerate(_stream(sentences, plan, random), start=1):
        optimizer.learn_rate = plan.training.rate * min(count / plan.training.warmup, 1 - seen / total)
        examples = [make_example(nlp.vocab, segment, plan.entities) for segment in batch]
        nlp.update(examples, sgd=optimizer, drop=plan.training.dropout, losses=losses)
        seen += sum(map(len, batch))
        if progress and count % _REPORT == 0:
            progress(Progress(seen, total, {name: float(loss) / _REPORT for name, loss in losses.items()}))
            losses = {}
        if seen >= total:
            break
        if save and checkpoint and seen - saved >= checkpoint:
            saved = seen
            save(fitted)
    return fitted


def _stream(
    sentences: Mapping[str, Sequence[Sentence]], recipe: Recipe, random: Random
) -> Iterator[list[tuple[Word, ...]]]:
    """Yield batches for ever: each pass joins the sentences again, shuffles and varies the segments."""
    copies = {source.name: source.copies for source in recipe.sources}
    while True:
        pool: list[tuple[Word, ...]] = []
        for name, source in sentences.items():
            for _ in repeat(None, copies[name]):
                pool.extend(segments(source, random))
        random.shuffle(pool)
        yield from batches((varied(words, recipe.augment, random) for words in pool), recipe.training.batch)


def build(recipe: Recipe, sentences: Sequence[Sentence], random: Random) -> Language:
    """Return an untrained pipeline whose components know all labels of the sentences."""
    nlp = blank(recipe.language)
    nlp.add_pipe("tok2vec", config={"model": _encoder(recipe.network)})
    for name in recipe.components:
        nlp.add_pipe(name, config=_component(name, recipe))
    examples = [make_example(nlp.vocab, words, recipe.entities) for words in segments(sentences, random)]
    nlp.initialize(lambda: examples)
    for _, pipe in nlp.pipeline:
        use_fast_ops(cast("Any", pipe).model)
    return nlp


def _encoder(network: Network) -> dict[str, Any]:
    embed = network.model_dump(include={"width", "form_rows", "shape_rows", "prefixes", "suffixes"})
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {"@architectures": "endophora.AffixEmbed.v1", **embed},
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": network.width,
            "depth": network.depth,
            "window_size": 1,
            "maxout_pieces": network.pieces,
        },
    }


def _component(name: str, recipe: Recipe) -> dict[str, Any]:
    network = recipe.network
    tok2vec = {"@architectures": "spacy.Tok2VecListener.v1", "width": network.width, "upstream": "tok2vec"}
    if name in ("parser", "ner"):
        model = {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": name,
            "extra_state_tokens": False,
            "hidden_width": network.hidden,
            "maxout_pieces": 2,
            "use_upper": True,
            "tok2vec": tok2vec,
        }
        return {
            "model": model,
            **({"min_action_freq": 5} if name == "parser" else {}),
            "update_with_oracle_cut_size": 0,
        }
    model = {"@architectures": "spacy.Tagger.v2", "tok2vec": tok2vec}
    if name == "endophora_lemmatizer":
        return {"model": model, "capitalised": list(recipe.capitalised)}
    return {"model": model, **({"min_tree_freq": 2, "top_k": 3} if name == "trainable_lemmatizer" else {})}
