"""The demo's people."""

from __future__ import annotations

import pytest

from questionbank.demo.people import DEMO_PEOPLE
from questionbank.models import User
from questionbank.services.setup import demo_people_create, demo_people_shut_out

pytestmark = pytest.mark.django_db


def active() -> set[str]:
    return set(User.objects.filter(is_active=True).values_list("username", flat=True))


def test_each_role_has_a_log_in_and_creating_them_again_changes_nothing():
    demo_people_create()
    demo_people_create()
    assert {(one.username, one.groups.get().name) for one in User.objects.all()} == {
        (username, role) for username, _password, role in DEMO_PEOPLE
    }


def test_production_shuts_out_published_passwords_but_nobody_elses():
    demo_people_create()
    teacher = User.objects.get(username="teacher")
    teacher.set_password("a password of my own")
    teacher.save()
    assert sorted(demo_people_shut_out()) == ["admin", "reviewer"]
    assert active() == {"teacher"}
    assert demo_people_shut_out() == []


def test_going_back_to_the_demo_lets_them_in_again():
    demo_people_create()
    demo_people_shut_out()
    demo_people_create()
    assert active() == {username for username, _password, _role in DEMO_PEOPLE}
