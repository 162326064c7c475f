"""Scoring paraphrases that wait for review."""

from __future__ import annotations

import pytest

from analytics.paraphrase.scorer import load_scorer
from analytics.paraphrase.verdict import Verdict
from questionbank.core.task_queue import task_name
from questionbank.jobs import run_services as runs
from questionbank.models import ModelArtifact, ParaphrasePair, Run
from questionbank.registry import serving
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.review.pair_services import PairInput, pairs_create, paraphrase_rescore, paraphrase_score_request
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.questionbank import scripted_solver
from tests.questionbank.small_bank import add_set
from tests.worker.jobs import done
from worker.paraphrase import jobs as scoring
from worker.paraphrase.jobs import score_run
from worker.reporting import run_here
from worker.tasks import capability_task

pytestmark = pytest.mark.django_db

QUESTION = "Ann has 12 apples. Bob takes 3 of them. How many apples are left?"
TEXTS = (QUESTION.replace("How many", "What number of"), QUESTION.replace("12", "40"))


@pytest.fixture
def champion(tmp_path):
    artifact = artifact_register(folder=tiny_scorer(tmp_path / "scorer"))
    return artifact_promote(artifact=artifact)


def pairs(*texts: str) -> list[ParaphrasePair]:
    return pairs_create(
        pairs=[PairInput(QUESTION, text) for text in texts],
        source=ParaphrasePair.Source.UPLOAD,
        user=None,
        request_scores=False,
    )


def request(made: list[ParaphrasePair]) -> Run:
    run = paraphrase_score_request(pairs=made)
    assert run is not None
    return run


def test_the_scorer_in_use_weighs_whether_both_texts_have_the_same_answer(champion):
    scorer = serving.scorer_of(champion).scorer
    scorer.verdict = Verdict()
    age = "Sam is 5 years older than Rita, who is 9. How old is Sam?"
    same, other = scorer.score(
        [(age, "Rita is 9. She is 5 years younger than Sam. How old is Sam?"),
         (age, "Rita is 9. Sam is 5 years younger than Rita. How old is Sam?")]
    )  # fmt: skip
    assert (same.verdict, other.verdict) == ("valid", "invalid")


def test_pairs_get_score_probability_and_findings(champion, tmp_path):
    made = pairs(*TEXTS)
    result = run_here(request(made), score_run)
    assert result == {"scored": 2, "findings_only": 0, "model": champion.pk}
    good, bad = ParaphrasePair.objects.order_by("pk")
    expected = load_scorer(tmp_path / "scorer").score([(QUESTION, text) for text in TEXTS])
    assert [good.score, bad.score] == pytest.approx([pair_score.score for pair_score in expected], abs=1e-5)
    assert good.verdict > 0.5 > bad.verdict
    assert [finding["sentence"] for finding in bad.findings] == ["12 became 40."]
    assert good.scored_by == bad.scored_by == champion
    assert good.scored_at is not None


def test_many_pairs_are_encoded_in_bulk_to_the_same_scores(champion, monkeypatch):
    run_here(request(pairs(*TEXTS)), score_run)
    few = list(ParaphrasePair.objects.order_by("pk").values_list("score", flat=True))
    monkeypatch.setattr(scoring, "SMALL_JOB", 0)
    again = pairs(*TEXTS)
    run_here(request(again), score_run)
    many = list(
        ParaphrasePair.objects.filter(pk__in=[pair.pk for pair in again]).order_by("pk").values_list("score", flat=True)
    )
    assert many == pytest.approx(few, abs=0.02)


def test_what_this_scorer_has_scored_is_passed_over_and_a_new_one_scores_anew(champion, tmp_path):
    made = pairs(*TEXTS)
    run_here(request(made), score_run)
    before = ParaphrasePair.objects.get(pk=made[0].pk)
    assert run_here(request(made), score_run)["scored"] == 0
    assert ParaphrasePair.objects.get(pk=made[0].pk).scored_at == before.scored_at
    successor = artifact_register(folder=tiny_scorer(tmp_path / "other", seed=1))
    artifact_promote(artifact=successor)
    assert run_here(request(made), score_run)["scored"] == 2
    after = ParaphrasePair.objects.get(pk=made[0].pk)
    assert after.scored_by == successor
    assert after.score != before.score


def test_without_a_scorer_pairs_get_findings():
    made = pairs(*TEXTS)
    assert run_here(request(made), score_run) == {"scored": 0, "findings_only": 2, "model": None}
    bad = ParaphrasePair.objects.get(pk=made[1].pk)
    assert (bad.score, bad.verdict, bad.scored_at) == (None, None, None)
    assert bad.findings


