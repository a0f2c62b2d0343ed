# ruff: noqa: E501 (the long lines are files)
"""Valid files of every reader, and what damages them: shared by the test and by ``benchmarks/fuzz.py``."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import struct
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import pyarrow as pa

from endophora.errors import EndophoraError

SLOW = 10.0
"""Seconds that reading a damaged file may take; sound, each takes a few thousandths."""


@dataclass(frozen=True)
class Target:
    """A reader and a valid file of it.

    Attributes:
        file: the name that the file gets.
        data: its bytes.
        read: reads the file of this path to the end.
        beside: other files of the same folder, by name.
    """

    file: str
    data: bytes
    read: Callable[[Path], object]
    beside: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


# --- what damages a file


def _place(data: bytes, draw: random.Random) -> int:
    return draw.randrange(len(data) + 1)


def _flip(data: bytes, draw: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def _cut(data: bytes, draw: random.Random) -> bytes:
    return data[: _place(data, draw)]


def _drop(data: bytes, draw: random.Random) -> bytes:
    start = _place(data, draw)
    return data[:start] + data[start + draw.choice((1, 2, 10, 100)) :]


def _repeat(data: bytes, draw: random.Random) -> bytes:
    start = _place(data, draw)
    return data[:start] + data[start : start + 40] * draw.choice((2, 3, 50)) + data[start:]


def _insert(data: bytes, draw: random.Random) -> bytes:
    start = _place(data, draw)
    return data[:start] + draw.choice(_TOKENS) + data[start:]


def _number(data: bytes, draw: random.Random) -> bytes:
    places = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return _insert(data, draw)
    place = draw.choice(places)
    return data[:place] + draw.choice(_NUMBERS) + data[place + 1 :]


def _lines(data: bytes, draw: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    if draw.random() < 0.5:
        del lines[draw.randrange(len(lines))]
    return b"\n".join(lines)


def _value(data: bytes, draw: random.Random) -> bytes:
    """Replace a value of a JSON file by one of another kind; damage anything else by a byte."""
    first, _, rest = data.partition(b"\n") if data.startswith(b"{") else (data, b"", b"")
    try:
        tree = json.loads(first)
    except (ValueError, RecursionError):
        return _flip(data, draw)
    places: list[tuple[Any, Any]] = []
    held = [tree]
    while held:
        inner = held.pop()
        keys = list(inner) if isinstance(inner, dict) else range(len(inner)) if isinstance(inner, list) else ()
        places += [(inner, key) for key in keys]
        held += [inner[key] for key in keys]
    if places:
        inner, key = draw.choice(places)
        if draw.random() < 0.2 and isinstance(inner, dict):
            del inner[key]
        else:
            inner[key] = draw.choice(_VALUES)
    return json.dumps(tree).encode() + b"\n" + rest


_TOKENS = (
    *(
        b"\0",
        b"\t",
        b"\n",
        b"\r",
        b"\xff",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
        b"\xe2\x80\xa8",
        b'"',
        b"'",
        b"\\",
        b"\\ud800",
    ),
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b"<",
        b">",
        b"&x;",
        b"<!-- ",
        b"<![CDATA[",
        b":",
        b"- ",
        b"*a",
        b"&a ",
        b"!!int x",
        b"%",
        b"#",
    ),
    *(
        b"{{ x }}",
        b"{% for %}",
        b"NaN",
        b"-1",
        b"null",
        b"[" * 3_000,
        b'{"a":' * 3_000,
        b"<s>" * 3_000,
        b"(" * 3_000,
        b"a" * 60_000,
    ),
)
_NUMBERS = (b"-1", b"0", b"", b"x", b"1e999", b"nan", b"9" * 20, b"9" * 5_000, "٣".encode(), "²".encode(), b"1.5")
_VALUES: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    "",
    "x",
    "\ud800",
    "\0",
    [],
    {},
    [None],
    [[]],
    {"": {}},
    1e308,
)

MUTATORS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    *(_flip, _cut, _drop, _repeat, _insert, _insert, _number, _lines, _value),
)


def mutated(data: bytes, draw: random.Random) -> bytes:
    """Return a file damaged in one to three ways; a packed one inside, or as it is packed."""
    if data.startswith(b"\x1f\x8b") and draw.random() < 0.5:
        return gzip.compress(mutated(gzip.decompress(data), draw), mtime=0)
    for _ in range(draw.choice((1, 1, 2, 3))):
        data = draw.choice(MUTATORS)(data, draw)
    return data


# --- running


@dataclass
class Findings:
    """What came of damaged files.

    Attributes:
        counts: ``coded``, ``ok``, ``uncaught``, ``slow``.
        uncaught: for each kind of error, the reader and the bytes of the first file.
    """

    counts: Counter[str] = field(default_factory=Counter[str])
    uncaught: dict[str, bytes] = field(default_factory=dict[str, bytes])


def fuzz(names: Iterable[str], files: int, seed: int) -> Findings:
    """Read damaged files, the readers taking turns."""
    known, found = targets(), Findings()
    chosen = [(name, known[name]) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        for number in range(files):
            name, target = chosen[number % len(chosen)]
            data = mutated(target.data, random.Random(f"{seed} {number} {name}"))
            place = Path(folder, name)
            if not place.exists():
                place.mkdir()
                for other, body in target.beside.items():
                    (place / other).parent.mkdir(exist_ok=True, parents=True)
                    (place / other).write_bytes(body)
            (place / target.file).parent.mkdir(exist_ok=True, parents=True)
            (place / target.file).write_bytes(data)
            start = time.perf_counter()
            try:
                target.read(place / target.file)
                came = "ok"
            except EndophoraError:
                came = "coded"
            except Exception as error:
                came = "uncaught"
                trace = error.__traceback__
                where = ""
                while trace is not None:
                    if "/endophora/" in trace.tb_frame.f_code.co_filename:
                        file = trace.tb_frame.f_code.co_filename.rpartition("/endophora/")[2]
                        where = f"{file}:{trace.tb_lineno}"
                    trace = trace.tb_next
                found.uncaught.setdefault(f"{name}: {type(error).__name__} at {where}: {str(error)[:80]}", data)
            if time.perf_counter() - start > SLOW:
                came = "slow"
                found.uncaught.setdefault(f"{name}: slow", data)
            found.counts[came] += 1
    return found


# --- the readers


def _all(values: Iterable[object]) -> int:
    return sum(1 for _ in values)


def _stream(path: Path, format: str | None = None, **options: Any) -> int:
    from endophora.corpus.formats import open_stream
    from endophora.corpus.streams import ReadOptions

    return _all(open_stream([path], ReadOptions(languages=("en", "de"), **options), format))


def _xml(sentences: Mapping[str, str]) -> bytes:
    body = "".join(f'<s id="{key}"><w>{text}</w> &amp; so</s>' for key, text in sentences.items())
    return f'<?xml version="1.0" encoding="utf-8"?>\n<document id="1"><p>{body}</p></document>'.encode()


_LINKS = b"""<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE cesAlign PUBLIC "-//CES//DTD XML cesAlign//EN" "">
<cesAlign version="1.0"><linkGrp targType="s" fromDoc="en/1.xml.gz" toDoc="de/1.xml.gz">
<link id="SL0" xtargets="1;1"/><link id="SL1" xtargets="2 3;2"/><link xtargets=";3"/></linkGrp></cesAlign>
"""
_EN, _DE = {"1": "Look.", "2": "The lamp", "3": "is new."}, {"1": "Sieh.", "2": "Die Lampe ist neu.", "3": "Ja."}


def _zip(files: Mapping[str, bytes]) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return body.getvalue()


def _parquet(table: Mapping[str, list[Any]]) -> bytes:
    import pyarrow as pa
    from pyarrow import parquet

    body = io.BytesIO()
    cast("Any", parquet).write_table(cast("Any", pa).table(dict(table)), body, compression="none", use_dictionary=False)
    return body.getvalue()


_TEXT = b"It is a lamp.\nIt shines.\nThe end.\n"
_IDS = b"a\na\nb\n"
_TSV = b"document\tsource\treference:A\tsystem:x\na\tIt is.\tEs ist.\tEs ist.\na\tTwo 2.\tZwei 2.\tZwo.\nb\tThree.\tDrei.\tDrei.\n"
_JSONL = b"".join(
    json.dumps({"document": d, "source": s, "references": {"A": "Es."}, "outputs": {"x": "Sie.", "y": "Er."}}).encode()
    + b"\n"
    for d, s in (("a", "It is."), ("a", "Two."), ("b", "Three."))
)


def _corpora() -> dict[str, Target]:
    from endophora.corpus.formats import open_parallel, read_corpus, read_parallel

    def reader(form: str) -> Callable[[Path], object]:
        return lambda path: read_corpus(path, form, ("en", "de"))

    files = {"src": _TEXT, "ref": _TEXT, "ids": _IDS}

    def parallel(path: Path) -> object:
        at = path.parent
        return read_parallel(at / "src", [f"r={at / 'ref'}"], at / "ids", [f"s={at / 'src'}"])

    wmt = {
        "sources/en-de.txt": b"canary x\n" + _TEXT,
        "references/en-de.refA.txt": _TEXT,
        "system-outputs/en-de/s.txt": _TEXT,
    }
    text = {"source.txt": _TEXT, "references/r.txt": _TEXT, "systems/s.txt.gz": gzip.compress(_TEXT, mtime=0)}
    opus = {"en/1.xml.gz": gzip.compress(_xml(_EN), mtime=0), "de/1.xml.gz": gzip.compress(_xml(_DE), mtime=0)}
    rows = {"document": ["a", "a", "b"], "source": ["one", "two", "three"], "target": ["eins", "zwei", "drei"]}
    return {
        "tsv": Target("a.tsv", _TSV, reader("tsv")),
        "tsv.gz": Target("a.tsv.gz", gzip.compress(_TSV, mtime=0), reader("tsv")),
        "jsonl": Target("a.jsonl", _JSONL, reader("jsonl")),
        "parallel source": Target("src", _TEXT, parallel, files),
        "parallel documents": Target("ids", _IDS, parallel, files),
        "wmt": Target(
            "documents/en-de.docs", b"news\ta\nnews\ta\nnews\tb\n", lambda p: reader("wmt")(p.parent.parent), wmt
        ),
        "text": Target("documents.txt", _IDS, lambda path: reader("text")(path.parent), text),
        "stream tsv": Target("a.tsv", _TSV, _stream),
        "stream jsonl": Target("a.jsonl", _JSONL, _stream),
        "stream parallel": Target(
            "ref", _TEXT, lambda p: _all(open_parallel(p.parent / "src", p, p.parent / "ids")), files
        ),
        "stream parquet": Target("a.parquet", _parquet(rows), _stream),
        "opus links": Target("en-de.xml", _LINKS, _stream, opus),
        "opus document": Target(
            "en/1.xml", _xml(_EN), lambda p: _stream(p.parent.parent / "l.xml"), {"l.xml": _LINKS, **opus}
        ),
        "opus zip": Target(
            "texts.zip",
            _zip({"xml/en/1.xml": _xml(_EN), "xml/de/1.xml.gz": gzip.compress(_xml(_DE), mtime=0)}),
            lambda path: _stream(path.parent / "l.xml", texts=(path,)),
            {"l.xml": _LINKS},
        ),
        **_translators_files(),
    }


_WMT_XML = b"""<?xml version="1.0" encoding="utf-8"?>
<dataset id="x"><doc id="a" origlang="en"><src lang="en"><p><seg id="1">One &amp; 2.</seg><seg id="2">Two.</seg></p></src>
<ref lang="de" translator="A"><p><seg id="1">Eins.</seg><seg id="2">Zwei.</seg></p></ref>
<hyp lang="de" system="x"><p><seg id="1">Ein.</seg><seg id="2">Zwo.</seg></p></hyp></doc></dataset>
"""
_TBX = b"""<martif type="TBX" xml:lang="en"><text><body><termEntry id="1"><langSet xml:lang="en"><tig><term>lamp</term></tig></langSet>
<langSet xml:lang="de-AT"><tig><term>Lampe</term><termNote type="administrativeStatus">preferredTerm</termNote></tig></langSet>
</termEntry></body></text></martif>
"""


_SGM = b"""<mteval><srcset setid="s" srclang="en"><doc docid="d"><p><seg id="1">A &amp; B.</seg>
<seg id="2">C.</seg></p></doc></srcset><refset setid="s" trglang="de"><doc docid="d"><seg id="1">A und B.</seg>
<seg id="2">C!</seg></doc></refset><tstset sysid="mt"><doc docid="d"><seg id="1">A</seg><seg id="2">x</seg></doc></tstset></mteval>
"""


def _translators_files() -> dict[str, Target]:
    """Files of programs for translators, as those in ``tests/data`` are written by some, and of others."""
    from endophora.corpus.formats import read_corpus, read_parallel
    from endophora.corpus.glossary import read_glossary

    data = Path(__file__).resolve().parent.parent / "data"

    def corpus(path: Path) -> object:
        return read_corpus(path, path.name.removeprefix("a."), ("en", "de"))

    def output(path: Path) -> object:
        return read_corpus(data / "gettext/de.po", None, ("en", "de"), outputs={"x": path})

    def paired(file: str) -> Target:
        source = data / file
        return Target(source.name, source.read_bytes(), lambda path: read_parallel(source, [path], None, [path]))

    def glossary(path: Path) -> object:
        return read_glossary(path, ("en", "de"))

    known = {
        "tmx": "omegat/memory.tmx",
        "xliff": "npm-xliff/v12.xlf",
        "xliff2": "npm-xliff/v2.xlf",
        "po": "gettext/de.po",
        "csv": "libreoffice/table.csv",
        "xlsx": "libreoffice/table.xlsx",
    }
    pairs = {"srt": "ffmpeg/de.srt", "vtt": "ffmpeg/en.vtt", "docx": "libreoffice/en.docx"}
    return {
        **{name: Target(f"a.{name}", (data / file).read_bytes(), corpus) for name, file in known.items()},
        **{name: paired(file) for name, file in pairs.items()},
        "xlsx sheet": _member(data / known["xlsx"], "xl/worksheets/sheet1.xml", corpus),
        "xlsx workbook": _member(data / known["xlsx"], "xl/workbook.xml", corpus),
        "docx text": _member(data / pairs["docx"], "word/document.xml", lambda p: read_parallel(p, [p])),
        "output of tmx": Target("a.tmx", (data / "translate-toolkit/de.tmx").read_bytes(), output),
        "wmtxml": Target("a.wmtxml", _WMT_XML, corpus),
        "sgm": Target("a.sgm", _SGM, corpus),
        "sgm of a text": Target("a.sgm", _SGM, lambda p: read_parallel(p, [f"ref={p}"], None, [f"mt={p}"])),
        "zstd": Target("a.tmx", pa.compress((data / known["tmx"]).read_bytes(), "zstd", asbytes=True), corpus),
        "glossary": Target("a.tsv", b"source\ttarget\nlamp\tLampe\tx\n# a\nkey\tSchl\xc3\xbcssel\n", glossary),
        "glossary tbx": Target("a.tbx", _TBX, glossary),
    }


def _member(path: Path, name: str, read: Callable[[Path], object]) -> Target:
    """A file that is packed in another, damaged before it is packed."""
    with zipfile.ZipFile(path) as archive:
        files = {one: archive.read(one) for one in archive.namelist()}

    def packed(damaged: Path) -> object:
        whole = damaged.with_name(f"a{path.suffix}")
        whole.write_bytes(_zip({**files, name: damaged.read_bytes()}))
        return read(whole)

    return Target(Path(name).name, files[name], packed)


def _suites() -> dict[str, Target]:
    from endophora.suites import Antecedent, Item, Pair, Suite, Variant
    from endophora.suites.formats import read_suite, write_suite
    from endophora.suites.senses.items import make_item, make_variant

    def item(number: int) -> Item:
        return Item(
            id=str(number),
            document="d",
            segment=1,
            source="It is here.",
            reference="Sie ist hier.",
            phenomenon="gender",
            rule="NOM.FEM.SING",
            expected=("sie",),
            source_form="it",
            source_antecedent=Antecedent(head="lamp", lemma="lamp", phrase="the lamp", segment="Where is the lamp?"),
            target_antecedent=Antecedent(head="Lampe", lemma="Lampe", gender="Fem", segment="Wo ist die Lampe?"),
            distance=1,
            before=(Pair("Where is the lamp?", "Wo ist die Lampe?"),),
            variants=(Variant("Er ist hier.", "Er", "Masc", "pronominal coreference"),),
        )

    variants = [make_variant("Die Bank", "Bank", "Bank")]
    sense = make_item(
        0, "bank", "Ufer", "The bank is steep.", "Das Ufer ist steil.", expected=["Ufer"], forbidden=["Bank"],
        variants=variants, extra={"origin": "books"},
    )  # fmt: skip
    words, senses = Suite("toy", "en", "de", (item(0), item(1))), Suite("bank", "en", "de", (sense,))
    written = {
        "jsonl": (words, "en-de.jsonl"),
        "ctxpro": (words, "en-de.json"),
        "contrapro": (words, "en-de.json"),
        "huggingface": (words, "set"),
        "huggingface-jsonl": (words, "set"),
        "mucow": (senses, "en-de.json"),
        "mucow-lines": (senses, "en-de"),
        "mucow-table": (senses, "en-de.tsv"),
    }
    found: dict[str, Target] = {}
    for form, (suite, name) in written.items():
        with tempfile.TemporaryDirectory() as folder:
            write_suite(suite, Path(folder, name), form)
            files = {str(p.relative_to(folder)): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}
        for file, data in files.items():
            place = name if (name in files or not form.startswith("mucow")) else next(f for f in files if ".key" in f)
            read = partial(_suite, name=place, depth=file.count("/"), form=form)
            found[f"suite {form} {file}".replace("/", " ")] = Target(file, data, read, files)
    eos = [
        {
            "dst": ["А . _eos Ты знал .", "А . _eos Вы знали ."],
            "true_ind": 1,
            "src": "A . _eos You knew .",
            "ctx_dist": 1,
        }
    ]
    trg = {"correct": ["J'ai.", "Elle."], "incorrect": ["J'ai.", "Il."]}
    disc = {"1": {"type": "disambig", "examples": [{"src": ["I have.", "It."], "trg": trg}]}}
    scat = {
        "highlighted.test.en": b"But <p>it</p> is the  <hon>lamp<hoff> .\n",
        "highlighted.test.fr": b"Mais <p>elle</p> est la lampe.\n",
        "highlighted.test.context.en": b"The  <hon>lamp<hoff>  stood. Yes.\n",
        "highlighted.test.context.fr": b"La  <hon>lampe<hoff>  est. Oui.\n",
    }
    genpro = b"0\t1\tcorrect\tsie\tThe lamp.<eos> It is.\tDie Lampe.<eos> Sie ist.\n0\t1\tcontrastive\ter\tThe lamp.<eos> It is.\tDie Lampe.<eos> Er ist.\n"
    formality = b"Do you [F]know[/F] it?\n"
    found |= {
        "suite consistency": Target("x.json", json.dumps(eos).encode(), lambda p: read_suite(p, "consistency")),
        "suite discevalmt": Target("x.json", json.dumps(disc).encode(), lambda p: read_suite(p, "discevalmt")),
        "suite genpro": Target("x.en-de.tsv", genpro, lambda p: read_suite(p, "genpro")),
        "suite scat": Target("highlighted.test.en", scat["highlighted.test.en"], lambda p: read_suite(p, "scat"), scat),
        "suite mt-geneval": Target(
            "geneval-sentences-feminine-test.en_de.en", _TEXT, lambda p: read_suite(p, "mt-geneval"),
            {f"geneval-sentences-{g}-test.en_de.{x}": _TEXT for g in ("feminine", "masculine") for x in ("en", "de")},
        ),
        "suite cocoa": Target(
            "formality-control.test.x.en-de.formal.annotated", formality, lambda p: read_suite(p, "cocoa-mt"),
            {"formality-control.test.x.en-de": b"Do you know it?\n",
             "formality-control.test.x.en-de.informal.annotated": formality},
        ),
        "suite unknown": Target("x.json", json.dumps(eos).encode(), read_suite),
    }  # fmt: skip
    return found


def _suite(path: Path, name: str, depth: int, form: str) -> object:
    from endophora.suites.formats import read_suite

    folder = path.parents[depth]
    return read_suite(folder / name, form)


def _meta() -> dict[str, Target]:
    from endophora.meta.mqm import read_mqm, read_weights
    from endophora.meta.score_files import read_documents, read_scores

    mqm = b"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\nA\td\t1\t1\tr\tIt <v>is</v>.\tEs <v>ist</v>.\tFluency/Grammar\tMajor\nA\td\t2\t2\tr\tx\ty\tNo-error\tno-error\n"
    return {
        "mqm": Target("a.tsv", mqm, read_mqm),
        "weights": Target(
            "w.yaml", b"title: mine\nvalues: {Critical: 10, Major: 5.5, Minor/Fluency: 1e-1}\n", read_weights
        ),
        "segment scores": Target("m.seg.score", b"A\t1.5\nA\t2\nB\tNone\nB\t-3e2\n", lambda p: read_scores(p, "seg")),
        "domain scores": Target("m.domain.score", b"news\tA\t1\nnews\tB\t2\n", lambda p: read_scores(p, "domain")),
        "documents": Target("x.docs", b"news a\nnews a\nnews b\n", read_documents),
    }


def _rules() -> dict[str, Target]:
    from endophora.languages import read_language
    from endophora.models.prompting import prompt_template
    from endophora.models.services.openai_service import service_prompts
    from endophora.models.services.records import find_price

    package = Path(cast("str", __import__("endophora").__file__)).parent
    smallest = min((package / "languages/data").glob("*.yaml"), key=lambda path: path.stat().st_size)
    prices = b"mine:\n  unit: tokens\n  input: 1.5\n  output: 2\n  currency: EUR\n  looked_up: 2026-01-02\n"
    return {
        "rules": Target("xx.yaml", smallest.read_bytes(), read_language),
        "prompts of services": Target(
            "p.yaml", (package / "models/services/prompt.yaml").read_bytes(), service_prompts
        ),
        "prompts of models": Target("p.yaml", (package / "models/prompts.yaml").read_bytes(), prompt_template),
        "prices": Target("p.yaml", prices, lambda path: find_price(("mine",), path)),
    }


def _words() -> dict[str, Target]:
    from endophora.metrics.blonde_plus import read_annotations
    from endophora.metrics.embeddings import read_vectors
    from endophora.metrics.wordnet import read_lmf, read_tab
    from endophora.phenomena.ellipsis_examples import read_labelled
    from endophora.suites.senses.inventory import open_wordnets, read_gold, read_table

    lmf = (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<!DOCTYPE LexicalResource SYSTEM "http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n'
        b'<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/"><Lexicon id="x" label="X" language="en"'
        b' email="a@b" license="l" version="1"><LexicalEntry id="x-a"><Lemma writtenForm="a" partOfSpeech="n"/>'
        b'<Sense id="x-s" synset="x-1-n"/></LexicalEntry><Synset id="x-1-n" ili="i1" partOfSpeech="n"/></Lexicon></LexicalResource>'
    )
    tab = b"# x\n00001-n\tdeu:lemma\tBank\n00002-v\tlemma\tgehen\n"
    vectors = b"2 3\nbank 0.1 0.2 0.3\nsee 1 2 3\n"
    binary = b"2 3\nbank " + struct.pack("<3f", 0.1, 0.2, 0.3) + b"\nsee " + struct.pack("<3f", 1, 2, 3) + b"\n"
    senses = b"bank\tNOUN\triver\tUfer|Rand\nbank\tNOUN\tmoney\tBank\n"
    trees = b"((S (NP (PRP I)) (VP (VBP do) (VP (-NONE- *?*)))))\n"
    return {
        "spans": Target(
            "an.txt", b"It is.\t1,right, wrong <pos/5,9>;\t3,left\nNo.\t0\n", lambda p: read_annotations(p)
        ),
        "names": Target(
            "ner.txt", b"PERSON: (Qiao Lian: 1; )\tNONPERSON: (Weibo: 2; )\n", lambda p: read_annotations(None, p)
        ),
        "vectors": Target("v.vec", vectors, lambda p: _all(read_vectors(p))),
        "vectors gz": Target("v.gz", gzip.compress(vectors, mtime=0), lambda p: _all(read_vectors(p))),
        "vectors binary": Target("v.bin", binary, lambda p: _all(read_vectors(p))),
        "wordnet tab": Target("w.tab", tab, read_tab),
        "wordnet lmf": Target("w.xml", lmf, read_lmf),
        "wordnets": Target("w.xml", lmf, lambda p: open_wordnets(f"{p},{p}", "en", "de"), {}),
        "senses": Target("s.tsv", senses, read_table),
        "gold senses": Target("g.tsv", senses, read_gold),
        "treebank": Target("a.mrg", trees, lambda p: read_labelled([p])),
        "treebank zip": Target("a.zip", _zip({"x/a.mrg": trees}), lambda p: read_labelled([p])),
        "ellipsis table": Target("a.tsv", b"label\tsentence\n1\tI do.\n0\tNo.\n", lambda p: read_labelled([p])),
    }


def _results() -> dict[str, Target]:
    from dataclasses import asdict

    from endophora.align.priors import read_priors
    from endophora.cli.context_attribute import contrasts
    from endophora.context.pointwise import read_segments
    from endophora.context.samples import read_tasks
    from endophora.context.themes import read_measurement
    from endophora.engine.directory import OutputDirectory, RunFile, read_owner
    from endophora.models.loading import read_config
    from endophora.phenomena.ellipsis_classifier import read_card
    from endophora.suites.outputs import read_outputs
    from endophora.suites.records import Item, Suite
    from endophora.suites.senses.matching import read_lemmas
    from endophora.training.parallel import read_pairs

    segment = {
        "document": "d", "segment": 0, "source": "It is.", "target": "Es ist.", "source_context": ["a"], "target_context": [],
        "pieces": 3, "logprob": -1.5, "gain": [0.5], "end": [0.1],
        "contexts": [{"source": {"given": 1, "kept": 1, "given_tokens": 1, "kept_tokens": 1}, "target": {"given": 1, "kept": 1, "given_tokens": 1, "kept_tokens": 1}, "assumed": False}],
        "words": [{"start": 0, "end": 2, "lemma": "es", "labels": ["PRON"], "tags": [], "logprob": -1, "gain": [0.25]}],
    }  # fmt: skip
    task = {"input": "a", "context": ["b", "c"], "output": "d", "document": "x"}
    suite = Suite("x", "en", "de", (Item("0", "d", 0, "It.", "Es.", "gender", "r", ("es",)),) * 2)
    mine = RunFile("signature", "columns", 2000)

    return {
        "segments": Target("s.jsonl", json.dumps(segment).encode() + b"\n", lambda p: read_segments(p, 1)),
        "tasks": Target("t.jsonl", json.dumps(task).encode() + b"\n", read_tasks),
        "cxmi result": Target("result.json", b'{"version": "0.1.0", "conditions": [{"name": "x"}]}', lambda p: read_measurement(p.parent)),
        "contrast result": Target("result.json", b'{"version": "0.1.0", "runs": []}', lambda p: contrasts(p, {"a": 1})),
        "outputs": Target("o.txt", b"Es.\nSie.\n", lambda p: read_outputs(suite, {"a": p})),
        "lemmas": Target("l.txt", b"es\nsie\n", lambda p: read_lemmas(suite, {"a": p})),
        "run": Target("work/run.json", json.dumps(asdict(mine)).encode(), lambda p: OutputDirectory(p.parent.parent).begin(mine)),
        "owner": Target("lock.json", b'{"host": "a", "pid": 1, "since": "2026-01-01"}', read_owner),
        "config": Target("config.json", b'{"context_architecture": "concatenation", "context_window": 512}', lambda p: read_config(p.parent)),
        "card": Target("card.json", b'{"language": "en", "data": []}', lambda p: read_card(p.parent)),
        "pairs": Target("p.tsv", b"a\tb\nx\tc\td\n", lambda p: _all(read_pairs(p))),
        "priors": Target("p.xz", _priors(), read_priors),
    }  # fmt: skip


def _priors() -> bytes:
    from endophora.align.priors import Priors
    from endophora_makers.priors import write_priors

    with tempfile.TemporaryDirectory() as folder:
        write_priors(Priors(), Path(folder, "p"))
        # Unpacked and packed again without a checksum, damage reaches what is inside.
        body = lzma.decompress(Path(folder, "p").read_bytes())
    return lzma.compress(body, check=lzma.CHECK_NONE)


@cache
def targets() -> dict[str, Target]:
    """Return every reader by name."""
    return {**_corpora(), **_suites(), **_meta(), **_rules(), **_words(), **_results()}
