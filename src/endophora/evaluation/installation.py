"""What is installed: languages with their rules and models, models with their licences, and whether all of it works."""

from __future__ import annotations

import json
import platform
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution, requires, version
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, cast

from packaging.requirements import Requirement
from ruamel.yaml import YAML

from endophora.align import load_aligner
from endophora.align.aligners import AlignmentCard, alignment_card
from endophora.align.priors import PRIORS, pairs_with_priors
from endophora.annotate.loading import (
    default_card,
    default_name,
    embedded_card,
    embedded_languages,
    installable,
    languages_with_annotator,
    load_annotator,
    outside_pipelines,
    pipeline_path,
    preferences,
    read_card,
)
from endophora.annotate.tokenisation import TokenizerExtra, tokenizer_extra
from endophora.corefer import load_resolver
from endophora.corpus.codes import language_names
from endophora.errors import EndophoraError, MissingModelError
from endophora.languages import language_codes, load_language
from endophora.metrics import DOCUMENT_METRICS, METRICS
from endophora.models.specs import Shipped, shipped_models
from endophora.signature import Keys, keyed
from endophora.store import Store
from endophora.version import __version__

_SOURCE = "en"  # the source language of the priors that ship and of the rules


@keyed(code=False)
@dataclass(frozen=True, slots=True)
class _Trial:
    """A value that is written to see whether it can be."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; of what is ``there`` the files were read and not opened."""

    name: str
    state: Literal["ok", "there", "absent", "broken"]
    detail: str


def run_checks(store: Path, *, thorough: bool = False) -> Iterator[Check]:
    """Yield the checks of this installation, in a fixed order.

    Of each kind of files one is opened, that of English or English and German; the others are read, and opened too
    where the check is ``thorough``, which takes some seconds for all pipelines.
    """
    yield Check("endophora", "ok", f"{__version__}, Python {platform.python_version()}, {platform.system()}")
    yield from _libraries()
    codes, annotated, pairs = language_codes(), languages_with_annotator(), pairs_with_priors()
    opened = (codes, annotated, pairs) if thorough else ((_SOURCE,), (_SOURCE,), ((_SOURCE, "de"),))
    for code in codes:
        read = partial(_size, Path(str(files("endophora.languages") / "data" / f"{code}.yaml")))
        yield _attempt(f"rules {code}", partial(_rules_state, code), None if code in opened[0] else read)
    for code in annotated:
        read = partial(_size, path) if (path := pipeline_path(code)) else partial(_annotator_name, code)
        yield _attempt(f"annotator {code}", partial(_annotator_state, code), None if code in opened[1] else read)
    for pair in pairs:
        read = partial(_size, PRIORS / f"{'-'.join(pair)}.priors")
        yield _attempt(f"aligner {'-'.join(pair)}", partial(_aligner_state, *pair), None if pair in opened[2] else read)
    yield _attempt("resolver en", lambda: load_resolver(None, language="en").signature)
    yield _attempt("store", partial(_store_state, store))


_DEVELOPMENT = ("docs", "test", "dev")


def _libraries() -> Iterator[Check]:
    """Check what the package needs; libraries of extras may be absent, those for development are not named."""
    for text in requires("endophora") or []:
        requirement = Requirement(text)
        extra = requirement.marker is not None and not requirement.marker.evaluate({"extra": ""})
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            extras = _extras_of(requirement)
            if extras in _DEVELOPMENT:
                continue
            detail = f"pip install 'endophora[{extras}]'" if extra else f"pip install '{requirement}'"
            yield Check(requirement.name, "absent" if extra else "broken", detail)
            continue
        fits = requirement.specifier.contains(installed, prereleases=True)
        detail = installed if fits else f"{installed}, and {requirement.specifier} is needed"
        yield Check(requirement.name, "ok" if fits else "broken", detail)


def _extras_of(requirement: Requirement) -> str:
    names = distribution("endophora").metadata.get_all("Provides-Extra") or []
    return next((name for name in names if requirement.marker and requirement.marker.evaluate({"extra": name})), "")


