"""What a check of the installation says: a state, a sentence and its figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class State(StrEnum):
    """How one thing is; ordered from good to bad."""

    OK = "ok"
    WARNING = "warning"
    FAILING = "failing"

    @property
    def label(self) -> str:
        return str(_STATE_LABELS[self])


_STATE_LABELS = {State.OK: "OK", State.WARNING: "needs attention", State.FAILING: "failing"}


@dataclass(frozen=True, slots=True)
class HealthItem:
    """One check: what was looked at, how it is in one sentence, and the figures behind it."""

    name: str
    title: str
    state: State
    sentence: str
    figures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HealthReport:
    """All checks."""

    items: tuple[HealthItem, ...]
    checked_at: datetime

    @property
    def state(self) -> State:
        return max((item.state for item in self.items), key=list(State).index)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields for JSON."""
        return {
            "status": self.state.value,
            "checked_at": self.checked_at.isoformat(timespec="seconds"),
            "checks": {
                item.name: {"status": item.state.value, "sentence": item.sentence, "figures": item.figures}
                for item in self.items
            },
        }
