"""What a language model is told: templates from a data file, filled with text that is never read as a template."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import SandboxedEnvironment

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError

_PARTS = ("system", "prompt", "markers", "alone")
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

    Args:
        file: a file of the user's; ``None`` for the package's own.

    Raises:
        InputError: the file cannot be read, lacks a template or has another entry, or a template cannot be filled
            (E248); all at once.
    """

    def __init__(self, file: Path | None = None) -> None:
        place = "prompt.yaml" if file is None else str(file)
        try:
            text = (files("endophora.models.services") / place if file is None else file).read_text("utf-8")
            data = load_yaml(text)
        except (OSError, UnicodeDecodeError, TreeError) as error:
            cause = f"cannot be read ({str(error).splitlines()[0]})"
            raise InputError(Fault("E248", cause, "check the path and the form", place)) from error
        self.digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
        table = cast("dict[object, object]", data) if isinstance(data, dict) else {}
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
                except TemplateError as error:
                    faults.append(Fault("E248", f"“{part}”: {error}", "see docs/services.md for the variables", place))
                else:
                    if part != "system" and str(_TRIAL["text"]) not in filled:
                        cause = f"“{part}” leaves out the text"
                        faults.append(Fault("E248", cause, "write {{ text }} in it", place))
        if faults:
            raise InputError(faults)

    def fill(self, part: str, values: Mapping[str, object]) -> str:
        """Return a template with its variables filled in."""
        return str(self._templates[part].render(values)).strip()
