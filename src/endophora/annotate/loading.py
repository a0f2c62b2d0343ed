"""Annotators by name: the embedded pipelines, bare tokenizers, and any installed spaCy model."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from endophora.annotate.records import Annotator
from endophora.errors import Fault, InputError, MissingModelError
from endophora.registry import Registry
from endophora.version import __version__

if TYPE_CHECKING:
    from spacy.language import Language

PIPELINES = Path(__file__).parent / "pipelines"
"""Where the embedded pipelines lie, one directory a language."""

Loader = Callable[[str], Annotator]
"""Takes an ISO 639-1 code and returns the annotator of that language."""


def load_annotator(language: str, name: str | None = None) -> Annotator:
    """Load an annotator.

    Args:
        language: ISO 639-1 code of the texts.
        name: a name of :data:`ANNOTATORS`, or an installed spaCy model (``de_core_news_lg``) or the path of one; by
            default the embedded pipeline of the language.

    Returns:
        The annotator.

    Raises:
        InputError: the model is of another language (E041), or spaCy has no such language (E042).
        MissingModelError: no pipeline is embedded for the language, or the named one is not installed (E040).
    """
    chosen = "embedded" if name is None else name
    return ANNOTATORS.get(chosen)(language) if chosen in ANNOTATORS else load_model(language, chosen)


def embedded_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have an embedded pipeline."""
    return tuple(sorted(path.parent.name for path in PIPELINES.glob("*/meta.json")))


@lru_cache(maxsize=4)
def load_embedded(language: str) -> Annotator:
    """Load the embedded pipeline of a language; the last few stay loaded, since annotating leaves them as they are.

    Raises:
        MissingModelError: there is none (E040).
    """
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.weights import load_pipeline

    path = PIPELINES / language
    if not (path / "meta.json").is_file():
        advice = "name an installed spaCy model, or “blank” where word forms are enough; embedded: " + ", ".join(
            embedded_languages()
        )
        raise MissingModelError(Fault("E040", f"no annotator is embedded for “{language}”", advice))
    return SpacyAnnotator(load_pipeline(path), language, f"embedded-{language}-{__version__}-{_digest(path)}")


def load_blank(language: str) -> Annotator:
    """Load the tokenizer of a language: forms and offsets, no analysis (Chinese by character unless jieba is there).

    Raises:
        InputError: spaCy has no such language (E042).
        MissingModelError: the language's tokenizer needs a library that is not installed (E040).
    """
    from endophora.annotate.annotator import SpacyAnnotator
    from endophora.annotate.tokenisation import blank

    nlp = blank(language)
    segmenter = str(getattr(nlp.tokenizer, "segmenter", "")).rpartition(".")[2]
    return SpacyAnnotator(nlp, language, "-".join(filter(None, ("blank", language, segmenter, _spacy_version()))))


def load_model(language: str, name: str) -> Annotator:
    """Load an installed spaCy model, by package name or path.

    Raises:
        InputError: the model is of another language (E041).
        MissingModelError: it is not installed (E040).
    """
    from endophora.annotate.annotator import SpacyAnnotator

    nlp = _load(name)
    if nlp.lang != language:
        advice = f"name a model for “{language}”, or write {nlp.lang}={name}"
        raise InputError(Fault("E041", f"the model “{name}” is for “{nlp.lang}”, not “{language}”", advice))
    kind, version = str(nlp.meta["name"]), str(nlp.meta["version"])
    return SpacyAnnotator(nlp, language, f"{nlp.lang}_{kind}-{version}-spacy-{_spacy_version()}")


def _load(name: str) -> Language:
    import spacy

    is_path = Path(name).is_dir() and (Path(name) / "config.cfg").is_file()
    if not is_path and (not name.isidentifier() or find_spec(name) is None):
        command = f"{Path(sys.executable).name} -m spacy download {name}"
        raise MissingModelError(Fault("E040", f"the model “{name}” is not installed", f"install it with: {command}"))
    try:
        return spacy.load(name)
    except (OSError, ValueError, ImportError) as error:
        raise MissingModelError(
            Fault("E040", f"the model “{name}” cannot be loaded: {str(error).splitlines()[0]}", "reinstall it")
        ) from error


def _spacy_version() -> str:
    from spacy.about import __version__ as version

    return version


def _digest(path: Path) -> str:
    """Return a short hash of all files of a pipeline."""
    digest = hashlib.blake2b(digest_size=4)
    for file in sorted(path.rglob("*")):
        if file.is_file() and file.name != "card.json":
            digest.update(file.relative_to(path).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


ANNOTATORS: Registry[Loader] = Registry("annotator", {"embedded": load_embedded, "blank": load_blank})
"""Loaders by name; any other name is taken for a spaCy model."""
