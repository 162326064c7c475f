"""Keys over the API: none outdoes the one that makes it, and its secret is nowhere but in one response."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from questionbank.api.key_services import api_key_create, api_key_revoke
from questionbank.core.errors import NotAllowed
from questionbank.hooks.services import hook_create, hook_set_active
from questionbank.models import ApiKey, ApiRequest, Hook, User
from tests.questionbank.api_client import Program

SOON = timezone.now() + timedelta(days=1)


def test_a_key_is_made_used_listed_and_revoked(teacher, client) -> None:
    program = Program(teacher)
    made = program("POST", "/keys", {"name": " Export ", "scopes": ["write", "read"], "expires_at": SOON.isoformat()})
    assert made.status_code == 201
    new = made.json()
    assert (new["name"], new["scopes"], new["rate_limit"]) == ("Export", ["read", "write"], 600)
    with_new = {"Authorization": f"Bearer {new['key']}"}
    assert client.get("/api/v1/me", headers=with_new).json()["key"]["name"] == "Export"
    listed = program("GET", "/keys")
    assert [key["name"] for key in listed.json()["items"]] == ["Export", "Program"]
    assert new["key"] not in listed.content.decode()
    assert program("DELETE", f"/keys/{new['id']}").status_code == 204
    assert client.get("/api/v1/me", headers=with_new).status_code == 401
    assert [key["name"] for key in program("GET", "/keys").json()["items"]] == ["Program"]


@pytest.mark.parametrize(
    ("asked", "problem"),
    [
        ({"scopes": ["read", "admin"]}, "admin"),
        ({"rate_limit": 61}, "60 requests"),
        ({"expires_at": None}, "earlier"),
        ({"expires_at": (SOON + timedelta(minutes=1)).isoformat()}, "earlier"),
    ],
)
def test_no_key_outdoes_the_one_that_makes_it(admin_person, asked, problem) -> None:
    program = Program(admin_person, "read", "write", rate_limit=60, expires_at=SOON)
    body = {"name": "Export", "scopes": ["read"], "rate_limit": 60, "expires_at": SOON.isoformat()}
    refused = program("POST", "/keys", body | asked)
    assert refused.status_code == 403
    assert problem in refused.json()["error"]["message"]
    assert program("POST", "/keys", body).status_code == 201


def test_a_person_in_a_browser_makes_any_key(client, teacher) -> None:
    client.force_login(teacher)
    body = {"name": "Export", "scopes": ["admin"], "rate_limit": 6000}
    assert client.post("/api/v1/keys", body, content_type="application/json").status_code == 201


@pytest.mark.parametrize(
    "wrong",
    [
        {"name": ""},
        {"name": "Program"},
        {"scopes": []},
        {"scopes": ["root"]},
        {"rate_limit": 0},
        {"expires_at": "2001-01-01T00:00:00Z"},
        {"expires_at": "2099-01-01T00:00:00"},
    ],
)
def test_a_key_that_makes_no_sense_is_refused(teacher, wrong) -> None:
    refused = Program(teacher)("POST", "/keys", {"name": "Export", "scopes": ["read"], **wrong})
    assert refused.status_code == 422
    assert next(iter(wrong)) in next(iter(refused.json()["error"]["fields"]))
    assert ApiKey.objects.count() == 1


def test_a_secret_is_not_kept_for_a_request_that_comes_again(teacher) -> None:
    program, body = Program(teacher), {"name": "Export", "scopes": ["read"]}
    assert program("POST", "/keys", body, Idempotency_Key="a").status_code == 201
    assert not ApiRequest.objects.exists()
    assert program("POST", "/keys", body, Idempotency_Key="a").status_code == 422
    assert ApiKey.objects.filter(name="Export").count() == 1


def test_others_keys_are_neither_listed_nor_revoked(teacher, admin_person) -> None:
    others, _secret = api_key_create(user=teacher, name="Export", scopes=["read"])
    program = Program(admin_person)
    assert [key["name"] for key in program("GET", "/keys").json()["items"]] == ["Program"]
    assert program("DELETE", f"/keys/{others.pk}").status_code == 404
    others.refresh_from_db()
    assert others.revoked_at is None


def test_revoking_a_key_ends_what_was_made_with_it(teacher, client) -> None:
    program, bystander = Program(teacher), Program(teacher, name="Bystander")

    def make(bearer: str, name: str) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {bearer}"}
        sent = {"headers": headers, "content_type": "application/json"}
        key = client.post("/api/v1/keys", {"name": name, "scopes": ["read", "write"]}, **sent).json()
        body = {"address": f"https://example.org/{name}", "events": ["question.changed"]}
        assert client.post("/api/v1/hooks", body, **sent).status_code == 201
        return key["id"], key["key"]

    child, child_secret = make(program.secret, "child")
    grandchild, grandchild_secret = make(child_secret, "grandchild")
    make(grandchild_secret, "last")
    shown = {key["id"]: key["made_with"] for key in bystander("GET", "/keys").json()["items"]}
    assert (shown[grandchild], shown[child], shown[program.key.pk]) == (child, program.key.pk, None)
    theirs = bystander("POST", "/hooks", {"address": "https://example.org/b", "events": ["question.changed"]}).json()
    assert theirs["made_with"] == bystander.key.pk
    assert bystander("DELETE", f"/keys/{child}").status_code == 204
    assert program("GET", "/me").status_code == 200
    for ended in (child_secret, grandchild_secret):
        assert client.get("/api/v1/me", headers={"Authorization": f"Bearer {ended}"}).status_code == 401
    hooks = {hook["address"]: hook for hook in program("GET", "/hooks").json()["items"]}
    assert [name for name, hook in hooks.items() if hook["is_active"]] == [
        "https://example.org/b",
        "https://example.org/child",
    ]
    assert hooks["https://example.org/last"]["disabled_because"] == "The key with which it was made was revoked."


def test_a_key_that_is_revoked_again_leaves_what_its_owner_enabled_since(teacher) -> None:
    program = Program(teacher)
    made = program("POST", "/hooks", {"address": "https://example.org/a", "events": ["question.changed"]}).json()
    assert api_key_revoke(user=teacher, key_id=program.key.pk).hooks == 1
    hook_set_active(user=User.objects.get(pk=teacher.pk), hook_id=made["id"], is_active=True)
    assert api_key_revoke(user=teacher, key_id=program.key.pk).hooks == 0
    assert Hook.objects.get().is_active


def test_a_request_that_was_let_in_before_its_key_was_revoked_makes_nothing(teacher) -> None:
    teacher.api_key = Program(teacher).key
    api_key_revoke(user=None, key_id=teacher.api_key.pk)
    with pytest.raises(NotAllowed, match="just revoked"):
        api_key_create(user=teacher, name="Late", scopes=["read"])
    with pytest.raises(NotAllowed, match="just revoked"):
        hook_create(user=teacher, address="https://example.org/a", events=["question.changed"], site="")
