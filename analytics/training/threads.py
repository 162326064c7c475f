"""How torch's threads wait. Torch-free, because it must be settled before torch is imported.

By default the threads of an OpenMP loop spin while they wait for one another. On a machine that does other work
too (a database, a web server), the spinning keeps that work from the processor, and the thread that all wait for
with it. Waiting passively, encoding was five to ten times as fast on two busy cores (decision 0004).
"""

from __future__ import annotations

import os


def wait_passively() -> None:
    """Let the threads of a process give up the processor while they wait; for the start of a program.

    Does nothing where ``OMP_WAIT_POLICY`` is set already, and has no effect once torch is imported.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
