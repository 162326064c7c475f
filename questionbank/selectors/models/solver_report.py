"""What an admin should know of the bank's equations before a solver is trained on them."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from questionbank.models import QuestionEquation
from questionbank.selectors.models.data_report import KeptReport
from questionbank.selectors.models.solver_material import SolverMaterial, solver_material

__all__ = ["SolverReport", "solver_data_report"]

FEWEST = 500  # problems to learn from, below which a solver learns little more than the commonest equations


@dataclass(frozen=True, slots=True)
class SolverReport:
    """Counts of what a training of a solver would get.

    Attributes:
        ready: questions in any language.
        with_equation: of them, those with an equation.
        learned: problems that are learned from.
        validation: problems that measure while it trains.
        held_out: problems kept out of every training, for the comparison of solvers.
        left_out: problems that one of the two has too but for numbers and marks.
        repeated: problems that repeat another one exactly.
        test_items: problems left out because their source is named as a test split.
        by_people: equations that a person set or accepted.
        advice: sentences to heed.
    """

    ready: int
    with_equation: int
    learned: int
    validation: int
    held_out: int
    left_out: int
    repeated: int
    test_items: int
    by_people: int
    advice: tuple[str, ...]


def _equations_version() -> str:
    person = QuestionEquation.SetBy.PERSON
    return str(
        QuestionEquation.objects.aggregate(count=Count("pk"), people=Count("pk", filter=Q(set_by=person)))
    )


def _report(material: SolverMaterial) -> SolverReport:
    problems = material.problems
    return SolverReport(
        ready=material.ready,
        with_equation=material.with_equation,
        learned=len(problems.learned),
        validation=len(problems.validation),
        held_out=len(problems.held_out),
        left_out=problems.left_out,
        repeated=material.repeated,
        test_items=material.test_items,
        by_people=QuestionEquation.objects.filter(set_by=QuestionEquation.SetBy.PERSON).count(),
        advice=tuple(_advice(material)),
    )


def _advice(material: SolverMaterial) -> list[str]:
    advice = []
    if len(material.problems.learned) < FEWEST:
        advice.append(
            _("With fewer than %(fewest)d problems a solver learns little; accept equations, or import more.")
            % {"fewest": FEWEST}
        )
    if material.foreign:
        advice.append(
            ngettext(
                "%(number)d problem is not in English and left out: the encoder knows no other language.",
                "%(number)d problems are not in English and left out: the encoder knows no other language.",
                material.foreign,
            )
            % {"number": material.foreign}
        )
    if material.unreadable:
        advice.append(
            ngettext(
                "%(number)d equation cannot be read and is left out.",
                "%(number)d equations cannot be read and are left out.",
                material.unreadable,
            )
            % {"number": material.unreadable}
        )
    return advice


# What a solver's training would get.
solver_data_report: KeptReport[SolverReport] = KeptReport(
    "solver",
    lambda hierarchies: _report(solver_material(hierarchies=hierarchies)),
    lambda: [_equations_version()],
)
