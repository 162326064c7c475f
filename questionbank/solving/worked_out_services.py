"""Word problems that the school's language model works out beside the solver, where that use is switched on.

A job asks about each problem once, keeps the answer with the solver's own solutions, and stores both pooled. Where the
use is switched off, or its verdict lapses, the solver's own solutions come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from analytics.language_model.solving import Weights, WorkedOut, with_worked_out
from analytics.solver.solution import SIGNED_REASON, Solution
from questionbank.core.database import database_now
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import LanguageModelAnswer, LanguageModelExclusion, LanguageModelUse, Question, Run
from questionbank.models import QuestionSolution as StoredSolution
from questionbank.registry.language_model_selectors import language_model_use, may_be_sent
from questionbank.solving.services import solution_store, solution_to_json
from questionbank.solving.solutions import ALTERNATIVES, solution_from_json

USE = LanguageModelUse.Use.SOLVING.value
_NOTHING = Value("", TextField())
_ASKED_ABOUT = ("", SIGNED_REASON)
TRIED_AGAIN_AFTER = timedelta(hours=1)  # after a job that the server stopped


def is_asked_about(reason: str) -> bool:
    """Return whether the model is asked about a problem, given the solver's reason for not solving it."""
    return reason in _ASKED_ABOUT


def problems_to_ask() -> QuerySet[StoredSolution]:
    """Return the solutions of the problems that the model was not asked about since they last changed.

    What a rule or a solved problem with other numbers answers is not asked, nor what somebody excluded.
    """
    answered = LanguageModelAnswer.objects.filter(
        use=USE, question=OuterRef("question"), content_hash=OuterRef("content_hash")
    )
    excluded = LanguageModelExclusion.objects.filter(question=OuterRef("question"))
    return (
        StoredSolution.objects.filter(
            ~Exists(answered), ~Exists(excluded), reason__in=_ASKED_ABOUT, content_hash=F("question__content_hash")
        )
        .exclude(question__status=Question.Status.RETIRED)
        .annotate(
            rule=Coalesce(KT("alternatives__0__rule"), _NOTHING), twin=Coalesce(KT("alternatives__0__twin"), _NOTHING)
        )
        .filter(rule="", twin="")
        .select_related("question")
        .order_by("pk")
    )


def helped_solutions() -> QuerySet[StoredSolution]:
    """Return the solutions in which an answer of a model is pooled."""
    return StoredSolution.objects.exclude(read_with="").order_by("pk")


@transaction.atomic
def worked_out_request() -> Run | None:
    """Request the job if it has something to do, and no other is under way or was stopped by the server lately."""
    row = language_model_use(USE)
    is_on = row is not None and row.is_on
    if not is_on and not LanguageModelAnswer.objects.filter(use=USE).exists():
        return None  # nothing to withdraw: the solutions of a large bank need not be searched
    if not (problems_to_ask() if is_on else helped_solutions()).exists():
        return None
    job: dict[str, Any] = {"kind": "worked_out", "capability": "solver", "parameters": {}}
    last = Run.objects.filter(kind="worked_out").order_by("-pk").first()
    stopped_at = last.finished_at if last is not None and last.result.get("stopped") else None
    if is_on and stopped_at is not None and database_now() - stopped_at < TRIED_AGAIN_AFTER:
        return None
    title = "Work out problems with the language model" if is_on else "Withdraw the language model’s answers"
    return None if run_under_way(**job) else run_create(**job, title=title, queue="light")


@transaction.atomic
def worked_out_store(*, solution: StoredSolution, found: WorkedOut, row: LanguageModelUse) -> bool:
    """Store the model's answer about a problem, and pool it; return whether it has one.

    Nothing is stored if the question changed, was solved anew or was excluded while the model was asked.
    """
    fresh = StoredSolution.objects.select_for_update().filter(pk=solution.pk, solved_at=solution.solved_at).first()
    if fresh is None or bytes(fresh.content_hash) != bytes(solution.question.content_hash):
        return False
    if not may_be_sent(question_id=fresh.question_id):
        return False
    LanguageModelAnswer.objects.update_or_create(
        use=USE,
        question=solution.question,
        defaults={
            "content_hash": fresh.content_hash,
            "answer": {"solution": solution_to_json(found.solution)} if found.solution else {},
            "reason": found.reason,
            "name": row.name,
            "host": row.host,
        },
    )
    if found.solution is None:
        return False
    own = [solution_from_json(each) for each in fresh.alternatives]
    _store(fresh, with_worked_out(own, found.solution, weights_of(row), most=ALTERNATIVES), own=own, row=row)
    return True


def weights_of(row: LanguageModelUse) -> Weights:
    """Return the weights that were fitted on the exam."""
    return Weights(**{name: float(row.weights.get(name, 0.0)) for name in ("same", "new")})


@transaction.atomic
def worked_out_withdraw(*, question_id: int) -> None:
    """Bring the solver's own solutions of a question back, without the model's answer."""
    solutions = StoredSolution.objects.select_for_update(of=("self",)).select_related("question")
    fresh = solutions.filter(question=question_id).first()  # locked first, as where an answer is stored
    LanguageModelAnswer.objects.filter(use=USE, question=question_id).delete()
    if fresh is not None and fresh.read_with:
        own = [solution_from_json(each) for each in fresh.own_alternatives]
        _store(fresh, own, own=(), row=None)


def _store(
    fresh: StoredSolution, solutions: Sequence[Solution], *, own: Sequence[Solution], row: LanguageModelUse | None
) -> None:
    stored = solution_store(
        question=fresh.question,
        artifact=fresh.artifact,
        solutions=solutions,
        reason="" if solutions else fresh.reason,
        retriever=fresh.retriever,
    )
    stored.own_alternatives = [solution_to_json(each) for each in own]
    stored.read_with = f"{row.name} at {row.host}" if row is not None else ""
    stored.save(update_fields=["own_alternatives", "read_with"])
