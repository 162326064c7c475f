"""The one training loop: it learns, reports, stops, and resumes exactly."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from analytics.encoder.config import EncoderConfig
from analytics.errors import ArtifactError, Cancelled, ConfigurationError, DataError
from analytics.training.checkpoint import CHECKPOINT_NAME, load_checkpoint, save_checkpoint
from analytics.training.context import TrainingContext
from analytics.training.device import inference_dtype, seed_everything
from analytics.training.loop import train_loop, train_stages
from analytics.training.stages import SCHEDULES, LoopSettings, Stage, Step, decay_groups, learning_rate_schedule
from tests.analytics.history import History

CPU = torch.device("cpu")


class Regression:
    """Fits a line with dropout; batches depend on the epoch alone, dropout on torch's generator."""

    def __init__(self, rows: int = 24, batch: int = 4) -> None:
        seed_everything(3)
        self.model = nn.Sequential(nn.Linear(3, 16), nn.Dropout(0.2), nn.Linear(16, 1))
        generator = torch.Generator().manual_seed(0)
        self.inputs = torch.randn(rows, 3, generator=generator)
        self.targets = self.inputs @ torch.tensor([[1.0], [-2.0], [0.5]])
        self.batch, self.followed = batch, 0

    def modules(self):
        return {"model": self.model}

    def parameter_groups(self):
        return [{"params": list(self.model.parameters())}]

    def batches_per_epoch(self) -> int:
        return len(self.inputs) // self.batch

    def batches(self, epoch: int):
        order = torch.randperm(len(self.inputs), generator=torch.Generator().manual_seed(epoch))
        return list(order[: self.batches_per_epoch() * self.batch].split(self.batch))

    def losses(self, rows, step):
        error = (self.model(self.inputs[rows]) - self.targets[rows]).pow(2).mean()
        return {"loss": error, "error": error}

    def after_step(self) -> None:
        self.followed += 1

    def evaluate(self):
        torch.rand(5)  # an evaluation that draws must not disturb training
        return {"held_out": float((self.model(self.inputs) - self.targets).pow(2).mean())}


SETTINGS = LoopSettings(epochs=4, learning_rate=0.05, report_every=5, best_metric="", warmup_share=0.1)


def weights(task: Regression) -> list[torch.Tensor]:
    return [parameter.detach().clone() for parameter in task.model.parameters()]


def test_it_learns_and_reports_steps_and_time_left():
    task, history = Regression(), History()
    result = train_loop(task, SETTINGS, device=CPU, context=TrainingContext(callbacks=(history,)))
    errors = [value for _step, value in history.series("held_out")]
    assert errors[-1] < 0.2 * errors[0]
    assert (result.step, task.followed) == (24, 24)
    assert history.reports[-1].seconds_left == 0
    assert [step for step, _value in history.series("loss")] == [5, 6, 10, 12, 15, 18, 20, 24]


@pytest.mark.parametrize("stop_after", [1, 6, 7, 13, 23])
def test_stopped_and_resumed_is_bit_equal_to_uninterrupted(tmp_path: Path, stop_after: int):
    whole = Regression()
    train_loop(whole, SETTINGS, device=CPU)

    first, calls = Regression(), iter(range(1, 100))
    with pytest.raises(Cancelled, match=f"after {stop_after} of 24"):
        train_loop(
            first,
            SETTINGS,
            device=CPU,
            context=TrainingContext(checkpoints=tmp_path, cancel=lambda: next(calls) == stop_after),
        )
    torch.rand(11)  # the process that resumes has drawn other numbers
    second = Regression()
    train_loop(second, SETTINGS, device=CPU, context=TrainingContext(checkpoints=tmp_path))
    for expected, weight in zip(weights(whole), weights(second), strict=True):
        assert torch.equal(expected, weight)


def test_sigterm_saves_a_checkpoint(tmp_path: Path):
    before, task = signal.getsignal(signal.SIGTERM), Regression()
    task.after_step = lambda: os.kill(os.getpid(), signal.SIGTERM)
    with pytest.raises(Cancelled, match="after 1 of 24"):
        train_loop(task, SETTINGS, device=CPU, context=TrainingContext(checkpoints=tmp_path))
    assert (tmp_path / CHECKPOINT_NAME).is_file()
    assert signal.getsignal(signal.SIGTERM) is before


