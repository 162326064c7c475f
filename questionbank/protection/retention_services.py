"""How long data about people is kept: the kinds of data, the time that admins set, and the daily job that deletes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pghistory.models
import structlog
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.files.storage import storages
from django.db import connection, transaction
from django.db.models import Model, QuerySet
from django.db.models.fields.json import KeyTransform
from django.db.models.functions import JSONObject
from django.utils import timezone
from django.utils.timezone import localdate

from questionbank.bank.attachment_services import attachments_sweep
from questionbank.core.database import database_now
from questionbank.core.storage import UPLOADS_KEPT, uploads_delete, uploads_older
from questionbank.models import (
    ApiRequest,
    AuditEvent,
    DocumentDraft,
    HookDelivery,
    LanguageModelAnswer,
    LongQuery,
    OutgoingMail,
    Response,
    ResponseSet,
    Retention,
    Run,
    RunLog,
    User,
)
from questionbank.papers.services import old_drafts
from questionbank.people.permissions import require
from questionbank.people.selectors import sessions_over
from questionbank.responses.set_services import Deletion, responses_delete_old, responses_found, years_ago

logger = structlog.get_logger(__name__)

MANY = 100_000  # rows; from this number on it is estimated, not counted
LONGEST = 36_500  # days
FAILED = -1
"""How many rows were deleted if deleting them failed."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much there is of one kind of data."""

    number: int
    bytes: int
    is_estimate: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptKind:
    """One kind of data.

    Attributes:
        where: table or folder, for admins who want to look themselves.
        since: the moment from which the days count, as a phrase.
        days: how long it is kept by default; None for ever.
        most: the longest time that can be set; None for any.
        rule: why no time can be set, as a sentence; empty if one can.
        amount: counts what there is now.
        old: counts what is from before a moment.
        delete: deletes what is from before a moment, and returns how much it was.
    """

    word: str
    name: str
    where: str
    amount: Callable[[], Amount]
    since: str = ""
    days: int | None = None
    most: int | None = None
    rule: str = ""
    old: Callable[[datetime], int] = lambda _before: 0
    delete: Callable[[datetime], int] = lambda _before: 0


# --- tables --------------------------------------------------------------------------------------


def _amount_of(*models: type[Model]) -> Callable[[], Amount]:
    def amount() -> Amount:
        number, size, is_estimate = 0, 0, False
        with connection.cursor() as cursor:
            for model in models:
                cursor.execute(
                    "SELECT reltuples::bigint, pg_total_relation_size(oid) FROM pg_class WHERE oid = %s::regclass",
                    [model._meta.db_table],
                )
                rows, table_bytes = cursor.fetchone()
                is_estimate |= rows >= MANY
                number += rows if rows >= MANY else model._base_manager.count()
                size += table_bytes
        return Amount(number, size, is_estimate)

    return amount


Rows = Callable[[datetime], QuerySet[Any]]


def _kept_rows(rows: Rows, *models: type[Model], **more: Any) -> KeptKind:
    """Return a kind that is deleted row by row."""
    return KeptKind(
        where=", ".join(model._meta.db_table for model in models),
        amount=_amount_of(*models),
        old=lambda before: rows(before).count(),
        delete=lambda before: rows(before).delete()[1].get(models[0]._meta.label, 0),
        **more,
    )


def _pasted(before: datetime) -> QuerySet[Any]:
    asked = Run.objects.filter(finished_at__lt=before, parameters__has_keys=["asked_by", "text"])
    return asked.exclude(parameters__asked_by=None)  # about a question of the bank


def _pasted_empty(before: datetime) -> int:
    """Remove text and answer from the jobs; what remains is who asked."""
    asker = JSONObject(asked_by=KeyTransform("asked_by", "parameters"))
    return _pasted(before).update(parameters=asker, result={}, error="")


def _is_history(model: type[Model]) -> bool:
    return issubclass(model, pghistory.models.Event) and model._meta.managed


def _history() -> list[type[Model]]:
    return [model for model in apps.get_models() if _is_history(model)]


