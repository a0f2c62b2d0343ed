"""The help of commands: options under the headings of their records, commands under what they are for, examples."""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from typer.core import TyperCommand, TyperGroup

TABLE: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("commands.toml").read_text("utf-8"))
"""Command → what it runs, its help, and examples of what is typed after it; the empty name has examples alone."""

HEADINGS = {
    "Judge translations": ("demo", "evaluate", "check", "compare", "tag", "metrics"),
    "Ask people": ("human", "meta-evaluate"),
    "Texts and test sets": ("convert", "align", "mentions", "extract", "suite"),
    "Models": ("translate", "score", "context", "train"),
    "What is installed": ("languages", "models", "store", "doctor", "completion"),
}
"""The commands in the order of the list of commands; each is under one heading."""
_RECORDS = {
    "Inputs StreamInputs SuiteInputs TextFiles DocumentSources PairSources BuildInputs Systems TagFiles": "Input",
    "Human": "Human scores",
    "EvaluationOptions JudgeOptions ScoringOptions": "Judgments",
    "Bootstrapping MetaOptions RankingOptions": "Statistics",
    "Gate": "Conditions",
    "CxmiOptions ContrastOptions PerturbationOptions AttributionOptions": "Measurement",
    "Opening Decoding WholeOptions Context Window": "Models and context",
    "Payment": "Paid services",
    "Tools": "Annotation",
    "TrainingSettings TrainingStart": "Training",
    "Keeping Work EngineOptions Sharing": "Processes and store",
}
_HEADING = {record: heading for records, heading in _RECORDS.items() for record in records.split()}
_ORDER = ("Arguments", "Input", "Options", *_RECORDS.values(), "Output", "General")
_OWN = {
    **dict.fromkeys(("output", "output_format", "to", "verbose"), "Output"),
    **dict.fromkeys(("quiet", "strict", "config", "help", "version"), "General"),
    "model": "Models and context",
}


def heading_of(record: type, name: str) -> str | None:
    """Return the heading of a record's field: of the class that has it first, or of that one's nearest base."""
    known = ("__dataclass_fields__", "model_fields")
    owner = [each for each in record.__mro__ if any(name in (getattr(each, one, None) or ()) for one in known)][-1]
    return next((_HEADING[each.__name__] for each in owner.__mro__ if each.__name__ in _HEADING), None)


def headed(parameters: Iterable[Any]) -> dict[str, list[Any]]:
    """Return heading → parameters as the help shows them: first arguments, and what holds for all commands last."""
    found: dict[str, list[Any]] = {}
    for each in parameters:
        heading = getattr(each, "rich_help_panel", None) or _OWN.get(each.name, "Options")
        found.setdefault("Arguments" if each.param_type_name == "argument" else heading, []).append(each)
    return {name: found[name] for name in sorted(found, key=_ORDER.index)}


def examples(path: str) -> list[str]:
    """Return the command lines that show a command, those that are long over several lines."""
    return [_wrapped(f"endophora {path} {rest}") for rest in TABLE[path]["examples"]] if path in TABLE else []


def _wrapped(line: str) -> str:
    # What is quoted stays on one line, and an option's value with it.
    kept = re.sub(r"'[^']*'|(?<= )-\S+ (?!-)", lambda one: one.group().replace(" ", "\0"), " ".join(line.split()))
    parts = textwrap.wrap(kept, 74, subsequent_indent="    ", break_on_hyphens=False, break_long_words=False)
    return " \\\n".join(parts).replace("\0", " ")


class _Help:
    """Headings in place of one list of options, and examples at the end."""

    def format_options(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the commands of a group, and the options."""
        if commands := getattr(self, "commands", None):
            parts = HEADINGS if "evaluate" in commands else {"Commands": tuple(commands)}
            for heading, names in parts.items():
                with formatter.section(heading):
                    formatter.write_dl([(name, str(commands[name].help).replace("``", "")) for name in names])
        for heading, shown in headed(self.get_params(ctx)).items():
            if rows := [row for each in shown if (row := each.get_help_record(ctx))]:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self: Any, ctx: Any, formatter: Any) -> None:
        """Write the examples, as they are typed."""
        if shown := examples(ctx.command_path.removeprefix("endophora").strip()):
            with formatter.section("Examples"):
                formatter.write(textwrap.indent("\n".join(shown) + "\n", "  "))


class Command(_Help, TyperCommand):
    """A command."""

    def make_parser(self, ctx: Any) -> Any:
        """Let ``--no-NAME`` switch off what a file of options has switched on."""
        parser: Any = super().make_parser(ctx)
        for each in self.get_params(ctx):
            if getattr(each, "is_flag", False) and not (each.is_eager or each.secondary_opts):
                off = f"--no-{each.opts[0][2:]}"
                parser.add_option(each, (off,), each.name, action="store_const", const=False)
        return parser

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read what is typed; ``--no-no-store``, which undoes a file's ``no_store``, is never suggested."""
        try:
            return super().parse_args(ctx, args)
        except Exception as fault:
            if shown := getattr(fault, "possibilities", None):
                vars(fault)["possibilities"] = [one for one in shown if not one.startswith("--no-no-")]
            raise


class Group(_Help, TyperGroup):
    """A group of commands."""
