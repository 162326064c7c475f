"""A client of Kindred's API: requests with a key, repeated where that is safe, pages of lists, and jobs to wait for."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import requests

from kindred_client.operations import Operations, RunDetail

_AGAIN = (429, 502, 503, 504)
_ENDED = {"succeeded", "failed", "cancelled"}


class KindredError(Exception):
    """A request that was refused, with what the API says about it.

    Attributes:
        status: the HTTP status.
        code: a word for programs, such as `not_found`.
        fields: what is wrong with each field.
        request_id: names the request in the server's log.
    """

    def __init__(self, response: requests.Response) -> None:
        try:
            error = response.json()["error"]
        except (ValueError, KeyError, TypeError):  # from a server in between
            error = {}
        self.status: int = response.status_code
        self.code: str = error.get("code", "")
        self.fields: dict[str, list[str]] = error.get("fields", {})
        self.request_id: str = error.get("request_id", "")
        super().__init__(error.get("message") or f"The server answered with status {self.status}.")


class RunFailed(Exception):
    """A job that failed or was cancelled; `run` is what the API says about it."""

    def __init__(self, run: RunDetail) -> None:
        self.run = run
        super().__init__(run["error"] or f"Job {run['id']} ended as {run['state']}.")


class Kindred(Operations):
    """The API of a Kindred server, with the rights of a key.

    Args:
        url: the server's address, such as `https://kindred.school.example`.
        key: a key that begins with `kdr_`.
        timeout: seconds to wait for an answer.
        attempts: how often a request is sent if the server is busy or cannot be reached. Each write has an
            `Idempotency-Key`, so that it happens once however often it is sent.

    Attributes:
        etag: the version of the last result, which the next change may name as `if_match`.
    """

    def __init__(self, url: str, key: str, *, timeout: float = 60.0, attempts: int = 5) -> None:
        self.root = f"{url.rstrip('/')}/api/v1"
        self.timeout, self.attempts = timeout, attempts
        self.etag = ""
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {key}"

    def call(
        self, method: str, path: str, *, query: Any = None, body: Any = None, files: Any = None, if_match: str = ""
    ) -> Any:
        """Send a request and return the result: values from JSON, the content of a file, or None.

        Raises:
            KindredError: the API refused the request.
            requests.RequestException: the server cannot be reached.
        """
        headers = {} if method == "GET" else {"Idempotency-Key": uuid.uuid4().hex}
        if if_match:
            headers["If-Match"] = if_match
        # An underscore behind a name keeps it apart from a word of Python.
        parameters = {name.removesuffix("_"): _parameter(value) for name, value in (query or {}).items()}
        for attempt in range(1, self.attempts + 1):
            is_last = attempt == self.attempts
            try:
                response = self._send(method, path, params=parameters, json=body, files=files, headers=headers)
            except (requests.ConnectionError, requests.Timeout):
                if is_last:
                    raise
                time.sleep(_pause(attempt))
                continue
            error = KindredError(response) if response.status_code >= 400 else None
            if error is None:
                self.etag = response.headers.get("ETag", "")
                return _result(response)
            if is_last or not _may_come_right(response, error):
                raise error
            time.sleep(_pause(attempt, response))
        raise ValueError("attempts is a number from 1.")

    def every(self, operation: Callable[..., Any], *arguments: Any, **query: Any) -> Iterator[Any]:
        """Yield every item of a list, whatever its number of pages: `bank.every(bank.list_questions, grade="7")`."""
        query = {"limit": 100} | query
        while True:
            page = operation(*arguments, **query)
            yield from page["items"]
            if page["next"] is None:
                return
            query["cursor"] = page["next"]

    def wait(self, run: RunDetail, *, seconds: float = 3600.0, interval: float = 1.0) -> RunDetail:
        """Wait until a job has succeeded, and return it.

        Raises:
            RunFailed: it failed or was cancelled.
            TimeoutError: it is not finished after so many seconds.
        """
        ends = time.monotonic() + seconds
        while run["state"] not in _ENDED:
            if time.monotonic() >= ends:
                raise TimeoutError(f"Job {run['id']} is not finished after {seconds:g} seconds.")
            time.sleep(interval)
            run = self.get_run(run["id"])
        if run["state"] != "succeeded":
            raise RunFailed(run)
        return run

    def _send(self, method: str, path: str, *, files: Any, **request: Any) -> requests.Response:
        with ExitStack() as opened:
            ready = {
                name: opened.enter_context(Path(file).open("rb")) if isinstance(file, str | Path) else file
                for name, file in (files or {}).items()
            }
            return self.session.request(
                method, self.root + path, files=ready or None, timeout=self.timeout, allow_redirects=False, **request
            )


def _parameter(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else value


def _may_come_right(response: requests.Response, error: KindredError) -> bool:
    """Return whether the same request may be answered later, unlike one for a model that the server lacks."""
    if error.code == "still_running":
        return True
    return response.status_code in _AGAIN and (error.code == "" or "Retry-After" in response.headers)


def _pause(attempt: int, response: requests.Response | None = None) -> float:
    """Return how many seconds to wait: what the server asks for, or else longer from time to time."""
    asked = "" if response is None else response.headers.get("Retry-After", "")
    return float(asked) if asked.isdigit() else 0.5 * 2.0 ** (attempt - 1)


def _result(response: requests.Response) -> Any:
    if response.status_code == 204:
        return None
    is_file = "Content-Disposition" in response.headers
    return response.content if is_file else response.json()
