"""The ``endophora`` command: its subcommands, with the module of each."""

from __future__ import annotations

import os
from typing import Annotated, Any, cast

import typer

from endophora.cli.commands import Lazy, build
from endophora.cli.helping import Command, Group
from endophora.cli.starting import CommandError
from endophora.version import __version__

_TABLE = {
    "demo": (
        "evaluate:demo",
        "Evaluate the example documents that ship with the package: two systems written by hand.",
    ),
    "evaluate": (
        "evaluate:evaluate",
        "Score systems on the words that need context: which system breaks which phenomenon.",
    ),
    "check": (
        "evaluate:check",
        "Judge outputs without a reference: register, names, pronouns, each by what the output has chosen itself.",
    ),
    "compare": (
        "compare:compare",
        "Compare two results of the same texts: what got better and worse, and at which words.",
    ),
    "metrics": ("inventory:metrics", "Show the metrics that ``evaluate --metric`` and ``meta-evaluate --score`` take."),
    "meta-evaluate": (
        "meta_evaluate:meta_evaluate",
        "Correlate metrics with human scores of segments, documents and systems, and test their differences.",
    ),
    "human": ("", "Let people rank outputs: sheets and pages for raters, and what they have judged."),
    "human sheets": (
        "human:sheets",
        "Write a sheet (CSV) and a page (HTML) for each rater, and the key, which raters do not get.",
    ),
    "human results": (
        "human:results",
        "Check raters, rank systems, count errors, and write people's scores for ``meta-evaluate --human``.",
    ),
    "human errors": (
        "human:errors",
        "Count the errors that people marked in BWB's format (an.txt), in the shape of BlonDe's Table 2.",
    ),
    "tag": (
        "evaluate:tag",
        "Find the words of a translation that need context: counts, and all occurrences in the directory.",
    ),
    "convert": (
        "convert:convert",
        "Write a corpus of any format in another: TMX, XLIFF, CSV, XLSX, TSV, JSON Lines, …",
    ),
    "align": (
        "align:align",
        "Align books in two languages: chapters by number, sentences by words; train, dev and test with documents.",
    ),
    "mentions": (
        "mentions:mentions",
        "Mark names, and pronouns whose antecedent is believed, by entity in the format of BWB.",
    ),
    "extract": (
        "extract:extract",
        "Find the words that need context in a corpus of any size, and make test sets of them; resumes.",
    ),
    "translate": (
        "translate:translate",
        "Translate documents; each segment with the segments before it, and their translations, as context.",
    ),
    "score": (
        "translate:score",
        "Score references and outputs: the log-probability of each segment, and with jsonl of each token.",
    ),
    "suite": ("", "Score, build, describe and convert test suites."),
    "suite build": (
        "sense_build:build",
        "Build a suite of word senses: MuCoW's steps, each with its table, and both variants in all formats.",
    ),
    "suite score": ("suite:score", "Score systems on a suite: is the form that needs context there?"),
    "suite formats": ("suite:formats", "List the formats of suites: which are read, which are written."),
    "suite list": ("suite:published", "List published test sets: where to get them, their licences, their command."),
    "suite describe": (
        "suite:describe",
        "Show how a suite's items are spread over rules, forms and distances, with examples.",
    ),
    "suite convert": (
        "suite:convert",
        "Write a suite in another format, with contexts joined to it if --corpus or --inputs is given.",
    ),
    "suite split": (
        "suite:split",
        "Split a suite into dev, devtest and test (1:1:5) by document, the most recent years first.",
    ),
    "suite prompts": (
        "suite:prompts",
        "Write what systems translate or score: a line an item, or a line a translation, in the order of the suite.",
    ),
    "context": ("", "Does a model use its context? CXMI, perturbation, contrastive accuracy, attribution."),
    "context demo": (
        "context_demo:demo",
        "Measure small models of a language whose answer is known: what each command finds, and the true answer.",
    ),
    "context cxmi": (
        "context:cxmi",
        "How much more probable does context make the reference, by sentence and by word?",
    ),
    "context attribute": (
        "context_attribute:attribute",
        "Trace words that need context back to what a model read: supporting words, context, current sentence.",
    ),
    "context contrast": (
        "context:contrast",
        "Score right against wrong translations, with more and with less context.",
    ),
    "context perturb": (
        "context:perturb",
        "Give models right and wrong context: does it make a difference, and which?",
    ),
    "context study": (
        "context_study:study",
        "All of it over the same models: perturbation, contrast and attribution, joined on one page.",
    ),
    "context themes": (
        "context:themes",
        "Read which words need context: parts of speech, vocabulary and single words side by side.",
    ),
    "models": (
        "inventory:models",
        "Show the models that are there; install and remove what needs a separate environment.",
    ),
    "models install": (
        "inventory:install",
        "Make the environment of a metric that cannot live in this one; does nothing where it is there.",
    ),
    "models remove": (
        "inventory:remove",
        "Delete the environment that ``install`` made; models that were fetched stay where they are.",
    ),
    "models convert": (
        "inventory:convert",
        "Convert a translation model to CTranslate2's form; name it as ct2:DIR then.",
    ),
    "store": ("store:show", "Show what is kept between runs; make room; look for damage."),
    "store prune": ("store:prune", "Remove what was used longest ago, and give the room back."),
    "store clear": (
        "store:clear",
        "Remove everything; a store of the default path also where it is too damaged to be opened.",
    ),
    "store verify": (
        "store:verify",
        "Read every entry, and remove what is damaged; a damaged file is made again of the rest. Exit 1 if any was.",
    ),
    "doctor": (
        "inventory:doctor",
        "Check the installation: libraries, embedded models, the store, the extras. Exit 1 if something is broken.",
    ),
    "completion": (
        "completion:completion",
        "Print what lets bash, zsh or fish complete commands and options when the tab key is pressed.",
    ),
    "languages": (
        "inventory:languages",
        "Show what is supported for each language; write a new language's rule file; check one.",
    ),
    "languages new": (
        "inventory:new",
        "Write a rule file to be filled in, CODE.yaml; docs/add-a-language.md says how to go on.",
    ),
    "languages check": (
        "inventory:check",
        "Check a rule file and run its worked examples. Exit 1 if one fails, 2 if the file is broken.",
    ),
    "train": ("", "Train translation models, and a classifier of ellipsis."),
    "train model": (
        "train_model:model",
        "Train a translation model, or go on where it stopped. Several devices: accelerate launch.",
    ),
    "train text": (
        "train_text:text",
        "Make training, validation and test text with documents: train.tsv, validation.tsv, test.tsv, sources.json.",
    ),
    "train ellipsis": (
        "train_ellipsis:ellipsis",
        "Train a classifier of ellipsis; name the directory with --ellipsis-classifier to use it.",
    ),
}
"""Command → module and function, and its help; a group comes before its commands, and may do nothing by itself."""


class _Commands(Group):
    def invoke(self, ctx: Any) -> Any:
        """Run a command; what it raises must not look like the end of a terminal's input."""
        try:
            return super().invoke(ctx)
        except (OSError, EOFError) as error:
            raise CommandError from error


def _commands(group: str = "") -> dict[str, Command | Group]:
    """Return the commands of a group, or those that are in none, with their commands."""
    made: dict[str, Command | Group] = {}
    for path, (place, text) in _TABLE.items():
        before, _, name = path.rpartition(" ")
        if before != group:
            continue
        inner: dict[str, Any] = {} if group else _commands(path)
        if place:
            made[name] = Lazy(name, f"endophora.cli.{place}", text, inner or None)
        else:
            made[name] = Group(name=name, commands=inner, help=text, no_args_is_help=True, rich_markup_mode=None)
    return made


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"endophora {__version__}")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    pass


if "_ENDOPHORA_COMPLETE" in os.environ:
    # A shell asks what could be typed next.
    from typer import completion

    cast("Any", completion).completion_init()

COMMANDS = tuple(_commands().values())

app = _Commands(
    name="endophora",
    commands={str(each.name): each for each in COMMANDS},
    params=build(_root).params,
    help="Does a translation get right the words that need context?",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
)
