"""The outcomes of conditions: as a part of a report, and as JUnit XML for the servers that run builds."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree

from endophora.evaluation.gate import Outcome
from endophora.report.table import Section, Table, line, names, visible

_SIGNS = {"passed": "✓ passed", "failed": "✗ failed", "undecided": "? undecided"}


def section(outcomes: Sequence[Outcome]) -> Section:
    """Return a head that says whether the build fails, and a table of the conditions."""
    failed = sum(one.status == "failed" for one in outcomes)
    undecided = sum(one.status == "undecided" for one in outcomes)
    head = f"Gate failed: {failed} of {len(outcomes)} conditions met" if failed else "Gate passed"
    head += f" ({undecided} undecided)" if undecided else ""
    rows = [[one.condition, _SIGNS[one.status], one.why] for one in outcomes]
    return [line(head, "bold"), Table(names("fail if", "outcome", "why"), rows)]


def junit(outcomes: Sequence[Outcome], name: str) -> bytes:
    """Return JUnit XML: a suite of the command's ``name``, a test case a condition; undecided ones are skipped."""
    counts = {
        "tests": len(outcomes),
        "failures": sum(one.status == "failed" for one in outcomes),
        "errors": 0,
        "skipped": sum(one.status == "undecided" for one in outcomes),
    }
    written = {key: str(count) for key, count in counts.items()}
    root = ElementTree.Element("testsuites", written)
    suite = ElementTree.SubElement(root, "testsuite", {"name": f"endophora {name}", **written})
    for one in outcomes:
        about = {"classname": f"endophora.{name}", "name": f"fail if {visible(one.condition)}"}
        case = ElementTree.SubElement(suite, "testcase", about)
        if one.status == "failed":
            ElementTree.SubElement(case, "failure", {"message": visible(one.why)}).text = visible(one.why)
        elif one.status == "undecided":
            ElementTree.SubElement(case, "skipped", {"message": visible(one.why)})
        else:
            ElementTree.SubElement(case, "system-out").text = visible(one.why)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n"
