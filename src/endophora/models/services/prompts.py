"""What a language model is told: templates from a data file, filled with text that is never read as a template."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError

_AGAIN = "again"
_PARTS = ("system", "prompt", "markers", "alone", _AGAIN)
_PACKAGED = "prompt.yaml"
_LANGUAGES: dict[str, object] = {"source_language": "English", "target_language": "German"}
_TRIAL: dict[str, object] = {
    "source_context": ["a"],
    "target_context": ["b"],
    "text": "c",
    "count": 2,
    "first": "1",
    "last": "2",
}


class Prompts:
    """The templates of a language model's requests.

    Raises: InputError (E248).
    """

    def __init__(self, file: Path | None = None) -> None:
        place = _PACKAGED if file is None else str(file)
        packaged = _read(files("endophora.models.services") / _PACKAGED, _PACKAGED)
        # Files of users that were written before there was such a template take the package's.
        table = packaged if file is None else {_AGAIN: packaged[_AGAIN]} | _read(file, place)
        self.digest = hashlib.blake2b(repr(sorted(map(str, table.items()))).encode(), digest_size=4).hexdigest()
        faults = [Fault("E248", f"there is no “{part}”", "see docs/services.md", place)
                  for part in _PARTS if not isinstance(table.get(part), str)]  # fmt: skip
        faults += [Fault("E248", f"there is no use for “{name}”", f"known: {', '.join(_PARTS)}", place)
                   for name in table if name not in _PARTS]  # fmt: skip
        environment = SandboxedEnvironment(
            undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False
        )  # fmt: skip
        self._templates: dict[str, Any] = {}
        for part in _PARTS:
            if isinstance(table.get(part), str):
                try:
                    self._templates[part] = environment.from_string(str(table[part]))
                    filled = self.fill(part, _LANGUAGES if part == "system" else _LANGUAGES | _TRIAL)
                except Exception as error:  # a template is code: `{{ text + 1 }}` is a TypeError
                    faults.append(Fault("E248", f"“{part}”: {error}", "see docs/services.md for the variables", place))
                else:
                    if part not in ("system", _AGAIN) and str(_TRIAL["text"]) not in filled:
                        cause = f"“{part}” leaves out the text"
                        faults.append(Fault("E248", cause, "write {{ text }} in it", place))
        if faults:
            raise InputError(faults)

    def fill(self, part: str, values: Mapping[str, object]) -> str:
        """Return a template with its variables filled in."""
        return str(self._templates[part].render(values)).strip()


def _read(file: Traversable, place: str) -> dict[object, object]:
    """Return the table of a file; empty if there is something else in it."""
    try:
        data = load_yaml(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, TreeError) as error:
        cause = f"cannot be read ({str(error).splitlines()[0]})"
        raise InputError(Fault("E248", cause, "check the path and the form", place)) from error
    return cast("dict[object, object]", data) if isinstance(data, dict) else {}
