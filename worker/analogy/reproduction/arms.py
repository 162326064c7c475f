"""The arms of Learning by Analogy's tables: see arms.toml."""

from __future__ import annotations

from pathlib import Path

from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from worker.reproduction.arms import Arm, read_arms
from worker.reproduction.problem_sets import PROBLEM_SETS, ProblemSet

REWRITTEN = "rewritten"
"""The arm that learns from pairs, each problem and its rewriting, without any graph (section 4)."""

REWRITTEN_BY_MODEL = "rewritten-model"
"""The same with pairs that a language model has written, as in the paper; they come from a file."""

ARMS = read_arms(Path(__file__).parent, Arm)
"""What `reproduce analogy --arms` takes."""

SETS: dict[str, ProblemSet] = {
    **PROBLEM_SETS,
    "gsm8k": ProblemSet("GSM8K", "gsm8k"),
    "ape210k": ProblemSet(
        "Ape210K among Math23K",
        "math23k/train.jsonl.gz",
        tested="ape210k/test.jsonl.gz",
        backbone=MULTILINGUAL_BACKBONE,
    ),
    "unbiased_mwp": ProblemSet(
        "UnbiasedMWP among Math23K",
        "math23k/train.jsonl.gz",
        tested="unbiased_mwp/test.jsonl.gz",
        backbone=MULTILINGUAL_BACKBONE,
    ),
}
"""What `reproduce analogy --train-on` and `--measure-on` take, whole or as one fold: ``asdiv_a/fold-0``."""
