"""Every error that `questionbank` raises on purpose; each message can be shown to its user.

KindredError
├── ValidationFailed    input is wrong; `fields` maps a field to its problems
├── NotAllowed          the person's role does not permit it
├── NotFound            what was asked for is not in the bank
├── Conflict            somebody else changed the same thing meanwhile
├── ImportRefused       lines of a file cannot be imported; `problems` lists them
├── PrintingRefused     a worksheet cannot be printed
├── DocumentRefused     a document cannot be read as a test paper
└── ServiceUnavailable  a server, worker or model that is needed is not there
    └── Busy            too many jobs are waiting; `retry_after` says when to try again
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self


class KindredError(Exception):
    """Base of everything `questionbank` raises on purpose."""

    code = "error"


class ValidationFailed(KindredError):
    """Input is wrong."""

    code = "invalid"

    def __init__(self, message: str, fields: Mapping[str, Sequence[str]] | None = None) -> None:
        self.fields = {name: list(problems) for name, problems in (fields or {}).items()}
        super().__init__(message)

    @classmethod
    def beside(cls, field: str, problem: str) -> Self:
        """Return the error that says one thing about one field."""
        return cls(problem, {field: [problem]})

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[str]]) -> Self:
        """Return the error of several fields; its message is the first problem."""
        return cls(next(iter(fields.values()))[0], fields)


class NotAllowed(KindredError):
    """The person's role does not permit it."""

    code = "not_allowed"


class NotFound(KindredError):
    """What was asked for is not in the bank."""

    code = "not_found"


class Conflict(KindredError):
    """Somebody else changed the same thing meanwhile."""

    code = "conflict"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line (counted from 1; 0 = the file as a whole) that cannot be used, and why.

    Attributes:
        reason: all that is wrong with it.
        field: that the first of it concerns.
        parts: each (field, reason), where there are several.
    """

    line: int
    reason: str
    field: str = ""
    parts: tuple[tuple[str, str], ...] = dataclasses.field(default=(), compare=False)

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True, slots=True)
class LineWarning:
    """What was changed in a line on the way in, or looks wrong with it; the line is used."""

    line: int
    reason: str
    field: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class ImportRefused(KindredError):
    """Nothing was imported, because of these lines."""

    code = "import_refused"

    def __init__(self, message: str, problems: Sequence[LineProblem] = ()) -> None:
        self.problems = list(problems)
        super().__init__(message)


class PrintingRefused(KindredError):
    """A worksheet cannot be printed; the message says why and what to do."""

    code = "printing_refused"


class DocumentRefused(KindredError):
    """A document cannot be read as a test paper; the message says what to do instead."""

    code = "document_refused"


class ServiceUnavailable(KindredError):
    """A server, worker or model that is needed is not there."""

    code = "unavailable"


class Busy(ServiceUnavailable):
    """Too many jobs are waiting to take one more."""

    code = "busy"
    retry_after = 60  # seconds
