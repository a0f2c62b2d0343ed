"""What a treebank says of agreement, counted for :mod:`endophora.annotate.agreement`.

``python -m endophora_makers.agreement LANGUAGE TREEBANKS PIPELINE`` lets the morphologizer of a trained pipeline
agree: it counts which case adpositions and relations ask for, and which parts of speech relations and forms have.
"""

from __future__ import annotations

import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import BaseModel, ConfigDict
from ruamel.yaml import YAML
from spacy.tokens import Doc

from endophora.annotate.agreement import Agreement
from endophora.annotate.annotator import parse_features
from endophora.annotate.components import AgreeingMorphologizer
from endophora.annotate.forms import FIRST, FormClasses, LabelLexicon
from endophora.annotate.weights import load_pipeline, save_pipeline
from endophora.record import Fixed
from endophora_makers.conllu import Sentence, Word
from endophora_makers.forms import FormSources
from endophora_makers.label_mapping import harmonised
from endophora_makers.lexicon import LexiconSource
from endophora_makers.recipe import RECIPES, Recipe, load_recipe
from endophora_makers.relabel import relabelled
from endophora_makers.silver import SilverRules
from endophora_makers.treebanks import Source, keys, read_source, without_leaks
from endophora_makers.unimorph import convert

if TYPE_CHECKING:
    from spacy.language import Language

NAME = "morphologizer"
_CHUNK = 64


class AgreementRecipe(Fixed):
    """How the rules of a language are made.

    Attributes:
        rules: relations and weights; the tables are counted.
        copies: how often a sentence with syntax counts, relative to those without.
        least: how often a key must have been seen.
        weight: how much the overall shares count in a part of speech's.
        forms: where the classes of forms are from; without, they tell capitals from small letters only.
        lexicon: the dictionary that says which labels frequent forms may have, if there is one.
    """

    rules: Agreement
    copies: int = 1
    least: int = 5
    weight: float = 5.0
    forms: FormSources | None = None
    lexicon: LexiconSource | None = None

    @classmethod
    def read(cls, path: Path) -> AgreementRecipe:
        """Read a recipe."""
        return cls.model_validate(cast("Any", YAML(typ="safe")).load(path.read_text("utf-8")))


class Parsed(BaseModel):
    """A sentence's labels as the treebank has them, its syntax as the pipeline finds it.

    Attributes:
        heads: index of each word's head, its own for a root.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True)

    words: tuple[Word, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]


def parse(sentences: Sequence[Sentence], nlp: Language) -> Iterator[Parsed]:
    """Parse sentences, tokens given: the parser's errors are part of what its relations say."""
    pipes = [cast("Any", nlp.get_pipe(name)) for name in ("tok2vec", "parser")]
    for start in range(0, len(sentences), _CHUNK):
        chunk = sentences[start : start + _CHUNK]
        docs = [Doc(nlp.vocab, [w.form for w in s.words], [w.space for w in s.words]) for s in chunk]
        for pipe in pipes:
            docs = list(pipe.pipe(docs, batch_size=_CHUNK))
        for sentence, doc in zip(chunk, docs, strict=True):
            heads, relations = tuple(t.head.i for t in doc), tuple(t.dep_ for t in doc)
            yield Parsed(words=sentence.words, heads=heads, relations=relations)


def case_table(texts: Iterable[Parsed], rules: Agreement, least: int) -> dict[str, dict[str, float]]:
    """Count the cases of groups by adposition, or by relation and side, as logarithms of smoothed shares."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for text in texts:
        marked = [i for i, relation in enumerate(text.relations) if relation == rules.marks and text.heads[i] != i]
        marks = {text.heads[i]: text.words[i].form.lower() for i in reversed(marked)}
        for index, word in enumerate(text.words):
            case = parse_features(word.features).get("Case")
            if case and word.upos in rules.roots:
                side = "<" if index < text.heads[index] else ">"
                for key in (marks[index], rules.marks) if index in marks else (text.relations[index] + side,):
                    counts[key][case] += 1
    return _logarithms(counts, least, 1.0)


def _logarithms(counts: Mapping[str, Counter[str]], least: int, weight: float) -> dict[str, dict[str, float]]:
    total = Counter[str]()
    for count in counts.values():
        total.update(count)
    shares = {name: number / total.total() for name, number in total.items()}
    return {
        key: {
            name: round(math.log((count[name] + weight * share) / (count.total() + weight)), 2)
            for name, share in sorted(shares.items())
        }
        for key, count in sorted(counts.items())
        if count.total() >= least
    }


def upos_tables(
    texts: Iterable[tuple[Parsed, int]], forms: FormClasses, recipe: AgreementRecipe
) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Count parts of speech by relation, and by class of form.

    Args:
        texts: sentences, and how often each counts by class of form.
    """
    relations: dict[str, Counter[str]] = defaultdict(Counter)
    classes: dict[str, Counter[str]] = defaultdict(Counter)
    for text, copies in texts:
        found_classes = forms.find([word.form for word in text.words])
        for index, (word, relation, found) in enumerate(zip(text.words, text.relations, found_classes, strict=True)):
            if word.upos != "_":
                relations[relation][word.upos] += 1
                if found:
                    classes[found + FIRST if index == 0 else found][word.upos] += copies
    by_relation, by_form = (_logarithms(counts, recipe.least, recipe.weight) for counts in (relations, classes))
    return by_relation, by_form


