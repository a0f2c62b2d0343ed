"""Errors put into human translations, one at a time, and harmless changes: what the verdict says of each.

    python benchmarks/injected.py ../shared/documents/ntrex [-l de -l fr …] [--sample 60]

The reference of NTREX-128 is judged on itself, with one word of one judged occurrence changed:

- a pronoun takes the form of another gender (*er* for *sie*), by the rules of the language;
- a word of address that is no subject takes a form of the other level, in the same case and number;
- a verb takes another tense in the same person and number;
- a repeated noun or name is rendered by another noun of the same gender, number and case.

Harmless: another verb in the same form, and another noun in place of all uses of a word. The words come from the corpus
itself, with the features that the annotator gives them, so that grammar is kept.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from endophora.annotate.records import AnnotatedText, Token
from endophora.evaluation.setup import Setup, Toolbox
from endophora.judgments.judging import JudgedText
from endophora.judgments.reading import read_choices
from endophora.judgments.records import Choices, is_same_word
from endophora.languages import load_language
from endophora.phenomena.records import AnnotatedDocument, Occurrence

FILES = {"de": "deu", "es": "spa", "fr": "fra", "it": "ita", "pl": "pol", "ru": "rus"}
AGREEMENT = ("Gender", "Number", "Case", "Person")
Change = dict[tuple[int, int], str]
"""Segment and target token → what is written there instead."""


def lines(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text("utf-8").removesuffix("\n").split("\n")


class Language:
    """The corpus in one language, annotated, and the forms that occur in it."""

    def __init__(self, directory: Path, language: str, sample: int) -> None:
        self.language, self.random, self.sample = language, Random(1), sample  # noqa: S311 - no secret
        self.rules = load_language(language)
        self.tools: Toolbox = Setup("en", language, store=None).load()
        source, target = (lines(directory / f"newstest2019.{name}.txt") for name in ("eng", FILES[language]))
        names = [line.split("\t")[0] for line in lines(directory / "DOCUMENT_IDS.tsv")]
        places: defaultdict[str, list[int]] = defaultdict(list)
        for at, name in enumerate(names):
            places[name].append(at)
        theirs = list(self.tools.source_annotator.annotate(source))
        ours = list(self.tools.target_annotator.annotate(target))
        pairs = [(tuple(theirs[at] for at in some), tuple(ours[at] for at in some)) for some in places.values()]
        linked = self.tools.aligner.align_many(pairs)
        self.documents = [
            AnnotatedDocument(name, left, right, tuple(links), tuple(self.tools.resolver.resolve(left, right, links)))
            for name, (left, right), links in zip(places, pairs, linked, strict=True)
        ]
        self.forms: defaultdict[str, dict[str, Token]] = defaultdict(dict)
        for text in ours:
            for token in text.tokens:
                self.forms[token.upos].setdefault(token.form, token)

    def alike(self, token: Token, features: Sequence[str]) -> list[Token]:
        """Return other words of the corpus of the same part of speech with the same values of some features."""
        wanted = [token.features.get(name) for name in features]
        return [
            other
            for form, other in self.forms[token.upos].items()
            if form.lower() != token.form.lower()
            and [other.features.get(name) for name in features] == wanted
            and form[:1].isupper() == token.form[:1].isupper()
            and form.isalpha()
        ]

    def changed(self, document: AnnotatedDocument, change: Change) -> AnnotatedDocument:
        """Return a document with some words written otherwise, analysed and linked again."""
        target = list(document.target)
        for segment in {segment for segment, _ in change}:
            text = target[segment].text
            for (place, at), form in sorted(change.items(), reverse=True):
                if place == segment:
                    token = target[segment].tokens[at]
                    text = text[: token.start] + form + text[token.end :]
            (target[segment],) = self.tools.target_annotator.annotate([text])
        links = self.tools.aligner.align_many([(document.source, tuple(target))])[0]
        resolved = tuple(self.tools.resolver.resolve(document.source, tuple(target), links))
        return replace(document, target=tuple(target), links=tuple(links), resolutions=resolved)

    def errors(self, document: AnnotatedDocument, occurrence: Occurrence) -> Iterator[tuple[str, Change]]:
        """Yield the name of each change that can be made of an occurrence, errors first named after its phenomenon."""
        at = occurrence.segment, occurrence.target_tokens[0]
        text: AnnotatedText = document.target[occurrence.segment]
        token = text.tokens[at[1]]
        name = occurrence.phenomenon
        if name == "pronouns":
            forms = self._other_gender(token)
        elif name == "formality":
            subject = token.features.get("Case") == "Nom" and token.upos == "PRON"
            bound = subject or token.relation.startswith("nsubj") or token.upos in ("VERB", "AUX")
            forms = [] if bound else self._other_level(token, occurrence.rule)
        elif name == "verb_form":
            found = self.alike(token, ("Person", "Number", "VerbForm", "Mood"))
            tense = token.features.get("Tense")
            single = len(occurrence.target_tokens) == 1
            own = [o for o in found if o.lemma == token.lemma and o.features.get("Tense", tense) != tense]
            forms = [other.form for other in own] if single and "Tense" in token.features else []
            same = ("Person", "Number", "VerbForm", "Mood", "Tense", "Aspect", "Gender")
            verbs = [o.form for o in self.alike(token, same) if o.lemma != token.lemma]
            if verbs and single:
                yield "another verb in the same form", {at: self.random.choice(verbs)}
        elif token.upos in ("NOUN", "PROPN"):
            nouns = [o for o in self.alike(token, AGREEMENT) if not is_same_word(o.lemma.lower(), token.lemma.lower())]
            forms = [other.form for other in nouns]
            if nouns:
                uses = {
                    (segment, index): nouns[0].form
                    for segment, other in enumerate(document.target)
                    for index, word in enumerate(other.tokens)
                    if word.form == token.form
                }
                yield "another noun throughout", uses
        else:
            forms = []
        if forms:
            yield name, {at: self.random.choice(forms)}

    def _other_gender(self, token: Token) -> list[str]:
        form = token.form.lower()
        found: list[str] = []
        for rule in self.rules.pronouns:
            own = {value for value, forms in rule.alternatives.items() if form in forms}
            if own and rule.agreement:
                others = [(v, f) for v, some in rule.alternatives.items() if v not in own for f in sorted(some)]
                known = self.forms[token.upos]
                case = token.features.get("Case")
                found += [f for _, f in others if f in known and known[f].features.get("Case") == case]
        return [form.capitalize() if token.form[:1].isupper() else form for form in found]

    def _other_level(self, token: Token, level: str) -> list[str]:
        # What both levels write alike (*Ihr*) is no error that anyone could see.
        kept = {form.lower() for rule in self.rules.formality if rule.level == level for form in rule.forms}
        forms = {form for rule in self.rules.formality if rule.level != level for form in rule.forms}
        forms = {form for form in forms if form.lower() not in kept}
        wanted = [token.features.get(name) for name in ("Case", "Gender", "Poss")]
        some = [known for upos in ("PRON", "DET") for form, known in self.forms[upos].items() if form in forms]
        return [o.form for o in some if [o.features.get(name) for name in ("Case", "Gender", "Poss")] == wanted]

    def judge(self) -> dict[str, Counter[str]]:
        """Return the verdicts on each kind of change."""
        tasks: defaultdict[str, list[tuple[AnnotatedDocument, Choices, Occurrence, Change]]] = defaultdict(list)
        for document in self.documents:
            reference = read_choices(document, self.tools.taggers)
            for tagger in self.tools.taggers:
                for occurrence in tagger.tag(document):
                    judgment = self._verdict(document, reference, document, occurrence)
                    if judgment == "right":
                        for kind, change in self.errors(document, occurrence):
                            tasks[kind].append((document, reference, occurrence, change))
        verdicts: dict[str, Counter[str]] = {}
        for kind, some in tasks.items():
            chosen = self.random.sample(some, min(self.sample, len(some)))
            verdicts[kind] = Counter(
                self._verdict(self.changed(document, change), reference, document, occurrence)
                for document, reference, occurrence, change in chosen
            )
        return verdicts

    def _verdict(
        self, text: AnnotatedDocument, reference: Choices, original: AnnotatedDocument, occurrence: Occurrence
    ) -> str:
        links = [[(link.source, link.target) for link in some] for some in text.links]
        lengths = [len(segment.tokens) for segment in original.source]
        found = JudgedText(reference, read_choices(text, self.tools.taggers), links, lengths).judge(occurrence)
        return found.verdict or "not judged"


def main() -> None:
    """Print, for each language and kind of change, how many are judged how."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path, help="of NTREX-128")
    parser.add_argument("-l", "--language", action="append", choices=sorted(FILES))
    parser.add_argument("--sample", type=int, default=60)
    given = parser.parse_args()
    kinds = ("right", "wrong", "other", "missing", "not judged")
    print("| language | change | n | " + " | ".join(kinds) + " |\n|---|---|---|" + "---|" * len(kinds))
    for language in given.language or FILES:
        for kind, counts in sorted(Language(given.directory, language, given.sample).judge().items()):
            n = sum(counts.values())
            shares = " | ".join(f"{100 * counts[name] / n:.1f}" for name in kinds)
            print(f"| {language} | {kind} | {n} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
