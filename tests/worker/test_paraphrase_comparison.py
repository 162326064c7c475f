"""Comparing, promoting and rolling back scorers of paraphrases."""

from __future__ import annotations

import numpy as np
import pytest
from django.core.management import call_command

from analytics.paraphrase.metrics import roc_auc
from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.records import ParaphrasePair as LabelledPair
from analytics.splits import is_held_out
from questionbank import dispatch
from questionbank.errors import Conflict
from questionbank.models import ModelArtifact, ModelComparison, ModelEvent, ParaphrasePair, Run
from questionbank.selectors.models import gate, roll_back_target
from questionbank.services import artifacts
from questionbank.services.artifacts import artifact_promote, artifact_register
from questionbank.services.paraphrase import PairInput, pairs_create
from questionbank.services.promotion import comparison_request, model_roll_back, promotion_request
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.worker.scorer_bank import add_decided, add_word_problems
from worker import paraphrase_comparison
from worker.paraphrase_comparison import SuitePair, fixed_suite, scorer_figures
from worker.tasks import model_promote, paraphrase_compare, paraphrase_score

pytestmark = pytest.mark.django_db

REASON = "Tells changed numbers better."


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    root = tmp_path_factory.mktemp("scorers")
    return [tiny_scorer(root / name, seed=seed, name=name) for seed, name in ((1, "old"), (2, "new"))]


@pytest.fixture(autouse=True)
def few_resamples_and_nothing_sent(own_files, monkeypatch):
    monkeypatch.setattr(dispatch, "_send", lambda run: None)
    monkeypatch.setattr(paraphrase_comparison, "RESAMPLES", 200)


@pytest.fixture
def old(db, exported) -> ModelArtifact:
    return artifact_promote(artifact=artifact_register(folder=exported[0]), reason="The first one.")


@pytest.fixture
def new(old, exported) -> ModelArtifact:
    return artifact_register(folder=exported[1], parent=old)


def suite_of(count: int, kind: str = "made") -> list[SuitePair]:
    return [
        SuitePair(LabelledPair(f"{number}{label}", f"Question {number}", f"Text {label}", label), kind)
        for number in range(count)
        for label in (1, 0)
    ]


def figures(suite: list[SuitePair], candidate: list[float], champion: list[float]) -> dict:
    everything = [True] * len(suite)
    return scorer_figures(
        suite,
        {"candidate": everything, "champion": everything},
        {"candidate": candidate, "champion": champion},
    )


def verdict(found: dict):
    artifact = ModelArtifact(capability="paraphrase", name="x")
    return gate(ModelComparison(candidate=artifact, champion=artifact, figures=found))


def scores(suite: list[SuitePair], gap: float, *, scale: float = 1.0, seed: int = 0) -> list[float]:
    """Noise around a gap between both labels, all multiplied by a scale."""
    noise = np.random.default_rng(seed).normal(scale=0.2, size=len(suite))
    return [scale * (0.3 + gap * (one.pair.label or 0) + e) for one, e in zip(suite, noise, strict=True)]


def test_a_better_ranking_passes_and_a_worse_one_does_not():
    suite = suite_of(80)
    good, poor = scores(suite, 0.5), scores(suite, 0.05, seed=1)
    found = figures(suite, good, poor)
    labels = [one.pair.label for one in suite]
    auc, f1, separation = found["metrics"]
    assert [one["name"] for one in found["metrics"]] == ["auc_made", "macro_f1_made", "separation_made"]
    assert auc["candidate"] == pytest.approx(roc_auc(labels, good), abs=1e-4)
    assert auc["champion"] == pytest.approx(roc_auc(labels, poor), abs=1e-4)
    for one in (auc, f1, separation):
        assert 0 < one["low"] <= one["difference"] <= one["high"]
    assert found["suite"] == {
        "questions": 80, "pairs": 160, "decided": 0, "lost": 0, "gained": 0, "seed": 0,
    }  # fmt: skip
    assert verdict(found).passes
    judged = verdict(figures(suite, poor, good))
    assert not judged.passes
    assert len(judged.reasons) == 1
    assert judged.reasons[0].startswith("ROC AUC, operators' pairs is worse")


def test_a_smaller_scale_is_said_and_keeps_nobody_out():
    suite = suite_of(60)
    champion = scores(suite, 0.5)
    found = figures(suite, [0.5 * one for one in champion], champion)
    worse = {one["name"]: one["worse"] for one in found["metrics"]}
    assert not worse["auc_made"]
    assert worse["separation_made"]
    judged = verdict(found)
    assert judged.passes
    assert any("Separation, operators' pairs is worse" in reason for reason in judged.reasons)


def test_the_interval_draws_questions_and_not_pairs():
    """A question whose pairs all stand twice tells no more than one whose pairs stand once."""
    suite = suite_of(40)
    one, other = scores(suite, 0.3), scores(suite, 0.25, seed=1)
    once = figures(suite, one, other)["metrics"][0]
    twice = figures(suite * 2, one * 2, other * 2)["metrics"][0]
    assert (twice["low"], twice["high"]) == (once["low"], once["high"])


