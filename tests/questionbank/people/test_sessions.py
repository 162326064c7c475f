"""Where people are logged in, and a second factor that a role needs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from questionbank.people.views import device_name
from tests.questionbank.api_client import Program

PASSWORD = "correct horse battery"
FIREFOX = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0"
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
    " Version/19.0 Mobile/15E148 Safari/604.1"
)
EDGE = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/142.0 Safari/537.36 Edg/142.0"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_attempts_yet")]


def logged_in(name: str, user_agent: str = FIREFOX) -> Client:
    client = Client(headers={"user-agent": user_agent})
    client.post(reverse("account_login"), {"login": name, "password": PASSWORD})
    assert "_auth_user_id" in client.session
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("session_list")).status_code == 200


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [(FIREFOX, "Firefox on Windows"), (IPHONE, "Safari on iPhone"), (EDGE, "Edge on a Mac"), ("", "an unknown device")],
)
def test_devices_have_names_for_people(user_agent, name):
    assert device_name(user_agent) == name


def test_a_person_sees_their_sessions_and_ends_one_at_once(teacher, reviewer):
    here, phone = logged_in("teacher"), logged_in("teacher", IPHONE)
    logged_in("reviewer", EDGE)
    page = here.get(reverse("session_list")).content.decode()
    assert "Firefox on Windows" in page
    assert "Safari on iPhone" in page
    assert "Edge" not in page
    assert page.count("this one") == 1
    assert "127.0.0.1" in page
    other = UserSession.objects.get(user_agent=IPHONE)
    assert "has ended" in here.post(reverse("session_end", args=[other.pk]), follow=True).content.decode()
    assert not is_in(phone)
    assert is_in(here)
    again = here.post(reverse("session_end", args=[other.pk]), follow=True).content.decode()
    assert "There is no such session, or it has ended." in again


def test_ending_one_s_own_session_logs_out(teacher):
    here = logged_in("teacher")
    session = UserSession.objects.get()
    assert here.post(reverse("session_end", args=[session.pk]))["Location"] == reverse("account_login")
    assert not is_in(here)


def test_nobody_ends_a_session_of_somebody_else_but_admins(teacher, reviewer, admin_person):
    victim = logged_in("reviewer")
    session = UserSession.objects.get()
    address = reverse("session_end", args=[session.pk])
    assert logged_in("teacher").post(address)["Location"] == reverse("session_list")  # as if it were not there
    assert is_in(victim)
    admin = logged_in("admin", EDGE)
    page = admin.get(reverse("person_detail", args=[reviewer.pk])).content.decode()
    assert "Firefox on Windows" in page
    assert admin.post(address)["Location"] == reverse("person_detail", args=[reviewer.pk])
    assert not is_in(victim)
    event = apps.get_model("questionbank", "UserEvent").objects.get(pgh_label="session_ended")
    assert event.username == "reviewer"
    assert "ended a session of reviewer" in admin.get(reverse("change_list")).content.decode()


def test_an_admin_ends_no_session_of_a_superuser(admin_person, django_user_model):
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    victim = logged_in("root")
    session = UserSession.objects.get()
    logged_in("admin").post(reverse("session_end", args=[session.pk]))
    assert is_in(victim)


def test_last_use_is_noted_every_ten_minutes_and_costs_other_requests_nothing(teacher, django_assert_num_queries):
    client = logged_in("teacher")
    before = timezone.now() - timedelta(hours=1)
    UserSession.objects.update(last_seen_at=before)
    client.get(reverse("session_list"))
    assert UserSession.objects.get().last_seen_at == before
    session = client.session
    session["seen_at"] = int(before.timestamp())
    session.save()
    client.get(reverse("session_list"))
    assert UserSession.objects.get().last_seen_at > before
    with django_assert_num_queries(4):  # session, person, roles, sessions
        client.get(reverse("session_list"))


def test_a_session_from_before_this_page_is_listed_once_it_is_used(client, teacher):
    client.force_login(teacher)
    session = client.session
    session.pop("seen_at", None)
    session.save()
    assert "this one" in client.get(reverse("session_list")).content.decode()


# --- a second factor that a role needs ------------------------------------------------------------


@pytest.fixture
def admins_need_one(sign_on):
    sign_on('second_factor = ["admin"]')


def test_a_role_that_needs_a_second_factor_leads_to_setting_one_up(admins_need_one, admin_person, bank):
    client = logged_in("admin")
    for name in ("home", "question_list", "health", "api_key_list", "account_data", "admin:index"):
        assert client.get(reverse(name))["Location"] == reverse("mfa_activate_totp")
    page = client.get(reverse("home"), follow=True).content.decode()
    assert "Your role needs two-factor authentication: set it up first." in page
    assert client.get("/api/v1/me").status_code == 403
    assert "set it up first" in client.get("/api/v1/me").json()["error"]["message"]
    TOTP.activate(admin_person, generate_totp_secret())
    assert client.get(reverse("home")).status_code == 200
    assert client.get("/api/v1/me").status_code == 200


def test_without_it_an_admin_ends_only_their_own_sessions(admins_need_one, admin_person, teacher, bank):
    victim, phone, here = logged_in("teacher"), logged_in("admin", IPHONE), logged_in("admin")
    session = UserSession.objects.get(user=teacher)
    refused = here.post(reverse("session_end", args=[session.pk]), follow=True).content.decode()
    assert "There is no such session, or it has ended." in refused
    assert is_in(victim)
    here.post(reverse("session_end", args=[UserSession.objects.get(user_agent=IPHONE).pk]))
    assert not is_in(phone)
    TOTP.activate(admin_person, generate_totp_secret())
    here.post(reverse("session_end", args=[session.pk]))
    assert not is_in(victim)


def test_superusers_are_admins_and_other_roles_need_none(admins_need_one, bank, django_user_model):
    django_user_model.objects.create_superuser("root", password=PASSWORD)
    assert logged_in("root").get(reverse("home")).status_code == 302
    assert logged_in("teacher").get(reverse("home")).status_code == 200


def test_keys_for_programs_go_on(admins_need_one, admin_person):
    assert Program(admin_person)("GET", "/me").status_code == 200


def test_whoever_must_set_one_up_can_log_out_and_end_sessions(admins_need_one, admin_person):
    client = logged_in("admin")
    assert is_in(client)
    client.post(reverse("account_logout"))
    assert not is_in(client)
