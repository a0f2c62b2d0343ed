"""Step 3: sentences of each sense, and contrast pairs (Raganato et al., 2019, §2.4 and §4)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from endophora.options import option
from endophora.signature import keyed
from endophora.suites.records import Item, Suite
from endophora.suites.senses.clusters import SenseLexicon, linked_words
from endophora.suites.senses.inventory import NOUN, SourceWord
from endophora.suites.senses.items import IN_DOMAIN, OUT_OF_DOMAIN, make_item, make_variant
from endophora.suites.senses.links import LinkedPair, LinkedSide


@dataclass(frozen=True, slots=True)
class SenseSentence:
    """A sentence pair with an ambiguous word."""

    word: SourceWord
    sense: int
    origin: str
    number: str
    source: str
    target: str
    source_form: str
    target_span: tuple[int, int]
    target_lemma: str
    nouns: bool


@keyed()
@dataclass(frozen=True, slots=True)
class SelectionOptions:
    """Which sentences are taken."""

    longer_than: int = option(10, help="A sentence has more words than this.")
    most: int = option(20, help="Sentences of a sense.")
    translation_most: int = 10
    translation_least: int = 4
    base_forms: bool = option(
        True, "--any-form", help="Translations may be inflected; what replaces them is not.", inverted=True
    )
    out_of_domain: tuple[str, ...] = option((), metavar="NAME", help="Corpora whose names begin so. Repeatable.")
    seed: int = option(1, least=0, help="Of the draw of sentences.")


class _Drawn:
    """At most so many examples, the corpora taken in turn; which ones does not depend on the order they come in."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[str, list[tuple[bytes, SenseSentence]]] = {}

    def add(self, key: bytes, example: SenseSentence) -> None:
        """Take an example if it is among the first of its corpus by key."""
        held = self._held.setdefault(example.origin, [])
        if len(held) >= self._most and key >= held[-1][0]:
            return
        held.append((key, example))
        held.sort(key=lambda entry: entry[0])
        del held[self._most :]

    def examples(self) -> list[SenseSentence]:
        """Return the examples, one of each corpus in turn."""
        found = list[SenseSentence]()
        for turn in range(self._most):
            found += [held[turn][1] for _, held in sorted(self._held.items()) if turn < len(held)]
        return found[: self._most]


