"""Cases of *it* in a treebank, to learn from what stands for nothing.

Universal Dependencies calls the *it* of weather, time and most idioms a subject or an object, and the English Web
Treebank many an extraposition too. ``recipes/expletives-en.tsv`` says of that treebank's pronouns which of them stand
for nothing all the same: the project's own reading of all of them.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from endophora.annotate.records import AnnotatedText, Annotator
from endophora.corefer.expletive import ALWAYS, PARSED, SURFACE, expletive_features
from endophora.corefer.mentions import find_mentions, load_lexicon, read_discourse
from endophora_makers.gum import read_sentences

Verdicts = Mapping[tuple[str, int, int], str]
EMPTY, UNSURE = "empty", "unsure"
EXPLETIVE = "expl"
_VERDICTS = Path(__file__).parent / "recipes" / "expletives-en.tsv"


def read_verdicts(path: Path = _VERDICTS) -> Verdicts:
    """Return what was read of a treebank's pronouns: (document, sentence, word), both from 1, → verdict.

    A pronoun that has no verdict is what the treebank's parse says.
    """
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {
        (entry["document"], int(entry["sentence"]), int(entry["word"])): entry["verdict"]
        for entry in csv.DictReader(lines, delimiter="\t")
    }


def read_expletives(
    folder: Path, annotator: Annotator, verdicts: Verdicts | None = None
) -> list[tuple[list[str], bool]]:
    """Return pronouns of a treebank that may be non-referential: features, and whether they stand for nothing.

    Args:
        verdicts: of pronouns that the parse does not call ``expl``; those that ship if not given. Unsure ones are
            left out.
    """
    verdicts = read_verdicts() if verdicts is None else verdicts
    lexicon = load_lexicon(annotator.language)
    forms = {form for form, pronoun in lexicon.pronouns.items() if pronoun.group in lexicon.expletive_groups}
    gold = [
        (path.stem, number, text)
        for path in sorted(folder.glob("*.conllu"))
        for number, text in enumerate(read_sentences(path), 1)
        if any(token.form.lower() in forms for token in text.tokens)
    ]
    found: list[tuple[list[str], bool]] = []
    parses = annotator.annotate(text.text for _, _, text in gold)
    for (document, number, text), parsed in zip(gold, parses, strict=True):
        row = read_discourse([parsed])
        truth = {
            token.start: _verdict(text, word, verdicts.get((document, number, word + 1), ""))
            for word, token in enumerate(text.tokens)
        }
        for mention in find_mentions(row, lexicon):
            said = truth.get(row.tokens[mention.index].start, UNSURE)
            if mention.group in lexicon.expletive_groups and said != UNSURE:
                found.append((expletive_features(row, mention, lexicon), said == EMPTY))
    return found


def _verdict(text: AnnotatedText, word: int, verdict: str) -> str:
    return EMPTY if text.tokens[word].relation == EXPLETIVE else verdict


def views(features: list[str]) -> list[list[str]]:
    """Return the ways in which a case is learned: whole, without the parser's own word, and by its surface alone.

    A parser is surer of its own training text than of any other; what is learned from the lesser views holds where it
    errs.
    """
    unsaid = [feature for feature in features if feature != PARSED]
    return [features, unsaid, [feature for feature in features if feature == ALWAYS or feature.startswith(SURFACE)]]
