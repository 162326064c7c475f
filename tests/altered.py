"""Rows of the tables of capabilities with other members, for tests."""

from __future__ import annotations

from typing import Any, TypeVar

Row = TypeVar("Row")


def altered(row: Row, **members: Any) -> Row:
    """Return a capability like `row` whose class has these members instead of its own."""
    changed: Row = type(f"Altered{type(row).__name__}", (type(row),), members)()
    return changed
