"""No parameter of any address, and no field of any form, makes the site break: a 4xx at most.

Which names a page reads is recorded as it reads them, so that a new parameter is swept without being listed here.
"""

from __future__ import annotations

from typing import ClassVar

import pytest
from django.core.cache import cache
from django.db import connection, transaction
from django.http import QueryDict
from django.urls import reverse

from questionbank.core import middleware
from tests.hostile import DIGITS, JUNK, NUL, SKIPPED
from tests.questionbank.page_bank import make_bank
from tests.test_security import ADDRESSES, number_one  # noqa: F401 - the second is a fixture


class RecordingDict(QueryDict):
    """Parameters that remember which of them were asked for."""

    asked: ClassVar[set[str]] = set()

    def __getitem__(self, name):
        self.asked.add(str(name))
        return super().__getitem__(name)

    def get(self, name, default=None):
        self.asked.add(str(name))
        return super().get(name, default)

    def getlist(self, name, default=None):
        self.asked.add(str(name))
        return super().getlist(name, default)

    def __contains__(self, name):
        self.asked.add(str(name))
        return super().__contains__(name)


@pytest.fixture
def asked(monkeypatch) -> set[str]:
    """The names of parameters that the site has asked for."""
    names = RecordingDict.asked
    clean = middleware._without_nul

    def record(parameters: QueryDict) -> QueryDict:
        return RecordingDict(clean(parameters).urlencode(), mutable=True)

    monkeypatch.setattr(middleware, "_without_nul", record)
    return names


@pytest.fixture
def as_admin(client, admin_person, number_one, teacher):  # noqa: F811
    cache.clear()
    with connection.cursor() as cursor:  # the rows numbered 1 took no number from their sequences
        for table in ("knowledgehierarchy", "knowledgeconcept", "question"):
            cursor.execute(f"SELECT nextval(pg_get_serial_sequence('questionbank_{table}', 'id'))")
    make_bank(teacher)
    client.force_login(admin_person)
    client.raise_request_exception = False
    return client


def test_no_parameter_breaks_any_page(as_admin, asked):
    broken = []
    swept = 0
    for name, here in ADDRESSES:
        for method in ("get", "post"):
            if name in SKIPPED:
                continue
            asked.clear()
            sent: list[dict[str, str]] = [{}]
            while sent:
                parameters = sent.pop()
                with transaction.atomic():
                    status = getattr(as_admin, method)(here, parameters).status_code
                    transaction.set_rollback(True)
                swept += 1
                if status >= 500:
                    broken.append((method, here, {key: value[:12] for key, value in parameters.items()}))
                if not parameters:
                    known = sorted(asked)
                    sent = [dict.fromkeys(known, value) for value in (NUL, JUNK) if known]
                    sent += [{key: DIGITS} for key in known]
    assert not broken
    assert swept > 300


@pytest.mark.parametrize("query", [f"?q={NUL}", f"?hierarchy={DIGITS}"])
def test_the_concepts_page_ignores_what_it_cannot_mean(as_admin, query):
    assert as_admin.get(reverse("concept_tree") + query.replace("\0", "%00")).status_code == 200


def test_nul_is_taken_out_of_names_and_values(as_admin):
    response = as_admin.get(reverse("question_list") + "?q=marb%00les&%00grade=11")
    assert response.status_code == 200
    assert "marbles" in response.content.decode()
    assert response.wsgi_request.GET.dict() == {"q": "marbles", "grade": "11"}
