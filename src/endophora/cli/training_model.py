"""The bodies of ``endophora train model`` and ``train text``: text from options, progress, what is told in the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endophora.cli.console import error_console, report_error, warn
from endophora.corpus import parse_languages
from endophora.corpus.formats import ReadOptions, open_parallel, open_stream
from endophora.corpus.meaning import check_stream
from endophora.corpus.tsv import TableColumns
from endophora.engine.workers import cores
from endophora.errors import EndophoraError, Fault, InputError
from endophora.stopping import check_stopped, stop_requested

if TYPE_CHECKING:
    from endophora.corpus.records import Document
    from endophora.corpus.streams import DocumentStream
    from endophora.training.translation.card import TranslationCard
    from endophora.training.translation.loop import Progress
    from endophora.training.translation.preparing import PairDocument, TextPlan
    from endophora.training.translation.settings import TrainingSettings
    from endophora.training.translation.train import TrainingText


@dataclass(frozen=True, slots=True)
class TextFiles:
    """What the options say of the texts.

    Attributes:
        train, validation, test: paths, or three parallel files with commas between.
        form: name of the format; ``None`` recognises it.
        columns: of tables.
        skip_faults: leave out and count faulty lines.
    """

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]
    form: str | None
    columns: str | None
    skip_faults: bool


def run_model_training(
    languages: str,
    output: Path,
    files: TextFiles,
    settings: TrainingSettings,
    given: dict[str, Any],
    sources: Sequence[Path] | None,
    quiet: bool,
) -> None:
    """Train, show how far it is, and say where the model and its card are.

    Args:
        languages: the pair.
        output: folder of the model.
        files: the texts.
        settings: of the training.
        given: vocabulary, start, device, threads, fresh, as ``TrainingRun`` takes them.
        sources: files that name the sources of the text; ``None`` takes those beside it.
        quiet: no progress.

    Raises:
        EndophoraError: the input is faulty, or the training did not come to its end.
    """
    from endophora.training.translation.loop import Watch
    from endophora.training.translation.sources import read_sources, sources_beside
    from endophora.training.translation.train import TrainingRun, train_translation

    pair = parse_languages(languages)
    first = os.environ.get("RANK", "0") == "0"
    quiet = quiet or not first
    if not files.train or not files.validation:
        advice = "name both, with --train and --validation"
        raise InputError(Fault("E098", "text to train on and text to look at are needed", advice))
    texts = [_text(paths, pair, files, quiet) for paths in (files.train, files.validation)]
    named = (
        sources_beside(Path(part) for path in files.train for part in path.split(",")) if sources is None else sources
    )
    held: dict[str, Any] = {**given, "threads": given["threads"] or cores()}
    if files.test:
        held["test"] = _text(files.test, pair, files, quiet)
    run = TrainingRun(**held, sources=read_sources(named))
    with _progress(quiet) as tell:
        watch = Watch(tell=tell, note=partial(_say, quiet=quiet), stop=lambda: stop_requested() > 0)
        card = train_translation(texts[0], texts[1], pair, output, settings, run, watch)
        check_stopped()
    if first:
        _tell_end(card, output, quiet)


@dataclass(frozen=True, slots=True)
class DocumentSources:
    """Where documents for training are.

    Attributes:
        help: LibreOffice's help folder.
        help_folders: its folders of the two languages, with a comma between.
        pages: name → pattern of a handbook's pages.
        scripts: name → folder of a program's scripts and catalogues.
    """

    help: Path | None
    help_folders: str | None
    pages: Mapping[str, str]
    scripts: Mapping[str, str]

    def read(self, source: str, target: str) -> Iterator[PairDocument]:
        """Yield the documents, source after source.

        Raises:
            InputError: nothing is named (E098), a folder or page is missing (E081, E344) or badly named (E206, E343).
        """
        from endophora.training.parallel import help_folder, read_help_pages
        from endophora.training.translation.pages import read_pages
        from endophora.training.translation.scripts import read_scripts

        if not (self.help or self.pages or self.scripts):
            advice = "--libreoffice-help DIR, --pages NAME=PATTERN or --scripts NAME=DIR"
            raise InputError(Fault("E098", "no text with documents is named", advice))
        if self.help:
            given = self.help_folders
            names = given.split(",") if given else [help_folder(self.help, language) for language in (source, target)]
            if len(names) != 2:
                raise InputError(
                    Fault("E206", f"“{given}” does not name two folders", "en-US,de", "--libreoffice-folders")
                )
            yield from read_help_pages(self.help, names[0], names[1])
        for name, pattern in self.pages.items():
            yield from read_pages(name, pattern)
        for name, folder in self.scripts.items():
            yield from read_scripts(name, Path(folder), target)


def run_text(
    languages: str,
    output: Path,
    documents: DocumentSources,
    pairs: tuple[Sequence[Path], Sequence[str]],
    keep_out: Sequence[Path],
    plan: TextPlan,
    quiet: bool,
) -> None:
    """Make training text, and print how much it is and what was left out.

    Args:
        languages: the pair.
        output: the new folder.
        documents: text with documents.
        pairs: files of sentence pairs, and beginnings of the collections' names.
        keep_out: text that is evaluated on.
        plan: shares, and what is left out.
        quiet: print only the counts.

    Raises:
        InputError: nothing is named (E098), or a file is missing or faulty.
    """
    from itertools import chain

    from endophora.training.parallel import read_pairs
    from endophora.training.translation.preparing import prepare_text

    pages = documents.read(*parse_languages(languages))
    singles = chain.from_iterable(read_pairs(path, pairs[1]) for path in pairs[0])
    away = chain.from_iterable(path.read_text("utf-8").split("\n") for path in keep_out)
    made = prepare_text(pages, singles, output, plan, away)
    warn((f"{count} {what} are left out" for what, count in made.sources.notes.items()), quiet)
    unknown = [one.name for one in made.sources.sources if one.licence == "unknown"]
    warn((f"the licence of “{name}” is not known: --licence {name}=…" for name in unknown), quiet)
    for part, count in made.segments.items():
        print(f"{output / part}.tsv: {count} segments in {made.documents[part]} documents")


def _text(paths: Sequence[str], pair: tuple[str, str], files: TextFiles, quiet: bool) -> TrainingText:
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
        if census.faults and not quiet:
            report_error(EndophoraError(census.faults))
            warn([f"{sum(census.skipped.values())} faulty lines, rows or links are left out (--skip-faults)"])
        warn((f"{count} {what}" for what, count in census.notes.items()), quiet)
        warn(check_stream(census, pair), quiet)
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
        if not all(parts):
            advice = "context must not reach from one document into another: give all of them"
            raise InputError(Fault("E204", "source, target or document ids are missing", advice, path))
        return open_parallel(*parts, skip_faults=files.skip_faults)
    names = files.columns.split(",") if files.columns else []
    if names and (len(names) != 3 or not all(names)):
        cause = f"“{files.columns}” does not name three columns"
        raise InputError(Fault("E206", cause, "document,source,target", "--columns"))
    chosen = ReadOptions(languages=pair, columns=TableColumns(*names) if names else None)
    return open_stream([path], chosen, files.form, skip_faults=files.skip_faults)


@contextmanager
def _progress(quiet: bool) -> Generator[Callable[[Progress], None]]:
    """Show how far it is: a bar if standard error is a terminal, lines otherwise; looks are lines in any case."""
    if quiet:
        yield lambda progress: None  # noqa: ARG005
        return
    if not sys.stderr.isatty():
        last = time.monotonic() - 60

        def line(progress: Progress) -> None:
            """Print looks, and a line a minute."""
            nonlocal last
            if progress.perplexity is not None or time.monotonic() - last > 60:
                last = time.monotonic()
                print(progress_text(progress), file=sys.stderr, flush=True)

        yield line
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=20))
    with Bars(*columns, console=error_console(), transient=True) as bars:
        task = bars.add_task("read the text", total=1.0)

        def tell(progress: Progress) -> None:
            """Show the state, and print looks above the bar."""
            bars.update(task, completed=progress.done, description=progress_text(progress))
            if progress.perplexity is not None:
                bars.console.print(progress_text(progress))

        yield tell


def progress_text(progress: Progress) -> str:
    """Say how far a training is: update, loss, rate, time left, and the perplexity if it was looked at."""
    parts = [
        f"update {progress.update}, epoch {progress.epoch + 1}",
        f"loss {progress.loss:.3f}",
        f"{progress.words_per_second:.0f} words/s",
        f"at most {_duration(progress.seconds_left)} left",
    ]
    if progress.perplexity is not None:
        best = ", the best" if progress.perplexity == progress.best else f" (best {progress.best:.2f})"
        parts.insert(2, f"validation perplexity {progress.perplexity:.2f}{best}")
    return ", ".join(parts)


def _say(line: str, quiet: bool) -> None:
    if not quiet:
        print(line, file=sys.stderr, flush=True)


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


def _tell_end(card: TranslationCard, output: Path, quiet: bool) -> None:
    from endophora.training.translation.card import ENDINGS

    print(f"validation perplexity {card.perplexity:.3f} at update {card.best_update} of {card.update}")
    for score in card.scores:
        print(f"{score.metric} {score.value:.1f} with {score.context} sentences of context")
    if not quiet:
        onward = "; the same command goes on" if card.ended == "minutes" else ""
        print(f"ended {ENDINGS.get(card.ended, card.ended)}{onward}", file=sys.stderr)
        print(f"model: {output}   card: {output / 'README.md'}", file=sys.stderr)
