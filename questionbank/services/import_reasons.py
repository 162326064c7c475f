"""Reasons of many lines, grouped: 2,000 lines with the same mistake are one sentence."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_LINES_KEPT = 5
_VALUES_KEPT = 4
_VALUES_TOLD_APART = 1_000
_GROUPS_KEPT = 200
# What differs between lines with the same mistake: quoted values, formulas, numbers.
_PARTICULAR = re.compile(
    r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\$[^$]*\$|\\\(.*?\\\)|\\\[.*?\\\]|\d[\d,.]*"
)
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\$[^$]*\$")
_OTHERS = "other reasons; mend the ones above first"


@dataclass(slots=True)
class ReasonGroup:
    """Lines with the same mistake.

    Attributes:
        field: that it concerns; empty for the line as a whole.
        reason: of the first line.
        lines: the first of them.
        values: other values with the same mistake, as they are quoted in their reasons; `others` counts the rest.
    """

    field: str
    reason: str
    count: int = 0
    lines: list[int] = dataclasses.field(default_factory=list)
    values: list[str] = dataclasses.field(default_factory=list)
    _seen: set[str] = dataclasses.field(default_factory=set)

    @property
    def others(self) -> int:
        """How many more values there are."""
        return max(len(self._seen) - 1 - len(self.values), 0)

    def add(self, line: int, reason: str, *, more: int = 0) -> None:
        """Count a line, and so many others of which only the number is known."""
        self.count += 1 + more
        if len(self.lines) < _LINES_KEPT and line not in self.lines:
            self.lines.append(line)
        match = _QUOTED.search(reason)
        if match and match[0] not in self._seen and len(self._seen) < _VALUES_TOLD_APART:
            if self._seen and len(self.values) < _VALUES_KEPT:
                self.values.append(match[0])
            self._seen.add(match[0])

    def as_dict(self) -> dict[str, Any]:
        """Return the group as JSON."""
        names = ("field", "reason", "count", "lines", "values", "others")
        return {name: getattr(self, name) for name in names}

    def __str__(self) -> str:
        lines = f"line {self.lines[0]:,}" if self.count == 1 else f"{self.count:,} lines"
        also = f" (also {', '.join(self.values)}" if self.values else ""
        also += f" and {self.others:,} others)" if also and self.others else ")" if also else ""
        first = f"; first in {_listed(self.lines)}" if self.count > 1 else ""
        return f"{lines}: {self.reason}{also}{first}"


def _listed(lines: Sequence[int]) -> str:
    return ("line " if len(lines) == 1 else "lines ") + ", ".join(f"{line:,}" for line in lines)


class ReasonGroups:
    """All reasons of a file, by what is the same in them; bounded, whatever the file holds."""

    def __init__(self) -> None:
        self._groups: dict[tuple[str, str], ReasonGroup] = {}

    def add(self, line: int, field: str, reason: str, *, more: int = 0) -> None:
        """Count a line for its reason, and so many others of which only the number is known."""
        key = (field, _PARTICULAR.sub("…", reason))
        group = self._groups.get(key)
        if group is None:
            if len(self._groups) >= _GROUPS_KEPT:
                key, field, reason = ("", _OTHERS), "", _OTHERS
            group = self._groups.setdefault(key, ReasonGroup(field, reason))
        group.add(line, reason, more=more)

    def ordered(self) -> list[ReasonGroup]:
        """Return the groups, the largest first."""
        return sorted(self._groups.values(), key=lambda group: -group.count)
