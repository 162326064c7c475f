"""Log-in, passwords and Django's admin: who gets in, and what guessing brings."""

from __future__ import annotations

import re

import pytest
from django.contrib.contenttypes.models import ContentType
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from questionbank.models import User
from questionbank.people.mail import mail_send_due
from tests.page_safety import assert_safe

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_attempts_yet")]

PASSWORD = "correct horse battery"


# --- log-in -----------------------------------------------------------------------------------------


def log_in(client: Client, username: str, password: str = PASSWORD, **extra: str) -> HttpResponse:
    return client.post(reverse("account_login"), {"login": username, "password": password, **extra})


def test_logging_in_needs_the_password_and_begins_a_new_session(client, teacher):
    session = client.session
    session["planted"] = "by somebody else"
    session.save()
    client.cookies["sessionid"] = session.session_key
    planted = session.session_key
    assert log_in(client, "teacher", "wrong").status_code == 200
    response = log_in(client, "teacher")
    assert (response.status_code, response["Location"]) == (302, reverse("home"))
    cookie = response.cookies["sessionid"]
    assert cookie.value != planted
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"
    stranger = Client()
    stranger.cookies["sessionid"] = planted
    assert stranger.get(reverse("home")).status_code == 302


def test_logging_out_needs_a_post_and_ends_the_session(client, teacher):
    client.force_login(teacher)
    stolen = client.cookies["sessionid"].value
    client.get(reverse("account_logout"))
    assert client.get(reverse("home")).status_code == 200
    client.post(reverse("account_logout"))
    stranger = Client()
    stranger.cookies["sessionid"] = stolen
    assert stranger.get(reverse("home")).status_code == 302


def test_a_new_password_ends_the_other_sessions(client, teacher):
    second_client = Client()
    second_client.force_login(teacher)
    client.force_login(teacher)
    teacher.set_password("another horse battery")
    teacher.save()
    assert second_client.get(reverse("home")).status_code == 302


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:alert(1)"]
)
def test_nobody_is_sent_to_another_site_after_logging_in(client, teacher, target):
    page = client.get(reverse("account_login"), {"next": target}).content.decode()
    assert 'href="javascript:' not in page
    response = log_in(client, "teacher", next=target)
    assert response["Location"] == reverse("home")


def test_after_logging_in_one_is_where_one_wanted_to_be(client, teacher):
    wanted = client.get(reverse("paste"))["Location"]
    assert wanted == f"{reverse('account_login')}?next={reverse('paste')}"
    assert log_in(client, "teacher", next=reverse("paste"))["Location"] == reverse("paste")


def test_guessing_a_password_is_slowed_down(client, teacher):
    for _attempt in range(5):
        log_in(client, "teacher", "wrong")
    response = log_in(client, "teacher")  # the right one
    assert response.status_code == 200
    assert "Too many wrong passwords" in response.content.decode()
    assert client.get(reverse("home")).status_code == 302


def test_too_many_log_ins_from_one_address_get_429(client, settings):
    settings.ACCOUNT_RATE_LIMITS = {**settings.ACCOUNT_RATE_LIMITS, "login": "3/m/ip"}
    statuses = [log_in(client, f"person{n}", "wrong").status_code for n in range(4)]
    assert statuses[0] == 200
    assert statuses[-1] == 429
    response = log_in(client, "one-more", "wrong")
    assert response.status_code == 429
    assert_safe(response, "429")
    assert "Traceback" not in response.content.decode()


def test_a_session_does_not_tell_whether_a_person_exists(client, teacher):
    existing = log_in(client, "teacher", "wrong").content.decode()
    missing = log_in(client, "nobody", "wrong").content.decode()
    assert without_tokens(existing, "teacher") == without_tokens(missing, "nobody")


def without_tokens(page: str, name: str) -> str:
    return re.sub(r'value="[^"]{20,}"|X-CSRFToken": "[^"]+"', "", page).replace(name, "")


def test_nobody_can_sign_up(client):
    response = client.post(
        reverse("account_signup"),
        {"username": "eve", "password1": PASSWORD, "password2": PASSWORD, "email": "e@example.com"},
    )
    assert response["Location"] == reverse("account_login")
    assert not User.objects.filter(username="eve").exists()


