"""``endophora metrics``, ``doctor``, ``languages`` and ``models``: what there is, what it needs, and what is wrong."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Annotated, cast

import typer

from endophora.cli.commands import Only, command
from endophora.cli.console import current, print_table, say
from endophora.cli.inputs import Format, Tools, into
from endophora.corpus.codes import language_names
from endophora.errors import Fault, InputError
from endophora.evaluation.installation import Check, language_inventory, metric_inventory, model_inventory, run_checks
from endophora.evaluation.rule_examples import ExampleOutcome, run_examples
from endophora.evaluation.setup import Setup
from endophora.files import check_directory, check_new
from endophora.languages import LanguageRules, load_language, read_language
from endophora.languages.load import review
from endophora.metrics.comet_environment import (
    fetch_model,
    install_environment,
    installed_environment,
    remove_environment,
)
from endophora.models.ctranslate import convert_model, read_precision
from endophora.store import default_store_path

_FIGURES = {"UPOS": "UPOS", "lemma": "lemma", "LAS": "LAS", "AER": "AER", "links read right": "links"}
_LETTERS = {"lexical_cohesion": "C", "formality": "F", "pronouns": "P", "verb_form": "V", "ellipsis": "E"}


@command(quiet=False)
def metrics(output_format: Format = "text") -> None:
    """Show the metrics that can be named, and what each needs."""
    rows = metric_inventory()
    if output_format == "json":
        _print_json(rows)
        return
    header = ("name", "what", "row", "needs")
    print_table(header, [[row[name] for name in header] for row in rows])


@command(quiet=False, verbose=True)
def doctor(
    tools: Annotated[Tools, Only("store")],
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Open the models and rules of every language; else of English alone.")
    ] = False,
) -> None:
    """Check what is installed."""
    checks = list(dict.fromkeys(run_checks(tools.store or default_store_path(), thorough=thorough)))
    parts = {part: list(found) for part, found in groupby(sorted(checks, key=_part), key=_part)}
    if current().verbose:
        print_table(("check", "state", "detail"), [(check.name, check.state, check.detail) for check in checks])
    else:
        print_table(("part", "state", "detail"), [_part_row(part, found) for part, found in parts.items()])
    broken = [check.name for check in checks if check.state == "broken"]
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
        raise typer.Exit(1)
    print("everything works" if thorough else "what was opened works, the rest is there: --thorough opens all of it")


_PARTS = ("endophora", "library", "rules", "annotator", "aligner", "resolver", "store")


def _part(check: Check) -> str:
    """Return which part of the installation a check is of; parts sort as :data:`_PARTS` names them."""
    kind = check.name.split()[0]
    place = _PARTS.index(kind) if kind in _PARTS else 1
    return f"{place} {_PARTS[place]}"


def _part_row(part: str, checks: list[Check]) -> tuple[str, str, str]:
    """Return a part's line: its only check, or how many work, and in whole what does not.

    Libraries of extras that are absent are counted: ``--verbose`` has a line for each, with what installs it.
    """
    name, states = part[2:], [check.state for check in checks]
    state = "broken" if "broken" in states else "ok"
    if len(checks) == 1:
        return name, state, checks[0].detail
    parts: list[str] = []
    for each, verb in (("ok", "opened" if name != "library" else "work"), ("there", "there")):
        if named := [
            check.name.removeprefix(f"{name} ").removeprefix("en-") for check in checks if check.state == each
        ]:
            parts.append(f"{len(named)} {verb}" + ("" if name == "library" else f": {', '.join(named)}"))
    absent = list(dict.fromkeys(check.name.removeprefix("annotator ") for check in checks if check.state == "absent"))
    if absent:
        named = ", ".join(absent)
        parts.append(
            f"{len(absent)} of extras absent: see --verbose" if name == "library" else f"not installed: {named}"
        )
    parts += [f"{check.name}: {check.detail}" for check in checks if check.state == "broken"]
    return name, state, "; ".join(parts)


@command(quiet=False)
def languages(context: typer.Context, output_format: Format = "text") -> None:
    """Show for each language its phenomena, its annotator and aligner with their scores, and its extras."""
    if context.invoked_subcommand is not None:
        return
    rows = language_inventory()
    if output_format == "json":
        _print_json(rows)
        return
    header = ("", "language", "phenomena", "annotator", *_FIGURES.values())
    print_table(header, [_language_cells(row) for row in rows])
    names = ", ".join(f"{letter} {name.replace('_', ' ')}" for name, letter in _LETTERS.items())
    tense = ", ".join(str(row["language"]) for row in rows if row["tense into English"])
    print(f"\n{names}\ninto English also P, and V (its tense) from {tense}\n{_LANGUAGES_LEGEND}")
    licences: dict[str, list[str]] = {}
    for row in rows:
        if row["licence"]:
            licences.setdefault(str(row["licence"]), []).append(str(row["language"]))
    (most, _), *others = sorted(licences.items(), key=lambda one: -len(one[1]))
    print("; ".join((f"licence: {most}", *(f"{', '.join(codes)}: {name}" for name, codes in others))) + "\n")
    for note in dict.fromkeys(str(row["note"]) for row in rows if row["note"]):
        print(re.sub(r": (?=pip |python )", ":\n  ", note))


_LANGUAGES_LEGEND = """\
UPOS, lemma, LAS: per cent right on the hardest test set of the annotator
AER: alignment error rate; links: per cent of word links that are right
(zh): with the extra zh"""


def _language_cells(row: Mapping[str, object]) -> list[str]:
    """Return a language's line; letters stand for phenomena."""
    found = cast("list[str]", row["phenomena"])
    letters = " ".join(letter if name in found else "·" for name, letter in _LETTERS.items()) if found else "–"
    annotator = "–" if row["annotator"] is None else str(row["annotator"]).replace("(extra ", "(")
    figures = (f"{'–' if row[name] is None else row[name]:>5}" for name in _FIGURES)
    return [str(row["language"]), str(row["name"]), letters, annotator, *figures]


