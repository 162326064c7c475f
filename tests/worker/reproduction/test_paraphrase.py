"""The arms of the paraphrase tables on small made-up sets: overlap, resuming, tables."""

from __future__ import annotations

import json
from functools import partial
from io import StringIO
from xml.etree import ElementTree

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analytics.errors import DataError
from analytics.paraphrase.config import ParaphraseConfig
from tests.analytics.paraphrase.word_problems import word_problems
from tests.public_sets import write_set
from worker.reproduction.paraphrase import ParaphrasePlan, reproduce_paraphrase
from worker.reproduction.paraphrase_tables import (
    ARMS,
    LABELLED,
    MEASURED_ON,
    PUBLISHED,
    TRAINED_ON,
    measured_pairs,
    operators_of,
    paraphrase_tables,
    training_material,
    unchanged_pairs,
    with_untrained,
)

Plan = partial(ParaphrasePlan, trained_on=TRAINED_ON, measured_on=LABELLED)

QUESTIONS = word_problems(80)
TESTED, LEARNED = QUESTIONS[:20], QUESTIONS[15:]  # five of them are in both


def pairs(questions: list[str]) -> list[dict]:
    return [
        {"id": f"{number}{label}", "original": text, "paraphrase": changed, "label": label}
        for number, text in enumerate(questions)
        for label, changed in ((1, text.replace("How many", "What number of")), (0, text.replace("30 km", "50 km")))
    ]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    for name in ("aqua_rat/dev", "aqua_rat/test", "asdiv/all", "asdiv_a/cv"):
        write_set(folder, name, [{"text": f"{name} has one question."}])
    for name in ("aquarat_val", "aquarat_test"):
        write_set(folder, f"paraqd/{name}", pairs(TESTED[:10]))
    write_set(folder, "paraqd/sawp_test", pairs(TESTED[10:]))
    write_set(folder, "gsm8k/train", [{"text": text} for text in LEARNED])
    write_set(folder, "mawps/cv", [{"text": TESTED[0].replace("12", "99")}])
    variants = [("The old lamp costs 8 coins. How much do 3 cost?", "24"), ("What do 3 lamps of 8 coins cost?", "24")]
    variants.append(("The old lamp costs 8 coins. How much do 5 cost?", "40"))
    write_set(
        folder,
        "paramawps/train_part",
        [
            {"id": f"{row}", "text": text, "answer": answer, "seed": 1, "variant": row}
            for row, (text, answer) in enumerate(variants)
        ],
    )
    return folder


@pytest.fixture(scope="module")
def config(tiny_folder):
    return ParaphraseConfig(
        backbone=tiny_folder(256),
        max_steps=3,
        batch_size=8,
        triplets_per_question=2,
        mixed_precision=False,
        device="cpu",
    )


def test_what_a_test_set_holds_is_left_out_of_training_and_counted(data):
    material, kept_out = training_material(data, ["gsm8k", "mawps"])
    assert material.overlap == {"gsm8k": 5, "mawps": 1}
    assert set(material.questions) == set(LEARNED[5:])
    assert not any(kept_out.holds(question) for question in material.questions)


def test_a_sample_of_each_set_can_be_drawn(data):
    first, _ = training_material(data, ["gsm8k"], questions=7, seed=1)
    again, _ = training_material(data, ["gsm8k"], questions=7, seed=1)
    reseeded, _ = training_material(data, ["gsm8k"], questions=7, seed=2)
    assert len(first.questions) == 7
    assert first.questions == again.questions != reseeded.questions


def test_rewordings_of_one_problem_become_labelled_pairs(data):
    material, _ = training_material(data, ["paramawps"])
    assert [(pair.id, pair.label) for pair in material.given] == [("1", 1), ("2", 0)]


def test_phrasings_of_the_demo_patterns_are_labelled_pairs_of_both_kinds(data):
    material, _ = training_material(data, ["demo"], questions=50)
    assert len(material.given) == 50
    assert {pair.label for pair in material.given} == {0, 1}


