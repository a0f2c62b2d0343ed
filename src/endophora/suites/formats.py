"""The formats of suites by name, and the reader that recognises them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal, cast

from pydantic import Field

from endophora.corpus.faults import FaultLog
from endophora.corpus.lines import STDIN, PathLike, each_line
from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, InputError
from endophora.languages.base import Strict, Text
from endophora.registry import Registry
from endophora.suites.counterfactual import read_cocoa, read_mt_geneval
from endophora.suites.ctxpro import read_ctxpro, write_ctxpro
from endophora.suites.files import whole_file
from endophora.suites.own_formats import (
    is_dataset,
    read_huggingface,
    read_suite_jsonl,
    write_huggingface,
    write_suite_jsonl,
)
from endophora.suites.published import (
    read_consistency,
    read_contrapro,
    read_discevalmt,
    read_genpro,
    read_scat,
    write_contrapro,
)
from endophora.suites.records import Suite
from endophora.suites.senses.mucow import (
    is_mucow_lines,
    is_mucow_table,
    read_mucow_json,
    read_mucow_lines,
    read_mucow_table,
    write_mucow_json,
    write_mucow_lines,
    write_mucow_table,
)

PEEK = 65_536
"""Bytes from the start of a file by which its format is recognised."""


@dataclass(frozen=True, slots=True)
class Peek:
    """What a format is recognised by."""

    path: Path
    start: str

    @property
    def first_line(self) -> str:
        """The first line."""
        return self.start.partition("\n")[0]

    def has_keys(self, *keys: str) -> bool:
        """Return whether the start has these JSON keys."""
        return all(f'"{key}"' in self.start for key in keys)


SuiteReader = Callable[[PathLike, tuple[str, str] | None], Suite]
"""Reads a suite from a file, gzipped or not, from ``-``, or from a directory.