def _attempt(name: str, check: Callable[[], str], read: Callable[[], str] | None = None) -> Check:
    """Return what a check finds, or where it is given, what reads the files instead."""
    try:
        return Check(name, "there", read()) if read else Check(name, "ok", check())
    except (EndophoraError, OSError, ValueError) as error:
        # A language whose words need a library that is an extra is not broken without it (E040).
        absent = isinstance(error, MissingModelError) and any(fault.code == "E040" for fault in error.faults)
        return Check(name, "absent" if absent else "broken", str(error))


def _size(path: Path) -> str:
    found = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    if not (size := sum(len(one.read_bytes()) for one in found)):
        raise ValueError(f"nothing in {path}")
    return f"{size / 1e6:.1f} MB"


def _rules_state(code: str) -> str:
    rules = load_language(code)
    return f"{rules.name}, {rules.hash}"


def _annotator_state(code: str) -> str:
    annotator = load_annotator(code)
    (text,) = annotator.annotate([code])
    return f"{annotator.signature}, {len(text.tokens)} word annotated"


def _aligner_state(source: str, target: str) -> str:
    return load_aligner(None, source, target).signature


def _store_state(path: Path) -> str:
    if path.exists():
        with Store(path) as store:
            return f"{path}, {len(store)} entries, {path.stat().st_size / 1e6:.1f} MB"
    with tempfile.TemporaryDirectory() as directory, Store(Path(directory) / "store.sqlite") as store:
        store.put_many({Keys(_Trial())(): b"written"})
    return f"{path}, not made yet"


def known_languages() -> tuple[str, ...]:
    """Return the codes of all languages that have rules, an annotator or aligner priors, in alphabetical order."""
    aligned = {code for pair in pairs_with_priors() for code in pair}
    return tuple(sorted({*language_codes(), *embedded_languages(), *preferences(), *outside_pipelines(), *aligned}))


def language_inventory() -> list[dict[str, object]]:
    """Return one row a language, in the order of the codes; values are text, lists of text, figures or None."""
    return [_language_row(code) for code in known_languages()]


def _language_row(code: str) -> dict[str, object]:
    rules = load_language(code) if code in language_codes() else None
    card = default_card(code)
    scores = {} if card is None else dict(card.scores)
    aligner = alignment_card(_SOURCE, code)
    others = sorted({one if other == code else other for one, other in pairs_with_priors() if code in (one, other)})
    preferred, needs = preferences().get(code), None if card is None else _tokenizer_extra(code)
    extra, installed = (None, None) if needs is None else (needs.extra, not needs.missing)
    return {
        "language": code,
        "name": language_names().get(code) if rules is None else rules.name,
        "phenomena": [] if rules is None else list(rules.phenomena),
        "tense into English": rules is not None and rules.time_signs is not None,
        "annotator": None if card is None else _annotator_name(code),
        "licence": None if card is None else card.licence,
        "UPOS": _rounded(scores.get("UPOS")),
        "lemma": _rounded(scores.get("LEMMA")),
        "LAS": _rounded(scores.get("LAS")),
        "aligned with": others,
        **_aligner_figures(aligner),
        "extra": extra if preferred is None else preferred.extra,
        "extra installed": installed if preferred is None else preferred.installed,
        "note": _note(code, card is not None),
    }


def _aligner_figures(card: AlignmentCard | None) -> dict[str, float | None]:
    """Return the alignment error rate against gold links, and what a reader judged of content words, in per cent."""
    reading = None if card is None else card.reading
    return {
        "AER": None if card is None else _rounded(card.error_rate),
        "links read right": None if reading is None else _rounded(reading.precision),
        "links read found": None if reading is None else _rounded(reading.recall),
    }


def _annotator_name(code: str) -> str:
    """Return the name of a language's default annotator, with the extra or the distribution that brings it."""
    name = default_name(code)
    preferred = preferences().get(code)
    if preferred is not None and preferred.annotator == name:
        return f"{name} (extra {preferred.extra})"
    if (needs := _tokenizer_extra(code)) is not None:
        return f"{name} (extra {needs.extra})"
    if name != "research":
        return name
    outside = outside_pipelines()[code]
    return f"{outside.name} {outside.version}"


