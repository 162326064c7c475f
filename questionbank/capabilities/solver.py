"""The solver in the bank."""

from __future__ import annotations

from questionbank.capabilities.rows import BankCapability

__all__ = ["ROW"]

ROW = BankCapability(templates="models/solver", facts=("problems",))