The languages, ISO 639-1 codes or ``None``, take the place of those that the file or its name says, or its publication.
"""


@dataclass(frozen=True, slots=True)
class SuiteFormat:
    """A format of suites."""

    description: str
    recognises: Callable[[Peek], bool]
    read: SuiteReader
    write: Callable[[Suite, PathLike], None] | None = None


def _is_json(peek: Peek, start: str = "[") -> bool:
    return peek.start.lstrip().startswith(start)


_OWN: dict[str, SuiteFormat | str] = {
    "jsonl": SuiteFormat(
        "our JSON Lines, one item a line; nothing is lost",
        lambda peek: _is_json(peek, "{") and peek.has_keys("reference", "phenomenon", "rule"),
        read_suite_jsonl,
        write_suite_jsonl,
    ),
    "ctxpro": SuiteFormat(
        "ctxpro (Wicks & Post, 2023), JSON",
        lambda peek: _is_json(peek) and peek.has_keys("src segment", "rule") and not peek.has_keys("contrastive"),
        read_ctxpro,
        write_ctxpro,
    ),
    "mucow": SuiteFormat(
        "MuCoW (Raganato et al., 2019) and ContraWSD (Rios Gonzales et al., 2017), JSON",
        lambda peek: _is_json(peek) and peek.has_keys("ambig word", "sense"),
        read_mucow_json,
        write_mucow_json,
    ),
    "mucow-lines": SuiteFormat(
        "MuCoW's translation variant, files of lines: key, text, ref, domain",
        lambda peek: is_mucow_lines(peek.path),
        read_mucow_lines,
        write_mucow_lines,
    ),
    "mucow-table": SuiteFormat(
        "MuCoW's table of 2020, with the file of its senses",
        lambda peek: is_mucow_table(peek.path, peek.first_line),
        read_mucow_table,
        write_mucow_table,
    ),
    "contrapro": SuiteFormat(
        "ContraPro (Müller et al., 2018) and the large en–fr set (Lopes et al., 2020), JSON",
        lambda peek: _is_json(peek) and peek.has_keys("errors", "ref pronoun"),
        read_contrapro,
        write_contrapro,
    ),
    "discevalmt": SuiteFormat(
        "DiscEvalMT (Bawden et al., 2018), JSON",
        lambda peek: _is_json(peek, "{") and peek.has_keys("src", "trg", "incorrect"),
        read_discevalmt,
    ),
    "consistency": SuiteFormat(
        "consistency test sets (Voita et al., 2019), JSON",
        lambda peek: _is_json(peek) and "_eos" in peek.start and peek.has_keys("dst"),
        read_consistency,
    ),
    "genpro": SuiteFormat(
        "GenPro (Post & Junczys-Dowmunt, 2023), TSV",
        lambda peek: re.match(r"(?:\d+\t)?-?\d+\t(correct|contrastive)\t", peek.start) is not None,
        read_genpro,
    ),
    "scat": SuiteFormat(
        "SCAT (Yin et al., 2021), four files of lines",
        lambda peek: "<p>" in peek.first_line or peek.path.name.startswith("highlighted."),
        read_scat,
    ),
    "mt-geneval": SuiteFormat(
        "MT-GenEval (Currey et al., 2022), files of lines",
        lambda peek: peek.path.name.startswith(("geneval-context-", "geneval-sentences-")),
        read_mt_geneval,
    ),
    "cocoa-mt": SuiteFormat(
        "CoCoA-MT (Nadejde et al., 2022), files of lines",
        lambda peek: peek.path.name.startswith("formality-control.") or "[F]" in peek.first_line,
        read_cocoa,
    ),
    "huggingface": SuiteFormat(
        "directory for Hugging Face datasets: a data card and Parquet",
        lambda peek: is_dataset(peek.path),
        read_huggingface,
        write_huggingface,
    ),
    "huggingface-jsonl": SuiteFormat(
        "the same with JSON Lines, which needs no further library",
        lambda peek: False,  # noqa: ARG005
        read_huggingface,
        partial(write_huggingface, parquet=False),
    ),
}
"""Our own formats, in the order in which they are asked whether they know a file."""

SUITE_FORMATS: Registry[SuiteFormat] = Registry(
    "suite_format", _OWN, check=lambda thing: isinstance(thing, SuiteFormat)
)
"""Formats by name; an outside package adds to them through an entry point of the group ``endophora.suite_format``."""


class PublishedSet(Strict):
    """A published test set that is read here: where to get it, and on what terms."""

    name: Text
    authors: Text
    tests: Text
    languages: Text
    licence: Text
    address: Annotated[str, Field(pattern="^https://")]
    format: Text
    file: Text
    given: Literal["system", "scores"] = "system"


def published_sets() -> list[PublishedSet]:
    """Return the published sets that a format here reads."""
    text = (files("endophora.suites") / "data" / "sets.yaml").read_text(encoding="utf-8")
    return [PublishedSet.model_validate(one) for one in cast("list[object]", load_yaml(text))]


def read_suite(path: PathLike, format: str | None = None, languages: tuple[str, str] | None = None) -> Suite:
    """Read a suite.

    Args:
        path: a file, or a directory for formats that are one; ``-`` is standard input, which needs ``format``.
        format: a name in :data:`SUITE_FORMATS`; by default the first that recognises the path.
        languages: ISO 639-1 codes of source and target, where neither content nor name says them.

    Raises:
        InputError: the format is not recognised (E171), or what the reader finds.
    """
    form = SUITE_FORMATS.get(format or recognise_suite(path))
    suite = form.read(path, languages)
    if suite.target_language:
        return suite
    warning = "The languages are not known, so abbreviations and tokenizers are no language's; say --languages en-de."
    return replace(suite, warnings=(*suite.warnings, warning))


def recognise_suite(path: PathLike) -> str:
    """Return the name of the format of a suite."""
    if str(path) == STDIN:
        raise InputError(
            Fault("E171", "the format of standard input is not known", "say it: --suite-format jsonl", "<stdin>")
        )
    if not Path(path).exists():
        raise InputError(Fault("E001", "no such file or directory", "check the path", str(path)))
    # What is wrong with a file is its reader's to find.
    start = whole_file(path, PEEK) or b""
    peek = Peek(Path(path), start.decode(errors="replace"))
    # Formats of outside packages are looked for, among all that is installed, only where none of ours knows the file.
    for name in chain(_OWN, (name for name in SUITE_FORMATS if name not in _OWN)):
        if SUITE_FORMATS.get(name).recognises(peek):
            return name
    if not peek.path.is_dir():
        # A format is not recognised in a file that is damaged or no UTF-8.
        log = FaultLog()
        for _ in each_line(path, log):
            log.check()
        log.check()
    advice = f"say --suite-format ({', '.join(SUITE_FORMATS)})"
    raise InputError(Fault("E171", "the format of the suite is not recognised", advice, str(path)))


def write_suite(suite: Suite, path: PathLike, format: str = "jsonl") -> None:
    """Write a suite."""
    form = SUITE_FORMATS.get(format)
    if form.write is None:
        writers = [name for name in SUITE_FORMATS if SUITE_FORMATS.get(name).write]
        raise InputError(Fault("E171", f"“{format}” can only be read", f"write one of {', '.join(writers)}", "--to"))
    form.write(suite, path)
