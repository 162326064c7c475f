"""The address `/mcp`: one message of an assistant in, its answer out; nothing is kept between two requests."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from ninja.responses import NinjaJSONEncoder
from pydantic import ValidationError

from questionbank.api.access import Access, admitted
from questionbank.api.errors import ApiProblem, error_response, kindred_error_response
from questionbank.api.requests import once
from questionbank.assistants import messages, tools
from questionbank.assistants.messages import (
    DATA_NOTE,
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    VERSIONS,
    Message,
    RpcError,
    Tool,
    description,
)
from questionbank.core.errors import KindredError

READ = Access("read")


def _read(run: Callable[[Any, Any], Any], title: str, access: Access = READ) -> Tool:
    return Tool(run, title, access, is_read=True)


def _write(run: Callable[[Any, Any], Any], title: str, access: Access) -> Tool:
    return Tool(run, title, access, is_read=False)


TOOLS: dict[str, Tool] = {
    tool.name: tool
    for tool in (
        _read(tools.search_questions, "Search questions"),
        _read(tools.get_question, "Read a question"),
        _read(tools.find_similar, "Find similar questions"),
        _read(tools.predict, "Predict concepts and difficulty"),
        _read(tools.solve, "Solve a word problem"),
        _read(tools.check_duplicates, "Check for duplicates"),
        _read(tools.list_concepts, "List concepts"),
        _read(tools.item_statistics, "Read the statistics of a question", Access("responses_read")),
        _read(tools.export_questions, "Export questions"),
        _read(tools.get_job, "Read a job"),
        _write(tools.make_variant, "Write variants of a question", Access("question_create")),
        _write(tools.import_questions, "Import questions", Access("import")),
        _write(tools.make_worksheet, "Make a worksheet", Access("read", "write")),
    )
}


@login_not_required
@csrf_exempt
@require_POST
def mcp(request: HttpRequest) -> HttpResponse:
    """Answer one message. Only keys are accepted: a browser's session would need a CSRF token."""
    message = None
    try:
        _check_origin(request)
        if "Authorization" not in request.headers:
            raise ApiProblem(401)
        admitted(request)
        messages.check_version(request)
        message = messages.received(request)
        if message is None or message.is_notification:
            return HttpResponse(status=202)
        return _answer(request, message)
    except RpcError as error:
        return messages.error_response(message, error)
    except KindredError as error:
        return kindred_error_response(request, error)
    except RequestDataTooBig:
        return error_response(request, 413)


def _check_origin(request: HttpRequest) -> None:
    """Refuse pages of other sites, as the protocol asks: a name that is rebound to this server may be theirs.

    Raises:
        ApiProblem: the request comes from another site (403).
    """
    origin = request.headers.get("Origin")
    own = f"{request.scheme}://{request.get_host()}"
    if origin is not None and origin != own and origin not in settings.CSRF_TRUSTED_ORIGINS:
        raise ApiProblem(403, "Assistants may not call from pages of other sites.", code="origin_refused")


def _answer(request: HttpRequest, message: Message) -> HttpResponse:
    if message.method == "tools/call":
        return _called(request, message)
    results: dict[str, Callable[[HttpRequest, Message], dict[str, Any]]] = {
        "initialize": _initialized,
        "ping": lambda _request, _message: {},
        "tools/list": _listed,
    }
    if message.method not in results:
        raise RpcError(METHOD_NOT_FOUND, f"There is no method “{message.method[:100]}” here.")
    return messages.result_response(message, results[message.method](request, message))


def _initialized(request: HttpRequest, message: Message) -> dict[str, Any]:
    wanted = message.params.get("protocolVersion")
    if not isinstance(wanted, str):
        raise RpcError(INVALID_PARAMS, "“protocolVersion” is missing.")
    return {
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "kindred", "title": "Kindred", "version": version("kindred")},
        "instructions": _instructions(request),
    }


def _instructions(request: HttpRequest) -> str:
    page = request.build_absolute_uri(reverse("question_list"))
    return (
        "Kindred is a bank of questions in mathematics. Formulas are LaTeX. " + DATA_NOTE + " New questions become"
        " drafts of the person whose key you use; tell the person to check them. The page of a question is"
        f" {page} followed by its number and a slash. Tools that write are listed only for keys that may write."
    )


def _listed(request: HttpRequest, message: Message) -> dict[str, Any]:
    """Return the tools that the caller may use, on one page."""
    if message.params.get("cursor") is not None:
        raise RpcError(INVALID_PARAMS, "There is no such page of tools.")
    return {"tools": [description(tool) for tool in TOOLS.values() if _is_open(tool, request)]}


def _is_open(tool: Tool, request: HttpRequest) -> bool:
    try:
        tool.access(request)
    except ApiProblem:
        return False
    return True


def _called(request: HttpRequest, message: Message) -> HttpResponse:
    """Run a tool. What it refuses is a result that the assistant reads; an unknown tool is an error of the protocol."""
    name, arguments = message.params.get("name"), message.params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "Send the tool as “name”, and its “arguments” as an object.")
    if name not in TOOLS:
        raise RpcError(INVALID_PARAMS, f"Unknown tool: {name[:100]}")
    tool = TOOLS[name]

    def run() -> HttpResponse:
        tool.access(request)
        result = tool.run(request, tool.arguments.model_validate(arguments))
        request.used_tool = name  # type: ignore[attr-defined] # `questionbank.people.middleware` records exports
        # One encoding for both, and the API's: its times have milliseconds.
        text = json.dumps(tool.answer(data=result).model_dump(), cls=NinjaJSONEncoder, ensure_ascii=False)
        content = [{"type": "text", "text": text}]
        told = {"content": content, "structuredContent": json.loads(text), "isError": False}
        return messages.result_response(message, told)

    try:
        if tool.is_read:
            return run()
        with transaction.atomic():
            return once(request, run)
    except (KindredError, PermissionDenied, ValidationError) as error:
        content = [{"type": "text", "text": _sentence(error)}]
        return messages.result_response(message, {"content": content, "isError": True})


def _sentence(error: Exception) -> str:
    if not isinstance(error, ValidationError):
        return str(error) or "You may not do this."
    problems = (
        ": ".join(filter(None, (".".join(map(str, problem["loc"])), problem["msg"].removeprefix("Value error, "))))
        for problem in error.errors(include_url=False)
    )
    return "; ".join(problems)
