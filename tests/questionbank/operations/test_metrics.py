"""Figures for Prometheus, and the board and the rules that read them."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from questionbank.jobs.run_services import run_create, worker_seen
from questionbank.local.programs import programs
from questionbank.models import EmbeddingSet, Run, WorkBlock
from questionbank.operations import metrics

PROMETHEUS = Path(__file__).resolve().parents[3] / "docker" / "prometheus"
pytestmark = pytest.mark.django_db


def samples(collector) -> dict[tuple, float]:
    text = generate_latest(collector).decode()
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


@pytest.fixture
def bank() -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(metrics.BankCollector())
    return registry


def test_requests_their_time_and_their_statements_are_counted(settings, teacher):
    settings.METRICS_PORT = 9180
    client = Client()
    client.force_login(teacher)
    before = samples(metrics.WEB)
    client.get(reverse("list_index"))
    client.get("/nowhere/")
    after = samples(metrics.WEB)

    def grown(*key: str) -> float:
        return after.get(key, 0) - before.get(key, 0)

    assert grown("kindred_requests_total", "200", "GET", "list_index") == 1
    assert grown("kindred_requests_total", "404", "GET", "none") == 1
    assert grown("kindred_request_seconds_count", "list_index") == 1
    assert grown("kindred_queries_total", "default") >= 3
    assert grown("kindred_query_seconds_total", "default") > 0


def test_the_bank_tells_of_jobs_blocks_workers_and_recall(bank):
    run = run_create(kind=Run.Kind.EMBED, title="Vectors")
    Run.objects.filter(pk=run.pk).update(created_at=Now() - timedelta(minutes=5))
    WorkBlock.objects.create(job="vectors", first=1, last=9, size=9)
    WorkBlock.objects.create(job="vectors", first=10, last=19, size=9, until=Now() + timedelta(minutes=1))
    WorkBlock.objects.create(job="a turn")
    worker_seen(name="light@here", queues="light")
    EmbeddingSet.objects.create(
        lens="wording", encoder_name="x", dimension=8, is_current=True, recall={"recall": 0.995}
    )
    figures = samples(bank)
    assert figures["kindred_runs", "queued"] == 1
    assert 290 < figures["kindred_queue_age_seconds", "default"] < 400
    assert figures["kindred_blocks", "claimed"] == figures["kindred_blocks", "free"] == 1
    assert (figures["kindred_workers", "light"], figures["kindred_workers", "train"]) == (1, 0)
    assert figures["kindred_index_recall", "wording"] == 0.995
    assert figures["kindred_up", "blocks"] == 1


def test_what_does_not_answer_is_left_out_and_said(bank, monkeypatch):
    def away() -> dict[str, int]:
        raise OSError

    monkeypatch.setattr(metrics.task_queue, "queue_depths", away)
    figures = samples(bank)
    assert figures["kindred_up", "queues"] == 0
    assert figures["kindred_up", "runs"] == 1


def test_board_and_rules_read_figures_that_there_are_and_the_documentation_names_all(bank):
    exported = {name for name, *_labels in samples(bank) | samples(metrics.WEB)}
    exported |= {"kindred_index_recall"}
    exported |= {f"kindred_request_seconds_{part}" for part in ("bucket", "sum", "count")}
    exported |= {"kindred_requests_total", "kindred_queries_total", "kindred_query_seconds_total"}
    rules = yaml.safe_load((PROMETHEUS / "alerts.yaml").read_text())["groups"][0]["rules"]
    board = json.loads((PROMETHEUS / "kindred.json").read_text())
    expressions = [rule["expr"] for rule in rules]
    expressions += [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    named = {name for expression in expressions for name in re.findall(r"kindred_\w+", expression)}
    assert named <= exported
    assert all(rule["annotations"]["summary"] and rule["labels"]["severity"] for rule in rules)
    assert yaml.safe_load((PROMETHEUS / "prometheus.yaml").read_text())["rule_files"] == ["alerts.yaml"]
    operations = (PROMETHEUS.parents[1] / "docs" / "operations.md").read_text()
    families = {re.sub(r"_(bucket|sum|count|created)$", "", name) for name in exported}
    assert {name for name in families if f"`{name}`" not in operations} <= {
        "kindred_requests",
        "kindred_queries",
        "kindred_query_seconds",
    }


def test_the_process_runs_where_it_has_a_port(monkeypatch, tmp_path):
    assert "metrics" not in programs(tmp_path, host="127.0.0.1", port=8000)
    monkeypatch.setenv("METRICS_PORT", "9180")
    processes = programs(tmp_path, host="127.0.0.1", port=8000)
    assert processes["metrics"].command[-2:] == ["--host", "127.0.0.1"]
    assert processes["web"].environment["PROMETHEUS_MULTIPROC_DIR"] == str(tmp_path / "metrics")
