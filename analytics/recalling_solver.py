"""A solver and a retriever together: each makes the other better. Torch-free.

`RecallingSolver` also tries the graphs of similar solved problems, and `likely_graphs` turns a solver's solutions
into the graphs by which exemplars are ranked (`analytics.analogy.exemplars`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from analytics.analogy.exemplars import LikelyGraphs
from analytics.analogy.graphs import readable_text_graph
from analytics.analogy.retrieve_and_apply import AppliedAnswer, Neighbour, apply_graphs
from analytics.analogy.retriever import Datastore, ServedRetriever, kept_examples
from analytics.errors import DataError
from analytics.expression.evaluate import answers_agree, renumbered
from analytics.expression.tree import to_prefix
from analytics.languages import primary_language
from analytics.records import ProblemRecord
from analytics.solver.confidence import mixed_solutions, pooled_solutions
from analytics.solver.plausibility import answer_to_count, plausible_first
from analytics.solver.served import without_solution
from analytics.solver.solution import ProblemSolver, Solution, divides_by_zero, solution_of
from analytics.text.number_slots import SlotNumbers

Recall = Callable[[ProblemRecord, npt.NDArray[np.float32]], Sequence[Neighbour]]

NEIGHBOURS = 32
"""Most similar problems that are weighed."""
_TWIN = 0.98  # probability of the equation of the same text with different numbers
_ANSWERS = 5  # of the neighbours, weighed against the solver's answers
_SOLUTIONS = 5  # per problem, for its likely graphs


class RecallingSolver:
    """Pools a solver's answers with those of similar problems; implements `analytics.solver.solution.ProblemSolver`.

    Args:
        solver: also decides which problems can be solved, whatever similar problems suggest.
        retriever: finds similar problems in its datastore, for texts in the datastore's languages.
        further: recalls other solved problems, nearest first, given a problem and its vector.
    """

    def __init__(
        self, solver: ProblemSolver, retriever: ServedRetriever, datastore: Datastore, further: Recall | None = None
    ) -> None:
        self.solver, self._retriever, self._datastore = solver, retriever, datastore
        self._further = further
        self.name = solver.name

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """Return up to `beam` solutions per problem with different values, the likeliest first."""
        solutions = self.solver.solve(problems, beam=beam)
        rows = [
            row
            for row, candidates in enumerate(solutions)
            if candidates and not divides_by_zero(candidates[0]) and self._knows(problems[row].language)
        ]
        if not rows:
            return solutions
        vectors = self._retriever.encode([problems[row].text for row in rows])
        kept = self._datastore.nearest(vectors, NEIGHBOURS)
        for row, vector, neighbours in zip(rows, vectors, kept, strict=True):
            if self._further is not None:
                neighbours = sorted(
                    [*self._further(problems[row], vector), *neighbours], key=lambda neighbour: -neighbour.similarity
                )[:NEIGHBOURS]
            numbers = SlotNumbers.of_text(problems[row].text)
            recalled = [
                solution
                for answer in apply_graphs(neighbours, numbers, most=_ANSWERS)
                if (solution := applied_solution(answer, numbers.values)) is not None
            ]
            plausible = plausible_first(problems[row].text, recalled)
            pooled = pooled_solutions(solutions[row], plausible, most=beam)
            twin = _twin_solution(problems[row].text, neighbours, numbers)
            solutions[row] = mixed_solutions(twin, pooled, most=beam)
        return solutions

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """Return a sentence on why a problem cannot be solved; empty if it can be tried."""
        return self.solver.unsolvable_reason(problem)

    def _knows(self, language: str) -> bool:
        return primary_language(language) in self._datastore.languages


def recalling(
    solver: ProblemSolver,
    retriever: ServedRetriever,
    *,
    solved: Sequence[ProblemRecord] = (),
    further: Recall | None = None,
) -> ProblemSolver:
    """Return a solver that also uses what a retriever recalls; the solver alone if the retriever stores no problems.

    Args:
        solved: problems with equations to recall in addition to those that the retriever stores.
        further: recalls others, given a problem and its vector.
    """
    if retriever.datastore is None:
        return solver
    datastore = retriever.datastore
    if examples := kept_examples(solved):
        vectors = retriever.encode([example.problem.text for example in examples])
        datastore = datastore.with_problems(examples, vectors)
    return RecallingSolver(solver, retriever, datastore, further)


def _twin_solution(text: str, neighbours: Sequence[Neighbour], numbers: SlotNumbers) -> Solution | None:
    """Return what the equation of the same text gives with these numbers; None if it cannot be the answer."""
    twin = next((neighbour for neighbour in neighbours if neighbour.is_twin), None)
    if twin is None:
        return None
    slots = {(place.mention, place.reading): slot for slot, place in enumerate(numbers.places)}
    graph = twin.graph
    try:
        places = {
            slot: slots.get((place.mention, place.reading), slots[place.mention, 0])
            for slot, place in zip(graph.slots, graph.slot_places, strict=True)
        }
        solution = solution_of(to_prefix(renumbered(graph.tree, places)), numbers.values, _TWIN)
    except (KeyError, DataError):
        return None
    solution = answer_to_count(text, replace(solution, twin=str(twin.row)))
    if solution.value is None or solution.value < 0:
        return None
    is_possible = solution.rounding or plausible_first(text, [solution])[0].probability >= _TWIN
    return solution if is_possible else None


def applied_solution(answer: AppliedAnswer, values: Sequence[Fraction]) -> Solution | None:
    """Return a retrieve-and-apply answer as a solution over a problem's slots; None if a slot has no value."""
    try:
        return solution_of(answer.tokens, values, answer.confidence)
    except DataError:
        return None


def likely_graphs(solver: ProblemSolver, problems: Sequence[ProblemRecord]) -> list[LikelyGraphs]:
    """Return the graphs that each problem may have; an empty list for a problem that cannot be solved."""
    unsolved = list(map(without_solution, problems))
    solutions = solver.solve(unsolved, beam=_SOLUTIONS)
    return [_graphs(problem, candidates) for problem, candidates in zip(unsolved, solutions, strict=True)]


def _graphs(problem: ProblemRecord, solutions: Iterable[Solution]) -> LikelyGraphs:
    """Return the graph of the likeliest solution per value; solutions of equal value are right or wrong together."""
    likely = []
    values: list[float] = []
    for solution in solutions:
        value = solution.value
        if value is None or any(answers_agree(value, earlier_value) for earlier_value in values):
            continue
        values.append(value)
        graph = readable_text_graph(replace(problem, equation=solution.equation))
        if graph is not None:
            likely.append((graph, solution.probability))
    return likely
