"""Data-parallel training under torchrun, with PyTorch's DDP (decisions 21 and 151; docs/several-gpus.md).

Each process takes its share of every batch. The batch size is the total over all processes, so a run has the
same steps and, up to rounding, the same result with any number of them. Without torchrun there is one
process, and everything here is a no-op.

Control messages (stop requests, losses, metrics) are exchanged between the CPUs, whatever the device.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import timedelta
from inspect import signature
from typing import Any, TypeVar

import numpy.typing as npt
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from analytics.errors import AnalyticsError, ConfigurationError, DataError

Made = TypeVar("Made")

# The others wait while the main process evaluates or exports; torchrun ends them if it fails.
_PATIENCE = timedelta(hours=4)
_OPTIONS = signature(DistributedDataParallel).parameters
_NO_BUFFERS: dict[str, Any] = {  # the second name is that of torch before 2.13
    "forward_sync_buffers" if "forward_sync_buffers" in _OPTIONS else "broadcast_buffers": False
}


@contextmanager
def process_group() -> Iterator[None]:
    """Join the other processes that torchrun started, if there are any; each uses its own GPU, if any.

    Raises:
        ConfigurationError: torchrun's variables are incomplete, or it started more processes than there are GPUs.
    """
    if os.environ.get("WORLD_SIZE", "1") == "1" or dist.is_initialized():
        yield
        return
    try:
        if cards := torch.cuda.device_count():
            card = int(os.environ["LOCAL_RANK"])
            if card >= cards:
                raise ConfigurationError([f"--nproc-per-node must be at most {cards}, the GPUs of this machine"])
            torch.cuda.set_device(card)
        dist.init_process_group("cpu:gloo,cuda:nccl" if cards else "gloo", timeout=_PATIENCE)
    except (KeyError, ValueError) as error:
        raise ConfigurationError([f"WORLD_SIZE is set, but not by torchrun: {error}"]) from error
    try:
        yield
    finally:
        dist.destroy_process_group()


def processes() -> int:
    """Return the number of processes that train together."""
    return dist.get_world_size() if dist.is_initialized() else 1


def check_own_device(preference: str) -> None:
    """Check that the device setting gives every process a GPU of its own.

    Raises:
        ConfigurationError: it names one GPU, but several processes train.
    """
    if processes() > 1 and ":" in preference:
        raise ConfigurationError([f"device must be cuda for {processes()} processes, not {preference}"])


def process_number() -> int:
    """Return this process's number, starting at 0."""
    return dist.get_rank() if dist.is_initialized() else 0


def is_main() -> bool:
    """Return whether this is the process that reports, saves and exports."""
    return process_number() == 0


def shard(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return this process's part of a batch; concatenated in process order, the parts make the whole batch.

    Raises:
        DataError: the batch cannot be divided evenly.
    """
    count = processes()
    if len(rows) % count:
        raise DataError(
            f"{count} processes cannot share a batch of {len(rows)} evenly: choose a multiple of {count} as its size."
        )
    each = len(rows) // count
    return rows[process_number() * each : (process_number() + 1) * each]


def gather(tensor: Tensor) -> Tensor:
    """Return the tensors of all processes, concatenated along the first dimension, without gradients.

    Args:
        tensor: has the same shape in all processes.
    """
    if processes() == 1:
        return tensor.detach()
    parts = [torch.empty_like(tensor) for _process in range(processes())]
    dist.all_gather(parts, tensor.detach().contiguous())
    return torch.cat(parts)


def gather_rows(tensor: Tensor) -> Tensor:
    """Return the rows of all processes in process order; gradients flow only into this process's own.

    It is for losses over a whole batch, such as in-batch contrast, that every process computes identically.
    DDP averages the processes' gradients, so they are multiplied here by the number of processes.

    Args:
        tensor: (rows, ...); the number of rows may differ between processes.
    """
    if processes() == 1:
        return tensor
    counts = [int(count) for count in gather_objects(len(tensor))]
    own = tensor.detach()
    padded = own.new_zeros(max(counts), *own.shape[1:])
    padded[: len(own)] = own
    parts = [part[:count] for part, count in zip(gather(padded).split(max(counts)), counts, strict=True)]
    parts[process_number()] = own + processes() * (tensor - own)  # adds 0, and scales the gradient
    return torch.cat(parts)


def gather_objects(value: Any) -> list[Any]:
    """Return the values of all processes."""
    values: list[Any] = [value] * processes()
    if processes() > 1:
        dist.all_gather_object(values, value)
    return values


def any_process(flag: bool) -> bool:
    """Return whether the flag is set in any process."""
    if processes() == 1:
        return flag
    tensor = torch.tensor(int(flag))
    dist.all_reduce(tensor, dist.ReduceOp.MAX)
    return bool(tensor)


def mean_over_processes(values: Mapping[str, float]) -> dict[str, float]:
    """Return every value averaged over the processes, which must all have the same names."""
    if processes() == 1:
        return dict(values)
    tensor = torch.tensor(list(values.values()), dtype=torch.float64)
    dist.all_reduce(tensor)
    return dict(zip(values, (tensor / processes()).tolist(), strict=True))


def broadcast_from_main(make: Callable[[], Made]) -> Made:
    """Call `make` in the main process and return its result in every process; the others wait.

    Raises:
        AnalyticsError: raised in the other processes if `make` fails in the main process, where its own error
            is raised.
    """
    if processes() == 1:
        return make()
    parcel: list[Any] = [None, ""]
    if is_main():
        try:
            parcel[0] = make()
        except BaseException as error:
            parcel[1] = str(error) or type(error).__name__
            dist.broadcast_object_list(parcel)
            raise
    dist.broadcast_object_list(parcel)
    if parcel[1]:
        raise AnalyticsError(f"The main process failed: {parcel[1]}")
    made: Made = parcel[0]
    return made


class DataParallelLosses:
    """Losses of a task, with gradients averaged over the processes during the backward pass.

    With one process it just calls `losses`. With several, DDP wraps all modules at once, so that a task may
    call them in any way; at the start they get the main process's weights.

    Args:
        modules: everything that is trained.
        losses: called with a batch and the step.
    """

    def __init__(self, modules: Mapping[str, nn.Module], losses: Callable[..., Mapping[str, Tensor]]) -> None:
        self.losses = losses
        self.wrapped: DistributedDataParallel | None = None
        if processes() > 1:
            # Buffers such as a queue are synchronised by the code that writes them. Some weights get no
            # gradient (a pooler).
            self.wrapped = DistributedDataParallel(_Losses(modules, losses), find_unused_parameters=True, **_NO_BUFFERS)

    def __call__(self, batch: Any, step: Any) -> Mapping[str, Tensor]:
        """Return scalars by name, for this process's part of the batch."""
        return self.losses(batch, step) if self.wrapped is None else self.wrapped(batch, step)

    def gradient_sync(self, now: bool) -> AbstractContextManager[object]:
        """Return a context in which gradients are synchronised now, or only accumulated until a later batch."""
        return nullcontext() if now or self.wrapped is None else self.wrapped.no_sync()


class _Losses(nn.Module):
    def __init__(self, modules: Mapping[str, nn.Module], losses: Callable[..., Mapping[str, Tensor]]) -> None:
        super().__init__()
        self.trained = nn.ModuleDict(modules)
        self.losses = losses

    def forward(self, batch: Any, step: Any) -> dict[str, Tensor]:
        return dict(self.losses(batch, step))
