"""Our side of the line to COMET: starts the worker, asks, and says in plain words what went wrong.

One JSON object a line each way. The worker greets with ``protocol`` and ``versions``; every request carries an ``id``
that comes back with its answer. The script is :mod:`endophora.metrics.comet_worker`; any other that speaks the same
lines does as well.
"""

from __future__ import annotations

import json
import math
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any, Literal, TypeAlias, cast

from endophora.errors import EndophoraError, Fault, InputError, MissingModelError

PROTOCOL = 1
"""Number of the protocol; the worker must have the same."""

GREETING_SECONDS = 60.0
"""How long a worker may take to greet; it imports nothing before."""

ANSWER_SECONDS = 3600.0
"""How long an answer may take, the first with the loading of the model."""

SEGMENTS_A_REQUEST = 256
SEGMENTS_A_BATCH = 16

_TAIL_LINES = 5
_TAIL_BYTES = 4000
_REINSTALL = "endophora models remove comet && endophora models install comet"

Segment: TypeAlias = Mapping[str, Sequence[str]]
"""The parts ``src``, ``mt`` and ``ref`` of a segment: sentences of context in order, and the sentence itself."""

ReferenceUse: TypeAlias = Literal["needed", "used", "unused"]


@dataclass(frozen=True, slots=True)
class CometModel:
    """What the worker tells of a model that it opened.

    Attributes:
        hash: SHA-256 of that file, in hexadecimal.
        references: whether the model needs references, uses them where they are given, or reads none.
    """

    checkpoint: str
    hash: str
    kind: str
    pooling: str
    references: ReferenceUse


class CometClient:
    """A running worker.

    Raises:
        MissingModelError: the worker cannot be started (E131), or is of another version (E135).
        InputError: it ended, or did not greet in time (E134).
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        greeting_seconds: float = GREETING_SECONDS,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._answer_seconds = answer_seconds
        self._number = 0
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close()
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the command is ours
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env={**os.environ, **(environment or {})},
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            self._errors.close()
            fault = Fault("E131", f"COMET's python cannot be started ({error})", f"install it anew: {_REINSTALL}")
            raise MissingModelError(fault) from error
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.versions = self._greeted(greeting_seconds)
        except EndophoraError:
            self.close()
            raise

    def __enter__(self) -> CometClient:
        """Return the worker itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the worker."""
        self.close()

    def open(self, model: str, *, fetch: bool = False) -> CometModel:
        """Open a model; it is loaded when it scores first.

        Args:
            model: a checkpoint's path, the folder above its ``checkpoints``, or a name on the Hugging Face Hub.

        Raises:
            MissingModelError: the model is not there (E133).
            InputError: the worker failed (E134).
        """
        reply = self._ask({"request": "open", "model": model, "fetch": fetch})
        try:
            return CometModel(
                checkpoint=str(reply["checkpoint"]),
                hash=str(reply["hash"]),
                kind=str(reply["class"]),
                pooling=str(reply["pooling"]),
                references=cast("ReferenceUse", reply["references"]),
            )
        except KeyError as error:
            raise self._failed(f"its answer lacks {error}") from error

    def score(
        self, segments: Sequence[Segment], *, context: bool = False, size: int = SEGMENTS_A_REQUEST
    ) -> list[float]:
        """Return the scores of segments, in their order.

        Raises:
            InputError: the worker failed, or its scores are not numbers, one a segment (E134), or the model reads no
                context (E136).
        """
        scores: list[float] = []
        for start in range(0, len(segments), size):
            part = [
                {name: list(texts) for name, texts in segment.items()} for segment in segments[start : start + size]
            ]
            request = {"request": "score", "segments": part, "context": context, "batch": SEGMENTS_A_BATCH}
            found = self._ask(request).get("scores")
            if not isinstance(found, list) or len(cast("list[object]", found)) != len(part):
                raise self._failed(f"it has not one score for each of {len(part)} segments")
            for value in cast("list[object]", found):
                if not isinstance(value, int | float) or not math.isfinite(value):
                    raise self._failed(f"it gives {value} for a score")
                scores.append(float(value))
        return scores

    def close(self) -> None:
        """End the worker: its input ends, and if that does not end it within seconds, it is killed."""
        try:
            if self._process.stdin is not None:
                self._process.stdin.close()
        except OSError:
            pass
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=1)
        if self._process.stdout is not None and not self._reader.is_alive():
            self._process.stdout.close()
        self._errors.close()

    def _read(self) -> None:
        """Put every line of the worker into the queue, and ``None`` at the end; runs in a thread of its own."""
        for line in self._process.stdout or ():
            self._lines.put(line)
        self._lines.put(None)

    def _greeted(self, seconds: float) -> dict[str, str]:
        hello = self._next(seconds)
        if hello.get("protocol") != PROTOCOL:
            cause = f"COMET's worker speaks protocol {hello.get('protocol')}, and this is {PROTOCOL}"
            raise MissingModelError(Fault("E135", cause, f"install it anew: {_REINSTALL}"))
        versions = cast("dict[str, str]", hello.get("versions") or {})
        if "unbabel-comet" not in versions:
            cause = "there is no unbabel-comet in COMET's environment"
            raise MissingModelError(Fault("E135", cause, f"install it anew: {_REINSTALL}"))
        return {str(name): str(version) for name, version in versions.items()}

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        stdin = self._process.stdin
        try:
            if stdin is None or stdin.closed:
                raise BrokenPipeError
            stdin.write(json.dumps({"id": self._number, **request}) + "\n")
            stdin.flush()
        except OSError as error:
            raise self._ended() from error
        reply = self._next(self._answer_seconds)
        if reply.get("id") != self._number:
            raise self._failed(f"it answers request {reply.get('id')}, and {self._number} was asked")
        if "error" not in reply:
            return reply
        cause = str(reply["error"])
        if reply.get("kind") == "missing":
            advice = f"fetch it with: endophora models install comet --model {request.get('model', 'NAME')}"
            if request.get("fetch"):
                advice = "check the name, the network and, for a model behind a licence, the login; or name a folder"
            raise MissingModelError(Fault("E133", f"COMET: {cause}", advice))
        if reply.get("kind") == "refused":
            raise InputError(Fault("E136", f"COMET: {cause}", "take the metric comet, without context"))
        raise self._failed(cause)

    def _next(self, seconds: float) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            self._process.kill()
            raise self._failed(f"no answer within {seconds:g} seconds") from None
        if line is None:
            raise self._ended()
        try:
            message: object = json.loads(line)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise self._failed(f"it wrote a line that is no message: “{line.strip()[:80]}”")
        return cast("dict[str, Any]", message)

    def _ended(self) -> InputError:
        try:
            status: int | str = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            status = "unknown"
        return self._failed(f"it ended with status {status}")

    def _failed(self, cause: str) -> InputError:
        tail = self._tail()
        said = f" (it said: {tail})" if tail else ""
        advice = "see whether memory and disk suffice and the checkpoint is whole; try ENDOPHORA_COMET_DEVICE=cpu"
        return InputError(Fault("E134", f"COMET's worker failed: {cause}{said}", advice))

    def _tail(self) -> str:
        """Return the last lines of what the worker wrote on standard error, as one line."""
        if self._errors.closed:
            return ""
        size = self._errors.seek(0, os.SEEK_END)
        self._errors.seek(max(0, size - _TAIL_BYTES))
        text = self._errors.read().decode("utf-8", "replace")
        return " / ".join([line.strip() for line in text.splitlines() if line.strip()][-_TAIL_LINES:])