def test_accumulated_batches_equal_one_large_batch():
    small = Regression(batch=4)
    large = Regression(batch=8)
    for task in (small, large):
        task.model = nn.Linear(3, 1)
        nn.init.constant_(task.model.weight, 0.1)
        nn.init.zeros_(task.model.bias)
    train_loop(small, LoopSettings(epochs=2, learning_rate=0.05, accumulate=2), device=CPU)
    train_loop(large, LoopSettings(epochs=2, learning_rate=0.05), device=CPU)
    torch.testing.assert_close(weights(small), weights(large))


def test_settings_are_taken_from_a_configuration_by_name():
    config = EncoderConfig(epochs=7, patience=3, accumulate=2, warmup_share=0.25, mixed_precision=False)
    settings = LoopSettings.of(config, best_metric="held_out", epochs=8)
    assert settings == LoopSettings(
        epochs=8,
        learning_rate=5e-5,
        warmup_share=0.25,
        accumulate=2,
        patience=3,
        evaluate_every=200,
        checkpoint_every=100,
        best_metric="held_out",
    )
    assert LoopSettings.of(EncoderConfig(device="cpu")).dtype == inference_dtype(CPU)


def test_the_best_weights_are_kept_and_training_stops_without_improvement():
    task, values = Regression(), iter([1.0, 3.0, 2.0, 1.5, 9.0])
    seen: list[list[torch.Tensor]] = []

    def evaluate():
        seen.append(weights(task))
        return {"held_out": next(values)}

    task.evaluate = evaluate
    settings = LoopSettings(epochs=5, learning_rate=0.05, best_metric="held_out", patience=2)
    result = train_loop(task, settings, device=CPU)
    assert result.stopped_early
    assert (result.best, result.last) == ({"held_out": 3.0}, {"held_out": 1.5})
    assert all(torch.equal(weight, expected) for weight, expected in zip(weights(task), seen[1], strict=True))


def test_a_metric_that_is_no_number_is_never_the_best():
    task, values = Regression(), iter([float("nan"), 1.0, 2.0])
    task.evaluate = lambda: {"held_out": next(values)}
    settings = LoopSettings(epochs=3, best_metric="held_out")
    assert train_loop(task, settings, device=CPU).best == {"held_out": 2.0}


def test_a_cancel_after_the_last_step_comes_too_late():
    calls = iter(range(1, 99))
    assert (
        train_loop(Regression(), SETTINGS, device=CPU, context=TrainingContext(cancel=lambda: next(calls) == 24)).step
        == 24
    )


def test_max_steps_bounds_the_run():
    assert train_loop(Regression(), LoopSettings(epochs=9, max_steps=7), device=CPU).step == 7


def test_a_damaged_checkpoint_and_one_of_another_run_are_refused(tmp_path: Path):
    (tmp_path / CHECKPOINT_NAME).write_bytes(b"half a file")
    with pytest.raises(ArtifactError, match="cannot be read"):
        train_loop(Regression(), SETTINGS, device=CPU, context=TrainingContext(checkpoints=tmp_path))
    (tmp_path / CHECKPOINT_NAME).unlink()
    train_loop(Regression(), SETTINGS, device=CPU, context=TrainingContext(checkpoints=tmp_path))
    with pytest.raises(DataError, match="belongs to a run of 24 steps"):
        train_loop(Regression(), LoopSettings(epochs=5), device=CPU, context=TrainingContext(checkpoints=tmp_path))
    with pytest.raises(DataError, match="other settings or other data"):
        train_loop(
            Regression(), SETTINGS, device=CPU, context=TrainingContext(checkpoints=tmp_path), identity="another"
        )


def test_too_few_examples_and_a_loss_that_explodes_are_clear_errors():
    with pytest.raises(DataError, match="too few examples"):
        train_loop(Regression(rows=2), SETTINGS, device=CPU)
    task = Regression()
    task.losses = lambda rows, step: {"loss": task.model(task.inputs[rows]).sum() * float("nan")}
    with pytest.raises(DataError, match="not a number"):
        train_loop(task, SETTINGS, device=CPU)


