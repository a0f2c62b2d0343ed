"""COMET's own environment: where it lies, how it is made and removed, and how the worker in it is asked.

``unbabel-comet`` needs transformers 4, numpy 1 and protobuf 4, which endophora's extras do not. So it lives in a
separate virtual environment, and is spoken to over a pipe: one JSON object a line each way. The worker
(:mod:`endophora.metrics.comet_worker`, or any script that speaks the same lines) greets with ``protocol`` and
``versions``; every request carries an ``id`` that comes back with its answer.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Literal, NamedTuple, TypeAlias, cast

from platformdirs import user_data_path

from endophora.errors import EndophoraError, Fault, InputError, MissingModelError
from endophora.process import run_bound

VARIABLE = "ENDOPHORA_COMET"
"""The environment variable that names the folder of COMET's environment."""
INSTALL = "endophora models install comet"
WORKER = Path(__file__).with_name("comet_worker.py")
"""The script that COMET's python runs."""

# Later versions of setuptools lack pkg_resources, which the torchmetrics that COMET pins imports.
_SETUPTOOLS = "setuptools>=77,<81"
# sentencepiece 0.2.3 needs protobuf 5, and COMET holds protobuf at 4.
_SENTENCEPIECE = "sentencepiece>=0.2,<0.2.3"
_COMET = "unbabel-comet>=2.2.7,<3"
_TORCH = "torch>=2.6"
_TORCH_CPU = "torch==2.13.0+cpu"
_OLDEST = (3, 10)
_MARKER = "endophora-comet.json"
_LOG = "install.log"

PROTOCOL = 1
"""Number of the protocol; the worker must have the same."""
GREETING_SECONDS = 60.0
"""How long a worker may take to greet; it imports nothing before."""
ANSWER_SECONDS = 3600.0
"""How long an answer may take, the first with the loading of the model."""
SEGMENTS_A_REQUEST = 256
SEGMENTS_A_BATCH = 16

_TAIL_BYTES = 4000
_REINSTALL = "install it again: endophora models remove comet && endophora models install comet"

Segment: TypeAlias = Mapping[str, Sequence[str]]
"""The parts ``src``, ``mt`` and ``ref`` of a segment: sentences of context in order, and the sentence itself."""

ReferenceUse: TypeAlias = Literal["needed", "used", "unused"]

Say = Callable[[str], None]


class CometModel(NamedTuple):
    """What the worker says of a model that it opened; references are needed, used where they are given, or unused."""

    checkpoint: str
    hash: str
    kind: str
    pooling: str
    references: ReferenceUse


class CometClient:
    """A running worker."""

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
            fault = Fault("E131", f"COMET's python cannot be started ({error})", _REINSTALL)
            raise MissingModelError(fault) from error
        self._input, self._output = cast("tuple[IO[str], IO[str]]", (self._process.stdin, self._process.stdout))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.versions = self._greeted(greeting_seconds)
        except EndophoraError:
            self.close()
            raise

    def open(self, model: str, *, fetch: bool = False) -> CometModel:
        """Open a model; it is loaded when it scores first."""
        reply = self._ask({"request": "open", "model": model, "fetch": fetch})
        try:
            return CometModel(*(reply[key] for key in ("checkpoint", "hash", "class", "pooling", "references")))
        except KeyError as error:
            raise self._failed(f"its answer lacks {error}") from error

    def score(
        self, segments: Sequence[Segment], *, context: bool = False, size: int = SEGMENTS_A_REQUEST
    ) -> list[float]:
        """Return the scores of segments, in their order."""
        scores: list[float] = []
        for start in range(0, len(segments), size):
            part = segments[start : start + size]
            request = {"request": "score", "segments": part, "context": context, "batch": SEGMENTS_A_BATCH}
            found: Any = self._ask(request).get("scores")
            if not isinstance(found, list) or len(cast("list[Any]", found)) != len(part):
                raise self._failed(f"it has not one score for each of {len(part)} segments")
            for value in cast("list[object]", found):
                if not isinstance(value, int | float) or not math.isfinite(value):
                    raise self._failed(f"it gives {value} for a score")
                scores.append(float(value))
        return scores

    def close(self) -> None:
        """End the worker: its input ends, and if that does not end it within seconds, it is killed."""
        with contextlib.suppress(OSError):
            self._input.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=1)
        if not self._reader.is_alive():
            self._output.close()
        self._errors.close()

    def _read(self) -> None:
        """Put every line of the worker into the queue, and ``None`` at the end; runs in a separate thread."""
        for line in self._output:
            self._lines.put(line)
        self._lines.put(None)

    def _greeted(self, seconds: float) -> dict[str, str]:
        hello = self._next(seconds)
        if hello.get("protocol") != PROTOCOL:
            cause = f"COMET's worker speaks protocol {hello.get('protocol')}, and this is {PROTOCOL}"
            raise MissingModelError(Fault("E135", cause, _REINSTALL))
        versions = cast("dict[str, str]", hello.get("versions") or {})
        if "unbabel-comet" not in versions:
            cause = "there is no unbabel-comet in COMET's environment"
            raise MissingModelError(Fault("E135", cause, _REINSTALL))
        return {str(name): str(version) for name, version in versions.items()}

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        try:
            self._input.write(json.dumps({"id": self._number, **request}) + "\n")
            self._input.flush()
        except (OSError, ValueError) as error:  # it has ended, or was closed
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
        tail = ""
        if not self._errors.closed:
            self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _TAIL_BYTES))
            tail = _last_lines(self._errors.read().decode("utf-8", "replace"), 5)
        said = f" (it said: {tail})" if tail else ""
        advice = "see whether memory and disk suffice and the checkpoint is whole; try ENDOPHORA_COMET_DEVICE=cpu"
        return InputError(Fault("E134", f"COMET's worker failed: {cause}{said}", advice))


