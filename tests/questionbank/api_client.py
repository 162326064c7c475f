"""A program that uses the API."""

from __future__ import annotations

import json
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from questionbank.api.key_services import api_key_create
from questionbank.models import ApiKey, User

ROOT = "/api/v1"


class Program:
    """Calls the API in a person's name; bodies are JSON.

    Args:
        scopes: the scopes of its key, by default all.
    """

    def __init__(self, owner: User, *scopes: str, name: str = "Program", **key: Any) -> None:
        self.key, self.secret = api_key_create(user=owner, name=name, scopes=scopes or ApiKey.Scope.values, **key)
        self._client = Client(raise_request_exception=False)

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """Send a request; `path` is below the API's root, and `If_Match` is the header ``If-Match``."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = body if isinstance(body, str | bytes) else "" if body is None else json.dumps(body)
        return self._client.generic(
            method,
            ROOT + path,
            data,
            named.pop("Content-Type", "application/json"),
            headers={"Authorization": f"Bearer {self.secret}", **named},
        )

    def upload(self, path: str, content: bytes, name: str, **headers: str) -> HttpResponse:
        """Send a file as the field ``file`` of a form."""
        named = {"Authorization": f"Bearer {self.secret}"} | {
            header.replace("_", "-"): value for header, value in headers.items()
        }
        return self._client.post(ROOT + path, {"file": SimpleUploadedFile(name, content)}, headers=named)


class Assistant(Program):
    """Uses the tools at ``/mcp``."""

    def send(self, message: Any, **headers: str) -> HttpResponse:
        """Send a body: a message, or text or bytes as they are."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        data = message if isinstance(message, str | bytes) else json.dumps(message)
        return self._client.generic(
            "POST",
            "/mcp",
            data,
            named.pop("Content-Type", "application/json"),
            headers={"Authorization": f"Bearer {self.secret}", **named},
        )

    def ask(self, method: str, **params: Any) -> Any:
        """Send a request, and return its response: an object with ``result`` or ``error``."""
        return self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()

    def use(self, tool: str, **arguments: Any) -> Any:
        """Use a tool, and return its data.

        Raises:
            AssertionError: the tool refuses.
        """
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert not result["isError"], result["content"][0]["text"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]["data"]

    def refusal(self, tool: str, **arguments: Any) -> str:
        """Use a tool that refuses, and return its sentence.

        Raises:
            AssertionError: the tool does not refuse.
        """
        result = self.ask("tools/call", name=tool, arguments=arguments)["result"]
        assert result["isError"]
        assert "structuredContent" not in result
        return result["content"][0]["text"]
