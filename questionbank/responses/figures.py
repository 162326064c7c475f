"""The figures of questions: classical ones for each set of responses, a model of difficulties over all of them.

Names of figures of a set: `facility`, `facility_sd`, `intended_weight`, `effective_weight`, `discrimination`,
`efficiency`, `guess`. Names of figures of all sets:

- `facility`, `discrimination`, `guess`, `sets`;
- `slope`, `difficulty` and their standard errors `slope_error`, `difficulty_error`: a and b of the two-parameter model,
  with what the texts say;
- `percent`, `percent_low`, `percent_high`: the share of wrong answers that b means, with its 95 % interval;
- `text_percent`, `text_low`, `text_high`: the same from the text alone;
- `surprise`: by how many standard errors b by the responses differs from b by the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from analytics.responses.combined import CombinedModel, KnownBefore, difficulty_of_groups, fit_combined
from analytics.responses.flags import BLANK, Flag, can_tell_fit, fit_flags, option_figures, option_flags, score_flags
from analytics.responses.item_response import ModelSettings, Priors, fit_item_response
from analytics.responses.table import (
    Floats,
    Indices,
    Responses,
    Unreached,
    question_figures,
    random_guess_score,
    total_figures,
)

FEWEST_PUPILS = 5
"""Nothing is shown for fewer, so that no single pupil's answers can be told."""

UNKNOWN = -2
"""The choice of a pupil who answered, but the option is not known."""

_ATTRACTION = 0.05  # how much less often than at random a guess is right: wrong options attract (decision 160)
_LARGEST_GUESS = 0.9
_PRIORS = Priors(log_slope_sd=0.3, location_sd=4.0)  # wide for locations, because those of hundreds contract the scale
_NODES, _TOLERANCE = 21, 1e-3


@dataclass(frozen=True)
class SetResponses:
    """First attempts of one set.

    Attributes:
        questions: ids of the questions, (questions,).
        responses: persons and questions as indices.
        choices: index of the chosen option of each response, or `UNKNOWN`, (responses,).
        counts_unreached: whether a question without a response counts as 0 marks.
        year: first calendar year of the school year of the test; None if its day is not known.
    """

    questions: Indices
    responses: Responses
    choices: Indices
    counts_unreached: bool
    year: int | None = None

    def usable(self) -> SetResponses | None:
        """Return the set without questions that fewer than five pupils reached; None if nothing is left."""
        counts = np.bincount(self.responses.question, minlength=len(self.questions))
        keeps = counts >= FEWEST_PUPILS
        rows = keeps[self.responses.question]
        if self.responses.people < FEWEST_PUPILS or not rows.any():
            return None
        places = np.cumsum(keeps) - 1
        kept = self.responses
        responses = Responses(
            kept.person[rows],
            places[kept.question[rows]],
            kept.score[rows],
            kept.max_marks[keeps],
            np.zeros(kept.people, dtype=np.int64),
        )
        return replace(self, questions=self.questions[keeps], responses=responses, choices=self.choices[rows])


@dataclass(frozen=True)
class OptionShown:
    """An option with its label and its share of the mark."""

    label: str
    weight: float


@dataclass(frozen=True, slots=True)
class Expected:
    """What is known of a question's difficulty without the responses of these sets.

    Attributes:
        percent: estimate from its text with the ends of its interval, 0 easy to 100 hard; None if there is none.
        scale: name of the estimate's scale.
        facility: share of the mark that pupils elsewhere reached, and the number of their responses; None if unknown.
    """

    percent: tuple[float, float, float] | None = None
    scale: str = ""
    facility: tuple[float, int] | None = None


@dataclass
class QuestionResult:
    """What is stored as `ItemStatistics`; see there."""

    people: int
    figures: dict[str, float]
    options: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, Any]] = field(default_factory=list)
    years: list[dict[str, float]] = field(default_factory=list)


@dataclass(frozen=True)
class _QuestionRows:
    """How the pupils of one or several sets did with a question.

    Attributes:
        score: (people,).
        ability: the rest of the total in standard deviations of the set, (people,).
        choice: index of an option, `BLANK` or `UNKNOWN`, (people,).
    """

    score: Floats
    ability: Floats
    choice: Indices


