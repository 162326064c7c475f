"""Jobs that have paraphrases proposed."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from questionbank.core.errors import KindredError
from questionbank.core.task_queue import task_name
from questionbank.jobs import run_services as runs
from questionbank.models import ParaphrasePair, Question, Run
from questionbank.review.paraphrase_services import proposals_request
from tests.analytics.paraphrase.tiny_sequence_model import tiny_sequence_model
from tests.factories import QuestionFactory
from tests.language_model_server import language_model_server, said
from tests.worker.jobs import done
from worker.paraphrase.jobs import propose_run
from worker.reporting import run_here
from worker.tasks import capability_task

pytestmark = pytest.mark.django_db
TEXT = "Zoe bought {} pens and 3 cards in a shop. How many pens did Zoe buy if she had 4 at first?"


@pytest.fixture
def questions(db) -> list[Question]:
    return [QuestionFactory(text=TEXT.format(number)) for number in (12, 20)]


@pytest.fixture
def server(settings) -> Iterator[SimpleNamespace]:
    """A language model that the installation names."""
    with language_model_server() as running:
        settings.LANGUAGE_MODEL_URL, settings.LANGUAGE_MODEL_NAME = running.url, "tiny"
        settings.LANGUAGE_MODEL_KEY = "sk-secret"
        yield running


def wording(*texts: str) -> tuple[int, dict[str, object], dict[str, str]]:
    return 200, said("".join(f"<rewording>{text}</rewording>" for text in texts)), {}


def request(questions: list[Question], user, paraphraser: str = "rules", each: int = 2) -> Run:
    ids = [question.pk for question in questions]
    return proposals_request(questions=ids, paraphraser=paraphraser, each=each, user=user)


def test_the_rules_write_for_many_questions_and_one_job_scores_all(questions, reviewer):
    dull = QuestionFactory(text="$2 + 3 = $")
    foreign = QuestionFactory(text=TEXT.format(9), language="zh")
    run = request([*questions, dull, foreign], reviewer)
    result = run_here(run, propose_run)
    assert result == {"proposed": 4, "known_already": 0, "questions_without_a_new_wording": 2}
    pairs = list(ParaphrasePair.objects.order_by("pk"))
    assert [pair.question_id for pair in pairs] == [question.pk for question in questions for _ in range(2)]
    assert {(pair.source, pair.generator, pair.created_by) for pair in pairs} == {
        ("rules", "rule paraphraser", reviewer)
    }
    assert Run.objects.get(kind="score").parameters == {"pairs": [pair.pk for pair in pairs]}


def test_a_language_model_writes_and_its_name_stands_with_each_pair(questions, reviewer, server):
    server.answers = [wording("Other words.", "Other  words.", questions[0].text), (200, said("I cannot do that."), {})]
    run = request(questions, reviewer, "language")
    result = run_here(run, propose_run)
    assert result == {"proposed": 1, "known_already": 0, "questions_without_a_new_wording": 1}
    pair = ParaphrasePair.objects.get()
    assert (pair.paraphrase, pair.source, pair.generator) == ("Other words.", "model", "tiny")
    assert [body["model"] for _path, _key, body in server.asked] == ["tiny", "tiny"]
    assert {key for _path, key, _body in server.asked} == {"Bearer sk-secret"}
    assert f"Question {questions[1].pk}: The answer of tiny holds no rewording." in [
        line.text for line in run.logs.all()
    ]


def test_what_was_written_before_a_failure_is_kept_scored_and_not_written_again(questions, reviewer, server):
    server.answers = [wording("First."), (401, {}, {})]
    run = request(questions, reviewer, "language")
    with pytest.raises(KindredError, match="refuses the key"):
        run_here(run, propose_run)
    assert ParaphrasePair.objects.get().paraphrase == "First."
    assert Run.objects.filter(kind="score").count() == 1
    server.answers = [wording("Second.")]
    runs.run_retry(run_id=run.pk)
    assert run_here(run, propose_run)["proposed"] == 2
    assert len(server.asked) == 3


def test_a_sequence_model_writes(questions, reviewer, settings, tmp_path):
    settings.PARAPHRASE_MODEL = str(tiny_sequence_model(tmp_path / "tiny-bart"))
    result = run_here(request(questions[:1], reviewer, "sequence"), propose_run)
    assert result["proposed"] + result["questions_without_a_new_wording"] >= 1
    assert set(ParaphrasePair.objects.values_list("source", "generator")) <= {("model", "tiny-bart")}


def test_a_model_that_is_not_there_fails_with_a_sentence(questions, reviewer, settings):
    settings.PARAPHRASE_MODEL = "/nowhere/model"
    with pytest.raises(KindredError, match="There is no folder"):
        run_here(request(questions, reviewer, "sequence"), propose_run)
    settings.PARAPHRASE_MODEL = ""
    run = Run.objects.get()
    runs.run_retry(run_id=run.pk)
    with pytest.raises(KindredError, match="There is no paraphraser with this name"):
        run_here(run, propose_run)


def test_the_task_does_the_run_and_heeds_a_cancel(questions, reviewer):
    run = request(questions, reviewer)
    assert task_name(run.kind) == capability_task("propose").name
    runs.run_cancel(run_id=run.pk)
    capability_task("propose").run(run.pk)
    assert not ParaphrasePair.objects.exists()
    runs.run_retry(run_id=run.pk)
    done(run, capability_task("propose").run)
    assert run.result["proposed"] == 4
