"""What every test may use: embedded servers for those with a database, the public data, people."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

SHARED_DATA = Path(__file__).resolve().parent.parent.parent / "shared" / "data"


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Start the embedded PostgreSQL and Redis before the test database is made."""
    from questionbank import embedded
    from questionbank.env import var_dir

    embedded.ensure(var_dir(), services={"postgres", "redis"})


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets; skips where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the public data sets are not at {SHARED_DATA}")
    return SHARED_DATA


@pytest.fixture
def no_hang() -> Iterator[None]:
    """Ends a test that hangs after a minute; no measure of speed (`make bench` measures)."""

    def give_up(number: int, frame: FrameType | None) -> None:
        pytest.fail("it hangs")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def teacher(db, django_user_model):
    """A teacher."""
    return _person(django_user_model, "teacher")


@pytest.fixture
def reviewer(db, django_user_model):
    """A reviewer."""
    return _person(django_user_model, "reviewer")


@pytest.fixture
def admin_person(db, django_user_model):
    """Somebody with the role admin (not a superuser)."""
    return _person(django_user_model, "admin")


def _person(model, role: str):
    from django.contrib.auth.models import Group

    person = model.objects.create_user(username=role, password="correct horse battery")
    person.groups.add(Group.objects.get_or_create(name=role)[0])
    return person
