"""A reviewer's corrections to a document's lines, stored as data: omitting a correction undoes it completely.

Each line has a key that no correction changes: its index in the document; for the rest of a split line, the line's key
followed by the correction's number. A correction therefore identifies its line whatever was split before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from analytics.question_content import as_json
from questionbank.papers.paper import Line, Role


@dataclass(frozen=True, slots=True)
class Correction:
    """One review step: a line's role, its replacement, a question's points, or whether the question is imported.

    Attributes:
        key: key of the line; of the question for `points` and `is_left_out`.
        role: the line's new role; empty if unchanged.
        lines: the lines that replace it, with `roles`; empty if the line is unchanged.
        points: of the question, then of each part; empty for other corrections.
        is_left_out: whether the question is excluded from the import; None for other corrections.
    """

    key: str
    role: str = ""
    lines: tuple[Line, ...] = ()
    roles: tuple[str, ...] = ()
    is_left_out: bool | None = None
    points: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewedLine:
    """A line after the corrections."""

    key: str
    line: Line
    role: Role
    is_corrected: bool = False


@dataclass(frozen=True, slots=True)
class Corrected:
    """The corrected lines, the keys of excluded questions, and corrected points by key."""

    lines: tuple[ReviewedLine, ...]
    left_out: frozenset[str]
    points: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)


def correct(lines: Sequence[Line], roles: Sequence[Role], corrections: Sequence[Correction]) -> Corrected:
    """Apply the corrections and return the lines in order; corrections of unknown lines are ignored.

    >>> corrected = correct([Line("How much is 1 + 1?")], [Role.NOTHING], [Correction("0", role="question")])
    >>> corrected.lines[0].role
    <Role.QUESTION: 'question'>
    """
    reviewed = {
        str(place): ReviewedLine(str(place), line, role)
        for place, (line, role) in enumerate(zip(lines, roles, strict=True))
    }
    rests: dict[str, list[str]] = {}  # keys of the lines split off each line, in order
    left_out: set[str] = set()
    points: dict[str, tuple[float | None, ...]] = {}
    for number, correction in enumerate(corrections):
        if correction.is_left_out is not None:
            (left_out.add if correction.is_left_out else left_out.discard)(correction.key)
        elif correction.points:
            points[correction.key] = correction.points
        elif (row := reviewed.get(correction.key)) is None:
            continue
        elif correction.role:
            reviewed[row.key] = replace(row, role=Role(correction.role), is_corrected=True)
        else:
            keys = [row.key, *(f"{row.key}.{number}.{place}" for place in range(1, len(correction.lines)))]
            for key, line, role in zip(keys, correction.lines, correction.roles, strict=True):
                reviewed[key] = ReviewedLine(key, line, Role(role), is_corrected=True)
            rests[row.key] = keys[1:] + rests.get(row.key, [])
    order = _in_order(map(str, range(len(lines))), rests)
    return Corrected(tuple(reviewed[key] for key in order), frozenset(left_out), points)


def _in_order(keys: Any, rests: Mapping[str, Sequence[str]]) -> list[str]:
    order: list[str] = []
    pending = list(keys)[::-1]
    while pending:
        key = pending.pop()
        order.append(key)
        pending.extend(reversed(rests.get(key, ())))
    return order


def lines_as_json(lines: Sequence[Line]) -> list[dict[str, Any]]:
    """Return lines as JSON, omitting defaults."""
    return [as_json(line) for line in lines]


def lines_of(found: Sequence[Mapping[str, Any]]) -> tuple[Line, ...]:
    """Return the lines from the output of `lines_as_json`."""
    return tuple(Line(**{**row, "area": tuple(row.get("area", ()))}) for row in found)


def correction_as_json(correction: Correction) -> dict[str, Any]:
    """Return a correction as JSON."""
    row: dict[str, Any] = as_json(correction)
    return row


def correction_of(found: Mapping[str, Any]) -> Correction:
    """Return the correction from the output of `correction_as_json`."""
    return Correction(
        **{
            **found,
            "lines": lines_of(found.get("lines", ())),
            "roles": tuple(found.get("roles", ())),
            "points": tuple(found.get("points", ())),
        }
    )
