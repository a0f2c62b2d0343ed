# ruff: noqa: E501 (a row of the table is a line)
"""A hundred faulty inputs × the commands that read them: never a traceback, never a score in silence.

*fail* is a refusal with a code (or of an option, by the command line) and the exit status 2 or 3; *warn* a warning or a
refusal; *ok* is input that looks odd and must work.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BufferedReader, BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from command import run

sys.path += [str(Path(__file__).parent.parent / name) for name in ("context", "models")]
from fake_scorer import FakeScorer

from endophora.corpus import lines as opened
from endophora.models import specs
from endophora.models.records import Translation

ENGLISH = """The council met on Monday to discuss the future of the old library.
It was built almost a hundred years ago and needs a new roof.
Several people asked whether the money could be found in time.
They heard that nobody could promise anything before the summer.
Can you tell me where the nearest railway station is, please?
You have to turn left behind the church and cross the bridge.
My brother has lost his keys, and he cannot get into the house.
The lamp on the table is broken, but it can still be repaired.
We spent the whole afternoon walking along the river.
When the rain stopped, the children ran out into the garden.
The doctor said that she would call back later in the evening.
Nothing is more difficult than writing a short letter."""
GERMAN = """Der Rat traf sich am Montag, um über die Zukunft der alten Bibliothek zu sprechen.
Sie wurde vor fast hundert Jahren gebaut und braucht ein neues Dach.
Mehrere Leute fragten, ob das Geld rechtzeitig gefunden werden könne.
Man sagte ihnen, dass niemand vor dem Sommer etwas versprechen könne.
Können Sie mir bitte sagen, wo der nächste Bahnhof ist?
Sie müssen hinter der Kirche links abbiegen und über die Brücke gehen.
Mein Bruder hat seine Schlüssel verloren und kommt nicht ins Haus.
Die Lampe auf dem Tisch ist kaputt, aber sie lässt sich noch reparieren.
Wir gingen den ganzen Nachmittag am Fluss spazieren.
Als der Regen aufhörte, liefen die Kinder in den Garten hinaus.
Die Ärztin sagte, dass sie später am Abend zurückrufen werde.
Nichts ist schwieriger, als einen kurzen Brief zu schreiben."""
OTHER = GERMAN.replace("Sie", "Es").replace("ist", "war").replace("Können Es", "Kannst du")
FRENCH = """Le conseil s'est réuni lundi pour discuter de l'avenir de la vieille bibliothèque.
Elle a été construite il y a presque cent ans et a besoin d'un nouveau toit.
Plusieurs personnes ont demandé si l'argent pouvait être trouvé à temps.
On leur a dit que personne ne pouvait rien promettre avant l'été.
Pouvez-vous me dire où se trouve la gare la plus proche, s'il vous plaît ?
Vous devez tourner à gauche derrière l'église et traverser le pont.
Mon frère a perdu ses clés et il ne peut pas entrer dans la maison.
La lampe sur la table est cassée, mais on peut encore la réparer.
Nous avons passé tout l'après-midi à marcher le long de la rivière.
Quand la pluie a cessé, les enfants ont couru dans le jardin.
Le médecin a dit qu'elle rappellerait plus tard dans la soirée.
Rien n'est plus difficile que d'écrire une courte lettre."""
IDS = "a\n" * 4 + "b\n" * 4 + "c\n" * 4
SUITE = [
    {
        "expected": "sie",
        "src pronoun": "it",
        "ante distance": 1,
        "src segment": f"It is number {number}.",
        "ref segment": f"Sie ist Nummer {number}.",
        "segment id": number,
        "document id": f"d{number // 3}",
        "rule": "NOM.FEM.SING",
    }
    for number in range(6)
]
MQM_HEAD = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"
MQM = "\n".join(
    [MQM_HEAD]
    + [
        f"{system}\td{n // 3}\t{n % 3 + 1}\t{n + 1}\tr\tIt is {n}.\t<v>Es</v> ist {n}.\tAccuracy/Mistranslation\t{severity}"
        for number, system in enumerate(("A", "B", "C"))
        for n in range(6)
        for severity in ("Major" if (n + number) % 3 else "Minor",)
    ]
)
JSONL = [
    {"document": d, "source": s, "references": {"A": r}, "outputs": {"x": o}}
    for d, s, r, o in zip(IDS.split(), ENGLISH.split("\n"), GERMAN.split("\n"), OTHER.split("\n"), strict=True)
]
TSV = "document\tsource\treference:A\tsystem:x\n" + "".join(
    "\t".join((one["document"], one["source"], one["references"]["A"], one["outputs"]["x"])) + "\n"  # type: ignore[index]
    for one in JSONL
)  # fmt: skip


def lines(rows: list[object]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


GOOD: dict[str, bytes] = {
    "src.en": f"{ENGLISH}\n".encode(),
    "ref.de": f"{GERMAN}\n".encode(),
    "a.de": f"{OTHER}\n".encode(),
    "b.de": f"{OTHER.replace('der ', 'die ')}\n".encode(),
    "ids": IDS.encode(),
    "suite.json": json.dumps(SUITE).encode(),
    "out.de": b"Sie ist da.\nEr ist da.\n" * 3,
    "mqm.tsv": f"{MQM}\n".encode(),
    "corpus.jsonl": lines(list(JSONL)),
    "corpus.tsv": TSV.encode(),
}

TEXTS = ("-l", "en-de", "-s", "src.en", "-r", "ref.de", "-d", "ids")
QUICK = ("-p", "formality", "--no-store", "-w", "1", "-o", "out")
COMMANDS: dict[str, tuple[str, ...]] = {
    "evaluate": ("evaluate", *TEXTS, "-y", "a=a.de", "-y", "b=b.de", "-m", "bleu", "--resamples", "100", *QUICK),
    "tag": ("tag", *TEXTS, *QUICK),
    "extract": ("extract", *TEXTS, "-p", "auxiliary", "--executor", "serial", "-o", "rows"),
    "translate": ("translate", "-l", "en-de", "-s", "src.en", "-d", "ids", "-M", "fake:"),
    "score": ("score", *TEXTS, "-y", "a=a.de", "-M", "fake:"),
    "cxmi": ("context", "cxmi", *TEXTS, "-M", "fake:", "--resamples", "100", *QUICK[2:], "-p", "none"),
    "suite": ("suite", "score", "suite.json", "-y", "a=out.de", "--resamples", "100", "-l", "en-de", "-o", "scored"),
    "meta": (
        "meta-evaluate",
        "-H",
        "mqm.tsv",
        "-m",
        "mqm.tsv.seg.score",
        "--resamples",
        "20",
        "--trials",
        "20",
        "-o",
        "m",
    ),
    # The same of one file, which may hold a whole corpus.
    "evaluate -i": ("evaluate", "-l", "en-de", "-i", "corpus.jsonl", "-m", "bleu", "--resamples", "100", *QUICK),
    "extract -i": (
        "extract",
        "-l",
        "en-de",
        "-i",
        "corpus.jsonl",
        "-p",
        "auxiliary",
        "--executor",
        "serial",
        "-o",
        "rows",
    ),
    "evaluate -t": ("evaluate", "-l", "en-de", "-i", "corpus.tsv", "-m", "bleu", "--resamples", "100", *QUICK),
    "extract -t": (
        "extract",
        "-l",
        "en-de",
        "-i",
        "corpus.tsv",
        "-p",
        "auxiliary",
        "--executor",
        "serial",
        "-o",
        "rows",
    ),
}
COMMANDS["meta"] = (
    *("meta-evaluate", "-H", "mqm.tsv", "--score", "bleu", "-l", "en-de", "-r", "C", "--resamples", "20", "--trials", "20"),
    *("-o", "meta", "--level", "seg"),
)  # fmt: skip
PARALLEL = ("evaluate", "tag", "extract", "score", "cxmi")
SOURCE = (*PARALLEL, "translate")


@dataclass(frozen=True)
class Row:
    """A fault.

    Attributes:
        expect: fail, warn or ok.
        commands: those to run.
        files: what is written in place of a good file; ``None`` takes it away, a name in ``<>`` a kind of thing.
        arguments: what is put in place of an argument, or behind all of them (of the key ``+``).
        late: why it may still be otherwise.
    """

    expect: str
    commands: tuple[str, ...]
    files: Mapping[str, bytes | str | None] = field(default_factory=dict[str, "bytes | str | None"])
    arguments: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict[str, "str | tuple[str, ...]"])


def changed(name: str, old: str, new: str, count: int = 1) -> bytes:
    return GOOD[name].decode().replace(old, new, count).encode()


def all_files(encode: str) -> dict[str, bytes | str | None]:
    return {name: data.decode().encode(encode) for name, data in GOOD.items()}


def jsonl(first: object) -> dict[str, bytes | str | None]:
    text = first if isinstance(first, str) else json.dumps(first)
    return {"corpus.jsonl": text.encode() + b"\n" + lines(list(JSONL[1:]))}


J = ("evaluate -i", "extract -i")
T = ("evaluate -t", "extract -t")
E = ("evaluate",)
M = ("score",)
S = ("suite",)
ROWS: dict[str, Row] = {
    "00-good": Row("ok", (*SOURCE, "suite", "meta", *J, *T)),
    "01-empty-src": Row("fail", SOURCE, {"src.en": b""}),
    "01b-all-empty": Row("fail", SOURCE, {"src.en": b"", "ref.de": b"", "a.de": b"", "b.de": b"", "ids": b""}),
    "01c-header-only": Row("fail", T, {"corpus.tsv": b"document\tsource\treference:A\tsystem:x\n"}),
    "02-empty-system": Row("fail", ("evaluate", "score"), {"a.de": b""}),
    "03-empty-suite": Row("fail", S, {"suite.json": b""}),
    "03-empty-mqm": Row("fail", ("meta",), {"mqm.tsv": b""}),
    "03-empty-out": Row("fail", S, {"out.de": b""}),
    "04-no-last-newline": Row("ok", (*SOURCE, "suite", "meta"), {name: data.rstrip(b"\n") for name, data in GOOD.items()}),
    "05-bom": Row("ok", ("evaluate", "suite", "meta"), {name: b"\xef\xbb\xbf" + data for name, data in GOOD.items()}),
    "06-latin1": Row("fail", (*PARALLEL, "suite"), all_files("latin-1") | {"out.de": "Sie läßt.\n".encode("latin-1") * 6}),
    "06-latin1-mqm": Row("fail", ("meta",), {"mqm.tsv": changed("mqm.tsv", "Es", "Ü").decode().encode("latin-1")}),
    "07-utf16": Row("fail", (*SOURCE, "suite", "meta"), all_files("utf-16")),
    "08-nul": Row("fail", SOURCE, {"src.en": changed("src.en", "Monday", "Mon\0day")}),
    "08-nul-suite": Row("fail", S, {"out.de": changed("out.de", "da", "d\0a")}),
    "09-crlf": Row("ok", ("evaluate", "suite", "meta"), {n: data.replace(b"\n", b"\r\n") for n, data in GOOD.items()}),
    "10-lone-surrogate": Row("fail", SOURCE, {"src.en": GOOD["src.en"].replace(b"Monday", b"\xed\xa0\xbd")}),
    "11-megabyte": Row("fail", SOURCE, {"src.en": GOOD["src.en"].replace(b"Monday", b"Monday " * 150_000)}),
    "12-lines-differ": Row("fail", PARALLEL, {"ref.de": changed("ref.de", "\n", " ")}),
    "12-lines-differ-suite": Row("fail", S, {"out.de": b"Sie.\n"}),
    "12b-ids-short": Row("fail", SOURCE, {"ids": b"a\nb\n"}),
    "13-empty-id": Row("fail", SOURCE, {"ids": changed("ids", "b", "")}),
    "14-ids-not-contiguous": Row("fail", SOURCE, {"ids": changed("ids", "c", "a")}),
    "15-blank-source": Row("fail", SOURCE, {"src.en": changed("src.en", "We spent the whole afternoon walking along the river.", "")}),
    "15b-blank-ref": Row("fail", PARALLEL, {"ref.de": changed("ref.de", "Wir gingen den ganzen Nachmittag am Fluss spazieren.", " ")}),
    "15c-blank-output": Row("warn", ("evaluate",), {"a.de": changed("a.de", "Wir gingen den ganzen Nachmittag am Fluss spazieren.", "")}),
    "15c-blank-output-suite": Row("warn", S, {"out.de": b"\n" + b"Sie ist da.\n" * 5}),
    "16-all-whitespace": Row("fail", SOURCE, {"src.en": b" \n" * 12}),
    "16-all-blank-suite": Row("warn", S, {"out.de": b" \n" * 6}),
    "17-dir-for-file": Row("fail", SOURCE, {"src.en": "<dir>"}),
    "17b-dir-for-suite": Row("fail", S, {"suite.json": "<dir>"}),
    "17b-dir-for-mqm": Row("fail", ("meta",), {"mqm.tsv": "<dir>"}),
    "18-missing-file": Row("fail", (*SOURCE, "suite", "meta"), {"src.en": None, "suite.json": None, "mqm.tsv": None}),
    "19-truncated-gz": Row("fail", SOURCE, {"src.en": gzip.compress(GOOD["src.en"])[:-12]}),
    "19-truncated-gz-suite": Row("fail", S, {"suite.json": gzip.compress(GOOD["suite.json"])[:-12]}),
    "19-truncated-gz-mqm": Row("fail", ("meta",), {"mqm.tsv": gzip.compress(GOOD["mqm.tsv"])[:-12]}),
    "20-duplicate-systems": Row("fail", E, arguments={"b=b.de": "a=b.de"}),
    "20b-duplicate-suite": Row("fail", S, arguments={"+": ("-y", "a=out.de")}),
    "21-unknown-language": Row("fail", SOURCE, arguments={"en-de": "en-qq"}),
    "21b-bad-pair": Row("fail", SOURCE, arguments={"en-de": "ende"}),
    "21c-eng-deu": Row("fail", SOURCE, arguments={"en-de": "eng-deu"}),
    "21d-same": Row("warn", E, arguments={"en-de": "en-en"}),
    "21f-de-en": Row("warn", ("evaluate", "tag"), arguments={"en-de": "de-en"}),
    "22-out-exists-file": Row("fail", ("evaluate", "tag", "cxmi"), {"out": b"mine"}),
    "22-out-exists-file-extract": Row("fail", ("extract",), {"rows": b"mine"}),
    "23-out-not-writable": Row("fail", ("evaluate", "tag", "cxmi"), arguments={"out": "/proc/x"}),
    "24-bad-metric": Row("fail", E, arguments={"bleu": "blue"}),
    "24b-bad-phenomenon": Row("fail", ("evaluate", "tag"), arguments={"formality": "formalty"}),
    "24c-bad-option": Row("fail", ("evaluate", "tag", "suite", "meta"), arguments={"+": ("--nonsense",)}),
    "24d-bad-format": Row("fail", E, arguments={"+": ("-f", "xml")}),
    "24e-comet": Row("fail", E, arguments={"bleu": "comet"}),
    "24f-comet-model": Row("fail", E, arguments={"bleu": "comet:"}),
    "24g-annotator": Row("fail", E, arguments={"+": ("--annotator", "de=nosuch")}),
    "24h-annotator-spacy": Row("fail", E, arguments={"+": ("--annotator", "de=spacy:de_core_news_xx")}),
    "24i-baseline": Row("fail", E, arguments={"+": ("--baseline", "none")}),
    "24k-model-typo": Row("fail", ("translate", "score", "cxmi"), arguments={"fake:": "defualt"}),
    "24l-device": Row("fail", ("translate", "score"), arguments={"fake:": "default", "+": ("--device", "quantum")}),
    "24m-deepl-nokey": Row("fail", ("translate",), arguments={"fake:": "deepl:", "+": ("--yes",)}),
    "25-swapped-languages": Row("warn", ("evaluate", "tag", "extract"), {"src.en": GOOD["ref.de"], "ref.de": GOOD["src.en"]}),
    "26-wrong-language-ref": Row("warn", ("evaluate", "tag"), {"ref.de": f"{FRENCH}\n".encode()}),
    "26b-wrong-language-system": Row("warn", E, {"a.de": f"{FRENCH}\n".encode()}),
    "27-source-is-reference": Row("warn", ("evaluate", "tag"), {"ref.de": GOOD["src.en"]}),
    "27b-system-is-source": Row("warn", E, {"a.de": GOOD["src.en"]}),
    "28-system-is-reference": Row("warn", E, {"a.de": GOOD["ref.de"]}),
    "29-two-identical-systems": Row("warn", E, {"b.de": GOOD["a.de"]}),
    "30-one-segment": Row("warn", ("evaluate", "cxmi"), {n: GOOD[n].split(b"\n")[0] + b"\n" for n in ("src.en", "ref.de", "a.de", "b.de", "ids")}),
    "32-html": Row("ok", E, {"a.de": changed("a.de", "Montag", "<b>Montag</b> &amp; <script>alert(1)</script>")}),
    "33-control": Row("ok", ("evaluate", "tag"), {"src.en": changed("src.en", "Monday", "Mon\x1bday\x07")}),
    "34-rtl-zw": Row("ok", E, {"a.de": changed("a.de", "Montag", "Mon\u202etag\u200b\u2028")}),
    "35-emoji": Row("ok", ("evaluate", "score"), {"a.de": changed("a.de", "Montag", "👩‍👩‍👧‍👦🇩🇪")}),
    "36a-source-int": Row("fail", J, jsonl(JSONL[0] | {"source": 1})),
    "36b-refs-string": Row("fail", J, jsonl(JSONL[0] | {"references": "x"})),
    "36c-null-output": Row("fail", J[:1], jsonl(JSONL[0] | {"outputs": {"x": None}})),
    "36d-extra-key": Row("warn", J[:1], jsonl(JSONL[0] | {"more": 1})),
    "36e-array": Row("fail", J, jsonl("[1, 2]")),
    "36f-truncated": Row("fail", J, {"corpus.jsonl": GOOD["corpus.jsonl"][:-20]}),
    "36g-dup-key": Row("fail", J[:1], jsonl('{"source": "a", "source": "b"}')),
    "36h-escaped-surrogate": Row("fail", J, jsonl(json.dumps(JSONL[0]).replace("council", "\\ud83d"))),
    "36i-missing-output": Row("fail", J[:1], jsonl(JSONL[0] | {"outputs": {}})),
    "36j-deep": Row("fail", J, jsonl("[" * 100_000)),
    "36k-newline-in-source": Row("ok", J[:1], jsonl(JSONL[0] | {"source": "The council met.\nIt was late."})),
    "36l-digits": Row("fail", J, jsonl('{"source": ' + "1" * 5_000 + "}")),
    "37-tsv-no-header": Row("fail", T, {"corpus.tsv": GOOD["corpus.tsv"].partition(b"\n")[2]}),
    "37b-tsv-ragged": Row("fail", T, {"corpus.tsv": GOOD["corpus.tsv"] + b"a\tb\n"}),
    "37c-tsv-dup-col": Row("fail", T, {"corpus.tsv": changed("corpus.tsv", "reference:A", "source")}),
    "41-unicode-names": Row("ok", E, {"<b>ü 名.de": GOOD["a.de"]}, {"a=a.de": "<b>ü 名.de"}),
    "42-many-systems": Row("ok", E, {f"s{n}.de": GOOD["a.de"].replace(b"Brief", b"Brief %d" % n) for n in range(5)}, {"+": tuple(x for n in range(5) for x in ("-y", f"s{n}.de"))}),
    "44-stdin-empty": Row("fail", SOURCE, arguments={"src.en": "-"}),
    "44b-stdin-twice": Row("fail", E, arguments={"src.en": "-", "ref.de": "-"}),
    "46-yaml-broken": Row("fail", E, {"r.yaml": b"a: [\n"}, {"+": ("--rules", "r.yaml")}),
    "46b-yaml-other": Row("fail", E, {"r.yaml": b"a: 1\n"}, {"+": ("--rules", "r.yaml")}),
    "46c-yaml-empty": Row("fail", E, {"r.yaml": b""}, {"+": ("--rules", "r.yaml")}),
    "46d-yaml-tag": Row("fail", E, {"r.yaml": b"!!python/object/apply:os.system [ls]"}, {"+": ("--rules", "r.yaml")}),
    "46e-yaml-deep": Row("fail", E, {"r.yaml": b"{a: " * 2000 + b"1" + b"}" * 2000}, {"+": ("--rules", "r.yaml")}),
    "46f-weights-deep": Row("fail", ("meta",), {"w.yaml": b"{a: " * 2000 + b"1" + b"}" * 2000}, {"+": ("--weights", "w.yaml")}),
    "47-store-garbage": Row("fail", ("evaluate", "cxmi"), {"s.sqlite": b"garbage " * 500}, {"--no-store": ("--store", "s.sqlite")}),
    "47b-store-other-db": Row("fail", E, {"s.sqlite": "<database>"}, {"--no-store": ("--store", "s.sqlite")}),
    "48-model-trunc": Row("fail", M, {"model/model.safetensors": "<half>"}, {"fake:": "model"}),
    "48-model-garbage": Row("fail", M, {"model/model.safetensors": b"garbage"}, {"fake:": "model"}),
    "48-model-missing": Row("fail", M, {"model/model.safetensors": None}, {"fake:": "model"}),
    "48-model-noconfig": Row("fail", M, {"model/config.json": None}, {"fake:": "model"}),
    "48-model-badconfig": Row("fail", M, {"model/config.json": b"{"}, {"fake:": "model"}),
    "48-model-deepconfig": Row("fail", M, {"model/config.json": b"[" * 100_000}, {"fake:": "model"}),
    "48-model-novocab": Row("fail", M, {"model/source.spm": None}, {"fake:": "model"}),
    "48-model-flip": Row("fail", M, {"model/model.safetensors": "<nan>"}, {"fake:": "model"}),
    "49-suite-trunc": Row("fail", S, {"suite.json": GOOD["suite.json"][:-40]}),
    "49b-suite-list-int": Row("fail", S, {"suite.json": b"[1, 2, 3]"}),
    "49c-suite-object": Row("fail", S, {"suite.json": b"{}"}),
    "49d-suite-empty-list": Row("fail", S, {"suite.json": b"[]"}),
    "49e-suite-missing-keys": Row("fail", S, {"suite.json": json.dumps([{"rule": "x", "src segment": "y"}]).encode()}),
    "49f-suite-html": Row("fail", S, {"suite.json": b"<html><body>404</body></html>"}),
    "49g-mqm-other": Row("fail", ("meta",), {"mqm.tsv": b"a\tb\n1\t2\n"}),
    "49h-mqm-sev": Row("fail", ("meta",), {"mqm.tsv": changed("mqm.tsv", "Major", "Enormous")}),
    "49i-mqm-noref": Row("fail", ("meta",), arguments={"C": "nobody"}),
    "49j-mqm-badpair": Row("warn", ("meta",), {"mqm.tsv": "<french>"}),
    "50-numbers": Row("fail", E, arguments={"100": "-5"}),
    "50b-window": Row("fail", E, arguments={"+": ("--window", "-1")}),
    "50c-alpha": Row("fail", ("evaluate", "cxmi", "suite", "meta"), arguments={"+": ("--alpha", "2")}),
    "50c-alpha-nan": Row("fail", ("evaluate", "cxmi", "suite", "meta"), arguments={"+": ("--alpha", "nan")}),
    "52-gz-plain": Row("fail", E, {"a.de.gz": GOOD["a.de"]}, {"a=a.de": "a=a.de.gz"}),
    "52b-gz-without-suffix": Row("ok", E, {"a.de": gzip.compress(GOOD["a.de"])}),
    "52c-gz-bomb": Row("fail", SOURCE, {"src.en": "<bomb>"}),
    "53-no-ids": Row("warn", E, arguments={"-d": (), "ids": ()}),
    "54-output-has-content": Row("ok", E, {"out/mine.txt": b"mine"}),
}  # fmt: skip

CASES = [(name, command) for name, row in ROWS.items() for command in row.commands]


class Fake(FakeScorer):
    """A model that answers at once."""

    uses_target_context = True

    def translate(self, inputs, decoding=None):
        return [Translation(one.source, -1.0, "") for one in inputs]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model with random weights."""
    pytest.importorskip("torch")
    from tiny_models import make_own

    from endophora.models.layout import Architecture

    return make_own(tmp_path_factory.mktemp("model") / "model", Architecture.CONCATENATION)


