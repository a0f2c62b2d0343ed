"""Folders that look like COMET's environment, and interpreters that make them, for tests without COMET."""

from __future__ import annotations

import sys
from pathlib import Path

FAKE_WORKER = Path(__file__).with_name("fake_comet.py")

# An environment's python: pip and ``-c`` are written down, anything else is the worker.
_PYTHON = """#!{python}
import os, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(" ".join(arguments) + "\\n")
if "pip" in arguments:
    print("Looking", "ERROR: No matching distribution found", sep="\\n")
    sys.exit({pip_status})
if "-c" not in arguments:
    os.execv({python!r}, [{python!r}, {fake!r}, {requests!r}])
"""

# An interpreter: tells its version, or makes an environment.
_INTERPRETER = """#!{python}
import os, sys
from pathlib import Path
if "venv" not in sys.argv:
    print({version!r})
    sys.exit()
folder = Path(sys.argv[-1])
(folder / "bin").mkdir(parents=True, exist_ok=True)
(folder / "pyvenv.cfg").write_text("home = here\\n")
(folder / "bin" / "python").write_text(Path({inner!r}).read_text())
(folder / "bin" / "python").chmod(0o755)
"""


def write_script(path: Path, text: str) -> Path:
    """Write an executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
    return path


def environment_script(directory: Path, pip_status: int = 0) -> str:
    """Return the text of an environment's python; it writes ``commands.log`` and ``requests.jsonl`` in a directory."""
    return _PYTHON.format(
        python=sys.executable,
        log=str(directory / "commands.log"),
        requests=str(directory / "requests.jsonl"),
        fake=str(FAKE_WORKER),
        pip_status=pip_status,
    )


def make_interpreter(directory: Path, version: str = "3 12", pip_status: int = 0) -> Path:
    """Write an interpreter that makes environments whose pip ends with a status."""
    inner = write_script(directory / "inner.py", environment_script(directory, pip_status))
    text = _INTERPRETER.format(python=sys.executable, version=version, inner=str(inner))
    return write_script(directory / "interpreter", text)


def make_environment(directory: Path) -> Path:
    """Write an environment that is there already, and return its folder."""
    folder = directory / "comet"
    write_script(folder / "bin" / "python", environment_script(directory))
    (folder / "pyvenv.cfg").write_text("home = here\n", encoding="utf-8")
    return folder
