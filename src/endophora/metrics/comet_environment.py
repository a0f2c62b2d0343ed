"""COMET's own environment: where it lies, how it is made, and how it goes.

``unbabel-comet`` needs transformers 4, numpy 1 and protobuf 4, which endophora's extras do not. So it lives in a
virtual environment of its own, and is spoken to over a pipe (:mod:`endophora.metrics.comet_client`).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from platformdirs import user_data_path

from endophora.errors import EndophoraError, Fault, InputError, MissingModelError
from endophora.metrics.comet_client import CometClient, CometModel
from endophora.process import run_bound

VARIABLE = "ENDOPHORA_COMET"
"""The environment variable that names the folder of COMET's environment."""

INSTALL = "endophora models install comet"
"""The command that makes the environment."""

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
_TAIL = 6

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CometEnvironment:
    """An environment that was made."""

    folder: Path
    versions: Mapping[str, str]
    size: int

    @property
    def python(self) -> Path:
        """The environment's python."""
        return python_of(self.folder)


def environment_folder() -> Path:
    """Return where the environment lies: ``$ENDOPHORA_COMET``, or ``comet`` in the user's data directory."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else user_data_path("endophora") / "comet"


def python_of(folder: Path) -> Path:
    """Return the path of an environment's python."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def installed_environment() -> CometEnvironment | None:
    """Return the environment that is there; ``None`` where there is none, or one that was not made to its end."""
    folder = environment_folder()
    try:
        marker = cast("dict[str, object]", json.loads((folder / _MARKER).read_text(encoding="utf-8")))
        found = cast("dict[str, str]", marker["versions"])
        return CometEnvironment(folder, found, int(cast("int", marker["size"])))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def environment_python() -> Path:
    """Return the python that runs COMET.

    Raises: MissingModelError: the environment is not there (E131).
    """
    python = python_of(environment_folder())
    if not python.is_file():
        cause = f"COMET is not installed in {environment_folder()}"
        raise MissingModelError(Fault("E131", cause, f"install it with: {INSTALL}"))
    return python


def worker_command() -> list[str]:
    """Return the command line of the worker.

    Raises: MissingModelError: the environment is not there (E131).
    """
    # Isolated, so that neither the script's folder nor the user's packages come before those of the environment.
    return [str(environment_python()), "-I", "-W", "ignore", str(WORKER)]


def fetch_model(name: str) -> CometModel:
    """Fetch a model and what it needs besides, and return it.

    Args:
        name: a name on the Hugging Face Hub, or one of COMET's older models.

    Raises:
        MissingModelError: the environment is not there (E131), or the model cannot be fetched (E133).
        InputError: the worker failed (E134).
    """
    with CometClient(worker_command()) as client:
        return client.open(name, fetch=True)


def install_environment(
    python: str | None = None, *, torch_index: str | None = None, cuda: bool = False, say: Say = lambda _: None
) -> CometEnvironment:
    """Make the environment, unless it is there; an installation that broke off goes on.

    Args:
        python: the interpreter to make it with, 3.10 or later; this one if none is named.
        torch_index: URL of a package index to take torch from, for instance one of CPU builds.
        cuda: take torch as the package index has it, which on Linux is a build of several gigabytes with CUDA.

    Returns:
        the environment, whether it was made now or before.

    Raises:
        InputError: there is no such interpreter or it is too old, or a step failed (E132); the folder holds something
            else (E139).
    """
    known = installed_environment()
    if known is not None and known.python.is_file():
        return known
    folder = environment_folder()
    if folder.exists() and any(folder.iterdir()) and not (folder / "pyvenv.cfg").is_file():
        cause = f"{folder} is there and is no environment"
        raise InputError(Fault("E139", cause, f"name another folder with {VARIABLE}"))
    interpreter = python or sys.executable
    _check_interpreter(interpreter)
    say(f"making {folder}")
    _step([interpreter, "-m", "venv", str(folder)], folder)
    pip = [str(python_of(folder)), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
    say("installing torch")
    _step([*pip, *torch_requirement(torch_index, cuda=cuda), _SETUPTOOLS], folder, advice=_torch_advice(cuda))
    say("installing unbabel-comet")
    _step([*pip, _COMET, _SENTENCEPIECE, _SETUPTOOLS, _TORCH], folder)
    say("trying it")
    _step([str(python_of(folder)), "-I", "-W", "ignore", "-c", "import comet"], folder)
    return _mark(folder)


def torch_requirement(index: str | None = None, *, cuda: bool = False, system: str = sys.platform) -> Sequence[str]:
    """Return what pip is asked for: torch without CUDA unless it is wanted."""
    if index is not None:
        return ("--index-url", index, _TORCH)
    return (_TORCH,) if cuda or system != "linux" else (_TORCH_CPU,)


def remove_environment() -> Path | None:
    """Delete the environment and return where it was; ``None`` if there was none.

    Raises: InputError: the folder holds something else (E139).
    """
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
    """Run one command of the installation; its output goes to the folder's log.

    Raises: InputError: it failed (E132, with the end of its output).
    """
    try:
        status, said = run_bound(command)
    except OSError as error:
        raise InputError(
            Fault("E132", f"{command[0]} cannot be run ({error})", "name a python with --python")
        ) from error
    if folder.is_dir():
        with (folder / _LOG).open("a", encoding="utf-8") as log:
            log.write(f"$ {' '.join(command)}\n{said}")
    if status:
        tail = " / ".join(line.strip() for line in said.splitlines()[-_TAIL:] if line.strip())
        cause = f"the installation of COMET failed with status {status} ({tail})"
        raise InputError(Fault("E132", cause, advice or f"see {folder / _LOG}, then run again: {INSTALL}"))


def _torch_advice(cuda: bool) -> str:
    if cuda:
        return ""
    return (
        "name an index of CPU builds with --torch-index URL (PyTorch's installation page has it), "
        "or take the usual build with --cuda"
    )


def _mark(folder: Path) -> CometEnvironment:
    try:
        with CometClient(worker_command()) as client:
            found = client.versions
    except EndophoraError as error:
        raise InputError(Fault("E132", f"COMET does not start ({error})", f"see {folder / _LOG}")) from error
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    text = json.dumps({"versions": dict(found), "size": size}, indent=1)
    (folder / _MARKER).write_text(text + "\n", encoding="utf-8")
    return CometEnvironment(folder, found, size)
