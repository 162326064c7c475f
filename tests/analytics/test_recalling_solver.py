"""A solver that recalls similar problems, and the graphs that a solver's solutions make likely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from analytics.analogy.examples import read_graphs
from analytics.analogy.retriever import Datastore
from analytics.recalling_solver import likely_graphs, recalling
from analytics.records import ProblemRecord
from analytics.solver.solution import solution_of
from analytics.solver.targets import problem_graph_key
from analytics.text.number_slots import number_slots
from tests.questionbank.scripted_solver import ScriptedSolver

KNOWN = [
    ProblemRecord("1", "Tom has 3 pens and 4 cups.", equation="3+4"),
    ProblemRecord("2", "Ann had 9 pies and ate 5.", equation="9-5"),
]
TEXT = "A bus had 12 seats and lost 2 of them. How many are left?"


class HandmadeRetriever:
    """Puts every text beside one of the known problems."""

    def __init__(self, nearest: int, languages: tuple[str, ...] = ("en",)) -> None:
        self.vector = np.eye(2, dtype=np.float32)[nearest]
        examples = read_graphs(KNOWN)[0]
        kept = Datastore.of(examples, np.eye(2, dtype=np.float32))
        self.datastore = Datastore(kept.codes, kept.scales, kept.equations, kept.rows, languages)
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.encoded += texts
        return np.stack([self.vector] * len(texts))


def answer(nearest: int, *equations: tuple[str, float], language: str = "en") -> tuple[str, float]:
    solver = recalling(ScriptedSolver({TEXT: equations}), HandmadeRetriever(nearest))
    ((best, *_others),) = solver.solve([ProblemRecord("", TEXT, language)])
    return best.exact, best.probability


def test_a_similar_problem_decides_where_the_solver_is_unsure():
    unsure = ("12+2", 0.4), ("12-2", 0.35)
    assert answer(1, *unsure)[0] == "10"
    assert answer(0, *unsure)[0] == "14"


def test_agreement_makes_an_answer_surer():
    assert answer(1, ("12-2", 0.6))[1] > 0.9


def test_texts_in_another_language_are_left_to_the_solver():
    assert answer(0, ("12-2", 0.6), language="fr") == ("10", 0.6)


def test_what_the_solver_does_not_solve_stays_unsolved_and_is_not_encoded():
    retriever = HandmadeRetriever(0)
    solver = recalling(ScriptedSolver({TEXT: (("12-2", 0.6),)}), retriever)
    unknown = ProblemRecord("", "Nobody told 3 or 4 equations.")
    assert solver.solve([unknown, ProblemRecord("", TEXT)])[0] == []
    assert retriever.encoded == [TEXT]
    assert solver.unsolvable_reason(ProblemRecord("", "No number.")) != ""
    assert solver.solve([]) == []


def test_without_anything_to_recall_it_is_the_solver_itself():
    scripted = ScriptedSolver({})
    retriever = HandmadeRetriever(0)
    retriever.datastore = None
    assert recalling(scripted, retriever) is scripted


def test_further_solved_problems_are_recalled_beside_those_that_are_kept():
    retriever = HandmadeRetriever(0)
    known = [
        ProblemRecord(str(row), f"On day {chr(65 + row)} he lost 4 of 9 coins.", equation="9-4") for row in range(20)
    ]
    scripted = ScriptedSolver({TEXT: (("12+2", 0.4), ("12-2", 0.35))})
    solver = recalling(scripted, retriever, solved=known)
    ((best, *_others),) = solver.solve([ProblemRecord("", TEXT)])
    assert best.exact == "10"
    assert retriever.encoded == [problem.text for problem in known] + [TEXT]


def test_nothing_is_recalled_for_a_problem_that_divides_by_zero():
    text = "8 sweets are shared by 0 children. How many does each get?"
    solver = recalling(ScriptedSolver({text: (("8/0", 0.9), ("8*0", 0.1))}), HandmadeRetriever(0))
    ((best, *_others),) = solver.solve([ProblemRecord("", text)])
    assert (best.equation, best.value) == ("8/0", None)


EGGS = "Of 12 eggs 5 broke, then 0 were bought."


def likely(*equations: tuple[str, float]) -> list[tuple[str, float]]:
    (graphs,) = likely_graphs(ScriptedSolver({EGGS: equations}), [ProblemRecord("1", EGGS, "en")])
    return [(graph.prototype, probability) for graph, probability in graphs]


def test_each_value_counts_once_by_its_likeliest_equation():
    assert likely(("12-5", 0.7), ("12+0-5", 0.6), ("12+5", 0.2)) == [("N0-N1", 0.7), ("N0+N1", 0.2)]


def test_a_number_that_the_text_repeats_is_one_number():
    text = "A pen costs 3 dollars and a pencil costs 3 dollars."
    problem = ProblemRecord("1", text, "en")
    ((graph, _probability),) = likely_graphs(RepeatedNumbers(), [problem])[0]
    assert graph.graph == problem_graph_key(text, "3+3")


class RepeatedNumbers(ScriptedSolver):
    """Writes both of the numbers, as a tree decoder may."""

    def __init__(self) -> None:
        super().__init__({})

    def _solutions(self, text):
        return [solution_of(["+", "N0", "N1"], [slot.value for slot in number_slots(text)], 0.9)]


@pytest.mark.parametrize("equations", [(), (("12/0", 0.9),)])
def test_what_has_no_value_makes_no_graph_likely(equations):
    assert likely(*equations) == []