def select_examples(
    pairs: Iterable[LinkedPair], lexicon: SenseLexicon, options: SelectionOptions, classes: Collection[str]
) -> tuple[list[SenseSentence], list[SenseSentence]]:
    """Return the examples of the scoring variant and of the translation variant."""
    senses = {
        word: {lemma.lower(): index for index, cluster in enumerate(clusters) for lemma in cluster.words}
        for word, clusters in lexicon.items()
    }
    drawn: dict[tuple[SourceWord, int, bool], _Drawn] = {}
    source_classes = {word.upos for word in lexicon}
    for pair in pairs:
        if len(pair.source.lemmas) <= options.longer_than:
            continue
        for example in _examples(pair, senses, options, source_classes, classes):
            texts = "\t".join((str(options.seed), pair.source.text, pair.target.text))
            key = hashlib.blake2b(texts.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            for translation in (False, True) if example.nouns else (False,):
                most = options.translation_most if translation else options.most
                place = (example.word, example.sense, translation)
                drawn.setdefault(place, _Drawn(most)).add(key, example)
    ordered = sorted(drawn, key=lambda place: (place[0].lemma, place[0].upos, place[1]))
    scoring, translating = (
        [example for place in ordered if place[2] == wanted for example in drawn[place].examples()]
        for wanted in (False, True)
    )
    counts = Counter((example.word, example.sense) for example in translating)
    frequent = [one for one in translating if counts[one.word, one.sense] >= options.translation_least]
    return _still_ambiguous(scoring), _still_ambiguous(frequent)


def _examples(
    pair: LinkedPair,
    senses: Mapping[SourceWord, Mapping[str, int]],
    options: SelectionOptions,
    classes: Collection[str],
    target_classes: Collection[str],
) -> Iterable[SenseSentence]:
    """Yield the ambiguous words of a pair that stand once in it, and whose translations do."""
    for source, target in linked_words(pair, classes, target_classes):
        word = SourceWord(pair.source.lemmas[source].lower(), pair.source.upos[source])
        sense = senses.get(word, {}).get(pair.target.lemmas[target].lower())
        if sense is None or _often(pair.source, source) or _often(pair.target, target):
            continue
        if options.base_forms and pair.target.form(target).lower() != pair.target.lemmas[target].lower():
            continue
        # A word of another sense would count as wrong in a right translation.
        if any(senses[word].get(lemma.lower(), sense) != sense for lemma in pair.target.lemmas):
            continue
        yield SenseSentence(
            word=word,
            sense=sense,
            origin=pair.origin,
            number=pair.number,
            source=pair.source.text,
            target=pair.target.text,
            source_form=pair.source.form(source),
            target_span=(pair.target.starts[target], pair.target.ends[target]),
            target_lemma=pair.target.lemmas[target],
            nouns=pair.source.upos[source] == NOUN == pair.target.upos[target],
        )


def _often(side: LinkedSide, index: int) -> bool:
    """Return whether a token's lemma, or its form, stands more than once."""
    lemma, form = side.lemmas[index].lower(), side.form(index).lower()
    return any(
        at != index and (other.lower() == lemma or side.form(at).lower() == form)
        for at, other in enumerate(side.lemmas)
    )


def _still_ambiguous(examples: Sequence[SenseSentence]) -> list[SenseSentence]:
    senses: dict[SourceWord, set[int]] = {}
    for example in examples:
        senses.setdefault(example.word, set()).add(example.sense)
    return [example for example in examples if len(senses[example.word]) > 1]


def scoring_suite(
    examples: Sequence[SenseSentence], lexicon: SenseLexicon, name: str, languages: tuple[str, str]
) -> Suite:
    """Return the scoring variant: each example with the words of all other senses in the translation's place."""
    return Suite(name, *languages, tuple(_item(number, one, lexicon) for number, one in enumerate(examples)))


def translation_suite(
    examples: Sequence[SenseSentence],
    lexicon: SenseLexicon,
    name: str,
    languages: tuple[str, str],
    out_of_domain: tuple[str, ...] = (),
) -> Suite:
    """Return the translation variant; a sense is out of domain if more than half of its sentences are (§4)."""
    outside = [bool(out_of_domain) and one.origin.startswith(out_of_domain) for one in examples]
    totals = Counter((one.word, one.sense) for one in examples)
    out = Counter((one.word, one.sense) for one, is_out in zip(examples, outside, strict=True) if is_out)
    items = list[Item]()
    for number, (one, is_out) in enumerate(zip(examples, outside, strict=True)):
        item = _item(number, one, lexicon)
        key = (one.word, one.sense)
        domain = OUT_OF_DOMAIN if 2 * out[key] > totals[key] else IN_DOMAIN
        extra = dict(item.extra) | ({"domain": domain, "out of domain": is_out} if out_of_domain else {})
        items.append(replace(item, extra=extra))
    return Suite(name, *languages, tuple(items))


def _item(number: int, example: SenseSentence, lexicon: SenseLexicon) -> Item:
    clusters = lexicon[example.word]
    own = clusters[example.sense]
    wrong = [
        make_variant(_replaced(example, word), word, "_".join(cluster.words))
        for index, cluster in enumerate(clusters)
        for word in cluster.words
        if index != example.sense
    ]
    return make_item(
        number,
        example.word.lemma,
        "_".join(own.words),
        example.source,
        example.target,
        expected=[example.target_lemma, *own.words],
        forbidden=[variant.form for variant in wrong],
        variants=wrong,
        extra={
            "origin": example.origin,
            "form": example.source_form,
            "upos": example.word.upos,
            "place": example.number,
        },
    )


def _replaced(example: SenseSentence, word: str) -> str:
    """Return the target with another word in the translation's place, with a capital where the sentence begins so."""
    start, end = example.target_span
    if example.target[start : start + 1].isupper() and (start == 0 or not example.target_lemma[:1].isupper()):
        word = word[:1].upper() + word[1:]
    return example.target[:start] + word + example.target[end:]
