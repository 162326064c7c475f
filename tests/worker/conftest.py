"""What the tests of jobs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from analytics.training.threads import wait_passively

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
