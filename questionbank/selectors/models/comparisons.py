"""What a page shows of a comparison of two models; `questionbank.selectors.models.models` describes its figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _

from questionbank.models import ModelArtifact, ModelComparison, Question, QuestionEquation
from questionbank.selectors.models.artifacts import artifact_champion
from questionbank.selectors.models.models import comparison_latest

QUESTIONS_SHOWN = 12


@dataclass(frozen=True, slots=True)
class ChangedNeighbour:
    """One of the nearest questions.

    Attributes:
        both: whether either model names it.
        computed_alike: whether both questions have a known equation with the same graph; only looked at for models
            that are about graphs.
    """

    question: Question
    both: bool
    computed_alike: bool = False


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question with its nearest ones by either model; `overlap` is the share that both name."""

    question: Question
    overlap: float
    candidate: list[ChangedNeighbour]
    champion: list[ChangedNeighbour]


def comparison_shown(*, artifact: ModelArtifact) -> ModelComparison | None:
    """Return the last comparison of a model with the champion, else with the champion of some earlier time."""
    champion = artifact_champion(capability=artifact.capability, scope=artifact.scope)
    if champion is not None and champion.pk != artifact.pk:
        latest = comparison_latest(candidate=artifact, champion=champion)
        if latest is not None:
            return latest
    return ModelComparison.objects.filter(candidate=artifact).select_related("candidate", "champion").first()


def champion_comparisons() -> dict[int, list[dict[str, Any]]]:
    """Return the figures of candidates' last comparisons with today's champion, by the candidate's id (one query)."""
    rows = ModelComparison.objects.filter(
        candidate__state=ModelArtifact.State.CANDIDATE, champion__state=ModelArtifact.State.CHAMPION
    )
    return dict(rows.order_by("created_at", "pk").values_list("candidate_id", "figures__metrics"))


def changed_questions(comparison: ModelComparison, *, limit: int = QUESTIONS_SHOWN) -> list[ChangedQuestion]:
    """Return the questions whose nearest ones changed most, without those that have been deleted since."""
    rows = comparison.figures.get("changed", [])[:limit]
    ids = {pk for row in rows for pk in (row["question"], *row["candidate"], *row["champion"])}
    questions = Question.objects.in_bulk(ids)
    return [
        ChangedQuestion(
            question=questions[row["question"]],
            overlap=row["overlap"],
            candidate=_neighbours(row["candidate"], row["champion"], questions),
            champion=_neighbours(row["champion"], row["candidate"], questions),
        )
        for row in rows
        if row["question"] in questions
    ]


def changed_concepts(comparison: ModelComparison) -> list[dict[str, Any]] | None:
    """Return the questions that both models name different concepts for, without deleted ones.

    None for other comparisons.
    """
    rows = comparison.figures.get("changed_concepts")
    if rows is None:
        return None
    questions = Question.objects.in_bulk([row["question"] for row in rows])
    return [row | {"question": questions[row["question"]]} for row in rows if row["question"] in questions]


def _neighbours(
    neighbours: list[int], other_neighbours: list[int], questions: Mapping[int, Question]
) -> list[ChangedNeighbour]:
    return [ChangedNeighbour(questions[pk], pk in other_neighbours) for pk in neighbours if pk in questions]


def encoder_comparison_shown(comparison: ModelComparison) -> dict[str, Any]:
    """Return what the page shows of two encoders besides their figures."""
    return {"changed": changed_questions(comparison)}


def analogy_comparison_shown(comparison: ModelComparison) -> dict[str, Any]:
    """Return what the page shows of two retrievers besides their figures: neighbours, and which are computed alike."""
    changed = changed_questions(comparison)
    shown = [row.question.pk for row in changed] + [
        neighbour.question.pk for row in changed for neighbour in (*row.candidate, *row.champion)
    ]
    equations = QuestionEquation.objects.filter(question__in=shown).exclude(graph_key="")
    keys = dict(equations.values_list("question_id", "graph_key"))

    def marked(row: ChangedQuestion, neighbours: list[ChangedNeighbour]) -> list[ChangedNeighbour]:
        graph_key = keys.get(row.question.pk)
        return [
            replace(
                neighbour,
                computed_alike=graph_key is not None and keys.get(neighbour.question.pk) == graph_key,
            )
            for neighbour in neighbours
        ]

    return {
        "changed": [
            replace(row, candidate=marked(row, row.candidate), champion=marked(row, row.champion))
            for row in changed
        ]
    }


def scorer_comparison_shown(comparison: ModelComparison) -> dict[str, Any]:
    """Return what the page shows of two scorers besides their figures."""
    pairs = comparison.figures.get("changed_pairs", [])
    return {
        "suites": comparison.figures["suite"].get("suites", []),
        "changed_pairs": [pair for pair in pairs if "suite" in pair],
    }


def solver_comparison_shown(comparison: ModelComparison) -> dict[str, Any]:
    """Return what the page shows of two solvers besides their figures.

    Questions that are deleted since are left out.
    """
    rows = comparison.figures.get("changed_problems", [])
    existing = set(
        Question.objects.filter(pk__in=[row["question"] for row in rows]).values_list("pk", flat=True)
    )
    return {"changed_problems": [row for row in rows if row["question"] in existing]}


def probes_comparison_shown(comparison: ModelComparison) -> dict[str, Any]:
    """Return what the page shows of the probes of a hierarchy besides their figures."""
    return {"changed_concepts": changed_concepts(comparison)}


def scorer_comparison_problems(figures: Mapping[str, Any]) -> list[str]:
    """Return why a comparison of scorers speaks against the candidate whatever its figures say."""
    if "suites" in figures["suite"]:
        return []
    return [
        _(
            "An earlier version of Kindred made this comparison and did not measure the verdict. Measure again."
        )
    ]


def probes_comparison_problems(figures: Mapping[str, Any]) -> list[str]:
    """Return why a comparison of probes speaks against the candidate whatever its figures say."""
    problems = []
    if figures["suite"].get("loses_concepts"):
        problems.append(_("It names no concepts, and the champion does."))
    if figures["suite"].get("loses_difficulty"):
        problems.append(_("It estimates no difficulty, and the champion does."))
    return problems
