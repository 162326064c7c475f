"""Pre-training by one process or by several with the same batches; run by test_distributed.py.

python -m tests.analytics.encoder.two_processes FOLDER     with RANK and WORLD_SIZE set
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import torch

from analytics.backbone.tiny import tiny_backbone
from analytics.encoder.config import EncoderConfig
from analytics.encoder.examples import EncoderExample
from analytics.encoder.pretraining import PretrainingTask
from analytics.errors import Cancelled
from analytics.training.context import TrainingContext
from analytics.training.distributed import is_main, process_group, process_number, processes
from analytics.training.loop import train_loop
from analytics.training.seeding import seed_everything
from analytics.training.stages import LoopSettings
from tests.analytics.history import History

SHAPES = ("square", "circle", "cube", "ball")
EXAMPLES = [
    EncoderExample(f"find the size of a {shape} of side {side}" + side * ".", (("shape", shape),), "test")
    for shape in SHAPES
    for side in range(1, 7)
]
SETTINGS = LoopSettings(epochs=2, learning_rate=3e-3, report_every=1, clip_norm=1.0, accumulate=1)


def task() -> PretrainingTask:
    """A tiny run without dropout, whose parts differ in length and whose queue wraps around."""
    seed_everything(1)
    backbone = tiny_backbone()
    for module in backbone.model.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
    config = EncoderConfig(batch_size=4, queue_size=10, projection=8, momentum=0.9, levels=2)
    return PretrainingTask(backbone, EXAMPLES, config, held_out=lambda: {"measured": 0.5})


def state(pretraining: PretrainingTask) -> dict[str, dict[str, torch.Tensor]]:
    """Everything that a run leaves."""
    return {name: module.state_dict() for name, module in pretraining.modules().items()}


def main() -> None:
    """Train, be terminated in the last process after three steps, go on, and write down what came of it."""
    folder = Path(sys.argv[1])
    checkpoints, history = folder / "checkpoints", History()
    context = TrainingContext(checkpoints=checkpoints, callbacks=(history,))
    with process_group(meeting_point=f"file://{folder}/meeting"):
        first, stopped = task(), ""
        follow = first.after_step
        calls = iter(range(1, 99))

        def after_step() -> None:
            follow()
            if next(calls) == 3 and process_number() == processes() - 1:
                os.kill(os.getpid(), signal.SIGTERM)

        first.after_step = after_step  # type: ignore[method-assign]
        cpu = torch.device("cpu")
        try:
            train_loop(first, SETTINGS, device=cpu, context=context)
        except Cancelled as error:
            stopped = str(error)
        seen = sorted(path.name for path in checkpoints.iterdir())
        second = task()
        result = train_loop(second, SETTINGS, device=cpu, context=context)
        torch.save(
            {
                "stopped": stopped,
                "checkpoints": seen,
                "losses": history.series("loss"),
                "last": result.last,
                "is_main": is_main(),
                "state": state(second),
            },
            folder / f"process-{process_number()}.pt",
        )


if __name__ == "__main__":
    main()
