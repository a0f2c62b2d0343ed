"""Text metrics (BLEU, chrF, COMET, …) of the same outputs: are those that use context also the better translations?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from endophora.errors import Fault, InputError
from endophora.metrics import load_metric
from endophora.statistics import each_row
from endophora.suites.outputs import parts
from endophora.suites.records import Suite
from endophora.suites.significance import Table


def metric_tables(
    suite: Suite, outputs: Mapping[str, Sequence[str]], metrics: Sequence[str], separator: str = "", part: str = "auto"
) -> list[Table]:
    """Return the statistics of metrics, one table a metric.

    A metric compares the whole segment with the reference: after the last separator where there is one, the whole line
    if not, unless ``part`` says otherwise.

    Args:
        suite: the references and sources.
        outputs: system → one output an item.
        metrics: names, with arguments where a metric takes one.
        separator: between joined segments of an output.
        part: of an output, as for the scoring of forms.

    Raises:
        InputError: a metric is unknown (E090), or is none of segments (E181).
    """
    if not metrics:
        return []
    wanted = ("segment" if separator else "line") if part == "auto" else part
    texts = [parts(suite, lines, separator, wanted) for lines in outputs.values()]
    references, sources = [[item.reference for item in suite.items]], [item.source for item in suite.items]
    tables = list[Table]()
    for name in metrics:
        metric = load_metric(name, suite.target_language)
        if metric.level != "segment":
            cause = f"{metric.name} is of documents, and a suite's items are none"
            raise InputError(Fault("E181", cause, "name a metric of segments, such as bleu, chrf or comet", "--metric"))
        counts = np.stack([metric.statistics(lines, references, sources=sources) for lines in texts])
        rows = each_row(len(suite), "segments")
        tables.append(Table((("metric", metric.name),), counts[:, :, None], metric.score, rows, metric.signature()))
    return tables
