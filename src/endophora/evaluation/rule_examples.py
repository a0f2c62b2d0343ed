"""The worked examples of a rule file, run through annotators, aligner, resolver and taggers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from endophora.evaluation.setup import Setup, Toolbox
from endophora.languages import LanguageRules
from endophora.languages.schema import Expected, WorkedExample
from endophora.phenomena.records import AnnotatedDocument, Occurrence, swap_sides
from endophora.phenomena.tagging import TAGGERS, TaggerSetup, is_into_english


@dataclass(frozen=True, slots=True)
class ExampleOutcome:
    """What came of a worked example."""

    phenomenon: str
    example: WorkedExample
    found: tuple[Expected, ...]

    @property
    def passed(self) -> bool:
        """Whether they are the expected ones: as many, in order, of the same words, and of the rule if one is named."""
        wanted = self.example.occurrences
        return len(wanted) == len(self.found) and all(
            (one.segment, one.words) == (other.segment, other.words) and one.rule in ("", other.rule)
            for one, other in zip(wanted, self.found, strict=True)
        )

    def report(self) -> str:
        """Return the example with what was expected and what was found, in several lines."""
        pairs = (f"  {number}  {one}\n     {other}" for number, (one, other) in enumerate(self.example.text, start=1))
        expected, found = _listed(self.example.occurrences), _listed(self.found)
        head = f"{self.phenomenon}: {self.example.shows}"
        return "\n".join((head, *pairs, f"  expected: {expected}", f"  found:    {found}"))


def _listed(occurrences: tuple[Expected, ...]) -> str:
    items = (f"{one.segment} “{one.words}”{f' ({one.rule})' if one.rule else ''}" for one in occurrences)
    return ", ".join(items) or "nothing"


def run_examples(rules: LanguageRules, setup: Setup, phenomena: Collection[str] = ()) -> Iterator[ExampleOutcome]:
    """Run the worked examples of a rule file, each as a separate document."""
    tools = setup.load()
    pair = (tools.rules(setup.source_language), rules)
    for phenomenon, examples in rules.examples.items():
        if phenomena and phenomenon not in phenomena:
            continue
        backwards = is_into_english(phenomenon, rules)
        source, target = reversed(pair) if backwards else pair
        tagger = TAGGERS.get(phenomenon)(TaggerSetup(source, target, setup.taggers))
        for example in examples:
            document = _annotate(example, tools, backwards)
            found = tuple(_written(occurrence, document) for occurrence in tagger.tag(document))
            yield ExampleOutcome(phenomenon, example, found)


def _annotate(example: WorkedExample, tools: Toolbox, backwards: bool) -> AnnotatedDocument:
    """Annotate an example; one of a pair into the setup's source language is worked on the other way round."""
    pairs = [pair[::-1] for pair in example.text] if backwards else example.text
    source = tuple(tools.source_annotator.annotate([one for one, _ in pairs]))
    target = tuple(tools.target_annotator.annotate([other for _, other in pairs]))
    links = tools.aligner.align(source, target)
    resolutions = tools.resolver.resolve(source, target, links)
    document = AnnotatedDocument(example.shows, source, target, tuple(links), tuple(resolutions))
    return swap_sides(document) if backwards else document


def _written(occurrence: Occurrence, document: AnnotatedDocument) -> Expected:
    tokens = document.target[occurrence.segment].tokens
    words = " ".join(tokens[index].form for index in occurrence.target_tokens)
    return Expected(segment=occurrence.segment + 1, words=words, rule=occurrence.rule)
