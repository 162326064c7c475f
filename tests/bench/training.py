"""A step of contrastive pre-training, beside the same written plainly with sentence-transformers' trainer.

    python -m tests.bench.training [--data FOLDER] [--questions N] [--steps N] [--rounds N]

Both train the default encoder on the same questions with the same batch and the same longest text, in turns in one
process, so that other load on the machine falls on both; the medians of a step are compared. Ours is QuesCo's step:
augmentation, query and key encoder, ranks against a full queue of 1,600 keys, RINCE, AdamW, momentum. Theirs contrasts
a question with its augmentation among the batch, both by one encoder: no queue and no momentum. It runs as the trainer
does by itself, and with bf16 switched on.

The gate: ranks and loss, backwards too, take less than 5 % of our step. With a GPU, the share of its peak that the
model's own multiplications reach is printed too.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import numpy as np

from analytics.training.context import wait_passively
from tests.bench.benchmark import gate, read_options, timed
from tests.bench.encode import questions

os.environ.setdefault("HF_HUB_OFFLINE", "1")
wait_passively()

MOST_OF_A_STEP = 0.05
RANKS = 0.06  # seconds, two cores
WARM_UP = 2  # steps of a round that do not count: kernels compile, caches fill
PEAK = {"H200": 989e12, "H100": 989e12, "A100": 312e12, "L40S": 362e12, "L4": 121e12, "A10": 125e12, "T4": 65e12}
"""Dense bf16 (T4: fp16) operations a second, from the makers' data sheets; the first name that fits counts."""


def main() -> int:
    """Print a table; the exit code is 1 where the gate is missed."""
    options = read_options(questions=4000, steps=8, rounds=2)

    from analytics.encoder.config import EncoderConfig
    from analytics.training.device import inference_dtype, pick_device

    config, device = EncoderConfig(), pick_device()
    texts, origin = questions(options.data, options.questions)
    task = quesco(texts, config)
    print(
        f"{len(texts)} questions ({origin}), batches of {config.batch_size}, at most {config.max_tokens} tokens,"
        f" {config.backbone} on {device}, {str(inference_dtype(device)).removeprefix('torch.')}"
    )
    steps = options.steps + WARM_UP
    pairs = [
        (texts[row], view) for rows, _texts, views in task.batches(0) for row, view in zip(rows, views, strict=True)
    ][: steps * config.batch_size]
    step, _speedup = compare_training(task, pairs, config, unit="questions", steps=steps, rounds=options.rounds)
    prepared = median_of(task_batches(task), 20)
    print(f"drawing a batch and its augmentations: {1e3 * prepared:.1f} ms, {prepared / step:.1%} of the step")
    share = median_of(ranks_and_loss(task), 20) / step
    large = median_of(large_ranks(device), 20)
    print(f"ranks of 1,024 questions to 65,536 keys: {1e3 * large:.0f} ms (aim {1e3 * RANKS:.0f})")
    if device.type == "cuda":
        print(utilisation(task, config, step))
    return gate(f"ranks and loss {share:.2%} of the step < {MOST_OF_A_STEP:.0%}", share < MOST_OF_A_STEP)


def compare_training(
    task: Any, pairs: list[tuple[str, str]], config: Any, *, unit: str, steps: int, rounds: int
) -> tuple[float, float]:
    """Print how long steps of both trainers take, in turns.

    Args:
        unit: what a batch holds.

    Returns:
        Seconds of our step, and how many times as fast it is as theirs by default.
    """
    ways: dict[str, Callable[[], list[float]]] = {
        "sentence-transformers": lambda: plain_steps(pairs, config, bf16=False),
        "sentence-transformers, bf16": lambda: plain_steps(pairs, config, bf16=True),
        "Kindred": lambda: our_steps(task, config, steps),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _round in range(rounds):
        for name, way in ways.items():
            seconds[name] += way()[WARM_UP:]
    medians = {name: statistics.median(each) for name, each in seconds.items()}
    base = medians["sentence-transformers"]
    print(f"{'':30}{f'{unit}/s':>12}{'ms a step':>12}{'speed-up':>10}")
    for name, median in medians.items():
        print(f"{name:30}{config.batch_size / median:12.1f}{1e3 * median:12.0f}{base / median:10.2f}", flush=True)
    return medians["Kindred"], base / medians["Kindred"]


def quesco(texts: list[str], config: Any) -> Any:
    """Our task on questions with drawn concepts, its queue full of random unit vectors."""
    import torch
    from torch.nn.functional import normalize

    from analytics.backbone.bert import load_backbone
    from analytics.encoder.examples import EncoderExample
    from analytics.encoder.pretraining import PretrainingTask
    from analytics.training.device import seed_everything

    seed_everything(config.seed)
    rng = random.Random(0)
    examples = [
        EncoderExample(
            text,
            tuple(
                (f"{rng.randrange(5)}", f"{rng.randrange(9)}", f"{rng.randrange(9)}")
                for _ in range(rng.choice((1, 1, 1, 2)))
            ),
            hierarchy=f"{rng.randrange(4)}",
        )
        for text in texts
    ]
    task = PretrainingTask(load_backbone(config.backbone, max_tokens=config.max_tokens), examples, config)
    keys = normalize(torch.randn(task.queue.size, config.projection), dim=1)
    task.queue.enqueue(keys.to(task.backbone.device), torch.arange(task.queue.size, device=task.backbone.device))
    return task


def our_steps(task: Any, config: Any, steps: int) -> list[float]:
    """Return the seconds of each step in the project's own loop."""
    import torch

    from analytics.training.context import TrainingContext
    from analytics.training.device import inference_dtype, pick_device
    from analytics.training.loop import train_loop
    from analytics.training.stages import LoopSettings

    device, ended = pick_device(), [time.perf_counter()]

    def note() -> bool:
        if device.type == "cuda":
            torch.cuda.synchronize()  # the loop itself does not wait
        ended.append(time.perf_counter())
        return False

    settings = LoopSettings(
        max_steps=steps, learning_rate=config.learning_rate, dtype=inference_dtype(device), report_every=steps
    )
    train_loop(task, settings, device=device, context=TrainingContext(cancel=note))
    return np.diff(ended).tolist()


def plain_steps(pairs: list[tuple[str, str]], config: Any, *, bf16: bool) -> list[float]:
    """Return the seconds of each step in sentence-transformers' trainer; what it prints is dropped."""
    import torch
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import TrainerCallback

    from analytics.backbone.sources import find_source

    class Clock(TrainerCallback):
        def on_step_begin(self, *arguments: Any, **options: Any) -> None:
            if not ended:
                ended.append(time.perf_counter())

        def on_step_end(self, *arguments: Any, **options: Any) -> None:
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            ended.append(time.perf_counter())

    ended: list[float] = []
    with (
        tempfile.TemporaryDirectory() as scratch,
        warnings.catch_warnings(),
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()),
    ):
        warnings.simplefilter("ignore")
        model = SentenceTransformer(find_source(config.backbone).location)
        model.max_seq_length = config.max_tokens
        trainer = SentenceTransformerTrainer(
            model=model,
            args=SentenceTransformerTrainingArguments(
                output_dir=scratch,
                num_train_epochs=1,
                per_device_train_batch_size=config.batch_size,
                learning_rate=config.learning_rate,
                bf16=bf16,
                use_cpu=not torch.cuda.is_available(),
                save_strategy="no",
                logging_strategy="no",
                report_to="none",
                disable_tqdm=True,
            ),
            train_dataset=Dataset.from_dict(
                {"anchor": [text for text, _view in pairs], "positive": [view for _text, view in pairs]}
            ),
            loss=MultipleNegativesRankingLoss(model),
            callbacks=[Clock()],
        )
        trainer.train()
    return np.diff(ended).tolist()


