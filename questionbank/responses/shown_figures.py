"""Figures as pages show them: in words, per cent and intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from analytics.responses.flags import FlagCode
from questionbank.bank.history_selectors import series_starts
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
    FlagCode.MISFIT: "Right answers do not rise with ability as elsewhere (p = {evidence:.2g})",
    FlagCode.DEPENDENT: "Right answers go together with those to question {option} beyond ability: they may share a"
    " text, or one gives away the other (Q3 = {evidence:.2f})",
}
_OF_SETS = (FlagCode.MISFIT, FlagCode.DEPENDENT)
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
OVERALL = (
    "facility", "discrimination", "guess", "sets", "slope", "slope_error", "difficulty", "difficulty_error",
    "percent", "percent_low", "percent_high", "text_percent", "text_low", "text_high", "surprise",
)  # fmt: skip
"""Figures of a question over all sets, as the CSV file has them."""
SHARES = frozenset(COLUMNS) - {"discrimination", "efficiency"}
TOTALS = (
    ("mean", "Mean mark"),
    ("median", "Median mark"),
    ("sd", "Standard deviation, in marks"),
    ("skewness", "Skewness"),
    ("kurtosis", "Kurtosis"),
    ("consistency", "Internal consistency (alpha)"),
    ("error_ratio", "Error ratio"),
    ("standard_error", "Standard error, in marks"),
)
SETS_BESIDE = 6  # beside each other on a worksheet's page


Interval = tuple[float, float, float]
"""A figure in per cent with the ends of its interval."""

_BEFORE, _AFTER = ("text_percent", "text_low", "text_high"), ("percent", "percent_low", "percent_high")


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

    @property
    def before(self) -> Interval | None:
        """Share of wrong answers expected by the text alone, in per cent."""
        return _interval(self.statistics.figures, _BEFORE)

    @property
    def after(self) -> Interval | None:
        """Share of wrong answers by responses and text, in per cent."""
        return _interval(self.statistics.figures, _AFTER)


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


SURPRISING = 2.5
"""From this difference on, in standard errors, responses contradict the text."""


@dataclass(frozen=True, slots=True)
class QuestionResponses:
    """What a question's page says about responses.

    Attributes:
        overall: figures over all sets; None if no set is of the current series.
        is_awaited: whether a job has still to compute the figures over all sets.
        before: share of wrong answers expected by the text alone, with the ends of its 95 % interval; None without.
        after: the same by responses and text.
        surprise: by how many standard errors the responses differ from the text, if by `SURPRISING` or more.
        years: the share of wrong answers in each school year, as (year, pupils, percent, low, high).
        sets: figures of each set of the current series.
        earlier: figures of sets whose pupils saw the question before it was changed.
        merged: figures of sets whose pupils saw a question that was merged into it.
        flags: sentences, the most important first.
        options: empty without options.
    """

    overall: ItemStatistics | None
    facility: str
    discrimination: str
    is_awaited: bool
    before: Interval | None
    after: Interval | None
    surprise: float | None
    years: tuple[tuple[str, int, float, float, float], ...]
    flags: tuple[str, ...]
    options: tuple[ShownOption, ...]
    sets: tuple[ShownSet, ...]
    earlier: tuple[ShownSet, ...]
    merged: tuple[ShownSet, ...]


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
            [
                (float(place), round(row.figures.get(name, float("nan")), 2))
                for place, row in enumerate(ordered, start=1)
            ],
        )
        for name in ("facility", "discrimination")
    ]
    return line_chart(
        series,
        title="Facility and discrimination, from the hardest to the easiest question",
        x_label="question",
        y_label="share of the marks, and correlation",
        within=(-1, 1),
        shows_last=False,
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
                (float(place), round(row.figures["facility"], 2))
                for place, question in enumerate(questions, start=1)
                if (row := figures.get((question.pk, response_set.pk))) and "facility" in row.figures
            ],
        )
        for response_set in shown
    ]
    chart = line_chart(
        series,
        title="Share of the marks by question",
        x_label="question",
        y_label="share of the marks",
        within=(0, 1),
        shows_last=False,
    )
    return WorksheetFigures(tuple(shown), tuple(rows), chart, len(sets) - len(shown))


def shown_totals(response_set: ResponseSet) -> list[tuple[str, str]]:
    """Return the figures of a test as (name, text)."""
    figures = response_set.figures
    return [(label, f"{figures[name]:.2f}") for name, label in TOTALS if name in figures]


def question_responses(question: Question, *, merged: Sequence[int] = ()) -> QuestionResponses | None:
    """Return what a question's page says about responses; None if there are no figures.

    Args:
        merged: questions that were merged into it.
    """
    overall, sets = question_statistics(question=question, merged=merged)
    if overall is None and not sets:
        return None
    figures = overall.figures if overall else {}
    since = series_starts([question.pk]).get(question.pk, 0)
    shown = [
        (row.response_set, row, figure_text("facility", row.figures)) for row in sets if row.response_set is not None
    ]
    own = [entry for entry in shown if entry[1].question_id == question.pk]
    current = tuple(entry for entry in own if entry[1].version >= since)
    surprise = figures.get("surprise", 0.0)
    return QuestionResponses(
        overall=overall,
        facility=figure_text("facility", figures),
        discrimination=figure_text("discrimination", figures),
        is_awaited=bool(own)
        and (overall is None or any(row.computed_at > overall.computed_at for _set, row, _facility in own)),
        before=_interval(figures, _BEFORE),
        after=_interval(figures, _AFTER),
        surprise=surprise if abs(surprise) >= SURPRISING else None,
        years=tuple(
            (school_year(year["year"]), year["people"], year["percent"], year["low"], year["high"])
            for year in (overall.years if overall else ())
        ),
        flags=tuple(dict.fromkeys(map(flag_text, [*(overall.flags if overall else ()), *_fit_flags(current)]))),
        options=shown_options(overall.options if overall else ()),
        sets=current,
        earlier=tuple(entry for entry in own if entry[1].version < since),
        merged=tuple(entry for entry in shown if entry[1].question_id != question.pk),
    )


def _fit_flags(sets: Sequence[ShownSet]) -> list[dict[str, Any]]:
    """Return the flags that only a model of each set gives."""
    return [flag for _set, row, _facility in sets for flag in row.flags if flag["code"] in _OF_SETS]


def school_year(first: int) -> str:
    """Return the name of a school year.

    >>> school_year(2025)
    '2025/26'
    """
    return f"{first}/{(first + 1) % 100:02d}"


def _interval(figures: Mapping[str, float], names: tuple[str, str, str]) -> Interval | None:
    if not all(name in figures for name in names):
        return None
    return figures[names[0]], figures[names[1]], figures[names[2]]


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
