"""What the tests of the probes share."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.analytics.probes.small_world import small_world


@pytest.fixture(scope="session")
def world() -> SimpleNamespace:
    """The small world; do not change it."""
    return small_world()