def _history_old(before: datetime) -> int:
    return sum(model._base_manager.filter(pgh_created_at__lt=before).count() for model in _history())


def _history_delete(before: datetime) -> int:
    number = sum(model._base_manager.filter(pgh_created_at__lt=before).delete()[0] for model in _history())
    pghistory.models.Context.objects.filter(created_at__lt=before - timedelta(days=1)).delete()
    return number


def _responses_old(before: datetime) -> int:
    return len(responses_found(wanted=Deletion(before=localdate(before)), user=None).sets)


# --- files ---------------------------------------------------------------------------------------


def _uploads_amount() -> Amount:
    names = uploads_older(datetime.max.replace(tzinfo=UTC))
    return Amount(len(names), sum(storages["uploads"].size(name) for name in names))


def _uploads_old(before: datetime) -> list[str]:
    """Return the files that are too old, except those that a job is yet to read."""
    unfinished = Run.objects.exclude(state__in=Run.FINISHED).filter(parameters__has_key="upload")
    needed = set(unfinished.values_list("parameters__upload", flat=True))
    return [name for name in uploads_older(before) if name not in needed]


def _uploads_delete(before: datetime) -> int:
    names = _uploads_old(before)
    uploads_delete(names)
    return len(names)


def _logs() -> list[Path]:
    return sorted((Path(settings.VAR_DIR) / "logs").glob("*.log*"))


def _logs_old(before: datetime) -> list[Path]:
    """Return the rotated logs from before a moment; the current ones are in use."""
    return [path for path in _logs() if path.suffix == ".1" and path.stat().st_mtime < before.timestamp()]


def _logs_delete(before: datetime) -> int:
    paths = _logs_old(before)
    for path in paths:
        path.unlink(missing_ok=True)
    return len(paths)


KINDS: Sequence[KeptKind] = (
    KeptKind(
        word="uploads",
        name="Uploaded files",
        where="files/uploads",
        since="after they were sent",
        days=UPLOADS_KEPT.days,
        most=UPLOADS_KEPT.days,  # the page that imports them works for as long
        amount=_uploads_amount,
        old=lambda before: len(_uploads_old(before)),
        delete=_uploads_delete,
    ),
    _kept_rows(
        old_drafts, DocumentDraft, word="papers", name="Test papers under review", since="after the last change", days=7
    ),
    KeptKind(
        word="pasted",
        name="Questions pasted for the language model, and its answers",
        where="questionbank_run: parameters, result",
        since="after the job ended",
        amount=lambda: Amount(_pasted(datetime.max.replace(tzinfo=UTC)).count(), 0),
        old=lambda before: _pasted(before).count(),
        delete=_pasted_empty,
    ),
    _kept_rows(
        lambda before: RunLog.objects.filter(run__finished_at__lt=before),
        RunLog,
        word="job_logs",
        name="Logs of jobs",
        since="after the job ended",
    ),
    _kept_rows(
        lambda before: LongQuery.objects.filter(used_at__lt=before),
        LongQuery,
        word="searches",
        name="Long searches and pasted questions that were searched for",
        since="after the last search",
        days=365,
    ),
    _kept_rows(
        lambda before: OutgoingMail.objects.filter(due_at=None, created_at__lt=before),
        OutgoingMail,
        word="mail",
        name="Mail that was sent or given up",
        since="after it was queued",
        days=90,
    ),
    _kept_rows(
        lambda before: HookDelivery.objects.filter(due_at=None, began_at__lt=before),
        HookDelivery,
        word="deliveries",
        name="Deliveries of web hooks",
        since="after the first attempt",
        days=30,
    ),
    _kept_rows(
        lambda before: Session.objects.filter(expire_date__lt=before),
        Session,
        word="sessions",
        name="Sessions that have ended",
        since="after they ended",
        days=1,
    ),
    _kept_rows(
        lambda before: sessions_over(before=before),
        UserSession,
        word="devices",
        name="Where people were logged in: IP address and browser",
        since="after the last use, once the session has ended",
        days=365,
    ),
    KeptKind(
        word="responses",
        name="Pupils’ responses, by keyed hashes",
        where=f"{ResponseSet._meta.db_table}, {Response._meta.db_table}",
        since="after the test",
        amount=_amount_of(ResponseSet, Response),
        old=_responses_old,
        delete=lambda before: responses_delete_old(before=localdate(before)),
    ),
    KeptKind(
        word="history",
        name="History of changes, with who made them",
        where="questionbank_*event, pghistory_context",
        since="after the change",
        amount=lambda: _amount_of(*_history(), pghistory.models.Context)(),
        old=_history_old,
        delete=_history_delete,
    ),
    _kept_rows(
        lambda before: AuditEvent.objects.filter(created_at__lt=before),
        AuditEvent,
        word="audit",
        name="Log-ins, exports and views, with the IP address",
        since="after they happened",
        days=365,
    ),
    KeptKind(
        word="logs",
        name="Log files of this machine, with addresses of pages and IP addresses",
        where="logs",
        since="after they were rotated",
        amount=lambda: Amount(len(_logs()), sum(path.stat().st_size for path in _logs())),
        old=lambda before: len(_logs_old(before)),
        delete=_logs_delete,
    ),
    KeptKind(
        word="requests",
        name="Responses of the API to requests with an Idempotency-Key",
        where=ApiRequest._meta.db_table,
        rule="One day.",
        amount=_amount_of(ApiRequest),
    ),
    KeptKind(
        word="answers",
        name="What the language model says about questions and pairs",
        where=LanguageModelAnswer._meta.db_table,
        rule="As long as the question or the pair, unless it is excluded from the model.",
        amount=_amount_of(LanguageModelAnswer),
    ),
)


