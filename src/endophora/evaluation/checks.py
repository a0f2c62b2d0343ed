"""What ``endophora doctor`` looks at: libraries, embedded models, the store, the extras."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

from endophora.align import load_aligner
from endophora.align.priors import pairs_with_priors
from endophora.annotate import load_annotator
from endophora.annotate.defaults import languages_with_annotator
from endophora.corefer import load_resolver
from endophora.errors import EndophoraError
from endophora.languages import language_codes, load_language
from endophora.signature import Keys, keyed
from endophora.store import Store
from endophora.version import __version__


@keyed(code=False)
@dataclass(frozen=True, slots=True)
class _Trial:
    """A value that is written to see whether it can be."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        state: ``ok``, ``absent`` (an extra that is not installed) or ``broken``.
    """

    name: str
    state: Literal["ok", "absent", "broken"]
    detail: str


def run_checks(store: Path) -> Iterator[Check]:
    """Yield the checks of this installation, in a fixed order."""
    yield Check("endophora", "ok", f"{__version__}, Python {platform.python_version()}, {platform.system()}")
    yield from _libraries()
    for code in language_codes():
        yield _attempt(f"rules {code}", partial(_rules_state, code))
    for code in languages_with_annotator():
        yield _attempt(f"annotator {code}", partial(_annotator_state, code))
    for source, target in pairs_with_priors():
        yield _attempt(f"aligner {source}-{target}", partial(_aligner_state, source, target))
    yield _attempt("resolver en", _resolver_state)
    yield _attempt("store", partial(_store_state, store))


def _libraries() -> Iterator[Check]:
    """Check every requirement that the package declares; those of extras may be absent."""
    for text in requires("endophora") or []:
        requirement = Requirement(text)
        extra = requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            extras = _extras_of(requirement)
            detail = f"pip install 'endophora[{extras}]'" if extra else f"pip install '{requirement}'"
            yield Check(requirement.name, "absent" if extra else "broken", detail)
            continue
        fits = requirement.specifier.contains(installed, prereleases=True)
        detail = installed if fits else f"{installed}, and {requirement.specifier} is needed"
        yield Check(requirement.name, "ok" if fits else "broken", detail)


def _extras_of(requirement: Requirement) -> str:
    names = distribution("endophora").metadata.get_all("Provides-Extra") or []
    return next((name for name in names if requirement.marker and requirement.marker.evaluate({"extra": name})), "")


def _attempt(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, "ok", check())
    except (EndophoraError, OSError, ValueError) as error:
        return Check(name, "broken", str(error))


def _rules_state(code: str) -> str:
    rules = load_language(code)
    return f"{rules.name}, {rules.hash}"


def _annotator_state(code: str) -> str:
    annotator = load_annotator(code)
    (text,) = annotator.annotate([code])
    return f"{annotator.signature}, {len(text.tokens)} word annotated"


def _aligner_state(source: str, target: str) -> str:
    return load_aligner(None, source, target).signature


def _resolver_state() -> str:
    return load_resolver(None, language="en").signature


def _store_state(path: Path) -> str:
    if path.exists():
        with Store(path) as store:
            return f"{path}, {len(store)} entries, {path.stat().st_size / 1e6:.1f} MB"
    with tempfile.TemporaryDirectory() as directory, Store(Path(directory) / "store.sqlite") as store:
        store.put_many({Keys(_Trial())(): b"written"})
    return f"{path}, not made yet"