def test_a_gpu_without_memory_ends_in_one_sentence_and_the_run_keeps_its_checkpoint(tmp_path):
    def train(fails_at: int | None):
        task = Regression()
        plain = task.losses

        def losses(rows, step):
            if step.number == fails_at:
                raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")
            return plain(rows, step)

        task.losses = losses
        settings = replace(SETTINGS, checkpoint_every=2)
        result = train_loop(task, settings, device=CPU, context=TrainingContext(checkpoints=tmp_path))
        return result, weights(task)

    with pytest.raises(ConfigurationError, match="the GPU ran out of memory; close other programs that use it"):
        train(fails_at=5)
    assert load_checkpoint(tmp_path)["current"]["step"] == 4
    resumed, trained = train(fails_at=None)
    whole = Regression()
    assert train_loop(whole, SETTINGS, device=CPU).step == resumed.step
    torch.testing.assert_close(trained, weights(whole))


class Scaling:
    """A second stage: fits a factor behind a model that is trained already; the factor begins at random."""

    def __init__(self, first: Regression) -> None:
        self.first = first
        with torch.no_grad():
            self.outputs = first.model.eval()(first.inputs)
        self.factor = nn.Linear(1, 1)
        self.steps: list[Step] = []
        self.finished = False

    def modules(self):
        return {"factor": self.factor}

    def parameter_groups(self):
        return [{"params": list(self.factor.parameters())}]

    def batches_per_epoch(self) -> int:
        return 3

    def batches(self, epoch: int):
        order = torch.randperm(24, generator=torch.Generator().manual_seed(100 + epoch))
        return list(order.split(8))

    def losses(self, rows, step):
        self.steps.append(step)
        noise = 0.1 * torch.randn(len(rows), 1)  # of torch's generator
        error = (self.factor(self.outputs[rows] + noise) - self.first.targets[rows]).pow(2).mean()
        return {"loss": error}

    def after_step(self) -> None:
        """Nothing follows."""

    def evaluate(self):
        return {}


class TwoStages:
    """A regression, then a factor behind it, as one training of 12 and 10 steps."""

    def __init__(self) -> None:
        self.first, self.second = Regression(), None

    def stages(self) -> list[Stage]:
        def second() -> Scaling:
            self.second = Scaling(self.first)
            return self.second

        def finish(task: Scaling) -> None:
            task.finished = True

        settings = LoopSettings(epochs=2, learning_rate=0.05, report_every=4)
        return [
            Stage("fit", lambda: self.first, settings),
            Stage("scale", second, LoopSettings(learning_rate=0.1, report_every=5), steps=10, finish=finish),
        ]

    def train(self, **context):
        return train_stages(self.stages(), device=CPU, context=TrainingContext(**context), identity="two")

    def weights(self) -> list[torch.Tensor]:
        return [*weights(self.first), *(parameter.detach() for parameter in self.second.factor.parameters())]


@pytest.mark.parametrize("stop_after", [1, 6, 11, 12, 13, 15, 21])
def test_a_training_of_two_stages_resumes_exactly_in_either(tmp_path: Path, stop_after: int):
    whole = TwoStages()
    whole.train()
    calls = iter(range(1, 100))
    stopped = TwoStages()
    with pytest.raises(Cancelled, match=f"after {max(stop_after, 13) if stop_after == 12 else stop_after} of 22"):
        stopped.train(checkpoints=tmp_path, cancel=lambda: next(calls) >= stop_after)
    torch.rand(11)
    resumed = TwoStages()
    result = resumed.train(checkpoints=tmp_path)
    assert result.step == 22
    assert resumed.second.finished
    for expected, weight in zip(whole.weights(), resumed.weights(), strict=True):
        assert torch.equal(expected, weight)


def test_a_finished_training_of_two_stages_is_read_from_its_checkpoint(tmp_path: Path):
    whole, again = TwoStages(), TwoStages()
    first = whole.train(checkpoints=tmp_path)
    assert again.train(checkpoints=tmp_path) == first
    assert again.second.finished
    assert again.second.steps == []
    for expected, weight in zip(whole.weights(), again.weights(), strict=True):
        assert torch.equal(expected, weight)


