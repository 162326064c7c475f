"""The REST API at ``/api/v1/``: the resources of every room, and their schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest
from django.urls import URLPattern
from ninja import NinjaAPI, Router
from ninja.operation import Operation

from questionbank.api import key_api, people_api
from questionbank.api.access import SAFE, Access
from questionbank.api.contract import IDEMPOTENCY_KEY, Failure
from questionbank.api.errors import PREFIX, register_error_handlers
from questionbank.api.requests import StrictParser, checked
from questionbank.hooks import api as hooks_api
from questionbank.imports import api as imports_api
from questionbank.papers import api as papers_api
from questionbank.questions import api as questions_api
from questionbank.questions import bulk_api, concept_api, list_api
from questionbank.registry import api as registry_api
from questionbank.responses import api as responses_api
from questionbank.review import api as review_api
from questionbank.search import api as search_api
from questionbank.similar import api as similar_api
from questionbank.solving import api as solving_api
from questionbank.worksheets import api as worksheets_api

HOW_TO_SIGN_IN = (
    "Send a key as `Authorization: Bearer KEY`. People make keys in their account's menu under “Keys for programs”. "
    "In a browser, a session with its CSRF token in `X-CSRFToken` counts as well."
)


class Api(NinjaAPI):
    """The API; an operation's id is the name of its function."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__

    def operations(self) -> Iterator[tuple[str, str, Operation]]:
        """Yield the method, the path and the operation of everything that the API can do, except HEAD."""
        for router in self._get_bound_routers():
            for path, view in router.path_operations.items():
                for operation in view.operations:
                    for method in operation.methods:
                        if method != "HEAD":
                            yield method, re.sub(r"{[^}:]+:", "{", f"{PREFIX.rstrip('/')}{path}"), operation


api = Api(
    title="Kindred",
    version="1",
    description="Questions, and everything that Kindred knows about them. See docs/api.md for keys, errors and limits.",
    urls_namespace="api",
    docs_url=None,
    openapi_url=None,
    parser=StrictParser(),
)
register_error_handlers(api)
api.add_decorator(checked, mode="view")

schema_router = Router()


@schema_router.get("/openapi.json", auth=Access("read"), url_name="openapi", include_in_schema=False)
def get_schema(request: HttpRequest) -> dict[str, Any]:  # noqa: ARG001 - django-ninja passes it
    """Return the schema of this API."""
    return openapi_schema()


resources = (
    people_api,
    key_api,
    questions_api,
    bulk_api,
    search_api,
    similar_api,
    solving_api,
    review_api,
    concept_api,
    list_api,
    worksheets_api,
    registry_api,
    imports_api,
    papers_api,
    responses_api,
    hooks_api,
)
for router in (schema_router, *(resource.router for resource in resources)):
    for view in router.path_operations.values():
        for operation in view.operations:
            operation.methods += ["HEAD"] * ("GET" in operation.methods)
    api.add_router("", router)


def api_patterns() -> list[URLPattern]:
    """Return one pattern per address; the API itself checks who calls, so that it can answer in its own shape."""
    patterns = {str(pattern.pattern): pattern for pattern in reversed(api.urls[0]) if pattern.name != "api-root"}
    for pattern in patterns.values():
        login_not_required(pattern.callback)
    return list(patterns.values())


def openapi_schema() -> dict[str, Any]:
    """Return the OpenAPI schema; each operation names the scope that a key needs, and may answer with an error."""
    schema = dict(api.get_openapi_schema(path_prefix=PREFIX))
    for operations in schema["paths"].values():
        operations.pop("head", None)
    components = schema["components"]
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": HOW_TO_SIGN_IN}}
    failure = Failure.model_json_schema(ref_template="#/components/schemas/{model}")
    components["schemas"] |= failure.pop("$defs") | {"Failure": failure}
    error = {"schema": {"$ref": "#/components/schemas/Failure"}}
    for method, path, operation in api.operations():
        if operation.include_in_schema:
            access = operation.auth_callbacks[0]
            described = schema["paths"][path][method.lower()]
            described |= {"security": [{"key": []}], "x-permission": access.permission, "x-scope": access.scope}
            described["parameters"] += [IDEMPOTENCY_KEY] if method not in SAFE else []
            described["responses"]["default"] = {"description": "Error", "content": {"application/json": error}}
    return schema
