"""The retriever: its loss, its positives, and a training that overfits, is saved, reloaded and resumed."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from analytics.analogy import train
from analytics.analogy.examples import AnalogyConfig, AnalogyExample, Positives, read_graphs, with_positive
from analytics.analogy.graphs import shared_keys_at_k
from analytics.analogy.retriever import give_datastore, load_retriever
from analytics.analogy.train import RetrievalTask, encode_problems, fit_retriever, train_retriever
from analytics.backbone.backbone import Head, set_head
from analytics.backbone.bert import load_backbone
from analytics.backbone.export import save_backbone
from analytics.catalog import ANALOGY
from analytics.errors import Cancelled, DataError
from analytics.question_files import Problems
from analytics.records import ProblemRecord
from analytics.training.context import FileOptions, TrainingContext
from analytics.training.stages import Step
from tests.analytics.history import History

STORIES = [
    ("Tom has 3 pens and 4 cups.", "3+4"),
    ("A shop sold 8 cars, then 2.", "8+2"),
    ("Ann had 9 pies and ate 5.", "9-5"),
    ("Of 7 birds 6 flew away.", "7-6"),
    ("Each of 2 bags holds 8 nuts.", "2*8"),
    ("There are 5 rows of 3 trees.", "5*3"),
    ("Ben splits 8 figs among 4.", "8/4"),
    ("Pack 6 hats into 3 boxes.", "6/3"),
]
PROBLEMS = [ProblemRecord(str(row), text, equation=equation) for row, (text, equation) in enumerate(STORIES)]
STEP = Step(0, 1)


def examples() -> list[AnalogyExample]:
    return read_graphs(PROBLEMS)[0]


@pytest.fixture
def backbone_folder(tiny_folder) -> str:
    return tiny_folder(64)


def config(folder: str, **settings: object) -> AnalogyConfig:
    small = {"batch_size": 4, "epochs": 40, "learning_rate": 2e-3, "mixed_precision": False, "device": "cpu"}
    return AnalogyConfig(backbone=folder, **small, **settings)  # type: ignore[arg-type]


def test_an_encoder_that_does_not_know_the_language_is_refused(backbone_folder: str) -> None:
    chinese = [
        ProblemRecord(str(number), f"小明有{number}支铅笔，又买了4支，一共有多少支？", "zh", f"{number}+4")
        for number in range(10, 20)
    ]
    with pytest.raises(DataError, match=r"does not know .* choose another backbone, such as multilingual-e5"):
        fit_retriever(read_graphs(chinese)[0], config(backbone_folder))


def share(backbone, settings: AnalogyConfig) -> float:
    """Share of the questions whose nearest other one has the same graph."""
    vectors = encode_problems(backbone, [problem.text for problem in PROBLEMS], settings)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -2)
    nearest = cosines.argmax(axis=1)
    keys = [example.graph.graph for example in examples()]
    return float(np.mean([keys[row] == keys[near] for row, near in enumerate(nearest)]))


@pytest.mark.parametrize("settings", [{}, {"slot_text": True, "all_positives": True}, {"adapter_rank": 8}])
def test_it_overfits_eight_problems_and_reloads_equal(settings, backbone_folder, tmp_path):
    asked = config(backbone_folder, **settings)
    backbone, _result = fit_retriever(examples(), asked)
    assert share(load_backbone(backbone_folder, device="cpu"), asked) < 1
    assert share(backbone, asked) == 1
    assert bool(backbone.adapter) == bool(asked.adapter_rank)

    manifest = train_retriever(Problems(learned=tuple(PROBLEMS)), replace(asked, measured=0), tmp_path / "model")
    retriever = load_retriever(tmp_path / "model")
    assert manifest.capability == "analogy"
    assert retriever.slots == asked.slot_text
    texts = [problem.text for problem in PROBLEMS]
    # encode_bulk computes in bfloat16 where the processor has it
    np.testing.assert_allclose(retriever.encode(texts), encode_problems(backbone, texts, asked), atol=2e-2)
    again = load_backbone(str(tmp_path / "model"), device="cpu")
    np.testing.assert_allclose(encode_problems(again, texts, asked), encode_problems(backbone, texts, asked), atol=2e-2)
    assert (tmp_path / "model" / "adapter" / "adapter_model.safetensors").is_file() == bool(asked.adapter_rank)
    assert (tmp_path / "model" / "adapter" / "metric.safetensors").is_file() == bool(asked.adapter_rank)


def test_the_loss_is_equation_1_with_the_same_graphs_left_out(backbone_folder):
    settings = config(backbone_folder)
    backbone = load_backbone(backbone_folder, device="cpu")
    task = RetrievalTask(backbone, examples(), settings)
    rows, positives = np.array([0, 2, 3, 4]), np.array([1, 3, 2, 5])
    with torch.no_grad():
        loss = task.losses((rows, positives), STEP)["loss"].item()
        embedded = backbone.embed(*backbone.batch([PROBLEMS[row].text for row in [*rows, *positives]]))
        vectors = normalize(embedded, dim=1)
    keys = [examples()[row].graph.graph for row in [*rows, *positives]]
    terms = []
    for row in range(4):
        similar = (vectors[row] @ vectors.T / 0.05).exp()
        own = similar[row + 4]
        others = sum(similar[place] for place in range(8) if keys[place] != keys[row])
        terms.append(-torch.log(own / (own + others)))
    assert loss == pytest.approx(float(torch.stack(terms).mean()), rel=1e-4)


def test_all_positives_of_a_batch_count_and_a_repeated_question_does_not(backbone_folder):
    task = RetrievalTask(
        load_backbone(backbone_folder, device="cpu"), examples(), config(backbone_folder, all_positives=True)
    )
    ranks = task._ranks(np.array([0, 2, 1, 0]))
    assert ranks.tolist() == [[0, 2, 1, 0], [2, 0, 2, 2], [1, 2, 0, 1], [0, 2, 1, 0]]


def test_positives_are_drawn_anew_among_all_others():
    keys = ["a", "b", "a", "b", "a"]
    positives = Positives(keys)
    drawn = Counter()
    for seed in range(300):
        rows = positives.draw(np.random.default_rng(seed))
        for row, positive in enumerate(rows):
            assert row != positive
            assert keys[row] == keys[positive]
        drawn[int(rows[0])] += 1
    assert set(drawn) == {2, 4}
    assert 100 < drawn[2] < 200
    task_rows = Positives(keys).draw(np.random.default_rng(5))
    assert task_rows.tolist() == Positives(keys).draw(np.random.default_rng(5)).tolist()


def test_examples_without_a_positive_are_dropped_and_too_few_are_refused(backbone_folder):
    lonely = [*PROBLEMS, ProblemRecord("9", "2 of 3 and 4", equation="2*3-4"), ProblemRecord("10", "no equation")]
    read, without = read_graphs(lonely)
    assert without == 1
    assert len(with_positive(read)) == 8
    said: list[str] = []
    fit_retriever(read, config(backbone_folder, max_steps=1), context=TrainingContext(say=said.append))
    assert said[0].startswith("1 problems dropped")
    with pytest.raises(DataError, match="there are 2"):
        fit_retriever(read[:2], config(backbone_folder))


def test_a_training_that_was_stopped_ends_as_one_that_was_not(backbone_folder, tmp_path):
    settings = config(backbone_folder, max_steps=12, checkpoint_every=5)
    whole, _result = fit_retriever(examples(), settings)
    calls = iter([False] * 7)
    context = TrainingContext(checkpoints=tmp_path / "kept", cancel=lambda: next(calls, True))
    with pytest.raises(Cancelled):
        fit_retriever(examples(), settings, context=context)
    resumed, result = fit_retriever(examples(), settings, context=TrainingContext(checkpoints=tmp_path / "kept"))
    assert result.step == 12
    assert resumed.weights_hash == whole.weights_hash


def test_training_on_files_measures_the_fold_and_uses_a_share(backbone_folder, tmp_path):
    lines = [
        {"id": str(row), "text": text, "equation": equation, "fold": row % 2}
        for row, (text, equation) in enumerate(STORIES * 4)
    ]
    data = tmp_path / "cv.jsonl"
    data.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    settings = config(backbone_folder, max_steps=2, fold=0, measured=2, share=0.8)
    history = History()
    manifest = ANALOGY.train(data, tmp_path / "model", settings, context=TrainingContext(callbacks=(history,)))
    assert manifest.metrics["test"]["problems"] == 16
    assert manifest.extra["problems"] == 12  # 0.8 of 16, one set apart
    assert history.last("validation_same_graph") is not None
    assert "--set slot_text" not in manifest.extra["command"]
    with pytest.raises(DataError, match="leave the hierarchy out"):
        ANALOGY.train(data, tmp_path / "other", settings, FileOptions(hierarchy="x"))
    with pytest.raises(DataError, match="No problem has an equation"):
        train_retriever(Problems(learned=(ProblemRecord("1", "what?"),)), settings, tmp_path / "none")


def test_a_trained_head_goes_on_being_trained(backbone_folder, tmp_path):
    first = load_backbone(backbone_folder, device="cpu")
    set_head(first, Head.linear(torch.eye(first.dimension)))
    save_backbone(first, tmp_path / "again")
    again, _result = fit_retriever(examples(), config(str(tmp_path / "again"), max_steps=2))
    assert isinstance(again.head, Head)
    assert list(again.head.tensors()) == ["metric"]
    assert not torch.equal(again.head.tensors()["metric"], first.head.tensors()["metric"])


def test_the_share_of_equal_keys_is_that_of_the_nearest():
    vectors = np.eye(3, dtype=np.float32)
    others = np.array([[1, 0, 0], [0.9, 0.1, 0], [0, 1, 0], [0, 0, 1]], dtype=np.float32)
    assert shared_keys_at_k(vectors, others, ["a", "b", "c"], ["a", "c", "b", "c"], 1) == 1
    assert shared_keys_at_k(vectors[:1], others, ["a"], ["a", "c", "b", "c"], 2) == 0.5


def test_a_trained_retriever_keeps_what_it_learned_and_can_be_given_other_problems(backbone_folder, tmp_path):
    settings = config(backbone_folder, slot_text=True, measured=0, max_steps=2)
    train_retriever(Problems(learned=tuple(PROBLEMS)), settings, tmp_path / "model")
    retriever = load_retriever(tmp_path / "model")
    assert retriever.datastore is not None
    assert len(retriever.datastore) == len(STORIES)
    (nearest,) = retriever.datastore.nearest(retriever.encode([PROBLEMS[4].text]), 1)
    assert nearest[0].similarity == pytest.approx(1, abs=0.02)
    rows = [{"id": "1", "text": STORIES[0][0], "language": "en", "equation": STORIES[0][1]}]
    (tmp_path / "problems.jsonl").write_text("\n".join(map(json.dumps, rows)))
    give_datastore(tmp_path / "model", tmp_path / "problems.jsonl")
    again = load_retriever(tmp_path / "model")
    assert again.datastore is not None
    assert again.datastore.equations == ("+ N0 N1 | d0 d1",)


def test_meanwhile_exemplars_are_looked_for_among_a_fixed_sample(monkeypatch):
    monkeypatch.setattr(train, "_MEASURED_CORPUS", 3)
    settings = AnalogyConfig(seed=7)
    drawn = train._measured_corpus(examples(), settings)
    assert len(drawn) == len({example.problem.id for example in drawn}) == 3
    assert drawn == train._measured_corpus(examples(), settings)
    assert train._measured_corpus(examples()[:3], settings) == examples()[:3]
