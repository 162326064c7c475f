"""Keys of the API: what they allow, when they stop working, and the page and command that make them."""

from __future__ import annotations

import re
from datetime import timedelta

import lxml.html
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse
from django.utils import timezone

from questionbank.api.key_services import RANDOM_LENGTH, api_key_create, api_key_use, key_digest
from questionbank.core.errors import NotAllowed, ValidationFailed
from questionbank.hooks.services import hook_create
from questionbank.models import ApiKey
from questionbank.people.permissions import scope_of
from questionbank.people.services import person_set_active


def test_a_key_is_stored_as_its_digest_alone(teacher) -> None:
    key, secret = api_key_create(user=teacher, name=" Nightly  export ", scopes=["read"])
    assert re.fullmatch(rf"kdr_[A-Za-z0-9]{{{RANDOM_LENGTH}}}", secret)
    key.refresh_from_db()
    assert (key.name, key.digest, key.scopes) == ("Nightly export", key_digest(secret), ["read"])
    assert secret not in str(vars(key))
    assert secret.startswith(key.beginning)


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"name": " "}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes"),
        ({"rate_limit": 0}, "rate_limit"),
        ({"expires_at": timezone.now() - timedelta(days=1)}, "expires_at"),
    ],
)
def test_a_key_that_makes_no_sense_is_refused(teacher, changed, field) -> None:
    with pytest.raises(ValidationFailed) as refused:
        api_key_create(user=teacher, **{"name": "Export", "scopes": ["read"], **changed})
    assert set(refused.value.fields) == {field}
    assert not ApiKey.objects.exists()


def test_two_open_keys_have_two_names_and_a_revoked_one_frees_its_name(teacher) -> None:
    key, _secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    with pytest.raises(ValidationFailed, match="already have a key"):
        api_key_create(user=teacher, name="Export", scopes=["read"])
    ApiKey.objects.filter(pk=key.pk).update(revoked_at=timezone.now())
    api_key_create(user=teacher, name="Export", scopes=["read"])


def test_nobody_without_a_role_makes_keys(db, django_user_model) -> None:
    with pytest.raises(NotAllowed):
        api_key_create(user=django_user_model.objects.create_user("nobody"), name="Export", scopes=["read"])


@pytest.mark.parametrize("end", ["revoked", "expired", "owner_closed", "truncated", "longer", "other_case"])
def test_a_key_that_has_ended_is_refused_without_a_hint(client, teacher, end) -> None:
    _key, secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"}).status_code == 200
    match end:
        case "revoked":
            ApiKey.objects.update(revoked_at=timezone.now())
        case "expired":
            ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
        case "owner_closed":
            teacher.is_active = False
            teacher.save()
        case "truncated":
            secret = secret[:-1]
        case "longer":
            secret += "a"
        case "other_case":
            secret = secret.swapcase()
    response = client.get("/api/v1/me", headers={"Authorization": f"Bearer {secret}"})
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["error"]["message"] == "Send a valid key as “Authorization: Bearer KEY”."


@pytest.mark.parametrize(
    "header", ["", "Bearer", "Bearer ", "Basic dGVhY2hlcjp4", "kdr_abc", "Bearer \xff", "Bearer a b"]
)
def test_a_header_without_a_key_is_refused(client, teacher, header) -> None:
    client.force_login(teacher)  # the header counts, not the session
    assert client.get("/api/v1/me", headers={"Authorization": header}).status_code == 401


def test_the_time_of_use_is_noted_once_a_minute(teacher) -> None:
    key, secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    assert api_key_use(secret=secret).pk == key.pk
    first = ApiKey.objects.get().last_used_at
    api_key_use(secret=secret)
    assert ApiKey.objects.get().last_used_at == first
    ApiKey.objects.update(last_used_at=first - timedelta(minutes=2))
    api_key_use(secret=secret)
    assert ApiKey.objects.get().last_used_at >= first


def test_closing_an_account_closes_its_keys_for_good(teacher, admin_person) -> None:
    _key, secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    _key, others = api_key_create(user=admin_person, name="Export", scopes=["read"])
    person_set_active(user=admin_person, person=teacher, is_active=False)
    person_set_active(user=admin_person, person=teacher, is_active=True)
    assert api_key_use(secret=secret) is None
    assert api_key_use(secret=others) is not None


def test_closing_an_account_disables_its_web_hooks_for_good(teacher, admin_person) -> None:
    hook = hook_create(user=teacher, address="https://example.org/a", events=["model.promoted"], site="")[0]
    other = hook_create(user=admin_person, address="https://example.org/a", events=["model.promoted"], site="")[0]
    for is_active in (False, True):
        person_set_active(user=admin_person, person=teacher, is_active=is_active)
    hook.refresh_from_db()
    other.refresh_from_db()
    assert (hook.is_active, hook.disabled_because) == (False, "The account of its owner was closed.")
    assert other.is_active


def test_an_account_closed_in_djangos_admin_loses_its_keys(client, teacher, admin_person) -> None:
    _key, secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    admin_person.is_staff = admin_person.is_superuser = True
    admin_person.save()
    client.force_login(admin_person)
    address = reverse("admin:questionbank_user_change", args=[teacher.pk])
    [form] = [one for one in lxml.html.fromstring(client.get(address).content).forms if "username" in one.fields]
    fields = [(name, value) for name, value in form.form_values() if name != "is_active"]
    data: dict[str, list[str]] = {}
    for name, value in fields:
        data.setdefault(name, []).append(value)
    assert client.post(address, data).status_code == 302
    teacher.refresh_from_db()
    assert not teacher.is_active
    teacher.is_active = True
    teacher.save()
    assert api_key_use(secret=secret) is None


