"""People, roles and the last admin."""

from __future__ import annotations

import pytest

from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.models import User
from questionbank.people.services import person_invite, person_set_active, person_update
from questionbank.people.views import InvitationForm

pytestmark = pytest.mark.django_db
ADA = {"username": "ada", "email": "ada@school.example", "first_name": "Ada", "last_name": "L", "roles": ["teacher"]}


def test_an_invited_person_has_the_role_and_no_password(admin_person) -> None:
    person = person_invite(user=admin_person, **ADA)
    assert person.has_perm("questionbank.question_create")
    assert not person.has_perm("questionbank.models_manage")
    assert not person.has_usable_password()


@pytest.mark.parametrize(
    ("field", "value"), [("username", "a b"), ("username", "a" * 151), ("email", "nonsense"), ("roles", ["owner"])]
)
def test_a_wrong_invitation_names_the_field(field, value) -> None:
    assert list(InvitationForm(ADA | {field: value}).errors) == [field]


@pytest.mark.parametrize(
    ("field", "change"),
    [("username", {"username": "ADMIN"}), ("email", {"username": "eve", "email": "ADA@school.example"})],
)
def test_two_people_do_not_share_a_name_or_an_address(admin_person, field, change) -> None:
    person_invite(user=admin_person, **ADA)
    with pytest.raises(ValidationFailed) as caught:
        person_invite(user=admin_person, **(ADA | change))
    assert list(caught.value.fields) == [field]
    assert User.objects.count() == 2


def test_the_last_admin_keeps_role_and_account(admin_person) -> None:
    kept = {"email": "", "first_name": "", "last_name": ""}
    with pytest.raises(ValidationFailed, match="last admin"):
        person_update(user=admin_person, person=admin_person, roles=["teacher"], **kept)
    with pytest.raises(ValidationFailed, match="last admin"):
        person_set_active(user=admin_person, person=admin_person, is_active=False)
    person = User.objects.get(pk=admin_person.pk)
    assert person.is_active
    assert person.has_perm("questionbank.models_manage")

    person_invite(user=admin_person, **(ADA | {"roles": ["admin"]}))
    person_update(user=person, person=person, roles=["teacher"], **kept)
    assert not User.objects.get(pk=person.pk).has_perm("questionbank.models_manage")


def test_only_admins_manage_people_and_only_superusers_a_superuser(admin_person, teacher) -> None:
    with pytest.raises(NotAllowed):
        person_invite(user=teacher, **ADA)
    root = User.objects.create_superuser("root", password="correct horse battery")
    with pytest.raises(NotAllowed):
        person_set_active(user=admin_person, person=root, is_active=False)
    person_set_active(user=root, person=admin_person, is_active=False)
    assert not User.objects.get(pk=admin_person.pk).is_active
