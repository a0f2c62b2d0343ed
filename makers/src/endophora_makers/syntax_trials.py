"""What more trees do for the parser of a language whose treebank is short: each trial from scratch, of one length.

python -m endophora_makers.syntax_trials de ../shared/treebanks [--words 300000] [--raw 60000] [--trial agreed ...]

All trials learn from the recipe's gold trees, and from the parts of speech and features that the shipped pipeline gives
raw text. They differ in the trees of that text and in the encoder:

``gold``: no trees of raw text, as the recipes have it.
``taught``: those of the shipped parser.
``agreed``: of sentences in which the parser of ``gold`` has the shipped one's heads and relations throughout.
``projected``: of sentences in which the heads that word links carry over from English are the shipped one's.
``several``: gold trees of other languages besides, without parts of speech.
``larger``: as ``agreed``, with an encoder twice as wide and half as deep again.

UAS and LAS are those of the recipe's tests, by halves: one may be chosen on the first and reported on the second.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any, cast

from endophora.align.aligners import load_aligner
from endophora.annotate.annotator import SpacyAnnotator
from endophora.annotate.loading import load_annotator
from endophora.annotate.records import AnnotatedText
from endophora_makers.annotators import Fitted, fit, read_harmonised
from endophora_makers.conllu import Sentence, Word, join_features
from endophora_makers.recipe import Recipe, load_recipe
from endophora_makers.scoring import score_annotator
from endophora_makers.silver import read_pairs
from endophora_makers.treebanks import Source, keys, read_source, without_leaks

TRIALS = ("gold", "taught", "agreed", "projected", "several", "larger")
RELATED = {"de": ("nl", "en", "cs"), "nl": ("en", "de", "fr"), "it": ("es", "fr", "pt", "ro"), "pl": ("cs", "ru", "lt")}
"""Languages whose gold trees ``several`` adds."""

_BATCH = 400
_LINKED = 0.6


@dataclass(frozen=True, slots=True)
class Raw:
    """Raw text as the shipped pipeline annotates it, with its English side."""

    texts: list[AnnotatedText]
    english: list[str]

    def sentences(self, kept: Sequence[bool]) -> list[Sentence]:
        """Return all texts; those that are not kept have no trees."""
        return [_sentence(text, heads=keep) for text, keep in zip(self.texts, kept, strict=True)]


def _sentence(text: AnnotatedText, *, heads: bool) -> Sentence:
    words: list[Word] = []
    for token, after in zip(text.tokens, (*text.tokens[1:], None), strict=True):
        word = Word(
            token.form,
            upos=token.upos,
            features=join_features(dict(token.features)),
            head=token.head if heads else None,
            relation=("root" if token.head < 0 else token.relation) if heads else "_",
            space=after is not None and after.start > token.end,
        )
        words.append(word)
    return Sentence(tuple(words))


def gold_trees(recipe: Recipe, treebanks: Path, held_out: set[bytes]) -> dict[str, list[Sentence]]:
    """Return the sentences with trees of a recipe's sources, by source; those of an old convention bear them alone."""
    found: dict[str, list[Sentence]] = {}
    for source in recipe.sources:
        old = source.convert == "relabel" and recipe.relabel[source.rules].syntax
        if source.convert == "ud" or old:
            sentences = without_leaks(read_harmonised(source, recipe, treebanks), held_out)
            found[source.name] = [_bare(sentence) for sentence in sentences] if old else list(sentences)
    return found


def _bare(sentence: Sentence) -> Sentence:
    """Return a sentence with its tree alone; words with spaces keep it from having one."""
    words = (replace(word, upos="_", features="_", lemma="_", xpos="_") for word in sentence.words)
    return replace(sentence, words=tuple(words))


