"""The file of `SIGN_ON`, and what it switches off."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from allauth.socialaccount.models import SocialAccount
from django.urls import reverse

from questionbank.core.errors import NotAllowed
from questionbank.models import User
from questionbank.operations.checks import State
from questionbank.operations.health import health_report
from questionbank.people.sign_on import claim_values
from questionbank.people.sign_on_services import Identity, person_sign_on

BASE_DIR = Path(__file__).resolve().parents[3]
PASSWORD = "correct horse battery"
OFF = """
    local_passwords = false
    break_glass = "rescue"
    [oidc.district]
    name = "North District"
    issuer = "https://login.north.example"
    client_id = "kindred"
"""


@pytest.mark.parametrize(
    ("text", "mistakes"),
    [
        ("local_passwords = ", ["is not TOML"]),
        ("local_passwords = false", ["local_passwords = false needs break_glass"]),
        ('local_passwords = false\nbreak_glass = "rescue"', ["local_passwords = false needs a provider"]),
        ('second_factor = ["boss"]', ["second_factor.0: input should be 'teacher', 'reviewer' or 'admin'"]),
        ('unknown_people = "admin"', ["unknown_people: input should be 'refuse'"]),
        ("colour = 1", ["colour is unknown here"]),
        (
            """
            unknown = 1
            [oidc.district]
            issuer = "http://login.north.example"
            client_secret_file = "missing"
            [[oidc.district.rules]]
            claim = "groups"
            [saml.district]
            name = "North"
            metadata = "missing.xml"
            """,
            [
                "6 mistakes in",
                "unknown is unknown here",
                "oidc.district.name is missing",
                "oidc.district.client_id is missing",
                "oidc.district.issuer: write an address that starts with https://",
                "oidc.district.client_secret_file: missing cannot be read: No such file or directory",
                "oidc.district.rules.0: a rule needs a role or a school",
                "saml.district.metadata: missing.xml cannot be read",
                "saml.district.entity_id is missing",
            ],
        ),
    ],
)
def test_every_mistake_in_the_file_is_named_at_once(sign_on, text, mistakes):
    with pytest.raises(SystemExit) as stopped:
        sign_on(text)
    said = str(stopped.value)
    for mistake in mistakes[1:] if mistakes[0].startswith("6") else mistakes:
        assert mistake in said
    assert said.startswith("Error: SIGN_ON: ")


def test_no_command_starts_with_a_mistake(tmp_path):
    file = tmp_path / "sign-on.toml"
    file.write_text("colour = 1")
    for name, sentence in ((file, "colour is unknown here"), (tmp_path / "none.toml", "cannot be read")):
        finished = subprocess.run(
            [sys.executable, BASE_DIR / "manage.py", "check"],
            env={"PATH": os.environ["PATH"], "VAR_DIR": str(tmp_path), "SIGN_ON": str(name)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert finished.returncode == 1
        assert sentence in finished.stderr
        assert "Traceback" not in finished.stderr


@pytest.mark.parametrize(
    ("claims", "name", "values"),
    [
        ({"groups": ["a", "b"]}, "groups", ["a", "b"]),
        ({"groups": "a"}, "groups", ["a"]),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ["a"]),
        ({"https://north.example/school": "N"}, "https://north.example/school", ["N"]),
        ({"staff": True}, "staff", ["true"]),
        ({"grade": 7}, "grade", ["7"]),
        ({"groups": None}, "groups", []),
        ({"groups": {"a": 1}}, "groups", []),
        ({}, "groups.names", []),
    ],
)
def test_a_claim_may_have_any_shape(claims, name, values):
    assert claim_values(claims, name) == values


# --- what is switched off -------------------------------------------------------------------------


def log_in(client, name: str):
    return client.post(reverse("account_login"), {"login": name, "password": PASSWORD})


@pytest.mark.usefixtures("no_attempts_yet")
def test_without_local_passwords_only_the_break_glass_account_has_one(client, teacher, sign_on):
    User.objects.create_user(username="rescue", password=PASSWORD)
    sign_on(OFF)
    page = client.get(reverse("account_login")).content.decode()
    assert "Log in with North District" in page
    assert "Forgotten your password?" not in page
    assert "not correct" in log_in(client, "teacher").content.decode()
    assert log_in(client, "Rescue")["Location"] == reverse("home")
    assert client.get(reverse("account_change_password")).status_code == 200


@pytest.mark.parametrize("name", ["account_reset_password", "account_reset_password_done"])
def test_without_local_passwords_nobody_resets_one(client, db, sign_on, name):
    assert client.get(reverse(name)).status_code == 200
    sign_on(OFF)
    assert client.get(reverse(name)).status_code == 404


def test_a_link_for_a_password_does_not_work_any_more(client, teacher, admin_person, sign_on):
    from questionbank.people.mail import password_link

    link = password_link(person=teacher, site="http://testserver")
    sign_on(OFF)
    assert client.get(link, follow=True).status_code == 404
    client.force_login(admin_person)
    page = client.post(reverse("person_password_link", args=[teacher.pk]), follow=True).content.decode()
    assert "This site has no passwords of its own" in page


def test_people_are_added_before_they_log_in_through_a_provider(client, admin_person, sign_on):
    sign_on(OFF)
    client.force_login(admin_person)
    form = {"username": "ada", "email": "ada@north.example", "roles": ["teacher"]}
    page = client.post(reverse("person_invite"), form, follow=True).content.decode()
    assert "They log in through a provider" in page
    assert "invitation-link" not in page
    assert "Change password" not in page


def test_whoever_types_a_password_again_is_not_led_to_a_page_that_is_missing(client, sign_on, db):
    client.force_login(User.objects.create_user(username="rescue", password=PASSWORD))
    page = reverse("account_reauthenticate")
    assert reverse("account_reset_password") in client.get(page).content.decode()
    sign_on(OFF)
    content = client.get(page).content.decode()
    assert 'type="password"' in content
    assert reverse("account_reset_password") not in content


def test_nobody_of_a_provider_gets_the_log_in_name_of_the_break_glass_account(db, sign_on):
    sign_on(OFF + 'rules = [{claim = "sub", role = "teacher"}]')
    identity = Identity(provider="district", uid="u-1", username="Rescue", claims={"sub": "u-1"})
    assert person_sign_on(identity=identity).user.username == "Rescue-2"


def test_an_address_with_a_letter_that_looks_alike_takes_over_nothing(db, sign_on):
    invited = User.objects.create_user(username="mike", email="mike@north.example")
    sign_on(OFF + 'link_by_address = true\nrules = [{claim = "sub", role = "teacher"}]')
    other = Identity(provider="district", uid="u-1", email="mıke@north.example", is_verified=True, claims={"sub": "1"})
    with suppress(NotAllowed):  # as PostgreSQL compares letters
        person_sign_on(identity=other)
    assert not SocialAccount.objects.filter(user=invited).exists()


def log_in_check():
    return next(item for item in health_report().items if item.name == "sign_on")


def test_health_says_whether_the_break_glass_account_would_help(db, sign_on):
    assert log_in_check().state == State.OK
    sign_on(OFF)
    assert "does not exist" in log_in_check().sentence
    rescue = User.objects.create_user(username="rescue")
    assert "has no password" in log_in_check().sentence
    rescue.set_password(PASSWORD)
    rescue.save()
    assert "is not an admin" in log_in_check().sentence
    rescue.is_superuser = True
    rescue.save()
    report = log_in_check()
    assert (report.state, report.figures) == (State.OK, {"North District": "0 people"})