def set_results(
    data: SetResponses, options: Mapping[int, Sequence[OptionShown]]
) -> tuple[dict[str, float], dict[int, QuestionResult]]:
    """Return the figures of a set's totals, and of each question by id; both are empty for fewer than five pupils."""
    usable = data.usable()
    if usable is None:
        return {}, {}
    unreached: Unreached = "zero" if usable.counts_unreached else "left out"
    classical = question_figures(usable.responses, unreached)
    results = {}
    for place, rows in enumerate(_question_rows(usable)):
        question = int(usable.questions[place])
        shown = options.get(question, ())
        named = {item.name: getattr(classical, item.name)[place] for item in fields(classical)}
        people = int(named.pop("people"))
        named["guess"] = random_guess_score(np.array([option.weight for option in shown]))
        results[question] = _result(people, named, rows, shown)
    return _known(asdict(total_figures(usable.responses, unreached))), results


def set_fit_flags(data: SetResponses, options: Mapping[int, Sequence[OptionShown]]) -> dict[int, list[dict[str, Any]]]:
    """Return by id the flags of questions that do not fit a set's model; empty if the set is too small to tell."""
    usable = data.usable()
    if usable is None:
        return {}
    responses = _pooled([usable], usable.questions)
    if not can_tell_fit(responses):
        return {}
    guess = guess_chances(usable.questions, options)
    model = fit_item_response(responses, ModelSettings(guess, _PRIORS, nodes=_NODES, tolerance=_TOLERANCE))
    names = [str(number) for number in usable.questions]
    flags = fit_flags(responses, model)
    return {int(number): _flags(found, names) for number, found in zip(usable.questions, flags, strict=True) if found}


def bank_results(
    sets: Sequence[SetResponses],
    options: Mapping[int, Sequence[OptionShown]],
    expected: Mapping[int, Expected] | None = None,
) -> dict[int, QuestionResult]:
    """Return the figures of each question over all sets, by id; the model has one group per set."""
    usable = [data for found in sets if (data := found.usable()) is not None]
    rows: dict[int, list[_QuestionRows]] = {}
    for data in usable:
        for question, found in zip(data.questions, _question_rows(data), strict=True):
            rows.setdefault(int(question), []).append(found)
    if not rows:
        return {}
    ids = np.array(sorted(rows))
    settings = ModelSettings(guess_chances(ids, options), _PRIORS, nodes=_NODES, tolerance=_TOLERANCE)
    combined = fit_combined(_pooled(usable, ids), settings, _known_before(ids, expected or {}))
    years = _by_year(combined, usable, ids, rows)
    results = {}
    for place, question in enumerate(map(int, ids)):
        parts = rows[question]
        together = _QuestionRows(*(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(parts[0])))
        named = {
            "facility": float(together.score.mean()),
            "discrimination": _correlation(together.score, together.ability),
            "guess": random_guess_score(np.array([option.weight for option in options.get(question, ())])),
            "sets": len(parts),
            "slope": combined.model.slope[place],
            "slope_error": combined.model.slope_error[place],
            "difficulty": combined.after.location[place],
            "difficulty_error": combined.after.error[place],
            **dict(zip(("percent", "percent_low", "percent_high"), combined.after.percent[:, place], strict=True)),
            **dict(zip(("text_percent", "text_low", "text_high"), combined.before.percent[:, place], strict=True)),
            "surprise": combined.surprise[place],
        }
        results[question] = _result(len(together.score), named, together, options.get(question, ()))
        results[question].years = years.get(question, [])
    return results


def guess_chances(ids: Indices, options: Mapping[int, Sequence[OptionShown]]) -> Floats:
    """Return the chance of guessing each question right: 0 for one without options."""
    shares = [random_guess_score(np.array([option.weight for option in options.get(int(pk), ())])) for pk in ids]
    return np.clip(np.array(shares) - _ATTRACTION, 0.0, _LARGEST_GUESS)


def _known_before(ids: Indices, expected: Mapping[int, Expected]) -> KnownBefore:
    """Return what is expected of the questions as columns."""
    rows = [expected.get(int(pk), Expected()) for pk in ids]
    percents = np.array([row.percent or (np.nan, np.nan, np.nan) for row in rows])
    facilities = np.array([row.facility or (np.nan, 0) for row in rows], dtype=float)
    scales = np.unique([row.scale for row in rows], return_inverse=True)[1]
    (percent, low, high), (facility, responses) = percents.T, facilities.T
    return KnownBefore(percent, low, high, scales, facility, responses)


