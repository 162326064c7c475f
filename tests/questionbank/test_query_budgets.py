"""How often each page asks the database: a budget for every address that is opened by GET."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests.questionbank.test_permissions import TABLE, things  # noqa: F401 - a fixture

BUDGET = 20
BUDGETS = {
    "question_detail": 59,  # the question, predictions, three lists of similar questions, history, paraphrases
    "review": 33,
    "change_list": 48,  # every table with a history
    "data_protection": 80,  # size and rows of each kind of data
    "person_delete": 105,  # each table that names people, with and without their work
    "person_export": 75,  # likewise
    "question_similar": 28,
    "review_settle": 29,
    "question_list": 25,
    "health": 24,
    "import_undo": 28,  # one for each column that names questions
}
"""Of pages that show more."""


def test_no_page_asks_the_database_more_often_than_its_budget(things, as_admin) -> None:  # noqa: F811
    """Middleware, session and person included."""
    asked: dict[str, int] = {}
    for name, address in TABLE.items():
        if address.method != "get" or name.startswith(("account_", "mfa_")):
            continue
        arguments = {key: things.get(value, value) for key, value in address.arguments.items()}
        path = reverse(name, kwargs=arguments) + address.query
        with CaptureQueriesContext(connection) as queries:
            status = as_admin.get(path).status_code
        if status == 200:
            asked[name] = len(queries)
    assert len(asked) > 50
    assert {name: number for name, number in asked.items() if number > BUDGETS.get(name, BUDGET)} == {}