def test_a_set_that_is_measured_is_kept_out_of_what_is_learned(data, tmp_path):
    rows = [
        {"id": "1", "text": "What do 5 lamps cost?", "answer": "40", "perturbation": "numerical substitution"},
        {"id": "2", "text": "Say what 3 cost.", "answer": "24", "perturbation": "problem understanding"},
    ]
    changed = [row | {"seed_text": LEARNED[9], "seed_answer": "24"} for row in rows]
    write_set(data, "gsm_plus/testmini", changed)
    assert [(pair.original, pair.label) for pair in measured_pairs(data, "gsm_plus")] == [
        (LEARNED[9], 0),
        (LEARNED[9], 1),
    ]
    before, _ = training_material(data, ["gsm8k"])
    after, kept_out = training_material(data, ["gsm8k"], measured=["aquarat_val", "gsm_plus"])
    assert set(before.questions) - set(after.questions) == {LEARNED[9]}
    assert after.overlap["gsm8k"] == before.overlap["gsm8k"] + 1
    assert kept_out.holds(LEARNED[9])


def test_a_test_set_that_is_missing_stops_the_run(data, tmp_path):
    with pytest.raises(DataError, match=r"dev\.jsonl\.gz cannot be read"):
        training_material(tmp_path, ["gsm8k"])
    with pytest.raises(DataError, match="cannot be read"):
        measured_pairs(tmp_path, "sawp_test")


def test_arms_are_run_measured_and_kept(data, config, tmp_path):
    arms = ["same-numbers", "rule-frozen", "paraqd", "uda", "ssmba-pl"]
    plan = Plan(arms, [1], trained_on=["gsm8k"], validation=8, config=config)
    said: list[str] = []
    folders = reproduce_paraphrase(data, tmp_path, plan, say=said.append)
    assert any("left out because a test set holds them: 5 of GSM8K" in line for line in said)
    figures = {
        arm: json.loads((folder / "figures.json").read_text()) for arm, folder in zip(arms, folders, strict=True)
    }
    rule = figures["same-numbers"]["sets"]["sawp_test"]
    assert rule["score"]["separation"] == 2  # a changed number is all that is wrong here
    assert "verdict" not in rule
    assert figures["rule-frozen"]["sets"]["sawp_test"]["score"]["auc"] == 1
    trained = figures["paraqd"]
    assert trained["training"]["steps"] == 3
    assert trained["training"]["left_out_as_a_test_set_holds_them"] == {"gsm8k": 5}
    assert trained["sets"]["sawp_test"]["verdict"]["auc"] == 1
    assert trained["settings"]["config"]["extra_operators"] is False
    outcomes = np.load(folders[2] / "outcomes.npz")
    assert outcomes["sawp_test/score"].shape == outcomes["sawp_test/label"].shape == (20,)
    assert not (folders[2] / "checkpoint").exists()

    older = json.loads((folders[2] / "figures.json").read_text())
    assert older["settings"]["config"].pop("stretch") is False  # a setting that came later, at its default
    (folders[2] / "figures.json").write_text(json.dumps(older))
    said.clear()
    assert reproduce_paraphrase(data, tmp_path, plan, say=said.append) == folders
    assert said == [f"{arm}, seed 1: kept from before" for arm in arms]
    with pytest.raises(DataError, match="other settings"):
        reproduce_paraphrase(data, tmp_path, Plan(arms, [1], trained_on=["gsm8k"], validation=9, config=config))

    table = paraphrase_tables(folders)
    assert "left out because a test set holds them: GSM8K 5" in table
    assert "f1 (also in UDA) is the rule paraphraser" in table
    assert table.count("*ParaQD, as published*") == 2
    assert table.count("*SSMBA (with pl), as published*") == 2
    assert f"| {ARMS['paraqd'].title}, with findings (verdict) | 1 | 1.000 [1.000, 1.000] |" in table
    for title in (MEASURED_ON[name] for name in LABELLED):
        assert f"**{title}** (20 pairs, 10 of them valid; 0 of them learned from)." in table
    for arm in ("same-numbers", "rule-frozen", "paraqd"):
        assert table.count(f"Arms less *{ARMS[arm].title}*") == 3
    assert table.count(f"| {ARMS['same-numbers'].title} | 10 | 0 | 0 | 10 |") == 3


def test_the_picture_of_an_encoder_shows_every_text_once(data, config, tmp_path):
    plan = Plan(["frozen", "rule-frozen"], [1], measured_on=["aquarat_test", "aquarat_val"], config=config)
    folders = reproduce_paraphrase(data, tmp_path / "one", plan)
    assert not list(folders[1].glob("*.svg"))  # the same vectors
    [picture] = folders[0].glob("*.svg")
    text = picture.read_text()
    assert (picture.name, "frozen encoder on AquaRAT: t-SNE" in text) == ("aquarat_test.svg", True)
    for label in ("question (10)", "valid paraphrase (10)", "invalid paraphrase (10)"):
        assert label in text
    tree = ElementTree.fromstring(text)
    symbols = [path.get("transform", "") for path in tree.iter("{http://www.w3.org/2000/svg}path")]
    assert sum("scale" in symbol for symbol in symbols) == 30
    again = reproduce_paraphrase(data, tmp_path / "two", plan)
    assert (again[0] / picture.name).read_text() == text