def retention_days() -> dict[str, int | None]:
    """Return for how many days each kind of data that has a setting is kept; None for ever."""
    stored = dict(Retention.objects.values_list("kind", "days"))
    return {kind.word: stored.get(kind.word, _default(kind)) for kind in KINDS if not kind.rule}


def retention_set(*, user: User, days: Mapping[str, int | None]) -> None:
    """Set for how many days kinds of data are kept; the history records each change.

    Raises:
        NotAllowed: the person is not an admin.
    """
    require(user, "people_manage", "Only admins decide how long data is kept.")
    with transaction.atomic():
        for word, before in retention_days().items():
            if word in days and days[word] != before:
                Retention.objects.update_or_create(kind=word, defaults={"days": days[word]})


def retention_old(days: Mapping[str, int | None]) -> dict[str, int]:
    """Return how much of each kind would be deleted now if it were kept for so many days."""
    return {kind.word: kind.old(before) for kind, before in _limits(days)}


def retention_apply() -> dict[str, int]:
    """Delete what is too old, and pictures that nothing shows; note what was deleted in the audit, and return it.

    If one kind cannot be deleted, the others still are.
    """
    deleted: dict[str, int] = {}
    for kind, before in _limits(retention_days()):
        try:
            deleted[kind.word] = kind.delete(before)
        except Exception:
            logger.exception("retention_failed", kind=kind.word)
            deleted[kind.word] = FAILED
    deleted["pictures"] = attachments_sweep()
    names = {kind.word: kind.name for kind in KINDS} | {"pictures": "Pictures that nothing shows"}
    for word, number in deleted.items():
        if number:
            did = "could not be deleted: see the worker's log" if number == FAILED else f"{number:,} deleted by age"
            AuditEvent.objects.create(kind=AuditEvent.Kind.RETENTION, what=f"{names[word]}: {did}")
    return deleted


def _default(kind: KeptKind) -> int | None:
    if kind.word == "responses" and settings.RESPONSES_KEPT_YEARS:
        return (timezone.localdate() - years_ago(settings.RESPONSES_KEPT_YEARS)).days
    return kind.days


def _limits(days: Mapping[str, int | None]) -> list[tuple[KeptKind, datetime]]:
    """Return the kinds that are not kept for ever, and the moment before which each is too old."""
    now = database_now()
    limits = []
    for kind in KINDS:
        kept = days.get(kind.word)
        if kept is not None:
            limits.append((kind, now - timedelta(days=kept)))
    return limits
