"""The last active admin keeps the role, whichever way somebody tries to take it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Group
from django.db import IntegrityError, transaction
from django.urls import reverse

from questionbank.core.errors import ValidationFailed
from questionbank.models import User
from questionbank.people.services import check_an_admin_is_left
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def second_admin(admin_person):
    person = UserFactory(username="second")
    person.groups.add(Group.objects.get(name="admin"))
    return person


WAYS = {
    "deactivated": lambda person: User.objects.filter(pk=person.pk).update(is_active=False),
    "removed from the group": lambda person: person.groups.clear(),
    "given another role": lambda person: person.groups.set([Group.objects.get(name="teacher")]),
    "deleted": lambda person: person.delete(),
    "the group deleted": lambda _person: Group.objects.get(name="admin").delete(),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_database_refuses_to_lose_the_last_admin(way, admin_person):
    UserFactory(username="inactive", is_active=False).groups.add(Group.objects.get(name="admin"))
    with pytest.raises(IntegrityError, match="last active admin"), transaction.atomic():
        WAYS[way](admin_person)
    assert admin_person.groups.filter(name="admin").exists()


@pytest.mark.parametrize("way", sorted(set(WAYS) - {"the group deleted"}))
def test_one_of_two_admins_may_lose_the_role(way, admin_person, second_admin):
    WAYS[way](admin_person)
    assert not User.objects.filter(pk=admin_person.pk, is_active=True, groups__name="admin").exists()


def test_a_superuser_counts_as_an_admin(admin_person, django_user_model):
    root = django_user_model.objects.create_superuser("root", password="correct horse battery")
    admin_person.groups.clear()
    with pytest.raises(IntegrityError), transaction.atomic():
        django_user_model.objects.filter(pk=root.pk).update(is_superuser=False)


def test_a_bank_without_any_admin_lets_people_change(teacher):
    User.objects.filter(pk=teacher.pk).update(is_active=False)
    teacher.delete()


def test_the_check_says_who_would_be_missed(admin_person, second_admin, teacher):
    for person in (admin_person, teacher):
        check_an_admin_is_left(without=person)
    second_admin.delete()
    check_an_admin_is_left(without=teacher)
    with pytest.raises(ValidationFailed, match="This is the last admin"):
        check_an_admin_is_left(without=admin_person)


def test_the_admin_s_form_and_delete_page_say_so(client, admin_person):
    client.force_login(admin_person)
    here = reverse("admin:questionbank_user_change", args=[admin_person.pk])
    fields = {"username": "admin", "groups": [Group.objects.get(name="teacher").pk], "is_active": "on"}
    response = client.post(here, fields)
    assert response.status_code == 200
    assert "This is the last admin" in response.content.decode()
    fields["groups"] = [Group.objects.get(name="admin").pk]
    assert "This is the last admin" in client.post(here, fields | {"is_active": ""}).content.decode()
    assert client.post(here, fields).status_code == 302  # what leaves the role is saved
    root = UserFactory(username="root")
    root.groups.add(Group.objects.get(name="teacher"))
    listed = reverse("admin:questionbank_user_changelist")
    chosen = {"action": "delete_selected", "_selected_action": [admin_person.pk, root.pk]}
    for sent in (chosen, chosen | {"post": "yes"}):  # nobody deletes themselves, and whoever is here is an admin
        assert client.post(listed, sent).status_code in (200, 403)
    assert User.objects.count() == 2