def read_raw(recipe: Recipe, treebanks: Path, held_out: set[bytes], size: int) -> Raw:
    """Annotate about ``size`` words of the recipe's parallel text, sentences of four words or more."""
    source = next(source for source in recipe.sources if source.convert == "silver")
    pairs = list(read_pairs(treebanks / source.archive, source.files))
    step = max(1, sum(len(text.split()) for _, text in pairs) // size)
    chosen = [(english, text) for english, text in pairs[::step] if len(text.split()) > 3]
    texts = list(load_annotator(recipe.language).annotate(text for _, text in chosen))
    plain = [_sentence(text, heads=False) for text in texts]
    free = [not keys([sentence]) & held_out for sentence in plain]
    rows = [(text, english) for text, (english, _), keep in zip(texts, chosen, free, strict=True) if keep]
    return Raw([text for text, _ in rows], [english for _, english in rows])


def agreeing(raw: Raw, fitted: Fitted, language: str) -> list[bool]:
    """Return in which texts another parser has the same heads and relations throughout."""
    with cast("Any", fitted.nlp).use_params(fitted.averages):
        other = SpacyAnnotator(fitted.nlp, language, "trial", own=True)
        theirs = list(other.annotate(text.text for text in raw.texts))
    return [_tree(one) == _tree(two) for one, two in zip(raw.texts, theirs, strict=True)]


def _tree(text: AnnotatedText) -> list[tuple[str, int, str]]:
    return [(token.form, token.head, token.relation) for token in text.tokens]


def projecting(raw: Raw, language: str) -> list[bool]:
    """Return in which texts every head that links carry over from English is the parser's, of three words in five."""
    english = list(load_annotator("en").annotate(raw.english))
    aligner = load_aligner(None, "en", language)
    kept: list[bool] = []
    for start in range(0, len(english), _BATCH):
        ours, theirs = raw.texts[start : start + _BATCH], english[start : start + _BATCH]
        for links, source, target in zip(aligner.align(theirs, ours), theirs, ours, strict=True):
            heads = carried_heads([token.head for token in source.tokens], [(one.source, one.target) for one in links])
            agree = all(target.tokens[word].head == head for word, head in heads.items())
            kept.append(agree and len(heads) >= _LINKED * len(target.tokens))
    return kept


def carried_heads(heads: Sequence[int], links: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return target word → head, of words that are linked once as their head is; the root's is −1.

    Args:
        heads: of the source words.
        links: source and target word.
    """
    to_target, to_source = _single(links), _single([(target, source) for source, target in links])
    return {
        target: -1 if heads[source] < 0 else to_target[heads[source]]
        for target, source in to_source.items()
        if to_target.get(source) == target and (heads[source] < 0 or heads[source] in to_target)
    }


def _single(pairs: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return from → to of those that are linked once."""
    found: dict[int, list[int]] = {}
    for one, other in pairs:
        found.setdefault(one, []).append(other)
    return {one: others[0] for one, others in found.items() if len(others) == 1}


def other_trees(
    language: str, treebanks: Path, held_out: set[bytes], size: int
) -> Iterator[tuple[str, list[Sentence]]]:
    """Yield gold trees of related languages, about ``size`` words in all."""
    for other in RELATED[language]:
        recipe = load_recipe(other)
        found = [s for sentences in gold_trees(recipe, treebanks, held_out).values() for s in sentences]
        step = max(1, sum(len(s.words) for s in found) * len(RELATED[language]) // size)
        yield other, [_bare(sentence) for sentence in islice(found, 0, None, step)]


def halves(fitted: Fitted, recipe: Recipe, treebanks: Path) -> Iterator[tuple[str, int, float, float]]:
    """Yield test set and half, words, UAS and LAS."""
    with cast("Any", fitted.nlp).use_params(fitted.averages):
        annotator = SpacyAnnotator(fitted.nlp, recipe.language, "trial", own=True)
        for source in recipe.tests:
            sentences = list(read_harmonised(source, recipe, treebanks))
            for half in (0, 1):
                scores = score_annotator(annotator, sentences[half::2])
                yield f"{source.name} {'ab'[half]}", scores.words, scores.gold["UAS"], scores.gold["LAS"]


def main() -> None:
    """Run the trials and print their figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(RELATED))
    parser.add_argument("treebanks", type=Path)
    parser.add_argument("--words", type=int, default=300_000, help="words that each trial sees")
    parser.add_argument("--raw", type=int, default=60_000, help="words of raw text")
    parser.add_argument("--trial", nargs="+", choices=TRIALS, default=list(TRIALS))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    recipe = load_recipe(arguments.language).model_copy(update={"components": ("parser", "morphologizer")})
    tests = (*recipe.development, *recipe.tests)
    held_out = keys(s for source in tests for s in read_source(source, arguments.treebanks))
    gold = gold_trees(recipe, arguments.treebanks, held_out)
    raw = read_raw(recipe, arguments.treebanks, held_out, arguments.raw)
    added = Source(name="raw", archive="", files=())
    recipe = recipe.model_copy(update={"sources": (*recipe.sources, added)})
    first: Fitted | None = None
    kept: list[bool] = []
    for name in arguments.trial:
        network, more = recipe.network, dict[str, list[Sentence]]()
        if name in ("agreed", "larger") and not kept:
            first = first or fit(recipe, {**gold, "raw": raw.sentences([False] * len(raw.texts))}, arguments.words)
            kept = agreeing(raw, first, arguments.language)
        trees = {"taught": [True] * len(raw.texts), "agreed": kept, "larger": kept}.get(name)
        if name == "projected":
            trees = projecting(raw, arguments.language)
        elif name == "several":
            more = dict(other_trees(arguments.language, arguments.treebanks, held_out, arguments.raw))
        elif name == "larger":
            network = network.model_copy(update={"width": 2 * network.width, "depth": network.depth * 3 // 2})
        trees = trees or [False] * len(raw.texts)
        sentences = {**gold, "raw": raw.sentences(trees), **more}
        sources = (*recipe.sources, *(added.model_copy(update={"name": name}) for name in more))
        plan = recipe.model_copy(update={"network": network, "sources": sources})
        began = time.process_time()
        fitted = fit(plan, sentences, arguments.words, arguments.seed)
        first = fitted if name == "gold" else first
        words = sum(len(t.tokens) for t, keep in zip(raw.texts, trees, strict=True) if keep)
        print(f"{arguments.language} {name}: {sum(trees)} texts, {words} words with trees of {len(trees)} texts, "
              f"{time.process_time() - began:.0f} s", flush=True)  # fmt: skip
        for test, count, uas, las in halves(fitted, recipe, arguments.treebanks):
            print(f"  {test} ({count} words): UAS {uas:.2f}, LAS {las:.2f}", flush=True)


if __name__ == "__main__":
    main()