def test_seeds_train_anew_and_what_is_not_trained_is_measured_once(data, config, tmp_path):
    plan = Plan(
        ["same-numbers", "paraqd"], [1, 2], trained_on=["gsm8k"], measured_on=["sawp_test"],
        validation=8, config=config,
    )  # fmt: skip
    folders = reproduce_paraphrase(data, tmp_path, plan)
    assert [folder.relative_to(tmp_path).as_posix() for folder in folders] == [
        "same-numbers/seed-1", "paraqd/seed-1", "paraqd/seed-2",
    ]  # fmt: skip
    scores = [
        json.loads((folder / "figures.json").read_text())["sets"]["sawp_test"]["score"]["auc"] for folder in folders[1:]
    ]
    table = paraphrase_tables(folders)
    assert f"| {ARMS['paraqd'].title} | 2 | {np.mean(scores):.3f} ± {np.std(scores, ddof=1):.3f} [" in table
    assert "Seeds 1, 2; what is not trained is measured once." in table
    with np.load(folders[0] / "outcomes.npz") as outcomes:
        changed = dict(outcomes) | {"sawp_test/pair": outcomes["sawp_test/pair"] + 1}
    np.savez_compressed(folders[0] / "outcomes.npz", **changed)
    with pytest.raises(DataError, match="measured on other pairs of SAWP"):
        paraphrase_tables(folders)


def test_the_operators_of_a_set_are_judged_by_its_labels(data, tmp_path):
    assert operators_of(data, "sawp_test") == {
        "precision": 1, "recall": 1, "accuracy": 1, "labels_are_what_was_meant": True,
    }  # fmt: skip
    rows = pairs(TESTED[:4])
    rows[0]["label"] = rows[2]["label"] = 0  # people refuse two of four rewordings, and take one change
    rows[5]["label"] = 1
    write_set(tmp_path, "paraqd/sawp_test", rows)
    assert operators_of(tmp_path, "sawp_test") == {
        "precision": 0.5, "recall": pytest.approx(2 / 3), "accuracy": 5 / 8, "labels_are_what_was_meant": False,
    }  # fmt: skip
    write_set(tmp_path, "paraqd/sawp_test", rows[1:] + rows[:1])  # no couples any more
    assert operators_of(tmp_path, "sawp_test") == {}
    named = [pair | {"operator": "same_sentence" if pair["label"] else "pegasus"} for pair in pairs(TESTED)]
    named[1]["paraphrase"] = named[1]["original"]
    write_set(tmp_path, "paraqd/aquarat_val", named)
    assert operators_of(tmp_path, "aquarat_val")["pairs"] == 39
    assert unchanged_pairs(tmp_path, "aquarat_val") == 1


def test_what_is_unknown_is_named(data, tmp_path):
    with pytest.raises(DataError, match="Not known: nonsense"):
        reproduce_paraphrase(data, tmp_path, Plan(["nonsense"], [1]))


def test_every_operator_of_the_paper_is_removed_in_turn():
    assert sum(name.startswith("without-") for name in ARMS) == 10
    for arm in ARMS.values():
        if arm.settings is not None:
            ParaphraseConfig(**arm.settings)
    assert PUBLISHED.keys() <= MEASURED_ON.keys()


def test_what_a_trained_scorer_must_beat_is_always_measured_with_it():
    assert with_untrained(["edit-distance"]) == ["edit-distance"]
    assert with_untrained(["ours", "frozen"]) == ["same-numbers", "rule-frozen", "ours", "frozen"]
    assert with_untrained(["nonsense"]) == ["nonsense"]


def test_the_command_writes_the_table(data, tmp_path):
    out = StringIO()
    arguments = ("reproduce", "paraphrase", "--data", str(data), "--output", str(tmp_path / "runs"))
    call_command(*arguments, "--arms", "edit-distance", stdout=out, stderr=StringIO())
    assert (tmp_path / "runs" / "table.md").read_text() in out.getvalue()
    assert "| edit similarity | 1 |" in out.getvalue()
    with pytest.raises(CommandError, match="Not known: nonsense"):
        call_command(*arguments, "--arms", "nonsense", stdout=out, stderr=StringIO())
