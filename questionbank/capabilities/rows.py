"""The bank's capabilities by their word, imported when the first of them is asked for."""

from __future__ import annotations

from collections import UserDict
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from questionbank.capabilities.contract import BankCapability


Row = TypeVar("Row")


class LateTable(UserDict[str, Row]):
    """A mapping that fills itself on first use, so that a process that needs no row does not wait for any.

    Attributes:
        load: returns the rows; set while Django starts.
    """

    load: Callable[[], Mapping[str, Row]]

    def __init__(self) -> None:  # the parent's would make it empty
        pass

    @cached_property
    def data(self) -> dict[str, Row]:  # type: ignore[override]
        return dict(self.load())


BANK_CAPABILITIES: LateTable[BankCapability] = LateTable()
"""The rows of `questionbank.capabilities.table`, which `questionbank.apps` names; imported on first use."""