@command(quiet=False)
def new(
    code: Annotated[str, typer.Argument(metavar="CODE", help="ISO 639-1 code of the language.")],
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="The language's name in English, if the code has none.")
    ] = None,
    output: Annotated[Path, into("Where the file is written.")] = Path(),
) -> None:
    """Write a rule file to be filled in, CODE.yaml; docs/add-a-language.md says how to go on."""
    from endophora.languages.load import write_scaffold

    check_directory(output)
    if not (named := name or language_names().get(code, "")):
        raise InputError(Fault("E033", f"no language is known by the code “{code}”", "name the language with --name"))
    path = write_scaffold(code, named, output)
    print(f"rule file: {path}; check it with: endophora languages check {path}", file=sys.stderr)


@command(quiet=False)
def check(
    language: Annotated[str, typer.Argument(metavar="CODE|FILE", help="A language of the package, or a rule file.")],
    tools: Annotated[Tools, Only("phenomenon", "annotator", "aligner", "resolver")],
) -> None:
    """Check a rule file and run its worked examples. Exit 1 if one fails, 2 if the file is broken."""
    is_file = Path(language).suffix in (".yaml", ".yml") or Path(language).is_file()
    rules = read_language(Path(language)) if is_file else load_language(language)
    for remark in review(rules, load_language("en")):
        print(f"warning: {remark}", file=sys.stderr)
    files = (Path(language),) if is_file else ()
    setup = Setup("en", rules.language, tools.annotator, tools.aligner, tools.resolver, rules=files)
    outcomes = list(run_examples(rules, setup, tools.phenomenon))
    _show_outcomes(rules, outcomes)
    if not all(outcome.passed for outcome in outcomes):
        raise typer.Exit(1)