def test_a_key_has_its_owners_permissions_but_for_those_outside_of_its_scopes(admin_person) -> None:
    admin_person.api_key = ApiKey(scopes=["read", "review"])
    allowed = [
        name
        for name in ("read", "review", "question_create", "models_manage", "concepts_edit", "people_manage")
        if admin_person.has_perm(f"questionbank.{name}")
    ]
    assert allowed == ["read", "review"]


def test_a_key_never_has_more_permissions_than_its_owner(reviewer) -> None:
    reviewer.api_key = ApiKey(scopes=ApiKey.Scope.values)
    allowed = [name for name in ("read", "review", "question_create") if reviewer.has_perm(f"questionbank.{name}")]
    assert allowed == ["read", "review"]


def test_every_permission_has_a_scope() -> None:
    from rules.permissions import permissions

    assert {scope_of(name) for name in permissions if name.startswith("questionbank.")} == set(ApiKey.Scope)


# --- the page ---------------------------------------------------------------------------------------


def test_the_page_shows_a_new_key_once(as_teacher, teacher) -> None:
    address = reverse("api_key_list")
    data = {"name": "Export", "scopes": ["read", "write"], "expires_at": "2099-12-31", "rate_limit": "60"}
    page = as_teacher.post(address, data).content.decode()
    secret = re.search(r"kdr_[A-Za-z0-9]{40}", page)[0]
    key = ApiKey.objects.get()
    assert (key.owner, key.scopes, key.rate_limit) == (teacher, ["read", "write"], 60)
    assert key.expires_at.isoformat() == "2100-01-01T00:00:00+00:00"
    assert api_key_use(secret=secret) == key
    again = as_teacher.get(address).content.decode()
    assert "Export" in again
    assert secret not in again


def test_the_page_names_what_is_wrong(as_teacher) -> None:
    data = {"name": "", "scopes": [], "expires_at": "2001-01-01", "rate_limit": "7000"}
    page = as_teacher.post(reverse("api_key_list"), data)
    assert page.status_code == 422
    assert "Enter 6,000 or a smaller number" in page.content.decode() or "from 1 to 6,000" in page.content.decode()
    assert not ApiKey.objects.exists()


@pytest.mark.parametrize(
    ("day", "said"),
    [("2001-01-01", "Choose a time in the future."), ("9999-12-31", "Choose a day before the year 3000.")],
)
def test_a_wrong_last_day_is_named_beside_it(as_teacher, day, said) -> None:
    data = {"name": "Export", "scopes": ["read"], "expires_at": day, "rate_limit": "60"}
    page = as_teacher.post(reverse("api_key_list"), data)
    assert page.status_code == 422
    assert page.context["form"].errors == {"expires_at": [said]}


def test_people_revoke_their_own_keys_only(as_teacher, teacher, admin_person) -> None:
    own, _secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    others, _secret = api_key_create(user=admin_person, name="Backup", scopes=["read"])
    assert "Revoke “Export”?" in as_teacher.get(reverse("api_key_revoke", args=[own.pk])).content.decode()
    assert ApiKey.objects.filter(revoked_at=None).count() == 2  # it asks first
    for key in (own, others):
        as_teacher.post(reverse("api_key_revoke", args=[key.pk]))
        key.refresh_from_db()
    assert own.revoked_at is not None
    assert others.revoked_at is None


def test_the_page_says_what_ended_with_a_key(as_teacher, teacher) -> None:
    key, _secret = api_key_create(user=teacher, name="Export", scopes=["read", "write"])
    teacher.api_key = key
    api_key_create(user=teacher, name="Child", scopes=["read"])
    hook_create(user=teacher, address="https://example.org/a", events=["model.promoted"], site="")
    assert "made with Export" in as_teacher.get(reverse("api_key_list")).content.decode()
    page = as_teacher.post(reverse("api_key_revoke", args=[key.pk]), follow=True).content.decode()
    assert "What it created has ended too: 1 key and 1 web hook." in page


# --- the command ------------------------------------------------------------------------------------


def test_the_command_makes_lists_and_revokes(teacher, capsys) -> None:
    call_command("api_key", "create", "teacher", "Export", "--scope", "read", "--scope", "write", "--days", "7")
    secret = capsys.readouterr().out.strip()
    key = api_key_use(secret=secret)
    assert key.scopes == ["read", "write"]
    assert timedelta(days=6) < key.expires_at - timezone.now() < timedelta(days=8)
    call_command("api_key", "list")
    listed = capsys.readouterr().out
    assert f"{key.beginning}…  teacher  read,write" in listed
    assert secret not in listed
    call_command("api_key", "revoke", str(key.pk))
    assert api_key_use(secret=secret) is None


@pytest.mark.parametrize(
    "arguments", [("create", "nobody", "Export"), ("revoke", "7"), ("create", "teacher", "x", "--days", "0")]
)
def test_the_command_refuses_in_a_sentence(teacher, arguments) -> None:
    with pytest.raises(CommandError):
        call_command("api_key", *arguments)
