"""A small bank, and somebody logged in."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from questionbank.search import spelling
from tests.questionbank.page_bank import make_bank


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch) -> None:
    """Counts of the home page and the words of a search are kept for a while; not from one test to the next."""
    cache.clear()
    monkeypatch.setattr(spelling, "CHECK_AFTER", 0.0)


@pytest.fixture
def bank(db, teacher):
    """Six questions, three concepts, vectors under both lenses."""
    return make_bank(teacher)


@pytest.fixture
def as_teacher(client: Client, teacher) -> Client:
    client.force_login(teacher)
    return client


@pytest.fixture
def as_admin(client: Client, admin_person) -> Client:
    client.force_login(admin_person)
    return client


@pytest.fixture
def as_reviewer(client: Client, reviewer) -> Client:
    client.force_login(reviewer)
    return client
