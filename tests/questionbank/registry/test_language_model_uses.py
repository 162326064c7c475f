"""Uses of the language model: only what passed the exam and was switched on is asked."""

from __future__ import annotations

import socket

import pytest
from django.core.cache import cache
from django.urls import reverse

from analytics.errors import LanguageModelError
from analytics.language_model.endpoint import EndpointModel
from analytics.language_model.protocol import conversation
from questionbank.core import public_addresses
from questionbank.core.database import database_now
from questionbank.core.errors import Conflict, NotAllowed
from questionbank.models import LanguageModelUse
from questionbank.operations.health import health_report
from questionbank.registry.language_model_selectors import endpoint_model
from questionbank.registry.language_model_services import (
    CHECK_QUESTIONS,
    CHECKED_FOR,
    CountedModel,
    ExamOutcome,
    check_answers,
    is_same_model,
    language_model_exam_store,
    language_model_for,
    language_model_switch,
)
from tests.language_model_server import language_model_server, said
from tests.questionbank.page_bank import text_of

PASSED, NOT_BETTER = LanguageModelUse.Verdict.PASSED.value, LanguageModelUse.Verdict.NOT_BETTER.value
FIGURES = {
    "measure": "Right answers", "examples": 60, "sets": 3,
    "arms": [{"name": "Kindred alone", "value": 0.4, "low": 0.3, "high": 0.5}],
    "lines": ["12 tokens a question."],
}  # fmt: skip


@pytest.fixture
def server(settings, db):
    with language_model_server() as running:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = running.url, "large"
        settings.LANGUAGE_MODEL_TOKENS_PER_DAY = 0
        cache.clear()
        yield running


def examined(use="solving", verdict=PASSED, **values) -> LanguageModelUse:
    """The model that the settings name took the exam of a use."""
    with EndpointModel("http://127.0.0.1/v1", "large") as model:
        outcome = ExamOutcome(verdict, FIGURES, {})
        row = language_model_exam_store(use=use, model=model, checked=["Yes."] * 5, outcome=outcome, run=None)
    LanguageModelUse.objects.filter(pk=row.pk).update(**values)
    return row


def test_a_use_is_asked_only_where_it_passed_and_is_switched_on(server, admin_person):
    assert language_model_for("solving") is None
    examined("solving")
    examined("pairs", NOT_BETTER)
    assert language_model_for("solving") is None
    with pytest.raises(Conflict):
        language_model_switch(use="pairs", is_on=True, user=admin_person)
    language_model_switch(use="solving", is_on=True, user=admin_person)
    model = language_model_for("solving")
    assert model is not None
    assert model.ask(conversation("How much?")).text == "Yes."
    language_model_switch(use="solving", is_on=False, user=admin_person)
    assert language_model_for("solving") is None


def test_only_an_admin_switches(server, teacher):
    examined()
    with pytest.raises(NotAllowed):
        language_model_switch(use="solving", is_on=True, user=teacher)


def test_another_name_or_other_answers_let_the_verdicts_lapse(server, settings, admin_person):
    for word in ("solving", "pairs"):
        examined(word, switched_on_at=database_now())
    settings.LANGUAGE_MODEL_NAME = "larger"
    assert language_model_for("solving") is None
    assert {row.is_on for row in LanguageModelUse.objects.all()} == {False}
    item = next(item for item in health_report().items if item.name == "language_model")
    assert item.state == "warning"
    assert "no longer that of large" in item.sentence


def test_the_same_model_is_recognised_by_its_answers_and_another_one_is_not(server, admin_person):
    long_ago = database_now() - 2 * CHECKED_FOR
    examined(switched_on_at=database_now(), checked_at=long_ago)
    assert language_model_for("solving") is not None
    assert len(server.asked) == len(CHECK_QUESTIONS)
    assert language_model_for("solving") is not None
    assert len(server.asked) == len(CHECK_QUESTIONS)  # not asked again for half a day
    server.answers = [(200, said("No."), {})]
    LanguageModelUse.objects.update(checked_at=long_ago)
    assert language_model_for("solving") is None
    assert "check questions" in LanguageModelUse.objects.get().lapsed


@pytest.mark.parametrize(
    ("answers", "is_same"),
    [
        (["One.", "TWO.", "Three.", "Other.", "Another."], True),  # what a server's rounding may change
        (["One.", "Two.", "Others.", "Other.", "Another."], False),
        ([], False),
    ],
)
def test_most_answers_to_the_check_questions_recognise_a_model(answers, is_same):
    assert is_same_model(answers, ["One.", "Two.", "Three.", "Four.", "Five."]) is is_same


def test_a_new_exam_keeps_the_switch_only_of_a_model_that_passes_again(server):
    examined(switched_on_at=database_now())
    examined()
    assert LanguageModelUse.objects.get().is_on
    examined(verdict=NOT_BETTER)
    examined()
    assert not LanguageModelUse.objects.get().is_on


