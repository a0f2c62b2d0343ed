"""Rules of outside packages: what a phenomenon of theirs says of a language, checked like our own.

A package registers an :class:`Extension` under the name of its phenomenon, as an entry point of ``endophora.rules``.
Its rules then stand in a rule file, under ``extensions`` and that name, or in files of the package, one a language.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources.abc import Traversable
from typing import Any

from pydantic import BaseModel

from endophora.languages.base import Strict
from endophora.languages.schema import WorkedExample
from endophora.registry import Registry


@dataclass(frozen=True, slots=True)
class Extension:
    """The rules of one phenomenon of an outside package.

    Attributes:
        model: what the rules of one language may say; a subclass of :class:`~endophora.languages.base.Strict` refuses
            what it does not know.
        folder: where the package has rules itself, ``xx.yaml`` for the language ``xx``, each as :class:`ExtensionFile`
            says; a rule file that has the section takes their place.
    """

    model: type[BaseModel]
    folder: Traversable | None = None


class ExtensionFile(Strict):
    """A file of an outside package: the rules of one phenomenon in one language, and worked examples of it."""

    rules: dict[str, Any]
    examples: tuple[WorkedExample, ...] = ()


EXTENSIONS: Registry[Extension] = Registry("rules", {}, check=lambda found: isinstance(found, Extension))
"""Phenomenon → the rules of an outside package."""
