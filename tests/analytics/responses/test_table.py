"""Figures of classical test theory, against a table worked by hand and against naive loops."""

from __future__ import annotations

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.responses.table import Responses, question_figures, random_guess_score, total_figures
from tests.response_matrix import responses_of

MARKS = np.array([[2.0, 1, 0], [2, 0, 1], [1, 1, 0], [0, 0, 0]])
"""Four people, questions of 2, 1 and 1 marks. Totals 3, 3, 2, 0: mean 2, deviations 1, 1, 0, -2, V(T) = 6 / 3 = 2."""
MAX_MARKS = np.array([2.0, 1, 1])


def test_a_hand_worked_test():
    """Question 1: marks 2, 2, 1, 0 have the mean 1.25 and squares 9, so V = (9 - 25 / 4) / 3 = 11 / 12.
    C(x, T) = (2 + 2 + 0 + 0) / 3 = 4 / 3. Rests 1, 1, 1, 0: C(x, X) = 4 / 3 - 11 / 12 = 5 / 12, V(X) = 1 / 4.
    Sorted alone, 0, 1, 2, 2 and 0, 1, 1, 1 have the covariance (5 - 4 * 1.25 * .75) / 3 = 1.25 / 3 = 5 / 12.
    Question 2: V = 1 / 3, C(x, T) = (1 + 0) / 3 = 1 / 3, C(x, X) = 0.
    Question 3: V = 1 / 4, C(x, T) = 1 / 3, rests 3, 2, 2, 0: C(x, X) = 1 / 12, V(X) = 2 + 1 / 4 - 2 / 3 = 19 / 12.
    Sorted alone, 0, 0, 0, 1 and 0, 2, 2, 3: (3 - 4 * .25 * 1.75) / 3 = 5 / 12."""
    figures = question_figures(responses_of(MARKS, MAX_MARKS))
    assert figures.people.tolist() == [4, 4, 4]
    assert figures.facility == pytest.approx([1.25 / 2, 0.5, 0.25], abs=1e-9)
    assert figures.facility_sd == pytest.approx([np.sqrt(11 / 12) / 2, np.sqrt(1 / 3), 0.5], abs=1e-9)
    assert figures.intended_weight == pytest.approx([0.5, 0.25, 0.25], abs=1e-9)
    roots = np.sqrt([4 / 3, 1 / 3, 1 / 3])
    assert figures.effective_weight == pytest.approx(roots / roots.sum(), abs=1e-9)
    discrimination = [5 / 12 / np.sqrt(11 / 12 / 4), 0, 1 / 12 / np.sqrt(19 / 48)]
    assert figures.discrimination == pytest.approx(discrimination, abs=1e-9)
    assert figures.efficiency == pytest.approx([1, 0, 0.2], abs=1e-9)


def test_the_totals_of_a_hand_worked_test():
    """Deviations 1, 1, 0, -2: m2 = 6 / 4, m3 = -6 / 4, m4 = 18 / 4; k3 = 16 (-1.5) / 6 = -4.
    k4 = 16 (5 * 4.5 - 9 * 2.25) / 6 = 6. Consistency 3 / 2 (1 - (11/12 + 1/3 + 1/4) / 2) = 3 / 8."""
    figures = total_figures(responses_of(MARKS, MAX_MARKS))
    assert (figures.people, figures.mean, figures.median) == (4, 2.0, 2.5)
    assert figures.sd == pytest.approx(np.sqrt(2), abs=1e-9)
    assert figures.skewness == pytest.approx(-4 / 2**1.5, abs=1e-9)
    assert figures.kurtosis == pytest.approx(1.5, abs=1e-9)
    assert figures.consistency == pytest.approx(3 / 8, abs=1e-9)
    assert figures.error_ratio == pytest.approx(np.sqrt(5 / 8), abs=1e-9)
    assert figures.standard_error == pytest.approx(np.sqrt(5 / 4), abs=1e-9)


@pytest.mark.parametrize("unreached", ["zero", "left out"])
def test_sums_over_responses_agree_with_loops_over_people(unreached):
    rng = np.random.default_rng(3)
    max_marks = rng.integers(1, 6, 9).astype(float)
    marks = rng.integers(0, max_marks + 1, (31, 9)).astype(float)
    marks[rng.random(marks.shape) < 0.2] = np.nan
    figures = question_figures(responses_of(marks, max_marks), unreached)
    totals = np.nansum(marks, axis=1)
    for question in range(9):
        mark = marks[:, question]
        counts = ~np.isnan(mark) if unreached == "left out" else np.ones(31, dtype=bool)
        x = np.nan_to_num(mark)[counts]
        rest = totals[counts] - x
        assert figures.people[question] == counts.sum()
        assert figures.facility[question] == pytest.approx(x.mean() / max_marks[question])
        assert figures.discrimination[question] == pytest.approx(np.corrcoef(x, rest)[0, 1])
        largest = np.cov(np.sort(x), np.sort(rest))[0, 1]
        assert figures.efficiency[question] == pytest.approx(np.cov(x, rest)[0, 1] / largest)


def test_left_out_questions_count_only_complete_people_for_the_total():
    marks = np.vstack([MARKS, [[2, np.nan, 1]]])
    complete = total_figures(responses_of(marks, MAX_MARKS), "left out")
    assert complete == total_figures(responses_of(MARKS, MAX_MARKS))
    assert total_figures(responses_of(marks, MAX_MARKS)).people == 5


def test_a_negative_covariance_has_no_effective_weight():
    figures = question_figures(responses_of([[1, 0, 1], [0, 1, 0], [1, 0, 1]]))
    assert np.isnan(figures.effective_weight).tolist() == [False, True, False]
    assert np.nansum(figures.effective_weight) == pytest.approx(1)


@pytest.mark.parametrize("marks", [[[1.0, 1], [1, 1], [1, 1]], [[0.0], [1], [1]], [[1.0, 0]]])
def test_everybody_right_one_question_and_one_person_have_undefined_figures_not_errors(marks):
    responses = responses_of(marks)
    assert np.isnan(question_figures(responses).discrimination).all()
    assert np.isnan(question_figures(responses, "left out").efficiency).all()
    assert np.isnan(total_figures(responses).consistency)


def test_a_random_choice_scores_the_mean_weight():
    assert random_guess_score(np.array([1.0, 0.5, 0, 0])) == 0.375
    assert random_guess_score(np.array([])) == 0


@pytest.mark.parametrize(
    ("person", "question", "score", "max_marks", "message"),
    [
        ([0], [0], [1.5], [1], "from 0 to 1"),
        ([0], [0], [np.nan], [1], "from 0 to 1"),
        ([0, 0], [0, 0], [1, 0], [1], "two responses"),
        ([0], [1], [1], [1], "does not exist"),
        ([-1], [0], [1], [1], "does not exist"),
        ([0], [0], [1], [0], "above 0"),
        ([], [], [], [1], "no responses"),
        ([0, 1], [0], [1], [1], "one person"),
    ],
)
def test_responses_that_cannot_be(person, question, score, max_marks, message):
    with pytest.raises(DataError, match=message):
        Responses(
            np.array(person, dtype=int),
            np.array(question, dtype=int),
            np.array(score, dtype=float),
            np.array(max_marks),
        )