def test_stages_share_one_count_of_steps_and_a_task_sees_its_own(tmp_path: Path):
    training, history = TwoStages(), History()
    training.train(callbacks=(history,))
    assert [(report.step, report.steps) for report in history.reports] == [(step, 22) for step in (4, 6, 8, 12, 17, 22)]
    assert training.second.steps == [Step(number, 10) for number in range(10)]
    assert [step for step, _value in history.series("loss_scale")] == [17, 22]


def test_a_stage_that_ran_out_of_patience_is_over_when_it_is_resumed(tmp_path: Path):
    def training() -> tuple[Regression, Stage]:
        task, values = Regression(), iter([3.0, 2.0, 1.0, 3.5])
        task.evaluate = lambda: {"held_out": next(values)}
        settings = LoopSettings(epochs=4, learning_rate=0.05, best_metric="held_out", patience=2)
        return task, Stage("fit", lambda: task, settings)

    first, stage = training()
    result = train_stages([stage], device=CPU, context=TrainingContext(checkpoints=tmp_path))
    second, stage = training()
    assert train_stages([stage], device=CPU, context=TrainingContext(checkpoints=tmp_path)) == result
    assert result.step == 18
    assert all(torch.equal(expected, weight) for expected, weight in zip(weights(first), weights(second), strict=True))


def test_a_checkpoint_of_an_older_version_or_of_other_stages_is_refused(tmp_path: Path):
    TwoStages().train(checkpoints=tmp_path)
    with pytest.raises(DataError, match="other settings or other data"):
        train_stages(
            TwoStages().stages()[:1], device=CPU, context=TrainingContext(checkpoints=tmp_path), identity="two"
        )
    state = load_checkpoint(tmp_path)
    del state["version"]
    save_checkpoint(tmp_path, state)
    with pytest.raises(ArtifactError, match="another version of this program; remove it"):
        TwoStages().train(checkpoints=tmp_path)


def test_biases_and_norms_are_not_decayed_and_frozen_or_repeated_parameters_left_out():
    model = nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2))
    model[2].weight.requires_grad_(False)
    decayed, free = decay_groups([*model.parameters(), *model[0].parameters()])
    assert [id(parameter) for parameter in decayed["params"]] == [id(model[0].weight)]
    assert [id(parameter) for parameter in free["params"]] == [
        id(parameter) for parameter in (model[0].bias, model[1].weight, model[1].bias, model[2].bias)
    ]
    assert free["weight_decay"] == 0.0
    assert "weight_decay" not in decayed


@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_warms_up_linearly_to_the_full_rate_and_never_rises_again(name):
    factor = learning_rate_schedule(name, steps=50, warmup=10)
    assert [factor(step) for step in range(10)] == pytest.approx([(step + 1) / 10 for step in range(10)])
    after = [factor(step) for step in range(10, 51)]
    assert after[0] == 1.0
    assert after == sorted(after, reverse=True)
    assert min(after) >= 0


@pytest.mark.parametrize(("name", "half", "end"), [("linear", 0.5, 0.0), ("cosine", 0.5, 0.0), ("constant", 1.0, 1.0)])
def test_where_each_curve_is_in_the_middle_and_at_the_end(name, half, end):
    factor = learning_rate_schedule(name, steps=100)
    assert factor(50) == pytest.approx(half)
    assert factor(100) == pytest.approx(end)


def test_the_cosine_falls_slower_than_the_line_at_first_and_faster_later():
    line, cosine = (learning_rate_schedule(name, steps=100) for name in ("linear", "cosine"))
    assert cosine(25) == pytest.approx(0.8536, abs=1e-4)
    assert cosine(25) > line(25)
    assert cosine(75) < line(75)


def test_a_warm_up_may_fill_the_whole_stage():
    assert learning_rate_schedule("linear", steps=4, warmup=4)(3) == 1.0


def test_an_unknown_schedule_is_refused_with_the_names_of_those_there_are():
    with pytest.raises(ConfigurationError, match="must be one of linear, cosine, constant, not 'step'"):
        learning_rate_schedule("step", 10)
