"""Training a scorer from questions to an artifact that scores without torch, with a tiny encoder."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
import torch

from analytics.artifacts import Manifest
from analytics.backbone.bert import load_backbone
from analytics.catalog import PARAPHRASE
from analytics.errors import Cancelled, DataError
from analytics.paraphrase import preparing, train
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.metrics import FEWEST_DECISIONS, decided_verdict, fitted_boundary
from analytics.paraphrase.pair_files import Material, read_material, read_pairs
from analytics.paraphrase.preparing import Prepared, prepare
from analytics.paraphrase.scorer import Scorer, load_scorer
from analytics.paraphrase.train import SHARES, ScoringTask, fit_scorer, train_scorer
from analytics.paraphrase.triplets import Triplet
from analytics.paraphrase.verdict import UNSTRETCHED, WEIGHTS, Verdict
from analytics.records import ParaphrasePair
from analytics.splits import KeptOut, is_held_out
from analytics.training.context import TrainingContext
from analytics.training.stages import Step
from tests.analytics.history import History
from tests.analytics.paraphrase.word_problems import word_problems


@pytest.fixture(scope="module")
def backbone_folder(tiny_folder):
    return tiny_folder(256)


def config(backbone: str, **settings) -> ParaphraseConfig:
    tiny = {"batch_size": 8, "epochs": 1, "triplets_per_question": 2, "learning_rate": 1e-3, "max_steps": 6}
    return ParaphraseConfig(
        backbone=backbone, mixed_precision=False, device="cpu", max_tokens=256, **{**tiny, **settings}
    )


@pytest.fixture(scope="module")
def trained(backbone_folder, tmp_path_factory):
    folder = tmp_path_factory.mktemp("scorer") / "model"
    learned = material(word_problems(), validation=pairs_of(word_problems()[:3]))
    manifest = train_scorer(learned, config(backbone_folder), folder)
    return folder, manifest


def material(questions: Sequence[str], **more) -> Material:
    """What is learned from these questions; `more` may name validation pairs."""
    return Material(tuple(questions), **{name: tuple(pairs) for name, pairs in more.items()})


def pairs_of(questions: list[str]) -> list[ParaphrasePair]:
    return [
        pair
        for number, text in enumerate(questions)
        for pair in (
            ParaphrasePair(f"{number}+", text, text.replace("How many", "What number of"), 1),
            ParaphrasePair(f"{number}-", text, text.replace("30", "50"), 0),
        )
    ]


def test_the_artifact_scores_pairs_with_probability_and_findings(trained):
    folder, manifest = trained
    scorer = load_scorer(folder)
    question = "Ann has 12 apples. Bob takes 3 of them. How many apples are left?"
    same, changed = scorer.score([(question, question), (question, question.replace("12", "40"))])
    assert same.score == pytest.approx(1, abs=1e-4)
    assert same.findings == ()
    assert [finding.sentence for finding in changed.findings] == ["12 became 40."]
    assert changed.score < same.score
    assert changed.probability < same.probability
    assert changed.verdict == "invalid"
    assert manifest.capability == "paraphrase"
    assert manifest.metrics["validation"].keys() >= {"validation_auc", "validation_separation"}


def test_no_pair_gives_no_score(trained):
    assert load_scorer(trained[0]).score([]) == []


def test_the_scorer_knows_what_it_learned_from(trained):
    scorer = load_scorer(trained[0])
    assert scorer.learned([word_problems()[0].replace("12", "99"), "Something else?"]) == 1


def test_questions_that_are_kept_out_are_not_learned_from(backbone_folder, tmp_path):
    questions = word_problems()
    prepared = prepare(questions, config(backbone_folder), kept_out=KeptOut.of(questions[:10]))
    assert prepared.kept_out == 10
    seen = {triplet.anchor for triplet in prepared.triplets} | {pair.original for pair in prepared.pairs}
    assert seen.isdisjoint(questions[:10])
    assert not seen.isdisjoint(questions[10:])


def test_the_verdict_is_fitted_on_questions_that_the_encoder_does_not_learn_from(backbone_folder):
    prepared = prepare(word_problems(), config(backbone_folder))
    assert {pair.label for pair in prepared.pairs} == {0, 1}
    assert all(is_held_out(pair.original) for pair in prepared.pairs)
    assert not any(is_held_out(triplet.anchor) for triplet in prepared.triplets)


def test_decisions_are_learned_from_and_never_where_a_test_set_holds_them(backbone_folder):
    question = next(text for text in word_problems() if not is_held_out(text))
    decided = [
        ParaphrasePair("1", question, "A wording that somebody called right.", 1),
        ParaphrasePair("2", question, "A wording that somebody called wrong.", 0),
    ]
    prepared = prepare([], config(backbone_folder, triplets_per_question=1), given=decided)
    assert prepared.triplets[0].negative == decided[1].paraphrase
    prepared = prepare([], config(backbone_folder, triplets_per_question=8), given=decided)
    assert any(triplet.positive == decided[0].paraphrase for triplet in prepared.triplets)
    assert any(triplet.negative == decided[1].paraphrase for triplet in prepared.triplets)
    kept = prepare([], config(backbone_folder), given=decided, kept_out=KeptOut.of([decided[0].paraphrase]))
    assert kept.kept_out == 1
    assert not any(triplet.positive == decided[0].paraphrase for triplet in kept.triplets)


def test_all_that_labelled_pairs_link_is_set_apart_or_learned_from(backbone_folder):
    questions = word_problems()
    first = next(text for text in questions if is_held_out(text))
    second = next(text for text in questions if not is_held_out(text))
    chain = [
        ParaphrasePair("1", first, f"{first} Say it.", 1),
        ParaphrasePair("2", f"{first} Say it.", second, 1),
        ParaphrasePair("3", second, "Something else is asked.", 0),
    ]
    prepared = prepare(questions, config(backbone_folder), given=chain)
    learned, apart = ({triplet.anchor for triplet in prepared.triplets}, {pair.original for pair in prepared.pairs})
    linked = {first, f"{first} Say it.", second}
    assert linked.isdisjoint(learned) or linked.isdisjoint(apart)
    assert learned.isdisjoint(apart)


def test_the_best_weights_are_those_of_the_best_mean_over_the_sources(backbone_folder):
    easy, hard = pairs_of(word_problems()[:3]), pairs_of(word_problems()[3:9])
    validation = [replace(pair, source="easy") for pair in easy] + [replace(pair, source="hard") for pair in hard]
    prepared = prepare(word_problems(), config(backbone_folder))
    figures = fit_scorer(prepared.triplets, config(backbone_folder), validation=validation)[1].best
    areas = [figures["validation_auc_easy"], figures["validation_auc_hard"]]
    assert figures["validation_auc"] == pytest.approx(np.mean(areas))


@pytest.mark.parametrize("loss", ["triplet", "mnrl", "both"])
def test_a_tiny_encoder_learns_eight_triplets(backbone_folder, loss):
    triplets = [
        Triplet(text, text.replace("How many", "Say how many"), text.replace("30 km", "some km"))
        for text in word_problems(8)
    ]
    history = History()
    fit_scorer(
        triplets,
        config(backbone_folder, loss=loss, epochs=30, max_steps=0, margin=0.3, learning_rate=3e-3),
        context=TrainingContext(callbacks=(history,)),
    )
    losses = [value for _step, value in history.series("loss")]
    assert losses[-1] < 0.6 * losses[0]
    assert {name for name in history.reports[-1].metrics if name.startswith("loss_")} == {
        "triplet": {"loss_triplet"},
        "mnrl": {"loss_ranking"},
        "both": {"loss_triplet", "loss_ranking"},
    }[loss]


def test_combined_every_positive_is_held_against_every_negative_of_its_question(backbone_folder):
    triplets = [Triplet("q one", "p1", "n1"), Triplet("q one", "p2", "n2"), Triplet("q two", "p3", "n3")]
    combined = [
        Triplet(anchor, positive, negative)
        for anchor, positives, negatives in (("q one", ("p1", "p2"), ("n1", "n2")), ("q two", ("p3",), ("n3",)))
        for positive in positives
        for negative in negatives
    ]
    backbone = load_backbone(backbone_folder)
    backbone.model.eval()  # without dropout
    settings = config(backbone_folder, loss="both", batch_size=2)
    together = ScoringTask(backbone, triplets, replace(settings, combine=True))
    apart, step = ScoringTask(backbone, combined, settings), Step(0, 1)
    losses, expected = together.losses(triplets, step), apart.losses(combined, step)
    assert {name: loss.item() for name, loss in losses.items()} == pytest.approx(
        {name: loss.item() for name, loss in expected.items()}, rel=1e-4
    )
    assert together.losses(triplets, step)["loss_triplet"].item() != pytest.approx(
        apart.losses(triplets, step)["loss_triplet"].item(), rel=1e-4
    )


def test_combined_batches_hold_whole_questions_at_most_four_triplets_each(backbone_folder):
    triplets = [Triplet(f"question {n}", f"p{n}{k}", f"n{n}{k}") for n in range(9) for k in range(6)]
    task = ScoringTask(load_backbone(backbone_folder), triplets, config(backbone_folder, combine=True, batch_size=12))
    batches = list(task.batches(0))
    assert len(batches) == task.batches_per_epoch() == 18 // 3
    assert sorted(triplet.positive for batch in batches for triplet in batch) == sorted(
        triplet.positive for triplet in triplets
    )
    sizes = Counter((number, triplet.anchor) for number, batch in enumerate(batches) for triplet in batch)
    assert set(sizes.values()) <= {2, 4, 6}
    assert list(task.batches(1)) != batches


@pytest.mark.parametrize("combine", [False, True])
def test_what_labelled_pairs_give_comes_as_often_as_is_asked(backbone_folder, combine):
    triplets = [
        Triplet("made", "p1", "n1", "same_sentence", "number_change of a rewording"),
        Triplet("phrased", "p2", "n2", "given+same_sentence", "number_change"),
        Triplet("rejected", "p3", "n3", "same_sentence", "given"),
    ]
    settings = config(backbone_folder, combine=combine, batch_size=1, given_passes=3)
    batches = list(ScoringTask(load_backbone(backbone_folder), triplets, settings).batches(0))
    seen = Counter(triplet.anchor for batch in batches for triplet in batch)
    assert seen == {"made": 1, "phrased": 3, "rejected": 3}


def test_a_scorer_that_reads_typed_text_takes_words_and_digits_for_equal(backbone_folder, tmp_path):
    train_scorer(
        material(word_problems()), config(backbone_folder, typed_numbers=True, combine=True), tmp_path / "typed"
    )
    scorer = load_scorer(tmp_path / "typed")
    words, digits = "Ann has twelve apples and 3 km to go.", "Ann has 12 apples and three kilometres to go."
    assert scorer.score([(words, digits)])[0].score == pytest.approx(1, abs=1e-5)
    assert scorer.with_encode(load_scorer(tmp_path / "typed")._encode).score([(words, digits)])[
        0
    ].score == pytest.approx(1, abs=1e-5)


def test_weights_between_pretrained_and_trained_rank_the_validation_pairs_no_worse(backbone_folder):
    prepared = prepare(word_problems(), config(backbone_folder))
    validation = pairs_of(word_problems()[:6])
    figures = {
        between: fit_scorer(prepared.triplets, config(backbone_folder, interpolate=between), validation=validation)[
            1
        ].best
        for between in (False, True)
    }
    assert figures[True]["share_of_training"] in SHARES
    assert figures[True]["validation_auc"] >= figures[False]["validation_auc"]


def test_where_it_is_asked_for_the_score_is_stretched_on_the_pairs_set_apart():
    def encode(texts):
        angles = np.array([0.0 if text == "A" else float(text) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    rng = np.random.default_rng(0)
    pairs = [ParaphrasePair("", "A", str(angle), 1) for angle in rng.uniform(0.0, 0.3, 50)]
    pairs += [ParaphrasePair("", "A", str(angle), 0) for angle in rng.uniform(0.4, 0.7, 50)]
    assert fitted_boundary(encode, pairs, ParaphraseConfig()) == UNSTRETCHED
    verdict = Verdict(boundary=fitted_boundary(encode, pairs, ParaphraseConfig(stretch=True)))
    assert np.cos(0.4) < verdict.boundary < np.cos(0.3)
    scorer = Scorer(Manifest(capability="paraphrase", name="turned"), "", encode, verdict)
    valid, between, invalid = scorer.score([("A", "0.1"), ("A", str(np.arccos(verdict.boundary))), ("A", "0.6")])
    assert valid.score > between.score > invalid.score
    assert between.score == pytest.approx(0.5, abs=1e-3)


def test_the_verdict_follows_enough_decisions_of_reviewers():
    text = "Ann buys 3 red pens for her two friends. How many pens are left of 12?"
    decided = [ParaphrasePair(str(n), text, text.replace("12", str(n)), 1) for n in range(30, 49)]
    few = decided_verdict(decided, boundary=0.9, pair_reader=None)
    assert few == Verdict(WEIGHTS, 0, 0.9)
    decided += [ParaphrasePair("0", text, text + " Why?", 0)] * (FEWEST_DECISIONS - len(decided))
    verdict = decided_verdict(decided, boundary=0.9, pair_reader=None)
    assert verdict.pairs == FEWEST_DECISIONS
    assert verdict.weights[1] > WEIGHTS[1]  # here other numbers are accepted


def test_stopped_and_resumed_gives_the_same_scorer(backbone_folder, tmp_path):
    whole = train_scorer(material(word_problems()), config(backbone_folder), tmp_path / "whole")
    calls = iter([False, False, True])
    asked_in_training = {"steps": 0}

    def cancel() -> bool:
        return bool(asked_in_training["steps"]) and next(calls, True)

    def count(_line: str) -> None:
        asked_in_training["steps"] += 1

    checkpoints = tmp_path / "checkpoint"
    settings = config(backbone_folder)
    with pytest.raises(Cancelled, match="after 3 of 6 steps"):
        train_scorer(
            material(word_problems()),
            settings,
            tmp_path / "parts",
            TrainingContext(checkpoints=checkpoints, cancel=cancel, say=count),
        )
    context = TrainingContext(checkpoints=checkpoints)
    parts = train_scorer(material(word_problems()), settings, tmp_path / "parts", context)
    assert parts.extra["backbone_sha256"] == whole.extra["backbone_sha256"]
    assert parts.files["verdict.json"] == whole.files["verdict.json"]


def test_triplets_of_other_settings_or_questions_are_not_taken_from_a_training_that_was_stopped(
    backbone_folder, tmp_path, monkeypatch
):
    def stop(*_given, **_named):
        raise Cancelled("before the first step")

    monkeypatch.setattr(train, "fit_scorer", stop)

    def triplets_made_for(questions, kept_out=None, **settings) -> list[tuple[int, int]]:
        told: list[tuple[int, int]] = []
        with pytest.raises(Cancelled):
            train_scorer(
                Material(tuple(questions), kept_out=kept_out or KeptOut()),
                config(backbone_folder, **settings),
                tmp_path / "model",
                TrainingContext(
                    checkpoints=tmp_path / "checkpoint",
                    progress=lambda done, total, _message: told.append((done, total)),
                ),
            )
        return told

    questions = word_problems(40)
    learned = sum(not is_held_out(text) for text in questions)
    assert triplets_made_for(questions) == [(done, learned) for done in range(learned)]
    assert triplets_made_for(questions) == []
    assert triplets_made_for(questions, far_share=0.1)
    assert triplets_made_for(questions[:30])
    assert len(triplets_made_for(questions, KeptOut.of(questions[:20]))) < learned
    assert triplets_made_for(questions) == []


def test_pairs_of_one_label_are_refused_before_anything_is_trained(backbone_folder, tmp_path, monkeypatch):
    one_sided = Prepared([Triplet("A?", "A please?", "B?")] * 16, [ParaphrasePair("", "C?", "D?", 1)], 0)
    monkeypatch.setattr(preparing, "prepare", lambda *_given, **_named: one_sided)
    monkeypatch.setattr(train, "fit_scorer", lambda *_given, **_named: pytest.fail("it trains"))
    with pytest.raises(DataError, match="Too few questions are left to fit"):
        train_scorer(material(word_problems()), config(backbone_folder), tmp_path / "model")


def test_a_checkpoint_of_other_settings_or_triplets_is_refused(backbone_folder, tmp_path):
    triplets = [Triplet(text, text + " Say it.", text.replace("30", "7")) for text in word_problems(8)]
    settings = config(backbone_folder, max_steps=2, epochs=2)
    context = TrainingContext(checkpoints=tmp_path)
    with pytest.raises(Cancelled):
        fit_scorer(triplets, settings, context=replace(context, cancel=lambda: True))
    with pytest.raises(DataError, match="other settings or other data"):
        fit_scorer(triplets, replace(settings, margin=0.9), context=context)
    with pytest.raises(DataError, match="other settings or other data"):
        fit_scorer(triplets[::-1], settings, context=context)
    assert fit_scorer(triplets, settings, context=context)[1].step == 2


def test_adapters_are_kept_beside_the_merged_encoder(backbone_folder, tmp_path):
    settings = config(backbone_folder, adapter_rank=2, max_steps=2)
    train_scorer(material(word_problems()), settings, tmp_path / "model")
    assert (tmp_path / "model" / "adapter" / "adapter_model.safetensors").is_file()
    before = load_backbone(backbone_folder, device="cpu")
    after = load_backbone(tmp_path / "model" / "backbone", device="cpu")
    assert set(before.model.state_dict()) == set(after.model.state_dict())
    scorer = load_scorer(tmp_path / "model")
    assert np.isfinite(scorer.score([("3 pens", "4 pens")])[0].score)


def test_files_are_learned_from_validated_on_or_kept_out_by_their_names(backbone_folder, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    questions = word_problems()
    write(data / "questions.jsonl", [{"text": text} for text in questions])
    validation = pairs_of(questions[:4])
    write(data / "val.jsonl", [row(pair) for pair in validation])
    write(data / "test.jsonl", [{"text": questions[7]}])
    material = read_material(data)
    assert len(material.questions) == 60
    assert [pair.id for pair in material.validation] == [pair.id for pair in validation]
    assert {pair.source for pair in material.validation} == {"val"}
    assert material.kept_out.holds(questions[7])
    assert material.kept_out.holds(questions[0])
    lines: list[str] = []
    manifest = PARAPHRASE.train(
        data, tmp_path / "model", config(backbone_folder, max_steps=2), context=TrainingContext(say=lines.append)
    )
    assert manifest.extra["kept_out"] == 5
    assert "--set max_steps=2" in manifest.extra["command"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data", "model"]
    assert any("5 questions left out that test sets contain" in line for line in lines)


def test_a_line_that_is_no_pair_is_named(tmp_path):
    file = tmp_path / "pairs.jsonl"
    good = row(pairs_of(word_problems(1))[0])
    write(file, [good, {**good, "label": 2}])
    with pytest.raises(DataError, match=r"pairs\.jsonl, line 2: the label must be 1"):
        read_pairs(file)
    write(file, [good, {"original": "3 pens"}])
    with pytest.raises(DataError, match=r"line 2: a pair has"):
        read_pairs(file)
    file.write_text("")
    with pytest.raises(DataError, match="holds no pair"):
        read_pairs(file)


def test_negatives_that_change_blanks_only_are_no_validation(tmp_path):
    unchanged = ParaphrasePair("1", "3 pens .", "3 pens.", 0)
    write(tmp_path / "val.jsonl", [row(unchanged), row(replace(unchanged, label=1))])
    write(tmp_path / "train.jsonl", [{"text": "How many pens?"}])
    assert [pair.label for pair in read_material(tmp_path).validation] == [1]


def test_too_few_questions_are_refused(backbone_folder, tmp_path):
    with pytest.raises(DataError, match="No triplet"):
        train_scorer(material([]), config(backbone_folder), tmp_path / "model")
    with pytest.raises(DataError, match="Too few questions are left to fit"):
        train_scorer(material(word_problems(4)), config(backbone_folder, batch_size=64), tmp_path / "model")
    few = [Triplet(text, f"{text} Say it.", text.replace("30", "7")) for text in word_problems(4)]
    with pytest.raises(DataError, match="at least 64 triplets, there are 4"):
        fit_scorer(few, config(backbone_folder, batch_size=64))


def write(path, rows) -> None:
    path.write_text("\n".join(json.dumps(entry) for entry in rows))


def row(pair: ParaphrasePair) -> dict[str, object]:
    return {"id": pair.id, "original": pair.original, "paraphrase": pair.paraphrase, "label": pair.label}


def test_no_gradient_is_left_out_of_the_encoder(backbone_folder):
    """Every weight that a vector depends on moves in training."""
    triplets = [Triplet(text, text + " Say it.", text.replace("30", "7")) for text in word_problems(8)]
    before = load_backbone(backbone_folder, device="cpu").model.state_dict()
    after, _result = fit_scorer(triplets, config(backbone_folder, max_steps=1, loss="mnrl"))
    still = {
        name
        for name, weight in after.model.state_dict().items()
        if torch.equal(weight, before[name]) and "pooler" not in name and "position_ids" not in name
    }
    assert not {name for name in still if not name.endswith("key.bias")}
