"""The schema of the API: committed, kept compatible, and documented."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from ninja.openapi.schema import OpenAPISchema

from questionbank.api.errors import CODES
from questionbank.api.python_client import WRITTEN_TO
from questionbank.api.v1 import openapi_schema
from tests.questionbank.api_client import Program

DOCS = Path(__file__).resolve().parents[3] / "docs"
COMMITTED = DOCS / "openapi.json"


def breaking_differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return what a client of the old schema can no longer do: removed things, new duties, narrower types."""
    found: list[str] = []
    for path, operations in old["paths"].items():
        for method, operation in operations.items():
            now = new["paths"].get(path, {}).get(method)
            if now is None:
                found.append(f"{method} {path} is gone")
                continue
            given = {parameter["name"] for parameter in now["parameters"]}
            wanted = {parameter["name"] for parameter in now["parameters"] if parameter.get("required")}
            before = {parameter["name"] for parameter in operation["parameters"]}
            duties = {parameter["name"] for parameter in operation["parameters"] if parameter.get("required")}
            found += [f"{method} {path}: parameter {name} is gone" for name in before - given]
            found += [f"{method} {path}: parameter {name} is required" for name in wanted - duties]
            found += [f"{method} {path}: no status {one}" for one in operation["responses"].keys() - now["responses"]]
            if ("requestBody" in now) > ("requestBody" in operation):
                found.append(f"{method} {path}: a body is required")
            if now["x-scope"] != operation["x-scope"]:
                found.append(f"{method} {path}: another scope")
    for name, model in old["components"]["schemas"].items():
        now = new["components"]["schemas"].get(name)
        if now is None:
            found.append(f"{name} is gone")
            continue
        found += [f"{name}: not {value!r} any more" for value in set(model.get("enum", ())) - set(now.get("enum", ()))]
        for field, described in model.get("properties", {}).items():
            if field not in now.get("properties", {}):
                found.append(f"{name}.{field} is gone")
            elif _type(described) != _type(now["properties"][field]):
                found.append(f"{name}.{field}: another type")
        duties, before = set(now.get("required", ())), set(model.get("required", ()))
        if name.endswith(("Body", "Patch")):  # what clients send
            found += [f"{name}.{field} is required" for field in duties - before]
        else:
            found += [f"{name}.{field} may be missing" for field in before - duties]
    return found


def _type(described: dict[str, Any]) -> Any:
    return [described.get(part) for part in ("type", "$ref", "anyOf", "allOf", "items", "format")]


def committed() -> dict[str, Any]:
    return json.loads(COMMITTED.read_text(encoding="utf-8"))


def test_nothing_that_a_client_relies_on_is_gone() -> None:
    assert breaking_differences(committed(), json.loads(json.dumps(openapi_schema()))) == []


def test_the_committed_schema_and_client_are_those_of_the_program(tmp_path) -> None:
    call_command("openapi", str(tmp_path / "openapi.json"), "--client", str(tmp_path / "operations.py"))
    assert (tmp_path / "openapi.json").read_text(encoding="utf-8") == COMMITTED.read_text(encoding="utf-8")
    assert (tmp_path / "operations.py").read_text(encoding="utf-8") == WRITTEN_TO.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda schema: schema["paths"].pop("/api/v1/me"), "get /api/v1/me is gone"),
        (
            lambda schema: schema["paths"]["/api/v1/questions"]["get"]["parameters"].pop(0),
            "get /api/v1/questions: parameter limit is gone",
        ),
        (lambda schema: schema["components"]["schemas"]["MeItem"]["properties"].pop("roles"), "MeItem.roles is gone"),
        (
            lambda schema: schema["components"]["schemas"]["MeItem"]["properties"]["id"].update(type="string"),
            "MeItem.id: another type",
        ),
        (
            lambda schema: schema["components"]["schemas"]["QuestionBody"]["required"].append("answer"),
            "QuestionBody.answer is required",
        ),
        (
            lambda schema: schema["paths"]["/api/v1/me"]["get"].update({"x-scope": "admin"}),
            "get /api/v1/me: another scope",
        ),
    ],
)
def test_a_breaking_difference_is_noticed(change, difference) -> None:
    schema = copy.deepcopy(committed())
    change(schema)
    assert breaking_differences(committed(), schema) == [difference]


def test_what_is_added_breaks_nothing() -> None:
    schema = copy.deepcopy(committed())
    schema["paths"]["/api/v1/new"] = schema["paths"]["/api/v1/me"]
    person = schema["components"]["schemas"]["MeItem"]
    person["properties"]["birthday"] = {"type": "string"}
    person["required"].append("birthday")
    assert breaking_differences(committed(), schema) == []


def test_no_two_types_share_a_name(monkeypatch) -> None:
    """django-ninja would keep the last one for both."""
    seen: dict[str, str] = {}

    def add(self: OpenAPISchema, definitions: dict[str, Any]) -> None:
        for name, described in definitions.items():
            assert seen.setdefault(name, json.dumps(described)) == json.dumps(described), name
        self.schemas.update(definitions)

    monkeypatch.setattr(OpenAPISchema, "add_schema_definitions", add)
    assert openapi_schema()["components"]["schemas"].keys() >= seen.keys() != set()


def test_every_operation_says_what_it_does_needs_and_may_answer() -> None:
    for path, operations in openapi_schema()["paths"].items():
        for operation in operations.values():
            assert operation["description"].endswith("."), path
            assert operation["x-scope"], path
            assert operation["responses"]["default"], path


def test_every_write_may_carry_an_idempotency_key() -> None:
    for path, operations in openapi_schema()["paths"].items():
        for method, operation in operations.items():
            named = [one["name"] for one in operation["parameters"] if one["in"] == "header"]
            assert ("Idempotency-Key" in named) is (method != "get"), path
            assert len(set(named)) == len(named), path


def test_the_page_names_every_code_of_an_error() -> None:
    page = (DOCS / "api.md").read_text(encoding="utf-8")
    assert [code for status, (code, _message) in CODES.items() if status != 406 and f"`{code}`" not in page] == []


def test_programs_read_the_schema(teacher) -> None:
    assert Program(teacher, "read")("GET", "/openapi.json").json() == committed()


def test_the_documentation_needs_a_session_and_no_script_of_its_own(client, as_teacher) -> None:
    page = as_teacher.get("/api/docs/").content.decode()
    assert "/static/ninja/swagger-ui-bundle.js" in page
    assert '<html lang="en" data-theme="system">' in page
    assert 'href="/api/keys/"' in page
    assert page.count("<script") - page.count("<script defer src=") == 1  # the settings, which are data
    assert '<script id="swagger-settings" type="application/json">' in page