def task_batches(task: Any) -> Callable[[], object]:
    """Return what draws the next batch."""
    batches = iter(task.batches(1))
    return lambda: next(batches)


def ranks_and_loss(task: Any) -> Callable[[], object]:
    """Return what ranks a batch against the full queue and computes the loss and its gradient."""
    import torch

    rows = next(iter(task.batches(2)))[0]
    _keys, labels = task.queue.filled()
    numbers = torch.from_numpy(rows).to(labels.device)
    similarities = torch.rand(len(rows), 1 + len(labels), device=labels.device).mul(2).sub(1).requires_grad_()

    def compute() -> None:
        ranks = task._ranks(numbers, labels)
        task.loss.by_rank(similarities, ranks).mean(dim=0).sum().backward()
        if similarities.is_cuda:
            torch.cuda.synchronize()

    return compute


def large_ranks(device: Any) -> Callable[[], object]:
    """Return what ranks a large batch against a long queue: 100,000 questions, a quarter of them with two paths."""
    import torch

    from analytics.concept_paths import encode_paths
    from analytics.encoder.objectives import RankTable

    rng = random.Random(0)
    questions = [
        [(f"{rng.randrange(5)}", f"{rng.randrange(9)}", f"{rng.randrange(9)}") for _ in range(rng.choice((1, 1, 1, 2)))]
        for _ in range(100_000)
    ]
    names = [f"{rng.randrange(4)}" for _ in questions]
    table = RankTable(*encode_paths(questions, 3, names), device)
    rows = torch.randperm(len(questions), device=device)[:1_024]
    queued = torch.randint(len(questions), (65_536,), device=device)
    ranks: Any = None

    def compute() -> None:
        nonlocal ranks
        ranks = table.ranks(rows, queued, views=1, out=ranks)
        if ranks.is_cuda:
            torch.cuda.synchronize()

    return compute


def median_of(function: Callable[[], object], times: int) -> float:
    """Return the seconds of a call, after a first one that does not count."""
    function()
    return statistics.median(timed(function)[0] for _ in range(times))


def utilisation(task: Any, config: Any, seconds: float) -> str:
    """Operations that the model needs for the texts' tokens, padding left out, of what the GPU could do meanwhile.

    A multiplication and an addition count as two operations; backwards costs twice forwards. The query encoder goes
    both ways, the key encoder forwards only.
    """
    import torch

    model = task.backbone.model
    weights = sum(
        weight.numel()
        for name, weight in model.named_parameters()
        if weight.dim() > 1 and "embed" not in name and "pooler" not in name
    )
    layers, hidden = model.config.num_hidden_layers, model.config.hidden_size
    lengths = np.array(task.lengths, dtype=float)
    forwards = (2 * weights * lengths + 4 * layers * hidden * lengths**2).mean() * config.batch_size
    achieved = 4 * forwards / seconds
    name = torch.cuda.get_device_name()
    peak = next((value for part, value in PEAK.items() if part in name), None)
    share = "its peak is not in our table" if peak is None else f"{achieved / peak:.2%} of its peak"
    return f"{name}: {achieved / 1e12:.2f} TFLOP/s for the model, {share}"


if __name__ == "__main__":
    sys.exit(main())
