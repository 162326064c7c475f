"""The pages of people."""

from __future__ import annotations

import re

import pytest
from allauth.mfa.models import Authenticator
from django.apps import apps
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.models import User
from questionbank.people.mail import mail_send_due


def test_an_invited_person_chooses_a_password_by_the_mailed_link(as_admin, client) -> None:
    data = {"username": "ada", "email": "ada@school.example", "first_name": "Ada", "roles": ["teacher"]}
    response = as_admin.post(reverse("person_invite"), data)
    person = User.objects.get(username="ada")
    assert response["Location"] == reverse("person_detail", args=[person.pk])
    assert "on its way" in as_admin.get(response["Location"]).content.decode()
    mail_send_due()
    link = re.search(r"http://testserver(\S+)", mail.outbox[0].body)[1]
    whose = link.rpartition("/key/")[2].partition("-")[0]  # what follows changes with every second
    assert f"/password/reset/key/{whose}-" in as_admin.get(response["Location"]).content.decode()

    client.logout()
    form = client.get(link)
    chosen = {"password1": "purple elephant 9", "password2": "purple elephant 9"}
    client.post(form["Location"], chosen)
    login = {"login": "ada", "password": "purple elephant 9"}
    assert client.post(reverse("account_login"), login)["Location"] == reverse("home")


def test_without_a_mail_server_an_invitation_is_passed_on_by_hand(as_admin, settings) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    data = {"username": "ada", "email": "ada@school.example", "first_name": "Ada", "roles": ["teacher"]}
    page = as_admin.post(reverse("person_invite"), data, follow=True).content.decode()
    assert "Pass the link below on" in page
    assert "on its way" not in page
    assert "/password/reset/key/" in page


def test_an_admin_makes_a_link_that_is_shown_once_and_told_without_its_key(as_admin, teacher) -> None:
    page = as_admin.post(reverse("person_password_link", args=[teacher.pk]))
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+?)<", page.content.decode())[1]
    assert "no-store" in page["Cache-Control"]
    assert "/reset/key/" not in as_admin.get(reverse("person_detail", args=[teacher.pk])).content.decode()
    history = as_admin.get(reverse("change_list")).content.decode()
    assert "made a link for teacher to choose a new password" in history
    event = apps.get_model("questionbank", "UserEvent").objects.get(pgh_label="password_link")
    assert event.pgh_context.metadata["user"] != teacher.pk
    assert link not in str(event.pgh_context.metadata)

    person = Client()
    form = person.get(link)["Location"]
    person.post(form, {"password1": "purple elephant 9", "password2": "purple elephant 9"})
    login = {"login": "teacher", "password": "purple elephant 9"}
    assert Client().post(reverse("account_login"), login)["Location"] == reverse("home")
    assert "no longer works" in Client().get(link).content.decode()


def test_an_admin_removes_a_lost_second_factor(as_admin, teacher) -> None:
    here = reverse("person_detail", args=[teacher.pk])
    assert "Remove the second factor" not in as_admin.get(here).content.decode()
    Authenticator.objects.create(user=teacher, type="totp", data={"secret": "x"})
    Authenticator.objects.create(user=teacher, type="recovery_codes", data={})
    assert "Remove the second factor" in as_admin.get(here).content.decode()
    done = as_admin.post(reverse("person_second_factor", args=[teacher.pk]), follow=True).content.decode()
    assert "logs in with the password alone" in done
    assert not Authenticator.objects.filter(user=teacher).exists()
    assert "removed the second factor of teacher" in as_admin.get(reverse("change_list")).content.decode()
    again = as_admin.post(reverse("person_second_factor", args=[teacher.pk]), follow=True).content.decode()
    assert "has no second factor" in again


@pytest.mark.parametrize("name", ["person_password_link", "person_second_factor"])
def test_only_a_superuser_lets_a_superuser_in_again(as_admin, django_user_model, name) -> None:
    root = django_user_model.objects.create_superuser("root", password="correct horse battery")
    Authenticator.objects.create(user=root, type="totp", data={"secret": "x"})
    assert as_admin.post(reverse(name, args=[root.pk])).status_code == 403
    assert Authenticator.objects.filter(user=root).exists()


def test_a_closed_account_gets_no_link(as_admin, teacher) -> None:
    User.objects.filter(pk=teacher.pk).update(is_active=False)
    page = as_admin.post(reverse("person_password_link", args=[teacher.pk]), follow=True).content.decode()
    assert "Open it first" in page
    assert "/reset/key/" not in page


def test_the_last_admin_reads_why_the_role_stays(as_admin, admin_person) -> None:
    page = reverse("person_detail", args=[admin_person.pk])
    assertContains(as_admin.post(page, {"roles": ["teacher"]}), "This is the last admin", status_code=422)
    closed = as_admin.post(reverse("person_active", args=[admin_person.pk]), {"active": "0"}, follow=True)
    assert "This is the last admin" in closed.content.decode()


def test_each_role_is_explained_where_it_is_given(as_admin) -> None:
    page = as_admin.get(reverse("person_invite")).content.decode()
    assert "decides whether paraphrases are valid" in page


def test_the_pages_of_accounts_speak_of_logging_in(as_admin) -> None:
    for name in ("account_change_password", "account_logout", "mfa_index"):
        page = as_admin.get(reverse(name)).content.decode().casefold()
        assert "sign in" not in page
        assert "sign out" not in page
