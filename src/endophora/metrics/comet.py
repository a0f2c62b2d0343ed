"""COMET (Rei et al., 2020) and its document-context variant (Vernikos et al., 2022), run in a separate environment.

A model embeds source, translation and reference, and predicts a score for each segment. Doc-COMET lets the same model,
as it is, read the sentences before: they stand before each of the three texts, those before the translation taken from
the *reference*, so that an early mistake is not counted again, and only the tokens of the sentence itself are averaged.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

import numpy as np

from endophora.errors import EndophoraError, Fault, InputError
from endophora.metrics.comet_environment import CometClient, CometModel, Segment, worker_command
from endophora.metrics.records import FloatArray, Level, check_sizes, ratio
from endophora.signature import format_signature

CONTEXT = 2
"""Sentences of context, as in the published code."""

_POOLED = ("regression_metric", "referenceless_regression_metric")
_SHOWN = 12

_running: dict[tuple[str, str, int], tuple[CometClient, CometModel]] = {}


class Comet:
    """COMET of one model, segment by segment; the score of many is their mean.

    With several references a segment's score is the mean of its scores against each. ``argument`` is the model: a
    checkpoint's path, the folder above its ``checkpoints``, or a name on the Hugging Face Hub.
    """

    columns: ClassVar[tuple[str, ...]] = ("score", "segments")
    higher_is_better: ClassVar[bool] = True
    maximum: ClassVar[float] = 1.0
    level: ClassVar[Level] = "segment"
    parallel: ClassVar[bool] = False
    label: ClassVar[str] = "COMET"
    kind: ClassVar[str] = "comet"
    context = 0
    """Sentences before that the model reads."""

    def __init__(self, language: str = "", argument: str = "") -> None:
        if not argument:
            cause = f"{self.kind} needs a model"
            raise InputError(Fault("E130", cause, f"write {self.kind}:MODEL, for instance Unbabel/wmt22-comet-da"))
        self.language = language
        self.model = argument

    @property
    def name(self) -> str:
        """The variant and the model's last name."""
        return f"{self.label} {_short(self.model)}"

    def signature(self, *, references: int = 1, short: bool = False) -> str:
        """Return references, model, its checkpoint's hash, and versions; this starts the worker, and loads no model."""
        client, model = self._opened()
        used, own = (0, "own") if model.references == "unused" else (references, "reference")
        return format_signature(
            (
                ("nrefs", "#", used),
                ("references", "r", "mean" if used > 1 else None),
                ("model", "m", _short(self.model)),
                ("checkpoint", "ck", model.hash[:_SHOWN]),
                ("context", "ctx", self.context or None),
                ("hypothesis-context", "hctx", own if self.context else None),
                ("torch", "t", client.versions.get("torch")),
                ("version", "v", client.versions["unbabel-comet"]),
            ),
            short=short,
        )

    def statistics(
        self,
        hypotheses: Sequence[str],
        references: Sequence[Sequence[str]],
        documents: Sequence[int] | None = None,
        sources: Sequence[str] | None = None,
    ) -> FloatArray:
        """Return each segment's score, and one, (segments, 2); a model without references needs none."""
        if sources is None:
            raise InputError(Fault("E137", f"{self.name} reads the source, and none is given", "give the source"))
        check_sizes(hypotheses, references, documents, sources, needed=False)
        client, model = self._opened()
        if model.references == "needed" and not references:
            raise InputError(Fault("E072", f"{self.name} scores against a reference", "give at least one reference"))
        if self.context and documents is None:
            raise InputError(Fault("E074", f"{self.name} reads documents, and none are given", "give document ids"))
        before = preceding(documents if documents is not None else range(len(hypotheses)), self.context)
        compared = references if references and model.references != "unused" else [None]
        try:
            scores = [
                client.score(_segments(sources, hypotheses, reference, before), context=self.context > 0)
                for reference in compared
            ]
        except EndophoraError:
            for key in [key for key in _running if key[1] == self.model]:
                _running.pop(key)[0].close()  # the next question starts another
            raise
        mean = np.mean(np.array(scores, dtype=np.float64), axis=0)
        return np.column_stack((mean, np.ones(len(hypotheses))))

    def score(self, sums: FloatArray) -> FloatArray:
        """Return the mean score, (…, 2) → (…); NaN where there is no segment."""
        return ratio(sums[..., 0], sums[..., 1])

    def _opened(self) -> tuple[CometClient, CometModel]:
        client, model = _open(self.model)
        if self.context and (model.kind not in _POOLED or model.pooling != "avg"):
            cause = f"{_short(self.model)} is a {model.kind} with pooling “{model.pooling}”, which reads no context"
            advice = "context needs a regression model with average pooling, as Unbabel/wmt22-comet-da; or take comet"
            raise InputError(Fault("E136", cause, advice))
        return client, model


class DocComet(Comet):
    """Doc-COMET: the same model reads the sentences before, and averages the tokens of the sentence itself only.

    ``argument``: the model, and after ``@`` the sentences of context, 2 if none are given: ``MODEL@3``.
    """

    label: ClassVar[str] = "doc-COMET"
    kind: ClassVar[str] = "doc-comet"

    def __init__(self, language: str = "", argument: str = "") -> None:
        model, at, number = argument.rpartition("@")
        self.context = CONTEXT
        if at:
            if not (number.isascii() and number.isdigit() and int(number) > 0):
                cause = f"the context “{number}” of {self.kind} is no number of sentences"
                raise InputError(Fault("E130", cause, f"write {self.kind}:MODEL@{CONTEXT}"))
            self.context = int(number)
        super().__init__(language, model if at else argument)


def _segments(
    sources: Sequence[str], hypotheses: Sequence[str], reference: Sequence[str] | None, before: Sequence[Sequence[int]]
) -> list[Segment]:
    """Return the texts of each segment with those before it.

    Without a reference the translation's context can only be the system's own, as in the published code.
    """
    sides = {"src": (sources, sources), "mt": (hypotheses if reference is None else reference, hypotheses)}
    if reference is not None:
        sides["ref"] = (reference, reference)
    return [
        {side: [*(context[i] for i in rows), texts[k]] for side, (context, texts) in sides.items()}
        for k, rows in enumerate(before)
    ]


def preceding(documents: Sequence[int], size: int) -> list[list[int]]:
    """Return for each segment the indices of the segments before it in its document, in order, at most ``size``."""
    seen: dict[int, list[int]] = {}
    rows: list[list[int]] = []
    for index, document in enumerate(documents):
        known = seen.setdefault(document, [])
        rows.append(known[-size:] if size else [])
        known.append(index)
    return rows


def _open(model: str) -> tuple[CometClient, CometModel]:
    """Return the worker that holds a model, one for all metrics of this process."""
    command = worker_command()
    key = (command[0], model, os.getpid())
    if key not in _running:
        # Nothing is fetched but by the command that says so.
        client = CometClient(command, environment={"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"})
        try:
            _running[key] = (client, client.open(model))
        except EndophoraError:
            client.close()
            raise
        atexit.register(client.close)
    return _running[key]


def _short(model: str) -> str:
    """Return a model's last name: that on the Hub without its owner, the folder of a checkpoint."""
    parts = [part for part in PurePath(model.replace("\\", "/")).parts if part != "/"]
    if parts and parts[-1].endswith(".ckpt"):
        above = [part for part in parts[:-1] if part != "checkpoints"]
        return above[-1] if above else parts[-1].removesuffix(".ckpt")
    return parts[-1] if parts else model
