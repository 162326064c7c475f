"""A solver that answers as it is told, and the model that it is said to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from analytics.expression.tree import to_prefix
from analytics.records import ProblemRecord
from analytics.solver.solution import Solution, numbers_reason, solution_of
from analytics.solver.targets import target_tree
from analytics.text.number_slots import number_slots
from questionbank.models import ModelArtifact
from questionbank.registry.serving import ServedSolver


class ScriptedSolver:
    """Knows the equations of some texts, each with its probability."""

    name = "scripted"

    def __init__(self, equations: Mapping[str, Sequence[tuple[str, float]]]) -> None:
        self.equations = equations

    def solve(self, problems: Sequence[ProblemRecord], *, beam: int = 3) -> list[list[Solution]]:
        """The solutions that were told, `beam` at most."""
        return [self._solutions(problem.text)[:beam] for problem in problems]

    def unsolvable_reason(self, problem: ProblemRecord) -> str:
        """As any solver's."""
        return numbers_reason(number_slots(problem.text))

    def _solutions(self, text: str) -> list[Solution]:
        slots = number_slots(text)
        values = [slot.value for slot in slots]
        return [
            solution_of(to_prefix(target_tree(equation, slots)), values, probability)
            for equation, probability in self.equations.get(text, ())
        ]


def served(equations: Mapping[str, Sequence[tuple[str, float]]], language: str = "en") -> ServedSolver:
    """The solver in use for a language."""
    artifact = ModelArtifact.objects.create(
        capability="solver",
        scope=language,
        name="scripted",
        state=ModelArtifact.State.CHAMPION,
        checksum="0" * 64,
        location="none",
        manifest={},
    )
    return ServedSolver(ScriptedSolver(equations), artifact)