def gather(nlp: Language, plan: Recipe, recipe: AgreementRecipe, treebanks: Path) -> list[tuple[Parsed, int]]:
    """Read and parse the treebanks of a language's recipe, tests left out; each sentence with how often it counts.

    Args:
        nlp: its trained pipeline; it parses, and chooses what converted labels leave open.

    Raises:
        InputError: an archive cannot be read (E081).
    """
    kept_out = keys(s for source in (*plan.development, *plan.tests) for s in read_source(source, treebanks))
    texts: list[tuple[Parsed, int]] = []
    for source in plan.sources:
        kept = list(without_leaks(labelled(source, nlp, plan, treebanks), kept_out))
        kept_out |= keys(kept)
        copies = recipe.copies if source.convert == "ud" else 1
        texts.extend((text, copies) for text in parse(kept, nlp))
    return texts


def learn(texts: Sequence[tuple[Parsed, int]], recipe: AgreementRecipe, forms: FormClasses) -> Agreement:
    """Count the tables of a language.

    Args:
        texts: sentences, and how often each counts by class of form.
    """
    upos, classes = upos_tables(texts, forms, recipe)
    cases = case_table((text for text, _ in texts), recipe.rules, recipe.least)
    return recipe.rules.model_copy(update={"cases": cases, "upos": upos, "forms": classes})


def labelled(source: Source, nlp: Language, plan: Recipe, treebanks: Path) -> list[Sentence]:
    """Read a source with labels of the treebanks or near to them; of raw text, nothing.

    Args:
        nlp: the trained pipeline of the language; it chooses what other labels leave open.

    Raises:
        InputError: the archive cannot be read (E081).
    """
    if source.convert == "silver":
        return []
    sentences = read_source(source, treebanks)
    if source.convert == "unimorph":
        rules = SilverRules.read(RECIPES / source.rules) if source.rules else SilverRules()
        merge = source.multiword == "merge"
        sentences = list(convert(sentences, nlp, rules, language=plan.language, merge=merge))
    if source.harmonise:
        sentences = [harmonised(sentence, plan.harmonise[source.harmonise]) for sentence in sentences]
    if source.convert == "relabel":
        sentences = list(relabelled(sentences, nlp, plan.relabel[source.rules]))
    return sentences


def add_agreement(nlp: Language, plan: Recipe, treebanks: Path) -> None:
    """Let the morphologizer of a pipeline agree, by the recipe that the language's recipe names.

    Raises:
        InputError: an archive cannot be read (E081).
        MissingModelError: a lexicon is not installed (E085).
    """
    recipe = AgreementRecipe.read(RECIPES / plan.agreement)
    texts = gather(nlp, plan, recipe, treebanks)
    forms = recipe.forms.table(treebanks) if recipe.forms else FormClasses()
    component = agreeing(nlp)
    component.rules, component.forms = learn(texts, recipe, forms), forms
    words = (word for text, _ in texts for word in text.words)
    component.lexicon = recipe.lexicon.table(component.labels, treebanks, words) if recipe.lexicon else LabelLexicon()


def agreeing(nlp: Language) -> AgreeingMorphologizer:
    """Put an agreeing morphologizer in the place of a pipeline's, with its network and labels, and return it."""
    old = cast("Any", nlp.get_pipe(NAME))
    if isinstance(old, AgreeingMorphologizer):
        return old
    config = nlp.get_pipe_config(NAME)
    nlp.replace_pipe(NAME, "endophora_morphologizer", config={"model": config["model"]})
    new = cast("Any", nlp.get_pipe(NAME))
    new.cfg.update({name: old.cfg[name] for name in ("labels_morph", "labels_pos")})
    new.model = old.model
    return cast("AgreeingMorphologizer", new)


def main(language: str, treebanks: str, pipeline: str) -> None:
    """Let the morphologizer of a pipeline on disk agree."""
    nlp = load_pipeline(Path(pipeline))
    add_agreement(nlp, load_recipe(language), Path(treebanks))
    save_pipeline(nlp, Path(pipeline))


if __name__ == "__main__":
    main(*sys.argv[1:4])
