"""What was written in a form outlives a log-out and a new log-in."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from questionbank.models import Question
from tests.factories import QuestionFactory

OURS = {"HTTP_ORIGIN": "http://testserver"}
WRITTEN = "How much is 2 + 3, written for a while?"


def sent_by(client: Client, name: str, data: dict[str, str], /, *, args: list[int] | None = None, **headers):
    response = client.post(reverse(name, args=args), data, **headers)
    return response.status_code, response.content.decode()


@pytest.mark.django_db
def test_who_is_logged_out_finds_what_they_wrote_and_can_send_it_again():
    status, page = sent_by(Client(), "question_create", {"text": WRITTEN, "kind": "open"}, **OURS)
    assert status == 403
    assert "You are logged out" in page
    assert f'<textarea name="text" hidden>\n{WRITTEN}</textarea>' in page
    assert '<textarea name="kind" hidden>\nopen</textarea>' in page
    assert "Send it again" in page
    assert not Question.objects.exists()


def test_who_logged_in_meanwhile_sends_it_again_and_it_is_saved(teacher):
    client = Client(enforce_csrf_checks=True)
    client.force_login(teacher)
    data = {"text": WRITTEN, "kind": "open", "language": "en", "status": "draft", "action": "save"}
    status, page = sent_by(client, "question_create", data, **OURS)
    assert (status, "logged in or out after" in page) == (403, True)
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    status, _ = sent_by(client, "question_create", {**data, "csrfmiddlewaretoken": token}, **OURS)
    assert (status, Question.objects.get().text) == (302, WRITTEN)


@pytest.mark.parametrize("origin", ["https://elsewhere.example", "null"])
def test_a_form_of_another_site_is_not_offered_again(teacher, origin):
    client = Client(enforce_csrf_checks=True)
    client.force_login(teacher)
    status, page = sent_by(client, "question_create", {"text": WRITTEN}, HTTP_ORIGIN=origin)
    assert (status, WRITTEN in page, "This form has expired" in page) == (403, False, True)
    stranger = Client().post(reverse("question_create"), {"text": WRITTEN}, HTTP_ORIGIN=origin)
    assert stranger.url.startswith(reverse("account_login"))


def test_a_password_is_in_no_page(teacher):
    client = Client(enforce_csrf_checks=True)
    client.force_login(teacher)
    for browser in (client, Client()):
        response = browser.post(
            reverse("account_change_password"), {"oldpassword": "secret-secret", "password1": "x"}, **OURS
        )
        assert "secret-secret" not in response.content.decode()


def test_a_part_of_a_page_leads_to_the_log_in(db):
    status, _ = sent_by(Client(), "question_preview", {"text": WRITTEN}, HTTP_HX_REQUEST="true", **OURS)
    assert status == 302


def test_the_address_of_a_button_says_that_nothing_was_saved(as_teacher):
    question = QuestionFactory()
    response = as_teacher.get(reverse("question_accept", args=[question.pk]))
    assert (response.status_code, response["Allow"]) == (405, "POST")
    assert "Nothing was saved. Please press the button again." in response.content.decode()
