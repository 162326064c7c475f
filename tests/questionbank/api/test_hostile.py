"""A thousand hostile requests: whatever a client sends, the API answers in its own shape and never breaks."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from questionbank.api.key_services import LARGEST_RATE
from tests.questionbank.api.test_access import MISSING, TABLE, filled, things_of
from tests.questionbank.api_client import ROOT, Program

REQUESTS = 1_000
SEED = 56
BOUNDARY = "multipart/form-data; boundary=x"
LARGE = 50 * 1024 * 1024  # bytes


@dataclass(frozen=True)
class Attack:
    """A request; `body` is JSON unless it is bytes."""

    method: str
    path: str
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    how: str = ""

    def data(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return b"" if self.body is None else written(self.body).encode("utf-8", "surrogatepass")


class Raw(str):
    """Text that goes into JSON as it is."""


def written(value: Any) -> str:
    if isinstance(value, Raw):
        return value
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(name)}:{written(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


VALUES: tuple[Any, ...] = (
    *map(
        Raw, ("NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1E400", "9" * 5_000, "-0", "1.5", "1e2", '"\\ud800"')
    ),
    *map(Raw, ("[" * 50 + "]" * 50, "[" * 5_000 + "]" * 5_000, '{"a":' * 58 + "1" + "}" * 58, '{"a":1,"a":2}')),
    *(
        "",
        " ",
        "a\0b",
        "\udc80",
        "\u202e",
        "\ufeff",
        "../../etc/passwd",
        "a\r\nSet-Cookie: a=b",
        "$" * 999,
        "\\(" * 500,
    ),
    *("a" * 1_500_000, "{" * 9_000, "<script>", "%s%n", "' OR 1=1 --", "2026-13-45T99:99:99Z", "٣", "true", "1"),
    *(None, True, False, 0, -1, 1, 2**31, 2**63 - 1, 2**63, -(2**63), 10**400, 0.5, 1e308, 5e-324),
    *([], {}, [[]], [None], {"": None}, [{}], {"id": 1}, [1, "1", None], ["a"] * 5_000, {"a": {"b": {"c": []}}}),
)
QUERY_VALUES = (
    *("", "nan", "inf", "-inf", "1e999", "9" * 5_000, "%00", "a%00b", "%ff%fe", "%ed%a0%80", "-1", "0", "1.5", "٣"),
    *("null", "[]", "{}", "%0d%0aSet-Cookie:%20a=b", "a" * 5_000, "%252e%252e", "'%20OR%201=1%20--", "any", "true"),
)  # fmt: skip
HEADERS = (
    {"Idempotency-Key": "k" * 10_000},
    {"Idempotency-Key": "a\r\nSet-Cookie: a=b"},
    {"Idempotency-Key": "é"},
    {"Idempotency-Key": ""},
    {"If-Match": '"'},
    {"If-Match": 'W/"x"'},
    {"If-Match": ", ," * 3_000},
    {"If-None-Match": "*"},
    {"X-Request-ID": "a\r\nSet-Cookie: a=b"},
    {"X-Request-ID": "a" * 10_000},
    {"X-Request-ID": "é\0"},
    {"Accept": "image/png"},
    {"Accept": "," * 9_000},
    {"Accept-Language": "x-" * 4_000},
    {"Range": "bytes=0-0"},
    {"Expect": "100-continue"},
    {"X-HTTP-Method-Override": "DELETE"},
    {"X-Forwarded-For": "a, " * 900},
    {"Cookie": "sessionid=" + "a" * 9_000},
    {"Origin": "null"},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer  \0"},
    {"Authorization": "Basic YTpi"},
    {"Authorization": "Bearer " + "kdr_" * 5_000},
    {"Authorization": "Bearer é\udc80"},
    *({"Content-Type": kind} for kind in (
        "", "text/plain", "application/xml", "application/json; charset=utf-16", "application/json; charset=nonsense",
        "application/x-www-form-urlencoded", "multipart/form-data", BOUNDARY, "application/json, text/html", "a/" * 999,
    )),
)  # fmt: skip
BODIES = (
    b"", b"{", b"\xff\xfe", b"\xef\xbb\xbf{}", b"null", b'"text"', b"0", b"[]", b"[{}]", b"{}{}", b"{'a': 1}",
    b"[" * 200_000, b'{"a":' * 200_000, b'"\\u00"', b"\0", b"-", b"--x--", b"a=b&c=%00",
    b"--x\r\nContent-Disposition: form-data\r\n\r\n",
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="../../a\r\nb.csv"\r\n\r\ntext\r\n1\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="a\0.csv"\r\n\r\n\0\0\r\n--x--\r\n',
    b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\nno file\r\n--x--\r\n',
)  # fmt: skip
QUESTION = {
    "text": "How much is $2 + 3$?", "language": "en", "kind": "choice", "answer": "A", "solution": "Add.",
    "options": [{"label": "A", "text": "5", "weight": 1.0, "feedback": "Yes."}, {"label": "B", "text": "6"}],
    "equation": "2 + 3", "grade": "7", "status": "ready", "concepts": [],
    "content": {"accepted": [{"text": "5", "tolerance": 0.1}]},
}  # fmt: skip
PATHS = (
    "/",
    "//",
    "/.",
    "/..",
    "/%2e%2e/%2e%2e",
    ";a=b",
    "%00",
    "/%ff",
    "?",
    "?%",
    "/1/1/1",
    "\\",
    "%0d%0aa:b",
    "/" * 3_000,
)
IDS = ("0", "-1", "1.0", "٣", "1e3", "9" * 5_000, str(2**63), "%31", "1%00", "a", "..", "null", "1;1", " 1", "%20")
METHODS = ("TRACE", "CONNECT", "PROPFIND", "HEAD", "OPTIONS", "DELETE", "PUT", "PATCH", "POST", "GET", "get")


def hostile_requests(things: dict[str, int], others: dict[str, int], cursors: list[str]) -> Iterator[Attack]:
    """Yield requests, the same ones each time, each spoiled in one or two ways, so that every operation is attacked.

    Args:
        things: ids that the caller may use, by the names of the table of operations.
        others: ids of somebody else's things.
        cursors: cursors of different lists.
    """
    chance = random.Random(SEED)
    missing = dict.fromkeys(things, MISSING)
    spoilers: list[Callable[[Attack], Attack]] = [
        lambda attack: replace(attack, body=_with_bad_value(attack.body, chance), how="value"),
        lambda attack: replace(attack, body=_with_bad_value(attack.body, chance), how="value"),
        lambda attack: replace(attack, body=chance.choice(BODIES), how="body"),
        lambda attack: replace(attack, headers=attack.headers | chance.choice(HEADERS), how="header"),
        lambda attack: replace(attack, path=_with_bad_parameter(attack.path, cursors, chance), how="parameter"),
        lambda attack: replace(attack, path=_with_bad_id(attack.path, chance), how="id"),
        lambda attack: replace(attack, path=attack.path + chance.choice(PATHS), how="path"),
        lambda attack: replace(attack, method=chance.choice(METHODS), how="method"),
    ]
    for number in range(REQUESTS):
        call = list(TABLE.values())[number % len(TABLE)]
        named = chance.choice((things, things, others, missing))
        body = QUESTION if isinstance(call.body, dict) and "text" in call.body else filled(call.body, named)
        attack = Attack(call.method, ROOT + call.path.format(**named), body)
        fitting = spoilers[2:] if body is None else spoilers
        for spoil in chance.sample(fitting, chance.choice((1, 1, 2))):
            attack = spoil(attack)
        yield attack


def _with_bad_value(body: Any, chance: random.Random) -> Any:
    """Return a body with something else in one place, or with a field that does not belong there."""
    if not isinstance(body, dict | list) or not body or chance.random() < 0.1:
        return chance.choice(VALUES)
    places = list(body) if isinstance(body, dict) else list(range(len(body)))
    place = chance.choice(places)
    spoiled = dict(body) if isinstance(body, dict) else list(body)
    if isinstance(spoiled, dict) and chance.random() < 0.15:
        spoiled[chance.choice(("content", "options", "concepts", "a\0", "__class__", "", "id"))] = chance.choice(VALUES)
    else:
        spoiled[place] = _with_bad_value(spoiled[place], chance)
    return spoiled


def _with_bad_parameter(path: str, cursors: list[str], chance: random.Random) -> str:
    names = "limit cursor concept difficulty_min grade kind status query order exact as dry_run k lens a[] %00"
    value = chance.choice((*QUERY_VALUES, *cursors * 3))
    name = "cursor" if value in cursors else chance.choice(names.split())
    return f"{path}{'&' if '?' in path else '?'}{name}={value}"


def _with_bad_id(path: str, chance: random.Random) -> str:
    parts = path.split("/")
    places = [place for place, part in enumerate(parts) if part.isdigit()]
    if places:
        parts[chance.choice(places)] = chance.choice(IDS)
    return "/".join(parts)


def answered_badly(client: Client, attack: Attack, secret: str) -> str:
    """Send a request, undo what it did, and return what is wrong with the response; empty if nothing is."""
    headers = {"Authorization": f"Bearer {secret}"} | attack.headers
    kind = headers.pop("Content-Type", "application/json")
    with transaction.atomic():
        response = client.generic(attack.method, attack.path, attack.data(), kind, headers=headers)
        status, held = response.status_code, b"" if response.streaming else response.content
        transaction.set_rollback(True)
    if status >= 500 and status != 503:
        return f"{status}"
    if "Set-Cookie" in response.headers or any("\n" in value for value in response.headers.values()):
        return "a header was forged"
    if status < 400 or attack.method == "HEAD" or not attack.path.startswith(f"{ROOT}/"):
        return ""
    try:
        error = json.loads(held)["error"]
    except (ValueError, KeyError, TypeError):
        return f"{status} without the shape of an error: {held[:80]!r}"
    is_shaped = error.keys() == {"code", "message", "fields", "request_id"} and error["message"] and error["code"]
    return "" if is_shaped else f"{status} with another shape: {error}"


@pytest.fixture
def program(bank, admin_person, own_uploads, own_attachments) -> Program:
    return Program(admin_person, rate_limit=LARGEST_RATE)


def test_a_thousand_hostile_requests_break_nothing(program, django_user_model) -> None:
    things = things_of(program.key.owner)
    others = things_of(django_user_model.objects.create_user("colleague"), is_draft=True)
    lists = ("/questions?limit=1", "/questions?limit=1&status=any", "/concepts?limit=1", "/runs?limit=1")
    cursors = [cursor for path in lists if (cursor := program("GET", path).json()["next"])]
    assert len(cursors) >= 3
    client, told = Client(raise_request_exception=False), []
    for attack in hostile_requests(things, others, cursors):
        wrong = answered_badly(client, attack, program.secret)
        told.append(f"{wrong}: {attack}"[:1_000] if wrong else "")
    assert [line for line in told if line] == []


@pytest.mark.parametrize("kind", ["application/json", "text/plain", BOUNDARY])
@pytest.mark.parametrize("path", ["/questions", "/imports"])
def test_fifty_megabytes_are_refused(program, path, kind) -> None:
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n' if kind == BOUNDARY else b"["
    attack = Attack("POST", f"{ROOT}{path}", head + b" " * LARGE, {"Content-Type": kind})
    assert answered_badly(Client(raise_request_exception=False), attack, program.secret) == ""


@pytest.mark.parametrize(
    ("time", "status"),
    [
        ("8248-01-09T17:07:13+23:29", 201),
        ("9999-12-31T23:59:59-23:59", 422),
        ("0001-01-01T00:00:00+23:59", 422),
        ("2026-13-45T99:99:99Z", 422),
    ],
)
def test_times_that_postgresql_cannot_read_are_converted_or_refused(program, time, status) -> None:
    response = program("POST", "/keys", {"name": "Late", "scopes": ["read"], "expires_at": time})
    assert response.status_code == status, response.content
