"""The bank's capabilities by name, imported on first access."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from questionbank.capabilities.contract import BankCapability


Row = TypeVar("Row")


class LateTable(UserDict[str, Row]):
    """A mapping that is loaded on first use, so that processes that need no row do not wait for it.

    Attributes:
        load: returns the rows; set when Django starts.
    """

    load: Callable[[], Mapping[str, Row]]

    def __init__(self) -> None:  # the parent's would set `data` to an empty dict
        pass

    @cached_property
    def data(self) -> dict[str, Row]:  # type: ignore[override]
        return dict(self.load())


BANK_CAPABILITIES: LateTable[BankCapability] = LateTable()
"""The rows of `questionbank.capabilities.table`, set by `questionbank.apps`; imported on first use."""
