"""Prompt templates, of the package or of a user: Jinja in one sandbox, each tried out when its file is read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError, first_line

TEXT = "\ue000"
"""The text to translate when a template is tried: a character that no template has by itself."""

# A file of templates is a user's, and a template is code.
_SANDBOX = SandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False
)


class Templates:
    """The templates of a file; all its faults are reported at once.

    Args:
        file: a user's; by default ``packaged``.
        trials: name of each template → variables to try it with; :data:`TEXT` among them must come out again.
        about: the error's code, and the page of the documentation.
        optional: templates that a user's file may leave out; the package's are taken then.
    """

    def __init__(
        self,
        file: Path | None,
        packaged: Traversable,
        trials: Mapping[str, Mapping[str, object]],
        about: tuple[str, str],
        optional: Collection[str] = (),
    ) -> None:
        self._place, (self._code, page) = packaged.name if file is None else str(file), about
        self.text, self.table = self._read(file or packaged)
        if file is not None and optional:
            shipped = self._read(packaged)[1]
            self.table = {name: shipped[name] for name in optional} | self.table
        self._templates: dict[str, Any] = {}
        faults = [self._fault(f"there is no “{name}”", f"see {page}")
                  for name in trials if not isinstance(self.table.get(name), str)]  # fmt: skip
        faults += [self._fault(f"there is no use for “{name}”", f"known: {', '.join(trials)}")
                   for name in self.table if name not in trials]  # fmt: skip
        for name, values in trials.items():
            if not isinstance(self.table.get(name), str):
                continue
            try:
                self._templates[name] = _SANDBOX.from_string(str(self.table[name]))
                filled = self.fill(name, values)
            except Exception as error:  # `{{ text + 1 }}` is a TypeError
                faults.append(self._fault(f"“{name}”: {error}", f"see {page} for the variables"))
                continue
            for variable in (variable for variable, value in values.items() if value == TEXT and TEXT not in filled):
                faults.append(self._fault(f"“{name}” leaves out the {variable}", f"write {{{{ {variable} }}}} in it"))
        if faults:
            raise InputError(faults)

    def fill(self, name: str, values: Mapping[str, object]) -> str:
        """Return a template with its variables filled in."""
        return str(self._templates[name].render(values))

    def _read(self, file: Traversable) -> tuple[str, dict[object, object]]:
        """Return the text of a file and its table, empty if there is something else in it."""
        try:
            text = file.read_text("utf-8")
            data = load_yaml(text)
        except (OSError, UnicodeDecodeError, TreeError) as error:
            cause = f"cannot be read ({first_line(error)})"
            raise InputError(self._fault(cause, "check the path and the form")) from error
        return text, cast("dict[object, object]", data) if isinstance(data, dict) else {}

    def _fault(self, cause: str, advice: str) -> Fault:
        return Fault(self._code, cause, advice, self._place)
