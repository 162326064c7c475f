"""Pages for what went wrong."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django.asserts import assertContains

from questionbank.bank import home_views as home
from questionbank.core import views as errors
from questionbank.core.errors import Busy, Conflict, ServiceUnavailable
from questionbank.core.middleware import LogInMiddleware


@pytest.mark.parametrize(
    ("address", "status", "sentence"),
    [
        ("/nothing/here/", 404, "Page not found"),
        (reverse("question_detail", args=[4711]), 404, "There is no question 4711."),
        (reverse("health"), 403, "Your role does not allow this"),
    ],
    ids=["an unknown address", "a question that is not there", "a role that may not"],
)
def test_a_refusal_is_a_friendly_page(as_teacher, address, status, sentence) -> None:
    assertContains(as_teacher.get(address), sentence, status_code=status)


def test_a_404_without_a_session_tells_nothing_of_the_site(db, client) -> None:
    page = client.get("/nothing/here/").content.decode()
    assert "site-nav" not in page


def test_the_log_has_a_trace_of_faults_and_none_of_refusals(as_teacher, log, monkeypatch) -> None:
    as_teacher.get(reverse("health"))
    assert "Forbidden" in log.getvalue()
    assert "Traceback" not in log.getvalue()

    def fail(*args):
        raise RuntimeError("a fault of ours")

    monkeypatch.setattr(LogInMiddleware, "process_view", fail)
    assert Client(raise_request_exception=False).get(reverse("home")).status_code == 500
    assert "Traceback" in log.getvalue()
    assert "a fault of ours" in log.getvalue()


def test_a_form_without_its_token_says_that_it_has_expired(bank, teacher) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(teacher)
    assertContains(client.post(reverse("paste"), {"text": "$x$"}), "This form has expired", status_code=403)


@pytest.mark.parametrize(
    ("place", "name", "error"),
    [(connection, "cursor", AssertionError), (errors.loader, "get_template", ValueError)],
    ids=["without database and session", "without its template"],
)
def test_a_500_comes(monkeypatch, place, name, error) -> None:
    def refuse(*args, **kwargs):
        raise error

    monkeypatch.setattr(place, name, refuse)
    response = errors.server_error(RequestFactory().get("/"))
    assertContains(response, "Something went wrong on our side", status_code=500)


def test_a_view_that_breaks_shows_no_trace(bank, teacher, monkeypatch) -> None:
    def refuse():
        raise RuntimeError("secret detail")

    monkeypatch.setattr(home, "bank_overview", refuse)
    client = Client(raise_request_exception=False)
    client.force_login(teacher)
    response = client.get(reverse("home"))
    page = response.content.decode()
    assert response.status_code == 500
    assert "secret detail" not in page
    assert "Traceback" not in page


@pytest.mark.parametrize(
    ("error", "status"), [(Conflict("Two at once."), 409), (ServiceUnavailable("No."), 503), (Busy("Full."), 503)]
)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
def test_errors_of_ours_are_one_sentence(bank, as_teacher, monkeypatch, error, status, headers) -> None:
    def refuse():
        raise error

    monkeypatch.setattr(home, "bank_overview", refuse)
    response = as_teacher.get(reverse("home"), headers=headers)
    assertContains(response, str(error), status_code=status)
    assert ("<html" in response.content.decode()) != bool(headers)
    assert response.headers.get("Retry-After") == ("60" if isinstance(error, Busy) else None)
