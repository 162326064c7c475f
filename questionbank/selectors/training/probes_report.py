"""What an admin should know of a hierarchy's questions before a model of its concepts is trained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from analytics.probes.data import kept_out
from questionbank.models import Question
from questionbank.selectors.questions.hierarchy_choice import default_hierarchy
from questionbank.selectors.registry.probe_states import FEWEST_TAGGED
from questionbank.selectors.training.data_report import KeptReport
from questionbank.selectors.training.training_questions import training_questions


@dataclass(frozen=True, slots=True)
class ProbesReport:
    """Counts of what a training would get.

    Attributes:
        hierarchy: empty where the bank has none.
        questions: ready questions tagged in it, paraphrases left out.
        kept_out: of them, to compare models on.
        graded: of them with a difficulty on the scale that most have; the others teach no difficulty.
        missing: questions that are missing for a training that an import asks for.
    """

    hierarchy: str
    questions: int
    kept_out: int
    concepts: int
    graded: int
    scale: str
    missing: int


def _default_name() -> str:
    default = default_hierarchy()
    return default.name if default else ""


def _count(hierarchies: Sequence[str] | None) -> ProbesReport:
    name = hierarchies[0] if hierarchies else _default_name()
    rows = [row for row in training_questions(hierarchies=[name]) if row.paths]
    scales = Counter(
        Question.objects.filter(pk__in=[row.id for row in rows], difficulty__isnull=False).values_list(
            "difficulty_scale", flat=True
        )
    )
    scale, graded = scales.most_common(1)[0] if scales else ("", 0)
    return ProbesReport(
        hierarchy=name,
        questions=len(rows),
        kept_out=int(kept_out([row.text for row in rows], [row.paths for row in rows]).sum()),
        concepts=len({path for row in rows for path in row.paths}),
        graded=graded,
        scale=scale,
        missing=max(0, FEWEST_TAGGED - len(rows)),
    )


# The questions of one hierarchy, by default the bank's.
probes_data_report: KeptReport[ProbesReport] = KeptReport("probes", _count, lambda: [_default_name()])
