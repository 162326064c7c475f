"""The arms of Learning by Analogy's tables: one line each, as settings of the retriever's configuration."""

from __future__ import annotations

from analytics.backbone.sources import MULTILINGUAL_BACKBONE
from worker.reproduction.problem_sets import PROBLEM_SETS, ProblemSet
from worker.reproduction.trained import Arm

REWRITTEN = "rewritten"
"""The arm that learns from pairs, each problem and its rewriting, without any graph (section 4)."""

REWRITTEN_BY_MODEL = "rewritten-model"
"""The same with pairs that a language model has written, as in the paper; they come from a file."""

_OURS = {"slot_text": True, "all_positives": True, "batch_size": 64}

ARMS: dict[str, Arm] = {
    "random": Arm("at random"),
    "tfidf": Arm("TF-IDF"),
    "frozen": Arm("meaning: the frozen encoder"),
    "bound": Arm("true graphs (upper bound)"),
    "paper": Arm("Eq. 1, the paper's settings", {}),
    "paper-equation": Arm("Eq. 1, positives of the same equation", {"same": "equation"}),
    "slots": Arm("Eq. 1, slots for numbers", {"slot_text": True}),
    "ours": Arm("slots, all positives, batches of 64", _OURS),
    "ours-both": Arm("the same, equation nearer than graph", {**_OURS, "same": "both"}),
    REWRITTEN: Arm("Eq. 1, pairs rewritten by rules", {}),
    REWRITTEN_BY_MODEL: Arm("Eq. 1, pairs rewritten by a language model", {}),
    **{
        f"share-{percent}": Arm(f"Eq. 1, {percent} % of the data", {"share": percent / 100})
        for percent in (5, 10, 25, 50)
    },
}
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