def test_a_pair_is_solved_without_recalling_the_question_that_it_rewords(monkeypatch):
    solver = scripted_solver.served({QUESTION: (("12-3", 0.9),)})
    retriever = ModelArtifact.objects.create(
        capability="analogy", name="r", state=ModelArtifact.State.CHAMPION, checksum="1" * 64, manifest={}
    )
    add_set("structure", artifact=retriever)
    recalled = []
    monkeypatch.setattr(serving, "solver_of", lambda _artifact: solver)
    monkeypatch.setattr(serving, "retriever_of", lambda artifact: artifact)
    monkeypatch.setattr(
        serving, "recalling", lambda solver, _retriever, *, solved, further: recalled.append(further) or solver
    )
    made = pairs(*TEXTS)
    run_here(request(made), score_run)
    assert ParaphrasePair.objects.get(pk=made[0].pk).solved["original"]["answer"] == "9"
    assert recalled == [None]
    serving.served_solver("en")  # as pages do
    assert recalled[1] is not None


def test_a_language_that_the_scorer_cannot_read_gets_no_score(champion, tmp_path):
    made = pairs("安有十二个苹果，鲍勃拿走三个，还剩下多少个苹果？", TEXTS[0])
    assert run_here(request(made), score_run) == {"scored": 1, "findings_only": 1, "model": champion.pk}
    unreadable = ParaphrasePair.objects.get(pk=made[0].pk)
    assert (unreadable.score, unreadable.scored_by) == (None, champion)
    assert paraphrase_rescore() is None  # it is not asked about again
    successor = artifact_promote(artifact=artifact_register(folder=tiny_scorer(tmp_path / "other", seed=1)))
    assert run_here(paraphrase_rescore(), score_run)["model"] == successor.pk


def test_decided_pairs_keep_the_score_that_they_were_decided_under(champion, tmp_path):
    made = pairs(*TEXTS)
    run_here(request(made), score_run)
    before = ParaphrasePair.objects.get(pk=made[0].pk)
    ParaphrasePair.objects.filter(pk=made[0].pk).update(state="decided", outcome="accept")
    successor = artifact_promote(artifact=artifact_register(folder=tiny_scorer(tmp_path / "other", seed=1)))
    assert run_here(request(made), score_run)["scored"] == 1
    decided, waiting = ParaphrasePair.objects.order_by("pk")
    assert (decided.score, decided.scored_by) == (before.score, champion)
    assert waiting.scored_by == successor


def test_a_pair_that_is_decided_while_it_is_scored_keeps_its_score(champion, monkeypatch):
    made = pairs(TEXTS[0])
    save = scoring.pair_save_score

    def decide_first(**arguments) -> None:
        ParaphrasePair.objects.update(state="decided", outcome="reject")
        save(**arguments)

    monkeypatch.setattr(scoring, "pair_save_score", decide_first)
    run_here(request(made), score_run)
    assert ParaphrasePair.objects.get().score is None


def test_scores_of_a_scorer_that_was_replaced_meanwhile_are_not_written(champion, monkeypatch, tmp_path):
    made = pairs(*TEXTS)
    successor = artifact_register(folder=tiny_scorer(tmp_path / "other", seed=1))
    lock = scoring.champions_lock
    promotions = iter([successor])

    def promote_first(*capabilities: str) -> None:
        for artifact in promotions:
            artifact_promote(artifact=artifact)
        lock(*capabilities)

    monkeypatch.setattr(scoring, "champions_lock", promote_first)
    assert run_here(request(made), score_run) == {"scored": 2, "findings_only": 0, "model": successor.pk}
    assert set(ParaphrasePair.objects.values_list("scored_by", flat=True)) == {successor.pk}
    expected = load_scorer(tmp_path / "other").score([(QUESTION, TEXTS[0])])[0].score
    assert ParaphrasePair.objects.get(pk=made[0].pk).score == pytest.approx(expected, abs=1e-5)


def test_a_pair_that_is_gone_is_passed_over(champion):
    made = pairs(*TEXTS)
    run = request(made)
    ParaphrasePair.objects.filter(pk=made[0].pk).delete()
    assert run_here(run, score_run)["scored"] == 1


def test_the_task_does_the_run(champion):
    made = pairs(*TEXTS)
    run = request(made)
    assert task_name(run.kind) == capability_task("score").name
    done(run, capability_task("score").run)
    assert run.result["scored"] == 2


def test_a_cancelled_run_stops(champion):
    run = request(pairs(*TEXTS))
    runs.run_cancel(run_id=run.pk)
    done(run, capability_task("score").run, state="cancelled")
    assert not ParaphrasePair.objects.exclude(score=None).exists()
