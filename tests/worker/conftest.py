"""What the tests of jobs share."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from analytics.training.context import wait_passively
from tests.language_model_server import KEY, language_model_server

wait_passively()  # before a test module imports torch


@pytest.fixture(autouse=True)
def _one_connection(request) -> None:
    """Whatever takes longer than a beat would be taken for a job that somebody else got."""
    marker = request.node.get_closest_marker("django_db")
    if marker is None or not marker.kwargs.get("transaction"):
        request.getfixturevalue("one_connection")


@pytest.fixture
def one_connection(monkeypatch) -> None:
    """The heartbeat's thread has a connection of its own, which does not see the rows of a test."""
    from worker import reporting

    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 3600.0)


@pytest.fixture
def no_graph(monkeypatch) -> None:
    """Exporting takes seconds; the weights for torch are what these tests look at."""
    from analytics.backbone import export

    monkeypatch.setattr(export, "_export_graph", lambda backbone, path, output: path.write_bytes(b"graph"))


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for one another cost more than what a tiny model computes."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def server(settings, monkeypatch) -> Iterator[SimpleNamespace]:
    """A language model that the installation names; nobody waits between tries."""
    from analytics.language_model import endpoint

    monkeypatch.setattr(endpoint.EndpointModel.__init__, "__kwdefaults__", {
        **endpoint.EndpointModel.__init__.__kwdefaults__, "wait": lambda seconds: None
    })  # fmt: skip
    with language_model_server() as running:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = running.url, "tiny"
        settings.LANGUAGE_MODEL_KEY = KEY
        yield running
