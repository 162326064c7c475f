"""What an admin should know of the bank's equations before a solver is trained on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from questionbank.models import QuestionEquation
from questionbank.numbers import counted
from questionbank.selectors.training.data_report import KeptReport
from questionbank.selectors.training.solver_material import SOLVER_LANGUAGES, SolverMaterial, solver_material

FEWEST = 500  # problems to learn from, below which a solver learns little more than the commonest equations


@dataclass(frozen=True, slots=True)
class LanguageProblems:
    """What a training of the solver of one language would get.

    Attributes:
        learned: problems that are learned from.
        validation: problems that measure while it trains.
        held_out: problems with an equation that are kept out of every training, for the comparison of solvers.
        answer_only: problems without an equation, but with a numeric answer, that are held out too.
        left_out: problems that one of the two has too but for numbers and marks.
    """

    language: str
    learned: int
    validation: int
    held_out: int
    answer_only: int
    left_out: int
    repeated: int
    test_items: int
    unreadable: int


@dataclass(frozen=True, slots=True)
class SolverReport:
    """Counts of what trainings of solvers would get."""

    ready: int
    with_equation: int
    by_people: int
    languages: tuple[LanguageProblems, ...]
    advice: tuple[str, ...]


def _report(hierarchies: Sequence[str] | None) -> SolverReport:
    materials = {
        language: solver_material(language, hierarchies=hierarchies) for language in SOLVER_LANGUAGES
    }
    first = next(iter(materials.values()))
    return SolverReport(
        ready=first.ready,
        with_equation=first.with_equation,
        by_people=QuestionEquation.objects.filter(set_by=QuestionEquation.SetBy.PERSON).count(),
        languages=tuple(
            LanguageProblems(
                language=str(SOLVER_LANGUAGES[language]),
                learned=len(material.problems.learned),
                validation=len(material.problems.validation),
                held_out=len(material.problems.held_out),
                answer_only=len(material.answered),
                left_out=material.problems.left_out,
                repeated=material.repeated,
                test_items=material.test_items,
                unreadable=material.unreadable,
            )
            for language, material in materials.items()
        ),
        advice=tuple(_advice(materials)),
    )


def _advice(materials: Mapping[str, SolverMaterial]) -> list[str]:
    first = next(iter(materials.values()))
    advice = [
        (
            f"{SOLVER_LANGUAGES[language]}: with fewer than {FEWEST} problems a solver learns little; accept equations,"
            " or import more."
        )
        for language, material in materials.items()
        if len(material.problems.learned) < FEWEST
        and (material is first or material.with_equation > material.foreign)
    ]
    learnable = sum(material.with_equation - material.foreign for material in materials.values())
    if foreign := first.with_equation - learnable:
        one = "problem is in a language that no solver can learn, and is left out."
        several = "problems are in languages that no solver can learn, and are left out."
        advice.append(counted(foreign, one, several))
    return advice


# What trainings of solvers would get.
solver_data_report: KeptReport[SolverReport] = KeptReport(
    "solvers",
    _report,
    lambda: [
        str(
            QuestionEquation.objects.aggregate(
                count=Count("pk"), people=Count("pk", filter=Q(set_by=QuestionEquation.SetBy.PERSON))
            )
        )
    ],
)
