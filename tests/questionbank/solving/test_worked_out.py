"""Word problems that the school's language model works out, stored beside the solver's own solutions."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.urls import reverse

from analytics.language_model.solving import work_out
from analytics.solver.solution import Solution, solution_of
from analytics.text.number_slots import number_slots
from questionbank.bank.question_services import question_create
from questionbank.core.database import database_now
from questionbank.models import LanguageModelAnswer, LanguageModelUse, ModelArtifact, Question, QuestionSolution, Run
from questionbank.registry.language_model_selectors import _rate_limit
from questionbank.similar.suggestion_services import language_model_exclude
from questionbank.solving.services import (
    TRIED_AGAIN_AFTER,
    helped_solutions,
    problems_to_ask,
    solution_store,
    worked_out_request,
    worked_out_store,
)
from tests.language_model_server import language_model_server
from tests.questionbank.page_bank import text_of
from tests.scripted_model import ScriptedModel
from worker.solver import jobs
from worker.tasks import capability_task

STAMPS = "Mia has 12 stamps and gets 5 more. How many has she?"


@pytest.fixture
def server(settings, db):
    with language_model_server() as running:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = running.url, "large"
        settings.LANGUAGE_MODEL_PER_MINUTE = settings.LANGUAGE_MODEL_TOKENS_PER_DAY = 0
        _rate_limit.cache_clear()
        running.reply = lambda _messages: json.dumps({"lines": ["12 + 5"]})
        LanguageModelUse.objects.create(
            use="solving", verdict="passed", name="large", host="127.0.0.1",
            weights={"same": 2.0, "new": 3.0}, switched_on_at=database_now(),
        )  # fmt: skip
        yield running


@pytest.fixture
def solver(db) -> ModelArtifact:
    return ModelArtifact.objects.create(
        capability="solver", scope="en", name="tree", state="champion", checksum="0" * 64, location="solver/tree"
    )


def solved(teacher, solver, tokens="- N0 N1", probability=0.3, text=STAMPS, **fields: str) -> Question:
    question = question_create(
        user=teacher, text=text, language="en", kind="open", options=[], answer="", solution="", grade="",
        status="ready", concepts=[], equation="",
    )  # fmt: skip
    values = [slot.value for slot in number_slots(text)]
    solution = solution_of(tokens.split(), values, probability)
    given = Solution(**{name: fields.get(name, getattr(solution, name)) for name in Solution.__slots__})
    solution_store(question=question, artifact=solver, solutions=[given])
    return question


def take() -> Run:
    """Do what a worker does with the job that is requested."""
    run = worked_out_request()
    assert run is not None
    capability_task("worked_out")(run.pk)
    run.refresh_from_db()
    return run


def test_an_answer_is_pooled_once_and_named(server, teacher, solver):
    question = solved(teacher, solver)
    run = take()
    assert (run.state, run.result["worked_out"]) == ("succeeded", 1)
    stored = QuestionSolution.objects.get(question=question)
    assert stored.alternatives[0]["value"] == 17
    assert stored.probability > 0.5
    assert stored.graph_key
    assert stored.read_with == "large at 127.0.0.1"
    assert [each["value"] for each in stored.own_alternatives] == [7]
    assert worked_out_request() is None  # asked once
    assert len(server.asked) == 1


def test_a_switched_off_use_is_withdrawn(server, teacher, solver):
    question = solved(teacher, solver)
    take()
    LanguageModelUse.objects.update(switched_on_at=None)
    assert take().result["withdrawn"] == 1
    stored = QuestionSolution.objects.get(question=question)
    assert [each["value"] for each in stored.alternatives] == [7]
    assert (stored.read_with, stored.own_alternatives, stored.probability) == ("", [], 0.3)
    assert not LanguageModelAnswer.objects.exists()
    assert not helped_solutions().exists()
    assert worked_out_request() is None


def test_what_a_rule_a_twin_or_a_person_settles_is_not_sent(server, teacher, solver):
    solved(teacher, solver, rule="sum")
    solved(teacher, solver, twin="7")
    excluded = solved(teacher, solver)
    language_model_exclude(question=excluded, is_excluded=True, user=teacher)
    declined = solved(teacher, solver)
    solution_store(question=declined, artifact=solver, solutions=[], reason="The text does not ask a question.")
    assert not problems_to_ask().exists()
    assert worked_out_request() is None
    language_model_exclude(question=excluded, is_excluded=False, user=teacher)
    assert problems_to_ask().get().question == excluded


def test_excluding_a_question_withdraws_its_answer_and_allowing_it_asks_anew(server, teacher, solver):
    question, other = solved(teacher, solver), solved(teacher, solver, text=STAMPS.replace("Mia", "Leo"))
    take()
    language_model_exclude(question=question, is_excluded=True, user=teacher)
    stored = QuestionSolution.objects.get(question=question)
    assert [each["value"] for each in stored.alternatives] == [7]
    assert (stored.read_with, stored.own_alternatives, stored.probability) == ("", [], 0.3)
    assert list(LanguageModelAnswer.objects.values_list("question", flat=True)) == [other.pk]
    assert QuestionSolution.objects.get(question=other).read_with
    assert worked_out_request() is None
    language_model_exclude(question=question, is_excluded=False, user=teacher)
    assert not QuestionSolution.objects.get(question=question).read_with
    server.asked.clear()
    assert take().result["asked"] == 1
    assert len(server.asked) == 1
    assert QuestionSolution.objects.get(question=question).read_with


def test_a_question_that_is_excluded_while_the_model_is_asked_keeps_its_own_solutions(server, teacher, solver):
    question = solved(teacher, solver)
    found = work_out(ScriptedModel({"lines": ["12 + 5"]}), STAMPS)
    solution = problems_to_ask().get()
    language_model_exclude(question=question, is_excluded=True, user=teacher)
    assert [each["value"] for each in QuestionSolution.objects.get().alternatives] == [7]  # nothing to withdraw
    assert not worked_out_store(solution=solution, found=found, row=LanguageModelUse.objects.get())
    assert not QuestionSolution.objects.get().read_with
    assert not LanguageModelAnswer.objects.exists()


def test_a_question_that_is_excluded_during_the_job_is_not_sent(server, settings, teacher, solver, monkeypatch):
    settings.LANGUAGE_MODEL_AT_ONCE = 1
    solved(teacher, solver)
    later = solved(teacher, solver, text=STAMPS.replace("Mia", "Leo"))

    def excluding(**stored: object) -> bool:
        language_model_exclude(question=later, is_excluded=True, user=teacher)
        return worked_out_store(**stored)

    monkeypatch.setattr(jobs, "worked_out_store", excluding)
    assert take().result["worked_out"] == 1
    assert len(server.asked) == 1


def test_a_dropped_answer_changes_nothing_and_is_not_asked_for_again(server, teacher, solver):
    server.reply = lambda _messages: json.dumps({"lines": ["17"]})
    question = solved(teacher, solver)
    assert take().result == {"asked": 1, "worked_out": 0, "withdrawn": 0, "stopped": ""}
    stored = QuestionSolution.objects.get(question=question)
    assert ([each["value"] for each in stored.alternatives], stored.read_with) == ([7], "")
    assert "bare number" in LanguageModelAnswer.objects.get().reason
    assert worked_out_request() is None


def test_a_changed_or_newly_solved_question_is_asked_about_again(server, teacher, solver):
    question = solved(teacher, solver)
    take()
    Question.objects.filter(pk=question.pk).update(content_hash=b"x" * 32)
    QuestionSolution.objects.update(content_hash=b"x" * 32)
    assert problems_to_ask().get().question_id == question.pk


def test_a_server_that_is_gone_ends_the_job_with_a_sentence_and_is_tried_later(server, settings, teacher, solver):
    settings.LANGUAGE_MODEL_SECONDS = 1
    server.answers = [(401, {"error": "expired"}, {})]
    server.reply = None
    solved(teacher, solver)
    run = take()
    assert run.state == "succeeded"
    assert "refuses the key" in run.result["stopped"]
    assert worked_out_request() is None  # within the hour
    Run.objects.update(finished_at=database_now() - 2 * TRIED_AGAIN_AFTER)
    assert worked_out_request() is not None


def test_a_use_that_has_not_passed_sends_nothing(server, teacher, solver):
    LanguageModelUse.objects.update(verdict="not_better")
    solved(teacher, solver)
    assert worked_out_request() is None
    assert server.asked == []


def test_no_page_asks_the_server(server, client, admin_person, solver):
    question = solved(admin_person, solver)
    LanguageModelUse.objects.update(checked_at=database_now() - timedelta(days=9))  # the check questions are due
    client.force_login(admin_person)
    names = ("language_model", "model_list", "paste", "question_list", "run_list")
    addresses = [*map(reverse, names), reverse("question_detail", args=[question.pk])]
    assert {client.get(address).status_code for address in addresses} == {200}
    assert server.asked == []


def test_the_questions_page_offers_to_exclude_it(server, client, teacher, solver):
    question = solved(teacher, solver)
    client.force_login(teacher)
    address = reverse("question_detail", args=[question.pk])
    assert "Never send to the language model" in text_of(client.get(address))
    client.post(reverse("question_exclude", args=[question.pk]), {"exclude": "yes"})
    assert not problems_to_ask().exists()
    assert "Allow sending to the language model" in text_of(client.get(address))
    client.post(reverse("question_exclude", args=[question.pk]), {"exclude": "no"})
    assert problems_to_ask().exists()
