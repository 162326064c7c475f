"""A few word problems, written for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from analytics.errors import Cancelled
from analytics.records import ProblemRecord
from analytics.solver.config import SolverConfig
from analytics.solver.model import SolverModel
from analytics.solver.targets import SolverExample, Vocabulary, solver_examples
from analytics.solver.train import fit_solver
from analytics.training.context import TrainingContext
from analytics.training.device import seed_everything
from analytics.training.stages import TrainingResult
from tests.analytics.history import History
from tests.tiny_backbone import tiny_backbone

_ROWS = (
    ("Ann has 7 red pens and 2 blue pens. How many pens?", "7+2", "9"),
    ("A shelf holds 12 books; 5 fall down. How many stay?", "12-5", "7"),
    ("There are 4 boxes of 6 eggs. How many eggs?", "4*6", "24"),
    ("Share 20 sweets among 5 children: how many each?", "20/5", "4"),
    ("A coat of 80 dollars is 25 % off. What does it cost?", "80*(1-25%)", "60"),
    ("3 bags of 8 plums, and 4 plums more?", "3*8+4", "28"),
    ("How long is the edge of a circle of radius 10 cm?", "2*3.14*10", "62.8"),
    ("He has 9 coins, gives 2 away, and loses 3: how many now?", "9-2-3", "4"),
)


def problems() -> list[ProblemRecord]:
    return [
        ProblemRecord(str(number), text, equation=equation, answer=answer)
        for number, (text, equation, answer) in enumerate(_ROWS)
    ]


def examples() -> list[SolverExample]:
    return solver_examples(problems(), most_tokens=45)


def tiny_solver(**settings) -> SolverModel:
    seed_everything(0)
    model = SolverModel(tiny_backbone(max_tokens=128), Vocabulary.of(examples()), **settings)
    for module in model.modules().values():
        module.eval()
    return model


def small_config(backbone: str, **settings) -> SolverConfig:
    tiny = {
        "batch_size": 4, "epochs": 3, "contrast_epochs": 2, "learning_rate": 1e-3, "decoder_learning_rate": 3e-3,
        "measured": 0, "device": "cpu", "mixed_precision": False,
    }  # fmt: skip
    return SolverConfig(backbone=backbone, **{**tiny, **settings})


def weights(model: SolverModel) -> dict[str, torch.Tensor]:
    states = {part: module.state_dict() for part, module in model.modules().items()}
    return {f"{part}.{name}": tensor for part, state in states.items() for name, tensor in state.items()}


def trained_twice(settings: SolverConfig, folder: Path, *, stop_after: int) -> tuple[TrainingResult, History]:
    """Train at once, and with a stop; both give the same weights. Return how the first training went."""
    learned, history = [*examples(), *examples()], History()  # so that everything has a positive
    whole, result = fit_solver(learned, settings, context=TrainingContext(callbacks=(history,)))
    calls = iter(range(1, 99))
    stopped = TrainingContext(checkpoints=folder, cancel=lambda: next(calls) >= stop_after)
    with pytest.raises(Cancelled):
        fit_solver(learned, settings, context=stopped)
    resumed, _result = fit_solver(learned, settings, context=TrainingContext(checkpoints=folder))
    expected = weights(whole)
    assert all(torch.equal(expected[name], tensor) for name, tensor in weights(resumed).items())
    return result, history
