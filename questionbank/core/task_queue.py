"""The only module that sends work to Celery: by task name, on commit, one message per run.

A queue is one Redis list per priority; workers take the oldest message of the most urgent list (decision 144).

There is one task per kind of run, ``bank.<kind>``; what differs between capabilities is in their classes in
`worker.table`.

It imports Celery but never `worker`, and ignores eager mode: tests call task functions directly.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import redis
import structlog
from celery import Celery
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError
from kombu.transport.redis import Channel

if TYPE_CHECKING:
    from questionbank.models import Run

logger = structlog.get_logger(__name__)

TAKEN_SECONDS = 30.0
_taken_since: dict[str, float] = {}  # message id -> when this process first saw that a worker had taken it

QUEUES = ("default", "light", "train")  # long jobs, short jobs that never wait for them, training
_OPTIONS: dict[str, Any] = settings.CELERY_BROKER_TRANSPORT_OPTIONS


def task_name(kind: str) -> str:
    """Return the name of the task that executes runs of a kind, for every capability."""
    return f"bank.{kind}"


@cache
def _application() -> Celery:
    application = Celery("kindred-dispatch", broker=settings.CELERY_BROKER_URL, set_as_current=False)
    application.conf.broker_connection_retry_on_startup = False
    application.conf.broker_transport_options = _OPTIONS | {
        "socket_connect_timeout": 2,
        "socket_timeout": 5,
        "max_retries": 1,
    }
    return application


def enqueue(run: Run) -> None:
    """Send `run` to a worker when the current transaction commits.

    If the broker cannot be reached, nothing is lost: the run stays queued and the reconciler sends it.
    """
    transaction.on_commit(partial(_send, run))


def _send(run: Run) -> None:
    try:
        _application().send_task(
            task_name(run.kind),
            args=[run.pk],
            task_id=str(run.message_id),
            queue=run.queue,
            priority=run.priority,
            ignore_result=True,
            retry=False,
        )
    except (OperationalError, OSError, redis.RedisError) as error:  # it is down or cannot write to its disk
        logger.warning("run_not_sent", run=run.pk, reason=str(error))
        return
    type(run).objects.filter(pk=run.pk).update(sent_at=Now())


def ask_for_help(run: Run, job: str) -> None:
    """Ask another worker of the run's queue to work on the blocks of a job, unless messages already wait there.

    An idle worker takes the message at once, so repeated calls enlist all idle workers.
    Without a broker nobody helps, and the work continues.
    """
    with suppress(OperationalError, OSError, redis.RedisError):
        if not queue_depths()[run.queue]:
            _application().send_task(
                task_name("help"),
                args=[run.pk, job],
                queue=run.queue,
                priority=run.priority,
                ignore_result=True,
                retry=False,
            )


def wake(job: str, *, queue: str) -> None:
    """Run a scheduled job when the current transaction commits, rather than at its next scheduled time.

    If the broker cannot be reached, nothing is lost: the scheduler runs the job later.
    """
    transaction.on_commit(partial(_wake, job, queue))


def _wake(job: str, queue: str) -> None:
    try:
        send_once(task_name(job), queue=queue)
    except (OperationalError, OSError, redis.RedisError) as error:
        logger.warning("job_not_sent", job=job, reason=str(error))


def send_once(task: str, *, queue: str) -> None:
    """Send a job that has no run, unless its message is already waiting.

    Raises:
        OperationalError, OSError, RedisError: the broker cannot be reached, or cannot write to its disk.
    """
    if task not in _waiting_message_ids():
        _application().send_task(task, task_id=task, queue=queue, ignore_result=True, retry=False)


def pending_message_ids() -> set[str]:
    """Return the ids of messages that wait in the queues, or that were taken by a worker that may still start them.

    A worker starts what it takes at once. A message that this process has seen as taken for `TAKEN_SECONDS` belongs to
    a worker that died before it started; the broker would redeliver it only after `visibility_timeout`.
    """
    taken, now = _taken_message_ids(), time.monotonic()
    for identifier in _taken_since.keys() - taken:
        del _taken_since[identifier]
    recent = {each for each in taken if now - _taken_since.setdefault(each, now) < TAKEN_SECONDS}
    return _waiting_message_ids() | recent


def _taken_message_ids() -> set[str]:
    with _application().connection_for_read() as connection, connection.channel() as channel:
        return {json.loads(raw)[0]["headers"]["id"] for raw in channel.client.hvals(channel.unacked_key)}


def _waiting_message_ids() -> set[str]:
    with _application().connection_for_read() as connection, connection.channel() as channel:
        waiting = [channel.client.lrange(name, 0, -1) for queue in QUEUES for name in _lists(queue)]
    return {json.loads(raw)["headers"]["id"] for messages in waiting for raw in messages}


def queue_depths() -> dict[str, int]:
    """Return the number of messages that wait in each queue."""
    with _application().connection_for_read() as connection, connection.channel() as channel:
        return {queue: sum(map(channel.client.llen, _lists(queue))) for queue in QUEUES}


def is_more_urgent_waiting(queues: Iterable[str], *, priority: int) -> bool:
    """Return whether a message more urgent than `priority` waits in one of the queues; False without a broker."""
    names = [name for queue in queues for name in _lists(queue)[:priority]]
    if not names:
        return False
    with (
        suppress(OperationalError, OSError, redis.RedisError),
        _application().connection_for_read() as connection,
        connection.channel() as channel,
    ):
        return any(map(channel.client.llen, names))
    return False


def _lists(queue: str) -> list[str]:
    """Return the names of a queue's Redis lists in Celery's transport, the most urgent first."""
    return [f"{queue}{Channel.sep}{step}" if step else queue for step in _OPTIONS["priority_steps"]]
