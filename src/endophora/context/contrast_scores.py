"""Scores of translations on disk: those of other tools read, those of our models written, one a line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from endophora.context.contrast import FOLDER, Contrast, ReadScores, score_file
from endophora.context.contrast_figures import Run
from endophora.corpus.writing import write_lines
from endophora.errors import Fault, InputError
from endophora.suites.outputs import read_scores
from endophora.suites.records import Suite

_NAME = re.compile(r"(.+)@(\d{1,4})")


def read_contrast_scores(suite: Suite, files: Mapping[str, str], *, higher_is_better: bool = True) -> list[ReadScores]:
    """Read scores that another tool has computed of a suite's translations.

    Args:
        suite: whose items all have wrong translations, in the order of the suite.
        files: ``MODEL@SIZE``, such as ``nematus@0``, to a file of one score a line, in the order in which ``endophora
            suite prompts --targets`` writes the translations.
        higher_is_better: false for losses.

    Raises:
        InputError: a name does not say how much context there was (E333), an item has no wrong translation (E175), a
            line is no number or there are not as many as translations (E174).
    """
    found = {name: _NAME.fullmatch(name) for name in files}
    faults = [
        Fault("E333", f"“{name}” does not say how much context the model had", f"write {name}@0=FILE", "--scores")
        for name, match in found.items()
        if match is None
    ]
    if faults:
        raise InputError(faults)
    scores = read_scores(suite, files) if files else {}
    sign = 1.0 if higher_is_better else -1.0
    return [
        ReadScores(Run(match[1], int(match[2])), [sign * value for value in scores[name]], files[name])
        for name, match in found.items()
        if match is not None
    ]


def write_contrast_scores(found: Contrast, directory: Path) -> None:
    """Write the scores of each model and context size into ``scores/`` of a directory, one a translation.

    Where all items of the suite have wrong translations, ``endophora suite score --scores NAME=FILE`` reads them.

    Raises:
        InputError: the directory or a file cannot be written (E095, E026).
    """
    try:
        (directory / FOLDER).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        cause = f"the scores cannot be written: {error.strerror or error}"
        raise InputError(Fault("E095", cause, "name a directory that you may write to", str(directory))) from error
    for run, scores in found.scores.items():
        write_lines(directory / score_file(run), (repr(value) for value in scores))