def write(name: str, data: bytes | str | None) -> None:
    """Write a file into the working directory, or what is in ``<>``."""
    path = Path(name)
    path.parent.mkdir(exist_ok=True, parents=True)
    if data is None:
        path.unlink(missing_ok=True)
    elif isinstance(data, bytes):
        path.write_bytes(data)
    elif data == "<dir>":
        path.mkdir()
    elif data == "<half>":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    elif data == "<nan>":
        whole = path.read_bytes()
        path.write_bytes(whole[:-200_000] + b"\xff" * 200_000)
    elif data == "<bomb>":
        path.write_bytes(gzip.compress(b"a\n" * (1 << 20)))
    elif data == "<french>":
        sentences = FRENCH.split("\n")
        rows = [line.split("\t") for line in MQM.split("\n")]
        for number, row in enumerate(rows[1:]):
            row[6] = f"<v>{sentences[number % 12]}</v>"
        path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    elif data == "<database>":
        import sqlite3

        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE t (x)")
        other.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the annotations of the evaluations are kept: the good texts are the same in each."""
    return tmp_path_factory.mktemp("store") / "store.sqlite"


def arguments_of(command: str, row: Row, store: Path | None = None) -> list[str]:
    found: list[str] = []
    for one in COMMANDS[command]:
        other = row.arguments.get(one, one)
        if other == "--no-store" and store is not None and command.startswith("evaluate"):
            other = ("--store", str(store))
        found += [other] if isinstance(other, str) else other
    return [*found, *row.arguments.get("+", ())]


@pytest.mark.parametrize(("name", "command"), CASES, ids=[f"{name} {command}" for name, command in CASES])
def test_no_fault_is_a_traceback_or_a_score_in_silence(
    name: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
    store: Path,
):
    row = ROWS[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENDOPHORA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("DEEPL_API_KEY", raising=False)
    monkeypatch.delenv("DEEPL_AUTH_KEY", raising=False)
    monkeypatch.setattr(opened, "FREE", 1 << 20)
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BufferedReader(BytesIO())))
    monkeypatch.setitem(specs.KINDS._entries, "fake", lambda argument, options: Fake())
    if row.arguments.get("fake:") == "model":
        shutil.copytree(request.getfixturevalue("model"), "model")
    for file, data in {**GOOD, **row.files}.items():
        write(file, data)
    status = run(*arguments_of(command, row, store))
    shown = capsys.readouterr().err
    codes = re.findall(r"\[E\d{3}\]", shown)
    if row.expect == "ok":
        assert status == 0, shown
    elif row.expect == "fail":
        assert status in (2, 3), shown
        assert codes or "Usage:" in shown, shown
    else:
        assert status in (2, 3) or "warning" in shown.lower(), shown
    assert "Traceback" not in shown


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
@pytest.mark.parametrize("command", [*SOURCE, "suite", "meta"])
def test_a_file_that_may_not_be_read_is_told(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(specs.KINDS._entries, "fake", lambda argument, options: Fake())
    for file, data in GOOD.items():
        write(file, data)
        Path(file).chmod(0)
    assert run(*arguments_of(command, Row("fail", ()))) == 2
    assert "[E003]" in capsys.readouterr().err


def test_the_table_has_the_faults_of_the_review():
    assert len(ROWS) >= 114
