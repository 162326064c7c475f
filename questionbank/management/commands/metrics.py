"""Serve metrics to Prometheus."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.multiprocess import MultiProcessCollector

from questionbank.local.programs import metrics_folder
from questionbank.management.base import BankCommand
from questionbank.operations.metrics import BankCollector


class Command(BankCommand):
    """Runs until it is stopped; `serve` starts it if METRICS_PORT is set."""

    help = "Answer Prometheus at METRICS_PORT with the figures of this machine and the bank."
    needs_bank = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("--host", default="127.0.0.1", help="address to bind (default: 127.0.0.1)")

    def handle(self, *args: Any, host: str, **options: Any) -> None:
        """Serve until stopped."""
        if not settings.METRICS_PORT:
            raise CommandError("Set METRICS_PORT to the port at which Prometheus asks.")
        folder = metrics_folder(settings.VAR_DIR)
        folder.mkdir(parents=True, exist_ok=True)
        registry = CollectorRegistry()
        registry.register(BankCollector())
        MultiProcessCollector(registry, path=str(folder))
        try:
            _server, thread = start_http_server(settings.METRICS_PORT, addr=host, registry=registry)
        except OSError as error:
            raise CommandError(f"Port {settings.METRICS_PORT} cannot be used: {error.strerror}.") from error
        self.stdout.write(f"Prometheus finds the figures at http://{host}:{settings.METRICS_PORT}/metrics")
        thread.join()
