"""endophora: does a translation get right the words that need context?

The names below are the public surface: they keep their meaning from one minor version to the next, and what goes is
deprecated for one before. Everything else in the package is internal and may change with any version. A name is loaded
when it is first used, so that ``import endophora`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module

from endophora.version import __version__

# A command imports this before it can take signals; importing typing would make that twice as long.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from endophora.align.outputs import resegment
    from endophora.context.attribution.cases import AttributionOptions
    from endophora.context.attribution.comparing import attribute
    from endophora.context.contrast import score_contrast
    from endophora.context.contrast_figures import ContrastOptions
    from endophora.context.cxmi import CxmiOptions, measure_cxmi
    from endophora.context.perturbation.conditions import PerturbationOptions
    from endophora.context.perturbation.perturb import perturb
    from endophora.context.samples import corpus_material
    from endophora.corpus.formats import read
    from endophora.corpus.records import Corpus, Document, Segment
    from endophora.errors import EndophoraError, InputError, MissingModelError
    from endophora.evaluation.comparing import compare_results
    from endophora.evaluation.evaluate import evaluate
    from endophora.evaluation.result import Result
    from endophora.evaluation.setup import EvaluationOptions, Setup
    from endophora.extraction import ExtractionSetup, extract
    from endophora.models.options import ModelOptions
    from endophora.models.records import ModelInput, ScoredTarget, Scorer, Translation, Translator
    from endophora.models.specs import open_scorer, open_translator
    from endophora.phenomena import TaggerOptions
    from endophora.phenomena.records import Occurrence
    from endophora.report import render, write_report
    from endophora.suites import Suite
    from endophora.suites.formats import read_suite
    from endophora.suites.scoring import SuiteOptions, score_outputs

_HOMES = {
    "endophora.align.outputs": ("resegment",),
    "endophora.context.attribution.cases": ("AttributionOptions",),
    "endophora.context.attribution.comparing": ("attribute",),
    "endophora.context.contrast": ("score_contrast",),
    "endophora.context.contrast_figures": ("ContrastOptions",),
    "endophora.context.cxmi": ("CxmiOptions", "measure_cxmi"),
    "endophora.context.perturbation.conditions": ("PerturbationOptions",),
    "endophora.context.perturbation.perturb": ("perturb",),
    "endophora.context.samples": ("corpus_material",),
    "endophora.corpus.formats": ("read", "read_corpus", "read_parallel"),
    "endophora.corpus.records": ("Corpus", "Document", "Segment"),
    "endophora.errors": ("EndophoraError", "InputError", "MissingModelError"),
    "endophora.evaluation.comparing": ("compare_results",),
    "endophora.evaluation.evaluate": ("evaluate",),
    "endophora.evaluation.result": ("Result",),
    "endophora.evaluation.setup": ("EvaluationOptions", "Setup"),
    "endophora.extraction": ("ExtractionSetup", "extract"),
    "endophora.models.specs": ("open_scorer", "open_translator"),
    "endophora.models.options": ("ModelOptions",),
    "endophora.models.records": ("ModelInput", "ScoredTarget", "Scorer", "Translation", "Translator"),
    "endophora.phenomena": ("TaggerOptions",),
    "endophora.phenomena.records": ("Occurrence",),
    "endophora.report": ("render", "write_report"),
    "endophora.suites": ("Suite",),
    "endophora.suites.formats": ("read_suite",),
    "endophora.suites.scoring": ("SuiteOptions", "score_outputs"),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AttributionOptions",
    "ContrastOptions",
    "Corpus",
    "CxmiOptions",
    "Document",
    "EndophoraError",
    "EvaluationOptions",
    "ExtractionSetup",
    "InputError",
    "MissingModelError",
    "ModelInput",
    "ModelOptions",
    "Occurrence",
    "PerturbationOptions",
    "Result",
    "ScoredTarget",
    "Scorer",
    "Segment",
    "Setup",
    "Suite",
    "SuiteOptions",
    "TaggerOptions",
    "Translation",
    "Translator",
    "__version__",
    "attribute",
    "compare_results",
    "corpus_material",
    "evaluate",
    "extract",
    "measure_cxmi",
    "open_scorer",
    "open_translator",
    "perturb",
    "read",
    "read_suite",
    "render",
    "resegment",
    "score_contrast",
    "score_outputs",
    "write_report",
]


def __getattr__(name: str) -> object:
    """Load a public name; where there is none of it, the AttributeError names the nearest ones."""
    if name not in _HOME:
        from difflib import get_close_matches

        near = get_close_matches(name, _HOME, n=3)
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    found = getattr(import_module(_HOME[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """Return the public names."""
    return sorted(__all__)
