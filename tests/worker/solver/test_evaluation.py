"""Measuring solvers and retrieve-and-apply."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from analytics.errors import DataError
from analytics.records import ProblemRecord
from analytics.solver.plausibility import answer_to_count
from analytics.solver.solution import Solution, solution_of
from analytics.solver.targets import solver_example, solver_examples
from questionbank.core.errors import NotFound, ServiceUnavailable
from worker.solver.evaluation import (
    RetrieveAndApply,
    evaluate_solver,
    evaluate_solver_model,
    figures_of,
    outcomes_of,
    term_vectors,
)

ROWS = (
    ("Ann has 7 pens and finds 2 pens. How many pens?", "7+2"),
    ("Bob has 9 hats and loses 5 hats. How many hats?", "9-5"),
    ("There are 4 boxes of 6 eggs. How many eggs are in the boxes?", "4*6"),
    ("A coat of 80 dollars is 25 % off. What does the coat cost?", "80*(1-25%)"),
)


def problems(fold: int | None = None) -> list[ProblemRecord]:
    return [ProblemRecord(str(number), text, "en", equation, fold=fold) for number, (text, equation) in enumerate(ROWS)]


class Adding:
    """Adds the first two numbers, and is sure of it; of a coat it knows nothing."""

    name = "adding"

    def solve(self, batch: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        return [
            []
            if "coat" in problem.text
            else [solution_of(["+", "N0", "N1"], solver_example(replace(problem, equation="")).values, 0.75)]
            for problem in batch
        ]

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        return ""


def test_figures_by_hand():
    learned = [ProblemRecord("x", "Ann has 30 pens and finds 11 pens. How many pens?", "en", "30+11")]
    figures = figures_of(outcomes_of(Adding(), [*problems(), ProblemRecord("y", "5 or 6?", "en", "5+(")], learned))
    assert (figures["problems"], figures["answer_accuracy"], figures["equation_accuracy"]) == (5, 0.2, 0.2)
    assert figures["by_operators"]["1"] == {
        "problems": 3, "equation_accuracy": pytest.approx(1 / 3), "answer_accuracy": pytest.approx(1 / 3),
        "published_accuracy": None,
    }  # fmt: skip
    assert figures["by_operators"]["2"]["answer_accuracy"] == 0
    assert figures["by_operators"]["unreadable"]["problems"] == 1
    assert (figures["twins"]["problems"], figures["twins"]["answer_accuracy"]) == (1, 1)
    assert (figures["without_twins"]["problems"], figures["without_twins"]["answer_accuracy"]) == (4, 0)
    # four answers at 0.75, one of them right: a gap of 4 * 0.75 - 1; none for the problem without an answer
    assert figures["calibration_error"] == pytest.approx(2 / 5)
    low, high = figures["answer_interval"]
    assert 0 <= low < 0.2 < high <= 1


def test_a_rounded_answer_is_measured_by_its_quotient_and_by_the_published_answer():
    text = "A car holds 5 of 28 pupils. How many cars are needed?"

    class Dividing(Adding):
        def solve(self, batch, *, beam=3):
            return [[answer_to_count(text, solution_of(["/", "N1", "N0"], [Fraction(5), Fraction(28)], 0.75))]]

    cars = ProblemRecord("c", text, "en", "28/5", answer="6 cars")
    outcomes = [
        outcome
        for answer in ("6 cars", "5.6", "some")
        for outcome in outcomes_of(Dividing(), [replace(cars, answer=answer)])
    ]
    assert [(outcome.is_answer_right, outcome.is_published) for outcome in outcomes] == [
        (True, True), (True, False), (True, None),
    ]  # fmt: skip
    assert figures_of(outcomes)["published_accuracy"] == 0.5


def test_a_repeated_number_may_be_copied_from_either_place():
    double = ProblemRecord("d", "7 pens here, 7 pens there?", "en", "7+7")
    [outcome] = outcomes_of(Adding(), [double])
    assert outcome.is_equation_right
    assert outcome.equation == "7+7"


def test_the_nearest_equation_is_filled_with_the_questions_numbers():
    known = solver_examples(problems(), most_tokens=45)
    vectors, encode = term_vectors(known)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, rtol=1e-5)
    solver = RetrieveAndApply(known, vectors, encode, name="tfidf")
    questions = [
        ProblemRecord("a", "There are 3 boxes of 5 eggs. How many eggs are in the boxes?"),
        ProblemRecord("b", "A coat of 50 dollars is 10 % off. What does the coat cost?"),
        ProblemRecord("c", "A coat of some dollars is off. What does the coat cost?"),
    ]
    solutions = solver.solve(questions)
    assert [[solution.value for solution in own] for own in solutions] == [[15.0], [45.0], []]
    assert solver.solve([]) == []


def test_a_set_in_folds_is_measured_fold_by_fold(tmp_path):
    def other_numbers(text: str, fold: int) -> str:  # an equal text of another fold would be left out
        return re.sub(r"(?<!\()\b\d+", lambda number: str(int(number[0]) + 40 * fold), text)

    rows = [
        {"id": f"{fold}{problem.id}", "text": other_numbers(problem.text, fold),
         "equation": other_numbers(problem.equation, fold), "fold": fold}
        for fold in (0, 1) for problem in problems()
    ]  # fmt: skip
    data = tmp_path / "cv.jsonl"
    data.write_text("\n".join(map(json.dumps, rows)))
    encoded: list[str] = []

    def frozen(texts: list[str]) -> np.ndarray:
        encoded.extend(texts)
        return np.eye(9, dtype=np.float32)[[len(text) % 9 for text in texts]]

    figures = evaluate_solver(data, Adding(), name="adding", frozen=frozen)
    assert sorted(encoded) == sorted({row["text"] for row in rows})  # each once
    assert set(figures["figures"]) == {"trained", "retrieve_tfidf", "retrieve_encoder"}
    assert figures["tested"] == "by fold"
    assert figures["figures"]["retrieve_tfidf"]["answer_accuracy"] == 1  # its twin stands in the other fold
    assert figures["figures"]["trained"]["answer_accuracy"] == 0.25
    assert figures["figures"]["trained"]["twins"]["problems"] == 8
    assert figures["differences"]["retrieve_tfidf"]["difference"] == -0.75
    assert figures["differences"]["retrieve_tfidf"]["high"] < 0


def test_one_file_without_folds_measures_the_solver_alone(tmp_path):
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(json.dumps({"text": text, "equation": equation}) for text, equation in ROWS))
    assert set(evaluate_solver(data, Adding())["figures"]) == {"trained"}
    with pytest.raises(DataError, match="no solver, and no problem"):
        evaluate_solver(data, None)


@pytest.mark.django_db
def test_the_command_needs_data_and_a_solver(tmp_path):
    with pytest.raises(NotFound, match="no model with the number"):
        evaluate_solver_model({"data": tmp_path, "model": str(tmp_path / "nowhere")})
    with pytest.raises(NotFound, match="no model with the number 77"):
        evaluate_solver_model({"data": tmp_path, "model": "77"})
    with pytest.raises(ServiceUnavailable, match="no solver yet"):
        evaluate_solver_model({"data": tmp_path, "model": "default"})
