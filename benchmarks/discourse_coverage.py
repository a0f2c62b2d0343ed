"""Count what document-level metrics find in news: verbs and pronouns in a class, and discourse markers by sense.

python benchmarks/discourse_coverage.py ../shared/documents/ntrex             # as in research/notes/blonde-people.md
python benchmarks/discourse_coverage.py ../shared/documents/ntrex --classes de  # how often each class and marker
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from ntrex import FILES

from endophora.annotate.loading import load_annotator
from endophora.annotate.records import VERBS, AnnotatedText, Token
from endophora.languages import load_language
from endophora.languages.discourse import SENSES, DiscourseRules, MarkerSense, TokenClass, discourse_defaults
from endophora.metrics.readings import is_of

LANGUAGES = {"en": "eng"} | FILES
SEGMENTS = 1000


def label(token: Token, classes: Iterable[TokenClass]) -> str:
    """Return the label of a word's class, empty for none."""
    return next((each.label for each in classes if is_of(token, each)), "")


def marked(text: AnnotatedText, sense: MarkerSense) -> Counter[str]:
    """Return how often each marker of a sense occurs in a text, endings behind a hyphen."""
    limits = {m if isinstance(m, str) else m.form: None if isinstance(m, str) else m.upos for m in sense.markers}
    longest = max(form.count(" ") for form in limits) + 5
    found: Counter[str] = Counter()
    for index, first in enumerate(text.tokens):
        whole = first.form.lower() in limits
        found.update(f"-{e.ending}" for e in sense.endings if not whole and e.ends(first.form.lower(), first.upos))
        for last in text.tokens[index : index + longest]:
            run = " ".join(text.text[first.start : last.end].lower().split())
            if run in limits and first.upos in (limits[run] or (first.upos,)):
                found[run] += 1
    return found


def read(path: Path, code: str) -> tuple[tuple[AnnotatedText, ...], DiscourseRules]:
    """Return the first segments of a language's reference, annotated, and the language's rules."""
    lines = (path / f"newstest2019.{LANGUAGES[code]}.txt").read_text("utf-8").split("\n")[:SEGMENTS]
    rules = load_language(code).discourse
    if rules is None:
        raise SystemExit(f"{code}: no section discourse")
    return tuple(load_annotator(code).annotate(lines)), rules


def count(
    texts: Sequence[AnnotatedText], rules: DiscourseRules
) -> tuple[Counter[str], Counter[str], list[Counter[str]]]:
    """Return verbs by class of verb form, pronouns and words in a class of pronouns by that, and markers by sense."""
    defaults = discourse_defaults()
    tenses, pronouns = (rules.tenses or defaults.tenses).classes, (rules.pronouns or defaults.pronouns).classes
    tokens = [token for text in texts for token in text.tokens]
    verbs = Counter(label(token, tenses) for token in tokens if token.upos in VERBS)
    named = ((token, label(token, pronouns)) for token in tokens)
    words = Counter(found for token, found in named if found or token.upos == "PRON")
    senses = [sum((marked(text, sense) for text in texts), Counter[str]()) for sense in rules.markers]
    return verbs, words, senses


def share(counts: Counter[str]) -> str:
    """Return how many words there are, and what share of them is in a class."""
    return f"{counts.total():,} | {100 - 100 * counts[''] / counts.total():.1f}"


def main() -> None:
    """Print the table, or one language's classes and markers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ntrex", type=Path, help="the directory of NTREX-128")
    parser.add_argument("--classes", metavar="LANGUAGE", help="how often each class and marker of a language occurs")
    options = parser.parse_args()
    if options.classes:
        texts, rules = read(options.ntrex, options.classes)
        verbs, words, senses = count(texts, rules)
        for name, found in (
            ("verbs", verbs),
            ("pronouns", words),
            *zip([s.sense for s in rules.markers], senses, strict=True),
        ):
            print(f"{name}: " + ", ".join(f"{key or 'none'} {n}" for key, n in found.most_common()))
        return
    columns = ("", "verbs", "in a class, %", "pronouns", "in a class, %", *SENSES)
    print("| " + " | ".join(columns) + " |")
    print("|---" * len(columns) + "|")
    for code in LANGUAGES:
        verbs, words, senses = count(*read(options.ntrex, code))
        print(
            f"| {code} | {share(verbs)} | {share(words)} | " + " | ".join(str(found.total()) for found in senses) + " |"
        )


if __name__ == "__main__":
    main()