def test_what_one_cannot_read_is_counted_and_fails_the_gate():
    suite = suite_of(40)
    good = scores(suite, 0.5)
    readable = {"candidate": [number >= 4 for number in range(80)], "champion": [True] * 80}
    found = scorer_figures(suite, readable, {"candidate": good, "champion": good})
    assert (found["suite"]["lost"], found["suite"]["gained"], found["suite"]["questions"]) == (2, 0, 38)
    assert any("cannot read" in reason for reason in verdict(found).reasons)


def test_few_questions_or_one_label_are_not_measured():
    few = suite_of(8, "decided")
    suite = [*suite_of(40), *few]
    found = figures(suite, scores(suite, 0.5), scores(suite, 0.4))
    assert {one["name"] for one in found["metrics"]} == {"auc_made", "macro_f1_made", "separation_made"}
    assert found["suite"]["decided"] == 16
    alone = figures(few, scores(few, 0.5), scores(few, 0.4))
    assert alone["metrics"] == []
    assert "too few" in verdict(alone).reasons[0]


def test_the_pairs_whose_score_changes_most_come_first():
    suite = suite_of(20)
    champion = [0.5] * 40
    candidate = [0.5 + number / 100 for number in range(40)]
    changed = figures(suite, candidate, champion)["changed_pairs"]
    assert len(changed) == 12
    assert (changed[0]["original"], changed[0]["candidate"], changed[0]["champion"]) == (
        "Question 19", 0.89, 0.5,
    )  # fmt: skip


def test_the_suite_has_held_out_questions_and_test_operators_only():
    bank = add_word_problems(150)
    add_decided(bank)
    suite = fixed_suite()
    held = {one.text for one in bank if is_held_out(one.text)}
    assert {one.pair.original for one in suite} == held
    names = {one.pair.operator for one in suite if one.kind == "made"}
    assert names
    assert names <= {one.name for one in OPERATORS if not one.is_training}
    assert sum(one.kind == "decided" for one in suite) == 2 * len(held)
    assert fixed_suite() == suite


def waiting_pairs(count: int) -> list[ParaphrasePair]:
    return pairs_create(
        pairs=[PairInput(f"Ann has {n} pens. How many?", f"How many of {n} pens?") for n in range(count)],
        source=ParaphrasePair.Source.UPLOAD, user=None, request_scores=False,
    )  # fmt: skip


def finish(task, run: Run) -> Run:
    task(run.pk)
    run.refresh_from_db()
    assert (run.error, run.state) == ("", "succeeded")
    return run


def test_compare_promote_score_anew_and_roll_back(old, new, admin_person):
    add_decided(add_word_problems(300))
    waiting, decided = waiting_pairs(2)
    finish(paraphrase_score, Run.objects.create(
        kind="score", capability="paraphrase", parameters={"pairs": [waiting.pk, decided.pk]}
    ))  # fmt: skip
    ParaphrasePair.objects.filter(pk=decided.pk).update(state="decided", outcome="accept")
    decided.refresh_from_db()
    decided_under = decided.score
    assert decided_under is not None
    with pytest.raises(Conflict, match="not compared"):
        promotion_request(artifact=new, reason=REASON, user=admin_person)
    compared = finish(paraphrase_compare, comparison_request(candidate=new, user=admin_person))
    comparison = ModelComparison.objects.get(pk=compared.result["comparison"])
    assert {one["name"] for one in comparison.figures["metrics"]} >= {"auc_made", "auc_decided"}
    assert comparison.figures["changed_pairs"]

    finish(model_promote, promotion_request(artifact=new, reason=REASON, user=admin_person, override=True))
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.state, old.state) == ("champion", "archived")
    event = ModelEvent.objects.filter(kind="promoted", artifact=new).get()
    assert (event.former, event.person, event.reason) == (old, admin_person, REASON)
    assert event.gate["comparison"] == comparison.pk

    scoring = Run.objects.get(kind="score", state="queued")
    assert scoring.requested_by == admin_person
    finish(paraphrase_score, scoring)
    for pair in (waiting, decided):
        pair.refresh_from_db()
    assert (waiting.scored_by, decided.scored_by) == (new, old)
    assert decided.score == decided_under
    by_new = waiting.score

    assert roll_back_target("paraphrase") == old
    assert model_roll_back(capability="paraphrase", reason="Back.", user=admin_person) == old
    finish(paraphrase_score, Run.objects.get(kind="score", state="queued"))
    waiting.refresh_from_db()
    assert waiting.scored_by == old
    assert waiting.score != by_new


def test_a_promotion_without_undecided_pairs_asks_for_no_scores(old, new):
    finish(model_promote, promotion_request(artifact=new, reason=REASON, override=True))
    assert not Run.objects.filter(kind="score").exists()


def test_an_imported_scorer_is_compared_and_the_first_one_simply_serves(db, exported, monkeypatch, capsys):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    call_command("import_model", str(exported[0]), promote=True, reason=REASON)
    assert "old serves now" in capsys.readouterr().out.replace(":", "")
    assert not ModelComparison.objects.exists()
    assert ModelArtifact.objects.get(capability="paraphrase").state == "champion"