def test_somebody_who_is_not_active_cannot_log_in(client, teacher):
    User.objects.filter(pk=teacher.pk).update(is_active=False)
    log_in(client, "teacher")
    assert client.get(reverse("home")).status_code == 302


def test_forms_need_their_token(teacher):
    client = Client(enforce_csrf_checks=True)
    client.force_login(teacher)
    response = client.post(reverse("paste"), {"text": "1 + 1"})
    assert response.status_code == 403
    assert "Traceback" not in response.content.decode()


# --- passwords --------------------------------------------------------------------------------------


def test_a_forgotten_password_is_set_anew_by_mail_and_the_link_works_once(client, teacher):
    User.objects.filter(pk=teacher.pk).update(email="teacher@school.example")
    assert client.get(reverse("account_reset_password")).status_code == 200
    response = client.post(reverse("account_reset_password"), {"email": "teacher@school.example"})
    assert response["Location"] == reverse("account_reset_password_done")
    assert client.get(response["Location"]).status_code == 200
    mail_send_due()
    (message,) = mail.outbox
    link = re.search(r"http://testserver(/accounts/password/reset/key/\S+)", message.body)[1]
    form = client.get(link, follow=True)
    assert form.status_code == 200
    assert_safe(form, "new password")
    there = form.redirect_chain[-1][0]
    new = {"password1": "a new horse battery", "password2": "a new horse battery"}
    done = client.post(there, new, follow=True)
    assert done.status_code == 200
    assert log_in(Client(), "teacher").status_code == 200  # the former one
    assert log_in(Client(), "teacher", "a new horse battery").status_code == 302
    again = Client().get(link, follow=True).content.decode()
    assert 'name="password1"' not in again


def test_asking_for_a_reset_does_not_tell_who_is_here_and_writes_to_nobody_else(client, teacher):
    User.objects.filter(pk=teacher.pk).update(email="teacher@school.example")
    known = client.post(reverse("account_reset_password"), {"email": "teacher@school.example"})
    unknown = client.post(reverse("account_reset_password"), {"email": "stranger@example.com"})
    mail_send_due()
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert [message.to for message in mail.outbox] == [["teacher@school.example"]]


@pytest.mark.parametrize("password", ["short1", "password", "4829104756"])
def test_a_weak_password_is_refused(client, teacher, password):
    log_in(client, "teacher")
    form = {"oldpassword": PASSWORD, "password1": password, "password2": password}
    assert client.post(reverse("account_change_password"), form).status_code == 200
    teacher.refresh_from_db()
    assert teacher.check_password(PASSWORD)


# --- Django's admin -----------------------------------------------------------------------------------


def test_djangos_admin_has_no_log_in_of_its_own(client, admin_person):
    for here in ("/admin/", "/admin/login/", "/admin/questionbank/user/"):
        response = client.get(here, follow=True)
        assert response.redirect_chain[-1][0].startswith(reverse("account_login"))
        assert response.templates[0].name == "account/login.html"
    form = {"username": "admin", "password": PASSWORD, "next": "/admin/"}
    response = client.post("/admin/login/", form)
    assert response["Location"].startswith(reverse("account_login"))
    assert client.get("/admin/").status_code == 302


def test_djangos_admin_opens_for_admins_only(client, teacher, reviewer, admin_person):
    User.objects.filter(pk=reviewer.pk).update(is_staff=True)  # the flag alone opens nothing
    for person in (teacher, reviewer):
        client.force_login(person)
        response = client.get("/admin/", follow=True)
        assert response.request["PATH_INFO"] != "/admin/" or response.status_code == 403
        assert "People and settings" not in re.sub(r"<header.*?</header>", "", response.content.decode())
    client.force_login(admin_person)
    assert client.get("/admin/").status_code == 200


def test_djangos_admin_leads_to_no_page_of_a_row(client, admin_person):
    client.force_login(admin_person)
    for content_type in ContentType.objects.all():  # also of history, whose tables are queries
        assert client.get(f"/admin/r/{content_type.pk}/1/").status_code == 404
