"""Small files under the names that the pages of ``docs/`` give them, and tiny models."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
import tarfile
import zipfile
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from pathlib import Path

import pyarrow
import pyarrow.parquet

from corpus.test_opus_stream import ENGLISH, GERMAN, LINKS, document_xml, links_xml, turned
from endophora.data import CONTEXT_DEMO, example_directory
from endophora.suites.formats import read_suite, write_suite
from senses.sense_suites import suite_of_bank

SCAT = {
    "highlighted.test.en": ["But <p>it</p> is <hon>big<hoff>."],
    "highlighted.test.fr": ["Mais <p>elle</p> est grande."],
    "highlighted.test.de": ["Aber <p>sie</p> ist groß."],
    "highlighted.test.context.de": ["Die <hon>Lampe<hoff> ist draußen."],
    "highlighted.test.context.en": ["The <hon>lamp<hoff> is outside."],
    "highlighted.test.context.fr": ["La <hon>lampe<hoff> est dehors."],
}
MUCOW = {
    "key": "1\tbooks\tbank\tranta\tpankki",
    "text": "The bank is steep.",
    "ref": "Ranta on jyrkkä.",
    "domain": "bank\tranta\tin",
}
DOCUMENTS, SEGMENTS = 2, 8
"""Documents of the example, and segments of each."""
TERMS = "suitcase\tKoffer\nbridge\tBrücke\n"


def lay_out(folder: Path) -> None:
    """Write all files; models are copies of the package's."""
    _example(folder)
    _models(folder)
    _context(folder)
    _people(folder)
    _suites(folder)
    _books(folder)
    _sources(folder)
    _language(folder)


