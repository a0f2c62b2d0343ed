"""The card of a trained model: sources and licences, settings, history and figures, for programs and for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from endophora.corpus.codes import language_names
from endophora.corpus.trees import load_yaml
from endophora.errors import Fault, first_line, refuse
from endophora.record import Fixed

FILE = "sources.json"
"""The file next to a text that names its sources."""

UNKNOWN = "unknown"
"""The licence of a source of which nobody has said it."""


class TextSource(Fixed):
    """Where text is from."""

    name: str
    licence: str = UNKNOWN
    url: str = ""
    holder: str = ""
    domain: str = ""
    segments: int | None = None


class SourceList(Fixed):
    """The sources of a text, and how often what was left out or changed when it was made."""

    sources: tuple[TextSource, ...]
    notes: dict[str, int] = {}


_Entry = TypeVar("_Entry")


@cache
def _known() -> dict[str, dict[str, str]]:
    table = files("endophora.training.translation").joinpath("sources.yaml").read_text("utf-8")
    return cast("dict[str, dict[str, str]]", load_yaml(table))


def described(name: str, segments: int | None = None, licences: dict[str, str] | None = None) -> TextSource:
    """Return what is known of a collection: by the longest beginning of its name, and the licence by that given."""
    table = dict(_longest(_known(), name) or {})
    if licence := _longest(licences or {}, name):
        table["licence"] = licence
    return TextSource(name=name, segments=segments, **table)


def _longest(table: Mapping[str, _Entry], name: str) -> _Entry | None:
    """Return the entry of the longest key that a name begins with."""
    return max(((len(key), table[key]) for key in table if name.startswith(key)), default=(0, None))[1]


def read_sources(paths: Sequence[Path]) -> SourceList:
    """Read and join lists of sources; one that is in several is there once (E298)."""
    faults: list[Fault] = []
    held: dict[str, TextSource] = {}
    notes: dict[str, int] = {}
    for path in paths:
        try:
            read = SourceList.model_validate_json(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, ValidationError) as error:
            cause = f"is no list of sources ({first_line(error)})"
            advice = 'write {"sources": [{"name": …, "licence": …}]}'
            faults.append(Fault("E298", cause, advice, str(path)))
            continue
        held |= {source.name: source for source in read.sources}
        notes |= read.notes
    refuse(faults)
    return SourceList(sources=tuple(held.values()), notes=notes)


def sources_beside(paths: Iterable[Path]) -> list[Path]:
    """Return the lists of sources that are next to texts."""
    return [place for folder in dict.fromkeys(path.parent for path in paths) if (place := folder / FILE).is_file()]


CARD, README = "card.json", "README.md"

ENDINGS = {
    "updates": "at its limit of updates",
    "epochs": "at its limit of epochs",
    "minutes": "at its limit of minutes",
    "patience": "since nothing got better any more",
    "stopped": "by a signal",
}
"""Why a training has ended, in words."""

_SCORED = (
    "On the test text above, which was not learned from; by greedy search; the context is the source segments before "
    "each segment, and the model's own translations of them."
)


class TextPart(Fixed):
    """One of the texts; ``left_out`` has what the readers left out, and why → how often."""

    files: tuple[str, ...] = ()
    documents: int
    segments: int
    source_words: int
    target_words: int
    digest: str
    left_out: dict[str, int] = {}


class TestScore(Fixed):
    """A figure on text that was not learned from."""

    __test__ = False

    metric: str
    context: int
    value: float
    signature: str


class TranslationCard(BaseModel):
    """What there is to know of a model."""

    model_config = ConfigDict(extra="forbid")

    source_language: str
    target_language: str
    parameters: int
    settings: dict[str, Any]
    texts: dict[str, TextPart]  # train, validation and perhaps test
    sources: tuple[TextSource, ...] = ()
    source_notes: dict[str, int] = {}  # what was left out when the text was made → how often
    start: str = ""  # what it was begun with
    start_missing: tuple[str, ...] = ()  # the weights that were not found there
    update: int = 0
    tokens: int = 0
    minutes: float = 0.0
    ended: str = ""  # why it ended; empty while it runs
    best_update: int = 0  # of the model that is kept
    perplexity: float | None = None  # that model's, of the validation text
    history: list[dict[str, float]] = []
    scores: tuple[TestScore, ...] = ()
    machine: str = ""
    date: str = ""  # the last day of training, ISO 8601
    versions: dict[str, str] = {}


def card_files(card: TranslationCard) -> dict[str, str]:
    """Return the card as files: name → text."""
    return {CARD: card.model_dump_json(indent=1) + "\n", README: markdown(card)}


def markdown(card: TranslationCard) -> str:
    """Return the card for people, with the head that the Hub reads."""
    names = [language_names().get(code, code) for code in (card.source_language, card.target_language)]
    lines = ["---", "language:", f"- {card.source_language}", f"- {card.target_language}"]
    lines += ["library_name: transformers", "pipeline_tag: translation", "---", ""]
    lines += [f"# {names[0]}–{names[1]}, {card.settings['architecture']}, {card.settings['preset']}", ""]
    lines += [_plainly(card, names), ""]
    lines += ["## Data", "", *_data(card), "", "## Training", "", *_training(card), ""]
    if card.scores:
        head = ("metric", "sentences of context", "value", "signature")
        rows = [(s.metric, str(s.context), f"{s.value:.1f}", f"`{s.signature}`") for s in card.scores]
        lines += ["## Scores", "", _SCORED, "", *_table(head, rows), ""]
    if card.history:
        # At most forty rows, the last among them; ``card.json`` has all.
        step = max(1, -(-len(card.history) // 40))
        head = ("update", "tokens", "training loss", "validation perplexity")
        rows = [
            (f"{row['update']:.0f}", f"{row['tokens']:.0f}", f"{row['loss']:.3f}", f"{row['perplexity']:.2f}")
            for number, row in enumerate(card.history, 1)
            if (len(card.history) - number) % step == 0
        ]
        lines += ["## History", "", *_table(head, rows), ""]
    lines += ["## Settings", "", *_table(("setting", "value"), [(k, str(v)) for k, v in card.settings.items()]), ""]
    lines += [*_table(("version", ""), list(card.versions.items()))]
    return "\n".join(lines) + "\n"


def _plainly(card: TranslationCard, names: Sequence[str]) -> str:
    train = card.texts["train"]
    domains = list(dict.fromkeys(source.domain for source in card.sources if source.domain))
    kinds = "; ".join(domains)
    about = f", text of one kind ({kinds})" if len(domains) == 1 else f", text of these kinds: {kinds}" * bool(domains)
    size = f"{card.parameters / 1e6:.1f} million" if card.parameters >= 100_000 else f"{card.parameters:,}"
    return (
        f"A translation model from {names[0]} into {names[1]} with {size} parameters, which has learned from "
        f"{train.segments:,} segments ({train.source_words:,} source words in {train.documents:,} documents){about}"
        ". Do not expect it to translate other text well: it is as narrow as what it has read. It was trained with "
        "`endophora train model`, to see what a model makes of its context, and not to be used as a translator."
    )


def _data(card: TranslationCard) -> list[str]:
    rows = [
        (name, ", ".join(f"`{file}`" for file in part.files), f"{part.documents:,}", f"{part.segments:,}",
         f"{part.source_words:,}", f"{part.target_words:,}", _counts(part.left_out))
        for name, part in card.texts.items()
    ]  # fmt: skip
    lines = _table(("text", "files", "documents", "segments", "source words", "target words", "left out"), rows)
    if not card.sources:
        return [*lines, "", "**Where this text is from and under which licence is not recorded.**"]
    lines += ["", *_table(
        ("source", "licence", "holder", "segments", "domain"),
        [
            (f"[{s.name}]({s.url})" if s.url else s.name, s.licence, s.holder,
             "" if s.segments is None else f"{s.segments:,}", s.domain)
            for s in card.sources
        ],
    )]  # fmt: skip
    if card.source_notes:
        lines += ["", f"Left out when the text was made: {_counts(card.source_notes)}."]
    return [*lines, "", "What may be done with the model follows from these licences."]


def _training(card: TranslationCard) -> list[str]:
    lines: list[str] = []
    if not card.ended:
        lines += ["**This training has not ended**: these are the best weights until now.", ""]
    why = f", when it ended {ENDINGS.get(card.ended, card.ended)}" if card.ended else ""
    known = card.perplexity is not None
    found = f", with a validation perplexity of {card.perplexity:.3f} a sub-word" if known else ""
    lines.append(
        f"{card.update:,} updates, {card.tokens:,} target tokens, {card.minutes:.0f} minutes on {card.machine}, until "
        f"{card.date}{why}. The model is that of update {card.best_update:,}{found}."
    )
    if card.start:
        lines += ["", f"Begun with the weights of `{card.start}`; not found there: {len(card.start_missing)} weights."]
    return lines


def _counts(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{count:,} {what}" for what, count in counts.items())


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    made = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |" for row in made]
