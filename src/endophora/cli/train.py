"""``endophora train``: translation models, the text that they learn from, a classifier of ellipsis."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from endophora.cli.commands import Given, Only, command
from endophora.cli.console import current, duration, hushed, live_bar, progress_bar, say, warn
from endophora.cli.extract import doubt_census, read_columns
from endophora.cli.inputs import Inputs, into
from endophora.corpus.codes import parse_languages
from endophora.corpus.formats import open_parallel, open_stream
from endophora.corpus.records import Document
from endophora.corpus.streams import DocumentStream, ReadOptions
from endophora.engine.workers import cores
from endophora.errors import Fault, InputError
from endophora.files import check_new
from endophora.models.loading import need_libraries
from endophora.options import option
from endophora.stopping import check_stopped, keeping, stop_requested, stop_with_launcher
from endophora.training.ellipsis import README, score_lines, train_ellipsis
from endophora.training.ellipsis_fitting import EllipsisSettings, EpochReport
from endophora.training.parallel import help_folder, read_help_pages, read_pages, read_pairs, read_scripts
from endophora.training.translation.card import ENDINGS, TranslationCard, read_sources, sources_beside
from endophora.training.translation.preparing import PairDocument, TextPlan, prepare_text, text_output
from endophora.training.translation.settings import TrainingSettings, TrainingStart, make_settings

if TYPE_CHECKING:
    from endophora.training.translation.loop import TrainingProgress
    from endophora.training.translation.train import TrainingText

_FORMS = "any format of evaluate --input, or SOURCE,TARGET,IDS."


@dataclass(frozen=True, slots=True, kw_only=True)
class TextFiles:
    """The texts: paths, or three parallel files with commas between."""

    train: tuple[str, ...] = option((), metavar="PATH", help=f"Text to learn: {_FORMS} Repeatable.")
    validation: tuple[str, ...] = option((), metavar="PATH", help="Text that decides when to stop. Repeatable.")
    test: tuple[str, ...] = option((), metavar="PATH", help="Text for BLEU and chrF at the end. Repeatable.")
    target: str | None = option(None, "--target", "-t", metavar="FILE", help="Target text that goes with --source.")
    input_format: str | None = option(None, metavar="NAME", help="Format, where it is not recognised.")
    columns: str | None = option(None, metavar="D,S,T", help="Columns of document id, source, target.")
    skip_faults: bool = option(False, help="Leave out and count faulty lines, instead of stopping.")


@command(strict=True)
def model(
    *,
    inputs: Annotated[Inputs, Only("languages", "source", "documents")],
    files: TextFiles,
    options: TrainingStart,
    output: Annotated[Path, into("Directory of the model.")],
    settings: Annotated[
        Path | None, typer.Option("--settings", metavar="FILE", help="YAML with settings; options win.")
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option(
            "--sources", metavar="FILE", help="Licences for the card. [sources.json next to --train] Repeatable."
        ),
    ] = None,
    given: Annotated[dict[str, Any], Given(TrainingSettings)],
) -> None:
    """Train a translation model, or go on where it stopped."""
    need_libraries("training a translation model needs", "E291", "train")
    from endophora.training.translation.model import check_place

    check_place(output)
    stop_with_launcher()
    train = list(files.train)
    if inputs.source or files.target:
        train.append(",".join(name or "" for name in (inputs.source, files.target, inputs.documents)))
    stopped = Fault("E297", "what the last checkpoint has is kept", "run the same command again to go on", str(output))
    with keeping(stopped):
        _run(inputs.languages, output, train, files, make_settings(given, settings), options, sources)


def _run(
    languages: str,
    output: Path,
    train: Sequence[str],
    files: TextFiles,
    settings: TrainingSettings,
    options: TrainingStart,
    sources: Sequence[Path] | None,
) -> None:
    """Train, show how far it is, and say where the model and its card are; of several processes the first talks."""
    from endophora.training.translation.loop import Watch
    from endophora.training.translation.train import TrainingRun, train_translation

    pair = parse_languages(languages)
    if not train or not files.validation:
        advice = "name both, with --train and --validation"
        raise InputError(Fault("E098", "text to train on and text to look at are needed", advice))
    first = os.environ.get("RANK", "0") == "0"
    with hushed(not first):
        texts = [_text(paths, pair, files) for paths in (train, files.validation)]
        test = _text(files.test, pair, files) if files.test else None
        beside = (Path(part) for path in train for part in path.split(","))
        begun: dict[str, Any] = {one.name: getattr(options, one.name) for one in fields(options)}
        begun["threads"] = options.threads or cores()
        licences = read_sources(sources_beside(beside) if sources is None else sources)
        run = TrainingRun(**begun, test=test, sources=licences)
        with _progress() as tell:
            watch = Watch(tell=tell, note=say, stop=lambda: stop_requested() > 0)
            card = train_translation(texts[0], texts[1], pair, output, settings, run, watch)
            check_stopped()
        if first:
            _tell_end(card, output)


def _text(paths: Sequence[str], pair: tuple[str, str], files: TextFiles) -> TrainingText:
    """Return a text; it is read once here, so that its faults come before the work."""
    from endophora.training.translation.train import TrainingText

    streams = [_stream(path, pair, files) for path in paths]
    left_out: dict[str, int] = {}
    held: list[Document] | None = [] if any("-" in path.split(",") for path in paths) else None
    for stream in streams:
        for document in stream:
            if held is not None:
                held.append(document)
        census = stream.census
        for what, count in {**census.skipped, **census.notes}.items():
            left_out[what] = left_out.get(what, 0) + count
        doubt_census(census, pair)
    names = tuple(Path(part).name for path in paths for part in path.split(","))
    return TrainingText(_Joined(streams) if held is None else held, names, lambda: left_out)


class _Joined:
    """Streams one after the other; can be gone through again and again."""

    def __init__(self, streams: Sequence[DocumentStream]) -> None:
        self._streams = streams

    def __iter__(self) -> Generator[Document, None, None]:
        for stream in self._streams:
            yield from stream


def _stream(path: str, pair: tuple[str, str], files: TextFiles) -> DocumentStream:
    parts = path.split(",")
    if len(parts) == 3 and not Path(path).exists():
        source, target, documents = parts
        if not (source and target):
            raise InputError(Fault("E099", "source or target is missing", "give both, --source and --target", path))
        return open_parallel(source, target, documents or None, skip_faults=files.skip_faults)
    chosen = ReadOptions(languages=pair, columns=read_columns(files.columns))
    return open_stream([path], chosen, files.input_format, skip_faults=files.skip_faults)


@contextmanager
def _progress() -> Generator[Callable[[TrainingProgress], None]]:
    """Show how far it is: a bar if standard error is a terminal, lines otherwise; looks are lines in any case."""
    if current().quiet:
        yield lambda progress: None  # noqa: ARG005
        return
    if not sys.stderr.isatty():
        last = time.monotonic() - 60

        def line(progress: TrainingProgress) -> None:
            nonlocal last
            if progress.perplexity is not None or time.monotonic() - last > 60:
                last = time.monotonic()
                print(progress_text(progress), file=sys.stderr, flush=True)

        yield line
        return
    with live_bar("read the text", 1.0) as update:

        def tell(progress: TrainingProgress) -> None:
            update(completed=progress.done, description=progress_text(progress))
            if progress.perplexity is not None:
                say(progress_text(progress))

        yield tell


def progress_text(progress: TrainingProgress) -> str:
    """Say how far a training is: update, loss, rate, time left, and the perplexity if it was looked at."""
    parts = [
        f"update {progress.update}, epoch {progress.epoch + 1}",
        f"loss {progress.loss:.3f}",
        f"{progress.words_per_second:.0f} words/s",
        f"at most {duration(progress.seconds_left)} left",
    ]
    if progress.perplexity is not None:
        best = ", the best" if progress.perplexity == progress.best else f" (best {progress.best:.2f})"
        parts.insert(2, f"validation perplexity {progress.perplexity:.2f}{best}")
    return ", ".join(parts)


def _tell_end(card: TranslationCard, output: Path) -> None:
    print(f"validation perplexity {card.perplexity:.3f} at update {card.best_update} of {card.update}")
    for score in card.scores:
        print(f"{score.metric} {score.value:.1f} with {score.context} sentences of context")
    onward = "; the same command goes on" if card.ended == "minutes" else ""
    say(f"ended {ENDINGS.get(card.ended, card.ended)}{onward}")
    say(f"model: {output}   card: {output / 'README.md'}")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentSources:
    """Where text with documents is."""

    help_pages: Path | None = option(
        None, "--libreoffice-help", metavar="DIR", help="LibreOffice's help folder: its pages are documents."
    )
    help_folders: str | None = option(
        None, "--libreoffice-folders", metavar="S,T", help="Its folders of the two languages, as en-US,de."
    )
    pages: Mapping[str, str] = option(
        {},
        metavar="NAME=PATTERN",
        help="Handbooks in XML or HTML: pages are documents. 'gnome=/usr/share/help/{C|de}/**/*'. Repeatable.",
    )
    scripts: Mapping[str, str] = option(
        {}, metavar="NAME=DIR", help="Games: scripts with gettext's marks are documents. Repeatable."
    )

    def read(self, source: str, target: str) -> Iterator[PairDocument]:
        """Yield the documents, source after source; nothing is named (E098), or badly (E081, E206, E343, E344)."""
        if not (self.help_pages or self.pages or self.scripts):
            advice = "--libreoffice-help DIR, --pages NAME=PATTERN or --scripts NAME=DIR"
            raise InputError(Fault("E098", "no text with documents is named", advice))
        if self.help_pages:
            given = self.help_folders
            names = given.split(",") if given else [help_folder(self.help_pages, code) for code in (source, target)]
            if len(names) != 2:
                raise InputError(
                    Fault("E206", f"“{given}” does not name two folders", "en-US,de", "--libreoffice-folders")
                )
            yield from read_help_pages(self.help_pages, names[0], names[1])
        for name, pattern in self.pages.items():
            yield from read_pages(name, pattern)
        for name, folder in self.scripts.items():
            yield from read_scripts(name, Path(folder), target)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairSources:
    """Where sentence pairs are, and what is not to be learned."""

    pairs: tuple[Path, ...] = option(
        (), metavar="FILE", help="Sentence pairs: [name,] source, target; only learned. Repeatable."
    )
    collection: tuple[str, ...] = option((), metavar="NAME", help="Only pairs whose name begins so. Repeatable.")
    keep_out: tuple[Path, ...] = option(
        (), metavar="FILE", help="Text that is evaluated on, one segment a line. Repeatable."
    )


@command()
def text(
    inputs: Annotated[Inputs, Only("languages")],
    documents: DocumentSources,
    pairs: PairSources,
    plan: TextPlan,
    output: Annotated[Path, into("Directory of the new files.")],
) -> None:
    """Make training, validation and test text with documents, and print how much it is and what was left out."""
    text_output(output)
    pages = documents.read(*parse_languages(inputs.languages))
    singles = chain.from_iterable(read_pairs(path, pairs.collection) for path in pairs.pairs)
    away = chain.from_iterable(path.read_text("utf-8").split("\n") for path in pairs.keep_out)
    made = prepare_text(pages, singles, output, plan, away)
    warn(f"{count} {what} are left out" for what, count in made.sources.notes.items())
    unknown = [one.name for one in made.sources.sources if one.licence == "unknown"]
    warn(f"the licence of “{name}” is not known: --licence {name}=…" for name in unknown)
    for part, count in made.segments.items():
        print(f"{output / part}.tsv: {count} segments in {made.documents[part]} documents")


@command()
def ellipsis(
    data: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH...",
            help="Labelled sentences: TSV; Penn Treebank files, folders or zip archives.",
            show_default=False,
        ),
    ],
    settings: EllipsisSettings,
    output: Annotated[Path, into("Directory of the new classifier.")],
) -> None:
    """Train a classifier of ellipsis."""
    check_new(output)
    with progress_bar("train, in epochs", settings.epochs) as advance:

        def tell(report: EpochReport) -> None:
            advance(1)
            figures = f"loss {report.loss:.4f}, average precision {report.average_precision:.3f}"
            say(f"epoch {report.epoch} of {report.epochs}: {figures}{', best' if report.best else ''}")

        card = train_ellipsis(data, output, settings, tell)
    sys.stdout.write("\n".join(score_lines(card)) + "\n")
    print(f"classifier: {output}   card: {output / README}", file=sys.stderr)
