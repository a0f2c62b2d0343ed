"""Languages: one rule file each, its schema, and how it is read."""

from endophora.languages.base import Strict
from endophora.languages.load import Extension, language_codes, load_language, read_language
from endophora.languages.schema import LanguageRules

__all__ = ["Extension", "LanguageRules", "Strict", "language_codes", "load_language", "read_language"]
