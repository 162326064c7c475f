"""Comparing, promoting and rolling back scorers of paraphrases; and a test set made of one's own bank."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from analytics.errors import DataError
from analytics.metrics import SUITES
from analytics.paraphrase.metrics import roc_auc
from analytics.paraphrase.operators.catalog import OPERATORS
from analytics.paraphrase.pair_files import pair_line, read_pairs
from analytics.paraphrase.scorer import PairScore, load_scorer
from analytics.paraphrase.triplets import question_number
from analytics.records import ParaphrasePair as LabelledPair
from analytics.splits import is_held_out
from questionbank.core import task_queue
from questionbank.core.errors import Conflict
from questionbank.models import ModelArtifact, ModelComparison, ModelEvent, ParaphrasePair, Run
from questionbank.registry import artifact_services as artifacts
from questionbank.registry.artifact_services import artifact_promote, artifact_register
from questionbank.registry.lifecycle_services import comparison_request, model_roll_back, promotion_request
from questionbank.registry.model_selectors import GateOutcome, gate, roll_back_target
from questionbank.review.pair_import_services import pairs_check, pairs_import
from questionbank.review.pair_services import PairInput, pairs_create
from tests.analytics.paraphrase.tiny_scorer import tiny_scorer
from tests.worker.jobs import done
from tests.worker.scorer_bank import add_decided, add_word_problems
from worker.paraphrase import training as paraphrase_comparison
from worker.paraphrase.evaluation import operator_figures
from worker.paraphrase.training import SuitePair, fixed_suite, labelled_suites, scorer_figures, suite_for
from worker.tasks import capability_task, compare_models, promote_model

pytestmark = pytest.mark.django_db

REASON = "Tells changed numbers better."


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    root = tmp_path_factory.mktemp("scorers")
    return [tiny_scorer(root / name, seed=seed, name=name) for seed, name in ((1, "old"), (2, "new"))]


@pytest.fixture(autouse=True)
def few_resamples_and_nothing_sent(own_files, monkeypatch):
    monkeypatch.setattr(task_queue, "_send", lambda run: None)
    monkeypatch.setattr(paraphrase_comparison, "RESAMPLES", 200)


@pytest.fixture
def old(db, exported) -> ModelArtifact:
    return artifact_promote(artifact=artifact_register(folder=exported[0]), reason="The first one.")


@pytest.fixture
def new(old, exported) -> ModelArtifact:
    return artifact_register(folder=exported[1], parent=old)


def suite_of(count: int, name: str = "made") -> list[SuitePair]:
    return [
        SuitePair(LabelledPair(f"{number}{label}", f"Question {number}", f"Text {label}", label), name)
        for number in range(count)
        for label in (1, 0)
    ]


def said(scores: list[float], probabilities: list[float] | None = None) -> list[PairScore]:
    """What a scorer says of pairs; by default its verdict follows its score."""
    return [
        PairScore(score, score, probability, ())
        for score, probability in zip(scores, probabilities or scores, strict=True)
    ]


def figures(suite: list[SuitePair], candidate: list[PairScore], champion: list[PairScore]) -> dict:
    return scorer_figures(suite, {"candidate": candidate, "champion": champion})


def verdict(results: dict):
    artifact = ModelArtifact(capability="paraphrase", name="x")
    return gate(ModelComparison(candidate=artifact, champion=artifact, figures=results))


def scores(suite: list[SuitePair], gap: float, *, seed: int = 0) -> list[float]:
    """Noise around a gap between both labels, whose middle is 0.5."""
    noise = np.random.default_rng(seed).normal(scale=0.2, size=len(suite))
    values = [0.5 + gap * ((item.pair.label or 0) - 0.5) + e for item, e in zip(suite, noise, strict=True)]
    return np.clip(values, 0, 1).tolist()


def test_a_better_scorer_passes_and_a_worse_one_does_not():
    suite = suite_of(80)
    good, poor = scores(suite, 0.5), scores(suite, 0.05, seed=1)
    results = figures(suite, said(good), said(poor))
    labels = [item.pair.label for item in suite]
    by_name = {metric["name"]: metric for metric in results["metrics"]}
    assert list(by_name) == [
        f"{measure}_{figure}_made" for measure in ("verdict", "score") for figure in ("auc", "macro_f1", "separation")
    ]  # fmt: skip
    assert by_name["score_auc_made"]["candidate"] == pytest.approx(roc_auc(labels, good), abs=1e-4)
    assert by_name["verdict_auc_made"]["champion"] == pytest.approx(roc_auc(labels, poor), abs=1e-4)
    for metric in results["metrics"]:
        assert 0 < metric["low"] <= metric["difference"] <= metric["high"]
    assert results["suite"] == {
        "questions": 80, "pairs": 160, "suites": [{"name": "made", "pairs": 160, "questions": 80}],
        "left_out": 0, "lost": 0, "gained": 0, "seed": 0,
    }  # fmt: skip
    assert verdict(results).outcome == GateOutcome.BETTER
    judged = verdict(figures(suite, said(poor), said(good)))
    assert judged.outcome == GateOutcome.REFUSED
    assert judged.reasons[0].startswith(f"ROC AUC of the verdict on {SUITES['made']} is worse")


def test_scores_on_the_wrong_side_of_one_half_are_refused():
    """As of a scorer trained for 20 steps: the ranking stays, macro F1 at 0.5 falls."""
    suite = suite_of(60)
    champion = scores(suite, 0.6)
    low = [0.4 * score for score in champion]
    results = figures(suite, said(low, champion), said(champion))
    worse = {metric["name"] for metric in results["metrics"] if metric["worse"]}
    assert worse == {"score_macro_f1_made", "score_separation_made"}
    judged = verdict(results)
    assert judged.outcome == GateOutcome.REFUSED
    assert len(judged.reasons) == 1
    assert f"Macro F1 of the score at 0.5 on {SUITES['made']} is worse" in judged.reasons[0]


def test_a_worse_verdict_is_refused_although_the_score_is_better():
    suite = suite_of(60, "demo")
    good, poor = scores(suite, 0.6), scores(suite, 0.1, seed=1)
    judged = verdict(figures(suite, said(good, poor), said(poor, good)))
    assert judged.outcome == GateOutcome.REFUSED
    assert all("of the verdict" in reason and SUITES["demo"] in reason for reason in judged.reasons)


def test_equal_scorers_are_not_better():
    suite = suite_of(60)
    same = said(scores(suite, 0.5))
    judged = verdict(figures(suite, same, same))
    assert judged.outcome == GateOutcome.NOT_BETTER
    assert not judged.passes


def test_a_smaller_separation_is_said_and_keeps_nobody_out():
    suite = suite_of(60)
    champion = scores(suite, 0.5)
    close = [0.5 + 0.5 * (score - 0.5) for score in champion]
    judged = verdict(figures(suite, said(close), said(champion)))
    assert judged.outcome == GateOutcome.NOT_BETTER
    assert any(f"Separation of the score on {SUITES['made']} is worse" in reason for reason in judged.reasons)


@pytest.mark.parametrize("suite_name", ["made", "decided", "demo"])  # on none of them a verdict is fitted
def test_a_better_verdict_counts_on_every_suite(suite_name):
    suite = suite_of(60, suite_name)
    same = scores(suite, 0.3)
    judged = verdict(figures(suite, said(same, scores(suite, 0.6)), said(same, scores(suite, 0.1, seed=1))))
    assert judged.outcome == GateOutcome.BETTER


def test_the_interval_draws_questions_and_not_pairs():
    """A question whose pairs all stand twice tells no more than one whose pairs stand once."""
    suite = suite_of(40)
    new, old = said(scores(suite, 0.3)), said(scores(suite, 0.25, seed=1))
    once = figures(suite, new, old)["metrics"][0]
    twice = figures(suite * 2, new * 2, old * 2)["metrics"][0]
    assert (twice["low"], twice["high"]) == (once["low"], once["high"])


def test_what_a_scorer_cannot_read_is_counted_and_fails_the_gate():
    suite = suite_of(40)
    good = said(scores(suite, 0.5))
    results = figures(suite, [None] * 4 + good[4:], good)
    assert (results["suite"]["lost"], results["suite"]["gained"], results["suite"]["questions"]) == (2, 0, 38)
    assert any("cannot read" in reason for reason in verdict(results).reasons)


def test_few_questions_or_one_label_are_not_measured():
    few = suite_of(8, "decided")
    suite = [*suite_of(40), *few]
    results = figures(suite, said(scores(suite, 0.5)), said(scores(suite, 0.4)))
    assert {metric["suite"] for metric in results["metrics"]} == {"made"}
    assert {"name": "decided", "pairs": 16, "questions": 8} in results["suite"]["suites"]
    alone = figures(few, said(scores(few, 0.5)), said(scores(few, 0.4)))
    assert alone["metrics"] == []
    assert "too few" in verdict(alone).reasons[0]


def test_the_pairs_whose_verdict_changes_most_come_first():
    suite = suite_of(20)
    candidate = [0.5 + number / 100 for number in range(40)]
    changed = figures(suite, said(candidate), said([0.5] * 40))["changed_pairs"]
    assert len(changed) == 12
    assert (changed[0]["original"], changed[0]["candidate"], changed[0]["champion"]) == (
        "Question 19", 0.89, 0.5,
    )  # fmt: skip


def test_the_demos_pairs_and_the_files_of_the_settings_are_suites(tmp_path, settings, exported):
    rows = [LabelledPair("a", "Ann has 3 pens.", "Ann has 4 pens.", 0), LabelledPair("b", "Two?", "2?", 1)]
    file = tmp_path / "of_people.jsonl"
    file.write_text("".join(pair_line(pair) + "\n" for pair in rows), encoding="utf-8")
    settings.SCORER_SUITES = [str(file), str(tmp_path / "not_there.jsonl")]
    suite_pairs = labelled_suites()
    assert Counter(item.suite for item in suite_pairs) == {"demo": 32, "of_people": 2}
    assert {item.pair.label for item in suite_pairs if item.suite == "demo"} == {0, 1}
    scorer = load_scorer(exported[0])
    scorer._learned = frozenset([question_number(rows[0].original)])
    kept, left_out = suite_for([scorer])
    assert left_out == 1
    assert {item.pair.original for item in kept if item.suite == "of_people"} == {"Two?"}
    file.write_text("", encoding="utf-8")
    with pytest.raises(DataError):
        labelled_suites()


def test_the_suite_has_held_out_questions_and_test_operators_only():
    bank = add_word_problems(150)
    add_decided(bank)
    suite = fixed_suite()
    held = {question.text for question in bank if is_held_out(question.text)}
    assert {item.pair.original for item in suite} == held
    names = {item.pair.operator for item in suite if item.suite == "made"}
    assert names
    assert names <= {operator.name for operator in OPERATORS if not operator.is_training}
    assert sum(item.suite == "decided" for item in suite) == 2 * len(held)
    assert fixed_suite() == suite


def waiting_pairs(count: int) -> list[ParaphrasePair]:
    return pairs_create(
        pairs=[PairInput(f"Ann has {n} pens. How many?", f"How many of {n} pens?") for n in range(count)],
        source=ParaphrasePair.Source.UPLOAD, user=None, request_scores=False,
    )  # fmt: skip


def test_compare_promote_score_anew_and_roll_back(old, new, admin_person):
    add_decided(add_word_problems(300))
    waiting, decided = waiting_pairs(2)
    scoring = Run.objects.create(kind="score", capability="paraphrase", parameters={"pairs": [waiting.pk, decided.pk]})
    done(scoring, capability_task("score"))
    ParaphrasePair.objects.filter(pk=decided.pk).update(state="decided", outcome="accept")
    decided.refresh_from_db()
    decided_under = decided.score
    assert decided_under is not None
    with pytest.raises(Conflict, match="not been compared"):
        promotion_request(artifact=new, reason=REASON, user=admin_person)
    compared = done(comparison_request(candidate=new, user=admin_person), compare_models)
    comparison = ModelComparison.objects.get(pk=compared.result["comparison"])
    assert {metric["name"] for metric in comparison.figures["metrics"]} >= {
        "verdict_auc_made", "score_auc_decided", "verdict_macro_f1_demo",
    }  # fmt: skip
    assert comparison.figures["changed_pairs"]

    promoting = promotion_request(artifact=new, reason=REASON, user=admin_person, override=True)
    done(promoting, promote_model)
    assert promoting.logs.filter(text__startswith="1 undecided pairs are scored again by job").exists()
    new.refresh_from_db()
    old.refresh_from_db()
    assert (new.state, old.state) == ("champion", "archived")
    event = ModelEvent.objects.filter(kind="promoted", artifact=new).get()
    assert (event.former, event.person, event.reason) == (old, admin_person, REASON)
    assert event.gate["comparison"] == comparison.pk

    scoring = Run.objects.get(kind="score", state="queued")
    assert scoring.requested_by == admin_person
    done(scoring, capability_task("score"))
    for pair in (waiting, decided):
        pair.refresh_from_db()
    assert (waiting.scored_by, decided.scored_by) == (new, old)
    assert decided.score == decided_under
    by_new = waiting.score

    assert roll_back_target("paraphrase") == old
    assert model_roll_back(capability="paraphrase", reason="Back.", user=admin_person) == old
    done(Run.objects.get(kind="score", state="queued"), capability_task("score"))
    waiting.refresh_from_db()
    assert waiting.scored_by == old
    assert waiting.score != by_new


def test_a_promotion_without_undecided_pairs_asks_for_no_scores(old, new):
    done(promotion_request(artifact=new, reason=REASON, override=True), promote_model)
    assert not Run.objects.filter(kind="score").exists()


def test_an_imported_scorer_is_compared_and_the_first_one_simply_serves(db, exported, monkeypatch, capsys):
    monkeypatch.setattr(artifacts, "artifact_install_default", lambda report=None: None)
    call_command("import_model", str(exported[0]), promote=True, reason=REASON)
    assert "old is now in use" in capsys.readouterr().out.replace(":", "")
    assert not ModelComparison.objects.exists()
    assert ModelArtifact.objects.get(capability="paraphrase").state == "champion"


MEANT = {operator.name: int(operator.is_positive) for operator in OPERATORS if not operator.is_training}


def test_pairs_of_held_out_questions_carry_their_operator(tmp_path, capsys):
    bank = add_word_problems(200)
    path = tmp_path / "pairs.jsonl"
    call_command("make_test_pairs", str(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    held_out = {question.text for question in bank if is_held_out(question.text)}
    assert {row["original"] for row in rows} == held_out
    assert all(row["label"] == MEANT[row["operator"]] for row in rows)
    assert len({row["id"] for row in rows}) == len(rows)
    assert f"{len(held_out)} held-out questions" in capsys.readouterr().out
    call_command("make_test_pairs", str(tmp_path / "again.jsonl"))
    assert (tmp_path / "again.jsonl").read_bytes() == path.read_bytes()
    call_command("make_test_pairs", str(tmp_path / "few.jsonl"), "--questions", "3")
    assert len({json.loads(line)["original"] for line in (tmp_path / "few.jsonl").read_text().splitlines()}) == 3


def test_labels_of_reviewers_measure_the_operators(reviewer, tmp_path):
    add_word_problems(200)
    path = tmp_path / "pairs.jsonl"
    call_command("make_test_pairs", str(path))
    upload = SimpleUploadedFile(path.name, path.read_bytes())
    report = pairs_check(upload=upload, name=path.name, user=reviewer)
    pairs_import(token=report.token, user=reviewer)
    pairs = list(ParaphrasePair.objects.order_by("pk"))
    wrong = [pair for pair in pairs if MEANT[pair.source_id.rpartition("-")[2]]][:2]
    for pair in pairs:
        accepted = bool(MEANT[pair.source_id.rpartition("-")[2]]) and pair not in wrong
        ParaphrasePair.objects.filter(pk=pair.pk).update(state="decided", outcome="accept" if accepted else "reject")
    labelled = tmp_path / "labelled.jsonl"
    call_command("export_reviews", str(labelled), "--labelled")
    figures = operator_figures(read_pairs(labelled))
    meant = sum(MEANT[pair.source_id.rpartition("-")[2]] for pair in pairs)
    assert figures["pairs"] == len(pairs)
    assert figures["precision"] == pytest.approx((meant - 2) / meant)
    assert (figures["recall"], figures["labels_are_what_was_meant"]) == (1, False)


def test_what_cannot_be_made_is_a_sentence(tmp_path):
    path = str(tmp_path / "pairs.jsonl")
    with pytest.raises(CommandError, match="held out"):
        call_command("make_test_pairs", path)
    with pytest.raises(CommandError, match="at least 1"):
        call_command("make_test_pairs", path, "--questions", "0")
    with pytest.raises(CommandError, match="--passive"):
        call_command("make_test_pairs", path, "--grammar", "some/model")
    with pytest.raises(CommandError, match="leave the others out"):
        call_command("export_reviews", path, "--labelled", "--format", "csv")
