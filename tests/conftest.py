"""What every test may use: embedded servers for those with a database, the public data, people."""

from __future__ import annotations

from pathlib import Path

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
