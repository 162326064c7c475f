"""Every page of the permission tests, as five people see it in the demo bank, and how often each asks the database."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

from tests.golden.texts import file_text, html_lines, normalised

PEOPLE = ("anonymous", "nobody", "teacher", "reviewer", "admin")
PASTED = "A shop sells 12 pens for 18 dollars. How much do 5 pens cost?"
PAPER = """Quadratic equations

1. Solve $x^2 - 5x + 6 = 0$. (4 points)
2. Which number is prime?
A. 21
B. 27
C. 31
3. A train travels 180 km in 2 hours. a) How fast is it? b) How far does it get in 5 hours?

Answers
1. 2 and 3
2. C
3. a) 90 km/h b) 450 km
"""
MORE: tuple[tuple[str, str, dict[str, Any], dict[str, Any], str], ...] = (
    ("search", "question_list", {}, {}, "?q=fractions"),
    ("search_meaning", "question_list", {}, {}, "?q=how+fast+does+the+train+go"),
    ("search_none", "question_list", {}, {}, "?q=qwertyuiop"),
    ("search_second_page", "question_list", {}, {}, "?q=area&page=2"),
    ("selection_of_three", "selection", {}, {}, "?id=5&id=6&id=7"),
    ("paste_look", "paste", {}, {"text": PASTED, "action": "look"}, ""),
    ("own_list", "list_detail", {"list_id": "own_list"}, {}, ""),
    ("own_list_edit", "list_edit", {"list_id": "own_list"}, {}, ""),
    ("own_worksheet", "worksheet_detail", {"worksheet_id": "own_worksheet"}, {}, ""),
    ("own_worksheet_layout", "worksheet_layout", {"worksheet_id": "own_worksheet"}, {}, ""),
    ("own_worksheet_mark", "worksheet_mark", {"worksheet_id": "own_worksheet"}, {}, ""),
    *((f"own_worksheet_{format}", "worksheet_download", {"worksheet_id": "own_worksheet"}, {"format": format}, "")
      for format in ("word", "latex", "html")),
    ("own_paper", "document_review", {"draft_id": "own_draft"}, {}, ""),
    *((f"similar_{number}", "question_detail", {"question_id": number}, {}, "") for number in (100, 900, 1700)),
)  # fmt: skip
"""Pages that show more than those of the permission tests: name, name of the URL, arguments, data, query."""


def write_inputs(inputs: Path, _data: Path) -> None:
    """Write one request per line: its name, method, address and data."""
    from django.urls import reverse

    from tests.questionbank.test_permissions import ADMIN_SITE, TABLE

    things = make_things()
    rows = [
        (name, name, address.arguments, address.data, address.query, address.method) for name, address in TABLE.items()
    ]
    rows += [(name.replace(":", "_"), name, {}, {}, "", "get") for name in ADMIN_SITE]
    rows += [(*row, "post" if row[3] else "get") for row in MORE]
    lines = []
    for name, url, arguments, data, query, method in rows:
        named = {key: things.get(value, value) for key, value in arguments.items()}
        sent = {key: things.get(value, value) for key, value in data.items()}
        lines.append([name, method, reverse(url, kwargs=named) + query, sent])
    write = (inputs / "requests.jsonl").write_text
    write("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def pages(inputs: Path, work: Path) -> Iterator[tuple[str, str]]:
    """Yield each page of each person, and at the end the statements of each."""
    from django.conf import settings

    make_things()
    cookies = {name: _cookies(name) for name in PEOPLE}
    folders = (work, settings.VAR_DIR, settings.BASE_DIR)
    counted = []
    for line in (inputs / "requests.jsonl").read_text(encoding="utf-8").splitlines():
        name, method, path, data = json.loads(line)
        for person in PEOPLE:
            response, statements = _opened(cookies[person], method, path, data)
            counted.append(f"{statements:4} {name} {person}")
            yield f"{name}/{person}", normalised(f"{method} {path}\n{_shown(response)}", *folders)
    yield "statements", "\n".join(counted) + "\n"


def _shown(response: Any) -> str:
    head = "".join(
        f"{key}: {response.headers[key]}\n"
        for key in ("Location", "Content-Type", "Content-Disposition", "Content-Security-Policy")
        if key in response.headers
    )
    content = b"".join(response.streaming_content) if response.streaming else response.content
    text = file_text(content)
    is_html = response.headers.get("Content-Type", "").startswith("text/html")
    return f"{response.status_code}\n{head}\n{html_lines(text) if is_html else text}"


def _opened(cookies: SimpleCookie, method: str, path: str, data: dict[str, Any]) -> tuple[Any, int]:
    """Return a response and the number of its SQL statements; whatever it changes is undone."""
    from django.core.cache import cache
    from django.db import connection, transaction
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    cache.clear()
    random.seed(0)
    client = Client(raise_request_exception=False)
    client.cookies = copy.deepcopy(cookies)
    with transaction.atomic(), CaptureQueriesContext(connection) as queries:
        response = getattr(client, method)(path, data)
        if response.streaming:
            response.streaming_content = list(response.streaming_content)
        transaction.set_rollback(True)
    return response, len(queries)


def _cookies(name: str) -> SimpleCookie:
    from django.contrib.auth import get_user_model
    from django.test import Client

    client = Client()
    if name != "anonymous":
        client.force_login(get_user_model().objects.get(username=name))
    return client.cookies


def make_things() -> dict[str, int]:
    """Make what the permission tests' fixture makes, beside a list, a worksheet and a test paper of the teacher's.

    Returns:
        The number of each by the name that those tests have for it.
    """
    from django.apps import apps
    from django.contrib.auth import get_user_model
    from django.test import Client
    from django.utils import timezone

    def rows(model: str) -> Any:
        return apps.get_model("questionbank", model).objects

    people = get_user_model().objects
    colleague = people.create_user(username="colleague")
    people.create_user(username="nobody", password="correct horse battery")
    teacher = people.get(username="teacher")
    questions = list(rows("Question").order_by("pk")[:6])
    own_list = rows("QuestionList").create(owner=teacher, name="Own homework")
    own_worksheet = rows("Worksheet").create(owner=teacher, name="Own test", versions=2, seed=7)
    for position, question in enumerate(questions, start=1):
        rows("QuestionListItem").create(question_list=own_list, question=question, position=position)
        rows("WorksheetItem").create(worksheet=own_worksheet, question=question, position=position, points=2)
    client = Client()
    client.force_login(teacher)
    client.post("/import/paper/", {"text": PAPER})
    made = {
        "own_draft": rows("DocumentDraft").latest("pk"),
        "own_list": own_list,
        "own_worksheet": own_worksheet,
        "draft": rows("DocumentDraft").create(owner=colleague, name="Test", state="ready"),
        "list": rows("QuestionList").create(owner=colleague, name="Homework", visibility="all"),
        "worksheet": rows("Worksheet").create(owner=colleague, name="Test", visibility="all"),
        "saved": rows("SavedSearch").create(owner=colleague, name="Grade 7", visibility="all"),
        "responses": rows("ResponseSet").create(owner=colleague, title="Test", layout="Table"),
        "person": colleague,
        "school": rows("School").create(name="Hill School", slug="hill"),
        "synonyms": rows("SynonymGroup").create(terms=["rooks", "castles"]),
        "question": questions[1],
        "bulk_change": rows("BulkChange").create(
            kind="grade", values={"grade": "7"}, person=colleague, applied_at=timezone.now()
        ),
        "concept": rows("KnowledgeConcept").latest("pk"),
        "hierarchy": rows("KnowledgeHierarchy").earliest("pk"),
        "run": rows("Run").create(kind="import", title="Import of a file", state="failed"),
        "pair": rows("ParaphrasePair").create(original="a", paraphrase="b", source="typed", state="adjudication"),
        "variant": rows("ProblemVariant").create(text="2 x 3?", equation="2*3", answer="6"),
        "model": rows("ModelArtifact").create(capability="encoder", name="A candidate"),
    }
    return {name: thing.pk for name, thing in made.items()}
