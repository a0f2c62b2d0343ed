"""The outcomes of conditions: as a part of a report, and as JUnit XML for the servers that run builds."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from endophora.evaluation.gate import Outcome, fails
from endophora.report.table import Section, Table, line, names, visible

_SIGNS = {"passed": "✓ passed", "failed": "✗ failed", "undecided": "? undecided"}


def section(outcomes: Sequence[Outcome], *, strict: bool = False) -> Section:
    """Return a head that says whether the build fails, where ``strict`` by undecided ones too; and a table of them."""
    failed = sum(one.status == "failed" for one in outcomes)
    undecided = sum(one.status == "undecided" for one in outcomes)
    red = any(fails(one, strict=strict) for one in outcomes)
    head = f"Gate failed: {failed} of {len(outcomes)} conditions met" if red else "Gate passed"
    head += f" ({undecided} undecided{', which --strict fails' if strict else ''})" if undecided else ""
    rows = [[one.condition, _SIGNS[one.status], one.why] for one in outcomes]
    return [line(head, "bold"), Table(names("fail if", "outcome", "why"), rows)]


def junit(outcomes: Sequence[Outcome], name: str, *, strict: bool = False) -> bytes:
    """Return JUnit XML: a suite of the command's ``name``, a test case a condition.

    Undecided ones are skipped, and failures where ``strict``.
    """
    counts = {
        "tests": len(outcomes),
        "failures": sum(fails(one, strict=strict) for one in outcomes),
        "errors": 0,
        "skipped": sum(one.status == "undecided" and not strict for one in outcomes),
    }
    written = {key: str(count) for key, count in counts.items()}
    root = ElementTree.Element("testsuites", written)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"endophora {name}", **written})
    for one in outcomes:
        about = {"classname": f"endophora.{name}", "name": f"fail if {visible(one.condition)}"}
        case = ElementTree.SubElement(suite, "testcase", about)
        if fails(one, strict=strict):
            why = visible(one.why if one.status == "failed" else f"undecided: {one.why}")
            ElementTree.SubElement(case, "failure", {"message": why}).text = why
        elif one.status == "undecided":
            ElementTree.SubElement(case, "skipped", {"message": visible(one.why)})
        else:
            ElementTree.SubElement(case, "system-out").text = visible(one.why)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