def _last_lines(text: str, most: int) -> str:
    """Return the last lines that are not empty as one."""
    return " / ".join([line.strip() for line in text.splitlines() if line.strip()][-most:])


class CometEnvironment(NamedTuple):
    """An environment that was made, and its size in bytes."""

    folder: Path
    versions: Mapping[str, str]
    size: int


def environment_folder() -> Path:
    """Return where the environment lies: ``$ENDOPHORA_COMET``, or ``comet`` in the user's data directory."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else user_data_path("endophora") / "comet"


def _python_of(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def installed_environment() -> CometEnvironment | None:
    """Return the environment that is there; ``None`` where there is none, or one that was not made to its end."""
    folder = environment_folder()
    try:
        marker: dict[str, Any] = json.loads((folder / _MARKER).read_text(encoding="utf-8"))
        return CometEnvironment(folder, marker["versions"], int(marker["size"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def worker_command() -> list[str]:
    """Return the command line of the worker; without an environment an error (E131)."""
    python = _python_of(environment_folder())
    if not python.is_file():
        cause = f"COMET is not installed in {environment_folder()}"
        raise MissingModelError(Fault("E131", cause, f"install it with: {INSTALL}"))
    # Isolated, so that neither the script's folder nor the user's packages come before those of the environment.
    return [str(python), "-I", "-W", "ignore", str(WORKER)]


def fetch_model(name: str) -> CometModel:
    """Fetch a model and what it needs besides, and return it."""
    with contextlib.closing(CometClient(worker_command())) as client:
        return client.open(name, fetch=True)


def install_environment(
    python: str | None = None, *, torch_index: str | None = None, cuda: bool = False, say: Say = lambda _: None
) -> CometEnvironment:
    """Make the environment, unless it is there; an installation that was interrupted continues.

    ``torch_index`` is the URL of a package index to take torch from, for instance one of CPU builds; with ``cuda`` it
    is what the usual index has, which on Linux is a build of several gigabytes with CUDA.
    """
    known, folder = installed_environment(), environment_folder()
    if known is not None and _python_of(folder).is_file():
        return known
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").is_file():
        cause = f"{folder} is there and is no environment"
        raise InputError(Fault("E139", cause, f"name another folder with {VARIABLE}"))
    interpreter = python or sys.executable
    _check_interpreter(interpreter)
    say(f"making {folder}")
    _step([interpreter, "-m", "venv", str(folder)], folder)
    pip = [str(_python_of(folder)), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    say("installing torch")
    advice = (
        "name an index of CPU builds with --torch-index URL (PyTorch's installation page has it), "
        "or take the usual build with --cuda"
    )
    _step([*pip, *torch_requirement(torch_index, cuda=cuda), _SETUPTOOLS], folder, advice="" if cuda else advice)
    say("installing unbabel-comet")
    _step([*pip, _COMET, _SENTENCEPIECE, _SETUPTOOLS, _TORCH], folder)
    say("trying it")
    _step([str(_python_of(folder)), "-I", "-W", "ignore", "-c", "import comet"], folder)
    return _mark(folder)


def torch_requirement(index: str | None = None, *, cuda: bool = False, system: str = sys.platform) -> Sequence[str]:
    """Return what pip is asked for: torch without CUDA unless it is wanted."""
    if index is not None:
        return ("--index-url", index, _TORCH)
    return (_TORCH,) if cuda or system != "linux" else (_TORCH_CPU,)


def remove_environment() -> Path | None:
    """Delete the environment and return where it was; ``None`` if there was none."""
    folder = environment_folder()
    if not folder.exists():
        return None
    if not (folder / "pyvenv.cfg").is_file():
        cause = f"{folder} is no environment, and is left alone"
        raise InputError(Fault("E139", cause, f"name the environment's folder with {VARIABLE}"))
    shutil.rmtree(folder)
    return folder


def _check_interpreter(python: str) -> None:
    code = "import sys; print(*sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True, timeout=60)  # noqa: S603 - the user names it
        found = tuple(int(part) for part in done.stdout.split())
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        raise InputError(Fault("E132", f"“{python}” is no python that runs", "name one with --python")) from error
    if found < _OLDEST:
        cause = f"“{python}” is Python {'.'.join(map(str, found))}, and COMET needs {'.'.join(map(str, _OLDEST))}"
        raise InputError(Fault("E132", cause, "name a later one with --python"))


def _step(command: Sequence[str], folder: Path, advice: str = "") -> None:
    """Run one command of the installation; its output goes to the folder's log."""
    try:
        status, said = run_bound(command)
    except OSError as error:
        fault = Fault("E132", f"{command[0]} cannot be run ({error})", "name a python with --python")
        raise InputError(fault) from error
    if folder.is_dir():
        with (folder / _LOG).open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{said}")
    if status:
        cause = f"the installation of COMET failed with status {status} ({_last_lines(said, 6)})"
        raise InputError(Fault("E132", cause, advice or f"see {folder / _LOG}, then run again: {INSTALL}"))


def _mark(folder: Path) -> CometEnvironment:
    try:
        with contextlib.closing(CometClient(worker_command())) as client:
            found = client.versions
    except EndophoraError as error:
        raise InputError(Fault("E132", f"COMET does not start ({error})", f"see {folder / _LOG}")) from error
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    text = json.dumps({"versions": dict(found), "size": size}, indent=1)
    (folder / _MARKER).write_text(text + "\n", encoding="utf-8")
    return CometEnvironment(folder, found, size)
