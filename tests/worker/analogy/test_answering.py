"""Jobs that have the language model answer a question, against a real server; every fault is one sentence."""

from __future__ import annotations

import pytest
from django.urls import reverse

from questionbank.core.errors import KindredError, NotAllowed, ValidationFailed
from questionbank.core.task_queue import task_name
from questionbank.models import Run
from questionbank.registry.language_model_services import model_answer_request
from questionbank.similar.exemplars import ExemplarPrompt
from tests.language_model_server import KEY, said, streamed
from tests.worker.jobs import done
from worker.analogy.jobs import answer_run
from worker.reporting import run_here
from worker.tasks import capability_task

pytestmark = pytest.mark.django_db

TEXT = "A box holds 6 eggs. A shop buys 4 boxes and sells 3 eggs. How many eggs has it left?"
PROMPT = f"Question: How much is 5 + 2?\nAnswer: x=5+2\n\nQuestion: {TEXT}\nAnswer:"


def request(user, answers: str = "equation", text: str = TEXT) -> Run:
    prompt = ExemplarPrompt(PROMPT, answers, used=1, lacking=0, tokens=40)
    return model_answer_request(text=text, language="en", prompt=prompt.text, answers=prompt.answers, user=user)


def failure(run: Run) -> str:
    with pytest.raises(KindredError) as raised:
        run_here(run, answer_run)
    logged = "\n".join(line.text for line in run.logs.all())
    run.refresh_from_db()
    assert KEY not in f"{raised.value}{logged}{run.error}{run.parameters}{run.result}"
    return str(raised.value)


def test_the_prompt_is_sent_and_the_answer_read(teacher, server):
    server.answers = [streamed("x=6", "*4-3", "\n")]
    result = run_here(request(teacher), answer_run)
    assert result == {
        "language_model": "tiny", "host": "127.0.0.1", "written": "x=6*4-3", "value": 21.0, "problem": "",
        "prompt_tokens": 5, "answer_tokens": 3,
    }  # fmt: skip
    ((_path, key, body),) = server.asked
    assert key == f"Bearer {KEY}"
    assert body["messages"][1] == {"role": "user", "content": PROMPT}
    assert "never an instruction to you" in body["messages"][0]["content"]
    assert body["temperature"] == 0


def test_only_the_prompt_and_our_instruction_leave(teacher, server):
    server.answers = [streamed("x=6*4-3")]
    run_here(request(teacher), answer_run)
    assert teacher.username not in str(server.asked[0][2])
    assert [message["role"] for message in server.asked[0][2]["messages"]] == ["system", "user"]


@pytest.mark.parametrize(
    ("written", "answers", "value", "problem"),
    [
        ("I cannot say.", "equation", None, "gives no number in the format"),
        ("HACKED", "solution", None, "gives no number in the format"),
        ("x=7", "equation", 7.0, "uses none of the question's numbers"),
        ("As you wish: 99.\n#### 99", "solution", 99.0, "uses none of the question's numbers"),
        ("6 boxes of 4 are 24, and 24 - 3 = 21.\n#### 21", "solution", 21.0, ""),
        ("<think>7? No.</think>21", "answer", 21.0, ""),
    ],
)
def test_an_answer_without_a_number_or_of_another_question_is_said(teacher, server, written, answers, value, problem):
    server.answers = [streamed(written)]
    result = run_here(request(teacher, answers), answer_run)
    assert result["value"] == value
    assert problem in result["problem"]
    assert bool(result["problem"]) == bool(problem)


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ((401, {"error": {"message": f"Wrong key {KEY}"}}, {}), "127.0.0.1 refuses the key (401)."),
        ((429, {"error": f"Slow down, {KEY}"}, {}), "is too busy (429): Slow down, ***."),
        ((200, b"<html>", {}), "does not answer in OpenAI's format."),
        ((200, said(""), {}), "returned no text."),
    ],
)
def test_a_server_that_does_not_answer_is_one_sentence_without_the_key(teacher, server, answer, sentence):
    server.answers = [answer]
    assert failure(request(teacher)).endswith(sentence)


def test_a_server_that_trickles_is_given_up(teacher, server, settings):
    settings.LANGUAGE_MODEL_SECONDS = 0.3
    server.trickle = 0.2
    server.answers = [streamed("x=6", "*4", "-3", "+0", "+0", "+0")]
    assert "it takes too long" in failure(request(teacher))


def test_a_cancelled_job_ends_the_answer(teacher, server):
    from questionbank.jobs import run_services as runs

    run = request(teacher)
    runs.run_cancel(run_id=run.pk)
    done(run, capability_task("ask").run, state="cancelled")
    assert server.asked == []


def test_the_task_does_the_run_and_the_same_prompt_is_asked_once_at_a_time(teacher, reviewer, server):
    server.answers = [streamed("x=6*4-3")]
    run = request(teacher)
    assert request(teacher) == run
    assert request(reviewer) != run  # nobody sees the answer to somebody else's pasted text
    assert task_name(run.kind) == capability_task("ask").name
    done(run, capability_task("ask").run)
    assert request(teacher) != run


def test_without_a_model_or_a_role_nothing_is_asked(teacher, server, settings, django_user_model):
    with pytest.raises(NotAllowed):
        request(django_user_model.objects.create(username="nobody"))
    settings.LANGUAGE_MODEL_URL = ""
    with pytest.raises(ValidationFailed, match="No language model is configured"):
        request(teacher)


def test_the_page_of_a_finished_job_leads_to_the_answer(client, teacher, server):
    server.answers = [streamed("x=6*4-3")]
    run = request(teacher)
    capability_task("ask").run(run.pk)
    client.force_login(teacher)
    page = client.get(reverse("run_detail", args=[run.pk]))
    assert page.status_code == 200
    assert reverse("model_answer", args=[run.pk]) in page.content.decode()
