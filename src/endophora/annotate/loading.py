"""Annotators by name: our own pipelines, bare tokenizers, those of other libraries, and any installed spaCy model."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from functools import lru_cache, partial
from importlib.metadata import version
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.annotate.defaults import (
    PIPELINES,
    default_name,
    embedded_languages,
    outside_pipelines,
    preferences,
)
from endophora.annotate.records import Annotator
from endophora.errors import Fault, InputError, MissingModelError
from endophora.registry import Registry
from endophora.version import __version__

if TYPE_CHECKING:
    from spacy.language import Language

RESEARCH = "endophora-models-research"
"""The distribution of pipelines whose texts ask for a licence that forbids commercial use."""

Loader = Callable[..., Annotator]
"""Takes an ISO 639-1 code and returns the annotator of that language; some also take what follows a colon."""


def load_annotator(language: str, name: str | None = None) -> Annotator:
    """Load an annotator.

    Args:
        name: a name of :data:`ANNOTATORS` (``stanza``), with a colon and an argument where the annotator takes one
            (``stanza:DIRECTORY``), or an installed spaCy model (``de_core_news_lg``) or the path of one; by default
            what :func:`default_name` says.

    Raises:
        InputError: the model is of another language (E041), spaCy has no such language (E042), or the annotator takes
            no argument (E043).
        MissingModelError: there is no pipeline for the language, or the named one is not installed (E040).
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
        """Open the pipeline."""
        from endophora.annotate.weights import load_pipeline

        return load_pipeline(path)

    components = json.loads((path / "meta.json").read_text(encoding="utf-8"))["pipeline"]
    signature = f"{name}-{_digest(path)}-spacy-{_spacy_version()}"
    return SpacyAnnotator(open_it, language, signature, components=components)


def load_blank(language: str) -> Annotator:
    """Load the tokenizer of a language (E040, E042): no analysis; Chinese by character unless jieba is there."""
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.tokenisation import blank

    nlp = blank(language)
    segmenter = str(getattr(nlp.tokenizer, "segmenter", "")).rpartition(".")[2]
    return SpacyAnnotator(nlp, language, "-".join(filter(None, ("blank", language, segmenter, _spacy_version()))))


def load_model(language: str, name: str) -> Annotator:
    """Load an installed spaCy model, by package name or path; its labels become those of Universal Dependencies.

    Another language is E041, a model that is not installed E040.
    """
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.labels import find_scheme, schemes, table_version, to_universal

    nlp = _load(name)
    if nlp.lang != language:
        advice = f"name a model for “{language}”, or write {nlp.lang}={name}"
        raise InputError(Fault("E041", f"the model “{name}” is for “{nlp.lang}”, not “{language}”", advice))
    kind, version = str(nlp.meta["name"]), str(nlp.meta["version"])
    digest = f"-{_digest(Path(name))}" if Path(name).is_dir() else ""
    name = f"{nlp.lang}_{kind}-{version}{digest}-spacy-{_spacy_version()}"
    scheme = find_scheme(_dependency_labels(nlp))
    if scheme is None:
        return SpacyAnnotator(nlp, language, name)
    convert = partial(to_universal, scheme=schemes()[scheme])
    return SpacyAnnotator(nlp, language, f"{name}-{scheme}-{table_version()}", convert)


def _dependency_labels(nlp: Language) -> tuple[str, ...]:
    """Return the labels of a pipeline's parser, if it has one."""
    return tuple(nlp.pipe_labels.get("parser", ()))


def _load(name: str) -> Language:
    import spacy

    from endophora.annotate.weights import load_pipeline

    is_path = Path(name).is_dir() and (Path(name) / "config.cfg").is_file()
    if not is_path and (not name.isidentifier() or find_spec(name) is None):
        command = f"{Path(sys.executable).name} -m spacy download {name}"
        raise MissingModelError(Fault("E040", f"the model “{name}” is not installed", f"install it with: {command}"))
    try:
        if is_path and "endophora." in (Path(name) / "config.cfg").read_text(encoding="utf-8"):
            return load_pipeline(Path(name))
        return spacy.load(name)
    except (OSError, ValueError, ImportError) as error:
        raise MissingModelError(
            Fault("E040", f"the model “{name}” cannot be loaded: {str(error).splitlines()[0]}", "reinstall it")
        ) from error


def _spacy_version() -> str:
    # Without loading it: a second run reads its annotations from the store, and needs no pipeline.
    return version("spacy")


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
"""Loaders by name, or ``"module:attribute"`` imported on first use; any other name is taken for a spaCy model."""
