"""The pages of people."""

from __future__ import annotations

import re

from django.core import mail
from django.urls import reverse

from questionbank.models import User


def test_an_invited_person_chooses_a_password_by_the_mailed_link(as_admin, client) -> None:
    data = {"username": "ada", "email": "ada@school.example", "first_name": "Ada", "roles": ["teacher"]}
    response = as_admin.post(reverse("person_invite"), data)
    person = User.objects.get(username="ada")
    assert response["Location"] == reverse("person_detail", args=[person.pk])
    link = re.search(r"http://testserver(\S+)", mail.outbox[0].body)[1]
    whose = link.rpartition("/key/")[2].partition("-")[0]  # what follows changes with every second
    assert f"/password/reset/key/{whose}-" in as_admin.get(response["Location"]).content.decode()

    client.logout()
    form = client.get(link)
    chosen = {"password1": "purple elephant 9", "password2": "purple elephant 9"}
    client.post(form["Location"], chosen)
    login = {"login": "ada", "password": "purple elephant 9"}
    assert client.post(reverse("account_login"), login)["Location"] == reverse("home")


def test_an_invitation_that_no_mail_server_takes_is_passed_on_by_hand(as_admin, monkeypatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("questionbank.services.people.send_mail", refuse)
    data = {"username": "ada", "email": "ada@school.example", "first_name": "Ada", "roles": ["teacher"]}
    page = as_admin.post(reverse("person_invite"), data, follow=True).content.decode()
    assert "the e-mail could not be sent" in page
    assert "/password/reset/key/" in page


def test_the_last_admin_reads_why_the_role_stays(as_admin, admin_person) -> None:
    page = reverse("person_detail", args=[admin_person.pk])
    response = as_admin.post(page, {"roles": ["teacher"]})
    assert response.status_code == 422
    assert "This is the last admin" in response.content.decode()
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
