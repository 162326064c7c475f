"""The tables of all papers, made from runs whose outcomes are drawn: every line of them stays as it is.

``python -m tests.worker.reproduction.test_published_tables`` writes them anew, for a change that is meant to be seen.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from worker.reproduction.analogy_tables import analogy_tables
from worker.reproduction.encoder import encoder_tables
from worker.reproduction.paraphrase_tables import paraphrase_tables
from worker.reproduction.solver_figures import COSINES, representation_tables
from worker.reproduction.solver_tables import solver_tables

GOLDEN = Path(__file__).with_name("published")
QUESTIONS = 30

Arrays = dict[str, Any]


def keep(folder: Path, figures: dict[str, Any], outcomes: Arrays) -> Path:
    folder.mkdir(parents=True)
    (folder / "figures.json").write_text(json.dumps({"machine": "drawn", **figures}))
    np.savez(folder / "outcomes.npz", **outcomes)
    return folder


def solver(root: Path) -> str:
    rng = np.random.default_rng(1)
    for part, arm, seed in [
        *((f"asdiv_a/fold-{fold}", arm, 42) for fold in (0, 1) for arm in ("none", "pattern", "gts")),
        *(("math23k", arm, seed) for seed in (1, 2) for arm in ("none", "alpha-0", "pattern", "both", "textual")),
        ("mathqa", "none", 42),
    ]:
        layers = rng.uniform(1, 9, 3).tolist()
        figures = {
            "clustering": {"training": 3.25, "test_by_layer": layers},
            "moments": [
                {"share": share, "index": layers[0], "answer_accuracy": share / 2, "step": int(100 * share)}
                for share in (0.5, 1.0)
            ],
            "pairs": {
                kind: {"pairs": 7, "cosine_by_layer": (np.array(layers) / 10).tolist()}
                for kind in ("similar_wording", "same_prototype")
            },
        }
        right = rng.random(QUESTIONS) < 0.6
        outcomes = {
            "problem": np.arange(QUESTIONS) * 7, "is_answer_right": right,
            "is_equation_right": right & (rng.random(QUESTIONS) < 0.8),
            "id": np.array([f"p{row}" for row in range(QUESTIONS)]),
            "equation": np.array([f"n1+{row}" for row in range(QUESTIONS)]), COSINES: rng.uniform(0.2, 1, QUESTIONS),
        }  # fmt: skip
        arrays = {f"test/{key}": values for key, values in outcomes.items()}
        has_figures = arm in ("none", "pattern")
        keep(root / part / arm / f"seed-{seed}", {"sets": {"representation": figures} if has_figures else {}}, arrays)
    return f"{solver_tables(root)}\n{representation_tables(root)}\n"


def analogy(root: Path) -> str:
    rng = np.random.default_rng(2)
    for part, arm, seed, measured in [
        *((f"asdiv_a/fold-{fold}", arm, 42, ()) for fold in (0, 1) for arm in ("random", "frozen", "paper", "share-5")),
        *(("gsm8k", arm, seed, ("mathqa",)) for seed in (1, 2) for arm in ("frozen", "paper")),
        ("mathqa", "frozen", 1, ()),
    ]:
        sets: dict[str, Any] = {}
        arrays: Arrays = {}
        for place in (part, *measured):
            sets[place] = {
                "questions": QUESTIONS, "questions_with_twin": 0.25, "questions_without_graph": 2, "corpus": 90,
                "corpus_without_graph": 3, "corpus_with_positive": 80,
            }  # fmt: skip
            if arm == "paper":
                sets[place]["generator"] = "a model"
            arrays[f"{place}/question"] = np.arange(QUESTIONS)
            for twins in ("with_twins", "without_twins"):
                for key in ("same_graph", "same_equation", "ndcg", "apply_nearest", "apply_vote", "exact_match"):
                    arrays[f"{place}/{twins}/{key}"] = (rng.random(QUESTIONS) < 0.5).astype(float)
                for key in ("similarity", "graph_similarity"):
                    arrays[f"{place}/{twins}/{key}"] = rng.random(QUESTIONS)
        keep(root / part / arm / f"seed-{seed}", {"sets": sets}, arrays)
    return analogy_tables(root)


def of_folders(
    root: Path, draw: Callable[[str, np.random.Generator], tuple[dict[str, Any], Arrays]], trained: dict[str, Any],
    arms: Iterable[tuple[str, bool]], config: dict[str, Any],
) -> list[Path]:  # fmt: skip
    """Keep runs of arms that are trained or not, with three seeds or one."""
    rng = np.random.default_rng(3)
    folders = []
    for arm, trains in arms:
        for seed in (0, 1, 2) if trains else (0,):
            sets, arrays = draw(arm, rng)
            settings = {"arm": arm, "seed": seed, "trained_on": trained["on"], "config": config}
            figures = {"settings": settings, "training": trained["notes"] if trains else {}, "sets": sets}
            folders.append(keep(root / arm / f"seed-{seed}", figures, arrays))
    return folders


def paraphrase(root: Path) -> str:
    labels = np.arange(QUESTIONS) % 2

    def draw(arm: str, rng: np.random.Generator) -> tuple[dict[str, Any], Arrays]:
        sets: dict[str, Any] = {}
        arrays: Arrays = {}
        for name in ("aquarat_test", "sawp_test"):
            kinds = ("score", "verdict") if arm == "paraqd" else ("score",)
            sets[name] = {
                "pairs": QUESTIONS, "learned_from": 1, "unchanged_and_left_out": 4 if name == "sawp_test" else 0,
                "operators": {
                    "labels_are_what_was_meant": name == "sawp_test", "precision": 0.5, "recall": 0.6, "accuracy": 0.7,
                },
            }  # fmt: skip
            arrays |= {f"{name}/label": labels, f"{name}/pair": np.arange(QUESTIONS)}
            for kind in kinds:
                names = ("auc", "macro_f1", "paper_macro_f1", "separation", "weighted_f1", "paper_weighted_f1",
                         "positive_mean", "negative_mean")  # fmt: skip
                figures = dict(zip(names, rng.random(8).tolist(), strict=True))
                sets[name][kind] = figures | {"valid": 15, "confusion": [[9, 6], [5, 10]]}
                arrays[f"{name}/{kind}"] = labels - 0.5 + rng.normal(0, 1, QUESTIONS)
        return sets, arrays

    config = {
        "backbone": "tiny", "batch_size": 16, "margin": 0.5, "learning_rate": 2e-5, "translator_there": "",
        "weak_paraphraser": "a model",
    }  # fmt: skip
    notes = {"left_out_as_a_test_set_holds_them": {"gsm8k": 3}, "steps": 40}
    arms = [("same-numbers", False), ("rule-frozen", False), ("frozen", False), ("paraqd", True), ("ours", True)]
    return paraphrase_tables(of_folders(root, draw, {"on": ["gsm8k"], "notes": notes}, arms, config))


def encoder(root: Path) -> str:
    def draw(arm: str, rng: np.random.Generator) -> tuple[dict[str, Any], Arrays]:
        sets: dict[str, Any] = {}
        arrays: Arrays = {}
        for name in ("math", "theoremqa") if arm != "tfidf" else ("math",):
            row = dict(zip(("accuracy", "macro_f1", "precision_at_10"), rng.random(3).tolist(), strict=True))
            graded = {key: float(rng.random()) for key in ("mae", "rmse", "pearson", "doa")}
            graded |= {"median_mae": 1.0, "true_concept_mae": 0.9, "true_concept_pearson": 0.2}
            sets[name] = {
                "questions": 90, "test": QUESTIONS, "exact_duplicates_removed": 2, "levels": {"1": row},
                "distance": {"spearman": 0.3}, **({"difficulty": graded} if name == "math" else {}),
            }  # fmt: skip
            arrays[f"{name}/question"] = np.arange(QUESTIONS)
            for key in ("accuracy_1", "precision_1", "difficulty_error", "difficulty", "difficulty_truth"):
                arrays[f"{name}/{key}"] = rng.random(QUESTIONS)
        return sets, arrays

    config = {"batch_size": 32, "max_tokens": 128, "learning_rate": 5e-5, "momentum": 0.999}
    notes = {"questions": 700, "left_out_as_another_set_tests_with_them": 5, "steps": 40}
    arms = [("frozen", False), ("tfidf", False), ("quesco", True)]
    return encoder_tables(of_folders(root, draw, {"on": ["math"], "notes": notes}, arms, config))


TABLES: dict[str, Callable[[Path], str]] = {
    "solver": solver,
    "analogy": analogy,
    "paraphrase": paraphrase,
    "encoder": encoder,
}


@pytest.mark.parametrize("word", TABLES)
def test_the_tables_of_a_paper_are_what_they_were(word, tmp_path):
    made = TABLES[word](tmp_path).splitlines()
    assert made == (GOLDEN / f"{word}.md").read_text(encoding="utf-8").splitlines()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for capability in sys.argv[1:] or TABLES:
        with tempfile.TemporaryDirectory() as place:
            (GOLDEN / f"{capability}.md").write_text(TABLES[capability](Path(place)), encoding="utf-8")