def _by_year(
    combined: CombinedModel, sets: Sequence[SetResponses], ids: Indices, rows: Mapping[int, Sequence[_QuestionRows]]
) -> dict[int, list[dict[str, float]]]:
    """Return the difficulty in each school year, by id, of questions that were asked in several."""
    left = {number: iter(parts) for number, parts in rows.items()}  # in the order of the sets
    counts: dict[int, list[tuple[int, Indices, Floats, Floats]]] = {}
    people: Counter[tuple[int, int]] = Counter()
    for group, data in enumerate(sets):
        scores = [next(left[int(number)]).score for number in data.questions]
        if data.year is None:
            continue
        numbers, totals = np.array([len(score) for score in scores], dtype=float), np.array([s.sum() for s in scores])
        counts.setdefault(data.year, []).append((group, np.searchsorted(ids, data.questions), numbers, totals))
        people.update({(int(pk), data.year): int(n) for pk, n in zip(data.questions, numbers, strict=True)})
    found: dict[int, list[dict[str, float]]] = {}
    for year in sorted(counts):
        for place, difficulty in difficulty_of_groups(combined, counts[year]).items():
            percent, low, high = (round(float(value), 3) for value in difficulty.percent[:, 0])
            number = int(ids[place])
            shown = {"year": year, "people": people[number, year], "percent": percent, "low": low, "high": high}
            found.setdefault(number, []).append(shown)
    return {number: years for number, years in found.items() if len(years) > 1}


def _pooled(sets: Sequence[SetResponses], ids: Indices) -> Responses:
    """Return all responses with one group per set; an unreached question is wrong where the set counts it so."""
    people = 0
    columns: list[tuple[Indices, Indices, Floats]] = []
    groups = []
    for data in sets:
        person, question, score = data.responses.person, data.responses.question, data.responses.score
        if data.counts_unreached:
            table = np.zeros((data.responses.people, len(data.questions)))
            table[person, question] = score
            person, question = (axis.ravel() for axis in np.indices(table.shape))
            score = table.ravel()
        columns.append((person + people, np.searchsorted(ids, data.questions)[question], score))
        groups.append(data.responses.people)
        people += data.responses.people
    person, question, score = (np.concatenate(parts) for parts in zip(*columns, strict=True))
    group = np.repeat(np.arange(len(groups)), groups)
    return Responses(person, question, score, np.ones(len(ids)), group)


def _question_rows(data: SetResponses) -> list[_QuestionRows]:
    responses = data.responses
    found = []
    for rows in responses.rows_by_question:
        people = responses.person[rows]
        rest = responses.totals.copy()
        rest[people] -= responses.marks[rows]
        spread = rest.std()
        ability = (rest - rest.mean()) / (spread if spread > 1e-9 else 1.0)
        if data.counts_unreached:
            score, choice = np.zeros(responses.people), np.full(responses.people, BLANK)
            score[people], choice[people] = responses.score[rows], data.choices[rows]
            found.append(_QuestionRows(score, ability, choice))
        else:
            found.append(_QuestionRows(responses.score[rows], ability[people], data.choices[rows]))
    return found


def _result(
    people: int, named: Mapping[str, float], rows: _QuestionRows, options: Sequence[OptionShown]
) -> QuestionResult:
    labels = [option.label for option in options]
    known = rows.choice != UNKNOWN
    if options and (rows.choice[known] >= 0).sum() >= FEWEST_PUPILS and any(option.weight > 0 for option in options):
        choice, ability = rows.choice[known], rows.ability[known]
        weights = np.array([option.weight for option in options])
        chosen = option_figures(choice, ability, len(options))
        shown = [
            {
                "label": option.label,
                "weight": option.weight,
                "thirds": chosen.counts[:, place].tolist(),
                "ability": None if np.isnan(chosen.ability[place]) else round(float(chosen.ability[place]), 3),
            }
            for place, option in enumerate(options)
        ]
        left_out = {"label": "", "weight": 0.0, "thirds": chosen.left_out.tolist(), "ability": None}
        shown += [left_out] if chosen.left_out.any() else []
        return QuestionResult(people, _known(named), shown, _flags(option_flags(choice, ability, weights), labels))
    flags = score_flags(rows.score, rows.ability, left_out=rows.choice == BLANK)
    return QuestionResult(people, _known(named), flags=_flags(flags, labels))


def _flags(flags: Sequence[Flag], labels: Sequence[str]) -> list[dict[str, Any]]:
    return [
        {
            "code": flag.code.value,
            "evidence": round(flag.evidence, 3),
            "option": labels[flag.option] if flag.option >= 0 else "",
        }
        for flag in flags
    ]


def _known(named: Mapping[str, float]) -> dict[str, float]:
    """Return the figures that are defined."""
    return {name: round(float(value), 9) for name, value in named.items() if np.isfinite(value)}


def _correlation(first: npt.NDArray[np.float64], second: npt.NDArray[np.float64]) -> float:
    if np.ptp(first) < 1e-9 or np.ptp(second) < 1e-9:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])
