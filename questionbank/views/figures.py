"""The figures of a model or of a job as rows of a table, by what people call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from questionbank.selectors.registry.models import GateOutcome
from questionbank.templatetags.pages import readable
from questionbank.views.curves import metric_name

_SUITES = ("held_out", "validation")  # groups whose figures name the suite themselves
_RESULT_NAMES = {"passes": "Passes the gate", "outcome": "Outcome"}
_OUTCOMES = {
    GateOutcome.BETTER: "better than the champion",
    GateOutcome.NOT_BETTER: "not better than the champion",
    GateOutcome.REFUSED: "refused by the gate",
}
_NOT_SHOWN = ("comparison",)  # a number that no page takes: a button leads to the comparison


def figure_rows(figures: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the figures by name; those of a group have the group's name before theirs.

    >>> figure_rows({"difficulty": {"mae": 0.6}, "validation": {"steps": 5}})
    [('Difficulty: mean absolute error', 0.6), ('Steps', 5)]
    """
    rows: list[tuple[str, Any]] = []
    for name, value in figures.items():
        if not isinstance(value, dict):
            rows.append((metric_name(name), value))
            continue
        prefix = "" if name in _SUITES else f"{name}_"  # by the group's name: ``test_same_graph`` of ``test``
        inner = figure_rows(
            {part.removeprefix(prefix): figure for part, figure in value.items() if part != "levels"}
        )
        inner += _level_rows(value.get("levels", {}))
        rows += inner if name in _SUITES else [(_joined(name, label), figure) for label, figure in inner]
    return rows


def _level_rows(levels: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """Return the figures of each level of a hierarchy."""
    return [
        (f"Level {level}: {_lower(label)}", figure)
        for level, figures in levels.items()
        for label, figure in figure_rows(figures)
    ]


def _joined(group: str, label: str) -> str:
    return f"{readable(group)}: {_lower(label)}"


def _lower(label: str) -> str:
    """Return a label inside a sentence; an abbreviation stays as it is."""
    return label if label[1:2].isupper() else label[:1].lower() + label[1:]


def _result_value(name: str, value: Any) -> Any:
    """Return a plain value of a job's result; the verdict of a comparison in words."""
    return _OUTCOMES.get(value, value) if name == "outcome" else value


def result_tables(result: Mapping[str, Any]) -> list[tuple[str, list[tuple[str, Any]]]]:
    """Return what a job's result holds: its plain values under an empty title, then a table for each group."""
    plain = [
        (str(_RESULT_NAMES.get(name, readable(name))), _result_value(name, value))
        for name, value in result.items()
        if not isinstance(value, dict) and value != [] and name not in _NOT_SHOWN
    ]
    groups = [
        (readable(name), figure_rows(value))
        for name, value in result.items()
        if isinstance(value, dict) and value
    ]
    return [*([("", plain)] if plain else []), *groups]