def _tokenizer_extra(code: str) -> TokenizerExtra | None:
    """Return what the embedded pipeline of a language needs, where it is the default."""
    return tokenizer_extra(code) if default_name(code) == "embedded" else None


def _note(code: str, has_annotator: bool) -> str:
    """Return what could be installed for a language, in one line; empty if nothing."""
    preferred, needs = preferences().get(code), _tokenizer_extra(code)
    if has_annotator and needs is not None and needs.missing:
        return f"{code}: {' and '.join(needs.missing)} are needed: pip install 'endophora[{needs.extra}]'"
    other = installable().get(code)
    if preferred is None and has_annotator and other is not None and not other.installed:
        use = f"{other.command}, then --annotator {code}={other.model}"
        return f"{code}: {other.model} ({other.licence}) is more accurate ({other.gain}): {use}"
    if preferred is None or preferred.installed or code in outside_pipelines():
        return ""
    gain = "is more accurate" if has_annotator else "is needed"
    return f"{code}: {preferred.annotator} {gain}: pip install 'endophora[{preferred.extra}]'"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def model_inventory() -> list[dict[str, str]]:
    """Return one row a model that is installed: kind, name, size, licence, and what it was trained on."""
    rows: list[dict[str, str]] = []
    for code in embedded_languages():
        pipeline = embedded_card(code)
        rows.append(_row("annotator", code, pipeline.size, pipeline.licence, pipeline.trained_on))
    for code, outside in outside_pipelines().items():
        pipeline = read_card(code, outside.path)
        kind = f"annotator, {outside.name}"
        rows.append(_row(kind, code, pipeline.size, pipeline.licence, pipeline.trained_on))
    for pair in pairs_with_priors():
        card = alignment_card(*pair)
        if card is not None:
            rows.append(_row("aligner priors", "-".join(pair), card.size, card.licence, ", ".join(card.sources)))
    rows += [_translation_row(model) for model in shipped_models()]
    trained_on = "GUM's training documents of open licence and EWT; see docs/models/resolver.md"
    size = Path(str(files("endophora.corefer") / "data" / "en-weights.json")).stat().st_size
    rows.append(_row("resolver", "en", size, "CC BY-SA 4.0", trained_on))
    return rows


def _translation_row(model: Shipped) -> dict[str, str]:
    """Return the row of a translation model that a distribution brings; its card names the text."""
    sources = json.loads((model.path / "card.json").read_text("utf-8"))["sources"]
    size = sum(path.stat().st_size for path in model.path.iterdir() if path.is_file())
    licences = ", ".join(dict.fromkeys(f"text: {one['licence']}" for one in sources))
    return _row(
        f"translation, {model.distribution}", model.languages, size, licences, ", ".join(one["name"] for one in sources)
    )


def _row(kind: str, name: str, size: int, licence: str, trained_on: str) -> dict[str, str]:
    return {"kind": kind, "name": name, "size": f"{size / 1e6:.1f} MB", "licence": licence, "trained on": trained_on}


def metric_inventory() -> list[dict[str, str]]:
    """Return one row a metric: name, what it is, of what a row of its statistics is, what it needs.

    Metrics of other packages come last, with the first line of their factory's docstring.
    """
    text = (files("endophora.metrics") / "metrics.yaml").read_text(encoding="utf-8")
    known = cast("dict[str, dict[str, str]]", cast("Any", YAML(typ="safe", pure=True)).load(text))
    rows = [
        {"name": name, "what": row["what"], "row": row["row"], "needs": row.get("needs", "")}
        for name, row in known.items()
    ]
    for registry in (METRICS, DOCUMENT_METRICS):
        for name in registry.names():
            if name not in known:
                factory = registry.get(name)
                what = (factory.__doc__ or "").strip().split("\n")[0]
                rows.append(
                    {"name": name, "what": what, "row": str(getattr(factory, "level", "")), "needs": "installed"}
                )
    return rows
