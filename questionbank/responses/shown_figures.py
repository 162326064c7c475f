"""Figures as pages show them: in words, per cent and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.responses.options import FlagCode
from questionbank.bank.difficulty_selectors import Z_95
from questionbank.bank.series_selectors import series_starts
from questionbank.core.charts import LineChart, line_chart
from questionbank.models import ItemStatistics, Question, ResponseSet, Worksheet
from questionbank.responses.set_selectors import question_statistics, worksheet_statistics

_FLAGS = {
    FlagCode.CHECK_KEY: "The stronger pupils chose {option}: check the key ({evidence:.1f} standard errors)",
    FlagCode.WEAKER_DID_BETTER: "Weaker pupils did better than stronger ones: check how it is marked"
    " ({evidence:.1f} standard errors)",
    FlagCode.NEVER_CHOSEN: "Nobody chose {option}",
    FlagCode.LIKE_GUESSING: "As hard as guessing: {share} of the marks",
    FlagCode.LEFT_OUT: "{share} left it out",
    FlagCode.TOO_EASY: "Too easy to tell pupils apart: {share} of the marks",
    FlagCode.TOO_HARD: "Too hard to tell pupils apart: {share} of the marks",
}
COLUMNS = {
    "facility": "Facility",
    "facility_sd": "SD of the facility",
    "discrimination": "Discrimination",
    "efficiency": "Discriminative efficiency",
    "intended_weight": "Intended weight",
    "effective_weight": "Effective weight",
    "guess": "Random guess",
}
"""Figures of a question in a set, as the table and the CSV file show them."""
SHARES = frozenset(COLUMNS) - {"discrimination", "efficiency"}
TOTALS = (
    ("mean", "Mean", "marks"),
    ("median", "Median", "marks"),
    ("sd", "Standard deviation", "marks"),
    ("skewness", "Skewness", ""),
    ("kurtosis", "Kurtosis", ""),
    ("consistency", "Internal consistency (alpha)", ""),
    ("error_ratio", "Error ratio", ""),
    ("standard_error", "Standard error", "marks"),
)
SETS_BESIDE = 6  # beside each other on a worksheet's page
THIRDS = ("Weakest third", "Middle third", "Strongest third")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A question in a table of figures.

    Attributes:
        cells: (name, label, text) of each figure; an undefined one is a dash.
        flags: sentences, the most important first.
    """

    statistics: ItemStatistics
    cells: tuple[tuple[str, str, str], ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ShownOption:
    """An option with the choices of each third.

    Attributes:
        thirds: (count, share of the third) for the weakest, middle and strongest third.
    """

    label: str
    is_right: bool
    thirds: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class WorksheetQuestion:
    """A question of a worksheet after use.

    Attributes:
        cells: (class, facility) for each set.
        flags: sentences about all sets, the most important first.
    """

    question: Question
    cells: tuple[tuple[str, str], ...]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorksheetFigures:
    """How a worksheet's questions did.

    Attributes:
        sets: the latest sets, the columns of the rows.
        chart: facility by the question's number, a curve per set.
        left_out: number of earlier sets.
    """

    sets: tuple[ResponseSet, ...]
    rows: tuple[WorksheetQuestion, ...]
    chart: LineChart
    left_out: int


ShownSet = tuple[ResponseSet, ItemStatistics, str]
"""A set, the figures of a question in it, and its facility as text."""


@dataclass(frozen=True, slots=True)
class QuestionResponses:
    """What a question's page says about responses.

    Attributes:
        overall: figures over all sets; None if no set is of the current series.
        difficulty: b with the ends of its 95 % interval; None without.
        sets: figures of each set of the current series.
        earlier: figures of sets whose pupils saw the question before it was changed.
        flags: sentences, the most important first.
        options: empty without options.
    """

    overall: ItemStatistics | None
    facility: str
    discrimination: str
    difficulty: tuple[float, float, float] | None
    flags: tuple[str, ...]
    options: tuple[ShownOption, ...]
    sets: tuple[ShownSet, ...]
    earlier: tuple[ShownSet, ...]


def flag_text(flag: Mapping[str, Any]) -> str:
    """Return a flag as a sentence without its full stop.

    >>> flag_text({"code": "left out", "evidence": 0.12, "option": ""})
    '12% left it out'
    """
    evidence = float(flag["evidence"])
    return _FLAGS[FlagCode(flag["code"])].format(
        option=flag["option"], evidence=evidence, share=f"{100 * evidence:.0f}%"
    )


def figure_text(name: str, figures: Mapping[str, float]) -> str:
    """Return a figure: a share in per cent, anything else with two decimals; a dash if it is undefined.

    >>> figure_text("facility", {"facility": 0.714}), figure_text("efficiency", {})
    ('71%', '–')
    """
    value = figures.get(name)
    if value is None:
        return "–"
    return f"{100 * value:.0f}%" if name in SHARES else f"{value:.2f}"


def shown_rows(rows: Sequence[ItemStatistics], *, sort: str = "") -> list[ShownRow]:
    """Return the rows of a set's table.

    Args:
        sort: name of a figure, smallest first, or ``question``; with a minus, largest first. Otherwise the order is
            kept. Undefined figures are last.
    """
    name, sign = sort.removeprefix("-"), -1 if sort.startswith("-") else 1
    if name in COLUMNS:
        rows = sorted(rows, key=lambda row: sign * row.figures[name] if name in row.figures else float("inf"))
    elif name == "question":
        rows = sorted(rows, key=lambda row: sign * row.question_id)
    return [
        ShownRow(
            row,
            tuple((name, label, figure_text(name, row.figures)) for name, label in COLUMNS.items()),
            tuple(map(flag_text, row.flags)),
        )
        for row in rows
    ]


def sort_links(sort: str) -> list[tuple[str, str, str]]:
    """Return (label, value of `sort` that its link has, current order) of the columns by which a table sorts.

    >>> sort_links("facility")[1]
    ('Facility', '-facility', 'ascending')
    """
    return [
        (label, f"-{name}" if sort == name else name, {name: "ascending", f"-{name}": "descending"}.get(sort, ""))
        for name, label in {"question": "Question", **COLUMNS}.items()
    ]


def set_chart(rows: Sequence[ItemStatistics]) -> LineChart:
    """Return facility and discrimination of a set's questions, from the hardest to the easiest."""
    ordered = sorted((row for row in rows if "facility" in row.figures), key=lambda row: row.figures["facility"])
    series = [
        (
            COLUMNS[name],
            [(float(place), row.figures.get(name, float("nan"))) for place, row in enumerate(ordered, start=1)],
        )
        for name in ("facility", "discrimination")
    ]
    return line_chart(
        series,
        title="Facility and discrimination, from the hardest to the easiest question",
        x_label="question",
        y_label="share of the marks, and correlation",
        within=(-1, 1),
    )


def shown_worksheet(*, worksheet: Worksheet, questions: Sequence[Question]) -> WorksheetFigures:
    """Return how a worksheet's questions did in the latest classes that wrote it.

    Args:
        questions: in the order of the worksheet.
    """
    sets, figures = worksheet_statistics(worksheet=worksheet, questions=questions)
    shown = sets[:SETS_BESIDE]
    rows = []
    for question in questions:
        found = [figures.get((question.pk, response_set.pk)) for response_set in shown]
        overall = figures.get((question.pk, None))
        cells = [
            (response_set.class_label or response_set.title, figure_text("facility", row.figures if row else {}))
            for response_set, row in zip(shown, found, strict=True)
        ]
        flags = tuple(map(flag_text, overall.flags if overall else ()))
        rows.append(WorksheetQuestion(question, tuple(cells), flags))
    series = [
        (
            response_set.class_label or response_set.title,
            [
                (float(place), row.figures["facility"])
                for place, question in enumerate(questions, start=1)
                if (row := figures.get((question.pk, response_set.pk))) and "facility" in row.figures
            ],
        )
        for response_set in shown
    ]
    chart = line_chart(
        series, title="Share of the marks by question", x_label="question", y_label="share of the marks", within=(0, 1)
    )
    return WorksheetFigures(tuple(shown), tuple(rows), chart, len(sets) - len(shown))


def shown_totals(response_set: ResponseSet) -> list[tuple[str, str]]:
    """Return the figures of a test as (name, text)."""
    figures = response_set.figures
    return [(label, f"{figures[name]:.2f} {unit}".strip()) for name, label, unit in TOTALS if name in figures]


def question_responses(question: Question) -> QuestionResponses | None:
    """Return what a question's page says about responses; None if there are no figures."""
    overall, sets = question_statistics(question=question)
    if overall is None and not sets:
        return None
    figures = overall.figures if overall else {}
    since = series_starts([question.pk]).get(question.pk, 0)
    shown = [
        (row.response_set, row, figure_text("facility", row.figures)) for row in sets if row.response_set is not None
    ]
    difficulty = None
    if "difficulty" in figures and "difficulty_error" in figures:
        reach = Z_95 * figures["difficulty_error"]
        difficulty = (figures["difficulty"], figures["difficulty"] - reach, figures["difficulty"] + reach)
    return QuestionResponses(
        overall=overall,
        facility=figure_text("facility", figures),
        discrimination=figure_text("discrimination", figures),
        difficulty=difficulty,
        flags=tuple(map(flag_text, overall.flags if overall else ())),
        options=shown_options(overall.options if overall else ()),
        sets=tuple(entry for entry in shown if entry[1].version >= since),
        earlier=tuple(entry for entry in shown if entry[1].version < since),
    )


def shown_options(options: Sequence[Mapping[str, Any]]) -> tuple[ShownOption, ...]:
    """Return options with the share of each third that chose them."""
    sizes = [max(sum(option["thirds"][third] for option in options), 1) for third in range(3)]
    return tuple(
        ShownOption(
            option["label"] or "left out",
            option["weight"] > 0,
            tuple((count, count / size) for count, size in zip(option["thirds"], sizes, strict=True)),
        )
        for option in options
    )
