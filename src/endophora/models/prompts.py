"""What a decoder-only language model reads before a translation: templates from a data file, filled with text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from jinja2 import StrictUndefined
from jinja2.sandbox import SandboxedEnvironment
from pydantic import BaseModel, ConfigDict, ValidationError

from endophora.corpus.trees import TreeError, load_yaml
from endophora.errors import Fault, InputError

Form = Literal["chat", "plain"]
"""For models with turns, and for all others."""

_MARK = "\ue000"


@dataclass(frozen=True, slots=True)
class ContextSegment:
    """A segment of the context; one side is empty where it is not given."""

    source: str
    target: str


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    chat: str
    plain: str


class PromptTemplate:
    """The templates of a file.

    Raises: InputError (E280).
    """

    def __init__(self, file: Path | None = None) -> None:
        place = "prompts.yaml" if file is None else str(file)
        try:
            text = (files("endophora.models") / place if file is None else file).read_text("utf-8")
            read = _File.model_validate(load_yaml(text))
        except (OSError, UnicodeDecodeError, TreeError) as error:
            cause = f"cannot be read ({str(error).splitlines()[0]})"
            raise InputError(Fault("E280", cause, "check the path and the form", place)) from error
        except ValidationError as error:
            raise InputError(
                [
                    Fault("E280", f"{'.'.join(map(str, one['loc']))}: {one['msg']}", "see docs/models.md", place)
                    for one in error.errors()
                ]
            ) from error
        self.digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
        environment = SandboxedEnvironment(
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
        )
        self._templates: dict[Form, Any] = {}
        faults: list[Fault] = []
        forms: tuple[Form, ...] = ("chat", "plain")
        for form in forms:
            try:
                self._templates[form] = environment.from_string(getattr(read, form))
                filled = self.fill(form, _MARK, [ContextSegment("a", "b")], "English", "German")
            except Exception as error:  # a template is code: `{{ source + 1 }}` is a TypeError
                faults.append(Fault("E280", f"“{form}”: {error}", "see docs/models.md for the variables", place))
            else:
                if _MARK not in filled:
                    faults.append(Fault("E280", f"“{form}” leaves out the source", "write {{ source }} in it", place))
        if faults:
            raise InputError(faults)

    def fill(
        self, form: Form, source: str, context: Sequence[ContextSegment], source_language: str, target_language: str
    ) -> str:
        """Return a template with its variables filled in."""
        return str(
            self._templates[form].render(
                source=source, context=context, source_language=source_language, target_language=target_language
            )
        )
