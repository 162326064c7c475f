"""Log-in, the demo's log-ins, the theme."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from ipware import get_client_ip

from questionbank.core.middleware import ClientAddressMiddleware
from questionbank.people.accounts import DEVICE_COOKIE, FREE_FAILURES, FREE_FAILURES_OF_ADDRESS, LONGEST_WAIT

LOGIN = "account_login"


def test_a_person_logs_in_by_name_or_by_mail(client, teacher) -> None:
    teacher.email = "t@school.example"
    teacher.save()
    for name in ("teacher", "t@school.example"):
        response = client.post(reverse(LOGIN), {"login": name, "password": "correct horse battery"})
        assert response["Location"] == reverse("home")
        client.logout()


def test_a_wrong_password_says_so_without_saying_which_half_is_wrong(client, teacher) -> None:
    wrong = [
        client.post(reverse(LOGIN), {"login": name, "password": "x"}).content.decode()
        for name in ("teacher", "nobody-of-this-name")
    ]
    assert all("not correct" in page for page in wrong)


def test_the_demo_s_log_ins_are_shown_in_demo_mode_only(client, db, settings) -> None:
    assert "keep-it-running" not in client.get(reverse(LOGIN)).content.decode()
    settings.DEMO = True
    page = client.get(reverse(LOGIN)).content.decode()
    for name in ("teacher", "reviewer", "admin"):
        assert f"Log in as {name}" in page


@pytest.mark.parametrize("name", ["account_change_password", "account_reauthenticate", "mfa_index", "account_logout"])
def test_account_pages_have_the_site_s_look(as_teacher, name) -> None:
    page = as_teacher.get(reverse(name)).content.decode()
    assert "css/tokens.css" in page
    assert 'class="button' in page


def test_a_second_step_can_be_set_up(client, teacher) -> None:
    client.post(reverse(LOGIN), {"login": "teacher", "password": "correct horse battery"})
    asked_again = client.get(reverse("mfa_activate_totp"), follow=True)
    assert "reauthenticate" in asked_again.redirect_chain[-1][0]
    page = client.post(
        asked_again.redirect_chain[-1][0], {"password": "correct horse battery"}, follow=True
    ).content.decode()
    assert "data:image/svg+xml" in page
    assert "style=" not in page


def test_the_theme_is_kept_in_a_cookie_and_rendered_by_the_server(as_teacher, bank) -> None:
    response = as_teacher.post(reverse("theme"), {"theme": "dark", "next": reverse("paste")})
    assert response["Location"] == reverse("paste")
    assert 'data-theme="dark"' in as_teacher.get(reverse("home")).content.decode()


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)"])
def test_the_theme_leads_nowhere_else(as_teacher, target) -> None:
    response = as_teacher.post(reverse("theme"), {"theme": "dark", "next": target})
    assert response["Location"] == reverse("home")


def test_an_unknown_theme_sets_no_cookie(as_teacher) -> None:
    assert not as_teacher.post(reverse("theme"), {"theme": '"><script>'}).cookies


@pytest.mark.parametrize(
    ("proxies", "header", "expected"),
    [
        (0, "9.9.9.9", "10.0.0.1"),
        (1, "9.9.9.9, 20.0.0.2", "20.0.0.2"),
        (2, "9.9.9.9, 20.0.0.2, 10.0.0.7", "20.0.0.2"),
        (2, "9.9.9.9", "10.0.0.1"),
        (1, "nonsense", "10.0.0.1"),
        (1, None, "10.0.0.1"),
    ],
)
def test_only_trusted_proxies_say_where_a_client_is(rf, settings, proxies, header, expected) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {} if header is None else {"HTTP_X_FORWARDED_FOR": header}
    seen = []
    ClientAddressMiddleware(seen.append)(rf.get("/", REMOTE_ADDR="10.0.0.1", **headers))
    assert seen[0].META["REMOTE_ADDR"] == expected
    assert "HTTP_X_FORWARDED_FOR" not in seen[0].META


@pytest.mark.parametrize("header", ["X-Real-IP", "Client-IP", "Forwarded-For", "CF-Connecting-IP", "X-Client-IP"])
def test_the_log_names_no_address_that_a_client_claims(rf, header) -> None:
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", headers={header: "6.6.6.6"})
    assert get_client_ip(request)[0] == "10.0.0.1"


def log_in(client, name: str, password: str, address: str) -> str:
    """The page, or an empty string where the log-in worked."""
    response = client.post(reverse(LOGIN), {"login": name, "password": password}, REMOTE_ADDR=address)
    return "" if response.status_code == 302 else response.content.decode()


def test_name_and_mail_of_an_account_share_one_limit(client, teacher) -> None:
    teacher.email = "t@school.example"
    teacher.save()
    for name in ("teacher", "t@school.example", "TEACHER", "t@school.example", "teacher"):
        assert "not correct" in log_in(client, name, "wrong", "10.0.0.1")
    assert "Too many" in log_in(client, "t@school.example", "wrong", "10.0.0.1")


RIGHT = "correct horse battery"


@pytest.fixture
def clock(monkeypatch) -> list[datetime]:
    """The time by which people wait; may be moved."""
    now = [datetime(2026, 11, 26, tzinfo=UTC)]
    monkeypatch.setattr("questionbank.people.accounts.database_now", lambda: now[0])
    return now


def test_guesses_from_elsewhere_slow_an_account_down_and_spare_its_owner(client, teacher, clock) -> None:
    assert log_in(client, "teacher", RIGHT, "10.0.0.1") == ""
    stranger = Client()
    for number in range(FREE_FAILURES):
        assert "not correct" in log_in(stranger, "teacher", "wrong", f"10.0.1.{number}")
    assert "Try again in" in log_in(stranger, "teacher", RIGHT, "10.0.2.1")
    client.post(reverse("account_logout"))
    assert log_in(client, "teacher", RIGHT, "10.0.1.1") == ""  # wherever the device is
    clock[0] += timedelta(seconds=LONGEST_WAIT + 1)
    assert log_in(stranger, "teacher", RIGHT, "10.0.2.1") == ""


def test_thirty_wrong_passwords_of_one_pupil_lock_out_nobody_else_behind_the_address(
    client, teacher, reviewer, clock
) -> None:
    for _ in range(30):
        log_in(client, "teacher", "wrong", "10.0.0.1")
    assert "Try again in" in log_in(client, "teacher", RIGHT, "10.0.0.1")
    assert log_in(Client(), "reviewer", RIGHT, "10.0.0.1") == ""


def test_guessing_many_accounts_slows_strangers_of_the_address_down_and_no_known_device(
    client, teacher, reviewer, clock
) -> None:
    assert log_in(client, "teacher", RIGHT, "10.0.0.1") == ""
    client.post(reverse("account_logout"))
    stranger = Client()
    for number in range(FREE_FAILURES_OF_ADDRESS + 3):
        clock[0] += timedelta(seconds=LONGEST_WAIT + 1)
        log_in(stranger, f"pupil{number}", "wrong", "10.0.0.1")
    assert "Try again in" in log_in(stranger, "reviewer", RIGHT, "10.0.0.1")
    assert log_in(client, "teacher", RIGHT, "10.0.0.1") == ""
    assert log_in(Client(), "reviewer", RIGHT, "10.0.0.2") == ""
    clock[0] += timedelta(seconds=LONGEST_WAIT + 1)
    assert log_in(stranger, "reviewer", RIGHT, "10.0.0.1") == ""


def test_a_known_device_is_slowed_down_by_its_own_wrong_passwords(client, teacher, reviewer, clock) -> None:
    for name in ("teacher", "reviewer"):  # a computer that two people use
        assert log_in(client, name, RIGHT, "10.0.0.1") == ""
        client.post(reverse("account_logout"))
    for _ in range(FREE_FAILURES):
        assert "not correct" in log_in(client, "teacher", "wrong", "10.0.0.1")
    assert "Try again in" in log_in(client, "teacher", RIGHT, "10.0.0.1")
    assert log_in(client, "reviewer", RIGHT, "10.0.0.1") == ""


def test_nobody_makes_a_device_known_by_a_cookie_of_their_own(client, teacher, clock) -> None:
    client.cookies[DEVICE_COOKIE] = f"mine {teacher.pk}"
    for _ in range(FREE_FAILURES):
        log_in(client, "teacher", "wrong", "10.0.0.1")
    client.cookies[DEVICE_COOKIE] = f"another {teacher.pk}"
    assert "Try again in" in log_in(client, "teacher", RIGHT, "10.0.0.1")
