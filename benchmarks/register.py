"""How many sentences of known register have their level of address found.

    python benchmarks/register.py ../shared/register [-l es] [--limit 200] [--missed]

CoCoA-MT (Nadejde et al. 2022) has each English sentence in a formal and an informal translation, with the words that
show the register marked. A sentence is found if a word that touches a marked one is given the wanted level. ``words``
is the share of all marked stretches that are found so, ``other`` that of sentences in which some word is given the
opposite level. Sentences without a marked word are left out: grammar may not show the register there.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from endophora.evaluation.setup import Setup
from endophora.languages import load_language
from endophora.phenomena import TaggerOptions
from endophora.phenomena.formality import FormalityTagger
from endophora.phenomena.records import AnnotatedDocument

LANGUAGES = ("de", "es", "fr", "it", "ja", "nl", "pt")
LEVELS = {"formal": {"formal", "polite", "honorific", "humble"}, "informal": {"informal", "plain", "intimate"}}
"""Our levels by the register of the collection."""
_MARK = re.compile(r"\[F\](.*?)\[/F\]")


def sentences(folder: Path, register: str) -> Iterator[tuple[str, str, list[tuple[int, int]]]]:
    """Yield source, target and the places of marked words of each sentence with a marked word."""
    for source in sorted(path for path in folder.iterdir() if "formal." not in f"{path.name}."):
        stem = source.name.removesuffix(".en")
        marked = next(folder.glob(f"{stem}.{register}.annotated*"))
        pairs = zip(source.read_text("utf-8").splitlines(), marked.read_text("utf-8").splitlines(), strict=True)
        for english, line in pairs:
            found = list(_MARK.finditer(line))
            if found:
                # Three characters of a mark stand before a word, four after it.
                places = [(one.start() - 7 * n, one.end() - 7 * (n + 1)) for n, one in enumerate(found)]
                yield english, _MARK.sub(r"\1", line), places


def score(folder: Path, code: str, limit: int, missed: bool) -> None:
    """Print what is found of each register of a language."""
    tools = Setup("en", code, taggers=TaggerOptions(phenomena=("formality",))).load()
    tagger = FormalityTagger(load_language("en"), load_language(code))
    for register, other in (("formal", "informal"), ("informal", "formal")):
        items = list(sentences(folder, register))[: limit or None]
        sources = list(tools.source_annotator.annotate([item[0] for item in items]))
        targets = list(tools.target_annotator.annotate([item[1] for item in items]))
        linked = tools.aligner.align_many([((one,), (two,)) for one, two in zip(sources, targets, strict=True)])
        count: Counter[str] = Counter()
        for (english, line, places), source, target, links in zip(items, sources, targets, linked, strict=True):
            document = AnnotatedDocument("", (source,), (target,), tuple(links))
            shown = [(target.tokens[index], level) for _, index, level, _, _ in tagger.words(document)]
            right = [token for token, level in shown if level in LEVELS[register]]
            met = [any(token.start < end and start < token.end for token in right) for start, end in places]
            opposite = [token.form for token, level in shown if level in LEVELS[other]]
            count.update(sentences=1, found=any(met), other=bool(opposite), words=len(met), met=sum(met))
            if missed and (not any(met) or opposite):
                print(f"  {register}: {english}\n    {line}\n    {[(t.form, level) for t, level in shown]}")
        found, opposite_too, words = (
            100 * count[part] / count[whole]
            for part, whole in (("found", "sentences"), ("other", "sentences"), ("met", "words"))
        )
        print(
            f"{code} {register:<9} {count['sentences']:4} sentences: found {found:5.1f} %, "
            f"other level {opposite_too:4.1f} %; {count['words']:4} marked: {words:5.1f} %",
            flush=True,
        )


def main() -> None:
    """Score languages."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("register", type=Path)
    parser.add_argument("-l", "--language", action="append", choices=LANGUAGES)
    parser.add_argument("--limit", type=int, default=0, help="sentences of each register; 0 for all")
    parser.add_argument("--missed", action="store_true", help="print the sentences that are missed or of both levels")
    given = parser.parse_args()
    for code in given.language or LANGUAGES:
        score(given.register / f"en-{code}", code, given.limit, given.missed)


if __name__ == "__main__":
    main()
