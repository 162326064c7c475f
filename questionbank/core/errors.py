"""Errors that `questionbank` raises on purpose; every message can be shown to the user.

KindredError
├── ValidationFailed    input is wrong; `fields` maps a field to its problems
├── NotAllowed          the person's role does not permit it
├── NotFound            what was requested is not in the bank
├── Conflict            somebody else changed the same thing in the meantime
├── ImportRefused       lines of a file cannot be imported; `problems` lists them
├── PrintingRefused     a worksheet cannot be printed
├── DocumentRefused     a document cannot be read as a test paper
└── ServiceUnavailable  a server, worker or model that is needed is unavailable
    ├── Busy            too many jobs are waiting; `retry_after` says when to try again
    └── EmbeddedError   an embedded server or a supervised process failed
        └── AlreadyRunning  another `make run` holds this VAR_DIR
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self


class KindredError(Exception):
    """Base class of all errors that `questionbank` raises on purpose."""

    code = "error"


class ValidationFailed(KindredError):
    """Input is wrong."""

    code = "invalid"

    def __init__(self, message: str, fields: Mapping[str, Sequence[str]] | None = None) -> None:
        self.fields = {name: list(problems) for name, problems in (fields or {}).items()}
        super().__init__(message)

    @classmethod
    def beside(cls, field: str, problem: str) -> Self:
        """Return an error with one problem of one field."""
        return cls(problem, {field: [problem]})

    @classmethod
    def of(cls, fields: Mapping[str, Sequence[str]]) -> Self:
        """Return an error about several fields; its message is the first problem."""
        return cls(next(iter(fields.values()))[0], fields)


class NotAllowed(KindredError):
    """The person's role does not permit it."""

    code = "not_allowed"


class NotFound(KindredError):
    """What was requested is not in the bank."""

    code = "not_found"


class Conflict(KindredError):
    """Somebody else changed the same thing in the meantime."""

    code = "conflict"


@dataclass(frozen=True, slots=True)
class LineProblem:
    """A line that cannot be used, counted from 1 (0 = the whole file), and the reason.

    Attributes:
        reason: everything that is wrong with it.
        field: the field of the first problem.
        parts: (field, reason) of each problem, if there are several.
    """

    line: int
    reason: str
    field: str = ""
    parts: tuple[tuple[str, str], ...] = dataclasses.field(default=(), compare=False)

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}" if self.line else self.reason


@dataclass(frozen=True, slots=True)
class LineWarning:
    """A change made to a line during import, or something suspicious about it; the line is still used."""

    line: int
    reason: str
    field: str = ""

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class ImportRefused(KindredError):
    """Nothing was imported because of these lines."""

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
    """A server, worker or model that is needed is unavailable."""

    code = "unavailable"


class Busy(ServiceUnavailable):
    """Too many jobs are waiting to accept another one."""

    code = "busy"
    retry_after = 60  # seconds


class EmbeddedError(ServiceUnavailable):
    """An embedded server or a supervised process cannot do what was requested."""


class AlreadyRunning(EmbeddedError):
    """Another supervisor already runs in this VAR_DIR."""
