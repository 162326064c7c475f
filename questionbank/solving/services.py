"""Equations of word problems, and the solver's solutions: requesting and storing them.

Where the school's language model is switched on for this, a job asks it about each problem once, keeps the answer with
the solver's own solutions, and stores both pooled. Where the use is switched off, or its verdict lapses, the solver's
own solutions come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, TextField, Value
from django.db.models.fields.json import KT
from django.db.models.functions import Coalesce

from analytics.errors import DataError
from analytics.expression.evaluate import evaluate_float
from analytics.expression.tree import parse_expression, to_prefix
from analytics.language_model.solving import Weights, WorkedOut, with_worked_out
from analytics.solver.solution import SIGNED_REASON, Solution
from analytics.solver.targets import OPERATORS
from questionbank.bank.question_selectors import in_language, solution_from_json
from questionbank.bank.question_services import equation_write, solution_graph_key
from questionbank.core.database import database_now, get_or_not_found
from questionbank.core.errors import Conflict, ValidationFailed
from questionbank.jobs.run_services import run_create, run_under_way
from questionbank.models import (
    LanguageModelAnswer,
    LanguageModelExclusion,
    LanguageModelUse,
    ModelArtifact,
    Question,
    QuestionEquation,
    QuestionSolution,
    Run,
    User,
)
from questionbank.models import QuestionSolution as StoredSolution
from questionbank.people.permissions import require
from questionbank.registry.artifact_selectors import artifact_champions, lens_champion
from questionbank.registry.language_model_selectors import language_model_use, may_be_sent
from questionbank.solving.solutions import ALTERNATIVES


@transaction.atomic
def equation_accept(*, user: User | None, question: Question, version: int, expression: str) -> Question:
    """Make an equation that the solver found, or a person corrected, the question's own; an empty one removes it.

    Args:
        version: version of the question that the person read.

    Raises:
        Conflict: somebody has changed the question since.
        NotAllowed: the person may not set equations.
        ValidationFailed: the equation cannot be read, computes nothing, or has no value.
    """
    fresh = get_or_not_found(
        Question.objects.select_for_update().filter(pk=question.pk), "This question no longer exists."
    )
    require(user, "equation_edit", "You may not set the equation of a question.", fresh)
    if fresh.version != version:
        raise Conflict("Somebody else has just changed this question. Check the new version first.")
    equation_write(question=fresh, expression=_checked(expression), user=user, set_by=QuestionEquation.SetBy.PERSON)
    Question.objects.filter(pk=fresh.pk).update(version=F("version") + 1)
    fresh.refresh_from_db(fields=["version"])
    return fresh


def _checked(expression: str) -> str:
    if not (expression := expression.strip()):
        return ""
    try:
        tree = parse_expression(expression)
        evaluate_float(tree)
    except DataError as error:
        raise ValidationFailed.beside("equation", str(error)) from error
    if not any(token in OPERATORS for token in to_prefix(tree)):
        problem = "This is a number. An equation has an operation, such as (11-1)*2."
        raise ValidationFailed.beside("equation", problem)
    return expression


def solution_to_json(solution: Solution) -> dict[str, Any]:
    """Serialize a solution for `QuestionSolution.alternatives`."""
    return {
        "tokens": list(solution.tokens),
        "terms": list(solution.terms),
        "prototype": solution.prototype,
        "equation": solution.equation,
        "value": solution.value,
        "exact": solution.exact,
        "probability": round(solution.probability, 4),
        "rounding": solution.rounding,
        "written": solution.written,
        "rule": solution.rule,
        "twin": solution.twin,
        "said": solution.said,
    }


@transaction.atomic
def second_opinion_request(*, text: str, language: str, user: User) -> Run:
    """Solve a text in a job that also queries the language model, or return the job that does so already.

    The run's parameters are ``{"text", "language", "asked_by": id}``.

    Raises:
        NotAllowed: the person may not ask.
        Busy: too many jobs are waiting.
    """
    require(user, "language_model_ask", "You may not ask the language model.")
    parameters = {"text": text, "language": language, "asked_by": user.pk}
    wanted: dict[str, Any] = {"kind": "opinion", "capability": "solver", "parameters": parameters}
    if (requested_already := run_under_way(**wanted)) is not None:
        return requested_already
    title = "Solve a text with a second opinion"
    return run_create(**wanted, title=title, queue="light", requested_by=user)


def solution_store(
    *,
    question: Question,
    artifact: ModelArtifact | None,
    solutions: Sequence[Solution],
    reason: str = "",
    retriever: ModelArtifact | None = None,
) -> QuestionSolution:
    """Store a solver's solutions of a question, replacing those of an earlier one.

    Args:
        solutions: the likeliest first; empty if it found none.
        reason: why it found none.
        retriever: the retriever that recalled the similar problems.
    """
    best = solutions[0] if solutions else None
    return QuestionSolution.objects.update_or_create(
        question=question,
        defaults={
            "artifact": artifact,
            "retriever": retriever,
            "content_hash": question.content_hash,
            "alternatives": [solution_to_json(solution) for solution in solutions],
            "own_alternatives": [],
            "read_with": "",
            "reason": reason,
            "probability": best.probability if best else None,
            "graph_key": solution_graph_key(question, best) if best else "",
        },
    )[0]


@transaction.atomic
def solve_request(*, user: User | None = None) -> Run | None:
    """Request solutions of unsolved word problems by the solvers in use; None if already requested."""
    job: dict[str, Any] = {"kind": "solve", "capability": "solver", "parameters": {}}
    if run_under_way(**job) is not None:
        return None
    return run_create(**job, title="Solve the word problems", requested_by=user)


def solve_request_missing(*, user: User | None = None) -> Run | None:
    """Request solutions if a question has none by the solver in use; None if there is nothing to do."""
    return solve_request(user=user) if solver_with_unsolved_questions() is not None else None


def solve_after_promotion(*, user: User | None = None) -> str:
    """Request solutions for questions not solved since the solvers in use, or the retriever, were promoted.

    Returns:
        A sentence that reports it; empty if there is nothing to solve.
    """
    run = solve_request_missing(user=user)
    return f"Word problems are solved again by job {run.pk}." if run else ""


def unsolved_questions(artifact: ModelArtifact) -> QuerySet[Question]:
    """Return the questions in a solver's language that it has not tried since they last changed.

    Results obtained with another retriever, or with none, do not count. Questions in a language without a solver belong
    to the first solver, which reports why it cannot solve them.
    """
    solved = QuestionSolution.objects.filter(
        question=OuterRef("pk"),
        artifact=artifact,
        retriever=lens_champion(capability="analogy", language=artifact.scope),
        content_hash=OuterRef("content_hash"),
    )
    scopes = [champion.scope for champion in artifact_champions(capability=artifact.capability)]
    questions = Question.objects.exclude(status=Question.Status.RETIRED)
    if artifact.scope in scopes[:1]:
        for scope in scopes[1:]:
            questions = questions.exclude(in_language(scope))
    else:
        questions = questions.filter(in_language(artifact.scope))
    return questions.filter(~Exists(solved))


def solver_with_unsolved_questions() -> ModelArtifact | None:
    """Return a solver in use with questions that it has not tried, or None."""
    solvers = artifact_champions(capability="solver")
    return next((artifact for artifact in solvers if unsolved_questions(artifact).exists()), None)


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
