"""What all one-file HTML pages share: templates that escape every text, style, script, and data within."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from endophora.report.table import visible

_MARKUP = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def templates(filters: Mapping[str, Callable[..., object]] | None = None) -> Environment:
    """Return the templates of ``report/html``: every text is escaped, and what would steer a line is made visible.

    Args:
        filters: name → what a template may apply by that name.
    """
    environment = Environment(
        loader=PackageLoader("endophora.report", "html"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters or {})
    return environment


def asset(*names: str) -> Markup:
    """Return files of ``report/html``, style or script, as one text that is not escaped."""
    read = (files("endophora.report").joinpath("html", name).read_text(encoding="utf-8") for name in names)
    return Markup("\n".join(read))  # noqa: S704 – ours


def source_hash(text: str) -> str:
    """Return the hash by which a page's content security policy allows a style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def data_island(data: object) -> Markup:
    """Return data for a ``<script type="application/json">``: ``<``, ``>`` and ``&`` are escaped in it."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for sign, escaped in _MARKUP.items():
        text = text.replace(sign, escaped)
    return Markup(text)  # noqa: S704 – JSON without <, > or &


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value
