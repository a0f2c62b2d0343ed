"""The options that commands share: what is read, the tools that annotate it, the store, payment, where results go."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endophora.cli.console import say, warn
from endophora.corpus.codes import parse_languages
from endophora.corpus.faults import FaultLog
from endophora.corpus.formats import read_corpus, read_parallel
from endophora.corpus.parallel import unique_files
from endophora.corpus.published import TEST_SET
from endophora.corpus.records import Corpus
from endophora.errors import Fault, InputError
from endophora.options import option
from endophora.stopping import keeping

if TYPE_CHECKING:
    from endophora.evaluation.setup import Setup
    from endophora.models.services.records import Cost
    from endophora.store import Store
    from endophora.suites.records import Suite


def into(help: str) -> Any:
    """Return the option of a directory that is written into."""
    return typer.Option("--output", "-o", metavar="DIR", help=help)


Directory = Annotated[Path, into("Directory for result.json and report.html.")]
Format = Annotated[
    str, typer.Option("--format", "-f", metavar="NAME", help="Standard output: text, markdown, json, csv, latex.")
]
ANOTHER_OUTPUT = "name another output directory"
"""Advice for a store that is in one."""

_KEPT = Fault("E362", "what was computed is kept in the store", "run the same command again: it goes on from there")


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """A corpus: ``--input``, or ``--source`` with its companions."""

    languages: str = option(
        ..., "--languages", "-l", metavar="SRC-TGT", help="Language pair, as en-de.", show_default=False
    )
    source: str | None = option(
        None,
        "--source",
        "-s",
        metavar="FILE",
        help="Source text, one segment a line (- is standard input); or subtitles, or DOCX.",
    )
    reference: tuple[str, ...] = option(
        (), "--reference", "-r", metavar="[NAME=]FILE", help="Reference; with --input the name of one. Repeatable."
    )
    documents: str | None = option(
        None, *("--documents", "-d"), metavar="FILE", help="Document ids, one a line; a document is a run of equal ids."
    )
    path: str | None = option(
        None,
        *("--input", "-i"),
        metavar="PATH",
        help="One file or directory with everything: TSV, JSON Lines, TMX, XLIFF, PO, CSV, XLSX, WMT.",
    )
    test_set: str | None = option(
        None, metavar="NAME[/SRC-TGT]", help="A test set of sacreBLEU, as wmt24: --input sacrebleu:NAME."
    )
    input_format: str | None = option(None, metavar="NAME", help="Format of --input, where it is not recognised.")

    @property
    def place(self) -> str | None:
        """The path of ``--input``, or what stands for the test set; ``None`` with ``--source`` (E098)."""
        if self.test_set is None:
            return self.path
        if self.path is not None:
            raise InputError(Fault("E098", "--test-set with --input", "name one of them", self.path))
        return f"{TEST_SET}{self.test_set}"

    def read(self, *, source_alone: bool = False, unreferenced: bool = False) -> Corpus:
        """Read the corpus, and print its warnings before the work: a corpus in doubt is not worth hours of it.

        With ``source_alone`` a source without a reference will do; ``unreferenced`` reads no reference of ``--input``,
        and so segments without a translation as well. Faults: not one input is named (E098), a reference
        is missing (E099), those of the files, and where the command is strict, doubts.
        """
        pair = parse_languages(self.languages)
        path = self.place
        self.check(path, self.reference or source_alone)
        if path is None:
            systems = self.systems or ()
            read = read_parallel(self.source or "", self.reference, self.documents, systems, languages=pair)
        else:
            log = FaultLog()
            files = unique_files([each for each in self.systems or () if "=" in each], "E011", "system", log)
            log.check()
            names = None if self.systems is None else [each for each in self.systems if "=" not in each]
            references = () if unreferenced else self.reference or None
            read = read_corpus(path, self.input_format, pair, references, names, files)
        warn(read.warnings)
        return read

    @property
    def systems(self) -> Sequence[str] | None:
        """The outputs to read; of ``--input``, ``None`` takes all."""
        return ()

    def check(self, path: str | None, reference: object) -> None:
        """Check that one input is named, ``--input`` or ``--source`` with its companions (E098, E099)."""
        if (path is None) == (self.source is None):
            advice = "give --source and --reference, or --input or --test-set, and no other"
            raise InputError(Fault("E098", "the input is not named once", advice))
        if path is not None and self.documents is not None:
            raise InputError(Fault("E098", "--documents with --input", "the input has its own document ids", path))
        if path is None and not reference:
            raise InputError(Fault("E099", "no reference is given", "give one with --reference FILE", "--reference"))


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemInputs(Inputs):
    """A corpus with outputs of systems."""

    system: tuple[str, ...] = option(
        (),
        *("--system", "-y"),
        metavar="NAME=FILE",
        help="A system's output; with --input also the name of one in it. Repeatable.",
    )

    resegment: bool = option(
        False, help="Outputs may have lines of their own: --system files are cut into the segments of the source."
    )

    vectors: str | None = option(
        None, metavar="ENCODER", help="Of --resegment: vectors of sentences help, by sentence-transformers:MODEL."
    )

    def without_outputs(self) -> Inputs:
        """Return the same corpus without its outputs."""
        return Inputs(**{field.name: getattr(self, field.name) for field in fields(Inputs)})

    @property
    def systems(self) -> Sequence[str] | None:
        """The outputs to read; of ``--input``, ``None`` takes all."""
        names = tuple(name for name in self.system if name not in self._cut)
        return names if names or self._cut else None

    @property
    def _cut(self) -> Sequence[str]:
        """The outputs that are files in lines of their own, with ``--resegment``."""
        if not self.resegment:
            return ()
        return [one for one in self.system if self.place is None or "=" in one or Path(one).exists()]

    def read(self, *, source_alone: bool = False, unreferenced: bool = False) -> Corpus:
        """Read the corpus, and cut outputs in lines of their own; faults also of :func:`~endophora.align.resegment`."""
        files = self._cut
        if self.resegment and not files:
            advice = "name the files: --system NAME=FILE"
            raise InputError(Fault("E098", "--resegment without an output in lines of its own", advice, "--resegment"))
        if self.vectors and not self.resegment:
            raise InputError(Fault("E098", "--vectors without --resegment", "give both, or none", "--vectors"))
        read = super(SystemInputs, self).read(source_alone=source_alone, unreferenced=unreferenced)
        if not files:
            from endophora.align.lines import doubt_lines

            warn(doubts := doubt_lines(read))
            return replace(read, warnings=(*read.warnings, *doubts))
        from endophora.align.outputs import resegment

        log = FaultLog()
        named = unique_files(files, "E011", "system", log)
        log.check()
        joined = resegment(read, named, vectors=self.vectors)
        warn(one for one in joined.warnings if one not in read.warnings)
        return joined


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteInputs:
    """How a test suite is read."""

    suite_format: str | None = option(None, metavar="NAME", help="Format of the suite, where it is not recognised.")
    languages: str = option(
        "", "--languages", "-l", metavar="SRC-TGT", help="Language pair, where the suite does not say it."
    )
    corpus: str | None = option(None, metavar="PATH", help="Corpus of the suite's documents, to take contexts from.")

    def read(self, path: str, size: int = 0) -> Suite:
        """Read a suite, with ``size`` segments of context joined to each item where a corpus is named."""
        from endophora.suites.formats import read_suite
        from endophora.suites.outputs import join_contexts

        suite = read_suite(path, self.suite_format, parse_languages(self.languages) if self.languages else None)
        if self.corpus is None:
            return suite
        pair = (suite.source_language or "en", suite.target_language or "en")
        return join_contexts(suite, read_corpus(self.corpus, languages=pair), size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """Where what was computed is kept."""

    store: Path | None = option(
        None, metavar="FILE", help="The annotation store. [default: in the user's cache directory]"
    )
    no_store: bool = option(False, help="Keep nothing between runs.")

    @contextmanager
    def kept(self) -> Generator[Store]:
        """Yield the store of annotations and scores; in memory where nothing is to be kept."""
        from endophora.store import Store

        with store_file(self.store, self.no_store) as path, Store(path) as store:
            yield store


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools(Keeping):
    """Annotators, taggers and their store."""

    phenomenon: tuple[str, ...] = option(
        (), "--phenomenon", "-p", metavar="NAME", help="Only this; none for metrics alone. Repeatable."
    )
    definitions: str = option(
        "endophora",
        metavar="NAME",
        help="Definitions of the phenomena: endophora; paper, MuDA's as published; or muda, those of its code.",
    )
    define: Mapping[str, str] = option(
        {}, "--define", metavar="NAME=VALUE", help="One definition, as pronouns=sentence or repetitions=2. Repeatable."
    )
    rules: tuple[Path, ...] = option(
        (), metavar="FILE", help="Rule file instead of the package's of its language, or of a new one. Repeatable."
    )
    annotator: Mapping[str, str] = option(
        {}, "--annotator", metavar="LANG=NAME", help="Annotator of a language instead of its default. Repeatable."
    )
    aligner: str | None = option(None, metavar="NAME", help="Word aligner instead of the embedded one.")
    resolver: str | None = option(None, metavar="NAME", help="Resolver of pronouns instead of the embedded one.")
    window: int = option(5, least=0, help="Segments back in which antecedents are looked for.")
    ellipsis_classifier: Path | None = option(
        None, metavar="DIR", help="Trained classifier that finds ellipsis in the source, not rules."
    )

    @contextmanager
    def setup(self, pair: tuple[str, str]) -> Generator[Setup]:
        """Yield the setup; without a store, one lives as long as the command."""
        from endophora.evaluation.setup import Setup
        from endophora.phenomena.tagging import define

        check_annotators(self.annotator, pair)
        options = replace(define(self.definitions, self.define), ellipsis_classifier=self.ellipsis_classifier)
        if self.phenomenon:
            if "none" in self.phenomenon and len(self.phenomenon) > 1:
                raise InputError(
                    Fault("E100", "“none” with phenomena", "name phenomena, or none alone", "--phenomenon")
                )
            options = replace(options, phenomena=() if self.phenomenon == ("none",) else self.phenomenon)
        with store_file(self.store, self.no_store) as path:
            tools = self.annotator, self.aligner, self.resolver, self.window
            setup = Setup(*pair, *tools, options, path, self.rules)
            if not self.phenomenon:
                setup, left_out = setup.fitted()
                warn(left_out)
            yield setup


def check_annotators(annotators: Mapping[str, str], pair: tuple[str, str]) -> None:
    """Check that annotators are of the languages of a pair (E100)."""
    if foreign := [language for language in annotators if language not in pair]:
        cause = f"{', '.join(foreign)} is not of the pair {'-'.join(pair)}"
        raise InputError(Fault("E100", cause, "name it as de=…", "--annotator"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """How many processes work."""

    workers: int = option(0, "--workers", "-w", least=0, help="Processes; 0 takes as many as are worth starting.")


@contextmanager
def store_file(named: Path | None, no_store: bool) -> Generator[Path | None]:
    """Yield the path of the store that is named, or of the default one; ``None`` where nothing can be kept.

    With ``no_store``, a file that lives as long as the command lets its processes share what they compute. Where the
    one that is named cannot be used, it is an error (E092, E093, E094, E154, E365).
    """
    from endophora.store import Store, default_store_path

    if no_store:
        temporary = _temporary()
        try:
            yield temporary and usable(temporary / "store.sqlite")
        finally:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)
        return
    if named is not None:
        Store(named).close()
    path = named or usable(default_store_path())
    with keeping(_KEPT) if path else nullcontext():
        yield path


def usable(path: Path) -> Path | None:
    """Return the path of a store that nobody named, or ``None`` and a warning: the command can do without."""
    from endophora.store import Store, add_troubles, store_limit

    store_limit()
    try:
        Store(path).close()
    except InputError as error:
        (fault,) = error.faults
        told = replace(fault, cause=f"{fault.cause}; the command keeps nothing")
        add_troubles({str(path): (0, str(told))})
        return None
    return path


def _temporary() -> Path | None:
    try:
        return Path(tempfile.mkdtemp(prefix="endophora-"))
    except OSError:
        # There is no place for temporary files that can be written.
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """Whether a service may be paid for."""

    yes: bool = option(False, help="Let a service be paid for.")
    max_cost: float | None = option(None, least=0, help="Let a service be paid for, up to so much.")

    def agree(self, cost: Cost, option: str = "--model") -> None:
        """Print what a service would cost; E285 where that is not agreed to."""
        say(f"cost: {cost}")
        if cost.requests and not self.yes and self.max_cost is None:
            advice = "agree with --yes, or with --max-cost AMOUNT"
            raise InputError(Fault("E285", f"the service wants to be paid: {cost}", advice, option))
