"""Whether services may be paid for, in every command that asks one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from endophora.cli.console import say
from endophora.errors import Fault, InputError
from endophora.options import option

if TYPE_CHECKING:
    from endophora.models.services.records import Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """Whether a service may be paid for."""

    yes: bool = option(False, help="Let a service be paid for.")
    max_cost: float | None = option(None, least=0, help="Let a service be paid for, up to so much.")

    def agree(self, cost: Cost, option: str = "--model") -> None:
        """Print what a service would cost; E285 where that is not agreed to."""
        say(f"cost: {cost}")
        if cost.requests and not self.yes and self.max_cost is None:
            advice = "agree with --yes, or with --max-cost AMOUNT"
            raise InputError(Fault("E285", f"the service wants to be paid: {cost}", advice, option))
