"""Several processes for one training: torchrun on this machine, and what its processes are told and tell.

Whoever starts them shares a folder with the processes on the same machine:

``work.pickle``   what is done (`Work`), on the first machine alone; its process 0 sends it to all others
``start``         on another machine: where the model that training begins with is there
``told-N.jsonl``  what process N tells, a message a line
``stop``          when it appears, all processes save a checkpoint and end

Torch-free, so that whoever starts them need not have loaded PyTorch; `analytics.training.share` is what they run.
"""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import socket
import struct
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analytics.artifacts import Manifest
from analytics.errors import ConfigurationError
from analytics.training.context import TrainingContext

Train = Callable[[Path, TrainingContext], Manifest]
"""Called with the output folder and the context that all trainings take."""

_SIOCGIFADDR = 0x8915  # asks for the address of an interface
WORK, START, STOP = "work.pickle", "start", "stop"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a machine stands among those that train together.

    Attributes:
        processes: on each machine.
        nodes: machines.
        node: number of this one, from 0.
        address: where the first one is found, ``HOST:PORT``; by default this machine, at a free port.
        seconds: how long the machines wait for one another.
    """

    processes: int
    nodes: int = 1
    node: int = 0
    address: str = ""
    seconds: int = 120

    def torchrun(self) -> list[str]:
        """Return torchrun's options: the first machine's process 0 is that of the whole training."""
        host, _, port = (self.address or free_address("127.0.0.1")).rpartition(":")
        return [
            f"--nnodes={self.nodes}",
            f"--node-rank={self.node}",
            f"--nproc-per-node={self.processes}",
            f"--master-addr={host.strip('[]')}",
            f"--master-port={port}",
            f"--rdzv-conf=timeout={self.seconds}",
            "--max-restarts=0",  # whoever starts it decides whether to go on, and with how many
        ]

    def environment(self) -> dict[str, str]:
        """Return which network the processes use: the one by which the first machine is reached."""
        host = self.address.rpartition(":")[0]
        interface = _interface(local_address(host)) if host else ""
        names = ("GLOO_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "TP_SOCKET_IFNAME")
        return {name: interface for name in names if interface and name not in os.environ}


@dataclass(frozen=True, slots=True)
class Work:
    """What all processes do: train, with the first one's folders and provenance.

    Attributes:
        train: picklable, such as a `functools.partial`; its keyword ``start``, if any, is a path on the first machine.
        about: fields of the `TrainingContext` that can be sent.
    """

    train: Train
    output: Path
    checkpoints: Path | None
    about: Mapping[str, Any] = field(default_factory=dict)


def write_work(folder: Path, work: Work) -> None:
    """Leave the work for process 0."""
    (folder / WORK).write_bytes(pickle.dumps(work))


def torchrun_command(place: Place, *arguments: str) -> list[str]:
    """Return the command that starts a module's processes; `arguments` begin with the module's name."""
    return [sys.executable, "-m", "torch.distributed.run", *place.torchrun(), "-m", *arguments]


class Told:
    """What the processes of one machine tell: each ``(process number, {"kind": ..., ...})``, once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[Path, int] = {}  # bytes of whole lines

    def __iter__(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for path in sorted(self._folder.glob("told-*.jsonl")):
            with path.open("rb") as stream:
                stream.seek(self._read.get(path, 0))
                whole, _end, _begun = stream.read().rpartition(b"\n")
            if not whole:
                continue
            self._read[path] = self._read.get(path, 0) + len(whole) + 1
            number = int(path.stem.removeprefix("told-"))
            yield from ((number, json.loads(line)) for line in whole.splitlines())


def free_address(host: str) -> str:
    """Return ``HOST:PORT`` with a port that is free now."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listening:
        listening.bind((host, 0))
        return f"{host}:{listening.getsockname()[1]}"


def local_address(other: str) -> str:
    """Return the address by which this machine reaches another; nothing is sent.

    Raises:
        ConfigurationError: there is no way there.
    """
    try:
        family, kind, protocol, _name, where = socket.getaddrinfo(other, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind, protocol) as reaching:
            reaching.connect(where)
            return str(reaching.getsockname()[0])
    except OSError as error:
        raise ConfigurationError([f"the machine {other} cannot be reached: {error.strerror}"]) from error


def _interface(address: str) -> str:
    """Return the network interface that has an address; empty where that cannot be told (IPv6)."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _number, name in socket.if_nameindex():
            request = struct.pack("256s", name.encode()[:15])
            try:
                answer = fcntl.ioctl(asking.fileno(), _SIOCGIFADDR, request)
            except OSError:  # it has no address
                continue
            if socket.inet_ntoa(answer[20:24]) == address:
                return name
    return ""
