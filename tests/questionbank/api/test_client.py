"""The Python client: the examples of docs/api.md, requests that are sent again, pages, and jobs to wait for."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests
from django.test import Client
from requests.adapters import BaseAdapter

from questionbank.api import python_client
from questionbank.models import Question, Run
from tests.factories import QuestionFactory
from tests.questionbank.api_client import Program
from tests.worker.jobs import work_on_import

URL = "https://kindred.school.example"
PAGE = Path(__file__).resolve().parents[3] / "docs" / "api.md"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Site(BaseAdapter):
    """Answers the requests of a session from the site under test; `faults` are what it answers first."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[Exception | tuple[int, dict[str, str]]] = []
        self.sent: list[requests.PreparedRequest] = []
        self.loses_answers = False

    def send(self, request: requests.PreparedRequest, **_options: Any) -> requests.Response:
        self.sent.append(request)
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Exception) and not self.loses_answers:
            raise fault
        answer = requests.Response()
        answer.request, answer.url = request, request.url
        if isinstance(fault, tuple):
            answer.status_code, answer.headers, answer._content = (
                fault[0],
                requests.structures.CaseInsensitiveDict(fault[1]),
                b"",
            )
            return answer
        headers = {name: value for name, value in request.headers.items() if name != "Content-Length"}
        kind = headers.pop("Content-Type", "")
        body = request.body.encode() if isinstance(request.body, str) else request.body or b""
        response = Client().generic(request.method, request.path_url, body, kind, headers=headers)
        if isinstance(fault, Exception):
            raise fault
        answer.status_code = response.status_code
        answer.headers.update(response.headers)
        answer._content = response.getvalue()
        return answer

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def kindred_client(monkeypatch) -> Iterator[Any]:
    monkeypatch.syspath_prepend(str(python_client.WRITTEN_TO.parents[1]))
    import kindred_client

    yield kindred_client
    for name in [name for name in sys.modules if name.partition(".")[0] == "kindred_client"]:
        del sys.modules[name]


@pytest.fixture
def site() -> Site:
    return Site()


@pytest.fixture
def slept(kindred_client, monkeypatch) -> list[float]:
    """The pauses that the client makes, which take no time."""
    pauses: list[float] = []
    monkeypatch.setattr(kindred_client.client, "time", SimpleNamespace(sleep=pauses.append, monotonic=time.monotonic))
    return pauses


@pytest.fixture
def bank(kindred_client, site, slept, teacher) -> Any:
    made = kindred_client.Kindred(f"{URL}/", Program(teacher).secret)
    made.session.mount(URL, site)
    return made


def test_the_examples_print_what_the_page_says(
    kindred_client, site, slept, teacher, monkeypatch, own_uploads, settings
):
    settings.TEACHERS_PUBLISH_IMPORTS = True
    opened = requests.Session

    def session() -> requests.Session:
        made = opened()
        made.mount(URL, site)
        return made

    def work_meanwhile(_pause: float) -> None:
        for run in Run.objects.filter(kind=Run.Kind.IMPORT, state=Run.State.QUEUED):
            work_on_import(run.pk)

    monkeypatch.setattr(kindred_client.client.requests, "Session", session)
    monkeypatch.setattr(kindred_client.client, "time", SimpleNamespace(sleep=work_meanwhile, monotonic=time.monotonic))
    names = {"key": Program(teacher).secret}
    blocks = BLOCK.findall(PAGE.read_text(encoding="utf-8").partition("## From Python")[2].partition("\n## ")[0])
    examples = [(code, output) for (kind, code), (_text, output) in pairwise(blocks) if kind == "python"]
    assert len(examples) == 3
    for code, output in examples:
        with redirect_stdout(io.StringIO()) as printed:
            exec(code, names)
        assert printed.getvalue() == output


@pytest.mark.parametrize(
    ("fault", "pause"),
    [
        ((429, {"Retry-After": "7"}), 7.0),
        ((503, {"Retry-After": "3"}), 3.0),
        ((502, {}), 0.5),
        (requests.ConnectionError(), 0.5),
        (requests.Timeout(), 0.5),
    ],
)
def test_a_request_is_sent_again_after_a_pause(bank, site, slept, fault, pause) -> None:
    site.faults = [fault]
    assert bank.get_me()["username"] == "teacher"
    assert slept == [pause]


def test_a_write_whose_answer_was_lost_happens_once(bank, site) -> None:
    site.loses_answers, site.faults = True, [requests.Timeout()]
    made = bank.create_question({"text": "Why?"})
    assert list(Question.objects.values_list("pk", flat=True)) == [made["id"]]
    assert len({request.headers["Idempotency-Key"] for request in site.sent}) == 1


def test_it_gives_up_in_the_end(bank, site, slept) -> None:
    site.faults = [requests.ConnectionError() for _attempt in range(bank.attempts)]
    with pytest.raises(requests.ConnectionError):
        bank.get_me()
    assert slept == [0.5, 1.0, 2.0, 4.0]


def test_what_will_not_come_right_is_not_sent_again(bank, site, slept, kindred_client) -> None:
    with pytest.raises(kindred_client.KindredError, match="There is no solver yet") as refused:
        bank.solve_texts({"texts": [{"text": "How much is 2 + 3?"}]})
    assert (refused.value.status, slept) == (503, [])
    with pytest.raises(kindred_client.KindredError) as refused:
        bank.get_question(1)
    assert (refused.value.status, refused.value.code, bool(refused.value.request_id)) == (404, "not_found", True)


def test_every_item_of_a_list_is_there_once(bank) -> None:
    numbers = [QuestionFactory().pk for _question in range(5)]
    assert [question["id"] for question in bank.every(bank.list_questions, limit=2)] == numbers[::-1]


def test_a_job_that_does_not_succeed_is_an_error(bank, kindred_client, teacher) -> None:
    run = Run.objects.create(kind="import", state=Run.State.FAILED, error="It is empty.", requested_by=teacher)
    with pytest.raises(kindred_client.RunFailed, match=r"It is empty\."):
        bank.wait(bank.get_run(run.pk))
    waiting = Run.objects.create(kind="import", requested_by=teacher)
    with pytest.raises(TimeoutError, match=f"Job {waiting.pk} is not finished"):
        bank.wait(bank.get_run(waiting.pk), seconds=0.0)


def test_a_name_that_python_reserves_and_a_text_in_an_address() -> None:
    parameter = {"in": "path", "name": "digest", "schema": {"type": "string"}}
    query = {"in": "query", "name": "from", "required": True, "schema": {"enum": ["a", "b"]}}
    operation = {
        "operationId": "get_picture",
        "description": "Return it.",
        "parameters": [parameter, query],
        "responses": {"200": {}},
    }
    schema = {"paths": {"/api/v1/pictures/{digest}": {"get": operation}}, "components": {"schemas": {}}}
    source = python_client.client_source(schema)
    assert 'from_: Required[Literal["a", "b"]]' in source
    assert "def get_picture(self, digest: str, **query: Unpack[GetPictureQuery]) -> bytes:" in source
    assert "f\"/pictures/{quote(digest, safe='')}\"" in source
    compile(source, "operations.py", "exec")