def judge(folder: Path) -> None:
    """Fill in the sheets of a folder, as people who find the outputs worse from left to right."""
    for path in folder.glob("sheets/rater-*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            head, *rows = csv.reader(stream)
        ranks = range(1, 1 + sum(name.startswith("rank ") for name in head))
        for row in rows:
            row += map(str, ranks)
        with (folder / path.name).open("w", encoding="utf-8", newline="") as stream:
            csv.writer(stream).writerows([head, *rows])


def _sources(folder: Path) -> None:
    """What corpora are made of: help in two languages, sentence pairs, a release of OPUS."""
    for language, word in (("en-US", "word"), ("de", "Wort")):
        for page in range(30):
            write(folder / "help" / language / f"{page}.html", [f'<p id="a">This is {word} number {page} of all.</p>'])
    write(folder / "en-de.tsv.gz", [f"tatoeba\tLook {one}.\tSieh {one}." for one in range(9)])
    write(folder / "de-en.xml.gz", [links_xml([("de/1/4.xml.gz", "en/1/3.xml.gz", turned(LINKS))]).decode()])
    (folder / "raw").mkdir()
    for language, number, texts in (("en", 3, ENGLISH), ("de", 4, GERMAN)):
        with zipfile.ZipFile(folder / "raw" / f"{language}.zip", "w") as archive:
            archive.writestr(f"raw/{language}/1/{number}.xml", document_xml(texts))


RECIPE = """
language: sq
components: [parser, morphologizer, endophora_lemmatizer]
network: {width: 16, depth: 1, pieces: 2, hidden: 16, form_rows: 50, shape_rows: 9, prefixes: {}, suffixes: {"2": 9}}
training: {words: 900, batch: 40, rate: 0.01, warmup: 1}
sources: [{name: t, archive: t.tar.xz, files: [train.conllu]}]
tests: [{name: t, archive: t.tar.xz, files: [test.conllu]}]
"""


def _language(folder: Path) -> None:
    """What a new language begins with: a treebank of twelve sentences, its recipe, sentence pairs, a text."""
    trees = {"train": "", "test": ""}
    for verb in ("vjen", "sheh", "shkon", "punon"):
        for pronoun in ("Ai", "Ajo", "Unë"):
            rows = (f"1\t{pronoun}\tai\tPRON\t_\tPerson=3\t2\tnsubj", f"2\t{verb}\t{verb}\tVERB\t_\t_\t0\troot")
            lines = "".join(f"{row}\t_\t_\n" for row in (*rows, "3\t.\t.\tPUNCT\t_\t_\t2\tpunct"))
            trees["test" if verb == "punon" else "train"] += f"{lines}\n"
    (folder / "treebanks").mkdir()
    with tarfile.open(folder / "treebanks" / "t.tar.xz", "w:xz") as archive:
        for name, text in trees.items():
            member = tarfile.TarInfo(f"{name}.conllu")
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    write(folder / "xx.recipe.yaml", [RECIPE])
    pairs = [("He comes.", "Ai vjen."), ("She sees.", "Ajo sheh.")] * 9
    write(folder / "parallel" / "en-xxx.tsv.gz", [f"tatoeba\t{one}\t{other}" for one, other in pairs])
    for name in ("TEST", "ntrex"):
        write(folder / f"{name}.en", ["He works.", "She works."])
        write(folder / f"{name}.xx", ["Ai punon.", "Ajo punon."])
    write(folder / "ntrex.ids", ["one", "one"])


def write(path: Path, lines: Iterable[str]) -> None:
    """Write lines of text, packed if the name ends so."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line}\n" for line in lines)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def _example(folder: Path) -> None:
    """Texts that are evaluated: a few documents of the shipped example."""
    example = example_directory("en-de")
    ids = [line.split()[-1] for line in _lines(example / "documents" / "en-de.docs")]
    chosen: list[int] = []
    for number, (_, places) in enumerate(groupby(range(len(ids)), key=ids.__getitem__)):
        chosen += [*places][:SEGMENTS] if number < DOCUMENTS else []
    outputs = example / "system-outputs" / "en-de"
    texts = {
        "source": _lines(example / "sources" / "en-de.txt"),
        "reference": _lines(example / "references" / "en-de.ref.txt"),
        "ours": _lines(outputs / "context-aware.txt"),
        "theirs": _lines(outputs / "sentence-level.txt"),
        "ids": ids,
    }
    parts = {name: [lines[one] for one in chosen] for name, lines in texts.items()}
    names = {
        "source": ("test.en", "source.txt", "a.en", "talk.en", "wmt24/sources/en-de.txt", "corpus.en.gz"),
        "reference": ("test.de", "reference.txt", "a.de", "wmt24/references/en-de.refA.txt", "corpus.de.gz"),
        "ours": (
            "ours.de",
            "output.txt",
            "wmt24/system-outputs/en-de/GPT-4.txt",
            "wmt24/system-outputs/en-de/IKUN.txt",
        ),
        "theirs": ("theirs.de", "mt.txt", "outputs.txt", "wmt24/system-outputs/en-de/ONLINE-B.txt"),
        "ids": ("test.ids", "ids.txt", "documents.txt", "talk.ids", "corpus.ids.gz"),
    }
    for kind, files in names.items():
        for name in files:
            write(folder / name, parts[kind])
    write(folder / "wmt24/system-outputs/en-de/CycleL.txt", parts["ours"][::-1])
    write(folder / "wmt24/documents/en-de.docs", [f"test\t{one}" for one in parts["ids"]])
    shutil.copytree(folder / "wmt24", folder / "wmt22")
    write(folder / "terms.tsv", TERMS.splitlines())
    for name, kind in (("ref.json", "reference"), ("mine.json", "ours")):
        words = [
            [{"token": word, "tags": ["pronouns"][: not place]} for place, word in enumerate(line.split())]
            for line in parts[kind]
        ]
        write(folder / name, [json.dumps([words])])
    pairs = zip(parts["ids"], parts["source"], parts["reference"], strict=True)
    write(folder / "corpus.tsv.gz", ["document\tsource\ttarget", *("\t".join(one) for one in pairs)])


def _models(folder: Path) -> None:
    """The models of ``context demo``, under every name."""
    names = {
        "sentence": ("DIR", "sentence", "models/sentence", "MODEL"),
        "concatenation": ("concatenation", "models/concatenation", "target"),
        "multi-encoder": ("multi-encoder", "models/multi-encoder"),
    }
    for kind, links in names.items():
        for name in links:
            shutil.copytree(CONTEXT_DEMO / kind, folder / name)


def _context(folder: Path) -> None:
    """Texts, a suite and tasks in the language that the models know."""
    head, *rows = _lines(CONTEXT_DEMO / "text.tsv")
    for name in ("test.tsv", "text.tsv", "text/test.tsv", "first-ten.tsv"):
        write(folder / name, [head, *rows[:8]])
    for name in ("text/train.tsv", "train.tsv", "opensubtitles.tsv"):
        write(folder / name, [head, *rows])
    for name in ("text/validation.tsv", "validation.tsv", "first-four.tsv"):
        write(folder / name, [head, *rows[12:24]])
    for name, column in (("toy.ids", 0), ("toy.en", 1), ("toy.de", 2)):
        write(folder / name, [row.split("\t")[column] for row in rows[:4]])
    columns = {
        "film": ["one", "one"],
        "pl": ["Gdzie jest lampa?", "Ona jest tutaj."],
        "en": ["Where is the lamp?", "It is here."],
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), folder / "corpus.parquet")
    tasks = [
        {"input": "It is big.", "context": ["The book is downstairs."], "output": "Es ist groß."},
        {"input": "The book is outside.", "context": [], "output": "Das Buch ist draußen."},
    ]
    write(folder / "dialogue.jsonl", (json.dumps(task) for task in tasks))


def _people(folder: Path) -> None:
    """MQM annotations of three systems, score files, and glossaries of people's judgments."""
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
    rows = [head]
    for system in range(5):
        for document in range(3):
            for segment in range(4):
                severity = ("Major", "Minor", "No-error")[(system + document * segment) % 3]
                category = "No-error" if severity == "No-error" else ("Terminology", "Accuracy/Omission")[segment % 2]
                source, text = f"第{document}{segment}句。", f"This is line {document}{segment} of system {system}."
                number = document * 4 + segment + 1
                name = {3: "ref", 4: "refB"}.get(system, f"system{system}")
                rows.append(f"{name}\tdoc{document}\t{segment}\t{number}\tr1\t{source}\t{text}\t{category}\t{severity}")
    for name in ("mqm.tsv", "mqm_ted_zhen.tsv"):
        write(folder / name, rows)
    for system in range(4):
        lines = [row.split("\t") for row in rows[1:]][12 * system : 12 * (system + 1)]
        for name, column in ((f"annotated.{system}", 6), ("annotated.zh", 5), ("annotated.ids", 1)):
            write(folder / name, [line[column] for line in lines])
    systems = [path.stem for path in sorted((folder / "wmt22" / "system-outputs" / "en-de").iterdir())]
    number = len(_lines(folder / "test.en"))
    for place, power in (
        ("wmt22/human-scores/en-de.mqm", 1),
        ("wmt22/metric-scores/en-de/bleu-refA", 2),
        ("my-scores/bleu-refA", 2),
    ):
        scores = {
            name: [(one * power + 3 * place_of) % 7 for one in range(number)] for place_of, name in enumerate(systems)
        }
        write(folder / f"{place}.seg.score", [f"{name}\t{score}" for name, all_ in scores.items() for score in all_])
        write(folder / f"{place}.sys.score", [f"{name}\t{sum(all_)}" for name, all_ in scores.items()])


def _suites(folder: Path) -> None:
    """Suites of ctxpro, ContraPro, SCAT and word senses, with outputs and scores."""
    whole = read_suite(CONTEXT_DEMO / "suite.jsonl")
    suite = replace(whole, items=whole.items[:3])
    for name in ("suite.jsonl", "pronouns.jsonl"):
        write_suite(suite, folder / name, "jsonl")
    for name in ("contrapro.json", "set.json"):
        write_suite(suite, folder / name, "contrapro")
    auxiliaries = tuple(replace(item, phenomenon="auxiliary", rule="DO.ELL") for item in suite.items)
    for name, some in (("auxiliary", replace(suite, items=auxiliaries)), ("gender", suite)):
        write_suite(some, folder / f"{name}.opensubtitles.en-de.test.json", "ctxpro")
    path = folder / "auxiliary.opensubtitles.en-de.test.json"
    write(folder / f"{path.name}.gz", _lines(path))
    inputs = ["<eos> ".join([*(pair.source for pair in item.before), item.source]) for item in suite.items]
    write(path.with_suffix(".input"), inputs)
    for name in ("a.txt", "b.txt", "hyp"):
        write(folder / name, [item.reference for item in suite.items])
    write(folder / "scores.txt", [str(-one) for one in range(sum(1 + len(item.variants) for item in suite.items))])
    for name, lines in SCAT.items():
        write(folder / name, lines)
    senses = suite_of_bank(12)
    write_suite(senses, folder / "tr-en.mucow.scoring.json", "mucow")
    write(folder / "tr-en.mucow.scoring.json.gz", _lines(folder / "tr-en.mucow.scoring.json"))
    write(folder / "a.scores", [str(-one) for one in range(sum(1 + len(item.variants) for item in senses.items))])
    for part, line in MUCOW.items():
        write(folder / f"en-fi.{part}.txt", [line] * 3)
    for name in ("a.fi", "b.fi"):
        write(folder / name, ["Ranta on jyrkkä."] * 3)
    pairs = [
        ("Sie saß auf der alten Bank am Fluss.", "She sat on the old bench near the river."),
        ("Sie ging am Montag zur neuen Bank.", "She went to the new bank on Monday."),
    ]
    write(
        folder / "corpus.tsv", [f"books\t{pair[0][:-1]} {n}.\t{pair[1][:-1]} {n}." for n in range(12) for pair in pairs]
    )


def _books(folder: Path) -> None:
    """Books of two chapters in two languages."""
    sentences = {
        "de": (
            "Der Weg war lang.",
            "Peter ging nach Hause.",
            "Es regnete.",
            "Er war müde.",
            "Die Sonne schien.",
            "Niemand kam.",
        ),
        "fr": (
            "Le chemin était long.",
            "Peter rentra.",
            "Il pleuvait.",
            "Il était fatigué.",
            "Le soleil brillait.",
            "Personne ne vint.",
        ),
        "zh": ("路很长。", "彼得回家了。", "下雨了。", "他累了。", "太阳出来了。", "没有人来。"),
        "en": (
            "The road was long.",
            "Peter went home.",
            "It rained.",
            "He was tired.",
            "The sun came out.",
            "Nobody came.",
        ),
    }
    for place, titles in (("novels", {"de": "Kapitel", "fr": "Chapitre"}), ("books", {"zh": "", "en": ""})):
        for language, title in titles.items():
            for book in range(6):
                lines = [
                    line
                    for part in (1, 2)
                    for line in (
                        f"{title} {part}",
                        *(f"{one} {book}{part}{n}." for n, one in enumerate(sentences[language])),
                    )
                ]
                write(folder / place / language / f"book{book}.txt", lines)


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines()
