"""Figures of sets and of the bank: by hand, on simulated pupils, and never for fewer than five."""

from __future__ import annotations

import numpy as np
import pytest

from questionbank.responses.figures import UNKNOWN, OptionShown, SetResponses, bank_results, set_results
from tests.response_matrix import responses_of

KEYED = [OptionShown("A", 0.0), OptionShown("B", 1.0), OptionShown("C", 0.0)]


def of_marks(marks, *, ids=None, choices=None, counts_unreached=True) -> SetResponses:
    responses = responses_of(marks)
    numbers = np.arange(1, responses.questions + 1) if ids is None else np.array(ids)
    chosen = np.full(len(responses.score), UNKNOWN) if choices is None else np.array(choices).ravel()
    return SetResponses(numbers, responses, chosen, counts_unreached)


def simulated(difficulties, people: int, seed: int, *, mean: float = 0.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    ability = generator.normal(mean, 1, people)[:, None]
    chance = 1 / (1 + np.exp(-(ability - np.asarray(difficulties))))
    return (generator.random(chance.shape) < chance).astype(float)


def test_the_figures_of_a_set_are_moodles():
    totals, results = set_results(of_marks([[1, 1], [1, 0], [1, 1], [0, 0], [0, 1]]), {})
    assert totals["mean"] == pytest.approx(1.2)
    assert results[1].people == 5
    assert results[1].figures["facility"] == pytest.approx(0.6)
    assert results[1].figures["discrimination"] == pytest.approx(1 / 6)


def test_nothing_is_computed_for_fewer_than_five_pupils():
    assert set_results(of_marks(np.ones((4, 3))), {}) == ({}, {})
    assert bank_results([of_marks(np.eye(4))], {}) == {}


def test_a_question_that_fewer_than_five_reached_is_left_out_of_the_bank_too():
    marks = np.array([[1, 1], [0, 0], [1, np.nan], [0, np.nan], [1, np.nan]])
    rare = of_marks(marks, counts_unreached=False)
    usual = of_marks(simulated([0, 0], 50, 1))
    assert list(set_results(rare, {})[1]) == [1]
    results = bank_results([rare, usual], {})
    assert (results[1].people, results[2].people) == (55, 50)


def test_options_by_thirds_and_a_wrong_key():
    generator = np.random.default_rng(4)
    marks = np.column_stack([simulated([0] * 10, 90, 2), np.zeros(90)])
    totals = marks.sum(axis=1)
    choices = np.full(marks.shape, UNKNOWN)
    # The stronger choose C, though B is the key.
    choices[:, 10] = np.where(totals + generator.normal(0, 1, 90) > np.median(totals), 2, 1)
    marks[:, 10] = choices[:, 10] == 1
    result = set_results(of_marks(marks, choices=choices), {11: KEYED})[1][11]
    assert result.flags[0] | {"evidence": 0} == {"code": "check key", "option": "C", "evidence": 0}
    by_label = {option["label"]: option["thirds"] for option in result.options}
    assert by_label["C"][2] > by_label["C"][0]
    assert sum(sum(thirds) for thirds in by_label.values()) == 90
    assert [flag["option"] for flag in result.flags if flag["code"] == "never chosen"] == ["A"]


def test_marks_without_choices_give_no_table_of_options():
    result = set_results(of_marks(simulated([0] * 5, 30, 3)), {1: KEYED})[1][1]
    assert result.options == []
    assert result.figures["guess"] == pytest.approx(1 / 3, abs=1e-6)


def test_two_classes_are_linked_by_common_questions():
    difficulties = np.linspace(-1.5, 1.5, 30)
    first = of_marks(simulated(difficulties[:20], 800, 5), ids=range(20))
    second = of_marks(simulated(difficulties[10:], 800, 6, mean=1.0), ids=range(10, 30))
    results = bank_results([first, second], {})
    estimated = np.array([results[number].figures["difficulty"] for number in range(30)])
    assert np.corrcoef(estimated, difficulties)[0, 1] > 0.98
    assert abs(np.mean(estimated[20:] - difficulties[20:])) < 0.15
    assert results[15].figures["sets"] == 2
    assert results[15].people == 1600


def test_an_unreached_question_is_wrong_only_where_the_set_counts_it_so():
    marks = simulated([0] * 4, 200, 7)
    marks[100:, 3] = np.nan
    zero = bank_results([of_marks(marks)], {})[4].figures
    left_out = bank_results([of_marks(marks, counts_unreached=False)], {})[4].figures
    assert zero["facility"] < left_out["facility"]
    assert zero["difficulty"] > left_out["difficulty"] + 0.5
