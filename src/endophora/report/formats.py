"""Any result in any format: its module here makes sections, tables and rows, and these functions render them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pydantic import BaseModel

from endophora.report.table import csv_of, latex_of, markdown_of, text_of

VIEWS = {
    "Result": "evaluation",
    "ComparisonResult": "comparison",
    "SuiteResult": "suites",
    "SenseResult": "senses",
    "MetaResult": "meta",
    "ContrastResult": "contrast",
    "CxmiResult": "cxmi",
    "PerturbationResult": "perturbation",
    "AttributionResult": "attribution",
    "UtilizationResult": "study",
    "Description": "description",
    "RankingResult": "ranking",
}
"""Class of a result → the module here that shows it."""


def view_of(result: BaseModel) -> Any:
    """Return the module that shows a result (TypeError for none of ours).

    Its functions are ``sections`` (of text and Markdown), ``papers`` (tables in the shape of those of papers), ``rows``
    (of CSV, the header first) and ``page`` (HTML).
    """
    for kind in type(result).__mro__:
        if kind.__name__ in VIEWS and kind.__module__.startswith("endophora."):
            return import_module(f"endophora.report.{VIEWS[kind.__name__]}")
    raise TypeError(f"{type(result).__name__} is no result that can be shown")


def text(result: BaseModel, width: int | None = None) -> str:
    """Return plain text without colours, for pipes and files; as wide as the terminal by default."""
    return text_of(view_of(result).sections(result), width)


def brief(result: BaseModel, width: int | None = None) -> str:
    """Return of an evaluation the conclusion and the main table alone, as commands print them without --verbose."""
    view = view_of(result)
    return text_of(getattr(view, "brief", view.sections)(result), width)


def markdown(result: BaseModel) -> str:
    """Return Markdown: what text shows, at any width."""
    return markdown_of(view_of(result).sections(result))


def json(result: BaseModel) -> str:
    """Return the whole result, one line a field, as :mod:`endophora.report.schema` describes it."""
    return result.model_dump_json(indent=1) + "\n"


def csv(result: BaseModel) -> str:
    """Return one row a figure."""
    return csv_of(view_of(result).rows(result))


def latex(result: BaseModel) -> str:
    """Return tables that need ``booktabs``."""
    return latex_of(view_of(result).papers(result), getattr(result, "signature", ""))


def html(result: BaseModel) -> str:
    """Return a page that loads nothing; the same result gives the same bytes."""
    return view_of(result).page(result)