def _show_outcomes(rules: LanguageRules, outcomes: Iterable[ExampleOutcome]) -> None:
    """Print what failed and why, then the counts by phenomenon."""
    counts: dict[str, list[int]] = {name: [0, 0, 0] for name in rules.phenomena}
    for outcome in outcomes:
        row = counts.setdefault(outcome.phenomenon, [0, 0, 0])
        row[0] += 1
        row[1] += bool(outcome.example.occurrences)
        row[2] += outcome.passed
        if not outcome.passed:
            print(outcome.report())
    header = ("phenomenon", "examples", "positive", "passed")
    print_table(header, [(name, *map(str, row)) for name, row in counts.items()])


def _print_json(rows: object) -> None:
    sys.stdout.write(json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


INSTALLABLE = ("comet",)
"""What can be installed into a separate environment."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="What to install or remove: comet.")]


@command(quiet=False)
def models(context: typer.Context, output_format: Format = "text") -> None:
    """Show the embedded annotators, aligner priors and resolvers, and what can be named instead."""
    if context.invoked_subcommand is not None:
        return
    rows = [*model_inventory(), *_environments()]
    if output_format == "json":
        _print_json(rows)
        return
    header = ("kind", "name", "size", "licence", "trained on")
    print_table(header, [[row[name] for name in header] for row in rows])


@command()
def install(
    name: Name,
    python: Annotated[
        str | None,
        typer.Option("--python", metavar="PYTHON", help="Interpreter to make the environment with; 3.10 or later."),
    ] = None,
    torch_index: Annotated[
        str | None, typer.Option("--torch-index", metavar="URL", help="Package index to take torch from.")
    ] = None,
    cuda: Annotated[
        bool, typer.Option("--cuda", help="On Linux, take the usual build of torch: several gigabytes, with CUDA.")
    ] = False,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="MODEL", help="Fetch this model too, as Unbabel/wmt22-comet-da. Repeatable."),
    ] = None,
) -> None:
    """Make the environment of a metric that cannot live in this one; does nothing where it is there."""
    _check(name)
    made = install_environment(python, torch_index=torch_index, cuda=cuda, say=say)
    versions = ", ".join(f"{library} {version}" for library, version in made.versions.items())
    print(f"{name}: {made.folder}, {versions}, {made.size / 1e6:.0f} MB")
    for wanted in model or ():
        say(f"fetching {wanted}")
        print(f"{wanted}: {fetch_model(wanted).checkpoint}")


@command(quiet=False)
def remove(name: Name) -> None:
    """Delete the environment that ``install`` made; models that were fetched stay where they are."""
    _check(name)
    folder = remove_environment()
    print(f"{name}: not installed" if folder is None else f"{name}: removed {folder}")


@command(quiet=False)
def convert(
    name: Annotated[str, typer.Argument(metavar="MODEL", help="Folder of a trained model, or a model of the Hub.")],
    output: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the converted model.")],
    precision: Annotated[
        str, typer.Option("--precision", metavar="NAME", help="Of the weights: float32, float16, int8 or int8_float32.")
    ] = "float32",
) -> None:
    """Convert a translation model to CTranslate2's form; name it as ct2:DIR then."""
    check_new(output)
    convert_model(name, output, read_precision(precision))
    print(f"ct2:{output}: {sum(path.stat().st_size for path in output.rglob('*') if path.is_file()) / 1e6:.1f} MB")


def _check(name: str) -> None:
    if name not in INSTALLABLE:
        fault = Fault("E106", f"“{name}” is nothing to install", f"choose {' or '.join(INSTALLABLE)}", "NAME")
        raise InputError(fault)


def _environments() -> list[dict[str, str]]:
    """Return a row for each environment that is there."""
    found = installed_environment()
    if found is None:
        return []
    name = f"comet, unbabel-comet {found.versions['unbabel-comet']}"
    row = {"kind": "metric, own environment", "name": name, "size": f"{found.size / 1e6:.1f} MB"}
    return [{**row, "licence": "Apache-2.0", "trained on": "the model is named: comet:MODEL"}]