def test_the_tokens_of_a_day_are_counted_and_end_with_a_sentence(server, settings):
    settings.LANGUAGE_MODEL_TOKENS_PER_DAY = 20
    server.answers = [(200, {**said("Yes."), "usage": {"prompt_tokens": 11, "completion_tokens": 9}}, {})]
    with EndpointModel(server.url, "large") as endpoint:
        model = CountedModel(endpoint)
        model.ask(conversation("How much?"))
        assert model.tokens == 20
        with pytest.raises(LanguageModelError, match="tomorrow"):
            model.ask(conversation("How much?"))


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.7", "localhost", "[::1]", "0x7f000001", "models.school.example"])
def test_a_setting_forbids_private_addresses(settings, monkeypatch, host):
    settings.LANGUAGE_MODEL_NAME, settings.LANGUAGE_MODEL_URL = "large", f"http://{host}:8000/v1"
    looked_up = _looked_up_as("93.184.215.14", "10.2.0.9")
    monkeypatch.setattr(public_addresses.socket, "getaddrinfo", looked_up)
    with endpoint_model() as model:
        assert model is not None  # by default it may be a server of the school
    settings.LANGUAGE_MODEL_PRIVATE_ADDRESS = False
    with pytest.raises(LanguageModelError, match="has a private address, and LANGUAGE_MODEL_PRIVATE_ADDRESS forbids"):
        endpoint_model()


def test_a_public_address_stays_allowed_and_an_unknown_name_is_said(settings, monkeypatch):
    settings.LANGUAGE_MODEL_PRIVATE_ADDRESS = False
    settings.LANGUAGE_MODEL_NAME, settings.LANGUAGE_MODEL_URL = "large", "https://models.school.example/v1"
    monkeypatch.setattr(public_addresses.socket, "getaddrinfo", _looked_up_as("93.184.215.14", "2606:2800:21f::2"))
    with endpoint_model() as model:
        assert model.host == "models.school.example"
    monkeypatch.setattr(public_addresses.socket, "getaddrinfo", _looked_up_as())
    with pytest.raises(LanguageModelError, match=r"cannot be reached: .* not known"):
        endpoint_model()


def test_a_name_that_leads_into_the_school_later_is_refused_at_the_next_job(server, settings):
    examined(switched_on_at=database_now())
    assert language_model_for("solving") is not None
    settings.LANGUAGE_MODEL_PRIVATE_ADDRESS = False
    with pytest.raises(LanguageModelError, match="has a private address"):
        language_model_for("solving")


def _looked_up_as(*addresses: str):
    """A look-up that finds these addresses for every name."""
    look_up = socket.getaddrinfo

    def found(host, port, *arguments, flags=0, **options):
        if flags & socket.AI_NUMERICHOST:
            return look_up(host, port, *arguments, flags=flags, **options)
        if not addresses:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(0, 0, 0, "", (address, 0)) for address in addresses]

    return found


def test_check_answers_leave_thoughts_out(server):
    server.answers = [(200, said("<think>Is it?</think> 351\n"), {})]
    with EndpointModel(server.url, "large") as endpoint:
        assert check_answers(endpoint) == ["351"] * len(CHECK_QUESTIONS)


def test_the_page_names_the_host_and_what_is_sent_before_the_switch(server, client, admin_person):
    client.force_login(admin_person)
    examined()
    page = text_of(client.get(reverse("language_model")))
    assert "sends the text of each word problem that no rule answers to 127.0.0.1" in page
    assert "Switch on and send to 127.0.0.1" in page
    client.post(reverse("language_model_use_switch", args=["solving"]), {"switch": "on"})
    row = LanguageModelUse.objects.get()
    assert row.is_on
    assert row.switched_on_by == admin_person
    client.post(reverse("language_model_use_switch", args=["solving"]), {"switch": "off"})
    assert not LanguageModelUse.objects.get().is_on
    assert client.post(reverse("language_model_use_switch", args=["poems"])).status_code == 404


def test_a_verdict_of_another_model_is_shown_as_lapsed(server, settings, client, admin_person):
    client.force_login(admin_person)
    examined(switched_on_at=database_now())
    assert "Passed On" in text_of(client.get(reverse("language_model")))
    settings.LANGUAGE_MODEL_NAME = "larger"
    page = text_of(client.get(reverse("language_model")))
    assert "which is no longer configured. The verdicts no longer count." in page
    assert "Passed, lapsed" in page
    assert "lapsed On" not in page


def test_without_an_address_the_page_says_so(db, settings, client, teacher):
    settings.LANGUAGE_MODEL_URL = ""
    client.force_login(teacher)
    assert "Everything works without one" in text_of(client.get(reverse("language_model")))
