"""Metrics for Prometheus: counters of each web process, and figures that one process per machine reads from the bank.

Web processes write to files below `VAR_DIR` (prometheus-client's multiprocess mode), which `manage.py metrics`
sums up on its own port. The metrics are listed in docs/operations.md.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from typing import Any

import redis
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.db import Error as DatabaseError
from django.db import close_old_connections, connections
from django.db.models import Count, Min, Q
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from kombu.exceptions import KombuError
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from questionbank.core import task_queue
from questionbank.core.database import database_now
from questionbank.jobs.run_selectors import WORKER_SILENT_AFTER
from questionbank.models import EmbeddingSet, Run, WorkBlock, WorkerHeartbeat

DAY = timedelta(days=1)

WEB = CollectorRegistry()
REQUESTS = Counter("kindred_requests", "Requests answered.", ["view", "method", "status"], registry=WEB)
SECONDS = Histogram(
    "kindred_request_seconds",
    "Time to an answer.",
    ["view"],
    registry=WEB,
    buckets=(0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 5, 10),
)
QUERIES = Counter("kindred_queries", "Statements of requests.", ["database"], registry=WEB)
QUERY_SECONDS = Counter("kindred_query_seconds", "Time that these statements took.", ["database"], registry=WEB)


class MetricsMiddleware:
    """Count requests, their duration and their statements; the first middleware, so that nothing is missed."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        if not settings.METRICS_PORT:
            raise MiddlewareNotUsed

    def __call__(self, request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        with ExitStack() as stack:
            for connection in connections.all():
                stack.enter_context(connection.execute_wrapper(_count_statement))
            response = self.get_response(request)
        view = request.resolver_match.view_name if request.resolver_match else "none"
        REQUESTS.labels(view, request.method, response.status_code).inc()
        SECONDS.labels(view).observe(time.perf_counter() - began)
        return response


def _count_statement(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
    began = time.perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        database = context["connection"].alias
        QUERIES.labels(database).inc()
        QUERY_SECONDS.labels(database).inc(time.perf_counter() - began)


class BankCollector(Collector):
    """Reads the bank and the queues on every scrape; figures whose server does not answer are left out."""

    def __init__(self) -> None:
        self._turn = threading.Lock()

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield the metrics."""
        with self._turn:
            up = GaugeMetricFamily("kindred_up", "Whether these figures could be read.", labels=["figures"])
            for figures in (_queues, _runs, _blocks, _recall, _workers):
                name = figures.__name__.strip("_")
                try:
                    yield from figures()
                    up.add_metric([name], 1)
                except (DatabaseError, redis.RedisError, KombuError, OSError):
                    up.add_metric([name], 0)
            yield up
            close_old_connections()


def _gauge(name: str, about: str, label: str, values: dict[str, float]) -> GaugeMetricFamily:
    family = GaugeMetricFamily(f"kindred_{name}", about, labels=[label])
    for value_of, value in values.items():
        family.add_metric([value_of], value)
    return family


def _queues() -> Iterator[GaugeMetricFamily]:
    depths = {queue: float(depth) for queue, depth in task_queue.queue_depths().items()}
    yield _gauge("queue_messages", "Messages that wait.", "queue", depths)


def _runs() -> Iterator[GaugeMetricFamily]:
    unfinished = Run.objects.exclude(state__in=Run.FINISHED).values_list("state").annotate(Count("pk"))
    failed = Run.failures().filter(finished_at__gte=database_now() - DAY).count()
    states = {str(state): 0.0 for state in (Run.State.QUEUED, Run.State.RUNNING)}
    yield _gauge(
        "runs", "Jobs; failed in the last 24 hours.", "state", {**states, **dict(unfinished), "failed": failed}
    )
    waiting = Run.objects.filter(state=Run.State.QUEUED).values("queue").annotate(since=Min("created_at"))
    ages = dict.fromkeys(task_queue.QUEUES, 0.0)
    now = database_now()
    for row in waiting:
        ages[row["queue"]] = (now - row["since"]).total_seconds()
    yield _gauge("queue_age_seconds", "How long the oldest job has waited.", "queue", ages)


def _blocks() -> Iterator[GaugeMetricFamily]:
    claimed = Q(until__gt=Now())
    unfinished = WorkBlock.objects.filter(done__isnull=True, size__gt=0)
    counts = unfinished.aggregate(claimed=Count("pk", filter=claimed), free=Count("pk", filter=~claimed))
    yield _gauge("blocks", "Blocks of bulk work that are not done.", "state", {k: float(v) for k, v in counts.items()})


def _recall() -> Iterator[GaugeMetricFamily]:
    measured = EmbeddingSet.objects.filter(is_current=True, recall__isnull=False)
    values = {f"{one.lens} {one.scope}".strip(): float(one.recall["recall"]) for one in measured}
    yield _gauge("index_recall", "Share of the true neighbours that the index finds.", "lens", values)


def _workers() -> Iterator[GaugeMetricFamily]:
    alive = WorkerHeartbeat.objects.filter(seen_at__gte=Now() - WORKER_SILENT_AFTER)
    counts = dict.fromkeys(task_queue.QUEUES, 0.0)
    for worker in alive:
        for queue in worker.queues.split(","):
            counts[queue] = counts.get(queue, 0.0) + 1
    yield _gauge("workers", "Workers that live.", "queue", counts)
