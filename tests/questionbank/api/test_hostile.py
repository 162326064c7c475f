"""No request makes the API break, whatever it sends: every operation times values that nobody means."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from django.db import transaction

from questionbank.api.v1 import api, openapi_schema
from tests.questionbank.api.test_access import OPERATIONS, TABLE, _filled, things_of
from tests.questionbank.api_client import Program

PATHS = {operation.view_func.__name__: path for _method, path, operation in api.operations()}
HUGE = 10**30
VALUES: tuple[Any, ...] = (None, True, HUGE, "\0", "\ud800", "x" * 50_000, "a\r\nX: 1", [[]], {"a": {}}, [HUGE])
BODIES = (
    b"", b"null", b"[]", b"7", b'"x"', b"{", b"NaN", b"\xff\xfe", b'{"a": 1, "a": 2}', b'{"a": ' + b"[" * 5_000,
    b"[" * 200_000, b'{"' + b"a" * 100_000 + b'": 1}', b"1" * 5_000,
)  # fmt: skip
PARAMETERS = ("", "\0", "-1", "9" * 5_000, "<٣>", "a\r\nX: 1")


def requests(name: str, things: dict[str, int], schema: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return the paths and bodies to send to an operation."""
    call = TABLE[name]
    path = call.path.format(**things)
    sent: list[tuple[str, Any]] = []
    described = schema["paths"].get(PATHS[name], {}).get(call.method.lower(), {})
    if call.body is not None:
        body = _filled(call.body, things)
        wanted = described["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for field in schema["components"]["schemas"][wanted]["properties"]:
            sent += [(path, {**body, field: value}) for value in VALUES]
        sent += [(path, body) for body in BODIES]
    for parameter in described.get("parameters", ()):
        if parameter["in"] == "query":
            base = path.partition("?")[0]
            sent += [(f"{base}?{parameter['name']}={quote(value)}", call.body) for value in PARAMETERS]
    beginning = call.path.partition("{")[0]
    if "{" in call.path:
        sent += [
            (f"{beginning}{quote(part, safe='')}", call.body) for part in (*PARAMETERS[1:], "..%2f", "0", str(HUGE))
        ]
    return sent


def test_no_request_breaks_the_api(bank, admin_person) -> None:
    program = Program(admin_person, rate_limit=6000)
    things = things_of(admin_person)
    schema = openapi_schema()
    broken, count = [], 0
    for name, (method, _operation) in OPERATIONS.items():
        for path, body in requests(name, things, schema):
            body = json.dumps(body, ensure_ascii=True) if not isinstance(body, bytes) else body
            with transaction.atomic():
                response = program(method, path, body)
                transaction.set_rollback(True)
            count += 1
            if response.status_code >= 500 and response.status_code != 503:
                broken.append((method, path[:100], body[:100]))
            if response.status_code >= 400:
                assert set(response.json()) == {"error"}, (method, path[:100])
    assert broken == []
    assert count > 1000


def test_no_header_breaks_the_api(bank, admin_person) -> None:
    program = Program(admin_person)
    for header in ("If_Match", "Idempotency_Key", "X_Request_ID", "Content_Type", "Accept", "X_CSRFToken"):
        for value in (
            "",
            "\xff",
            "x" * 10_000,
            "a, b, *",
            '"',
            "multipart/form-data",
            "application/json; charset=nope",
        ):
            response = program("POST", "/lists", {"name": "Friday"}, **{header: value})
            assert response.status_code in (201, 400, 412, 415, 422), (header, value[:20])
            assert "x" * 65 not in str(response.headers)
