"""The bank's capabilities by their word, below everything that asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from questionbank.capabilities.late_table import LateTable

if TYPE_CHECKING:
    from questionbank.capabilities.contract import BankCapability

BANK_CAPABILITIES: LateTable[BankCapability] = LateTable()
"""The rows of `questionbank.capabilities.table`, which `questionbank.apps` names; imported on first use."""
