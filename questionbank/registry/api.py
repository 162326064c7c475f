"""Jobs and models over the API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Query, Router
from ninja.responses import Status
from pydantic import BaseModel, Field

from questionbank.api.access import Access
from questionbank.api.contract import Body, Id, Page, PageQuery, page_by_id
from questionbank.core.capability_catalog import CAPABILITIES
from questionbank.core.errors import NotAllowed, NotFound
from questionbank.jobs.run_selectors import run_get, run_logs, run_title, runs
from questionbank.jobs.run_services import run_cancel, run_retry
from questionbank.models import ModelArtifact, Run, User
from questionbank.registry.lifecycle_services import comparison_request, model_roll_back, promotion_request
from questionbank.registry.model_selectors import model_get

router = Router(tags=["jobs and models"])
READ, MANAGE_RUNS, MANAGE_MODELS = Access("read"), Access("runs_manage"), Access("models_manage")
RESTART = Access("read", "write")  # whoever requested the job, and admins: checked below

Reason = Annotated[str, Field(max_length=2000, description="It is kept in the history.")]


class RunItem(BaseModel):
    """A job; `total` is 0 if the amount of work is unknown. Other people's files and changes are not named."""

    id: int
    kind: str
    capability: str
    title: str
    state: str
    done: int
    total: int
    message: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    requested_by: str | None


class RunDetail(RunItem):
    """A job with what it did; empty for somebody else's import or change."""

    error: str
    result: dict[str, Any]
    log: list[str]


class ModelItem(BaseModel):
    """A model."""

    id: int
    capability: str
    scope: str
    name: str
    state: str
    created_at: datetime


class RunQuery(PageQuery):
    """Which jobs to list."""

    state: Literal[tuple(Run.State.values)] | None = None  # type: ignore[valid-type] # models have a type `State`
    kind: Annotated[str, Field(max_length=10)] = ""


class ModelQuery(PageQuery):
    """Which models to list."""

    capability: Annotated[str, Field(max_length=12)] = ""
    state: ModelArtifact.State | None = None


class PromotionBody(Body):
    """The reason for using a model."""

    reason: Reason
    override: bool = Field(default=False, description="Promote it even if it is not better than the one in use.")


class RollBackBody(Body):
    """A capability that goes back to its former model, and the reason."""

    capability: str
    scope: str = Field(default="", description="A hierarchy for probes, a language for solvers.")
    reason: Reason


@router.get("/runs", auth=READ, response=Page[RunItem])
def list_runs(request: HttpRequest, asked: Query[RunQuery]) -> Page[RunItem]:
    """List jobs, newest first."""
    wanted = {"state": asked.state, "kind": asked.kind}
    chosen = runs().filter(**{name: value for name, value in wanted.items() if value})
    return page_by_id(chosen, asked, of=f"runs {wanted}", represent=partial(_runs, user=request.user))


@router.get("/runs/{int:run_id}", auth=READ, response=RunDetail)
def get_run(request: HttpRequest, run_id: Id) -> RunDetail:
    """Return a job, with its result and log."""
    return run_detail(request, run_id)


@router.post("/runs/{int:run_id}/cancel", auth=MANAGE_RUNS, response={202: RunDetail})
def cancel_run(request: HttpRequest, run_id: Id) -> Status:
    """Ask a job to stop; one that waits is cancelled at once."""
    run_get(run_id=run_id)
    run_cancel(run_id=run_id)
    return Status(202, run_detail(request, run_id))


@router.post("/runs/{int:run_id}/retry", auth=RESTART, response={202: RunDetail})
def retry_run(request: HttpRequest, run_id: Id) -> Status:
    """Queue a failed or cancelled job again."""
    if not request.user.has_perm("questionbank.run_restart", run_get(run_id=run_id)):
        raise NotAllowed("Only the person who requested a job, and admins, start it again.")
    run_retry(run_id=run_id)
    return Status(202, run_detail(request, run_id))


@router.get("/models", auth=READ, response=Page[ModelItem])
def list_models(request: HttpRequest, asked: Query[ModelQuery]) -> Page[ModelItem]:  # noqa: ARG001
    """List models, newest first; those in use are champions."""
    wanted = {"capability": asked.capability, "state": asked.state}
    chosen = ModelArtifact.objects.filter(**{name: value for name, value in wanted.items() if value})
    return page_by_id(chosen, asked, of=f"models {wanted}", represent=_models)


@router.get("/models/{int:model_id}", auth=READ, response=ModelItem)
def get_model(request: HttpRequest, model_id: Id) -> ModelItem:  # noqa: ARG001 - django-ninja passes it
    """Return a model."""
    return _models([model_get(artifact_id=model_id)])[0]


@router.post("/models/{int:model_id}/compare", auth=MANAGE_MODELS, response={202: RunDetail})
def compare_model(request: HttpRequest, model_id: Id) -> Status:
    """Compare a candidate with the model in use; the job's result has the figures."""
    run = comparison_request(candidate=model_get(artifact_id=model_id), user=request.user)
    return Status(202, run_detail(request, run.pk))


@router.post("/models/{int:model_id}/promote", auth=MANAGE_MODELS, response={202: RunDetail})
def promote_model(request: HttpRequest, model_id: Id, body: PromotionBody) -> Status:
    """Put a model into use."""
    run = promotion_request(
        artifact=model_get(artifact_id=model_id), reason=body.reason, user=request.user, override=body.override
    )
    return Status(202, run_detail(request, run.pk))


@router.post("/models/roll-back", auth=MANAGE_MODELS, response=ModelItem)
def roll_back_model(request: HttpRequest, body: RollBackBody) -> ModelItem:
    """Use the former model of a capability again."""
    if body.capability not in CAPABILITIES:
        raise NotFound(f"There is no capability {body.capability!r}.")
    former = model_roll_back(capability=body.capability, scope=body.scope, reason=body.reason, user=request.user)
    return _models([former])[0]


def _runs(found: Sequence[Run], *, user: User) -> list[RunItem]:
    return [RunItem(**_fields(run, user)) for run in found]


def _fields(run: Run, user: User) -> dict[str, Any]:
    same = "kind capability state done total created_at started_at finished_at".split()
    return {name: getattr(run, name) for name in same} | {
        "id": run.pk,
        "title": run_title(run, user=user),
        "message": run.message if user.has_perm("questionbank.run_read", run) else "",
        "requested_by": run.requested_by.username if run.requested_by else None,
    }


def run_detail(request: HttpRequest, run_id: int) -> RunDetail:
    """Return a job as the caller may see it."""
    run = run_get(run_id=run_id)
    may_read = request.user.has_perm("questionbank.run_read", run)
    return RunDetail(
        **_fields(run, request.user),
        error=run.error if may_read else "",
        result=run.result if may_read else {},
        log=[line.text for line in run_logs(run=run)] if may_read else [],
    )


def _models(found: Sequence[ModelArtifact]) -> list[ModelItem]:
    return [
        ModelItem(
            id=row.pk,
            capability=row.capability,
            scope=row.scope,
            name=row.name,
            state=row.state,
            created_at=row.created_at,
        )
        for row in found
    ]
