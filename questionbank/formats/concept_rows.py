"""Lines that hold a concept instead of a question: a file that contains a hierarchy.

``{"path": ["Maths", "Number"]}`` gives its full path; ``{"id": 32, "name": "Number", "parent": 3}`` is placed by
following the parents, which may appear anywhere in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.json_lines import string_problem
from analytics.records import ConceptPath
from questionbank.core.errors import ImportRefused, LineProblem
from questionbank.formats import limits
from questionbank.formats.fields import FieldProblems, concept_name_problem, concept_path


@dataclass(frozen=True, slots=True)
class ConceptRow:
    """One concept of a file; `path` is empty if only the parent gives its position."""

    line: int
    id: str
    name: str
    parent: str
    path: ConceptPath


def is_concept_row(row: Mapping[str, Any]) -> bool:
    """Return whether a line without question text describes a concept."""
    return row.get("text") is None and ("path" in row or "name" in row) and "options" not in row


def read_concept_row(row: Mapping[str, Any], line: int) -> ConceptRow:
    """Build the concept from one line.

    Raises:
        FieldProblems: a field cannot be used.
    """
    identifier = _key(row, "id")
    parent = _key(row, "parent")
    path: ConceptPath = ()
    if row.get("path") is not None:
        if type(row["path"]) is not list:
            raise FieldProblems([("path", "path must be a list of names")])
        path, reason = concept_path(row["path"])
        if reason:
            raise FieldProblems([("path", f"path: names {reason}")])
    raw_name = row.get("name", path[-1] if path else "")
    if type(raw_name) is not str:
        raise FieldProblems([("name", "name must be a string")])
    name = " ".join(raw_name.split())
    if not name:
        raise FieldProblems([("name", "name is empty")])
    reason = concept_name_problem(name)
    if reason:
        raise FieldProblems([("name", f"name {reason}")])
    return ConceptRow(line, identifier, name, parent, path)


def _key(row: Mapping[str, Any], field: str) -> str:
    value = row.get(field)
    if value is None:
        return ""
    if type(value) not in (int, str):
        raise FieldProblems([(field, f"{field} must be a string or a whole number")])
    text = str(value)
    reason = string_problem(text, limits.ID_LIMIT)
    if reason:
        raise FieldProblems([(field, f"{field} {reason}")])
    return text


def resolve_concept_rows(rows: Sequence[ConceptRow]) -> tuple[list[ConceptPath], list[LineProblem]]:
    """Return the path of each concept by following its parents, and a problem for each line that cannot be placed.

    Raises:
        ImportRefused: the parents form a cycle.
    """
    by_id = {row.id: row for row in rows if row.id}
    paths: dict[str, ConceptPath] = {}
    placed: list[ConceptPath] = []
    problems: list[LineProblem] = []
    for row in rows:
        chain: list[ConceptRow] = []
        seen: set[str] = set()
        at: ConceptRow | None = row
        base: ConceptPath | None = ()
        while at is not None:
            if at.id and at.id in paths:
                base = paths[at.id]
                break
            if at.id in seen:
                _refuse_cycle(chain, at)
            chain.append(at)
            if at.id:
                seen.add(at.id)
            if at.parent and at.parent not in by_id:
                base = () if at.path else None
                break
            at = by_id[at.parent] if at.parent else None
        if base is None:
            problems.append(LineProblem(row.line, f"parent {chain[-1].parent!r} is not in the file", "parent"))
            continue
        for link in reversed(chain):
            base = link.path or (*base, link.name)[: limits.CONCEPT_DEPTH_LIMIT + 1]
            if link.id:
                paths[link.id] = base
        if len(base) > limits.CONCEPT_DEPTH_LIMIT:
            reason = f"the concept lies deeper than {limits.CONCEPT_DEPTH_LIMIT} levels"
            problems.append(LineProblem(row.line, reason, "parent"))
            continue
        placed.append(base)
    return placed, problems


def _refuse_cycle(chain: Sequence[ConceptRow], again: ConceptRow) -> None:
    start = next(index for index, row in enumerate(chain) if row.id == again.id)
    ring = [*reversed(chain[start:])]
    names = " > ".join(row.name for row in [ring[-1], *ring])
    lines = sorted(row.line for row in ring)
    message = f"The concepts form a cycle: {names}."
    raise ImportRefused(message, [LineProblem(line, "this concept is its own ancestor", "parent") for line in lines])
