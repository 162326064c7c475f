"""What undoing an import would remove, and what it must keep because it has been used since."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db.models import ForeignKey, Model, Q, QuerySet

from questionbank.core.database import references_to
from questionbank.core.errors import Conflict
from questionbank.models import (
    ImportDuplicate,
    ImportUpdate,
    KnowledgeConcept,
    KnowledgeHierarchy,
    ParaphrasePair,
    Question,
    QuestionEmbedding,
    QuestionEquation,
    QuestionListItem,
    QuestionOriginal,
    QuestionSolution,
    QuestionTag,
    Run,
)
from questionbank.models.visibility import seen_rows, viewer_audiences

# Tables whose rows are deleted with a question; a row in any other table means that the question is used.
_DERIVED: tuple[type[Model], ...] = (
    QuestionEmbedding,
    QuestionEquation,
    QuestionOriginal,
    QuestionSolution,
    QuestionTag,
    ImportDuplicate,
    ImportUpdate,
)
_REASONS: dict[type[Model], str] = {ParaphrasePair: "paraphrased", Question: "paraphrased", QuestionListItem: "listed"}
_APPLIED = (ImportUpdate.Outcome.UPDATED, ImportUpdate.Outcome.TAKEN)


@dataclass(slots=True)
class UndoPlan:
    """The effect of undoing an import.

    Attributes:
        created: number of questions created by the import that are still in the bank.
        kept: questions that are left alone, by id, with the reasons: ``edited``, ``tagged``, ``imported``
            (another import contains it too), ``paraphrased``, ``merged`` (another was merged into it) or ``used``.
        created_kept: how many of these the import created.
        restored: ids of the import's updates that are reverted.
        tags: number of tags to remove that the import added to other questions.
        hierarchy: the hierarchy that is removed with its last concept.
    """

    created: int
    kept: dict[int, list[str]]
    created_kept: int = 0
    restored: list[int] = field(default_factory=list)
    tags: int = 0
    concepts: list[int] = field(default_factory=list)
    concepts_kept: list[str] = field(default_factory=list)
    hierarchy: KnowledgeHierarchy | None = None

    @property
    def removed(self) -> int:
        return self.created - self.created_kept

    @property
    def is_empty(self) -> bool:
        return not (self.removed or self.restored or self.tags or self.concepts or self.hierarchy)


def import_can_be_undone(*, run: Run) -> bool:
    """Return whether the bank still holds anything that this import created."""
    if run.kind != Run.Kind.IMPORT or run.state != Run.State.SUCCEEDED:
        return False
    return (
        Question.objects.filter(import_run=run).exists()
        or _updates(run).exists()
        or KnowledgeConcept.objects.filter(import_run=run).exists()
        or KnowledgeHierarchy.objects.filter(import_run=run).exists()
        or (bool(run.result.get("questions_tagged")) and loose_tags(run=run).exists())
    )


def import_undo_runs(*, run: Run) -> QuerySet[Run]:
    """Return the jobs that undo this import, most recent first."""
    return Run.objects.filter(kind=Run.Kind.UNDO, parameters__import=run.pk).select_related("requested_by")


def require_all_seen(run: Run) -> None:
    """Refuse the undo of an import if the viewer does not see every question that it changes.

    Raises:
        Conflict: they do not, for example because they have left the school of the questions.
    """
    if viewer_audiences() is None:
        return
    changed = (
        Question.unrestricted.filter(import_run=run),
        Question.unrestricted.filter(pk__in=ImportUpdate._base_manager.filter(run=run).values("question")),
        Question.unrestricted.filter(pk__in=QuestionTag._base_manager.filter(import_run=run).values("question")),
    )
    if any(questions.exclude(seen_rows()).exists() for questions in changed):
        raise Conflict(
            "Only an admin can undo this import, because you no longer see all of its questions:"
            " they belong to a school that you have left, or somebody has moved them."
        )


def import_undo_plan(*, run: Run) -> UndoPlan:
    """Plan the undo of an import; memory grows with what is kept, not with what is removed.

    Raises:
        Conflict: as for `require_all_seen`.
    """
    require_all_seen(run)
    reasons = _kept(run)
    plan = UndoPlan(created=Question.objects.filter(import_run=run).count(), kept=reasons, created_kept=len(reasons))
    for update in _updates(run).select_related("question"):
        if update.version in (None, update.question.version):
            plan.restored.append(update.pk)
        else:
            reasons.setdefault(update.question_id, []).append("edited")
    loose = loose_tags(run=run)
    plan.tags = loose.count()
    hierarchies = set(KnowledgeConcept.objects.filter(import_run=run).values_list("hierarchy_id", flat=True))
    hierarchies.update(KnowledgeHierarchy.objects.filter(import_run=run).values_list("pk", flat=True))
    for hierarchy in KnowledgeHierarchy.objects.filter(pk__in=hierarchies):
        _plan_concepts(plan, run, hierarchy, loose)
    return plan


def _updates(run: Run) -> QuerySet[ImportUpdate]:
    """Return the updates by which the import replaced fields of questions or their imported tags."""
    updates = ImportUpdate.objects.filter(run=run)
    return updates.filter(Q(outcome__in=_APPLIED) | Q(before__has_key="tags"))


def loose_tags(*, run: Run) -> QuerySet[QuestionTag]:
    """Return the unchanged tags that the import added to questions it did not create."""
    return (
        QuestionTag.objects.filter(import_run=run, set_by=QuestionTag.SetBy.IMPORT)
        .filter(~Q(question__import_run=run))
        .exclude(pk__in=_events(QuestionTag).filter(pgh_label="update").values("pgh_obj_id"))
    )


def _events(model: type[Model]) -> QuerySet[Any]:
    return apps.get_model("questionbank", f"{model.__name__}Event")._default_manager.all()


def _kept(run: Run) -> dict[int, list[str]]:
    reasons_by_question: dict[int, list[str]] = {}

    def keep(reason: str, ids: Iterable[int]) -> None:
        for question_id in ids:
            reasons = reasons_by_question.setdefault(question_id, [])
            if reason not in reasons:
                reasons.append(reason)

    run_questions = Q(question__import_run=run)
    edited = _events(Question).filter(pgh_label="update", pgh_obj__import_run=run)
    keep("edited", edited.values_list("pgh_obj_id", flat=True).distinct())
    added = QuestionTag.objects.filter(run_questions).exclude(import_run=run)
    keep("tagged", added.values_list("question_id", flat=True).distinct())
    changed = _events(QuestionTag).filter(run_questions, pgh_label__in=("update", "delete"))
    keep("tagged", changed.values_list("question_id", flat=True).distinct())
    others = ImportDuplicate.objects.filter(run_questions).exclude(run=run)
    keep("imported", others.values_list("question_id", flat=True).distinct())
    for key in question_uses():
        rows = key.model._base_manager.filter(**{f"{key.name}__import_run": run})
        if key.name == "paraphrase_of":  # a paraphrase from the same import is removed with its original
            rows = rows.exclude(import_run=run)
        reason = "merged" if key.name == "merged_into" else _REASONS.get(key.model, "used")
        keep(reason, rows.values_list(key.attname, flat=True).distinct())
    return reasons_by_question


def question_uses() -> list[ForeignKey[Any, Any]]:
    """Return the foreign keys by which other rows use a question, so that it cannot simply be deleted."""
    return [key for key in references_to(Question) if not issubclass(key.model, _DERIVED)]


def _plan_concepts(plan: UndoPlan, run: Run, hierarchy: KnowledgeHierarchy, loose: QuerySet[QuestionTag]) -> None:
    created = KnowledgeConcept.objects.filter(hierarchy=hierarchy)
    # Of all questions, because a concept is shared with people whose questions the viewer may not see.
    stays = QuestionTag._base_manager.filter(concept__hierarchy=hierarchy).filter(
        ~Q(question__import_run=run) | Q(question_id__in=list(plan.kept))
    )
    used = set(stays.exclude(pk__in=loose.values("pk")).values_list("concept_id", flat=True).distinct())
    edited = _events(KnowledgeConcept).filter(pgh_label="update", pgh_obj__import_run=run)
    used.update(edited.values_list("pgh_obj_id", flat=True))
    for key in references_to(KnowledgeConcept):
        if key.model is not QuestionTag:
            rows = key.model._base_manager.filter(**{f"{key.name}__import_run": run})
            used.update(rows.values_list(key.attname, flat=True))
    step = KnowledgeConcept.steplen
    parents: set[str] = set()  # paths of concepts with remaining descendants
    stayed = 0
    for concept in created.order_by("-depth", "path").only("pk", "path", "name", "import_run_id"):
        if concept.import_run_id == run.pk and concept.pk not in used and concept.path not in parents:
            plan.concepts.append(concept.pk)
            continue
        stayed += 1
        parents.add(concept.path[:-step])
        if concept.import_run_id == run.pk:
            plan.concepts_kept.append(concept.name)
    if not stayed and hierarchy.import_run_id == run.pk:
        plan.hierarchy = hierarchy
