"""Jobs of probes on the real database: drawing the map, and the difficulties that are learned."""

from __future__ import annotations

import time

import numpy as np
import pytest

from questionbank.bank.map_selectors import map_state
from questionbank.bank.vector_services import projection_request
from questionbank.jobs.run_services import run_cancel, run_create
from questionbank.models import Projection
from tests.factories import QuestionFactory
from tests.questionbank.small_bank import add_set, store_vectors
from tests.worker.jobs import done
from worker import reporting
from worker.probes import jobs as projection
from worker.probes.comparison import with_responses
from worker.tasks import capability_task

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def embedding_set():
    made = add_set("purpose", 8)
    questions = [QuestionFactory() for _one in range(30)]
    vectors = np.random.default_rng(0).normal(size=(30, 8)).astype(np.float32)
    store_vectors(made, questions[::-1], vectors)
    return made


def test_the_job_draws_every_vector_of_the_set_in_use(embedding_set) -> None:
    run = projection_request()
    done(run, capability_task("project"))
    assert run.result == {"questions": 30, "method": "tsne"}
    assert (run.done, run.total) == (30, 30)
    state = map_state()
    assert state.projection.embedding_set == embedding_set
    assert (state.projection.questions, state.missing, state.run) == (30, 0, None)
    assert state.projection.settings["perplexity"] == 30.0


def test_the_same_vectors_give_the_same_map_in_whatever_order_they_lie(embedding_set) -> None:
    maps = []
    for _time in range(2):
        capability_task("project")(run_create(kind="project", capability="probes", send=False).pk)
        maps.append(bytes(Projection.objects.get().coordinates))
        embedding_set.embeddings.filter(pk=embedding_set.embeddings.first().pk).update(embedding_set=embedding_set)
    assert maps[0] == maps[1]


def test_a_cancelled_job_leaves_the_former_map_alone(embedding_set, monkeypatch, no_hang) -> None:
    capability_task("project")(run_create(kind="project", capability="probes", send=False).pk)
    before = Projection.objects.get()
    run = run_create(kind="project", capability="probes", send=False)
    real = projection.project_vectors

    def stopped(vectors, config, *, progress, cancel):
        run_cancel(run_id=run.pk)
        while not cancel():  # until the heartbeat has seen it
            time.sleep(0.01)
        return real(vectors, config, progress=progress, cancel=cancel)

    monkeypatch.setattr(projection, "project_vectors", stopped)
    monkeypatch.setattr(reporting, "HEARTBEAT_SECONDS", 0.05)
    done(run, capability_task("project"), state="cancelled")
    assert Projection.objects.get().created_at == before.created_at


def test_a_map_that_nobody_asked_for_gives_way_to_a_promotion_but_not_to_the_clock(
    embedding_set, monkeypatch, broker
) -> None:
    monkeypatch.setattr(reporting, "LOOK_SECONDS", -1)
    monkeypatch.setattr(reporting, "IDLE_WORKER_SECONDS", 0)
    promotion = run_create(kind="promote", capability="encoder")
    run = run_create(kind="project", capability="probes", send=False)
    done(run, capability_task("project"), state="queued")
    assert not Projection.objects.exists()
    run_cancel(run_id=promotion.pk)  # its message, like that of the clock, still waits
    done(run, capability_task("project"))
    assert Projection.objects.exists()


@pytest.mark.parametrize(
    ("parameters", "sentence"), [({"set": {"perplexity": "0"}}, "perplexity"), ({"set": {"colour": "red"}}, "colour")]
)
def test_settings_that_make_no_sense_fail_the_job_with_a_sentence(embedding_set, parameters, sentence) -> None:
    run = run_create(kind="project", capability="probes", parameters=parameters, send=False)
    done(run, capability_task("project"), state="failed")
    assert sentence in run.error


def test_a_bank_without_vectors_fails_the_job_with_a_sentence() -> None:
    run = run_create(kind="project", capability="probes", send=False)
    capability_task("project")(run.pk)
    run.refresh_from_db()
    assert "no vectors" in run.error


def combined(percent: float, reach: float) -> dict[str, float]:
    return {"percent": percent, "low": percent - reach, "high": percent + reach, "responses": 100}


def bank(reach: float) -> tuple[list[float | None], list[dict[str, float] | None]]:
    """60 bands from 1 to 5 about 100 (1 - facility) / 25 + 1, a question without a band, and one without responses."""
    shares = np.linspace(5, 95, 60)
    bands = np.clip(np.round(1 + shares / 25 + np.sin(np.arange(60))), 1, 5)
    return [*bands.tolist(), None, 2.0], [*(combined(share, reach) for share in shares), combined(50, reach), None]


def test_responses_take_the_place_of_published_difficulties_that_tell_less():
    published, answers = bank(6)
    difficulties, errors = with_responses(published, answers, "1-5")
    assert difficulties[-2:] == [pytest.approx(3, abs=0.3), 2.0]
    assert len(set(difficulties[:60])) > 50  # no longer in bands
    assert errors[0] == pytest.approx(4 * 6 / 100 / 1.96, rel=0.15)
    assert errors[-1] == 0


def test_few_responses_leave_the_published_difficulty():
    published, answers = bank(45)
    difficulties, errors = with_responses(published, answers, "1-5")
    assert difficulties[:60] == published[:60]
    assert errors[60] > 0  # but a question without one has at least these
    assert (errors[:60] == 0).all()


@pytest.mark.parametrize(("count", "scale"), [(20, "1-5"), (60, "as published")])
def test_without_a_common_scale_responses_are_not_used(count, scale):
    published, answers = bank(6)
    assert with_responses(published[:count], answers[:count], scale) == (published[:count], None)
