"""System checks of an installation, and the records of a health report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.core.checks import CheckMessage, Error, Tags, Warning, register
from django.db import connections
from django.db.utils import OperationalError

from questionbank.core.env import retired_settings

PGVECTOR_MINIMUM = (0, 8, 4)


def parse_version(version: str) -> tuple[int, ...]:
    """Parse ``"0.8.5"`` into ``(0, 8, 5)``."""
    return tuple(int(part) for part in version.split("."))


@register(Tags.database)
def check_pgvector(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    """Report a server without pgvector, or with a version older than `PGVECTOR_MINIMUM`."""
    problems: list[CheckMessage] = []
    wanted = ".".join(map(str, PGVECTOR_MINIMUM))
    for alias in databases or ():
        try:
            with connections[alias].cursor() as cursor:
                cursor.execute("SELECT default_version FROM pg_available_extensions WHERE name = 'vector'")
                row = cursor.fetchone()
        except OperationalError:
            continue  # unreachable: the code that needs it reports this
        if row is None:
            problems.append(
                Error(
                    "This PostgreSQL server has no pgvector extension.",
                    hint=f"Install pgvector {wanted} or later on the server.",
                    id="questionbank.E001",
                )
            )
        elif parse_version(row[0]) < PGVECTOR_MINIMUM:
            problems.append(
                Error(
                    f"pgvector {row[0]} is too old: Kindred needs {wanted} or later.",
                    hint="Upgrade the package on the server, then run ALTER EXTENSION vector UPDATE.",
                    id="questionbank.E002",
                )
            )
    return problems


@register("capabilities")
def check_capabilities(**kwargs: Any) -> list[CheckMessage]:
    """Report a capability that lacks a template, or whose form names an unknown setting."""
    from questionbank.core.capability_catalog import capability_problems

    return [Error(problem, id="questionbank.E003") for problem in capability_problems()]


@register("environment")
def check_environment(**kwargs: Any) -> list[CheckMessage]:
    """Warn about variables of earlier releases that no longer have any effect."""
    return [Warning(sentence, id="questionbank.W001") for sentence in retired_settings()]


class State(StrEnum):
    """State of one check, ordered from good to bad."""

    OK = "ok"
    WARNING = "warning"
    FAILING = "failing"

    @property
    def label(self) -> str:
        return str(_STATE_LABELS[self])


_STATE_LABELS = {State.OK: "OK", State.WARNING: "needs attention", State.FAILING: "failing"}


@dataclass(frozen=True, slots=True)
class HealthItem:
    """One check: its title, its result in one sentence, and the figures behind it."""

    name: str
    title: str
    state: State
    sentence: str
    figures: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HealthReport:
    """The results of all checks."""

    items: tuple[HealthItem, ...]
    checked_at: datetime
    release: str

    @property
    def state(self) -> State:
        return max((item.state for item in self.items), key=list(State).index)

    def as_dict(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "status": self.state.value,
            "release": self.release,
            "checked_at": self.checked_at.isoformat(timespec="seconds"),
            "checks": {
                item.name: {"status": item.state.value, "sentence": item.sentence, "figures": item.figures}
                for item in self.items
            },
        }
