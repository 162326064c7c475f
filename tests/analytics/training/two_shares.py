"""Contrasts within a batch, by one process or by several; run by test_shares.py.

python -m tests.analytics.training.two_shares FOLDER     with RANK and WORLD_SIZE set
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

from analytics.analogy.config import AnalogyConfig
from analytics.analogy.examples import read_graphs
from analytics.analogy.retrieval_task import RetrievalTask
from analytics.backbone.tiny import tiny_backbone
from analytics.paraphrase.config import ParaphraseConfig
from analytics.paraphrase.scoring_task import ScoringTask
from analytics.paraphrase.triplets import Triplet
from analytics.records import ProblemRecord
from analytics.training.context import TrainingContext
from analytics.training.distributed import process_group, process_number
from analytics.training.loop import train_loop
from analytics.training.seeding import seed_everything
from analytics.training.stages import LoopSettings, Task
from tests.analytics.history import History

SETTINGS = LoopSettings(epochs=2, learning_rate=3e-3, report_every=1, accumulate=2)
PROBLEMS = [
    ProblemRecord(f"{sign}{n}", f"ann {verb} {n} pens and {n % 3 + 2} cups", equation=f"{n}{sign}{n % 3 + 2}")
    for sign, verb in (("+", "has"), ("-", "gave"), ("*", "packs"), ("/", "splits"))
    for n in range(5, 11)
]
TRIPLETS = [
    Triplet(f"ann has {n} pens" + n % 5 * " and some", f"ann owns {n} pens {m}", f"ann lost {m} pens or {n}")
    for n in range(12)
    for m in range(2 + n % 3)
]


def tasks() -> dict[str, Task]:
    """Tiny tasks without dropout: a retriever and a scorer, each with both of its losses."""
    made: dict[str, Task] = {}
    for name, options in (("pairs", {"all_positives": False}), ("all", {"all_positives": True})):
        config = AnalogyConfig(batch_size=8, freeze_embeddings=False, **options)
        made[f"retriever {name}"] = RetrievalTask(backbone(), read_graphs(PROBLEMS)[0], config)
    for name, combine in (("single", False), ("combined", True)):
        config = ParaphraseConfig(batch_size=8, loss="both", combine=combine)
        made[f"scorer {name}"] = ScoringTask(backbone(), TRIPLETS, config)
    return made


def backbone():
    seed_everything(1)
    made = tiny_backbone()
    for module in made.model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    return made


def all_losses() -> dict[str, list[float]]:
    """Return the loss of every step, by task."""
    found = {}
    for name, task in tasks().items():
        history = History()
        train_loop(task, SETTINGS, device=torch.device("cpu"), context=TrainingContext(callbacks=(history,)))
        found[name] = [value for _step, value in history.series("loss")]
    return found


def main() -> None:
    """Train all, and write down the losses."""
    folder = Path(sys.argv[1])
    with process_group(meeting_point=f"file://{folder}/meeting"):
        found = all_losses()
        (folder / f"process-{process_number()}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
