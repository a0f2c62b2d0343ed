"""Keys of services: read from the environment, sent to the service, and written nowhere."""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import NoReturn
from urllib.parse import urlsplit

from endophora.errors import Fault, InputError

NO_KEY = "none"
"""What is sent in place of a key, to a server that wants none."""

_HIDDEN = "•••"
_SHORTEST = 8  # shorter ones are placeholders of local servers, and would blot out innocent text


class Key:
    """A key that does not show itself, and cannot be pickled."""

    __slots__ = ("_value", "variable")

    def __init__(self, variable: str, value: str) -> None:
        self.variable, self._value = variable, value

    def reveal(self) -> str:
        """Return the key itself, to be handed to the service's library and to nothing else."""
        return self._value

    def redact(self, text: str) -> str:
        """Return a text in which the key, should it be there, is hidden."""
        return hide(text, self._value)

    def guard(self, logger: str) -> None:
        """Hide the key in what a library logs: services may repeat it in their answers."""
        found = logging.getLogger(logger)
        if not any(isinstance(one, _Redaction) and one.key.reveal() == self._value for one in found.filters):
            found.addFilter(_Redaction(self))

    def __repr__(self) -> str:
        """Return the variable's name."""
        return f"Key({self.variable})"

    def __reduce__(self) -> NoReturn:
        """Refuse to be written."""
        raise TypeError("a key is not pickled")


def hide(text: str, secret: str) -> str:
    """Return a text in which a secret, should it be there, is hidden."""
    return text.replace(secret, _HIDDEN) if len(secret) >= _SHORTEST else text


class _Redaction(logging.Filter):
    """Hides a key in log records."""

    def __init__(self, key: Key) -> None:
        super().__init__()
        self.key = key

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record, which always goes on."""
        record.msg, record.args = self.key.redact(record.getMessage()), ()
        return True


def key_of(service: str, variables: Sequence[str], default: str | None = None) -> Key:
    """Return the key of a service.

    Raises: InputError: none is set (E241).
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
            return Key(variable, value)
    if default is not None:
        return Key("", default)
    raise InputError(Fault("E241", f"{service} needs a key", f"set {' or '.join(variables)} in the environment"))


def check_address(address: str, option: str) -> str:
    """Return the address of a service, without a slash at its end.

    Raises: InputError (E240, E241).
    """
    parts = urlsplit(address)
    if parts.username or parts.password or parts.query or parts.fragment:
        cause = "the address has a user, a password or a query"
        advice = "an address is written into signatures: name the host and path alone, keys go into the environment"
        raise InputError(Fault("E241", cause, advice, option))
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError(Fault("E240", "the address is none of HTTP", "write https://HOST/PATH", option))
    return address.rstrip("/")
