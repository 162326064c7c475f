"""No step of training an encoder or a solver makes the host wait for the device."""

from __future__ import annotations

import pytest
import torch

from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.metric_layer import MetricTask
from analytics.encoder.pretraining import PretrainingTask
from analytics.solver.config import SolverConfig
from analytics.solver.solving_task import PatternTask, PatternTriple, SolvingTask, TextualTask
from analytics.solver.textual_pairs import TextualTriple
from analytics.training.loop import train_loop
from analytics.training.stages import LoopSettings
from tests.analytics.solver.small_problems import examples, tiny_solver
from tests.analytics.training.waits import counted_waits
from tests.tiny_backbone import tiny_backbone

STEPS = 5
EXAMPLES = [
    EncoderExample(f"Take {row} from {row + 9}.", (("Number", f"Kind {row % 3}", f"{row}"),), "test", "", row % 4)
    for row in range(24)
]
CONFIG = {"batch_size": 4, "queue_size": 8, "projection": 16, "momentum": 0.9}


def pretraining(**settings: object) -> PretrainingTask:
    return PretrainingTask(tiny_backbone(), EXAMPLES, EncoderConfig(**{**CONFIG, **settings}))


def last_layer() -> MetricTask:
    backbone = tiny_backbone()
    vectors = torch.randn(len(EXAMPLES), backbone.dimension).numpy()
    return MetricTask(backbone, vectors, EXAMPLES, EncoderConfig(seed=0))


def solving(kind: type[SolvingTask]) -> SolvingTask:
    own = examples()
    config = SolverConfig(batch_size=4, device="cpu", mixed_precision=False)
    if kind is PatternTask:
        triples = [PatternTriple(row, (row + 1) % 8, (row + 2) % 8, 0) for row in range(8)]
        return PatternTask(tiny_solver(), own, triples, config)
    if kind is TextualTask:
        triples = [TextualTriple(row, (row + 1) % 8, (row + 2) % 8) for row in range(8)]
        return TextualTask(tiny_solver(), own, len(own), triples, config)
    return SolvingTask(tiny_solver(), own, config)


def waits_of(task: object) -> list[str]:
    """Return what waits between the second step and the last; what is drawn and reported outside is not counted."""
    found: list[str] = []
    plain, after = task.losses, task.after_step

    def losses(batch: object, step: object) -> object:
        counting.append(counted_waits())
        waits = counting[-1].__enter__()
        found_in.append(waits)
        return plain(batch, step)

    def after_step() -> None:
        after()
        counting.pop().__exit__(None, None, None)
        found.extend(found_in.pop())

    counting, found_in = [], []
    task.losses, task.after_step = losses, after_step
    settings = LoopSettings(max_steps=STEPS, epochs=9, learning_rate=1e-3, report_every=99, clip_norm=1.0)
    train_loop(task, settings, device=torch.device("cpu"))
    return found


@pytest.mark.parametrize(
    "task",
    [
        pretraining,
        lambda: pretraining(ranking="finest"),
        lambda: pretraining(ranking="none", one_temperature=True),
        lambda: pretraining(concept_weight=1.0, difficulty_weight=1.0),
        last_layer,
        lambda: solving(SolvingTask),
        lambda: solving(PatternTask),
        lambda: solving(TextualTask),
    ],
    ids=["quesco", "finest", "none", "joint", "last-layer", "solver", "pattern", "textual"],
)
def test_a_step_never_waits_for_the_device(task):
    assert waits_of(task()) == []


def test_waits_are_seen():
    values = torch.tensor([1.0, 2.0])
    with counted_waits() as waits:
        float(values[0])
        values.tolist()
        values[values > 1]
        bool((values > 3).any())
        values.cpu()
        torch.nonzero(values)
    assert {line.split(" in ")[0] for line in waits} >= {
        "__float__", "tolist", "aten::index", "__bool__", "cpu", "aten::nonzero",
    }  # fmt: skip
    assert values.tolist() == [1.0, 2.0]
